"""FOCUS versions are told by their columns and lifted to 1.4's names."""

import pytest

from models.billing.contracts import COST_LINE, REQUIRED
from models.billing.focus import COLUMNS, lift, other_dataset, snake, version_of


def test_cost_and_usage_of_1_4_has_65_columns() -> None:
    assert len(COLUMNS) == 65


def test_every_column_is_in_the_lake_under_its_snake_name() -> None:
    assert set(COST_LINE.columns) == {snake(name) for name in COLUMNS} | {"focus_version"}
    assert snake("PricingCurrencyContractedUnitPrice") == "pricing_currency_contracted_unit_price"
    assert snake("SkuId") == "sku_id"


def test_only_amounts_periods_currency_and_category_must_be_there() -> None:
    never_null = {n for n, c in COST_LINE.schema.columns.items() if not c.nullable}
    assert never_null == {snake(name) for name in REQUIRED} | {"focus_version"}


@pytest.mark.parametrize(
    ("headings", "version"),
    [
        (["ChargeType", "AmortizedCost"], "0.5"),
        (["ChargeType", "BillingAccountType", "AmortizedCost"], "0.5"),
        (["EffectiveCost", "ChargeSubcategory", "UsageQuantity"], "1.0-preview"),
        (["EffectiveCost", "ChargeClass", "ContractedCost", "ProviderName"], "1.0"),
        (["ContractedCost", "SkuMeter", "ProviderName"], "1.1"),
        (["SkuMeter", "InvoiceId", "ProviderName"], "1.2"),
        (["InvoiceId", "ProviderName", "ServiceProviderName"], "1.3"),
        (["InvoiceId", "ServiceProviderName"], "1.4"),
        (["ProviderName", "InvoiceDetailId"], "1.4"),
        (["BilledCost"], "1.0"),
    ],
)
def test_version_is_told_by_the_columns(headings: list[str], version: str) -> None:
    assert version_of(headings) == version


def test_names_of_0_5_are_lifted() -> None:
    lifted = lift(["InvoiceIssuer", "ChargeType", "Provider", "Region", "AmortizedCost"])
    assert lifted.places == {
        "ChargeCategory": 1,
        "EffectiveCost": 4,
        "InvoiceIssuerName": 0,
        "RegionId": 3,
        "ServiceProviderName": 2,
    }


def test_provider_is_taken_before_publisher_and_host_stays_unknown() -> None:
    lifted = lift(["PublisherName", "ProviderName"])
    assert lifted.places == {"ServiceProviderName": 1}
    assert lifted.unknown == ()
    assert lift(["PublisherName"]).places == {"ServiceProviderName": 0}


def test_the_first_of_a_repeated_column_counts() -> None:
    lifted = lift(["Tags", "BilledCost", "Tags", "x_team"])
    assert lifted.places == {"Tags": 0, "BilledCost": 1}
    assert lifted.repeated == ("Tags",)
    assert lifted.unknown == ("x_team",)


def test_other_exports_are_named() -> None:
    found = other_dataset(["BilledCost", "InvoiceIssueStatus", "PaymentTerms"])
    assert found is not None
    assert "Invoice Detail" in found[0]
    assert other_dataset(["BilledCost", "EffectiveCost"]) is None
