"""Filters whose choice lives in the URL, so that a view can be sent to a colleague."""

from collections.abc import Callable, Sequence
from contextvars import ContextVar
from typing import Any

import streamlit as st

from ui.i18n import t

_PLACE: ContextVar[Any] = ContextVar("filters", default=None)


def filters_stand_here() -> None:
    """Keep this place in the sidebar for the filters of the page drawn later."""
    _PLACE.set(st.sidebar.container())


def _place(where: Any) -> Any:
    return where or _PLACE.get() or st.sidebar


def choose(
    label: str,
    options: Sequence[str],
    key: str,
    default: str | None = None,
    format_func: Callable[[Any], str] = str,
    *,
    where: Any = None,
) -> str | None:
    """One of the options, from `?key=` where that is valid; None without options."""
    if not options:
        return None
    usual = default if default is not None and default in options else options[0]
    start = _from_url(key, options) or usual
    place = _place(where)
    chosen = place.selectbox(
        label, options, index=list(options).index(start), key=key, format_func=format_func
    )
    _to_url(key, chosen, usual)
    return str(chosen)


def segment(
    label: str,
    options: Sequence[str],
    key: str,
    default: str | None = None,
    format_func: Callable[[Any], str] = str,
    *,
    where: Any = None,
) -> str:
    """One of a few options, shown side by side."""
    start = _from_url(key, options) or default or options[0]
    place = _place(where)
    chosen = place.segmented_control(
        label, options, default=start, key=key, format_func=format_func, required=True
    )
    _to_url(key, chosen, default or options[0])
    return str(chosen or start)


def choose_many(
    label: str,
    options: Sequence[str],
    key: str,
    format_func: Callable[[Any], str] = str,
    *,
    where: Any = None,
) -> list[str]:
    """Any of the options; none chosen means all."""
    start = [word for word in st.query_params.get(key, "").split(",") if word in options]
    chosen = _place(where).multiselect(
        label,
        options,
        default=start,
        key=key,
        format_func=format_func,
        placeholder=t("All"),
    )
    _to_url(key, ",".join(chosen), "")
    return list(chosen)


def switch(label: str, key: str, *, where: Any = None) -> bool:
    """On or off."""
    chosen = _place(where).toggle(label, value=st.query_params.get(key) == "1", key=key)
    _to_url(key, "1" if chosen else "", "")
    return bool(chosen)


def _from_url(key: str, options: Sequence[str]) -> str | None:
    word = st.query_params.get(key)
    return word if word in options else None


def _to_url(key: str, chosen: str | None, default: str) -> None:
    if chosen and chosen != default:
        st.query_params[key] = chosen
    elif key in st.query_params:
        del st.query_params[key]
