"""The face that every source format shows, and the register of formats.

A new format is one module in this package with a class `Reader`-shaped and
listed in its `READERS`; nothing else has to know about it.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Any, ClassVar, Protocol

import duckdb
import polars as pl
from pydantic import BaseModel, ConfigDict


class Options(BaseModel):
    """Options every source has; each kind adds its own, unknown ones are refused.

    timezone: zone of times written without one; the configured zone unless said.
    currency: currency of money written without one.
    parts: the files of one folder are parts of one delivery, which replaces
        what earlier deliveries said; otherwise each file is a delivery.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    timezone: str = "UTC"
    currency: str = "USD"
    parts: bool = False


@dataclass(frozen=True)
class Rejection:
    """One refused row, kept whole. `row` None: the file as a whole."""

    row: int | None
    column: str | None
    rule: str
    message: str
    raw: str | None = None


class Refused(Protocol):
    """What a refused row says, whoever refused it."""

    @property
    def row(self) -> int | None: ...
    @property
    def column(self) -> str | None: ...
    @property
    def rule(self) -> str: ...
    @property
    def message(self) -> str: ...
    @property
    def raw(self) -> str | None: ...


@dataclass(frozen=True)
class Select:
    """Rows that DuckDB reads itself, without a frame in between.

    sql: one select over `views` giving the table's contract columns and
        `source_row` (for `rejected`: row, column, rule, message, raw).
    views: temporary views to create first, by name.
    """

    sql: str
    views: Mapping[str, Callable[[duckdb.DuckDBPyConnection], duckdb.DuckDBPyRelation]]
    parameters: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class ReadResult:
    """What one file gave.

    tables: by table name, a frame or Select of contract columns + `source_row`.
    rejected: refused rows; every row read is in a table or here.
    rows_read: data rows in the file; None when only the engine will know.
    notes: sentences the load's record keeps (digits rounded, columns ignored).
    """

    tables: Mapping[str, pl.DataFrame | Select]
    rejected: Iterable[Rejection] | Select = ()
    rows_read: int | None = None
    notes: tuple[str, ...] = ()


class FileRefused(Exception):
    """A file that cannot be read as its source's kind: what, where, what to do."""

    def __init__(self, path: Path, rule: str, message: str, row: int | None = None) -> None:
        super().__init__(message)
        self.path = path
        self.rule = rule
        self.message = message
        self.row = row


class MissingColumns(FileRefused):
    """A heading the format requires is not there."""

    def __init__(self, path: Path, missing: list[str], found: list[str], advice: str) -> None:
        names = ", ".join(missing)
        shown = ", ".join(found[:12]) + (" ..." if len(found) > 12 else "")
        word = "column" if len(missing) == 1 else "columns"
        super().__init__(
            path, "missing_columns", f"{path.name}: no {word} {names} (found {shown}). {advice}"
        )
        self.missing = missing
        self.found = found


class Reader(Protocol):
    """One source format."""

    kind: ClassVar[str]
    options: ClassVar[type[Options]]

    def sniff(self, path: Path) -> bool:
        """Whether the file looks like this format (never raises on a strange file)."""

    def read(self, path: Path, options: Any) -> ReadResult:
        """The file's rows under the contracts, and those refused.

        Raises FileRefused when the file as a whole cannot be read.
        """


@cache
def readers() -> dict[str, Reader]:
    """Every known reader by its kind."""
    found: dict[str, Reader] = {}
    for info in iter_modules(__path__):
        for reader in getattr(import_module(f"{__name__}.{info.name}"), "READERS", ()):
            found[reader.kind] = reader
    return dict(sorted(found.items()))
