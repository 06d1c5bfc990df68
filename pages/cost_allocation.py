"""Who pays what, by which rule, and does it equal the invoice?"""

from io import BytesIO

import polars as pl
import streamlit as st

from exports.cost_allocation import write_cost_allocation
from ui import cost_tables
from ui import cost_view as view
from ui.cards import card, chart, explain, only
from ui.charts import cost as charts
from ui.filters import choose, segment
from ui.format import month
from ui.i18n import language, t
from ui.page import Page, open_page
from ui.states import empty, problem
from ui.tables import table
from ui.tiles import tiles


def main() -> None:
    """Filters, headline, tiles, pictures, tables."""
    page = open_page(
        "Cost allocation", "Who pays what, by which rule, and does it equal the invoice?"
    )
    months = page.ask("cost-months").frame
    if months.is_empty():
        empty(("focus", "reference"), t("No bills are loaded yet."))
        return
    names = months["month"].to_list()
    start = months.filter("is_default")["month"].to_list()
    chosen = choose(t("Month"), names, "month", start[0] if start else None, month)
    basis = segment(
        t("Basis"), list(view.BASES), "basis", "billed", lambda word: t(view.BASES[word])
    )
    summary = page.ask("cost-summary", month=chosen, basis=basis)
    currencies = summary.frame["currency"].to_list()
    currency = currencies[0]
    if len(currencies) > 1:
        home = page.session.config.currency
        currency = segment(
            t("Currency"), currencies, "currency", home if home in currencies else currency
        )
    _draw(page, str(chosen), basis, currency)


def _draw(page: Page, chosen: str, basis: str, currency: str) -> None:
    asked = {"month": chosen, "basis": basis}
    summary = page.ask("cost-summary", **asked)
    names = view.tenant_names(summary.extra["names"])
    ours = view.of_currency(summary, currency).row(0, named=True)
    earlier = view.of_currency(page.ask_before("cost-summary", **asked), currency)
    budget = page.maybe("spend-against-budget", month=chosen)
    spend = budget.frame if budget else pl.DataFrame()
    commitment = page.ask("commitment-use", month=chosen)
    unused = view.of_currency(commitment, currency)
    allocation = page.ask("cost-allocation", **asked)
    ours_only = pl.col("currency") == currency
    shown = allocation.frame.filter(ours_only)
    check = page.ask("reconciliation", **asked)
    over = spend.filter(pl.col("status") == "over") if not spend.is_empty() else spend
    forgotten = unused.filter(pl.col("status") == "forgotten")
    page.headline(view.headline(ours, names, basis, over, forgotten))
    tiles(
        view.tiles_of(
            ours,
            earlier.row(0, named=True) if not earlier.is_empty() else None,
            summary.extra["months"].filter(ours_only),
            spend,
            unused,
            view.of_currency(check, currency),
        )
    )
    left, right = st.columns([3, 2])
    with (
        left,
        card(t("Who pays, and how the cost reached them, {unit}", unit=currency), height="stretch"),
    ):
        figure = charts.tenant_bars(shown, names, currency)
        chart(figure, "cost.tenants", t("Cost by tenant in the steps it came by"))
        explain(allocation, page.session.config.zone)
    with right, card(t("How far the rules reach, {unit}", unit=currency), height="stretch"):
        steps = view.of_currency(page.ask("cost-by-step", **asked), currency)
        figure = charts.step_waterfall(steps, currency)
        chart(figure, "cost.steps", t("What each allocation step placed"))
        for row in view.of_currency(check, currency).iter_rows(named=True):
            st.markdown(view.reconciliation_line(row))
        st.caption(view.bases_line(check.extra["bases"].filter(ours_only), basis))
    with card(t("Which services each tenant pays for, {unit}", unit=currency)):
        matrix = view.of_currency(page.ask("cost-matrix", **asked), currency)
        said = t("Cost by service and tenant")
        with only("wide", "cost"):
            chart(charts.service_heat(matrix, names, currency), "cost.services", said)
        with only("narrow", "cost"):
            chart(charts.service_bars(matrix, names, currency), "cost.services.narrow", said)
    left, right = st.columns([3, 2])
    with left, card(t("Cost a month by tenant, {unit}", unit=currency), height="stretch"):
        trend = summary.extra["tenants"].filter(ours_only)
        figure = charts.monthly_bars(trend, names, currency)
        chart(figure, "cost.months", t("Cost a month, stacked by tenant"))
    with right, card(t("Spend against budget, {unit}", unit=currency), height="stretch"):
        _budget(page, chosen, names, currency)
    left, right = st.columns(2)
    with left, card(t("Unallocated: the largest gaps"), height="stretch"):
        cost_tables.gaps(
            view.of_currency(page.ask("cost-unallocated", **asked), currency), currency
        )
    with right, card(t("Commitments and their use"), height="stretch"):
        cost_tables.commitments(unused, currency)
    with card(t("Rules in the order they are tried")):
        cost_tables.rules(
            view.of_currency(page.ask("cost-by-rule", **asked), currency, idle=True), currency
        )
    with card(t("Allocation of {month}", month=month(chosen))):
        table(
            view.allocation_rows(shown, allocation.extra["totals"].filter(ours_only), names),
            view.allocation_columns(currency),
            "cost.table",
            download=f"cost-allocation-{chosen}-{basis}.csv",
            source=allocation.frame,
            rows=20,
        )
        _workbook(page, chosen, basis)


def _budget(page: Page, chosen: str, names: dict[str, str], currency: str) -> None:
    answer = page.maybe("spend-against-budget", month=chosen)
    if answer is None:
        problem(t("An exchange rate between spend and budget is missing in the fx_rate table."))
        return
    planned = answer.frame.filter(pl.col("budget").is_not_null() & (pl.col("currency") == currency))
    if planned.is_empty():
        empty(("reference",), t("No budgets in {currency} for this month.", currency=currency))
        return
    figure = charts.budget_bars(planned, names, currency)
    chart(figure, "cost.budget", t("Spend and budget by tenant"))
    explain(answer, page.session.config.zone)


def _workbook(page: Page, chosen: str, basis: str) -> None:
    session, lang = page.session, language()

    def build() -> bytes:
        buffer = BytesIO()
        write_cost_allocation(session.facts(), chosen, basis, lang, buffer)
        return buffer.getvalue()

    st.download_button(
        t("Download workbook"),
        data=build,
        file_name=f"cost-allocation-{chosen}-{basis}.xlsx",
        mime="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        key="cost.workbook",
        on_click="ignore",
        type="primary",
    )


main()
