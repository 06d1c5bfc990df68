"""Training runs: headings, mapping, refused rows."""

from datetime import UTC, datetime
from pathlib import Path

import polars as pl
import pytest

from pipelines.sources import FileRefused, MissingColumns, ReadResult
from pipelines.sources.training_runs import TrainingRunsOptions, TrainingRunsReader

HEADING = (
    "run,tenant,cluster,accelerator,count,precision,formula,start,end,params,tokens per second"
)


def read(folder: Path, *lines: str, heading: str = HEADING, **options: object) -> ReadResult:
    path = folder / "runs.csv"
    path.write_text("\n".join((heading, *lines)) + "\n", encoding="utf-8")
    return TrainingRunsReader().read(path, TrainingRunsOptions.model_validate(options))


def frame(result: ReadResult) -> pl.DataFrame:
    content = result.tables["training_run"]
    assert isinstance(content, pl.DataFrame)
    return content


def test_a_run_is_read_under_its_contract(tmp_path: Path) -> None:
    text = 'r1,pre,sh,H800 SXM,512,bf16,PaLM,2026-11-01 08:00,2026-11-02,"70,000,000,000",1.1e6'
    row = frame(read(tmp_path, text, timezone="Asia/Shanghai")).row(0, named=True)
    assert (row["formula"], row["precision"], row["accelerators"]) == ("palm", "BF16", 512)
    assert row["start"] == datetime(2026, 11, 1, 0, tzinfo=UTC)
    assert row["params"] == 70_000_000_000
    assert row["tokens_per_s"] == 1_100_000
    assert row["recompute"] is None


def test_headings_and_words_may_be_mapped(tmp_path: Path) -> None:
    result = read(
        tmp_path,
        "a,h800,8,amp_bf16,6N plus,1000,True",
        heading="实验,card,n,dtype,how,tokens_per_s,act_ckpt",
        columns={"run": "实验", "accelerator": "card", "accelerators": "n", "formula": "how"},
        values={"accelerator": {"h800": "H800 SXM"}, "formula": {"6N plus": "palm"}},
    )
    row = frame(result).row(0, named=True)
    assert (row["accelerator"], row["formula"], row["recompute"]) == ("H800 SXM", "palm", "full")


@pytest.mark.parametrize(
    ("text", "column", "message"),
    [
        ("r,,,H800,8,bf16,titen,,,1,1", "formula", 'Did you mean "titan"'),
        ("r,,,H800,8,double,6n,,,1,1", "precision", "Known: BF16"),
        ("r,,,H800,8,bf16,6n,,,1,", "tokens per second", "neither tokens per second"),
        ("r,,,H800,8,bf16,6n,2026-02-01,2026-01-01,1,1", "end", "before the start"),
        ("r,,,H800,8.5,bf16,6n,,,1,1", "count", "not a whole number"),
        (",,,H800,8,bf16,6n,,,1,1", "run", "is blank"),
    ],
)
def test_a_row_that_breaks_a_rule_is_refused(
    tmp_path: Path, text: str, column: str, message: str
) -> None:
    result = read(tmp_path, "good,,,H800,8,bf16,6n,,,1,1", text)
    assert frame(result)["run"].to_list() == ["good"]
    (refused,) = list(result.rejected)
    assert (refused.row, refused.column) == (3, column)
    assert message in refused.message


def test_a_missing_heading_is_named(tmp_path: Path) -> None:
    with pytest.raises(MissingColumns, match="no columns accelerators, formula"):
        read(tmp_path, "r,h,b", heading="run,accelerator,precision")


def test_an_option_for_no_field_names_the_nearest(tmp_path: Path) -> None:
    with pytest.raises(FileRefused, match='Did you mean "accelerator"'):
        read(tmp_path, "r", columns={"acelerator": "x"})
