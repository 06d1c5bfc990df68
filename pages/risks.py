"""What threatens us, how much, who acts by when, and is it getting better?"""

from functools import partial

import polars as pl
import streamlit as st

from exports.risk_log import import_risk_log, risk_log
from models.program.register import CATEGORIES
from ui.cards import card, chart, explain
from ui.charts.risk import exposure_over_time, risk_matrix
from ui.filters import choose, segment
from ui.i18n import language, t
from ui.page import open_page
from ui.risk_detail import show_actions, show_audit, show_buttons, show_facts
from ui.risk_dialogs import open_add, show_opened
from ui.risk_form import word
from ui.risk_import import open_import, show_import
from ui.risk_table import register_columns, register_rows, risk_tiles
from ui.risk_words import headline, in_language
from ui.states import empty
from ui.tables import table
from ui.tiles import tiles

ALL = "all"

page = open_page("Risks")
session = page.session
facts = session.facts()
zone, currency, records = session.config.zone, session.config.currency, facts.records

everything = page.ask("risk-exposure")
programs = {
    row["program"]: in_language(row["name"], row["name_zh"]) or row["program"]
    for row in everything.extra["programs"].iter_rows(named=True)
}
program = choose(
    t("Programme"),
    [ALL, *programs],
    key="program",
    format_func=lambda id: programs.get(id, t("All programmes")),
)
category = choose(
    t("Category"),
    [ALL, *CATEGORIES],
    key="category",
    format_func=lambda name: t("All categories") if name == ALL else word(name),
)
chosen = {
    "program": None if program == ALL else program,
    "category": None if category == ALL else category,
}
since = session.before.data_through.isoformat() if session.before else None

show_opened(records, programs, zone)
show_import(partial(import_risk_log, facts))
if everything.frame.is_empty():
    empty(["risk_register"], t("No risk is recorded yet."))
    with st.container(horizontal=True):
        st.button(t("Add a risk"), key="risks.add", type="primary", on_click=open_add, args=(None,))
        st.button(t("Import a register"), key="risks.import", on_click=open_import)
    st.stop()

exposure = page.ask("risk-exposure", **chosen)
movement = page.ask("risk-movement", since=since, **chosen)
history = page.ask("risk-history", **chosen)
overdue = page.ask("overdue-actions", program=chosen["program"])
summary = {row["when"]: row for row in movement.extra["summary"].iter_rows(named=True)}

page.headline(
    headline(summary, movement.frame, overdue.frame, exposure.extra["exposure"], currency)
)
tiles(risk_tiles(summary, history.frame, currency))

left, right = st.columns([0.46, 0.54])
with left, card(t("Probability and impact, with movement since the review"), height="stretch"):
    chart(
        risk_matrix(exposure.extra["matrix"], movement.frame),
        key="risks.matrix",
        alt=t("Live risks counted by probability and impact; arrows show how risks moved."),
    )
with right, card(t("Exposure over time, with P80 above it"), height="stretch"):
    chart(
        exposure_over_time(history.frame, currency, zone),
        key="risks.history",
        alt=t("Expected cost of live risks by week, with the P80 as a band above."),
    )

with card(t("Register")):
    with st.container(horizontal=True, vertical_alignment="bottom"):
        shown = segment(
            t("Show"),
            ["live", ALL],
            key="show",
            format_func=lambda name: t("Live") if name == "live" else t("All"),
            where=st,
        )
        if session.is_latest:
            st.button(
                t("Add a risk"),
                key="risks.add",
                type="primary",
                on_click=open_add,
                args=(chosen["program"],),
            )
            st.button(t("Import"), key="risks.import", on_click=open_import)
        st.download_button(
            t("Export to Excel"),
            data=partial(risk_log, facts, language()),
            file_name="risk-log.xlsx",
            mime="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
            key="risks.export",
            on_click="ignore",
        )
    register = exposure.extra["register"].filter(pl.col("is_live") | (shown == ALL))
    rows = register_rows(register, movement.frame, programs)
    columns = register_columns(with_status=shown == ALL)
    table(rows, columns, key="risks.register", download="risks.csv", source=register)

with card(t("One risk in full")):
    titles = {
        row["id"]: f"{row['id']} · {in_language(row['title'], row['title_zh'])}"
        for row in exposure.extra["register"].iter_rows(named=True)
    }
    id = choose(t("Risk"), list(titles), key="risk", format_func=titles.__getitem__, where=st)
    if id is not None:
        risk = exposure.extra["register"].row(by_predicate=pl.col("id") == id, named=True)
        if session.is_latest:
            show_buttons(risk, records)
        facts_side, actions_side = st.columns(2)
        with facts_side:
            show_facts(risk, programs)
        with actions_side:
            st.markdown(f"**{t('Actions')}**")
            actions = exposure.extra["actions"]
            show_actions(risk, actions, records, may_edit=session.is_latest)
        st.markdown(f"**{t('Who changed what')}**")
        show_audit(page.ask("risk-audit", risk=id).frame, zone)

explain(exposure, zone)
