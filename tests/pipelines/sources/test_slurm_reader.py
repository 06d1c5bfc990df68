"""Slurm accounting text: goldens of real exports, and each kind of mess."""

from datetime import UTC, datetime
from pathlib import Path

import polars as pl
import pytest

from pipelines.sources import FileRefused, MissingColumns, ReadResult
from pipelines.sources.sacct_fields import gres_gpus, node_names, seconds, tres_gpus
from pipelines.sources.slurm import SacctOptions, SacctReader
from tests.real import real

HEADING = "JobID|JobName|Account|User|State|Submit|Eligible|Start|End|Elapsed|AllocTRES|NodeList"
CARET_COLUMNS = (
    *("AdminComment", "AllocCPUS", "Elapsed", "JobID", "JobIDRaw", "MaxRSS", "NGPUs"),
    *("NNodes", "ReqMem", "State", "Timelimit", "TotalCPU"),
)


def read(path: Path, **options: object) -> ReadResult:
    return SacctReader().read(path, SacctOptions.model_validate({"cluster": "x", **options}))


def jobs(result: ReadResult) -> pl.DataFrame:
    frame = result.tables["job"]
    assert isinstance(frame, pl.DataFrame)
    return frame


def file(folder: Path, *lines: str, heading: str = HEADING) -> Path:
    path = folder / "sacct.txt"
    path.write_text("\n".join((heading, *lines)) + "\n", encoding="utf-8")
    return path


def line(**cells: str) -> str:
    """A one-hour job on one node with one GPU, with the given cells changed."""
    usual = {
        "JobID": "7",
        "JobName": "train",
        "Account": "pre",
        "User": "li",
        "State": "COMPLETED",
        "Submit": "2026-01-05T08:00:00",
        "Eligible": "2026-01-05T08:00:00",
        "Start": "2026-01-05T09:00:00",
        "End": "2026-01-05T10:00:00",
        "Elapsed": "01:00:00",
        "AllocTRES": "billing=16,cpu=16,gres/gpu=1,gres/gpu:h100=1,mem=64G,node=1",
        "NodeList": "gpu001",
    }
    return "|".join({**usual, **cells}.values())


def duration(text: str) -> float | None:
    value: float | None = pl.DataFrame({"t": [text]}).select(seconds(pl.col("t"))).item()
    return value


@pytest.mark.golden
def test_the_requeued_job_is_16637_seconds() -> None:
    frame = jobs(read(real("cluster/slurm/requeue_duplicates_reportseff_issue25.psv")))
    assert frame["job_id"].to_list() == ["235929"] * 4
    assert frame["elapsed_s"].to_list() == [3889, 4473, 6122, 2153]
    assert frame["elapsed_s"].sum() == 16_637


@pytest.mark.golden
def test_steps_never_count_and_gpus_come_from_the_job_s_own_report() -> None:
    result = read(real("cluster/slurm/reportseff_sacct_pipe_11col.psv"))
    frame = jobs(result)
    assert frame.height == 8
    core_hours = (frame["elapsed_s"] * frame["cpus"]).sum() / 3600
    assert core_hours == pytest.approx(218_471.60, abs=0.005)
    timed_out = frame.row(by_predicate=pl.col("job_id") == "46044267", named=True)
    assert timed_out["state"] == "TIMEOUT"
    assert timed_out["elapsed_s"] == 83_124
    assert timed_out["gpus"] * timed_out["elapsed_s"] / 3600 == pytest.approx(46.18)
    assert (timed_out["gpus_reported"], timed_out["gpu_util_percent"]) == (1, 9.5)
    silent = frame.row(by_predicate=pl.col("job_id") == "45352405", named=True)
    assert silent["gpus"] * silent["elapsed_s"] / 3600 == pytest.approx(7.705)
    assert (silent["gpus_reported"], silent["gpu_util_percent"]) == (0, None)
    unlimited = frame.row(by_predicate=pl.col("job_id") == "6196869", named=True)
    assert unlimited["timelimit_s"] is None
    assert any('Timelimit is not known where sacct says "UNLIMITED"' in n for n in result.notes)


