"""The frame of finance's workbook: styles, tables with totals, what checks compare."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

import polars as pl
import xlsxwriter
from xlsxwriter.format import Format
from xlsxwriter.utility import xl_col_to_name, xl_range_abs, xl_rowcol_to_cell
from xlsxwriter.worksheet import Worksheet

from exports.cost_allocation_words import word
from metrics.answer import Answer
from metrics.cost_allocation import cost_allocation
from metrics.facts import Facts
from models.billing.rounding import minor_digits
from models.billing.rules import UNALLOCATED
from models.reference import newest

STEPS = ("direct", "metered", "idle", "shared")
HEAD = 0
"""Every table's heading row; its first data row is the next."""

A4 = 9
"""The paper size's number in the file format."""


@dataclass
class Total:
    """Where a sheet's total of a currency stands, and its value."""

    reference: str
    value: Decimal


@dataclass
class Book:
    """The open workbook, what it is of, and the totals that checks compare."""

    workbook: xlsxwriter.Workbook
    facts: Facts
    month: str
    basis: str
    language: str
    totals: dict[tuple[str, str], Total] = field(default_factory=dict)
    formats: dict[tuple[Any, ...], Format] = field(default_factory=dict)
    sheets: dict[str, Worksheet] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.allocation: Answer = cost_allocation(self.facts, self.month, self.basis)
        self.currencies: list[str] = self.allocation.frame["currency"].unique().sort().to_list()
        self.tenants: pl.DataFrame = newest(self.facts.table("tenant"), "tenant")

    def say(self, text: str | None, **values: object) -> str:
        """The text in the workbook's language."""
        return word(text, self.language, **values)

    def add_sheets(self, names: Iterable[str]) -> None:
        """Empty sheets in their order; what is read first is written last."""
        for name in names:
            sheet: Worksheet = self.workbook.add_worksheet(self.say(name))
            sheet.set_landscape()
            sheet.set_paper(A4)
            sheet.fit_to_pages(1, 0)
            sheet.hide_gridlines(2)
            self.sheets[name] = sheet

    def style(self, **properties: Any) -> Format:
        """A cell format, made once."""
        key = tuple(sorted(properties.items()))
        if key not in self.formats:
            self.formats[key] = self.workbook.add_format({"valign": "top", **properties})
        return self.formats[key]

    def money(self, currency: str, **properties: Any) -> Format:
        """Amounts with the currency's minor unit; zero is shown, not left blank."""
        digits = minor_digits(currency)
        pattern = "#,##0" + ("." + "0" * digits if digits else "")
        return self.style(num_format=f"{pattern};-{pattern};{pattern}", **properties)

    def total_style(self, currency: str) -> Format:
        """A total: bold below a line."""
        return self.money(currency, bold=True, top=1)

    def tenant_name(self, tenant: str) -> str:
        """The tenant's name in the workbook's language."""
        if tenant == UNALLOCATED:
            return self.say("Unallocated")
        row = self.tenants.filter(pl.col("tenant") == tenant)
        if row.is_empty():
            return tenant
        names = row.row(0, named=True)
        return str((names["name_zh"] if self.language == "zh" else None) or names["name"])

    def headings(self, sheet: Worksheet, titles: Iterable[tuple[str, int]]) -> None:
        """The heading row with column widths; it stays in sight."""
        style = self.style(bold=True, bg_color="#1F5FBF", font_color="#FFFFFF", text_wrap=True)
        for column, (title, width) in enumerate(titles):
            sheet.write_string(HEAD, column, title, style)
            sheet.set_column(column, column, width)
        sheet.freeze_panes(HEAD + 1, 0)
        sheet.repeat_rows(HEAD)

    def reference(self, sheet: Worksheet, row: int, column: int) -> str:
        """A cell, as another sheet names it."""
        return f"{quoted(sheet)}!{xl_rowcol_to_cell(row, column, True, True)}"

    def area(self, sheet: Worksheet, rows: int, column: int) -> str:
        """The data cells of a column, as another sheet names them."""
        cells = xl_range_abs(HEAD + 1, column, HEAD + max(rows, 1), column)
        return f"{quoted(sheet)}!{cells}"


def close_table(
    book: Book,
    sheet: Worksheet,
    name: str,
    frame: pl.DataFrame,
    *,
    label: int,
    amount: int,
    currency_column: int,
    also: Sequence[int] = (),
    values: dict[int, pl.DataFrame] | None = None,
) -> None:
    """Filter buttons, and a total a currency two rows below the table."""
    rows = frame.height
    sheet.autofilter(HEAD, 0, HEAD + max(rows, 1), amount)
    currency_area = xl_range_abs(HEAD + 1, currency_column, HEAD + max(rows, 1), currency_column)
    row = HEAD + rows + 2
    for currency in book.currencies:
        title = book.say("Total {currency}", currency=currency)
        sheet.write_string(row, label, title, book.style(bold=True, top=1))
        for column in (*also, amount):
            letter = xl_col_to_name(column)
            cells = f"${letter}${HEAD + 2}:${letter}${HEAD + 1 + max(rows, 1)}"
            formula = f'=SUMIFS({cells},{currency_area},"{currency}")'
            source = (values or {}).get(column, frame)
            wanted = STEPS[column - 4] if column != amount and values is None else "amount"
            value = source.filter(pl.col("currency") == currency)[wanted].sum()
            sheet.write_formula(row, column, formula, book.total_style(currency), float(value))
            if column == amount:
                book.totals[name, currency] = Total(
                    book.reference(sheet, row, column), Decimal(value)
                )
        row += 1


def write_texts(
    sheet: Worksheet, row: int, texts: Iterable[str | None], style: Format, start: int = 0
) -> None:
    """Text as text: a name that begins with = or @ must not become a formula."""
    for column, text in enumerate(texts, start=start):
        if text:
            sheet.write_string(row, column, text, style)


def exact_digits(amount: Decimal) -> str:
    """Every digit that matters, without exponent."""
    text: str = format(amount, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def quoted(sheet: Worksheet) -> str:
    name: str = sheet.get_name()
    return "'" + name.replace("'", "''") + "'"
