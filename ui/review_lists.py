"""The lists of the weekly review: findings, decisions, programmes, milestones, risks, changes."""

from collections.abc import Callable, Mapping
from typing import Any
from zoneinfo import ZoneInfo

import polars as pl

from metrics.answer import Answer
from metrics.milestones import milestone_changes
from ui.format import day, duration_minutes, money_short, month, number, percent
from ui.i18n import in_language, t
from ui.statements import Statement, rich, strong, words

REASONS = 2
"""Checks named under a programme; the rest is on the pages that own them."""

TOP_RISKS = 5
CHANGES = 6

FINDINGS = {
    "idle_cluster": (
        "**{name} stands idle**: {percent} of its {count} GPUs were in use in the last {days} "
        "days; the idle hours cost **{amount}**.",
        "utilisation",
    ),
    "forgotten_commitment": (
        "**{name} is paid for and unused**: **{amount}** in {count} months.",
        "cost_allocation",
    ),
    "slipping_milestone": (
        "**{name} slips {days} days** to {at}; {count} GPUs wait for it, worth **{amount}**.",
        "milestones",
    ),
    "over_budget": (
        "**{name} is over budget**: {percent} of the budget of {month} is used, **{amount}** "
        "above it.",
        "cost_allocation",
    ),
    "slo_breached": (
        "**{name} broke its SLO**: {percent} of the error budget of {month} is left after "
        "{minutes} down.",
        "sla",
    ),
}
"""A finding's sentence, and the page that says more, by its kind."""

WITHOUT_MONEY = "**{name} slips {days} days** to {at}; {count} GPUs wait for it."
WITHOUT_STAKE = "**{name} slips {days} days** to {at}, on the critical path."

DECISIONS = {
    "idle_cluster": "Give {name} work, or give it back?",
    "forgotten_commitment": "Use, exchange or sell {name}?",
    "slipping_milestone": "What brings {name} back to {promised}?",
    "over_budget": "Raise {name}'s budget, or cut its use?",
    "slo_breached": "Freeze changes to {name} until its budget recovers?",
}
"""What a finding asks of the review, by its kind."""

CHECKS = {
    "milestone_slip": "{subject} slips {value} days",
    "end_slip": "the end slips {value} days",
    "spi": "SPI {value}",
    "critical_risks": "critical risks: {value}",
    "overdue_steps": "overdue steps: {value}",
    "service": "{subject} has {value} of its error budget left",
}
"""A check's finding in a programme's quiet line, by its name."""


def findings(answer: Answer, zone: ZoneInfo, before: Answer | None) -> list[Statement]:
    """What is being lost, the gravest first; those that the earlier review did not have say so."""
    known = None if before is None else set(_keys(before.frame))
    rows = []
    for key, row in zip(_keys(answer.frame), answer.frame.iter_rows(named=True), strict=True):
        message, page = FINDINGS[row["kind"]]
        if row["kind"] == "slipping_milestone" and row["amount"] is None:
            message = WITHOUT_MONEY if row["count"] else WITHOUT_STAKE
        about = in_language(row["about"], row["about_zh"]) if row["about"] else ""
        if row["kind"] == "forgotten_commitment":
            used = day(row["at"], zone) if row["at"] else t("never")
            about = " · ".join(part for part in (about, t("last used: {day}", day=used)) if part)
        new = t("new since the review") if known is not None and key not in known else ""
        rows.append(
            Statement(
                rich(message, **_values(row, zone)),
                quiet=" · ".join(words(part) for part in (about, new) if part),
                status=row["severity"],
                page=page,
            )
        )
    return rows


def decisions(found: Answer | None, asked: Answer | None, zone: ZoneInfo) -> list[Statement]:
    """What must be decided: what the register asks, then what the findings ask."""
    rows = []
    for row in asked.frame.iter_rows(named=True) if asked else ():
        late = row["days_overdue"]
        due = t("due {day}", day=day(row["due"])) if row["due"] else t("without a date")
        rows.append(
            Statement(
                words(in_language(row["title"], row["title_zh"])),
                quiet=words(" · ".join([row["owner"] or t("nobody"), due])),
                status="red" if late else "amber",
                word=t("overdue") if late else t("asked"),
                page="risks",
            )
        )
    for row in found.frame.iter_rows(named=True) if found else ():
        if row["severity"] == "red":
            rows.append(Statement(rich(DECISIONS[row["kind"]], **_values(row, zone)), sign="?"))
    return rows


