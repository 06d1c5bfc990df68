"""Lists of statements: text from files is never markup, bold and links are ours."""

import pytest

from ui import statements
from ui.i18n import translate
from ui.statements import NARROW_NO_BREAK, Statement, rich, strong, words


@pytest.fixture(autouse=True)
def english(monkeypatch):
    monkeypatch.setattr(statements, "t", lambda m, **v: translate(m, "en", **v))


def test_markup_in_a_name_is_shown_as_text():
    said = rich("**{name}** is reached", name='<img src="http://x.y/z.png">')
    assert "<img" not in said
    assert said.startswith("<strong>&lt;img")


def test_a_figure_stays_on_one_line_with_its_unit():
    assert words("549\u2009k\u2009USD") == f"549{NARROW_NO_BREAK}k{NARROW_NO_BREAK}USD"


def test_a_status_has_sign_and_word():
    row = statements._row(Statement(strong("x"), status="red"), 3.0, is_last=True)
    assert "▲" in row and "Red" in row


def test_signs_of_a_list_share_one_width():
    widths = [statements._width(Statement("", status=status)) for status in ("red", "amber")]
    assert widths[1] > widths[0] > 1.2
