"""Working calendars of an MSPDI file, as rows of the calendar table.

Recurring exceptions are written out as their days, so that whoever reads the
table needs no rules of recurrence.
"""

import calendar as days_of_month
from collections.abc import Iterable, Iterator
from datetime import date, timedelta
from typing import Any

from pipelines.sources.mspdi_fields import Fields, day
from pipelines.tabular import CellError

STANDARD_SHIFTS = ((480, 720), (780, 1020))
"""08:00 to 12:00 and 13:00 to 17:00, what Project means by a working day without times."""

DAILY, YEARLY_DAY, YEARLY_WEEKDAY, MONTHLY_DAY, MONTHLY_WEEKDAY, WEEKLY, EVERY_DAYS = range(1, 8)
LAST = 4
MOST_DAYS = 20_000
"""A recurrence without an end is cut here: 54 years of days."""

Shifts = tuple[tuple[int, int], ...]


def calendar_rows(calendar: Fields) -> Iterator[dict[str, Any]]:
    """The calendar's rows without project and scope; raises CellError.

    A later row of a day wins over an earlier one.
    """
    uid = calendar.text("UID")
    if uid is None:
        raise CellError("UID", "a calendar without a UID.")
    base = calendar.text("BaseCalendarUID")
    head = {
        "uid": uid,
        "name": calendar.text("Name"),
        "base_uid": base if base not in (None, "-1") else None,
    }
    rows = [*_usual_week(calendar), *_work_weeks(calendar), *_exceptions(calendar)]
    if head["base_uid"] is None and not any(row.get("weekday") for row in rows):
        rows = [*_standard_week(), *rows]
    for row in rows or [{}]:
        yield {**head, **_EMPTY, **row}


_EMPTY: dict[str, Any] = {
    "weekday": None,
    "date_from": None,
    "date_to": None,
    "exception": None,
    "shift_from_minute": None,
    "shift_to_minute": None,
}


def _usual_week(calendar: Fields) -> Iterator[dict[str, Any]]:
    """Days 1 (Sunday) to 7, and the one-off days older versions write as day 0."""
    for element in _list(calendar, "WeekDays", "WeekDay"):
        day_type = element.whole("DayType")
        shifts = _shifts(element)
        if day_type == 0:
            period = element.child("TimePeriod")
            if period:
                yield from _rows(shifts, _span(period), "")
        elif day_type is not None and 1 <= day_type <= 7:
            weekday = 7 if day_type == 1 else day_type - 1
            for row in _shift_rows(shifts):
                yield {"weekday": weekday, **row}


def _standard_week() -> Iterator[dict[str, Any]]:
    for weekday in range(1, 8):
        for row in _shift_rows(STANDARD_SHIFTS if weekday <= 5 else ()):
            yield {"weekday": weekday, **row}


def _work_weeks(calendar: Fields) -> Iterator[dict[str, Any]]:
    """Weeks that differ for a while, written out day by day."""
    for week in _list(calendar, "WorkWeeks", "WorkWeek"):
        period = week.child("TimePeriod")
        pattern = {
            (7 if element.whole("DayType") == 1 else (element.whole("DayType") or 0) - 1): element
            for element in _list(week, "WeekDays", "WeekDay")
        }
        if period is None or not pattern:
            continue
        first, last = _span(period)
        for offset in range(min((last - first).days + 1, MOST_DAYS)):
            on = first + timedelta(days=offset)
            element = pattern.get(on.isoweekday())
            if element is not None:
                yield from _rows(_shifts(element), (on, on), week.text("Name"))


def _exceptions(calendar: Fields) -> Iterator[dict[str, Any]]:
    for exception in _list(calendar, "Exceptions", "Exception"):
        period = exception.child("TimePeriod")
        if period is None:
            continue
        shifts = _shifts(exception)
        for span in exception_days(exception, *_span(period)):
            yield from _rows(shifts, span, exception.text("Name"))


def exception_days(exception: Fields, first: date, last: date) -> Iterable[tuple[date, date]]:
    """The spans of days an exception covers within its period, both ends included.

    Type: 1 every day, 2 yearly on a date, 3 yearly on a weekday of a month, 4
    monthly on a date, 5 monthly on a weekday, 6 weekly, 7 every so many days.
    """
    kind = exception.whole("Type") or DAILY
    step = max(exception.whole("Period") or 1, 1)
    if kind == DAILY:
        return [(first, last)]
    if kind == EVERY_DAYS:
        found = _every(first, last, step)
    elif kind == WEEKLY:
        found = _weekly(first, last, step, exception.whole("DaysOfWeek") or 0)
    elif kind in (MONTHLY_DAY, MONTHLY_WEEKDAY):
        found = _monthly(exception, first, last, step, kind == MONTHLY_DAY)
    elif kind in (YEARLY_DAY, YEARLY_WEEKDAY):
        found = _yearly(exception, first, last, kind == YEARLY_DAY)
    else:
        return [(first, last)]
    limit = (exception.whole("Occurrences") or 0) or MOST_DAYS
    return [(on, on) for on, _ in zip(found, range(limit), strict=False)]


