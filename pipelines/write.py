"""Put one file's rows into the lake: facts, refusals, and what they supersede.

Everything here runs inside the load's transaction on the loader's cursor.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

import duckdb
import pandera.errors
import polars as pl

from models.table import Table, tables
from pipelines.sources import FileRefused, ReadResult, Refused, Rejection, Select

_SQL = Path(__file__).parent / "sql"

REJECTION_SCHEMA = {
    "row": pl.Int64,
    "column": pl.String,
    "rule": pl.String,
    "message": pl.String,
    "raw": pl.String,
}


@dataclass(frozen=True)
class Origin:
    """The lineage of the rows being written."""

    source: str
    load_id: int
    file: str


@dataclass
class Written:
    """What one file put into the lake.

    accepted: rows by table. records: frames for tables the lake does not have
        (the risk register), of which `recorded` rows were kept.
    is_refused: nothing of the file was taken.
    """

    accepted: dict[str, int] = field(default_factory=dict)
    rejected: pl.DataFrame = field(default_factory=lambda: pl.DataFrame(schema=REJECTION_SCHEMA))
    records: dict[str, pl.DataFrame] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    is_refused: bool = False
    recorded: int = 0

    @classmethod
    def refused(cls, reasons: Iterable[Refused]) -> "Written":
        """A file refused as a whole."""
        written = cls(is_refused=True)
        written.reject(reasons)
        return written

    def reject(self, more: Iterable[Refused]) -> None:
        """Add refused rows."""
        self.rejected = pl.concat([self.rejected, rejection_frame(more)])

    @property
    def kept(self) -> int:
        """Rows taken, in the lake and in records."""
        return sum(self.accepted.values()) + self.recorded

    @property
    def read(self) -> int:
        """Data rows of the file, taken or refused."""
        return self.kept + self.rejected.filter(pl.col("row").is_not_null()).height


def write_file(
    cursor: duckdb.DuckDBPyConnection, origin: Origin, path: Path, result: ReadResult
) -> Written:
    """Insert a file's good rows and return them counted, with its refused rows.

    Raises FileRefused when a reader breaks a contract.
    """
    written = Written(notes=result.notes)
    for name, content in result.tables.items():
        table = tables().get(name)
        if table is None and isinstance(content, pl.DataFrame):
            written.records[name] = content
            continue
        if table is None:
            raise FileRefused(path, "table", f"{path.name}: no table {name} in the lake")
        if isinstance(content, Select):
            written.accepted[name] = _insert_select(cursor, table, origin, content)
        else:
            good, bad = _checked(table, content, path)
            written.reject(bad)
            written.accepted[name] = _insert_frame(cursor, table, origin, good)
    if isinstance(result.rejected, Select):
        if result.rows_read is None or result.rows_read > sum(written.accepted.values()):
            refused = _selected(cursor, result.rejected)
            written.rejected = pl.concat([written.rejected, refused])
    else:
        written.reject(result.rejected)
    return written


def rejection_frame(rejected: Iterable[Refused]) -> pl.DataFrame:
    """Refused rows as a frame."""
    rows = [(r.row, r.column, r.rule, r.message, r.raw) for r in rejected]
    return pl.DataFrame(rows, schema=REJECTION_SCHEMA, orient="row")


def quarantine(cursor: duckdb.DuckDBPyConnection, origin: Origin, rejected: pl.DataFrame) -> None:
    """Keep refused rows, whole and with reasons; they replace the file's earlier ones."""
    cursor.execute(
        "delete from quarantine where source = $source and file = $file",
        {"source": origin.source, "file": origin.file},
    )
    if rejected.is_empty():
        return
    cursor.register("refused", rejected)
    cursor.execute(
        """
        insert into quarantine
        select $load_id, $source, $file, "row", "column", rule, message, raw from refused
        """,
        {"load_id": origin.load_id, "source": origin.source, "file": origin.file},
    )
    cursor.unregister("refused")


def supersede(
    cursor: duckdb.DuckDBPyConnection, table: Table, load_id: int, files: list[str]
) -> int:
    """Remove earlier rows that the delivery just inserted replaces; how many."""
    parameters: dict[str, object] = {"load_id": load_id, "files": files}
    if not table.replaces:
        query = (_SQL / f"{table.name}_superseded.sql").read_text(encoding="utf-8")
        cursor.execute(f"create or replace temp table doomed as {query}", parameters)
        cursor.execute("insert into superseded by name select * exclude (row_id) from doomed")
        return _count(
            cursor, f"delete from {table.name} where rowid in (select row_id from doomed)"
        )
    keys = ", ".join(f'"{column}"' for column in table.replaces)
    same = " and ".join(
        f'fresh."{column}" is not distinct from {table.name}."{column}"'
        for column in table.replaces
    )
    return _count(
        cursor,
        f"""
        delete from {table.name}
        where not (load_id = $load_id and list_contains($files, source_file))
        and exists (
            select 1
            from (
                select distinct {keys} from {table.name}
                where load_id = $load_id and list_contains($files, source_file)
            ) as fresh
            where {same}
        )
        """,
        parameters,
    )


