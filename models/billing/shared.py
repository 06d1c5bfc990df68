"""How shared pools are divided, and in which order when one feeds another."""

from collections.abc import Iterable, Mapping
from decimal import Decimal
from fractions import Fraction
from graphlib import CycleError, TopologicalSorter

from models.billing.rounding import NegativeWeight, whole_weights
from models.billing.rules import POOL_PREFIX, UNALLOCATED, Rule, RuleProblem

NO_DIRECT_COST = "no_direct_cost"
NEGATIVE_DIRECT_COST = "negative_direct_cost"
SHARES_LEFT = "shares_left"
NO_TENANTS = "no_tenants"


def pool_weights(
    rule: Rule, direct: Mapping[str, Decimal], tenants: Iterable[str]
) -> tuple[dict[str, int] | None, str | None]:
    """Whole weights by receiver, and why some or all of the pool stays put.

    direct: direct cost by tenant, of the pool's own currency and month.
    tenants: who shares an `even` pool that lists nobody.
    A receiver is a tenant, "pool:NAME", or `unallocated` for what fixed shares
    leave. No weights: the pool stays whole and unallocated, for the reason
    given. Proportional to a negative direct cost has no meaning, so such a
    pool stays too.
    """
    if rule.method == "fixed":
        given: dict[str, Fraction] = dict(rule.shares)
        left = 1 - sum(given.values())
        if left > 0:
            given[UNALLOCATED] = Fraction(left)
        return whole_weights(given), SHARES_LEFT if left > 0 else None
    if rule.method == "even":
        names = [name for name, _ in rule.shares] or list(tenants)
        return whole_weights(dict.fromkeys(names, 1)), None if names else NO_TENANTS
    try:
        weights = whole_weights(direct)
    except NegativeWeight:
        return None, NEGATIVE_DIRECT_COST
    return weights, None if weights else NO_DIRECT_COST


def pool_order(rules: Iterable[Rule]) -> list[str]:
    """Pools so that each comes after every pool that feeds it.

    Raises RuleProblem naming the members of a loop: which pool goes first
    would move money, so the order must be agreed, not found.
    """
    feeds: dict[str, set[str]] = {}
    rules = [rule for rule in rules if rule.pool is not None]
    for rule in rules:
        feeds.setdefault(str(rule.pool), set())
    for rule in rules:
        for receiver, _ in rule.shares:
            if receiver.startswith(POOL_PREFIX):
                target = receiver.removeprefix(POOL_PREFIX)
                if target not in feeds:
                    raise RuleProblem(rule.name, "shares", f'no rule fills the pool "{target}"')
                feeds[target].add(str(rule.pool))
    try:
        return list(
            TopologicalSorter({pool: sorted(feeds[pool]) for pool in sorted(feeds)}).static_order()
        )
    except CycleError as error:
        loop = " -> ".join(error.args[1])
        member = next(rule for rule in rules if rule.pool == error.args[1][0])
        raise RuleProblem(member.name, "shares", f"the pools feed each other: {loop}") from None


def method_of(rules: Iterable[Rule]) -> str:
    """The name of the method: `step-down` where a pool feeds another, else `direct`."""
    fed = any(name.startswith(POOL_PREFIX) for rule in rules for name, _ in rule.shares)
    return "step-down" if fed else "direct"