def _every(first: date, last: date, step: int) -> Iterator[date]:
    return (first + timedelta(days=n) for n in range(0, (last - first).days + 1, step))


def _weekly(first: date, last: date, step: int, mask: int) -> Iterator[date]:
    """mask: 1 Sunday, 2 Monday ... 64 Saturday; weeks count from the first one's Sunday."""
    sunday = first - timedelta(days=first.isoweekday() % 7)
    for on in _every(first, last, 1):
        week = (on - sunday).days // 7
        if week % step == 0 and mask >> (on.isoweekday() % 7) & 1:
            yield on


def _monthly(
    exception: Fields, first: date, last: date, step: int, is_date: bool
) -> Iterator[date]:
    year, month = first.year, first.month
    while (year, month) <= (last.year, last.month):
        on = _in_month(exception, year, month, is_date)
        if on is not None and first <= on <= last:
            yield on
        year, month = year + (month - 1 + step) // 12, (month - 1 + step) % 12 + 1


def _yearly(exception: Fields, first: date, last: date, is_date: bool) -> Iterator[date]:
    """Month counts from 0, January."""
    month = (exception.whole("Month") or 0) + 1
    for year in range(first.year, last.year + 1):
        on = _in_month(exception, year, month, is_date)
        if on is not None and first <= on <= last:
            yield on


def _in_month(exception: Fields, year: int, month: int, is_date: bool) -> date | None:
    """MonthItem: 0 day, 1 weekday, 2 day of the weekend, 3 Sunday ... 9 Saturday."""
    length = days_of_month.monthrange(year, month)[1]
    if is_date:
        wanted = exception.whole("MonthDay") or 1
        return date(year, month, wanted) if wanted <= length else None
    item = exception.whole("MonthItem") or 0
    position = exception.whole("MonthPosition") or 0
    days = [date(year, month, number) for number in range(1, length + 1)]
    fitting = [on for on in days if _is_item(on, item)]
    if position == LAST:
        return fitting[-1]
    return fitting[position] if position < len(fitting) else None


def _is_item(on: date, item: int) -> bool:
    if item == 0:
        return True
    if item == 1:
        return on.isoweekday() <= 5
    if item == 2:
        return on.isoweekday() > 5
    return on.isoweekday() % 7 == item - 3


def _rows(shifts: Shifts, span: tuple[date, date], name: str | None) -> Iterator[dict[str, Any]]:
    for row in _shift_rows(shifts):
        yield {"date_from": span[0], "date_to": span[1], "exception": name or None, **row}


def _shift_rows(shifts: Shifts) -> Iterator[dict[str, Any]]:
    for start, end in shifts or ((None, None),):
        yield {"shift_from_minute": start, "shift_to_minute": end}


def _shifts(element: Fields) -> Shifts:
    if not element.flag("DayWorking"):
        return ()
    found = []
    for times in _list(element, "WorkingTimes", "WorkingTime"):
        start, end = _minute(times.text("FromTime")), _minute(times.text("ToTime"))
        if start is not None and end is not None:
            found.append((start, end if end > start else 1440))
    return tuple(sorted(found)) or STANDARD_SHIFTS


def _minute(text: str | None) -> int | None:
    if text is None:
        return None
    try:
        hours, minutes = text.rpartition("T")[2].split(":")[:2]
        return int(hours) * 60 + int(minutes)
    except ValueError:
        raise CellError("WorkingTime", f'"{text}" is not a time of day.') from None


def _span(period: Fields) -> tuple[date, date]:
    texts = period.text("FromDate"), period.text("ToDate")
    try:
        first = day(texts[0] or "")
        return first, max(day(texts[1] or texts[0] or ""), first)
    except ValueError:
        raise CellError("TimePeriod", f"{texts} is not a period of days.") from None


def _list(parent: Fields, container: str, name: str) -> Iterator[Fields]:
    holder = parent.child(container)
    return holder.children(name) if holder else iter(())
