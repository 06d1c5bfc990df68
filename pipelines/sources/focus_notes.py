"""What a FOCUS file's load record says about its quality: counted, never corrected."""

from decimal import Decimal

import polars as pl

from models.billing.focus import Lifted

_COUNTED = (
    ("strange_class", "Rows whose ChargeClass is not Correction: {}."),
    ("strange_frequency", "Rows with a ChargeFrequency that FOCUS does not know: {}."),
    ("outside_period", "Usage rows outside their billing period: {}."),
    ("list_differs", "Rows where ListCost differs from ListUnitPrice x PricingQuantity: {}."),
    (
        "contracted_differs",
        "Rows where ContractedCost differs from ContractedUnitPrice x PricingQuantity: {}.",
    ),
    (
        "covering_with_cost",
        "Commitment purchases with an EffectiveCost, which counts again in what they cover: {}.",
    ),
    ("covered_with_bill", "Rows covered by a commitment and billed all the same: {}."),
    ("status_without_commitment", "Rows with a commitment status but no commitment: {}."),
    ("commitment_without_status", "Usage rows of a commitment, neither Used nor Unused: {}."),
    ("priced_tax", "Tax rows with a price, quantity or SKU: {}."),
    ("name_without_id", "Rows that name a region or sub-account without its id: {}."),
    ("strange_tags", "Rows whose Tags are no JSON object, kept as text: {}."),
    ("completed_tags", "Rows whose Tags lack outer braces, which are added: {}."),
    ("uneven_credit", "Credits whose list, contracted and billed cost differ: {}."),
    ("correction_in_period", "Corrections of their own billing period: {}."),
)


def notes(summary: pl.DataFrame, lifted: Lifted, encoding: str, currency: str) -> tuple[str, ...]:
    """Sentences about a file.

    summary: focus_summary.sql's rows, one a currency.
    """
    total = {
        name: int(summary[name].sum())
        for name in summary.columns
        if summary[name].dtype == pl.Int64
    }
    kept = total["rows_read"] - total["refused"]
    found = []
    if encoding not in ("utf-8", "utf-8-sig"):
        found.append(f"The text is {encoding.upper()}.")
    if total["without_currency"]:
        found.append(
            f"Rows without BillingCurrency, for which the configured {currency} is taken: "
            f"{total['without_currency']}."
        )
    found += _difference(summary)
    found += _rounding(summary)
    for column, name in (("without_list", "ListCost"), ("without_contracted", "ContractedCost")):
        if total[column] == kept:
            found.append(f"No {name} in the whole file.")
        elif total[column]:
            found.append(f"Rows without {name}: {total[column]}.")
    found += [said.format(total[name]) for name, said in _COUNTED if total[name]]
    if lifted.repeated:
        found.append(f"Repeated columns, the first is read: {', '.join(lifted.repeated)}.")
    if lifted.unknown:
        found.append(f"Columns left out: {', '.join(lifted.unknown)}.")
    return tuple(found)


def _difference(summary: pl.DataFrame) -> list[str]:
    """Where neither a commitment nor a purchase explains it, both costs are one."""
    return [
        f"EffectiveCost differs from BilledCost by {_plain(row['effective_difference'])} of "
        f"{_plain(row['billed_cost'])} {row['billing_currency']} in "
        f"{row['effective_differs']} rows without a commitment."
        for row in summary.iter_rows(named=True)
        if row["effective_differs"]
    ]


def _rounding(summary: pl.DataFrame) -> list[str]:
    """Digits beyond the 18th are rounded half to even."""
    said = []
    for row in summary.iter_rows(named=True):
        for column, name in (("billed", "BilledCost"), ("effective", "EffectiveCost")):
            if row[f"{column}_rounded"]:
                moved = Decimal(row[f"{column}_moved"]).scaleb(-18)
                said.append(
                    f"Rows whose {name} is finer than 18 decimals: {row[f'{column}_rounded']}; "
                    f"rounding moved the total by {_plain(moved)} {row['billing_currency']}."
                )
    return said


def _plain(value: Decimal) -> str:
    """All digits that count, no exponent, no trailing zeros."""
    text = format(value, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text
