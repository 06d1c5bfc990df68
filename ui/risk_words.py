"""A register in words: the sentences above it, its rows, what an import would do."""

import re
from collections.abc import Mapping
from typing import Any

import polars as pl

from ui.format import money_short
from ui.i18n import language, t
from ui.risk_form import heading, shown

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


def plain(text: str | None) -> str:
    """A person's text inside a sentence, with nothing left for Markdown to act on."""
    return re.sub(r"([\\`*_{}\[\]()#+\-.!~|$<>:])", r"\\\1", text or "")


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
    undated = now["without_dated_action"]
    sentences = [
        first
        + (
            t(
                ", and **{n} of {risks} live risks have no dated action**.",
                n=undated,
                risks=now["risks"],
            )
            if undated
            else t("; every one of {risks} live risks has a dated action.", risks=now["risks"])
        )
    ]
    others = exposure.filter(pl.col("currency") != currency)
    if not others.is_empty():
        sums = [money_short(row["emv"], row["currency"]) for row in others.iter_rows(named=True)]
        sentences.append(t("Besides, {sums} in other currencies.", sums=", ".join(sums)))
    moves = [_move(row) for row in _notable(movement)]
    if moves:
        sentences.append("; ".join(moves) + t("."))
    if now["overdue"]:
        owner = plain(next(iter(overdue["owner"].drop_nulls().to_list()), None))
        if owner:
            sentences.append(
                t(
                    "**{n} actions are overdue**, the oldest with {owner}.",
                    n=now["overdue"],
                    owner=owner,
                )
            )
        else:
            sentences.append(t("**{n} actions are overdue.**", n=now["overdue"]))
    return " ".join(sentences) if language() == "en" else "".join(sentences)


def move_text(row: Mapping[str, Any] | None) -> str:
    """▲ +8, ▼ -4, ✚ new, – : how a risk moved since the review."""
    if row is None:
        return "–"
    kind = str(row["kind"])
    if kind in ("up", "down"):
        return f"{SIGNS[kind]} {row['move']:+d}"
    return SIGNS[kind] if kind == "same" else f"{SIGNS[kind]} {t(kind)}"


def audit_rows(trail: pl.DataFrame) -> pl.DataFrame:
    """The audit trail with fields and values in the page's language."""
    return trail.with_columns(
        pl.struct("field", "was", "is")
        .map_elements(lambda row: _audit_value(row["field"], row["was"]), return_dtype=pl.String)
        .alias("was"),
        pl.struct("field", "was", "is")
        .map_elements(lambda row: _audit_value(row["field"], row["is"]), return_dtype=pl.String)
        .alias("is"),
        field=pl.col("field").map_elements(heading, return_dtype=pl.String),
        how=pl.col("how").map_elements(t, return_dtype=pl.String),
    )


def _audit_value(field: str, value: str | None) -> str:
    return shown(field, value)


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
