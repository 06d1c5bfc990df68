"""Allocation: the cases of METRICS section 4, worked by hand, and its identities."""

from datetime import UTC, date, datetime
from decimal import Decimal
from fractions import Fraction
from zoneinfo import ZoneInfo

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from models.billing.allocation import ClusterUse, allocate
from models.billing.idle import cluster_hours, reserved_hours
from models.billing.publish import published
from models.billing.rules import UNALLOCATED, Rule, RuleProblem, read_rules, read_shares
from models.table import MONEY

MONTH = "2026-03"
TENANTS = ["a", "b", "c"]


def charges(*rows):
    """(service, currency, rule, cost) as charges of one month."""
    return pl.DataFrame(
        [
            {
                "month": MONTH,
                "currency": currency,
                "service": service,
                "rule": rule,
                "rule_from": None,
                "cost": None if cost is None else Decimal(cost),
            }
            for service, currency, rule, cost in rows
        ],
        schema={
            "month": pl.String,
            "currency": pl.String,
            "service": pl.String,
            "rule": pl.String,
            "rule_from": pl.Date,
            "cost": MONEY,
        },
        orient="row",
    )


def direct(tenant, name=None):
    return Rule(name or f"{tenant} direct", "direct", 1, tenant=tenant)


def by(parts, *columns):
    cents = published(parts, *columns)
    return {row[:-1] if len(columns) > 1 else row[0]: row[-1] for row in cents[:, 1:].iter_rows()}


def total(parts, **where):
    for column, value in where.items():
        parts = parts.filter(pl.col(column) == value)
    return sum((Fraction(value) for value in parts["amount"]), Fraction(0))


# A cluster of 5,760 GPU-h costs 10,000.00, so an hour is 1.7361...


@pytest.mark.parametrize(
    ("policy", "used", "expected"),
    [
        # 2,880 h = 5,000.00; 1,440 h = 2,500.00; idle 1,440 h = 2,500.00.
        (
            "platform",
            {"a": 2880, "b": 1440},
            {"a": "5000.00", "b": "2500.00", "platform": "2500.00"},
        ),
        # Idle in the ratio of use, 2 : 1.
        ("use", {"a": 2880, "b": 1440}, {"a": "6666.67", "b": "3333.33"}),
        # Each reserved 2,880 h: all idle hours are B's.
        ("quota", {"a": 2880, "b": 1440}, {"a": "5000.00", "b": "5000.00"}),
        # A borrowed 1,120 of B's hours: A pays its 4,000, B its 500 and the 1,260 left.
        ("quota", {"a": 4000, "b": 500}, {"a": "6944.44", "b": "3055.56"}),
    ],
)
def test_idle_cost_follows_the_policy(policy, used, expected):
    rule = Rule("cluster", "metered", 1, cluster="k", idle_policy=policy)
    use = ClusterUse(
        Fraction(5760),
        {tenant: Fraction(hours) for tenant, hours in used.items()},
        {"a": Fraction(2880), "b": Fraction(2880)},
    )
    parts = allocate(
        charges(("gpu", "USD", "cluster", "10000")), [rule], {(MONTH, "k"): use}, TENANTS
    )
    assert by(parts, "tenant") == {t: Decimal(amount) for t, amount in expected.items()}
    assert total(parts) == 10000


def test_hours_that_nobody_reserved_stay_with_the_platform():
    # Of 1,000 h, A reserved 300 and used 100: 200 idle hours are A's, 700 the platform's.
    hours = cluster_hours(
        Fraction(1000), {"a": Fraction(100)}, {"a": Fraction(300)}, "quota", "platform"
    )
    assert hours == {("a", "metered"): 100, ("a", "idle"): 200, ("platform", "idle"): 700}


def test_a_cluster_that_nobody_used_is_all_idle():
    for policy in ("platform", "use", "quota"):
        assert cluster_hours(Fraction(480), {}, {}, policy, "infra") == {("infra", "idle"): 480}


def test_more_use_than_inventory_leaves_nothing_idle():
    used = {"a": Fraction(30), "b": Fraction(10)}
    assert cluster_hours(Fraction(20), used, {}, "use", "p") == {
        ("a", "metered"): 30,
        ("b", "metered"): 10,
    }


def test_cost_of_an_unmeasured_cluster_is_unallocated_not_idle():
    rule = Rule("cluster", "metered", 1, cluster="k", idle_policy="platform")
    bill = charges(("gpu", "USD", "cluster", "10"))
    for use in ({}, {(MONTH, "k"): ClusterUse(Fraction(100), measured=False)}):
        part = allocate(bill, [rule], use, TENANTS).row(0, named=True)
        assert (part["tenant"], part["column"], part["reason"]) == (
            UNALLOCATED,
            "metered",
            "not_measured",
        )


