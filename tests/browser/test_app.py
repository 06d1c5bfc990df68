"""Every page in a real browser: it opens, asks no other host, fits a phone, answers clicks."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest

from app import PAGES
from ui.i18n import translate

pytestmark = pytest.mark.browser

ADDRESSES = ["", *list(PAGES)[1:]]
TITLES = dict(zip(ADDRESSES, PAGES.values(), strict=True))
WIDE, PHONE = (1440, 900), (390, 844)
SETTLED = "document.querySelector('[data-testid=stApp]').dataset.testScriptState === 'notRunning'"
OVERFLOW = """() => [document.scrollingElement, document.querySelector('[data-testid=stMain]')]
    .map(part => part.scrollWidth - part.clientWidth)"""
LOCAL = ("http://127.0.0.1", "ws://127.0.0.1", "data:", "blob:")


@dataclass
class Visit:
    """A page of a browser and the requests it made to other hosts."""

    page: Any
    site: str
    strangers: list[str] = field(default_factory=list)

    def open(self, address: str, query: str = "") -> None:
        self.page.goto(f"{self.site}/{address}{query}")
        self.settle()

    def settle(self) -> None:
        self.page.wait_for_selector("h1", timeout=90_000)
        self.page.wait_for_function(SETTLED, timeout=90_000)

    @property
    def text(self) -> str:
        return str(self.page.locator("[data-testid=stMain]").inner_text())


@pytest.fixture
def visit(chrome: Any, sample_site: str, request: pytest.FixtureRequest) -> Iterator[Visit]:
    width, height = getattr(request, "param", WIDE)
    context = chrome.new_context(viewport={"width": width, "height": height})
    found = Visit(context.new_page(), sample_site)
    found.page.on(
        "request",
        lambda asked: None if asked.url.startswith(LOCAL) else found.strangers.append(asked.url),
    )
    yield found
    context.close()


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("address", ADDRESSES)
def test_every_page_opens_and_asks_no_other_host(visit: Visit, address: str, language: str) -> None:
    visit.open(address, f"?lang={language}")
    assert visit.page.locator("h1").inner_text() == translate(TITLES[address], language)
    for wrong in ("This cannot be shown", "Traceback", "Something unexpected"):
        assert wrong not in visit.text
    assert translate("This cannot be shown.", language) not in visit.text
    visit.page.wait_for_timeout(500)
    assert not visit.strangers


@pytest.mark.parametrize("visit", [PHONE], indirect=True, ids=["phone"])
@pytest.mark.parametrize("address", ADDRESSES)
def test_nothing_scrolls_sideways_on_a_phone(visit: Visit, address: str) -> None:
    visit.open(address)
    visit.page.wait_for_timeout(1000)
    assert max(visit.page.evaluate(OVERFLOW)) <= 0


def test_the_language_switch_changes_every_word_and_the_address(visit: Visit) -> None:
    visit.open("")
    visit.page.get_by_text("中文", exact=True).click()
    visit.page.get_by_role("heading", name="每周评审", level=1).wait_for(timeout=60_000)
    visit.page.wait_for_url("**lang=zh**")
    assert visit.page.get_by_role("link", name="里程碑").first.is_visible()
    visit.page.get_by_role("link", name="风险", exact=True).first.click()
    visit.page.get_by_role("heading", name="风险", level=1).wait_for(timeout=60_000)


def test_an_earlier_review_is_chosen_in_the_sidebar_and_kept_in_the_address(visit: Visit) -> None:
    visit.open("")
    visit.page.get_by_role("combobox", name="As of").click()
    visit.page.get_by_role("option", name="22 Nov 2026").click()
    visit.page.wait_for_url("**as_of=2026-11-22**", timeout=60_000)
    visit.settle()
    assert "to 22 Nov 2026" in visit.text


def test_a_filter_goes_into_the_address_and_comes_back_from_it(visit: Visit) -> None:
    visit.open("sla")
    visit.page.get_by_role("combobox", name="Month").click()
    visit.page.get_by_role("option", name="Oct 2026").click()
    visit.page.wait_for_url("**month=2026-10**", timeout=60_000)
    again = visit.page.context.new_page()
    again.goto(visit.page.url)
    again.wait_for_selector("h1", timeout=60_000)
    again.get_by_text("Oct 2026").first.wait_for(timeout=60_000)


@pytest.mark.parametrize("address", ["weekly_review", "weekly-review", "cost-allocation"])
def test_an_address_as_people_guess_it_finds_its_page(visit: Visit, address: str) -> None:
    visit.open(address)
    assert visit.page.locator("h1").inner_text() == PAGES[address.replace("-", "_")]
    assert not visit.page.get_by_role("dialog").count()


@pytest.mark.parametrize("address", [*list(PAGES)[1:]])
def test_a_page_opened_by_its_address_has_the_sidebar(visit: Visit, address: str) -> None:
    visit.open(address)
    visit.page.get_by_text("Local mode", exact=False).first.wait_for(timeout=60_000)
