"""How much a risk weighs: score, band, expected money, and the portfolio's P80.

Scales are data: the score's bands and the middle of each probability band are
tables below, so that another company's matrix is a change of data.
Source: METRICS.md section 5; PMI practice for scales set before scoring.
"""

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, Decimal
from fractions import Fraction
from functools import lru_cache

import polars as pl

from models.program.register import LIVE, OPPORTUNITY
from models.table import MONEY


@dataclass(frozen=True)
class Step:
    """One step of a 1 to 5 scale. label: its English name; middle: percent for EMV."""

    value: int
    label: str
    middle: Decimal | None = None


PROBABILITY: tuple[Step, ...] = (
    Step(1, "below 10 %", Decimal(5)),
    Step(2, "10 to 30 %", Decimal(20)),
    Step(3, "30 to 50 %", Decimal(40)),
    Step(4, "50 to 70 %", Decimal(60)),
    Step(5, "above 70 %", Decimal(85)),
)

IMPACT: tuple[Step, ...] = (
    Step(1, "minor"),
    Step(2, "low"),
    Step(3, "medium"),
    Step(4, "high"),
    Step(5, "severe"),
)


@dataclass(frozen=True)
class Band:
    """Scores from low to high, both inside."""

    name: str
    low: int
    high: int


BANDS: tuple[Band, ...] = (
    Band("low", 1, 4),
    Band("medium", 5, 9),
    Band("high", 10, 15),
    Band("critical", 16, 25),
)

CRITICAL_FROM = BANDS[-1].low

RUNS = 10_000
SEED = 20_260_101
EXACT_OUTCOMES = 4_096
"""Up to so many distinct sums a portfolio's distribution is worked out exactly."""

MINOR = Decimal("0.01")
"""Simulated losses are counted in hundredths: whole numbers, no float money."""


def score(probability: int, impact: int) -> int:
    """Probability times impact, both 1 to 5."""
    for value in (probability, impact):
        if not 1 <= value <= 5:
            raise ValueError(f"{value} is not between 1 and 5")
    return probability * impact


def band(value: int) -> str:
    """The band of a score: low, medium, high or critical."""
    return next(one.name for one in BANDS if one.low <= value <= one.high)


def step_of(percent: Decimal) -> int:
    """The probability step that a percentage falls into (30 is 3, above 70 is 5)."""
    if percent > 70:
        return 5
    return 1 + sum(percent >= edge for edge in (10, 30, 50))


def emv(percent: Decimal, cost_impact: Decimal) -> Decimal:
    """Expected money: percent of a cost (30 % of 2,000,000 = 600,000), exact."""
    return percent * cost_impact / Decimal(100)


def weighed(risks: pl.DataFrame) -> pl.DataFrame:
    """Risks with what they weigh, worst first.

    risks: a row per risk as the register holds it (models/program/register.py).
    Adds, for every risk that has probability and impact: score and band; the
        same as inherent_score and target_score; is_live (draft or open).
        chance_percent is probability_percent, else the middle of its band.
        emv = chance_percent x cost_impact / 100, below zero for an
        opportunity; null for a risk that is closed or occurred (it threatens
        no more) or whose cost or chance nobody gave: unknown is not zero.
        target_emv: the same at the target probability's middle.
    Sorted live first, then score, impact (5 x 1 and 1 x 5 are not equal), emv, id.
    """
    middle = {step.value: step.middle for step in PROBABILITY}
    names = {value: band(value) for value in range(1, 26)}

    def product(prefix: str) -> pl.Expr:
        return pl.col(f"{prefix}probability") * pl.col(f"{prefix}impact")

    def percent_of(step: str) -> pl.Expr:
        return pl.col(step).replace_strict(middle, default=None, return_dtype=MONEY)

    scored = risks.with_columns(
        chance_percent=pl.coalesce(pl.col("probability_percent"), percent_of("probability")),
        target_percent=percent_of("target_probability"),
        is_live=pl.col("status").is_in(LIVE),
        score=product(""),
        inherent_score=product("inherent_"),
        target_score=product("target_"),
        band=product("").replace_strict(names, default=None, return_dtype=pl.String()),
    )
    return scored.with_columns(
        _expected(scored, "chance_percent").alias("emv"),
        _expected(scored, "target_percent").alias("target_emv"),
    ).sort(
        ["is_live", "score", "impact", "emv", "id"],
        descending=[True, True, True, True, False],
        nulls_last=True,
    )


@dataclass(frozen=True)
class Chance:
    """A risk as the simulation sees it: it costs `cost` with `percent`, else nothing."""

    id: str
    percent: Decimal
    cost: Decimal


def chances(weighed_risks: pl.DataFrame, currency: str) -> list[Chance]:
    """The live risks of one currency that have a chance and a cost."""
    rows = weighed_risks.filter(
        pl.col("is_live") & (pl.col("currency") == currency) & pl.col("emv").is_not_null()
    )
    return [
        Chance(row["id"], row["chance_percent"], _signed(row)) for row in rows.iter_rows(named=True)
    ]


