"""What went wrong, in the page's language: errors come as finished English sentences."""

import re
from functools import cache

from ui.i18n import t

TEMPLATES = (
    "{file}: no such file. Give one with --config, or start from the README's example.",
    "{file}: not valid TOML: {why}",
    '{file}: two sources are named "{name}"; names must differ',
    '{file}: unknown key "{key}". Did you mean "{near}"?',
    '{file}: unknown key "{key}".{known}',
    '{file}: key "{key}" is missing',
    '{file}: key "{key}": {why}',
    "records database {url}: cannot be opened: {why}",
    "records database {url}: made by a newer version of this program ({why}); upgrade the program",
    "The allocation rules cannot be followed: {why}.",
    "Spend cannot be compared with budgets: {why}. Add it to the fx_rate table.",
    '"{basis}" is not a cost basis; use one of {known}.',
    "No charges are loaded for {month}. The newest months with charges are {months}.",
    "There is no state {id} in this lake.",
    "This state was saved by an earlier version that did not keep what the figure needs ({why}). "
    "Load again, or choose a later review.",
    '"{month}" is not a month; write it as 2026-11.',
    'No plan "{name}".{known}',
    '"{name}" is the title of several plans: {keys}.',
    "There is no risk {id} in this state of the register.",
    '"{since}" is not an instant; write it as 2026-11-23T18:00.',
    "Name one project: {keys}.",
    "There is no figure called {name}.",
)
"""Sentences with parts, as they are raised; the first that fits is used."""


def in_words(error: Exception) -> str:
    """The error's sentence in the page's language; one nobody translated stays English."""
    said = str(error)
    for template, pattern in _patterns():
        found = pattern.fullmatch(said)
        if found:
            return t(template, **found.groupdict())
    return t(said)


@cache
def _patterns() -> tuple[tuple[str, re.Pattern[str]], ...]:
    return tuple((template, _pattern(template)) for template in TEMPLATES)


def _pattern(template: str) -> re.Pattern[str]:
    literal = re.escape(template)
    return re.compile(re.sub(r"\\{(\w+)\\}", r"(?P<\1>.*?)", literal), re.S)
