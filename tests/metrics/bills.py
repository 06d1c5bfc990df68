"""Small bills and reference tables of a test's own, in the formats people have."""

import csv
from pathlib import Path

from config import Config
from tests.lakes import loaded, source

BILL = {
    "BillingAccountId": "acc",
    "BillingAccountName": "Account",
    "BillingCurrency": "USD",
    "BillingPeriodStart": "2026-03-01T00:00:00Z",
    "BillingPeriodEnd": "2026-04-01T00:00:00Z",
    "ChargePeriodStart": "2026-03-01T00:00:00Z",
    "ChargePeriodEnd": "2026-03-02T00:00:00Z",
    "ChargeCategory": "Usage",
    "ChargeClass": "",
    "ProviderName": "Yunqi DC",
    "PublisherName": "Yunqi DC",
    "InvoiceIssuerName": "Yunqi DC",
    "ServiceName": "GPU cluster",
    "ServiceCategory": "Compute",
    "SubAccountId": "",
    "SubAccountName": "",
    "ResourceId": "",
    "RegionId": "",
    "SkuId": "",
    "Tags": "",
    "CommitmentDiscountId": "",
    "CommitmentDiscountName": "",
    "CommitmentDiscountStatus": "",
    "CommitmentDiscountType": "",
}
RULE = (
    "rule",
    "step",
    "priority",
    "field",
    "operator",
    "value",
    "tenant",
    "cluster",
    "metric",
    "idle_policy",
    "pool",
    "method",
    "shares",
    "valid_from",
    "valid_to",
)
TENANTS = "tenant,name,name_zh,slurm_accounts\na,Team A,甲,team-a\nb,Team B,乙,team-b\n"


def charge(cost, **columns):
    """One FOCUS row; billed, effective, list and contracted are `cost` unless said."""
    costs = dict.fromkeys(("BilledCost", "EffectiveCost", "ListCost", "ContractedCost"), cost)
    return BILL | costs | columns


def write_rows(path: Path, rows):
    """Rows of one set of columns as a CSV file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.DictWriter(stream, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path


def rule(name, step, priority=1, field="any", **columns):
    """One row of the allocation_rule table."""
    row = dict.fromkeys(RULE, "")
    return row | {"rule": name, "step": step, "priority": priority, "field": field} | columns


def lake(folder: Path, charges, rules=(), tenants=TENANTS, jobs=None, **tables) -> Config:
    """A lake with the charges, rules and further reference tables (name=text)."""
    write_rows(folder / "bills.csv", charges)
    reference = folder / "reference"
    reference.mkdir()
    (reference / "tenant.csv").write_text(tenants, encoding="utf-8")
    if rules:
        write_rows(reference / "allocation_rule.csv", list(rules))
    for name, text in tables.items():
        (reference / f"{name}.csv").write_text(text, encoding="utf-8")
    sources = source("bills", "focus", "bills.csv") + source("tables", "reference", "reference/*")
    if jobs:
        (folder / "sacct.txt").write_text(jobs, encoding="utf-8")
        sources += source("jobs", "slurm", "sacct.txt", cluster="k")
    return loaded(folder, sources)
