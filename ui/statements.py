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

from ui.format import THIN
from ui.i18n import t
from ui.theme import GREY, ink, rag

NARROW_NO_BREAK = "\u202f"
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
    escaped = {name: words(value) for name, value in values.items()}
    return _BOLD.sub(r"<strong>\1</strong>", t(message, **escaped))


def words(text: object) -> str:
    """Text from the data as HTML that shows it literally; a figure keeps its unit on its line."""
    return html.escape(str(text)).replace(THIN, NARROW_NO_BREAK)


def strong(text: object) -> str:
    """The same in bold."""
    return f"<strong>{words(text)}</strong>"


def statements(rows: Sequence[Statement], none: str) -> None:
    """Draw the list; `none` is said where it is empty."""
    if not rows:
        st.caption(none)
        return
    width = max(_width(row) for row in rows)
    st.html("".join(_row(row, width, is_last=row is rows[-1]) for row in rows))


def page_address(page: str) -> str:
    """A link to another page at the same review, in the same language."""
    kept = {
        name: st.query_params[name]
        for name in ("lang", "as_of", "versus")
        if name in st.query_params
    }
    return f"{page}?{urlencode(kept)}" if kept else page


def _row(row: Statement, width: float, *, is_last: bool) -> str:
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
        f"{_sign(row, width)}"
        '<div style="flex:1;min-width:0;display:flex;flex-wrap:wrap;gap:.1rem .6rem">'
        f'<div style="flex:1 1 11rem;min-width:0;overflow-wrap:anywhere">{row.text}{quiet}</div>'
        f"{side}</div></div>"
    )


def _word(row: Statement) -> str:
    return row.word or (t(rag(row.status)[1]) if row.status else "")


def _width(row: Statement) -> float:
    """Room for the sign and its word, in em; a Chinese letter is as wide as it is high."""
    return 1.2 + sum(1.0 if ord(letter) > 0x2E80 else 0.58 for letter in _word(row))


def _sign(row: Statement, width: float) -> str:
    if row.status is None and not row.sign:
        return ""
    sign, _, colour = rag(row.status) if row.status else (row.sign, "", GREY)
    return (
        f'<div style="flex:0 0 auto;min-width:{width:.1f}em;white-space:nowrap">'
        f'<span style="color:{colour}" aria-hidden="true">{row.sign or sign}</span> '
        f"{words(_word(row))}</div>"
    )
