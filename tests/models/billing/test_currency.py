"""Conversion needs an agreed rate of the month; nothing is assumed."""

from decimal import Decimal

import polars as pl
import pytest

from models.billing.currency import MissingRate, convert
from models.table import MONEY

RATES = pl.DataFrame(
    {
        "month": ["2026-03"],
        "from_currency": ["CNY"],
        "to_currency": ["USD"],
        "rate": pl.Series([Decimal("0.138")], dtype=MONEY),
    }
)


def amounts(*rows):
    return pl.DataFrame(
        rows, schema={"month": pl.String, "currency": pl.String, "amount": MONEY}, orient="row"
    )


def test_amount_is_converted_at_its_months_rate_and_kept_beside():
    frame = convert(amounts(("2026-03", "CNY", Decimal("100.00"))), RATES, "USD")
    assert frame.row(0, named=True) == {
        "month": "2026-03",
        "currency": "CNY",
        "amount": Decimal(100),
        "converted": Decimal("13.8"),
    }


def test_own_currency_needs_no_rate():
    frame = convert(amounts(("2026-01", "USD", Decimal("1.5"))), RATES, "USD")
    assert frame["converted"].to_list() == [Decimal("1.5")]


def test_missing_rate_is_an_error_that_lists_month_and_pair():
    with pytest.raises(MissingRate) as caught:
        convert(
            amounts(("2026-04", "CNY", Decimal(1)), ("2026-03", "USD", Decimal(1))), RATES, "CNY"
        )
    assert caught.value.pairs == (("2026-03", "USD", "CNY"),)
