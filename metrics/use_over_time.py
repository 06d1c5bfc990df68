"""How busy the clusters were day by day, and at which hours of the week."""

from datetime import datetime, time
from typing import Any
from zoneinfo import ZoneInfo

import polars as pl

from metrics.answer import Answer, metric
from metrics.facts import Facts
from metrics.gpu_hours import period, selected
from models.reference import newest

FORMULA = (
    "Allocated = GPU-hours held by jobs / GPU-hours owned, per hour of the configured zone; "
    "active = engine-active GPU-hours / GPU-hours owned, over hours with accelerator metrics"
)


@metric("use-over-time", listed=False)
def use_over_time(
    facts: Facts,
    month: str | None = None,
    cluster: str | None = None,
    tenant: str | None = None,
) -> Answer:
    """Use of what is owned, by day of the month.

    Frame: day, owned, allocated, active (GPU-hours), allocated_percent,
    active_percent; null where nothing is owned or measured. extra: week
    (weekday 1 = Monday, hour, allocated_percent, active_percent), clusters (day,
    cluster, allocated_percent).
    """
    within = period(facts, month)
    used = facts.query("use_by_hour", from_=within.start, to_=within.end, tenant=tenant)
    hours = _owned_hours(facts, within.start, within.end)
    every = hours.join(used, on=["cluster", "hour"], how="left").with_columns(
        pl.col("allocated").fill_null(0.0),
        local=pl.col("hour").dt.convert_time_zone(str(facts.zone)),
        watched=pl.when(pl.col("active").is_not_null()).then(pl.col("owned")),
    )
    every = selected(every, cluster, None).with_columns(
        day=pl.col("local").dt.date(),
        weekday=pl.col("local").dt.weekday(),
        hour_of_day=pl.col("local").dt.hour(),
    )
    return Answer(
        frame=_shares(every, "day"),
        formula=FORMULA,
        tables=("job", "gpu_hour", "cluster"),
        data_through=facts.data_through("job", "gpu_hour"),
        extra={
            "week": _shares(every, "weekday", "hour_of_day"),
            "clusters": _shares(every, "day", "cluster"),
        },
    )


def _owned_hours(facts: Facts, start: datetime, end: datetime) -> pl.DataFrame:
    """cluster, hour, owned: accelerators in service in each hour."""
    clusters = newest(facts.table("cluster"), "cluster").select(
        "cluster",
        owned=pl.col("gpus").cast(pl.Float64),
        first=_midnight("in_service_from", facts.zone),
        last=_midnight("in_service_to", facts.zone),
    )
    hours = pl.DataFrame(
        {"hour": pl.datetime_range(start, end, "1h", closed="left", eager=True)},
        schema={"hour": pl.Datetime("us", "UTC")},
    )
    return (
        clusters.join(hours, how="cross")
        .filter(
            (pl.col("hour") >= pl.col("first"))
            & (pl.col("last").is_null() | (pl.col("hour") < pl.col("last")))
        )
        .select("cluster", "hour", "owned")
    )


def _midnight(column: str, zone: ZoneInfo) -> pl.Expr:
    local = pl.col(column).dt.combine(time())
    return local.dt.replace_time_zone(str(zone), ambiguous="earliest").dt.convert_time_zone("UTC")


def _shares(every: pl.DataFrame, *keys: str) -> pl.DataFrame:
    sums: dict[str, Any] = {
        "owned": pl.col("owned").sum(),
        "allocated": pl.col("allocated").sum(),
        "active": pl.when(pl.col("watched").count() > 0).then(pl.col("active").sum()),
        "watched": pl.col("watched").sum(),
    }
    return (
        every.group_by(*keys)
        .agg(**sums)
        .with_columns(
            allocated_percent=100 * pl.col("allocated") / pl.col("owned"),
            active_percent=pl.when(pl.col("watched") > 0).then(
                100 * pl.col("active") / pl.col("watched")
            ),
        )
        .sort(*keys)
    )
