"""A newer delivery replaces what it covers, nothing else, and says so."""

from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path

import pytest

from config import Config
from pipelines.load import SourceOutcome
from tests.lakes import facts_of, outcomes, source, written
from tests.pipelines.sources.focus_files import text

MARCH = date(2026, 3, 1)


def _days(first: int, last: int, cost: str, **more: str) -> list[dict[str, str]]:
    """A usage charge for each of these days of March."""
    return [
        {
            "BilledCost": cost,
            "EffectiveCost": cost,
            "ChargePeriodStart": f"{MARCH + timedelta(days=day - 1)}T00:00:00Z",
            "ChargePeriodEnd": f"{MARCH + timedelta(days=day)}T00:00:00Z",
            **more,
        }
        for day in range(first, last + 1)
    ]


def _deliver(folder: Path, name: str, rows: list[dict[str, str]]) -> None:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text(*rows), encoding="utf-8")


def _load(config: Config) -> SourceOutcome:
    (outcome,) = outcomes(config)
    assert outcome.status in ("loaded", "unchanged"), outcome.message
    return outcome


def _billed(config: Config) -> Decimal:
    total = facts_of(config).table("cost_line")["billed_cost"].sum()
    return Decimal(total)


@pytest.fixture
def config(tmp_path: Path) -> Config:
    return written(tmp_path, source("bill", "focus", "bills/**/*.csv"))


def test_the_same_file_twice_is_unchanged(tmp_path: Path, config: Config) -> None:
    _deliver(tmp_path, "bills/march.csv", _days(1, 31, "1"))
    _load(config)
    assert _load(config).status == "unchanged"
    assert _billed(config) == 31


def test_a_restated_month_replaces_the_month(tmp_path: Path, config: Config) -> None:
    _deliver(tmp_path, "bills/march.csv", _days(1, 31, "1"))
    _load(config)
    _deliver(tmp_path, "bills/march-final.csv", _days(1, 31, "2"))
    outcome = _load(config)
    assert _billed(config) == 62
    (change,) = outcome.changes
    assert (change["billed_before"], change["billed_after"]) == (31, 62)
    assert change["note"] == "whole period replaced"


def test_the_same_charges_under_another_name_do_not_double(tmp_path: Path, config: Config) -> None:
    _deliver(tmp_path, "bills/march.csv", _days(1, 31, "1"))
    _deliver(tmp_path, "bills/by-hand.csv", _days(1, 31, "1"))
    _load(config)
    assert _billed(config) == 31


def test_fewer_days_replace_those_days_only_and_it_says_so(tmp_path: Path, config: Config) -> None:
    _deliver(tmp_path, "bills/march.csv", _days(1, 31, "1"))
    _load(config)
    _deliver(tmp_path, "bills/week.csv", _days(10, 16, "3"))
    outcome = _load(config)
    # 24 days at 1 and 7 at 3.
    assert _billed(config) == 45
    assert outcome.changes[0]["note"] == "only the days this delivery covers were replaced"


def test_a_growing_daily_export_is_never_counted_twice(tmp_path: Path, config: Config) -> None:
    for last in (3, 4, 5):
        _deliver(tmp_path, f"bills/daily-{last}.csv", _days(1, last, "1"))
        _load(config)
        assert _billed(config) == last
    _deliver(tmp_path, "bills/by-hand.csv", _days(2, 4, "1"))
    _load(config)
    assert _billed(config) == 5


def test_another_account_or_month_is_left_alone(tmp_path: Path, config: Config) -> None:
    _deliver(tmp_path, "bills/a.csv", _days(1, 31, "1"))
    _load(config)
    _deliver(tmp_path, "bills/b.csv", _days(1, 31, "1", BillingAccountId="002"))
    april = {
        "BillingPeriodStart": "2026-04-01T00:00:00Z",
        "BillingPeriodEnd": "2026-05-01T00:00:00Z",
        "ChargePeriodStart": "2026-04-01T00:00:00Z",
        "ChargePeriodEnd": "2026-04-02T00:00:00Z",
    }
    _deliver(tmp_path, "bills/c.csv", [{**april, "BilledCost": "5"}])
    _load(config)
    assert _billed(config) == 67


def test_a_month_restated_with_its_purchase_keeps_one_purchase(
    tmp_path: Path, config: Config
) -> None:
    purchase = {
        "BilledCost": "100",
        "EffectiveCost": "0",
        "ChargeCategory": "Purchase",
        "ChargePeriodStart": "2026-03-01T00:00:00Z",
        "ChargePeriodEnd": "2027-03-01T00:00:00Z",
    }
    _deliver(tmp_path, "bills/march.csv", [*_days(1, 31, "1"), purchase])
    _load(config)
    _deliver(tmp_path, "bills/march-2.csv", [*_days(1, 31, "1"), purchase])
    _load(config)
    assert _billed(config) == 131
    # A week by hand does not carry the purchase; it must not take it away.
    _deliver(tmp_path, "bills/week.csv", _days(1, 7, "1"))
    _load(config)
    assert _billed(config) == 131


def test_parts_of_a_folder_are_one_delivery(tmp_path: Path) -> None:
    config = written(tmp_path, source("bill", "focus", "bills/**/*.csv", parts=True))
    _deliver(tmp_path, "bills/run-1/part-0.csv", _days(1, 15, "1"))
    _deliver(tmp_path, "bills/run-1/part-1.csv", _days(10, 31, "1"))
    _load(config)
    # Parts of one run add up, though their days overlap: 15 + 22.
    assert _billed(config) == 37
    _deliver(tmp_path, "bills/run-2/part-0.csv", _days(1, 20, "2"))
    _deliver(tmp_path, "bills/run-2/part-1.csv", _days(21, 31, "2"))
    _load(config)
    assert _billed(config) == 62


def test_refused_rows_do_not_widen_what_is_replaced(tmp_path: Path, config: Config) -> None:
    _deliver(tmp_path, "bills/march.csv", _days(1, 31, "1"))
    _load(config)
    _deliver(tmp_path, "bills/part.csv", [*_days(1, 2, "2"), *_days(31, 31, "x")])
    outcome = _load(config)
    assert outcome.quarantined == 1
    assert _billed(config) == 33
