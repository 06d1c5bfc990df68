"""A register in words: the sentences above it, its rows, what an import would do."""

from collections.abc import Mapping
from typing import Any
from zoneinfo import ZoneInfo

import polars as pl

from ui.format import moment, money_short
from ui.i18n import language, t
from ui.risk_form import heading, plain, shown

SIGNS = {
    "up": "▲",
    "down": "▼",
    "same": "–",
    "new": "✚",
    "closed": "■",
    "occurred": "⚡",
}
"""Of a risk's movement; the word or the figure stands beside it."""

NAMED = 3
"""Risks named in the headline; the rest is in the table."""


def in_language(english: str | None, chinese: str | None) -> str | None:
    """The text of the page's language, the other where it is missing."""
    return (chinese or english) if language() == "zh" else (english or chinese)


def headline(
    summary: Mapping[str, Mapping[str, Any]],
    movement: pl.DataFrame,
    overdue: pl.DataFrame,
    exposure: pl.DataFrame,
    currency: str,
) -> str:
    """What threatens us, how it moved, and what nobody has dated or done."""
    now, change = summary["now"], summary["change"]
    if change["emv"] > 0:
        first = t("Exposure rises to **{emv}** (P80 {p80})", **_amounts(now, currency))
    elif change["emv"] < 0:
        first = t("Exposure falls to **{emv}** (P80 {p80})", **_amounts(now, currency))
    else:
        first = t("Exposure stays at **{emv}** (P80 {p80})", **_amounts(now, currency))
    sentences = [first + _undated(now)]
    others = exposure.filter(pl.col("currency") != currency)
    if not others.is_empty():
        sums = [money_short(row["emv"], row["currency"]) for row in others.iter_rows(named=True)]
        sentences.append(t("Besides, {sums} in other currencies.", sums=", ".join(sums)))
    moves = [_move(row) for row in _notable(movement)]
    if moves:
        sentences.append(t("; ").join(moves) + t("."))
    if now["overdue"]:
        owners = overdue["owner"].drop_nulls().to_list()
        sentences.append(_late(now["overdue"], plain(owners[0]) if owners else t("nobody")))
    return " ".join(sentences) if language() == "en" else "".join(sentences)


def _undated(now: Mapping[str, Any]) -> str:
    """How many live risks lack a dated action, the end of the first sentence."""
    n, risks = now["without_dated_action"], now["risks"]
    if risks == 0:
        return t("; no risk is live.")
    if n == 0:
        return t("; every live risk has a dated action.")
    if n == 1:
        return t("; **1 of {risks} live risks lacks a dated action**.", risks=risks)
    return t("; **{n} of {risks} live risks lack a dated action**.", n=n, risks=risks)


def _late(n: int, owner: str) -> str:
    if n == 1:
        return t("**One action is overdue**, with {owner}.", owner=owner)
    return t("**{n} actions are overdue**, the oldest with {owner}.", n=n, owner=owner)


def move_text(row: Mapping[str, Any] | None) -> str:
    """▲ +8, ▼ -4, ✚ new, – : how a risk moved since the review."""
    if row is None:
        return "–"
    kind = str(row["kind"])
    if kind in ("up", "down"):
        return f"{SIGNS[kind]} {row['move']:+d}"
    return SIGNS[kind] if kind == "same" else f"{SIGNS[kind]} {t(kind)}"


def audit_rows(trail: pl.DataFrame, zone: ZoneInfo) -> pl.DataFrame:
    """The audit trail with fields, values and times in the page's language."""
    # Row by row: the engine's own threads do not know whose page it is, nor its language.
    rows = [
        {
            "version": row["version"],
            "when": moment(row["at"], zone),
            "who": row["who"],
            "field": heading(row["field"]),
            "was": shown(row["field"], row["was"]),
            "is": shown(row["field"], row["is"]),
            "how": t(row["how"]),
        }
        for row in trail.iter_rows(named=True)
    ]
    texts = ("when", "who", "field", "was", "is", "how")
    return pl.DataFrame(rows, schema={"version": pl.Int64, **dict.fromkeys(texts, pl.String)})


def _amounts(row: Mapping[str, Any], currency: str) -> dict[str, str]:
    return {
        "emv": money_short(row["emv"], currency),
        "p80": money_short(row["p80"], currency),
    }


def _notable(movement: pl.DataFrame) -> list[dict[str, Any]]:
    """Risen first, then those that struck, came, closed or fell; the weightiest of each."""
    order = {"up": 0, "occurred": 1, "new": 2, "closed": 3, "down": 4}
    moved = movement.filter(pl.col("kind").is_in(list(order)))
    ranked = moved.with_columns(
        rank=pl.col("kind").replace_strict(order, return_dtype=pl.Int64)
    ).sort(["rank", "score"], descending=[False, True], nulls_last=True)
    return ranked.head(NAMED).to_dicts()


def _move(row: Mapping[str, Any]) -> str:
    title = plain(in_language(row["title"], row["title_zh"]))
    sentences = {
        "up": "*{title}* moved up to {score}",
        "down": "*{title}* came down to {score}",
        "new": "*{title}* is new at {score}",
        "closed": "*{title}* closed",
        "occurred": "*{title}* happened",
    }
    return t(sentences[row["kind"]], title=title, score=row["score"] or "–")
