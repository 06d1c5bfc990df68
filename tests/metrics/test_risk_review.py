"""The register at an earlier review: a late load of the past meets the records of its time."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from metrics.facts import open_facts, reviews
from metrics.risk_exposure import risk_exposure
from records.edits import Author, add, change
from tests.lakes import facts_of, outcomes, source, written

HEADING = (
    "JobIDRaw|JobID|Cluster|User|Account|State|Submit|Eligible|Start|End|AllocTRES|Partition\n"
)


def job(folder: Path, end: datetime) -> None:
    """A finished job: the newest data there is."""
    start = end - timedelta(hours=1)
    times = "|".join(f"{moment:%Y-%m-%dT%H:%M:%S}" for moment in (start, start, start, end))
    row = f"7|7|sh|li|research|COMPLETED|{times}|gres/gpu=8|batch\n"
    (folder / "jobs.psv").write_text(HEADING + row)


def test_a_past_loaded_today_is_reviewed_with_the_records_of_its_time(tmp_path: Path) -> None:
    config = written(tmp_path, source("jobs", "slurm", "jobs.psv", cluster="sh"))
    for day in (10, 17):
        job(tmp_path, datetime(2026, 3, day, 9, tzinfo=UTC))
        outcomes(config)
    facts = facts_of(config)
    values: dict[str, Any] = {"title": "Certificates expire", "probability": 2, "impact": 4}
    add(facts.records, "risk", values, Author("wei", datetime(2026, 3, 1, tzinfo=UTC)))
    later = Author("wei", datetime(2026, 3, 15, tzinfo=UTC))
    change(facts.records, "risk", "R-001", 1, {"probability": 5}, later)

    [newest, earlier] = reviews(config)
    assert risk_exposure(facts_of(config)).frame["score"].item() == 20
    assert risk_exposure(open_facts(config, newest.snapshot_id)).frame["score"].item() == 20
    assert risk_exposure(open_facts(config, earlier.snapshot_id)).frame["score"].item() == 8


def test_data_loaded_as_it_comes_is_reviewed_with_what_was_recorded_by_then(
    tmp_path: Path,
) -> None:
    config = written(tmp_path, source("jobs", "slurm", "jobs.psv", cluster="sh"))
    # The night's data ends some hours before the load; the register was typed in between.
    job(tmp_path, datetime.now(UTC) - timedelta(hours=6))
    values: dict[str, Any] = {"title": "Certificates expire", "probability": 2, "impact": 4}
    records = facts_of(config).records
    add(records, "risk", values, Author("wei", datetime.now(UTC) - timedelta(hours=1)))
    outcomes(config)
    change(records, "risk", "R-001", 1, {"probability": 5}, Author("wei", datetime.now(UTC)))
    [review] = reviews(config)
    assert risk_exposure(open_facts(config, review.snapshot_id)).frame["score"].item() == 8
