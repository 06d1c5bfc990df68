"""What the company buys: column sets of FOCUS versions, clouds and their price lists."""

from dataclasses import dataclass, field
from datetime import UTC, timedelta, timezone
from decimal import Decimal

COLUMNS_1_0 = [
    "AvailabilityZone",
    "BilledCost",
    "BillingAccountId",
    "BillingAccountName",
    "BillingCurrency",
    "BillingPeriodEnd",
    "BillingPeriodStart",
    "ChargeCategory",
    "ChargeClass",
    "ChargeDescription",
    "ChargeFrequency",
    "ChargePeriodEnd",
    "ChargePeriodStart",
    "CommitmentDiscountCategory",
    "CommitmentDiscountId",
    "CommitmentDiscountName",
    "CommitmentDiscountStatus",
    "CommitmentDiscountType",
    "ConsumedQuantity",
    "ConsumedUnit",
    "ContractedCost",
    "ContractedUnitPrice",
    "EffectiveCost",
    "InvoiceIssuerName",
    "ListCost",
    "ListUnitPrice",
    "PricingCategory",
    "PricingQuantity",
    "PricingUnit",
    "ProviderName",
    "PublisherName",
    "RegionId",
    "RegionName",
    "ResourceId",
    "ResourceName",
    "ResourceType",
    "ServiceCategory",
    "ServiceName",
    "SkuId",
    "SkuPriceId",
    "SubAccountId",
    "SubAccountName",
    "Tags",
]
COLUMNS_1_2 = [*COLUMNS_1_0, *["BillingAccountType", "CapacityReservationId", "CapacityReservationStatus", "CommitmentDiscountQuantity", "CommitmentDiscountUnit", "InvoiceId", "PricingCurrency", "PricingCurrencyContractedUnitPrice", "PricingCurrencyEffectiveCost", "PricingCurrencyListUnitPrice", "ServiceSubcategory", "SkuMeter", "SkuPriceDetails", "SubAccountType"]]  # fmt: skip
COLUMNS_1_3 = [*COLUMNS_1_2, *["AllocatedMethodDetails", "AllocatedMethodId", "AllocatedResourceId", "AllocatedResourceName", "AllocatedTags", "ContractApplied", "HostProviderName", "ServiceProviderName"]]  # fmt: skip
COLUMNS_1_4 = [
    *(name for name in COLUMNS_1_3 if name not in ("ProviderName", "PublisherName")),
    "CommitmentProgramEligibilityDetails",
    "InvoiceDetailId",
]

SHANGHAI = timezone(timedelta(hours=8))
MONTHLY_GROWTH = 1.02
WEEKEND = 0.86
BURST = 1.62
"""What the over-budget team's rented compute rises to from the fifth of its month."""
BURST_FROM_DAY = 5


@dataclass(frozen=True)
class Line:
    """One thing a team buys each day. daily: list price a day at the start, in the bill's money."""

    team: str | None
    service: str
    category: str
    sku: str
    region: str
    unit: str
    price: str
    daily: int
    is_gpu: bool = False


@dataclass(frozen=True)
class Cloud:
    """A provider as it bills. discount: negotiated, off the list price."""

    id: str
    name: str
    account: str
    columns: list[str]
    currency: str
    discount: str
    lines: tuple[Line, ...]
    zone: timezone = UTC
    support: tuple[str, int] | None = None
    tax_percent: int = 0
    credit: int = 0
    is_zipped: bool = True
    extra: tuple[str, ...] = field(default=())


