"""The four programmes as Microsoft Project plans (MSPDI), with baselines, slips and blockers.

A small day-by-day forward scheduler gives dates that a critical-path method
finds again: eight-hour days, China's holidays and make-up Saturdays of 2026-27.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from pathlib import Path
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from sample_data.company import LAST_DAY, LAST_REVIEW

HOLIDAYS = (
    ("Spring Festival 2026 春节", date(2026, 2, 16), date(2026, 2, 22)),
    ("Labour Day 2026 劳动节", date(2026, 5, 1), date(2026, 5, 5)),
    ("National Day 2026 国庆节", date(2026, 10, 1), date(2026, 10, 7)),
    ("New Year 2027 元旦", date(2027, 1, 1), date(2027, 1, 1)),
    ("Spring Festival 2027 春节", date(2027, 2, 6), date(2027, 2, 12)),
)
MAKE_UP_DAYS = (date(2026, 2, 14), date(2026, 9, 27), date(2026, 10, 10), date(2027, 2, 20))
"""Weekend days that are worked instead (调休)."""

BLOCKED_BY, BLOCKER_OWNER, BLOCKED_SINCE = "188743731", "188743734", "188743737"
"""Field ids of Text1, Text2 and Text3."""


@dataclass
class Item:
    """A row of a plan. after: predecessors as (key, type, lag days)."""

    key: str
    name: str
    level: int
    days: int = 0
    after: tuple[tuple[str, str, int], ...] = ()
    owner: str = ""
    is_summary: bool = False
    slip: int = 0
    slip_before: int = 0
    blocked: tuple[str, str, date] | None = None
    uid: int = 0
    wbs: str = ""
    planned: tuple[int, int] = (0, 0)
    forecast: tuple[int, int] = (0, 0)
    children: list["Item"] = field(default_factory=list)

    @property
    def is_milestone(self) -> bool:
        """A point in time."""
        return self.days == 0 and not self.is_summary


@dataclass(frozen=True)
class Plan:
    """A project. start: its first day."""

    title: str
    file: str
    start: date
    items: tuple[Item, ...]


class Workdays:
    """The days that are worked, numbered from a first one."""

    def __init__(self, first: date) -> None:
        self.days = [
            day
            for day in (first + timedelta(days=i) for i in range(900))
            if day in MAKE_UP_DAYS
            or (day.weekday() < 5 and not any(a <= day <= b for _, a, b in HOLIDAYS))
        ]

    def start(self, index: int) -> datetime:
        """08:00 of a workday."""
        return datetime.combine(self.days[index], datetime.min.time()).replace(hour=8)

    def end(self, index: int) -> datetime:
        """17:00 of the workday before the index, which is exclusive."""
        return datetime.combine(self.days[index - 1], datetime.min.time()).replace(hour=17)

    def index(self, day: date) -> int:
        """How many workdays lie before a day."""
        return sum(worked < day for worked in self.days)


def schedule(plan: Plan, slips: str | None) -> None:
    """Set each item's planned (no slips) or forecast dates as workday indices."""
    found: dict[str, tuple[int, int]] = {}
    leaves = {item.key: item for item in plan.items if not item.is_summary}
    for item in plan.items:
        if item.is_summary:
            continue
        days = item.days + (0 if slips is None else getattr(item, slips))
        begin = 0
        for key, kind, lag in item.after:
            start, finish = found[key]
            if kind == "SS":
                begin = max(begin, start + lag)
            elif kind == "FF":
                begin = max(begin, finish + lag - days)
            else:
                begin = max(begin, finish + lag)
        found[item.key] = (begin, begin + days)
    for key, dates in found.items():
        if slips is None:
            leaves[key].planned = dates
        else:
            leaves[key].forecast = dates
    for item in reversed(plan.items):
        if item.is_summary:
            attribute = "planned" if slips is None else "forecast"
            spans = [getattr(child, attribute) for child in item.children]
            setattr(item, attribute, (min(s for s, _ in spans), max(f for _, f in spans)))


