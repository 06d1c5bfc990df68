"""English and Chinese: every word a person sees goes through `t`.

Messages are English in the code and Chinese in gettext catalogues, one domain
an area (ui/locales/zh_CN/LC_MESSAGES/<domain>.po), compiled in memory.
"""

import gettext
import io
import unicodedata
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import streamlit as st
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po

LANGUAGES = {"en": "English", "zh": "中文"}
LOCALES = {"en": "en_GB", "zh": "zh_CN"}
HAIR_SPACE = "\u200a"
_FOLDER = Path(__file__).parent / "locales"


def language() -> str:
    """The language of the sidebar's switch, else the URL's (`?lang=zh`), else English."""
    chosen = st.session_state.get("lang") or st.query_params.get("lang", "en")
    return chosen if chosen in LANGUAGES else "en"


def locale() -> str:
    """Babel's name of the chosen language's locale."""
    return LOCALES[language()]


def t(message: str, **values: object) -> str:
    """The message in the chosen language, with its `{placeholders}` filled."""
    return translate(message, language(), **values)


def translate(message: str, to: str, **values: object) -> str:
    """The message in a language, outside a page too."""
    text = message
    for catalogue in _catalogues(to):
        found = catalogue.gettext(message)
        if found != message:
            text = found
            break
    filled = text.format(**values) if values else text
    return bold_stands_alone(filled) if to == "zh" and "**" in filled else filled


def in_language(english: str | None, chinese: str | None) -> str:
    """A name of the data in the page's language, in the other where it has only that."""
    first, second = (chinese, english) if language() == "zh" else (english, chinese)
    return first or second or "–"


def sentences(said: Iterable[str]) -> str:
    """Sentences one after the other, as the language sets them."""
    return ("" if language() == "zh" else " ").join(part for part in said if part)


def bold_stands_alone(text: str) -> str:
    """The text with hair spaces where Markdown would not see where bold ends or begins.

    Chinese puts no space after a full stop, and `**` between a full stop and a
    letter closes nothing (CommonMark, "right-flanking").
    """
    parts = text.split("**")
    for place in range(1, len(parts) - 1, 2):
        before, bold, after = parts[place - 1 : place + 2]
        if _is_mark(bold[:1]) and before and not (_is_mark(before[-1]) or before[-1].isspace()):
            parts[place - 1] = before + HAIR_SPACE
        if _is_mark(bold[-1:]) and after and not (_is_mark(after[0]) or after[0].isspace()):
            parts[place + 1] = HAIR_SPACE + after
    return "**".join(parts)


def _is_mark(sign: str) -> bool:
    return bool(sign) and unicodedata.category(sign)[0] in "PS"


@cache
def _catalogues(to: str) -> tuple[gettext.GNUTranslations, ...]:
    folder = _FOLDER / LOCALES.get(to, to) / "LC_MESSAGES"
    return tuple(_compiled(file) for file in sorted(folder.glob("*.po")))


def _compiled(file: Path) -> gettext.GNUTranslations:
    with file.open("rb") as source:
        catalogue = read_po(source)
    binary = io.BytesIO()
    write_mo(binary, catalogue)
    binary.seek(0)
    return gettext.GNUTranslations(binary)
