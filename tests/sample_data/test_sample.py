"""The sample is what its code writes, small, and the planted truths come to light."""

import gzip
import tomllib
from decimal import Decimal
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import polars as pl
import pytest

from config import Config
from metrics.answer import metrics
from metrics.facts import open_facts, reviews
from sample_data.company import FOLDER
from sample_data.generate import OUTPUTS, generate
from sample_data.scheduler_exports import BAD_CELLS

TRUTHS = tomllib.loads((FOLDER / "truths.toml").read_text(encoding="utf-8"))
WRITTEN = (*OUTPUTS, "reference.xlsx", "risks.xlsx", "truths.toml")


def _files(folder: Path) -> dict[str, Path]:
    found = {}
    for name in WRITTEN:
        place = folder / name
        for file in [place] if place.is_file() else sorted(place.rglob("*")):
            if file.is_file():
                found[file.relative_to(folder).as_posix()] = file
    return found


@pytest.fixture(scope="module")
def again(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sample_again")
    generate(folder)
    return folder


def test_the_code_writes_the_committed_files(again: Path) -> None:
    committed, made = _files(FOLDER), _files(again)
    assert set(committed) == set(made)
    for name, file in committed.items():
        if file.suffix == ".parquet":
            # Encoders may differ by version; the rows may not.
            assert pl.read_parquet(file).equals(pl.read_parquet(made[name])), name
        else:
            assert _content(file) == _content(made[name]), name


def _content(file: Path) -> object:
    """The bytes inside: compressors may differ by version, what they hold may not."""
    if file.suffix == ".gz":
        return gzip.decompress(file.read_bytes())
    if file.suffix == ".xlsx":
        with ZipFile(file) as book:
            return {name: book.read(name) for name in book.namelist()}
    return file.read_bytes()


def test_the_sample_is_under_15_mb() -> None:
    assert sum(file.stat().st_size for file in _files(FOLDER).values()) < 15_000_000


def _finding(sample: Config, kind: str) -> list[dict[str, Any]]:
    frame = metrics()["findings"].function(open_facts(sample)).frame
    return frame.filter(pl.col("kind") == kind).to_dicts()


def test_the_one_idle_cluster_is_found(sample: Config) -> None:
    (found,) = _finding(sample, "idle_cluster")
    assert found["subject"] == TRUTHS["idle_cluster"]["cluster"]


def test_the_forgotten_commitment_is_found_with_its_money(sample: Config) -> None:
    truth = TRUTHS["forgotten_commitment"]
    (found,) = _finding(sample, "forgotten_commitment")
    assert found["subject"] == truth["id"]
    assert found["amount"] == Decimal(truth["unused_cost"])


def test_the_slipping_milestone_is_found_with_its_days(sample: Config) -> None:
    truth = TRUTHS["slipping_milestone"]
    found = {row["subject"].split("/")[-1]: row for row in _finding(sample, "slipping_milestone")}
    row = found[truth["task_uid"]]
    assert row["days"] == truth["slip_days"]
    assert row["count"] == truth["gpus_waiting"]
    assert row["amount"] > 0


def test_the_tenant_over_budget_is_the_only_one(sample: Config) -> None:
    (found,) = _finding(sample, "over_budget")
    assert found["subject"] == TRUTHS["over_budget"]["tenant"]


def test_the_breached_slo_is_the_only_one(sample: Config) -> None:
    (found,) = _finding(sample, "slo_breached")
    truth = TRUTHS["breached_slo"]
    assert found["subject"] == truth["service"]
    assert found["minutes"] == pytest.approx(truth["downtime_minutes"])


def test_two_reviews_can_be_compared(sample: Config) -> None:
    days = [str(review.day(sample.zone)) for review in reviews(sample)]
    assert days == ["2026-11-30", "2026-11-22"]


def test_only_the_planted_bad_rows_are_refused(sample: Config) -> None:
    refused = open_facts(sample).table("quarantine")
    assert refused["source"].unique().to_list() == ["slurm shanghai"]
    assert refused.height == len(BAD_CELLS)


def test_the_excess_over_budget_is_found_to_the_cent(sample: Config) -> None:
    (found,) = _finding(sample, "over_budget")
    assert found["amount"] == Decimal(TRUTHS["over_budget"]["over_by"])
    assert found["month"] == TRUTHS["over_budget"]["month"]


def test_the_idle_cluster_holds_the_hours_that_its_jobs_asked_for(sample: Config) -> None:
    truth = TRUTHS["idle_cluster"]
    frame = metrics()["gpu-hours"].function(open_facts(sample), month=truth["month"]).frame
    hours = frame.filter(pl.col("cluster") == truth["cluster"])["gpu_hours"].sum()
    assert hours == pytest.approx(float(truth["allocated_gpu_hours"]), abs=0.01)
