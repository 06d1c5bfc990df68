"""Who pays what, by which rule, and whether it equals the bill."""

import polars as pl

from metrics.allocation import Allocated, allocated
from metrics.answer import Answer, metric
from metrics.charges import BASES, cost_month, months_until
from metrics.facts import Facts
from models.billing.allocation import COLUMNS
from models.billing.publish import published
from models.billing.rules import UNALLOCATED
from models.billing.shared import method_of
from models.table import MONEY

TREND_MONTHS = 13
TABLES = ("cost_line", "allocation_rule", "tenant", "cluster", "quota", "job")
FORMULA = (
    "Each charge goes to the first rule that takes it: direct, then metered by GPU-hours with "
    "its idle policy, then shared pools; the rest stays unallocated. Exact to the last digit, "
    "then rounded to the cent by largest remainder so that rows and columns add up."
)
UNALLOCATED_NOTE = (
    "The row 'unallocated' shows under direct what no rule took, under metered and shared what "
    "a rule took but could not place."
)
PLATFORM_NOTE = "Idle cost under the policy 'platform' stays with the platform."
POOLS_NOTES = {
    "direct": "Shared pools are divided by the direct method: none feeds another.",
    "step-down": "Shared pools are divided step-down: each after every pool that feeds it.",
}
MISSING_COST_NOTE = "Some charges have no cost on this basis; they are left out, not counted as 0."


@metric("cost-allocation")
def cost_allocation(facts: Facts, month: str | None = None, basis: str = "billed") -> Answer:
    """Cost by tenant and how it got there, in minor units of each currency.

    month: the newest that has begun unless given. total = direct + metered +
    idle + shared in every row; the totals of a currency add up to its bill.
    extra["exact"]: the same before rounding; extra["totals"]: a row a currency.
    """
    book = _book(facts, month, basis)
    exact = _wide(book.parts.group_by("currency", "tenant", "column").agg(pl.col("amount").sum()))
    frame = _wide(published(book.parts, "tenant", "column"))
    totals = frame.group_by("currency").agg(pl.col(*COLUMNS, "total").sum()).sort("currency")
    return _answer(
        facts,
        book,
        _ordered(frame, basis),
        extra={"exact": _ordered(exact, basis), "totals": totals},
    )


@metric("cost-by-service", listed=False)
def cost_by_service(facts: Facts, month: str | None = None, basis: str = "billed") -> Answer:
    """Tenant by service: currency, tenant, provider, service, amount in minor units."""
    book = _book(facts, month, basis)
    return _answer(facts, book, published(book.parts, "tenant", "provider", "service"))


@metric("cost-by-rule", listed=False)
def cost_by_rule(facts: Facts, month: str | None = None, basis: str = "billed") -> Answer:
    """The rules in the order they are tried, with what each placed.

    Frame: order, rule, step, condition, to, owner, reason, valid_from,
    valid_to, currency, amount; a rule that placed nothing has amount null.
    Last the row without a rule, per currency: what nothing took.
    """
    book = _book(facts, month, basis)
    placed = published(book.parts.with_columns(pl.col("rule").fill_null("")), "rule")
    rules = pl.DataFrame(
        [
            {
                "order": order,
                "rule": rule.name,
                "step": rule.step,
                "condition": "; ".join(str(condition) for condition in rule.conditions),
                "to": rule.tenant or rule.cluster or rule.pool,
                "method": rule.idle_policy or rule.method,
                "owner": rule.owner,
                "reason": rule.reason,
                "valid_from": rule.valid_from,
                "valid_to": rule.valid_to,
            }
            for order, rule in enumerate(book.rules, start=1)
        ],
        schema={
            "order": pl.Int64,
            "rule": pl.String,
            "step": pl.String,
            "condition": pl.String,
            "to": pl.String,
            "method": pl.String,
            "owner": pl.String,
            "reason": pl.String,
            "valid_from": pl.Date,
            "valid_to": pl.Date,
        },
        orient="row",
    )
    left = placed.filter(pl.col("rule") == "").with_columns(rule=pl.lit(None, pl.String))
    frame = pl.concat([rules.join(placed, on="rule", how="left"), left], how="diagonal_relaxed")
    return _answer(facts, book, frame.sort("order", "currency", nulls_last=True))