def begin_superseding(cursor: duckdb.DuckDBPyConnection) -> None:
    """An empty list of removed charges, filled by `supersede` during the load."""
    cursor.execute(
        """
        create or replace temp table superseded (
            load_id bigint, issuer varchar, account varchar, period timestamptz,
            billing_currency varchar, billed_cost decimal(38, 18), is_whole boolean
        )
        """
    )


def record_changes(
    cursor: duckdb.DuckDBPyConnection, source: str, load_id: int, touched: set[str]
) -> None:
    """What the load moved in the billed totals of the billing periods it touched."""
    parameters = {"load_id": load_id, "source": source}
    if "cost_line" in touched:
        query = (_SQL / "cost_line_change.sql").read_text(encoding="utf-8")
        cursor.execute(f"insert into load_change by name {query}", parameters)


def _insert_select(
    cursor: duckdb.DuckDBPyConnection, table: Table, origin: Origin, select: Select
) -> int:
    with _TemporaryViews(cursor, select):
        return _insert(cursor, table, origin, f"({select.sql})", dict(select.parameters))


def _insert_frame(
    cursor: duckdb.DuckDBPyConnection, table: Table, origin: Origin, frame: pl.DataFrame
) -> int:
    if frame.is_empty():
        return 0
    cursor.register("fresh_rows", frame)
    try:
        return _insert(cursor, table, origin, "fresh_rows", {})
    finally:
        cursor.unregister("fresh_rows")


def _insert(
    cursor: duckdb.DuckDBPyConnection,
    table: Table,
    origin: Origin,
    rows: str,
    parameters: dict[str, object],
) -> int:
    lineage = {
        "origin_source": origin.source,
        "origin_load": origin.load_id,
        "origin_file": origin.file,
    }
    return _count(
        cursor,
        f"""
        insert into {table.name} by name
        select
            rows.*,
            $origin_source as source,
            $origin_load as load_id,
            $origin_file as source_file
        from {rows} as rows
        """,
        {**parameters, **lineage},
    )


def _selected(cursor: duckdb.DuckDBPyConnection, select: Select) -> pl.DataFrame:
    with _TemporaryViews(cursor, select):
        frame = cursor.execute(select.sql, dict(select.parameters) or None).pl()
    return frame.select(pl.col(name).cast(dtype) for name, dtype in REJECTION_SCHEMA.items())


class _TemporaryViews:
    """The views of a Select, for the length of a statement.

    Registered, not created: a created view would be the lake's own for the rest
    of the transaction.
    """

    def __init__(self, cursor: duckdb.DuckDBPyConnection, select: Select) -> None:
        self._cursor = cursor
        self._views = select.views

    def __enter__(self) -> None:
        for name, relation in self._views.items():
            self._cursor.register(name, relation(self._cursor))

    def __exit__(self, *_: object) -> None:
        for name in self._views:
            self._cursor.unregister(name)


def _checked(table: Table, frame: pl.DataFrame, path: Path) -> tuple[pl.DataFrame, list[Rejection]]:
    """The rows that keep the contract, and those that break it with their reasons."""
    if frame.is_empty():
        return frame, []
    body = frame.select(pl.exclude("source_row"))
    try:
        table.schema.validate(body, lazy=True)
        return frame, []
    except pandera.errors.SchemaErrors as errors:
        cases = errors.failure_cases
    broken = cases.filter(pl.col("index").is_not_null())
    if broken.is_empty():
        first = cases.row(0, named=True)
        raise FileRefused(
            path,
            "contract",
            f"{path.name}: {table.name}.{first['column']} breaks its contract ({first['check']})",
        )
    rejected = []
    for case in broken.unique("index", keep="first", maintain_order=True).iter_rows(named=True):
        position = int(case["index"])
        whole = frame.row(position, named=True)
        column, value = case["column"], case["failure_case"]
        rejected.append(
            Rejection(
                row=whole["source_row"],
                column=column,
                rule=str(case["check"]),
                message=(
                    f'{path.name}, row {whole["source_row"]}, {column}: "{value}" '
                    f"breaks the rule {case['check']}. Correct it at its source."
                ),
                raw=str({k: str(v) for k, v in whole.items() if v is not None}),
            )
        )
    bad = broken["index"].cast(pl.Int64).unique().to_list()
    good = frame.with_row_index("__position").filter(~pl.col("__position").is_in(bad))
    return good.drop("__position"), rejected


def _count(
    cursor: duckdb.DuckDBPyConnection, sql: str, parameters: dict[str, object] | None = None
) -> int:
    """Run a statement that changes rows; how many it changed."""
    changed = cursor.execute(sql, parameters or None).fetchone()
    return int(changed[0]) if changed else 0
