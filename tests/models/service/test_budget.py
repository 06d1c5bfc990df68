"""Error budgets and burn rates: the figures of the SRE workbook, worked by hand."""

from datetime import timedelta

import polars as pl
import pytest

from models.service.budget import (
    allowed,
    budget,
    budget_left_percent,
    burn_rate,
    burn_thresholds,
    sli,
)


def value(expression: pl.Expr) -> object:
    return pl.select(expression).item()


def lit(number: float | None) -> pl.Expr:
    return pl.lit(number, pl.Float64)


@pytest.mark.parametrize(
    ("target", "days", "minutes"),
    [
        (99.9, 30, 43.2),
        (99.95, 30, 21.6),
        (99.9, 7, 10.08),
        (99.9, 28, 40.32),
        (99.9, 31, 44.64),
        (99.9, 365, 525.6),
        (99.95, 90, 64.8),
        (99.5, 30, 216.0),
    ],
)
def test_budget_minutes_of_a_period(target, days, minutes):
    assert value(budget(lit(days * 24 * 60), allowed(lit(target)))) == minutes


@pytest.mark.parametrize(("bad", "left"), [(400, 60.0), (1250, -25.0), (0, 100.0), (1000, 0.0)])
def test_budget_left_of_a_million_requests_at_three_nines(bad, left):
    # 1,000,000 x 0.1 % = 1,000 requests may fail.
    assert value(budget_left_percent(lit(bad), lit(1_000_000), allowed(lit(99.9)))) == left


def test_no_traffic_is_no_level_and_no_budget_not_a_perfect_score():
    assert value(sli(lit(0), lit(0))) is None
    assert value(budget_left_percent(lit(0), lit(0), allowed(lit(99.9)))) is None
    assert value(burn_rate(lit(0), lit(0), allowed(lit(99.9)))) is None


def test_a_target_of_100_percent_has_no_budget():
    assert value(budget_left_percent(lit(5), lit(100), allowed(lit(100)))) is None
    assert value(burn_rate(lit(5), lit(100), allowed(lit(100)))) is None


def test_without_a_target_there_is_no_budget():
    assert value(budget(lit(100), allowed(lit(None)))) is None
    assert value(budget_left_percent(lit(5), lit(100), allowed(lit(None)))) is None


def test_eight_of_1024_accelerators_for_six_hours():
    # 1,024 x 720 h = 737,280 GPU-h, 48 of them down: 99.993490 %.
    assert round(100 * value(sli(lit(48), lit(1024 * 720))), 6) == 99.993490


@pytest.mark.parametrize(
    ("days", "thresholds"),
    [(30, [14.4, 6, 3, 1]), (28, [13.44, 5.6, 2.8, 0.9333])],
)
def test_burn_thresholds_keep_the_budget_share(days, thresholds):
    table = burn_thresholds(timedelta(days=days))
    assert table["severity"].to_list() == ["page", "page", "ticket", "ticket"]
    assert table["threshold"].to_list() == pytest.approx(thresholds, abs=1e-4)
    assert table["budget_percent"].to_list() == [2, 5, 10, 10]


@pytest.mark.parametrize(("target", "rate"), [(99.9, 1000), (99.95, 2000)])
def test_a_full_outage_burns_as_fast_as_it_can(target, rate):
    assert value(burn_rate(lit(60), lit(60), allowed(lit(target)))) == rate


def test_burn_is_one_when_exactly_the_budget_goes():
    assert value(burn_rate(lit(43.2), lit(43200), allowed(lit(99.9)))) == pytest.approx(1)


def test_whole_unit_microseconds_do_not_overflow():
    # 8 of 16,384 accelerators for three days: 0.05 % down is half of what 99.9 % allows.
    window = 3 * 86_400 * 10**6
    rate = burn_rate(pl.lit(8 * window), pl.lit(16_384 * window), allowed(lit(99.9)))
    assert value(rate) == pytest.approx(8 / 16_384 / 0.001)
