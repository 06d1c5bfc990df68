"""Roll-up of progress and earned value, worked by hand."""

import json
from datetime import date, datetime
from decimal import Decimal
from zoneinfo import ZoneInfo

import polars as pl
import pytest

from models.program.milestones import with_status
from models.program.progress import (
    EarnedValue,
    earned_schedule,
    planned_share,
    rolled_up_percent,
    shown_percent,
)
from models.table import INSTANT
from tests.models.program.plans import WEEKDAYS
from tests.real import real

DAY = 28_800


def leaves(*given: tuple[float, float, float]) -> pl.DataFrame:
    """(duration in days, work in hours, percent) of each leaf."""
    return pl.DataFrame(
        [(round(days * DAY), round(hours * 3600), percent) for days, hours, percent in given],
        schema={"duration_s": pl.Int64, "work_s": pl.Int64, "percent_complete": pl.Float64},
        orient="row",
    )


def test_a_summary_is_weighed_by_duration() -> None:
    assert rolled_up_percent(leaves((10, 0, 100), (30, 0, 0))) == 25


@pytest.mark.golden
def test_work_weighs_where_every_leaf_has_it() -> None:
    case = json.loads(real("trackers/cases/rollup.json").read_text("utf-8"))
    given = [(one["duration_d"], one["work_h"], one["pct"]) for one in case["children"]]
    by_work = rolled_up_percent(leaves(*given))
    assert by_work == pytest.approx(case["by_work"])
    by_duration = rolled_up_percent(leaves(*((days, 0, pct) for days, _, pct in given)))
    assert by_duration == pytest.approx(case["by_duration"])


def test_an_open_milestone_keeps_a_summary_below_a_hundred() -> None:
    assert rolled_up_percent(leaves((10, 0, 100), (0, 0, 0))) == 99


def test_milestones_alone_count_how_many_are_reached() -> None:
    assert rolled_up_percent(leaves((0, 0, 100), (0, 0, 0))) == 50
    assert rolled_up_percent(leaves()) is None


def test_progress_is_rounded_down() -> None:
    assert shown_percent(99.6) == 99


def test_earned_value_of_the_documented_case() -> None:
    value = EarnedValue(Decimal(1000), Decimal(500), Decimal(400), Decimal(450))
    assert (value.sv, value.cv) == (Decimal(-100), Decimal(-50))
    assert value.spi == Decimal("0.8")
    assert round(value.cpi or 0, 4) == Decimal("0.8889")
    assert value.eac == pytest.approx(Decimal(1125))
    assert value.eac_as_planned == Decimal(1050)
    assert round(value.eac_both or 0, 2) == Decimal("1293.75")
    assert round(value.etc or 0, 2) == Decimal("675.00")
    assert round(value.vac or 0, 2) == Decimal("-125.00")
    assert round(value.tcpi or 0, 4) == Decimal("1.0909")


@pytest.mark.golden
def test_earned_value_of_the_hand_checked_case() -> None:
    case = json.loads(real("trackers/cases/evm.json").read_text("utf-8"))
    value = EarnedValue(*(Decimal(case[name]) for name in ("bac", "pv", "ev", "ac")))
    for name in ("sv", "cv", "spi", "cpi", "etc", "vac"):
        assert float(getattr(value, name)) == pytest.approx(case[name])
    assert float(value.tcpi or 0) == pytest.approx(case["tcpi_bac"])
    assert float(value.eac or 0) == pytest.approx(case["eac_cpi"])
    planned = [Decimal(one) for one in case["cumulative_pv_by_month"]]
    assert earned_schedule(planned, value.ev) == Decimal(str(case["es"]))
    assert earned_schedule(planned, Decimal(35_000)) == Decimal(str(case["es_when_ev_35000"]))


def test_a_ratio_without_a_denominator_is_unknown_not_zero() -> None:
    assert EarnedValue(Decimal(100), Decimal(0), Decimal(10)).spi is None
    assert EarnedValue(Decimal(100), Decimal(10), Decimal(10)).cpi is None
    nothing_earned = EarnedValue(Decimal(100), Decimal(10), Decimal(0), Decimal(5))
    assert nothing_earned.cpi == 0 and nothing_earned.eac is None
    assert earned_schedule([], Decimal(1)) is None


def test_earned_schedule_of_the_documented_case() -> None:
    planned = [Decimal(one) for one in (100, 200, 300, 400, 500)]
    assert earned_schedule(planned, Decimal(350)) == Decimal("3.5")
    assert earned_schedule(planned, Decimal(500)) == 5


def test_planned_value_accrues_over_working_time() -> None:
    # Friday 08:00 to Monday 17:00 is two working days; by Sunday one of them is over.
    start, finish = datetime(2026, 11, 6, 8), datetime(2026, 11, 9, 17)
    assert planned_share(WEEKDAYS, start, finish, datetime(2026, 11, 8, 12)) == 0.5
    assert planned_share(WEEKDAYS, start, finish, datetime(2026, 11, 1)) == 0
    assert planned_share(WEEKDAYS, start, finish, datetime(2026, 12, 1)) == 1
    assert planned_share(WEEKDAYS, None, finish, start) is None


@pytest.mark.parametrize(
    ("finish", "percent", "status", "due_in"),
    [
        ("2026-11-29T09:00", 0, "overdue", -1),
        ("2026-11-30T01:00", 0, "due", 0),
        ("2027-01-11T01:00", 0, "due", 42),
        ("2027-01-12T01:00", 0, "later", 43),
        ("2026-11-01T01:00", 100, "done", None),
        (None, 0, "undated", None),
    ],
)
def test_status_goes_by_days_of_the_zone(
    finish: str | None, percent: int, status: str, due_in: int | None
) -> None:
    found = statuses(finish, None, percent).row(0, named=True)
    assert (found["status"], found["due_in_days"]) == (status, due_in)


def test_slip_counts_days_of_the_zone_and_is_unknown_without_a_baseline() -> None:
    # 23:30 UTC is the next day in Shanghai.
    assert statuses("2026-12-14T23:30", "2026-11-25T09:00")["slip_days"][0] == 20
    assert statuses("2026-11-20T09:00", "2026-11-25T09:00")["slip_days"][0] == -5
    assert statuses("2026-12-14T23:30", None)["slip_days"][0] is None


def statuses(finish: str | None, baseline: str | None, percent: float = 0) -> pl.DataFrame:
    def instant(text: str | None) -> datetime | None:
        return datetime.fromisoformat(text + "+00:00") if text else None

    items = pl.DataFrame(
        {
            "forecast_finish": [instant(finish)],
            "baseline_finish": [instant(baseline)],
            "actual_finish": [None],
            "percent_complete": [percent],
        },
        schema_overrides={
            "forecast_finish": INSTANT,
            "baseline_finish": INSTANT,
            "actual_finish": INSTANT,
            "percent_complete": pl.Float64,
        },
    )
    return with_status(items, date(2026, 11, 30), ZoneInfo("Asia/Shanghai"))
