"""Splitting and rounding: parts equal the whole, ties and signs as agreed."""

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.billing.rounding import (
    NegativeWeight,
    from_units,
    minor_digits,
    round_parts,
    split_units,
    to_units,
    whole_weights,
)

AMOUNT = st.decimals(-(10**15), 10**15, places=18)
NAMES = st.text("abcdef", min_size=1, max_size=4)


def exact(parts):
    return sum((Fraction(part) for part in parts), Fraction(0))


def split(amount, weights, digits=18):
    whole = whole_weights(weights)
    if whole is None:
        return None
    parts = split_units(to_units(amount, digits), whole)
    return {key: from_units(units, digits) for key, units in parts.items()}


def test_three_equal_tenants_share_a_hundred_with_the_odd_cent_to_the_first():
    assert split(Decimal(100), {"c": 1, "a": 1, "b": 1}, 2) == {
        "a": Decimal("33.34"),
        "b": Decimal("33.33"),
        "c": Decimal("33.33"),
    }


def test_refund_mirrors_its_charge():
    assert split(Decimal(-100), {"a": 1, "b": 1, "c": 1}, 2) == {
        "a": Decimal("-33.34"),
        "b": Decimal("-33.33"),
        "c": Decimal("-33.33"),
    }


def test_credit_follows_shares_of_seventy_and_thirty():
    assert split(Decimal("-10.00"), {"a": 70, "b": 30}, 2) == {
        "a": Decimal("-7.00"),
        "b": Decimal("-3.00"),
    }


def test_left_over_cent_goes_to_the_largest_remainder():
    # Quotas 45.4545, 20.2020, 34.3434: one cent is left, A's .45 is largest.
    assert split(Decimal(100), {"a": 45, "b": 20, "c": 34}, 2) == {
        "a": Decimal("45.46"),
        "b": Decimal("20.20"),
        "c": Decimal("34.34"),
    }


def test_zero_weights_leave_the_amount_in_its_pool():
    assert split(Decimal(5), {"a": 0, "b": 0}) is None
    assert split(Decimal(5), {}) is None


def test_negative_weight_is_refused_by_name():
    with pytest.raises(NegativeWeight, match="b"):
        split(Decimal(5), {"a": 2, "b": -1})


@pytest.mark.parametrize(
    ("currency", "digits"), [("USD", 2), ("JPY", 0), ("TWD", 0), ("KWD", 3), ("CNY", 2)]
)
def test_minor_units_follow_the_currency(currency, digits):
    assert minor_digits(currency) == digits


def test_cells_are_rounded_to_the_total_they_belong_to():
    cells = {"x": Decimal("10.004"), "y": Decimal("-3.006"), "z": Decimal("1.00")}
    rounded = round_parts(cells, 2)
    assert sum(rounded.values()) == Decimal("8.00")
    assert rounded["z"] == Decimal("1.00")


def test_total_that_is_no_rounding_of_the_parts_is_refused():
    with pytest.raises(ValueError, match="not a rounding"):
        round_parts({"x": Decimal("1.00")}, 2, Decimal("3.00"))


@given(AMOUNT, st.dictionaries(NAMES, st.integers(0, 10**6), min_size=1, max_size=9))
def test_parts_equal_the_whole_to_the_last_stored_digit(amount, weights):
    parts = split(amount, weights)
    if not any(weights.values()):
        assert parts is None
        return
    assert exact(parts.values()) == Fraction(amount)
    assert set(parts) == set(weights)
    for key, weight in weights.items():
        quota = Fraction(amount) * weight / sum(weights.values())
        assert abs(Fraction(parts[key]) - quota) < Fraction(1, 10**18)


@given(AMOUNT, st.dictionaries(NAMES, st.fractions(0, 100), min_size=1, max_size=9))
def test_negated_amount_gives_negated_parts(amount, weights):
    parts, mirrored = split(amount, weights), split(amount.copy_negate(), weights)
    if parts is None:
        assert mirrored is None
    else:
        assert mirrored == {key: part.copy_negate() for key, part in parts.items()}


@given(
    st.dictionaries(NAMES, AMOUNT, min_size=1, max_size=9), st.sampled_from(["USD", "JPY", "KWD"])
)
def test_rounded_parts_equal_the_rounded_whole(parts, currency):
    digits = minor_digits(currency)
    rounded = round_parts(parts, digits)
    whole = exact(parts.values())
    assert exact(rounded.values()) == Fraction(round(whole * 10**digits), 10**digits)
    for key, part in parts.items():
        assert abs(Fraction(rounded[key]) - Fraction(part)) <= Fraction(1, 10**digits)


@given(st.dictionaries(NAMES, AMOUNT, min_size=1, max_size=9))
def test_rounding_mirrors_signs_and_ignores_order(parts):
    rounded = round_parts(parts, 2)
    assert round_parts(dict(reversed(parts.items())), 2) == rounded
    negated = {key: part.copy_negate() for key, part in parts.items()}
    assert round_parts(negated, 2) == {key: part.copy_negate() for key, part in rounded.items()}


@given(AMOUNT)
def test_units_keep_every_stored_digit(amount):
    assert Fraction(to_units(amount, 18), 10**18) == Fraction(amount)
