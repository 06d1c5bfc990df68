"""The Risks page in both languages: empty, filled, edited, with conflicts and mistakes."""

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from models.program.register import RISK
from records.edits import Author, add, change, close
from records.reading import Records
from tests.lakes import facts_of, written

PAGE = Path(__file__).resolve().parents[2] / "pages" / "risks.py"
PAST = datetime.now(UTC) - timedelta(days=20)
NASTY = "Cooling *late* $x$ <b>1</b> [link](http://x)"


@pytest.fixture
def records(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Records:
    """An empty register of a configuration of the test's own."""
    config = written(tmp_path, "", timezone="Asia/Shanghai")
    monkeypatch.setenv("QUARTERMASTER_CONFIG", str(config.file))
    return facts_of(config).records


@pytest.fixture
def filled(records: Records) -> Records:
    values: dict[str, Any] = {
        "title": NASTY,
        "title_zh": "液冷回路延期",
        "probability": 2,
        "impact": 5,
        "owner": "Facilities",
        "cost_impact": Decimal(2_000_000),
        "currency": "USD",
        "program": "extension",
        "category": "facility",
    }
    add(records, "risk", values, Author("wei", PAST))
    add(records, "risk", {**values, "title": "Customs", "title_zh": None}, Author("wei", PAST))
    change(records, "risk", "R-001", 1, {"probability": 4}, Author("li", datetime.now(UTC)))
    close(records, "R-002", 1, "Cleared", Author("li", datetime.now(UTC)))
    action = {"title": "Air-freight", "risk": "R-001", "owner": "Supply", "due": date(2026, 1, 2)}
    add(records, "action", action, Author("wei", PAST))
    return records


def page(**query: str) -> AppTest:
    test = AppTest.from_file(str(PAGE), default_timeout=30)
    for name, value in query.items():
        test.query_params[name] = value
    return test.run()


def words(test: AppTest) -> str:
    kinds = (test.title, test.markdown, test.caption, test.warning, test.error, test.toast)
    return "\n".join(str(one.value) for kind in kinds for one in kind)


def button(test: AppTest, label: str) -> Any:
    return next(one for one in test.button if one.label == label)


def field(test: AppTest, name: str, id: str = "R-001", version: int = 2) -> Any:
    key = f"risks.edit.{id}.{version}.{name}"
    return next(
        one
        for kind in (test.text_input, test.selectbox, test.text_area, test.date_input)
        for one in kind
        if one.key == key
    )


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_an_empty_register_says_what_to_do(records: Records, lang: str) -> None:
    test = page(lang=lang)
    assert not test.exception
    assert "risk_register" in words(test)
    assert [one.label for one in test.button] == (
        ["Add a risk", "Import a register"] if lang == "en" else ["新增风险", "导入风险登记册"]
    )


@pytest.mark.parametrize(
    ("lang", "expected"),
    [
        ("en", ("Exposure rises to **1.2", "moved up to 20", "closed", "One action is overdue")),
        ("zh", ("风险敞口", "液冷回路延期”升至 20 分", "已关闭", "1 项行动已逾期")),
    ],
)
def test_the_headline_answers_in_a_sentence(
    filled: Records, lang: str, expected: tuple[str, ...]
) -> None:
    test = page(lang=lang)
    assert not test.exception
    for piece in expected:
        assert piece in words(test)


def test_the_tiles_show_value_and_change(filled: Records) -> None:
    tiles = {one.label: (one.value, one.delta) for one in page().metric}
    assert tiles["Live risks"] == ("1", "-1")
    assert tiles["Score 16 and above"] == ("1", "+1")
    assert tiles["Overdue"][0] == "1"


def test_a_persons_text_is_never_read_as_markup(filled: Records) -> None:
    said = words(page())
    assert NASTY not in said
    assert r"Cooling \*late\* \$x\$" in said


def test_filters_come_from_the_url(filled: Records) -> None:
    assert {one.label: one.value for one in page(category="supply").metric}["Live risks"] == "0"
    assert {one.label: one.value for one in page(category="facility").metric}["Live risks"] == "1"


def test_closed_risks_show_on_request(filled: Records) -> None:
    assert page().dataframe[0].value.shape[0] == 1
    table = page(show="all").dataframe[0].value
    assert table.shape[0] == 2
    assert "status" in table.columns


def test_an_edit_is_saved_signed_and_shown(filled: Records) -> None:
    test = button(page(risk="R-001"), "Edit").click().run()
    field(test, "who").set_value("zhang")
    field(test, "next_action").set_value("Second vendor")
    test = button(test, "Save").click().run()
    assert not test.exception
    newest = filled.audit("risk", "R-001").row(0, named=True)
    assert (newest["who"], newest["field"], newest["is"]) == (
        "zhang",
        "next_action",
        "Second vendor",
    )
    assert "Second vendor" in words(test)
    assert "is saved" in words(test)
    assert not [one for one in test.button if one.label == "Save"]


def test_cancelling_leaves_everything_as_it_was(filled: Records) -> None:
    test = button(page(risk="R-001"), "Edit").click().run()
    field(test, "owner").set_value("Somebody")
    test = button(test, "Cancel").click().run()
    assert not [one for one in test.button if one.label == "Save"]
    assert filled.item(RISK, "R-001")["owner"] == "Facilities"  # type: ignore[index]


def test_mistakes_are_said_under_their_fields_and_nothing_is_written(filled: Records) -> None:
    test = button(page(risk="R-001"), "Edit").click().run()
    field(test, "cost_impact").set_value("a lot")
    test = button(test, "Save").click().run()
    assert "is not an amount" in words(test)
    assert field(test, "cost_impact").value == "a lot"
    field(test, "cost_impact").set_value("5")
    field(test, "title").set_value("")
    field(test, "probability").select_index(0)
    test = button(test, "Save").click().run()
    said = words(test)
    assert "Say who you are" in said
    field(test, "who").set_value("zhang")
    said = words(button(test, "Save").click().run())
    assert "This is required." in said
    assert "An open risk needs this" in said
    assert filled.item(RISK, "R-001")["version"] == 2  # type: ignore[index]


def test_the_second_editor_is_shown_both_and_decides(filled: Records) -> None:
    test = button(page(risk="R-001"), "Edit").click().run()
    field(test, "who").set_value("zhang")
    field(test, "owner").set_value("Supply")
    field(test, "trigger").set_value("No FAT by 5 Dec")
    now = datetime.now(UTC)
    change(filled, "risk", "R-001", 2, {"owner": "Network", "impact": 4}, Author("li", now))
    test = button(test, "Save").click().run()
    assert "li changed R\\-001 while you were editing" in words(test)
    assert "No FAT by 5 Dec" in words(test)
    [choice] = [one for one in test.radio if one.label.startswith("Owner")]
    assert [str(option) for option in choice.options] == ["li: Network", "You: Supply"]
    assert filled.item(RISK, "R-001")["owner"] == "Network"  # type: ignore[index]
    undecided = button(test, "Save what I chose").click().run()
    assert "Choose one of the two." in words(undecided)
    [choice] = [one for one in undecided.radio if one.label.startswith("Owner")]
    choice.set_value("mine")
    test = button(undecided, "Save what I chose").click().run()
    assert not test.exception
    found = filled.item(RISK, "R-001")
    assert found is not None
    assert (found["owner"], found["impact"], found["trigger"], found["version"]) == (
        "Supply",
        4,
        "No FAT by 5 Dec",
        4,
    )


def test_a_new_risk_is_added(filled: Records) -> None:
    test = button(page(), "Add a risk").click().run()
    fields = {one.key: one for one in [*test.text_input, *test.selectbox]}
    fields["risks.add.new.0.who"].set_value("zhang")
    fields["risks.add.new.0.title"].set_value("Power contract slips")
    fields["risks.add.new.0.probability"].set_value(3)
    fields["risks.add.new.0.impact"].set_value(2)
    test = button(test, "Save").click().run()
    assert not test.exception
    found = filled.item(RISK, "R-003")
    assert found is not None
    assert (found["title"], found["status"], found["changed_by"]) == (
        "Power contract slips",
        "open",
        "zhang",
    )


def test_a_risk_is_closed_with_a_reason(filled: Records) -> None:
    test = button(page(risk="R-001"), "Close").click().run()
    test = button(test, "Close the risk").click().run()
    assert "This is required." in words(test)
    key = "risks.close.R-001.2"
    next(one for one in test.text_input if one.key == f"{key}.who").set_value("zhang")
    next(one for one in test.text_area if one.key == f"{key}.reason").set_value("Test passed")
    next(one for one in test.radio if one.key == f"{key}.way").set_value("occurred")
    test = button(test, "Close the risk").click().run()
    assert not test.exception
    found = filled.item(RISK, "R-001")
    assert found is not None
    assert (found["status"], found["issue"]) == ("occurred", "I-001")


def test_an_action_is_finished(filled: Records) -> None:
    test = page(risk="R-001", who="zhang")
    test = button(test, "Mark done").click().run()
    assert not test.exception
    assert filled.actions()["status"].to_list() == ["done"]
    assert "A\\-001 is done" in words(test)
