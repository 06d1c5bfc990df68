"""Amounts in another currency: only by an agreed rate of their month."""

from decimal import ROUND_HALF_EVEN, Context, Decimal

import polars as pl

from models.table import MONEY

_WIDE = Context(prec=90)
_LAST_DIGIT = Decimal(1).scaleb(-18)


class MissingRate(Exception):
    """No rate for some month and pair; `pairs` lists (month, from, to)."""

    def __init__(self, pairs: list[tuple[str, str, str]]) -> None:
        shown = ", ".join(f"{month} {origin} to {target}" for month, origin, target in pairs)
        super().__init__(f"no exchange rate for {shown}")
        self.pairs = tuple(pairs)


def convert(amounts: pl.DataFrame, rates: pl.DataFrame, to_currency: str) -> pl.DataFrame:
    """The same rows with `converted` beside `amount`, in `to_currency`.

    amounts: month, currency, amount and more. rates: the fx_rate table.
    converted = amount x rate of that month and direction, half-even at the
    last stored digit; an amount already in `to_currency` is itself.

    Raises MissingRate: an unknown rate is not a rate of one, and the opposite
    direction's is another agreement.
    """
    known = {
        (row["month"], row["from_currency"], row["to_currency"]): row["rate"]
        for row in rates.iter_rows(named=True)
    }
    missing: set[tuple[str, str, str]] = set()
    converted: list[Decimal | None] = []
    for month, currency, amount in amounts.select("month", "currency", "amount").iter_rows():
        if currency == to_currency or amount is None:
            converted.append(amount)
        elif (month, currency, to_currency) in known:
            product = _WIDE.multiply(amount, known[month, currency, to_currency])
            converted.append(product.quantize(_LAST_DIGIT, ROUND_HALF_EVEN, _WIDE))
        else:
            missing.add((month, currency, to_currency))
    if missing:
        raise MissingRate(sorted(missing))
    return amounts.with_columns(pl.Series("converted", converted, dtype=MONEY))
