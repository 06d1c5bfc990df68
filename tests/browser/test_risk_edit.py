"""Two people edit one risk in two browsers: the second is shown both and decides."""

import io
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from models.program.register import RISK
from records.edits import Author, add
from records.reading import Records
from tests.browser.app import browser, serving
from tests.lakes import facts_of, written

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def register(tmp_path_factory: pytest.TempPathFactory) -> tuple[Records, Path]:
    config = written(tmp_path_factory.mktemp("risks"), "", timezone="Asia/Shanghai")
    records = facts_of(config).records
    values: dict[str, Any] = {
        "title": "Cooling loop late",
        "title_zh": "液冷回路延期",
        "probability": 3,
        "impact": 4,
        "owner": "Facilities",
        "cost_impact": Decimal(2_000_000),
        "currency": "USD",
    }
    author = Author("wei", datetime.now(UTC) - timedelta(days=30))
    for _ in range(2):
        add(records, "risk", values, author)
    return records, config.file


@pytest.fixture(scope="module")
def site(register: tuple[Records, Path]) -> Iterator[str]:
    with serving(register[1]) as address:
        yield address


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    with browser() as found:
        yield found


def opened(chromium: Any, address: str) -> Any:
    """A page in a browser session of its own."""
    page = chromium.new_context().new_page()
    page.set_default_timeout(60_000)
    page.goto(address)
    return page


def editing(chromium: Any, site: str, who: str, risk: str) -> Any:
    """A browser of its own with the risk's form open."""
    page = opened(chromium, f"{site}/risks?risk={risk}")
    page.get_by_role("button", name="Edit", exact=True).click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("textbox", name="Your name").fill(who)
    return page


def fill(page: Any, label: str, text: str) -> None:
    page.get_by_role("dialog").get_by_role("textbox", name=label, exact=True).fill(text)


def press(page: Any, label: str) -> None:
    page.get_by_role("dialog").get_by_role("button", name=label).click()


def test_the_second_editor_is_shown_both_and_nothing_is_lost(
    chromium: Any, site: str, register: tuple[Records, Path]
) -> None:
    records = register[0]
    first = editing(chromium, site, "Wei", "R-001")
    second = editing(chromium, site, "Li", "R-001")
    fill(first, "Owner", "Supply desk")
    press(first, "Save")
    first.get_by_role("dialog").wait_for(state="hidden")

    fill(second, "Owner", "Facilities desk")
    fill(second, "Trigger", "No FAT by 5 Dec")
    press(second, "Save")
    dialog = second.get_by_role("dialog")
    dialog.get_by_text("Wei changed R-001 while you were editing").wait_for()
    dialog.get_by_text("Wei: Supply desk").wait_for()
    dialog.get_by_text("Trigger: No FAT by 5 Dec").wait_for()
    held = records.item(RISK, "R-001")
    assert held is not None
    assert (held["owner"], held["trigger"]) == ("Supply desk", None)

    dialog.get_by_text("You: Facilities desk").click()
    press(second, "Save what I chose")
    second.get_by_role("dialog").wait_for(state="hidden")
    held = records.item(RISK, "R-001")
    assert held is not None
    assert (held["owner"], held["trigger"], held["version"]) == (
        "Facilities desk",
        "No FAT by 5 Dec",
        3,
    )
    owners = records.audit("risk", "R-001").filter(field="owner")
    assert owners.select("who", "was", "is").rows() == [
        ("Li", "Supply desk", "Facilities desk"),
        ("Wei", "Facilities", "Supply desk"),
        ("wei", None, "Facilities"),
    ]


def test_a_mistake_keeps_what_was_typed(
    chromium: Any, site: str, register: tuple[Records, Path]
) -> None:
    page = editing(chromium, site, "Wei", "R-002")
    fill(page, "Cost impact", "a lot")
    fill(page, "Owner", "Network")
    press(page, "Save")
    dialog = page.get_by_role("dialog")
    dialog.get_by_text("is not an amount").wait_for()
    assert dialog.get_by_role("textbox", name="Owner", exact=True).input_value() == "Network"
    fill(page, "Cost impact", "1500000.55")
    press(page, "Save")
    page.get_by_role("dialog").wait_for(state="hidden")
    held = register[0].item(RISK, "R-002")
    assert held is not None
    assert (held["owner"], held["cost_impact"]) == ("Network", Decimal("1500000.55"))


def test_the_register_goes_out_as_a_workbook_and_says_what_it_would_change_coming_back(
    chromium: Any, site: str, register: tuple[Records, Path], tmp_path: Path
) -> None:
    page = opened(chromium, f"{site}/risks")
    with page.expect_download() as download:
        page.get_by_role("button", name="Export to Excel").click()
    book = openpyxl.load_workbook(io.BytesIO(Path(download.value.path()).read_bytes()))
    sheet = book["Risks"]
    column = next(cell.column for cell in sheet[1] if cell.value == "Next action")
    sheet.cell(2, column).value = "=Second vendor"
    sheet.cell(2, column).data_type = "s"
    book.save(tmp_path / "edited.xlsx")

    page.get_by_role("button", name="Import", exact=True).click()
    dialog = page.get_by_role("dialog")
    dialog.locator("input[type=file]").set_input_files(tmp_path / "edited.xlsx")
    dialog.get_by_text("rows would be taken").wait_for()
    held = register[0].item(RISK, "R-001")
    assert held is not None and held["next_action"] is None
    dialog.get_by_role("textbox", name="Your name").fill("Zhang")
    dialog.get_by_role("textbox", name="Your name").press("Tab")
    dialog.get_by_role("button", name="Import 1 rows").click()
    dialog.wait_for(state="hidden")
    held = register[0].item(RISK, "R-001")
    assert held is not None
    assert (held["next_action"], held["changed_by"]) == ("=Second vendor", "Zhang")
