"""Who pays what, by which rule: direct, metered, idle, shared, unallocated.

The charges come with the rule that takes each (matched in SQL); here every
charge becomes parts, each with its tenant and the rule that placed it. The
parts of a charge equal it to the last stored digit, in its own currency.
Source: METRICS.md section 4.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from fractions import Fraction
from typing import Any

import polars as pl

from models.billing.idle import METERED, cluster_hours
from models.billing.rounding import (
    STORED_DIGITS,
    from_units,
    split_units,
    to_units,
    whole_weights,
)
from models.billing.rules import PLATFORM, POOL_PREFIX, UNALLOCATED, Rule, RuleProblem
from models.billing.shared import pool_order, pool_weights
from models.table import MONEY

DIRECT = "direct"
SHARED = "shared"
COLUMNS = ("direct", "metered", "idle", "shared")
"""How an amount reached its tenant; a tenant's total is their sum."""

NO_RULE = "no_rule"
NOT_MEASURED = "not_measured"
NO_TENANT = "no_tenant"

CHARGE = ("month", "currency", "rule", "rule_from", "cost")
"""What `allocate` needs of a charge; further columns are kept as they are."""


@dataclass(frozen=True)
class ClusterUse:
    """GPU-hours of one cluster in one month.

    capacity: owned; None where the cluster is not in the inventory.
    used, reserved: by tenant; `unallocated` for accounts of no tenant.
    measured: whether job accounting covers the month; without it nobody knows
        who used the cluster, and its cost stays unallocated.
    """

    capacity: Fraction | None = None
    used: Mapping[str, Fraction] = field(default_factory=dict)
    reserved: Mapping[str, Fraction] = field(default_factory=dict)
    measured: bool = True


@dataclass(frozen=True)
class _Part:
    tenant: str
    column: str
    rule: str | None
    reason: str | None
    units: int


def allocate(
    charges: pl.DataFrame,
    rules: Sequence[Rule],
    use: Mapping[tuple[str, str], ClusterUse],
    tenants: Iterable[str],
) -> pl.DataFrame:
    """The parts of every charge.

    charges: CHARGE columns and any labels; cost MONEY, null where the charge
        has none on this basis (such a charge has no part). rule and rule_from
        name a rule of `rules`, or are null where none matched.
    use: by (month, cluster).
    tenants: who shares an even pool.
    Returns the charges' labels with month, currency, tenant, column (one of
        COLUMNS), rule, reason, amount. Tenant `unallocated` carries the
        reason; under `direct` it holds what no rule took. Adds up to the
        charges exactly, by any of their columns.

    Raises RuleProblem when the pools of a month feed each other, disagree
    about their method, or name one that no rule fills.
    """
    named = {rule.key: rule for rule in rules}
    names = sorted(set(tenants))
    direct = _direct_cost(charges, named)
    books: dict[str, _Month] = {}
    rows: list[dict[str, Any]] = []
    labels = [column for column in charges.columns if column not in CHARGE]
    kept = ("month", "currency", *labels)
    for charge in charges.iter_rows(named=True):
        if charge["cost"] is None:
            continue
        month, currency = charge["month"], charge["currency"]
        book = books.get(month)
        if book is None:
            book = books[month] = _Month(month, rules, use, names)
        rule = named[charge["rule"], charge["rule_from"]] if charge["rule"] else None
        units = to_units(charge["cost"], STORED_DIGITS)
        placed = book.place(rule, units, currency, direct.get((month, currency), {}))
        base = {column: charge[column] for column in kept}
        rows.extend(
            {
                **base,
                "tenant": part.tenant,
                "column": part.column,
                "rule": part.rule,
                "reason": part.reason,
                "amount": from_units(part.units, STORED_DIGITS),
            }
            for part in placed
        )
    schema = {column: charges.schema[column] for column in kept} | {
        "tenant": pl.String(),
        "column": pl.String(),
        "rule": pl.String(),
        "reason": pl.String(),
        "amount": MONEY,
    }
    return pl.DataFrame(rows, schema=schema, orient="row")


