"""Pictures of the weekly review: where GPU-hours went, spend against budget by month."""

import plotly.graph_objects as go
import polars as pl

from ui.charts import funnel
from ui.format import money_short, month, month_short, percent
from ui.i18n import t
from ui.theme import ACCENT, BAD, ink

MILLION = 1_000_000
_TICKS = 7
"""Months named on the axis; every bar says its own on hover."""

_FUNNEL_ROOM = 1.9


def hours(levels: pl.DataFrame, currency: str) -> go.Figure:
    """The funnel in a narrow card: hours and shares; its money is on the page of its own."""
    figure = funnel.funnel(
        levels.with_columns(cost=pl.lit(None, levels.schema["cost"])), currency, has_owner=True
    )
    top = levels["gpu_hours"].max() or 1.0
    figure.update_xaxes(range=[0, float(top) * _FUNNEL_ROOM])  # type: ignore[arg-type]
    return figure


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
            name=t("Monthly budget"),
            hoverinfo="skip",
        )
    step = max(1, -(-len(names) // _TICKS))
    ticks = list(range(len(rows)))[::-1][::step]
    figure.update_layout(
        height=300,
        showlegend=frame["budget"].is_not_null().any(),
        xaxis={
            "type": "category",
            "tickvals": [names[place] for place in ticks],
            "ticktext": [month_short(rows[place]["month"]) for place in ticks],
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
