"""What is known about each service in a month: its objective, events and gaps.

The inputs of every SLA figure, prepared once: which objective holds, which
part of the month has happened, and which part of it the log can speak for.
"""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import polars as pl

from metrics.answer import CannotAnswer
from metrics.facts import Facts
from models.reference import newest
from models.service.budget import allowed
from models.service.timeline import timeline

LOOK_BACK = timedelta(days=3)
"""The longest burn window."""

NOT_BEGUN = "This month has not begun in the data loaded."
NOTHING_LOADED = "No service objectives and no incidents are loaded."

_INSTANT = pl.Datetime("us", "UTC")
_EVENT = ("service", "kind", "start", "end", "units")


@dataclass(frozen=True)
class ServiceLog:
    """One month of every service that has an objective or an event in it.

    services: service, name, name_zh, kind, cluster, owner, target_percent,
        may_fail, units (accelerators, or 1), start, end (the part of the month
        that has happened, from the objective's first day on).
    events: service, kind (planned, down, unknown), start, end, units (null:
        all); not cut to the month.
    incidents: of every service; one that has not ended by `now` has no end.
    windows: those of a cluster repeated for each of its services.
    """

    month_start: datetime
    month_end: datetime
    now: datetime
    has_log: bool
    services: pl.DataFrame
    events: pl.DataFrame
    incidents: pl.DataFrame
    windows: pl.DataFrame

    @property
    def targets(self) -> pl.DataFrame:
        """service, may_fail."""
        return self.services.select("service", "may_fail")

    def elapsed(self) -> pl.DataFrame:
        """The timeline to now."""
        return timeline(self.services, self.events)

    def whole(self) -> pl.DataFrame:
        """The timeline to the month's end with planned maintenance alone."""
        to_end = self.services.with_columns(end=pl.lit(self.month_end).cast(_INSTANT))
        return timeline(to_end, self.events.filter(pl.col("kind") == "planned"))

    def with_run_up(self) -> pl.DataFrame:
        """The timeline to now that starts a burn window earlier."""
        earlier = self.services.with_columns(start=pl.col("start") - LOOK_BACK)
        return timeline(earlier, self.events)

    def whole_outages(self) -> pl.DataFrame:
        """The timeline to now, down only where all accelerators were: scheduler up or down."""
        whole = self.events.join(self.services.select("service", size="units"), on="service")
        return timeline(
            self.services.with_columns(units=pl.lit(1, pl.Int64)),
            whole.filter(pl.col("units").is_null() | (pl.col("units") >= pl.col("size")))
            .with_columns(units=pl.lit(None, pl.Int64))
            .select(_EVENT),
        )


@dataclass(frozen=True)
class ServiceTables:
    """The tables behind service logs, read once for any number of months."""

    slo: pl.DataFrame
    incidents: pl.DataFrame
    windows: pl.DataFrame
    has_log: bool
    now: datetime


def service_tables(facts: Facts) -> ServiceTables:
    """Objectives and events up to the instant figures stand at."""
    incidents = facts.table("incident")
    now = _now(facts, incidents)
    incidents = incidents.filter(pl.col("start") < now).with_columns(
        end=pl.when(pl.col("end") <= now).then("end")
    )
    return ServiceTables(
        slo=newest(facts.table("slo"), "slo"),
        incidents=incidents,
        windows=facts.table("maintenance_window"),
        has_log=not incidents.is_empty() or _was_loaded(facts, "incidents"),
        now=now,
    )


def service_log(facts: Facts, tables: ServiceTables, month: str | None = None) -> ServiceLog:
    """Everything the SLA figures of a month are computed from.

    Raises CannotAnswer when the month has not begun or nothing names a service.
    """
    month_start, month_end = facts.month(month)
    if month_start >= tables.now:
        raise CannotAnswer(NOT_BEGUN)
    until = min(month_end, tables.now)
    objectives = _objectives(facts, tables.slo, month_start, until)
    windows = _of_services(tables.windows, objectives)
    services = pl.concat(
        [objectives, _unlisted(tables.incidents, windows, objectives, month_start, until)],
        how="diagonal_relaxed",
    ).sort("service")
    if services.is_empty():
        raise CannotAnswer(NOTHING_LOADED)
    events = pl.concat(
        [
            _down(tables.incidents, services, tables.now),
            _planned(windows, services),
            _gaps(facts, tables, services),
        ]
    )
    return ServiceLog(
        month_start,
        month_end,
        tables.now,
        tables.has_log,
        services,
        events,
        tables.incidents,
        windows,
    )


def _now(facts: Facts, incidents: pl.DataFrame) -> datetime:
    """The instant figures stand at; an incident may be newer than the other data."""
    newest_entry = incidents.select(
        pl.max_horizontal(pl.col("start").max(), pl.col("end").max())
    ).item()
    if not isinstance(newest_entry, datetime):
        return facts.now
    return max(facts.now, min(newest_entry, datetime.now(UTC)))


