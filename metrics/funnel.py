"""Where the GPU-hours went, and the money in them."""

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import polars as pl

from metrics.answer import Answer, metric
from metrics.facts import Facts
from metrics.gpu_hours import (
    NO_COST,
    Period,
    cluster_costs,
    held_runs,
    ledger_notes,
    owned,
    period,
    priced,
    selected,
)
from metrics.mfu import run_details, weighted
from models.cluster import ledger
from models.cluster.funnel import LEVELS, LOSSES, Funnel, Measured, funnel, together
from models.reference import newest
from models.table import MONEY

FORMULA = (
    "Owned = inventory x hours; available = owned - down - planned; allocated = GPU-hours held by "
    "jobs; active, SM active, tensor active = hours x DCGM fields 1001, 1002, 1004; model FLOPs = "
    "MFU x accelerator-hours of training runs. Each level lies inside the one above; losses and "
    "what is left sum to owned. Money = cluster cost x hours / owned hours"
)
TENANT_TOP = (
    "A tenant owns no cluster: its hours start at allocated. Activity is counted only on nodes "
    "that one tenant held alone in the hour."
)
EXCESS = "Some level was measured above the one that holds it; the excess is left out."
NOT_MEASURED = "No accelerator metrics cover this period: activity is not measured."
NO_INVENTORY = "No cluster in service is listed: owned and available are not known."
MEASURES = (
    "measured",
    "active",
    "active_with_sm",
    "sm_active",
    "active_with_tensor",
    "tensor_active",
)
TABLES = (
    "cluster",
    "job",
    "gpu_hour",
    "training_run",
    "incident",
    "maintenance_window",
    "cost_line",
)


@metric("funnel", listed=False)
def utilisation_funnel(
    facts: Facts,
    month: str | None = None,
    cluster: str | None = None,
    tenant: str | None = None,
) -> Answer:
    """The funnel of a month: all clusters or one, all tenants or one.

    Frame: level, gpu_hours, percent (of the top), cost, coverage_percent; hours
    null where not measured. extra: losses (loss, gpu_hours, percent, cost; with
    the row `remainder` they sum to the top), clusters (a row a cluster:
    gpu_hours by level, gpus, cost), summary (one row: owned, available, allocated,
    active, allocated_percent, active_percent, unused (not allocated or held but
    idle), unused_percent of owned, unused_cost, cost, currency).
    """
    within = period(facts, month)
    parts = measured_by_cluster(facts, within, tenant)
    if cluster is not None:
        parts = {name: part for name, part in parts.items() if name == cluster}
    costs, currency, notes = cluster_costs(facts, month)
    owned_hours = dict(owned(facts, within).select("cluster", "gpu_hours").rows())
    funnels = {name: funnel(part) for name, part in parts.items()}
    total = together(funnels.values())
    unit = {name: (owned_hours.get(name), costs.get(name)) for name in funnels}
    notes += _notes(facts, within, total, parts, tenant)
    if any(cost is None for _, cost in unit.values()):
        notes.append(NO_COST)
    return Answer(
        frame=_levels(total, funnels, unit),
        formula=FORMULA,
        tables=TABLES,
        coverage_percent=100 * total.coverage["active"] if funnels else None,
        data_through=facts.data_through("job", "gpu_hour"),
        notes=tuple(notes),
        extra={
            "losses": _losses(total, funnels, unit),
            "clusters": _clusters(facts, within, funnels, unit),
            "summary": _summary(total, funnels, unit, currency),
        },
    )


def measured_by_cluster(
    facts: Facts, within: Period, tenant: str | None = None
) -> dict[str, Measured]:
    """What is known of each cluster in the period, or of one tenant on it."""
    held = ledger.gpu_hours_by(selected(held_runs(facts, within), None, tenant), "cluster")
    allocated = dict(held.select("cluster", "gpu_hours").rows())
    busy = _busy(facts, within, tenant)
    models = _model_flops(facts, within, tenant)
    inventory = {name: (gpus, hours) for name, gpus, hours in owned(facts, within).rows()}
    lost = _lost(facts, within, {name: hours for name, (_, hours) in inventory.items()})
    names = sorted({*allocated, *busy} if tenant else {*allocated, *busy, *inventory})
    parts = {}
    for name in names:
        down, planned = lost.get(name, (0.0, 0.0))
        known = name in inventory and tenant is None
        run_hours, model_flops = models.get(name, (0.0, 0.0))
        parts[name] = Measured(
            owned=inventory[name][1] if known else None,
            down=down if known else None,
            planned_down=planned if known else None,
            allocated=allocated.get(name, 0.0),
            run_hours=run_hours,
            model_flops=model_flops,
            **busy.get(name, {}),
        )
    return parts