@metric("cost-by-step", listed=False)
def cost_by_step(facts: Facts, month: str | None = None, basis: str = "billed") -> Answer:
    """How far each step got: currency, step, amount; steps in order, `unallocated` last."""
    book = _book(facts, month, basis)
    steps = book.parts.with_columns(
        step=pl.when(pl.col("tenant") == UNALLOCATED)
        .then(pl.lit(UNALLOCATED))
        .otherwise(pl.col("column"))
    )
    order = {name: place for place, name in enumerate((*COLUMNS, UNALLOCATED))}
    frame = published(steps, "step").sort(
        "currency", pl.col("step").replace_strict(order, return_dtype=pl.Int64)
    )
    return _answer(facts, book, frame)


@metric("cost-unallocated", listed=False)
def cost_unallocated(facts: Facts, month: str | None = None, basis: str = "billed") -> Answer:
    """The gaps: what stayed unallocated, largest first.

    Frame: currency, reason, rule, provider, sub_account, service,
    charge_category, amount.
    """
    book = _book(facts, month, basis)
    gaps = published(
        book.parts.filter(pl.col("tenant") == UNALLOCATED),
        "reason",
        "rule",
        "provider",
        "sub_account",
        "service",
        "charge_category",
    )
    return _answer(
        facts,
        book,
        gaps.filter(pl.col("amount") != 0).sort(pl.col("amount").abs(), descending=True),
    )


@metric("cost-detail", listed=False)
def cost_detail(facts: Facts, month: str | None = None, basis: str = "billed") -> Answer:
    """Every part in minor units, with the rule that placed it, for finance's workbook.

    Adds up to cost-allocation's cells: currency, tenant, column, provider,
    service, sub_account, charge_category, rule, reason, amount.
    """
    book = _book(facts, month, basis)
    frame = published(
        book.parts,
        "tenant",
        "column",
        "provider",
        "service",
        "sub_account",
        "charge_category",
        "rule",
        "reason",
    )
    return _answer(facts, book, frame)


@metric("cost-trend", listed=False)
def cost_trend(facts: Facts, month: str | None = None, basis: str = "billed") -> Answer:
    """Cost by tenant in the months up to `month`: month, currency, tenant, amount, idle, shared."""
    last = cost_month(facts, month)
    if last is None:
        return Answer(frame=pl.DataFrame(), formula=FORMULA, tables=TABLES)
    frames = [
        _wide(published(allocated(facts, name, basis).parts, "tenant", "column")).with_columns(
            month=pl.lit(name)
        )
        for name in months_until(facts, last, TREND_MONTHS)
    ]
    return _answer(facts, allocated(facts, last, basis), pl.concat(frames, how="vertical_relaxed"))


def reconciled(facts: Facts, month: str, basis: str) -> pl.DataFrame:
    """Bill and allocation by currency and provider: currency, provider, charges, ..., difference.

    bill comes from the raw rows, allocated from the parts, so a fault between
    them shows. difference = allocated - bill, exactly.
    """
    raw = facts.query("invoice_total", month=month, basis=basis).with_columns(
        pl.col("cost").cast(MONEY)
    )
    bill = raw.group_by("currency", "provider").agg(
        pl.col("cost").sum().alias("bill"),
        pl.col("charges").sum(),
        pl.col("charges_without_cost").sum(),
    )
    parts = allocated(facts, month, basis).parts
    found = parts.group_by("currency", "provider").agg(pl.col("amount").sum().alias("allocated"))
    both = bill.join(
        found, on=["currency", "provider"], how="full", coalesce=True, nulls_equal=True
    )
    return (
        both.with_columns(
            pl.col("bill", "allocated").fill_null(0).cast(MONEY),
            pl.col("charges", "charges_without_cost").fill_null(0),
        )
        .with_columns(difference=(pl.col("allocated") - pl.col("bill")).cast(MONEY))
        .sort("currency", "provider")
    )


@metric("reconciliation", listed=False)
def reconciliation(facts: Facts, month: str | None = None, basis: str = "billed") -> Answer:
    """Whether the parts equal the bill: a row a currency.

    Frame: currency, bill, allocated, difference (exact), unallocated,
    published (in minor units), rounding = published - bill, charges,
    charges_without_cost, agrees. extra["providers"]: the same by provider.
    extra["bases"]: currency, basis, total, difference from billed; total null
    where no charge has that cost.
    """
    book = _book(facts, month, basis)
    providers = reconciled(facts, book.month, basis)
    shown = published(book.parts, "tenant")
    totals = shown.group_by("currency").agg(
        pl.col("amount").sum().alias("published"),
        pl.col("amount").filter(pl.col("tenant") == UNALLOCATED).sum().alias("unallocated"),
    )
    frame = (
        providers.group_by("currency")
        .agg(
            pl.col("bill", "allocated", "difference").sum(),
            pl.col("charges", "charges_without_cost").sum(),
        )
        .join(totals, on="currency", how="left")
        .with_columns(
            rounding=(pl.col("published").cast(MONEY) - pl.col("bill")).cast(MONEY),
            agrees=pl.col("difference") == 0,
        )
        .sort("currency")
    )
    return _answer(
        facts, book, frame, extra={"providers": providers, "bases": _bases(facts, book.month)}
    )


