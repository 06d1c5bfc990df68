"""Small irregular tables as people export them: CSV, TSV and xlsx, as text by position.

Headings may repeat, stand below a preamble, or be written in another width or
case; cells keep their text until a reader parses them with the rules below.
Large files are read by DuckDB instead (pipelines/sources/focus.py and others).
"""

import csv
import gzip
import io
import re
import unicodedata
import zipfile
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal, InvalidOperation
from pathlib import Path
from zoneinfo import ZoneInfo

import openpyxl
from openpyxl.utils.exceptions import InvalidFileException

from pipelines.sources import FileRefused

NULL_WORDS = {"", "null", "none", "n/a", "na", "nan", "-", "#n/a"}
PREAMBLE_LINES = 30
"""How far down a heading row is looked for."""

_BOMS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"))
_WORKBOOKS = {".xlsx", ".xlsm"}


class CellError(ValueError):
    """A cell that breaks a rule; the reader adds file, row and column."""

    def __init__(self, rule: str, message: str) -> None:
        super().__init__(message)
        self.rule = rule
        self.message = message


@dataclass(frozen=True)
class Row:
    """One data row; `number` as the user's editor or spreadsheet counts it."""

    number: int
    cells: tuple[str | None, ...]

    def cell(self, position: int | None) -> str | None:
        """The text at a position; None beyond the row's end or for no position."""
        if position is None or position >= len(self.cells):
            return None
        return self.cells[position]


@dataclass(frozen=True)
class Sheet:
    """A table as text: headings by position (they may repeat) and its rows."""

    name: str
    headings: tuple[str, ...]
    rows: tuple[Row, ...]


def decode(path: Path) -> str:
    """The file's text, unpacked if gzip or zip.

    Order: byte order mark, strict UTF-8, GB18030 (a superset of GBK), never
    with replacement characters. Raises FileRefused when none fits.
    """
    data = unpack(path)
    for mark, encoding in _BOMS:
        if data.startswith(mark):
            return _strict(path, data, "utf-8-sig" if encoding == "utf-8" else encoding)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return _strict(path, data, "gb18030")


def unpack(path: Path) -> bytes:
    """The file's bytes; a .gz or a .zip of one file is opened."""
    try:
        data = path.read_bytes()
        if data[:2] == b"\x1f\x8b":
            return gzip.decompress(data)
        if data[:4] == b"PK\x03\x04" and path.suffix.lower() == ".zip":
            with zipfile.ZipFile(io.BytesIO(data)) as archive:
                names = [n for n in archive.namelist() if not n.endswith("/")]
                if len(names) != 1:
                    raise FileRefused(
                        path,
                        "archive",
                        f"{path.name}: the archive holds {len(names)} files; pack one per archive.",
                    )
                return archive.read(names[0])
    except (OSError, EOFError, zipfile.BadZipFile) as error:
        raise FileRefused(
            path, "unreadable", f"{path.name}: cannot be read ({error}). Export it again."
        ) from error
    return data


def sheet_names(path: Path) -> list[str]:
    """The sheets of a workbook; a text file is one sheet named after the file."""
    if path.suffix.lower() not in _WORKBOOKS:
        return [path.stem]
    return list(_workbook(path).sheetnames)


def read_sheet(
    path: Path,
    *,
    sheet: str | int | None = None,
    delimiter: str | None = None,
    headings: Collection[str] | None = None,
) -> Sheet:
    """A text file or one sheet of a workbook as text cells.

    sheet: name or position in a workbook; the first unless given.
    delimiter: of a text file; found among comma, semicolon, tab and bar unless given.
    headings: known heading names; the heading row is the first of the top
        lines that holds most of them (at least one). Without them it is the
        first row that is not blank.
    Blank rows are left out. Raises FileRefused for an unreadable or empty file.
    """
    if path.suffix.lower() in _WORKBOOKS:
        name, rows = _workbook_rows(path, sheet)
    else:
        name, rows = path.stem, _text_rows(path, delimiter)
    filled = [row for row in rows if any(cell is not None for cell in row.cells)]
    if not filled:
        raise FileRefused(path, "empty", f"{path.name}: holds no rows. Export it again.")
    start = _heading_position(filled, headings)
    titles = tuple((cell or "").strip() for cell in filled[start].cells)
    return Sheet(name, titles, tuple(filled[start + 1 :]))


