"""The network of a plan: its leaf activities, the links between them, its loops.

Links on summary rows hold for every leaf below; inactive tasks are left out and
links bridge nothing over them; loops are named, member by member.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any
from zoneinfo import ZoneInfo

import networkx as nx
import polars as pl

from models.program.calendar import (
    STANDARD_WEEK,
    WorkingTime,
    always,
    combined,
    working_times,
)


@dataclass(frozen=True)
class Activity:
    """A leaf of the plan; moments and durations in seconds (models/program/calendar.py).

    duration: working time in `calendar`. slack_calendar: what its slack counts in.
    resume: when remaining work of a started task goes on.
    """

    uid: str
    duration: int
    calendar: WorkingTime
    slack_calendar: WorkingTime
    is_manual: bool = False
    start: int | None = None
    finish: int | None = None
    actual_start: int | None = None
    actual_finish: int | None = None
    remaining: int = 0
    resume: int | None = None
    constraint: str = "ASAP"
    constraint_date: int | None = None
    deadline: int | None = None
    not_before: int | None = None
    """A start-no-earlier-than of a summary above."""

    @property
    def is_finished(self) -> bool:
        return self.actual_finish is not None

    @property
    def is_started(self) -> bool:
        return self.actual_start is not None

    @property
    def is_fixed(self) -> bool:
        """Kept where a person put it."""
        return self.is_manual and self.start is not None


@dataclass(frozen=True)
class Link:
    """The successor waits for the predecessor. lag in seconds, working or elapsed."""

    predecessor: str
    successor: str
    link_type: str = "FS"
    lag: int = 0
    is_elapsed: bool = False


@dataclass
class Network:
    """What a schedule is computed from, and what was wrong with it.

    loops: activities that wait for each other, in the order of the loop; they
        keep their stored dates, and are `pinned` so if they have any.
    ignored: links that cannot hold (a task waiting for its own summary).
    """

    start: int
    calendar: WorkingTime
    activities: dict[str, Activity]
    links: list[Link]
    critical_slack: int = 0
    finish: int | None = None
    loops: list[list[str]] = field(default_factory=list)
    ignored: list[tuple[str, str]] = field(default_factory=list)
    pinned: set[str] = field(default_factory=set)
    is_from_start: bool = True
    idle_calendars: list[str] = field(default_factory=list)
    """Calendars without a working week; the project's, or a standard one, stands in."""

    def order(self) -> list[str]:
        """Activities so that each comes after its predecessors."""
        graph: nx.DiGraph[str] = nx.DiGraph()
        graph.add_nodes_from(self.activities)
        graph.add_edges_from((link.predecessor, link.successor) for link in self.links)
        return list(nx.lexicographical_topological_sort(graph, key=self._rank().__getitem__))

    def incoming(self) -> dict[str, list[Link]]:
        """Links by successor."""
        found: dict[str, list[Link]] = {uid: [] for uid in self.activities}
        for link in self.links:
            found[link.successor].append(link)
        return found

    def outgoing(self) -> dict[str, list[Link]]:
        """Links by predecessor."""
        found: dict[str, list[Link]] = {uid: [] for uid in self.activities}
        for link in self.links:
            found[link.predecessor].append(link)
        return found

    def from_status(self, moment: int) -> "Network":
        """The same network with no unfinished work before the moment.

        What a plan still shows in the past has not happened: it is late and was
        not rescheduled, and everything after it is later than the plan says.
        """
        moved = {}
        for uid, activity in self.activities.items():
            if activity.is_finished or activity.is_fixed:
                moved[uid] = activity
            elif activity.is_started:
                moved[uid] = replace(activity, resume=max(activity.resume or moment, moment))
            else:
                moved[uid] = replace(
                    activity, not_before=max(activity.not_before or moment, moment)
                )
        return replace(self, activities=moved)

    def break_loops(self) -> None:
        """Name every loop and take its links out, so that the rest can be scheduled."""
        graph: nx.DiGraph[str] = nx.DiGraph()
        graph.add_edges_from((link.predecessor, link.successor) for link in self.links)
        rank, looped = self._rank(), set[str]()
        for members in nx.strongly_connected_components(graph):
            first = min(members, key=rank.__getitem__)
            if len(members) > 1 or graph.has_edge(first, first):
                edges = nx.find_cycle(graph.subgraph(members), first)
                self.loops.append([edge[0] for edge in edges])
                looped |= members
        if not looped:
            return
        for uid in looped:
            activity = self.activities[uid]
            if activity.start is None:
                del self.activities[uid]
            else:
                self.activities[uid] = replace(activity, is_manual=True)
                self.pinned.add(uid)
        self.links = [
            link
            for link in self.links
            if link.successor not in looped and link.predecessor in self.activities
        ]

    def _rank(self) -> dict[str, int]:
        return {uid: rank for rank, uid in enumerate(self.activities)}


