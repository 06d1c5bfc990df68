"""The Milestones page's cards on issue trackers: what is due there and what waits."""

import polars as pl
import streamlit as st

from metrics.answer import Answer
from ui.cards import card, explain
from ui.format import number
from ui.i18n import t
from ui.page import Page
from ui.tables import Column, table


def has_issues(answer: Answer) -> bool:
    """Whether any issue is loaded."""
    return not answer.extra["counts"].is_empty()


def show_issues(page: Page, answer: Answer) -> None:
    """Issues that are due or late, and those blocked by others."""
    zone = page.session.config.zone
    with card(t("Tracker issues due or late"), t("Open issues with a due day.")):
        for row in answer.extra["counts"].iter_rows(named=True):
            st.caption(
                t(
                    "{project}: {open} of {issues} issues open, {late} late",
                    project=row["project"],
                    open=number(row["open"]),
                    issues=number(row["issues"]),
                    late=number(row["late"]),
                )
            )
        if answer.frame.is_empty():
            st.caption(t("Nothing is due."))
        else:
            table(
                answer.frame.with_columns(pl.col("owner", "status").fill_null("–")),
                {
                    "uid": Column(t("Key"), width=90),
                    "name": Column(t("Title"), width=380),
                    "status": Column(t("Status"), width=110),
                    "owner": Column(t("Owner"), width=140),
                    "due": Column(t("Due on"), kind="date", width=90),
                    "due_in_days": Column(t("In days"), "%d", kind="number", width=70),
                },
                "milestones.issues.table",
                download="issues.csv",
                rows=8,
            )
        explain(answer, zone)
    waiting = answer.extra["blockers"]
    if waiting.is_empty():
        return
    with card(t("Issues that wait for others")):
        table(
            waiting.with_columns(pl.col("owner", "blocker_status").fill_null("–")),
            {
                "uid": Column(t("Key"), width=90),
                "name": Column(t("Waiting"), width=300),
                "blocked_by": Column(t("For"), width=300),
                "owner": Column(t("Who acts"), width=140),
                "blocker_status": Column(t("Status"), width=110),
                "blocker_due": Column(t("Due on"), kind="date", width=90),
            },
            "milestones.waiting.table",
            download="waiting.csv",
            rows=6,
        )
