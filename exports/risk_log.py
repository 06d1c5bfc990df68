"""The risk register as a workbook that people edit and hand back without loss.

Risks, actions, decisions and issues have a sheet each, in the reader's
language; History holds every version as the audit trail has it. Each row
carries its version, so that the import can tell an edit in the workbook from
one made in the browser meanwhile.
"""

import io
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import polars as pl
import xlsxwriter
from xlsxwriter.format import Format
from xlsxwriter.worksheet import Worksheet

from metrics.answer import CannotAnswer
from metrics.facts import Facts
from models.program.register import ENTITIES, RISK, Entity, Field, plain
from models.program.register_words import CHOICES, HEADINGS, SHEETS
from models.program.risk import weighed
from pipelines.sources import FileRefused, Rejection
from pipelines.sources.risk_register import RiskRegisterOptions, RiskRegisterReader
from records.edits import now
from records.import_risks import RowOutcome, write

WIDE = {"title", "title_zh", "description", "next_action", "trigger", "options", "decision"}
COMPUTED = ("score", "emv")
HISTORY = ("entity", "id", "version", "at", "who", "how", "field", "was", "is")
VALIDATED_ROWS = 500
"""Rows below the last one that still offer the choices, for risks added by hand."""


@dataclass(frozen=True)
class Imported:
    """What an import did, or would do, over all sheets.

    rows: by kind of item, what each row did. rejected: rows not taken, the
    file's own mistakes and the register's conflicts alike. notes: sentences.
    """

    rows: tuple[tuple[str, RowOutcome], ...]
    accepted: int
    unchanged: int
    rejected: tuple[Rejection, ...]
    notes: tuple[str, ...]


def write_risk_log(facts: Facts, out_file: Path, lang: str) -> None:
    """Write the register's workbook; an existing file is replaced whole."""
    out_file.write_bytes(risk_log(facts, lang))


def risk_log(facts: Facts, lang: str) -> bytes:
    """The register's workbook, as it stands in these facts.

    lang: en or zh, of headings and words. Amounts that a spreadsheet's number
    cannot hold are written as text, digit by digit.
    """
    buffer = io.BytesIO()
    options = {"in_memory": True, "strings_to_formulas": False, "strings_to_urls": False}
    with xlsxwriter.Workbook(buffer, options) as book:
        formats = _Formats.of(book)
        for entity in ENTITIES.values():
            items = facts.records.items(entity, facts.records_as_of)
            if entity is RISK:
                items = weighed(items).sort("id")
            sheet = book.add_worksheet(_named(SHEETS[entity.name], lang))
            _write_items(sheet, entity, items, formats, lang)
        trail = facts.records.audit()
        if facts.records_as_of is not None:
            trail = trail.filter(pl.col("at") <= facts.records_as_of)
        _write_history(book.add_worksheet(_named(SHEETS["history"], lang)), trail, formats, lang)
    return buffer.getvalue()


def import_risk_log(
    facts: Facts, file: Path, who: str | None = None, *, dry_run: bool = False
) -> Imported:
    """Lay an edited workbook (or CSV) over the register.

    who: signs the changes; the file's name unless given. dry_run: only say
    what would happen. Raises CannotAnswer when the file cannot be read at all.
    """
    options = RiskRegisterOptions(timezone=facts.config.timezone, currency=facts.currency)
    try:
        read = RiskRegisterReader().read(file, options)
    except FileRefused as error:
        raise CannotAnswer(error.message) from error
    rows: list[tuple[str, RowOutcome]] = []
    rejected, notes = [*_rejections(read.rejected)], [*read.notes]
    accepted = unchanged = 0
    for name, frame in read.tables.items():
        assert isinstance(frame, pl.DataFrame)
        outcome = write(facts.records, name, frame, who=who or file.name, at=now(), dry_run=dry_run)
        rows += [(name, row) for row in outcome.rows]
        accepted += outcome.accepted
        unchanged += outcome.unchanged
        notes += outcome.notes
        rejected += [
            Rejection(one.row, one.column, one.rule, one.message, one.raw)
            for one in outcome.conflicts
        ]
    return Imported(tuple(rows), accepted, unchanged, tuple(rejected), tuple(notes))


def _rejections(rejected: Any) -> Iterable[Rejection]:
    return (one for one in rejected if isinstance(one, Rejection))


