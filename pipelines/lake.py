"""The lake: DuckDB with DuckLake, attached for loading or for reading.

A loader holds the lake alone (SQLite catalogue: a lock file; PostgreSQL: many
may work) and writes in transactions. Readers attach one snapshot, so a page
never sees half a load and equal snapshots give equal figures.
"""

import os
import re
import sqlite3
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import duckdb
import polars as pl
from filelock import FileLock, Timeout

from config import Config
from models.table import LINEAGE, Table, tables
from pipelines import marts

ATTACHED_SNAPSHOTS = 32

_EXTENSIONS = {
    "sqlite": ("sqlite_scanner", "duckdb_extension_sqlite_scanner"),
    "postgres": ("postgres_scanner", "duckdb_extension_postgres_scanner"),
    "ducklake": ("ducklake", "duckdb_extension_ducklake"),
    "s3": ("httpfs", "duckdb_extension_httpfs"),
}

_LOAD_TABLES = {
    "load": """
        load_id bigint, source varchar, kind varchar, started_at timestamptz,
        finished_at timestamptz, status varchar, files bigint, rows_read bigint,
        rows_accepted bigint, rows_quarantined bigint, rows_replaced bigint,
        message varchar, data_through timestamptz
    """,
    "load_file": """
        load_id bigint, source varchar, file varchar, sha256 varchar, bytes bigint,
        status varchar, rows_read bigint, rows_accepted bigint,
        rows_quarantined bigint, notes varchar
    """,
    "load_change": """
        load_id bigint, source varchar, table_name varchar, key varchar,
        currency varchar, rows_before bigint, rows_after bigint,
        billed_before decimal(38, 18), billed_after decimal(38, 18), note varchar
    """,
    "quarantine": """
        load_id bigint, source varchar, file varchar, row bigint,
        column_name varchar, rule varchar, message varchar, raw varchar
    """,
}
"""The lake's own tables: loads, their files, what they moved, what they refused."""


class LakeError(Exception):
    """Why the lake cannot be used, in words for the person running the command."""


class LakeBusy(LakeError):
    """Another load holds the lake."""


@dataclass(frozen=True)
class Snapshot:
    """One committed state. load_id: the load that made it, where one did."""

    snapshot_id: int
    committed_at: datetime
    load_id: int | None


