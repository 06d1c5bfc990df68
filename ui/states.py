"""Empty, partial and error states: what is missing, and what to do about it."""

from collections.abc import Sequence

import streamlit as st

from ui.i18n import t
from ui.markup import plain


def empty(kinds: Sequence[str], sentence: str | None = None) -> None:
    """Nothing to show yet: says which kinds of source to add, and how."""
    names = ", ".join(f"`{kind}`" for kind in kinds)
    with st.container(border=True):
        st.markdown(f"**{sentence or t('Nothing is loaded for this yet.')}**")
        if kinds:
            st.markdown(
                t(
                    "Add a source of kind {kinds} to quartermaster.toml, then run "
                    "`python cli.py load`.",
                    kinds=names,
                )
            )


def problem(sentence: str) -> None:
    """A figure that cannot be given, in words."""
    with st.container(border=True):
        st.markdown(f"**{t('This cannot be shown.')}** {plain(sentence)}")
