"""The query that matches rules agrees with a plain reading of them, charge by charge."""

import json
from datetime import date
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import duckdb
import polars as pl
from hypothesis import given, settings
from hypothesis import strategies as st

from models.reference import ALLOCATION_RULE
from models.table import MONEY

SQL = (Path(__file__).parents[2] / "metrics" / "sql" / "placed_charge.sql").read_text("utf-8")
MONTH = "2026-03"
STEPS = ("direct", "metered", "shared")
FIELDS = ("tag:team", "tag:a/b~c", "provider", "region_id", "sub_account_id", "any")
WORDS = ("x", "xy", "y", "", "é;")

word = st.sampled_from(WORDS)
maybe = st.none() | word
tags = (
    st.none()
    | st.just("not json")
    | st.dictionaries(st.sampled_from(["team", "a/b~c"]), word, max_size=2).map(json.dumps)
)
charge = st.fixed_dictionaries(
    {
        "provider": maybe,
        "region_id": maybe,
        "sub_account_id": maybe,
        "tags": tags,
        "allocated_tags": tags,
        "billed_cost": st.decimals(-1000, 1000, places=18),
    }
)
condition = st.tuples(
    st.sampled_from(FIELDS), st.sampled_from(["equals", "one_of", "starts_with"]), word
)
day = st.none() | st.sampled_from([date(2026, 2, 1), date(2026, 3, 1), date(2026, 4, 1)])
rule = st.fixed_dictionaries(
    {
        "step": st.sampled_from(STEPS),
        "priority": st.integers(1, 3),
        "valid_from": day,
        "valid_to": day,
        "conditions": st.lists(condition, min_size=1, max_size=3),
    }
)


@settings(deadline=None, max_examples=60)
@given(st.lists(charge, max_size=8), st.lists(rule, max_size=5))
def test_query_places_each_charge_as_the_rules_read(charges, rules):
    named = [{**one, "rule": f"r{place}"} for place, one in enumerate(rules)]
    expected: dict[str | None, Fraction] = {}
    for one in charges:
        name = taken_by(one, named)
        expected[name] = expected.get(name, Fraction(0)) + Fraction(one["billed_cost"])
    found: dict[str | None, Fraction] = {}
    for name, cost in placed(charges, named).select("rule", "cost").rows():
        found[name] = found.get(name, Fraction(0)) + Fraction(cost)
    assert found == expected


def taken_by(one, rules):
    """The first valid rule whose conditions all hold."""
    first = date(2026, 3, 1)
    for rule in sorted(rules, key=lambda r: (STEPS.index(r["step"]), r["priority"], r["rule"])):
        begun = rule["valid_from"] is None or rule["valid_from"] <= first
        over = rule["valid_to"] is not None and rule["valid_to"] <= first
        if begun and not over and all(holds(one, *said) for said in rule["conditions"]):
            return rule["rule"]
    return None


def holds(one, field, operator, value):
    if field == "any":
        return True
    found = tag(one, field[4:]) if field.startswith("tag:") else one[field]
    if found is None:
        return False
    if operator == "equals":
        return found == value
    if operator == "one_of":
        return found in [piece.strip() for piece in value.split(";")]
    return found.startswith(value)


def tag(one, key):
    for text in (one["tags"], one["allocated_tags"]):
        if text is not None and text != "not json" and key in json.loads(text):
            return json.loads(text)[key]
    return None


def placed(charges, rules):
    cursor = duckdb.connect()
    texts = ("provider", "region_id", "sub_account_id", "tags", "allocated_tags")
    others = ("charge_category", "sub_account_name", "service_category", "service_name")
    others += ("resource_id", "sku_id")
    costs = ("effective_cost", "list_cost", "contracted_cost")
    counts = ("charges", "charges_with_list_cost", "charges_with_contracted_cost")
    schema = (
        dict.fromkeys(("billing_month", "billing_currency", *texts, *others), pl.String)
        | dict.fromkeys(("billed_cost", *costs), MONEY)
        | dict.fromkeys(counts, pl.Int64)
    )
    rows = [
        dict.fromkeys(schema)
        | dict.fromkeys(costs, Decimal(0))
        | dict.fromkeys(counts, 1)
        | one
        | {"billing_month": MONTH, "billing_currency": "USD"}
        for one in charges
    ]
    cursor.register("charge_group", pl.DataFrame(rows, schema=schema, orient="row"))
    conditions = [
        dict.fromkeys(ALLOCATION_RULE.columns)
        | {key: one[key] for key in ("rule", "step", "priority", "valid_from", "valid_to")}
        | {"field": field, "operator": operator, "value": value}
        for one in rules
        for field, operator, value in one["conditions"]
    ]
    frame = pl.DataFrame(conditions, schema=ALLOCATION_RULE.columns, orient="row")
    cursor.register("allocation_rule", frame)
    return cursor.execute(SQL, {"basis": "billed", "month": MONTH}).pl()
