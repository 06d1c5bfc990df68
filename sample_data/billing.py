"""Bills: four clouds and the company's own data centres, as FOCUS exports.

A backfill of twelve closed months a provider, then November in two deliveries,
as daily exports come. Versions differ on purpose: Microsoft writes 1.0, AWS and Alibaba Cloud 1.2,
CoreWeave 1.3, the data centres' cost model 1.4.
"""

import csv
import gzip
import io
import json
import random
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import ROUND_HALF_EVEN, Decimal
from pathlib import Path

from sample_data.clouds import (
    BURST,
    BURST_FROM_DAY,
    CLOUDS,
    COLUMNS_1_4,
    MONTHLY_GROWTH,
    SAVINGS_PLAN,
    TCO,
    WEEKEND,
    Cloud,
    Line,
)
from sample_data.company import (
    CLUSTERS,
    FIRST_DAY,
    FORGOTTEN_COMMITMENT,
    FORGOTTEN_GPUS,
    FORGOTTEN_SINCE,
    FORGOTTEN_USD_PER_GPU_HOUR,
    LAST_DAY,
    LAST_REVIEW,
    MONTHS,
    OVER_BUDGET,
    OVER_BUDGET_MONTH,
    SEED,
)

CENT = Decimal("0.01")
SIXTH = Decimal("0.000001")


def write_bills(folder: Path) -> None:
    """Every bill: a backfill of the closed months, November, its second delivery in `late`."""
    (folder / "late").mkdir(parents=True, exist_ok=True)
    for cloud in CLOUDS:
        by_month = {month: list(_cloud_rows(cloud, month)) for month in MONTHS}
        _write_deliveries(folder, cloud.id, cloud.columns, by_month, cloud.is_zipped)
    own = {month: list(_own_rows(month)) for month in MONTHS}
    _write_deliveries(folder, "yunqi-dc", COLUMNS_1_4, own, True)


def _write_deliveries(
    folder: Path,
    name: str,
    columns: list[str],
    by_month: dict[str, list[dict[str, str]]],
    zip_it: bool,
) -> None:
    *closed, current = MONTHS
    backfill = [row for month in closed for row in by_month[month]]
    cut = (LAST_REVIEW + timedelta(days=1)).isoformat()
    early = [row for row in by_month[current] if row["_day"] < cut]
    late = [row for row in by_month[current] if row["_day"] >= cut]
    _write(folder / f"{name}-{closed[0]}-to-{closed[-1]}.csv", columns, backfill, zip_it)
    _write(folder / f"{name}-{current}-01.csv", columns, early, zip_it)
    _write(folder / "late" / f"{name}-{current}-23.csv", columns, late, zip_it)


def _write(file: Path, columns: list[str], rows: list[dict[str, str]], zip_it: bool) -> None:
    text = io.StringIO(newline="")
    sheet = csv.DictWriter(text, columns, restval="", extrasaction="ignore", lineterminator="\n")
    sheet.writeheader()
    sheet.writerows(rows)
    data = text.getvalue().encode()
    if zip_it:
        file = file.with_name(f"{file.name}.gz")
        data = gzip.compress(data, compresslevel=9, mtime=0)
    file.write_bytes(data)


def days_of(month: str) -> list[date]:
    """The days of a month."""
    first = date.fromisoformat(f"{month}-01")
    return [
        first + timedelta(days=i)
        for i in range(31)
        if (first + timedelta(days=i)).month == first.month
    ]


def _cloud_rows(cloud: Cloud, month: str) -> Iterator[dict[str, str]]:
    chance = random.Random(f"{SEED}-{cloud.id}-{month}")
    spent = Decimal(0)
    for day in days_of(month):
        for number, line in enumerate(cloud.lines):
            row = _usage(cloud, month, day, number, line, chance)
            spent += Decimal(row["BilledCost"])
            yield row
        if cloud.id == "aws":
            yield from _savings_plan_use(cloud, month, day)
        if "forgotten" in cloud.extra and day >= FORGOTTEN_SINCE:
            yield _forgotten_use(cloud, month, day)
    for row in _monthly(cloud, month, spent):
        spent += Decimal(row["BilledCost"])
        yield row


