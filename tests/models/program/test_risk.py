"""What a risk weighs, against METRICS section 5 and the hand-checked cases."""

import json
from decimal import Decimal
from fractions import Fraction
from math import sqrt

import polars as pl
import pytest

from models.program.register import RISK, check
from models.program.risk import (
    BANDS,
    Chance,
    band,
    distribution,
    emv,
    portfolio_loss,
    quantile,
    score,
    simulated,
    step_of,
    weighed,
)
from tests.real import real

THREE = [
    Chance("A", Decimal(50), Decimal(100)),
    Chance("B", Decimal(30), Decimal(200)),
    Chance("C", Decimal(10), Decimal(500)),
]


def risks(*rows: dict[str, object]) -> pl.DataFrame:
    """Register rows with everything else blank."""
    start = {"type": "threat", "status": "open", "currency": "USD", "version": 1}
    filled = [{**dict.fromkeys(RISK.frame_schema), **start, **row} for row in rows]
    return pl.DataFrame(filled, schema=RISK.frame_schema)


def test_emv_is_probability_times_cost() -> None:
    assert emv(Decimal(30), Decimal(2_000_000)) == Decimal(600_000)


def test_two_independent_risks_have_mean_150_and_p80_300() -> None:
    # 0 with 25 %, 100 with 25 %, 200 with 25 %: 75 % do not exceed 200, so P80 is 300.
    loss = portfolio_loss(
        [Chance("A", Decimal(50), Decimal(100)), Chance("B", Decimal(50), Decimal(200))]
    )
    assert (loss.mean, loss.p80, loss.method) == (150, 300, "exact")


def test_no_risk_costs_nothing() -> None:
    loss = portfolio_loss([])
    assert (loss.mean, loss.p80) == (0, 0)


def test_the_step_of_a_distribution_is_reached_exactly() -> None:
    # 0.315 + 0.315 + 0.135 + 0.135 is exactly 0.9; in floats it may fall short.
    outcomes = distribution(THREE)
    assert outcomes is not None
    assert sum(outcomes.values()) == 1
    assert quantile(outcomes, Fraction(9, 10)) == 300
    assert quantile(outcomes, Fraction(85, 100)) == 300
    assert quantile(outcomes, Fraction(92, 100)) == 500


def test_simulation_agrees_with_the_exact_distribution() -> None:
    losses = simulated(THREE)
    mean = float(sum(losses) / len(losses))
    assert abs(mean - 160) <= 4 * 182.757 / sqrt(len(losses))
    assert losses[int(len(losses) * 0.85)] == 300
    assert losses[int(len(losses) * 0.92)] == 500


def test_the_same_seed_gives_the_same_draws_and_another_seed_others() -> None:
    many = [Chance(f"R{n}", Decimal(40), Decimal(1000 + n * n)) for n in range(25)]
    first = portfolio_loss(many)
    assert first.method.startswith("simulation")
    assert portfolio_loss(reversed(many)) == first
    assert simulated(many, seed=1) != simulated(many, seed=2)


def test_a_simulated_p80_moves_by_the_risk_that_changed_only() -> None:
    # Common random numbers: a certain 1,000 more shifts every draw by exactly 1,000.
    many = [Chance(f"R{n}", Decimal(40), Decimal(1000 + n * n)) for n in range(25)]
    before = portfolio_loss(many)
    after = portfolio_loss([*many, Chance("Z", Decimal(100), Decimal(1000))])
    assert after.p80 - before.p80 == 1000


def test_score_outside_the_scale_is_refused() -> None:
    with pytest.raises(ValueError, match="6 is not between"):
        score(6, 1)


def test_bands_cover_every_score_once() -> None:
    assert [sum(one.low <= value <= one.high for one in BANDS) for value in range(1, 26)] == [
        1
    ] * 25


@pytest.mark.parametrize(
    ("percent", "step"),
    [("0", 1), ("9.9", 1), ("10", 2), ("29", 2), ("30", 3), ("50", 4), ("70", 4), ("70.1", 5)],
)
def test_a_percentage_falls_into_one_step(percent: str, step: int) -> None:
    assert step_of(Decimal(percent)) == step


