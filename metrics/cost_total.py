"""What the bills add up to, and which months they cover."""

import polars as pl

from metrics.answer import Answer, metric
from metrics.charges import billed_months, cost_month
from metrics.facts import Facts
from models.table import MONEY

_COSTS = ("billed_cost", "effective_cost", "list_cost", "contracted_cost")


@metric("cost-total")
def cost_total(facts: Facts, month: str | None = None) -> Answer:
    """Sums by source, provider, charge category and currency; of all months unless one is given.

    A cost that no charge of a row has is null, not zero.
    """
    asked = None if month is None else cost_month(facts, month)
    frame = facts.query("cost_total", month=asked)
    return Answer(
        frame=frame.with_columns(pl.col(name).cast(MONEY) for name in _COSTS),
        formula="Exact sums of the four FOCUS costs over every charge; currencies are never added.",
        tables=("cost_line",),
        data_through=facts.data_through("cost_line"),
        notes=("A cost that the export leaves out is blank; it is not zero.",),
    )


@metric("cost-months", listed=False)
def cost_months(facts: Facts) -> Answer:
    """Months that can be chosen, newest first; `is_default` marks the one to open at."""
    chosen = cost_month(facts, None)
    frame = billed_months(facts).select("month").unique().sort("month", descending=True)
    return Answer(
        frame=frame.with_columns(is_default=pl.col("month") == pl.lit(chosen, pl.String)),
        formula="Billing months with charges.",
        tables=("charge_group",),
        data_through=facts.data_through("cost_line"),
    )
