"""What the lake knows about plans and tracker items, in the words of MSPDI.

Times of a plan are stored as instants of the plan's own zone; schedule
arithmetic turns them back into local time (models/program/schedule.py). Null
means that the tracker does not say; it is never read as zero.
"""

import pandera.polars as pa
import polars as pl

from models.table import INSTANT, MONEY, Table

PERCENT = pa.Check.in_range(0.0, 100.0)
NOT_NEGATIVE = pa.Check.ge(0)
LINK_TYPES = ("FS", "SS", "FF", "SF")
CONSTRAINTS = ("ASAP", "ALAP", "MSO", "MFO", "SNET", "SNLT", "FNET", "FNLT")
LAG_UNITS = ("working", "elapsed", "percent", "elapsed_percent")


def _text(*, nullable: bool = True) -> pa.Column:
    return pa.Column(pl.String, nullable=nullable)


def _instant(*, nullable: bool = True) -> pa.Column:
    return pa.Column(INSTANT, nullable=nullable)


def _count(check: pa.Check | None = None, *, nullable: bool = True) -> pa.Column:
    return pa.Column(pl.Int64, check, nullable=nullable)


def _seconds() -> pa.Column:
    return pa.Column(pl.Int64, NOT_NEGATIVE, nullable=True)


def _flag(*, nullable: bool = False) -> pa.Column:
    return pa.Column(pl.Boolean, nullable=nullable)


def _percent() -> pa.Column:
    return pa.Column(pl.Float64, PERCENT, nullable=True)


def _one_of(values: tuple[str, ...], *, nullable: bool = True) -> pa.Column:
    return pa.Column(pl.String, pa.Check.isin(values), nullable=nullable)


def _names() -> pa.Column:
    return pa.Column(pl.List(pl.String), nullable=True)


_KEY = {
    "project": _text(nullable=False),
    "scope": _text(nullable=False),
}
_REPLACES = ("project", "scope")
"""scope: what a newer export replaces together. A plan comes whole ("plan"); an
issue list may be a filtered one, so there each issue (its key) stands alone."""

PROJECT = Table(
    name="project",
    schema=pa.DataFrameSchema(
        {
            **_KEY,
            "tracker": _text(nullable=False),
            "title": _text(),
            "timezone": _text(nullable=False),
            "start": _instant(),
            "finish": _instant(),
            "status_date": _instant(),
            "schedule_from_start": _flag(),
            "calendar_uid": _text(),
            "minutes_per_day": _count(pa.Check.gt(0), nullable=False),
            "critical_slack_days": pa.Column(pl.Float64, nullable=False),
            "currency": _text(),
        },
        strict=True,
    ),
    replaces=_REPLACES,
    event_time="status_date",
)
"""A tracker project.

tracker: msproject, jira. timezone: IANA zone of its times.
status_date: the day progress is reported for, where the tracker says.
minutes_per_day: how long a day of a duration is; not 24 h.
critical_slack_days: a task with no more total slack than this is critical.
"""

