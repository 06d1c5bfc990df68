"""Amounts as they are charged: whole minor units that still equal the total.

Rounding happens once, here. The currency's total is rounded, tenants are
rounded to it, and a tenant's cells to the tenant's figure, so every row and
column of a page or workbook adds up to the cent.
"""

from collections.abc import Hashable, Mapping
from decimal import Decimal
from typing import Any

import polars as pl

from models.billing.rounding import (
    STORED_DIGITS,
    from_units,
    minor_digits,
    round_parts,
    to_units,
)


def published(parts: pl.DataFrame, *levels: str) -> pl.DataFrame:
    """The parts by currency and `levels`, rounded from the outer level inwards.

    parts: currency, the levels' columns and amount (MONEY, exact).
    Returns currency, the levels, amount: one row a combination, in their order.
        At every level the amounts equal that of the level above, to the
        currency's minor unit, with as many decimals as the finest of the
        currencies has. Blank level values stay, and sort first.
    """
    cells = (
        parts.group_by("currency", *levels)
        .agg(pl.col("amount").sum())
        .sort("currency", *levels, nulls_last=False)
    )
    rows: list[dict[str, Any]] = []
    for (currency,), block in cells.group_by("currency", maintain_order=True):
        exact = {
            tuple(row[level] for level in levels): row["amount"]
            for row in block.iter_rows(named=True)
        }
        digits = minor_digits(str(currency))
        for key, amount in _rounded(exact, digits, None).items():
            rows.append(
                {"currency": currency, **dict(zip(levels, key, strict=True)), "amount": amount}
            )
    finest = max((minor_digits(currency) for currency in cells["currency"].unique()), default=2)
    schema = {**cells.schema, "amount": pl.Decimal(38, finest)}
    return pl.DataFrame(rows, schema=schema, orient="row")


def exact_sum(amounts: list[Decimal]) -> Decimal:
    """The sum to the last stored digit; Python's own context would round at 28."""
    return from_units(sum(to_units(amount, STORED_DIGITS) for amount in amounts), STORED_DIGITS)


def _rounded(
    exact: Mapping[tuple[Any, ...], Decimal], digits: int, total: Decimal | None
) -> dict[tuple[Any, ...], Decimal]:
    groups: dict[Hashable, dict[tuple[Any, ...], Decimal]] = {}
    for key, amount in exact.items():
        groups.setdefault(key[0], {})[key[1:]] = amount
    places = dict(enumerate(groups))
    sums = {place: exact_sum(list(groups[head].values())) for place, head in places.items()}
    outer = round_parts(sums, digits, total)
    found: dict[tuple[Any, ...], Decimal] = {}
    for place, head in places.items():
        inner = groups[head]
        if () in inner:
            found[(head,)] = outer[place]
            continue
        for rest, amount in _rounded(inner, digits, outer[place]).items():
            found[(head, *rest)] = amount
    return found