def programmes(answer: Answer, zone: ZoneInfo) -> list[Statement]:
    """Each programme's health and what makes it so, its next milestone and its end."""
    checks = answer.extra["checks"]
    rows = []
    for row in answer.frame.iter_rows(named=True):
        own = checks.filter(
            (pl.col("program") == row["program"]) & pl.col("status").is_in(["red", "amber"])
        )
        reasons = [_reason(check) for check in own.head(REASONS).iter_rows(named=True)]
        why = t("; ").join(reasons) if reasons else t("every check is within its threshold")
        if row["health"] == "grey":
            why = t("nothing is known of it")
        coming = ""
        if row["next_milestone"]:
            coming = t(
                "Next: {milestone}, {day}",
                milestone=row["next_milestone"],
                day=day(row["next_finish"], zone),
            )
        side = ""
        if row["finish"]:
            side = words(day(row["finish"], zone)) + _slip(row["slip_days"])
        rows.append(
            Statement(
                rich("**{name}**: {why}", name=in_language(row["name"], row["name_zh"]), why=why),
                quiet=words(coming),
                side=side,
                status=row["health"],
                page="milestones",
            )
        )
    return rows


def milestones_due(answer: Answer, zone: ZoneInfo) -> list[Statement]:
    """What is to be reached within four weeks, soonest first."""
    rows = []
    for row in answer.frame.iter_rows(named=True):
        status, word = "green", t("on plan")
        if row["status"] == "overdue":
            status, word = "red", t("overdue")
        elif (row["slip_days"] or 0) > 0:
            status, word = ("red" if row["critical"] else "amber"), t("late")
        quiet = [in_language(row["program_name"], row["program_name_zh"]), row["owner"]]
        rows.append(
            Statement(
                strong(row["name"]),
                quiet=words(" · ".join(part for part in quiet if part)),
                side=words(day(row["finish"], zone)) + _slip(row["slip_days"]),
                status=status,
                word=word,
            )
        )
    return rows


def top_risks(answer: Answer, movement: Answer | None, currency: str) -> list[Statement]:
    """The heaviest live risks, how they moved since the review and who holds them."""
    moves = {} if movement is None else {r["id"]: r for r in movement.frame.iter_rows(named=True)}
    rows = []
    live = answer.extra["register"].filter(pl.col("is_live") & pl.col("score").is_not_null())
    for row in live.head(TOP_RISKS).iter_rows(named=True):
        emv = "" if row["emv"] is None else money_short(row["emv"], row["currency"] or currency)
        quiet = [t("score {n}", n=row["score"]), _move(moves.get(row["id"])), row["owner"]]
        rows.append(
            Statement(
                strong(in_language(row["title"], row["title_zh"])),
                quiet=words(" · ".join(part for part in quiet if part)),
                side=words(emv),
                status="red" if row["band"] == "critical" else "amber",
                word=str(row["id"]),
            )
        )
    return rows


def changes(
    now: Mapping[str, Answer | None], before: Mapping[str, Answer | None], zone: ZoneInfo
) -> list[Statement]:
    """What differs from the review compared with: health, findings, milestones, risks."""
    rows: list[Statement] = []
    both: list[tuple[str, Callable[[Answer, Answer, ZoneInfo], list[Statement]]]] = [
        ("program-health", _health_changes),
        ("findings", _finding_changes),
        ("milestones", _milestone_changes),
    ]
    for name, differ in both:
        then, today = before.get(name), now.get(name)
        if then is not None and today is not None:
            rows += differ(today, then, zone)
    movement = now.get("risk-movement")
    if movement is not None:
        rows += _risk_changes(movement.frame)
    return rows


def _health_changes(now: Answer, then: Answer, zone: ZoneInfo) -> list[Statement]:
    was = dict(then.frame.select("program", "health").rows())
    return [
        Statement(
            rich(
                "**{name}** was {was}, is {now}",
                name=in_language(row["name"], row["name_zh"]),
                was=t(HEALTH_WORDS[was[row["program"]]]),
                now=t(HEALTH_WORDS[row["health"]]),
            ),
            status=row["health"],
        )
        for row in now.frame.iter_rows(named=True)
        if was.get(row["program"], row["health"]) != row["health"]
    ]


HEALTH_WORDS = {"red": "red", "amber": "amber", "green": "green", "grey": "without data"}


