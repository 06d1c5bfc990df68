"""Issues from Jira's CSV export: items, their links, their comments."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from pathlib import Path
from typing import Any, TypeVar
from zoneinfo import ZoneInfo

import polars as pl

from models.program.contracts import PROJECT, TASK, TASK_COMMENT, TASK_LINK
from models.table import Table
from pipelines.sources import FileRefused, MissingColumns, Options, ReadResult, Rejection
from pipelines.sources.jira_dates import Undecided, is_day_first, jira_day, jira_instant
from pipelines.tabular import CellError, Row, Sheet, locate, parse_decimal, read_sheet

Value = TypeVar("Value")

# fmt: off
COLUMNS: Mapping[str, tuple[str, ...]] = {
    "key": ("issue key", "问题关键字", "关键字", "问题键", "工作项键"),
    "issue_id": ("issue id", "问题id", "问题标识"),
    "summary": ("summary", "概要", "摘要", "主题"),
    "item_type": ("issue type", "work type", "问题类型", "类型", "工作项类型"),
    "status": ("status", "状态"),
    "category": ("status category", "状态类别", "状态分类"),
    "project": ("project key", "项目关键字", "项目键"),
    "project_name": ("project name", "项目名称", "项目名"),
    "priority": ("priority", "优先级"),
    "assignee": ("assignee", "经办人", "受理人", "负责人"),
    "created": ("created", "创建日期", "已创建", "创建时间"),
    "updated": ("updated", "已更新", "更新日期", "更新时间"),
    "resolved": ("resolved", "已解决", "解决日期", "解决时间"),
    "due": ("due date", "到期日", "截止日期", "到期日期"),
    "start": ("custom field (start date)", "custom field (target start)", "start date",
              "自定义字段 (start date)", "自定义字段 (开始日期)", "开始日期"),
    "labels": ("labels", "标签"),
    "sprints": ("sprint", "custom field (sprint)", "自定义字段 (sprint)", "冲刺", "迭代"),
    "description": ("description", "描述"),
    "estimate": ("original estimate", "初始预估", "原始预估", "初始预估时间"),
    "remaining": ("remaining estimate", "剩余估算", "剩余预估", "剩余时间"),
    "spent": ("time spent", "耗费时间", "实际工作时间", "花费时间"),
    "parent_key": ("parent key", "父级键", "父问题关键字"),
    "parent": ("parent", "parent id", "父级", "父级id"),
    "epic": ("custom field (epic link)", "epic link", "自定义字段 (epic link)", "史诗链接"),
    "comment": ("comment", "备注", "评论", "注释"),
}
# fmt: on
REQUIRED = ("key", "summary")
DATES = ("created", "updated", "resolved", "due", "start")
EXPORT_AGAIN = "Export the issues as CSV (all fields), and keep Issue key and Summary."

_LINK = re.compile(
    r"(?P<way>outward|inward|外部|外向|内部|内向)\s*(?:issue|work item|问题|工作项)?\s*"
    r"(?:link|链接)\s*\((?P<type>.+)\)",
    re.IGNORECASE,
)
_OUTWARD = {"outward", "外部", "外向"}

CATEGORIES = {
    **dict.fromkeys(("to do", "new", "待办", "待处理"), "todo"),
    **dict.fromkeys(("in progress", "indeterminate", "进行中", "处理中"), "doing"),
    **dict.fromkeys(("done", "complete", "完成", "已完成"), "done"),
}
STATUSES = {
    **CATEGORIES,
    **dict.fromkeys(("open", "backlog", "reopened", "未开始", "打开", "重新打开"), "todo"),
    **dict.fromkeys(("in review", "testing", "blocked", "已阻塞", "测试中"), "doing"),
    **dict.fromkeys(("closed", "resolved", "已关闭", "关闭", "已解决"), "done"),
}
MILESTONE_TYPES = {"milestone", "里程碑"}
SCOPE = "issues"


class JiraOptions(Options):
    """day_first: order of dates in figures alone, where the file itself does not tell."""

    day_first: bool | None = None
    delimiter: str | None = None


class JiraReader:
    """Jira's CSV export of issues, of Server or Cloud, in English or Chinese.

    Takes    columns by name in any order; Labels, Sprint, Comment and each link
             type as often as they are repeated, by position; UTF-8, GBK.
             Estimates are seconds. Times are of the exporting user's zone,
             which the file does not name: the source's timezone.
    Gives    project, task (an issue each), task_link (a link listed by both
             its issues once; one to an issue outside the file is pending),
             task_comment. Text that looks like a formula stays text.
    Rejects  a row without an issue key or with another row's, or with a date
             or estimate that cannot be read.
    Raises   MissingColumns without issue key and summary; FileRefused where
             the order of day and month cannot be told and day_first is not set.
    """

    kind = "jira"
    options = JiraOptions

    def sniff(self, path: Path) -> bool:
        """Whether the headings name an issue key and a summary."""
        try:
            places = locate(_sheet(path, None), COLUMNS)
        except (FileRefused, OSError):
            return False
        return all(places[name] for name in REQUIRED)

    def read(self, path: Path, options: JiraOptions) -> ReadResult:
        """The issues, and the rows that cannot be read."""
        sheet = _sheet(path, options.delimiter)
        places = locate(sheet, COLUMNS)
        missing = [name for name in REQUIRED if not places[name]]
        if missing:
            raise MissingColumns(path, missing, list(sheet.headings), EXPORT_AGAIN)
        export = _Export(sheet, places, options, _day_first(path, sheet, places, options))
        export.collect()
        tables = (
            (PROJECT, export.projects()),
            (TASK, export.tasks),
            (TASK_LINK, list(export.links.values())),
            (TASK_COMMENT, export.comments),
        )
        return ReadResult(
            tables={table.name: _frame(table, rows) for table, rows in tables},
            rejected=export.rejected,
            rows_read=len(sheet.rows),
            notes=export.notes(),
        )


@dataclass
class _Export:
    """The rows of one file, by table."""

    sheet: Sheet
    places: Mapping[str, list[int]]
    options: JiraOptions
    day_first: bool | None
    tasks: list[dict[str, Any]] = field(default_factory=list)
    links: dict[tuple[str, str, str], dict[str, Any]] = field(default_factory=dict)
    comments: list[dict[str, Any]] = field(default_factory=list)
    rejected: list[Rejection] = field(default_factory=list)
    titles: dict[str, tuple[str | None, int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.zone = ZoneInfo(self.options.timezone)
        self.link_places = _link_places(self.sheet)

    def collect(self) -> None:
        """Fill the tables."""
        seen: dict[str, int] = {}
        for row in self.sheet.rows:
            try:
                task = self._task(row, seen)
                comments = [self._comment(row, task, text) for text in self._many(row, "comment")]
            except CellError as error:
                raw = ",".join(cell or "" for cell in row.cells)
                column = error.rule if error.rule in self.sheet.headings else None
                self.rejected.append(Rejection(row.number, column, "value", error.message, raw))
                continue
            seen[task["uid"]] = row.number
            self.tasks.append(task)
            self.comments += comments
            self._take_links(row, task)
        for link in self.links.values():
            link["is_pending"] = not {link["predecessor_uid"], link["successor_uid"]} <= set(seen)
        self._raise_parents()

    def projects(self) -> list[dict[str, Any]]:
        """A row for each project of the export."""
        blank = dict.fromkeys(PROJECT.columns)
        return [
            {
                **blank,
                "project": key,
                "scope": SCOPE,
                "tracker": JiraReader.kind,
                "title": title or key,
                "timezone": self.options.timezone,
                "schedule_from_start": True,
                "minutes_per_day": 480,
                "critical_slack_days": 0.0,
                "source_row": number,
            }
            for key, (title, number) in self.titles.items()
        ]

    def notes(self) -> tuple[str, ...]:
        """What the load's record should say about the file."""
        used = {place for found in self.places.values() for place in found} | set(self.link_places)
        unknown = [h for i, h in enumerate(self.sheet.headings) if h and i not in used]
        pending = sum(link["is_pending"] for link in self.links.values())
        notes = []
        if pending:
            notes.append(f"{pending} links to issues outside the file kept as pending")
        if unknown:
            notes.append(f"columns not used: {', '.join(dict.fromkeys(unknown))}")
        return tuple(notes)

    def _task(self, row: Row, seen: Mapping[str, int]) -> dict[str, Any]:
        key = self._text(row, "key")
        if key is None:
            raise CellError(self._heading("key"), "the issue key is blank. Export again.")
        if key in seen:
            raise CellError(self._heading("key"), f"{key} is already in row {seen[key]}.")
        project = self._text(row, "project") or key.rpartition("-")[0] or key
        self.titles.setdefault(project, (self._text(row, "project_name"), row.number))
        item_type = self._text(row, "item_type") or "issue"
        resolved = self._instant(row, "resolved")
        status = self._text(row, "status")
        category = CATEGORIES.get((self._text(row, "category") or "").casefold())
        category = category or STATUSES.get((status or "").casefold())
        category = category or ("done" if resolved else None)
        return {
            **dict.fromkeys(TASK.columns),
            "project": project,
            "scope": key,
            "uid": key,
            "position": row.number,
            "name": self._text(row, "summary"),
            "parent_uid": self._parent(row),
            "item_type": item_type,
            "is_summary": False,
            "is_milestone": item_type.casefold() in MILESTONE_TYPES,
            "is_active": True,
            "is_manual": False,
            "is_elapsed": False,
            "start": self._instant(row, "start"),
            "percent_complete": 100.0 if category == "done" else None,
            "work_s": self._seconds(row, "estimate"),
            "remaining_work_s": self._seconds(row, "remaining"),
            "actual_work_s": self._seconds(row, "spent"),
            "priority": self._text(row, "priority"),
            "owner": self._text(row, "assignee"),
            "status": status,
            "status_category": category,
            "created": self._instant(row, "created"),
            "updated": self._instant(row, "updated"),
            "resolved": resolved,
            "due": self._day(row, "due"),
            "labels": self._many(row, "labels"),
            "sprints": self._many(row, "sprints"),
            "notes": self._text(row, "description"),
            "source_row": row.number,
        }

    def _take_links(self, row: Row, task: Mapping[str, Any]) -> None:
        for place, (is_outward, kind) in self.link_places.items():
            other = (row.cell(place) or "").strip()
            if not other:
                continue
            ends = (task["uid"], other) if is_outward else (other, task["uid"])
            self.links.setdefault(
                (*ends, kind),
                {
                    **dict.fromkeys(TASK_LINK.columns),
                    "project": task["project"],
                    "scope": task["scope"],
                    "predecessor_uid": ends[0],
                    "successor_uid": ends[1],
                    "link_type": kind,
                    "source_row": row.number,
                },
            )

    def _comment(self, row: Row, task: Mapping[str, Any], text: str) -> dict[str, Any]:
        """date;author;body: a body may hold semicolons of its own."""
        parts = text.split(";", 2)
        at = None
        if is_split := len(parts) == 3:
            try:
                at = self._as_instant(parts[0])
            except CellError:
                is_split = False
        return {
            "project": task["project"],
            "scope": task["scope"],
            "uid": task["uid"],
            "at": at,
            "author": parts[1].strip() if is_split else None,
            "body": parts[2] if is_split else text,
            "source_row": row.number,
        }

    def _parent(self, row: Row) -> str | None:
        for name in ("parent_key", "parent", "epic"):
            found = self._text(row, name)
            if found:
                return found
        return None

    def _raise_parents(self) -> None:
        """Parents given by id become keys; an issue with others below it sums them up."""
        ids = {}
        for row in self.sheet.rows:
            number, key = self._text(row, "issue_id"), self._text(row, "key")
            if number and key:
                ids[number] = key
        for task in self.tasks:
            task["parent_uid"] = ids.get(task["parent_uid"], task["parent_uid"])
        parents = {task["parent_uid"] for task in self.tasks}
        for task in self.tasks:
            task["is_summary"] = task["uid"] in parents

    def _heading(self, name: str) -> str:
        return self.sheet.headings[self.places[name][0]] if self.places[name] else name

    def _many(self, row: Row, name: str) -> list[str]:
        cells = (row.cell(place) for place in self.places[name])
        return [cell.strip() for cell in cells if cell and cell.strip()]

    def _text(self, row: Row, name: str) -> str | None:
        return next(iter(self._many(row, name)), None)

    def _instant(self, row: Row, name: str) -> datetime | None:
        return self._optional(row, name, self._as_instant)

    def _as_instant(self, text: str) -> datetime:
        return jira_instant(text, self.zone, self.day_first)

    def _day(self, row: Row, name: str) -> date | None:
        return self._optional(
            row, name, lambda text: jira_day(text, self.zone, self.day_first).date()
        )

    def _seconds(self, row: Row, name: str) -> int | None:
        return self._optional(row, name, _whole_seconds)

    def _optional(self, row: Row, name: str, parse: Callable[[str], Value]) -> Value | None:
        text = self._text(row, name)
        return None if text is None else self._read(row, name, text, parse)

    def _read(self, row: Row, name: str, text: str, parse: Callable[[str], Value]) -> Value:
        try:
            return parse(text)
        except CellError as error:
            raise CellError(self._heading(name), error.message) from None


