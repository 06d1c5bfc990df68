"""The web door: page set-up, language, navigation; nothing else."""

import logging
from pathlib import Path

import streamlit as st

from config import ConfigError
from metrics.answer import CannotAnswer
from pipelines.lake import LakeError
from records.database import RecordsError
from ui.errors import in_words
from ui.filters import filters_stand_here
from ui.i18n import t
from ui.page import came_in
from ui.session import current
from ui.sidebar import freshness, language_switch, review_choice
from ui.states import problem

log = logging.getLogger("quartermaster")

PAGES = {
    "weekly_review": "Weekly review",
    "milestones": "Milestones",
    "risks": "Risks",
    "cost_allocation": "Cost allocation",
    "utilisation": "Utilisation and MFU",
    "sla": "SLA health",
    "data": "Data",
}
"""File (also the address) and title of each page, in the order of the navigation."""

FRAME = """
.stMainBlockContainer { padding: 3.5rem 2.5rem 4rem; }
@media (max-width: 640px) { .stMainBlockContainer { padding: 3.5rem 1rem 3rem; } }
"""
"""The framework leaves much of a laptop's screen blank around the page."""


def main() -> None:
    """Draw the chosen page; whatever goes wrong is said in words."""
    st.set_page_config(page_title="Quartermaster", layout="wide")
    came_in()
    st.html(f"<style>{FRAME}</style>")
    chosen = st.navigation(
        [st.Page(Path("pages") / f"{name}.py", title=t(title)) for name, title in PAGES.items()]
    )
    language_switch()
    try:
        review_choice(current())
        # A page may stop before its end: what stands below its filters is drawn first.
        filters_stand_here()
        freshness(current())
        chosen.run()
    except (ConfigError, LakeError, RecordsError, CannotAnswer) as error:
        problem(in_words(error))
    except Exception:
        log.exception("page %s failed", chosen.url_path)
        problem(
            t(
                "Something unexpected happened while this page was drawn. "
                "The server's log has the details; the other pages still work."
            )
        )


if __name__ == "__main__":
    main()
