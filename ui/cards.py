"""Cards: a bordered box whose title says what is seen, charts, and where figures come from."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal
from zoneinfo import ZoneInfo

import plotly.graph_objects as go
import streamlit as st

from metrics.answer import Answer
from ui.format import percent, reach
from ui.i18n import t
from ui.theme import template

PHONE_PX = 640
"""The width at which Streamlit stacks columns."""


@contextmanager
def card(
    title: str, hint: str | None = None, *, height: int | Literal["stretch", "content"] = "content"
) -> Iterator[None]:
    """A bordered card; its title is its chart's title."""
    with st.container(border=True, height=height):
        st.markdown(f"##### {title}", help=hint)
        yield


@contextmanager
def only(screen: Literal["wide", "narrow"], key: str) -> Iterator[None]:
    """What is drawn inside shows on wide screens or on phones only."""
    limit = f"max-width: {PHONE_PX}px" if screen == "wide" else f"min-width: {PHONE_PX + 1}px"
    name = f"{key}-{screen}"
    with st.container(key=name):
        st.html(f"<style>@media ({limit}) {{ .st-key-{name} {{ display: none; }} }}</style>")
        yield


def chart(figure: go.Figure, key: str, alt: str, *, zoom: bool = False) -> None:
    """Draw a figure in the house's template; `alt` says it in words for screen readers."""
    figure.update_layout(template=template(), title=None)
    st.plotly_chart(
        figure,
        key=key,
        theme=None,
        width="stretch",
        alt=alt,
        config={"displayModeBar": zoom, "responsive": True, "displaylogo": False},
    )


def explain(answer: Answer, zone: ZoneInfo | None = None) -> None:
    """How a figure is computed: formula, tables, coverage, freshness, notes."""
    with st.popover(t("How is this computed?")):
        st.markdown(t(answer.formula))
        st.markdown(t("Tables: {tables}", tables=", ".join(f"`{name}`" for name in answer.tables)))
        if answer.coverage_percent is not None:
            st.markdown(t("Coverage: {share}", share=percent(answer.coverage_percent)))
        if answer.data_through is not None:
            when = reach(answer.data_through, zone or ZoneInfo("UTC"))
            st.markdown(t("Data through {when}", when=when))
        for note in answer.notes:
            st.markdown(f"- {t(note)}")
