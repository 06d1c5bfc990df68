"""How an amount becomes parts that equal it: largest remainder over small units.

Everything here counts in whole units (the last stored digit, or a currency's
minor unit), so no part is ever lost or made. Ties go to the key that sorts
first; the sign is put back last, so that a refund mirrors its charge.
"""

from collections.abc import Mapping, Sequence
from decimal import ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction
from math import lcm
from typing import TypeVar

from babel.numbers import get_currency_precision

STORED_DIGITS = 18
"""Decimals of stored money (models/table.py, MONEY)."""

_NO_MINOR_UNITS = frozenset({"TWD"})
"""ISO 4217 gives TWD two decimals; invoices in it have none (METRICS section 4)."""

_WIDE = Context(prec=60)


K = TypeVar("K", int, str, tuple[str, str])
Weight = Decimal | Fraction | int


class NegativeWeight(Exception):
    """A share of less than nothing was asked for; `keys` say for whom."""

    def __init__(self, keys: Sequence[object]) -> None:
        super().__init__(f"negative weight for {', '.join(str(key) for key in keys)}")
        self.keys = tuple(keys)


def minor_digits(currency: str) -> int:
    """Decimals in which an amount of the currency is paid: USD 2, JPY 0, TWD 0, KWD 3."""
    return 0 if currency in _NO_MINOR_UNITS else get_currency_precision(currency)


def to_units(amount: Decimal, digits: int) -> int:
    """The amount in units of 10^-digits, half-even."""
    return int(_WIDE.scaleb(amount, digits).to_integral_value(ROUND_HALF_EVEN, _WIDE))


def from_units(units: int, digits: int) -> Decimal:
    """Units of 10^-digits as an amount with that many decimals."""
    return _WIDE.scaleb(Decimal(units), -digits)


def whole_weights(weights: Mapping[K, Weight]) -> dict[K, int] | None:
    """The same proportions as whole numbers in key order.

    None where all are zero: then there is no proportion, and an amount stays
    where it was.

    Raises NegativeWeight.
    """
    negative = sorted(key for key, weight in weights.items() if weight < 0)
    if negative:
        raise NegativeWeight(negative)
    exact = {key: Fraction(weights[key]) for key in sorted(weights)}
    if not any(exact.values()):
        return None
    scale = lcm(*(weight.denominator for weight in exact.values()))
    return {key: int(weight * scale) for key, weight in exact.items()}


def split_units(units: int, weights: Mapping[K, int]) -> dict[K, int]:
    """Whole units over whole weights given in key order, not all zero; the parts equal them."""
    sign = -1 if units < 0 else 1
    total = sum(weights.values())
    parts: dict[K, int] = {}
    remainders: list[tuple[int, int, K]] = []
    for place, (key, weight) in enumerate(weights.items()):
        parts[key], remainder = divmod(abs(units) * weight, total)
        remainders.append((-remainder, place, key))
    left = abs(units) - sum(parts.values())
    for _, _, key in sorted(remainders)[:left]:
        parts[key] += 1
    return {key: sign * part for key, part in parts.items()}


def round_parts(
    parts: Mapping[K, Decimal], digits: int, total: Decimal | None = None
) -> dict[K, Decimal]:
    """Each part in units of 10^-digits, so that they equal the rounded whole.

    parts: of either sign; a part that has no finer digits keeps its value.
    total: what the rounded parts must equal, itself one of the two neighbours
        of the exact sum; the half-even rounded sum unless given.
    """
    ordered = sorted(parts)
    exact = {key: _WIDE.scaleb(parts[key], digits) for key in ordered}
    whole = sum((Fraction(value) for value in exact.values()), Fraction(0))
    target = round(whole) if total is None else to_units(total, digits)
    first = next((Fraction(exact[key]) for key in ordered if exact[key]), Fraction(0))
    sign = -1 if (whole or first) < 0 else 1
    units: dict[K, int] = {}
    remainders: list[tuple[Fraction, int, K]] = []
    for place, key in enumerate(ordered):
        value = sign * Fraction(exact[key])
        units[key] = value.numerator // value.denominator
        remainders.append((units[key] - value, place, key))
    left = sign * target - sum(units.values())
    if not 0 <= left <= len(ordered):
        raise ValueError(f"{total} is not a rounding of {sum(parts.values())}")
    for _, _, key in sorted(remainders)[:left]:
        units[key] += 1
    return {key: from_units(sign * units[key], digits) for key in ordered}
