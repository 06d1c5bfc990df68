"""The ledger: allocation rules, invoices, month closes, expected anomalies."""

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
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
        "finance_rule",
        {
            "rule": _TEXT,
            "step": _SHORT,
            "priority": _WHOLE,
            "conditions": _TEXT,
            "tenant": _TEXT,
            "cluster": _TEXT,
            "metric": _TEXT,
            "idle_policy": _SHORT,
            "pool": _TEXT,
            "method": _TEXT,
            "shares": _TEXT,
            "owner": _TEXT,
            "reason": _TEXT,
            "valid_from": _DAY,
            "valid_to": _DAY,
            "status": _SHORT,
        },
    )
    _item(
        "finance_setting",
        {
            "name": _SHORT,
            "value": _TEXT,
            "owner": _TEXT,
            "reason": _TEXT,
            "valid_from": _DAY,
            "status": _SHORT,
        },
    )
    _item(
        "invoice",
        {
            "issuer": _TEXT,
            "invoice": _TEXT,
            "month": _TEXT,
            "currency": _TEXT,
            "total": _EXACT,
            "tax": _EXACT,
            "account": _TEXT,
            "issued_on": _DAY,
            "due": _DAY,
            "payment_currency": _TEXT,
            "payment_total": _EXACT,
            "payment_rate": _EXACT,
            "purchase_order": _TEXT,
            "explanation": _TEXT,
            "status": _SHORT,
        },
    )
    _item(
        "invoice_line",
        {
            "issuer": _TEXT,
            "invoice": _TEXT,
            "line": _TEXT,
            "category": _TEXT,
            "description": _TEXT,
            "amount": _EXACT,
        },
    )
    _item(
        "month_close",
        {
            "month": _TEXT,
            "snapshot": _WHOLE,
            "rules_version": _WHOLE,
            "checksum": _TEXT,
            "status": _SHORT,
            "reason": _TEXT,
        },
    )
    _item(
        "expected_anomaly",
        {
            "day": _DAY,
            "tenant": _TEXT,
            "service": _TEXT,
            "sku": _TEXT,
            "reason": _TEXT,
            "status": _SHORT,
        },
    )
    op.create_table(
        "closed_amount",
        sa.Column("id", _WHOLE, primary_key=True, autoincrement=True),
        sa.Column("close", sa.String(40), nullable=False),
        sa.Column("basis", _SHORT, nullable=False),
        sa.Column("currency", _SHORT, nullable=False),
        sa.Column("tenant", _TEXT, nullable=False),
        sa.Column("provider", _TEXT),
        sa.Column("service", _TEXT),
        sa.Column("step", _SHORT, nullable=False),
        sa.Column("rule", _TEXT),
        sa.Column("amount", _EXACT, nullable=False),
    )
    op.create_index("closed_amount_by_close", "closed_amount", ["close", "basis"])


def downgrade() -> None:
    for name in (
        "closed_amount",
        "expected_anomaly",
        "month_close",
        "invoice_line",
        "invoice",
        "finance_setting",
        "finance_rule",
    ):
        op.drop_table(name)
