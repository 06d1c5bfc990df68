"""What a programme's register holds: risks, issues, actions, decisions, field by field.

One description of each field serves the form on the page, the spreadsheet that
comes in, the one that goes out, the database and the checks, so that a rule
holds whichever way a value arrives. Terms: PMI practice and ISO 31000.
"""

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from typing import Literal

import polars as pl

from models.table import INSTANT, MONEY

Kind = Literal["text", "whole", "money", "percent", "date", "choice"]
Value = str | int | Decimal | date | None

POLARS: dict[str, pl.DataType] = {
    "text": pl.String(),
    "whole": pl.Int64(),
    "money": MONEY,
    "percent": MONEY,
    "date": pl.Date(),
    "choice": pl.String(),
}

LONGEST = {"title": 200, "title_zh": 200, "owner": 120, "program": 120}
"""Characters a short field may have; other texts may have LONGEST_TEXT."""

LONGEST_TEXT = 4000

NO_VALUE = frozenset({"", "null", "none", "n/a", "na", "nan", "-", "#n/a"})
"""Words that spreadsheets write for "nothing"; typed in a form they mean the same."""


@dataclass(frozen=True)
class Field:
    """One field of an item. low, high: bounds of a number, both allowed."""

    name: str
    kind: Kind = "text"
    required: bool = False
    choices: tuple[str, ...] = ()
    low: int | None = None
    high: int | None = None
    default: Value = None


