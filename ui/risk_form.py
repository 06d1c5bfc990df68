"""The form of one risk: a widget a field, what is wrong said under the field."""

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from decimal import Decimal
from typing import Any

import streamlit as st

from models.program.register import DRAFT, OPEN, RISK, Field, Problem, Value
from models.program.register import plain as digits
from models.program.register_words import CHOICES, HEADINGS
from models.program.risk import IMPACT, PROBABILITY
from pipelines.register_cells import value_of
from pipelines.tabular import CellError
from ui.i18n import t

TALL = {"description", "next_action", "trigger"}

LAYOUT: tuple[tuple[str, tuple[tuple[str, ...], ...]], ...] = (
    (
        "What may happen",
        (
            ("title", "title_zh"),
            ("description",),
            ("program", "category", "type"),
            ("owner", "status", "raised_on"),
        ),
    ),
    (
        "How likely and how much",
        (
            ("probability", "impact"),
            ("probability_percent", "cost_impact", "currency"),
        ),
    ),
    (
        "What is done about it",
        (
            ("response", "due", "proximity"),
            ("next_action",),
            ("trigger",),
            ("target_probability", "target_impact"),
        ),
    ),
    (
        "Before any measure, and links",
        (
            ("inherent_probability", "inherent_impact", "score_reason"),
            ("tenant", "milestone"),
        ),
    ),
)

HINTS: dict[str, str] = {
    "description": "Cause, event, effect: because of ..., ... may happen, which would ...",
    "probability_percent": "Leave blank to use the middle of the probability's band.",
    "proximity": "When it may strike, such as 2027 Q1.",
    "trigger": "The sign by which you will know that it is happening.",
    "score_reason": "Needed when the target score is above the score before any measure.",
}


UNREADABLE = {
    "money": '"{value}" is not an amount; write it as 2000000.00.',
    "percent": '"{value}" is not a percentage; write it as 35.',
}


def plain(text: str | None) -> str:
    """A person's text inside a sentence, with nothing left for Markdown to act on."""
    return re.sub(r"([\\`*_{}\[\]()#+\-.!~|$<>:])", r"\\\1", text or "")


def heading(name: str) -> str:
    """A field's name in the page's language."""
    return t(HEADINGS[name].en)


def word(value: str | None) -> str:
    """A kept word, such as a status, in the page's language."""
    if value is None:
        return "—"
    known = CHOICES.get(value)
    return t(known.en) if known else value


def step_label(name: str, value: int | None) -> str:
    """A step of a scale with what it means: "4 · 50 to 70 %"."""
    if value is None:
        return "—"
    scale = PROBABILITY if "probability" in name else IMPACT
    return f"{value} · {t(scale[value - 1].label)}"


def shown(name: str, value: Value) -> str:
    """A field's value as people read it, for comparing two of them."""
    if value is None:
        return "—"
    if RISK[name].kind == "choice":
        return word(str(value))
    if RISK[name].kind == "whole":
        return step_label(name, int(str(value)))
    if RISK[name].kind in ("money", "percent"):
        return text_of(value)
    return str(value)


def text_of(value: Value) -> str:
    """A value as its text field shows it: all digits, no exponent."""
    if value is None:
        return ""
    return digits(value) if isinstance(value, Decimal) else str(value)


def risk_fields(
    values: Mapping[str, Any],
    problems: Mapping[str, Problem],
    programs: Mapping[str, str],
    key: str,
) -> dict[str, Any]:
    """Draw every field; the raw answers by field.

    values: what the form starts from. problems: said under their fields.
    programs: known programmes, label by id. key: of the widgets.
    """
    raw: dict[str, Any] = {}
    for title, rows in LAYOUT:
        st.markdown(f"**{t(title)}**")
        for names in rows:
            for name, column in zip(names, st.columns(len(names)), strict=True):
                with column:
                    raw[name] = _widget(RISK[name], values.get(name), programs, f"{key}.{name}")
                    if name in problems:
                        st.markdown(f":red[{said(problems[name])}]")
    return raw


def typed(raw: Mapping[str, Any]) -> tuple[dict[str, Value], dict[str, Problem]]:
    """The answers as the register keeps them, and what could not be read, by field."""
    values: dict[str, Value] = {}
    problems: dict[str, Problem] = {}
    for name, answer in raw.items():
        field = RISK[name]
        if field.kind not in ("money", "percent") or answer is None:
            values[name] = answer if answer != "" else None
            continue
        try:
            values[name] = value_of(field, answer.strip() or None)
        except CellError:
            problems[name] = Problem(UNREADABLE[field.kind], {"value": answer})
    return values, problems


def said(problem: Problem) -> str:
    """A problem's sentence in the page's language."""
    return t(problem.text, **{name: plain(part) for name, part in problem.parts.items()})


def _widget(field: Field, value: Any, programs: Mapping[str, str], key: str) -> Any:
    label = heading(field.name) + (" *" if field.required else "")
    hint = t(HINTS[field.name]) if field.name in HINTS else None
    if field.name == "program":
        return _choice(field, label, list(programs), value, lambda p: programs.get(p, p), key)
    if field.kind == "choice":
        options = [v for v in field.choices if field.name != "status" or v in (DRAFT, OPEN, value)]
        return _choice(field, label, options, value or field.default, word, key)
    if field.kind == "whole":
        return _choice(
            field, label, [1, 2, 3, 4, 5], value, lambda step: step_label(field.name, step), key
        )
    if field.kind == "date":
        day = value if isinstance(value, date) else None
        return st.date_input(label, value=day, format="YYYY-MM-DD", key=key, help=hint)
    if field.name in TALL:
        return st.text_area(label, value=text_of(value), key=key, help=hint, height=76)
    return st.text_input(label, value=text_of(value), key=key, help=hint)


def _choice(
    field: Field,
    label: str,
    options: Sequence[Any],
    value: Any,
    name_of: Callable[[Any], str],
    key: str,
) -> Any:
    """A list that may be set back to blank; a value outside it stays selectable."""
    known = list(options) if value is None or value in options else [*options, value]
    if not field.required:
        known = [None, *known]
    return st.selectbox(
        label,
        known,
        index=known.index(value) if value in known else None,
        format_func=lambda option: "—" if option is None else name_of(option),
        key=key,
        placeholder=t("Choose"),
        accept_new_options=field.kind == "text",
    )
