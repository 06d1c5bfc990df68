"""A month charged back by project equals the journal that was published with its bills."""

import csv
from decimal import Decimal

import pytest

from metrics.cost_allocation import cost_allocation, reconciliation
from tests.lakes import facts_of, loaded, source
from tests.metrics.bills import rule, write_rows
from tests.real import real

FOLDER = "billing/hpc_chargeback_fictional"
BILLS = ("aws", "azure", "hpc", "it_storage", "storage")


@pytest.mark.golden
def test_projects_of_the_fictional_university_pay_what_its_journal_says(tmp_path):
    with real(f"{FOLDER}/expected_journal_2025-01.csv").open(encoding="utf-8-sig") as stream:
        journal = list(csv.DictReader(stream))
    expected: dict[str, Decimal] = {}
    for line in journal:
        project = line["ProjectID"]
        expected[project] = expected.get(project, Decimal(0)) + Decimal(line["Amount"])
    assert sum(expected.values()) == Decimal("20227.00")
    tables = tmp_path / "tables"
    write_rows(tables / "tenant.csv", [{"tenant": name, "name": name} for name in expected])
    write_rows(
        tables / "allocation_rule.csv",
        [
            rule(name, "direct", 1, "tag:project_id", operator="equals", value=name, tenant=name)
            for name in expected
        ],
    )
    blocks = source("tables", "reference", "tables/*.csv")
    for name in BILLS:
        blocks += source(name, "focus", real(f"{FOLDER}/{name}_2025-01.csv"))
    facts = facts_of(loaded(tmp_path, blocks))
    frame = cost_allocation(facts, "2025-01").frame
    found = {tenant: total for tenant, total in frame.select("tenant", "total").rows() if total}
    assert found == {name: amount for name, amount in expected.items() if amount}
    assert reconciliation(facts, "2025-01").frame["difference"].to_list() == [0]
