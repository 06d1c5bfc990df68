"""The company's figures over time, as a weekly review shows them."""

from datetime import timedelta
from typing import Any

import polars as pl

from metrics.answer import Answer, metric
from metrics.budget import budgets, spend_against_budget
from metrics.charges import months_back
from metrics.facts import Facts
from metrics.mfu import mfu
from metrics.milestones import milestones
from models.table import INSTANT, MONEY

DUE_WITHIN = timedelta(days=28)
"""How far ahead a weekly review looks."""

WEEKS_AHEAD = 13
MFU_MONTHS = 6
MONTH: dict[str, Any] = {
    "month": pl.String,
    "spend": MONEY,
    "budget": MONEY,
    "used_percent": pl.Float64,
}


@metric("spend-by-month", listed=False)
def spend_by_month(facts: Facts) -> Answer:
    """Spend and budget of all tenants in the reporting currency, oldest month first.

    frame: month, spend (null in months to come), budget (null where nobody has
        one), used_percent; the month after the newest is there if it has a budget.
    """
    answer = spend_against_budget(facts)
    ours = answer.extra["months"].filter(pl.col("currency") == facts.currency)
    sums = ours.group_by("month").agg(
        pl.col("spend").sum(),
        # A sum of no budgets is no budget.
        budget=pl.when(pl.col("budget").is_not_null().any()).then(pl.col("budget").sum()),
    )
    planned = budgets(facts).filter(pl.col("currency") == facts.currency)
    newest = sums["month"].max()
    coming = planned.filter(pl.col("month") == _after(newest)) if newest else planned.clear()
    ahead = coming.group_by("month").agg(
        spend=pl.lit(None, MONEY), budget=pl.col("budget").sum().cast(MONEY)
    )
    frame = pl.concat([sums, ahead], how="vertical_relaxed").with_columns(
        pl.col("spend", "budget").cast(MONEY)
    )
    used = 100 * pl.col("spend").cast(pl.Float64) / pl.col("budget").cast(pl.Float64)
    return Answer(
        frame=frame.with_columns(used_percent=pl.when(pl.col("budget") > 0).then(used))
        .select(pl.col(name).cast(dtype) for name, dtype in MONTH.items())
        .sort("month"),
        formula=answer.formula,
        tables=answer.tables,
        data_through=answer.data_through,
        notes=answer.notes,
    )


@metric("mfu-by-month", listed=False)
def mfu_by_month(facts: Facts) -> Answer:
    """MFU weighted by accelerator-hours in the last months: month, mfu_percent; gaps absent."""
    last = facts.month_name()
    rows: list[dict[str, Any]] = []
    answer = mfu(facts, last)
    for back in range(MFU_MONTHS - 1, -1, -1):
        month = months_back(last, back)
        found = (mfu(facts, month) if back else answer).extra["weighted"]
        share = found["mfu_percent"].item() if found.height else None
        if share is not None:
            rows.append({"month": month, "mfu_percent": share})
    return Answer(
        frame=pl.DataFrame(rows, schema={"month": pl.String, "mfu_percent": pl.Float64}),
        formula=answer.formula,
        tables=answer.tables,
        coverage_percent=answer.coverage_percent,
        data_through=answer.data_through,
        notes=answer.notes,
    )


@metric("milestones-due", listed=False)
def milestones_due(facts: Facts) -> Answer:
    """Milestones of the next four weeks and those past their day, soonest first.

    frame: as `milestones`. extra: `weeks`, how many fall due in each of the
        next thirteen weeks: week (its first instant), milestones, late.
    """
    answer = milestones(facts)
    ahead = answer.frame.filter((pl.col("status") != "done") & pl.col("finish").is_not_null())
    starts = [facts.now + timedelta(weeks=week) for week in range(WEEKS_AHEAD)]
    weeks = [
        ahead.filter(pl.col("finish").is_between(start, start + timedelta(weeks=1), closed="left"))
        for start in starts
    ]
    return Answer(
        frame=ahead.filter(pl.col("finish") < facts.now + DUE_WITHIN).sort("finish"),
        formula=answer.formula,
        tables=answer.tables,
        data_through=answer.data_through,
        notes=answer.notes,
        extra={
            "weeks": pl.DataFrame(
                {
                    "week": pl.Series(starts, dtype=INSTANT),
                    "milestones": [found.height for found in weeks],
                    "late": [found.filter(pl.col("slip_days") > 0).height for found in weeks],
                }
            )
        },
    )


@metric("open-decisions", listed=False)
def open_decisions(facts: Facts) -> Answer:
    """Decisions asked for and not taken, the soonest due first.

    Columns: id, title, title_zh, program, owner, due, days_overdue (null before it is due).
    """
    late = (pl.lit(facts.today) - pl.col("due")).dt.total_days()
    frame = (
        facts.decisions()
        .filter(pl.col("status") == "open")
        .with_columns(days_overdue=pl.when(late > 0).then(late))
        .select("id", "title", "title_zh", "program", "owner", "due", "days_overdue")
        .sort("due", nulls_last=True)
    )
    return Answer(
        frame=frame,
        formula="Decisions of the register whose status is open.",
        tables=("decision",),
        data_through=facts.data_through(),
    )


def _after(month: object) -> str:
    return months_back(str(month), -1)