@pytest.mark.golden
def test_a_cancelled_job_whose_end_is_unknown_keeps_its_elapsed_time() -> None:
    for name in ("1", "2"):
        frame = jobs(read(real(f"cluster/slurm/slurm2sql_sacct_parsable2_{name}.psv")))
        assert frame.height == 2
        cancelled = frame.row(1, named=True)
        assert (cancelled["state"], cancelled["end"]) == ("CANCELLED", None)
        assert cancelled["elapsed_s"] == 17
        assert frame["elapsed_s"][0] == 3 * 3600 + 33 * 60 + 25, "not its longer batch step"


@pytest.mark.golden
def test_a_three_character_delimiter_without_heading() -> None:
    path = real("cluster/slurm/reportseff_sacct_caret_13col.txt")
    result = read(path, columns=CARET_COLUMNS)
    assert jobs(result).height == 8
    assert jobs(result).filter(pl.col("job_id") == "65638294")["elapsed_s"].item() == 27_363
    assert not list(result.rejected)
    without = [name for name in CARET_COLUMNS if name != "Timelimit"]
    shorter = real("cluster/slurm/reportseff_sacct_caret_12col_no_timelimit.txt")
    assert jobs(read(shorter, columns=without)).height == 4


@pytest.mark.golden
def test_a_file_without_heading_asks_for_its_columns() -> None:
    with pytest.raises(MissingColumns, match="columns = "):
        read(real("cluster/slurm/reportseff_sacct_caret_13col.txt"))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("4-23:56:21", 431_781.0),
        ("09:28.052", 568.052),
        ("01:00:00", 3600.0),
        ("UNLIMITED", None),
        ("Partition_Limit", None),
        ("INVALID", None),
        ("-01:00:00", None),
    ],
)
def test_durations(text: str, expected: float | None) -> None:
    assert duration(text) == expected


@pytest.mark.parametrize(
    ("tres", "gpus"),
    [
        ("cpu=8,gres/gpu:h100=1,gres/gpu=1", 1),
        ("gres/gpu:h200=2", 2),
        ("billing=8,cpu=8,mem=32G,node=1", 0),
        ("gres/gpu:a100=2,gres/gpu:h100=1,gres/gpu=3", 3),
        ("gres/gpu:1g.10gb=2,gres/gpu=2", 2 / 7),
        ("gres/gpu:a100_3g.20gb=1", 3 / 7),
        ("gres/gpu:2g.12gb=1", 2 / 4),
        ("gres/gpumem=80G,gres/gpuutil=50,gres/gpu=1", 1),
    ],
)
def test_gpus_in_a_tres_list(tres: str, gpus: float) -> None:
    assert tres_gpus(tres) == pytest.approx(gpus)


def test_gpus_in_an_old_gres_list() -> None:
    assert [gres_gpus(text) for text in ("gpu:2", "gpu:a100:4(S:0-1)", "gpu", "craynetwork:1")] == [
        2,
        4,
        1,
        0,
    ]


def test_node_lists_are_expanded() -> None:
    assert node_names("gpu[001-003,07],cpu5") == "gpu001,gpu002,gpu003,gpu07,cpu5"
    assert node_names("r[1-2]n[0-1]") == "r1n0,r1n1,r2n0,r2n1"


def test_times_are_of_the_source_s_zone(tmp_path: Path) -> None:
    frame = jobs(read(file(tmp_path, line()), timezone="Asia/Shanghai"))
    row = frame.row(0, named=True)
    assert row["start"] == datetime(2026, 1, 5, 1, tzinfo=UTC)
    assert row["node_list"] == "gpu001"
    assert row["gpus"] == 1
    assert row["source_row"] == 2


def test_the_hour_that_the_clock_shows_twice(tmp_path: Path) -> None:
    # 2026-11-01 in New York: 01:50 daylight time, 20 minutes later it is 01:10 again.
    text = line(Start="2026-11-01T01:50:00", End="2026-11-01T01:10:00", Elapsed="00:20:00")
    result = read(file(tmp_path, text), timezone="America/New_York")
    row = jobs(result).row(0, named=True)
    assert (row["end"] - row["start"]).total_seconds() == 1200


