"""Rows of a file into the register, without ever overwriting an edit in silence.

A file and the browser may both have changed an item. What the file changed is
told from what it merely repeats by a base: the version that the row carries
(our own export writes it), else what the last file said. Changes to different
fields go together; a field changed on both sides is refused with both values
and waits for a person.
"""

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import polars as pl
import sqlalchemy as sa
from sqlalchemy.engine import Connection

from models.program.merge import merge
from models.program.register import ENTITIES, Entity, Value, from_json, tidy, to_json
from records.database import writing
from records.edits import Author, Invalid, current, insert, now, state_at, update
from records.import_history import Refused, extend, seed
from records.reading import Records, open_records
from records.tables import IMPORTED

NEW, CHANGED, UNCHANGED, EARLIER, REFUSED = "new", "changed", "unchanged", "earlier", "refused"


@dataclass(frozen=True)
class Refusal:
    """One row the register did not take; the parts match a source's rejection."""

    row: int | None
    column: str | None
    rule: str
    message: str
    raw: str | None = None


@dataclass(frozen=True)
class RowOutcome:
    """What one row did, or would do. changes: (was, is) by field.

    verdict: new, changed, unchanged, earlier (this very row was imported before
        and the register has moved on since), refused.
    """

    row: int
    id: str
    verdict: str
    changes: Mapping[str, tuple[Value, Value]] = field(default_factory=dict)
    refusal: Refusal | None = None


@dataclass(frozen=True)
class Outcome:
    """What a file did to the register, row by row."""

    rows: tuple[RowOutcome, ...]

    @property
    def accepted(self) -> int:
        """Rows that added or changed an item."""
        return sum(row.verdict in (NEW, CHANGED) for row in self.rows)

    @property
    def unchanged(self) -> int:
        """Rows that said nothing new."""
        return sum(row.verdict in (UNCHANGED, EARLIER) for row in self.rows)

    @property
    def conflicts(self) -> tuple[Refusal, ...]:
        """Rows that wait for a person, with the reason."""
        return tuple(row.refusal for row in self.rows if row.refusal is not None)

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences for the load's record."""
        earlier = [row.id for row in self.rows if row.verdict == EARLIER]
        if not earlier:
            return ()
        return (
            f"{len(earlier)} rows were imported before and the register has moved on since: "
            f"{', '.join(earlier[:10])}{' ...' if len(earlier) > 10 else ''}.",
        )


class _DryRun(Exception):
    """Ends a trial's transaction without keeping it."""


def write(
    records: Records,
    entity: str,
    frame: pl.DataFrame,
    *,
    who: str,
    at: datetime,
    dry_run: bool = False,
) -> Outcome:
    """Lay a file's rows over the register, all in one transaction.

    entity: risk, action, decision or raid_item.
    frame: `id`, `source_row`, any fields of the entity (an absent column says
        nothing, a blank cell says "no value"), and optionally `version`,
        `updated_at` (when a new item is dated), `history` (JSON, a list of
        {version, at, who, how, changes}; taken for an item that is new here, or
        where it goes on from exactly the versions that are here).
    dry_run: the same answer, nothing kept.
    The same rows again change nothing.
    """
    kind = ENTITIES[entity]
    author = Author(who, at, "import")
    outcomes: list[RowOutcome] = []
    try:
        with writing(records.engine) as connection:
            for row in frame.iter_rows(named=True):
                outcomes.append(_row(connection, kind, row, author))
            if dry_run:
                raise _DryRun
    except _DryRun:
        pass
    return Outcome(tuple(outcomes))


def risk_writer(url: str) -> Callable[[str, pl.DataFrame, str], list[Refusal]]:
    """What a load calls with each frame for records: (entity, rows, origin) -> refusals.

    The database is opened with the first frame, so that a load without a
    register needs none.
    """

    def keep(entity: str, frame: pl.DataFrame, origin: str) -> list[Refusal]:
        return list(write(open_records(url), entity, frame, who=origin, at=now()).conflicts)

    return keep


def _row(
    connection: Connection, entity: Entity, row: Mapping[str, Any], author: Author
) -> RowOutcome:
    """One row in a savepoint of its own: a refused row leaves the others alone."""
    number, id = int(row["source_row"]), str(row["id"])
    nested = connection.begin_nested()
    try:
        outcome = _merged(connection, entity, row, author)
    except Invalid as error:
        name, problem = next(iter(error.problems.items()))
        outcome = _refused(number, id, name, "register", f"{id}, {name}: {problem}", row)
    except Refused as refused:
        outcome = _refused(number, id, refused.column, refused.rule, refused.message, row)
    if outcome.verdict == REFUSED:
        nested.rollback()
    else:
        nested.commit()
    return outcome


