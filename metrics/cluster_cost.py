"""What each cluster cost in a month: the charges its metered rule takes."""

import polars as pl

from metrics.answer import CannotAnswer
from metrics.charges import cost_month, placed_charges, rules_of
from metrics.facts import Facts
from models.table import MONEY

_EMPTY = {"cluster": pl.String(), "currency": pl.String(), "cost": MONEY}


def cluster_month_cost(facts: Facts, month: str | None, basis: str = "effective") -> pl.DataFrame:
    """Cost by cluster and currency: cluster, currency, cost (exact).

    A cluster without a metered rule, or whose rule took no charge, is absent:
    its cost is unknown, not zero. Charges that a direct rule took are their
    tenant's, not the cluster's.
    """
    try:
        known = cost_month(facts, month)
    except CannotAnswer:
        known = None
    if known is None:
        return pl.DataFrame(schema=_EMPTY)
    clusters = pl.DataFrame(
        [
            {"rule": rule.name, "rule_from": rule.valid_from, "cluster": rule.cluster}
            for rule in rules_of(facts)
            if rule.step == "metered"
        ],
        schema={"rule": pl.String, "rule_from": pl.Date, "cluster": pl.String},
        orient="row",
    )
    return (
        placed_charges(facts, known, basis)
        .filter(pl.col("rule").is_not_null() & pl.col("cost").is_not_null())
        .join(clusters, on=["rule", "rule_from"], how="inner", nulls_equal=True, validate="m:1")
        .group_by("cluster", "currency")
        .agg(pl.col("cost").sum())
        .sort("cluster", "currency")
        .cast({"cost": MONEY})
    )