def test_steps_and_exact_repetitions_are_left_out_but_requeues_stay(tmp_path: Path) -> None:
    again = line(Submit="2026-01-05T11:00:00", Start="2026-01-05T12:00:00", End="Unknown")
    again = again.replace("COMPLETED", "RUNNING")
    result = read(file(tmp_path, line(), line(), line(JobID="7.batch"), line(JobID="7.0"), again))
    frame = jobs(result)
    assert frame.height == 2
    assert frame["state"].to_list() == ["COMPLETED", "RUNNING"]
    assert frame["end"][1] is None
    assert "2 step rows left out, they repeat their job's time" in result.notes
    assert "1 exact repetitions of a row left out" in result.notes


@pytest.mark.parametrize(
    ("cells", "column", "rule"),
    [
        ({"End": "2026-01-05T08:00:00", "Elapsed": "00:00:00"}, "End", "order"),
        ({"Elapsed": "-01:00:00"}, "Elapsed", "negative"),
        ({"Elapsed": "an hour"}, "Elapsed", "duration"),
        ({"AllocTRES": "gres/gpu=many"}, "AllocTRES", "tres"),
        ({"Start": "yesterday"}, "Start", "time"),
        ({"JobID": ""}, "JobID", "missing"),
        ({"NodeList": "gpu[a-b]"}, "NodeList", "nodes"),
    ],
)
def test_a_row_that_breaks_a_rule_is_refused_with_its_place(
    tmp_path: Path, cells: dict[str, str], column: str, rule: str
) -> None:
    result = read(file(tmp_path, line(JobID="8"), line(**cells)))
    assert jobs(result)["job_id"].to_list() == ["8"]
    (refused,) = list(result.rejected)
    assert (refused.row, refused.column, refused.rule) == (3, column, rule)
    assert refused.message.startswith(f"sacct.txt, row 3, {column}: ")


def test_a_line_that_was_cut_is_refused(tmp_path: Path) -> None:
    result = read(file(tmp_path, line(), "8|train|pre"))
    assert [(r.row, r.rule) for r in result.rejected] == [(3, "cells")]


def test_a_pending_job_asks_for_gpus_but_holds_none(tmp_path: Path) -> None:
    heading = f"{HEADING}|ReqTRES"
    pending = line(
        State="PENDING",
        Start="Unknown",
        End="Unknown",
        Elapsed="00:00:00",
        AllocTRES="",
        NodeList="None assigned",
    ).replace("None assigned", "")
    result = read(file(tmp_path, f"{pending}|cpu=8,gres/gpu=64", heading=heading))
    row = jobs(result).row(0, named=True)
    assert (row["start"], row["gpus"]) == (None, 64)


def test_without_alloctres_gpus_are_not_known(tmp_path: Path) -> None:
    heading = "JobID|State|Elapsed|Cluster|"
    result = read(file(tmp_path, "7|COMPLETED|01:00:00|hk|", heading=heading), cluster=None)
    row = jobs(result).row(0, named=True)
    assert (row["cluster"], row["gpus"], row["start"]) == ("hk", None, None)
    assert any("AllocTRES" in note for note in result.notes)


def test_a_missing_column_is_named_with_advice(tmp_path: Path) -> None:
    with pytest.raises(MissingColumns, match=r"no column State .* Export again"):
        read(file(tmp_path, "7|01:00:00", heading="JobID|Elapsed"))


def test_a_file_without_cluster_needs_the_option(tmp_path: Path) -> None:
    with pytest.raises(MissingColumns, match='cluster = "NAME"'):
        read(file(tmp_path, line()), cluster=None)


def test_encodings_and_line_ends(tmp_path: Path) -> None:
    path = tmp_path / "sacct.txt"
    for encoding in ("utf-8-sig", "utf-16", "gb18030"):
        text = f"{HEADING}\r\n{line(JobName='大模型')}\r\n"
        path.write_bytes(text.encode(encoding))
        assert jobs(read(path))["job_name"].item() == "大模型"


def test_an_empty_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "sacct.txt"
    path.write_text("\n")
    with pytest.raises(FileRefused, match="holds no rows"):
        read(path)


def test_a_comma_file_with_quotes(tmp_path: Path) -> None:
    heading = "JobID,State,Elapsed,AllocTRES"
    result = read(file(tmp_path, '7,COMPLETED,01:00:00,"cpu=8,gres/gpu=2"', heading=heading))
    assert jobs(result)["gpus"].item() == 2