@dataclass(frozen=True)
class Entity:
    """A kind of item: its id's prefix (R-001), its fields, and what "done" means.

    closed: statuses in which nothing is open any more.
    """

    name: str
    prefix: str
    fields: tuple[Field, ...]
    closed: tuple[str, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the fields, without id and version."""
        return tuple(one.name for one in self.fields)

    def __getitem__(self, name: str) -> Field:
        return next(one for one in self.fields if one.name == name)

    @property
    def frame_schema(self) -> dict[str, pl.DataType]:
        """Columns of a frame of items: id, the fields, version, changed_at, changed_by."""
        return {
            "id": pl.String(),
            **{one.name: POLARS[one.kind] for one in self.fields},
            "version": pl.Int64(),
            "changed_at": INSTANT,
            "changed_by": pl.String(),
        }


THREAT, OPPORTUNITY = "threat", "opportunity"
DRAFT, OPEN, CLOSED, OCCURRED = "draft", "open", "closed", "occurred"
LIVE = (DRAFT, OPEN)
"""Statuses of a risk that still threatens; the others leave matrix and exposure."""

RESPONSES = {
    THREAT: ("avoid", "transfer", "mitigate", "accept"),
    OPPORTUNITY: ("exploit", "share", "enhance", "accept"),
}

CATEGORIES = (
    "supply",
    "technical",
    "facility",
    "schedule",
    "cost",
    "people",
    "vendor",
    "regulatory",
    "security",
    "other",
)


def _scale(name: str) -> Field:
    return Field(name, "whole", low=1, high=5)


RISK = Entity(
    "risk",
    "R",
    (
        Field("program"),
        Field("title", required=True),
        Field("title_zh"),
        Field("description"),
        Field("category", "choice", choices=CATEGORIES),
        Field("type", "choice", required=True, choices=(THREAT, OPPORTUNITY), default=THREAT),
        Field("owner"),
        Field("raised_on", "date"),
        Field(
            "status",
            "choice",
            required=True,
            choices=(DRAFT, OPEN, CLOSED, OCCURRED),
            default=OPEN,
        ),
        _scale("probability"),
        _scale("impact"),
        Field("probability_percent", "percent", low=0, high=100),
        Field("cost_impact", "money", low=0),
        Field("currency"),
        _scale("inherent_probability"),
        _scale("inherent_impact"),
        _scale("target_probability"),
        _scale("target_impact"),
        Field("score_reason"),
        Field(
            "response",
            "choice",
            choices=tuple(dict.fromkeys(RESPONSES[THREAT] + RESPONSES[OPPORTUNITY])),
        ),
        Field("proximity"),
        Field("trigger"),
        Field("due", "date"),
        Field("next_action"),
        Field("tenant"),
        Field("milestone"),
        Field("issue"),
        Field("closing_reason"),
    ),
    closed=(CLOSED, OCCURRED),
)

ACTION = Entity(
    "action",
    "A",
    (
        Field("title", required=True),
        Field("title_zh"),
        Field("risk"),
        Field("program"),
        Field("owner", required=True),
        Field("due", "date", required=True),
        Field(
            "status",
            "choice",
            required=True,
            choices=("open", "done", "cancelled"),
            default="open",
        ),
        Field("done_on", "date"),
        Field("source_meeting"),
        Field("evidence"),
    ),
    closed=("done", "cancelled"),
)

DECISION = Entity(
    "decision",
    "D",
    (
        Field("title", required=True),
        Field("title_zh"),
        Field("options"),
        Field("decision"),
        Field("program"),
        Field("owner"),
        Field("due", "date"),
        Field("decided_by"),
        Field("decided_on", "date"),
        Field("affects"),
        Field(
            "status",
            "choice",
            required=True,
            choices=("open", "decided", "withdrawn"),
            default="open",
        ),
    ),
    closed=("decided", "withdrawn"),
)

RAID_ITEM = Entity(
    "raid_item",
    "I",
    (
        Field("kind", "choice", required=True, choices=("issue", "assumption", "dependency")),
        Field("title", required=True),
        Field("title_zh"),
        Field("description"),
        Field("program"),
        Field("owner"),
        Field("raised_on", "date"),
        Field("due", "date"),
        _scale("severity"),
        Field("risk"),
        Field("status", "choice", required=True, choices=("open", "closed"), default="open"),
    ),
    closed=("closed",),
)

ENTITIES: dict[str, Entity] = {
    entity.name: entity for entity in (RISK, ACTION, DECISION, RAID_ITEM)
}


@dataclass(frozen=True)
class Problem:
    """What is wrong with a field's value: an English sentence with named parts.

    The parts stay apart so that a page can say the sentence in its language.
    """

    text: str
    parts: Mapping[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        return self.text.format(**self.parts)


def check(entity: Entity, item: Mapping[str, Value]) -> dict[str, Problem]:
    """What is wrong with an item, by field; empty when it may be stored.

    item: every field of the entity, typed as its kind says, absent = None.
    """
    found: dict[str, Problem] = {}
    for one in entity.fields:
        problem = _field_problem(one, item.get(one.name))
        if problem is not None:
            found[one.name] = problem
    if entity is RISK:
        for name, problem in _risk_problems(item).items():
            found.setdefault(name, problem)
    if entity is ACTION and item.get("status") != "done" and item.get("done_on") is not None:
        found.setdefault("done_on", Problem("Only a finished action has a date of completion."))
    return found


def tidy(value: Value) -> Value:
    """A value as it is kept: text without blanks at its ends and control characters.

    A word for "nothing" is no value. Line ends become a plain newline and odd
    blanks a space, so that a text survives a trip through a spreadsheet.
    """
    if not isinstance(value, str):
        return value
    plain_ends = value.replace("\r\n", "\n").replace("\r", "\n")
    text = "".join(_kept_sign(sign) for sign in plain_ends).strip()
    return None if text.casefold() in NO_VALUE else text


def _kept_sign(sign: str) -> str:
    """The character as XML and people can read it; joiners inside emoji stay."""
    if sign in "\n\t":
        return sign
    category = unicodedata.category(sign)
    if category in ("Cc", "Cs") or ord(sign) & 0xFFFE == 0xFFFE:
        return ""
    if category in ("Zl", "Zp"):
        return "\n"
    return " " if category == "Zs" else sign


def plain(value: Decimal) -> str:
    """The decimal's digits without exponent and without trailing zeros."""
    text = f"{value:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def to_json(value: Value) -> str | int | None:
    """A field's value as the audit trail keeps it: numbers of a scale, else text."""
    if isinstance(value, Decimal):
        return plain(value)
    if isinstance(value, date):
        return value.isoformat()
    return value


def from_json(entity: Entity, name: str, value: str | int | None) -> Value:
    """A field's value from the audit trail, typed again."""
    kind = entity[name].kind
    if value is None:
        return None
    if kind in ("money", "percent"):
        return Decimal(str(value))
    if kind == "date":
        return date.fromisoformat(str(value))
    return value


def _field_problem(one: Field, value: Value) -> Problem | None:
    if value is None or value == "":
        return Problem("This is required.") if one.required else None
    if one.kind == "choice" and value not in one.choices:
        return Problem(
            '"{value}" is not one of: {choices}.',
            {"value": str(value), "choices": ", ".join(one.choices)},
        )
    if isinstance(value, str) and one.kind == "text":
        longest = LONGEST.get(one.name, LONGEST_TEXT)
        if len(value) > longest:
            return Problem(
                "{length} characters are too many; at most {longest}.",
                {"length": str(len(value)), "longest": str(longest)},
            )
    if isinstance(value, (int, Decimal)):
        return _bounds_problem(one, value)
    return None


def _bounds_problem(one: Field, value: int | Decimal) -> Problem | None:
    if one.high is not None and one.low is not None and not one.low <= value <= one.high:
        return Problem(
            "{value} is not between {low} and {high}.",
            {"value": str(value), "low": str(one.low), "high": str(one.high)},
        )
    if one.low is not None and value < one.low:
        return Problem(
            "{value} is below {low}; an opportunity's gain is entered as a positive amount.",
            {"value": str(value), "low": str(one.low)},
        )
    return None


def _risk_problems(item: Mapping[str, Value]) -> dict[str, Problem]:
    """Rules that tie a risk's fields together.

    An open risk needs probability and impact; a draft may still lack them. An
    owner is not forced: a risk without one is a finding, not an impossibility.
    Money needs its currency. A target above the inherent score needs a reason.
    """
    found: dict[str, Problem] = {}
    if item.get("status") == OPEN:
        for name in ("probability", "impact"):
            if item.get(name) in (None, ""):
                found[name] = Problem("An open risk needs this; keep it as a draft until known.")
    if item.get("cost_impact") is not None and not item.get("currency"):
        found["currency"] = Problem("An amount needs its currency, such as USD.")
    currency = item.get("currency")
    if isinstance(currency, str) and currency and not _is_currency(currency):
        found["currency"] = Problem(
            '"{value}" is not a three-letter currency code such as USD.', {"value": currency}
        )
    response, kind = item.get("response"), str(item.get("type") or THREAT)
    if response and kind in RESPONSES and response not in RESPONSES[kind]:
        found["response"] = Problem(
            '"{value}" does not answer this type of risk; use one of: {choices}.',
            {"value": str(response), "choices": ", ".join(RESPONSES[kind])},
        )
    target = _product(item, "target_")
    inherent = _product(item, "inherent_")
    if (
        target is not None
        and inherent is not None
        and target > inherent
        and not item.get("score_reason")
    ):
        found["score_reason"] = Problem(
            "The target score {target} is above the inherent score {inherent}; say why.",
            {"target": str(target), "inherent": str(inherent)},
        )
    return found


def _product(item: Mapping[str, Value], prefix: str) -> int | None:
    probability, impact = item.get(f"{prefix}probability"), item.get(f"{prefix}impact")
    if isinstance(probability, int) and isinstance(impact, int):
        return probability * impact
    return None


def _is_currency(text: str) -> bool:
    return len(text) == 3 and text.isascii() and text.isalpha() and text.isupper()
