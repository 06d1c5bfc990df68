"""Exposure, its history, movement and overdue actions, on a register with a past."""

from datetime import timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from metrics.answer import CannotAnswer, metrics
from metrics.facts import Facts
from metrics.risk_actions import overdue_actions, risk_audit
from metrics.risk_exposure import EXPOSURE_KEYS, risk_exposure, risk_history
from metrics.risk_movement import risk_movement
from records.edits import Author, add, change, close
from tests.lakes import facts_of, written

WEEK = timedelta(days=7)


def values(title: str, probability: int, impact: int, **more: Any) -> dict[str, Any]:
    return {
        "title": title,
        "probability": probability,
        "impact": impact,
        "owner": "Facilities",
        "currency": "USD",
        "program": "extension",
        **more,
    }


@pytest.fixture
def facts(tmp_path: Path) -> Facts:
    """Five weeks ago two risks; three weeks ago one rose; yesterday one closed, one came."""
    facts = facts_of(written(tmp_path, ""))
    records, now = facts.records, facts.now
    start = Author("wei", now - 5 * WEEK)
    add(records, "risk", values("Cooling late", 3, 4, cost_impact=Decimal(100)), start)
    add(records, "risk", values("Customs", 4, 2, cost_impact=Decimal(200)), start)
    change(records, "risk", "R-001", 1, {"probability": 5}, Author("li", now - 3 * WEEK))
    yesterday = Author("li", now - timedelta(days=1))
    close(records, "R-002", 1, "Cleared", yesterday)
    add(records, "risk", values("Power", 2, 2, owner=None, program="engine"), yesterday)
    due = facts.today - timedelta(days=3)
    action = {"title": "Air-freight", "risk": "R-001", "owner": "Supply", "due": due}
    add(records, "action", action, start)
    add(records, "action", {**action, "due": facts.today}, start)
    return facts


def test_the_figure_has_the_promised_keys_and_sums_to_the_exposure(facts: Facts) -> None:
    answer = risk_exposure(facts)
    assert answer.frame.columns == list(EXPOSURE_KEYS)
    assert answer.frame.select("id", "score", "emv", "status").rows() == [
        ("R-001", 20, Decimal(85), "open"),
        ("R-003", 4, None, "open"),
        ("R-002", 8, None, "closed"),
    ]
    exposure = answer.extra["exposure"].row(0, named=True)
    assert exposure["emv"] == answer.frame["emv"].sum() == 85
    assert (exposure["p80"], exposure["method"]) == (100, "exact")
    assert answer.coverage_percent == 50.0
    assert answer.notes == (
        "A risk without a cost or a probability is listed, but not in the exposure.",
    )


def test_the_register_says_who_has_no_dated_action_and_what_is_overdue(facts: Facts) -> None:
    register = risk_exposure(facts).extra["register"].sort("id")
    assert register["has_dated_action"].to_list() == [True, False, False]
    assert register["is_overdue"].to_list() == [True, False, False]


def test_currencies_are_never_added(facts: Facts) -> None:
    more = values("Import duty", 5, 5, cost_impact=Decimal(1000), currency="CNY")
    add(facts.records, "risk", more, Author("wei", facts.now))
    answer = risk_exposure(facts)
    assert answer.extra["exposure"].select("currency", "emv").rows() == [
        ("CNY", Decimal(850)),
        ("USD", Decimal(85)),
    ]
    assert answer.notes[-1] == "Risks in another currency are shown apart and never added."


def test_the_past_is_rebuilt_from_the_audit_trail(facts: Facts) -> None:
    frame = risk_history(facts).frame
    # R-001 at 40 % of 100 and R-002 at 60 % of 200 until R-001 rose to 85 %.
    assert frame["emv"].to_list()[:3] == [160, 160, 205]
    assert frame["emv"].to_list()[-1] == 85
    assert frame["critical"].to_list()[-1] == 1
    assert frame["at"].diff().drop_nulls().unique().to_list() == [WEEK]


def test_a_history_without_records_is_empty_not_zero(tmp_path: Path) -> None:
    assert risk_history(facts_of(written(tmp_path, ""))).frame.is_empty()


def test_movement_tells_new_closed_and_risen_apart(facts: Facts) -> None:
    since = (facts.now - 4 * WEEK).isoformat()
    answer = risk_movement(facts, since)
    assert answer.frame.select("id", "kind", "move").rows() == [
        ("R-001", "up", 8),
        ("R-002", "closed", None),
        ("R-003", "new", None),
    ]
    now, was, change_ = answer.extra["summary"].rows(named=True)
    assert (now["risks"], now["critical"], now["emv"], now["overdue"]) == (2, 1, 85, 1)
    assert (was["risks"], was["critical"], was["emv"]) == (2, 0, 160)
    assert (change_["risks"], change_["emv"]) == (0, -75)
    assert (now["without_owner"], now["without_dated_action"]) == (1, 1)


def test_movement_since_last_week_is_the_default(facts: Facts) -> None:
    assert dict(risk_movement(facts).frame.select("id", "kind").rows()) == {
        "R-001": "same",
        "R-002": "closed",
        "R-003": "new",
    }


def test_an_unreadable_instant_is_said_in_words(facts: Facts) -> None:
    with pytest.raises(CannotAnswer, match="last tuesday"):
        risk_movement(facts, "last tuesday")


def test_an_action_due_today_is_not_overdue(facts: Facts) -> None:
    frame = overdue_actions(facts).frame
    assert frame.select("id", "risk", "days_overdue").rows() == [("A-001", "R-001", 3)]


def test_a_programme_has_its_own_exposure(facts: Facts) -> None:
    assert risk_exposure(facts, program="engine").frame["id"].to_list() == ["R-003"]
    assert risk_movement(facts, program="engine").extra["summary"]["risks"][0] == 1


def test_an_earlier_state_shows_the_register_as_it_stood(facts: Facts) -> None:
    facts.records_as_of = facts.now - 4 * WEEK
    assert risk_exposure(facts).frame["score"].to_list() == [12, 8]
    assert risk_history(facts).frame["at"].max() == facts.records_as_of
    assert risk_audit(facts, "R-001").frame["version"].unique().to_list() == [1]


def test_the_audit_of_a_risk_is_newest_first(facts: Facts) -> None:
    frame = risk_audit(facts, "R-001").frame
    assert frame.row(0, named=True)["field"] == "probability"
    assert frame["version"].is_sorted(descending=True)
    with pytest.raises(CannotAnswer):
        risk_audit(facts, "R-404")


def test_only_the_promised_figure_is_listed() -> None:
    mine = {name: one.listed for name, one in metrics().items() if "risk" in name}
    assert {name for name, listed in mine.items() if listed} == {"risk-exposure"}
