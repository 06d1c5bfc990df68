"""Marts: one .sql file a table, rebuilt inside the load that changed its inputs."""

import re
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
        if dirty & tables_read(cursor, select) or file.stem not in existing:
            cursor.execute(f"create or replace table {file.stem} as {select}")
            dirty.add(file.stem)
            rebuilt.append(file.stem)
    return rebuilt


def tables_read(cursor: duckdb.DuckDBPyConnection, select: str) -> set[str]:
    """The tables (and its own common table expressions) that a select names.

    From the parse tree: the engine's own `get_table_names` binds the statement
    and stumbles over an unnest of a column it cannot type yet.
    """
    (tree,) = cursor.execute("select json_serialize_sql($sql)", {"sql": select}).fetchone() or ("",)
    return set(re.findall(r'"table_name":"([^"]+)"', str(tree)))
