"""Cost allocation on a lake: rules matched in SQL, hours from job accounting."""

from decimal import Decimal

import polars as pl
import pytest

from metrics.answer import CannotAnswer
from metrics.charges import months_back, placed_charges
from metrics.cluster_cost import cluster_month_cost
from metrics.cost_allocation import (
    cost_allocation,
    cost_by_rule,
    cost_by_service,
    cost_by_step,
    cost_detail,
    cost_trend,
    cost_unallocated,
    reconciliation,
)
from metrics.facts import open_facts
from tests.lakes import facts_of, loaded, source
from tests.metrics.bills import charge, lake, rule
from tests.real import real

CLUSTER = "cluster,name,gpus,in_service_from\nk,K,8,2025-01-01\n"
# 8 GPUs x 744 h of March = 5,952 GPU-h; A holds all 8 for 372 h, B 4 for 372 h.
JOBS = (
    "JobID|Account|User|State|Submit|Start|End|ElapsedRaw|AllocTRES|Cluster\n"
    "1|team-a|u|COMPLETED|2026-03-01T00:00:00|2026-03-01T00:00:00|2026-03-16T12:00:00|1339200|"
    "gres/gpu=8|k\n"
    "2|team-b|u|COMPLETED|2026-03-16T12:00:00|2026-03-16T12:00:00|2026-04-01T00:00:00|1339200|"
    "gres/gpu=4|k\n"
)


def totals(answer, column="total"):
    return dict(answer.frame.select("tenant", column).rows())


def test_first_matching_rule_takes_the_charge(tmp_path):
    config = lake(
        tmp_path,
        [
            charge("10", Tags='{"team": "x", "k8s.io/owner": "b"}'),
            charge("20", Tags='{"team": "y"}', RegionId="cn-east"),
            charge("40", SubAccountName="Beta-1"),
            charge("80", ServiceName="Support"),
        ],
        [
            rule("x is A", "direct", 1, "tag:team", operator="equals", value="x", tenant="a"),
            rule(
                "owner",
                "direct",
                2,
                "tag:k8s.io/owner",
                operator="one_of",
                value="b; c",
                tenant="b",
            ),
            rule("y east", "direct", 3, "tag:team", operator="equals", value="y", tenant="b"),
            rule("y east", "direct", 3, "region_id", operator="starts_with", value="cn-"),
            rule("y", "direct", 4, "tag:team", operator="equals", value="y", tenant="a"),
            rule(
                "beta",
                "direct",
                5,
                "sub_account_name",
                operator="starts_with",
                value="Beta",
                tenant="b",
            ),
        ],
    )
    answer = cost_allocation(facts_of(config), "2026-03")
    assert answer.frame.columns == [
        "tenant",
        "currency",
        "direct",
        "metered",
        "idle",
        "shared",
        "total",
        "basis",
    ]
    assert totals(answer) == {
        "a": Decimal("10.00"),
        "b": Decimal("60.00"),
        "unallocated": Decimal("80.00"),
    }
    rules = cost_by_rule(facts_of(config), "2026-03").frame
    assert dict(rules.select("rule", "amount").rows()) == {
        "x is A": Decimal("10.00"),
        "owner": None,
        "y east": Decimal("20.00"),
        "y": None,
        "beta": Decimal("40.00"),
        None: Decimal("80.00"),
    }
    assert answer.coverage_percent == pytest.approx(100 * 70 / 150)


def test_rule_counts_only_in_months_it_is_valid_for(tmp_path):
    config = lake(
        tmp_path,
        [
            charge("1"),
            charge(
                "2",
                BillingPeriodStart="2026-04-01T00:00:00Z",
                BillingPeriodEnd="2026-05-01T00:00:00Z",
            ),
        ],
        [
            rule("old", "direct", 1, tenant="a", valid_to="2026-04-01"),
            rule("new", "direct", 2, tenant="b", valid_from="2026-04-01"),
        ],
    )
    facts = facts_of(config)
    assert totals(cost_allocation(facts, "2026-03"))["a"] == 1
    assert totals(cost_allocation(facts, "2026-04"))["b"] == 2


