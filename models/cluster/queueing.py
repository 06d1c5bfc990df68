"""How long jobs wait, and how much of what is free is too scattered to use.

Source: METRICS.md, section 2.
"""

from collections.abc import Sequence
from datetime import datetime

import polars as pl


def waits(runs: pl.DataFrame, now: datetime) -> pl.DataFrame:
    """Runs with wait_s, submit_wait_s and is_pending.

    wait_s = start - eligible; submit_wait_s = start - submit, apart, since a
    hold or a dependency is the user's own time. A run that has not started
    waits until `now`: dropping it understates the mean. One that never started
    and is over (cancelled in the queue) waited until its end, where known.
    Runs without an eligible time fall back on submit; without both they are absent.
    """
    began = pl.coalesce("start", pl.when(pl.col("outcome") != "pending").then("until"))
    until = pl.when(pl.col("outcome") == "pending").then(pl.lit(now)).otherwise(began)
    eligible = pl.coalesce("eligible", "submit")
    return (
        runs.with_columns(
            wait_s=(until - eligible).dt.total_microseconds() / 1e6,
            submit_wait_s=(until - pl.col("submit")).dt.total_microseconds() / 1e6,
            is_pending=pl.col("outcome") == "pending",
        )
        .filter(pl.col("wait_s").is_not_null())
        .with_columns(pl.col("wait_s", "submit_wait_s").clip(lower_bound=0))
    )


def wait_summary(waited: pl.DataFrame, *keys: str) -> pl.DataFrame:
    """Waits by the keys: runs, pending, mean_s, p50_s, p95_s, max_s, submit_mean_s.

    Percentiles interpolate linearly between the two nearest runs.
    """
    wait = pl.col("wait_s")
    return (
        waited.group_by(*keys)
        .agg(
            runs=pl.len().cast(pl.Int64),
            pending=pl.col("is_pending").sum().cast(pl.Int64),
            mean_s=wait.mean(),
            p50_s=wait.quantile(0.5, interpolation="linear"),
            p95_s=wait.quantile(0.95, interpolation="linear"),
            max_s=wait.max(),
            submit_mean_s=pl.col("submit_wait_s").mean(),
        )
        .sort(*keys)
    )


def fragmentation(free: Sequence[int], size: int) -> float | None:
    """Share of the free GPUs that no job of `size` GPUs on one node can use.

    1 - size x sum(floor(free_i / size)) / sum(free_i); None when nothing is free.
    """
    total = sum(free)
    if total == 0:
        return None
    return 1 - size * sum(count // size for count in free) / total
