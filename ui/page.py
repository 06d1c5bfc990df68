"""The frame of a page: title, headline, and the figures it asks for."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import streamlit as st
from streamlit.runtime.pages_manager import PagesManager
from streamlit.runtime.scriptrunner import get_script_run_ctx

from metrics.answer import Answer, CannotAnswer
from ui.i18n import bold_stands_alone, t
from ui.session import Session, current

_DOOR = "app.came_in"


def came_in() -> None:
    """Called by app.py: this reader's pages run inside the app's frame."""
    st.session_state[_DOOR] = True


@dataclass(frozen=True)
class Page:
    """A page at the state its reader chose."""

    session: Session

    def ask(self, name: str, **parameters: Any) -> Answer:
        """A figure; CannotAnswer ends the page with its sentence."""
        return self.session.ask(name, **parameters)

    def maybe(self, name: str, **parameters: Any) -> Answer | None:
        """A figure, or None where it cannot be given."""
        try:
            return self.session.ask(name, **parameters)
        except CannotAnswer:
            return None

    def ask_before(self, name: str, **parameters: Any) -> Answer | None:
        """The same figure at the review compared with."""
        return self.session.ask_before(name, **parameters)

    def headline(self, sentence: str) -> None:
        """The answer to the page's question; figures in bold."""
        st.markdown(bold_stands_alone(sentence))


def open_page(title: str, question: str | None = None) -> Page:
    """Draw the title (an English message) and give the page its figures."""
    _through_the_door()
    st.title(t(title))
    if question:
        st.caption(t(question))
    return Page(current())


def _through_the_door() -> None:
    """Run again inside app.py.

    A server's very first request, if it names a page, makes Streamlit run that
    page's file alone, because a `pages` folder lies beside app.py.
    """
    context = get_script_run_ctx()
    is_app = context is not None and Path(context.main_script_path).name == "app.py"
    if is_app and _DOOR not in st.session_state:
        PagesManager.uses_pages_directory = False
        st.rerun()
