"""Spend against budget: what tenants were allocated beside what they may spend."""

import re

import polars as pl

from metrics.allocation import allocated
from metrics.answer import Answer, CannotAnswer, metric
from metrics.charges import cost_month, months_back, months_until, reference
from metrics.facts import Facts
from models.billing.currency import MissingRate, convert
from models.billing.publish import published
from models.billing.rules import UNALLOCATED
from models.table import MONEY

BUDGET_MONTHS = 13
OVER_PERCENT = 100.0

FORMULA = (
    "Spend is the tenant's allocated total, effective cost unless another basis is chosen, in the "
    "budget's currency at the month's agreed rate; used = spend / budget. A month that is not "
    "over is projected at its pace so far."
)
_SCHEMA = pl.Schema(
    {
        "tenant": pl.String(),
        "month": pl.String(),
        "currency": pl.String(),
        "budget": MONEY,
        "version": pl.String(),
        "spend": MONEY,
        "left": MONEY,
        "used_percent": pl.Float64(),
        "projected_percent": pl.Float64(),
        "status": pl.String(),
    }
)


@metric("spend-against-budget", listed=False)
def spend_against_budget(
    facts: Facts, month: str | None = None, basis: str = "effective"
) -> Answer:
    """Budget and spend of a month by tenant, highest use first.

    Frame: tenant, month, currency, budget, version, spend, left, used_percent,
    projected_percent (used / share of the month that has passed), status (over,
    watch: on course to exceed, within, no_budget). A tenant that spent without a
    budget is there with budget null; a budget without spend has spend 0.
    extra["months"]: the same for the months up to this one.

    Raises CannotAnswer listing each exchange rate that is missing.
    """
    chosen = cost_month(facts, month)
    if chosen is None:
        return _answer(facts, pl.DataFrame(schema=_SCHEMA), pl.DataFrame(schema=_SCHEMA))
    months = _compared(facts, chosen, basis)
    frame = months.filter(pl.col("month") == chosen).sort(
        "used_percent", "spend", descending=True, nulls_last=True
    )
    return _answer(facts, frame, months.sort("tenant", "month"))


def budgets(facts: Facts) -> pl.DataFrame:
    """The budget that counts: one row a tenant, month and currency, of the newest version.

    Versions sort as people number them: v10 after v9.
    """
    frame = reference(facts, "budget")
    order = pl.Series(
        "order", [_natural(version or "") for version in frame["version"]], dtype=pl.String
    )
    return (
        frame.with_columns(order)
        .sort("order", "load_id")
        .unique(subset=["tenant", "month", "currency"], keep="last", maintain_order=True)
        .select("tenant", "month", "currency", pl.col("amount").alias("budget"), "version")
    )


def _compared(facts: Facts, last: str, basis: str) -> pl.DataFrame:
    spent = [
        published(allocated(facts, name, basis).parts, "tenant").with_columns(
            pl.col("amount").cast(MONEY), month=pl.lit(name, pl.String)
        )
        for name in months_until(facts, last, BUDGET_MONTHS)
    ]
    first = months_back(last, BUDGET_MONTHS - 1)
    spend = pl.concat(spent).filter(pl.col("tenant") != UNALLOCATED)
    planned = budgets(facts).filter(pl.col("month").is_between(pl.lit(first), pl.lit(last)))
    # A tenant's spend in any currency counts against its one budget of the month;
    # without a budget it stays in its own.
    wanted = planned.group_by("tenant", "month").agg(pl.col("currency").sort().first().alias("to"))
    priced = spend.join(wanted, on=["tenant", "month"], how="left").with_columns(
        pl.col("to").fill_null(pl.col("currency"))
    )
    rates = reference(facts, "fx_rate")
    try:
        converted = [
            convert(block, rates, str(name[0])).with_columns(currency=pl.lit(name[0], pl.String))
            for name, block in priced.group_by("to")
        ]
    except MissingRate as missing:
        raise CannotAnswer(
            f"Spend cannot be compared with budgets: {missing}. Add it to the fx_rate table."
        ) from missing
    total = pl.concat(converted) if converted else priced.with_columns(converted=pl.col("amount"))
    total = total.group_by("tenant", "month", "currency").agg(
        pl.col("converted").sum().alias("spend")
    )
    both = planned.join(total, on=["tenant", "month", "currency"], how="full", coalesce=True)
    passed = pl.DataFrame(
        [(name, _passed(facts, name)) for name in both["month"].unique()],
        schema={"month": pl.String, "passed": pl.Float64},
        orient="row",
    )
    used = 100 * pl.col("spend").cast(pl.Float64) / pl.col("budget").cast(pl.Float64)
    return (
        both.join(passed, on="month", how="left")
        .with_columns(pl.col("spend").fill_null(0).cast(MONEY))
        .with_columns(
            left=(pl.col("budget") - pl.col("spend")).cast(MONEY),
            used_percent=pl.when(pl.col("budget") > 0).then(used),
        )
        .with_columns(
            projected_percent=pl.when(pl.col("passed") > 0).then(
                pl.col("used_percent") / pl.col("passed")
            )
        )
        .filter(pl.col("budget").is_not_null() | (pl.col("spend") != 0))
        .with_columns(status=_status())
        .select(*_SCHEMA)
    )


def _status() -> pl.Expr:
    used = pl.col("used_percent")
    return (
        pl.when(pl.col("budget").is_null())
        .then(pl.lit("no_budget"))
        .when((used > OVER_PERCENT) | ((pl.col("budget") <= 0) & (pl.col("spend") > 0)))
        .then(pl.lit("over"))
        .when(pl.col("projected_percent") > OVER_PERCENT)
        .then(pl.lit("watch"))
        .otherwise(pl.lit("within"))
    )


def _passed(facts: Facts, month: str) -> float:
    """The share of the month that the data reaches into."""
    start, end = facts.month(month)
    reached = max(start, min(end, facts.now))
    return (reached - start) / (end - start)


def _natural(version: str) -> str:
    return re.sub(r"\d+", lambda digits: digits.group().zfill(12), version)


def _answer(facts: Facts, frame: pl.DataFrame, months: pl.DataFrame) -> Answer:
    return Answer(
        frame=frame,
        formula=FORMULA,
        tables=("cost_line", "allocation_rule", "budget", "fx_rate"),
        data_through=facts.data_through("cost_line"),
        notes=("What stays unallocated is in nobody's spend.",),
        extra={"months": months},
    )
