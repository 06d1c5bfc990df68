"""The register's tiles and table, in the page's language."""

from collections.abc import Mapping
from typing import Any

import polars as pl

from ui.format import money_short, signed
from ui.i18n import t
from ui.risk_form import word
from ui.risk_words import in_language, move_text
from ui.tables import Column
from ui.tiles import Tile


def risk_tiles(
    summary: Mapping[str, Mapping[str, Any]], history: pl.DataFrame, currency: str
) -> list[Tile]:
    """What a review looks at first: each figure, its change since the last one, its past."""
    now, change = summary["now"], summary["change"]

    def count(label: str, name: str, hint: str | None = None) -> Tile:
        past = history[name].to_list() if name in history.columns else None
        moved = f"{change[name]:+d}" if change[name] else None
        return Tile(label, str(now[name]), moved, "down", past, hint)

    def amount(label: str, name: str, hint: str) -> Tile:
        moved = signed(money_short(change[name], currency), change[name]) if change[name] else None
        past = history[name].to_list()
        return Tile(label, money_short(now[name], currency), moved, "down", past, hint)

    return [
        count(
            t("Live risks"),
            "risks",
            t("Open risks and drafts; closed and occurred ones threaten no more."),
        ),
        count(t("Score 16 and above"), "critical"),
        amount(
            t("Exposure (EMV)"),
            "emv",
            t("Expected monetary value: chance times cost, summed over live risks."),
        ),
        amount(
            t("P80 cost"),
            "p80",
            t("With 80 % probability all live risks together cost no more than this."),
        ),
        count(
            t("Overdue"), "overdue", t("Actions, and next actions of live risks, past their date.")
        ),
    ]


def register_columns(*, with_status: bool) -> dict[str, Column]:
    """The register's columns, sized so that the last one is not cut off beside the sidebar."""
    columns = {
        "id": Column("ID", width=58),
        "title": Column(t("Risk"), width=140 if with_status else 190),
        "program": Column(t("Programme"), width=150),
        "status": Column(t("Status"), width=76),
        "score": Column(t("Score"), "%d", 92, "progress", 25),
        "move": Column(t("Move"), width=66),
        "emv": Column(t("EMV, k"), "%,.0f", 72, "number"),
        "owner": Column(t("Owner"), width=96),
        "next_action": Column(t("Next action"), width=150),
        "due": Column(t("Due"), width=100, hint=t("▲ = overdue")),
    }
    if not with_status:
        del columns["status"]
    return columns


def register_rows(
    register: pl.DataFrame, movement: pl.DataFrame, programs: Mapping[str, str]
) -> pl.DataFrame:
    """The register as its table shows it, in the page's language."""
    moves = {row["id"]: row for row in movement.iter_rows(named=True)}
    rows = [
        {
            "id": row["id"],
            "title": in_language(row["title"], row["title_zh"]),
            "program": programs.get(row["program"], row["program"]),
            "score": row["score"],
            "move": move_text(moves.get(row["id"])),
            "emv": None if row["emv"] is None else float(row["emv"]) / 1000,
            "status": word(row["status"]),
            "owner": row["owner"] or t("nobody"),
            "next_action": row["next_action"],
            "due": _due(row),
        }
        for row in register.iter_rows(named=True)
    ]
    kinds = {
        "id": pl.String,
        "title": pl.String,
        "program": pl.String,
        "score": pl.Int64,
        "move": pl.String,
        "emv": pl.Float64,
        "status": pl.String,
        "owner": pl.String,
        "next_action": pl.String,
        "due": pl.String,
    }
    return pl.DataFrame(rows, schema=kinds)


def _due(row: Mapping[str, Any]) -> str | None:
    """The date, sortable, with a sign where it or an action's is past."""
    shown = row["due"].isoformat() if row["due"] else None
    return f"{shown or t('action')} ▲" if row["is_overdue"] else shown