def test_metered_cluster_is_split_by_hours_and_the_platform_keeps_idle(tmp_path):
    config = lake(
        tmp_path,
        [charge("5952")],
        [rule("cluster k", "metered", 1, cluster="k", metric="gpu_hours", idle_policy="platform")],
        jobs=JOBS,
        cluster=CLUSTER,
    )
    answer = cost_allocation(facts_of(config), "2026-03")
    rows = {row["tenant"]: row for row in answer.frame.iter_rows(named=True)}
    assert rows["a"]["metered"] == Decimal("2976.00")
    assert rows["b"]["metered"] == Decimal("1488.00")
    assert rows["platform"]["idle"] == Decimal("1488.00")
    assert rows["unallocated"]["total"] == 0
    cost = cluster_month_cost(facts_of(config), "2026-03")
    assert cost.rows() == [("k", "USD", Decimal(5952))]


def test_idle_by_quota_counts_who_reserved_and_did_not_use(tmp_path):
    # A reserved 2 x 744 = 1,488 h and used 2,976; B reserved 6 x 744 and used 1,488.
    config = lake(
        tmp_path,
        [charge("5952")],
        [rule("cluster k", "metered", 1, cluster="k", metric="gpu_hours", idle_policy="quota")],
        jobs=JOBS,
        cluster=CLUSTER,
        quota="tenant,cluster,gpus\na,k,2\nb,k,6\n",
    )
    assert totals(cost_allocation(facts_of(config), "2026-03")) == {
        "a": Decimal("2976.00"),
        "b": Decimal("2976.00"),
        "unallocated": Decimal("0.00"),
    }


def test_cluster_without_job_accounting_stays_unallocated(tmp_path):
    config = lake(
        tmp_path,
        [charge("100")],
        [rule("cluster k", "metered", 1, cluster="k", metric="gpu_hours", idle_policy="use")],
        cluster=CLUSTER,
    )
    facts = facts_of(config)
    assert totals(cost_allocation(facts, "2026-03"), "metered") == {"unallocated": Decimal(100)}
    assert cost_unallocated(facts, "2026-03").frame["reason"].to_list() == ["not_measured"]


def test_shared_pool_is_in_its_own_column_and_step(tmp_path):
    config = lake(
        tmp_path,
        [charge("100.00", ServiceName="Support"), charge("-30")],
        [
            rule("support", "shared", 1, "service_name", operator="equals", value="Support",
                 pool="support", method="fixed", shares="a=0.5;b=0.25"),
            rule("rest", "direct", 1, "service_name", operator="equals", value="GPU cluster",
                 tenant="a"),
        ],
    )  # fmt: skip
    facts = facts_of(config)
    assert totals(cost_allocation(facts, "2026-03"), "shared") == {
        "a": Decimal(50),
        "b": Decimal(25),
        "unallocated": Decimal(25),
    }
    steps = cost_by_step(facts, "2026-03").frame
    assert steps.select("step", "amount").rows() == [
        ("direct", Decimal(-30)),
        ("shared", Decimal(75)),
        ("unallocated", Decimal(25)),
    ]


def test_views_add_up_to_the_same_cent_and_the_bill_exactly(tmp_path):
    config = lake(
        tmp_path,
        [charge(f"{i}.0049{i}", ServiceName=f"S{i % 4}") for i in range(1, 12)]
        + [charge("77.7", BillingCurrency="JPY")],
        [
            rule("even", "shared", 1, "service_name", operator="one_of", value="S1;S2;GPU cluster",
                 pool="p", method="even"),
            rule("s3", "direct", 1, "service_name", operator="equals", value="S3", tenant="b"),
        ],
    )  # fmt: skip
    facts = facts_of(config)
    allocation = cost_allocation(facts, "2026-03").frame
    expected = dict(allocation.group_by("currency").agg(pl.col("total").sum()).rows())
    # The bill: sum of i.0049i for 1..11 is 66 + 0.0490 x ... to the cent, worked by Decimal.
    exact = sum(Decimal(f"{i}.0049{i}") for i in range(1, 12))
    assert expected == {"USD": round(exact, 2), "JPY": Decimal(78)}
    for answer in (cost_by_service, cost_by_rule, cost_by_step, cost_detail):
        frame = answer(facts, "2026-03").frame.filter(pl.col("amount").is_not_null())
        assert dict(frame.group_by("currency").agg(pl.col("amount").sum()).rows()) == expected
    check = reconciliation(facts, "2026-03").frame
    assert check["difference"].to_list() == [0, 0]
    assert check["agrees"].to_list() == [True, True]
    cells = (
        cost_detail(facts, "2026-03")
        .frame.group_by("currency", "tenant", "column")
        .agg(pl.col("amount").sum())
    )
    for currency, tenant, column, amount in cells.rows():
        row = allocation.filter(
            (pl.col("currency") == currency) & (pl.col("tenant") == tenant)
        ).row(0, named=True)
        assert row[column] == amount