def _finding_changes(now: Answer, then: Answer, zone: ZoneInfo) -> list[Statement]:
    today, earlier = _keys(now.frame), _keys(then.frame)
    rows = []
    for key, row in zip(today, now.frame.iter_rows(named=True), strict=True):
        if key not in earlier:
            name = in_language(row["name"], row["name_zh"])
            rows.append(Statement(rich(NEW[row["kind"]], name=name), sign="✚"))
    for key, row in zip(earlier, then.frame.iter_rows(named=True), strict=True):
        if key not in today:
            name = in_language(row["name"], row["name_zh"])
            rows.append(Statement(rich(GONE[row["kind"]], name=name), sign="✓"))
    return rows


NEW = {
    "idle_cluster": "**{name}** now stands idle",
    "forgotten_commitment": "**{name}** now counts as forgotten",
    "slipping_milestone": "**{name}** now slips",
    "over_budget": "**{name}** went over budget",
    "slo_breached": "**{name}** broke its SLO",
}
GONE = {
    "idle_cluster": "**{name}** is in use again",
    "forgotten_commitment": "**{name}** is used again",
    "slipping_milestone": "**{name}** no longer slips",
    "over_budget": "**{name}** is within budget",
    "slo_breached": "**{name}** is within its SLO",
}


def _milestone_changes(now: Answer, then: Answer, zone: ZoneInfo) -> list[Statement]:
    rows = []
    for row in milestone_changes(now.frame, then.frame).head(CHANGES).iter_rows(named=True):
        values = {"name": row["name"], "day": day(row["finish"], zone)}
        if row["is_reached"]:
            rows.append(Statement(rich("**{name}** is reached", **values), sign="✓"))
        elif row["is_new"]:
            rows.append(Statement(rich("**{name}** is new, due {day}", **values), sign="✚"))
        elif row["moved_days"] > 0:
            text = rich("**{name}** moved {n} days later, to {day}", n=row["moved_days"], **values)
            rows.append(Statement(text, sign="▶"))
        else:
            text = rich(
                "**{name}** moved {n} days earlier, to {day}", n=-row["moved_days"], **values
            )
            rows.append(Statement(text, sign="◀"))
    return rows


def _risk_changes(movement: pl.DataFrame) -> list[Statement]:
    moved = movement.filter(pl.col("kind") != "same").sort(
        "score", descending=True, nulls_last=True
    )
    messages = {
        "up": ("Risk **{title}** rose from {was} to {score}", "▲"),
        "down": ("Risk **{title}** fell from {was} to {score}", "▼"),
        "new": ("Risk **{title}** is new at {score}", "✚"),
        "closed": ("Risk **{title}** is closed", "✓"),
        "occurred": ("Risk **{title}** occurred", "⚡"),
    }
    rows = []
    for row in moved.head(CHANGES).iter_rows(named=True):
        message, sign = messages[row["kind"]]
        title = in_language(row["title"], row["title_zh"])
        text = rich(message, title=title, was=row["score_was"], score=row["score"])
        rows.append(Statement(text, sign=sign))
    return rows


def _move(row: Mapping[str, Any] | None) -> str:
    if row is None or row["kind"] == "same":
        return t("unchanged")
    if row["kind"] == "new":
        return "✚ " + t("new")
    return f"▲ {row['move']:+d}" if row["kind"] == "up" else f"▼ {row['move']:+d}"


def _reason(check: Mapping[str, Any]) -> str:
    value = check["value"]
    if check["check"] == "service":
        shown = percent(value, 0)
    else:
        shown = number(value, 2 if check["check"] == "spi" else 0)
    subject = in_language(check["subject"], check["subject_zh"]) if check["subject"] else ""
    return t(CHECKS[check["check"]], value=shown, subject=subject)


def _slip(days: int | None) -> str:
    """A line under a date: how far it is from the baseline."""
    if not days:
        return ""
    return '<div style="font-size:.88em">' + rich("{n} d", n=f"{days:+d}") + "</div>"


def _keys(frame: pl.DataFrame) -> list[tuple[str, str]]:
    return frame.select("kind", "subject").rows()


def _values(row: Mapping[str, Any], zone: ZoneInfo) -> dict[str, str]:
    """A finding's figures as a reader sees them."""
    return {
        "name": in_language(row["name"], row["name_zh"]),
        "percent": percent(row["percent"], 0),
        "count": number(row["count"]),
        "days": number(row["days"]),
        "amount": money_short(row["amount"], row["currency"] or ""),
        "minutes": duration_minutes(row["minutes"]),
        "at": day(row["at"], zone),
        "promised": day(row["promised"], zone),
        "month": month(row["month"]) if row["month"] else "",
    }
