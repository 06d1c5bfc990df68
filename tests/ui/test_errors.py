"""Errors come as English sentences; the page says them in its language, with their parts."""

from string import Formatter

import pytest

from ui import errors
from ui.errors import TEMPLATES, in_words
from ui.i18n import translate


@pytest.fixture(autouse=True)
def chinese(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(errors, "t", lambda message, **v: translate(message, "zh", **v))


@pytest.mark.parametrize("template", TEMPLATES)
def test_each_sentence_is_recognised_with_its_parts(template: str) -> None:
    names = {name for _, name, _, _ in Formatter().parse(template) if name}
    parts = {name: f"<{name}>" for name in names}
    said = in_words(Exception(template.format(**parts)))
    assert said != template.format(**parts)
    for part in parts.values():
        assert part in said


def test_a_misspelt_key_is_said_with_its_hint() -> None:
    said = in_words(Exception('q.toml: unknown key "timezoen". Did you mean "timezone"?'))
    assert said == "q.toml：未知的键“timezoen”。是否应为“timezone”？"


def test_a_sentence_nobody_knows_stays_as_it_is() -> None:
    assert in_words(Exception("disk full")) == "disk full"