def folded(text: str) -> str:
    """A heading as it is compared: width, case, blanks and punctuation do not matter."""
    plain = unicodedata.normalize("NFKC", text).casefold()
    return re.sub(r"[\s_\-./]+", "", plain)


def locate(sheet: Sheet, columns: Mapping[str, Collection[str]]) -> dict[str, list[int]]:
    """The positions of each field's heading, under any of its aliases.

    A field without a heading has an empty list; a repeated heading has several.
    """
    places: dict[str, list[int]] = {field: [] for field in columns}
    known = {folded(a): field for field, names in columns.items() for a in (field, *names)}
    for position, title in enumerate(sheet.headings):
        field = known.get(folded(title))
        if field is not None:
            places[field].append(position)
    return places


def parse_decimal(text: str, *, decimal: str = ".") -> Decimal:
    """An exact number; thousands separators are taken only where they stand right."""
    plain = unicodedata.normalize("NFKC", text).strip().replace("\u00a0", " ")
    other = "," if decimal == "." else "."
    if other in plain or " " in plain:
        groups = rf"[+-]?\d{{1,3}}([{other} ]\d{{3}})+({re.escape(decimal)}\d*)?"
        if not re.fullmatch(groups, plain):
            raise CellError(
                "number",
                f'"{text}" is not a number. If the file uses decimal commas, '
                'set decimal = "," for the source.',
            )
        plain = plain.replace(other, "").replace(" ", "")
    try:
        value = Decimal(plain.replace(decimal, "."))
    except InvalidOperation:
        raise CellError("number", f'"{text}" is not a number.') from None
    if not value.is_finite():
        raise CellError("number", f'"{text}" is not a finite number.')
    return value


def parse_date(text: str) -> date:
    """A day written year first: 2026-11-30, 2026/11/30, 2026.11.30, 2026年11月30日."""
    plain = unicodedata.normalize("NFKC", text).strip()
    found = re.fullmatch(
        r"(\d{4})[-/.年](\d{1,2})[-/.月](\d{1,2})日?(?:[T ]00:00(?::00(?:\.0+)?)?)?", plain
    )
    if not found:
        raise CellError("date", f'"{text}" is not a date; write it as 2026-11-30.')
    try:
        return date(*(int(part) for part in found.groups()))
    except ValueError:
        raise CellError("date", f'"{text}" is not a day of the calendar.') from None


_MINUTES = re.compile(
    r"(\d{4})[-/.年](\d{1,2})[-/.月](\d{1,2})日?[T ]*"
    r"(\d{1,2})[:时](\d{1,2})(?:[:分](\d{1,2}))?[分秒]?"
)


def parse_instant(text: str, zone: ZoneInfo) -> datetime:
    """An instant in UTC; a time without a zone is of `zone`, a date is its midnight there.

    Besides ISO 8601 as spreadsheets write it: 2026/4/1 9:05, 2026年4月1日 9:05.
    """
    plain = unicodedata.normalize("NFKC", text).strip()
    try:
        if found := _MINUTES.fullmatch(plain):
            year, month, day, hour, minute, second = map(int, found.groups(default="0"))
            moment = datetime(year, month, day, hour, minute, second)
        else:
            moment = datetime.fromisoformat(plain.replace("/", "-"))
    except ValueError:
        midnight = parse_date(text)
        moment = datetime(midnight.year, midnight.month, midnight.day)
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=zone)
    return moment.astimezone(ZoneInfo("UTC"))


