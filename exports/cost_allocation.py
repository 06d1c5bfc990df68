"""Finance's workbook: who pays what, with totals that a spreadsheet can recalculate.

Cells that a person would add up are formulas over the sheets behind them; the
value kept with each is the page's, to the cent. Money is a number in minor
units; where more digits matter they stand beside it as text, since a
spreadsheet's number holds sixteen.
"""

from decimal import Decimal
from io import BytesIO
from pathlib import Path
from typing import Any

import polars as pl
import xlsxwriter
from xlsxwriter.utility import xl_rowcol_to_cell
from xlsxwriter.worksheet import Worksheet

from exports.cost_workbook import (
    HEAD,
    STEPS,
    Book,
    Total,
    close_table,
    exact_digits,
    write_texts,
)
from metrics.answer import CannotAnswer
from metrics.charges import cost_month
from metrics.cost_allocation import cost_by_rule, cost_by_service, cost_detail, reconciliation
from metrics.facts import Facts
from models.billing.rounding import minor_digits
from models.billing.rules import UNALLOCATED

SHEETS = ("Cover", "By tenant", "By service", "Rules", "Detail", "Reconciliation")


def write_cost_allocation(
    facts: Facts,
    month: str | None,
    basis: str,
    language: str,
    path_or_buffer: Path | str | BytesIO,
) -> None:
    """Write the month's workbook in English ("en") or Chinese ("zh").

    Sheets: cover with checks, tenants, tenants by service, rules, detail,
    reconciliation. Every check cell is 0 when the sheets agree.

    Raises CannotAnswer when there are no charges for the month.
    """
    chosen = cost_month(facts, month)
    if chosen is None:
        raise CannotAnswer("No charges are loaded, so there is nothing to allocate.")
    target = path_or_buffer if isinstance(path_or_buffer, BytesIO) else str(path_or_buffer)
    options = {
        "strings_to_formulas": False,
        "strings_to_urls": False,
        "strings_to_numbers": False,
        "in_memory": True,
    }
    with xlsxwriter.Workbook(target, options) as workbook:
        book = Book(workbook, facts, chosen, basis, language)
        book.add_sheets(SHEETS)
        _write_detail(book)
        _write_tenants(book)
        _write_services(book)
        _write_rules(book)
        _write_reconciliation(book)
        _write_cover(book)


def _write_detail(book: Book) -> None:
    sheet = book.sheets["Detail"]
    frame = cost_detail(book.facts, book.month, book.basis).frame
    book.headings(
        sheet,
        [
            (book.say("Tenant"), 20),
            (book.say("Currency"), 10),
            (book.say("Reached by"), 14),
            (book.say("Provider"), 18),
            (book.say("Service"), 36),
            (book.say("Sub account"), 24),
            (book.say("Charge"), 12),
            (book.say("Rule"), 28),
            (book.say("Why unallocated"), 30),
            (book.say("Amount"), 16),
        ],
    )
    for row, part in enumerate(frame.iter_rows(named=True), start=HEAD + 1):
        texts = [
            part["tenant"],
            part["currency"],
            book.say(part["column"]),
            part["provider"],
            part["service"],
            part["sub_account"],
            book.say(part["charge_category"]),
            part["rule"] or book.say("no rule"),
            book.say(part["reason"]),
        ]
        write_texts(sheet, row, texts, book.style())
        sheet.write_number(row, 9, float(part["amount"]), book.money(part["currency"]))
    close_table(book, sheet, "Detail", frame, label=8, amount=9, currency_column=1)


def _write_tenants(book: Book) -> None:
    sheet = book.sheets["By tenant"]
    frame = book.allocation.frame
    detail = book.sheets["Detail"]
    rows = cost_detail(book.facts, book.month, book.basis).frame.height
    book.headings(
        sheet,
        [
            (book.say("Tenant"), 20),
            (book.say("Name"), 26),
            (book.say("Cost centre"), 14),
            (book.say("Currency"), 10),
            *((book.say(step), 16) for step in STEPS),
            (book.say("Total"), 18),
        ],
    )
    centres = dict(book.tenants.select("tenant", "cost_center").rows())
    tenant, currency, column, amount = (book.area(detail, rows, at) for at in (0, 1, 2, 9))
    for row, line in enumerate(frame.iter_rows(named=True), start=HEAD + 1):
        name, money = line["tenant"], book.money(line["currency"])
        texts = [name, book.tenant_name(name), centres.get(name), line["currency"]]
        write_texts(sheet, row, texts, book.style())
        for place, step in enumerate(STEPS, start=4):
            formula = (
                f"=SUMIFS({amount},{tenant},$A{row + 1},{currency},$D{row + 1},"
                f'{column},"{book.say(step)}")'
            )
            sheet.write_formula(row, place, formula, money, float(line[step]))
        formula = f"=SUM({xl_rowcol_to_cell(row, 4)}:{xl_rowcol_to_cell(row, 7)})"
        strong = book.money(line["currency"], bold=True)
        sheet.write_formula(row, 8, formula, strong, float(line["total"]))
    sums = frame.rename({"total": "amount"})
    close_table(
        book, sheet, "By tenant", sums, label=2, amount=8, currency_column=3, also=range(4, 8)
    )