def _busy(facts: Facts, within: Period, tenant: str | None) -> dict[str, dict[str, float]]:
    """Measured sums by cluster, of one tenant where given."""
    frame = facts.query("measured_between", from_=within.start, to_=within.end)
    frame = selected(frame, None, tenant)
    sums = frame.group_by("cluster").agg(pl.col(*MEASURES).sum())
    return {
        row["cluster"]: {name: float(row[name] or 0.0) for name in MEASURES}
        for row in sums.iter_rows(named=True)
    }


def _model_flops(
    facts: Facts, within: Period, tenant: str | None
) -> dict[str, tuple[float, float]]:
    """Accelerator-hours with an MFU, and MFU x those hours, by cluster."""
    detail = selected(run_details(facts, within.name), None, tenant)
    found = {}
    for (name,), runs in detail.filter(pl.col("cluster").is_not_null()).group_by("cluster"):
        for row in weighted(runs).iter_rows(named=True):
            found[str(name)] = (row["run_hours"], row["model_flops"])
    return found


def _lost(
    facts: Facts, within: Period, owned_hours: dict[str, float]
) -> dict[str, tuple[float, float]]:
    """GPU-hours down and planned down, by cluster.

    An incident takes the GPUs it names; without a number, those of its training
    service. An outage of another service (an API, the scheduler) leaves the
    accelerators themselves up and takes none.
    """
    hours = (within.end - within.start).total_seconds() / 3600
    services = {
        row["service"]: row for row in newest(facts.table("slo"), "slo").iter_rows(named=True)
    }
    windows: dict[str, list[dict[str, object]]] = {}
    for table, planned in (("incident", False), ("maintenance_window", True)):
        for row in facts.table(table).iter_rows(named=True):
            service = services.get(row["service"], {})
            name = row["cluster"] or service.get("cluster")
            gpus = row["gpus"]
            whole = service.get("kind") == "training" or row["service"] is None
            if name is None or row.get("effect", "down") != "down" or (gpus is None and not whole):
                continue
            windows.setdefault(name, []).append(
                {
                    "start": row["start"],
                    "end": row["end"],
                    "gpus": float(gpus) if gpus is not None else service.get("gpus"),
                    "is_planned": planned,
                }
            )
    schema: dict[str, Any] = {
        "start": pl.Datetime("us", "UTC"),
        "end": pl.Datetime("us", "UTC"),
        "gpus": pl.Float64,
        "is_planned": pl.Boolean,
    }
    return {
        name: ledger.down_gpu_hours(
            pl.DataFrame(windows[name], schema=schema, orient="row"),
            owned_hours[name] / hours,
            within.start,
            within.end,
        )
        for name in sorted(windows.keys() & owned_hours.keys())
    }


Unit = dict[str, tuple[float | None, Decimal | None]]
"""Owned GPU-hours and cost by cluster: what an hour there is worth."""


def _money(
    funnels: dict[str, Funnel], unit: Unit, hours: Sequence[tuple[str, float | None]]
) -> Decimal | None:
    """The cost of hours on several clusters; None as soon as one of them is unknown."""
    total = Decimal(0)
    for name, amount in hours:
        if amount is None:
            continue
        cost = priced(amount, *unit[name])
        if cost is None:
            return None
        total += cost
    return total if funnels else None


def _levels(total: Funnel, funnels: dict[str, Funnel], unit: Unit) -> pl.DataFrame:
    rows = []
    for level in LEVELS:
        hours = total.levels[level] if funnels else None
        money = _money(funnels, unit, [(n, f.levels[level]) for n, f in funnels.items()])
        rows.append(
            {
                "level": level,
                "gpu_hours": hours,
                "percent": 100 * hours / total.top if hours is not None and total.top else None,
                "cost": money if hours is not None else None,
                "coverage_percent": 100 * total.coverage[level]
                if level in total.coverage and hours is not None
                else None,
            }
        )
    schema: dict[str, Any] = {
        "level": pl.String,
        "gpu_hours": pl.Float64,
        "percent": pl.Float64,
        "cost": MONEY,
        "coverage_percent": pl.Float64,
    }
    return pl.DataFrame(rows, schema=schema, orient="row")


