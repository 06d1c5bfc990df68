"""A page run in this process, in a language, on a configuration."""

from collections.abc import Callable
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from config import Config
from tests.lakes import ROOT

Shown = Callable[..., AppTest]


@pytest.fixture
def show(monkeypatch: pytest.MonkeyPatch) -> Shown:
    """`show("risks", config, lang="zh")`: the page by its file's name; keywords go to the URL.

    "app" is the door itself, with its sidebar and its first page.
    """

    def run(page: str, config: Config, **query: str) -> AppTest:
        monkeypatch.setenv("QUARTERMASTER_CONFIG", str(config.file))
        file = ROOT / "app.py" if page == "app" else ROOT / "pages" / f"{page}.py"
        test = AppTest.from_file(str(file), default_timeout=120)
        for key, value in query.items():
            test.query_params[key] = value
        return test.run()

    return run


@pytest.fixture
def words() -> Callable[[AppTest], str]:
    """Every text a page shows, charts apart."""
    return lambda test: "\n".join(texts(test))


def texts(test: AppTest) -> list[str]:
    """Titles, sentences, captions, lists, tiles."""
    plain = [str(part.value) for part in [*test.title, *test.markdown, *test.caption]]
    lists: list[Any] = list(test.get("html"))
    tiles = [f"{tile.label}: {tile.value} {tile.delta}" for tile in test.metric]
    return plain + [part.proto.body for part in lists] + tiles
