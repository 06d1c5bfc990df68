"""The records database: a table per kind of item, and one audit trail for all.

Columns of items follow models/program/register.py and models/ledger.py. Amounts are kept as decimal
text, because SQLite has no exact number; instants are UTC.
"""

from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import sqlalchemy as sa
from sqlalchemy.types import TypeDecorator

from models.ledger import LEDGER
from models.program.register import ENTITIES, Entity, Field, plain


class DecimalText(TypeDecorator[Decimal]):
    """An exact decimal, stored as plain digits ("1200000", never "1.2E+6")."""

    impl = sa.String(80)
    cache_ok = True

    def process_bind_param(self, value: Decimal | None, dialect: Any) -> str | None:
        return None if value is None else plain(value)

    def process_result_value(self, value: str | None, dialect: Any) -> Decimal | None:
        return None if value is None else Decimal(value)


class Instant(TypeDecorator[datetime]):
    """An instant, stored in UTC whatever the database makes of zones."""

    impl = sa.DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Any) -> datetime | None:
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError(f"an instant needs a zone: {value!r}")
        return value.astimezone(UTC)

    def process_result_value(self, value: datetime | None, dialect: Any) -> datetime | None:
        if value is None:
            return None
        return value.astimezone(UTC) if value.tzinfo else value.replace(tzinfo=UTC)


def column_type(field: Field) -> Any:
    """The column type of an item's field."""
    return {
        "text": sa.Text(),
        "choice": sa.String(40),
        "whole": sa.Integer(),
        "money": DecimalText(),
        "percent": DecimalText(),
        "date": sa.Date(),
    }[field.kind]


metadata = sa.MetaData()


def _item_table(entity: Entity) -> sa.Table:
    return sa.Table(
        entity.name,
        metadata,
        sa.Column("id", sa.String(40), primary_key=True),
        *(sa.Column(field.name, column_type(field)) for field in entity.fields),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("changed_at", Instant(), nullable=False),
        sa.Column("changed_by", sa.String(120), nullable=False),
    )


KINDS: dict[str, Entity] = {**ENTITIES, **LEDGER}
"""Every kind of item that is kept, by name."""

ITEMS: dict[str, sa.Table] = {name: _item_table(entity) for name, entity in KINDS.items()}

CLOSED_AMOUNT = sa.Table(
    "closed_amount",
    metadata,
    sa.Column("id", sa.Integer(), primary_key=True, autoincrement=True),
    sa.Column("close", sa.String(40), nullable=False),
    sa.Column("basis", sa.String(40), nullable=False),
    sa.Column("currency", sa.String(40), nullable=False),
    sa.Column("tenant", sa.Text(), nullable=False),
    sa.Column("provider", sa.Text()),
    sa.Column("service", sa.Text()),
    sa.Column("step", sa.String(40), nullable=False),
    sa.Column("rule", sa.Text()),
    sa.Column("amount", DecimalText(), nullable=False),
    sa.Index("closed_amount_by_close", "close", "basis"),
)
"""The frozen figures of a closed month, exact, a row an allocated part."""

AUDIT = sa.Table(
    "audit",
    metadata,
    sa.Column("id", sa.Integer(), primary_key=True, autoincrement=True),
    sa.Column("entity", sa.String(40), nullable=False),
    sa.Column("entity_id", sa.String(40), nullable=False),
    sa.Column("version", sa.Integer(), nullable=False),
    sa.Column("who", sa.String(120), nullable=False),
    sa.Column("at", Instant(), nullable=False),
    sa.Column("how", sa.String(20), nullable=False),
    sa.Column("changes", sa.JSON(), nullable=False),
    sa.UniqueConstraint("entity", "entity_id", "version", name="audit_one_row_a_version"),
    sa.Index("audit_by_time", "entity", "at"),
)
"""A row a version of an item. changes: {field: {"was": ..., "is": ...}}, values as
text (numbers of a scale as numbers); how: browser, import or history."""

IMPORTED = sa.Table(
    "imported",
    metadata,
    sa.Column("id", sa.Integer(), primary_key=True, autoincrement=True),
    sa.Column("entity", sa.String(40), nullable=False),
    sa.Column("entity_id", sa.String(40), nullable=False),
    sa.Column("content_hash", sa.String(64), nullable=False),
    sa.Column("content", sa.JSON(), nullable=False),
    sa.Column("at", Instant(), nullable=False),
    sa.UniqueConstraint("entity", "entity_id", "content_hash", name="imported_once"),
)
"""What files said about an item, newest last: the base against which the next
file's changes are told from the browser's."""

REVISION = sa.Table(
    "revision",
    metadata,
    sa.Column("id", sa.Integer(), primary_key=True),
    sa.Column("number", sa.Integer(), nullable=False),
)
"""One row. Every writing transaction adds one first, so writers queue up and
`number` is a cache key that never stays the same after a change."""
