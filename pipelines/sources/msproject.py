"""Plans of Microsoft Project: tasks, links, baselines and calendars from MSPDI XML."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import polars as pl

from models.program.contracts import CALENDAR, PROJECT, TASK, TASK_BASELINE, TASK_LINK
from models.table import Table
from pipelines.sources import FileRefused, Options, ReadResult, Rejection
from pipelines.sources.mspdi_calendar import calendar_rows
from pipelines.sources.mspdi_fields import (
    CONSTRAINTS,
    LINK_TYPES,
    NAMESPACE,
    Fields,
    folded_alias,
    is_elapsed,
    lag,
    plan_root,
)
from pipelines.tabular import CellError, parse_date, unpack

SCOPE = "plan"
PROJECT_ROW = "0"
"""UID of the row that stands for the project itself; no task, not shown as one."""
WORK = "1"
"""Type of a resource that works, as against material and cost."""

ALIASES = {
    "blocked_by": ("blockedby", "blocker", "blocking", "阻塞", "阻塞项", "阻塞原因", "卡点"),
    "blocker_owner": ("blockerowner", "unblocks", "阻塞责任人", "阻塞负责人", "卡点责任人"),
    "blocked_since": ("blockedsince", "blockedon", "阻塞开始", "阻塞日期", "阻塞时间"),
}
"""Names under which a plan keeps its blockers in custom fields."""


class MsProjectOptions(Options):
    """project: what the project is called; the file's name without its ending unless said."""

    project: str | None = None


class MsProjectReader:
    """A plan saved by Microsoft Project, or by a tool that writes its XML (MSPDI).

    Takes    .xml, also in .gz or .zip. Times without a zone are of the source's
             timezone.
    Gives    project, task, task_link, task_baseline, calendar. Early and late
             dates, slack and the critical flag stay as stored. Recurring
             exceptions of a calendar become their days.
    Leaves   blank rows of the plan (IsNull) and the project's own row (UID 0)
    out      as a task; they are counted in the notes.
    Rejects  a task without a UID, with the UID of another, or with a date,
             duration or number that cannot be read.
    Raises   FileRefused for a file that is not XML, not MSPDI, or that declares
             entities (an entity bomb).
    Source   the Microsoft Project XML schema.
    """

    kind = "msproject"
    options = MsProjectOptions

    def sniff(self, path: Path) -> bool:
        """Whether the file is XML of Project's namespace."""
        try:
            return NAMESPACE.encode() in unpack(path)[:4_000].replace(b"\0", b"")
        except (FileRefused, OSError):
            return False

    def read(self, path: Path, options: MsProjectOptions) -> ReadResult:
        """The plan's tables and its refused tasks."""
        root = plan_root(path)
        zone = ZoneInfo(options.timezone)
        plan = _Plan(options.project or _stem(path), Fields(root, zone), options)
        try:
            plan.collect()
        except CellError as error:
            raise FileRefused(path, "value", f"{path.name}: {error.message}") from None
        return ReadResult(
            tables={table.name: _frame(table, rows) for table, rows in plan.tables()},
            rejected=plan.rejected,
            rows_read=sum(len(rows) for _, rows in plan.tables()) + len(plan.rejected),
            notes=plan.notes(),
        )


@dataclass(frozen=True)
class _Resource:
    """A person or machine; material and costs have no calendar."""

    name: str | None
    calendar_uid: str | None