def _objectives(
    facts: Facts, slo: pl.DataFrame, month_start: datetime, until: datetime
) -> pl.DataFrame:
    """The objective of each service at the end of the period, from its first day on."""
    first_day = (
        pl.col("valid_from")
        .cast(pl.Datetime("us"))
        .dt.replace_time_zone(facts.config.timezone, ambiguous="earliest", non_existent="null")
        .dt.convert_time_zone("UTC")
    )
    weighed = (pl.col("kind") == "training") & pl.col("gpus").is_not_null()
    return (
        slo.with_columns(begins=first_day)
        .filter(pl.col("begins").is_null() | (pl.col("begins") < until))
        .sort("service", "begins", nulls_last=False)
        .with_columns(
            begins=pl.when(pl.col("begins").is_null().any().over("service"))
            .then(None)
            .otherwise(pl.col("begins").min().over("service"))
        )
        .unique("service", keep="last", maintain_order=True)
        .select(
            "service",
            "name",
            "name_zh",
            "kind",
            "cluster",
            "owner",
            "target_percent",
            may_fail=allowed(pl.col("target_percent")),
            units=pl.when(weighed).then(pl.col("gpus").round().cast(pl.Int64)).otherwise(1),
            start=pl.max_horizontal(pl.col("begins"), pl.lit(month_start).cast(_INSTANT)),
            end=pl.lit(until).cast(_INSTANT),
        )
    )


def _unlisted(
    incidents: pl.DataFrame,
    windows: pl.DataFrame,
    objectives: pl.DataFrame,
    month_start: datetime,
    until: datetime,
) -> pl.DataFrame:
    """Services with an event in the month and no objective: shown, without a budget."""
    seen = pl.concat(
        [incidents.select("service", "start", "end"), windows.select("service", "start", "end")]
    )
    return (
        seen.filter(
            pl.col("service").is_not_null()
            & (pl.col("start") < until)
            & (pl.col("end").is_null() | (pl.col("end") > month_start))
        )
        .select("service")
        .unique()
        .join(objectives, on="service", how="anti")
        .with_columns(
            name=pl.col("service"),
            units=pl.lit(1, pl.Int64),
            start=pl.lit(month_start).cast(_INSTANT),
            end=pl.lit(until).cast(_INSTANT),
        )
    )


def _of_services(windows: pl.DataFrame, objectives: pl.DataFrame) -> pl.DataFrame:
    """Windows of a cluster repeated for each of its services."""
    named = windows.filter(pl.col("service").is_not_null())
    shared = (
        windows.filter(pl.col("service").is_null())
        .drop("service")
        .join(objectives.select("service", "cluster"), on="cluster")
        .select(windows.columns)
    )
    return pl.concat([named, shared])


def _down(incidents: pl.DataFrame, services: pl.DataFrame, now: datetime) -> pl.DataFrame:
    lasting = incidents.filter(pl.col("effect") != "degraded").with_columns(
        kind=pl.col("effect"), end=pl.col("end").fill_null(pl.lit(now).cast(_INSTANT)), units="gpus"
    )
    return _weighed(lasting, services)


def _planned(windows: pl.DataFrame, services: pl.DataFrame) -> pl.DataFrame:
    return _weighed(windows.with_columns(kind=pl.lit("planned"), units="gpus"), services)


def _weighed(events: pl.DataFrame, services: pl.DataFrame) -> pl.DataFrame:
    """A service that is up or down as a whole loses all of itself, whatever GPUs it has."""
    return (
        events.join(services.select("service", size="units"), on="service")
        .with_columns(units=pl.when(pl.col("size") > 1).then("units"))
        .select(_EVENT)
    )


def _gaps(facts: Facts, tables: ServiceTables, services: pl.DataFrame) -> pl.DataFrame:
    """What no log speaks for: everything without one, else what lies before its first month.

    An empty log that was loaded is a quiet log.
    """
    if not tables.has_log:
        ends = services["end"]
    else:
        opened = _opening_of(facts, tables.incidents["start"].min())
        ends = pl.repeat(opened, services.height, dtype=_INSTANT, eager=True)
    return (
        services.select(
            "service",
            start=pl.col("start") - LOOK_BACK,
            end=ends,
            kind=pl.lit("unknown"),
            units=pl.lit(None, pl.Int64),
        )
        .filter(pl.col("start") < pl.col("end"))
        .select(_EVENT)
    )


def _opening_of(facts: Facts, first: object) -> datetime | None:
    """The start of the calendar month an instant is in."""
    if not isinstance(first, datetime):
        return None
    local = first.astimezone(facts.zone)
    return local.replace(day=1, hour=0, minute=0, second=0, microsecond=0).astimezone(UTC)


def _was_loaded(facts: Facts, kind: str) -> bool:
    loads = facts.table("load")
    return not loads.filter(
        (pl.col("kind") == kind) & pl.col("status").is_in(["loaded", "partial"])
    ).is_empty()
