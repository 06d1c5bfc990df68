"""English and Chinese: every word a person sees goes through `t`.

Messages are English in the code and Chinese in gettext catalogues, one domain
an area (ui/locales/zh_CN/LC_MESSAGES/<domain>.po), compiled in memory.
"""

import gettext
import io
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import streamlit as st
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po

LANGUAGES = {"en": "English", "zh": "中文"}
LOCALES = {"en": "en_GB", "zh": "zh_CN"}
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
    return text.format(**values) if values else text


def in_language(english: str | None, chinese: str | None) -> str:
    """A name of the data in the page's language, in the other where it has only that."""
    first, second = (chinese, english) if language() == "zh" else (english, chinese)
    return first or second or "–"


def sentences(said: Iterable[str]) -> str:
    """Sentences one after the other, as the language sets them."""
    return ("" if language() == "zh" else " ").join(part for part in said if part)


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
