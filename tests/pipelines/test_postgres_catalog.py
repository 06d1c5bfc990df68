"""The same lake over a PostgreSQL catalogue, where several loaders may work at once."""

import os
import subprocess
import sys
import uuid
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import psycopg
import pytest

from config import Config, read_config
from pipelines.lake import LakeReader
from tests.lakes import ROOT, outcomes, source
from tests.pipelines.sources.focus_files import text

pytestmark = pytest.mark.postgres

VARIABLE = "QUARTERMASTER_TEST_POSTGRES"


@pytest.fixture
def catalog() -> Iterator[str]:
    """A database of the test's own, as the text after "postgres:"."""
    server = os.environ.get(VARIABLE)
    if not server:
        reason = f"{VARIABLE} names no PostgreSQL server"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    name = f"quartermaster_{uuid.uuid4().hex[:12]}"
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f'create database "{name}"')
    try:
        parts = psycopg.conninfo.conninfo_to_dict(server) | {"dbname": name}
        yield psycopg.conninfo.make_conninfo(**parts)
    finally:
        with psycopg.connect(server, autocommit=True) as connection:
            connection.execute(f'drop database "{name}" with (force)')


def _config(folder: Path, catalog: str, sources: str) -> Config:
    file = folder / "quartermaster.toml"
    file.write_text(
        f'[lake]\ncatalog = "postgres:{catalog}"\ndata_path = "lake"\n\n{sources}',
        encoding="utf-8",
    )
    return read_config(file)


def _bill(folder: Path, name: str, account: str, cost: str, rows: int = 500) -> None:
    row = {"BillingAccountId": account, "BilledCost": cost, "EffectiveCost": cost}
    (folder / name).write_text(text(*[row] * rows), encoding="utf-8")


def _billed(config: Config) -> dict[str, Decimal]:
    reader = LakeReader(config)
    frame = reader.at(reader.snapshot_id()).query(
        "select billing_account_id, sum(billed_cost) as billed from cost_line group by all"
    )
    return dict(frame.rows())


def test_a_load_and_a_restatement(tmp_path: Path, catalog: str) -> None:
    config = _config(tmp_path, catalog, source("bill", "focus", "bill.csv"))
    _bill(tmp_path, "bill.csv", "a", "1")
    assert [o.status for o in outcomes(config)] == ["loaded"]
    assert [o.status for o in outcomes(config)] == ["unchanged"]
    _bill(tmp_path, "bill.csv", "a", "2")
    assert [o.status for o in outcomes(config)] == ["loaded"]
    assert _billed(config) == {"a": Decimal(1000)}


def test_two_loaders_at_once_both_get_in(tmp_path: Path, catalog: str) -> None:
    config = _config(
        tmp_path,
        catalog,
        source("one", "focus", "one.csv") + source("two", "focus", "two.csv"),
    )
    _bill(tmp_path, "one.csv", "a", "1", rows=1)
    outcomes(config, "one")
    reader = LakeReader(config)
    _bill(tmp_path, "one.csv", "a", "3")
    _bill(tmp_path, "two.csv", "b", "5")
    loaders = [
        subprocess.Popen(
            [sys.executable, "cli.py", "load", "--config", str(config.file), "--source", name],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        for name in ("one", "two")
    ]
    whole = {(1, 1), (500, 1500), (501, 2501), (1000, 4000)}
    while any(loader.poll() is None for loader in loaders):
        frame = reader.at(reader.snapshot_id()).query(
            "select count(*) as n, sum(billed_cost) as billed from cost_line"
        )
        assert (frame["n"][0], frame["billed"][0]) in whole
    said = [(loader.communicate()[0] or b"").decode() for loader in loaders]
    assert [loader.returncode for loader in loaders] == [0, 0], said
    assert _billed(config) == {"a": Decimal(1500), "b": Decimal(2500)}
