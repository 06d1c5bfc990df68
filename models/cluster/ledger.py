"""The GPU-hour ledger: what jobs held, what clusters own, how runs ended.

GPU-hours of a job = sum over its runs of GPUs x elapsed, clipped to the period
[from, to). Every requeued run counts. Source: METRICS.md, section 2.
"""

from datetime import date, datetime, time, timedelta
from zoneinfo import ZoneInfo

import polars as pl

HOUR_US = 3_600_000_000
UTC = ZoneInfo("UTC")


def clipped_runs(runs: pl.DataFrame, start: datetime, end: datetime) -> pl.DataFrame:
    """The runs that held GPUs within [start, end), with gpu_hours of that part.

    gpu_hours = gpus x charged_share x time within the period

    runs: rows of job_run; charged_share (1 unless the job was suspended)
        spreads the elapsed time evenly from start to until.
    A run without known GPUs or start is absent: its hours cannot be placed.
    """
    begin = pl.max_horizontal("start", pl.lit(start))
    until = pl.min_horizontal("until", pl.lit(end))
    held = (until - begin).dt.total_microseconds() / HOUR_US
    return runs.filter(
        (pl.col("gpus") > 0) & (pl.col("until") > start) & (pl.col("start") < end)
    ).with_columns(gpu_hours=pl.col("gpus") * pl.col("charged_share") * held)


def gpu_hours_by(runs: pl.DataFrame, *keys: str) -> pl.DataFrame:
    """Jobs and GPU-hours by the keys: a row a group, sorted, jobs counted once.

    runs: clipped_runs; job_key names a job however many runs it had.
    """
    return (
        runs.group_by(*keys)
        .agg(
            jobs=pl.col("job_key").n_unique().cast(pl.Int64),
            gpu_hours=pl.col("gpu_hours").sum(),
        )
        .sort(*keys)
    )


def owned_gpu_hours(
    clusters: pl.DataFrame, start: datetime, end: datetime, zone: ZoneInfo
) -> pl.DataFrame:
    """Inventory x hours of each cluster within [start, end): cluster, gpus, gpu_hours.

    clusters: cluster, gpus, in_service_from and in_service_to (dates of `zone`,
        half-open; to null: still in service). Several rows of one cluster add
        up: an extension is a row of its own. gpus: at the end of the period.
    """
    rows = []
    for name, gpus, first, last in clusters.select(
        "cluster", "gpus", "in_service_from", "in_service_to"
    ).rows():
        begin = max(start, _midnight(first, zone))
        until = min(end, _midnight(last, zone)) if last else end
        hours = max(until - begin, timedelta(0)) / timedelta(hours=1)
        standing = gpus if hours > 0 and until == end else 0
        rows.append((name, standing, gpus * hours))
    frame = pl.DataFrame(
        rows,
        schema={"cluster": pl.String, "gpus": pl.Int64, "gpu_hours": pl.Float64},
        orient="row",
    )
    return frame.group_by("cluster").sum().filter(pl.col("gpu_hours") > 0).sort("cluster")


def down_gpu_hours(
    windows: pl.DataFrame, capacity: float, start: datetime, end: datetime
) -> tuple[float, float]:
    """GPU-hours lost to faults and to planned work within [start, end).

    windows: start, end (null: still open), gpus (null: all), is_planned.
    capacity: GPUs of the cluster; windows that overlap never add up to more.
    Where both overlap at the limit, the planned part gives way: a fault during
    maintenance is still a fault.
    """
    changes: list[tuple[datetime, bool, float]] = []
    for begin, until, gpus, is_planned in windows.select(
        "start", "end", "gpus", "is_planned"
    ).rows():
        first, last = max(begin, start), min(until or end, end)
        if last > first:
            taken = capacity if gpus is None else min(float(gpus), capacity)
            changes += [(first, is_planned, taken), (last, is_planned, -taken)]
    lost = {True: 0.0, False: 0.0}
    level = {True: 0.0, False: 0.0}
    previous = start
    for moment, is_planned, change in sorted(changes):
        hours = (moment - previous) / timedelta(hours=1)
        faults = min(level[False], capacity)
        lost[False] += faults * hours
        lost[True] += min(level[True], capacity - faults) * hours
        level[is_planned] += change
        previous = moment
    return lost[False], lost[True]


def outcomes(runs: pl.DataFrame) -> pl.DataFrame:
    """How runs ended, by count and by GPU-hours side by side.

    runs: clipped_runs. Gives outcome, runs, gpu_hours, share_of_runs and
    share_of_gpu_hours (0 to 1), most GPU-hours first. Cancelled jobs can be
    6 % of jobs and 61 % of GPU time, so one share without the other misleads.
    """
    grouped = runs.group_by("outcome").agg(
        runs=pl.len().cast(pl.Int64), gpu_hours=pl.col("gpu_hours").sum()
    )
    return grouped.with_columns(
        share_of_runs=pl.col("runs") / pl.col("runs").sum(),
        share_of_gpu_hours=pl.col("gpu_hours") / pl.col("gpu_hours").sum(),
    ).sort("gpu_hours", "outcome", descending=[True, False])


def _midnight(day: date, zone: ZoneInfo) -> datetime:
    return datetime.combine(day, time(), tzinfo=zone).astimezone(UTC)
