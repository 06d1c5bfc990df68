"""Bring a large table of any encoding, delimiter and packing down to text in Parquet.

The engine parses the file once, on all cores; what is asked of it afterwards
(totals, dates, refused rows, good rows) reads Parquet. Numbering the rows while
parsing instead would hold the engine to one core (measured: 1.9 times slower at
1 M rows), and reading 1 M rows again from this Parquet takes 0.1 s for the
columns a check needs. Row groups are small because they bound its memory
(measured: 570 MB against 850 MB).
"""

import codecs
import csv
import gzip
import io
import shutil
import tempfile
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

import duckdb
from duckdb import CaseExpression, ColumnExpression, ConstantExpression, FunctionExpression

from pipelines.sources import FileRefused
from pipelines.tabular import PREAMBLE_LINES

HEAD_BYTES = 256 * 1024
ROW_GROUP = 20_480
NULL_WORDS = ["", "NULL", "null", "Null", "None", "none", "N/A", "n/a", "(null)", "\\N", "#N/A"]
DELIMITERS = ",;\t|"
BROKEN = "broken"
"""Landing column: why a row does not have the file's columns; null for a whole row."""

_VARCHAR = duckdb.sqltype("VARCHAR")


@dataclass
class Layout:
    """How a file is to be read. skip: lines up to and with the heading."""

    headings: list[str]
    is_parquet: bool = False
    encoding: str = "utf-8"
    delimiter: str = ","
    skip: int = 0


@dataclass
class Landing:
    """The file as text in Parquet; the folder goes when the last user does.

    first_row: number of the first data row, as a spreadsheet counts.
    """

    path: Path
    first_row: int
    folder: tempfile.TemporaryDirectory[str] = field(repr=False)


def layout_of(path: Path, known: Callable[[str], bool], delimiter: str | None = None) -> Layout:
    """Encoding, delimiter and heading row of a file, from its head.

    known: whether a heading is one the format has; the heading row is the one
        of the first lines with most of them.
    Raises FileRefused for a file that is empty or no table.
    """
    with _opened(path) as stream:
        data = stream.read(HEAD_BYTES)
    if not data.strip():
        raise FileRefused(path, "empty", f"{path.name}: the file is empty. Export it again.")
    if data[:4] == b"PAR1":
        return Layout(_parquet_headings(path), is_parquet=True)
    encoding = _encoding_of_head(data)
    lines = data.decode(encoding, errors="ignore").splitlines(keepends=True)[:PREAMBLE_LINES]
    best = (-1, 0, Layout([], encoding=encoding))
    for mark in delimiter or DELIMITERS:
        for number, cells in _heading_candidates(lines, mark):
            score = sum(known(cell) for cell in cells)
            if (score, len(cells)) > best[:2]:
                best = (score, len(cells), Layout(cells, False, encoding, mark, number))
    return best[2]


def land(path: Path, layout: Layout, names: Mapping[int, str], wanted: list[str]) -> Landing:
    """The file's rows, in order, as text.

    names: position of each column to keep, and its name in the landing.
    wanted: names the landing has in any case, null where the file lacks them.
    Raises FileRefused when the file cannot be read.
    """
    folder = tempfile.TemporaryDirectory(prefix="quartermaster-")
    target = Path(folder.name) / "landing.parquet"
    first_row = 2 if layout.is_parquet else layout.skip + 1
    connection = duckdb.connect()
    try:
        if layout.is_parquet:
            _write(_parquet_rows(connection, path, layout, names), names, wanted, target)
            return Landing(target, first_row, folder)
        plain = _plain_file(path, layout, Path(folder.name))
        try:
            if plain is None:
                raise duckdb.InvalidInputException("needs another encoding")
            rows = _csv_rows(connection, plain, layout, [])
            _write(rows, names, wanted, target)
        except (duckdb.InvalidInputException, duckdb.ConversionException):
            # A ragged or cut row, mixed line ends, bytes that are not UTF-8: row by row.
            mended = Path(folder.name) / "mended.csv"
            _mend(path, layout, mended)
            even = Layout(layout.headings, skip=0)
            rows = _csv_rows(connection, mended, even, [BROKEN])
            _write(rows, {**names, len(layout.headings): BROKEN}, wanted, target)
            mended.unlink()
    except duckdb.Error as error:
        first = str(error).splitlines()[0]
        raise FileRefused(path, "unreadable", f"{path.name}: cannot be read ({first}).") from error
    finally:
        connection.close()
    return Landing(target, first_row, folder)


def _write(
    rows: duckdb.DuckDBPyRelation, names: Mapping[int, str], wanted: list[str], target: Path
) -> None:
    columns = rows.columns
    kept = {name: ColumnExpression(columns[position]) for position, name in names.items()}
    absent = ConstantExpression(None).cast(_VARCHAR)
    chosen = [kept.get(name, absent).alias(name) for name in dict.fromkeys([*wanted, *kept])]
    rows.select(*chosen).write_parquet(
        str(target), compression="uncompressed", row_group_size=ROW_GROUP
    )


def _csv_rows(
    connection: duckdb.DuckDBPyConnection, path: Path, layout: Layout, more: list[str]
) -> duckdb.DuckDBPyRelation:
    names = [f"c{position}" for position in range(len(layout.headings))] + more
    return connection.read_csv(
        str(path),
        header=False,
        skiprows=layout.skip,
        delimiter=layout.delimiter,
        quotechar='"',
        escapechar='"',
        auto_detect=False,
        all_varchar=True,
        na_values=NULL_WORDS,
        columns=dict.fromkeys(names, "VARCHAR"),
        compression="gzip" if _magic(path) == b"\x1f\x8b" else "none",
    )


