"""Charges of billing months with the rule that takes each, before they are split."""

from datetime import date
from functools import lru_cache

import polars as pl

from metrics.answer import CannotAnswer
from metrics.facts import Facts
from models.billing.rules import Rule, RuleProblem, read_rules
from models.reference import newest

BASES = ("billed", "effective", "list", "contracted")
"""What a cost may mean (FOCUS): the invoice, amortised, public price, agreed price."""

STARTED_MONTH = 10
"""A month counts as begun once it has a tenth of the charges of the fullest one.

Late rows of a period that has hardly begun would otherwise make it the month
that a page opens at.
"""


def check_basis(basis: str) -> str:
    """The basis, if there is such a one. Raises CannotAnswer naming those there are."""
    if basis not in BASES:
        raise CannotAnswer(f'"{basis}" is not a cost basis; use one of {", ".join(BASES)}.')
    return basis


def billed_months(facts: Facts) -> pl.DataFrame:
    """Months with charges: month, currency, billed_cost, effective_cost, charges."""
    return _billed(State(facts))


def cost_month(facts: Facts, month: str | None) -> str | None:
    """The billing month asked for, or the newest that has begun; None without charges.

    Raises CannotAnswer for a month without charges, naming the newest ones.
    """
    counted = (
        billed_months(facts).group_by("month").agg(pl.col("charges").sum()).sort("month").rows()
    )
    if month is None:
        fullest = max((charges for _, charges in counted), default=0)
        begun = [name for name, charges in counted if charges * STARTED_MONTH >= fullest]
        return begun[-1] if begun else None
    month = facts.month_name(month)
    known = [name for name, _ in counted]
    if known and month not in known:
        raise CannotAnswer(
            f"No charges are loaded for {month}. The newest months with charges are "
            f"{', '.join(known[-3:])}."
        )
    return month if known else None


def months_until(facts: Facts, month: str, count: int) -> list[str]:
    """The months with charges among the `count` that end with `month`, oldest first."""
    first = months_back(month, count - 1)
    found = billed_months(facts)["month"].unique().sort().to_list()
    return [name for name in found if first <= name <= month]


def months_back(month: str, count: int) -> str:
    """The month `count` months earlier."""
    first = date.fromisoformat(f"{month}-01")
    place = first.year * 12 + first.month - 1 - count
    return f"{place // 12:04d}-{place % 12 + 1:02d}"


def rules_of(facts: Facts) -> tuple[Rule, ...]:
    """The allocation rules, in the order they are tried.

    Raises CannotAnswer naming the rule that cannot be followed.
    """
    try:
        return read_rules(reference(facts, "allocation_rule"))
    except RuleProblem as problem:
        raise CannotAnswer(f"The allocation rules cannot be followed: {problem}.") from problem


def reference(facts: Facts, table: str) -> pl.DataFrame:
    """A reference table, one row a key (models/reference.newest), read once a state."""
    return _reference(State(facts), table)


def placed_charges(facts: Facts, month: str, basis: str) -> pl.DataFrame:
    """A month's charges by the first rule that takes them.

    Columns as metrics/sql/placed_charge.sql gives them; rule null where none
    does, cost null where no charge of the row has one on this basis.
    """
    return _placed(State(facts), month, check_basis(basis))


class State:
    """A key for what depends on the lake and finance's rules: same state, same figures.

    Pages open new Facts for every figure, and most figures of a month start
    from the same allocation.
    """

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        config = facts.config
        self._key = (
            config.file,
            facts.snapshot_id,
            facts.rules_version,
            config.timezone,
            config.currency,
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, State) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)


@lru_cache(maxsize=8)
def _billed(state: State) -> pl.DataFrame:
    return state.facts.query("billed_month")


@lru_cache(maxsize=32)
def _reference(state: State, table: str) -> pl.DataFrame:
    return newest(state.facts.table(table), table)


@lru_cache(maxsize=64)
def _placed(state: State, month: str, basis: str) -> pl.DataFrame:
    return state.facts.query("placed_charge", basis=basis, month=month)