class Lake:
    """An attached lake; every query runs on a cursor of its own.

    Sharing one DuckDB connection between threads gives wrong rows without an
    error (measured: 204 of 800 queries), hence the cursors.
    """

    def __init__(self, connection: duckdb.DuckDBPyConnection, catalog: str) -> None:
        self._connection = connection
        self._catalog = catalog

    @contextmanager
    def cursor(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """A cursor whose unqualified table names are this lake's."""
        cursor = self._connection.cursor()
        try:
            cursor.execute("set timezone = 'UTC'")
            cursor.execute(f"use {self._catalog}")
            yield cursor
        finally:
            cursor.close()

    def query(
        self,
        sql: str,
        parameters: Mapping[str, Any] | None = None,
        frames: Mapping[str, pl.DataFrame] | None = None,
    ) -> pl.DataFrame:
        """The rows of one select; `$name` parameters, `frames` readable by name."""
        with self.cursor() as cursor:
            for name, frame in (frames or {}).items():
                cursor.register(name, frame)
            used = set(re.findall(r"\$([a-z_]+)", sql))
            given = {k: v for k, v in (parameters or {}).items() if k in used}
            return _utc(cursor.execute(sql, given or None).pl())

    def table_names(self) -> set[str]:
        """The tables this state of the lake has."""
        with self.cursor() as cursor:
            rows = cursor.execute(
                "select table_name from duckdb_tables() where database_name = $name",
                {"name": self._catalog},
            ).fetchall()
        return {row[0] for row in rows}


class LakeReader:
    """Read access to a lake's snapshots from any number of threads."""

    def __init__(self, config: Config) -> None:
        self._config = config
        self._connection = _connect(config)
        self._attached: dict[int, Lake] = {}
        self._lock = threading.Lock()
        if config.lake.catalog.startswith("sqlite:") and not _catalog_file(config).exists():
            with loading(config):
                pass  # an empty lake: pages then say what to load
        self._attach("head", "READ_ONLY")

    def snapshot_id(self) -> int:
        """The newest committed state; the cache key of everything read (about 2 ms)."""
        cursor = self._connection.cursor()
        try:
            rows = cursor.execute("from ducklake_current_snapshot('head')").fetchall()
        finally:
            cursor.close()
        return int(rows[0][0])

    def at(self, snapshot_id: int) -> Lake:
        """The lake as that state left it."""
        with self._lock:
            if snapshot_id not in self._attached:
                self._forget_oldest()
                alias = f"lake_{snapshot_id}"
                self._attach(alias, f"READ_ONLY, SNAPSHOT_VERSION {snapshot_id}")
                self._attached[snapshot_id] = Lake(self._connection, alias)
            return self._attached[snapshot_id]

    def snapshots(self) -> list[Snapshot]:
        """Every committed state, oldest first."""
        cursor = self._connection.cursor()
        try:
            cursor.execute("set timezone = 'UTC'")
            frame = cursor.execute(
                "select snapshot_id, snapshot_time, commit_message from ducklake_snapshots('head') "
                "order by snapshot_id"
            ).pl()
        finally:
            cursor.close()
        return [
            Snapshot(number, moment, _load_id(message)) for number, moment, message in frame.rows()
        ]

    def _forget_oldest(self) -> None:
        """Long-lived servers see many loads; keep what reviews look at."""
        if len(self._attached) >= ATTACHED_SNAPSHOTS:
            oldest = next(iter(self._attached))
            self._attached.pop(oldest)
            self._connection.execute(f"detach lake_{oldest}")

    def _attach(self, alias: str, options: str) -> None:
        _attach(self._connection, self._config, alias, options)


@contextmanager
def loading(config: Config) -> Iterator[Lake]:
    """The lake for a loader: made if it is not there, locked if it must be.

    Raises LakeBusy naming the other loader's process.
    """
    if config.lake.catalog.startswith("postgres:"):
        yield _writable(config)
        return
    catalog = _catalog_file(config)
    catalog.parent.mkdir(parents=True, exist_ok=True)
    lock = FileLock(f"{catalog}.lock", timeout=0)
    holder = catalog.with_name(f"{catalog.name}.loader")
    try:
        lock.acquire()
    except Timeout:
        who = holder.read_text().strip() if holder.exists() else "unknown"
        raise LakeBusy(
            f"another load is running (process {who}). Wait for it to end, then load again."
        ) from None
    try:
        holder.write_text(str(os.getpid()))
        yield _writable(config)
    finally:
        holder.unlink(missing_ok=True)
        lock.release()


@contextmanager
def transaction(cursor: duckdb.DuckDBPyConnection, load_id: int) -> Iterator[None]:
    """All or nothing; the snapshot it makes carries the load's id."""
    cursor.execute("begin")
    try:
        yield
        cursor.execute(
            "call ducklake_set_commit_message('lake', 'quartermaster', $message)",
            {"message": f"load {load_id}"},
        )
        cursor.execute("commit")
    except BaseException:
        # A failed commit has already ended the transaction.
        with suppress(duckdb.Error):
            cursor.execute("rollback")
        raise


def column_ddl(table: Table) -> str:
    """The lake's columns of a contract, lineage last."""
    columns: dict[str, Any] = {**table.columns, **LINEAGE}
    return ", ".join(f'"{name}" {_duckdb_type(dtype)}' for name, dtype in columns.items())


def _duckdb_type(dtype: Any) -> str:
    if isinstance(dtype, pl.Decimal):
        return f"decimal({dtype.precision}, {dtype.scale})"
    if isinstance(dtype, pl.Datetime):
        return "timestamptz" if dtype.time_zone else "timestamp"
    if isinstance(dtype, pl.List):
        return f"{_duckdb_type(dtype.inner)}[]"
    plain: dict[Any, str] = {
        pl.String: "varchar",
        pl.Int64: "bigint",
        pl.Float64: "double",
        pl.Boolean: "boolean",
        pl.Date: "date",
    }
    return plain[dtype if isinstance(dtype, type) else type(dtype)]


def _connect(config: Config) -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect()
    limit = _memory_limit()
    if limit:
        connection.execute(f"set memory_limit = '{limit}B'")
    kinds = ["ducklake", config.lake.catalog.split(":", 1)[0]]
    if config.lake.data_path.startswith("s3:"):
        kinds.append("s3")
    for kind in kinds:
        _load_extension(connection, *_EXTENSIONS[kind])
    if "s3" in kinds and "AWS_ACCESS_KEY_ID" in os.environ:
        connection.execute(_s3_secret())
    return connection


def _load_extension(connection: duckdb.DuckDBPyConnection, name: str, module: str) -> None:
    """From the wheel's file, else one already installed, else the network."""
    spec = find_spec(module)
    if spec and spec.origin:
        for file in Path(spec.origin).parent.rglob("*.duckdb_extension"):
            connection.load_extension(str(file))
            return
    try:
        connection.load_extension(name)
    except duckdb.Error:
        connection.install_extension(name)
        connection.load_extension(name)


def _s3_secret() -> str:
    keys = {
        "key_id": "AWS_ACCESS_KEY_ID",
        "secret": "AWS_SECRET_ACCESS_KEY",
        "session_token": "AWS_SESSION_TOKEN",
        "region": "AWS_REGION",
        "endpoint": "AWS_ENDPOINT",
    }
    given = {key: os.environ[name] for key, name in keys.items() if name in os.environ}
    parts = ", ".join(f"{key} {_quoted(value)}" for key, value in given.items())
    return f"create or replace secret quartermaster (type s3, {parts})"


def _attach(
    connection: duckdb.DuckDBPyConnection, config: Config, alias: str, options: str = ""
) -> None:
    kind, target = config.lake.catalog.split(":", 1)
    place = str(config.path(target)) if kind == "sqlite" else target
    extra = f", {options}" if options else ""
    connection.execute(
        f"attach {_quoted(f'ducklake:{kind}:{place}')} as {alias} "
        f"(DATA_PATH {_quoted(_data_path(config))}, DATA_INLINING_ROW_LIMIT 0{extra})"
    )


def _writable(config: Config) -> Lake:
    connection = _connect(config)
    connection.execute("set preserve_insertion_order = true")
    _attach(connection, config, "lake")
    lake = Lake(connection, "lake")
    if config.lake.catalog.startswith("sqlite:"):
        # Without WAL readers stall for seconds and fail while a load commits.
        with sqlite3.connect(_catalog_file(config)) as catalog:
            catalog.execute("pragma journal_mode = wal")
    _create_tables(lake)
    return lake


def _create_tables(lake: Lake) -> None:
    wanted = {name: column_ddl(table) for name, table in tables().items()} | _LOAD_TABLES
    present = lake.table_names()
    missing = {name: ddl for name, ddl in wanted.items() if name not in present}
    if not missing and marts.names() <= present:
        return
    with lake.cursor() as cursor:
        cursor.execute("begin")
        for name, ddl in missing.items():
            cursor.execute(f"create table if not exists {name} ({ddl})")
        marts.rebuild(cursor, missing)
        cursor.execute("commit")


def _catalog_file(config: Config) -> Path:
    return config.path(config.lake.catalog.split(":", 1)[1])


def _data_path(config: Config) -> str:
    given = config.lake.data_path
    return given if "://" in given else f"{config.path(given)}/"


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _memory_limit() -> int | None:
    """80 % of the control group's memory, which DuckDB itself does not look at."""
    try:
        text = Path("/sys/fs/cgroup/memory.max").read_text().strip()
    except OSError:
        return None
    return int(int(text) * 0.8) if text.isdigit() else None


def _load_id(message: str | None) -> int | None:
    found = re.fullmatch(r"load (\d+)", message or "")
    return int(found.group(1)) if found else None


def _utc(frame: pl.DataFrame) -> pl.DataFrame:
    """DuckDB names the zone Etc/UTC; contracts say UTC."""
    zoned = [
        name
        for name, dtype in frame.schema.items()
        if isinstance(dtype, pl.Datetime) and dtype.time_zone
    ]
    return frame.with_columns(pl.col(zoned).dt.convert_time_zone("UTC")) if zoned else frame