def _merged(
    connection: Connection, entity: Entity, row: Mapping[str, Any], author: Author
) -> RowOutcome:
    number, id, version = int(row["source_row"]), str(row["id"]), row.get("version")
    yours: dict[str, Value] = {name: tidy(row[name]) for name in entity.names if name in row}
    content = {name: to_json(value) for name, value in yours.items()}
    history = json.loads(row["history"]) if row.get("history") else []
    digest = _hash(content, version, row.get("updated_at"), history)
    before = current(connection, entity, id)
    if before is None and not history:
        _create(connection, entity, id, row, yours, author)
        _remember(connection, entity, id, digest, content, author)
        return RowOutcome(number, id, NEW, _given(yours))
    is_new = before is None
    base: Mapping[str, Value] | None
    changes: dict[str, tuple[Value, Value]] = {}
    if before is None:
        before = base = seed(connection, entity, id, history, version)
    elif _seen(connection, entity, id, digest):
        same = all(before[name] == value for name, value in yours.items())
        return RowOutcome(number, id, UNCHANGED if same else EARLIER)
    elif (newer := extend(connection, entity, before, history)) is not None:
        changes = {n: (before[n], newer[n]) for n in entity.names if before[n] != newer[n]}
        before = base = newer
    else:
        base = _base(connection, entity, before, version)
    found = merge(base, before, yours)
    if found.clashes:
        raise Refused(next(iter(found.clashes)), "conflict", _clash_message(before, found.clashes))
    if found.apply:
        update(connection, entity, before, found.apply, author)
    changes |= {name: (before[name], value) for name, value in found.apply.items()}
    _remember(connection, entity, id, digest, content, author)
    if is_new:
        return RowOutcome(number, id, NEW, _given(yours))
    return RowOutcome(number, id, CHANGED if changes else UNCHANGED, changes)


def _given(yours: Mapping[str, Value]) -> dict[str, tuple[Value, Value]]:
    return {name: (None, value) for name, value in yours.items() if value is not None}


def _base(
    connection: Connection, entity: Entity, before: Mapping[str, Any], version: int | None
) -> Mapping[str, Value] | None:
    """What the file's row started from; None when nobody can tell.

    A row without version started from what the last file said. A field that no
    file ever spoke of starts from its default: a value beyond that was typed here.
    """
    id = str(before["id"])
    if version is not None:
        base = state_at(connection, entity, id, version)
        if base is None:
            raise Refused(
                "version",
                "version",
                f"{id}: version {version} is unknown here (the register is at "
                f"{before['version']}). The file comes from another register, or the version "
                "was changed by hand; export again and repeat the edit.",
            )
        return base
    content = connection.execute(
        sa.select(IMPORTED.c.content)
        .where(IMPORTED.c.entity == entity.name, IMPORTED.c.entity_id == id)
        .order_by(IMPORTED.c.id.desc())
        .limit(1)
    ).scalar()
    if content is None:
        return None
    said = {
        name: from_json(entity, name, value)
        for name, value in content.items()
        if name in entity.names
    }
    return {one.name: one.default for one in entity.fields} | said


def _create(
    connection: Connection,
    entity: Entity,
    id: str,
    row: Mapping[str, Any],
    yours: Mapping[str, Value],
    author: Author,
) -> None:
    """A new item without history, dated as the file says."""
    updated = row.get("updated_at")
    at = min(updated, author.at) if updated is not None else author.at
    version = row.get("version") or 1
    insert(connection, entity, id, yours, Author(author.who, at, author.how), version)


def _seen(connection: Connection, entity: Entity, id: str, digest: str) -> bool:
    query = sa.select(sa.func.count()).where(
        IMPORTED.c.entity == entity.name,
        IMPORTED.c.entity_id == id,
        IMPORTED.c.content_hash == digest,
    )
    return bool(connection.execute(query).scalar_one())


def _remember(
    connection: Connection,
    entity: Entity,
    id: str,
    digest: str,
    content: Mapping[str, Any],
    author: Author,
) -> None:
    connection.execute(
        sa.insert(IMPORTED).values(
            entity=entity.name, entity_id=id, content_hash=digest, content=content, at=author.at
        )
    )


def _hash(
    content: Mapping[str, Any],
    version: int | None,
    updated: datetime | None,
    history: Sequence[Any],
) -> str:
    whole = {
        "content": content,
        "version": version,
        "updated": str(updated or ""),
        "history": history,
    }
    return hashlib.sha256(json.dumps(whole, sort_keys=True).encode()).hexdigest()


def _clash_message(before: Mapping[str, Any], clashes: Mapping[str, tuple[Value, Value]]) -> str:
    parts = "; ".join(
        f'{name} is "{_said(theirs)}" in the register and "{_said(mine)}" in the file'
        for name, (theirs, mine) in clashes.items()
    )
    return (
        f"{before['id']}: changed here by {before['changed_by']} and in the file: {parts}. "
        "Nothing was taken from this row; settle it on the Risks page, or export, edit and "
        "import again."
    )


def _said(value: Value) -> str:
    return "" if value is None else str(to_json(value))


def _refused(
    number: int, id: str, column: str | None, rule: str, message: str, row: Mapping[str, Any]
) -> RowOutcome:
    raw = json.dumps({k: str(v) for k, v in row.items() if v is not None}, ensure_ascii=False)
    return RowOutcome(number, id, REFUSED, {}, Refusal(number, column, rule, message, raw))
