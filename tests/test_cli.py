"""The command line: data to stdout, words to stderr, exit codes as documented."""

import csv
import io
import json
import re
from decimal import Decimal
from pathlib import Path

import pytest
from click.testing import Result
from typer.testing import CliRunner

import cli
from config import Config
from metrics.answer import metrics
from tests.lakes import ROOT, source, written

LISTED = {
    "cost-total": "source service_provider charge_category currency billed_cost effective_cost "
    "list_cost contracted_cost rows",
    "cost-allocation": "tenant currency direct metered idle shared total basis",
    "gpu-hours": "cluster tenant jobs gpu_hours cost",
    "mfu": "run accelerator precision formula peak_tflops mfu_percent hfu_percent note",
    "sla": "service target sli sli_excluding_maintenance budget_minutes budget_left_percent "
    "downtime_minutes mttr_minutes mtbf_hours coverage_percent",
    "schedule": "uid wbs name start finish early_start early_finish late_start late_finish "
    "total_slack_hours critical stored_start stored_finish stored_critical",
    "risk-exposure": "id title probability impact score emv status owner",
    "quarantine": "source file row column rule message",
}
"""The keys that scripts rely on, in their order."""

ARGUMENTS = {"schedule": ["--project", "Shanghai extension"]}


def run(*arguments: str) -> Result:
    return CliRunner().invoke(cli.app, list(arguments))


@pytest.mark.parametrize("name", LISTED)
def test_each_figure_has_exactly_its_keys(name: str, sample: Config) -> None:
    more = ARGUMENTS.get(name, [])
    result = run("metric", name, "--config", str(sample.file), "--format", "json", *more)
    assert result.exit_code == 0, result.stderr
    rows = json.loads(result.stdout)
    assert rows, name
    assert " ".join(rows[0]) == LISTED[name]


def test_money_is_text_and_times_are_iso(sample: Config) -> None:
    result = run("metric", "cost-total", "--config", str(sample.file), "--format", "json")
    first = json.loads(result.stdout)[0]
    assert isinstance(first["billed_cost"], str) and re.fullmatch(
        r"-?\d+(\.\d+)?", first["billed_cost"]
    )
    plan = run("metric", "schedule", "--config", str(sample.file), "--format", "json",
               "--project", "Shanghai extension")  # fmt: skip
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(Z|[+-]\d\d:\d\d)?",
                        json.loads(plan.stdout)[0]["start"])  # fmt: skip


def test_csv_and_json_say_the_same(sample: Config) -> None:
    arguments = ("metric", "gpu-hours", "--config", str(sample.file), "--month", "2026-11")
    as_json = json.loads(run(*arguments, "--format", "json").stdout)
    as_csv = list(csv.DictReader(io.StringIO(run(*arguments, "--format", "csv").stdout)))
    assert [row["cost"] for row in as_csv] == [row["cost"] for row in as_json]
    assert [row["tenant"] for row in as_csv] == [row["tenant"] for row in as_json]


def test_as_of_the_last_review_is_what_was_loaded_then(sample: Config) -> None:
    arguments = ("metric", "cost-total", "--config", str(sample.file), "--format", "json")
    now = json.loads(run(*arguments).stdout)
    then = json.loads(run(*arguments, "--as-of", "2026-11-23").stdout)
    assert sum(row["rows"] for row in then) < sum(row["rows"] for row in now)
    early = run(*arguments, "--as-of", "2020-01-01")
    assert early.exit_code == 1
    assert "Nothing had been loaded by 2020-01-01" in early.stderr


def test_every_listed_figure_is_documented() -> None:
    assert set(LISTED) <= {name for name, metric in metrics().items() if metric.listed}
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for name in LISTED:
        assert f"`{name}" in readme, name


def test_mistakes_are_answered_with_the_nearest(sample: Config) -> None:
    wrong = run("metric", "cost-totl", "--config", str(sample.file))
    assert (wrong.exit_code, wrong.stdout) == (2, "")
    assert 'Did you mean "cost-total"?' in wrong.stderr
    assert run("metric", "mfu", "--project", "x", "--config", str(sample.file)).exit_code == 2
    month = run("metric", "sla", "--month", "November", "--config", str(sample.file))
    assert month.exit_code == 1
    assert "write it as 2026-11" in month.stderr


def test_load_says_what_it_did_and_fails_only_what_failed(tmp_path: Path) -> None:
    (tmp_path / "log.csv").write_text(
        "incident_id,service,start,end\nI-1,api,2026-11-01T00:00Z,2026-11-01T01:00Z\n"
    )
    (tmp_path / "wrong.csv").write_text("nothing of the kind\n")
    good, bad = source("log", "incidents", "log.csv"), source("bad", "incidents", "wrong.csv")
    config = str(written(tmp_path, good + bad).file)
    result = run("load", "--config", config)
    assert result.exit_code == 1
    assert re.search(r"log\s+incidents\s+loaded\s+1\s+1\s+1\s+0\s+0", result.stdout)
    assert re.search(r"bad\s+incidents\s+failed", result.stdout)
    again = run("load", "--config", config, "--source", "log")
    assert again.exit_code == 0
    assert "unchanged" in again.stdout
    shown = run("status", "--config", config, "--format", "json")
    assert {row["source"] for row in json.loads(shown.stdout)} == {"log", "bad"}


def test_a_wrong_configuration_exits_2_without_a_traceback(tmp_path: Path) -> None:
    file = tmp_path / "q.toml"
    file.write_text('timezon = "UTC"\n')
    for arguments in (["load"], ["status"], ["metric", "sla"]):
        result = run(*arguments, "--config", str(file))
        assert result.exit_code == 2
        assert 'Did you mean "timezone"?' in result.stderr
        assert "Traceback" not in result.output


def test_workbooks_are_written_and_the_register_comes_back(sample: Config, tmp_path: Path) -> None:
    money, risks = tmp_path / "november.xlsx", tmp_path / "risks.xlsx"
    config = ("--config", str(sample.file))
    wrote = run("export", "cost-allocation", "--month", "2026-11", "--out", str(money), *config)
    assert wrote.exit_code == 0, wrote.stderr
    assert run("export", "risk-log", "--out", str(risks), *config).exit_code == 0
    assert money.stat().st_size > 5_000
    back = run("import", "risk-log", str(risks), *config)
    assert back.exit_code == 0, back.stderr
    assert "0 rows taken" in back.stderr


def test_every_command_has_help_with_an_example() -> None:
    for command in (["load"], ["status"], ["metric"], ["export", "cost-allocation"],
                    ["export", "risk-log"], ["import", "risk-log"]):  # fmt: skip
        result = run(*command, "--help")
        assert result.exit_code == 0
        assert "Example: quartermaster" in result.stdout


@pytest.mark.parametrize(
    ("value", "text"),
    [("1105000.000000000000000000", "1105000.00"), ("20.520226728990", "20.52022672899"),
     ("-3.5", "-3.50"), ("7", "7"), ("1E-7", "0.0000001")],
)  # fmt: skip
def test_exact_figures_lose_only_the_storage_s_zeros(value: str, text: str) -> None:
    assert cli._plain(Decimal(value)) == text
