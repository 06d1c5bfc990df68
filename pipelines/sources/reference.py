"""Reference tables that people keep: a workbook with a sheet each, or a CSV each."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Literal

import polars as pl

from config import nearest
from models.billing.rules import ACTION_COLUMNS, POOL_PREFIX, RuleProblem, rule_of
from models.reference import KEYS, TABLES
from models.table import Table
from pipelines.sources import FileRefused, MissingColumns, Options, ReadResult, Rejection
from pipelines.sources.reference_cells import CellRefused, read_cell
from pipelines.sources.reference_words import HEADINGS, TABLE_NAMES
from pipelines.tabular import Row, Sheet, folded, locate, read_sheet, sheet_names

_TABLES = {table.name: table for table in TABLES}
_NAMES = {folded(alias): name for name, more in TABLE_NAMES.items() for alias in (name, *more)}
_SUFFIXES = {".csv", ".tsv", ".txt", ".xlsx", ".xlsm"}
_NAMED = {"tenant": "tenant", "cluster": "cluster"}
"""Columns whose values another table must list."""


class ReferenceOptions(Options):
    """table: what a file of any name holds; found by its name or headings unless given.

    decimal: the mark in numbers, "," in many European files.
    """

    table: str | None = None
    decimal: Literal[".", ","] = "."


@dataclass
class _Found:
    """The rows of one sheet, and those put aside."""

    table: Table
    sheet: Sheet
    rows: list[dict[str, Any]] = field(default_factory=list)
    rejected: list[Rejection] = field(default_factory=list)


class ReferenceReader:
    """Tenants, clusters, rules, budgets, quotas, rates, accelerators, SLOs, programmes.

    Takes    a workbook (a sheet a table) or a text file (one table), named
             after the table or known by its headings; English or Chinese.
    Gives    the tables of models/reference.
    Rejects  a row with a blank that must be filled, a value that is not
             allowed, a key that an earlier row has, a tenant or cluster that
             the tables beside it do not list. A rule with one bad row is
             refused whole: without that condition it would take more.
    Raises   MissingColumns; FileRefused when no table can be recognised.
    """

    kind: ClassVar[str] = "reference"
    options: ClassVar[type[ReferenceOptions]] = ReferenceOptions

    def sniff(self, path: Path) -> bool:
        """A known table by name or headings (never raises on a strange file)."""
        try:
            return bool(_recognised(path, ReferenceOptions())[0])
        except (FileRefused, OSError):
            return False

    def read(self, path: Path, options: ReferenceOptions) -> ReadResult:
        """The tables of the file, tenants and clusters first."""
        sheets, notes = _recognised(path, options)
        if not sheets:
            raise FileRefused(
                path,
                "unknown_table",
                f"{path.name}: is none of the reference tables "
                f"({', '.join(sorted(_TABLES))}). Name the file or sheet after one, "
                'or set table = "..." for the source.',
            )
        known = _known_beside(path, options)
        tables: dict[str, pl.DataFrame] = {}
        rejected: list[Rejection] = []
        read = 0
        for name in (name for name in _TABLES if name in sheets):
            place = _place(path, sheets[name])
            found = _read_table(path, place, _TABLES[name], sheets[name], known, options)
            if name in KEYS:
                _refuse_repeated(found, place)
            if name == "allocation_rule":
                _join_rules(found, place, known)
            if name in _NAMED:
                known[name] = {row[name] for row in found.rows}
            schema = {**_TABLES[name].columns, "source_row": pl.Int64()}
            tables[name] = pl.DataFrame(found.rows, schema=schema, orient="row")
            rejected.extend(found.rejected)
            read += len(sheets[name].rows)
        return ReadResult(tables, rejected, read, tuple(notes))


def _recognised(path: Path, options: ReferenceOptions) -> tuple[dict[str, Sheet], list[str]]:
    """The sheets by the table they hold, and notes on those left out."""
    if options.table is not None and options.table not in _TABLES:
        raise FileRefused(
            path,
            "unknown_table",
            f'table "{options.table}" is unknown.{nearest(options.table, list(_TABLES))}',
        )
    found: dict[str, Sheet] = {}
    notes: list[str] = []
    names = sheet_names(path)
    for name in names:
        stem = Path(name).stem if len(names) == 1 else name
        table = options.table or _NAMES.get(folded(stem))
        headings = _aliases(table) if table else None
        try:
            sheet = read_sheet(path, sheet=name if _is_book(path) else None, headings=headings)
        except FileRefused as refused:
            if refused.rule != "empty" or len(names) == 1:
                raise
            continue
        table = table or _by_headings(sheet)
        if table is None:
            hint = nearest(stem, list(TABLE_NAMES))
            notes.append(f'sheet "{name}" is no reference table and was not read.{hint}')
        elif table in found:
            notes.append(f'sheet "{name}" was not read: "{found[table].name}" is {table} already')
        else:
            found[table] = sheet
    return found, notes


def _by_headings(sheet: Sheet) -> str | None:
    """The table that has all its necessary headings there, the one with most of them."""
    scores = {}
    for name, table in _TABLES.items():
        places = locate(sheet, HEADINGS[name])
        if all(places[column] for column in _necessary(table)):
            scores[name] = sum(bool(found) for found in places.values())
    return max(scores, key=lambda name: scores[name]) if scores else None


def _read_table(
    path: Path,
    place: str,
    table: Table,
    sheet: Sheet,
    known: Mapping[str, set[str]],
    options: ReferenceOptions,
) -> _Found:
    places = locate(sheet, HEADINGS[table.name])
    missing = [column for column in _necessary(table) if not places[column]]
    if missing:
        raise MissingColumns(
            path, missing, list(sheet.headings), f"The {table.name} table needs them."
        )
    found = _Found(table, sheet)
    for row in sheet.rows:
        values: dict[str, Any] = {"source_row": row.number}
        try:
            for column, dtype in table.columns.items():
                text = next(filter(None, (row.cell(position) for position in places[column])), None)
                values[column] = read_cell(table.name, column, dtype, text, options.decimal)
                _check_named(table.name, column, values[column], known)
                _check_filled(table, column, values[column])
        except CellRefused as refused:
            found.rejected.append(_rejection(place, row, refused.column, refused))
            values["__refused"] = True
        found.rows.append(values)
    if table.name != "allocation_rule":
        found.rows = [row for row in found.rows if "__refused" not in row]
    return found


def _check_filled(table: Table, column: str, value: object) -> None:
    needs = not table.schema.columns[column].nullable
    # A rule's further rows may leave out what its first row says.
    if value is None and needs and not _is_action(table, column):
        raise CellRefused(column, "blank", "is blank and must be filled")


def _check_named(table: str, column: str, value: object, known: Mapping[str, set[str]]) -> None:
    names = known.get(column)
    if value is None or names is None or column == table:
        return
    if value not in names and not (table == "allocation_rule" and column == "tenant"):
        raise CellRefused(
            column, "unknown", f'"{value}" is unknown.{nearest(str(value), sorted(names))}'
        )


def _refuse_repeated(found: _Found, place: str) -> None:
    seen: dict[tuple[Any, ...], int] = {}
    kept = []
    by_number = {row.number: row for row in found.sheet.rows}
    key = KEYS[found.table.name]
    for row in found.rows:
        values = tuple(row[column] for column in key)
        if values in seen:
            shown = ", ".join(str(value) for value in values if value is not None)
            refused = CellRefused(key[0], "repeated", f'"{shown}" is in row {seen[values]} already')
            found.rejected.append(_rejection(place, by_number[row["source_row"]], key[0], refused))
        else:
            seen[values] = row["source_row"]
            kept.append(row)
    found.rows = kept


def _join_rules(found: _Found, place: str, known: Mapping[str, set[str]]) -> None:
    """Rows of one rule agree and are whole, or the rule is refused with all of them."""
    versions: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    for row in found.rows:
        key = (row.get("rule"), row.get("valid_from"), row.get("valid_to"))
        versions.setdefault(key, []).append(row)
    bad_rules = {row.get("rule") for row in found.rows if "__refused" in row}
    by_number = {row.number: row for row in found.sheet.rows}
    kept: list[dict[str, Any]] = []
    for (name, *_), rows in versions.items():
        whole = [row for row in rows if "__refused" not in row]
        if name in bad_rules:
            problem = RuleProblem(str(name), "rule", "another row of the rule was refused")
        else:
            try:
                rule = rule_of(rows)
                _check_receivers(rule.name, rule.tenant, [share for share, _ in rule.shares], known)
                filled = {
                    column: next((row[column] for row in rows if row[column] is not None), None)
                    for column in ACTION_COLUMNS
                } | {"idle_policy": rule.idle_policy}
                kept.extend(row | filled for row in rows)
                continue
            except RuleProblem as caught:
                problem = caught
        for row in whole:
            refused = CellRefused(problem.column, "rule", problem.message)
            found.rejected.append(
                _rejection(place, by_number[row["source_row"]], problem.column, refused)
            )
    found.rows = sorted(kept, key=lambda row: row["source_row"])


def _check_receivers(
    rule: str, tenant: str | None, shares: Iterable[str], known: Mapping[str, set[str]]
) -> None:
    tenants = known.get("tenant")
    if tenants is None:
        return
    for column, name in [("tenant", tenant), *(("shares", share) for share in shares)]:
        if name is not None and not name.startswith(POOL_PREFIX) and name not in tenants:
            hint = nearest(name, sorted(tenants))
            raise RuleProblem(rule, column, f'"{name}" is unknown.{hint}')


def _known_beside(path: Path, options: ReferenceOptions) -> dict[str, set[str]]:
    """Tenants and clusters that files of the same folder list, for a file without them."""
    if _is_book(path):
        return {}
    found: dict[str, set[str]] = {}
    for sibling in sorted(path.parent.iterdir()):
        name = _NAMES.get(folded(sibling.stem))
        if name not in _NAMED or sibling == path or sibling.suffix.lower() not in _SUFFIXES:
            continue
        try:
            sheets, _ = _recognised(sibling, options.model_copy(update={"table": None}))
        except (FileRefused, OSError):
            continue
        if name in sheets:
            positions = locate(sheets[name], HEADINGS[name])[name]
            cells = (row.cell(positions[0]) for row in sheets[name].rows if positions)
            found.setdefault(name, set()).update(cell.strip() for cell in cells if cell)
    return found


def _necessary(table: Table) -> list[str]:
    return [name for name, column in table.schema.columns.items() if not column.nullable]


def _is_action(table: Table, column: str) -> bool:
    return table.name == "allocation_rule" and column in ACTION_COLUMNS


def _aliases(table: str) -> set[str]:
    return {alias for column, more in HEADINGS[table].items() for alias in (column, *more)}


def _is_book(path: Path) -> bool:
    return path.suffix.lower() in {".xlsx", ".xlsm"}


def _place(path: Path, sheet: Sheet) -> str:
    return f"{path.name}, sheet {sheet.name}" if _is_book(path) else path.name


def _rejection(place: str, row: Row, column: str, refused: CellRefused) -> Rejection:
    return Rejection(
        row.number,
        column,
        refused.rule,
        f"{place}, row {row.number}, {column}: {refused.message}",
        ",".join(cell or "" for cell in row.cells),
    )


READERS = (ReferenceReader(),)
