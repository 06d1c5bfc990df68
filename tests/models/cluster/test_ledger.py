"""The GPU-hour ledger: cases of METRICS.md, section 2, worked by hand."""

from datetime import UTC, date, datetime, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.cluster.ledger import (
    clipped_runs,
    down_gpu_hours,
    gpu_hours_by,
    outcomes,
    owned_gpu_hours,
)

NEW_YORK = ZoneInfo("America/New_York")
SCHEMA = {
    "job_key": pl.String,
    "tenant": pl.String,
    "outcome": pl.String,
    "start": pl.Datetime("us", "UTC"),
    "until": pl.Datetime("us", "UTC"),
    "gpus": pl.Float64,
    "charged_share": pl.Float64,
}


def at(*parts: int) -> datetime:
    return datetime(*parts, tzinfo=UTC)  # type: ignore[misc,arg-type]


def run(start: datetime, until: datetime, gpus: float, **others: object) -> dict[str, object]:
    return {
        "job_key": "1",
        "tenant": "a",
        "outcome": "completed",
        "start": start,
        "until": until,
        "gpus": gpus,
        "charged_share": 1.0,
        **others,
    }


def runs(*rows: dict[str, object]) -> pl.DataFrame:
    return pl.DataFrame(list(rows), schema=SCHEMA, orient="row")


def hours(frame: pl.DataFrame, start: datetime, end: datetime) -> float:
    return float(clipped_runs(frame, start, end)["gpu_hours"].sum())


def test_a_job_over_a_month_end_is_counted_in_each_month_for_its_part() -> None:
    # 64 GPUs, Jan 30 12:00 to Feb 2 06:00: 36 h in January, 30 h in February.
    job = runs(run(at(2026, 1, 30, 12), at(2026, 2, 2, 6), 64))
    assert hours(job, at(2026, 1, 1), at(2026, 2, 1)) == 2304
    assert hours(job, at(2026, 2, 1), at(2026, 3, 1)) == 1920
    assert hours(job, at(2026, 1, 1), at(2026, 3, 1)) == 4224


def test_the_night_the_clock_goes_forward_has_seven_hours() -> None:
    begin = datetime(2026, 3, 7, 22, tzinfo=NEW_YORK).astimezone(UTC)
    end = datetime(2026, 3, 8, 6, tzinfo=NEW_YORK).astimezone(UTC)
    assert hours(runs(run(begin, end, 8)), begin, end) == 56


def test_every_requeued_run_counts_and_the_job_counts_once() -> None:
    # 3,889 + 4,473 + 6,122 + 2,153 s = 16,637 s on one GPU.
    rows, start = [], at(2026, 1, 1)
    for seconds in (3889, 4473, 6122, 2153):
        rows.append(run(start, start + timedelta(seconds=seconds), 1, outcome="preempted"))
        start += timedelta(seconds=seconds + 60)
    ledger = gpu_hours_by(clipped_runs(runs(*rows), at(2026, 1, 1), at(2026, 2, 1)), "tenant")
    assert ledger.row(0, named=True) == {
        "tenant": "a",
        "jobs": 1,
        "gpu_hours": pytest.approx(16_637 / 3600),
    }


def test_a_suspended_job_is_charged_its_elapsed_time() -> None:
    # Ten hours from start to end of which it ran four, on two GPUs.
    job = runs(run(at(2026, 1, 1), at(2026, 1, 1, 10), 2, charged_share=0.4))
    assert hours(job, at(2026, 1, 1), at(2026, 2, 1)) == pytest.approx(8)


def test_a_run_without_gpus_or_start_is_absent_not_zero() -> None:
    frame = runs(
        run(at(2026, 1, 1), at(2026, 1, 2), 1) | {"gpus": None},
        run(at(2026, 1, 1), at(2026, 1, 2), 1) | {"start": None, "until": None},
    )
    assert clipped_runs(frame, at(2026, 1, 1), at(2026, 2, 1)).is_empty()


@given(st.lists(st.integers(0, 2000), min_size=2, max_size=2), st.lists(st.integers(0, 2000)))
def test_parts_of_a_period_add_up_to_the_whole(span: list[int], cuts: list[int]) -> None:
    zero = at(2026, 1, 1)
    begin, end = sorted(zero + timedelta(minutes=m) for m in span)
    job = runs(run(begin, end, 3.5))
    edges = sorted({0, 2000, *cuts})
    parts = [
        hours(job, zero + timedelta(minutes=a), zero + timedelta(minutes=b))
        for a, b in pairwise(edges)
    ]
    assert sum(parts) == pytest.approx(hours(job, zero, zero + timedelta(minutes=2000)))


def test_a_week_of_1024_gpus_is_172032_gpu_hours() -> None:
    clusters = pl.DataFrame(
        {
            "cluster": ["a", "b"],
            "gpus": [1024, 8],
            "in_service_from": [date(2020, 1, 1), date(2026, 1, 4)],
            "in_service_to": [None, date(2026, 1, 5)],
        },
        schema_overrides={"in_service_to": pl.Date},
    )
    owned = owned_gpu_hours(clusters, at(2026, 1, 1), at(2026, 1, 8), ZoneInfo("UTC"))
    assert owned.rows() == [("a", 1024, 172_032.0), ("b", 0, 192.0)]


def windows(*rows: tuple[datetime, datetime | None, float | None, bool]) -> pl.DataFrame:
    return pl.DataFrame(
        rows,
        schema={
            "start": pl.Datetime("us", "UTC"),
            "end": pl.Datetime("us", "UTC"),
            "gpus": pl.Float64,
            "is_planned": pl.Boolean,
        },
        orient="row",
    )


WEEK = (at(2026, 1, 1), at(2026, 1, 8))


def test_32_gpus_drained_for_a_day_are_768_gpu_hours() -> None:
    drained = windows((at(2026, 1, 2), at(2026, 1, 3), 32, True))
    assert down_gpu_hours(drained, 1024, *WEEK) == (0.0, 768.0)


def test_overlapping_windows_never_take_more_than_there_is() -> None:
    both = windows(
        (at(2026, 1, 2), at(2026, 1, 3), None, True), (at(2026, 1, 2, 12), None, 4, False)
    )
    faults, planned = down_gpu_hours(both, 8, *WEEK)
    # Planned: 12 h x 8, then 12 h x the 4 left; faults: 4 from noon of the 2nd for 5.5 days.
    assert planned == 12 * 8 + 12 * 4
    assert faults == 4 * 132


def test_outcomes_show_count_and_gpu_time_side_by_side() -> None:
    start = at(2026, 1, 1)
    frame = runs(
        run(start, start + timedelta(hours=61), 1, outcome="cancelled"),
        *[run(start, start + timedelta(hours=13), 1) for _ in range(3)],
    )
    rows = outcomes(clipped_runs(frame, start, at(2026, 2, 1))).to_dicts()
    assert rows[0]["outcome"] == "cancelled"
    assert rows[0]["share_of_runs"] == 0.25
    assert rows[0]["share_of_gpu_hours"] == pytest.approx(0.61)
