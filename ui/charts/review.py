"""Pictures of the weekly review: spend against budget, month by month."""

import plotly.graph_objects as go
import polars as pl

from ui.format import money_short, month, percent
from ui.i18n import t
from ui.theme import ACCENT, BAD, ink

MILLION = 1_000_000
_TICKS = 7
"""Months named on the axis; every bar says its own on hover."""


def spend_and_budget(frame: pl.DataFrame, currency: str) -> go.Figure:
    """Spend as bars, red where above it, with the budget as a stepped dotted line.

    frame: month, spend, budget, used_percent, oldest first; null has no bar and no step.
    """
    rows = frame.to_dicts()
    names = [month(row["month"]) for row in rows]
    figure = go.Figure()
    figure.add_bar(
        x=names,
        y=[_millions(row["spend"]) for row in rows],
        name=t("Spend"),
        marker_color=[BAD if (row["used_percent"] or 0) > 100 else ACCENT for row in rows],
        customdata=[_sentence(row, currency) for row in rows],
        hovertemplate="%{customdata}<extra></extra>",
        showlegend=False,
    )
    if frame["budget"].is_not_null().any():
        figure.add_scatter(
            x=names,
            y=[_millions(row["budget"]) for row in rows],
            mode="lines",
            line={"shape": "hvh", "dash": "dot", "width": 2, "color": ink().text},
            name=t("Budget"),
            hoverinfo="skip",
        )
    step = max(1, -(-len(names) // _TICKS))
    figure.update_layout(
        height=300,
        showlegend=frame["budget"].is_not_null().any(),
        xaxis={
            "type": "category",
            "tickvals": names[::-1][::step],
            "tickangle": 0,
            "showgrid": False,
        },
        yaxis={"rangemode": "tozero", "nticks": 5},
    )
    return figure


def _millions(amount: object) -> float | None:
    return None if amount is None else float(amount) / MILLION  # type: ignore[arg-type]


def _sentence(row: dict[str, object], currency: str) -> str:
    values = {
        "month": month(str(row["month"])),
        "spend": money_short(row["spend"], currency),  # type: ignore[arg-type]
        "budget": money_short(row["budget"], currency),  # type: ignore[arg-type]
    }
    if row["used_percent"] is None or row["spend"] is None:
        return t("{month}: {spend}", **values)
    used = percent(row["used_percent"], 0)  # type: ignore[arg-type]
    return t("{month}: {spend} of a budget of {budget}, {used}", used=used, **values)
