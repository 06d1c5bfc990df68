"""Working time: shifts, exceptions both ways, and moments that are one position."""

from datetime import date, datetime, timedelta

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.program.calendar import (
    STANDARD_WEEK,
    NoWorkingTime,
    WorkingTime,
    combined,
    moment_of,
    seconds_of,
    working_times,
)
from models.program.contracts import CALENDAR

HOUR = 3600
NATIONAL_DAY = {date(2026, 10, day): () for day in range(1, 8)}


def at(text: str) -> int:
    return seconds_of(datetime.fromisoformat(text))


def standard(**exceptions: object) -> WorkingTime:
    return WorkingTime("standard", STANDARD_WEEK, dict(exceptions))  # type: ignore[arg-type]


def test_six_hours_from_eight_cross_lunch_and_end_at_three() -> None:
    assert moment_of(standard().add(at("2026-11-02T08:00"), 6 * HOUR)) == datetime(2026, 11, 2, 15)


def test_friday_evening_and_monday_morning_are_one_position() -> None:
    week = standard()
    assert week.position(at("2026-11-06T17:00")) == week.position(at("2026-11-09T08:00"))
    assert moment_of(week.finish(week.position(at("2026-11-09T08:00")))).hour == 17
    assert moment_of(week.start(week.position(at("2026-11-06T17:00")))).day == 9


def test_three_days_over_national_day_end_after_it() -> None:
    # 29 and 30 September, then 8 October; the lag of a day is the 9th, so B is 12 and 13.
    calendar = WorkingTime("cn", STANDARD_WEEK, NATIONAL_DAY)
    finish = calendar.add(at("2026-09-29T08:00"), 24 * HOUR)
    assert moment_of(finish) == datetime(2026, 10, 8, 17)
    start = calendar.start(calendar.position(calendar.add(finish, 8 * HOUR)))
    assert moment_of(start) == datetime(2026, 10, 12, 8)


def test_a_made_up_saturday_is_worked() -> None:
    saturday = {date(2026, 10, 10): STANDARD_WEEK[0]}
    calendar = WorkingTime("cn", STANDARD_WEEK, NATIONAL_DAY | saturday)
    start = calendar.start(calendar.position(at("2026-10-09T17:00")))
    assert moment_of(start) == datetime(2026, 10, 10, 8)
    assert moment_of(calendar.add(start, 16 * HOUR)) == datetime(2026, 10, 12, 17)


def test_a_calendar_that_never_works_is_an_error_not_a_hang() -> None:
    with pytest.raises(NoWorkingTime):
        WorkingTime("none", ((),) * 7).add(0, HOUR)


def test_a_derived_calendar_takes_its_bases_holidays_and_keeps_its_own_days() -> None:
    calendars = working_times(
        rows(
            ("1", None, 1, None, 480, 720),
            ("1", None, 2, None, 480, 720),
            ("1", None, None, date(2026, 11, 3), None, None),
            ("2", "1", 6, None, 540, 600),
        )
    )
    assert calendars["2"].shifts_on(date(2026, 11, 2)) == ((28_800, 43_200),)  # Monday
    assert calendars["2"].shifts_on(date(2026, 11, 3)) == ()  # the base's holiday
    assert calendars["2"].shifts_on(date(2026, 11, 7)) == ((32_400, 36_000),)  # own Saturday
    assert calendars["1"].shifts_on(date(2026, 11, 7)) == ()


def test_calendars_that_are_each_others_base_do_not_hang() -> None:
    calendars = working_times(rows(("1", "2", 1, None, 480, 720), ("2", "1", 2, None, 480, 720)))
    assert calendars["1"].shifts_on(date(2026, 11, 3)) == ((28_800, 43_200),)


def test_shared_hours_are_those_every_calendar_works() -> None:
    early = WorkingTime("early", (((6 * HOUR, 14 * HOUR),),) * 7)
    both = combined("both", [standard(), early], every=True)
    assert both.week[0] == ((8 * HOUR, 12 * HOUR), (13 * HOUR, 14 * HOUR))
    either = combined("either", [standard(), early], every=False)
    assert either.week[0] == ((6 * HOUR, 17 * HOUR),)


@given(
    st.datetimes(datetime(1990, 1, 1), datetime(2060, 1, 1)),
    st.integers(-40 * 8 * HOUR, 40 * 8 * HOUR),
)
def test_what_is_added_is_what_lies_between(moment: datetime, work: int) -> None:
    week = standard()
    start = seconds_of(moment.replace(microsecond=0))
    assert week.between(start, week.add(start, work)) == work


@given(st.datetimes(datetime(1990, 1, 1), datetime(2060, 1, 1)))
def test_positions_do_not_depend_on_what_was_asked_before(moment: datetime) -> None:
    asked, fresh = standard(), standard()
    start = seconds_of(moment.replace(microsecond=0))
    asked.position(start)
    asked.position(start - int(timedelta(days=4000).total_seconds()))
    later = start + 90 * 86_400
    assert asked.between(start, later) == fresh.between(start, later)


def rows(*given: tuple[object, ...]) -> pl.DataFrame:
    return pl.DataFrame(
        [
            {
                "uid": uid,
                "base_uid": base,
                "weekday": weekday,
                "date_from": day,
                "date_to": day,
                "shift_from_minute": start,
                "shift_to_minute": end,
            }
            for uid, base, weekday, day, start, end in given
        ],
        schema=CALENDAR.columns,
    )
