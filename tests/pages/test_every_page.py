"""Every page in both languages, on nothing, on part of the sample, and on all of it."""

import re

import pytest

from app import PAGES
from ui.markup import plain

LANGUAGES = ("en", "zh")
LATIN = re.compile(r"[A-Za-z]{4,} [a-z]{3,} [a-z]{3,}")
"""Three English words in a row: a sentence that nobody translated."""


def untranslated(parts: str) -> list[str]:
    """Lines with an English sentence; code, addresses and names of files are not prose."""
    prose = re.sub(r"`[^`]*`|<[^>]*>", " ", parts)
    return [line for line in prose.splitlines() if LATIN.search(line)]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("page", PAGES)
def test_an_empty_lake_says_what_to_add(page, language, empty_lake, show, words):
    shown = show(page, empty_lake, lang=language)
    assert not shown.exception
    said = words(shown)
    if page not in ("data", "risks"):
        assert ("Add a source of kind" in said) if language == "en" else ("请在" in said)
    if language == "zh":
        assert not untranslated(said)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("page", PAGES)
def test_a_lake_without_bills_and_jobs_shows_what_there_is(page, language, light_sample, show):
    shown = show(page, light_sample, lang=language)
    assert not shown.exception
    assert len(shown.title) == 1


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("page", PAGES)
def test_the_sample_fills_every_page(page, language, sample, show, words):
    shown = show(page, sample, lang=language)
    assert not shown.exception
    assert shown.metric or shown.dataframe
    said = words(shown)
    assert "Add a source of kind" not in said
    assert "请在 quartermaster.toml" not in said


def test_the_door_says_a_wrong_configuration_in_words(tmp_path, show, words):
    class Wrong:
        file = tmp_path / "quartermaster.toml"

    Wrong.file.write_text('timezoen = "UTC"\n', encoding="utf-8")
    shown = show("app", Wrong)
    assert not shown.exception
    assert "timezone" in words(shown)


def test_a_missing_configuration_is_a_sentence(tmp_path, show, words):
    class Missing:
        file = tmp_path / "nowhere.toml"

    shown = show("app", Missing)
    assert not shown.exception
    assert plain("nowhere.toml") in words(shown)
