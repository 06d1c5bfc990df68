"""Is each service within its objective, what burned its budget, how fast was it repaired?"""

import polars as pl

from metrics.answer import Answer, CannotAnswer, metric
from metrics.facts import Facts
from metrics.service_log import NOTHING_LOADED, ServiceLog, service_log, service_tables
from metrics.sla_detail import burn, figures, incidents, maintenance, summary
from models.service.availability import burn_down

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

TREND = (
    "service",
    "name",
    "name_zh",
    "target",
    "sli_excluding_maintenance",
    "budget_left_percent",
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
        `summary` (one row), `burn_down`, `burn` (alert pairs now and at their
        worst), `incident`, `maintenance` (both of the month, with their
        minutes inside it).
    """
    log = service_log(facts, service_tables(facts), month)
    found = figures(log)
    return Answer(
        frame=found.select(KEYS),
        formula=FORMULA,
        tables=TABLES,
        coverage_percent=_coverage(found),
        data_through=log.now,
        notes=_notes(log, found),
        extra={
            "service": found,
            "summary": summary(log, found),
            "burn_down": burn_down(log.elapsed(), log.whole(), log.targets),
            "burn": burn(log),
            "incident": incidents(log),
            "maintenance": maintenance(log),
        },
    )


@metric("sla-trend", listed=False)
def sla_trend(facts: Facts, month: str | None = None, months: int = 13) -> Answer:
    """The level and the budget left of each service, month by month up to `month`.

    frame: month "YYYY-MM", service, name, name_zh, target,
        sli_excluding_maintenance, budget_left_percent; months before the log
        or the objective are absent.
    extra: `summary`, the same a row a month.
    """
    tables = service_tables(facts)
    levels, summaries = [], []
    for name in _months_before(facts.month_name(month), months):
        try:
            log = service_log(facts, tables, name)
        except CannotAnswer:
            continue
        found = figures(log)
        known = found.filter(pl.col("sli_excluding_maintenance").is_not_null())
        if known.is_empty():
            continue
        levels.append(known.select(pl.lit(name).alias("month"), *TREND))
        summaries.append(summary(log, found).insert_column(0, pl.Series("month", [name])))
    if not levels:
        raise CannotAnswer(NOTHING_LOADED)
    return Answer(
        frame=pl.concat(levels).sort("month", "service"),
        formula=FORMULA,
        tables=TABLES,
        data_through=tables.now,
        extra={"summary": pl.concat(summaries)},
    )


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
