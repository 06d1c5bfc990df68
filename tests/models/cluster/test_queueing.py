"""Waits and fragmentation: METRICS.md, section 2."""

from datetime import UTC, datetime, timedelta

import polars as pl
import pytest

from models.cluster.queueing import fragmentation, wait_summary, waits

ZERO = datetime(2026, 1, 1, tzinfo=UTC)


def runs(*rows: tuple[str, int | None, int | None, int | None]) -> pl.DataFrame:
    """outcome, submit, eligible, start in minutes."""

    def moment(minutes: int | None) -> datetime | None:
        return None if minutes is None else ZERO + timedelta(minutes=minutes)

    return pl.DataFrame(
        [
            {
                "cluster": "a",
                "outcome": outcome,
                "submit": moment(submit),
                "eligible": moment(eligible),
                "start": moment(start),
                "until": moment(start),
            }
            for outcome, submit, eligible, start in rows
        ],
        schema={
            "cluster": pl.String,
            "outcome": pl.String,
            **dict.fromkeys(("submit", "eligible", "start", "until"), pl.Datetime("us", "UTC")),
        },
        orient="row",
    )


@pytest.mark.parametrize(("size", "percent"), [(8, 33.33), (4, 16.67), (2, 8.33)])
def test_fragmentation_for_jobs_of_a_size(size: int, percent: float) -> None:
    share = fragmentation([8, 8, 4, 3, 1], size)
    assert share is not None
    assert 100 * share == pytest.approx(percent, abs=0.005)


def test_nothing_free_has_no_fragmentation() -> None:
    assert fragmentation([0, 0], 8) is None


def test_a_hold_by_the_user_is_not_the_queue_s_wait() -> None:
    waited = waits(runs(("completed", 0, 50, 60)), ZERO + timedelta(hours=2))
    assert waited["wait_s"].to_list() == [600]
    assert waited["submit_wait_s"].to_list() == [3600]


def test_a_pending_job_waits_until_now() -> None:
    frame = runs(("completed", 0, 0, 10), ("pending", 0, 0, None))
    summary = wait_summary(waits(frame, ZERO + timedelta(minutes=50)), "cluster")
    row = summary.row(0, named=True)
    assert (row["runs"], row["pending"]) == (2, 1)
    assert row["mean_s"] == 30 * 60


def test_percentiles_interpolate_linearly() -> None:
    frame = runs(*[("completed", 0, 0, minutes) for minutes in (0, 10, 20, 30)])
    row = wait_summary(waits(frame, ZERO), "cluster").row(0, named=True)
    assert row["p50_s"] == 900  # halfway between 10 and 20 minutes
    assert row["p95_s"] == pytest.approx(28.5 * 60)
