"""Risk registers as people keep them: a workbook or CSV, English or Chinese."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any, ClassVar
from zoneinfo import ZoneInfo

import polars as pl

from models.program.register import ACTION, DECISION, RAID_ITEM, RISK, Entity, tidy
from models.program.register_words import HEADINGS, SHEETS
from models.table import INSTANT
from pipelines.register_cells import amount, likelihood, value_of
from pipelines.register_history import read_history
from pipelines.sources import FileRefused, MissingColumns, Options, ReadResult, Rejection
from pipelines.tabular import (
    CellError,
    Row,
    Sheet,
    folded,
    locate,
    parse_instant,
    read_sheet,
    sheet_names,
)

EXTRAS = ("id", "version", "updated_at")
"""What a row carries besides the fields of its item."""


class RiskRegisterOptions(Options):
    """decimal: mark of decimals. delimiter: of a text file. sheet: the risks' sheet.

    program: programme of rows that name none.
    """

    decimal: str = "."
    delimiter: str | None = None
    sheet: str | None = None
    program: str | None = None


@dataclass
class _Table:
    """Rows of one sheet as they are collected, and those refused."""

    entity: Entity
    present: set[str] = field(default_factory=set)
    rows: list[dict[str, Any]] = field(default_factory=list)
    rejected: list[Rejection] = field(default_factory=list)


class RiskRegisterReader:
    """A register: Risks, Actions, Decisions, Issues, History of a workbook, or a CSV of risks.

    Takes    columns by name in any order and either language, below a preamble;
             unknown ones are ignored. ID and Title are required. Probability
             may be 1 to 5, a word or a percentage.
    Gives    risk, action, decision and raid_item (models/program/register.py): the columns that the
             file has, with `version`, `updated_at` and `history` where given.
             A column that is not there says nothing; a blank cell says "none".
    Rejects  a row without id or title, an id that stands twice, a cell that
             breaks its field's rule.
    Raises   MissingColumns, FileRefused.
    """

    kind: ClassVar[str] = "risk_register"
    options: ClassVar[type[Options]] = RiskRegisterOptions

    def sniff(self, path: Path) -> bool:
        """Whether the first or the Risks sheet has ids, titles and probabilities."""
        try:
            sheet = read_sheet(path, sheet=_sheet_of(path, "risk", None), headings=_known(RISK))
        except FileRefused:
            return False
        places = locate(sheet, _columns(RISK))
        return all(places[name] for name in ("id", "title", "probability"))

    def read(self, path: Path, options: RiskRegisterOptions) -> ReadResult:
        """The register's rows. Raises FileRefused, MissingColumns."""
        found = [_read_items(path, RISK, _sheet_of(path, "risk", options.sheet), options)]
        for entity in (ACTION, DECISION, RAID_ITEM):
            name = _sheet_of(path, entity.name, None)
            if isinstance(name, str):
                found.append(_read_items(path, entity, name, options))
        notes: list[str] = []
        rejected = [refusal for table in found for refusal in table.rejected]
        history = _sheet_of(path, "history", None)
        if isinstance(history, str):
            items = {
                (table.entity.name, row["id"]): (table.entity, row)
                for table in found
                for row in table.rows
            }
            refused, remarks = read_history(
                path, history, items, zone=ZoneInfo(options.timezone), decimal=options.decimal
            )
            rejected += refused
            notes += remarks
        tables = {table.entity.name: _frame(table) for table in found if table.present}
        read = sum(frame.height for frame in tables.values()) + len(rejected)
        return ReadResult(tables, rejected, read, tuple(notes))


def _read_items(
    path: Path, entity: Entity, name: str | int | None, options: RiskRegisterOptions
) -> _Table:
    sheet = read_sheet(path, sheet=name, delimiter=options.delimiter, headings=_known(entity))
    places = locate(sheet, _columns(entity))
    missing = [HEADINGS[one].en for one in ("id", "title") if not places[one]]
    if missing:
        raise MissingColumns(
            path,
            missing,
            [heading for heading in sheet.headings if heading],
            "Name the columns as in the register's own export (ID, Title, ...; 编号, 标题, ...).",
        )
    table = _Table(entity, {one for one, positions in places.items() if positions})
    shares = _are_shares(sheet, places)
    seen: dict[str, int] = {}
    for row in sheet.rows:
        cells = {one: row.cell(positions[0]) for one, positions in places.items() if positions}
        if not any(cells.values()):
            continue
        try:
            item = _item(entity, cells, options, shares=shares)
            first = seen.setdefault(item["id"], row.number)
            if first != row.number:
                raise _CellRefused(
                    "id",
                    CellError("unique", f'"{item["id"]}" stands in row {first} already.'),
                )
            table.rows.append({**item, "source_row": row.number})
        except _CellRefused as refused:
            table.rejected.append(_rejection(path, sheet, row, places, refused))
    if entity is RISK:
        _say_what_was_inferred(table, options)
    return table


