"""Marts: one .sql file a table, rebuilt inside the load that changed its inputs."""

from collections.abc import Collection
from pathlib import Path

import duckdb

FOLDER = Path(__file__).parent


def names() -> set[str]:
    """The tables that are marts."""
    return {file.stem for file in FOLDER.glob("*.sql")}


def rebuild(cursor: duckdb.DuckDBPyConnection, changed: Collection[str]) -> list[str]:
    """Rebuild every mart that reads one of the changed tables; their names.

    A mart may read marts that sort before it. Runs in the caller's
    transaction, so readers see facts and marts of one load together.
    """
    dirty = set(changed)
    rebuilt = []
    existing = {row[0] for row in cursor.execute("show tables").fetchall()}
    for file in sorted(FOLDER.glob("*.sql")):
        select = file.read_text(encoding="utf-8")
        if dirty & cursor.get_table_names(select) or file.stem not in existing:
            cursor.execute(f"create or replace table {file.stem} as {select}")
            dirty.add(file.stem)
            rebuilt.append(file.stem)
    return rebuilt
