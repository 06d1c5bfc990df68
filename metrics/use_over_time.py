"""How busy the clusters were day by day, and at which hours of the week."""

from datetime import datetime, time, timedelta
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
    # Hours start at full hours of UTC, also in a zone whose days start at half past.
    first = within.start.replace(minute=0)
    used = facts.query("use_by_hour", from_=first, to_=within.end, tenant=tenant)
    hours = _owned_hours(facts, first, within.end)
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


@metric("use-scope", listed=False)
def use_scope(facts: Facts) -> Answer:
    """What there is to choose from: months with jobs or samples, newest first.

    Frame: month. extra: clusters (cluster, name, name_zh), tenants (tenant, name,
    name_zh; those that used something, `unallocated` last).
    """
    span = facts.query("use_span").row(0, named=True)
    months: list[str] = []
    if span["first_instant"] is not None:
        first = span["first_instant"].astimezone(facts.zone)
        last = min(span["last_instant"], facts.now - timedelta(microseconds=1)).astimezone(
            facts.zone
        )
        count = (last.year - first.year) * 12 + last.month - first.month
        for step in range(count, -1, -1):
            year, month = divmod(first.year * 12 + first.month - 1 + step, 12)
            months.append(f"{year}-{month + 1:02d}")
    seen = facts.query("use_parties")
    return Answer(
        frame=pl.DataFrame({"month": months}, schema={"month": pl.String}),
        formula="Calendar months of the configured zone with jobs or accelerator samples",
        tables=("job", "gpu_hour", "cluster", "tenant"),
        data_through=facts.data_through("job", "gpu_hour"),
        extra={
            "clusters": _named(facts, "cluster", seen),
            "tenants": _named(facts, "tenant", seen),
        },
    )


def _named(facts: Facts, kind: str, seen: pl.DataFrame) -> pl.DataFrame:
    """Ids of a kind that hold or own something, with their names."""
    listed = newest(facts.table(kind), kind).select(kind, "name", "name_zh")
    used = seen.filter(pl.col("kind") == kind).select(pl.col("id").alias(kind))
    every = pl.concat([used, listed.select(kind)]).unique() if kind == "cluster" else used
    named = every.join(listed, on=kind, how="left").with_columns(
        pl.col("name").fill_null(pl.col(kind))
    )
    return named.sort(pl.col(kind) == "unallocated", kind)
