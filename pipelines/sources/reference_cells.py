"""One cell of a reference table: its text as the contract's value, or why not."""

import re
from typing import Any

import polars as pl
from babel.numbers import list_currencies

from config import nearest
from models.reference import (
    FIELDS,
    IDLE_POLICIES,
    METERS,
    METHODS,
    OPERATORS,
    SCHEDULERS,
    SLO_KINDS,
    SLUG,
    STEPS,
)
from models.table import MONEY
from pipelines.sources.reference_words import VALUES
from pipelines.tabular import CellError, folded, parse_date, parse_decimal

_ALLOWED: dict[str, tuple[str, ...]] = {
    "step": STEPS,
    "operator": OPERATORS,
    "metric": METERS,
    "idle_policy": IDLE_POLICIES,
    "method": METHODS,
    "scheduler": SCHEDULERS,
    "kind": SLO_KINDS,
    "field": FIELDS,
}
_SLUGS = {"tenant", "cluster", "service", "program"}
_CURRENCIES = {"currency", "from_currency", "to_currency"}
_AT_LEAST: dict[tuple[str, str], tuple[float, bool]] = {
    ("cluster", "gpus"): (0, True),
    ("cluster", "gpus_per_node"): (0, False),
    ("quota", "gpus"): (0, True),
    ("fx_rate", "rate"): (0, False),
    ("accelerator", "dense_tflops"): (0, False),
    ("slo", "target_percent"): (0, False),
    ("slo", "gpus"): (0, False),
    ("milestone_stake", "gpus_waiting"): (0, True),
}
"""Least value by table and column, and whether it is allowed itself."""


class CellRefused(Exception):
    """A cell that breaks a rule; the reader adds file, sheet and row."""

    def __init__(self, column: str, rule: str, message: str) -> None:
        super().__init__(message)
        self.column = column
        self.rule = rule
        self.message = message


def read_cell(table: str, column: str, dtype: Any, text: str | None, decimal: str) -> Any:
    """The value of a cell under the contract's type; None where blank.

    Raises CellRefused.
    """
    if text is None or not text.strip():
        return None
    text = text.strip()
    try:
        if dtype == pl.Date:
            return parse_date(text)
        if dtype == pl.String:
            return _word(table, column, text)
        return _number(table, column, dtype, text, decimal)
    except CellError as error:
        raise CellRefused(column, error.rule, error.message) from None


def _number(table: str, column: str, dtype: Any, text: str, decimal: str) -> Any:
    value = parse_decimal(text.rstrip("%％ "), decimal=decimal)
    least = _AT_LEAST.get((table, column))
    if least is not None and (value < least[0] or (value == least[0] and not least[1])):
        word = "at least" if least[1] else "above"
        raise CellRefused(column, "range", f'"{text}" must be {word} {least[0]:g}')
    if (table, column) == ("slo", "target_percent") and value > 100:
        raise CellRefused(column, "range", f'"{text}" is above 100 percent')
    if dtype == MONEY:
        return value
    if dtype == pl.Int64:
        if value != value.to_integral_value():
            raise CellRefused(column, "whole_number", f'"{text}" is not a whole number')
        return int(value)
    return float(value)


def _word(table: str, column: str, text: str) -> str:
    if column == "month":
        return _month(text)
    if column in _CURRENCIES:
        return _currency(column, text)
    if column in _ALLOWED:
        # `accelerator` names hardware in one table and is free text in another;
        # the allowed words belong to columns that mean the same everywhere.
        return _allowed(column, text)
    if column in _SLUGS and not re.match(SLUG, text):
        raise CellRefused(
            column,
            "name",
            f'"{text}" is not a name of lower-case letters, digits, "-", "_" and "."',
        )
    return text


def _allowed(column: str, text: str) -> str:
    if column == "field":
        tag = re.match(r"^(tag|tags|标签)\s*[:：]\s*(?P<key>.+)$", text, re.IGNORECASE)
        if tag:
            return f"tag:{tag['key']}"
    others = {folded(word): value for word, value in VALUES.get(column, {}).items()}
    known = {folded(word): word for word in _ALLOWED[column]}
    found = known.get(folded(text)) or others.get(folded(text)) or VALUES.get(column, {}).get(text)
    if found is None:
        words = [*_ALLOWED[column], "tag:KEY"] if column == "field" else list(_ALLOWED[column])
        hint = nearest(text, words)
        raise CellRefused(column, "allowed", f'"{text}" is not known here.{hint}')
    return found


def _month(text: str) -> str:
    found = re.fullmatch(r"(\d{4})\s*[-/.年]\s*(\d{1,2})\s*月?(?:[-/.]0?1(?:日)?)?", text)
    if not found or not 1 <= int(found[2]) <= 12:
        raise CellRefused("month", "month", f'"{text}" is not a month; write it as 2026-11')
    return f"{found[1]}-{int(found[2]):02d}"


def _currency(column: str, text: str) -> str:
    code = text.upper()
    if code not in list_currencies():
        raise CellRefused(
            column, "currency", f'"{text}" is not an ISO 4217 code such as USD or CNY'
        )
    return code
