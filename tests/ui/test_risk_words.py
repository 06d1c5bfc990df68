"""The register in words: every message has its Chinese, no text acts as markup."""

import ast
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from models.program.register_words import CHOICES, HEADINGS, SHEETS
from models.program.risk import IMPACT, PROBABILITY
from ui.i18n import translate
from ui.risk_form import plain, text_of, typed
from ui.risk_words import headline, move_text

ROOT = Path(__file__).resolve().parents[2]
FILES = (
    *sorted((ROOT / "ui").glob("risk_*.py")),
    ROOT / "ui" / "charts" / "risk.py",
    ROOT / "pages" / "risks.py",
    ROOT / "models" / "program" / "register.py",
    ROOT / "records" / "edits.py",
)
SAME_IN_BOTH = {"P80", "{message}"}


def messages() -> set[str]:
    """Every literal message that the Risks page may show."""
    found = set()
    for file in FILES:
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Name)
                and node.func.id in ("t", "Problem")
                and node.args
                and isinstance(node.args[0], ast.Constant)
            ):
                found.add(str(node.args[0].value))
    return found


def test_every_message_has_its_chinese() -> None:
    missing = {one for one in messages() if translate(one, "zh") == one} - SAME_IN_BOTH
    assert missing == set()


def test_every_word_of_the_register_has_its_chinese() -> None:
    words = [one for table in (SHEETS, HEADINGS, CHOICES) for one in table.values()]
    labels = [one.en for one in words] + [step.label for step in (*IMPACT, *PROBABILITY)]
    missing = {one for one in labels if translate(one, "zh") == one}
    assert missing <= {"EMV"}


def test_a_persons_text_loses_its_markup() -> None:
    assert plain("*a* $b$ :red[c] <i>") == r"\*a\* \$b\$ \:red\[c\] \<i\>"


def test_amounts_are_typed_exactly_and_mistakes_told_by_field() -> None:
    values, problems = typed({"cost_impact": "1,234.50", "probability_percent": "x", "owner": ""})
    assert text_of(values["cost_impact"]) == "1234.5"
    assert values["owner"] is None
    assert list(problems) == ["probability_percent"]


@pytest.mark.parametrize(
    ("row", "text"),
    [
        (None, "–"),
        ({"kind": "up", "move": 8}, "▲ +8"),
        ({"kind": "down", "move": -4}, "▼ -4"),
        ({"kind": "same", "move": 0}, "–"),
        ({"kind": "new", "move": None}, "✚ new"),
    ],
)
def test_a_move_has_a_sign_and_a_word_or_figure(row: dict[str, Any] | None, text: str) -> None:
    assert move_text(row) == text


@pytest.mark.parametrize(
    ("undated", "overdue", "expected"),
    [
        (0, 0, "every live risk has a dated action."),
        (1, 1, "**1 of 5 live risks lacks a dated action**. **One action is overdue**, with Wu."),
        (2, 3, "**2 of 5 live risks lack a dated action**. **3 actions are overdue**"),
    ],
)
def test_the_headline_counts_in_words(undated: int, overdue: int, expected: str) -> None:
    now = {"emv": 10, "p80": 20, "risks": 5, "without_dated_action": undated, "overdue": overdue}
    summary = {"now": now, "change": {"emv": 0}}
    movement = pl.DataFrame(schema={"kind": pl.String, "score": pl.Int64})
    late = pl.DataFrame({"owner": ["Wu"]})
    exposure = pl.DataFrame({"currency": ["USD"], "emv": [10]})
    said = headline(summary, movement, late, exposure, "USD")
    assert said.startswith("Exposure stays at **10")
    assert expected in said
