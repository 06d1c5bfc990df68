"""Words of the Milestones page, from the figures it asks for."""

from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

import polars as pl

from metrics.answer import Answer
from metrics.milestones import milestone_changes
from ui.format import day, day_short, days, missing, money_short, number, signed
from ui.i18n import language, t
from ui.page import Page
from ui.tiles import Tile

ALL = "all"
MOST_MOVES = 8


def program_names(programs: pl.DataFrame) -> dict[str, str]:
    """Names in the reader's language by programme."""
    chosen = "name_zh" if language() == "zh" else "name"
    return {
        row["program"]: row[chosen] or row["name"] or row["program"]
        for row in programs.iter_rows(named=True)
    }


def headline(answer: Answer, zone: ZoneInfo) -> str:
    """What is due, what slips, why, and what it does to the end: one to three sentences."""
    summary = answer.extra["summary"].row(0, named=True)
    if not summary["open"]:
        return _nothing_open(answer, zone)
    late = worst_first(answer.frame)
    if late.is_empty():
        ahead = answer.frame.filter(pl.col("status") != "done")
        coming = ahead.row(0, named=True)
        is_promised = ahead["baseline_finish"].drop_nulls().len() > 0
        sentences = [
            t("No open milestone is later than its baseline.")
            if is_promised
            else t("No baseline is kept, so what slips is not known."),
            t(
                "Next is **{name}** on **{day}**.",
                name=coming["name"],
                day=day(coming["finish"], zone),
            ),
        ]
    else:
        sentences = _late_sentences(late.row(0, named=True), summary, answer, zone)
    if summary["overdue"]:
        sentences.append(
            t("**{n}** milestones should be over by now and are not.", n=summary["overdue"])
        )
    return ("" if language() == "zh" else " ").join(sentences)


def _nothing_open(answer: Answer, zone: ZoneInfo) -> str:
    if not answer.frame.is_empty():
        return t("Every milestone of these plans is done.")
    end = answer.extra["programs"]["finish"].max()
    if not isinstance(end, datetime):
        return t("These plans hold no task.")
    return t("These plans have no milestone; the last task ends on **{day}**.", day=day(end, zone))


def gantt_in_words() -> str:
    """The picture for those who cannot see it; its rows are in the tables below."""
    return t("Gantt chart: tasks with baseline, critical path, milestones and today")


def worst_first(milestones: pl.DataFrame) -> pl.DataFrame:
    """Open milestones behind their baseline: what most waits for, then the latest."""
    return milestones.filter((pl.col("status") != "done") & (pl.col("slip_days") > 0)).sort(
        pl.col("gpus_waiting").fill_null(0),
        "slip_days",
        "finish",
        descending=[True, True, False],
    )


def _late_sentences(
    worst: dict[str, Any], summary: dict[str, Any], answer: Answer, zone: ZoneInfo
) -> list[str]:
    sentences = [
        t(
            "**{name}** slips **{days}** to **{day}**; **{late} of {open}** open milestones "
            "are late.",
            name=worst["name"],
            days=days(worst["slip_days"]),
            day=day(worst["finish"], zone),
            late=summary["late"],
            open=summary["open"],
        )
    ]
    ends = answer.extra["programs"].filter(pl.col("program") == worst["program"])
    end = ends.row(0, named=True)
    if end["slip_days"]:
        sentences.append(
            t(
                "The plan now ends on **{day}**, **{days}** later than promised.",
                day=day(end["finish"], zone),
                days=days(end["slip_days"]),
            )
        )
    if worst["gpus_waiting"]:
        sentences.append(_waiting(worst))
    return sentences


def _waiting(worst: dict[str, Any]) -> str:
    gpus = number(worst["gpus_waiting"])
    if worst["slip_cost"] is None:
        return t("Meanwhile **{gpus} GPUs** stand idle.", gpus=gpus)
    return t(
        "Meanwhile **{gpus} GPUs** stand idle: **{money}** until then.",
        gpus=gpus,
        money=money_short(worst["slip_cost"], worst["currency"]),
    )


