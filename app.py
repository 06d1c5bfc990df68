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

ALSO = {"weekly_review": "weekly_review"} | {
    name.replace("_", "-"): name for name in PAGES if "_" in name
}
"""Further addresses, by what stands in them; the first page's own address is the bare one."""

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
        [
            # The first page stands at the bare address; its name must be free for ALSO.
            st.Page(_file(name), title=t(title), url_path=None if place else "home")
            for place, (name, title) in enumerate(PAGES.items())
        ]
        + [
            st.Page(_file(name), title=t(PAGES[name]), url_path=address, visibility="hidden")
            for address, name in ALSO.items()
        ]
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


def _file(page: str) -> Path:
    return Path("pages") / f"{page}.py"


if __name__ == "__main__":
    main()