def write_plan(plan: Plan, folder: Path, status: date, slips: str) -> None:
    """The plan as it stood at a status date."""
    _number(plan)
    schedule(plan, None)
    schedule(plan, slips)
    calendar = Workdays(plan.start)
    today = calendar.index(status + timedelta(days=1))
    root = Element("Project", xmlns="http://schemas.microsoft.com/project")
    last = max(item.forecast[1] for item in plan.items)
    _fields(root, {
        "SaveVersion": 14, "Name": f"{plan.file}.xml", "Title": plan.title,
        "CreationDate": _time(calendar.start(0)), "ScheduleFromStart": 1,
        "StartDate": _time(calendar.start(0)), "FinishDate": _time(calendar.end(last)),
        "CriticalSlackLimit": 0, "CurrencyCode": "USD", "CalendarUID": 1,
        "DefaultStartTime": "08:00:00", "DefaultFinishTime": "17:00:00", "MinutesPerDay": 480,
        "MinutesPerWeek": 2400, "DaysPerMonth": 20,
        "StatusDate": _time(datetime(status.year, status.month, status.day, 17)),
    })  # fmt: skip
    attributes = SubElement(root, "ExtendedAttributes")
    for id, name, alias in (
        (BLOCKED_BY, "Text1", "Blocked by"),
        (BLOCKER_OWNER, "Text2", "Blocker owner"),
        (BLOCKED_SINCE, "Text3", "Blocked since"),
    ):
        _fields(
            SubElement(attributes, "ExtendedAttribute"),
            {"FieldID": id, "FieldName": name, "Alias": alias},
        )
    _calendar(SubElement(root, "Calendars"))
    tasks = SubElement(root, "Tasks")
    by_key = {item.key: item for item in plan.items}
    owners = sorted({item.owner for item in plan.items if item.owner})
    for position, item in enumerate(plan.items, start=1):
        _task(SubElement(tasks, "Task"), position, item, by_key, calendar, today, status)
    resources = SubElement(root, "Resources")
    for uid, owner in enumerate(owners, start=1):
        _fields(
            SubElement(resources, "Resource"), {"UID": uid, "ID": uid, "Name": owner, "Type": 1}
        )
    assignments = SubElement(root, "Assignments")
    for uid, item in enumerate((i for i in plan.items if i.owner and not i.is_summary), start=1):
        _fields(SubElement(assignments, "Assignment"), {
            "UID": uid, "TaskUID": item.uid, "ResourceUID": owners.index(item.owner) + 1,
            "Units": 1,
        })  # fmt: skip
    indent(root, " ")
    folder.mkdir(parents=True, exist_ok=True)
    text = tostring(root, encoding="unicode")
    (folder / f"{plan.file}.xml").write_text(
        f'<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n{text}\n', encoding="utf-8"
    )


def write_plans(plans: Iterable[Plan], today: Path, review: Path) -> None:
    """Every plan as it stands today and as it stood at the last review."""
    for plan in plans:
        write_plan(plan, review, LAST_REVIEW, "slip_before")
        write_plan(plan, today, LAST_DAY - timedelta(days=1), "slip")


def _number(plan: Plan) -> None:
    """UIDs by row, WBS codes by outline, children by summary."""
    counters: list[int] = []
    parents: list[Item] = []
    for position, item in enumerate(plan.items, start=1):
        item.uid = position
        item.children = []
        del counters[item.level :]
        del parents[item.level - 1 :]
        while len(counters) < item.level:
            counters.append(0)
        counters[item.level - 1] += 1
        item.wbs = ".".join(str(n) for n in counters)
        for parent in parents:
            if not item.is_summary:
                parent.children.append(item)
        if item.is_summary:
            parents.append(item)