def network(
    project: Mapping[str, Any], tasks: pl.DataFrame, links: pl.DataFrame, calendars: pl.DataFrame
) -> Network:
    """The network of one project.

    project: its row of the project table; tasks, links, calendars: its rows.
    """
    zone = ZoneInfo(project["timezone"])
    known = Calendars(working_times(calendars), project["calendar_uid"])
    rows = {row["uid"]: row for row in local_seconds(tasks, zone).iter_rows(named=True)}
    inactive = {uid for uid, row in rows.items() if not row["is_active"]}
    lines = {uid: _ancestors(uid, rows) for uid in rows}
    parents = {row["parent_uid"] for row in rows.values()}
    leaves = [
        row
        for uid, row in rows.items()
        if uid not in parents
        and row["item_type"] != "project"
        and not inactive & {uid, *lines[uid]}
    ]
    activities = {
        row["uid"]: _activity(row, known, [rows[uid] for uid in lines[row["uid"]]])
        for row in leaves
    }
    head = local_seconds(pl.DataFrame([dict(project)], infer_schema_length=None), zone).row(
        0, named=True
    )
    starts = [a.start for a in activities.values() if a.start is not None]
    start = head["start"] if head["start"] is not None else min(starts, default=0)
    found = Network(
        start=start,
        calendar=known.usual,
        activities=activities,
        links=[],
        critical_slack=round(project["critical_slack_days"] * project["minutes_per_day"] * 60),
        finish=head["finish"],
        is_from_start=project["schedule_from_start"] or head["finish"] is None,
        idle_calendars=known.idle,
    )
    below = _leaves_below(activities, lines)
    for row in links.filter(~pl.col("is_pending")).iter_rows(named=True):
        found.links += _leaf_links(row, activities, below, lines, found.ignored)
    found.links = list(dict.fromkeys(found.links))
    found.break_loops()
    return found


class Calendars:
    """A project's calendars, and those of its tasks with the people assigned."""

    def __init__(self, known: Mapping[str, WorkingTime], usual_uid: str | None) -> None:
        # A calendar whose week has no working hour would never end any task.
        self._known = {uid: one for uid, one in known.items() if any(one.week)}
        self.idle = sorted(one.name for uid, one in known.items() if uid not in self._known)
        standard = WorkingTime("standard", STANDARD_WEEK)
        self.usual = self._known.get(usual_uid or "", standard)
        self._clock = always()
        self._made: dict[tuple[str | None, tuple[str, ...]], WorkingTime] = {}

    def of(self, row: Mapping[str, Any]) -> tuple[WorkingTime, WorkingTime]:
        """The calendars that a task's work and its slack count in.

        Work goes on while anybody assigned works; a task with a calendar of
        its own is further held to that. Slack counts in the task's own.
        """
        own = self._known.get(row["calendar_uid"] or "", self.usual)
        if row["is_elapsed"]:
            return self._clock, self.usual
        people = tuple(uid for uid in row["resource_calendar_uids"] or () if uid in self._known)
        if not people:
            return own, own
        key = (row["calendar_uid"], people)
        if key not in self._made:
            self._made[key] = self._worked(own, row["calendar_uid"] in self._known, people)
        return self._made[key], own

    def _worked(self, own: WorkingTime, is_held: bool, people: tuple[str, ...]) -> WorkingTime:
        anybody = combined(own.name, [self._known[uid] for uid in people], every=False)
        worked = combined(own.name, [own, anybody], every=True) if is_held else anybody
        if not any(worked.week) or (worked.week, worked.exceptions) == (own.week, own.exceptions):
            return own
        return worked


