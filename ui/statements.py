"""Lists of statements: a sign with its word, a sentence, a quiet line, a figure at the end.

They reflow on phones, where a grid would scroll sideways. Text from files is
escaped: it is shown as written and is never markup.
"""

import html
import re
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

import streamlit as st

from ui.i18n import t
from ui.theme import GREY, ink, rag

_BOLD = re.compile(r"\*\*(.+?)\*\*")


@dataclass(frozen=True)
class Statement:
    """One line of a list.

    text, quiet, side: HTML made by `rich`; side stands at the right end.
    status: red, amber, green or grey draws its sign with `word` (its colour's
        word unless given); another sign is drawn as it is.
    page: the file name of the page that says more.
    """

    text: str
    quiet: str = ""
    side: str = ""
    status: str | None = None
    sign: str = ""
    word: str = ""
    page: str | None = None


def rich(message: str, **values: object) -> str:
    """A message in the page's language as HTML: values escaped, **bold** kept."""
    escaped = {name: html.escape(str(value)) for name, value in values.items()}
    return _BOLD.sub(r"<strong>\1</strong>", t(message, **escaped))


def words(text: object) -> str:
    """Text from the data as HTML that shows it literally."""
    return html.escape(str(text))


def strong(text: object) -> str:
    """The same in bold."""
    return f"<strong>{words(text)}</strong>"


def statements(rows: Sequence[Statement], none: str) -> None:
    """Draw the list; `none` is said where it is empty."""
    if not rows:
        st.caption(none)
        return
    st.html("".join(_row(row, is_last=row is rows[-1]) for row in rows))


def page_address(page: str) -> str:
    """A link to another page at the same review, in the same language."""
    kept = {
        name: st.query_params[name]
        for name in ("lang", "as_of", "versus")
        if name in st.query_params
    }
    return f"{page}?{urlencode(kept)}" if kept else page


def _row(row: Statement, *, is_last: bool) -> str:
    inks = ink()
    line = "" if is_last else f"border-bottom:1px solid {inks.grid};"
    link = (
        f'<a href="{html.escape(page_address(row.page))}" target="_self" '
        f'style="color:inherit;text-decoration:underline;white-space:nowrap">'
        f"{html.escape(t('Details'))}&nbsp;›</a>"
        if row.page
        else ""
    )
    quiet = " · ".join(part for part in (row.quiet, link) if part)
    quiet = f'<div style="color:{inks.quiet};font-size:.88em">{quiet}</div>' if quiet else ""
    side = (
        f'<div style="margin-left:auto;text-align:right;white-space:nowrap;'
        f'font-variant-numeric:tabular-nums">{row.side}</div>'
        if row.side
        else ""
    )
    return (
        f'<div style="display:flex;gap:.6rem;align-items:baseline;padding:.45rem 0;{line}">'
        f"{_sign(row)}"
        f'<div style="flex:1 1 12rem;min-width:0;overflow-wrap:anywhere">{row.text}{quiet}</div>'
        f"{side}</div>"
    )


def _sign(row: Statement) -> str:
    if row.status is None and not row.sign:
        return ""
    sign, word, colour = rag(row.status) if row.status else (row.sign, "", GREY)
    word = html.escape(row.word or (t(word) if word else ""))
    return (
        f'<div style="flex:0 0 auto;min-width:{4.2 if word else 1.2}em;white-space:nowrap">'
        f'<span style="color:{colour}" aria-hidden="true">{row.sign or sign}</span> {word}</div>'
    )
