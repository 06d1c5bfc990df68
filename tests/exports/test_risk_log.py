"""The register's workbook: out, edited, back, nothing lost and nothing overwritten."""

import io
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from exports.risk_log import import_risk_log, risk_log, write_risk_log
from metrics.answer import CannotAnswer
from metrics.facts import Facts
from models.program.register import ENTITIES
from records.edits import Author, add, change, close
from tests.lakes import facts_of, written

START = datetime(2026, 11, 2, 1, 2, 3, 456789, tzinfo=UTC)
NASTY: dict[str, Any] = {
    "title": '=HYPERLINK("http://x","+1")',
    "title_zh": "  液冷回路，“延期” ",
    "description": "line one\nline two\ttab _x0041_ <&> \u200b 'quoted'",
    "owner": "007",
    "trigger": "-1+2",
    "proximity": "2026-12",
    "probability": 3,
    "impact": 4,
    "probability_percent": Decimal("0.5"),
    "cost_impact": Decimal("12345678901234567.89"),
    "currency": "USD",
    "raised_on": date(2026, 2, 28),
    "due": date(2026, 12, 2),
    "response": "mitigate",
    "category": "supply",
    "next_action": "@SUM(A1)",
}


def facts_in(folder: Path) -> Facts:
    folder.mkdir(exist_ok=True)
    return facts_of(written(folder, "", timezone="Asia/Shanghai"))


@pytest.fixture
def filled(tmp_path: Path) -> Facts:
    """A register with every kind of item and several versions."""
    facts = facts_in(tmp_path / "first")
    records = facts.records
    at = [START + timedelta(hours=n) for n in range(9)]
    add(records, "risk", NASTY, Author("wei", at[0]))
    change(records, "risk", "R-001", 1, {"probability": 5, "owner": None}, Author("李", at[1]))
    plain: dict[str, Any] = {"title": "Customs", "probability": 1, "impact": 1}
    add(records, "risk", plain, Author("wei", at[2]))
    close(records, "R-002", 1, "Cleared", Author("wei", at[3]))
    add(records, "risk", plain, Author("wei", at[4]))
    close(records, "R-003", 1, "It leaked", Author("wei", at[5]), occurred=True)
    action = {"title": "Air-freight", "risk": "R-001", "owner": "Supply", "due": date(2026, 12, 2)}
    add(records, "action", action, Author("wei", at[6]))
    add(records, "decision", {"title": "Second loop?"}, Author("wei", at[7]))
    return facts


def state(facts: Facts) -> dict[str, Any]:
    found: dict[str, Any] = {
        name: facts.records.items(entity).to_dicts() for name, entity in ENTITIES.items()
    }
    found["audit"] = facts.records.audit().sort("entity", "id", "version", "field").to_dicts()
    return found


def saved(folder: Path, content: bytes) -> Path:
    path = folder / "risks.xlsx"
    path.write_bytes(content)
    return path


def edited(folder: Path, content: bytes, edit: Callable[[Any], None], sheet: str = "Risks") -> Path:
    book = openpyxl.load_workbook(io.BytesIO(content))
    edit(book[sheet])
    path = folder / "edited.xlsx"
    book.save(path)
    return path


def column(sheet: Any, heading: str) -> int:
    return next(cell.column for cell in sheet[1] if cell.value == heading)


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_an_empty_register_takes_the_workbook_without_loss(
    tmp_path: Path, filled: Facts, lang: str
) -> None:
    path = saved(tmp_path, risk_log(filled, lang))
    other = facts_in(tmp_path / "second")
    outcome = import_risk_log(other, path)
    assert outcome.rejected == ()
    found = state(other)
    for name, rows in state(filled).items():
        assert found[name] == rows, name


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_same_register_takes_its_own_workbook_as_unchanged(
    tmp_path: Path, filled: Facts, lang: str
) -> None:
    before = state(filled)
    outcome = import_risk_log(filled, saved(tmp_path, risk_log(filled, lang)))
    assert (outcome.accepted, outcome.unchanged, outcome.rejected) == (0, 6, ())
    assert state(filled) == before


def test_a_text_that_looks_like_a_formula_stays_text(filled: Facts) -> None:
    book = openpyxl.load_workbook(io.BytesIO(risk_log(filled, "en")))
    for sheet in book:
        for row in sheet.iter_rows():
            assert all(cell.data_type != "f" for cell in row)
    sheet = book["Risks"]
    assert sheet.cell(2, column(sheet, "Title")).value == NASTY["title"]


def test_headings_and_words_are_in_the_chosen_language(filled: Facts) -> None:
    book = openpyxl.load_workbook(io.BytesIO(risk_log(filled, "zh")))
    assert book.sheetnames == ["风险", "行动", "决策", "问题", "历史"]
    sheet = book["风险"]
    assert sheet.cell(2, column(sheet, "状态")).value == "打开"


def test_an_edit_in_the_workbook_comes_in_signed(tmp_path: Path, filled: Facts) -> None:
    def edit(sheet: Any) -> None:
        sheet.cell(2, column(sheet, "Impact")).value = 2

    path = edited(tmp_path, risk_log(filled, "en"), edit)
    trial = import_risk_log(filled, path, dry_run=True)
    assert [(name, row.id, row.changes) for name, row in trial.rows if row.changes] == [
        ("risk", "R-001", {"impact": (4, 2)})
    ]
    assert import_risk_log(filled, path, who="zhang").accepted == 1
    newest = filled.records.audit("risk", "R-001").row(0, named=True)
    assert (newest["who"], newest["how"], newest["version"]) == ("zhang", "import", 3)


def test_an_edit_made_in_the_browser_meanwhile_is_not_overwritten(
    tmp_path: Path, filled: Facts
) -> None:
    def edit(sheet: Any) -> None:
        sheet.cell(2, column(sheet, "Impact")).value = 2
        sheet.cell(3, column(sheet, "Owner")).value = "Customs desk"

    path = edited(tmp_path, risk_log(filled, "en"), edit)
    change(filled.records, "risk", "R-001", 2, {"impact": 5}, Author("li", START))
    outcome = import_risk_log(filled, path)
    assert outcome.accepted == 1
    [refused] = outcome.rejected
    assert refused.rule == "conflict"
    assert 'impact is "5" in the register and "2" in the file' in refused.message
    assert filled.records.risks()["impact"].to_list()[0] == 5


def test_a_risk_added_in_the_workbook_is_new_in_the_register(tmp_path: Path, filled: Facts) -> None:
    def edit(sheet: Any) -> None:
        for heading, value in (("ID", "R-050"), ("Title", "By hand"), ("Status", "Draft")):
            sheet.cell(5, column(sheet, heading)).value = value

    path = edited(tmp_path, risk_log(filled, "en"), edit)
    assert import_risk_log(filled, path).accepted == 1
    assert add(filled.records, "risk", NASTY, Author("wei", START)) == "R-051"


def test_a_file_that_is_no_register_is_said_in_words(tmp_path: Path, filled: Facts) -> None:
    with pytest.raises(CannotAnswer, match="not a readable xlsx workbook"):
        import_risk_log(filled, saved(tmp_path, b"nothing"))


def test_an_empty_register_still_gives_a_form_to_fill(tmp_path: Path) -> None:
    path = tmp_path / "risks.xlsx"
    write_risk_log(facts_in(tmp_path / "empty"), path, "en")
    sheet = openpyxl.load_workbook(path)["Risks"]
    assert [cell.value for cell in sheet[1]][:3] == ["ID", "Programme", "Title"]
    assert sheet.max_row == 1
