"""Taking an edited register back: first what would happen, row by row, then the deed."""

import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

import polars as pl
import streamlit as st

from metrics.answer import CannotAnswer
from models.program.register_words import SHEETS
from ui.i18n import t
from ui.risk_dialogs import TOLD, WHO
from ui.risk_form import heading, shown
from ui.states import problem
from ui.tables import Column, table

OPENED = "risks.import.opened"


class Outcome(Protocol):
    """What exports/risk_log.py says of an import; the page hands it in."""

    @property
    def rows(self) -> Sequence[tuple[str, Any]]: ...
    @property
    def accepted(self) -> int: ...
    @property
    def unchanged(self) -> int: ...
    @property
    def rejected(self) -> Sequence[Any]: ...
    @property
    def notes(self) -> Sequence[str]: ...


Import = Callable[..., Outcome]
"""(file, who, dry_run=) -> Outcome."""


def open_import() -> None:
    """Callback: bring the dialog to the front."""
    st.session_state[OPENED] = True


def show_import(take: Import) -> None:
    """Draw the dialog if it is in front."""
    if st.session_state.get(OPENED):
        draw = st.dialog(t("Import a register"), width="large", on_dismiss=_dismiss)(_body)
        draw(take)


def _body(take: Import) -> None:
    if not st.session_state.get(OPENED):
        st.rerun()
    st.markdown(
        t(
            "Choose the workbook that was exported here and edited, or any register as xlsx or "
            "CSV. Nothing is saved before you have seen what would change."
        )
    )
    upload = st.file_uploader(t("File"), type=["xlsx", "csv"], key="risks.import.file")
    if upload is None:
        return
    who = st.text_input(
        t("Your name"),
        value=st.session_state.get(WHO) or st.query_params.get(WHO, ""),
        key="risks.import.who",
    )
    try:
        with _on_disk(upload.name, upload.getvalue()) as file:
            trial = take(file, who or None, dry_run=True)
    except CannotAnswer as error:
        problem(str(error))
        return
    _report(trial)
    st.button(
        t("Import {n} rows", n=trial.accepted),
        key="risks.import.go",
        type="primary",
        disabled=trial.accepted == 0 or not who.strip(),
        help=None if who.strip() else t("Say who you are: every change is signed."),
        on_click=_import,
        args=(take, upload.name, upload.getvalue(), who.strip()),
    )


def _report(trial: Outcome) -> None:
    """What the rows would do, in figures and then one by one."""
    st.markdown(
        t(
            "**{accepted}** rows would be taken, {unchanged} say nothing new, **{refused}** "
            "cannot be taken.",
            accepted=trial.accepted,
            unchanged=trial.unchanged,
            refused=len(trial.rejected),
        )
    )
    changes = [
        (
            t(SHEETS[kind].en),
            row.id,
            t(row.verdict),
            heading(name),
            _value(kind, name, was),
            _value(kind, name, is_),
        )
        for kind, row in trial.rows
        for name, (was, is_) in row.changes.items()
        if row.verdict == "changed" or name == "title"
    ]
    if changes:
        names = ["sheet", "id", "verdict", "field", "was", "is"]
        frame = pl.DataFrame(changes, schema=dict.fromkeys(names, pl.String), orient="row")
        labels = (t("Sheet"), "ID", t("Outcome"), t("Field"), t("Was"), t("Is"))
        columns = {n: Column(label) for n, label in zip(names, labels, strict=True)}
        table(frame, columns, key="risks.import.changes", rows=8)
    if trial.rejected:
        refused = pl.DataFrame(
            [(one.row, one.message) for one in trial.rejected],
            schema={"row": pl.Int64, "message": pl.String},
            orient="row",
        )
        columns = {
            "row": Column(t("Row"), width="small"),
            "message": Column(t("Why it cannot be taken"), width="large"),
        }
        table(refused, columns, key="risks.import.refused", rows=6, download="refused.csv")
    for note in trial.notes:
        st.caption(note)


def _value(kind: str, name: str, value: Any) -> str:
    if value is None:
        return "—"
    return shown(name, value) if kind == "risk" else str(value)


def _import(take: Import, name: str, content: bytes, who: str) -> None:
    """Callback: do what the trial showed; a newer conflict is refused again, never forced."""
    with _on_disk(name, content) as file:
        outcome = take(file, who, dry_run=False)
    st.session_state[WHO] = who
    st.query_params[WHO] = who
    st.session_state[TOLD] = t(
        "{accepted} rows imported, {refused} not taken.",
        accepted=outcome.accepted,
        refused=len(outcome.rejected),
    )
    _dismiss()


@contextmanager
def _on_disk(name: str, content: bytes) -> Iterator[Path]:
    """An upload as a file under its own name, gone afterwards."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / Path(name).name
        path.write_bytes(content)
        yield path


def _dismiss() -> None:
    st.session_state.pop(OPENED, None)
