"""Opening the records: first time, again, two at once, newer than us, not a database."""

import subprocess
import sys
from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext

from records.database import RecordsError, engine_of
from records.reading import open_records
from records.tables import metadata

OPEN = """
import sys
from records.reading import open_records
print(open_records(sys.argv[1]).version())
"""


def test_two_processes_may_open_a_new_database_at_once(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'deep' / 'records.db'}"
    started = [
        subprocess.Popen([sys.executable, "-c", OPEN, url], stdout=subprocess.PIPE, text=True)
        for _ in range(3)
    ]
    assert [process.communicate()[0].strip() for process in started] == ["0"] * 3
    assert [process.returncode for process in started] == [0] * 3


def test_the_upgrades_build_exactly_the_declared_tables(tmp_path: Path) -> None:
    engine = engine_of(f"sqlite:///{tmp_path / 'records.db'}")
    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, metadata) == []


def test_readers_do_not_wait_for_a_writer(tmp_path: Path) -> None:
    records = open_records(f"sqlite:///{tmp_path / 'records.db'}")
    with records.engine.connect().execution_options(writes=True) as writer, writer.begin():
        assert records.risks().is_empty()
        mode = writer.execute(sa.text("pragma journal_mode")).scalar_one()
    assert mode == "wal"


def test_one_engine_serves_a_url(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'records.db'}"
    assert open_records(url).engine is open_records(url).engine


def test_a_database_of_a_newer_program_is_refused_with_the_cure(tmp_path: Path) -> None:
    file = tmp_path / "records.db"
    raw = sa.create_engine(f"sqlite:///{file}")
    with raw.begin() as connection:
        connection.execute(sa.text("create table alembic_version (version_num varchar(32))"))
        connection.execute(sa.text("insert into alembic_version values ('9999')"))
    with pytest.raises(RecordsError, match="newer version of this program"):
        open_records(f"sqlite:///{file}")


def test_a_file_that_is_no_database_is_named(tmp_path: Path) -> None:
    file = tmp_path / "records.db"
    file.write_bytes(b"not a database at all, but long enough to be read as one" * 40)
    with pytest.raises(RecordsError, match=r"records\.db: cannot be opened"):
        open_records(f"sqlite:///{file}")


def test_a_password_is_never_shown() -> None:
    with pytest.raises(RecordsError) as refused:
        open_records("postgresql+psycopg://qm:secret@127.0.0.1:1/none?connect_timeout=1")
    assert "secret" not in str(refused.value)
