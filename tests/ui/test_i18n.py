"""Languages: the right words, bold that Markdown sees, a quiet fall back to English."""

from ui.i18n import HAIR_SPACE, translate


def test_a_message_is_said_in_chinese_with_its_figures():
    assert translate("Week {week}, to {day}", "zh", week=48, day="x") == "第 48 周，截至 x"


def test_an_unknown_message_stays_english():
    assert translate("No such message {n}", "zh", n=1) == "No such message 1"


def test_braces_without_values_are_left_alone():
    assert translate("{not a placeholder", "en") == "{not a placeholder"


def test_bold_between_chinese_letters_and_marks_is_closed():
    # CommonMark: "。**上" would close nothing, since a mark stands before and a letter after.
    said = translate("{a}**{b}**{c}", "zh", a="上海", b="（超支）", c="上海")
    assert said == f"上海{HAIR_SPACE}**（超支）**{HAIR_SPACE}上海"
    assert translate("{a}**{b}**{c}", "zh", a="上海", b="超支", c="上海") == "上海**超支**上海"
    assert translate("{a}**{b}**", "zh", a="剩余：", b="-10 %") == "剩余：**-10 %**"