def test_quota_counts_the_hours_of_its_validity_only():
    # March 2026 in New York has 743 hours: the clock jumps on the 8th.
    zone = ZoneInfo("America/New_York")
    start = datetime(2026, 3, 1, tzinfo=zone).astimezone(UTC)
    end = datetime(2026, 4, 1, tzinfo=zone).astimezone(UTC)
    quota = pl.DataFrame(
        {
            "tenant": ["a", "b"],
            "cluster": ["k", "k"],
            "gpus": [8.0, 4.0],
            "valid_from": [None, date(2026, 3, 30)],
            "valid_to": [None, None],
        }
    )
    assert reserved_hours(quota, start, end, zone) == {
        ("k", "a"): 8 * 743,
        ("k", "b"): 4 * 48,
    }


def shared(method, shares=(), pool="net", name="share net"):
    return Rule(name, "shared", 1, pool=pool, method=method, shares=tuple(shares))


def test_even_pool_is_shared_by_every_tenant():
    parts = allocate(
        charges(("net", "USD", "share net", "100")), [shared("even")], {}, ["c", "a", "b"]
    )
    assert by(parts, "tenant") == {
        "a": Decimal("33.34"),
        "b": Decimal("33.33"),
        "c": Decimal("33.33"),
    }


def test_proportional_pool_follows_direct_cost():
    bill = charges(
        ("x", "USD", "a direct", "70"),
        ("y", "USD", "b direct", "30"),
        ("net", "USD", "share net", "-10"),
    )
    parts = allocate(bill, [direct("a"), direct("b"), shared("proportional")], {}, TENANTS)
    assert by(parts, "tenant", "column") == {
        ("a", "direct"): Decimal("70.00"),
        ("a", "shared"): Decimal("-7.00"),
        ("b", "direct"): Decimal("30.00"),
        ("b", "shared"): Decimal("-3.00"),
    }


def test_pool_never_follows_direct_cost_of_another_currency():
    bill = charges(("x", "EUR", "a direct", "70"), ("net", "USD", "share net", "10"))
    parts = allocate(bill, [direct("a"), shared("proportional")], {}, TENANTS)
    left = parts.filter(pl.col("column") == "shared").row(0, named=True)
    assert (left["tenant"], left["reason"]) == (UNALLOCATED, "no_direct_cost")


def test_pool_stays_whole_where_a_direct_cost_is_negative():
    bill = charges(
        ("x", "USD", "a direct", "70"),
        ("y", "USD", "b direct", "-30"),
        ("net", "USD", "share net", "10"),
    )
    parts = allocate(bill, [direct("a"), direct("b"), shared("proportional")], {}, TENANTS)
    left = parts.filter(pl.col("column") == "shared").row(0, named=True)
    assert (left["tenant"], left["reason"]) == (UNALLOCATED, "negative_direct_cost")


def test_what_fixed_shares_leave_stays_unallocated():
    rule = shared("fixed", [("a", Fraction(1, 2)), ("b", Fraction(3, 10))])
    parts = allocate(charges(("net", "USD", "share net", "100")), [rule], {}, TENANTS)
    assert by(parts, "tenant") == {
        "a": Decimal("50.00"),
        "b": Decimal("30.00"),
        UNALLOCATED: Decimal("20.00"),
    }


def test_fixed_shares_above_one_are_refused():
    with pytest.raises(RuleProblem, match=r"add up to 1\.1"):
        read_shares("a=0.6;b=0.5", "net")


def test_pool_that_feeds_another_is_divided_first():
    # Half of network's 100 goes to support, whose 20 + 50 is then even over three.
    rules = [
        shared("fixed", [("a", Fraction(1, 2)), ("pool:support", Fraction(1, 2))]),
        shared("even", pool="support", name="share support"),
    ]
    bill = charges(("net", "USD", "share net", "100"), ("help", "USD", "share support", "20"))
    parts = allocate(bill, rules, {}, TENANTS)
    assert by(parts, "tenant") == {
        "a": Decimal("73.34"),
        "b": Decimal("23.33"),
        "c": Decimal("23.33"),
    }
    assert total(parts, rule="share support") == 70


def test_loop_among_pools_is_refused_with_its_members():
    rules = [
        shared("fixed", [("pool:y", Fraction(1))], pool="x", name="x"),
        shared("fixed", [("pool:x", Fraction(1))], pool="y", name="y"),
    ]
    with pytest.raises(RuleProblem, match="feed each other"):
        allocate(charges(("s", "USD", "x", "1")), rules, {}, TENANTS)


def test_what_no_rule_takes_is_shown_unallocated_and_a_missing_cost_is_no_part():
    parts = allocate(charges(("s", "USD", None, "5"), ("s", "USD", None, None)), [], {}, TENANTS)
    assert parts.select("tenant", "column", "rule", "reason").rows() == [
        (UNALLOCATED, "direct", None, "no_rule")
    ]


def test_accounts_without_a_tenant_leave_their_hours_unallocated():
    rule = Rule("cluster", "metered", 1, cluster="k", idle_policy="use")
    use = {(MONTH, "k"): ClusterUse(None, {"a": Fraction(3), UNALLOCATED: Fraction(1)})}
    parts = allocate(charges(("gpu", "USD", "cluster", "8")), [rule], use, TENANTS)
    assert by(parts, "tenant") == {"a": Decimal("6.00"), UNALLOCATED: Decimal("2.00")}


