"""The commands behind every edit: add, change, close, each checked and audited.

An edit names the version it was made on. If somebody else changed the item
meanwhile, nothing is written: the person is shown both and decides.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from models.ledger import LEDGER, ledger_problems
from models.program.register import (
    CLOSED,
    OCCURRED,
    RAID_ITEM,
    RISK,
    Entity,
    Problem,
    Value,
    check,
    from_json,
    tidy,
    to_json,
)
from records.database import writing
from records.reading import Records
from records.tables import AUDIT, ITEMS, KINDS

LONGEST_NAME = 120


class Invalid(Exception):
    """An edit refused by its values: what is wrong, by field."""

    def __init__(self, problems: Mapping[str, Problem]) -> None:
        super().__init__("; ".join(f"{name}: {text}" for name, text in problems.items()))
        self.problems = dict(problems)


class Conflict(Exception):
    """An edit made on a version that is no longer the newest; nothing was written.

    base: the item both started from. theirs: as it is now, with version,
    changed_by, changed_at. yours: the fields of the refused edit.
    """

    def __init__(
        self,
        entity: Entity,
        id: str,
        base: dict[str, Any],
        theirs: dict[str, Any],
        yours: dict[str, Value],
    ) -> None:
        super().__init__(
            f"{id} was changed by {theirs['changed_by']} meanwhile "
            f"(version {base.get('version')} is now {theirs['version']})"
        )
        self.entity = entity
        self.id = id
        self.base = base
        self.theirs = theirs
        self.yours = yours


class UnknownItem(Exception):
    """An edit of an item that is not in the register."""

    def __init__(self, entity: Entity, id: str) -> None:
        super().__init__(f"there is no {entity.name} {id}")
        self.entity = entity
        self.id = id


@dataclass(frozen=True)
class Author:
    """Who makes an edit, when, and by which way in: browser, import or history."""

    who: str
    at: datetime
    how: str = "browser"


def now() -> datetime:
    """The instant of an edit made now."""
    return datetime.now(UTC)


def add(records: Records, entity: str, values: Mapping[str, Value], author: Author) -> str:
    """Record a new item; its id is the next free one of its kind.

    Raises Invalid.
    """
    kind = KINDS[entity]
    with writing(records.engine) as connection:
        id = next_id(connection, kind)
        insert(connection, kind, id, values, author)
    return id


def change(
    records: Records,
    entity: str,
    id: str,
    version: int,
    values: Mapping[str, Value],
    author: Author,
) -> int:
    """Write the given fields over version `version`; returns the version that stands.

    Values equal to what is there change nothing and leave no audit row.
    Raises Invalid, Conflict, UnknownItem.
    """
    kind = KINDS[entity]
    with writing(records.engine) as connection:
        return _checked_change(connection, kind, id, version, values, author)


def close(
    records: Records, id: str, version: int, reason: str, author: Author, *, occurred: bool = False
) -> int:
    """Take a risk out of the matrix: it is over, or it happened.

    A risk that happened becomes an issue, made and linked in the same
    transaction. Raises Invalid, Conflict, UnknownItem.
    """
    problems = author_problems(author)
    if not reason.strip():
        problems["closing_reason"] = Problem("This is required.")
    if problems:
        raise Invalid(problems)
    values: dict[str, Value] = {"closing_reason": reason.strip()}
    with writing(records.engine) as connection:
        risk = current(connection, RISK, id)
        if risk is None:
            raise UnknownItem(RISK, id)
        values["status"] = OCCURRED if occurred else CLOSED
        if occurred and not risk["issue"]:
            values["issue"] = next_id(connection, RAID_ITEM)
        standing = _checked_change(connection, RISK, id, version, values, author)
        if "issue" in values:
            insert(connection, RAID_ITEM, str(values["issue"]), _issue_of(risk, author), author)
    return standing


def current(connection: Connection, entity: Entity, id: str) -> dict[str, Any] | None:
    """The item as it is in this transaction, or None."""
    table = ITEMS[entity.name]
    row = connection.execute(sa.select(table).where(table.c.id == id)).mappings().first()
    return None if row is None else dict(row)


def state_at(
    connection: Connection, entity: Entity, id: str, version: int
) -> dict[str, Any] | None:
    """The item as it was at a version, folded from its audit rows; None if unknown."""
    trail = connection.execute(
        sa.select(AUDIT.c.version, AUDIT.c.changes)
        .where(AUDIT.c.entity == entity.name, AUDIT.c.entity_id == id, AUDIT.c.version <= version)
        .order_by(AUDIT.c.version)
    ).all()
    if not trail or trail[-1].version != version:
        return None
    state: dict[str, Any] = dict.fromkeys(entity.names)
    for row in trail:
        for name, pair in row.changes.items():
            if name in state:
                state[name] = from_json(entity, name, pair["is"])
    return {"id": id, "version": version, **state}


def insert(
    connection: Connection,
    entity: Entity,
    id: str,
    values: Mapping[str, Value],
    author: Author,
    version: int = 1,
) -> None:
    """A new item and its first audit row, inside the caller's transaction. Raises Invalid."""
    item: dict[str, Value] = {}
    for field in entity.fields:
        given = tidy(values.get(field.name))
        item[field.name] = field.default if given is None else given
    problems = _problems(entity, item) | author_problems(author)
    if problems:
        raise Invalid(problems)
    stamp = {"version": version, "changed_at": author.at, "changed_by": author.who}
    connection.execute(sa.insert(ITEMS[entity.name]).values(id=id, **item, **stamp))
    changes = {
        name: {"was": None, "is": to_json(value)}
        for name, value in item.items()
        if value is not None
    }
    record(connection, entity, id, version, author, changes)