def test_basis_chooses_the_cost_and_a_missing_one_is_left_out(tmp_path):
    config = lake(
        tmp_path,
        [charge("10", ListCost="12", ContractedCost=""), charge("5", ListCost="6")],
        [rule("all", "direct", 1, tenant="a")],
    )
    facts = facts_of(config)
    assert totals(cost_allocation(facts, "2026-03", "list"))["a"] == 18
    contracted = cost_allocation(facts, "2026-03", "contracted")
    assert totals(contracted)["a"] == 5
    assert any("no cost on this basis" in note for note in contracted.notes)
    with pytest.raises(CannotAnswer, match="effective"):
        cost_allocation(facts, "2026-03", "amortised")


def test_month_without_charges_names_those_with(tmp_path):
    facts = facts_of(lake(tmp_path, [charge("1")]))
    with pytest.raises(CannotAnswer, match="2026-03"):
        cost_allocation(facts, "2025-01")


def test_pools_that_feed_each_other_are_reported_not_guessed(tmp_path):
    config = lake(
        tmp_path,
        [charge("1")],
        [
            rule("x", "shared", 1, pool="x", method="fixed", shares="pool:y=1"),
            rule("y", "shared", 2, pool="y", method="fixed", shares="pool:x=1"),
        ],
    )
    with pytest.raises(CannotAnswer, match="feed each other"):
        cost_allocation(facts_of(config), "2026-03")


def test_lake_without_bills_answers_with_nothing(tmp_path):
    (tmp_path / "tenant.csv").write_text("tenant,name\na,A\n")
    facts = facts_of(loaded(tmp_path, source("tables", "reference", "tenant.csv")))
    assert cost_allocation(facts).frame.is_empty()
    assert cost_by_service(facts).frame.is_empty()
    assert cost_trend(facts).frame.is_empty()
    assert reconciliation(facts).frame.is_empty()
    assert cluster_month_cost(facts, None).is_empty()


def test_months_are_counted_back_across_years():
    assert months_back("2026-03", 12) == "2025-03"
    assert months_back("2026-01", 1) == "2025-12"


@pytest.mark.golden
def test_real_sample_splits_by_tag_as_published(tmp_path):
    # SOURCES.md and reference case 8: PeoriaData 176 rows, 340 rows without the tag.
    config = (
        loaded(
            tmp_path,
            source("bills", "focus", real("billing/focus_1_0_sample_1000.csv"))
            + source("tables", "reference", "*.csv"),
        )
        if _write_peoria(tmp_path)
        else None
    )
    facts = open_facts(config)
    charges = pl.concat(
        [placed_charges(facts, month, "billed") for month in ("2024-09", "2024-10")]
    )
    by_rule = dict(charges.group_by("rule").agg(pl.col("cost").sum()).rows())
    assert by_rule["peoria"] == Decimal("15.958099318200")
    rows = dict(charges.group_by("rule").agg(pl.col("charges").sum()).rows())
    assert rows["peoria"] == 176
    assert sum(by_rule.values()) == Decimal("20.520226728990")
    effective = pl.concat(
        [placed_charges(facts, month, "effective") for month in ("2024-09", "2024-10")]
    )
    assert dict(effective.group_by("rule").agg(pl.col("cost").sum()).rows())["peoria"] == 16
    answer = cost_allocation(facts)
    assert answer.frame["total"].sum() == Decimal("20.28")
    check = reconciliation(facts)
    assert check.frame["difference"].to_list() == [0]
    # The publisher rounded EffectiveCost of AWS to whole units: shown, not corrected.
    bases = dict(check.extra["bases"].select("basis", "difference").rows())
    assert bases["effective"] == Decimal("14.976514185860") - Decimal("20.280226728990")


def _write_peoria(folder):
    (folder / "tenant.csv").write_text("tenant,name\npeoria,Peoria\n")
    (folder / "rules.csv").write_text(
        "rule,step,priority,field,operator,value,tenant\n"
        "peoria,direct,1,tag:business_unit,equals,PeoriaData,peoria\n"
    )
    return True
