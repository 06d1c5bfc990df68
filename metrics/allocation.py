"""The allocation of billing months, worked out once for every figure that shows it."""

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import polars as pl

from metrics.answer import CannotAnswer
from metrics.charges import check_basis, placed_charges, rules_of
from metrics.facts import Facts
from metrics.gpu_hours import gpu_hours_by_tenant, owned_gpu_hours, period
from models.billing.allocation import ClusterUse, allocate
from models.billing.idle import reserved_hours
from models.billing.rules import UNALLOCATED, Rule, RuleProblem
from models.reference import newest
from models.table import MONEY

_LABELS = ("provider", "sub_account", "service_category", "service")


@dataclass(frozen=True)
class Allocated:
    """Charges of some months and their parts.

    charges: as metrics/sql/placed_charge.sql gives them.
    parts: month, currency, provider, sub_account, service_category, service,
        tenant, column, rule, reason, amount (models/billing/allocation).
    rules: in the order they are tried. tenants: the tenant table, a row each.
    """

    charges: pl.DataFrame
    parts: pl.DataFrame
    rules: tuple[Rule, ...]
    tenants: pl.DataFrame


def allocated(facts: Facts, first_month: str, last_month: str, basis: str) -> Allocated:
    """Every charge of the months by tenant, exact and in its own currency.

    Raises CannotAnswer for an unknown basis or rules that cannot be followed.
    """
    return _allocated(facts, first_month, last_month, check_basis(basis))


@lru_cache(maxsize=16)
def _allocated(facts: Facts, first_month: str, last_month: str, basis: str) -> Allocated:
    rules = rules_of(facts)
    charges = placed_charges(facts, first_month, last_month, basis)
    tenants = newest(facts.table("tenant"), "tenant")
    months = charges["month"].unique().sort().to_list()
    metered = sorted({rule.cluster for rule in rules if rule.step == "metered" and rule.cluster})
    use = {key: one for month in months for key, one in _use(facts, month, metered).items()}
    try:
        parts = allocate(
            charges.select(
                "month", "currency", *_LABELS, "rule", "rule_from", pl.col("cost").cast(MONEY)
            ),
            rules,
            use,
            tenants["tenant"].to_list(),
        )
    except RuleProblem as problem:
        raise CannotAnswer(f"The allocation rules cannot be followed: {problem}.") from problem
    return Allocated(charges, parts, rules, tenants)


def _use(facts: Facts, month: str, clusters: list[str]) -> dict[tuple[str, str], ClusterUse]:
    """GPU-hours of the metered clusters in a month."""
    if not clusters:
        return {}
    within = period(facts, month)
    start, end = within.start, within.end
    used = gpu_hours_by_tenant(facts, month)
    owned = dict(owned_gpu_hours(facts, month).select("cluster", "gpu_hours").rows())
    reserved = reserved_hours(newest(facts.table("quota"), "quota"), start, end, facts.zone)
    spans = {name: (first, last) for name, first, last in facts.query("metered_span").rows()}
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
            measured=first is not None and first < end and last > start,
        )
    return found
