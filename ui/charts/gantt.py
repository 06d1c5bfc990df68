"""A plan as a Gantt: bars, baselines beneath them, milestones as diamonds, today."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Literal

import plotly.graph_objects as go

from ui.format import month
from ui.i18n import t
from ui.theme import ACCENT, BAD, GREY, LIGHT, TEAL, ink, is_dark

CRITICAL_TO_DO = "#E9A0A3"
BASELINE, BASELINE_DARK = "#B4BCC8", "#56616F"
ROW_PX, NARROW_ROW_PX = 28, 40
LABELS = 0.26
"""Share of a wide chart's width that the labels have."""
LABEL_CHARS, NARROW_CHARS = 42, 40
MOST_TICKS, NARROW_TICKS = 9, 3


@dataclass(frozen=True)
class GanttRow:
    """One line. Times are local to the plan; level indents its label, 0 the outermost.

    note: what stands beside a milestone (its date and slip).
    """

    label: str
    level: int
    kind: Literal["program", "summary", "task", "milestone"]
    start: datetime | None
    finish: datetime | None
    baseline_start: datetime | None = None
    baseline_finish: datetime | None = None
    percent: float = 0.0
    is_critical: bool = False
    is_late: bool = False
    note: str = ""
    hover: str = ""


def gantt(rows: Sequence[GanttRow], today: datetime, *, is_narrow: bool = False) -> go.Figure:
    """Rows from the top; labels left of the bars, or above them on narrow screens."""
    figure = go.Figure()
    first, last = _span(rows, today)
    for bars in (_baselines, _to_do, _done, _summaries):
        bars(figure, rows, is_narrow)
    _milestones(figure, rows, is_narrow)
    _labels(figure, rows, is_narrow)
    figure.add_vline(x=today, line={"color": ink().text, "width": 1})
    figure.add_annotation(
        x=today, y=1, yref="paper", yanchor="bottom", text=t("today"), showarrow=False, yshift=18
    )
    room = (last - first) * (0.42 if is_narrow else 0.14)
    ticks = month_ticks(first, last, NARROW_TICKS if is_narrow else MOST_TICKS)
    height = (NARROW_ROW_PX if is_narrow else ROW_PX) * len(rows)
    figure.update_layout(
        height=height + 96,
        barmode="overlay",
        margin={"l": 4, "r": 4, "t": 44, "b": 4},
        xaxis={
            "range": [first, last + room],
            "side": "top",
            "domain": [0, 1] if is_narrow else [LABELS, 1],
            "tickvals": ticks,
            "ticktext": [month(f"{tick:%Y-%m}") for tick in ticks],
            "type": "date",
        },
        yaxis={
            "range": [len(rows) - 0.4, -0.6],
            "visible": False,
            "automargin": False,
        },
        legend={"orientation": "h", "yref": "container", "y": 0, "yanchor": "bottom", "x": 0},
        hovermode="closest",
    )
    return figure


