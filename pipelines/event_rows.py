"""Rows of an event log (incidents, maintenance) as fields, each refusal with its reason.

What the two readers share: find the columns, walk the rows, parse instants and
counts, and put a row that breaks a rule aside whole.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar
from zoneinfo import ZoneInfo

from pydantic import field_validator

from pipelines.sources import FileRefused, MissingColumns, Options, Rejection
from pipelines.tabular import (
    CellError,
    Row,
    Sheet,
    locate,
    parse_decimal,
    parse_instant,
    read_sheet,
)

Columns = Mapping[str, tuple[str, ...]]
Value = TypeVar("Value")

OPEN_WORDS = {"ongoing", "open", "unresolved", "进行中", "未结束", "未恢复", "处理中"}
"""How people write that an event is not over yet, besides leaving the cell blank."""


class EventOptions(Options):
    """sheet: of a workbook, by name; the first unless given. delimiter: of a text file."""

    sheet: str | None = None
    delimiter: str | None = None

    @field_validator("delimiter")
    @classmethod
    def _one_character(cls, value: str | None) -> str | None:
        if value is not None and len(value) != 1:
            raise ValueError("must be one character")
        return value


class RowRefused(Exception):
    """A row that breaks a rule: the column at fault, the rule, what to do."""

    def __init__(self, column: str, rule: str, message: str) -> None:
        super().__init__(message)
        self.column = column
        self.rule = rule
        self.message = message


@dataclass(frozen=True)
class Cells:
    """One row by field; every accessor raises RowRefused naming the user's own heading."""

    row: Row
    places: Mapping[str, list[int]]
    headings: tuple[str, ...]
    zone: ZoneInfo

    def heading(self, name: str) -> str:
        """The column as the file calls it."""
        return self.headings[self.places[name][0]] if self.places[name] else name

    def text(self, name: str) -> str | None:
        """The trimmed text, None where blank or without a column."""
        found = self.row.cell(self.places[name][0]) if self.places[name] else None
        return (found or "").strip() or None

    def required(self, name: str, advice: str) -> str:
        """The text; a blank is refused."""
        found = self.text(name)
        if found is None:
            raise RowRefused(self.heading(name), "blank", f"is blank. {advice}")
        return found

    def instant(self, name: str, advice: str) -> datetime:
        """The instant in UTC; a blank is refused."""
        return self._parsed(
            name, self.required(name, advice), lambda text: parse_instant(text, self.zone)
        )

    def end(self, start: datetime) -> datetime | None:
        """When the event ended; None while it is open.

        A row that stops before its end column is refused: a line cut off while
        a file was copied would otherwise read as an outage that never ended.
        """
        if self.places["end"][0] >= len(self.row.cells):
            raise RowRefused(
                self.heading("end"), "truncated", "the row stops before this column. Export again."
            )
        text = self.text("end")
        if text is None or text.casefold() in OPEN_WORDS:
            return None
        end = self._parsed("end", text, lambda text: parse_instant(text, self.zone))
        if end < start:
            raise RowRefused(
                self.heading("end"),
                "end_before_start",
                f'"{text}" is before the start "{self.text("start")}". Correct one of them; '
                "while an event is open, leave its end blank.",
            )
        return end

    def count(self, name: str) -> int | None:
        """A whole number above zero, None where blank."""
        text = self.text(name)
        if text is None:
            return None
        value = self._parsed(name, text, parse_decimal)
        if value <= 0 or value != value.to_integral_value():
            raise RowRefused(
                self.heading(name),
                "count",
                f'"{text}" is not a whole number above zero. Leave it blank when all are meant.',
            )
        return int(value)

    def _parsed(self, name: str, text: str, parse: Callable[[str], Value]) -> Value:
        try:
            return parse(text)
        except CellError as error:
            raise RowRefused(self.heading(name), error.rule, error.message) from None


@dataclass
class EventRows:
    """What one log gave: rows by contract column with `source_row`, and refusals."""

    rows: list[dict[str, Any]] = field(default_factory=list)
    rejected: list[Rejection] = field(default_factory=list)
    notes: tuple[str, ...] = ()

    @property
    def rows_read(self) -> int:
        """Data rows of the file, accepted or not."""
        return len(self.rows) + len(self.rejected)


def read_events(
    path: Path,
    options: EventOptions,
    columns: Columns,
    required: Iterable[str],
    advice: str,
    parse: Callable[[Cells], dict[str, Any]],
) -> EventRows:
    """Every row of the log through `parse`.

    Raises MissingColumns with `advice` when a required field has no heading.
    """
    sheet = _sheet(path, options, columns)
    places = locate(sheet, columns)
    missing = [name for name in required if not places[name]]
    if missing:
        raise MissingColumns(path, missing, list(sheet.headings), advice)
    found = EventRows(notes=_ignored(sheet, places))
    zone = ZoneInfo(options.timezone)
    for row in sheet.rows:
        try:
            parsed = parse(Cells(row, places, sheet.headings, zone))
        except RowRefused as refusal:
            found.rejected.append(
                Rejection(row.number, refusal.column, refusal.rule, refusal.message, _raw(row))
            )
        else:
            found.rows.append({**parsed, "source_row": row.number})
    return found


def has_columns(path: Path, columns: Columns, required: Iterable[str]) -> bool:
    """Whether the file's headings name every required field; never raises."""
    try:
        places = locate(_sheet(path, EventOptions(), columns), columns)
    except (FileRefused, OSError):
        return False
    return all(places[name] for name in required)


def _sheet(path: Path, options: EventOptions, columns: Columns) -> Sheet:
    known = {alias for name, aliases in columns.items() for alias in (name, *aliases)}
    return read_sheet(path, sheet=options.sheet, delimiter=options.delimiter, headings=known)


def _ignored(sheet: Sheet, places: Mapping[str, list[int]]) -> tuple[str, ...]:
    used = {position for found in places.values() for position in found}
    unknown = [h for i, h in enumerate(sheet.headings) if h and i not in used]
    if not unknown:
        return ()
    return (f"columns not used: {', '.join(unknown)}",)


def _raw(row: Row) -> str:
    return ",".join(cell or "" for cell in row.cells)