_TRUE = {"true", "yes", "y", "1", "是"}
_FALSE = {"false", "no", "n", "0", "否"}


def parse_bool(text: str) -> bool:
    """Yes or no, in English, Chinese or digits."""
    word = unicodedata.normalize("NFKC", text).strip().casefold()
    if word in _TRUE or word in _FALSE:
        return word in _TRUE
    raise CellError("boolean", f'"{text}" is neither yes nor no.')


def _strict(path: Path, data: bytes, encoding: str) -> str:
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        raise FileRefused(
            path,
            "encoding",
            f"{path.name}: byte {error.start} fits neither UTF-8 nor GBK. Save it as UTF-8.",
        ) from None


def _cell(text: str | None) -> str | None:
    if text is None or text.strip().casefold() in NULL_WORDS:
        return None
    return text


def _text_rows(path: Path, delimiter: str | None) -> list[Row]:
    text = decode(path)
    chosen = delimiter or _delimiter(text)
    csv.field_size_limit(16 * 1024 * 1024)
    lines = csv.reader(io.StringIO(text, newline=""), delimiter=chosen)
    rows = []
    try:
        for cells in lines:
            # csv counts physical lines; a record's number is that of its first line.
            span = sum(cell.count("\n") for cell in cells)
            rows.append(Row(lines.line_num - span, tuple(_cell(c) for c in cells)))
    except csv.Error as error:
        raise FileRefused(
            path,
            "csv",
            f"{path.name}, row {lines.line_num}: not readable as CSV ({error}). Export it again.",
            lines.line_num,
        ) from None
    return rows


def _delimiter(text: str) -> str:
    head = text[:20_000].splitlines()[:PREAMBLE_LINES]
    return max(",;\t|", key=lambda mark: max((line.count(mark) for line in head), default=0))


def _workbook(path: Path) -> openpyxl.Workbook:
    try:
        return openpyxl.load_workbook(path, data_only=True)
    except (InvalidFileException, zipfile.BadZipFile, KeyError, OSError, ValueError) as error:
        raise FileRefused(
            path, "workbook", f"{path.name}: not a readable xlsx workbook. Save it again as .xlsx."
        ) from error


def _workbook_rows(path: Path, sheet: str | int | None) -> tuple[str, list[Row]]:
    book = _workbook(path)
    names = book.sheetnames
    if isinstance(sheet, str) and sheet not in names:
        raise FileRefused(
            path, "sheet", f'{path.name}: no sheet "{sheet}" (found {", ".join(names)}).'
        )
    name = sheet if isinstance(sheet, str) else names[sheet or 0]
    page = book[name]
    merged = {
        (row, column): (area.min_row, area.min_col)
        for area in page.merged_cells.ranges
        for row in range(area.min_row, area.max_row + 1)
        for column in range(area.min_col, area.max_col + 1)
    }
    rows = []
    for number, cells in enumerate(page.iter_rows(), start=1):
        values = []
        for column, cell in enumerate(cells, start=1):
            home = merged.get((number, column))
            values.append(_cell(_as_text(page.cell(*home).value if home else cell.value)))
        rows.append(Row(number, tuple(values)))
    return name, rows


def _as_text(value: object) -> str | None:
    if value is None:
        return None
    if isinstance(value, datetime):
        midnight = (value.hour, value.minute, value.second) == (0, 0, 0)
        return value.date().isoformat() if midnight else value.isoformat(sep=" ")
    if isinstance(value, float):
        return repr(value) if not value.is_integer() else str(int(value))
    return str(value)


def _heading_position(rows: list[Row], known: Collection[str] | None) -> int:
    if not known:
        return 0
    names = {folded(name) for name in known}
    scores = [
        len({folded(cell) for cell in row.cells if cell} & names) for row in rows[:PREAMBLE_LINES]
    ]
    return scores.index(max(scores)) if max(scores) else 0
