"""Working time: how much of it lies between two moments of a plan.

Moments are whole seconds of local clock time since 1970-01-01 00:00, without a
zone: a plan's day starts at 08:00 on both sides of a clock change.
A position is the working seconds since a calendar's first day. Friday 17:00 and
Monday 08:00 are two moments and one position.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from functools import reduce
from typing import Any

import polars as pl

DAY_S = 86_400
EPOCH = datetime(1970, 1, 1)
EPOCH_DAY = EPOCH.date()
MOST_DAYS = 400_000
"""About a thousand years: working time further off is an error in the plan."""

Shifts = tuple[tuple[int, int], ...]
"""Seconds after midnight, from and to, in order."""


class NoWorkingTime(Exception):
    """A calendar that never works, or not within a thousand years."""

    def __init__(self, calendar: str) -> None:
        super().__init__(f"calendar {calendar} has no working time")
        self.calendar = calendar


def seconds_of(moment: datetime) -> int:
    """A naive local moment as whole seconds."""
    return int((moment - EPOCH).total_seconds())


def moment_of(seconds: int) -> datetime:
    """The naive local moment."""
    return EPOCH + timedelta(seconds=seconds)


@dataclass
class WorkingTime:
    """A calendar with its base's days worked in; grows as far as it is asked.

    week: shifts of Monday (0) to Sunday (6). exceptions: shifts of single days.
    """

    name: str
    week: tuple[Shifts, ...]
    exceptions: Mapping[date, Shifts] = field(default_factory=dict)
    _first: int = 0
    _last: int = -1
    _starts: list[int] = field(default_factory=list)
    _before: list[int] = field(default_factory=list)
    _total: int = 0

    def position(self, moment: int) -> int:
        """Working seconds from the calendar's first day to the moment."""
        self._cover(moment // DAY_S)
        shift = bisect_right(self._starts, moment) - 1
        if shift < 0:
            return self._before[0] if self._before else 0
        return min(self._before[shift] + moment - self._starts[shift], self._end(shift))

    def finish(self, position: int) -> int:
        """The first moment at a position: 17:00, not the next 08:00."""
        self._reach(position)
        shift = max(bisect_left(self._before, position) - 1, 0)
        return self._starts[shift] + position - self._before[shift]

    def start(self, position: int) -> int:
        """The last moment at a position: the next 08:00, not 17:00."""
        self._reach(position + 1)
        shift = bisect_right(self._before, position) - 1
        return self._starts[shift] + position - self._before[shift]

    def add(self, moment: int, work: int) -> int:
        """The first moment that is `work` working seconds on (back if negative)."""
        return self.finish(self.position(moment) + work)

    def between(self, start: int, end: int) -> int:
        """Working seconds from start to end, negative if end comes first."""
        return self.position(end) - self.position(start)

    def shifts_on(self, day: date) -> Shifts:
        """The day's working hours."""
        found = self.exceptions.get(day)
        return self.week[day.weekday()] if found is None else found

    def _end(self, shift: int) -> int:
        following = shift + 1
        return self._before[following] if following < len(self._before) else self._total

    def _cover(self, day: int) -> None:
        """Make room for the day, two years more at a time."""
        if self._last < self._first:
            self._first, self._last = day, day - 1
            self._extend(day + 731)
        if day > self._last:
            self._extend(day + 731)
        if day < self._first:
            self._prepend(day - 731)

    def _reach(self, position: int) -> None:
        self._cover(self._first if self._last >= self._first else 0)
        step = 731
        while self._total < position or not self._starts:
            if self._last - self._first > MOST_DAYS:
                raise NoWorkingTime(self.name)
            self._extend(self._last + step)
            step *= 2
        while self._before[0] >= position:
            if self._last - self._first > MOST_DAYS:
                raise NoWorkingTime(self.name)
            self._prepend(self._first - step)
            step *= 2

    def _extend(self, last: int) -> None:
        for day in range(self._last + 1, last + 1):
            for start, end in self.shifts_on(EPOCH_DAY + timedelta(days=day)):
                self._starts.append(day * DAY_S + start)
                self._before.append(self._total)
                self._total += end - start
        self._last = last

    def _prepend(self, first: int) -> None:
        """Earlier days get negative positions, so that known ones keep theirs."""
        starts: list[int] = []
        lengths: list[int] = []
        for day in range(first, self._first):
            for start, end in self.shifts_on(EPOCH_DAY + timedelta(days=day)):
                starts.append(day * DAY_S + start)
                lengths.append(end - start)
        before, reached = [], (self._before[0] if self._before else 0) - sum(lengths)
        for length in lengths:
            before.append(reached)
            reached += length
        self._starts = starts + self._starts
        self._before = before + self._before
        self._first = first


def always() -> WorkingTime:
    """The calendar of elapsed durations: every hour of every day."""
    return WorkingTime("24 hours", (((0, DAY_S),),) * 7)


STANDARD_WEEK: tuple[Shifts, ...] = (
    *(((28_800, 43_200), (46_800, 61_200)),) * 5,
    (),
    (),
)
"""Monday to Friday, 08:00 to 12:00 and 13:00 to 17:00: for a plan without a calendar."""


def working_times(rows: pl.DataFrame) -> dict[str, WorkingTime]:
    """The calendars of one project by uid, each with its bases worked in.

    rows: the project's calendar rows, in file order. A day is decided by the
        calendar's own exception, else its base's, else its own week, else its
        base's week; a day that nobody mentions is not worked.
    """
    found: dict[str, _Own] = {}
    for row in rows.iter_rows(named=True):
        own = found.setdefault(row["uid"], _Own(row["name"] or row["uid"], row["base_uid"]))
        own.take(row)
    return {uid: _resolved(own, found) for uid, own in found.items()}


def combined(name: str, calendars: Sequence[WorkingTime], *, every: bool) -> WorkingTime:
    """Working time that all calendars share (every), or that any of them has."""
    merge = _shared if every else _joined
    days = {day for one in calendars for day in one.exceptions}
    return WorkingTime(
        name,
        tuple(reduce(merge, (one.week[weekday] for one in calendars)) for weekday in range(7)),
        {day: reduce(merge, (one.shifts_on(day) for one in calendars)) for day in days},
    )


def _shared(one: Shifts, other: Shifts) -> Shifts:
    found = (
        (max(start, other_start), min(end, other_end))
        for start, end in one
        for other_start, other_end in other
    )
    return tuple(sorted((start, end) for start, end in found if start < end))


def _joined(one: Shifts, other: Shifts) -> Shifts:
    joined: list[tuple[int, int]] = []
    for start, end in sorted((*one, *other)):
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return tuple(joined)


@dataclass
class _Own:
    """What one calendar says itself."""

    name: str
    base_uid: str | None
    week: dict[int, list[tuple[int, int]]] = field(default_factory=dict)
    exceptions: dict[date, list[tuple[int, int]]] = field(default_factory=dict)
    _span: tuple[Any, ...] | None = None

    def take(self, row: Mapping[str, Any]) -> None:
        shift = _shift(row)
        if row["weekday"] is not None:
            self.week.setdefault(row["weekday"] - 1, []).extend(shift)
        elif row["date_from"] is not None:
            span = (row["date_from"], row["date_to"], row["exception"])
            # Shifts of one exception follow each other; another exception replaces them.
            is_new = span != self._span
            for day in _days(row["date_from"], row["date_to"]):
                if is_new:
                    self.exceptions[day] = []
                self.exceptions[day].extend(shift)
            self._span = span


def _resolved(own: _Own, known: Mapping[str, _Own]) -> WorkingTime:
    line = _line(own, known)
    week: list[Shifts] = []
    for weekday in range(7):
        said = next((one.week[weekday] for one in line if weekday in one.week), [])
        week.append(tuple(sorted(said)))
    exceptions: dict[date, Shifts] = {}
    for one in reversed(line):
        exceptions |= {day: tuple(sorted(shifts)) for day, shifts in one.exceptions.items()}
    return WorkingTime(own.name, tuple(week), exceptions)


def _line(own: _Own, known: Mapping[str, _Own]) -> list[_Own]:
    """The calendar, its base, the base's base; a ring of bases is cut."""
    line = [own]
    while line[-1].base_uid is not None:
        base = known.get(line[-1].base_uid)
        if base is None or base in line:
            break
        line.append(base)
    return line


def _shift(row: Mapping[str, Any]) -> list[tuple[int, int]]:
    start, end = row["shift_from_minute"], row["shift_to_minute"]
    return [] if start is None or end is None else [(start * 60, end * 60)]


def _days(first: date, last: date) -> Iterable[date]:
    return (first + timedelta(days=n) for n in range((last - first).days + 1))