def month_ticks(first: datetime, last: datetime, most: int) -> list[datetime]:
    """First days of months, as many as fit, evenly apart."""
    months = (last.year - first.year) * 12 + last.month - first.month + 1
    step = max(1, -(-months // most))
    place = first.year * 12 + first.month
    ends = last.year * 12 + last.month - 1
    return [datetime(at // 12, at % 12 + 1, 1) for at in range(place, ends + 1, step)]


def _span(rows: Sequence[GanttRow], today: datetime) -> tuple[datetime, datetime]:
    moments = [
        moment
        for row in rows
        for moment in (row.start, row.finish, row.baseline_start, row.baseline_finish)
        if moment is not None
    ]
    first, last = min(moments, default=today), max(moments, default=today)
    # Today belongs in the picture unless the plan is long over or far ahead.
    near = (last - first) / 2 + timedelta(days=30)
    if first - near < today < last + near:
        first, last = min(first, today), max(last, today)
    edge = max((last - first) / 40, timedelta(days=1))
    return first - edge, last + edge


def _bars(
    figure: go.Figure,
    name: str,
    colour: str,
    bars: Sequence[tuple[float, datetime, datetime, str]],
    width: float,
) -> None:
    """bars: place on the y axis, from, to, hover text."""
    if not bars:
        return
    figure.add_bar(
        name=name,
        orientation="h",
        y=[place for place, *_ in bars],
        base=[start for _, start, _, _ in bars],
        x=[(end - start).total_seconds() * 1000 for _, start, end, _ in bars],
        width=width,
        marker={"color": colour, "line": {"width": 0}},
        customdata=[hover for *_, hover in bars],
        hovertemplate="%{customdata}<extra></extra>",
    )


def _offset(is_narrow: bool) -> float:
    """How far below a row's middle its bar lies: labels stand above it on phones."""
    return 0.16 if is_narrow else 0.0


def _baselines(figure: go.Figure, rows: Sequence[GanttRow], is_narrow: bool) -> None:
    down = _offset(is_narrow) + (0.22 if is_narrow else 0.3)
    bars = [
        (place + down, row.baseline_start, row.baseline_finish, row.hover)
        for place, row in enumerate(rows)
        if row.kind != "milestone" and row.baseline_start and row.baseline_finish
    ]
    _bars(figure, t("Baseline"), BASELINE_DARK if is_dark() else BASELINE, bars, 0.12)


def _done(figure: go.Figure, rows: Sequence[GanttRow], is_narrow: bool) -> None:
    for critical, name, colour in ((False, t("Done"), ACCENT), (True, t("Critical, done"), BAD)):
        bars = [
            (place, start, start + (end - start) * (row.percent / 100), hover)
            for place, start, end, hover, row in _tasks(rows, is_narrow)
            if row.is_critical == critical and row.percent > 0
        ]
        _bars(figure, name, colour, bars, 0.34)


def _to_do(figure: go.Figure, rows: Sequence[GanttRow], is_narrow: bool) -> None:
    looks = ((False, t("To do"), LIGHT), (True, t("Critical, to do"), CRITICAL_TO_DO))
    for critical, name, colour in looks:
        bars = [
            (place, start + (end - start) * (row.percent / 100), end, hover)
            for place, start, end, hover, row in _tasks(rows, is_narrow)
            if row.is_critical == critical and row.percent < 100
        ]
        _bars(figure, name, colour, bars, 0.34)


def _tasks(
    rows: Sequence[GanttRow], is_narrow: bool
) -> list[tuple[float, datetime, datetime, str, GanttRow]]:
    return [
        (place + _offset(is_narrow), row.start, row.finish, row.hover, row)
        for place, row in enumerate(rows)
        if row.kind == "task" and row.start and row.finish
    ]


def _summaries(figure: go.Figure, rows: Sequence[GanttRow], is_narrow: bool) -> None:
    bars = [
        (place + _offset(is_narrow), row.start, row.finish, row.hover)
        for place, row in enumerate(rows)
        if row.kind in ("summary", "program") and row.start and row.finish
    ]
    _bars(figure, t("Phase"), ink().quiet, bars, 0.16)


def _milestones(figure: go.Figure, rows: Sequence[GanttRow], is_narrow: bool) -> None:
    marks = [
        (place + _offset(is_narrow), row)
        for place, row in enumerate(rows)
        if row.kind == "milestone" and row.finish
    ]
    promised = [
        (place, row) for place, row in marks if row.is_late and row.baseline_finish is not None
    ]
    _diamonds(figure, t("Promised"), promised, "diamond-open", GREY, is_baseline=True)
    looks: tuple[tuple[str, str, Any], ...] = (
        (t("Milestone, done"), ACCENT, lambda row: row.percent >= 100),
        (t("Milestone, late"), BAD, lambda row: row.percent < 100 and row.is_late),
        (t("Milestone, on time"), TEAL, lambda row: row.percent < 100 and not row.is_late),
    )
    for name, colour, fits in looks:
        _diamonds(figure, name, [m for m in marks if fits(m[1])], "diamond", colour)


def _diamonds(
    figure: go.Figure,
    name: str,
    marks: Sequence[tuple[float, GanttRow]],
    symbol: str,
    colour: str,
    *,
    is_baseline: bool = False,
) -> None:
    if not marks:
        return
    figure.add_scatter(
        name=name,
        x=[row.baseline_finish if is_baseline else row.finish for _, row in marks],
        y=[place for place, _ in marks],
        mode="markers" if is_baseline else "markers+text",
        text=None if is_baseline else [f"  {row.note}" for _, row in marks],
        textposition="middle right",
        textfont={"size": 12, "color": ink().text},
        cliponaxis=False,
        marker={"symbol": symbol, "size": 12, "color": colour, "line": {"width": 1.5}},
        customdata=[row.hover for _, row in marks],
        hovertemplate="%{customdata}<extra></extra>",
    )


def _labels(figure: go.Figure, rows: Sequence[GanttRow], is_narrow: bool) -> None:
    for place, row in enumerate(rows):
        text = _cut(row.label, (NARROW_CHARS if is_narrow else LABEL_CHARS) - 2 * row.level)
        figure.add_annotation(
            xref="paper",
            x=0,
            y=place,
            xanchor="left",
            yshift=11 if is_narrow else 0,
            xshift=row.level * (10 if is_narrow else 14),
            text=f"<b>{text}</b>" if row.kind in ("program", "summary") else text,
            showarrow=False,
            font={"size": 12, "color": ink().text},
            hovertext=row.hover or None,
        )


def _cut(text: str, room: int) -> str:
    """The text, cut where it would run into the bars; a Chinese character takes two places."""
    used = 0
    for place, letter in enumerate(text):
        used += 2 if ord(letter) > 0x2E7F else 1
        if used > room:
            return text[:place].rstrip() + "…"
    return text
