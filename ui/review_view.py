"""The weekly review in words: its headline and tiles, from the figures it asks for."""

from decimal import Decimal
from typing import Any

import polars as pl

from metrics.answer import Answer
from ui.format import money_short, month, number, percent, signed
from ui.i18n import in_language, sentences, t
from ui.markup import plain
from ui.tiles import Tile

MILLION = 1_000_000
SPARK_DAYS = 28


def headline(
    health: Answer | None,
    found: Answer | None,
    spend: Answer | None,
    services: Answer | None,
    currency: str,
) -> str:
    """Are we healthy, what is being lost, and are we inside budgets and promises?"""
    said = []
    if health is not None and not health.frame.is_empty():
        said.append(_programmes(health.frame))
    if found is not None:
        said.append(_losses(found.frame, currency))
    month_ = _spent(spend)
    if month_ is not None and month_["used_percent"] is not None:
        said.append(_spend(month_))
    if services is not None:
        said.append(_service(services))
    return sentences(said)


def _programmes(frame: pl.DataFrame) -> str:
    healthy = frame.filter(pl.col("health") == "green").height
    red = [
        plain(in_language(row["name"], row["name_zh"]))
        for row in frame.filter(pl.col("health") == "red").iter_rows(named=True)
    ]
    first = t("**{n} of {all} programmes on plan.**", n=healthy, all=frame.height)
    if not red:
        return first
    return sentences([first, t("Red: {names}.", names=t(", ").join(red))])


def _losses(frame: pl.DataFrame, currency: str) -> str:
    red = frame.filter(pl.col("severity") == "red")
    if red.is_empty():
        return t("Nothing needs a decision.")
    lost = sum(red.filter(pl.col("currency") == currency)["amount"].drop_nulls(), Decimal(0))
    if not lost:
        return t("Decisions needed: **{n}**.", n=red.height)
    return t(
        "Decisions needed: **{n}**; the money in them is **{money}**.",
        n=red.height,
        money=money_short(lost, currency),
    )


def _spend(row: dict[str, Any]) -> str:
    over = row["used_percent"] - 100
    values = {"month": month(row["month"]), "share": percent(abs(over), 1)}
    if over > 0:
        return t("Spend of {month} is **{share} over** budget.", **values)
    return t("Spend of {month} is **{share} under** budget.", **values)


def _service(services: Answer) -> str:
    (row,) = services.extra["summary"].to_dicts()
    if row["worst_left_percent"] is None:
        return ""
    if not row["breached"]:
        return t("Every service is within its error budget.")
    worst = services.extra["service"].row(
        by_predicate=pl.col("service") == row["worst"], named=True
    )
    return t(
        "{service} has **{left}** of its error budget left.",
        service=plain(in_language(worst["name"], worst["name_zh"])),
        left=percent(row["worst_left_percent"], 0),
    )


def review_tiles(
    now: dict[str, Answer | None], before: dict[str, Answer | None], currency: str
) -> list[Tile]:
    """Six figures with their past and the change since the review compared with.

    now, before: answers by the figure's name; one that cannot be given has no tile.
    """
    built = [
        _spend_tile(now, currency),
        _allocated_tile(now, before),
        _mfu_tile(now, before),
        _due_tile(now, before),
        _exposure_tile(now, currency),
        _services_tile(now, before),
    ]
    return [tile for tile in built if tile is not None]


def _spend_tile(now: dict[str, Answer | None], currency: str) -> Tile | None:
    answer = now["spend-by-month"]
    row = _spent(answer)
    if answer is None or row is None:
        return None
    over = None if row["used_percent"] is None else row["used_percent"] - 100
    return Tile(
        t("Spend, M {currency}", currency=currency),
        number(row["spend"] / MILLION, 2),
        None if over is None else t("{share} on budget", share=signed(percent(over), over)),
        "down",
        [None if v is None else float(v) for v in answer.frame["spend"].drop_nulls()],
        t(
            "Tenants' allocated effective cost in {month}; the line is by month.",
            month=month(row["month"]),
        ),
    )


