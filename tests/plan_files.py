"""Small plans as Microsoft Project saves them, for tests of figures and pages."""

from pathlib import Path
from typing import Any

HEAD = """<?xml version="1.0" encoding="UTF-8"?>
<Project xmlns="http://schemas.microsoft.com/project">
<Title>{title}</Title><StartDate>2026-11-02T08:00:00</StartDate>
<StatusDate>2026-11-13T17:00:00</StatusDate><CalendarUID>1</CalendarUID>
<MinutesPerDay>480</MinutesPerDay><CurrencyCode>USD</CurrencyCode>
<ExtendedAttributes>
<ExtendedAttribute><FieldID>1</FieldID><Alias>Blocked by</Alias></ExtendedAttribute>
<ExtendedAttribute><FieldID>2</FieldID><Alias>Blocker owner</Alias></ExtendedAttribute>
<ExtendedAttribute><FieldID>3</FieldID><Alias>Blocked since</Alias></ExtendedAttribute>
</ExtendedAttributes>
<Calendars><Calendar><UID>1</UID><Name>Standard</Name></Calendar></Calendars><Tasks>
"""


def write_plan(path: Path, tasks: str, title: str = "Cooling") -> Path:
    """A plan of these task elements, as of Friday 13 November 2026, 17:00."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(HEAD.format(title=title) + tasks + "</Tasks></Project>", encoding="utf-8")
    return path


def task(
    uid: int,
    name: str,
    days: float,
    after: tuple[int, ...] = (),
    *,
    level: int = 2,
    percent: int = 0,
    baseline: tuple[str, str] | None = None,
    **more: Any,
) -> str:
    """A task element. baseline: its first and last day; more: further elements by name."""
    custom = "".join(
        f"<ExtendedAttribute><FieldID>{number}</FieldID><Value>{more.pop(name)}</Value>"
        "</ExtendedAttribute>"
        for number, name in enumerate(("blocked_by", "blocker_owner", "blocked_since"), 1)
        if name in more
    )
    return (
        f"<Task><UID>{uid}</UID><Name>{name}</Name><WBS>{uid}</WBS>"
        f"<OutlineLevel>{level}</OutlineLevel><Duration>PT{round(days * 8)}H0M0S</Duration>"
        f"<PercentComplete>{percent}</PercentComplete>"
        + "".join(f"<{tag}>{value}</{tag}>" for tag, value in more.items())
        + "".join(
            f"<PredecessorLink><PredecessorUID>{before}</PredecessorUID></PredecessorLink>"
            for before in after
        )
        + (_baseline(days, *baseline) if baseline else "")
        + custom
        + "</Task>"
    )


def _baseline(days: float, start: str, finish: str) -> str:
    at = "T17:00:00" if days == 0 else "T08:00:00"
    return (
        f"<Baseline><Number>0</Number><Start>{start}{at}</Start>"
        f"<Finish>{finish}T17:00:00</Finish><Duration>PT{round(days * 8)}H0M0S</Duration>"
        "</Baseline>"
    )


def slipping_plan(path: Path, extra_days: float = 0, title: str = "Cooling") -> Path:
    """Pipe (done), flush (blocked, was 2 days, is 4 and more), test milestone, hand-over.

    As promised: pipe 2 to 6 Nov, flush 9 and 10, milestone 10, hand-over 11.
    Now: flush 9 to 12, and since it is not done on the 13th, from there on.
    """
    done = {"ActualStart": "2026-11-02T08:00:00", "ActualFinish": "2026-11-06T17:00:00"}
    return write_plan(
        path,
        task(1, "Loop", 0, level=1)
        + task(2, "Pipe", 5, percent=100, baseline=("2026-11-02", "2026-11-06"), **done)
        + task(
            3,
            "Flush",
            4 + extra_days,
            (2,),
            percent=50,
            baseline=("2026-11-09", "2026-11-10"),
            ActualStart="2026-11-09T08:00:00",
            RemainingDuration=f"PT{16 + round(extra_days * 8)}H0M0S",
            blocked_by="GPU-2 sensors at customs",
            blocked_since="2026-11-09",
        )
        + task(4, "Loop tested", 0, (3,), baseline=("2026-11-10", "2026-11-10"), Milestone=1)
        + task(5, "Hand-over", 1, (4,), baseline=("2026-11-11", "2026-11-11"))
        + task(6, "Manuals", 1, (2,), baseline=("2026-11-09", "2026-11-09"), percent=0),
        title,
    )
