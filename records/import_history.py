"""An item's versions as another register recorded them, taken over whole."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from models.program.register import Entity, Value, check, from_json
from records.edits import Author, Invalid, record
from records.tables import AUDIT, ITEMS

Steps = Sequence[Mapping[str, Any]]
"""Versions in order: {version, at, who, how, changes: {field: {was, is}}}."""


class Refused(Exception):
    """A row the register cannot take: the column at fault, the rule, what to do."""

    def __init__(self, column: str | None, rule: str, message: str) -> None:
        super().__init__(message)
        self.column, self.rule, self.message = column, rule, message


def seed(
    connection: Connection, entity: Entity, id: str, history: Steps, version: int | None
) -> dict[str, Any]:
    """Make an item with all its versions; returns it as the last one left it.

    version: what the row itself says; it must be the last one.
    Raises Refused for a history with a hole, Invalid for an end that breaks a rule.
    """
    first, last = history[0]["version"], history[-1]["version"]
    if [step["version"] for step in history] != list(range(first, last + 1)):
        raise Refused("history", "history", f"{id}: its history skips a version.")
    if version is not None and version != last:
        raise Refused(
            "version",
            "history",
            f"{id}: its history ends at version {last}, the row says {version}.",
        )
    item = _replayed(connection, entity, id, dict.fromkeys(entity.names), history)
    connection.execute(sa.insert(ITEMS[entity.name]).values(item))
    return item


def extend(
    connection: Connection, entity: Entity, before: Mapping[str, Any], history: Steps
) -> dict[str, Any] | None:
    """Add the versions that a file knows beyond ours; None if it knows none.

    Only where the file's earlier versions are exactly ours: then nothing was
    edited here that the file does not know, and its history simply goes on.
    """
    ahead = [step for step in history if step["version"] > before["version"]]
    if not ahead:
        return None
    shared = {
        step["version"]: step["changes"] for step in history if step["version"] <= before["version"]
    }
    held = connection.execute(
        sa.select(AUDIT.c.version, AUDIT.c.changes).where(
            AUDIT.c.entity == entity.name, AUDIT.c.entity_id == before["id"]
        )
    ).all()
    if shared != {row.version: row.changes for row in held}:
        return None
    state = {name: before[name] for name in entity.names}
    item = _replayed(connection, entity, str(before["id"]), state, ahead)
    table = ITEMS[entity.name]
    connection.execute(sa.update(table).where(table.c.id == before["id"]).values(item))
    return item


def _replayed(
    connection: Connection, entity: Entity, id: str, state: dict[str, Value], steps: Steps
) -> dict[str, Any]:
    """The state after the steps, each recorded in the audit trail as it was made."""
    for step in steps:
        author = Author(step["who"], datetime.fromisoformat(step["at"]), step.get("how", "history"))
        for name, pair in step["changes"].items():
            state[name] = from_json(entity, name, pair["is"])
        record(connection, entity, id, step["version"], author, step["changes"])
    problems = check(entity, state)
    if problems:
        raise Invalid(problems)
    stamp = {
        "version": steps[-1]["version"],
        "changed_at": author.at,
        "changed_by": author.who,
    }
    return {"id": id, **state, **stamp}
