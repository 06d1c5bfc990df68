"""Is each service within its objective, what burned its budget, how fast was it repaired?"""

import polars as pl

from metrics.answer import Answer, CannotAnswer, metric
from metrics.facts import Facts
from metrics.service_log import NOTHING_LOADED, ServiceLog, service_log, service_tables
from models.service.availability import availability, burn_down
from models.service.burn import alerts, worst_moments
from models.service.reliability import (
    failures_percent_per_unit_year,
    reliability,
    unplanned,
)
from models.service.timeline import totals

TABLES = ("slo", "incident", "maintenance_window")

FORMULA = (
    "SLI = up / (up + down + planned); without maintenance up / (up + down). "
    "Budget = (month - planned) x (1 - target); budget left = 1 - down / budget. "
    "MTTR = mean duration of incidents that ended in the month; MTBF = up time / outages. "
    "Overlapping incidents are one outage; a training cluster's time is weighed by accelerators."
)

KEYS = (
    "service",
    "target",
    "sli",
    "sli_excluding_maintenance",
    "budget_minutes",
    "budget_left_percent",
    "downtime_minutes",
    "mttr_minutes",
    "mtbf_hours",
    "coverage_percent",
)

NO_LOG = "No incident log is loaded: no service has a level, because unknown is never up."
PARTLY_KNOWN = (
    "The incident log does not cover the whole period; levels are of the time it covers, "
    "with the band the unknown time leaves."
)
OPEN_INCIDENTS = "Open incidents count as down time to now and are left out of MTTR."
RUNNING_MONTH = "The month is running: levels are to now, the budget is the whole month's."
WEIGHED = "Minutes of a training cluster are minutes of the whole cluster, weighed by accelerators."
NO_OBJECTIVE = "A service without an objective has a level and no budget."


@metric("sla")
def sla(facts: Facts, month: str | None = None) -> Answer:
    """Each service of a month against its objective.

    frame: KEYS, a row a service; target and levels are shares, null where
        nothing is known or nothing was promised.
    extra: `service` (names, status and the counts behind the figures),
        `burn_down`, `burn` (alert pairs now and at their worst), `incident`,
        `maintenance` (both of the month, with their minutes inside it).
    """
    log = service_log(facts, service_tables(facts), month)
    elapsed, whole = log.elapsed(), log.whole()
    levels = availability(elapsed, whole, log.targets)
    repairs = _repairs(log, elapsed)
    joined = levels.join(repairs, on="service", how="left").sort("service")
    return Answer(
        frame=joined.select(KEYS),
        formula=FORMULA,
        tables=TABLES,
        coverage_percent=_coverage(levels),
        data_through=log.now,
        notes=_notes(log, joined),
        extra={
            "service": _described(log, joined),
            "burn_down": burn_down(elapsed, whole, log.targets),
            "burn": _burn(log),
            "incident": _incidents(log),
            "maintenance": _maintenance(log),
        },
    )


@metric("sla-trend", listed=False)
def sla_trend(facts: Facts, month: str | None = None, months: int = 13) -> Answer:
    """The level and the budget left of each service, month by month up to `month`.

    frame: month "YYYY-MM", service, target, sli_excluding_maintenance,
        budget_left_percent; months before the log or the objective are absent.
    """
    tables = service_tables(facts)
    parts = []
    for name in _months_before(facts.month_name(month), months):
        try:
            log = service_log(facts, tables, name)
        except CannotAnswer:
            continue
        levels = availability(log.elapsed(), log.whole(), log.targets)
        known = levels.filter(pl.col("sli_excluding_maintenance").is_not_null())
        parts.append(
            known.select(
                pl.lit(name).alias("month"),
                "service",
                "target",
                "sli_excluding_maintenance",
                "budget_left_percent",
            )
        )
    if not parts:
        raise CannotAnswer(NOTHING_LOADED)
    return Answer(
        frame=pl.concat(parts).sort("month", "service"),
        formula=FORMULA,
        tables=TABLES,
        data_through=facts.now,
    )


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
        .when(pl.col("budget_left_percent") < 25)
        .then(pl.lit("at_risk"))
        .otherwise(pl.lit("met"))
    )
    about = log.services.select("service", "name", "name_zh", "kind", "cluster", "owner")
    return (
        about.join(joined.drop("units"), on="service")
        .join(log.services.select("service", "units"), on="service")
        .join(up, on="service")
        .with_columns(status=status, scheduler_up=pl.when(pl.col("units") > 1).then("scheduler_up"))
        .sort("service")
    )


def _burn(log: ServiceLog) -> pl.DataFrame:
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


def _incidents(log: ServiceLog) -> pl.DataFrame:
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


def _maintenance(log: ServiceLog) -> pl.DataFrame:
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


def _coverage(levels: pl.DataFrame) -> float | None:
    mean = levels["coverage_percent"].mean()
    return float(mean) if isinstance(mean, float) else None


def _notes(log: ServiceLog, joined: pl.DataFrame) -> tuple[str, ...]:
    least = joined["coverage_percent"].min()
    said = {
        NO_LOG: not log.has_log,
        PARTLY_KNOWN: log.has_log and isinstance(least, float) and least < 100,
        RUNNING_MONTH: log.now < log.month_end,
        OPEN_INCIDENTS: bool(joined["open_incidents"].sum()),
        WEIGHED: bool((log.services["units"] > 1).any()),
        NO_OBJECTIVE: bool(log.services["may_fail"].is_null().any()),
    }
    return tuple(note for note, applies in said.items() if applies)


def _months_before(last: str, count: int) -> list[str]:
    year, number = (int(part) for part in last.split("-"))
    found = []
    for back in range(count - 1, -1, -1):
        months = year * 12 + number - 1 - back
        found.append(f"{months // 12:04d}-{months % 12 + 1:02d}")
    return found
