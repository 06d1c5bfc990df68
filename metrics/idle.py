"""Accelerators that are paid for and do nothing: idle clusters, idle jobs."""

from datetime import timedelta
from decimal import Decimal
from typing import Any

import polars as pl

from metrics.answer import Answer, metric
from metrics.facts import Facts
from metrics.funnel import measured_by_cluster
from metrics.gpu_hours import NO_COST, Period, cluster_costs, owned, period, priced
from models.cluster.funnel import funnel
from models.table import MONEY

THRESHOLD = 0.01
"""Engine-active share below which an accelerator does nothing."""

WINDOW_H = 1
GRACE_H = 1
LOOK_BACK = timedelta(days=28)
IDLE_CLUSTER_PERCENT = 25.0
"""A cluster of which less than this is active (allocated, where activity is not
measured) over the look-back is a finding."""

FORMULA = (
    "A cluster: available GPU-hours of the last 28 days less those active (allocated where "
    "activity is not measured); a finding below 25 % use. A job: engine-active below 1 % on all "
    "its accelerators through the last hour, after its first hour; no telemetry is not idle. "
    "Money = hours x the cluster's cost of the month per owned GPU-hour"
)
NO_TELEMETRY = "Without accelerator metrics no running job can be called idle."

SCHEMA: dict[str, Any] = {
    "kind": pl.String,
    "cluster": pl.String,
    "job_id": pl.String,
    "job_name": pl.String,
    "tenant": pl.String,
    "owner": pl.String,
    "gpus": pl.Float64,
    "use_percent": pl.Float64,
    "is_measured": pl.Boolean,
    "gpu_hours": pl.Float64,
    "cost": MONEY,
    "currency": pl.String,
    "last_active": pl.Datetime("us", "UTC"),
}


@metric("idle-candidates", listed=False)
def idle_candidates(facts: Facts, cluster: str | None = None) -> Answer:
    """What could be given back: a row a cluster or running job, dearest first.

    use_percent: of the available hours (cluster) or the busiest accelerator's
    engine share in the window (job). cost null where the cluster's is unknown.
    """
    rate, currency = _rates(facts)
    rows = _clusters(facts) + _jobs(facts)
    for row in rows:
        row["cost"] = priced(row["gpu_hours"], *rate.get(row["cluster"], (None, None)))
        row["currency"] = currency
    frame = pl.DataFrame(rows, schema=SCHEMA, orient="row")
    if cluster is not None:
        frame = frame.filter(pl.col("cluster") == cluster)
    notes = [NO_COST] if frame["cost"].null_count() else []
    if facts.data_through("gpu_hour") is None:
        notes.append(NO_TELEMETRY)
    return Answer(
        frame=frame.sort("kind", "gpu_hours", descending=[False, True]),
        formula=FORMULA,
        tables=("cluster", "job", "gpu_hour", "cost_line"),
        data_through=facts.data_through("job", "gpu_hour"),
        notes=tuple(notes),
    )


def _rates(facts: Facts) -> tuple[dict[str, tuple[float | None, Decimal | None]], str]:
    costs, currency, _ = cluster_costs(facts, None)
    hours = dict(owned(facts, period(facts)).select("cluster", "gpu_hours").rows())
    return {name: (hours.get(name), costs.get(name)) for name in hours}, currency


def _clusters(facts: Facts) -> list[dict[str, Any]]:
    end = facts.now
    within = Period(facts.month_name(), end - LOOK_BACK, end)
    standing = dict(owned(facts, within).select("cluster", "gpus").rows())
    rows = []
    for name, part in measured_by_cluster(facts, within).items():
        one = funnel(part)
        available, active = one.levels["available"], one.levels["active"]
        if not available:
            continue
        used = active if active is not None else one.levels["allocated"] or 0.0
        unseen = one.losses.get("not_measured", 0.0) if active is not None else 0.0
        share = 100 * used / (available - unseen) if available > unseen else 100.0
        if share < IDLE_CLUSTER_PERCENT:
            rows.append(
                dict.fromkeys(SCHEMA)
                | {
                    "kind": "cluster",
                    "cluster": name,
                    "gpus": float(standing.get(name) or 0),
                    "use_percent": share,
                    "is_measured": active is not None,
                    "gpu_hours": available - unseen - used,
                }
            )
    return rows


def _jobs(facts: Facts) -> list[dict[str, Any]]:
    found = facts.query(
        "idle_jobs", now=facts.now, window_h=WINDOW_H, grace_h=GRACE_H, threshold=THRESHOLD
    )
    return [
        dict.fromkeys(SCHEMA)
        | {name: row[name] for name in SCHEMA if name in row}
        | {"kind": "job", "use_percent": 100 * row["busiest"], "is_measured": True}
        for row in found.iter_rows(named=True)
    ]