def _losses(total: Funnel, funnels: dict[str, Funnel], unit: Unit) -> pl.DataFrame:
    """Losses in their order, and the remainder, which together are the top."""
    depth = max(
        (place for place, level in enumerate(LEVELS) if total.levels[level] is not None), default=0
    )
    rows = []
    for loss in (*LOSSES, "remainder"):
        by_cluster = []
        for name, one in funnels.items():
            hours = one.losses.get(loss, 0.0)
            reaches = one.levels[LEVELS[depth]] is not None
            if loss == "remainder":
                hours = one.remainder if reaches else 0.0
            if loss == "not_measured" and not reaches:
                hours += one.remainder
            by_cluster.append((name, hours))
        summed = sum(hours for _, hours in by_cluster)
        if loss not in total.losses and loss != "remainder":
            continue
        rows.append(
            {
                "loss": loss,
                "gpu_hours": summed,
                "percent": 100 * summed / total.top if total.top else None,
                "cost": _money(funnels, unit, by_cluster),
            }
        )
    schema: dict[str, Any] = {
        "loss": pl.String,
        "gpu_hours": pl.Float64,
        "percent": pl.Float64,
        "cost": MONEY,
    }
    return pl.DataFrame(rows if funnels else [], schema=schema, orient="row")


def _clusters(facts: Facts, within: Period, funnels: dict[str, Funnel], unit: Unit) -> pl.DataFrame:
    standing = dict(owned(facts, within).select("cluster", "gpus").rows())
    schema: dict[str, Any] = {
        "cluster": pl.String,
        "gpus": pl.Int64,
        **dict.fromkeys(LEVELS, pl.Float64),
        "allocated_percent": pl.Float64,
        "active_percent": pl.Float64,
        "cost": MONEY,
    }
    rows = []
    for name, one in funnels.items():
        levels = one.levels
        rows.append(
            {
                "cluster": name,
                "gpus": standing.get(name),
                **levels,
                "allocated_percent": _percent(levels["allocated"], levels["available"]),
                "active_percent": _percent(levels["active"], levels["available"]),
                "cost": priced(one.top, *unit[name]),
            }
        )
    return pl.DataFrame(rows, schema=schema, orient="row")


def _summary(total: Funnel, funnels: dict[str, Funnel], unit: Unit, currency: str) -> pl.DataFrame:
    levels = total.levels
    unused = _losses(total, funnels, unit).filter(pl.col("loss").is_in(["idle", "held_idle"]))
    known = bool(funnels) and unused["cost"].null_count() == 0
    tells = levels["owned"] is not None or levels["active"] is not None
    row = {
        "owned": levels["owned"],
        "available": levels["available"],
        "allocated": levels["allocated"],
        "active": levels["active"],
        "allocated_percent": _percent(levels["allocated"], levels["available"]),
        "active_percent": _percent(levels["active"], levels["available"] or levels["allocated"]),
        "unused": unused["gpu_hours"].sum() if tells else None,
        "unused_percent": unused["percent"].sum() if tells else None,
        "unused_cost": unused["cost"].sum() if known and tells else None,
        "cost": _money(funnels, unit, [(n, f.top) for n, f in funnels.items()]),
        "currency": currency,
    }
    floats = dict.fromkeys(list(row)[:8], pl.Float64)
    schema: dict[str, Any] = {**floats, "unused_cost": MONEY, "cost": MONEY, "currency": pl.String}
    return pl.DataFrame([row] if funnels else [], schema=schema, orient="row")


def _percent(part: float | None, whole: float | None) -> float | None:
    return 100 * part / whole if part is not None and whole else None


def _notes(
    facts: Facts,
    within: Period,
    total: Funnel,
    parts: dict[str, Measured],
    tenant: str | None,
) -> list[str]:
    used = ledger.gpu_hours_by(
        selected(held_runs(facts, within), None, tenant), "cluster", "tenant"
    )
    owned_hours = {name: part.owned or 0.0 for name, part in parts.items()}
    notes = ledger_notes(facts, within, used, owned_hours)
    if tenant:
        notes.append(TENANT_TOP)
    elif parts and total.levels["owned"] is None:
        notes.append(NO_INVENTORY)
    if parts and total.levels["active"] is None:
        notes.append(NOT_MEASURED)
    if total.excess:
        notes.append(EXCESS)
    return notes
