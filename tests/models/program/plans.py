"""Small networks and real plans for the schedule's tests."""

from datetime import datetime
from typing import Any

from models.program.calendar import STANDARD_WEEK, WorkingTime, seconds_of
from models.program.network import Activity, Link, Network, network
from pipelines.sources.msproject import MsProjectOptions, MsProjectReader
from tests.real import real

DAY_S = 86_400
CLOCK = WorkingTime("every hour", (((0, DAY_S),),) * 7)
WEEKDAYS = WorkingTime("standard", STANDARD_WEEK)


def days(
    durations: dict[str, float], *links: tuple[str, str, str, float], **more: dict[str, Any]
) -> Network:
    """A network in whole clock days from day 0. links: (before, after, type, lag in days)."""
    return Network(
        start=0,
        calendar=CLOCK,
        activities={
            uid: Activity(uid, round(length * DAY_S), CLOCK, CLOCK, **more.get(uid, {}))
            for uid, length in durations.items()
        },
        links=[Link(before, after, kind, round(lag * DAY_S)) for before, after, kind, lag in links],
    )


def real_plan(name: str) -> Network:
    """The network of a real plan."""
    return network(*real_tables(name))


def real_tables(name: str) -> tuple[Any, ...]:
    """Project row, tasks, links and calendars of a real plan."""
    tables = MsProjectReader().read(real(f"trackers/{name}"), MsProjectOptions()).tables
    return (
        tables["project"].row(0, named=True),  # type: ignore[union-attr]
        tables["task"],
        tables["task_link"],
        tables["calendar"],
    )


def moment(text: str) -> int:
    """Seconds of a local time."""
    return seconds_of(datetime.fromisoformat(text))
