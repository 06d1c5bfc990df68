"""Pictures of service levels: budgets left, how they burned down, when things broke."""

from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import plotly.graph_objects as go
import polars as pl

from ui import format, theme
from ui.i18n import t

FLOOR = -150.0
"""Percent; bars below are drawn to here, or one bad month would flatten the rest."""

STATUS_COLOURS = {
    "breached": theme.BAD,
    "at_risk": theme.WATCH,
    "met": theme.GOOD,
    "no_objective": theme.GREY,
    "unknown": theme.GREY,
}


def budget_left(services: pl.DataFrame) -> go.Figure:
    """Error budget left as bars from zero, the worst on top; overspent goes left.

    services: label, budget_left_percent (null: not drawn), status.
    """
    rows = services.filter(pl.col("budget_left_percent").is_not_null()).sort(
        "budget_left_percent", descending=True
    )
    left = rows["budget_left_percent"]
    shown = left.clip(FLOOR, 100)
    figure = go.Figure(
        go.Bar(
            x=shown.to_list(),
            y=rows["label"].to_list(),
            orientation="h",
            marker_color=[STATUS_COLOURS[status] for status in rows["status"]],
            text=[_cell(value) for value in left],
            textposition="outside",
            textfont_color=theme.ink().text,
            cliponaxis=False,
            hovertext=[
                t("{service}: {left} of the error budget left", service=label, left=share)
                for label, share in zip(
                    rows["label"], (format.percent(value) for value in left), strict=True
                )
            ],
            hoverinfo="text",
        )
    )
    lowest = float(shown.min() or 0)  # type: ignore[arg-type]
    figure.update_xaxes(
        range=[lowest - 80 if lowest < 0 else -3, 135], showticklabels=False, showgrid=False
    )
    figure.add_vline(x=0, line_color=theme.ink().text, line_width=1)
    figure.update_layout(height=64 + 34 * max(rows.height, 2), showlegend=False)
    return figure


def burn_down(
    lines: pl.DataFrame,
    colours: dict[str, str],
    month: tuple[datetime, datetime],
    zone: ZoneInfo,
) -> go.Figure:
    """What was left of each budget through the month, against even spending.

    lines: service, label, at, left_percent. colours: by service, one used
    again is dashed. month: its bounds.
    """
    figure = go.Figure()
    bounds = [edge.astimezone(zone).replace(tzinfo=None) for edge in month]
    figure.add_scatter(
        x=bounds,
        y=[100, 0],
        mode="lines",
        name=t("even spending"),
        line={"dash": "dot", "color": theme.ink().quiet, "width": 1.5},
        hoverinfo="skip",
    )
    local = lines.with_columns(at=_local("at", zone))
    drawn: set[str] = set()
    for (service, label), points in local.group_by("service", "label", maintain_order=True):
        figure.add_scatter(
            x=points["at"].to_list(),
            y=points["left_percent"].to_list(),
            name=str(label),
            mode="lines",
            line={
                "width": 2.5,
                "color": colours[str(service)],
                "dash": "dash" if colours[str(service)] in drawn else "solid",
            },
            hovertemplate="%{fullData.name}: %{y:.0f} %, %{x|%Y-%m-%d %H:%M}<extra></extra>",
        )
        drawn.add(colours[str(service)])
    figure.add_hline(y=0, line_color=theme.BAD, line_width=1)
    figure.update_xaxes(range=bounds, **_day_axis())
    figure.update_yaxes(ticksuffix=" %", zeroline=False)
    figure.update_layout(height=340, hovermode="closest", legend_y=-0.12)
    return figure