def _usage(
    cloud: Cloud, month: str, day: date, number: int, line: Line, chance: random.Random
) -> dict[str, str]:
    growth = MONTHLY_GROWTH ** MONTHS.index(month)
    level = growth * chance.uniform(0.94, 1.06)
    if line.is_gpu and day.weekday() >= 5:
        level *= WEEKEND
    if (line.team, month) == (OVER_BUDGET, OVER_BUDGET_MONTH) and line.is_gpu:
        level *= BURST if day.day >= BURST_FROM_DAY else 1
    price = Decimal(line.price)
    quantity = (Decimal(line.daily * level) / price).quantize(Decimal("0.0001"))
    contracted_price = price * (1 - Decimal(cloud.discount))
    listed = (price * quantity).quantize(SIXTH, ROUND_HALF_EVEN)
    cost = (contracted_price * quantity).quantize(SIXTH, ROUND_HALF_EVEN)
    team = line.team or "sandbox"
    tags = {"team": line.team, "env": "prod" if number % 3 else "dev"} if line.team else {}
    if line.team == "inference-platform" and cloud.id == "aws" and day.day % 5 == 0:
        tags = {}  # a batch of instances nobody tagged; the account still tells the team
    return _row(cloud, month, day) | {
        "ChargeCategory": "Usage",
        "ChargeFrequency": "Usage-Based",
        "ChargeDescription": f"{line.sku} in {line.region}",
        "BilledCost": f"{cost:f}",
        "EffectiveCost": f"{cost:f}",
        "ContractedCost": f"{cost:f}",
        "ListCost": f"{listed:f}",
        "ListUnitPrice": f"{price:f}",
        "ContractedUnitPrice": f"{contracted_price:f}",
        "PricingCategory": "Standard",
        "PricingQuantity": f"{quantity:f}",
        "PricingUnit": line.unit,
        "ConsumedQuantity": f"{quantity:f}",
        "ConsumedUnit": line.unit,
        "RegionId": line.region,
        "RegionName": line.region,
        "ResourceId": f"{cloud.id}/{team}/{line.sku.lower().replace(' ', '-')}",
        "ResourceName": f"{team}-{line.sku}",
        "ResourceType": line.service,
        "ServiceCategory": line.category,
        "ServiceName": line.service,
        "SkuId": line.sku,
        "SkuPriceId": f"{line.sku}/{cloud.currency}",
        "SubAccountId": f"{cloud.account[:6]}-{team}",
        "SubAccountName": f"yq-{team}",
        "Tags": json.dumps(tags, sort_keys=True) if tags else "",
    }


def _savings_plan_use(cloud: Cloud, month: str, day: date) -> Iterator[dict[str, str]]:
    """A day's share of the month's price, by whether it was used.

    Days are rounded so that the month adds up to its price to the cent.
    """
    plan, price, used = SAVINGS_PLAN
    days = days_of(month)
    place = days.index(day)
    daily = _cumulative(price, place + 1, len(days)) - _cumulative(price, place, len(days))
    in_use = (daily * used).quantize(CENT)
    for status, amount in (("Used", in_use), ("Unused", daily - in_use)):
        covered = status == "Used"
        yield _row(cloud, month, day) | {
            "ChargeCategory": "Usage",
            "ChargeFrequency": "Usage-Based",
            "ChargeDescription": f"Savings plan, {status.lower()}",
            "BilledCost": "0",
            "EffectiveCost": f"{amount:f}",
            "ContractedCost": f"{amount * Decimal('1.35') if covered else amount:f}",
            "ListCost": f"{amount * Decimal('1.55') if covered else amount:f}",
            "PricingCategory": "Committed",
            "PricingQuantity": f"{amount:f}",
            "PricingUnit": "USD",
            "ConsumedQuantity": f"{amount:f}" if covered else "",
            "ConsumedUnit": "USD" if covered else "",
            "CommitmentDiscountCategory": "Spend",
            "CommitmentDiscountId": plan,
            "CommitmentDiscountName": "Compute savings plan, one year",
            "CommitmentDiscountStatus": status,
            "CommitmentDiscountType": "Savings Plan",
            "CommitmentDiscountQuantity": f"{amount:f}",
            "CommitmentDiscountUnit": "USD",
            "ServiceCategory": "Compute",
            "ServiceName": "Amazon EC2",
            "SkuId": "compute-sp",
            "SubAccountId": f"{cloud.account[:6]}-multimodal",
            "SubAccountName": "yq-multimodal",
            "Tags": json.dumps({"team": "multimodal" if covered else "platform"}),
        }


def _cumulative(price: Decimal, days: int, of: int) -> Decimal:
    return (price * days / of).quantize(CENT)


def _forgotten_daily() -> Decimal:
    return Decimal(FORGOTTEN_GPUS * 24) * Decimal(FORGOTTEN_USD_PER_GPU_HOUR)


def forgotten_cost() -> Decimal:
    """What the forgotten commitment has cost from its first day to the last day of data."""
    return _forgotten_daily() * ((LAST_DAY - FORGOTTEN_SINCE).days + 1)


