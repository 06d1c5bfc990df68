"""Adding, changing and closing risks: versions, audit, conflicts, earlier states."""

import threading
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from models.program.register import RISK
from records.edits import Author, Conflict, Invalid, UnknownItem, add, change, close
from records.reading import Records, open_records

MONDAY = datetime(2026, 11, 23, 2, tzinfo=UTC)
VALUES: dict[str, Any] = {
    "title": "Cooling loop late",
    "title_zh": "液冷回路延期",
    "owner": "Facilities",
    "probability": 3,
    "impact": 4,
    "cost_impact": Decimal("2000000.005"),
    "currency": "USD",
    "due": date(2026, 12, 2),
}


@pytest.fixture
def records(tmp_path: Path) -> Records:
    return open_records(f"sqlite:///{tmp_path / 'records.db'}")


def by(who: str, days: float = 0) -> Author:
    return Author(who, MONDAY + timedelta(days=days))


def test_a_new_risk_gets_the_next_id_and_its_values_back(records: Records) -> None:
    assert add(records, "risk", VALUES, by("wei")) == "R-001"
    assert add(records, "risk", VALUES, by("wei")) == "R-002"
    row = records.risks().row(0, named=True)
    assert {name: row[name] for name in VALUES} == VALUES
    assert (row["version"], row["status"], row["changed_by"]) == (1, "open", "wei")


def test_values_are_refused_by_field_and_nothing_is_written(records: Records) -> None:
    with pytest.raises(Invalid) as refused:
        add(records, "risk", {**VALUES, "title": " ", "impact": 7}, by("wei"))
    assert set(refused.value.problems) == {"title", "impact"}
    assert records.risks().is_empty()
    assert records.version() == 0


def test_an_unsigned_edit_is_refused(records: Records) -> None:
    with pytest.raises(Invalid) as refused:
        add(records, "risk", VALUES, by(" "))
    assert set(refused.value.problems) == {"who"}


def test_every_change_leaves_who_when_was_and_is(records: Records) -> None:
    add(records, "risk", VALUES, by("wei"))
    assert (
        change(records, "risk", "R-001", 1, {"probability": 4, "owner": "Supply"}, by("li", 1)) == 2
    )
    newest = records.audit("risk", "R-001").filter(version=2).sort("field")
    assert newest.select("field", "was", "is", "who", "at").rows() == [
        ("owner", "Facilities", "Supply", "li", MONDAY + timedelta(days=1)),
        ("probability", "3", "4", "li", MONDAY + timedelta(days=1)),
    ]


def test_an_edit_that_changes_nothing_leaves_no_version(records: Records) -> None:
    add(records, "risk", VALUES, by("wei"))
    assert (
        change(records, "risk", "R-001", 1, {"cost_impact": Decimal("2000000.0050")}, by("li")) == 1
    )
    assert records.audit("risk")["version"].unique().to_list() == [1]


def test_a_second_editor_is_shown_both_and_nothing_is_lost(records: Records) -> None:
    add(records, "risk", VALUES, by("wei"))
    change(records, "risk", "R-001", 1, {"probability": 5}, by("li"))
    with pytest.raises(Conflict) as refused:
        change(records, "risk", "R-001", 1, {"probability": 2, "owner": "Supply"}, by("wei"))
    conflict = refused.value
    assert conflict.base["probability"] == 3
    assert (conflict.theirs["probability"], conflict.theirs["version"]) == (5, 2)
    assert conflict.yours == {"probability": 2, "owner": "Supply"}
    assert records.risks()["probability"].item() == 5


