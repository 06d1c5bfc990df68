"""Pictures of accelerator use: the funnel, what was lost, hours of the week, days, outcomes."""

from collections.abc import Sequence
from math import ceil, floor
from typing import Any

import plotly.graph_objects as go
import polars as pl

from ui.format import day, gpu_hours, money_short, percent
from ui.i18n import t
from ui.theme import ACCENT, BAD, GOOD, GREY, LIGHT, OLIVE, ORANGE, PLUM, TEAL, VIOLET, WATCH, ink

LEVELS = {
    "owned": "Owned",
    "available": "Available",
    "allocated": "Allocated",
    "active": "Active",
    "sm_active": "SM active",
    "tensor_active": "Tensor active",
    "model_flops": "Model FLOPs",
}
LOSSES = {
    "down": "Down",
    "planned_down": "Planned maintenance",
    "idle": "Not allocated",
    "not_measured": "Not measured",
    "held_idle": "Held but idle",
    "small_kernels": "Small kernels, waits",
    "memory_bound": "Memory, FP32, communication",
    "recompute": "Recompute, padding, no MFU",
    "remainder": "Left at the bottom",
}
LOSS_COLOURS = {
    "down": BAD,
    "planned_down": OLIVE,
    "idle": ORANGE,
    "not_measured": GREY,
    "held_idle": PLUM,
    "small_kernels": VIOLET,
    "memory_bound": LIGHT,
    "recompute": TEAL,
    "remainder": ACCENT,
}
OUTCOMES = {
    "completed": ("Completed", GOOD),
    "running": ("Running", ACCENT),
    "cancelled": ("Cancelled", GREY),
    "failed": ("Failed", BAD),
    "timeout": ("Timed out", WATCH),
    "preempted": ("Preempted, requeued", VIOLET),
    "other": ("Other", OLIVE),
}
WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_ROW = 40
_ROOM = 2.0
"""How far the axis reaches beyond the longest bar, for the label at its end."""


def funnel(levels: pl.DataFrame, currency: str, *, has_owner: bool) -> go.Figure:
    """A bar a level: GPU-hours, share of the top and money at its end.

    levels: level, gpu_hours, percent, cost, coverage_percent. A level that
    nobody measured has no bar and says so.
    has_owner: False for a tenant, who owns nothing: the first two are left out.
    """
    shown = levels if has_owner else levels.filter(~pl.col("level").is_in(["owned", "available"]))
    rows = shown.to_dicts()
    names = [t(LEVELS[row["level"]]) for row in rows]
    hours = [row["gpu_hours"] or 0.0 for row in rows]
    figure = go.Figure(
        go.Bar(
            y=names,
            x=hours,
            orientation="h",
            marker_color=[ACCENT if place < 3 else TEAL for place in _places(rows)],
            customdata=[_sentence(row, currency) for row in rows],
            hovertemplate="%{customdata}<extra></extra>",
        )
    )
    figure.add_scatter(
        y=names,
        x=hours,
        mode="text",
        text=[_end_label(row, currency) for row in rows],
        textposition="middle right",
        textfont={"color": ink().text, "size": 12},
        cliponaxis=False,
        hoverinfo="skip",
    )
    top = max(hours, default=0.0) or 1.0
    figure.update_layout(
        height=_ROW * len(rows) + 24,
        showlegend=False,
        xaxis={"range": [0, top * _ROOM], "visible": False},
        yaxis={"autorange": "reversed", "ticksuffix": "  ", "showgrid": False},
    )
    return figure


def losses(frame: pl.DataFrame, currency: str) -> go.Figure:
    """Where the hours went: a bar a loss, and what is left at the bottom; they sum to the top."""
    rows = [row for row in frame.to_dicts() if row["gpu_hours"] > 0]
    names = [t(LOSSES[row["loss"]]) for row in rows]
    hours = [row["gpu_hours"] for row in rows]
    figure = go.Figure(
        go.Bar(
            y=names,
            x=hours,
            orientation="h",
            marker_color=[LOSS_COLOURS[row["loss"]] for row in rows],
            customdata=[
                f"{name}: {gpu_hours(row['gpu_hours'])}, {percent(row['percent'])}, "
                f"{money_short(row['cost'], currency)}"
                for name, row in zip(names, rows, strict=True)
            ],
            hovertemplate="%{customdata}<extra></extra>",
        )
    )
    figure.add_scatter(
        y=names,
        x=hours,
        mode="text",
        text=[_loss_label(row, currency) for row in rows],
        textposition="middle right",
        textfont={"color": ink().text, "size": 12},
        cliponaxis=False,
        hoverinfo="skip",
    )
    top = max(hours, default=0.0) or 1.0
    figure.update_layout(
        height=_ROW * max(len(rows), 2) + 24,
        showlegend=False,
        xaxis={"range": [0, top * _ROOM], "visible": False},
        yaxis={"autorange": "reversed", "ticksuffix": "  ", "showgrid": False},
    )
    return figure


def hours_of_week(week: pl.DataFrame, column: str) -> go.Figure:
    """Use by weekday and hour, darker where there is more; blank where not measured."""
    cells = {(d, h): v for d, h, v in week.select("weekday", "hour_of_day", column).rows()}
    names = [t(name) for name in WEEKDAYS]
    grid = [[cells.get((d, h)) for h in range(24)] for d in range(1, 8)]
    known = [value for row in grid for value in row if value is not None]
    figure = go.Figure(
        go.Heatmap(
            z=grid,
            x=list(range(24)),
            y=names,
            zmin=floor(min(known, default=0) / 10) * 10,
            zmax=ceil(max(known, default=100) / 10) * 10,
            colorscale=[[0, ink().surface], [1, ACCENT]],
            customdata=[
                [
                    t("{day} {hour}:00: {share}", day=name, hour=h, share=percent(value))
                    for h, value in enumerate(row)
                ]
                for name, row in zip(names, grid, strict=True)
            ],
            hovertemplate="%{customdata}<extra></extra>",
            xgap=2,
            ygap=2,
            colorbar={"thickness": 10, "ticksuffix": " %", "outlinewidth": 0},
        )
    )
    figure.update_layout(
        height=300,
        xaxis={"tickmode": "array", "tickvals": [0, 6, 12, 18, 23], "showgrid": False},
        yaxis={"autorange": "reversed", "ticksuffix": "  ", "showgrid": False},
    )
    return figure