@dataclass
class _Plan:
    """The rows of one file, by table."""

    name: str
    root: Fields
    options: MsProjectOptions
    projects: list[dict[str, Any]] = field(default_factory=list)
    tasks: list[dict[str, Any]] = field(default_factory=list)
    links: list[dict[str, Any]] = field(default_factory=list)
    baselines: list[dict[str, Any]] = field(default_factory=list)
    calendars: list[dict[str, Any]] = field(default_factory=list)
    rejected: list[Rejection] = field(default_factory=list)
    blank: int = 0

    def tables(self) -> list[tuple[Table, list[dict[str, Any]]]]:
        return [
            (PROJECT, self.projects),
            (TASK, self.tasks),
            (TASK_LINK, self.links),
            (TASK_BASELINE, self.baselines),
            (CALENDAR, self.calendars),
        ]

    def collect(self) -> None:
        """Fill the tables; raises CellError for a broken head or calendar."""
        self.projects = [self._project()]
        for number, calendar in enumerate(_listed(self.root, "Calendars", "Calendar"), 1):
            self.calendars += [self._row(number, row) for row in calendar_rows(calendar)]
        assigned = self._assigned()
        aliases = self._aliases()
        seen: set[str] = set()
        for number, task in enumerate(_listed(self.root, "Tasks", "Task"), 1):
            if task.flag("IsNull"):
                self.blank += 1
                continue
            try:
                self._take(number, task, seen, assigned, aliases)
            except CellError as error:
                raw = f"UID {task.text('UID')}, {task.text('Name')}"
                self.rejected.append(Rejection(number, error.rule, "value", error.message, raw))
        self._shape(seen)

    def notes(self) -> tuple[str, ...]:
        """What the load's record should say about the file."""
        pending = sum(link["is_pending"] for link in self.links)
        counted = {
            "blank rows of the plan left out": self.blank,
            "links to tasks of another file kept as pending": pending,
        }
        return tuple(f"{count} {what}" for what, count in counted.items() if count)

    def _row(self, number: int, values: dict[str, Any]) -> dict[str, Any]:
        return {"project": self.name, "scope": SCOPE, **values, "source_row": number}

    def _project(self) -> dict[str, Any]:
        root = self.root
        return self._row(
            1,
            {
                "tracker": MsProjectReader.kind,
                "title": root.text("Title") or root.text("Name"),
                "timezone": self.options.timezone,
                "start": root.instant("StartDate"),
                "finish": root.instant("FinishDate"),
                "status_date": root.instant("StatusDate"),
                "schedule_from_start": root.flag("ScheduleFromStart", missing=True),
                "calendar_uid": root.text("CalendarUID"),
                "minutes_per_day": root.whole("MinutesPerDay") or 480,
                "critical_slack_days": root.number("CriticalSlackLimit") or 0.0,
                "currency": root.text("CurrencyCode") or self.options.currency,
            },
        )

    def _assigned(self) -> dict[str, list[_Resource]]:
        """Who and what works on each task."""
        resources = {
            resource.text("UID"): _Resource(
                resource.text("Name"),
                resource.text("CalendarUID") if resource.text("Type") in (None, WORK) else None,
            )
            for resource in _listed(self.root, "Resources", "Resource")
        }
        found: dict[str, list[_Resource]] = {}
        for assignment in _listed(self.root, "Assignments", "Assignment"):
            resource = resources.get(assignment.text("ResourceUID"))
            if resource is not None:
                found.setdefault(assignment.text("TaskUID") or "", []).append(resource)
        return found

    def _aliases(self) -> dict[str, str]:
        """Which of our fields a custom field's id holds."""
        fields = {alias: name for name, aliases in ALIASES.items() for alias in aliases}
        found = {}
        for definition in _listed(self.root, "ExtendedAttributes", "ExtendedAttribute"):
            alias = definition.text("Alias")
            name = fields.get(folded_alias(alias)) if alias else None
            if name:
                found[definition.text("FieldID") or ""] = name
        return found

    def _take(
        self,
        number: int,
        task: Fields,
        seen: set[str],
        assigned: dict[str, list[_Resource]],
        aliases: dict[str, str],
    ) -> None:
        uid = task.text("UID")
        if uid is None:
            raise CellError("UID", "the task has no UID. Save the plan again in Project.")
        if uid in seen:
            raise CellError("UID", f"UID {uid} is already another task's. Save the plan again.")
        row = self._row(number, _task(uid, number, task, assigned.get(uid, [])))
        row |= _blocker(task, aliases)
        links = [self._row(number, _link(uid, link)) for link in task.children("PredecessorLink")]
        baselines = [
            self._row(number, _baseline(uid, found))
            for found in task.children("Baseline")
            if (found.whole("Number") or 0) <= 10
        ]
        seen.add(uid)
        self.tasks.append(row)
        self.links += links
        self.baselines += baselines

    def _shape(self, seen: set[str]) -> None:
        """Parents from order and outline level; leaves; links that lead out of the file."""
        path: list[dict[str, Any]] = []
        for row in self.tasks:
            while path and path[-1]["outline_level"] >= row["outline_level"]:
                path.pop()
            if path and path[-1]["uid"] != PROJECT_ROW:
                row["parent_uid"] = path[-1]["uid"]
            if path:
                path[-1]["is_summary"] = True
            path.append(row)
        for row in self.tasks:
            is_project = row["uid"] == PROJECT_ROW and row["outline_level"] == 0
            row["item_type"] = (
                "project"
                if is_project
                else "summary"
                if row["is_summary"]
                else "milestone"
                if row["is_milestone"]
                else "task"
            )
        for link in self.links:
            link["is_pending"] = link["is_pending"] or link["predecessor_uid"] not in seen