class _Month:
    """The rules of one month, with each split's weights worked out once."""

    def __init__(
        self,
        month: str,
        rules: Sequence[Rule],
        use: Mapping[tuple[str, str], ClusterUse],
        tenants: Sequence[str],
    ) -> None:
        self._month = month
        self._use = use
        self._tenants = tenants
        valid = [rule for rule in rules if rule.step == SHARED and rule.holds_in(month)]
        self._order = pool_order(valid)
        self._pools = {str(rule.pool): rule for rule in reversed(valid)}
        for rule in valid:
            agreed = self._pools[str(rule.pool)]
            if (rule.method, rule.shares) != (agreed.method, agreed.shares):
                raise RuleProblem(
                    rule.name, "method", f'divides pool "{rule.pool}" otherwise than {agreed.name}'
                )
        self._hours: dict[tuple[str, date | None], dict[tuple[str, str], int] | None] = {}
        self._weights: dict[tuple[str, str], tuple[dict[str, int] | None, str | None]] = {}

    def place(
        self, rule: Rule | None, units: int, currency: str, direct: Mapping[str, Decimal]
    ) -> list[_Part]:
        """The parts of one charge that `rule` takes."""
        if rule is None:
            return [_Part(UNALLOCATED, DIRECT, None, NO_RULE, units)]
        if rule.step == DIRECT:
            return [_Part(str(rule.tenant), DIRECT, rule.name, None, units)]
        if rule.step == METERED:
            return self._metered(rule, units)
        return self._shared(rule, units, currency, direct)

    def _metered(self, rule: Rule, units: int) -> list[_Part]:
        if rule.key not in self._hours:
            self._hours[rule.key] = self._owners(rule)
        hours = self._hours[rule.key]
        if hours is None:
            return [_Part(UNALLOCATED, METERED, rule.name, NOT_MEASURED, units)]
        return [
            _Part(tenant, column, rule.name, NO_TENANT if tenant == UNALLOCATED else None, part)
            for (tenant, column), part in split_units(units, hours).items()
        ]

    def _owners(self, rule: Rule) -> dict[tuple[str, str], int] | None:
        use = self._use.get((self._month, str(rule.cluster)))
        if use is None or not use.measured:
            return None
        policy, platform = rule.idle_policy or PLATFORM, rule.tenant or PLATFORM
        return whole_weights(cluster_hours(use.capacity, use.used, use.reserved, policy, platform))

    def _shared(
        self, rule: Rule, units: int, currency: str, direct: Mapping[str, Decimal]
    ) -> list[_Part]:
        waiting = {str(rule.pool): units}
        placing = {str(rule.pool): rule.name}
        parts: list[_Part] = []
        for pool in self._order[self._order.index(str(rule.pool)) :]:
            amount = waiting.pop(pool, None)
            if amount is None:
                continue
            name = placing.get(pool, self._pools[pool].name)
            weights, reason = self._pool(pool, currency, direct)
            if weights is None:
                parts.append(_Part(UNALLOCATED, SHARED, name, reason, amount))
                continue
            for receiver, part in split_units(amount, weights).items():
                if receiver.startswith(POOL_PREFIX):
                    target = receiver.removeprefix(POOL_PREFIX)
                    waiting[target] = waiting.get(target, 0) + part
                else:
                    left = reason if receiver == UNALLOCATED else None
                    parts.append(_Part(receiver, SHARED, name, left, part))
        return parts

    def _pool(
        self, pool: str, currency: str, direct: Mapping[str, Decimal]
    ) -> tuple[dict[str, int] | None, str | None]:
        if (pool, currency) not in self._weights:
            self._weights[pool, currency] = pool_weights(self._pools[pool], direct, self._tenants)
        return self._weights[pool, currency]


def _direct_cost(
    charges: pl.DataFrame, named: Mapping[tuple[str, date | None], Rule]
) -> dict[tuple[str, str], dict[str, Decimal]]:
    """Direct cost by (month, currency), then tenant."""
    summed = (
        charges.filter(pl.col("rule").is_not_null() & pl.col("cost").is_not_null())
        .group_by("month", "currency", "rule", "rule_from")
        .agg(pl.col("cost").sum())
    )
    found: dict[tuple[str, str], dict[str, int]] = {}
    for row in summed.iter_rows(named=True):
        rule = named[row["rule"], row["rule_from"]]
        if rule.step == DIRECT:
            book = found.setdefault((row["month"], row["currency"]), {})
            units = to_units(row["cost"], STORED_DIGITS)
            book[str(rule.tenant)] = book.get(str(rule.tenant), 0) + units
    return {
        key: {tenant: from_units(units, STORED_DIGITS) for tenant, units in book.items()}
        for key, book in found.items()
    }