class _CellRefused(Exception):
    def __init__(self, field: str, error: CellError) -> None:
        super().__init__(error.message)
        self.field = field
        self.error = error


def _item(
    entity: Entity,
    cells: Mapping[str, str | None],
    options: RiskRegisterOptions,
    *,
    shares: bool,
) -> dict[str, Any]:
    """One row typed. Raises _CellRefused at the first cell that breaks its rule."""
    item: dict[str, Any] = {}
    for name, text in cells.items():
        try:
            item[name] = _cell(entity, name, text, options)
        except CellError as error:
            raise _CellRefused(name, error) from None
    for name in ("id", "title"):
        if not item.get(name):
            raise _CellRefused(name, CellError("required", "is blank; every row needs one."))
    if entity is RISK:
        _complete(item, cells, options, shares=shares)
    return item


def _cell(entity: Entity, name: str, text: str | None, options: RiskRegisterOptions) -> Any:
    if text is None:
        return None
    if name == "id":
        return text.strip()
    if name == "version":
        if not text.strip().isdecimal() or int(text) < 1:
            raise CellError("version", f'"{text}" is not a version; leave the export\'s number.')
        return int(text)
    if name == "updated_at":
        return parse_instant(text, ZoneInfo(options.timezone))
    if name == "probability":
        return likelihood(text)[0]
    return tidy(value_of(entity[name], text, decimal=options.decimal))


def _complete(
    item: dict[str, Any],
    cells: Mapping[str, str | None],
    options: RiskRegisterOptions,
    *,
    shares: bool,
) -> None:
    """What a cell says about another field: "60 %", "USD 2,000,000", the options."""
    stated = cells.get("probability")
    if stated and item.get("probability_percent") is None:
        percent = likelihood(stated)[1]
        if percent is not None:
            item["probability_percent"] = percent
    if shares and item.get("probability_percent") is not None:
        item["probability_percent"] *= 100
    cost = cells.get("cost_impact")
    if cost and not item.get("currency"):
        item["currency"] = amount(cost, decimal=options.decimal)[1] or options.currency
    if options.program and not item.get("program"):
        item["program"] = options.program


def _say_what_was_inferred(table: _Table, options: RiskRegisterOptions) -> None:
    """Columns that no heading named but cells or options filled are said, too."""
    for name in ("probability_percent", "currency", "program"):
        if any(row.get(name) is not None for row in table.rows):
            table.present.add(name)


def _are_shares(sheet: Sheet, places: Mapping[str, list[int]]) -> bool:
    """Whether the percent column holds shares (0.3): all of it, never row by row.

    Our own export, told by its versions, always holds percentages.
    """
    positions = places.get("probability_percent")
    if not positions or places["version"]:
        return False
    texts = [text for row in sheet.rows if (text := row.cell(positions[0])) is not None]
    try:
        values = [Decimal(text) for text in texts]
    except ArithmeticError:
        return False
    return bool(values) and max(values) <= 1 and any(0 < value < 1 for value in values)


def _rejection(
    path: Path,
    sheet: Sheet,
    row: Row,
    places: Mapping[str, list[int]],
    refused: _CellRefused,
) -> Rejection:
    positions = places.get(refused.field) or []
    heading = sheet.headings[positions[0]] if positions else HEADINGS[refused.field].en
    where = f"{path.name}, row {row.number}, {heading}"
    raw = json.dumps(
        {
            heading: cell
            for heading, cell in zip(sheet.headings, row.cells, strict=False)
            if heading and cell is not None
        },
        ensure_ascii=False,
    )
    return Rejection(
        row.number, heading, refused.error.rule, f"{where}: {refused.error.message}", raw
    )


def _frame(table: _Table) -> pl.DataFrame:
    known = {
        **table.entity.frame_schema,
        "updated_at": INSTANT,
        "history": pl.String(),
        "source_row": pl.Int64(),
    }
    present = table.present | {"source_row"}
    if any("history" in row for row in table.rows):
        present |= {"history"}
    schema = {name: kind for name, kind in known.items() if name in present}
    return pl.DataFrame(
        {name: [row.get(name) for row in table.rows] for name in schema}, schema=schema
    )


def _columns(entity: Entity) -> dict[str, tuple[str, ...]]:
    return {name: HEADINGS[name].all for name in (*EXTRAS, *entity.names)}


def _known(entity: Entity) -> list[str]:
    return [spelling for names in _columns(entity).values() for spelling in names]


def _sheet_of(path: Path, table: str, given: str | None) -> str | int | None:
    """The sheet of a table; for risks the first one if none has the name."""
    if given is not None:
        return given
    spellings = {folded(name) for name in SHEETS[table].all}
    names = sheet_names(path)
    if path.suffix.lower() in (".xlsx", ".xlsm"):
        for name in names:
            if folded(name) in spellings:
                return name
    return 0 if table == "risk" else None


READERS = (RiskRegisterReader(),)
