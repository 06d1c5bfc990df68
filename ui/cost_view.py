"""Words and tiles of the cost page: figures of metrics put as people read them."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

import polars as pl

from metrics.answer import Answer
from models.billing.rounding import minor_digits
from models.billing.rules import PLATFORM, UNALLOCATED
from ui.format import money, money_short, month, number, percent, signed
from ui.i18n import in_language, sentences, t
from ui.markup import plain
from ui.tables import Column
from ui.tiles import Tile

BASES = {
    "billed": "Billed cost",
    "effective": "Effective cost",
    "list": "List cost",
    "contracted": "Contracted cost",
}
BASIS_HINT = (
    "Billed: what the invoice says. Effective: commitments spread over their use. "
    "List: public price. Contracted: agreed price."
)
REASONS = {
    "no_rule": "No rule takes it",
    "not_measured": "The cluster's use is not measured",
    "no_tenant": "Jobs of accounts without a tenant",
    "no_direct_cost": "No direct cost to follow",
    "negative_direct_cost": "A tenant's direct cost is negative",
    "shares_left": "Left by fixed shares",
    "no_tenants": "No tenants",
}
CATEGORIES = {
    "Usage": "Usage",
    "Purchase": "Purchase",
    "Tax": "Tax",
    "Credit": "Credit",
    "Adjustment": "Adjustment",
}
STATUSES = {
    "over": "▲ over budget",
    "watch": "● on course to exceed",
    "within": "■ within budget",
    "no_budget": "○ no budget",
    "forgotten": "▲ forgotten",
    "part_used": "● used in part",
    "full": "■ fully used",
    "no_cost": "○ costs nothing",
}

NAMED = 3
"""Tenants that the headline names; the rest it counts."""

STEP_NAMES = {"direct": "Direct", "metered": "Metered", "shared": "Shared"}
METHODS = {
    "platform": "idle stays with the platform",
    "use": "idle by use",
    "quota": "idle by quota",
    "proportional": "in proportion to direct cost",
    "even": "evenly",
    "fixed": "fixed shares",
}


def tenant_names(frame: pl.DataFrame) -> dict[str, str]:
    """Every tenant's name in the reader's language, with the rows that are no tenant."""
    names = {
        row["tenant"]: in_language(row["name"], row["name_zh"])
        for row in frame.iter_rows(named=True)
    }
    return {PLATFORM: t("Platform"), UNALLOCATED: t("Unallocated")} | names


def of_currency(answer: Answer | None, currency: str, *, idle: bool = False) -> pl.DataFrame:
    """The rows of one currency; currencies are never drawn together.

    idle: with rows of no currency, such as rules that placed nothing.
    """
    if answer is None or "currency" not in answer.frame.columns:
        return pl.DataFrame()
    ours = pl.col("currency") == currency
    return answer.frame.filter(ours | pl.col("currency").is_null() if idle else ours)


def amount(label: str, currency: str) -> Column:
    """A column of money; accountants' format shows two decimals, below zero in brackets."""
    shape = "accounting" if minor_digits(currency) == 2 else "localized"
    return Column(t(label, unit=currency), kind="number", format=shape)


