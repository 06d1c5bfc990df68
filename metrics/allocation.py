"""The allocation of billing months, worked out once for every figure that shows it."""

from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction
from functools import lru_cache

import polars as pl

from metrics.answer import CannotAnswer
from metrics.charges import State, check_basis, placed_charges, reference, rules_of
from metrics.facts import Facts
from metrics.gpu_hours import gpu_hours_by_tenant, owned_gpu_hours, period
from models.billing.allocation import ClusterUse, allocate
from models.billing.idle import reserved_hours
from models.billing.rules import UNALLOCATED, Rule, RuleProblem
from models.table import MONEY

_LABELS = ("provider", "charge_category", "sub_account", "service_category", "service")


@dataclass(frozen=True)
class Allocated:
    """A month's charges and their parts.

    charges: as metrics/sql/placed_charge.sql gives them.
    parts: month, currency, provider, charge_category, sub_account,
        service_category, service, tenant, column, rule, reason, amount (models/billing/allocation).
    rules: valid in the month, in the order they are tried.
    """

    month: str
    charges: pl.DataFrame
    parts: pl.DataFrame
    rules: tuple[Rule, ...]


def allocated(facts: Facts, month: str, basis: str) -> Allocated:
    """Every charge of the month by tenant, exact and in its own currency.

    Raises CannotAnswer for an unknown basis or rules that cannot be followed.
    """
    return _allocated(State(facts), month, check_basis(basis))


@lru_cache(maxsize=64)
def _allocated(state: State, month: str, basis: str) -> Allocated:
    facts = state.facts
    rules = rules_of(facts)
    charges = placed_charges(facts, month, basis)
    metered = sorted(
        {rule.cluster for rule in rules if rule.cluster and rule.holds_in(month)}
        if not charges.is_empty()
        else set()
    )
    try:
        parts = allocate(
            charges.select(
                "month", "currency", *_LABELS, "rule", "rule_from", pl.col("cost").cast(MONEY)
            ),
            rules,
            _use(state, month, tuple(metered)),
            reference(facts, "tenant")["tenant"].to_list(),
        )
    except RuleProblem as problem:
        raise CannotAnswer(f"The allocation rules cannot be followed: {problem}.") from problem
    return Allocated(month, charges, parts, tuple(r for r in rules if r.holds_in(month)))


@lru_cache(maxsize=64)
def _use(state: State, month: str, clusters: tuple[str, ...]) -> dict[tuple[str, str], ClusterUse]:
    """GPU-hours of the metered clusters in a month, the same on every basis."""
    facts = state.facts
    if not clusters:
        return {}
    within = period(facts, month)
    start, end = within.start, within.end
    used = gpu_hours_by_tenant(facts, month)
    owned = dict(owned_gpu_hours(facts, month).select("cluster", "gpu_hours").rows())
    reserved = reserved_hours(reference(facts, "quota"), start, end, facts.zone)
    spans = _spans(state)
    found: dict[tuple[str, str], ClusterUse] = {}
    for cluster in clusters:
        first, last = spans.get(cluster, (None, None))
        by_tenant: dict[str, Fraction] = {}
        rows = used.filter(pl.col("cluster") == cluster).select("tenant", "gpu_hours").rows()
        for tenant, hours in rows:
            name = tenant or UNALLOCATED
            by_tenant[name] = by_tenant.get(name, Fraction(0)) + Fraction(hours or 0)
        capacity = owned.get(cluster)
        found[month, cluster] = ClusterUse(
            None if capacity is None else Fraction(capacity),
            by_tenant,
            {tenant: hours for (name, tenant), hours in reserved.items() if name == cluster},
            measured=first is not None and last is not None and first < end and last > start,
        )
    return found


@lru_cache(maxsize=8)
def _spans(state: State) -> dict[str, tuple[datetime, datetime]]:
    rows = state.facts.query("metered_span").rows()
    return {cluster: (first, last) for cluster, first, last in rows}
