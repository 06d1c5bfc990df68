"""The sidebar every page shares: language, review, comparison, freshness."""

import polars as pl
import streamlit as st

from ui.format import day, reach
from ui.i18n import LANGUAGES, language, t
from ui.session import AS_OF, VERSUS, Session


def language_switch() -> None:
    """English or Chinese; kept in the URL."""
    st.sidebar.segmented_control(
        "Language / 语言",
        list(LANGUAGES),
        default=language(),
        format_func=LANGUAGES.__getitem__,
        key="lang",
        required=True,
        label_visibility="collapsed",
    )
    if language() == "en":
        st.query_params.pop("lang", None)
    else:
        st.query_params["lang"] = language()


def review_choice(session: Session) -> None:
    """The review looked at and the one compared with; kept in the URL."""
    days = [review.day(session.config.zone).isoformat() for review in session.all_reviews]
    if not days or session.review is None:
        return
    labels = {
        review.day(session.config.zone).isoformat(): day(review.day(session.config.zone))
        for review in session.all_reviews
    }
    shown = session.review.day(session.config.zone).isoformat()
    st.sidebar.selectbox(
        t("As of"), days, index=days.index(shown), key=AS_OF, format_func=labels.__getitem__
    )
    _keep(AS_OF, shown, days[0])
    earlier = days[days.index(shown) + 1 :]
    if earlier and session.before is not None:
        before = session.before.day(session.config.zone).isoformat()
        st.sidebar.selectbox(
            t("Compared with"),
            earlier,
            index=earlier.index(before),
            key=VERSUS,
            format_func=lambda word: t("Review of {day}", day=labels[word]),
        )
        _keep(VERSUS, before, earlier[0])


def freshness(session: Session) -> None:
    """One line: how far the data reaches, how many sources, what was refused."""
    facts = session.facts()
    is_data = pl.col("status").is_in(["loaded", "partial"])
    sources = facts.table("load").filter(is_data)["source"].n_unique()
    refused = facts.table("quarantine").height
    if session.review is None:
        st.sidebar.caption(t("No data loaded yet."))
    else:
        st.sidebar.caption(
            t(
                "Data to {when} ({zone}) · {sources} sources loaded · {refused} rows in quarantine",
                when=reach(session.review.data_through, session.config.zone),
                zone=session.config.timezone,
                sources=sources,
                refused=refused,
            )
        )
    st.sidebar.caption(t("Local mode: no sign-in, this machine only."))


def _keep(key: str, chosen: str, default: str) -> None:
    if chosen == default:
        st.query_params.pop(key, None)
    else:
        st.query_params[key] = chosen
