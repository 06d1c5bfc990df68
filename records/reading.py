"""Reading the records as frames: as they are now, or as they stood at an instant.

An earlier state is folded from the audit trail, which holds every version of
every item, so "what changed since the review" is a difference, not a memory.
"""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

import polars as pl
import sqlalchemy as sa
from sqlalchemy.engine import Engine

from models.program.register import ACTION, DECISION, RAID_ITEM, RISK, Entity, from_json
from models.table import INSTANT
from records.database import engine_of, reading
from records.tables import AUDIT, ITEMS, REVISION

AUDIT_SCHEMA: dict[str, pl.DataType] = {
    "entity": pl.String(),
    "id": pl.String(),
    "version": pl.Int64(),
    "at": INSTANT,
    "who": pl.String(),
    "how": pl.String(),
    "field": pl.String(),
    "was": pl.String(),
    "is": pl.String(),
}


class Records:
    """What people recorded. Safe to share between threads: a connection per call."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine

    def version(self) -> int:
        """A number that grows with every change: the records' part of a cache key."""
        with reading(self.engine) as connection:
            return int(connection.execute(sa.select(REVISION.c.number)).scalar_one())

    def version_of(self, kinds: Iterable[str], as_of: datetime | None = None) -> int:
        """How often items of these kinds were changed, up to an instant."""
        query = sa.select(sa.func.count()).select_from(AUDIT).where(AUDIT.c.entity.in_(list(kinds)))
        if as_of is not None:
            query = query.where(AUDIT.c.at <= as_of)
        with reading(self.engine) as connection:
            return int(connection.execute(query).scalar_one())

    def risks(self, as_of: datetime | None = None) -> pl.DataFrame:
        """Every risk, whatever its status; with `as_of`, as the register stood then."""
        return self.items(RISK, as_of)

    def actions(self, as_of: datetime | None = None) -> pl.DataFrame:
        """Every action, done ones too."""
        return self.items(ACTION, as_of)

    def decisions(self, as_of: datetime | None = None) -> pl.DataFrame:
        """Every decision, asked for or taken."""
        return self.items(DECISION, as_of)

    def raid_items(self, as_of: datetime | None = None) -> pl.DataFrame:
        """Issues, assumptions and dependencies."""
        return self.items(RAID_ITEM, as_of)

    def items(self, entity: Entity, as_of: datetime | None = None) -> pl.DataFrame:
        """Items of one kind, a row each, sorted by id (columns: entity.frame_schema)."""
        if as_of is not None:
            return self.items_over(entity, [as_of])[as_of]
        table = ITEMS[entity.name]
        with reading(self.engine) as connection:
            rows = connection.execute(sa.select(table).order_by(table.c.id)).mappings().all()
        return _frame(entity, [dict(row) for row in rows])

    def items_over(
        self, entity: Entity, instants: Iterable[datetime]
    ) -> dict[datetime, pl.DataFrame]:
        """The items at each instant, in one pass over the audit trail.

        A change made at the very instant counts.
        """
        wanted = sorted(set(instants))
        with reading(self.engine) as connection:
            trail = connection.execute(
                sa.select(AUDIT)
                .where(AUDIT.c.entity == entity.name)
                .order_by(AUDIT.c.at, AUDIT.c.version, AUDIT.c.id)
            ).all()
        found: dict[datetime, pl.DataFrame] = {}
        state: dict[str, dict[str, Any]] = {}
        position = 0
        for instant in wanted:
            while position < len(trail) and trail[position].at <= instant:
                _apply(entity, state, trail[position])
                position += 1
            found[instant] = _frame(entity, [state[key] for key in sorted(state)])
        return found

    def item(self, entity: Entity, id: str) -> dict[str, Any] | None:
        """One item with its version, or None."""
        table = ITEMS[entity.name]
        with reading(self.engine) as connection:
            row = connection.execute(sa.select(table).where(table.c.id == id)).mappings().first()
        return None if row is None else dict(row)

    def audit(self, entity: str | None = None, id: str | None = None) -> pl.DataFrame:
        """Who changed what and when: a row per changed field, newest first."""
        a = AUDIT.c
        query = sa.select(a.entity, a.entity_id, a.version, a.at, a.who, a.how, a.changes).order_by(
            a.at.desc(), a.id.desc()
        )
        if entity is not None:
            query = query.where(AUDIT.c.entity == entity)
        if id is not None:
            query = query.where(AUDIT.c.entity_id == id)
        with reading(self.engine) as connection:
            trail = connection.execute(query).all()
        rows = [
            (*row[:6], name, _shown(change["was"]), _shown(change["is"]))
            for row in trail
            for name, change in row.changes.items()
        ]
        return pl.DataFrame(rows, schema=AUDIT_SCHEMA, orient="row")


def open_records(url: str) -> Records:
    """The records behind a SQLAlchemy URL, created or upgraded where needed.

    Raises RecordsError.
    """
    return Records(engine_of(url))


def _apply(entity: Entity, state: dict[str, dict[str, Any]], row: Any) -> None:
    """One audit row laid over the state so far."""
    item = state.setdefault(row.entity_id, {"id": row.entity_id})
    known = set(entity.names)
    for name, change in row.changes.items():
        if name in known:
            item[name] = from_json(entity, name, change["is"])
    item.update(version=row.version, changed_at=row.at.astimezone(UTC), changed_by=row.who)


def _frame(entity: Entity, items: list[Mapping[str, Any]] | list[dict[str, Any]]) -> pl.DataFrame:
    schema = entity.frame_schema
    return pl.DataFrame(
        {name: [item.get(name) for item in items] for name in schema}, schema=schema, strict=True
    )


def _shown(value: Any) -> str | None:
    return None if value is None else str(value)