def test_of_many_edits_at_once_on_one_version_exactly_one_wins(records: Records) -> None:
    add(records, "risk", VALUES, by("wei"))
    outcomes: list[str] = []

    def edit(number: int) -> None:
        try:
            change(
                records, "risk", "R-001", 1, {"next_action": f"step {number}"}, by(f"tpm {number}")
            )
            outcomes.append("saved")
        except Conflict:
            outcomes.append("conflict")

    threads = [threading.Thread(target=edit, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes) == ["conflict"] * 7 + ["saved"]
    assert records.risks()["version"].item() == 2


def test_ids_stay_unique_when_many_add_at_once(records: Records) -> None:
    threads = [
        threading.Thread(target=add, args=(records, "risk", VALUES, by(f"tpm {n}")))
        for n in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert records.risks()["id"].to_list() == [f"R-{n:03d}" for n in range(1, 9)]


def test_the_version_number_grows_with_every_change(records: Records) -> None:
    seen = [records.version()]
    add(records, "risk", VALUES, by("wei"))
    seen.append(records.version())
    change(records, "risk", "R-001", 1, {"impact": 5}, by("wei"))
    seen.append(records.version())
    assert seen == sorted(set(seen))


def test_the_register_can_be_read_as_it_stood(records: Records) -> None:
    add(records, "risk", VALUES, by("wei"))
    change(records, "risk", "R-001", 1, {"probability": 5, "due": None}, by("li", 2))
    add(records, "risk", VALUES, by("wei", 3))
    assert records.risks(MONDAY - timedelta(seconds=1)).is_empty()
    then = records.risks(MONDAY + timedelta(days=1)).row(0, named=True)
    assert (then["probability"], then["due"], then["version"]) == (3, date(2026, 12, 2), 1)
    assert then["cost_impact"] == Decimal("2000000.005")
    assert records.risks(MONDAY + timedelta(days=9)).equals(records.risks())


def test_time_never_runs_backwards_within_an_item(records: Records) -> None:
    add(records, "risk", VALUES, by("wei", 5))
    change(records, "risk", "R-001", 1, {"impact": 1}, by("li", 1))
    assert records.risks()["changed_at"].item() == MONDAY + timedelta(days=5)


def test_closing_needs_a_reason(records: Records) -> None:
    add(records, "risk", VALUES, by("wei"))
    with pytest.raises(Invalid):
        close(records, "R-001", 1, "  ", by("wei"))
    close(records, "R-001", 1, "Loop passed its pressure test", by("wei"))
    assert records.risks()["status"].item() == "closed"


def test_a_risk_that_occurred_becomes_a_linked_issue(records: Records) -> None:
    add(records, "risk", VALUES, by("wei"))
    close(records, "R-001", 1, "Leak on 21 Nov", by("wei"), occurred=True)
    risk, issue = records.risks().row(0, named=True), records.raid_items().row(0, named=True)
    assert (risk["status"], risk["issue"]) == ("occurred", "I-001")
    assert (issue["kind"], issue["risk"], issue["title"]) == ("issue", "R-001", "Cooling loop late")


def test_closing_an_outdated_version_is_a_conflict_without_an_issue(records: Records) -> None:
    add(records, "risk", VALUES, by("wei"))
    change(records, "risk", "R-001", 1, {"impact": 5}, by("li"))
    with pytest.raises(Conflict):
        close(records, "R-001", 1, "done", by("wei"), occurred=True)
    assert records.raid_items().is_empty()


def test_an_unknown_risk_cannot_be_changed(records: Records) -> None:
    with pytest.raises(UnknownItem):
        change(records, "risk", "R-404", 1, {"impact": 5}, by("li"))


def test_actions_and_decisions_share_the_mechanism(records: Records) -> None:
    action = {
        "title": "Air-freight sensor",
        "risk": "R-001",
        "owner": "Supply",
        "due": date(2026, 12, 2),
    }
    assert add(records, "action", action, by("wei")) == "A-001"
    change(
        records, "action", "A-001", 1, {"status": "done", "done_on": date(2026, 12, 1)}, by("wei")
    )
    assert records.actions()["status"].item() == "done"
    assert add(records, "decision", {"title": "Second loop?"}, by("wei")) == "D-001"
    assert set(records.audit()["entity"]) == {"action", "decision"}
    assert RISK.prefix == "R"
