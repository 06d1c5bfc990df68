"""Editing a risk in the browser: what was opened is remembered, saved against its version.

A dialog keeps in the session which risk it shows, the version it was opened
on and what was typed. Saving happens in a callback, before anything is drawn,
so that what is wrong, or what somebody else changed meanwhile, is shown in the
same place with nothing lost.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from zoneinfo import ZoneInfo

import streamlit as st

from models.program.merge import merge
from models.program.register import RISK, Problem, Value
from records.edits import Author, Conflict, Invalid, UnknownItem, add, change, close, now
from records.reading import Records
from ui.format import moment
from ui.i18n import t
from ui.risk_form import heading, plain, risk_fields, said, shown, typed

OPENED = "risks.opened"
TOLD = "risks.told"
WHO = "who"


@dataclass
class Opened:
    """The dialog in front: what it edits and how far that has come.

    kind: add, edit or close. base: the risk as it was opened, with its version.
    draft: what the form starts from. conflict: set while two versions are compared.
    """

    kind: str
    base: dict[str, Any]
    draft: dict[str, Any]
    problems: dict[str, Problem] = field(default_factory=dict)
    conflict: Conflict | None = None

    @property
    def key(self) -> str:
        """Of the widgets: another risk or version never inherits their contents."""
        return f"risks.{self.kind}.{self.base.get('id', 'new')}.{self.base.get('version', 0)}"


def open_add(program: str | None) -> None:
    """Callback: start a new risk."""
    start = {one.name: one.default for one in RISK.fields}
    st.session_state[OPENED] = Opened("add", {}, {**start, "program": program})


def open_risk(kind: str, records: Records, id: str) -> None:
    """Callback: start editing or closing a risk, from the newest state there is."""
    item = records.item(RISK, id)
    if item is not None:
        st.session_state[OPENED] = Opened(kind, item, dict(item))


def show_opened(records: Records, programs: Mapping[str, str], zone: ZoneInfo) -> None:
    """Draw the dialog in front, if there is one, and say what the last one did."""
    if TOLD in st.session_state:
        st.toast(st.session_state.pop(TOLD))
    opened = st.session_state.get(OPENED)
    if opened is None:
        return
    titles = {
        "add": t("Add a risk"),
        "edit": t("Edit {id}", id=plain(opened.base.get("id"))),
        "close": t("Close {id}", id=plain(opened.base.get("id"))),
    }
    # Left only by a button: a stray click or key must not throw away what was typed.
    draw = st.dialog(titles[opened.kind], width="large", dismissible=False)(_body)
    draw(records, programs, zone)


def _body(records: Records, programs: Mapping[str, str], zone: ZoneInfo) -> None:
    opened: Opened | None = st.session_state.get(OPENED)
    if opened is None:
        # Saved in the callback: the whole page is drawn again, without the dialog.
        st.rerun()
    if opened.conflict is not None and opened.kind == "edit":
        _draw_conflict(opened, opened.conflict, records, zone)
    elif opened.kind == "close":
        _draw_close(opened, records, zone)
    else:
        _draw_form(opened, records, programs)


def _draw_form(opened: Opened, records: Records, programs: Mapping[str, str]) -> None:
    with st.form(opened.key, border=False, enter_to_submit=False):
        _draw_who(opened)
        risk_fields(opened.draft, opened.problems, programs, opened.key)
        if opened.problems:
            st.error(t("Not saved yet. Correct the fields with a message, then save again."))
        with st.container(horizontal=True):
            st.form_submit_button(t("Save"), type="primary", on_click=_save, args=(opened, records))
            st.form_submit_button(t("Cancel"), on_click=_dismiss)


def _save(opened: Opened, records: Records) -> None:
    """Callback: store the form, or remember why not."""
    raw = {
        name: st.session_state[f"{opened.key}.{name}"]
        for name in RISK.names
        if f"{opened.key}.{name}" in st.session_state
    }
    values, problems = typed(raw)
    opened.problems, opened.draft = problems, {**opened.draft, **values}
    if problems:
        return
    if opened.kind == "add":
        wanted: dict[str, Value] = values
    else:
        wanted = {name: v for name, v in values.items() if v != opened.base[name]}
    _store(opened, records, wanted, opened.base.get("version", 0))


def _store(opened: Opened, records: Records, values: dict[str, Value], version: int) -> None:
    author = _author(opened)
    try:
        if opened.kind == "add":
            id = add(records, RISK.name, values, author)
        else:
            id = opened.base["id"]
            change(records, RISK.name, id, version, values, author)
    except Invalid as error:
        opened.problems, opened.conflict = error.problems, None
        opened.draft = {**opened.draft, **values}
    except Conflict as error:
        opened.conflict = error
    except UnknownItem:
        _finish(t("This risk is no longer in the register."))
    else:
        _finish(t("{id} is saved.", id=plain(id)))


def _draw_conflict(opened: Opened, conflict: Conflict, records: Records, zone: ZoneInfo) -> None:
    """Both versions beside each other; the person decides field by field."""
    theirs, found = conflict.theirs, merge(conflict.base, conflict.theirs, conflict.yours)
    st.warning(
        t(
            "{who} changed {id} while you were editing, on {when}. Nothing is saved or lost "
            "yet: choose what stands.",
            who=plain(theirs["changed_by"]),
            id=plain(conflict.id),
            when=moment(theirs["changed_at"], zone),
        )
    )
    others = {
        name: theirs[name]
        for name in RISK.names
        if theirs[name] != conflict.base.get(name) and name not in found.clashes
    }
    key = f"{opened.key}.conflict.{theirs['version']}"
    with st.form(key, border=False, enter_to_submit=False):
        _draw_who(opened)
        for name, (their_value, my_value) in found.clashes.items():
            their_text, my_text = plain(shown(name, their_value)), plain(shown(name, my_value))
            options = {
                "theirs": t("{who}: {value}", who=plain(theirs["changed_by"]), value=their_text),
                "mine": t("You: {value}", value=my_text),
            }
            was = plain(shown(name, conflict.base.get(name)))
            st.radio(
                t("{field} (was: {was})", field=heading(name), was=was),
                list(options),
                format_func=options.__getitem__,
                index=None,
                key=f"{key}.{name}",
            )
            if name in opened.problems:
                st.markdown(f":red[{said(opened.problems[name])}]")
        _list(t("Only you changed; saved with your choice:"), found.apply)
        _list(t("Only {who} changed; kept:", who=plain(theirs["changed_by"])), others)
        with st.container(horizontal=True):
            st.form_submit_button(
                t("Save what I chose"),
                type="primary",
                on_click=_settle,
                args=(opened, key, records),
            )
            st.form_submit_button(t("Discard my changes"), on_click=_dismiss)


def _settle(opened: Opened, key: str, records: Records) -> None:
    """Callback: store the chosen values over the version that was shown."""
    conflict = opened.conflict
    assert conflict is not None
    found = merge(conflict.base, conflict.theirs, conflict.yours)
    chosen = {name: st.session_state.get(f"{key}.{name}") for name in found.clashes}
    opened.problems = {
        name: Problem("Choose one of the two.") for name, choice in chosen.items() if choice is None
    }
    if opened.problems:
        return
    mine = {name: pair[1] for name, pair in found.clashes.items() if chosen[name] == "mine"}
    # The form, should it come back, starts from what stands now plus what was chosen.
    values = {**found.apply, **mine}
    opened.base = dict(conflict.theirs)
    opened.draft = {**conflict.theirs, **values}
    opened.conflict = None
    _store(opened, records, values, conflict.theirs["version"])


def _draw_close(opened: Opened, records: Records, zone: ZoneInfo) -> None:
    key = opened.key
    if opened.conflict is not None:
        theirs = opened.conflict.theirs
        st.warning(
            t(
                "{who} changed {id} on {when}. See what is new, then close it again if it is over.",
                who=plain(theirs["changed_by"]),
                id=plain(opened.conflict.id),
                when=moment(theirs["changed_at"], zone),
            )
        )
        changed = {n: theirs[n] for n in RISK.names if theirs[n] != opened.conflict.base.get(n)}
        _list(t("Changed meanwhile:"), changed)
    with st.form(key, border=False, enter_to_submit=False):
        _draw_who(opened)
        ways = {"over": t("It is over"), "occurred": t("It happened: make it an issue")}
        st.radio(t("Why"), list(ways), format_func=ways.__getitem__, key=f"{key}.way")
        st.text_area(heading("closing_reason"), key=f"{key}.reason")
        if "closing_reason" in opened.problems:
            st.markdown(f":red[{said(opened.problems['closing_reason'])}]")
        with st.container(horizontal=True):
            st.form_submit_button(
                t("Close the risk"), type="primary", on_click=_close, args=(opened, records)
            )
            st.form_submit_button(t("Cancel"), on_click=_dismiss)


def _close(opened: Opened, records: Records) -> None:
    """Callback: close the risk at the version that was shown."""
    id, version = opened.base["id"], opened.base["version"]
    reason = st.session_state.get(f"{opened.key}.reason") or ""
    occurred = st.session_state.get(f"{opened.key}.way") == "occurred"
    try:
        close(records, id, version, reason, _author(opened), occurred=occurred)
    except Invalid as error:
        opened.problems = error.problems
    except Conflict as error:
        opened.conflict, opened.base = error, dict(error.theirs)
        st.session_state[f"{opened.key}.reason"] = reason
    except UnknownItem:
        _finish(t("This risk is no longer in the register."))
    else:
        _finish(t("{id} is closed.", id=plain(id)))


def _draw_who(opened: Opened) -> None:
    """Who signs the change; asked once, then kept in the session and the URL."""
    st.text_input(
        t("Your name"),
        value=st.session_state.get(WHO) or st.query_params.get(WHO, ""),
        key=f"{opened.key}.who",
        help=t("Local mode has no sign-in: your name signs the change in the audit trail."),
        max_chars=120,
    )
    if "who" in opened.problems:
        st.markdown(f":red[{said(opened.problems['who'])}]")


def _author(opened: Opened) -> Author:
    given = st.session_state.get(f"{opened.key}.who", st.session_state.get(WHO))
    who = str(given or "").strip()
    if who:
        st.session_state[WHO] = who
        st.query_params[WHO] = who
    return Author(who, now())


def _list(title: str, values: Mapping[str, Value]) -> None:
    if values:
        lines = [
            f"- {heading(name)}: {plain(shown(name, value))}" for name, value in values.items()
        ]
        st.markdown("\n".join([title, "", *lines]))


def _finish(told: str) -> None:
    st.session_state[TOLD] = told
    _dismiss()


def _dismiss() -> None:
    st.session_state.pop(OPENED, None)