def _task(uid: str, number: int, task: Fields, assigned: list[_Resource]) -> dict[str, Any]:
    duration = task.seconds("Duration")
    percent = task.number("PercentComplete")
    if percent is not None and not 0 <= percent <= 100:
        raise CellError("PercentComplete", f"{percent:g} is not between 0 and 100.")
    slack = task.whole("TotalSlack")
    started = task.instant("ActualStart")
    names = dict.fromkeys(resource.name for resource in assigned if resource.name)
    calendars = {resource.calendar_uid for resource in assigned} - {None, "-1"}
    return {
        **dict.fromkeys(name for name in TASK.columns if name not in ("project", "scope")),
        "uid": uid,
        "position": number,
        "name": task.text("Name"),
        "wbs": task.text("WBS") or task.text("OutlineNumber"),
        "outline_level": task.whole("OutlineLevel") or 0,
        "is_summary": False,
        "is_milestone": task.flag("Milestone", missing=duration == 0),
        "is_active": task.flag("Active", missing=True),
        "is_manual": task.flag("Manual"),
        "start": task.instant("Start") or task.instant("ManualStart"),
        "finish": task.instant("Finish") or task.instant("ManualFinish"),
        "duration_s": duration,
        "is_elapsed": is_elapsed(task.whole("DurationFormat")),
        "percent_complete": percent,
        "actual_start": started,
        "actual_finish": task.instant("ActualFinish"),
        "remaining_s": task.seconds("RemainingDuration"),
        "resume": task.instant("Resume") if started else None,
        "work_s": task.seconds("Work"),
        "actual_work_s": task.seconds("ActualWork"),
        "remaining_work_s": task.seconds("RemainingWork"),
        "cost": task.money("Cost"),
        "actual_cost": task.money("ActualCost"),
        "constraint": CONSTRAINTS.get(task.whole("ConstraintType") or 0),
        "constraint_date": task.instant("ConstraintDate"),
        "deadline": task.instant("Deadline"),
        "calendar_uid": _none_if(task.text("CalendarUID"), "-1"),
        "resource_calendar_uids": None
        if task.flag("IgnoreResourceCalendar")
        else sorted(calendars) or None,
        "early_start": task.instant("EarlyStart"),
        "early_finish": task.instant("EarlyFinish"),
        "late_start": task.instant("LateStart"),
        "late_finish": task.instant("LateFinish"),
        "total_slack_s": slack * 6 if slack is not None else None,
        "is_critical": task.flag("Critical") if task.text("Critical") else None,
        "priority": task.text("Priority"),
        "owner": "; ".join(names) or task.text("Contact"),
        "notes": task.text("Notes"),
    }


def _link(uid: str, link: Fields) -> dict[str, Any]:
    seconds, percent, unit = lag(link.whole("LinkLag") or 0, link.whole("LagFormat"))
    kind = link.whole("Type")
    predecessor = link.text("PredecessorUID")
    if predecessor is None or kind not in {None, *LINK_TYPES}:
        raise CellError("PredecessorLink", f"a link from {predecessor} of type {kind} is unknown.")
    return {
        "predecessor_uid": predecessor,
        "successor_uid": uid,
        "link_type": LINK_TYPES[1 if kind is None else kind],
        "lag_s": seconds,
        "lag_percent": percent,
        "lag_unit": unit,
        "is_pending": link.flag("CrossProject"),
    }


def _baseline(uid: str, baseline: Fields) -> dict[str, Any]:
    return {
        "uid": uid,
        "number": baseline.whole("Number") or 0,
        "start": baseline.instant("Start"),
        "finish": baseline.instant("Finish"),
        "duration_s": baseline.seconds("Duration"),
        "work_s": baseline.seconds("Work"),
        "cost": baseline.money("Cost"),
    }


def _blocker(task: Fields, aliases: dict[str, str]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for attribute in task.children("ExtendedAttribute"):
        name = aliases.get(attribute.text("FieldID") or "")
        value = attribute.text("Value")
        if name and value:
            found[name] = _day(value) if name == "blocked_since" else value
    return found


def _day(text: str) -> date:
    return parse_date(text.partition("T")[0])


def _none_if(text: str | None, nothing: str) -> str | None:
    return None if text == nothing else text


def _listed(root: Fields, container: str, name: str) -> Iterator[Fields]:
    holder = root.child(container)
    return holder.children(name) if holder else iter(())


def _frame(table: Table, rows: list[dict[str, Any]]) -> pl.DataFrame:
    return pl.DataFrame(rows, schema={**table.columns, "source_row": pl.Int64})


def _stem(path: Path) -> str:
    name = path.name
    for ending in (".gz", ".zip", ".xml"):
        name = name[: -len(ending)] if name.lower().endswith(ending) else name
    return name


READERS = (MsProjectReader(),)