def incidents(
    events: pl.DataFrame,
    windows: pl.DataFrame,
    labels: list[str],
    colours: dict[str, str],
    month: tuple[datetime, datetime],
    zone: ZoneInfo,
) -> go.Figure:
    """When things broke: a circle an incident, larger for longer; bars are maintenance.

    events: label, start, minutes, severity, text (for reading on hover).
    windows: label, start, end, text. labels: the services, top to bottom.
    colours: by severity.
    """
    figure = go.Figure()
    # An invisible point a service: without it a quiet one would have no row.
    figure.add_scatter(
        x=[month[0].astimezone(zone).replace(tzinfo=None)] * len(labels),
        y=labels,
        mode="markers",
        marker={"opacity": 0},
        hoverinfo="skip",
        showlegend=False,
    )
    planned = windows.with_columns(start=_local("start", zone), end=_local("end", zone))
    for place, row in enumerate(planned.iter_rows(named=True)):
        figure.add_scatter(
            x=[row["start"], row["end"]],
            y=[row["label"]] * 2,
            mode="lines+markers",
            name=t("planned maintenance"),
            legendgroup="planned",
            showlegend=place == 0,
            line={"width": 12, "color": theme.GREY},
            marker={"symbol": "square", "size": 5, "color": theme.GREY},
            opacity=0.55,
            hovertext=row["text"],
            hoverinfo="text",
        )
    local = events.with_columns(start=_local("start", zone))
    for severity, rows in sorted(
        local.with_columns(pl.col("severity").fill_null("–")).group_by("severity")
    ):
        name = str(severity[0])
        figure.add_scatter(
            x=rows["start"].to_list(),
            y=rows["label"].to_list(),
            mode="markers",
            name=name,
            marker={
                "color": colours.get(name, theme.GREY),
                "size": [_size(minutes) for minutes in rows["minutes"]],
                "line": {"color": theme.ink().page, "width": 1},
                "opacity": 0.9,
            },
            hovertext=rows["text"].to_list(),
            hoverinfo="text",
            cliponaxis=False,
        )
    margin = timedelta(hours=12)
    figure.update_xaxes(
        range=[
            month[0].astimezone(zone).replace(tzinfo=None) - margin,
            month[1].astimezone(zone).replace(tzinfo=None) + margin,
        ],
        **_day_axis(),
    )
    figure.update_yaxes(categoryorder="array", categoryarray=labels[::-1], showgrid=True)
    figure.update_layout(height=90 + 34 * max(len(labels), 2), legend_y=-0.15)
    return figure


def history(levels: pl.DataFrame, labels: list[str]) -> go.Figure:
    """Error budget left month by month: a row a service, a column a month.

    levels: label, month (YYYY-MM), budget_left_percent.
    """
    months = sorted(levels["month"].unique())
    grid = {
        (row["label"], row["month"]): row["budget_left_percent"]
        for row in levels.iter_rows(named=True)
    }
    values = [[grid.get((label, month)) for month in months] for label in labels]
    shown = [[None if v is None else max(v, -100) for v in row] for row in values]
    figure = go.Figure(
        go.Heatmap(
            z=shown,
            x=[format.month(month) for month in months],
            y=labels,
            zmin=-100,
            zmax=100,
            colorscale=[
                [0, theme.BAD],
                [0.499, "#E9A7A8"],
                [0.5, "#F3D9A4"],
                [0.625, "#CFE5E1"],
                [1, theme.TEAL],
            ],
            showscale=False,
            xgap=3,
            ygap=3,
            text=[[_cell(v) for v in row] for row in values],
            # No size: it follows the cell's, so figures stay apart on a phone.
            texttemplate="%{text}",
            hovertemplate="%{y}, %{x}: %{text}<extra></extra>",
        )
    )
    figure.update_yaxes(autorange="reversed", showgrid=False, ticks="")
    figure.update_xaxes(showgrid=False, side="bottom", ticks="")
    figure.update_layout(height=70 + 34 * max(len(labels), 2))
    return figure


def _day_axis() -> dict[str, Any]:
    """A tick a week; days as numbers, since month names would be English only."""
    return {"dtick": 7 * 86_400_000, "tickformat": "%m-%d"}


def _cell(value: float | None) -> str:
    if value is None:
        return "–"
    # Just below zero is overspent: "-0 %" would not say so.
    return format.percent(value, 1 if 0 < abs(value) < 1 else 0)


def _size(minutes: float) -> float:
    """Pixels; area follows duration between five minutes and a day."""
    return float(8 + min(max(minutes, 5), 1440) ** 0.5 * 0.7)


def _local(column: str, zone: ZoneInfo) -> pl.Expr:
    """Plotly draws clock times as they stand, so instants lose their zone here."""
    return pl.col(column).dt.convert_time_zone(zone.key).dt.replace_time_zone(None)
