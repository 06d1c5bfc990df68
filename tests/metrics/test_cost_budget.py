"""Spend beside budget, and commitments that nobody uses."""

from decimal import Decimal

import pytest

from metrics.answer import CannotAnswer
from metrics.budget import spend_against_budget
from metrics.commitment import commitment_use
from tests.lakes import facts_of
from tests.metrics.bills import charge, lake, rule

RULES = [
    rule("b", "direct", 1, "service_name", operator="equals", value="B", tenant="b"),
    rule("rest", "direct", 2, tenant="a"),
]
AFTER = {
    "BillingPeriodStart": "2026-04-01T00:00:00Z",
    "BillingPeriodEnd": "2026-05-01T00:00:00Z",
    "ChargePeriodStart": "2026-04-01T00:00:00Z",
    "ChargePeriodEnd": "2026-04-02T00:00:00Z",
}
HEAD = "tenant,month,currency,amount,version\n"


def test_newest_version_of_the_budget_counts(tmp_path):
    facts = facts_of(
        lake(
            tmp_path,
            [charge("95"), charge("30", ServiceName="B"), charge("1", **AFTER)],
            RULES,
            budget=HEAD + "a,2026-03,USD,90,v9\na,2026-03,USD,100,v10\n",
        )
    )
    frame = spend_against_budget(facts, "2026-03").frame
    assert frame.select("tenant", "budget", "spend", "left", "status").rows() == [
        ("a", 100, 95, 5, "within"),
        ("b", None, 30, None, "no_budget"),
    ]
    assert frame["used_percent"].to_list() == [95.0, None]


def test_month_that_is_not_over_is_projected_at_its_pace(tmp_path):
    # Data reaches half of March: 60 of 100 so far is 120 at that pace.
    half = {"ChargePeriodStart": "2026-03-16T12:00:00Z", "ChargePeriodEnd": "2026-03-16T13:00:00Z"}
    facts = facts_of(
        lake(
            tmp_path,
            [charge("60", **half), charge("45", ServiceName="B")],
            RULES,
            budget=HEAD + "a,2026-03,USD,100,\nb,2026-03,USD,100,\n",
        )
    )
    frame = spend_against_budget(facts, "2026-03").frame
    assert frame.select("tenant", "status").rows() == [("a", "watch"), ("b", "within")]
    assert frame["projected_percent"].to_list() == pytest.approx([120, 90])


def test_overspent_tenant_comes_first(tmp_path):
    facts = facts_of(
        lake(
            tmp_path,
            [charge("50"), charge("30", ServiceName="B")],
            RULES,
            budget=HEAD + "a,2026-03,USD,100,\nb,2026-03,USD,20,\n",
        )
    )
    frame = spend_against_budget(facts, "2026-03").frame
    assert frame.select("tenant", "status", "left").rows() == [
        ("b", "over", -10),
        ("a", "within", 50),
    ]


def test_spend_is_converted_at_the_months_rate(tmp_path):
    facts = facts_of(
        lake(
            tmp_path,
            [charge("50"), charge("100", BillingCurrency="CNY")],
            RULES,
            budget=HEAD + "a,2026-03,USD,100,\n",
            fx_rate="month,from_currency,to_currency,rate\n2026-03,CNY,USD,0.138\n",
        )
    )
    frame = spend_against_budget(facts, "2026-03").frame
    assert frame["spend"].to_list() == [Decimal("63.8")]


def test_missing_rate_is_an_error_that_names_it(tmp_path):
    facts = facts_of(
        lake(
            tmp_path,
            [charge("100", BillingCurrency="CNY")],
            RULES,
            budget=HEAD + "a,2026-03,USD,100,\n",
        )
    )
    with pytest.raises(CannotAnswer, match="2026-03 CNY to USD"):
        spend_against_budget(facts, "2026-03")


def commitment(month, name, status, cost):
    return charge(
        "0",
        EffectiveCost=cost,
        BillingPeriodStart=f"2026-{month:02d}-01T00:00:00Z",
        BillingPeriodEnd=f"2026-{month + 1:02d}-01T00:00:00Z",
        ChargePeriodStart=f"2026-{month:02d}-01T00:00:00Z",
        ChargePeriodEnd=f"2026-{month:02d}-02T00:00:00Z",
        CommitmentDiscountId=name,
        CommitmentDiscountName=name,
        CommitmentDiscountType="Reservation",
        CommitmentDiscountStatus=status,
    )


def test_forgotten_commitment_shows_with_its_months_and_money(tmp_path):
    rows = [commitment(1, "old", "Used", "10")]
    rows += [commitment(month, "old", "Unused", "10") for month in (2, 3)]
    # Case 4 of the reference: 600 of 720 hours used.
    rows += [commitment(3, "new", "Used", "600.00"), commitment(3, "new", "Unused", "120.00")]
    frame = commitment_use(facts_of(lake(tmp_path, rows)), "2026-03").frame
    assert frame.select("commitment", "unused", "unused_months", "status").rows() == [
        ("new", 120, 0, "part_used"),
        ("old", 10, 2, "forgotten"),
    ]
    assert frame["used_percent"][0] == pytest.approx(83.3333, abs=1e-3)
    assert str(frame["last_used"][1]) == "2026-01-02 00:00:00+00:00"
