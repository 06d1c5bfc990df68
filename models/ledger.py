"""What finance keeps by hand: rules, invoices, month closes, expected anomalies.

The same fields serve the form, the sheet that comes in, the database and the
checks, as for the programme's register (models/program/register.py).
"""

from collections.abc import Mapping
from datetime import date
from decimal import Decimal

from models.program.register import Entity, Field, Problem, Value
from models.reference import IDLE_POLICIES

ACTIVE, RETIRED = "active", "retired"

RULE = Entity(
    "finance_rule",
    "AR",
    (
        Field("rule", required=True),
        Field(
            "step", "choice", required=True, choices=("direct", "metered", "shared", "correction")
        ),
        Field("priority", "whole", required=True, low=0, high=1_000_000, default=100),
        Field("conditions", required=True),
        Field("tenant"),
        Field("cluster"),
        Field("metric"),
        Field("idle_policy", "choice", choices=IDLE_POLICIES),
        Field("pool"),
        Field("method"),
        Field("shares"),
        Field("owner", required=True),
        Field("reason", required=True),
        Field("valid_from", "date"),
        Field("valid_to", "date"),
        Field("status", "choice", required=True, choices=(ACTIVE, RETIRED), default=ACTIVE),
    ),
    closed=(RETIRED,),
)
"""An allocation rule. conditions: JSON, a list of {"field", "operator", "value",
"ignore_case"}; all must hold. correction rules say where credits, refunds, tax
and support fees go (models/billing/rules.py). A record named as a rule of the
reference table takes its place."""

SETTING = Entity(
    "finance_setting",
    "FS",
    (
        Field("name", "choice", required=True, choices=("pool_method", "unused_commitment")),
        Field("value", required=True),
        Field("owner", required=True),
        Field("reason", required=True),
        Field("valid_from", "date"),
        Field("status", "choice", required=True, choices=(ACTIVE, RETIRED), default=ACTIVE),
    ),
    closed=(RETIRED,),
)
"""A policy of the whole allocation: pool_method direct, step-down or simultaneous;
unused_commitment platform, purchaser or use."""

INVOICE = Entity(
    "invoice",
    "INV",
    (
        Field("issuer", required=True),
        Field("invoice", required=True),
        Field("month", required=True),
        Field("currency", required=True),
        Field("total", "money", required=True),
        Field("tax", "money"),
        Field("account"),
        Field("issued_on", "date"),
        Field("due", "date"),
        Field("payment_currency"),
        Field("payment_total", "money"),
        Field("payment_rate", "money"),
        Field("purchase_order"),
        Field("explanation"),
        Field(
            "status",
            "choice",
            required=True,
            choices=("open", "accepted", "disputed", "void"),
            default="open",
        ),
    ),
    closed=("accepted", "void"),
)
"""An invoice as it came. total includes tax, in currency; payment_*: what was
paid where another currency settles it. accepted needs its explanation."""

INVOICE_LINE = Entity(
    "invoice_line",
    "IL",
    (
        Field("issuer", required=True),
        Field("invoice", required=True),
        Field("line", required=True),
        Field("category"),
        Field("description"),
        Field("amount", "money", required=True),
    ),
    closed=(),
)
"""A line printed on an invoice; category as FOCUS ChargeCategory (Tax, Usage ...)."""

MONTH_CLOSE = Entity(
    "month_close",
    "MC",
    (
        Field("month", required=True),
        Field("snapshot", "whole", required=True),
        Field("rules_version", "whole", required=True),
        Field("checksum", required=True),
        Field("status", "choice", required=True, choices=("closed", "reopened"), default="closed"),
        Field("reason"),
    ),
    closed=("reopened",),
)
"""A month whose figures are frozen (rows of closed_amount). A reopened close
keeps its row, its reason and its audit; closing again makes a new one."""

EXPECTED_ANOMALY = Entity(
    "expected_anomaly",
    "EA",
    (
        Field("day", "date", required=True),
        Field("tenant"),
        Field("service"),
        Field("sku"),
        Field("reason", required=True),
        Field(
            "status",
            "choice",
            required=True,
            choices=("expected", "withdrawn"),
            default="expected",
        ),
    ),
    closed=("withdrawn",),
)
"""A jump of cost that somebody explained; it stays listed, marked as expected."""

LEDGER: dict[str, Entity] = {
    entity.name: entity
    for entity in (RULE, SETTING, INVOICE, INVOICE_LINE, MONTH_CLOSE, EXPECTED_ANOMALY)
}

ALLOCATION_KINDS = (RULE.name, SETTING.name)
"""What changes an allocation: their version is the rules version."""

POOL_METHODS = ("direct", "step-down", "simultaneous")
UNUSED_COMMITMENT_POLICIES = ("platform", "purchaser", "use")


def ledger_problems(entity: Entity, item: Mapping[str, Value]) -> dict[str, Problem]:
    """Rules that tie an item's fields together, by field."""
    found: dict[str, Problem] = {}
    _check_month(item, found)
    for name in ("currency", "payment_currency"):
        _check_currency(name, item, found)
    if entity is INVOICE:
        _check_invoice(item, found)
    if entity is MONTH_CLOSE and item.get("status") == "reopened" and not item.get("reason"):
        found["reason"] = Problem("A closed month is reopened for a reason; say which.")
    if entity is SETTING:
        known = POOL_METHODS if item.get("name") == "pool_method" else UNUSED_COMMITMENT_POLICIES
        if item.get("value") not in known:
            found["value"] = Problem(
                '"{value}" is not one of: {choices}.',
                {"value": str(item.get("value")), "choices": ", ".join(known)},
            )
    start, end = item.get("valid_from"), item.get("valid_to")
    if isinstance(start, date) and isinstance(end, date) and end <= start:
        found["valid_to"] = Problem("The rule ends before it begins.")
    return found


def _check_month(item: Mapping[str, Value], found: dict[str, Problem]) -> None:
    month = item.get("month")
    if not isinstance(month, str):
        return
    year, dash, number = month.partition("-")
    whole = len(year) == 4 and len(number) == 2 and year.isdecimal() and number.isdecimal()
    if not dash or not whole or not 1 <= int(number) <= 12:
        found["month"] = Problem('"{value}" is not a month; write it as 2026-11.', {"value": month})


def _check_currency(name: str, item: Mapping[str, Value], found: dict[str, Problem]) -> None:
    code = item.get(name)
    if not isinstance(code, str) or not code:
        return
    if not (len(code) == 3 and code.isascii() and code.isalpha() and code.isupper()):
        found[name] = Problem(
            '"{value}" is not a three-letter currency code such as USD.', {"value": code}
        )


def _check_invoice(item: Mapping[str, Value], found: dict[str, Problem]) -> None:
    if item.get("status") == "accepted" and not item.get("explanation"):
        found["explanation"] = Problem("An accepted difference needs its explanation.")
    if item.get("payment_total") is not None and not item.get("payment_currency"):
        found["payment_currency"] = Problem("An amount needs its currency, such as USD.")
    rate = item.get("payment_rate")
    if isinstance(rate, Decimal) and rate <= 0:
        found["payment_rate"] = Problem("A rate is above zero.")