def headline(
    summary: Mapping[str, Any],
    names: Mapping[str, str],
    basis: str,
    over: pl.DataFrame,
    forgotten: pl.DataFrame,
) -> str:
    """What the month cost, who pays most, what is unallocated, what needs a decision."""
    currency = summary["currency"]
    said = [
        t(
            "**{month}** cost **{total}** ({basis}){change}.",
            month=month(summary["month"]),
            total=money_short(summary["total"], currency),
            basis=t(BASES[basis]).lower(),
            change=_change(summary),
        )
    ]
    if summary["top_tenant"] is not None and summary["top_percent"] is not None:
        said.append(
            t(
                "**{tenant}** pays most, **{share}**.",
                tenant=plain(names.get(summary["top_tenant"], summary["top_tenant"])),
                share=percent(summary["top_percent"], 0),
            )
        )
    if summary["unallocated"]:
        share = summary["unallocated_percent"]
        said.append(
            t(
                "**{amount}** is unallocated{share}.",
                amount=money_short(summary["unallocated"], currency),
                share="" if share is None else t(" ({share})", share=percent(share)),
            )
        )
    else:
        said.append(t("Every charge is allocated."))
    if not over.is_empty():
        who = t(", ").join(
            t(
                "**{tenant}** ({used})",
                tenant=plain(names.get(tenant, tenant)),
                used=percent(used, 0),
            )
            for tenant, used in over.head(NAMED).select("tenant", "used_percent").rows()
        )
        if over.height > NAMED:
            who += t(" and {n} more", n=over.height - NAMED)
        said.append(t("Over budget: {who}.", who=who))
    if not forgotten.is_empty():
        what = t(", ").join(
            t(
                "**{name}** ({amount} a month)",
                name=plain(row["name"] or row["commitment"]),
                amount=money_short(row["unused"], row["currency"]),
            )
            for row in forgotten.iter_rows(named=True)
        )
        said.append(t("Paid for and unused: {what}.", what=what))
    return sentences(said)


def tiles_of(
    summary: Mapping[str, Any],
    before: Mapping[str, Any] | None,
    months: pl.DataFrame,
    budget: pl.DataFrame,
    commitments: pl.DataFrame,
    check: pl.DataFrame,
) -> list[Tile]:
    """Spend, idle, unallocated, budgets, commitments, reconciliation."""
    currency = summary["currency"]
    unit, value = _scaled(summary["total"], currency)
    row = [
        Tile(
            t("Spend, {unit}", unit=unit),
            value,
            delta=_difference(summary, before, "total", currency),
            spark=_spark(months, "total"),
            hint=t("Change since the review compared with, for the same month."),
        ),
        Tile(
            t("Idle, %"),
            _plain_percent(summary["idle_percent"]),
            delta=_points(summary, before, "idle_percent"),
            good="down",
            spark=_spark(months, "idle_percent"),
            hint=t("Share of spend: metered clusters' GPU-hours that nobody used."),
        ),
        Tile(
            t("Unallocated, %"),
            _plain_percent(summary["unallocated_percent"]),
            delta=_points(summary, before, "unallocated_percent"),
            good="down",
            spark=_spark(months, "unallocated_percent"),
            hint=t("Share of spend that no rule placed; it is shown, never spread."),
        ),
    ]
    if not budget.is_empty():
        over = budget.filter(pl.col("status") == "over").height
        row.append(
            Tile(
                t("Over budget"),
                t(
                    "{over} of {all}",
                    over=over,
                    all=budget.filter(pl.col("budget").is_not_null()).height,
                ),
                hint=t("Tenants whose effective cost is above the month's newest budget."),
            )
        )
    if not commitments.is_empty():
        unused = sum(commitments["unused"], Decimal(0))
        unit, value = _scaled(unused, currency)
        row.append(
            Tile(
                t("Unused, {unit}", unit=unit),
                value,
                hint=t("Commitments paid for in the month that no use drew on."),
            )
        )
    for line in check.iter_rows(named=True):
        row.append(
            Tile(
                t("Bill check, {unit}", unit=currency),
                f"{'■' if line['agrees'] else '▲'} {exact(line['difference'])}",
                hint=t("All parts less the raw charges, to the last digit."),
            )
        )
    return row


def allocation_columns(currency: str) -> dict[str, Column]:
    """Columns of the allocation table."""
    labels = {
        "direct": "Direct",
        "metered": "Metered use",
        "idle": "Idle",
        "shared": "Shared",
        "total": "Total, {unit}",
    }
    return {"name": Column(t("Tenant"), width="medium")} | {
        name: amount(label, currency) for name, label in labels.items()
    }