def milestone_tiles(now: Answer, before: Answer | None, zone: ZoneInfo) -> list[Tile]:
    """Six figures with their change since the review compared with."""
    summary = now.extra["summary"].row(0, named=True)
    was = before.extra["summary"].row(0, named=True) if before else {}
    ahead = now.frame.filter(pl.col("status") != "done")
    coming = ahead.row(0, named=True) if ahead.height else None
    return [
        Tile(
            t("Next milestone"),
            day_short(coming["finish"], zone) if coming else "–",
            hint=f"{coming['name']}, {day(coming['finish'], zone)}" if coming else None,
        ),
        Tile(t("Due in six weeks"), number(summary["due"]), _more(summary, was, "due")),
        Tile(
            t("Late milestones"), number(summary["late"]), _more(summary, was, "late"), good="down"
        ),
        Tile(
            t("Lowest SPI"),
            missing() if summary["spi"] is None else number(summary["spi"], 2),
            _more(summary, was, "spi", 2),
            good="up",
            hint=t(
                "Schedule performance index: earned over planned value of the baseline, weighed "
                "by cost, work or duration."
            ),
        ),
        Tile(
            t("Blocked items"), number(summary["blocked"]), _more(summary, was, "blocked"), "down"
        ),
        _cost_tile(summary, was),
    ]


def _cost_tile(summary: dict[str, Any], was: dict[str, Any]) -> Tile:
    cost, currency = summary["slip_cost"], summary["currency"]
    earlier = was.get("slip_cost")
    change = None
    if cost is not None and earlier is not None and was.get("currency") == currency:
        change = signed(money_short(cost - earlier, currency), cost - earlier)
    return Tile(
        t("Cost of slips"),
        t("not known") if cost is None else money_short(cost, currency),
        change,
        good="down",
        hint=t("GPUs that wait for late milestones, at their cluster's cost per owned hour."),
    )


def _more(now: dict[str, Any], was: dict[str, Any], name: str, digits: int = 0) -> str | None:
    if now[name] is None or was.get(name) is None:
        return None
    change = now[name] - was[name]
    return signed(number(change, digits), change)


def change_lines(now: Answer, before: Answer | None, zone: ZoneInfo) -> list[str]:
    """What moved since the review, a sentence each, or that nothing did."""
    if before is None:
        return [t("There is no earlier review to compare with.")]
    lines = []
    moves = milestone_changes(now.frame, before.frame).head(MOST_MOVES)
    for row in moves.iter_rows(named=True):
        told = {"name": row["name"], "day": day(row["finish"], zone)}
        if row["is_reached"]:
            lines.append(t("■ **{name}** was reached on {day}.", **told))
        elif row["is_new"]:
            lines.append(t("○ **{name}** is new, due {day}.", **told))
        else:
            later = (row["moved_days"] or 0) > 0
            told["days"] = days(abs(row["moved_days"] or 0))
            told["before"] = day(row["before"], zone)
            lines.append(
                t("▲ **{name}** moved **{days}** later, from {before} to {day}.", **told)
                if later
                else t("■ **{name}** moved **{days}** earlier, from {before} to {day}.", **told)
            )
    return lines or [t("No milestone moved.")]


def reason_title(found: Answer) -> str:
    """Which date is explained: the worst late milestone's, or else the end."""
    late = worst_first(found.frame)
    if late.is_empty():
        return t("What sets the end")
    return t("Why {name} is on that day", name=late["name"][0])


def reason(page: Page, found: Answer, project: str | None) -> Answer | None:
    """The path to the worst late milestone, or else to the plan's end."""
    late = worst_first(found.frame)
    uid = None if late.is_empty() else late["uid"][0]
    project = project if late.is_empty() else late["project"][0]
    if project is None:
        return None
    path = page.maybe("driving-path", project=project, uid=uid)
    return path if path is not None and path.frame.height else None


def loop_lines(loops: pl.DataFrame) -> list[str]:
    """Each loop of tasks that wait for each other, in a sentence."""
    return [
        t(
            "These tasks wait for each other and have no dates: {names}.",
            names=" → ".join(str(name) for name in members["name"]),
        )
        for _, members in loops.group_by("loop", maintain_order=True)
    ]
