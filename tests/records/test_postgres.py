"""The records on PostgreSQL: the same commands, several writers, two starts at once."""

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from datetime import UTC, datetime
from decimal import Decimal
from uuid import uuid4

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from psycopg.conninfo import conninfo_to_dict

from records.edits import Author, Conflict, add, change
from records.reading import open_records
from records.tables import metadata
from tests.records.test_database import OPEN

pytestmark = pytest.mark.postgres

SERVER = "QUARTERMASTER_TEST_POSTGRES"
WEI = Author("wei", datetime(2026, 11, 23, 2, 0, 0, 123456, tzinfo=UTC))


@pytest.fixture
def url() -> Iterator[str]:
    """A schema of the test's own on the server that CI started."""
    if SERVER not in os.environ:
        reason = f"no PostgreSQL server named in {SERVER}"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    server = conninfo_to_dict(os.environ[SERVER])
    schema = f"records_{uuid4().hex[:8]}"
    base = sa.URL.create(
        "postgresql+psycopg",
        username=str(server["user"]),
        host=str(server["host"]),
        port=int(str(server["port"])),
        database=str(server["dbname"]),
    )
    admin = sa.create_engine(base)
    with admin.begin() as connection:
        connection.execute(sa.text(f"create schema {schema}"))
    yield base.update_query_dict({"options": f"-csearch_path={schema}"}).render_as_string()
    with admin.begin() as connection:
        connection.execute(sa.text(f"drop schema {schema} cascade"))


def test_two_processes_may_open_a_new_database_at_once(url: str) -> None:
    started = [
        subprocess.Popen([sys.executable, "-c", OPEN, url], stdout=subprocess.PIPE, text=True)
        for _ in range(3)
    ]
    assert [process.communicate()[0].strip() for process in started] == ["0"] * 3


def test_amounts_instants_and_history_survive(url: str) -> None:
    records = open_records(url)
    values = {
        "title": "液冷回路延期",
        "probability": 3,
        "impact": 4,
        "cost_impact": Decimal("12345678901234567.890000001"),
        "currency": "CNY",
    }
    add(records, "risk", values, WEI)
    found = records.risks().row(0, named=True)
    assert found["cost_impact"] == Decimal("12345678901234567.890000001")
    assert found["changed_at"] == WEI.at
    assert records.risks(WEI.at).equals(records.risks())


def test_of_many_edits_at_once_exactly_one_wins(url: str) -> None:
    records = open_records(url)
    add(records, "risk", {"title": "Customs", "probability": 1, "impact": 1}, WEI)
    outcomes: list[str] = []

    def edit(number: int) -> None:
        try:
            change(records, "risk", "R-001", 1, {"owner": f"tpm {number}"}, WEI)
            outcomes.append("saved")
        except Conflict:
            outcomes.append("conflict")

    threads = [threading.Thread(target=edit, args=(n,)) for n in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes) == ["conflict"] * 5 + ["saved"]
    assert records.version() == 2


def test_the_upgrades_build_exactly_the_declared_tables(url: str) -> None:
    with open_records(url).engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, metadata) == []
