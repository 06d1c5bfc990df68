"""What a table of the lake looks like, and which earlier rows a new row replaces.

A contract is a Pandera schema; the lake's columns are derived from it, so a
table has one definition. Readers deliver the contract's columns and
`source_row`; the loader adds `source`, `load_id` and `source_file`.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module

import pandera.polars as pa
import polars as pl

MONEY = pl.Decimal(38, 18)
"""Money and prices: native bills carry up to 27 decimals (METRICS section 4)."""

INSTANT = pl.Datetime("us", "UTC")

LINEAGE: dict[str, type[pl.DataType] | pl.DataType] = {
    "source": pl.String(),
    "load_id": pl.Int64(),
    "source_file": pl.String(),
    "source_row": pl.Int64(),
}
"""Where a fact row comes from; the row counts as a spreadsheet does, heading = 1."""

CONTRACT_MODULES = (
    "models.reference",
    "models.billing.contracts",
    "models.cluster.contracts",
    "models.program.contracts",
    "models.service.contracts",
)


@dataclass(frozen=True)
class Table:
    """A table of the lake.

    replaces: columns (lineage allowed); a load removes every earlier row that
        shares their values with one of its new rows. Empty: the table has a
        rule of its own (cost_line: pipelines/sql/cost_line_superseded.sql).
    event_time: the column that says how far in time the table's data reaches.
    """

    name: str
    schema: pa.DataFrameSchema
    replaces: tuple[str, ...]
    event_time: str | None = None

    @property
    def columns(self) -> dict[str, pl.DataType]:
        """Contract columns and their Polars types, without lineage."""
        return {name: column.dtype.type for name, column in self.schema.columns.items()}


def tables() -> dict[str, Table]:
    """Every table that a reader may fill, by name."""
    return {table.name: table for table in _declared()}


def _declared() -> Iterator[Table]:
    for module in CONTRACT_MODULES:
        yield from import_module(module).TABLES
