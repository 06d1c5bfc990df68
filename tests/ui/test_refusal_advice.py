"""Advice on refusals is said in both languages."""

import pytest

from ui.i18n import translate
from ui.markup import hover, plain
from ui.refusal_advice import ADVICE, OTHERWISE, advice


@pytest.mark.parametrize("sentence", sorted({*ADVICE.values(), OTHERWISE}))
def test_every_advice_has_its_chinese(sentence):
    assert translate(sentence, "zh") != sentence


def test_an_unlisted_rule_has_general_advice():
    assert advice("a_rule_of_tomorrow") == advice(None) == OTHERWISE


def test_markup_in_a_file_is_shown_as_it_is_written():
    assert plain("![x](http://a.b)\n# t") == r"\!\[x\]\(http\:\/\/a\.b\) \# t".replace(r"\/", "/")
    assert hover("<b>x</b>") == "&lt;b&gt;x&lt;/b&gt;"