def _bases(facts: Facts, month: str) -> pl.DataFrame:
    """The month's total on each basis, and how far it is from what was billed."""
    sums = facts.query("cost_total", month=month)
    totals = sums.group_by("currency").agg(
        pl.when(pl.col(f"{basis}_cost").is_not_null().any())
        .then(pl.col(f"{basis}_cost").sum())
        .cast(MONEY)
        .alias(basis)
        for basis in BASES
    )
    return (
        totals.unpivot(list(BASES), index="currency", variable_name="basis", value_name="total")
        .join(totals.select("currency", "billed"), on="currency")
        .with_columns(difference=(pl.col("total") - pl.col("billed")).cast(MONEY))
        .drop("billed")
        .sort("currency", pl.col("basis").replace_strict({b: i for i, b in enumerate(BASES)}))
    )


def _book(facts: Facts, month: str | None, basis: str) -> Allocated:
    # Without charges no month has any; every frame is then empty, columns and all.
    return allocated(facts, cost_month(facts, month) or "0001-01", basis)


def _wide(cells: pl.DataFrame) -> pl.DataFrame:
    """A row a tenant with a column for each way cost reached it; 0 where none did."""
    columns = [
        pl.col("amount").filter(pl.col("column") == name).sum().alias(name) for name in COLUMNS
    ]
    wide = cells.group_by("currency", "tenant", maintain_order=True).agg(
        *columns, pl.col("amount").sum().alias("total")
    )
    missing = [
        {"currency": currency, "tenant": UNALLOCATED}
        for currency in wide["currency"].unique().sort()
        if wide.filter(
            (pl.col("currency") == currency) & (pl.col("tenant") == UNALLOCATED)
        ).is_empty()
    ]
    if missing:
        blank = pl.DataFrame(missing).with_columns(
            pl.lit(0).cast(wide.schema[name]).alias(name) for name in (*COLUMNS, "total")
        )
        wide = pl.concat([wide, blank.select(wide.columns)])
    return wide


def _ordered(frame: pl.DataFrame, basis: str) -> pl.DataFrame:
    """By currency, tenants by name, the unallocated row last."""
    return (
        frame.with_columns(basis=pl.lit(basis))
        .sort("currency", pl.col("tenant") == UNALLOCATED, "tenant")
        .select("tenant", "currency", *COLUMNS, "total", "basis")
    )


def _answer(
    facts: Facts,
    book: Allocated,
    frame: pl.DataFrame,
    extra: dict[str, pl.DataFrame] | None = None,
) -> Answer:
    notes = [UNALLOCATED_NOTE]
    if any(rule.idle_policy == "platform" for rule in book.rules):
        notes.append(PLATFORM_NOTE)
    shared = [rule for rule in book.rules if rule.step == "shared"]
    if shared:
        notes.append(POOLS_NOTES[method_of(shared)])
    if not book.charges.filter(pl.col("charges_with_cost") < pl.col("charges")).is_empty():
        notes.append(MISSING_COST_NOTE)
    return Answer(
        frame=frame,
        formula=FORMULA,
        tables=TABLES,
        coverage_percent=_coverage(book),
        data_through=facts.data_through("cost_line"),
        notes=tuple(notes),
        extra=extra or {},
    )


def _coverage(book: Allocated) -> float | None:
    """Share of the cost above zero that some rule took; several currencies have no share.

    Of gross cost: over a net total near zero a share means nothing.
    """
    charges = book.charges.filter(pl.col("cost").is_not_null())
    if charges.is_empty() or charges["currency"].n_unique() > 1:
        return None
    gross = float(charges["gross_cost"].sum() or 0)
    if not gross:
        return None
    taken = float(charges.filter(pl.col("rule").is_not_null())["gross_cost"].sum() or 0)
    return 100 * taken / gross