def _forgotten_use(cloud: Cloud, month: str, day: date) -> dict[str, str]:
    cost = _forgotten_daily()
    hours = Decimal(FORGOTTEN_GPUS * 24)
    return _row(cloud, month, day) | _commitment(hours, "Unused") | {
        "ChargeCategory": "Usage",
        "ChargeFrequency": "Usage-Based",
        "ChargeDescription": "Reserved H100 capacity, unused",
        "BilledCost": "0",
        "EffectiveCost": f"{cost:f}",
        "ContractedCost": f"{cost:f}",
        "ListCost": f"{cost:f}",
        "PricingCategory": "Committed",
        "PricingQuantity": f"{hours:f}",
        "PricingUnit": "GPU-Hours",
    }  # fmt: skip


def _commitment(hours: Decimal, status: str) -> dict[str, str]:
    return {
        "CommitmentDiscountCategory": "Usage",
        "CommitmentDiscountId": FORGOTTEN_COMMITMENT,
        "CommitmentDiscountName": "64 x H100 reserved, US-EAST",
        "CommitmentDiscountStatus": status,
        "CommitmentDiscountType": "Reserved Capacity",
        "CommitmentDiscountQuantity": f"{hours:f}",
        "CommitmentDiscountUnit": "GPU-Hours",
        "RegionId": "US-EAST-08A",
        "RegionName": "US-EAST-08A",
        "ServiceCategory": "Compute",
        "ServiceName": "GPU Compute",
        "SkuId": "H100-SXM-8x-IB-reserved",
        "SubAccountId": "cw-yun-research",
        "SubAccountName": "yq-research",
        "Tags": json.dumps({"team": "research", "env": "reserved"}, sort_keys=True),
    }


def _monthly(cloud: Cloud, month: str, spent: Decimal) -> Iterator[dict[str, str]]:
    """Purchases, support, credits, corrections and tax, once a month."""
    days = days_of(month)
    whole = {
        "ChargePeriodStart": _instant(days[0], cloud.zone),
        "ChargePeriodEnd": _instant(days[-1] + timedelta(days=1), cloud.zone),
    }
    first = _row(cloud, month, days[0]) | whole

    def charge(category: str, amount: Decimal, said: str, **more: str) -> dict[str, str]:
        text = f"{amount:f}"
        return first | {
            "ChargeCategory": category,
            "ChargeFrequency": "Recurring",
            "ChargeDescription": said,
            "BilledCost": text,
            "EffectiveCost": text,
            "ContractedCost": text,
            "ListCost": text,
            "ServiceCategory": "Other",
            "ServiceName": said,
            **more,
        }

    extra = Decimal(0)
    if cloud.id == "aws":
        plan, price, _ = SAVINGS_PLAN
        extra += price
        yield charge(
            "Purchase", price, "Compute savings plan", EffectiveCost="0", CommitmentDiscountId=plan,
            CommitmentDiscountCategory="Spend", CommitmentDiscountType="Savings Plan",
            CommitmentDiscountName="Compute savings plan, one year", ServiceCategory="Compute",
            ServiceName="Amazon EC2", SkuId="compute-sp", PricingCategory="Committed",
            PricingQuantity="1", PricingUnit="Months",
            Tags=json.dumps({"team": "multimodal"}),
        )  # fmt: skip
    reserved = [day for day in days if day >= FORGOTTEN_SINCE]
    if "forgotten" in cloud.extra and reserved:
        hours = Decimal(FORGOTTEN_GPUS * 24 * len(reserved))
        price = hours * Decimal(FORGOTTEN_USD_PER_GPU_HOUR)
        extra += price
        yield charge(
            "Purchase", price, "Reserved H100 capacity",
            **_commitment(hours, "") | {
                "EffectiveCost": "0", "PricingCategory": "Committed",
                "PricingQuantity": f"{hours:f}", "PricingUnit": "GPU-Hours",
                "ListUnitPrice": FORGOTTEN_USD_PER_GPU_HOUR,
                "ContractedUnitPrice": FORGOTTEN_USD_PER_GPU_HOUR,
            },
        )  # fmt: skip
    if cloud.support:
        name, amount = cloud.support
        extra += amount
        yield charge("Usage", Decimal(amount), name, PricingCategory="Standard",
                     PricingQuantity="1", PricingUnit="Months", SkuId="support",
                     ServiceCategory="Management and Governance")  # fmt: skip
    if cloud.credit:
        extra += cloud.credit
        yield charge("Credit", Decimal(cloud.credit), "Committed growth credit",
                     Tags=json.dumps({"team": "shared"}))  # fmt: skip
    if cloud.id == "aws" and month == "2026-08":
        yield charge(
            "Usage", Decimal("-1250.00"), "Correction of July storage", ChargeClass="Correction",
            ChargePeriodStart="2026-07-01T00:00:00Z", ChargePeriodEnd="2026-08-01T00:00:00Z",
            ServiceName="Amazon S3", ServiceCategory="Storage", SkuId="s3-standard",
            PricingCategory="Standard", PricingQuantity="-54347.8261", PricingUnit="GB-Months",
            Tags=json.dumps({"team": "multimodal"}),
        )  # fmt: skip
    if cloud.id == "coreweave" and month == "2026-10":
        yield charge("Adjustment", Decimal("-18400.00"), "Refund for the outage of 14 October",
                     Tags=json.dumps({"team": "pretraining"}))  # fmt: skip
    if cloud.tax_percent:
        tax = ((spent + extra) * cloud.tax_percent / 100).quantize(CENT)
        yield charge("Tax", tax, f"VAT {cloud.tax_percent} %") | {
            "_day": days[-1].isoformat(), "ServiceName": "Tax"
        }  # fmt: skip