def _allocated_tile(now: dict[str, Answer | None], before: dict[str, Answer | None]) -> Tile | None:
    share = _cell(now["funnel"], "summary", "allocated_percent")
    if share is None:
        return None
    days = now["use-over-time"]
    return Tile(
        t("Allocated, %"),
        number(share, 1),
        _points(share, _cell(before["funnel"], "summary", "allocated_percent")),
        "up",
        None if days is None else days.frame["allocated_percent"].tail(SPARK_DAYS).to_list(),
        t("Of the available GPU-hours of the month's clusters; the line is by day."),
    )


def _mfu_tile(now: dict[str, Answer | None], before: dict[str, Answer | None]) -> Tile | None:
    answer = now["mfu-by-month"]
    if answer is None or answer.frame.is_empty():
        return None
    share = answer.frame["mfu_percent"][-1]
    was = before["mfu-by-month"]
    return Tile(
        t("MFU, weighted, %"),
        number(share, 1),
        _points(share, was.frame["mfu_percent"][-1] if was and was.frame.height else None),
        "up",
        answer.frame["mfu_percent"].to_list(),
        t("Model FLOPs utilisation of training runs, weighted by accelerator-hours; by month."),
    )


def _due_tile(now: dict[str, Answer | None], before: dict[str, Answer | None]) -> Tile | None:
    answer = now["milestones-due"]
    if answer is None:
        return None
    late = answer.frame.filter(pl.col("slip_days") > 0).height
    return Tile(
        t("Due in 4 weeks"),
        str(answer.frame.height),
        t("{n} late", n=late) if late else t("none late"),
        None,
        [float(n) for n in answer.extra["weeks"]["milestones"]],
        t(
            "Milestones to be reached within 28 days, and those past their day; the line counts "
            "them by week, the next 13 weeks."
        ),
    )


def _exposure_tile(now: dict[str, Answer | None], currency: str) -> Tile | None:
    movement, history = now["risk-movement"], now["risk-history"]
    if movement is None:
        return None
    by = {row["when"]: row for row in movement.extra["summary"].iter_rows(named=True)}
    if not by["now"]["risks"]:
        return None
    change = by["change"]["emv"]
    return Tile(
        t("Exposure, M {currency}", currency=currency),
        number(by["now"]["emv"] / MILLION, 2),
        signed(money_short(change, currency), change) if change else None,
        "down",
        None if history is None else [float(v) for v in history.frame["emv"]],
        t("Probability times cost of live risks, summed; the line is by week."),
    )


def _services_tile(now: dict[str, Answer | None], before: dict[str, Answer | None]) -> Tile | None:
    answer, trend = now["sla"], now["sla-trend"]
    promised = _cell(answer, "summary", "promised")
    if not promised:
        return None
    met, was = _cell(answer, "summary", "met"), _cell(before["sla"], "summary", "met")
    moved = None if was is None else met - was
    return Tile(
        t("SLOs met"),
        t("{met} of {all}", met=met, all=promised),
        signed(str(moved), moved) if moved else None,
        "up",
        None if trend is None else [float(v) for v in trend.extra["summary"]["met"]],
        t("Services within their error budget this month; the line is by month."),
    )


def _spent(answer: Answer | None) -> dict[str, Any] | None:
    """The newest month with spend."""
    if answer is None:
        return None
    rows = answer.frame.filter(pl.col("spend").is_not_null())
    return rows.row(-1, named=True) if rows.height else None


def _cell(answer: Answer | None, frame: str, column: str) -> Any:
    if answer is None or answer.extra[frame].is_empty():
        return None
    return answer.extra[frame][column][0]


def _points(now: float | None, then: float | None) -> str | None:
    """A change of percentages in points; none where it rounds to nothing."""
    if now is None or then is None or round(now - then, 1) == 0:
        return None
    return t("{n} pt", n=signed(number(now - then, 1), now - then))