def test_the_bands_middle_stands_in_for_an_unstated_percentage() -> None:
    found = weighed(risks({"id": "R-1", "probability": 3, "impact": 5, "cost_impact": Decimal(10)}))
    assert found["chance_percent"].item() == 40
    assert found["emv"].item() == 4


def test_emv_keeps_every_digit() -> None:
    found = weighed(
        risks(
            {
                "id": "R-1",
                "probability_percent": Decimal("33.333333"),
                "cost_impact": Decimal("2000000.01"),
            }
        )
    )
    assert found["emv"].item() == Decimal("666666.6633333333")


def test_unknown_cost_is_no_emv_not_zero() -> None:
    found = weighed(risks({"id": "R-1", "probability": 3, "impact": 5}))
    assert found["emv"].item() is None


def test_closed_and_occurred_risks_carry_no_exposure() -> None:
    rows = [
        {"id": f"R-{n}", "status": status, "probability": 5, "impact": 5, "cost_impact": Decimal(9)}
        for n, status in enumerate(("draft", "open", "closed", "occurred"))
    ]
    found = weighed(risks(*rows)).sort("id")
    assert found["is_live"].to_list() == [True, True, False, False]
    assert found["emv"].is_null().to_list() == [False, False, True, True]


def test_an_opportunity_lowers_the_exposure() -> None:
    row = {"probability": 4, "impact": 2, "cost_impact": Decimal(100), "type": "opportunity"}
    assert weighed(risks({"id": "R-1", **row}))["emv"].item() == -60


def test_equal_scores_are_ordered_by_impact() -> None:
    found = weighed(
        risks(
            {"id": "R-1", "probability": 5, "impact": 1},
            {"id": "R-2", "probability": 1, "impact": 5},
        )
    )
    assert found["id"].to_list() == ["R-2", "R-1"]


def test_a_target_above_the_inherent_score_needs_a_reason() -> None:
    item = {
        "title": "Cooling loop late",
        "type": "threat",
        "status": "draft",
        "inherent_probability": 2,
        "inherent_impact": 2,
        "target_probability": 3,
        "target_impact": 2,
    }
    assert list(check(RISK, item)) == ["score_reason"]
    assert check(RISK, {**item, "score_reason": "Scope grew"}) == {}


def test_problems_are_told_by_field() -> None:
    found = check(
        RISK,
        {
            "type": "threat",
            "status": "open",
            "probability": 9,
            "cost_impact": Decimal(-1),
            "response": "exploit",
        },
    )
    assert set(found) == {"title", "probability", "impact", "cost_impact", "currency", "response"}
    assert str(found["probability"]) == "9 is not between 1 and 5."


@pytest.mark.golden
def test_the_matrix_equals_the_hand_checked_one() -> None:
    case = json.loads(real("trackers/cases/risk_matrix.json").read_text())
    cells = [[score(p, i) for i in range(1, 6)] for p in range(1, 6)]
    assert cells == case["cells"]
    assert [[one.low, one.high] for one in BANDS] == case["levels_low_medium_high_critical"]
    counts = {one.name: 0 for one in BANDS}
    for row in cells:
        for value in row:
            counts[band(value)] += 1
    assert counts == case["count_by_level"]


@pytest.mark.golden
def test_the_distribution_equals_the_hand_checked_one() -> None:
    case = json.loads(real("trackers/cases/monte_carlo.json").read_text())["independent_risks"]
    taken = [
        Chance(str(n), Decimal(str(p)) * 100, Decimal(cost))
        for n, (p, cost) in enumerate(case["risks"])
    ]
    outcomes = distribution(taken)
    assert outcomes is not None
    assert {str(k): float(v) for k, v in outcomes.items()} == case["distribution"]
    loss = portfolio_loss(taken)
    assert (float(loss.mean), loss.p80) == (case["mean"], case["p80"])
    for level in (50, 85, 92):
        assert quantile(outcomes, Fraction(level, 100)) == case[f"p{level}"]