def _own_rows(month: str) -> Iterator[dict[str, str]]:
    """The data centres' cost model: each cluster's GPU-hours at full cost, a day a component."""
    for day in days_of(month):
        for cluster in CLUSTERS:
            hours = Decimal(cluster.gpus * 24)
            for name, category, share in TCO:
                price = Decimal(cluster.usd_per_gpu_hour) * share
                cost = f"{price * hours:f}"
                yield {
                    "_day": day.isoformat(),
                    **dict.fromkeys(
                        ("BilledCost", "EffectiveCost", "ListCost", "ContractedCost"), cost
                    ),
                    "BillingAccountId": "yunqi-dc",
                    "BillingAccountName": "Yunqi data centres",
                    "BillingCurrency": "USD",
                    "BillingPeriodStart": f"{month}-01T00:00:00Z",
                    "BillingPeriodEnd": _instant(days_of(month)[-1] + timedelta(days=1), UTC),
                    "ChargePeriodStart": _instant(day, UTC),
                    "ChargePeriodEnd": _instant(day + timedelta(days=1), UTC),
                    "ChargeCategory": "Usage",
                    "ChargeFrequency": "Usage-Based",
                    "ChargeDescription": f"{name}, {cluster.name}",
                    "ConsumedQuantity": f"{hours:f}",
                    "ConsumedUnit": "GPU-Hours",
                    "ContractedUnitPrice": f"{price:f}",
                    "ListUnitPrice": f"{price:f}",
                    "PricingCategory": "Standard",
                    "PricingCurrency": "USD",
                    "PricingQuantity": f"{hours:f}",
                    "PricingUnit": "GPU-Hours",
                    "HostProviderName": "Yunqi DC",
                    "ServiceProviderName": "Yunqi DC",
                    "InvoiceIssuerName": "Yunqi DC",
                    "InvoiceId": f"DC-{month}",
                    "RegionId": cluster.region,
                    "RegionName": cluster.region,
                    "ResourceId": f"cluster/{cluster.id}",
                    "ResourceName": cluster.name,
                    "ServiceCategory": category,
                    "ServiceName": name,
                    "SkuId": f"tco-{cluster.accelerator.split()[0].lower()}",
                    "SubAccountId": f"dc-{cluster.id}",
                    "SubAccountName": cluster.name,
                    "Tags": json.dumps({"cluster": cluster.id}),
                }


def _row(cloud: Cloud, month: str, day: date) -> dict[str, str]:
    """What every charge of a bill says, whatever it is for."""
    days = days_of(month)
    return {
        "_day": day.isoformat(),
        "BillingAccountId": cloud.account,
        "BillingAccountName": "Yunqi Compute",
        "BillingCurrency": cloud.currency,
        "BillingPeriodStart": _instant(days[0], cloud.zone),
        "BillingPeriodEnd": _instant(days[-1] + timedelta(days=1), cloud.zone),
        "ChargePeriodStart": _instant(day, cloud.zone),
        "ChargePeriodEnd": _instant(day + timedelta(days=1), cloud.zone),
        "InvoiceId": f"{cloud.id.upper()}-{month}-001",
        "InvoiceIssuerName": cloud.name,
        "PricingCurrency": cloud.currency,
        "ProviderName": cloud.name,
        "PublisherName": cloud.name,
        "ServiceProviderName": cloud.name,
        "HostProviderName": cloud.name,
        "SubAccountType": "Account",
        "BillingAccountType": "Payer",
    }


def _instant(day: date, zone: timezone) -> str:
    moment = datetime(day.year, day.month, day.day, tzinfo=zone).astimezone(UTC)
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


assert MONTHS[0] == FIRST_DAY.strftime("%Y-%m")
