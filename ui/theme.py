"""Colours, signs and the Plotly template, light and dark.

Colours are safe for colour-blind readers and never stand alone: a status has a
sign and a word. A tenant, cluster or programme keeps its colour on every page.
"""

from dataclasses import dataclass
from functools import cache
from typing import Any
from zlib import crc32

import plotly.graph_objects as go
import plotly.io as pio
import streamlit as st

ACCENT, ORANGE, TEAL, PLUM = "#1F5FBF", "#E08A00", "#1B998B", "#B23A74"
VIOLET, GREY, LIGHT, OLIVE = "#6A5ACD", "#7A8594", "#A3C4F3", "#C7B42C"
GOOD, WATCH, BAD = TEAL, ORANGE, "#C8363B"
SEQUENCE = (ACCENT, ORANGE, TEAL, PLUM, VIOLET, OLIVE, LIGHT, GREY)
MANY = (*SEQUENCE[:-1], "#8A5A44", "#3D7EA6", "#5E7B2E")
"""For tenants, services and clusters: grey stays with what is nobody's."""

FONT = (
    '"Source Sans", "Source Sans Pro", "Noto Sans CJK SC", "PingFang SC", '
    '"Microsoft YaHei", sans-serif'
)


@dataclass(frozen=True)
class Ink:
    """What differs between light and dark."""

    text: str
    quiet: str
    surface: str
    border: str
    grid: str
    page: str


LIGHT_INK = Ink("#1B2430", "#5B6675", "#F5F7FA", "#E1E6ED", "#EDF0F4", "#FFFFFF")
DARK_INK = Ink("#E6EAF0", "#A9B4C2", "#1B222C", "#323C49", "#2A333F", "#12171E")

STATUS = {
    "red": ("▲", "Red", BAD),
    "amber": ("●", "Amber", WATCH),
    "green": ("■", "Green", GOOD),
    "grey": ("○", "No data", GREY),
}
"""Sign, word and colour of a health status."""


def is_dark() -> bool:
    """Whether the reader's browser shows the dark theme."""
    try:
        return bool(st.context.theme.type == "dark")
    except (AttributeError, KeyError):
        return False


def ink() -> Ink:
    """The inks of the theme in use."""
    return DARK_INK if is_dark() else LIGHT_INK


def template() -> go.layout.Template:
    """The house's Plotly template for the theme in use."""
    return _templates()["dark" if is_dark() else "light"]


def colour_of(kind: str, id: str, known: tuple[str, ...] = ()) -> str:
    """The colour a tenant, cluster or programme has everywhere.

    known: all ids of the kind in their order, where the caller has them; the
        colour then follows the place, so neighbours differ.
    """
    if id in ("unallocated", "idle", "other"):
        return GREY
    place = known.index(id) if id in known else crc32(f"{kind}:{id}".encode())
    return MANY[place % len(MANY)]


def rag(status: str) -> tuple[str, str, str]:
    """Sign, English word and colour of a health status."""
    return STATUS.get(status, STATUS["grey"])


@cache
def _templates() -> dict[str, go.layout.Template]:
    built = {"light": _template(LIGHT_INK), "dark": _template(DARK_INK)}
    pio.templates["quartermaster"] = built["light"]
    pio.templates["quartermaster_dark"] = built["dark"]
    return built


def _template(inks: Ink) -> go.layout.Template:
    axis: dict[str, Any] = {
        "gridcolor": inks.grid,
        "linecolor": inks.border,
        "zerolinecolor": inks.border,
        "tickfont": {"color": inks.quiet, "size": 12},
        "title": {"font": {"color": inks.quiet, "size": 12}},
        "automargin": True,
    }
    layout = go.Layout(
        font={"family": FONT, "color": inks.text, "size": 13},
        colorway=list(SEQUENCE),
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
        margin={"l": 8, "r": 16, "t": 8, "b": 8},
        xaxis=axis,
        yaxis=axis,
        legend={"orientation": "h", "y": -0.15, "x": 0, "font": {"color": inks.text}},
        hoverlabel={
            "bgcolor": inks.page,
            "bordercolor": inks.border,
            "font": {"family": FONT, "color": inks.text},
        },
        bargap=0.3,
    )
    return go.layout.Template(layout=layout)