def days(
    frame: pl.DataFrame, clusters: pl.DataFrame, colours: dict[str, str], names: dict[str, str]
) -> go.Figure:
    """Allocated and active share of what is owned, day by day; clusters as thin lines."""
    figure = go.Figure()
    if clusters["cluster"].n_unique() > 1:
        for (cluster,), rows in clusters.sort("day").group_by("cluster", maintain_order=True):
            label = names.get(str(cluster), str(cluster))
            figure.add_scatter(
                x=rows["day"],
                y=rows["allocated_percent"],
                name=t("{cluster}, allocated", cluster=label),
                mode="lines",
                line={"width": 1.2, "color": colours.get(str(cluster), GREY), "dash": "dot"},
                customdata=_day_texts(rows, "allocated_percent", label),
                hovertemplate="%{customdata}<extra></extra>",
            )
    for column, name, colour in (
        ("allocated_percent", t("Allocated"), ink().text),
        ("active_percent", t("Active"), PLUM),
    ):
        if frame[column].null_count() < frame.height:
            figure.add_scatter(
                x=frame["day"],
                y=frame[column],
                name=name,
                mode="lines",
                line={"width": 2.6, "color": colour},
                customdata=_day_texts(frame, column, name),
                hovertemplate="%{customdata}<extra></extra>",
            )
    ticks = _ticks(frame["day"].to_list())
    figure.update_layout(
        height=360,
        yaxis={"rangemode": "tozero", "ticksuffix": " %"},
        xaxis={"tickvals": ticks, "ticktext": [str(moment.day) for moment in ticks]},
        legend={"y": -0.12, "yanchor": "top"},
    )
    return figure


def outcomes(frame: pl.DataFrame) -> go.Figure:
    """How runs ended: their share of runs and of GPU-hours, one bar each."""
    kinds = [t("Runs"), t("GPU-hours")]
    figure = go.Figure()
    for outcome, (name, colour) in OUTCOMES.items():
        row = frame.filter(pl.col("outcome") == outcome)
        if row.is_empty():
            continue
        shares = [row["share_of_runs"].item() * 100, row["share_of_gpu_hours"].item() * 100]
        figure.add_bar(
            y=kinds,
            x=shares,
            orientation="h",
            name=t(name),
            marker_color=colour,
            text=[percent(share, 0) if share >= 7 else "" for share in shares],
            textposition="inside",
            textangle=0,
            constraintext="none",
            insidetextanchor="middle",
            textfont={"color": "#FFFFFF"},
            customdata=[
                t("{outcome}: {share} of runs", outcome=t(name), share=percent(shares[0])),
                t("{outcome}: {share} of GPU-hours", outcome=t(name), share=percent(shares[1])),
            ],
            hovertemplate="%{customdata}<extra></extra>",
        )
    figure.update_layout(
        barmode="stack",
        height=210,
        xaxis={"visible": False, "range": [0, 100.5]},
        yaxis={"autorange": "reversed", "ticksuffix": "  ", "showgrid": False},
        legend={"y": -0.02, "yanchor": "top", "traceorder": "normal"},
    )
    return figure


def _places(rows: Sequence[dict[str, Any]]) -> list[int]:
    order = list(LEVELS)
    return [order.index(row["level"]) for row in rows]


def _label(row: dict[str, Any], currency: str) -> str:
    if row["gpu_hours"] is None:
        return t("not measured")
    parts = [gpu_hours(row["gpu_hours"]), percent(row["percent"])]
    if row["cost"] is not None:
        parts.append(money_short(row["cost"], currency))
    return " · ".join(parts)


def _end_label(row: dict[str, Any], currency: str) -> str:
    """Two lines, so that a phone has room for them beside the bar."""
    if row["gpu_hours"] is None:
        return f"  {t('not measured')}"
    line = f"  {gpu_hours(row['gpu_hours'])} · {percent(row['percent'])}"
    return line if row["cost"] is None else f"{line}<br>  {money_short(row['cost'], currency)}"


def _loss_label(row: dict[str, Any], currency: str) -> str:
    """Share, and below it the money, or the hours where money is not known."""
    known = row["cost"] is not None
    amount = money_short(row["cost"], currency) if known else gpu_hours(row["gpu_hours"])
    return f"  {percent(row['percent'])}<br>  {amount}"


def _sentence(row: dict[str, Any], currency: str) -> str:
    name = t(LEVELS[row["level"]])
    if row["gpu_hours"] is None:
        return t("{level}: not measured", level=name)
    text = f"{name}: {_label(row, currency)}"
    if row["coverage_percent"] is not None:
        text += t(" (from {share} of the level above)", share=percent(row["coverage_percent"]))
    return text


def _day_texts(rows: pl.DataFrame, column: str, name: str) -> list[str]:
    return [
        f"{day(moment)}, {name}: {percent(value)}"
        for moment, value in rows.select("day", column).rows()
    ]


def _ticks(moments: list[Any]) -> list[Any]:
    return [moment for moment in moments if moment.day in (1, 8, 15, 22, 29)]