def _write_services(book: Book) -> None:
    sheet = book.sheets["By service"]
    frame = cost_by_service(book.facts, book.month, book.basis).frame
    columns = book.allocation.frame["tenant"].unique(maintain_order=True).to_list()
    columns.sort(key=lambda tenant: (tenant == UNALLOCATED, tenant))
    last = 3 + len(columns)
    book.headings(
        sheet,
        [
            (book.say("Provider"), 20),
            (book.say("Service"), 40),
            (book.say("Currency"), 10),
            *((book.tenant_name(tenant), 16) for tenant in columns),
            (book.say("Total"), 18),
        ],
    )
    grid: dict[tuple[Any, ...], dict[str, Decimal]] = {}
    for part in frame.iter_rows(named=True):
        key = (part["currency"], part["provider"], part["service"])
        grid.setdefault(key, {})[part["tenant"]] = part["amount"]
    ordered = sorted(grid.items(), key=lambda item: tuple(text or "" for text in item[0]))
    for row, ((currency, provider, service), cells) in enumerate(ordered, start=HEAD + 1):
        write_texts(sheet, row, [provider, service, currency], book.style())
        for place, tenant in enumerate(columns, start=3):
            if tenant in cells:
                sheet.write_number(row, place, float(cells[tenant]), book.money(currency))
        formula = f"=SUM({xl_rowcol_to_cell(row, 3)}:{xl_rowcol_to_cell(row, last - 1)})"
        strong = book.money(currency, bold=True)
        sheet.write_formula(row, last, formula, strong, float(sum(cells.values())))
    wide = pl.DataFrame(
        [{"currency": key[0], "amount": sum(cells.values())} for key, cells in ordered],
        schema={"currency": pl.String, "amount": frame.schema["amount"]},
    )
    by_column = {
        place: frame.filter(pl.col("tenant") == tenant)
        for place, tenant in enumerate(columns, start=3)
    }
    close_table(
        book,
        sheet,
        "By service",
        wide,
        label=1,
        amount=last,
        currency_column=2,
        also=range(3, last),
        values=by_column,
    )
    sheet.freeze_panes(HEAD + 1, 3)


def _write_rules(book: Book) -> None:
    sheet = book.sheets["Rules"]
    frame = cost_by_rule(book.facts, book.month, book.basis).frame
    book.headings(
        sheet,
        [
            (book.say("Order"), 8),
            (book.say("Rule"), 30),
            (book.say("Step"), 12),
            (book.say("Condition"), 44),
            (book.say("Goes to"), 18),
            (book.say("Method"), 16),
            (book.say("Owner"), 18),
            (book.say("Reason"), 40),
            (book.say("Valid from"), 12),
            (book.say("Valid to"), 12),
            (book.say("Currency"), 10),
            (book.say("Amount"), 18),
        ],
    )
    for row, rule in enumerate(frame.iter_rows(named=True), start=HEAD + 1):
        if rule["order"] is not None:
            sheet.write_number(row, 0, rule["order"], book.style())
        texts = [
            rule["rule"] or book.say("no rule"),
            book.say(rule["step"]),
            rule["condition"],
            rule["to"],
            book.say(rule["method"]),
            rule["owner"],
            rule["reason"],
        ]
        write_texts(sheet, row, texts, book.style(text_wrap=True), start=1)
        for column, day in ((8, rule["valid_from"]), (9, rule["valid_to"])):
            if day is not None:
                sheet.write_datetime(row, column, day, book.style(num_format="yyyy-mm-dd"))
        if rule["currency"] is not None:
            sheet.write_string(row, 10, rule["currency"], book.style())
            sheet.write_number(row, 11, float(rule["amount"]), book.money(rule["currency"]))
    close_table(book, sheet, "Rules", frame, label=9, amount=11, currency_column=10)


