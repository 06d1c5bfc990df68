"""One risk in full: what it is, what is done about it, its actions and its history."""

from collections.abc import Mapping
from datetime import date
from typing import Any
from zoneinfo import ZoneInfo

import polars as pl
import streamlit as st

from models.program.register import LIVE, Problem, Value
from records.edits import Author, Conflict, Invalid, UnknownItem, add, change, now
from records.reading import Records
from ui.format import day, money, percent
from ui.i18n import t
from ui.risk_dialogs import TOLD, WHO, open_risk
from ui.risk_form import heading, plain, said, step_label, word
from ui.risk_words import audit_rows, in_language
from ui.tables import Column, table

ACTION_FORM = "risks.action"


def show_facts(risk: Mapping[str, Any], programs: Mapping[str, str]) -> None:
    """The fields of a risk that people read, blank ones left out."""
    st.markdown(f"**{plain(risk['id'])} · {plain(in_language(risk['title'], risk['title_zh']))}**")
    if risk["description"]:
        st.markdown(plain(risk["description"]))
    lines = {
        heading("status"): word(risk["status"]),
        heading("program"): programs.get(risk["program"], risk["program"]),
        heading("owner"): risk["owner"] or t("nobody"),
        t("Before any measure"): _scored(risk, "inherent_"),
        t("Now"): _scored(risk, ""),
        t("Target"): _scored(risk, "target_"),
        t("Chance"): percent(risk["chance_percent"], 0) if risk["chance_percent"] else None,
        heading("cost_impact"): _money(risk, "cost_impact"),
        heading("emv"): _money(risk, "emv"),
        heading("response"): word(risk["response"]) if risk["response"] else None,
        heading("proximity"): risk["proximity"],
        heading("trigger"): risk["trigger"],
        heading("next_action"): risk["next_action"],
        heading("due"): day(risk["due"]) if risk["due"] else None,
        heading("tenant"): risk["tenant"],
        heading("milestone"): risk["milestone"],
        heading("issue"): risk["issue"],
        heading("closing_reason"): risk["closing_reason"],
    }
    st.markdown(
        "\n".join(f"- {name}: {plain(str(value))}" for name, value in lines.items() if value)
    )


def show_buttons(risk: Mapping[str, Any], records: Records) -> None:
    """Edit and close, for a state that may still change."""
    with st.container(horizontal=True):
        st.button(
            t("Edit"),
            key="risks.detail.edit",
            type="primary",
            on_click=open_risk,
            args=("edit", records, risk["id"]),
        )
        if risk["status"] in LIVE:
            st.button(
                t("Close"),
                key="risks.detail.close",
                on_click=open_risk,
                args=("close", records, risk["id"]),
            )


def show_actions(
    risk: Mapping[str, Any], actions: pl.DataFrame, records: Records, *, may_edit: bool
) -> None:
    """The risk's actions, each with a way to say it is done, and a form for another."""
    mine = actions.filter(pl.col("risk") == risk["id"]).sort("status", "due", "id")
    if mine.is_empty():
        st.caption(t("No action is recorded for this risk."))
    for action in mine.iter_rows(named=True):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(
                f"{plain(action['id'])} · {plain(in_language(action['title'], action['title_zh']))}"
                f" · {plain(action['owner'])} · {day(action['due'])} · {word(action['status'])}"
            )
            if may_edit and action["status"] == "open":
                st.button(
                    t("Mark done"),
                    key=f"{ACTION_FORM}.done.{action['id']}.{action['version']}",
                    on_click=_finish_action,
                    args=(records, action["id"], action["version"]),
                )
    if may_edit:
        _action_form(risk, records)


def show_audit(trail: pl.DataFrame, zone: ZoneInfo) -> None:
    """Who changed what and when, newest first."""
    table(
        audit_rows(trail, zone),
        {
            "version": Column(t("Version"), width="small"),
            "when": Column(t("When")),
            "who": Column(t("Who")),
            "field": Column(t("Field")),
            "was": Column(t("Was")),
            "is": Column(t("Is")),
            "how": Column(t("How"), width="small"),
        },
        key="risks.detail.audit",
        rows=8,
    )


def _action_form(risk: Mapping[str, Any], records: Records) -> None:
    problems: dict[str, Problem] = st.session_state.get(f"{ACTION_FORM}.problems", {})
    key = f"{ACTION_FORM}.{risk['id']}"
    with (
        st.expander(t("Add an action"), expanded=bool(problems)),
        st.form(key, border=False, enter_to_submit=False),
    ):
        st.text_input(heading("title"), key=f"{key}.title")
        left, middle, right = st.columns(3)
        left.text_input(heading("owner"), key=f"{key}.owner")
        middle.date_input(heading("due"), value=None, key=f"{key}.due", format="YYYY-MM-DD")
        right.text_input(
            t("Your name"),
            value=st.session_state.get(WHO) or st.query_params.get(WHO, ""),
            key=f"{key}.who",
        )
        for name, problem in problems.items():
            label = t("Your name") if name == "who" else heading(name)
            st.markdown(f":red[{label}: {said(problem)}]")
        st.form_submit_button(
            t("Add"), on_click=_add_action, args=(records, key, risk["id"], risk["program"])
        )


def _add_action(records: Records, key: str, risk: str, program: str | None) -> None:
    """Callback: record an action of the risk."""
    state = st.session_state
    due = state[f"{key}.due"]
    values = {
        "title": state[f"{key}.title"],
        "owner": state[f"{key}.owner"],
        "due": due if isinstance(due, date) else None,
        "risk": risk,
        "program": program,
    }
    try:
        id = add(records, "action", values, _author(state[f"{key}.who"]))
    except Invalid as error:
        state[f"{ACTION_FORM}.problems"] = error.problems
    else:
        state.pop(f"{ACTION_FORM}.problems", None)
        for name in ("title", "owner"):
            state[f"{key}.{name}"] = ""
        state[f"{key}.due"] = None
        state[TOLD] = t("{id} is saved.", id=plain(id))


def _finish_action(records: Records, id: str, version: int) -> None:
    """Callback: an action is done; somebody else's change in between is told, not overwritten."""
    author = _author(st.session_state.get(WHO) or st.query_params.get(WHO, ""))
    values: dict[str, Value] = {"status": "done", "done_on": author.at.date()}
    try:
        change(records, "action", id, version, values, author)
    except Invalid:
        st.session_state[TOLD] = t("Enter your name in the form first: every change is signed.")
    except Conflict as error:
        who = error.theirs["changed_by"]
        st.session_state[TOLD] = t(
            "{who} changed {id} just now; look again.", who=plain(who), id=plain(id)
        )
    except UnknownItem:
        st.session_state[TOLD] = t("This action is no longer in the register.")
    else:
        st.session_state[TOLD] = t("{id} is done.", id=plain(id))


def _author(who: str) -> Author:
    who = who.strip()
    if who:
        st.session_state[WHO] = who
        st.query_params[WHO] = who
    return Author(who, now())


def _scored(risk: Mapping[str, Any], prefix: str) -> str | None:
    probability, impact = risk[f"{prefix}probability"], risk[f"{prefix}impact"]
    if probability is None or impact is None:
        return None
    return t(
        "score {score}: probability {probability}, impact {impact}",
        score=risk[f"{prefix}score"],
        probability=step_label("probability", probability),
        impact=step_label("impact", impact),
    )


def _money(risk: Mapping[str, Any], name: str) -> str | None:
    return None if risk[name] is None else money(risk[name], risk["currency"])
