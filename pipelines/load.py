"""One load: find, read, validate, quarantine, write, rebuild marts, all in one transaction.

Each source is a load of its own: it commits whole or leaves the last good
state, and another source's failure does not touch it.
"""

import logging
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Literal, Protocol

import duckdb
import polars as pl
from pydantic import ValidationError
from tenacity import Retrying, retry_if_exception_type, stop_after_attempt, wait_random_exponential

from config import Config, SourceSettings, nearest
from models.table import tables
from pipelines import marts, write
from pipelines.files import SourceFile, changed_files, deliveries, find_files
from pipelines.lake import Lake, loading, transaction
from pipelines.sources import FileRefused, Options, Reader, Refused, Rejection, readers

log = logging.getLogger(__name__)

Status = Literal["loaded", "unchanged", "partial", "failed"]
Progress = Callable[[str, int, int], None]


class RecordsWriter(Protocol):
    """Keeps rows that people edit (risks); idempotent, so a repeated load is safe."""

    def __call__(self, entity: str, frame: pl.DataFrame, origin: str, /) -> Sequence[Refused]:
        """Store the rows; those that may not overwrite an edit come back as refused."""


@dataclass
class SourceOutcome:
    """What loading one source came to, as its load record says it."""

    source: str
    kind: str
    status: Status
    files: int = 0
    read: int = 0
    accepted: int = 0
    quarantined: int = 0
    replaced: int = 0
    message: str = ""
    changes: list[dict[str, Any]] = field(default_factory=list)


class UnknownSource(Exception):
    """A source named on the command line that the configuration does not have."""


def load(
    config: Config,
    names: Sequence[str] = (),
    *,
    records: RecordsWriter | None = None,
    progress: Progress | None = None,
) -> Iterator[SourceOutcome]:
    """Load the named sources, or all, one after the other; an outcome each.

    Raises UnknownSource before anything is read, LakeBusy when another load
    holds the lake. A source's own failure is its outcome, never an exception.
    """
    known = {source.name: source for source in config.sources}
    for name in names:
        if name not in known:
            raise UnknownSource(f'no source "{name}".{nearest(name, list(known))}')
    with loading(config) as lake:
        for source in [known[name] for name in names] or config.sources:
            yield _load_source(lake, config, source, records, progress)


def _load_source(
    lake: Lake,
    config: Config,
    source: SourceSettings,
    records: RecordsWriter | None,
    progress: Progress | None,
) -> SourceOutcome:
    started = datetime.now(UTC)
    outcome = SourceOutcome(source.name, source.kind, "failed")
    try:
        reader, options = _reader(config, source)
        files = find_files(config, source, options.model_dump_json())
        outcome.files = len(files)
        if not files:
            outcome.message = f"no file matches {config.path(source.path)}"
        else:
            held = lake.query(
                "select load_id, file, sha256, status from load_file where source = $source",
                {"source": source.name},
            )
            fresh = changed_files(files, held)
            if not fresh:
                outcome.status = "unchanged"
                outcome.message = f"{len(files)} files, nothing new"
                return outcome
            one = _Load(lake, source, reader, options, records, progress)
            # Two loaders over PostgreSQL may collide on a mart: the later one starts again.
            for attempt in Retrying(
                retry=retry_if_exception_type(duckdb.TransactionException),
                stop=stop_after_attempt(6),
                wait=wait_random_exponential(max=5),
                reraise=True,
            ):
                with attempt:
                    return one.run(fresh, len(files) - len(fresh), started)
    except _Unusable as error:
        outcome.message = str(error)
    except Exception as error:
        # For whoever debugs; the person loading reads the outcome's sentence.
        log.debug("load of %s failed", source.name, exc_info=True)
        outcome.message = f"stopped, the last good state is kept: {_first_line(error)}"
    _record_failure(lake, outcome, started)
    return outcome


class _Unusable(Exception):
    """A source whose configuration cannot be loaded."""


class _SpoiltFile(Exception):
    """A file that failed after rows of it were written."""

    def __init__(self, file: SourceFile, rejection: Rejection) -> None:
        super().__init__(rejection.message)
        self.file = file
        self.rejection = rejection


