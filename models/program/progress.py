"""How far a plan is: roll-up of percent complete, and earned value."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

import polars as pl

from models.program.calendar import WorkingTime, seconds_of


def rolled_up_percent(leaves: pl.DataFrame) -> float | None:
    """Progress of a summary: sum(duration x percent) / sum(duration) of its leaves.

    leaves: duration_s, work_s, percent_complete. Work stands for duration where
        every leaf with a duration has it. Milestones weigh nothing, but while
        one is open the result stays below 100. None without leaves.
    """
    if leaves.is_empty():
        return None
    percent = leaves["percent_complete"].fill_null(0.0)
    duration = leaves["duration_s"].fill_null(0)
    work = leaves["work_s"].fill_null(0)
    weight = work if work.sum() and ((work > 0) | (duration == 0)).all() else duration
    total = weight.sum()
    if not total:
        return float(percent.mean())  # type: ignore[arg-type]
    done = float((weight * percent).sum()) / float(total)
    is_open = bool((percent < 100).any())
    return min(done, 99.0) if is_open and done > 99 else done


def shown_percent(value: float) -> int:
    """Rounded down: 99.6 shows 99, for 100 means that nothing is open."""
    return math.floor(value)


@dataclass(frozen=True)
class EarnedValue:
    """Planned value, earned value, actual cost and budget, and what follows from them.

    Figures share a unit: money, or working time where a plan has no costs. A
    ratio whose denominator is zero or unknown is None, never 0 or infinite.
    Source: METRICS section 5.
    """

    bac: Decimal
    pv: Decimal
    ev: Decimal
    ac: Decimal | None = None

    @property
    def sv(self) -> Decimal:
        """Schedule variance."""
        return self.ev - self.pv

    @property
    def cv(self) -> Decimal | None:
        """Cost variance."""
        return None if self.ac is None else self.ev - self.ac

    @property
    def spi(self) -> Decimal | None:
        """Schedule performance index."""
        return _ratio(self.ev, self.pv)

    @property
    def cpi(self) -> Decimal | None:
        """Cost performance index."""
        return _ratio(self.ev, self.ac)

    @property
    def eac(self) -> Decimal | None:
        """Estimate at completion, if costs go on as so far: BAC / CPI."""
        return _ratio(self.bac, self.cpi)

    @property
    def eac_as_planned(self) -> Decimal | None:
        """Estimate at completion, if the rest goes as planned: AC + BAC - EV."""
        return None if self.ac is None else self.ac + self.bac - self.ev

    @property
    def eac_both(self) -> Decimal | None:
        """Estimate at completion, if cost and schedule go on as so far."""
        if self.ac is None or self.cpi is None or self.spi is None:
            return None
        rest = _ratio(self.bac - self.ev, self.cpi * self.spi)
        return None if rest is None else self.ac + rest

    @property
    def etc(self) -> Decimal | None:
        """Estimate to complete: EAC - AC."""
        return None if self.eac is None or self.ac is None else self.eac - self.ac

    @property
    def vac(self) -> Decimal | None:
        """Variance at completion: BAC - EAC."""
        return None if self.eac is None else self.bac - self.eac

    @property
    def tcpi(self) -> Decimal | None:
        """Cost performance that the rest needs to keep to the budget."""
        return None if self.ac is None else _ratio(self.bac - self.ev, self.bac - self.ac)


def earned_schedule(planned: Sequence[Decimal], earned: Decimal) -> Decimal | None:
    """Periods after which the plan was to have earned this much.

    planned: cumulative planned value at the end of each period. Between two
    periods it is interpolated; None where nothing was planned.
    Source: METRICS section 5 (100, 200, 300, 400, 500 and 350 give 3.5).
    """
    if not planned or planned[-1] <= 0:
        return None
    before = Decimal(0)
    for periods, value in enumerate(planned):
        if earned < value:
            return periods + (earned - before) / (value - before)
        before = value
    return Decimal(len(planned))


def planned_share(
    calendar: WorkingTime, start: datetime | None, finish: datetime | None, at: datetime
) -> float | None:
    """The share of a baseline's working time that was to be done by `at` (naive, local)."""
    if start is None or finish is None:
        return None
    first, last, now = seconds_of(start), seconds_of(finish), seconds_of(at)
    if now >= last:
        return 1.0
    if now <= first:
        return 0.0
    whole = calendar.between(first, last)
    return calendar.between(first, now) / whole if whole else 1.0


def _ratio(above: Decimal, below: Decimal | None) -> Decimal | None:
    return None if not below else above / below