def _parquet_rows(
    connection: duckdb.DuckDBPyConnection, path: Path, layout: Layout, names: Mapping[int, str]
) -> duckdb.DuckDBPyRelation:
    """Every column as text: maps and structs as JSON, words for nothing as null."""
    rows = connection.read_parquet(str(path))
    nothing = [ConstantExpression(word) for word in NULL_WORDS]
    chosen = []
    for name, kind in zip(rows.columns, rows.types, strict=True):
        column = ColumnExpression(name)
        if kind.id in ("map", "struct", "list"):
            column = FunctionExpression("to_json", column)
        text = column.cast(_VARCHAR)
        absent = ConstantExpression(None).cast(_VARCHAR)
        chosen.append(CaseExpression(text.isin(*nothing), absent).otherwise(text).alias(name))
    return rows.select(*chosen)


def _parquet_headings(path: Path) -> list[str]:
    connection = duckdb.connect()
    try:
        return list(connection.read_parquet(str(path)).columns)
    except duckdb.Error as error:
        first = str(error).splitlines()[0]
        raise FileRefused(path, "unreadable", f"{path.name}: cannot be read ({first}).") from error
    finally:
        connection.close()


def _plain_file(path: Path, layout: Layout, folder: Path) -> Path | None:
    """A file the engine reads itself; None where the text must be recoded first."""
    if layout.encoding not in ("utf-8", "utf-8-sig"):
        return None
    if _magic(path) != b"PK":
        return path
    unpacked = folder / "unpacked.csv"
    with _opened(path) as stream, unpacked.open("wb") as target:
        shutil.copyfileobj(stream, target)
    return unpacked


def _mend(path: Path, layout: Layout, target: Path) -> None:
    """Write the data rows as UTF-8 with one more column: why a row is not whole."""
    width = len(layout.headings)
    encoding = _encoding_of_all(path, layout.encoding)
    with (
        _opened(path) as stream,
        target.open("w", encoding="utf-8", newline="") as out,
    ):
        csv.field_size_limit(64 * 1024 * 1024)
        writer = csv.writer(out, lineterminator="\n")
        lines: Iterator[str] = io.TextIOWrapper(stream, encoding=encoding, newline="")
        for _ in range(layout.skip):
            next(lines, None)
        for record, is_cut in _records(lines):
            if not record.strip():
                continue
            cells = next(csv.reader([record], delimiter=layout.delimiter), [])
            while len(cells) > width and not cells[-1].strip():
                cells.pop()
            why = ""
            if is_cut:
                why = "is cut off inside a quoted cell"
            elif len(cells) != width:
                why = f"holds {len(cells)} cells under {width} headings"
            padded = (cells + [""] * width)[:width]
            writer.writerow([*padded, why])


def _records(lines: Iterator[str]) -> Iterator[tuple[str, bool]]:
    """Lines joined while a quote is open; a quote that never closes costs one line only."""
    held: list[str] = []
    quotes = 0
    for line in lines:
        held.append(line)
        quotes += line.count('"')
        if quotes % 2 == 0:
            yield "".join(held).rstrip("\r\n"), False
            held, quotes = [], 0
    if held:
        yield held[0].rstrip("\r\n"), True
        yield from _records(iter(held[1:]))


def _encoding_of_head(data: bytes) -> str:
    """What the first bytes say; whether the rest agrees is seen while it is read."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "utf-16"
    if data.startswith(b"\xef\xbb\xbf"):
        return "utf-8-sig"
    return "utf-8" if _decodes("utf-8", [data]) else "gb18030"


def _encoding_of_all(path: Path, guess: str) -> str:
    """The guess, or GB18030 (a superset of GBK) where the guess fails further down."""
    for encoding in (guess, "gb18030"):
        with _opened(path) as stream:
            if _decodes(encoding, iter(lambda: stream.read(1 << 20), b"")):
                return encoding
    raise FileRefused(
        path, "encoding", f"{path.name}: neither UTF-8 nor GBK text. Save the file as UTF-8."
    )


def _decodes(encoding: str, blocks: Iterable[bytes]) -> bool:
    decoder = codecs.getincrementaldecoder(encoding)()
    try:
        for block in blocks:
            decoder.decode(block)
    except UnicodeDecodeError:
        return False
    return True


def _heading_candidates(lines: list[str], mark: str) -> Iterator[tuple[int, list[str]]]:
    reader = csv.reader(lines, delimiter=mark)
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells):
                yield reader.line_num, [cell.strip().lstrip("\ufeff") for cell in cells]
    except csv.Error:
        return


def _magic(path: Path) -> bytes:
    with path.open("rb") as stream:
        return stream.read(2)


@contextmanager
def _opened(path: Path) -> Iterator[BinaryIO]:
    """The file's bytes, unpacked if it is gzip or a zip of one file."""
    try:
        magic = _magic(path)
        if magic == b"\x1f\x8b":
            with gzip.open(path, "rb") as stream:
                yield stream  # type: ignore[misc]
        elif magic == b"PK":
            with zipfile.ZipFile(path) as archive:
                names = [name for name in archive.namelist() if not name.endswith("/")]
                if len(names) != 1:
                    raise FileRefused(
                        path,
                        "archive",
                        f"{path.name}: holds {len(names)} files. Pack one export per archive.",
                    )
                with archive.open(names[0]) as stream:
                    yield stream  # type: ignore[misc]
        else:
            with path.open("rb") as stream:
                yield stream
    except (OSError, EOFError, zipfile.BadZipFile) as error:
        raise FileRefused(
            path, "unreadable", f"{path.name}: cannot be read ({error}). Export it again."
        ) from error