def _task(
    element: Element,
    position: int,
    item: Item,
    by_key: dict[str, Item],
    calendar: Workdays,
    today: int,
    status: date,
) -> None:
    begin, end = item.forecast
    base_begin, base_end = item.planned
    done = _done(item, today)
    starts, ends = _span(calendar, begin, end, item.is_milestone)
    base_starts, base_ends = _span(calendar, base_begin, base_end, item.is_milestone)
    length = end - begin
    _fields(element, {
        "UID": item.uid, "ID": position, "Name": item.name, "Active": 1, "Manual": 0,
        "Type": 1, "IsNull": 0, "WBS": item.wbs, "OutlineNumber": item.wbs,
        "OutlineLevel": item.level, "Priority": 500, "Start": _time(starts),
        "Finish": _time(ends), "Duration": _duration(length), "DurationFormat": 7,
        "Milestone": int(item.is_milestone), "Summary": int(item.is_summary),
        "PercentComplete": round(100 * done / length) if length else (100 if end <= today else 0),
        "ConstraintType": 0, "CalendarUID": -1,
    })  # fmt: skip
    finished = end <= today and (length > 0 or begin <= today)
    if finished:
        _fields(element, {
            "ActualStart": _time(starts), "ActualFinish": _time(ends),
            "ActualDuration": _duration(length), "RemainingDuration": _duration(0),
        })  # fmt: skip
    elif done:
        _fields(element, {
            "ActualStart": _time(starts), "ActualDuration": _duration(done),
            "RemainingDuration": _duration(length - done),
        })  # fmt: skip
    else:
        _fields(element, {"RemainingDuration": _duration(length)})
    if item.blocked and not finished and item.blocked[2] <= status:
        for id, value in zip((BLOCKED_BY, BLOCKER_OWNER, BLOCKED_SINCE), item.blocked, strict=True):
            _fields(SubElement(element, "ExtendedAttribute"), {"FieldID": id, "Value": value})
    for key, kind, lag in item.after:
        _fields(SubElement(element, "PredecessorLink"), {
            "PredecessorUID": by_key[key].uid, "Type": {"FF": 0, "FS": 1, "SS": 3}[kind],
            "CrossProject": 0, "LinkLag": lag * 4800, "LagFormat": 7,
        })  # fmt: skip
    _fields(SubElement(element, "Baseline"), {
        "Number": 0, "Start": _time(base_starts), "Finish": _time(base_ends),
        "Duration": _duration(base_end - base_begin), "DurationFormat": 7,
    })  # fmt: skip


def _done(item: Item, today: int) -> int:
    """Workdays of the item that lie behind."""
    begin, end = item.forecast
    if item.is_summary:
        total = sum(child.forecast[1] - child.forecast[0] for child in item.children)
        behind = sum(_done(child, today) for child in item.children)
        return round((end - begin) * behind / total) if total else 0
    return max(0, min(end, today) - begin)


def _span(
    calendar: Workdays, begin: int, end: int, is_milestone: bool
) -> tuple[datetime, datetime]:
    if is_milestone:
        moment = calendar.end(end) if end else calendar.start(0)
        return moment, moment
    return calendar.start(begin), calendar.end(end)


def _calendar(calendars: Element) -> None:
    calendar = SubElement(calendars, "Calendar")
    _fields(calendar, {"UID": 1, "Name": "China 2026-27", "IsBaseCalendar": 1,
                       "BaseCalendarUID": -1})  # fmt: skip
    days = SubElement(calendar, "WeekDays")
    for weekday in range(1, 8):
        day = SubElement(days, "WeekDay")
        works = 2 <= weekday <= 6
        _fields(day, {"DayType": weekday, "DayWorking": int(works)})
        if works:
            _shifts(day)
    exceptions = SubElement(calendar, "Exceptions")
    for name, first, last in HOLIDAYS:
        _exception(exceptions, name, first, last, works=False)
    for day_off in MAKE_UP_DAYS:
        _exception(exceptions, "Make-up day 调休", day_off, day_off, works=True)


def _exception(parent: Element, name: str, first: date, last: date, *, works: bool) -> None:
    entry = SubElement(parent, "Exception")
    _fields(entry, {"EnteredByOccurrences": 0})
    _fields(
        SubElement(entry, "TimePeriod"),
        {"FromDate": f"{first}T00:00:00", "ToDate": f"{last}T23:59:00"},
    )
    _fields(entry, {"Occurrences": (last - first).days + 1, "Name": name, "Type": 1,
                    "DayWorking": int(works)})  # fmt: skip
    if works:
        _shifts(entry)


def _shifts(day: Element) -> None:
    times = SubElement(day, "WorkingTimes")
    for begin, end in (("08:00:00", "12:00:00"), ("13:00:00", "17:00:00")):
        _fields(SubElement(times, "WorkingTime"), {"FromTime": begin, "ToTime": end})


def _fields(parent: Element, values: dict[str, object]) -> None:
    for name, value in values.items():
        SubElement(parent, name).text = str(value)


def _time(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M:%S")


def _duration(days: int) -> str:
    return f"PT{days * 8}H0M0S"