def _write_reconciliation(book: Book) -> None:
    sheet = book.sheets["Reconciliation"]
    answer = reconciliation(book.facts, book.month, book.basis)
    book.headings(
        sheet,
        [
            (book.say("Provider"), 24),
            (book.say("Currency"), 10),
            (book.say("Charges"), 12),
            (book.say("Without a cost"), 14),
            (book.say("Bill, exact"), 32),
            (book.say("Allocated, exact"), 32),
            (book.say("Difference, exact"), 20),
            (book.say("Bill, rounded"), 18),
            (book.say("Allocated"), 18),
            (book.say("Difference"), 14),
        ],
    )
    row = HEAD + 1
    for line in answer.extra["providers"].iter_rows(named=True):
        _write_reconciled(book, sheet, row, line["provider"], line)
        row += 1
    for line in answer.frame.iter_rows(named=True):
        currency = line["currency"]
        _write_reconciled(book, sheet, row, book.say("All providers"), line, bold=True)
        money = book.total_style(currency)
        sheet.write_number(row, 7, float(line["published"]), money)
        total = book.totals["By tenant", currency]
        sheet.write_formula(row, 8, f"={total.reference}", money, float(total.value))
        difference = total.value - line["published"]
        formula = f"=ROUND(I{row + 1}-H{row + 1},{minor_digits(currency)})"
        sheet.write_formula(row, 9, formula, money, float(difference))
        book.totals["Bill", currency] = Total(book.reference(sheet, row, 7), line["published"])
        row += 1


def _write_reconciled(
    book: Book,
    sheet: Worksheet,
    row: int,
    title: str | None,
    line: dict[str, Any],
    **properties: Any,
) -> None:
    plain = book.style(**properties)
    write_texts(sheet, row, [title, line["currency"]], plain)
    sheet.write_number(row, 2, line["charges"], book.style(num_format="#,##0", **properties))
    sheet.write_number(
        row, 3, line["charges_without_cost"], book.style(num_format="#,##0", **properties)
    )
    right = book.style(align="right", **properties)
    digits = [exact_digits(line[name]) for name in ("bill", "allocated", "difference")]
    write_texts(sheet, row, digits, right, start=4)


def _write_cover(book: Book) -> None:
    sheet = book.sheets["Cover"]
    say, facts, answer = book.say, book.facts, book.allocation
    sheet.set_column(0, 0, 44)
    sheet.set_column(1, 1, 22)
    sheet.set_column(2, 2, 60)
    title = f"{say('Cost allocation')} {book.month}"
    sheet.write_string(0, 0, title, book.style(bold=True, font_size=18))
    through = answer.data_through
    local = through.astimezone(facts.zone).strftime("%Y-%m-%d %H:%M") if through else ""
    lines = [
        ("Month", book.month),
        ("Basis", say(book.basis)),
        ("Currencies", ", ".join(book.currencies)),
        ("Data through", local),
        ("Time zone", facts.zone.key),
        ("Lake snapshot", str(facts.snapshot_id)),
    ]
    for row, (label, text) in enumerate(lines, start=2):
        sheet.write_string(row, 0, say(label), book.style(bold=True))
        sheet.write_string(row, 1, text, book.style())
    row = len(lines) + 3
    heading = book.style(bold=True, font_size=13)
    sheet.write_string(row, 0, say("Checks (every difference must be 0)"), heading)
    for column, text in enumerate(("Check", "Difference", "Result")):
        sheet.write_string(row + 1, column, say(text), book.style(bold=True, bottom=1))
    row += 2
    checks = [
        ("{currency}: tenants against bill", "By tenant", "Bill"),
        ("{currency}: services against tenants", "By service", "By tenant"),
        ("{currency}: rules against tenants", "Rules", "By tenant"),
        ("{currency}: detail against tenants", "Detail", "By tenant"),
    ]
    for currency in book.currencies:
        for text, one, other in checks:
            left, right = book.totals[one, currency], book.totals[other, currency]
            difference = left.value - right.value
            sheet.write_string(row, 0, say(text, currency=currency), book.style())
            formula = f"=ROUND({left.reference}-{right.reference},{minor_digits(currency)})"
            sheet.write_formula(row, 1, formula, book.money(currency), float(difference))
            verdict = say("agrees") if difference == 0 else say("differs")
            formula = f'=IF(B{row + 1}=0,"{say("agrees")}","{say("differs")}")'
            sheet.write_formula(row, 2, formula, book.style(), verdict)
            row += 1
    wrapped = book.style(text_wrap=True)
    for label, text in [("How computed", answer.formula), *(("Note", n) for n in answer.notes)]:
        row += 1
        sheet.write_string(row, 0, say(label), book.style(bold=True))
        sheet.merge_range(row, 1, row, 2, "", wrapped)
        sheet.write_string(row, 1, say(text), wrapped)
        sheet.set_row(row, 62 if label == "How computed" else 32)