@dataclass(frozen=True)
class Loss:
    """A portfolio's loss. method: exact, or simulation with its runs and seed."""

    mean: Decimal
    p80: Decimal
    method: str


def portfolio_loss(risks: Iterable[Chance], *, runs: int = RUNS, seed: int = SEED) -> Loss:
    """Mean and P80 of what independent risks cost together.

    mean = sum of EMV, exact. P80 = the smallest loss that is not exceeded with
    80 % probability. Exact while the distribution has at most EXACT_OUTCOMES
    sums, else by simulation. Two risks of 50 % x 100 and 50 % x 200: mean 150,
    P80 300. No risks: zero and zero.
    """
    taken = sorted(risks, key=lambda risk: risk.id)
    mean = sum((emv(risk.percent, risk.cost) for risk in taken), Decimal(0))
    exact = distribution(taken)
    if exact is not None:
        return Loss(mean, quantile(exact, Fraction(80, 100)), "exact")
    p80 = int(_losses(taken, runs, seed)[-(-runs * 80 // 100) - 1])
    return Loss(mean, p80 * MINOR, f"simulation, {runs} runs, seed {seed}")


def distribution(
    risks: Sequence[Chance], *, most: int = EXACT_OUTCOMES
) -> dict[Decimal, Fraction] | None:
    """Probability of each possible total, sorted by total; None above `most` totals."""
    # Whole numbers throughout: with fractions a page's half year of weeks took seconds.
    digits = max((-_exponent(risk.cost) for risk in risks), default=0)
    costs = [int(risk.cost.scaleb(digits)) for risk in risks]
    sums = {0}
    for cost in costs:
        sums |= {total + cost for total in sums}
        if len(sums) > most:
            return None
    found, whole = {0: 1}, 1
    for risk, cost in zip(risks, costs, strict=True):
        share = Fraction(risk.percent) / 100
        hit, miss = share.numerator, share.denominator - share.numerator
        following: dict[int, int] = {}
        for total, weight in found.items():
            for outcome, part in ((total, weight * miss), (total + cost, weight * hit)):
                if part:
                    following[outcome] = following.get(outcome, 0) + part
        found, whole = following, whole * share.denominator
    return {
        Decimal(total).scaleb(-digits): Fraction(weight, whole)
        for total, weight in sorted(found.items())
    }


def quantile(outcomes: dict[Decimal, Fraction], level: Fraction) -> Decimal:
    """The smallest total whose cumulative probability reaches the level."""
    reached = Fraction(0)
    for total, weight in outcomes.items():
        reached += weight
        if reached >= level:
            return total
    return next(reversed(outcomes))


def simulated(risks: Sequence[Chance], *, runs: int = RUNS, seed: int = SEED) -> list[Decimal]:
    """Total losses of `runs` draws, ascending.

    Each risk draws from its own stream, named by seed and id: the same risk
    meets the same luck in two portfolios, so their difference is the risks'
    and not the dice's.
    """
    return [int(value) * MINOR for value in _losses(risks, runs, seed)]


def _losses(risks: Sequence[Chance], runs: int, seed: int) -> pl.Series:
    """The draws' totals in hundredths, ascending."""
    total = pl.zeros(runs, dtype=pl.Int64, eager=True)
    for risk in risks:
        minor = int((risk.cost / MINOR).to_integral_value(ROUND_HALF_EVEN))
        strikes = _draws(f"{seed}:{risk.id}", runs) < float(risk.percent) / 100
        total = total + strikes.cast(pl.Int64) * minor
    return total.sort()


def _exponent(value: Decimal) -> int:
    exponent = value.normalize().as_tuple().exponent
    assert isinstance(exponent, int)
    return min(exponent, 0)


@lru_cache(maxsize=512)
def _draws(stream: str, runs: int) -> pl.Series:
    """Uniform numbers of a named stream; the same name always gives the same."""
    dice = random.Random(stream)
    return pl.Series([dice.random() for _ in range(runs)], dtype=pl.Float64)


def _expected(scored: pl.DataFrame, percent: str) -> pl.Series:
    """EMV of each live risk, in Python's decimals: the engine's cut digits on division."""
    amounts: list[Decimal | None] = []
    for row in scored.iter_rows(named=True):
        known = row["is_live"] and row[percent] is not None and row["cost_impact"] is not None
        amounts.append(emv(row[percent], _signed(row)) if known else None)
    return pl.Series(amounts, dtype=MONEY)


def _signed(row: dict[str, object]) -> Decimal:
    cost = row["cost_impact"]
    assert isinstance(cost, Decimal)
    return -cost if row["type"] == OPPORTUNITY else cost