def local_seconds(frame: pl.DataFrame, zone: ZoneInfo) -> pl.DataFrame:
    """Instants as whole seconds of local clock time."""
    return frame.with_columns(
        pl.col(name)
        .dt.convert_time_zone(zone.key)
        .dt.replace_time_zone(None)
        .dt.epoch("s")
        .alias(name)
        for name, dtype in frame.schema.items()
        if isinstance(dtype, pl.Datetime)
    )


def _activity(
    row: Mapping[str, Any],
    calendars: "Calendars",
    above: list[Mapping[str, Any]],
) -> Activity:
    calendar, slack_calendar = calendars.of(row)
    start, finish = row["start"], row["finish"]
    duration = row["duration_s"]
    if duration is None:
        spans = start is not None and finish is not None
        duration = max(calendar.between(start, finish), 0) if spans else 0
    percent = row["percent_complete"] or 0.0
    actual_start, actual_finish = row["actual_start"], row["actual_finish"]
    if percent >= 100 and actual_finish is None:
        actual_finish = finish
    if actual_finish is not None and actual_start is None:
        actual_start = start if start is not None else actual_finish
    if percent > 0 and actual_start is None:
        actual_start = start
    remaining = row["remaining_s"]
    if remaining is None or remaining > duration:
        remaining = round(duration * (100 - percent) / 100)
    starts_after = [
        one["constraint_date"]
        for one in above
        if one["constraint"] == "SNET" and one["constraint_date"] is not None
    ]
    has_date = row["constraint_date"] is not None
    return Activity(
        uid=row["uid"],
        duration=duration,
        calendar=calendar,
        slack_calendar=slack_calendar,
        is_manual=row["is_manual"],
        start=start,
        finish=finish,
        actual_start=actual_start,
        actual_finish=actual_finish,
        remaining=remaining,
        resume=row["resume"],
        constraint=row["constraint"] if has_date or row["constraint"] == "ALAP" else "ASAP",
        constraint_date=row["constraint_date"],
        deadline=row["deadline"],
        not_before=max(starts_after, default=None),
    )


def _ancestors(uid: str, rows: Mapping[str, Mapping[str, Any]]) -> tuple[str, ...]:
    line: list[str] = []
    parent = rows[uid]["parent_uid"]
    while parent in rows and parent not in line and parent != uid:
        line.append(parent)
        parent = rows[parent]["parent_uid"]
    return tuple(line)


def _leaves_below(
    activities: Mapping[str, Activity], lines: Mapping[str, tuple[str, ...]]
) -> dict[str, list[str]]:
    below: dict[str, list[str]] = {}
    for uid in activities:
        for ancestor in lines[uid]:
            below.setdefault(ancestor, []).append(uid)
    return below


def _leaf_links(
    row: Mapping[str, Any],
    activities: Mapping[str, Activity],
    below: Mapping[str, list[str]],
    lines: Mapping[str, tuple[str, ...]],
    ignored: list[tuple[str, str]],
) -> Iterator[Link]:
    before, after = row["predecessor_uid"], row["successor_uid"]
    if before in lines.get(after, ()) or after in lines.get(before, ()):
        ignored.append((before, after))
        return
    for predecessor in [before] if before in activities else below.get(before, []):
        for successor in [after] if after in activities else below.get(after, []):
            percent = row["lag_percent"]
            yield Link(
                predecessor,
                successor,
                row["link_type"],
                row["lag_s"] or 0
                if percent is None
                else round(activities[predecessor].duration * percent / 100),
                row["lag_unit"] in ("elapsed", "elapsed_percent"),
            )
