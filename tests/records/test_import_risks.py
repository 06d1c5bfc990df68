"""Files into the register: idempotent, merged field by field, never over an edit in silence."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from models.program.register import RISK
from records.edits import Author, add, change
from records.import_risks import Outcome, write
from records.reading import Records, open_records

NOW = datetime(2026, 11, 23, 2, tzinfo=UTC)
TPM = Author("li", NOW)
ROW: dict[str, Any] = {
    "id": "R-001",
    "title": "Cooling loop late",
    "probability": 3,
    "impact": 4,
    "next_action": None,
}


HISTORY: list[dict[str, Any]] = [
    {
        "version": 1,
        "at": "2026-09-01T00:00:00+00:00",
        "who": "wei",
        "how": "browser",
        "changes": {
            "title": {"was": None, "is": "Cooling loop late"},
            "type": {"was": None, "is": "threat"},
            "status": {"was": None, "is": "open"},
            "probability": {"was": None, "is": 2},
            "impact": {"was": None, "is": 4},
        },
    },
    {
        "version": 2,
        "at": "2026-10-01T00:00:00+00:00",
        "who": "li",
        "how": "browser",
        "changes": {"probability": {"was": 2, "is": 3}},
    },
]


@pytest.fixture
def records(tmp_path: Path) -> Records:
    return open_records(f"sqlite:///{tmp_path / 'records.db'}")


def frame(*rows: dict[str, Any]) -> pl.DataFrame:
    known = {**RISK.frame_schema, "history": pl.String(), "source_row": pl.Int64()}
    numbered = [{**row, "source_row": n} for n, row in enumerate(rows, start=2)]
    names = [name for name in known if any(name in row for row in numbered)]
    return pl.DataFrame(
        {name: [row.get(name) for row in numbered] for name in names},
        schema={name: known[name] for name in names},
    )


def load(records: Records, *rows: dict[str, Any], days: float = 0, **options: bool) -> Outcome:
    return write(
        records, "risk", frame(*rows), who="register", at=NOW + timedelta(days=days), **options
    )


def the_risk(records: Records) -> dict[str, Any]:
    return records.risks().row(0, named=True)


def test_the_same_file_twice_changes_nothing(records: Records) -> None:
    assert load(records, ROW, {**ROW, "id": "R-002"}).accepted == 2
    again = load(records, ROW, {**ROW, "id": "R-002"}, days=1)
    assert (again.accepted, again.unchanged, again.conflicts) == (0, 2, ())
    assert the_risk(records)["version"] == 1


def test_a_newer_file_changes_what_it_changed(records: Records) -> None:
    load(records, ROW)
    outcome = load(records, {**ROW, "probability": 5}, days=7)
    assert outcome.rows[0].changes == {"probability": (3, 5)}
    assert (the_risk(records)["probability"], the_risk(records)["version"]) == (5, 2)


def test_a_file_that_only_repeats_itself_leaves_a_browser_edit(records: Records) -> None:
    load(records, ROW)
    change(records, "risk", "R-001", 1, {"probability": 5}, TPM)
    load(records, {**ROW, "next_action": "Air-freight sensor"}, days=1)
    found = the_risk(records)
    assert (found["probability"], found["next_action"]) == (5, "Air-freight sensor")
    load(records, {**ROW, "next_action": "Air-freight sensor", "impact": 5}, days=2)
    assert (the_risk(records)["probability"], the_risk(records)["impact"]) == (5, 5)


def test_a_field_changed_on_both_sides_is_refused_with_both_values(records: Records) -> None:
    load(records, ROW)
    change(records, "risk", "R-001", 1, {"probability": 5}, TPM)
    outcome = load(records, {**ROW, "probability": 2, "impact": 1}, days=1)
    [refusal] = outcome.conflicts
    assert (refusal.row, refusal.column, refusal.rule) == (2, "probability", "conflict")
    assert 'probability is "5" in the register and "2" in the file' in refusal.message
    assert (the_risk(records)["probability"], the_risk(records)["impact"]) == (5, 4)


def test_an_edited_export_is_judged_by_the_version_it_carries(records: Records) -> None:
    load(records, ROW)
    change(records, "risk", "R-001", 1, {"probability": 5}, TPM)
    change(records, "risk", "R-001", 2, {"impact": 5}, TPM)
    row = {**ROW, "probability": 5, "version": 2, "next_action": "Second vendor"}
    assert load(records, row, days=1).accepted == 1
    found = the_risk(records)
    assert (found["impact"], found["next_action"], found["version"]) == (5, "Second vendor", 4)


def test_an_edited_export_imported_twice_does_not_undo_a_later_edit(records: Records) -> None:
    load(records, ROW)
    row = {**ROW, "probability": 5, "version": 1}
    load(records, row, days=1)
    change(records, "risk", "R-001", 2, {"probability": 1}, TPM)
    outcome = load(records, row, days=2)
    assert (outcome.rows[0].verdict, outcome.conflicts) == ("earlier", ())
    assert the_risk(records)["probability"] == 1


def test_a_version_from_another_register_is_refused(records: Records) -> None:
    load(records, ROW)
    [refusal] = load(records, {**ROW, "impact": 1, "version": 9}, days=1).conflicts
    assert "version 9 is unknown here" in refusal.message


def test_a_row_that_meets_a_stranger_of_its_id_is_refused(records: Records) -> None:
    add(records, "risk", {"title": "Typed here", "probability": 1, "impact": 1}, TPM)
    [refusal] = load(records, ROW).conflicts
    assert refusal.rule == "conflict"
    assert the_risk(records)["title"] == "Typed here"


def test_a_column_that_was_never_there_fills_what_nobody_set(records: Records) -> None:
    load(records, ROW)
    load(records, {**ROW, "status": "closed", "trigger": "No FAT by 5 Dec"}, days=1)
    assert (the_risk(records)["status"], the_risk(records)["trigger"]) == (
        "closed",
        "No FAT by 5 Dec",
    )


def test_a_row_against_the_rules_leaves_the_others_in(records: Records) -> None:
    outcome = load(records, {**ROW, "impact": 7}, {**ROW, "id": "R-002"})
    assert (outcome.accepted, len(outcome.conflicts)) == (1, 1)
    assert outcome.conflicts[0].message == "R-001, impact: 7 is not between 1 and 5."
    assert records.risks()["id"].to_list() == ["R-002"]


def test_a_dry_run_says_the_same_and_keeps_nothing(records: Records) -> None:
    load(records, ROW)
    version = records.version()
    trial = load(records, {**ROW, "impact": 5}, {**ROW, "id": "R-002"}, days=1, dry_run=True)
    assert [row.verdict for row in trial.rows] == ["changed", "new"]
    assert records.risks().height == 1
    assert records.version() == version


def test_a_history_that_goes_on_from_ours_is_taken_with_its_dates(records: Records) -> None:
    load(records, {**ROW, "version": 2, "history": json.dumps(HISTORY)})
    third = {
        "version": 3,
        "at": "2026-11-20T00:00:00+00:00",
        "who": "zhang",
        "changes": {"impact": {"was": 4, "is": 5}},
    }
    row = {**ROW, "impact": 5, "version": 3, "history": json.dumps([*HISTORY, third])}
    outcome = load(records, row, days=1)
    assert outcome.rows[0].changes == {"impact": (4, 5)}
    assert (the_risk(records)["version"], the_risk(records)["changed_by"]) == (3, "zhang")
    assert records.risks(datetime(2026, 11, 19, tzinfo=UTC))["impact"].item() == 4
    assert load(records, row, days=2).unchanged == 1


def test_a_history_that_parts_from_ours_is_refused(records: Records) -> None:
    load(records, {**ROW, "version": 2, "history": json.dumps(HISTORY)})
    change(records, "risk", "R-001", 2, {"impact": 1}, TPM)
    third = {**HISTORY[1], "version": 3, "changes": {"impact": {"was": 4, "is": 5}}}
    fourth = {**HISTORY[1], "version": 4, "changes": {"impact": {"was": 5, "is": 2}}}
    row = {**ROW, "version": 4, "history": json.dumps([*HISTORY, third, fourth])}
    [refusal] = load(records, row, days=1).conflicts
    assert "version 4 is unknown here" in refusal.message
    assert the_risk(records)["impact"] == 1


def test_a_history_is_taken_for_a_risk_that_is_new_here(records: Records) -> None:
    load(records, {**ROW, "version": 2, "history": json.dumps(HISTORY)})
    assert (the_risk(records)["version"], the_risk(records)["changed_by"]) == (2, "li")
    september = records.risks(datetime(2026, 9, 15, tzinfo=UTC))
    assert september["probability"].item() == 2


def test_a_history_with_a_hole_is_refused(records: Records) -> None:
    step = {"at": "2026-09-01T00:00:00+00:00", "who": "wei", "changes": {}}
    history = json.dumps([{**step, "version": 1}, {**step, "version": 3}])
    [refusal] = load(records, {**ROW, "history": history}).conflicts
    assert "skips a version" in refusal.message
    assert records.audit().is_empty()
