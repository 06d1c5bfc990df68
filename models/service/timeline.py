"""A service's time, cut where its state changes: planned, down, unknown or up.

Overlapping events never count twice: each stretch of time knows how many of
the service's units (its accelerators, or 1 for a service that is up or down as
a whole) each state holds, and never holds more than there are.
"""

import polars as pl

KINDS = ("planned", "down", "unknown")
"""In order of precedence: a planned outage is not a failure, a known failure
is not unknown."""

SEGMENT = {
    "service": pl.String,
    "start": pl.Datetime("us", "UTC"),
    "end": pl.Datetime("us", "UTC"),
    "units": pl.Int64,
    "planned": pl.Int64,
    "down": pl.Int64,
    "unknown": pl.Int64,
}


def timeline(services: pl.DataFrame, events: pl.DataFrame) -> pl.DataFrame:
    """Each service's period as adjoining segments, with the units in each state.

    planned = min(units, P); down = min(units, P + D) - planned;
    unknown = min(units, P + D + U) - planned - down; the rest is up, where
    P, D and U are the units of the events that hold at that time.

    services: service, start, end (half-open), units > 0; one row a service.
    events: service, kind (of KINDS), start, end, units; units null means all.
        Events of other services, and the parts outside the period, count for
        nothing. Two events on part of the units are taken as different units.
    Returns columns of SEGMENT, by service and time; the segments of a service
    cover its period without gap or overlap.
    """
    clipped = (
        events.join(services, on="service", suffix="_all")
        .with_columns(
            start=pl.max_horizontal("start", "start_all"),
            end=pl.min_horizontal("end", "end_all"),
            units=pl.min_horizontal(pl.col("units").fill_null(pl.col("units_all")), "units_all"),
        )
        .filter(pl.col("start") < pl.col("end"))
    )
    edges = pl.concat(
        [
            clipped.select("service", "kind", at="start", change="units"),
            clipped.select("service", "kind", at="end", change=-pl.col("units")),
            *(
                services.select("service", kind=pl.lit(None, pl.String), at=edge, change=pl.lit(0))
                for edge in ("start", "end")
            ),
        ],
        how="vertical_relaxed",
    )
    levels = (
        edges.group_by("service", "at")
        .agg(**{kind: pl.col("change").filter(pl.col("kind") == kind).sum() for kind in KINDS})
        .sort("service", "at")
        .with_columns(
            *(pl.col(kind).cum_sum().over("service") for kind in KINDS),
            end=pl.col("at").shift(-1).over("service"),
        )
        .filter(pl.col("end").is_not_null())
        .join(services.select("service", "units"), on="service")
    )
    planned = pl.min_horizontal("units", "planned")
    planned_or_down = pl.min_horizontal("units", pl.col("planned") + pl.col("down"))
    known_or_not = pl.min_horizontal(
        "units", pl.col("planned") + pl.col("down") + pl.col("unknown")
    )
    return (
        levels.select(
            "service",
            "end",
            "units",
            start="at",
            planned=planned,
            down=planned_or_down - planned,
            unknown=known_or_not - planned_or_down,
        )
        .select(list(SEGMENT))
        .cast(SEGMENT)  # type: ignore[arg-type]
        .sort("service", "start")
    )


def totals(segments: pl.DataFrame) -> pl.DataFrame:
    """Unit-microseconds of each service in each state, as whole numbers.

    Returns service, units, total, planned, down, unknown; sums of whole
    numbers, so that no minute is lost to rounding.
    """
    length = (pl.col("end") - pl.col("start")).dt.total_microseconds()
    return (
        segments.group_by("service")
        .agg(
            pl.col("units").first(),
            total=(length * pl.col("units")).sum(),
            **{kind: (length * pl.col(kind)).sum() for kind in KINDS},
        )
        .sort("service")
    )


def clip(segments: pl.DataFrame, start: pl.Expr, end: pl.Expr) -> pl.DataFrame:
    """The segments inside [start, end), each cut to it; empty ones are gone."""
    return segments.with_columns(
        start=pl.max_horizontal(pl.col("start"), start),
        end=pl.min_horizontal(pl.col("end"), end),
    ).filter(pl.col("start") < pl.col("end"))


def outages(incidents: pl.DataFrame) -> pl.DataFrame:
    """Incidents of a service that touch or overlap, merged into one outage each.

    incidents: service, start, end (no nulls).
    Returns service, start, end, incidents; by service and time.
    """
    return (
        incidents.sort("service", "start", "end")
        .with_columns(reached=pl.col("end").cum_max().shift(1).over("service"))
        .with_columns(
            outage=(pl.col("reached").is_null() | (pl.col("start") > pl.col("reached")))
            .cum_sum()
            .over("service")
        )
        .group_by("service", "outage")
        .agg(pl.col("start").min(), pl.col("end").max(), incidents=pl.len())
        .select("service", "start", "end", "incidents")
        .sort("service", "start")
    )