RULES = [
    direct("a"),
    direct("b"),
    Rule("cluster", "metered", 1, cluster="k", idle_policy="quota"),
    Rule("other cluster", "metered", 2, cluster="none", idle_policy="use"),
    shared("proportional"),
    shared("even", pool="space", name="share space"),
    shared(
        "fixed",
        [("a", Fraction(1, 3)), ("c", Fraction(1, 7)), ("pool:space", Fraction(1, 4))],
        pool="ops",
        name="share ops",
    ),
]


@settings(deadline=None, max_examples=80)
@given(
    bill=st.lists(
        st.tuples(
            st.sampled_from(["s1", "s2"]),
            st.sampled_from(["USD", "JPY"]),
            st.sampled_from([None, *(rule.name for rule in RULES)]),
            st.one_of(st.none(), st.just(Decimal(0)), st.decimals(-(10**9), 10**9, places=18)),
        ),
        max_size=12,
    ),
    used=st.dictionaries(st.sampled_from(TENANTS), st.fractions(0, 50), max_size=3),
    reserved=st.dictionaries(st.sampled_from(TENANTS), st.fractions(0, 50), max_size=3),
    capacity=st.one_of(st.none(), st.fractions(0, 100)),
)
def test_parts_equal_the_bill_by_service_and_currency(bill, used, reserved, capacity):
    frame = charges(*bill)
    parts = allocate(frame, RULES, {(MONTH, "k"): ClusterUse(capacity, used, reserved)}, TENANTS)
    for service in ("s1", "s2"):
        for currency in ("USD", "JPY"):
            billed = sum(
                (Fraction(row[3]) for row in bill if row[:2] == (service, currency) and row[3]),
                Fraction(0),
            )
            assert total(parts, service=service, currency=currency) == billed
    # Order of rows moves nothing, and every view equals the currency's rounded total.
    reverse = allocate(
        frame.reverse(), RULES, {(MONTH, "k"): ClusterUse(capacity, used, reserved)}, TENANTS
    )
    columns = ["tenant", "currency", "service", "column", "rule", "amount"]
    assert parts.select(columns).sort(columns).equals(reverse.select(columns).sort(columns))
    for levels in (("tenant",), ("tenant", "column"), ("rule",), ("tenant", "service")):
        cents = published(parts, *levels)
        for currency, digits in (("USD", 2), ("JPY", 0)):
            exact = total(parts, currency=currency)
            shown = total(cents, currency=currency)
            assert shown == Fraction(round(exact * 10**digits), 10**digits)


def test_published_cells_equal_their_tenants_figure():
    bill = charges(*[(f"s{i}", "USD", "share net", "0.335") for i in range(7)])
    parts = allocate(bill, [shared("even")], {}, TENANTS)
    tenants = by(parts, "tenant")
    cells = by(parts, "tenant", "service")
    for tenant, amount in tenants.items():
        assert sum(value for key, value in cells.items() if key[0] == tenant) == amount


def rule_frame(*rows):
    blank = dict.fromkeys(
        [
            "operator",
            "value",
            "tenant",
            "cluster",
            "metric",
            "idle_policy",
            "pool",
            "method",
            "shares",
            "owner",
            "reason",
            "valid_from",
            "valid_to",
        ]
    )
    return pl.DataFrame([blank | {"field": "any"} | row for row in rows])


def test_rows_of_one_name_are_conditions_of_one_rule():
    frame = rule_frame(
        {"rule": "r", "step": "direct", "priority": 1, "tenant": "a", "field": "tag:team"}
        | {"operator": "equals", "value": "x"},
        {"rule": "r", "step": "direct", "priority": 1, "field": "provider"}
        | {"operator": "equals", "value": "AWS"},
    )
    (rule,) = read_rules(frame)
    assert rule.tenant == "a"
    assert [str(condition) for condition in rule.conditions] == [
        "provider = AWS",
        "tag:team = x",
    ]


@pytest.mark.parametrize(
    ("row", "column"),
    [
        ({"step": "direct"}, "tenant"),
        ({"step": "metered"}, "cluster"),
        ({"step": "shared", "method": "even"}, "pool"),
        ({"step": "shared", "pool": "p"}, "method"),
        ({"step": "shared", "pool": "p", "method": "fixed"}, "shares"),
        ({"step": "direct", "tenant": "a", "field": "provider"}, "operator"),
        ({"step": "direct", "tenant": "unallocated"}, "tenant"),
    ],
)
def test_incomplete_rule_names_the_column_it_lacks(row, column):
    with pytest.raises(RuleProblem) as caught:
        read_rules(rule_frame({"rule": "r", "priority": 1} | row))
    assert caught.value.column == column


def test_rule_holds_for_months_that_begin_within_its_dates():
    rule = Rule("r", "direct", 1, valid_from=date(2026, 2, 1), valid_to=date(2026, 4, 1))
    assert [rule.holds_in(f"2026-0{m}") for m in (1, 2, 3, 4)] == [False, True, True, False]