def allocation_rows(
    frame: pl.DataFrame, totals: pl.DataFrame, names: Mapping[str, str]
) -> pl.DataFrame:
    """The allocation by name, largest first, then what is unallocated, then the total."""
    ordered = frame.sort(pl.col("tenant") == UNALLOCATED, "total", descending=[False, True])
    named = ordered.with_columns(
        pl.Series("name", [names.get(tenant, tenant) for tenant in ordered["tenant"]])
    )
    return pl.concat([named, totals.with_columns(name=pl.lit(t("Total")))], how="diagonal_relaxed")


def worded(frame: pl.DataFrame, **words: Mapping[str, str]) -> pl.DataFrame:
    """The frame with codes of the named columns put in words, blanks left blank."""
    return frame.with_columns(pl.col(pl.String).fill_null("")).with_columns(
        pl.Series(
            column,
            [t(known[code]) if code in known else code or "" for code in frame[column]],
            dtype=pl.String,
        )
        for column, known in words.items()
        if column in frame.columns
    )


def exact(amount: Decimal) -> str:
    """Every digit that matters, without exponent: 0, 20.52022672899."""
    text = format(amount, ",f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def reconciliation_line(row: Mapping[str, Any]) -> str:
    """One currency's bill, parts and difference in a sentence."""
    currency = row["currency"]
    said = t(
        "{sign} {currency}: **{charges}** charges add up to **{bill}**, their parts to "
        "**{allocated}**; the difference is **{difference}**. Rounded to minor units: "
        "**{published}**.",
        sign="■" if row["agrees"] else "▲",
        currency=currency,
        charges=number(row["charges"]),
        bill=exact(row["bill"]),
        allocated=exact(row["allocated"]),
        difference=exact(row["difference"]),
        published=money(row["published"], currency, minor_digits(currency)),
    )
    if row["charges_without_cost"]:
        said += t(
            " {count} charges have no cost on this basis and are left out.",
            count=number(row["charges_without_cost"]),
        )
    return said


def bases_line(bases: pl.DataFrame, chosen: str) -> str:
    """The month on the other bases, with the difference from what was billed."""
    said = []
    for row in bases.filter(pl.col("basis") != chosen).iter_rows(named=True):
        total = money_short(row["total"], row["currency"])
        if row["basis"] != "billed" and row["difference"]:
            change = money_short(row["difference"], row["currency"])
            total = t(
                "{total} ({change} against billed)",
                total=total,
                change=signed(change, row["difference"]),
            )
        said.append(t("{basis} {total}", basis=t(BASES[row["basis"]]).lower(), total=total))
    return t("On the other bases: {bases}.", bases=t("; ").join(said))


def _change(summary: Mapping[str, Any]) -> str:
    if summary["change_percent"] is None:
        return ""
    change = signed(percent(summary["change_percent"]), summary["change_percent"])
    return t(", **{change}** against the month before", change=change)


def _scaled(amount: Decimal, currency: str) -> tuple[str, str]:
    """A tile's unit and value: ("M USD", "12.4")."""
    size = abs(amount)
    if size >= 1_000_000:
        return f"M {currency}", number(amount / 1_000_000, 1)
    if size >= 10_000:
        return f"k {currency}", number(amount / 1_000, 0)
    return currency, number(amount, 0 if size >= 1_000 else minor_digits(currency))


def _plain_percent(value: float | None) -> str:
    return t("not known") if value is None else number(value, 1)


def _difference(
    now: Mapping[str, Any], before: Mapping[str, Any] | None, name: str, currency: str
) -> str | None:
    if before is None or now[name] == before[name]:
        return None
    change = now[name] - before[name]
    return signed(money_short(change, currency), change)


def _points(now: Mapping[str, Any], before: Mapping[str, Any] | None, name: str) -> str | None:
    if before is None or now[name] is None or before[name] is None:
        return None
    change = round(now[name] - before[name], 1)
    if not change:
        return None
    return t("{change} points", change=signed(number(change, 1), change))


def _spark(months: pl.DataFrame, name: str) -> list[float | None]:
    return [None if amount is None else float(amount) for amount in months[name]]
