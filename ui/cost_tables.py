"""Tables of the cost page: gaps, commitments, rules."""

import polars as pl
import streamlit as st

from ui.cost_view import CATEGORIES, METHODS, REASONS, STATUSES, STEP_NAMES, amount, worded
from ui.i18n import t
from ui.tables import Column, table


def gaps(frame: pl.DataFrame, currency: str) -> None:
    """What stayed unallocated, largest first."""
    if frame.is_empty():
        st.markdown(t("■ Nothing is unallocated: every charge found its rule."))
        return
    table(
        worded(frame, reason=REASONS, charge_category=CATEGORIES),
        {
            "service": Column(t("Service"), width=130),
            "charge_category": Column(t("Charge"), width=80),
            "sub_account": Column(t("Sub account"), width=90),
            "reason": Column(t("Why"), width=110),
            "amount": amount("Amount, {unit}", currency),
        },
        "cost.gaps",
        rows=8,
    )


def commitments(frame: pl.DataFrame, currency: str) -> None:
    """Commitments of the month, most unused money first."""
    if frame.is_empty():
        st.markdown(t("No charges of this month name a commitment."))
        return
    named = frame.with_columns(name=pl.coalesce("name", "commitment"))
    table(
        worded(named, status=STATUSES),
        {
            "name": Column(t("Commitment"), width=180),
            "status": Column(t("Status"), width=90),
            "unused": amount("Unused, {unit}", currency),
            "used_percent": Column(t("Used, %"), kind="number", format="%.0f", width=65),
            "unused_months": Column(
                t("Months"), kind="number", width=65, hint=t("Months in a row without any use.")
            ),
        },
        "cost.commitments",
        rows=8,
    )


def rules(frame: pl.DataFrame, currency: str) -> None:
    """The rules in the order they are tried, with what each placed."""
    words = {"step": STEP_NAMES, "method": METHODS}
    named = frame.with_columns(
        pl.col("rule").fill_null(t("no rule")),
        pl.col("order").cast(pl.String),
        pl.col("amount").fill_null(0),
    )
    table(
        worded(named, **words),
        {
            "order": Column(t("Order"), width=60),
            "rule": Column(t("Rule"), width=190),
            "step": Column(t("Step"), width=75),
            "condition": Column(t("Takes charges with"), width=270),
            "to": Column(t("Goes to"), width=130),
            "method": Column(t("How"), width=170),
            "amount": amount("Placed, {unit}", currency),
            "owner": Column(t("Owner"), width=140),
            "reason": Column(t("Agreed because"), width=250),
        },
        "cost.rules",
        rows=24,
    )
