"""What a FOCUS file's load record says about its quality: counted, never corrected."""

from decimal import Decimal

import polars as pl

from models.billing.focus import Lifted

_COUNTED = (
    ("strange_class", "{} rows have a ChargeClass other than Correction."),
    ("strange_frequency", "{} rows have a ChargeFrequency that FOCUS does not know."),
    ("outside_period", "{} usage rows lie outside their billing period."),
    ("list_differs", "ListCost differs from ListUnitPrice x PricingQuantity in {} rows."),
    (
        "contracted_differs",
        "ContractedCost differs from ContractedUnitPrice x PricingQuantity in {} rows.",
    ),
    (
        "covering_with_cost",
        "{} commitment purchases have an EffectiveCost; it counts again in the usage they cover.",
    ),
    ("covered_with_bill", "{} rows covered by a commitment are billed all the same."),
    ("status_without_commitment", "{} rows have a commitment status without a commitment."),
    ("commitment_without_status", "{} usage rows have a commitment without Used or Unused."),
    ("priced_tax", "{} tax rows have a price, quantity or SKU."),
    ("name_without_id", "{} rows name a region or sub-account without its id."),
    ("strange_tags", "{} rows have Tags that are no JSON object; they are kept as text."),
    ("completed_tags", "{} rows have Tags without outer braces; they are added."),
    ("uneven_credit", "{} credits differ between list, contracted and billed cost."),
    ("correction_in_period", "{} corrections are of their own billing period."),
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
            f"{total['without_currency']} rows name no BillingCurrency; {currency} is taken, "
            "as configured."
        )
    found += _difference(summary)
    found += _rounding(summary)
    for column, name in (("without_list", "ListCost"), ("without_contracted", "ContractedCost")):
        if total[column] == kept:
            found.append(f"No {name} in the whole file.")
        elif total[column]:
            found.append(f"{total[column]} rows have no {name}.")
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
        f"{row['effective_differs']} rows that no commitment covers."
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
                    f"{row[f'{column}_rounded']} rows have a {name} finer than 18 decimals; "
                    f"rounding moved the total by {_plain(moved)} {row['billing_currency']}."
                )
    return said


def _plain(value: Decimal) -> str:
    """All digits that count, no exponent, no trailing zeros."""
    text = format(value, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text