class _Load:
    """One source's load; `run` may be repeated after a collision."""

    def __init__(
        self,
        lake: Lake,
        source: SourceSettings,
        reader: Reader,
        options: Options,
        records: RecordsWriter | None,
        progress: Progress | None,
    ) -> None:
        self.lake = lake
        self.source = source
        self.reader = reader
        self.options = options
        self.records = records
        self.progress = progress or (lambda *_: None)

    def run(self, files: list[SourceFile], held: int, started: datetime) -> SourceOutcome:
        """Load the files in one transaction; `held` more are in the lake already.

        A file that fails after some of its rows were written has spoilt the
        transaction: it starts again with that file refused.
        """
        spoilt: dict[str, Rejection] = {}
        while True:
            try:
                return self._transaction(files, held, started, spoilt)
            except _SpoiltFile as error:
                spoilt[error.file.name] = error.rejection

    def _transaction(
        self,
        files: list[SourceFile],
        held: int,
        started: datetime,
        spoilt: dict[str, Rejection],
    ) -> SourceOutcome:
        load_id = time.time_ns() // 1000
        outcome = SourceOutcome(self.source.name, self.source.kind, "loaded", files=len(files))
        refused = done = 0
        touched: set[str] = set()
        with self.lake.cursor() as cursor, transaction(cursor, load_id):
            write.begin_superseding(cursor)
            for delivery in deliveries(files, self.options.parts):
                accepted: set[str] = set()
                for file in delivery:
                    self.progress(file.name, done, len(files))
                    written = self._file(cursor, load_id, file, spoilt.get(file.name))
                    _record_file(cursor, self.source.name, load_id, file, written)
                    outcome.read += written.read
                    outcome.accepted += written.kept
                    outcome.quarantined += written.rejected.height
                    refused += written.is_refused
                    accepted |= {name for name, rows in written.accepted.items() if rows}
                    done += 1
                for name in sorted(accepted):
                    outcome.replaced += write.supersede(
                        cursor, tables()[name], load_id, [file.name for file in delivery]
                    )
                touched |= accepted
            write.record_changes(cursor, self.source.name, load_id, touched)
            marts.rebuild(cursor, touched)
            outcome.message = f"{held} files unchanged" if held else ""
            if refused:
                outcome.status = "partial" if held + len(files) > refused else "failed"
                outcome.message = f"{refused} of {len(files)} new files refused; see quarantine"
            reach = _data_through(cursor, load_id, touched)
            _insert_load(cursor, load_id, outcome, started, reach)
            outcome.changes = (
                cursor.execute("select * from load_change where load_id = $id", {"id": load_id})
                .pl()
                .to_dicts()
            )
        return outcome

    def _file(
        self,
        cursor: duckdb.DuckDBPyConnection,
        load_id: int,
        file: SourceFile,
        spoilt: Rejection | None,
    ) -> write.Written:
        """Write one file's rows and refusals, or only why it was refused as a whole."""
        origin = write.Origin(self.source.name, load_id, file.name)
        if spoilt is not None:
            written = write.Written.refused([spoilt])
        else:
            try:
                result = self.reader.read(file.path, self.options)
            except FileRefused as error:
                written = write.Written.refused([_whole_file(file, error)])
            else:
                try:
                    written = write.write_file(cursor, origin, file.path, result)
                    if not file.is_as_found():
                        raise FileRefused(
                            file.path,
                            "changing",
                            f"{file.path.name}: changed while it was read. "
                            "Load again when it is complete.",
                        )
                except duckdb.TransactionException:
                    raise
                except (FileRefused, duckdb.Error) as error:
                    raise _SpoiltFile(file, _whole_file(file, error)) from error
        for name, rows in written.records.items():
            refusals = self._records(name, rows)
            written.reject(refusals)
            written.recorded += rows.height - len(refusals)
        write.quarantine(cursor, origin, written.rejected)
        return written

    def _records(self, name: str, rows: pl.DataFrame) -> Sequence[Refused]:
        if self.records is None:
            raise _Unusable(f"{self.source.kind} goes into records, which this load was not given")
        return self.records(name, rows, self.source.name)


def _reader(config: Config, source: SourceSettings) -> tuple[Reader, Options]:
    reader = readers().get(source.kind)
    if reader is None:
        raise _Unusable(f'kind "{source.kind}" is unknown.{nearest(source.kind, list(readers()))}')
    given = {"timezone": config.timezone, "currency": config.currency, **source.options}
    if "cluster" in reader.options.model_fields:
        # Exports of one cluster seldom name it; the source that carries them does.
        given.setdefault("cluster", source.name)
    try:
        return reader, reader.options.model_validate(given)
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(str(part) for part in first["loc"])
        if first["type"] == "extra_forbidden":
            known = nearest(key, list(reader.options.model_fields))
            raise _Unusable(f'unknown option "{key}" for kind {source.kind}.{known}') from None
        message = first["msg"].removeprefix("Value error, ")
        raise _Unusable(f'option "{key}": {message}') from None


def _whole_file(file: SourceFile, error: Exception) -> Rejection:
    if isinstance(error, FileRefused):
        return Rejection(error.row, None, error.rule, error.message)
    return Rejection(
        None, None, "unreadable", f"{file.path.name}: cannot be read ({_first_line(error)})"
    )


def _record_file(
    cursor: duckdb.DuckDBPyConnection,
    source: str,
    load_id: int,
    file: SourceFile,
    written: write.Written,
) -> None:
    cursor.execute(
        "insert into load_file values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
        [
            load_id,
            source,
            file.name,
            file.sha256,
            file.bytes,
            "refused" if written.is_refused else "loaded",
            written.read,
            written.kept,
            written.rejected.height,
            "\n".join(written.notes) or None,
        ],
    )


def _data_through(
    cursor: duckdb.DuckDBPyConnection, load_id: int, touched: set[str]
) -> datetime | None:
    """The newest instant the load brought data for, over tables that say which column tells."""
    found = []
    for name in touched:
        column = tables()[name].event_time
        if column:
            frame = cursor.execute(
                f"select max({column}) as newest from {name} where load_id = $id", {"id": load_id}
            ).pl()
            found.append(frame["newest"][0])
    return max((moment for moment in found if moment is not None), default=None)


def _insert_load(
    cursor: duckdb.DuckDBPyConnection,
    load_id: int,
    outcome: SourceOutcome,
    started: datetime,
    data_through: datetime | None,
) -> None:
    cursor.execute(
        "insert into load values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)",
        [
            load_id,
            outcome.source,
            outcome.kind,
            started,
            datetime.now(UTC),
            outcome.status,
            outcome.files,
            outcome.read,
            outcome.accepted,
            outcome.quarantined,
            outcome.replaced,
            outcome.message or None,
            data_through,
        ],
    )


def _record_failure(lake: Lake, outcome: SourceOutcome, started: datetime) -> None:
    load_id = time.time_ns() // 1000
    with lake.cursor() as cursor, transaction(cursor, load_id):
        _insert_load(cursor, load_id, outcome, started, None)


def _first_line(error: Exception) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0]
