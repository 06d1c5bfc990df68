"""Opening the records database: one engine a URL, upgraded to the newest shape.

Any SQLAlchemy URL works. SQLite runs in WAL mode, so that readers never wait
for a writer, and writers take their lock at the start of a transaction, where
waiting is possible, instead of in its middle, where SQLite fails at once.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from alembic import command
from alembic.config import Config as AlembicConfig
from alembic.util.exc import CommandError
from filelock import FileLock
from sqlalchemy.engine import Connection, Engine, make_url
from sqlalchemy.exc import ArgumentError, SQLAlchemyError

from records.tables import REVISION

MIGRATIONS = Path(__file__).parent / "migrations"

BUSY_S = 30
"""How long a writer waits for another one before SQLite gives up."""

UPGRADE_LOCK = 7_106_413
"""Number of the PostgreSQL advisory lock that upgrades take."""


class RecordsError(Exception):
    """A records database that cannot be used: its URL without password, and what to do."""

    def __init__(self, url: str, message: str) -> None:
        super().__init__(f"records database {url}: {message}")
        self.url = url


_engines: dict[str, Engine] = {}
_opening = threading.Lock()


def engine_of(url: str) -> Engine:
    """The process's engine of a URL, its tables at the newest shape.

    Safe with several threads and several processes starting at once.
    Raises RecordsError when the database cannot be reached or is newer than
    this program.
    """
    with _opening:
        if url not in _engines:
            _engines[url] = _opened(url)
        return _engines[url]


@contextmanager
def reading(engine: Engine) -> Iterator[Connection]:
    """A connection that sees one state for as long as it lasts."""
    with engine.connect() as connection, connection.begin():
        yield connection


@contextmanager
def writing(engine: Engine) -> Iterator[Connection]:
    """One transaction of edits; other writers wait until it ends.

    Counting the revision comes first, before anything is read: what is read
    after it cannot change until the transaction ends.
    """
    with engine.connect().execution_options(writes=True) as connection, connection.begin():
        connection.execute(sa.update(REVISION).values(number=REVISION.c.number + 1))
        yield connection


def _opened(url: str) -> Engine:
    try:
        parsed = make_url(url)
    except ArgumentError:
        raise RecordsError(
            "(unreadable)",
            'records.url is not a SQLAlchemy URL such as "sqlite:///data/records.db"',
        ) from None
    shown = parsed.render_as_string(hide_password=True)
    file = _sqlite_file(parsed)
    try:
        if file is not None:
            file.parent.mkdir(parents=True, exist_ok=True)
        engine = sa.create_engine(parsed, pool_pre_ping=file is None)
        if parsed.get_backend_name() == "sqlite":
            _tame_sqlite(engine)
        lock = FileLock(f"{file}.lock") if file is not None else nullcontext()
        with lock:
            _upgrade(engine)
    except CommandError as error:
        raise RecordsError(
            shown, f"made by a newer version of this program ({error}); upgrade the program"
        ) from None
    except (SQLAlchemyError, OSError, ImportError) as error:
        raise RecordsError(shown, f"cannot be opened: {_first_line(error)}") from error
    return engine


def _upgrade(engine: Engine) -> None:
    config = AlembicConfig()
    config.set_main_option("script_location", str(MIGRATIONS))
    with engine.connect().execution_options(writes=True) as connection, connection.begin():
        if engine.dialect.name == "postgresql":
            connection.execute(sa.select(sa.func.pg_advisory_xact_lock(UPGRADE_LOCK)))
        config.attributes["connection"] = connection
        command.upgrade(config, "head")


def _sqlite_file(url: sa.URL) -> Path | None:
    """The file of an SQLite URL; None for other databases and for memory."""
    if url.get_backend_name() != "sqlite" or url.database in (None, "", ":memory:"):
        return None
    return Path(str(url.database))


def _tame_sqlite(engine: Engine) -> None:
    """WAL, a patient lock, and transactions that begin where we say so.

    The driver's own BEGIN comes late and is skipped before CREATE TABLE, which
    would leave a half-made upgrade behind a crash.
    """

    @sa.event.listens_for(engine, "connect")
    def on_connect(raw: Any, record: Any) -> None:
        raw.isolation_level = None
        cursor = raw.cursor()
        cursor.execute(f"pragma busy_timeout = {BUSY_S * 1000}")
        cursor.execute("pragma journal_mode = wal")
        cursor.execute("pragma synchronous = full")
        cursor.close()

    @sa.event.listens_for(engine, "begin")
    def on_begin(connection: Connection) -> None:
        writes = connection.get_execution_options().get("writes", False)
        connection.exec_driver_sql("begin immediate" if writes else "begin")


def _first_line(error: BaseException) -> str:
    return str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
