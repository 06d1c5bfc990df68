"""How long repairs took and how long services ran between outages."""

import polars as pl

from models.service.timeline import outages

MINUTE = 60_000_000
"""Microseconds."""

YEAR_HOURS = 8760


def mtbf_hours(operating_hours: pl.Expr, failures: pl.Expr) -> pl.Expr:
    """Mean time between failures: operating time / failures; null without a failure."""
    return pl.when(failures > 0).then(operating_hours / failures)


def failures_percent_per_unit_year(failures: pl.Expr, unit_hours: pl.Expr) -> pl.Expr:
    """Failures in 100 accelerator-years of operation: 8,760 h x failures / unit-hours."""
    return pl.when(unit_hours > 0).then(failures * YEAR_HOURS * 100 / unit_hours)


def unplanned(incidents: pl.DataFrame, windows: pl.DataFrame) -> pl.DataFrame:
    """The incidents that no maintenance window of the whole service contains.

    incidents: incident_id, service, start, end (null while open) ...
    windows: service, start, end, units (null: the whole service).
    An incident that outlasts its window is an incident.
    """
    merged = outages(windows.filter(pl.col("units").is_null()).select("service", "start", "end"))
    inside = (
        incidents.join(merged, on="service", suffix="_window")
        .filter(
            (pl.col("start") >= pl.col("start_window")) & (pl.col("end") <= pl.col("end_window"))
        )
        .select("service", "incident_id")
    )
    return incidents.join(inside, on=["service", "incident_id"], how="anti")


def reliability(
    incidents: pl.DataFrame, periods: pl.DataFrame, up_hours: pl.DataFrame
) -> pl.DataFrame:
    """MTTR and MTBF of each service in its period.

    mttr_minutes: mean, over the incidents that ended in the period, of their
        whole duration. An open incident has no repair time yet.
    mttr_outage_minutes: the same over outages (overlapping incidents merged).
    mtbf_hours = up time / outages that began in the period.

    incidents: service, start, end; end null while open.
    periods: service, start, end (now, in the running month).
    up_hours: service, up_hours.
    Returns service, up_hours, incidents (that touch the period), open_incidents
        (of these, still open), repaired (ended in the period), outages,
        mttr_minutes, mttr_outage_minutes, mtbf_hours; a mean over nothing is
        null.
    """
    placed = (
        incidents.join(periods, on="service", suffix="_of")
        .filter(pl.col("start") < pl.col("end_of"))
        .with_columns(stop=pl.min_horizontal(pl.col("end").fill_null(pl.col("end_of")), "end_of"))
        .filter((pl.col("stop") > pl.col("start_of")) | (pl.col("start") >= pl.col("start_of")))
        .with_columns(repaired=(pl.col("end") <= pl.col("end_of")).fill_null(False))
    )
    minutes = (pl.col("stop") - pl.col("start")).dt.total_microseconds() / MINUTE
    by_incident = placed.group_by("service").agg(
        incidents=pl.len(),
        open_incidents=pl.col("end").is_null().sum(),
        repaired=pl.col("repaired").sum(),
        mttr_minutes=minutes.filter("repaired").mean(),
    )
    unrepaired = placed.filter(~pl.col("repaired")).select("service", end="stop").unique()
    merged = outages(placed.select("service", "start", end="stop")).join(
        unrepaired.with_columns(repaired=pl.lit(False)), on=["service", "end"], how="left"
    )
    length = (pl.col("end") - pl.col("start")).dt.total_microseconds() / MINUTE
    by_outage = (
        merged.join(periods.select("service", since="start"), on="service")
        .group_by("service")
        .agg(
            outages=(pl.col("start") >= pl.col("since")).sum(),
            mttr_outage_minutes=length.filter(pl.col("repaired").is_null()).mean(),
        )
    )
    counts = ("incidents", "open_incidents", "repaired", "outages")
    return (
        periods.select("service")
        .join(up_hours, on="service", how="left")
        .join(by_incident, on="service", how="left")
        .join(by_outage, on="service", how="left")
        .with_columns(pl.col(counts).fill_null(0).cast(pl.Int64))
        .with_columns(mtbf_hours=mtbf_hours(pl.col("up_hours"), pl.col("outages")))
        .sort("service")
    )
