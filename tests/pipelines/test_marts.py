"""Marts are rebuilt when what they read changes, and say truly what that is."""

import re
from pathlib import Path

import duckdb
import polars as pl
import pytest

from pipelines import marts
from pipelines.lake import loading
from tests.lakes import facts_of, loaded, source, written
from tests.real import real

FILES = sorted(marts.FOLDER.glob("*.sql"))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_mart_names_what_it_reads(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    assert text.startswith(f"-- {file.stem}: ")
    header = "".join(re.findall(r"^--.*\n", text, re.M))
    said = re.search(r"-- reads: (.+?)(?=\n-- \w+:|\Z)", header, re.S)
    assert said, "a mart's header has a line `reads:`"
    own = set(re.findall(r"^(?:with )?(\w+) as (?:materialized )?\(", text, re.M))
    with duckdb.connect() as connection:
        read = marts.tables_read(connection, text) - own
    assert read <= set(re.findall(r"\w+", said.group(1)))


def test_only_marts_of_changed_tables_are_rebuilt(tmp_path: Path) -> None:
    config = written(tmp_path, "")
    with loading(config) as lake, lake.cursor() as cursor:
        assert marts.rebuild(cursor, ["incident"]) == []
        assert marts.rebuild(cursor, ["cost_line"]) == ["charge_group"]


@pytest.mark.golden
def test_charge_groups_add_up_to_the_charges(tmp_path: Path) -> None:
    file = real("billing/focus_1_0_sample_1000.csv")
    facts = facts_of(loaded(tmp_path, source("bills", "focus", file)))
    sums = [
        pl.col(name).sum()
        for name in ("billed_cost", "effective_cost", "list_cost", "contracted_cost")
    ]
    groups = facts.table("charge_group")
    assert groups.select(sums).equals(facts.table("cost_line").select(sums))
    assert groups["charges"].sum() == 1_000