TASK = Table(
    name="task",
    schema=pa.DataFrameSchema(
        {
            **_KEY,
            "uid": _text(nullable=False),
            "position": _count(nullable=False),
            "name": _text(),
            "wbs": _text(),
            "outline_level": _count(NOT_NEGATIVE),
            "parent_uid": _text(),
            "item_type": _text(nullable=False),
            "is_summary": _flag(),
            "is_milestone": _flag(),
            "is_active": _flag(),
            "is_manual": _flag(),
            "start": _instant(),
            "finish": _instant(),
            "duration_s": _seconds(),
            "is_elapsed": _flag(),
            "percent_complete": _percent(),
            "actual_start": _instant(),
            "actual_finish": _instant(),
            "remaining_s": _seconds(),
            "resume": _instant(),
            "work_s": _seconds(),
            "actual_work_s": _seconds(),
            "remaining_work_s": _seconds(),
            "cost": pa.Column(MONEY, nullable=True),
            "actual_cost": pa.Column(MONEY, nullable=True),
            "constraint": _one_of(CONSTRAINTS),
            "constraint_date": _instant(),
            "deadline": _instant(),
            "calendar_uid": _text(),
            "resource_calendar_uids": _names(),
            "early_start": _instant(),
            "early_finish": _instant(),
            "late_start": _instant(),
            "late_finish": _instant(),
            "total_slack_s": _count(),
            "is_critical": _flag(nullable=True),
            "priority": _text(),
            "owner": _text(),
            "status": _text(),
            "status_category": _text(),
            "created": _instant(),
            "updated": _instant(),
            "resolved": _instant(),
            "due": pa.Column(pl.Date, nullable=True),
            "labels": _names(),
            "sprints": _names(),
            "notes": _text(),
            "blocked_by": _text(),
            "blocker_owner": _text(),
            "blocked_since": pa.Column(pl.Date, nullable=True),
        },
        strict=True,
    ),
    replaces=_REPLACES,
    event_time="updated",
)
"""One row of a plan, or one issue.

position: order in the file; with outline_level it gives the hierarchy, which
    parent_uid spells out.
item_type: task, milestone or summary for a plan; the issue type elsewhere.
start, finish, early_*, late_*, total_slack_s, is_critical: as the tracker
    stored them. Ours are computed beside them (schedule).
is_elapsed: duration_s is clock time, nights and holidays included.
resource_calendar_uids: calendars of the people and machines assigned, where the
    task goes by them.
resume: when the remaining work of an interrupted task goes on.
total_slack_s: working time; negative where dates cannot be kept.
owner: whoever is assigned; several people joined by "; ".
status_category: todo, doing, done where the tracker tells.
blocked_by, blocker_owner, blocked_since: what stops the task, who removes it,
    since when; from a plan's own fields of those names.
"""

TASK_LINK = Table(
    name="task_link",
    schema=pa.DataFrameSchema(
        {
            **_KEY,
            "predecessor_uid": _text(nullable=False),
            "successor_uid": _text(nullable=False),
            "link_type": _text(nullable=False),
            "lag_s": _count(),
            "lag_percent": pa.Column(pl.Float64, nullable=True),
            "lag_unit": _one_of(LAG_UNITS),
            "is_pending": _flag(),
        },
        strict=True,
    ),
    replaces=_REPLACES,
)
"""A dependency: the successor waits for the predecessor.

link_type: FS, SS, FF, SF in a plan; the issue tracker's own word (Blocks,
    Relates) elsewhere, pointing from the issue that acts to the one acted on.
lag_s: in working or elapsed seconds, negative for a lead; or lag_percent of the
    predecessor's duration.
is_pending: one end is not in the file (another project, a filtered export).
"""

TASK_BASELINE = Table(
    name="task_baseline",
    schema=pa.DataFrameSchema(
        {
            **_KEY,
            "uid": _text(nullable=False),
            "number": _count(pa.Check.in_range(0, 10), nullable=False),
            "start": _instant(),
            "finish": _instant(),
            "duration_s": _seconds(),
            "work_s": _seconds(),
            "cost": pa.Column(MONEY, nullable=True),
        },
        strict=True,
    ),
    replaces=_REPLACES,
)
"""What was once promised for a task: the numbered baselines 0 to 10 of a plan."""

TASK_COMMENT = Table(
    name="task_comment",
    schema=pa.DataFrameSchema(
        {
            **_KEY,
            "uid": _text(nullable=False),
            "at": _instant(),
            "author": _text(),
            "body": _text(nullable=False),
        },
        strict=True,
    ),
    replaces=_REPLACES,
)
"""What somebody wrote about an item."""

CALENDAR = Table(
    name="calendar",
    schema=pa.DataFrameSchema(
        {
            **_KEY,
            "uid": _text(nullable=False),
            "name": _text(),
            "base_uid": _text(),
            "weekday": _count(pa.Check.in_range(1, 7)),
            "date_from": pa.Column(pl.Date, nullable=True),
            "date_to": pa.Column(pl.Date, nullable=True),
            "exception": _text(),
            "shift_from_minute": _count(pa.Check.in_range(0, 1440)),
            "shift_to_minute": _count(pa.Check.in_range(0, 1440)),
        },
        strict=True,
    ),
    replaces=_REPLACES,
)
"""One shift of a working calendar, or one day without any.

weekday: 1 Monday to 7 Sunday, for the usual week; else date_from to date_to,
    both included, for days that differ (holidays, made-up Saturdays).
shift_from_minute, shift_to_minute: minutes after midnight; null: no work.
A calendar without days of its own has one row with neither weekday nor dates.
"""

TABLES = (PROJECT, TASK, TASK_LINK, TASK_BASELINE, TASK_COMMENT, CALENDAR)
