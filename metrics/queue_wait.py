"""How long jobs waited for GPUs."""

import polars as pl

from metrics.answer import Answer, metric
from metrics.facts import Facts
from metrics.gpu_hours import period, selected
from models.cluster.queueing import wait_summary, waits


@metric("queue-wait", listed=False)
def queue_wait(
    facts: Facts,
    month: str | None = None,
    cluster: str | None = None,
    tenant: str | None = None,
) -> Answer:
    """Waits of the runs that started in a month, and of those still pending.

    Frame: cluster, runs, pending, mean_s, p50_s, p95_s, max_s, submit_mean_s;
    extra: total (one row over all clusters), by_tenant, by_day.
    """
    within = period(facts, month)
    runs = facts.query("runs_waiting", from_=within.start, to_=within.end)
    waited = selected(waits(runs, within.end), cluster, tenant)
    everything = waited.with_columns(all=pl.lit("all"))
    started = pl.coalesce("start", pl.lit(within.end)).dt.convert_time_zone(str(facts.zone))
    by_day = waited.with_columns(day=started.dt.date())
    return Answer(
        frame=wait_summary(waited, "cluster"),
        formula="Wait = start - eligible, per run; pending runs count to now; percentiles "
        "interpolate linearly. From submission instead: shown apart",
        tables=("job",),
        data_through=facts.data_through("job"),
        extra={
            "total": wait_summary(everything, "all").drop("all"),
            "by_tenant": wait_summary(waited, "tenant"),
            "by_day": wait_summary(by_day, "day"),
        },
    )
