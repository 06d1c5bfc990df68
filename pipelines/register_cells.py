"""Cells of a hand-kept register as values: words of two languages, levels, shares, sums.

What people write for one thing: 4, "4 - High", "高", "60 %" for a probability;
"2,000,000", "USD 2,000,000", "200万" for a cost.
"""

import re
import unicodedata
from datetime import date, datetime
from decimal import Decimal

from models.program.register import Field, Value
from models.program.register_words import CHOICES, LEVELS
from models.program.risk import step_of
from pipelines.tabular import CellError, folded, parse_date, parse_decimal

_TEN_THOUSANDS = {"万": Decimal(10_000), "亿": Decimal(100_000_000)}

_LEVEL_WORDS = {folded(word): value for value, words in LEVELS.items() for word in words}


def value_of(field: Field, text: str | None, *, decimal: str = ".") -> Value:
    """The cell's value, typed as the field says. Raises CellError with the cure."""
    if text is None:
        return None
    if field.kind == "choice":
        return choice(field, text)
    if field.kind == "whole":
        return level(text)
    if field.kind == "percent":
        return percent(text, decimal=decimal)
    if field.kind == "money":
        return amount(text, decimal=decimal)[0]
    if field.kind == "date":
        return day(text)
    return text


def choice(field: Field, text: str) -> str:
    """The kept word for a word of either language."""
    word = folded(text)
    for value in field.choices:
        known = CHOICES.get(value)
        spellings = (value, *known.all) if known else (value,)
        if word in {folded(spelling) for spelling in spellings}:
            return value
    raise CellError("word", f'"{text}" is not one of: {", ".join(field.choices)}.')


def level(text: str) -> int:
    """1 to 5, also from "4 - High", "高" or "likely"."""
    plain = unicodedata.normalize("NFKC", text).strip()
    found = re.match(r"([1-5])(?:\.0+)?(?:$|[\s\-:(/.、])", plain)
    if found:
        return int(found.group(1))
    word = _LEVEL_WORDS.get(folded(plain))
    if word is None:
        raise CellError("level", f'"{text}" is not a level; write 1 to 5.')
    return word


def likelihood(text: str) -> tuple[int, Decimal | None]:
    """The step of a probability and, where the cell states one, its percent."""
    plain = unicodedata.normalize("NFKC", text).strip()
    if plain.endswith("%"):
        stated = percent(plain)
        return step_of(stated), stated
    return level(text), None


def percent(text: str, *, decimal: str = ".") -> Decimal:
    """0 to 100, with or without the sign."""
    plain = unicodedata.normalize("NFKC", text).strip().removesuffix("%").strip()
    return parse_decimal(plain, decimal=decimal)


def amount(text: str, *, decimal: str = ".") -> tuple[Decimal, str | None]:
    """An exact sum and its currency code where the cell names one."""
    plain = unicodedata.normalize("NFKC", text).strip()
    currency = None
    found = re.fullmatch(r"([A-Z]{3})\s*(.+)|(.+?)\s*([A-Z]{3})", plain)
    if found:
        currency = found.group(1) or found.group(4)
        plain = found.group(2) or found.group(3)
    factor = _TEN_THOUSANDS.get(plain[-1:], Decimal(1))
    if factor != 1:
        plain = plain[:-1].strip()
    return parse_decimal(plain, decimal=decimal) * factor, currency


def day(text: str) -> date:
    """A day; of a cell with a time, its day."""
    try:
        return datetime.fromisoformat(text.strip().replace("/", "-")).date()
    except ValueError:
        return parse_date(text)