def _whole_seconds(text: str) -> int:
    value = parse_decimal(text)
    if value < 0:
        raise CellError("number", f'"{text}" is below zero; estimates are seconds.')
    return int(value.to_integral_value())


def _link_places(sheet: Sheet) -> dict[int, tuple[bool, str]]:
    """Positions of link columns: whether this issue acts on the other, and the link's word."""
    found = {}
    for place, heading in enumerate(sheet.headings):
        match = _LINK.fullmatch(heading.strip())
        if match:
            found[place] = (match["way"].lower() in _OUTWARD, match["type"].strip())
    return found


def _day_first(
    path: Path, sheet: Sheet, places: Mapping[str, list[int]], options: JiraOptions
) -> bool | None:
    if options.day_first is not None:
        return options.day_first
    texts = [
        cell
        for name in DATES
        for place in places[name]
        for row in sheet.rows
        if (cell := row.cell(place))
    ]
    try:
        return is_day_first(texts)
    except Undecided as error:
        raise FileRefused(
            path,
            "day_or_month",
            f'{path.name}: "{error.example}" may put day or month first, and no date of the file '
            "tells. Set day_first = true or false for the source.",
        ) from None


def _sheet(path: Path, delimiter: str | None) -> Sheet:
    known = {alias for name, aliases in COLUMNS.items() for alias in (name, *aliases)}
    return read_sheet(path, delimiter=delimiter, headings=known)


def _frame(table: Table, rows: list[dict[str, Any]]) -> pl.DataFrame:
    return pl.DataFrame(rows, schema={**table.columns, "source_row": pl.Int64})


READERS = (JiraReader(),)
