"""A plan's rows with our dates beside the stored ones, as frames."""

from collections.abc import Iterable, Mapping
from typing import Any
from zoneinfo import ZoneInfo

import polars as pl

from models.program.network import Network
from models.program.progress import rolled_up_percent
from models.program.schedule import Dates, Schedule

OURS: dict[str, Any] = {
    "own_start": pl.Int64,
    "own_finish": pl.Int64,
    "own_early_start": pl.Int64,
    "own_early_finish": pl.Int64,
    "own_late_start": pl.Int64,
    "own_late_finish": pl.Int64,
    "own_slack_s": pl.Int64,
    "own_critical": pl.Boolean,
    "driver_uid": pl.String,
}
_MOMENTS = tuple(name for name in OURS if name.endswith(("start", "finish")))


def with_own_dates(
    tasks: pl.DataFrame, network: Network, schedule: Schedule, zone: ZoneInfo
) -> pl.DataFrame:
    """Task rows in file order with own_* dates (instants), slack and percent.

    A summary spans its leaves: earliest start, latest finish, least slack,
    critical if any leaf is; its rolled_up_percent follows METRICS section 5. An
    inactive row, or a member of a loop, has no dates of ours.
    """
    tasks = tasks.sort("position")
    below = leaves_below(tasks)
    left_out = network.pinned | {uid for loop in network.loops for uid in loop}
    dates = {uid: own for uid, own in schedule.dates.items() if uid not in left_out}
    rows = []
    for uid in tasks["uid"]:
        leaves = [dates[leaf] for leaf in below.get(uid, [uid]) if leaf in dates]
        rows.append({"uid": uid, **(_span(leaves) if leaves else dict.fromkeys(OURS))})
    ours = pl.DataFrame(rows, schema={"uid": pl.String, **OURS})
    percents = _percents(tasks, below)
    return (
        tasks.join(ours, on="uid", how="left", validate="1:1", maintain_order="left")
        .with_columns(_instants(zone))
        .with_columns(pl.Series("rolled_up_percent", percents, dtype=pl.Float64))
    )


def leaves_below(tasks: pl.DataFrame) -> dict[str, list[str]]:
    """The leaves under each summary, in file order."""
    parents = dict(tasks.select("uid", "parent_uid").rows())
    is_leaf = dict(tasks.select("uid", ~pl.col("is_summary")).rows())
    below: dict[str, list[str]] = {uid: [] for uid, leaf in is_leaf.items() if not leaf}
    for uid, leaf in is_leaf.items():
        parent = parents[uid]
        while leaf and parent is not None and parent in below and uid not in below[parent]:
            below[parent].append(uid)
            parent = parents[parent]
    return below


def driving_chain(rows: pl.DataFrame, uid: str) -> list[str]:
    """The activities that set when this one is, first to last: why it is on that day."""
    drivers = dict(rows.select("uid", "driver_uid").rows())
    chain = [uid]
    while (before := drivers.get(chain[-1])) is not None and before not in chain:
        chain.append(before)
    return chain[::-1]


def _span(leaves: list[Dates]) -> dict[str, Any]:
    return {
        "own_start": min(one.start for one in leaves),
        "own_finish": max(one.finish for one in leaves),
        "own_early_start": min(one.early_start for one in leaves),
        "own_early_finish": max(one.early_finish for one in leaves),
        "own_late_start": min(one.late_start for one in leaves),
        "own_late_finish": max(one.late_finish for one in leaves),
        "own_slack_s": min(one.total_slack for one in leaves),
        "own_critical": any(one.is_critical for one in leaves),
        "driver_uid": leaves[0].driver if len(leaves) == 1 else None,
    }


def _instants(zone: ZoneInfo) -> Iterable[pl.Expr]:
    return (
        pl.from_epoch(name, "s")
        .cast(pl.Datetime("us"))
        .dt.replace_time_zone(zone.key, ambiguous="earliest", non_existent="null")
        .dt.convert_time_zone("UTC")
        .alias(name)
        for name in _MOMENTS
    )


def _percents(tasks: pl.DataFrame, below: Mapping[str, list[str]]) -> list[float | None]:
    active = tasks.filter(pl.col("is_active"))
    by_uid = {uid: place for place, uid in enumerate(active["uid"])}
    found: list[float | None] = []
    for uid, own in tasks.select("uid", "percent_complete").rows():
        if uid not in below:
            found.append(own)
            continue
        places = [by_uid[leaf] for leaf in below[uid] if leaf in by_uid]
        found.append(rolled_up_percent(active[places]))
    return found