def update(
    connection: Connection,
    entity: Entity,
    before: Mapping[str, Any],
    values: Mapping[str, Value],
    author: Author,
) -> int:
    """Write fields over the item just read in this transaction. Raises Invalid."""
    wanted = {name: tidy(value) for name, value in values.items()}
    changed = {name: value for name, value in wanted.items() if value != before[name]}
    if not changed:
        return int(before["version"])
    after = {**{name: before[name] for name in entity.names}, **changed}
    problems = _problems(entity, after) | author_problems(author)
    if problems:
        raise Invalid(problems)
    table, id, version = ITEMS[entity.name], str(before["id"]), int(before["version"]) + 1
    # Time never runs backwards within an item, whatever the clocks of two machines say.
    author = Author(author.who, max(author.at, before["changed_at"]), author.how)
    connection.execute(
        sa.update(table)
        .where(table.c.id == id, table.c.version == before["version"])
        .values(**changed, version=version, changed_at=author.at, changed_by=author.who)
    )
    changes = {
        name: {"was": to_json(before[name]), "is": to_json(value)}
        for name, value in changed.items()
    }
    record(connection, entity, id, version, author, changes)
    return version


def record(
    connection: Connection,
    entity: Entity,
    id: str,
    version: int,
    author: Author,
    changes: Mapping[str, Any],
) -> None:
    """One audit row: who made which version, when, and what was and is, by field."""
    connection.execute(
        sa.insert(AUDIT).values(
            entity=entity.name,
            entity_id=id,
            version=version,
            who=author.who,
            at=author.at,
            how=author.how,
            changes=changes,
        )
    )


def next_id(connection: Connection, entity: Entity) -> str:
    """The id after the highest one in use: R-001, R-002, ... R-1000."""
    pattern = re.compile(rf"{entity.prefix}-(\d+)")
    ids = connection.execute(sa.select(ITEMS[entity.name].c.id)).scalars()
    numbers = [int(found.group(1)) for id in ids if (found := pattern.fullmatch(id))]
    return f"{entity.prefix}-{max(numbers, default=0) + 1:03d}"


def _problems(entity: Entity, item: Mapping[str, Value]) -> dict[str, Problem]:
    own = ledger_problems(entity, item) if entity.name in LEDGER else {}
    return own | check(entity, item)


def _checked_change(
    connection: Connection,
    entity: Entity,
    id: str,
    version: int,
    values: Mapping[str, Value],
    author: Author,
) -> int:
    before = current(connection, entity, id)
    if before is None:
        raise UnknownItem(entity, id)
    if before["version"] != version:
        base = state_at(connection, entity, id, version) or {"id": id, "version": version}
        raise Conflict(entity, id, base, before, dict(values))
    return update(connection, entity, before, values, author)


def _issue_of(risk: Mapping[str, Any], author: Author) -> dict[str, Value]:
    return {
        "kind": "issue",
        "title": risk["title"],
        "title_zh": risk["title_zh"],
        "description": risk["description"],
        "program": risk["program"],
        "owner": risk["owner"],
        "raised_on": author.at.date(),
        "severity": risk["impact"],
        "risk": risk["id"],
        "status": "open",
    }


def author_problems(author: Author) -> dict[str, Problem]:
    """Why an edit cannot be signed: without a name, or with one too long to keep."""
    if not author.who.strip():
        return {"who": Problem("Say who you are: every change is signed.")}
    if len(author.who) > LONGEST_NAME:
        sizes = {"length": str(len(author.who)), "longest": str(LONGEST_NAME)}
        return {"who": Problem("{length} characters are too many; at most {longest}.", sizes)}
    return {}
