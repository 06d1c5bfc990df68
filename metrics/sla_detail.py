"""What stands behind the SLA figures of a month: states, alerts, events, a summary."""

import polars as pl

from metrics.service_log import ServiceLog
from models.service.availability import availability
from models.service.burn import alerts, worst_moments
from models.service.reliability import (
    failures_percent_per_unit_year,
    reliability,
    unplanned,
)
from models.service.timeline import totals

AT_RISK_PERCENT = 25
"""A budget with less left is at risk."""


def figures(log: ServiceLog) -> pl.DataFrame:
    """Every figure of every service: levels (models/service/availability) and repairs.

    Adds name, name_zh, kind, cluster, owner, units, scheduler_up (share of the
    time in which not all accelerators were down; training only) and status:
    met, at_risk, breached, no_objective, unknown.
    """
    elapsed = log.elapsed()
    joined = availability(elapsed, log.whole(), log.targets).join(
        _repairs(log, elapsed), on="service"
    )
    return _described(log, joined)


def _repairs(log: ServiceLog, elapsed: pl.DataFrame) -> pl.DataFrame:
    """MTTR, MTBF and counts; a failure is an incident that took the service down unplanned."""
    hours = totals(elapsed).select(
        "service",
        "units",
        up_hours=(pl.col("total") - pl.col("planned") - pl.col("down") - pl.col("unknown"))
        / (pl.col("units") * 3_600_000_000),
    )
    planned = log.events.filter(pl.col("kind") == "planned")
    failures = unplanned(log.incidents.filter(pl.col("effect") == "down"), planned)
    found = reliability(
        failures.select("service", "start", "end"),
        log.services.select("service", "start", "end"),
        hours.select("service", "up_hours"),
    )
    per_year = failures_percent_per_unit_year(
        pl.col("outages"), pl.col("up_hours") * pl.col("units")
    )
    return found.join(hours.select("service", "units"), on="service").with_columns(
        failures_percent_per_gpu_year=pl.when(pl.col("units") > 1).then(per_year)
    )


def _described(log: ServiceLog, joined: pl.DataFrame) -> pl.DataFrame:
    """What a reader sees beside the figures: names, state in a word, counts."""
    up = totals(log.whole_outages()).select(
        "service",
        scheduler_up=pl.when(pl.col("total") > pl.col("unknown") + pl.col("planned")).then(
            1 - pl.col("down") / (pl.col("total") - pl.col("planned") - pl.col("unknown"))
        ),
    )
    status = (
        pl.when(pl.col("sli_excluding_maintenance").is_null())
        .then(pl.lit("unknown"))
        .when(pl.col("budget_left_percent").is_null())
        .then(pl.lit("no_objective"))
        .when(pl.col("budget_left_percent") < 0)
        .then(pl.lit("breached"))
        .when(pl.col("budget_left_percent") < AT_RISK_PERCENT)
        .then(pl.lit("at_risk"))
        .otherwise(pl.lit("met"))
    )
    about = log.services.select("service", "name", "name_zh", "kind", "cluster", "owner")
    return (
        about.join(joined, on="service")
        .join(up, on="service", how="left")
        .with_columns(status=status, scheduler_up=pl.when(pl.col("units") > 1).then("scheduler_up"))
        .sort("service")
    )


def summary(log: ServiceLog, found: pl.DataFrame) -> pl.DataFrame:
    """The month in one row, over all services.

    found: `figures`. Returns promised (services with an objective and a level),
    met, breached, at_risk, unknown (services), incidents, open_incidents,
    downtime_minutes and maintenance_minutes (summed over services),
    mttr_minutes (mean over repaired incidents), worst (service),
    worst_left_percent.
    """
    judged = found.filter(pl.col("budget_left_percent").is_not_null())
    worst = judged.sort("budget_left_percent").head(1)
    repair_minutes = (pl.col("mttr_minutes") * pl.col("repaired")).sum()
    return found.select(
        promised=pl.lit(judged.height),
        met=pl.lit(judged.filter(pl.col("budget_left_percent") >= 0).height),
        breached=(pl.col("status") == "breached").sum(),
        at_risk=(pl.col("status") == "at_risk").sum(),
        unknown=(pl.col("status") == "unknown").sum(),
        incidents=pl.col("incidents").sum(),
        open_incidents=pl.col("open_incidents").sum(),
        downtime_minutes=pl.lit(_total(found["downtime_minutes"]), pl.Float64),
        maintenance_minutes=pl.lit(_total(found["maintenance_minutes"]), pl.Float64),
        mttr_minutes=pl.when(pl.col("repaired").sum() > 0).then(
            repair_minutes / pl.col("repaired").sum()
        ),
        worst=pl.lit(worst["service"][0] if worst.height else None, pl.String),
        worst_left_percent=pl.lit(
            worst["budget_left_percent"][0] if worst.height else None, pl.Float64
        ),
    ).head(1)


def _total(values: pl.Series) -> float | None:
    """The sum of what is known; None, not zero, where nothing is."""
    known = values.drop_nulls()
    return float(known.sum()) if known.len() else None


def burn(log: ServiceLog) -> pl.DataFrame:
    """Each alert pair at the end of the period, and when it was worst in it.

    Adds worst_at, worst_long, worst_short, fired (in the month).
    """
    period = log.month_end - log.month_start
    segments = log.with_run_up()
    promised = log.services.filter(pl.col("may_fail") > 0)
    now = alerts(segments, promised.select("service", "may_fail", at="end"), period)
    worst = worst_moments(
        segments, promised.select("service", "may_fail", since="start"), period
    ).select(
        "service",
        "severity",
        "long",
        worst_at="at",
        worst_long="burn_long",
        worst_short="burn_short",
        fired="firing",
    )
    return (
        now.join(worst, on=["service", "severity", "long"], how="left")
        .with_columns(pl.col("fired").fill_null(False))
        .sort("service", "long")
    )


def incidents(log: ServiceLog) -> pl.DataFrame:
    """The month's incidents, longest first, with their minutes inside it."""
    placed = log.incidents.join(
        log.services.select("service", since="start", until="end"), on="service"
    ).with_columns(stop=pl.col("end").fill_null(pl.col("until")))
    return (
        placed.filter(
            (pl.col("start") < pl.col("until"))
            & ((pl.col("stop") > pl.col("since")) | (pl.col("start") >= pl.col("since")))
        )
        .select(
            "incident_id",
            "service",
            "title",
            "severity",
            "cause",
            "effect",
            "gpus",
            "start",
            "end",
            minutes=_minutes(pl.col("start"), pl.col("stop")),
            minutes_in_month=_minutes(
                pl.max_horizontal("start", "since"), pl.min_horizontal("stop", "until")
            ),
        )
        .sort("start", descending=True)
    )


def maintenance(log: ServiceLog) -> pl.DataFrame:
    """The month's planned windows, also those still to come, with reason and approval."""
    begins = log.services.select("service", since="start")
    month_end = pl.lit(log.month_end).cast(pl.Datetime("us", "UTC"))
    return (
        log.windows.join(begins, on="service")
        .filter((pl.col("start") < month_end) & (pl.col("end") > pl.col("since")))
        .select(
            "service",
            "start",
            "end",
            "reason",
            "approved_by",
            "gpus",
            minutes=_minutes(
                pl.max_horizontal("start", "since"), pl.min_horizontal(pl.col("end"), month_end)
            ),
        )
        .sort("start", "service")
    )


def _minutes(start: pl.Expr, end: pl.Expr) -> pl.Expr:
    return (end - start).dt.total_microseconds() / 60_000_000
