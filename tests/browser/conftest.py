"""The sample company served once, and one Chromium for all who look at it."""

from collections.abc import Iterator
from typing import Any

import pytest

from config import Config
from tests.browser.app import browser, serving


@pytest.fixture(scope="session")
def sample_site(sample: Config) -> Iterator[str]:
    """The address of the app over the whole sample."""
    with serving(sample.file) as address:
        yield address


@pytest.fixture(scope="module")
def chrome() -> Iterator[Any]:
    with browser() as found:
        yield found
