"""FOCUS Cost and Usage: the columns of 1.4, and how older versions are lifted to them.

Source: FinOps Open Cost and Usage Specification, 0.5 to 1.4 (CC BY 4.0).
"""

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

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


EARLIER_NAMES: dict[str, tuple[str, ...]] = {
    "BillingCurrency": ("BilledCurrency",),
    "ChargeCategory": ("ChargeType",),
    "ConsumedQuantity": ("UsageQuantity",),
    "ConsumedUnit": ("UsageUnit",),
    "EffectiveCost": ("AmortizedCost",),
    "InvoiceIssuerName": ("InvoiceIssuer",),
    "RegionId": ("Region",),
    "ServiceProviderName": ("ProviderName", "Provider", "PublisherName", "Publisher"),
}
"""What a column of 1.4 was called before, best first.

1.3 split ProviderName into ServiceProviderName (who made the service available)
and HostProviderName (whose machines it runs on), and 1.4 removed it with
PublisherName. An older export's ProviderName is taken as ServiceProviderName,
its PublisherName only where there is no ProviderName; HostProviderName stays
null, because no older column says it.
"""

WITHOUT_SUCCESSOR = frozenset({"ProviderName", "Provider", "PublisherName", "Publisher"})
"""Known columns that 1.4 dropped; leaving them out needs no remark."""

_MARKS: tuple[tuple[str, frozenset[str]], ...] = (
    ("0.5", frozenset({"ChargeType", "AmortizedCost", "InvoiceIssuer"})),
    ("1.0-preview", frozenset({"ChargeSubcategory", "UsageQuantity", "UsageUnit"})),
    *(
        (version, frozenset(name for name, since in COLUMNS.items() if since == version))
        for version in ("1.4", "1.3", "1.2", "1.1", "1.0")
    ),
)
"""Columns that only a version (or a later one) has, in the order they decide."""

_OTHER_DATASETS: tuple[tuple[str, frozenset[str], str], ...] = (
    (
        "a FOCUS Invoice Detail export",
        frozenset({"InvoiceDetailLastUpdated", "InvoiceIssueStatus", "PaymentTerms"}),
        "Its amounts are those of the invoice and would count twice; export Cost and Usage.",
    ),
    (
        "a FOCUS Contract Commitment export",
        frozenset({"ContractCommitmentId", "ContractCommitmentType"}),
        "It lists contracts, not charges; export Cost and Usage.",
    ),
    (
        "a FOCUS Billing Period export",
        frozenset({"BillingPeriodStatus", "BillingPeriodLastUpdated"}),
        "It lists periods, not charges; export Cost and Usage.",
    ),
    (
        "an AWS Cost and Usage Report",
        frozenset({"lineItem/UnblendedCost", "line_item_unblended_cost"}),
        "Create a FOCUS export under Data Exports and load that.",
    ),
    (
        "an Azure cost export",
        frozenset({"CostInBillingCurrency", "PreTaxCost"}),
        "Create an export of type FOCUS in Cost Management and load that.",
    ),
    (
        "an Oracle cost report",
        frozenset({"cost/myCost", "lineItem/intervalUsageStart"}),
        "Take the files of the FOCUS Reports folder instead.",
    ),
)


def version_of(headings: Collection[str]) -> str:
    """The FOCUS version whose columns these are; the oldest that explains them.

    The file itself does not say. 1.4 is also told by ServiceProviderName
    standing without ProviderName. Source: the versions' column lists.
    """
    names = {name.casefold() for name in headings}

    def has(some: Iterable[str]) -> bool:
        return any(name.casefold() in names for name in some)

    if has(["ServiceProviderName"]) and not has(["ProviderName"]):
        return "1.4"
    return next((version for version, marks in _MARKS if has(marks)), "1.0")


def other_dataset(headings: Collection[str]) -> tuple[str, str] | None:
    """What the file is if it is a known export of another kind, and what to load instead."""
    names = {name.casefold() for name in headings}
    for what, marks, advice in _OTHER_DATASETS:
        if any(mark.casefold() in names for mark in marks):
            return what, advice
    return None


def known_names() -> set[str]:
    """Every name of a Cost and Usage column in any version."""
    return {*COLUMNS, *(name for names in EARLIER_NAMES.values() for name in names)}


@dataclass(frozen=True)
class Lifted:
    """Which of a file's columns is read as which column of 1.4.

    places: 1.4 name to position in the file. renamed: (heading, 1.4 name) pairs.
    repeated: headings that say again what an earlier column says. unknown: the rest.
    """

    places: Mapping[str, int]
    renamed: tuple[tuple[str, str], ...]
    repeated: tuple[str, ...]
    unknown: tuple[str, ...]


def lift(headings: list[str]) -> Lifted:
    """The columns of 1.4 that headings of any version stand for.

    headings: in the file's order, spelled as FOCUS spells them where known
        (the reader takes case, blanks and underscores out of the way). Of
        several columns for one name the first of the best name counts.
    """
    first: dict[str, int] = {}
    repeated = []
    for position, heading in enumerate(headings):
        if heading in first:
            repeated.append(heading)
        else:
            first[heading] = position
    places: dict[str, int] = {}
    renamed = []
    for name in COLUMNS:
        found = next((n for n in (name, *EARLIER_NAMES.get(name, ())) if n in first), None)
        if found is not None:
            places[name] = first[found]
            if found != name:
                renamed.append((found, name))
    used = set(places.values())
    unknown = tuple(
        name
        for name, position in first.items()
        if position not in used and name not in WITHOUT_SUCCESSOR
    )
    return Lifted(places, tuple(renamed), tuple(repeated), unknown)
