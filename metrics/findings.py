"""What a review must not overlook: money and promises being lost, one row each."""

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import polars as pl

from metrics.answer import Answer, CannotAnswer, metric
from metrics.budget import spend_against_budget
from metrics.charges import reference
from metrics.commitment import commitment_use
from metrics.facts import Facts
from metrics.idle import LOOK_BACK, idle_candidates
from metrics.milestones import milestones
from metrics.sla import sla
from models.table import INSTANT, MONEY

SLIP_DAYS = 5
"""A milestone on the critical path that slips by more is a finding even if
nothing that costs money waits for it."""

FORMULA = (
    "Findings: clusters below 25 % use in the last 28 days; commitments unused for two months or "
    "more; milestones that slip while accelerators wait, or by more than 5 days on the critical "
    "path; tenants over the month's budget; services over their error budget. The gravest first, "
    "then by money."
)

RED, AMBER = "red", "amber"

FINDING: dict[str, Any] = {
    "kind": pl.String,
    "severity": pl.String,
    "subject": pl.String,
    "name": pl.String,
    "name_zh": pl.String,
    "about": pl.String,
    "about_zh": pl.String,
    "amount": MONEY,
    "currency": pl.String,
    "percent": pl.Float64,
    "days": pl.Int64,
    "count": pl.Float64,
    "minutes": pl.Float64,
    "at": INSTANT,
    "promised": INSTANT,
    "month": pl.String,
}
"""What each column says, by kind:

idle_cluster: percent in use, count of GPUs, amount lost in `days` days.
forgotten_commitment: about the provider, amount unused in the `count` months
    it lay idle, at its last use (null: never).
slipping_milestone: about the programme, days late, at the forecast, promised
    at the baseline, count of GPUs waiting and the amount they cost by then.
over_budget: percent of the month's budget used, amount above it.
slo_breached: percent of the error budget left, minutes down in the month.
"""


@metric("findings", listed=False)
def findings(facts: Facts) -> Answer:
    """Every finding of the state, the gravest first, then by money.

    frame: FINDING. A figure that cannot be given has no findings and a note.
    """
    rows: list[dict[str, Any]] = []
    notes: list[str] = []
    for find in (_idle_clusters, _forgotten, _slipping, _over_budget, _breached):
        rows += _found(facts, find, notes)
    frame = pl.DataFrame(rows, schema=FINDING, orient="row")
    return Answer(
        frame=frame.sort(
            pl.col("severity") != RED, -pl.col("amount").cast(pl.Float64), nulls_last=True
        ),
        formula=FORMULA,
        tables=("cluster", "job", "gpu_hour", "cost_line", "budget", "task", "slo", "incident"),
        data_through=facts.data_through(),
        notes=tuple(notes),
    )


def _found(
    facts: Facts, find: Callable[[Facts], list[dict[str, Any]]], notes: list[str]
) -> list[dict[str, Any]]:
    try:
        return [dict.fromkeys(FINDING) | row for row in find(facts)]
    except CannotAnswer as reason:
        notes.append(str(reason))
        return []


def _idle_clusters(facts: Facts) -> list[dict[str, Any]]:
    names = _names(facts, "cluster")
    # Of a cluster that no scheduler and no meter reports, idleness is not known.
    idle = idle_candidates(facts).frame.filter(
        (pl.col("kind") == "cluster") & (pl.col("is_measured") | (pl.col("use_percent") > 0))
    )
    return [
        {
            "kind": "idle_cluster",
            "severity": RED,
            "subject": row["cluster"],
            **names.get(row["cluster"], {"name": row["cluster"]}),
            "amount": row["cost"],
            "currency": row["currency"],
            "percent": row["use_percent"],
            "days": LOOK_BACK.days,
            "count": row["gpus"],
        }
        for row in idle.iter_rows(named=True)
    ]


def _forgotten(facts: Facts) -> list[dict[str, Any]]:
    use = commitment_use(facts)
    forgotten = use.frame.filter(pl.col("status") == "forgotten")
    return [
        {
            "kind": "forgotten_commitment",
            "severity": RED,
            "subject": row["commitment"],
            "name": row["name"] or row["commitment"],
            "about": row["provider"],
            "amount": _lost(use.extra["months"], row),
            "currency": row["currency"],
            "percent": row["used_percent"],
            "count": float(row["unused_months"]),
            "at": row["last_used"],
            "month": row["month"],
        }
        for row in forgotten.iter_rows(named=True)
    ]


def _lost(months: pl.DataFrame, row: dict[str, Any]) -> Decimal:
    """What lay unused in the months in a row up to this one."""
    own = months.filter(
        (pl.col("commitment") == row["commitment"]) & (pl.col("currency") == row["currency"])
    )
    return sum(own.sort("month")["unused"].tail(row["unused_months"]).drop_nulls(), Decimal(0))


def _slipping(facts: Facts) -> list[dict[str, Any]]:
    late = milestones(facts).frame.filter(
        (pl.col("status") != "done")
        & (
            ((pl.col("slip_days") > 0) & (pl.col("gpus_waiting") > 0))
            | ((pl.col("slip_days") > SLIP_DAYS) & pl.col("critical"))
        )
    )
    # Of a programme the milestone that costs most speaks for those that wait behind it.
    worst = late.sort(
        -pl.col("slip_cost").cast(pl.Float64).fill_null(0),
        -pl.col("gpus_waiting").fill_null(0),
        "finish",
    ).unique(subset=["program"], keep="first", maintain_order=True)
    return [
        {
            "kind": "slipping_milestone",
            "severity": RED if row["gpus_waiting"] else AMBER,
            "subject": f"{row['project']}/{row['uid']}",
            "name": row["name"],
            "about": row["program_name"],
            "about_zh": row["program_name_zh"],
            "amount": row["slip_cost"],
            "currency": row["currency"],
            "days": row["slip_days"],
            "count": row["gpus_waiting"],
            "at": row["finish"],
            "promised": row["baseline_finish"],
        }
        for row in worst.iter_rows(named=True)
    ]


def _over_budget(facts: Facts) -> list[dict[str, Any]]:
    names = _names(facts, "tenant")
    over = spend_against_budget(facts).frame.filter(pl.col("status") == "over")
    return [
        {
            "kind": "over_budget",
            "severity": RED,
            "subject": row["tenant"],
            **names.get(row["tenant"], {"name": row["tenant"]}),
            "amount": row["spend"] - row["budget"],
            "currency": row["currency"],
            "percent": row["used_percent"],
            "month": row["month"],
        }
        for row in over.iter_rows(named=True)
    ]


def _breached(facts: Facts) -> list[dict[str, Any]]:
    month = facts.month_name()
    services = sla(facts, month).extra["service"].filter(pl.col("status") == "breached")
    return [
        {
            "kind": "slo_breached",
            "severity": RED,
            "subject": row["service"],
            "name": row["name"],
            "name_zh": row["name_zh"],
            "percent": row["budget_left_percent"],
            "minutes": row["downtime_minutes"],
            "month": month,
        }
        for row in services.iter_rows(named=True)
    ]


def _names(facts: Facts, table: str) -> dict[str, dict[str, str | None]]:
    rows = reference(facts, table).select(table, "name", "name_zh").iter_rows()
    return {id: {"name": name, "name_zh": name_zh} for id, name, name_zh in rows}
