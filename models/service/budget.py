"""Service level, error budget and burn rate (Google SRE workbook, chapter 5).

Expressions over good, bad and valid amounts of any one unit (requests,
minutes, accelerator-minutes): ratios of sums, never means of ratios. Nothing
valid gives null, not a perfect score.
"""

from datetime import timedelta

import polars as pl

HUNDRED = 10**8
"""100 % in the millionths of a percent that targets are kept in, so that
100 - 99.9 is exactly 0.1."""

ALERTS = (
    ("page", timedelta(hours=1), timedelta(minutes=5), 0.02),
    ("page", timedelta(hours=6), timedelta(minutes=30), 0.05),
    ("ticket", timedelta(days=1), timedelta(hours=2), 0.10),
    ("ticket", timedelta(days=3), timedelta(hours=6), 0.10),
)
"""Severity, long and short window, and the share of the budget that burns in
the long one. The shares hold for any period; burn rates follow from it."""


def allowed(target_percent: pl.Expr) -> pl.Expr:
    """What may fail, in millionths of a percent, from a target in percent."""
    return ((100 - target_percent) * 1_000_000).round().cast(pl.Int64)


def sli(bad: pl.Expr, valid: pl.Expr) -> pl.Expr:
    """Service level as a share: good / valid; null without anything valid."""
    return pl.when(valid > 0).then((valid - bad) / valid)


def budget(valid: pl.Expr, may_fail: pl.Expr) -> pl.Expr:
    """How much may be bad, in the unit of `valid`: valid x (1 - target)."""
    return valid.cast(pl.Float64) * may_fail / HUNDRED


def budget_left_percent(bad: pl.Expr, valid: pl.Expr, may_fail: pl.Expr) -> pl.Expr:
    """100 x (1 - bad / (valid x (1 - target))); negative when overspent.

    Null where there is no budget to be left: nothing valid, or a target of 100 %.
    """
    whole = budget(valid, may_fail)
    return pl.when(whole > 0).then((whole - bad) * 100 / whole)


def burn_rate(bad: pl.Expr, valid: pl.Expr, may_fail: pl.Expr) -> pl.Expr:
    """How many times faster than allowed the budget goes: bad share / (1 - target)."""
    # Divided first: unit-microseconds times HUNDRED leave 64 bits.
    return pl.when((valid > 0) & (may_fail > 0)).then(bad / valid * (HUNDRED / may_fail))


def burn_thresholds(period: timedelta) -> pl.DataFrame:
    """The alert pairs for an objective over `period`: share x period / long window.

    Returns severity, long, short (durations), budget_percent, threshold;
    14.4, 6, 3 and 1 over 30 days.
    """
    return pl.DataFrame(
        {
            "severity": [severity for severity, *_ in ALERTS],
            "long": [long for _, long, _, _ in ALERTS],
            "short": [short for _, _, short, _ in ALERTS],
            "budget_percent": [share * 100 for *_, share in ALERTS],
            "threshold": [share * (period / long) for _, long, _, share in ALERTS],
        },
        schema_overrides={"long": pl.Duration("us"), "short": pl.Duration("us")},
    )
