"""Commitments: what was promised, what of it was used, which ones are forgotten."""

import polars as pl

from metrics.answer import Answer, metric
from metrics.charges import cost_month, months_back
from metrics.facts import Facts
from models.table import MONEY

COMMITMENT_MONTHS = 13
FORGOTTEN_MONTHS = 2
"""So many months in a row without any use, and nobody is looking after it."""


@metric("commitment-use", listed=False)
def commitment_use(facts: Facts, month: str | None = None) -> Answer:
    """Use of each commitment in a month, most unused money first.

    Frame: commitment, name, type, provider, month, currency, committed, used,
    unused, used_percent, unused_months (in a row, up to this one), last_used,
    status (forgotten, part_used, full, no_cost: its charges cost nothing).
    extra["months"]: commitment, name, month, currency, committed, used, unused.
    """
    chosen = cost_month(facts, month)
    months = facts.query("commitment_use").with_columns(
        pl.col("committed", "used", "unused").cast(MONEY)
    )
    if chosen is not None:
        months = months.filter(
            pl.col("month").is_between(
                pl.lit(months_back(chosen, COMMITMENT_MONTHS - 1)), pl.lit(chosen)
            )
        )
    idle_since = (
        months.filter(pl.col("used") > 0)
        .group_by("commitment", "currency")
        .agg(
            pl.col("month").max().alias("last_used_month"),
            pl.col("last_used").max().alias("last_used_at"),
        )
    )
    idle = (
        months.join(idle_since, on=["commitment", "currency"], how="left")
        .filter(pl.col("last_used_month").is_null() | (pl.col("month") > pl.col("last_used_month")))
        .filter(pl.col("unused") > 0)
        .group_by("commitment", "currency")
        .agg(pl.len().cast(pl.Int64).alias("unused_months"))
    )
    frame = (
        months.filter(pl.col("month") == pl.lit(chosen, pl.String))
        .drop("last_used")
        .join(idle, on=["commitment", "currency"], how="left")
        .join(idle_since.drop("last_used_month"), on=["commitment", "currency"], how="left")
        .rename({"last_used_at": "last_used"})
        .with_columns(
            pl.col("unused_months").fill_null(0),
            used_percent=pl.when(pl.col("committed") > 0).then(
                100 * pl.col("used").cast(pl.Float64) / pl.col("committed").cast(pl.Float64)
            ),
        )
        .with_columns(
            status=pl.when(pl.col("unused_months") >= FORGOTTEN_MONTHS)
            .then(pl.lit("forgotten"))
            .when(pl.col("unused") > 0)
            .then(pl.lit("part_used"))
            .when(pl.col("committed") > 0)
            .then(pl.lit("full"))
            .otherwise(pl.lit("no_cost"))
        )
        .sort("unused", "commitment", descending=[True, False])
    )
    return Answer(
        frame=frame,
        formula=(
            "Utilisation = used / committed, both effective (amortised) cost of usage charges "
            "that name a commitment, by CommitmentDiscountStatus."
        ),
        tables=("cost_line",),
        data_through=facts.data_through("cost_line"),
        notes=("Coverage needs to know which other use was eligible; it is not shown.",),
        extra={"months": months.sort("commitment", "month")},
    )
