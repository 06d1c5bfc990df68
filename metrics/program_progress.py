"""Where a programme's plan stands: progress, end date, earned value."""

from datetime import datetime
from decimal import Decimal
from typing import Any

import polars as pl

from metrics.plans import Plan
from models.program.progress import EarnedValue, planned_share, rolled_up_percent
from models.table import INSTANT

PROGRAM: dict[str, Any] = {
    "program": pl.String,
    "name": pl.String,
    "name_zh": pl.String,
    "owner": pl.String,
    "project": pl.String,
    "title": pl.String,
    "status_date": INSTANT,
    "tasks": pl.Int64,
    "done": pl.Int64,
    "percent": pl.Float64,
    "start": INSTANT,
    "finish": INSTANT,
    "baseline_finish": INSTANT,
    "slip_days": pl.Int64,
    "critical_tasks": pl.Int64,
    "spi": pl.Float64,
    "planned_percent": pl.Float64,
    "value_by": pl.String,
    "milestones": pl.Int64,
    "milestones_late": pl.Int64,
    "next_milestone": pl.String,
    "next_finish": INSTANT,
    "next_slip_days": pl.Int64,
}
"""tasks: leaves without milestones. value_by: cost, work or duration, what SPI weighs by."""


def program_row(
    program: dict[str, Any], plan: Plan, milestones: pl.DataFrame, now: datetime
) -> dict[str, Any]:
    """One programme with a plan. milestones: those of all programmes, soonest first."""
    leaves = plan.leaves
    tasks = leaves.filter(~pl.col("is_milestone"))
    own = milestones.filter(pl.col("project") == plan.key)
    ahead = own.filter(pl.col("status") != "done")
    coming = ahead.row(0, named=True) if ahead.height else None
    finish, baseline = leaves["forecast_finish"].max(), leaves["baseline_finish"].max()
    value, value_by = earned_value(plan, plan.status_date or now)
    is_done = pl.col("percent_complete").fill_null(0) >= 100
    return {
        "program": program["program"],
        "name": program["name"],
        "name_zh": program["name_zh"],
        "owner": program["owner"],
        "project": plan.key,
        "title": plan.title,
        "status_date": plan.status_date,
        "tasks": tasks.height,
        "done": tasks.filter(is_done).height,
        "percent": rolled_up_percent(leaves),
        "start": leaves["own_start"].min(),
        "finish": finish,
        "baseline_finish": baseline,
        "slip_days": _days(plan, baseline, finish),
        "critical_tasks": leaves.filter("own_critical").height,
        "spi": float(value.spi) if value and value.spi is not None else None,
        "planned_percent": float(value.pv / value.bac * 100) if value else None,
        "value_by": value_by,
        "milestones": own.height,
        "milestones_late": ahead.filter(pl.col("slip_days") > 0).height,
        "next_milestone": coming["name"] if coming else None,
        "next_finish": coming["finish"] if coming else None,
        "next_slip_days": coming["slip_days"] if coming else None,
    }


def earned_value(plan: Plan, at: datetime) -> tuple[EarnedValue | None, str | None]:
    """Planned and earned value of the leaves in the baseline, and what they are weighed by.

    Weighed by baseline cost where every task has one, else by work, else by
    duration. Planned value accrues evenly over a task's baseline. Tasks added
    since have no baseline and count for nothing here. (None, None) without one.
    """
    leaves = plan.leaves.filter(pl.col("baseline_finish").is_not_null())
    lasting = leaves.filter(pl.col("baseline_duration_s").fill_null(0) > 0)
    for name in ("cost", "work_s", "duration_s"):
        column = f"baseline_{name}"
        if not lasting.is_empty() and (lasting[column].fill_null(0) > 0).all():
            break
    else:
        return None, None
    local = at.astimezone(plan.zone).replace(tzinfo=None)
    planned = earned = total = Decimal(0)
    for start, finish, percent, weight in lasting.select(
        "baseline_start", "baseline_finish", "percent_complete", column
    ).iter_rows():
        share = planned_share(
            plan.network.calendar, _local(plan, start), _local(plan, finish), local
        )
        worth = Decimal(str(weight))
        total += worth
        planned += worth * Decimal(repr(share or 0.0))
        earned += worth * Decimal(repr(percent or 0.0)) / 100
    return EarnedValue(bac=total, pv=planned, ev=earned), name.removesuffix("_s")


def _local(plan: Plan, at: datetime | None) -> datetime | None:
    return None if at is None else at.astimezone(plan.zone).replace(tzinfo=None)


def _days(plan: Plan, start: Any, end: Any) -> int | None:
    if start is None or end is None:
        return None
    first, last = (at.astimezone(plan.zone).date() for at in (start, end))
    return int((last - first).days)
