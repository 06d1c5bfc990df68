"""Rows of the Milestones page's Gantt and tables, from the figures it asks for."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

import polars as pl

from ui.charts.gantt import GanttRow
from ui.format import day, day_short, days, missing, number, percent, signed
from ui.i18n import t
from ui.milestones_view import ALL

LEVELS = ("1", "2", "3", ALL)
MOST_ROWS = 90
"""Lines of a chart that can still be read."""

STATUS = {
    "done": "■ done",
    "overdue": "▲ overdue",
    "due": "● due",
    "later": "○ later",
    "undated": "○ no date",
}


def overview_rows(
    programs: pl.DataFrame, milestones: pl.DataFrame, names: dict[str, str], zone: ZoneInfo
) -> list[GanttRow]:
    """Each programme with its open milestones."""
    rows = []
    for program in programs.iter_rows(named=True):
        rows.append(
            GanttRow(
                label=names[program["program"]],
                level=0,
                kind="program",
                start=_local(program["start"], zone),
                finish=_local(program["finish"], zone),
                baseline_start=_local(program["start"], zone),
                baseline_finish=_local(program["baseline_finish"], zone),
                percent=program["percent"] or 0.0,
                hover=t(
                    "{name}: {percent} done, ends {day}",
                    name=names[program["program"]],
                    percent=percent(program["percent"], 0),
                    day=day(program["finish"], zone),
                ),
            )
        )
        own = milestones.filter(
            (pl.col("program") == program["program"]) & (pl.col("status") != "done")
        )
        for item in own.iter_rows(named=True):
            rows.append(_milestone_row(item, 1, zone))
    return rows


def plan_rows(
    rows: pl.DataFrame, milestones: pl.DataFrame, level: str, *, only_critical: bool, zone: ZoneInfo
) -> list[GanttRow]:
    """A plan's lines down to a WBS level; milestones and open critical tasks at any level.

    only_critical: open critical and late tasks only, with what they are part of.
    """
    known = {item["uid"]: item for item in milestones.iter_rows(named=True)}
    late = (pl.col("forecast_finish") > pl.col("baseline_finish")).fill_null(False)
    is_open = ~pl.col("is_summary") & (pl.col("percent_complete").fill_null(0) < 100)
    critical = pl.col("own_critical").fill_null(False)
    if only_critical:
        shown = rows.filter(is_open & (critical | late))
    elif level == ALL:
        shown = rows
    else:
        shallow = pl.col("outline_level").fill_null(1) <= int(level)
        shown = rows.filter(shallow | pl.col("uid").is_in(list(known)) | (is_open & critical))
    wanted = _with_parents(rows, shown["uid"])
    found = []
    for row in rows.filter(pl.col("uid").is_in(list(wanted))).iter_rows(named=True):
        indent = max((row["outline_level"] or 1) - 1, 0)
        item = known.get(row["uid"])
        found.append(
            _task_row(row, indent, zone) if item is None else _milestone_row(item, indent, zone)
        )
    return found


def _with_parents(rows: pl.DataFrame, uids: Iterable[str]) -> set[str]:
    parents = dict(rows.select("uid", "parent_uid").rows())
    wanted: set[str] = set()
    for uid in uids:
        above: str | None = uid
        while above is not None and above not in wanted:
            wanted.add(above)
            above = parents.get(above)
    return wanted


def _milestone_row(item: dict[str, Any], level: int, zone: ZoneInfo) -> GanttRow:
    slip = item["slip_days"] or 0
    when = day_short(item["finish"], zone)
    is_done = item["status"] == "done"
    note = when if slip <= 0 or is_done else f"{when} ({signed(days(slip), slip)})"
    return GanttRow(
        label=item["name"] or item["uid"],
        level=level,
        kind="milestone",
        start=None,
        finish=_local(item["finish"], zone),
        baseline_finish=_local(item["baseline_finish"], zone),
        percent=100.0 if is_done else 0.0,
        is_critical=bool(item["critical"]),
        is_late=slip > 0,
        note=note,
        hover=t(
            "{name}: {status}, {day}; promised {promised}",
            name=item["name"],
            status=t(STATUS[item["status"]]),
            day=day(item["finish"], zone),
            promised=day(item["baseline_finish"], zone),
        ),
    )


def _task_row(row: dict[str, Any], level: int, zone: ZoneInfo) -> GanttRow:
    finish = row["forecast_finish"] or row["finish"]
    return GanttRow(
        label=f"{row['wbs']} {row['name']}" if row["wbs"] else row["name"] or row["uid"],
        level=level,
        kind="summary" if row["is_summary"] else "task",
        start=_local(row["forecast_start"] or row["start"], zone),
        finish=_local(finish, zone),
        baseline_start=_local(row["baseline_start"], zone),
        baseline_finish=_local(row["baseline_finish"], zone),
        percent=row["rolled_up_percent"] or 0.0,
        is_critical=bool(row["own_critical"]),
        hover=t(
            "{name}: {start} to {finish}, {percent} done, {slack} of slack",
            name=row["name"],
            start=day(row["forecast_start"] or row["start"], zone),
            finish=day(finish, zone),
            percent=percent(row["rolled_up_percent"], 0),
            slack=missing()
            if row["own_slack_s"] is None
            else t("{n} working h", n=number(row["own_slack_s"] / 3600)),
        ),
    )


def _local(at: datetime | None, zone: ZoneInfo) -> datetime | None:
    return None if at is None else at.astimezone(zone).replace(tzinfo=None)


def due_rows(items: Iterable[pl.DataFrame], names: dict[str, str], zone: ZoneInfo) -> pl.DataFrame:
    """Overdue and due items, soonest first."""
    every = pl.concat(list(items))
    due = every.filter(pl.col("status").is_in(["overdue", "due"])).sort("finish")
    return _shown(due, names, zone)


def slipped_rows(
    items: Iterable[pl.DataFrame], names: dict[str, str], zone: ZoneInfo
) -> pl.DataFrame:
    """Open items behind their baseline, the latest first."""
    every = pl.concat(list(items))
    late = every.filter((pl.col("status") != "done") & (pl.col("slip_days") > 0))
    return _shown(late.sort("slip_days", "finish", descending=[True, False]), names, zone)


def _shown(items: pl.DataFrame, names: dict[str, str], zone: ZoneInfo) -> pl.DataFrame:
    return items.with_columns(
        pl.col("program").replace(names),
        pl.col("status").replace({key: t(word) for key, word in STATUS.items()}),
        pl.col("owner").fill_null("–"),
        *_local_days(items, ("finish", "baseline_finish", "deadline"), zone),
        name=pl.concat_str(
            pl.when(pl.col("critical")).then(pl.lit("▲ ")).otherwise(pl.lit("")), pl.col("name")
        ),
        slack_days=pl.col("total_slack_hours") / 8,
    )


def blocker_rows(blockers: pl.DataFrame, names: dict[str, str]) -> pl.DataFrame:
    """What stops open work; critical tasks marked."""
    return blockers.with_columns(
        pl.col("program").replace(names).fill_null(pl.col("project")),
        pl.col("owner", "blocker_status").fill_null("–"),
        name=pl.concat_str(
            pl.when("critical").then(pl.lit("▲ ")).otherwise(pl.lit("")), pl.col("name")
        ),
    )


def path_rows(path: pl.DataFrame, zone: ZoneInfo) -> pl.DataFrame:
    """The steps with their days."""
    return path.with_columns(_local_days(path, ("start", "finish"), zone))


def tree_rows(rows: pl.DataFrame, zone: ZoneInfo) -> pl.DataFrame:
    """The plan as a tree: names indented, our dates beside the stored ones."""
    indent = (pl.col("outline_level").fill_null(1) - 1).clip(0)
    mark = (
        pl.when("is_summary")
        .then(pl.lit("▾ "))
        .when("is_milestone")
        .then(pl.lit("◆ "))
        .otherwise(pl.lit(""))
    )
    dates = ("own_start", "own_finish", "forecast_finish", "start", "finish", "baseline_finish")
    differs = (pl.col("own_finish") - pl.col("finish")).dt.total_seconds() / 86_400
    return rows.with_columns(
        *_local_days(rows, dates, zone),
        name=pl.concat_str(
            pl.lit("\u2003").repeat_by(indent).list.join(""), mark, pl.col("name").fill_null("")
        ),
        slack_days=pl.col("own_slack_s") / 28_800,
        critical=pl.when("own_critical").then(pl.lit("▲")).otherwise(pl.lit("")),
        differs_days=differs.round(1),
    )


def _local_days(frame: pl.DataFrame, columns: Iterable[str], zone: ZoneInfo) -> list[pl.Expr]:
    return [
        pl.col(name).dt.convert_time_zone(zone.key).dt.date().alias(name)
        for name in columns
        if name in frame.columns
    ]
