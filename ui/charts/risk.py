"""Pictures of risk: the 5 by 5 matrix with movement, and exposure over time."""

from zoneinfo import ZoneInfo

import plotly.graph_objects as go
import polars as pl

from models.program.risk import BANDS, IMPACT, PROBABILITY, band
from ui.format import day, money_short
from ui.i18n import language, t
from ui.theme import ACCENT, BAD, GOOD, LIGHT, OLIVE, ORANGE, ink, is_dark, template

BAND_COLOUR = dict(zip((one.name for one in BANDS), (GOOD, OLIVE, ORANGE, BAD), strict=True))
ON_BAND = {"low": "#FFFFFF", "medium": "#1B2430", "high": "#1B2430", "critical": "#FFFFFF"}
"""Figures on a circle keep a contrast of 4.5 to 1 or more."""

LISTED = 8
"""Risks named in a cell's hover text; the rest is counted."""

HALF = 0.47


def risk_matrix(matrix: pl.DataFrame, movement: pl.DataFrame) -> go.Figure:
    """Live risks by probability and impact, an arrow for each that moved.

    matrix: a row per cell with risks: probability, impact, risks (count), ids,
        titles, titles_zh (lists). movement: id, probability, impact and the
        same with `_was` (metrics/risk_exposure.py); unmoved rows draw nothing.
    """
    figure = go.Figure()
    _cells(figure)
    _circles(figure, matrix)
    _arrows(figure, movement)
    axis = {"showgrid": False, "zeroline": False, "fixedrange": True, "range": [0.45, 5.55]}
    figure.update_layout(
        template=template(),
        height=380,
        showlegend=False,
        xaxis={
            **axis,
            "title": t("Impact"),
            "tickvals": [1, 2, 3, 4, 5],
            "ticktext": [t(step.label) for step in IMPACT],
        },
        yaxis={
            **axis,
            "title": t("Probability"),
            "tickvals": [1, 2, 3, 4, 5],
            "ticktext": [t(step.label) for step in PROBABILITY],
        },
    )
    return figure


def exposure_over_time(history: pl.DataFrame, currency: str, zone: ZoneInfo) -> go.Figure:
    """Expected cost a week as a line, with the P80 above it as a band.

    history: at, risks, critical, emv, p80, a row a week.
    """
    figure = go.Figure()
    emv = history["emv"].cast(pl.Float64).to_list()
    p80 = history["p80"].cast(pl.Float64).to_list()
    at = [moment.astimezone(zone).replace(tzinfo=None) for moment in history["at"]]
    sentences = [
        t(
            "{day}: {risks} live risks, {critical} of them critical; expected {emv}, P80 {p80}.",
            day=day(row["at"], zone),
            risks=row["risks"],
            critical=row["critical"],
            emv=money_short(row["emv"], currency),
            p80=money_short(row["p80"], currency),
        )
        for row in history.iter_rows(named=True)
    ]
    colour = LIGHT if is_dark() else ACCENT
    scale, unit = _unit(max([*p80, *emv, 0.0]), currency)
    figure.add_scatter(
        x=at,
        y=[value / scale for value in p80],
        name=t("P80"),
        line={"width": 1, "color": colour, "dash": "dot"},
        hoverinfo="skip",
    )
    figure.add_scatter(
        x=at,
        y=[value / scale for value in emv],
        name=t("Exposure (EMV)"),
        line={"width": 2.5, "color": colour},
        fill="tonexty",
        fillcolor="rgba(111, 163, 236, 0.22)",
        hovertext=sentences,
        hovertemplate="%{hovertext}<extra></extra>",
    )
    figure.update_layout(
        template=template(),
        height=380,
        hovermode="closest",
        yaxis={"rangemode": "tozero", "fixedrange": True, "title": unit},
        xaxis={"fixedrange": True, "tickformat": "%-m/%-d" if language() == "zh" else "%-d %b"},
    )
    return figure


def _unit(largest: float, currency: str) -> tuple[float, str]:
    """What an axis divides by and how that is called; the hover text keeps the amounts."""
    if largest >= 1e6:
        return 1e6, t("Million {currency}", currency=currency)
    if largest >= 1e4:
        return 1e3, t("Thousand {currency}", currency=currency)
    return 1.0, currency


def _cells(figure: go.Figure) -> None:
    """The matrix itself: a tinted square a cell with its score in the corner."""
    quiet = ink().quiet
    for probability in range(1, 6):
        for impact in range(1, 6):
            value = probability * impact
            figure.add_shape(
                type="rect",
                x0=impact - HALF,
                x1=impact + HALF,
                y0=probability - HALF,
                y1=probability + HALF,
                fillcolor=BAND_COLOUR[band(value)],
                opacity=0.22,
                line={"width": 0},
                layer="below",
            )
            figure.add_annotation(
                x=impact + HALF,
                y=probability - HALF,
                text=str(value),
                showarrow=False,
                xanchor="right",
                yanchor="bottom",
                font={"size": 10, "color": quiet},
            )


def _circles(figure: go.Figure, matrix: pl.DataFrame) -> None:
    rows = matrix.to_dicts()
    bands = [band(row["probability"] * row["impact"]) for row in rows]
    figure.add_scatter(
        x=[row["impact"] for row in rows],
        y=[row["probability"] for row in rows],
        mode="markers+text",
        text=[str(row["risks"]) for row in rows],
        textfont={"color": [ON_BAND[name] for name in bands], "size": 13},
        marker={
            "size": [min(24 + 3 * row["risks"], 44) for row in rows],
            "color": [BAND_COLOUR[name] for name in bands],
            "line": {"width": 1.5, "color": ink().page},
            "opacity": 1,
        },
        hovertext=[_cell_sentence(row) for row in rows],
        hovertemplate="%{hovertext}<extra></extra>",
    )


def _arrows(figure: go.Figure, movement: pl.DataFrame) -> None:
    moved = movement.filter(
        (pl.col("probability") != pl.col("probability_was"))
        | (pl.col("impact") != pl.col("impact_was"))
    )
    ways = moved.select("impact_was", "probability_was", "impact", "probability").unique()
    for x0, y0, x1, y1 in ways.sort(ways.columns).iter_rows():
        length = ((x1 - x0) ** 2 + (y1 - y0) ** 2) ** 0.5
        # From near the old centre to the edge of the new circle, which stays readable.
        start, end = 0.12 / length, 1 - 0.3 / length
        figure.add_annotation(
            x=x0 + (x1 - x0) * end,
            y=y0 + (y1 - y0) * end,
            ax=x0 + (x1 - x0) * start,
            ay=y0 + (y1 - y0) * start,
            xref="x",
            yref="y",
            axref="x",
            ayref="y",
            text="",
            showarrow=True,
            arrowhead=2,
            arrowsize=1.1,
            arrowwidth=2,
            arrowcolor=ink().text,
        )


def _cell_sentence(row: dict[str, object]) -> str:
    """What a circle holds, in words, a line a risk."""
    ids, titles = row["ids"], row["titles_zh" if language() == "zh" else "titles"]
    assert isinstance(ids, list) and isinstance(titles, list)
    lines = [f"{id} {title}" for id, title in zip(ids, titles, strict=True)][:LISTED]
    if len(ids) > LISTED:
        lines.append(t("and {n} more", n=len(ids) - LISTED))
    head = t(
        "Probability {probability}, impact {impact}, score {score}",
        probability=row["probability"],
        impact=row["impact"],
        score=int(str(row["probability"])) * int(str(row["impact"])),
    )
    return "<br>".join([f"<b>{head}</b>", *lines])