@dataclass(frozen=True)
class _Formats:
    heading: Format
    text: Format
    day: Format
    amount: Format
    percent: Format
    number: Format
    computed: Format

    @classmethod
    def of(cls, book: xlsxwriter.Workbook) -> "_Formats":
        top = {"valign": "top"}
        return cls(
            heading=book.add_format(
                {"bold": True, "bg_color": "#1F5FBF", "font_color": "#FFFFFF", "text_wrap": True}
            ),
            text=book.add_format({**top, "text_wrap": True, "num_format": "@"}),
            day=book.add_format({**top, "num_format": "yyyy-mm-dd", "align": "left"}),
            amount=book.add_format({**top, "num_format": "#,##0.00"}),
            # Whoever types 30% here sees "0.3 %" and notices: a cell holds 0 to 100.
            percent=book.add_format({**top, "num_format": '0.####" %"'}),
            number=book.add_format({**top, "num_format": "0"}),
            computed=book.add_format(
                {**top, "num_format": "#,##0.00", "font_color": "#7A8594", "italic": True}
            ),
        )


def _write_items(
    sheet: Worksheet, entity: Entity, items: pl.DataFrame, formats: _Formats, lang: str
) -> None:
    extra = COMPUTED if entity is RISK else ()
    columns = ["id", *entity.names, *extra, "version", "updated_at", "updated_by"]
    _headings(sheet, columns, formats, lang)
    for position, row in enumerate(items.iter_rows(named=True), start=1):
        row = {**row, "updated_at": row["changed_at"], "updated_by": row["changed_by"]}
        for column, name in enumerate(columns):
            value = row[name]
            if isinstance(value, str) and name in entity.names and entity[name].choices:
                value = _named(CHOICES[value], lang)
            style = formats.computed if name in COMPUTED else None
            if name == "probability_percent":
                style = formats.percent
            _write(sheet, position, column, value, formats, style)
    last = items.height + VALIDATED_ROWS
    for column, name in enumerate(columns):
        if name in entity.names:
            _validate(sheet, entity[name], column, last, lang)
    sheet.autofilter(0, 0, max(items.height, 1), len(columns) - 1)


def _write_history(sheet: Worksheet, trail: pl.DataFrame, formats: _Formats, lang: str) -> None:
    _headings(sheet, list(HISTORY), formats, lang)
    ordered = trail.sort("entity", "id", "version", "field")
    for position, row in enumerate(ordered.iter_rows(named=True), start=1):
        for column, name in enumerate(HISTORY):
            _write(sheet, position, column, row[name], formats)


def _headings(sheet: Worksheet, columns: list[str], formats: _Formats, lang: str) -> None:
    sheet.freeze_panes(1, 2)
    for column, name in enumerate(columns):
        sheet.write_string(0, column, _named(HEADINGS[name], lang), formats.heading)
        sheet.set_column(column, column, 44 if name in WIDE else 14)


def _write(
    sheet: Worksheet,
    row: int,
    column: int,
    value: Any,
    formats: _Formats,
    style: Format | None = None,
) -> None:
    """One cell. Text is written as text, so that "=..." never becomes a formula."""
    if value is None:
        return
    if isinstance(value, Decimal):
        # A spreadsheet's number is a float: used only where it gives the digits back.
        if Decimal(repr(float(value))) == value:
            sheet.write_number(row, column, float(value), style or formats.amount)
        else:
            sheet.write_string(row, column, plain(value), style or formats.text)
    elif isinstance(value, datetime):
        sheet.write_string(row, column, value.isoformat(), formats.text)
    elif isinstance(value, date):
        sheet.write_datetime(row, column, datetime(value.year, value.month, value.day), formats.day)
    elif isinstance(value, int):
        sheet.write_number(row, column, value, style or formats.number)
    else:
        sheet.write_string(row, column, value, formats.text)


def _validate(sheet: Worksheet, field: Field, column: int, last: int, lang: str) -> None:
    """Offer the words of a choice and the steps of a scale while typing."""
    if field.choices:
        words = [_named(CHOICES[value], lang) for value in field.choices]
        sheet.data_validation(1, column, last, column, {"validate": "list", "source": words})
    elif field.kind == "whole":
        rule = {"validate": "integer", "criteria": "between", "minimum": 1, "maximum": 5}
        sheet.data_validation(1, column, last, column, rule)


def _named(words: Any, lang: str) -> str:
    return str(words.zh if lang == "zh" else words.en)