CLOUDS = (
    Cloud(
        "aws", "AWS", "400123456789", COLUMNS_1_2, "USD", "0.12",
        (
            Line("multimodal", "Amazon EC2", "Compute", "p5.48xlarge", "us-east-1", "Hours",
                 "98.32", 19_000, True),
            Line("robotics", "Amazon EC2", "Compute", "p5.48xlarge", "us-west-2", "Hours",
                 "98.32", 11_500, True),
            Line("speech", "Amazon EC2", "Compute", "p4d.24xlarge", "us-west-2", "Hours",
                 "32.77", 8_200, True),
            Line("search-rec", "Amazon EC2", "Compute", "g6e.12xlarge", "us-east-1", "Hours",
                 "10.49", 7_900, True),
            Line("inference-platform", "Amazon EC2", "Compute", "m7i.16xlarge", "us-east-1",
                 "Hours", "3.2256", 9_300),
            Line("platform", "Amazon EKS", "Compute", "eks-cluster", "us-east-1", "Hours",
                 "0.10", 2_600),
            Line("multimodal", "Amazon S3", "Storage", "s3-standard", "us-east-1", "GB-Months",
                 "0.023", 3_300),
            Line("pretraining", "Amazon S3", "Storage", "s3-standard", "us-east-1", "GB-Months",
                 "0.023", 2_400),
            Line("shared", "AWS Direct Connect", "Networking", "dx-100g", "us-east-1", "Hours",
                 "22.50", 1_500),
            Line(None, "Amazon EC2", "Compute", "c7i.8xlarge", "us-west-2", "Hours", "1.428", 900),
        ),
        support=("Enterprise Support", 21_000), credit=-12_000,
    ),
    Cloud(
        "microsoft", "Microsoft", "8611-YUNQI", COLUMNS_1_0, "USD", "0.09",
        (
            Line("robotics", "Virtual Machines", "Compute", "ND H100 v5", "eastus", "Hours",
                 "98.32", 10_400, True),
            Line("research", "Virtual Machines", "Compute", "ND H100 v5", "eastus", "Hours",
                 "98.32", 9_100, True),
            Line("speech", "Azure Machine Learning", "AI and Machine Learning", "NC A100 v4",
                 "westeurope", "Hours", "27.20", 5_800, True),
            Line("search-rec", "Storage", "Storage", "Blob hot LRS", "eastus", "GB-Months",
                 "0.0184", 900),
            Line(None, "Storage", "Storage", "Blob cool LRS", "westeurope", "GB-Months", "0.01",
                 420),
        ),
        support=("Unified Support", 9_500), tax_percent=6, is_zipped=False,
    ),
    Cloud(
        "alibaba", "Alibaba Cloud", "1688001122334455", COLUMNS_1_2, "CNY", "0.22",
        (
            Line("search-rec", "Elastic Compute Service", "Compute", "ecs.gn8v-8x", "cn-hangzhou",
                 "Hours", "640.00", 148_000, True),
            Line("inference-platform", "Elastic Compute Service", "Compute", "ecs.gn8is-4x",
                 "cn-shanghai", "Hours", "168.00", 122_000, True),
            Line("pretraining", "Elastic Compute Service", "Compute", "ecs.gn8v-8x",
                 "cn-shanghai", "Hours", "640.00", 64_000, True),
            Line("platform", "Container Service for Kubernetes", "Compute", "ack-pro",
                 "cn-shanghai", "Hours", "0.64", 26_000),
            Line("pretraining", "Object Storage Service", "Storage", "oss-standard", "cn-shanghai",
                 "GB-Months", "0.12", 18_000),
            Line(None, "Object Storage Service", "Storage", "oss-ia", "cn-hangzhou", "GB-Months",
                 "0.08", 5_200),
        ),
        zone=SHANGHAI, support=("Support Plan", 46_000), tax_percent=6,
    ),
    Cloud(
        "coreweave", "CoreWeave", "cw-yunqi-01", COLUMNS_1_3, "USD", "0.18",
        (
            Line("pretraining", "GPU Compute", "Compute", "H100-SXM-8x-IB", "US-EAST-08A",
                 "GPU-Hours", "4.25", 46_000, True),
            Line("research", "GPU Compute", "Compute", "H100-SXM-8x-IB", "US-EAST-08A",
                 "GPU-Hours", "4.25", 21_500, True),
            Line("multimodal", "GPU Compute", "Compute", "H200-SXM-8x-IB", "US-WEST-04A",
                 "GPU-Hours", "5.15", 19_800, True),
            Line("pretraining", "AI Object Storage", "Storage", "caios-hot", "US-EAST-08A",
                 "GB-Months", "0.06", 2_100),
            Line("shared", "Networking", "Networking", "transit-400g", "US-EAST-08A", "Hours",
                 "31.00", 1_100),
        ),
        extra=("forgotten",),
    ),
)  # fmt: skip

SAVINGS_PLAN = ("sp-compute-2025-11", Decimal("240000.00"), Decimal("0.93"))
"""An AWS commitment in good use: id, a month's price, share used."""

TCO = (
    ("Depreciation", "Compute", Decimal("0.58")),
    ("Power and cooling", "Compute", Decimal("0.17")),
    ("Operations staff", "Management and Governance", Decimal("0.08")),
    ("Data-centre space", "Compute", Decimal("0.07")),
    ("Cluster network", "Networking", Decimal("0.06")),
    ("Cluster storage", "Storage", Decimal("0.04")),
)
"""Where an own GPU-hour's cost comes from; the shares add up to one."""
