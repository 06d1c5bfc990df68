"""The allocation rules as people agreed them, read from the reference table.

A rule is a name, conditions that must all hold, what it does with the charges
it takes, an owner, a reason and dates of validity. Matching itself happens in
SQL over the raw charges; here is what a matched charge's rule then means.
"""

from dataclasses import dataclass
from datetime import date
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from typing import Any

import polars as pl

UNALLOCATED = "unallocated"
"""The row of what no rule placed; never a tenant's name."""

PLATFORM = "platform"
"""Who keeps idle cost under the policy `platform`, unless the rule names a tenant."""

POOL_PREFIX = "pool:"
"""A share such as "pool:network=0.2" passes that part on to another pool."""

STEP_ORDER = {"direct": 1, "metered": 2, "shared": 3}

ACTION_COLUMNS = (
    "step",
    "priority",
    "tenant",
    "cluster",
    "metric",
    "idle_policy",
    "pool",
    "method",
    "shares",
    "owner",
    "reason",
)
"""What a rule's rows must agree on; a row that leaves one blank takes the others'."""


class RuleProblem(Exception):
    """A rule that cannot be followed: which one, which column, why."""

    def __init__(self, rule: str, column: str, message: str) -> None:
        super().__init__(f'rule "{rule}", {column}: {message}')
        self.rule = rule
        self.column = column
        self.message = message


@dataclass(frozen=True)
class Condition:
    """One test of a charge: field, operator, value (several: ";")."""

    field: str
    operator: str | None
    value: str | None

    def __str__(self) -> str:
        """In signs that need no translation: tag:team = a, sku_id = x*, provider ∈ a; b."""
        if self.field == "any":
            return "*"
        if self.operator == "one_of":
            return f"{self.field} ∈ {self.value}"
        return f"{self.field} = {self.value}{'*' if self.operator == 'starts_with' else ''}"


@dataclass(frozen=True)
class Rule:
    """One agreed rule in one period of validity."""

    name: str
    step: str
    priority: int
    tenant: str | None = None
    cluster: str | None = None
    idle_policy: str | None = None
    pool: str | None = None
    method: str | None = None
    shares: tuple[tuple[str, Fraction], ...] = ()
    owner: str | None = None
    reason: str | None = None
    valid_from: date | None = None
    valid_to: date | None = None
    conditions: tuple[Condition, ...] = ()

    @property
    def key(self) -> tuple[str, date | None]:
        """What names it among the versions of the rule."""
        return self.name, self.valid_from

    def holds_in(self, month: str) -> bool:
        """Whether it is valid for the month "YYYY-MM": for its first day."""
        first = date.fromisoformat(f"{month}-01")
        return (self.valid_from is None or self.valid_from <= first) and (
            self.valid_to is None or first < self.valid_to
        )


def read_shares(text: str | None, rule: str) -> tuple[tuple[str, Fraction], ...]:
    """ "a=0.5;b=0.3" as exact shares; "a;b" as equal ones.

    Raises RuleProblem for a share that is no number, is negative or given
    twice, and for shares of more than 1 in all.
    """
    found: dict[str, Fraction] = {}
    for entry in filter(None, (piece.strip() for piece in (text or "").split(";"))):
        name, equals, amount = (piece.strip() for piece in entry.partition("="))
        if name in found:
            raise RuleProblem(rule, "shares", f'"{name}" is given twice')
        try:
            share = Fraction(Decimal(amount)) if equals else Fraction(1)
        except (InvalidOperation, ValueError, OverflowError):
            raise RuleProblem(
                rule, "shares", f'"{amount}" is not a share; write "{name}=0.25"'
            ) from None
        if share < 0:
            raise RuleProblem(rule, "shares", f'the share of "{name}" is negative')
        found[name] = share
    if "=" in (text or "") and sum(found.values()) > 1:
        total = Decimal(sum(found.values()).numerator) / sum(found.values()).denominator
        raise RuleProblem(
            rule, "shares", f"shares add up to {total.normalize():f}; at most 1 can be given away"
        )
    return tuple(sorted(found.items()))


def rule_of(rows: list[dict[str, Any]]) -> Rule:
    """The rule that rows of one name and validity say together.

    Raises RuleProblem when they disagree, or leave out what the step needs.
    """
    name = str(rows[0]["rule"])
    said: dict[str, Any] = {}
    for column in ACTION_COLUMNS:
        values = {row[column] for row in rows if row[column] is not None}
        if len(values) > 1:
            shown = ", ".join(sorted(str(value) for value in values))
            raise RuleProblem(name, column, f"its rows disagree ({shown})")
        said[column] = next(iter(values), None)
    rule = Rule(
        name=name,
        step=said["step"],
        priority=said["priority"],
        tenant=said["tenant"],
        cluster=said["cluster"],
        idle_policy=said["idle_policy"] or ("platform" if said["step"] == "metered" else None),
        pool=said["pool"],
        method=said["method"],
        shares=read_shares(said["shares"], name),
        owner=said["owner"],
        reason=said["reason"],
        valid_from=rows[0]["valid_from"],
        valid_to=rows[0]["valid_to"],
        conditions=tuple(
            sorted(
                {Condition(row["field"], row["operator"], row["value"]) for row in rows},
                key=lambda condition: str(condition),
            )
        ),
    )
    _check_complete(rule)
    return rule


def read_rules(frame: pl.DataFrame) -> tuple[Rule, ...]:
    """Every rule of the allocation_rule table, in the order they are tried.

    Raises RuleProblem for the first rule that cannot be followed.
    """
    versions: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    for row in frame.iter_rows(named=True):
        versions.setdefault((row["rule"], row["valid_from"], row["valid_to"]), []).append(row)
    rules = [rule_of(rows) for rows in versions.values()]
    return tuple(sorted(rules, key=lambda rule: (STEP_ORDER[rule.step], rule.priority, rule.name)))


def _check_complete(rule: Rule) -> None:
    needed = {
        "direct": {"tenant": rule.tenant},
        "metered": {"cluster": rule.cluster},
        "shared": {"pool": rule.pool, "method": rule.method},
    }[rule.step]
    for column, value in needed.items():
        if value is None:
            raise RuleProblem(rule.name, column, f"a {rule.step} rule must name one")
    if rule.method == "fixed" and not rule.shares:
        raise RuleProblem(rule.name, "shares", 'a fixed pool needs shares such as "a=0.5;b=0.3"')
    if UNALLOCATED in (rule.tenant, rule.pool) or UNALLOCATED in dict(rule.shares):
        raise RuleProblem(rule.name, "tenant", f'"{UNALLOCATED}" is what no rule places')
    for condition in rule.conditions:
        if condition.field == "any":
            continue
        if condition.operator is None:
            raise RuleProblem(rule.name, "operator", "a condition must say how to compare")
        if condition.value is None:
            raise RuleProblem(rule.name, "value", "a condition must say what to compare with")
