"""What bills add up to, exactly; missing costs stay missing."""

from decimal import Decimal

import pytest

from metrics.cost_total import cost_months, cost_total
from tests.lakes import facts_of, loaded, source
from tests.metrics.bills import charge, lake
from tests.real import real

KEYS = [
    "source",
    "service_provider",
    "charge_category",
    "currency",
    "billed_cost",
    "effective_cost",
    "list_cost",
    "contracted_cost",
    "rows",
]


@pytest.mark.golden
def test_real_sample_totals_to_the_last_digit(tmp_path):
    path = real("billing/focus_1_0_sample_1000.csv")
    frame = cost_total(facts_of(loaded(tmp_path, source("bills", "focus", path)))).frame
    assert frame.columns == KEYS
    found = {(row[1], row[2]): row[4:] for row in frame.rows()}
    # SOURCES.md, golden figures; Oracle's ContractedCost is null, not 0.
    assert found == {
        ("AWS", "Credit"): (
            Decimal("-2.6137"), Decimal(-3), Decimal("-2.6137"), Decimal(-3), 1,
        ),
        ("AWS", "Usage"): (
            Decimal("20.6203386184"), Decimal(16), Decimal("20.7630176406"), Decimal(16), 941,
        ),
        ("Microsoft", "Usage"): (
            Decimal("1.97651418586"), Decimal("1.97651418586"), Decimal("1.97651418586"),
            Decimal("1.97626039326"), 51,
        ),
        ("Oracle", "Adjustment"): (Decimal("0.272"), Decimal(0), Decimal(0), None, 2),
        ("Oracle", "Usage"): (
            Decimal("0.26507392473"), Decimal(0), Decimal("0.26507392473"), None, 5,
        ),
    }  # fmt: skip


def test_currencies_are_never_added(tmp_path):
    facts = facts_of(lake(tmp_path, [charge("1"), charge("2", BillingCurrency="CNY")]))
    assert dict(cost_total(facts).frame.select("currency", "billed_cost").rows()) == {
        "USD": 1,
        "CNY": 2,
    }


def test_month_is_that_of_the_billing_period_whatever_zone_it_begins_in(tmp_path):
    # March as Shanghai and Los Angeles write its first midnight.
    rows = [
        charge(
            "1", BillingPeriodStart="2026-02-28T16:00:00Z", BillingPeriodEnd="2026-03-31T16:00:00Z"
        ),
        charge(
            "2", BillingPeriodStart="2026-03-01T08:00:00Z", BillingPeriodEnd="2026-04-01T07:00:00Z"
        ),
    ]
    facts = facts_of(lake(tmp_path, rows))
    assert cost_months(facts).frame["month"].to_list() == ["2026-03"]
    assert cost_total(facts, "2026-03").frame["rows"].sum() == 2


def test_month_that_has_hardly_begun_is_not_the_one_to_open_at(tmp_path):
    april = {
        "BillingPeriodStart": "2026-04-01T00:00:00Z",
        "BillingPeriodEnd": "2026-05-01T00:00:00Z",
    }
    rows = [charge(str(i)) for i in range(1, 12)] + [charge("1", **april)]
    frame = cost_months(facts_of(lake(tmp_path, rows))).frame
    assert dict(frame.rows()) == {"2026-04": False, "2026-03": True}
