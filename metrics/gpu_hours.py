"""Who used how many GPU-hours, and what share of the clusters' cost that is."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal

import polars as pl

from metrics.answer import Answer, metric
from metrics.cluster_cost import cluster_month_cost
from metrics.facts import Facts
from models.cluster import ledger
from models.reference import newest
from models.table import MONEY

FORMULA = (
    "GPU-hours of a job = sum over its runs of GPUs x elapsed time within the month; "
    "cost = the cluster's cost in the month x GPU-hours / owned GPU-hours"
)
NO_TENANT = (
    "Runs whose account or namespace belongs to no tenant are counted under unallocated; "
    "list it in the tenant table."
)
UNKNOWN_GPUS = "Some runs do not say how many GPUs they held and are left out."
UNKNOWN_START = "Some runs do not say when they started, belong to no month and are left out."
ENDS_EARLY = "Job records end before the month does; the hours after that look idle."
NO_CLUSTER = "Some jobs ran on a cluster that the cluster table does not list; it owns nothing."
NO_COST = "The cost of some clusters is not known: no metered rule takes their charges."
MIXED_COST = "A cluster whose cost comes in several currencies shows none."
LATE = timedelta(days=1)


@dataclass(frozen=True)
class Period:
    """A month as far as it has happened: [start, end), and its name."""

    name: str
    start: datetime
    end: datetime


def period(facts: Facts, month: str | None = None) -> Period:
    """The month's part before `now`; a month to come is empty."""
    start, end = facts.month(month)
    return Period(facts.month_name(month), start, max(start, min(end, facts.now)))


def held_runs(facts: Facts, within: Period) -> pl.DataFrame:
    """Runs that held GPUs in the period, with their gpu_hours of it."""
    runs = facts.query("runs_between", from_=within.start, to_=within.end)
    return ledger.clipped_runs(runs, within.start, within.end)


def gpu_hours_by_tenant(facts: Facts, month: str | None = None) -> pl.DataFrame:
    """cluster, tenant, jobs, gpu_hours; a tenant without any is absent."""
    return ledger.gpu_hours_by(held_runs(facts, period(facts, month)), "cluster", "tenant")


def owned_gpu_hours(facts: Facts, month: str | None = None) -> pl.DataFrame:
    """cluster, gpu_hours owned or contracted in the month so far; other clusters are absent."""
    return owned(facts, period(facts, month)).select("cluster", "gpu_hours")


def owned(facts: Facts, within: Period) -> pl.DataFrame:
    """cluster, gpus, gpu_hours owned in the period."""
    clusters = newest(facts.table("cluster"), "cluster")
    return ledger.owned_gpu_hours(clusters, within.start, within.end, facts.zone)


def cluster_costs(facts: Facts, month: str | None) -> tuple[dict[str, Decimal], str, list[str]]:
    """Cost by cluster where known in one currency, that currency, and notes."""
    frame = cluster_month_cost(facts, month)
    currencies = frame["currency"].unique().to_list()
    currency = currencies[0] if len(currencies) == 1 else facts.currency
    shown = frame.filter(pl.col("currency") == currency)
    costs = {cluster: cost for cluster, _, cost in shown.rows()}
    return costs, currency, [MIXED_COST] if len(currencies) > 1 else []


def priced(hours: float, owned_hours: float | None, cost: Decimal | None) -> Decimal | None:
    """The share of a cluster's cost that the hours are of what it owns; None if unknown."""
    if cost is None or not owned_hours:
        return None
    return cost * Decimal(repr(hours)) / Decimal(repr(owned_hours))


@metric("gpu-hours")
def gpu_hours(facts: Facts, month: str | None = None) -> Answer:
    """GPU-hours and their cost by cluster and tenant in a month."""
    within = period(facts, month)
    used = gpu_hours_by_tenant(facts, month)
    owned_hours = dict(owned(facts, within).select("cluster", "gpu_hours").rows())
    costs, _, notes = cluster_costs(facts, month)
    used = used.with_columns(
        pl.Series(
            "cost",
            [
                priced(hours, owned_hours.get(cluster), costs.get(cluster))
                for cluster, hours in used.select("cluster", "gpu_hours").rows()
            ],
            dtype=MONEY,
        )
    )
    notes += ledger_notes(facts, within, used, owned_hours)
    if used["cost"].null_count():
        notes.append(NO_COST)
    return Answer(
        frame=used,
        formula=FORMULA,
        tables=("job", "tenant", "cluster", "allocation_rule", "cost_line"),
        coverage_percent=_coverage(facts, within, used),
        data_through=facts.data_through("job"),
        notes=tuple(notes),
    )


def ledger_notes(
    facts: Facts, within: Period, used: pl.DataFrame, owned_hours: dict[str, float]
) -> list[str]:
    """What a reader of GPU-hours must know about what is missing in them."""
    notes = []
    unplaced = facts.query("runs_unplaced", to_=within.end)
    if unplaced["without_gpus"].sum():
        notes.append(UNKNOWN_GPUS)
    if unplaced["without_start"].sum():
        notes.append(UNKNOWN_START)
    through = facts.data_through("job")
    if through and through < within.end - LATE:
        notes.append(ENDS_EARLY)
    if "unallocated" in used["tenant"].to_list():
        notes.append(NO_TENANT)
    if set(used["cluster"].to_list()) - set(owned_hours):
        notes.append(NO_CLUSTER)
    return notes


def _coverage(facts: Facts, within: Period, used: pl.DataFrame) -> float | None:
    """Share of the hours in question that could be placed."""
    if used.is_empty():
        return None
    lost = facts.query("runs_unplaced", to_=within.end)["hours_without_start"].sum()
    known = float(used["gpu_hours"].sum())
    return 100 * known / (known + float(lost)) if known else None


@metric("job-outcomes", listed=False)
def job_outcomes(
    facts: Facts,
    month: str | None = None,
    cluster: str | None = None,
    tenant: str | None = None,
) -> Answer:
    """How runs ended in a month, by count and by GPU-hours."""
    within = period(facts, month)
    runs = selected(held_runs(facts, within), cluster, tenant)
    return Answer(
        frame=ledger.outcomes(runs),
        formula="Runs that held GPUs in the month, by how they ended: share of runs and share of "
        "their GPU-hours within the month",
        tables=("job",),
        data_through=facts.data_through("job"),
    )


def selected(frame: pl.DataFrame, cluster: str | None, tenant: str | None) -> pl.DataFrame:
    """The rows of a cluster, of a tenant, or all."""
    if cluster is not None:
        frame = frame.filter(pl.col("cluster") == cluster)
    if tenant is not None:
        frame = frame.filter(pl.col("tenant") == tenant)
    return frame
