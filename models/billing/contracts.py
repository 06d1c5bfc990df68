"""What the lake knows about charges: FOCUS 1.4 Cost and Usage, in snake case.

Older exports are lifted to these names on reading (models/billing/focus.py).
Null means "the export does not say"; it is never read as zero.
"""

import pandera.polars as pa
import polars as pl

from models.billing.focus import COLUMNS, DECIMALS, INSTANTS, snake
from models.table import INSTANT, MONEY, Table

CHARGE_CATEGORIES = ("Usage", "Purchase", "Tax", "Credit", "Adjustment")

REQUIRED = (
    "BilledCost",
    "EffectiveCost",
    "BillingCurrency",
    "BillingPeriodStart",
    "BillingPeriodEnd",
    "ChargePeriodStart",
    "ChargePeriodEnd",
    "ChargeCategory",
)
"""Never null here. FOCUS makes more mandatory, but real exports leave out
ListCost, ContractedCost, accounts, providers and services; without these eight a
charge has no amount, no month or no meaning."""


def _column(name: str) -> pa.Column:
    nullable = name not in REQUIRED
    if name in DECIMALS:
        return pa.Column(MONEY, nullable=nullable)
    if name in INSTANTS:
        return pa.Column(INSTANT, nullable=nullable)
    checks = [pa.Check.isin(CHARGE_CATEGORIES)] if name == "ChargeCategory" else []
    return pa.Column(pl.String, checks, nullable=nullable)


COST_LINE = Table(
    name="cost_line",
    schema=pa.DataFrameSchema(
        {
            **{snake(name): _column(name) for name in COLUMNS},
            "focus_version": pa.Column(pl.String, nullable=False),
        },
        strict=True,
    ),
    replaces=(),
    # The start: a monthly charge that ends on 1 December says nothing of December.
    event_time="charge_period_start",
)
"""One charge, as its generator wrote it; nothing is corrected.

Costs, prices and quantities: exact decimals, costs in billing_currency, the
    pricing_currency_* ones in pricing_currency. Periods: half-open, UTC.
JSON columns (tags, sku_price_details, allocated_tags, allocated_method_details,
    contract_applied, commitment_program_eligibility_details): JSON text.
focus_version: the version the file's columns are of, before lifting.
event_time: a purchase or a tax may cover a time to come; usage cannot.
"""

TABLES: tuple[Table, ...] = (COST_LINE,)
