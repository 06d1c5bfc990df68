"""The lake commits whole states and gives readers one of them."""

from pathlib import Path

import duckdb
import polars as pl
import pytest

from config import Config
from models.table import INSTANT, MONEY, tables
from pipelines.lake import LakeBusy, LakeReader, column_ddl, loading, transaction
from tests.lakes import written


@pytest.fixture
def config(tmp_path: Path) -> Config:
    return written(tmp_path, "")


def _write(config: Config, load_id: int) -> None:
    with loading(config) as lake, lake.cursor() as cursor, transaction(cursor, load_id):
        cursor.execute("insert into load (load_id, source) values ($id, 'a')", {"id": load_id})


def test_a_reader_of_a_lake_that_is_not_there_finds_it_empty(config: Config) -> None:
    reader = LakeReader(config)
    lake = reader.at(reader.snapshot_id())
    assert lake.query("from load").is_empty()
    assert set(tables()) <= lake.table_names()


def test_a_snapshot_stays_as_it_was_and_names_its_load(config: Config) -> None:
    _write(config, 1)
    reader = LakeReader(config)
    first = reader.snapshot_id()
    _write(config, 2)
    assert reader.snapshot_id() > first
    count = "select count(*) as loads from load"
    assert reader.at(first).query(count)["loads"].item() == 1
    assert reader.at(reader.snapshot_id()).query(count)["loads"].item() == 2
    assert [s.load_id for s in reader.snapshots() if s.load_id] == [1, 2]


def test_a_failed_transaction_leaves_the_last_state(config: Config) -> None:
    _write(config, 1)
    with (
        pytest.raises(duckdb.ConversionException),
        loading(config) as lake,
        lake.cursor() as cursor,
        transaction(cursor, 2),
    ):
        cursor.execute("insert into load (load_id) values (2)")
        cursor.execute("select cast('x' as integer)")
    reader = LakeReader(config)
    found = reader.at(reader.snapshot_id()).query("select load_id from load")
    assert found["load_id"].to_list() == [1]


def test_a_second_loader_is_told_who_holds_the_lake(config: Config) -> None:
    with loading(config), pytest.raises(LakeBusy, match=r"process \d+"), loading(config):
        pass


def test_money_and_instants_keep_their_types_through_the_lake(config: Config) -> None:
    for table in tables().values():
        column_ddl(table)
    reader = LakeReader(config)
    frame = reader.at(reader.snapshot_id()).query("from cost_line")
    assert frame.schema["billed_cost"] == MONEY
    assert frame.schema["charge_period_start"] == INSTANT
    assert isinstance(frame, pl.DataFrame)


def test_a_missing_table_of_a_newer_version_is_added(config: Config) -> None:
    _write(config, 1)
    with loading(config) as lake, lake.cursor() as cursor:
        cursor.execute("drop table incident")
    with loading(config) as lake:
        assert "incident" in lake.table_names()
