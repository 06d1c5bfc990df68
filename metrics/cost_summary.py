"""The month's allocation in a few figures, and the months before it."""

import polars as pl

from metrics.answer import Answer, metric
from metrics.charges import months_back, reference
from metrics.cost_allocation import FORMULA, TABLES, cost_by_service, cost_trend
from metrics.facts import Facts
from models.billing.rules import UNALLOCATED
from models.table import MONEY

TOP_SERVICES = 12
OTHER = "other"
_AMOUNTS = ("total", "idle", "shared", "unallocated")


@metric("cost-summary", listed=False)
def cost_summary(facts: Facts, month: str | None = None, basis: str = "billed") -> Answer:
    """A row a currency: the bill, how much of it is idle, shared or unallocated, who pays most.

    Frame: currency, month, total, idle, shared, unallocated, each share in
    percent of the total (null where that is zero or less), total_before (the
    month before, null without one), change_percent, tenants, top_tenant,
    top_percent. extra["months"]: month, currency, the four
    amounts and their percents.
    extra["tenants"]: cost-trend. extra["names"]: tenant, name, name_zh.
    """
    trend = cost_trend(facts, month, basis)
    if trend.frame.is_empty():
        return trend
    months = _months(trend.frame)
    last = str(trend.frame["month"].max())
    tenants = trend.frame.filter(
        (pl.col("month") == last) & (pl.col("tenant") != UNALLOCATED) & (pl.col("total") != 0)
    ).sort("currency", "total", descending=[False, True])
    leaders = tenants.group_by("currency", maintain_order=True).agg(
        pl.len().cast(pl.Int64).alias("tenants"),
        pl.col("tenant").first().alias("top_tenant"),
        pl.col("total").first().alias("top_amount"),
    )
    before = months.filter(pl.col("month") == months_back(last, 1)).select(
        "currency", pl.col("total").alias("total_before")
    )
    frame = (
        months.filter(pl.col("month") == last)
        .join(before, on="currency", how="left")
        .join(leaders, on="currency", how="left")
        .with_columns(
            _percent("top_amount").alias("top_percent"),
            pl.when(pl.col("total_before") > 0)
            .then(
                100
                * (pl.col("total").cast(pl.Float64) / pl.col("total_before").cast(pl.Float64) - 1)
            )
            .alias("change_percent"),
        )
        .sort("total", descending=True)
    )
    return Answer(
        frame=frame,
        formula=FORMULA,
        tables=TABLES,
        coverage_percent=trend.coverage_percent,
        data_through=trend.data_through,
        notes=trend.notes,
        extra={
            "months": months,
            "tenants": trend.frame,
            "names": reference(facts, "tenant").select("tenant", "name", "name_zh"),
        },
    )


@metric("cost-matrix", listed=False)
def cost_matrix(facts: Facts, month: str | None = None, basis: str = "billed") -> Answer:
    """Tenant by service with the small services together, for a picture.

    Frame: currency, service (`other` for all beyond the largest twelve),
    service_total, tenant, amount. Adds up to cost-by-service.
    """
    answer = cost_by_service(facts, month, basis)
    cells = answer.frame.with_columns(
        pl.coalesce("service", "provider", pl.lit(OTHER)).alias("service")
    )
    if cells.is_empty():
        return answer
    ranked = (
        cells.group_by("currency", "service")
        .agg(pl.col("amount").sum().alias("service_total"))
        .with_columns(
            pl.col("service_total")
            .abs()
            .rank("ordinal", descending=True)
            .over("currency")
            .alias("place")
        )
    )
    shown = (
        cells.join(ranked, on=["currency", "service"], how="left")
        .with_columns(
            service=pl.when(pl.col("place") <= TOP_SERVICES)
            .then(pl.col("service"))
            .otherwise(pl.lit(OTHER))
        )
        .group_by("currency", "service", "tenant")
        .agg(pl.col("amount").sum())
    )
    frame = shown.with_columns(
        pl.col("amount").sum().over("currency", "service").alias("service_total")
    ).sort(
        "currency",
        pl.col("service") == OTHER,
        "service_total",
        descending=[False, False, True],
    )
    return Answer(
        frame=frame,
        formula=answer.formula,
        tables=answer.tables,
        coverage_percent=answer.coverage_percent,
        data_through=answer.data_through,
        notes=answer.notes,
    )


def _months(trend: pl.DataFrame) -> pl.DataFrame:
    """A row a month and currency: total, idle, shared, unallocated, percents of the total."""
    left = pl.col("tenant") == UNALLOCATED
    return (
        trend.group_by("month", "currency")
        .agg(
            pl.col("total").sum(),
            pl.col("idle").filter(~left).sum(),
            pl.col("shared").filter(~left).sum(),
            pl.col("total").filter(left).sum().alias("unallocated"),
        )
        .with_columns(pl.col(name).cast(MONEY) for name in _AMOUNTS)
        .with_columns(_percent(name).alias(f"{name}_percent") for name in _AMOUNTS[1:])
        .sort("month", "currency")
    )


def _percent(name: str) -> pl.Expr:
    share = 100 * pl.col(name).cast(pl.Float64) / pl.col("total").cast(pl.Float64)
    return pl.when(pl.col("total") > 0).then(share)
