"""The register: risks, actions, decisions, RAID items, audit, imports, revision."""

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

_TEXT, _SHORT, _WHOLE, _EXACT, _DAY = (
    sa.Text(),
    sa.String(40),
    sa.Integer(),
    sa.String(80),
    sa.Date(),
)
_INSTANT = sa.DateTime(timezone=True)


def _item(name: str, fields: dict[str, sa.types.TypeEngine[Any]]) -> None:
    op.create_table(
        name,
        sa.Column("id", sa.String(40), primary_key=True),
        *(sa.Column(field, kind) for field, kind in fields.items()),
        sa.Column("version", _WHOLE, nullable=False),
        sa.Column("changed_at", _INSTANT, nullable=False),
        sa.Column("changed_by", sa.String(120), nullable=False),
    )


def upgrade() -> None:
    _item(
        "risk",
        {
            "program": _TEXT,
            "title": _TEXT,
            "title_zh": _TEXT,
            "description": _TEXT,
            "category": _SHORT,
            "type": _SHORT,
            "owner": _TEXT,
            "raised_on": _DAY,
            "status": _SHORT,
            "probability": _WHOLE,
            "impact": _WHOLE,
            "probability_percent": _EXACT,
            "cost_impact": _EXACT,
            "currency": _TEXT,
            "inherent_probability": _WHOLE,
            "inherent_impact": _WHOLE,
            "target_probability": _WHOLE,
            "target_impact": _WHOLE,
            "score_reason": _TEXT,
            "response": _SHORT,
            "proximity": _TEXT,
            "trigger": _TEXT,
            "due": _DAY,
            "next_action": _TEXT,
            "tenant": _TEXT,
            "milestone": _TEXT,
            "issue": _TEXT,
            "closing_reason": _TEXT,
        },
    )
    _item(
        "action",
        {
            "title": _TEXT,
            "title_zh": _TEXT,
            "risk": _TEXT,
            "program": _TEXT,
            "owner": _TEXT,
            "due": _DAY,
            "status": _SHORT,
            "done_on": _DAY,
            "source_meeting": _TEXT,
            "evidence": _TEXT,
        },
    )
    _item(
        "decision",
        {
            "title": _TEXT,
            "title_zh": _TEXT,
            "options": _TEXT,
            "decision": _TEXT,
            "program": _TEXT,
            "owner": _TEXT,
            "due": _DAY,
            "decided_by": _TEXT,
            "decided_on": _DAY,
            "affects": _TEXT,
            "status": _SHORT,
        },
    )
    _item(
        "raid_item",
        {
            "kind": _SHORT,
            "title": _TEXT,
            "title_zh": _TEXT,
            "description": _TEXT,
            "program": _TEXT,
            "owner": _TEXT,
            "raised_on": _DAY,
            "due": _DAY,
            "severity": _WHOLE,
            "risk": _TEXT,
            "status": _SHORT,
        },
    )
    op.create_table(
        "audit",
        sa.Column("id", _WHOLE, primary_key=True, autoincrement=True),
        sa.Column("entity", _SHORT, nullable=False),
        sa.Column("entity_id", _SHORT, nullable=False),
        sa.Column("version", _WHOLE, nullable=False),
        sa.Column("who", sa.String(120), nullable=False),
        sa.Column("at", _INSTANT, nullable=False),
        sa.Column("how", sa.String(20), nullable=False),
        sa.Column("changes", sa.JSON(), nullable=False),
        sa.UniqueConstraint("entity", "entity_id", "version", name="audit_one_row_a_version"),
    )
    op.create_index("audit_by_time", "audit", ["entity", "at"])
    op.create_table(
        "imported",
        sa.Column("id", _WHOLE, primary_key=True, autoincrement=True),
        sa.Column("entity", _SHORT, nullable=False),
        sa.Column("entity_id", _SHORT, nullable=False),
        sa.Column("content_hash", sa.String(64), nullable=False),
        sa.Column("content", sa.JSON(), nullable=False),
        sa.Column("at", _INSTANT, nullable=False),
        sa.UniqueConstraint("entity", "entity_id", "content_hash", name="imported_once"),
    )
    revision_table = op.create_table(
        "revision",
        sa.Column("id", _WHOLE, primary_key=True),
        sa.Column("number", _WHOLE, nullable=False),
    )
    op.bulk_insert(revision_table, [{"id": 1, "number": 0}])


def downgrade() -> None:
    for name in ("revision", "imported", "audit", "raid_item", "decision", "action", "risk"):
        op.drop_table(name)
