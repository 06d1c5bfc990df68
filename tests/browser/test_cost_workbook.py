"""Finance takes the workbook off the page: what it totals is what the page shows."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from tests.browser.app import serving
from tests.metrics.bills import charge, lake, rule

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    config = lake(
        tmp_path_factory.mktemp("workbook"),
        [charge("100.00", ServiceName="Support"), charge("1234.567"), charge("5", RegionId="x")],
        [
            rule("a", "direct", 1, "service_name", operator="equals", value="GPU cluster",
                 tenant="a"),
            rule("even", "shared", 1, "service_name", operator="equals", value="Support",
                 pool="support", method="even"),
        ],
    )  # fmt: skip
    with serving(config.file) as address:
        yield address


@pytest.mark.parametrize(
    ("language", "button", "sheet"),
    [("en", "Download workbook", "By tenant"), ("zh", "下载工作簿", "按租户")],
)
def test_downloaded_workbook_totals_what_the_page_shows(
    chrome: Any, site: str, tmp_path: Path, language: str, button: str, sheet: str
) -> None:
    context = chrome.new_context(accept_downloads=True, viewport={"width": 1440, "height": 900})
    page = context.new_page()
    page.goto(f"{site}/cost_allocation?lang={language}")
    page.get_by_role("button", name=button).wait_for(timeout=90_000)
    with page.expect_download(timeout=60_000) as coming:
        page.get_by_role("button", name=button).click()
    file = tmp_path / coming.value.suggested_filename
    coming.value.save_as(file)
    context.close()
    assert file.name == "cost-allocation-2026-03-billed.xlsx"
    rows = openpyxl.load_workbook(file, data_only=True)[sheet].iter_rows(
        min_row=2, values_only=True
    )
    totals = {row[0]: row[8] for row in rows if row[0]}
    # 1,234.567 + 5 = 1,239.567 and half of 100.00; B has the other half.
    assert totals == {"a": 1289.57, "b": 50, "unallocated": 0}
