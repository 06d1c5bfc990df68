"""FOCUS Cost and Usage: the columns of 1.4, and how older versions are lifted to them.

Source: FinOps Open Cost and Usage Specification, 0.5 to 1.4 (CC BY 4.0).
"""

import re

COLUMNS: dict[str, str] = {
    "AllocatedMethodDetails": "1.3",
    "AllocatedMethodId": "1.3",
    "AllocatedResourceId": "1.3",
    "AllocatedResourceName": "1.3",
    "AllocatedTags": "1.3",
    "AvailabilityZone": "0.5",
    "BilledCost": "0.5",
    "BillingAccountId": "0.5",
    "BillingAccountName": "0.5",
    "BillingAccountType": "1.2",
    "BillingCurrency": "0.5",
    "BillingPeriodEnd": "0.5",
    "BillingPeriodStart": "0.5",
    "CapacityReservationId": "1.1",
    "CapacityReservationStatus": "1.1",
    "ChargeCategory": "0.5",
    "ChargeClass": "1.0",
    "ChargeDescription": "1.0-preview",
    "ChargeFrequency": "1.0-preview",
    "ChargePeriodEnd": "0.5",
    "ChargePeriodStart": "0.5",
    "CommitmentDiscountCategory": "1.0-preview",
    "CommitmentDiscountId": "1.0-preview",
    "CommitmentDiscountName": "1.0-preview",
    "CommitmentDiscountQuantity": "1.1",
    "CommitmentDiscountStatus": "1.0",
    "CommitmentDiscountType": "1.0-preview",
    "CommitmentDiscountUnit": "1.1",
    "CommitmentProgramEligibilityDetails": "1.4",
    "ConsumedQuantity": "1.0",
    "ConsumedUnit": "1.0",
    "ContractApplied": "1.3",
    "ContractedCost": "1.0",
    "ContractedUnitPrice": "1.0",
    "EffectiveCost": "0.5",
    "HostProviderName": "1.3",
    "InvoiceDetailId": "1.4",
    "InvoiceId": "1.2",
    "InvoiceIssuerName": "0.5",
    "ListCost": "1.0-preview",
    "ListUnitPrice": "1.0-preview",
    "PricingCategory": "1.0-preview",
    "PricingCurrency": "1.2",
    "PricingCurrencyContractedUnitPrice": "1.2",
    "PricingCurrencyEffectiveCost": "1.2",
    "PricingCurrencyListUnitPrice": "1.2",
    "PricingQuantity": "1.0-preview",
    "PricingUnit": "1.0-preview",
    "RegionId": "1.0",
    "RegionName": "1.0",
    "ResourceId": "0.5",
    "ResourceName": "0.5",
    "ResourceType": "1.0-preview",
    "ServiceCategory": "0.5",
    "ServiceName": "0.5",
    "ServiceProviderName": "1.3",
    "ServiceSubcategory": "1.1",
    "SkuId": "1.0-preview",
    "SkuMeter": "1.1",
    "SkuPriceDetails": "1.1",
    "SkuPriceId": "1.0-preview",
    "SubAccountId": "0.5",
    "SubAccountName": "0.5",
    "SubAccountType": "1.2",
    "Tags": "1.0-preview",
}
"""The 65 columns of 1.4 and the version each arrived in (under some name)."""

COSTS = ("BilledCost", "EffectiveCost", "ListCost", "ContractedCost")

DECIMALS = frozenset(
    {
        *COSTS,
        "CommitmentDiscountQuantity",
        "ConsumedQuantity",
        "ContractedUnitPrice",
        "ListUnitPrice",
        "PricingCurrencyContractedUnitPrice",
        "PricingCurrencyEffectiveCost",
        "PricingCurrencyListUnitPrice",
        "PricingQuantity",
    }
)

INSTANTS = frozenset(
    {"BillingPeriodStart", "BillingPeriodEnd", "ChargePeriodStart", "ChargePeriodEnd"}
)

JSON_COLUMNS = frozenset(
    {
        "AllocatedMethodDetails",
        "AllocatedTags",
        "CommitmentProgramEligibilityDetails",
        "ContractApplied",
        "SkuPriceDetails",
        "Tags",
    }
)


def snake(name: str) -> str:
    """A FOCUS name as the lake's column: ChargePeriodStart is charge_period_start."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()
