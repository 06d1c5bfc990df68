"""How MSPDI writes values: durations, times, lags, costs, codes.

Source: the Microsoft Project XML schema (mspdi_pj12.xsd) and files of Project
2003 to 2019.
"""

import re
import unicodedata
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import TypeVar
from xml.etree.ElementTree import Element, ParseError
from zoneinfo import ZoneInfo

from defusedxml import DefusedXmlException
from defusedxml import ElementTree as SafeTree

from pipelines.sources import FileRefused
from pipelines.tabular import CellError, decode, unpack

Value = TypeVar("Value")

NAMESPACE = "schemas.microsoft.com/project"
LINK_TYPES = {0: "FF", 1: "FS", 2: "SF", 3: "SS"}
CONSTRAINTS = {
    0: "ASAP",
    1: "ALAP",
    2: "MSO",
    3: "MFO",
    4: "SNET",
    5: "SNLT",
    6: "FNET",
    7: "FNLT",
}
ESTIMATED = 32
"""Added to a duration's format when it is only an estimate."""
ELAPSED_FORMATS = {4, 6, 8, 10, 12}
"""Minutes, hours, days, weeks and months of clock time."""
PERCENT_FORMAT, ELAPSED_PERCENT_FORMAT = 19, 20
TENTH_OF_MINUTE_S = 6

_DURATION = re.compile(
    r"(-?)P(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)(?:\.\d+)?S)?)?"
)


def plan_root(path: Path) -> Element:
    """The Project element of a plan; raises FileRefused for anything else, in words."""
    data = unpack(path)
    try:
        try:
            root: Element = SafeTree.fromstring(data, forbid_dtd=True)
        except ValueError as error:
            if isinstance(error, DefusedXmlException):
                raise
            # expat knows no GBK: decode here, without the declaration that names it.
            root = SafeTree.fromstring(decode(path).partition("?>")[2], forbid_dtd=True)
    except DefusedXmlException:
        raise FileRefused(
            path,
            "entities",
            f"{path.name}: declares XML entities, which no plan needs and which can exhaust "
            "the machine. Save it again in Project.",
        ) from None
    except ParseError as error:
        raise FileRefused(
            path,
            "xml",
            f"{path.name}: not readable as XML ({error}). Save the plan as XML again.",
        ) from None
    if bare(root) != "Project" or NAMESPACE not in root.tag:
        raise FileRefused(
            path,
            "format",
            f"{path.name}: its root is {bare(root)}, not a Microsoft Project plan. "
            "In Project, choose Save as, XML.",
        )
    return root


class Fields:
    """One element's children by their bare names; every accessor raises CellError."""

    def __init__(self, element: Element, zone: ZoneInfo) -> None:
        self.element = element
        self.zone = zone
        self._texts = {bare(child): (child.text or "").strip() for child in element}

    def children(self, name: str) -> Iterator["Fields"]:
        """The children of one name, in order."""
        return (Fields(child, self.zone) for child in self.element if bare(child) == name)

    def child(self, name: str) -> "Fields | None":
        """The first child of a name."""
        return next(self.children(name), None)

    def text(self, name: str) -> str | None:
        """The text, None where missing or blank."""
        return self._texts.get(name) or None

    def whole(self, name: str) -> int | None:
        """A whole number; decimals as in "4800.0" are cut to it."""
        return self._parsed(name, lambda text: int(Decimal(text)))

    def number(self, name: str) -> float | None:
        """A number."""
        return self._parsed(name, float)

    def flag(self, name: str, missing: bool = False) -> bool:
        """1 or true; `missing` where the file does not say."""
        text = self.text(name)
        return missing if text is None else text.lower() in ("1", "true")

    def seconds(self, name: str) -> int | None:
        """A duration such as PT16H0M0S in seconds."""
        return self._parsed(name, duration_s)

    def instant(self, name: str) -> datetime | None:
        """A time of the project's zone as an instant."""
        return self._parsed(name, lambda text: moment(text, self.zone))

    def money(self, name: str) -> Decimal | None:
        """A cost; Project writes hundredths of the currency's unit."""
        return self._parsed(name, lambda text: Decimal(text) / 100)

    def _parsed(self, name: str, parse: Callable[[str], Value]) -> Value | None:
        text = self.text(name)
        if text is None or text == "NA":
            return None
        try:
            return parse(text)
        except (ValueError, InvalidOperation, OverflowError):
            raise CellError(name, f'{name}: "{text[:60]}" is not readable.') from None


def bare(element: Element) -> str:
    """The element's name without its namespace."""
    name: str = element.tag
    return name.rpartition("}")[2]


def duration_s(text: str) -> int:
    """An ISO 8601 duration of hours, minutes and seconds; raises ValueError.

    Project writes hours however long it is; years, months and days of other
    writers are clock time.
    """
    found = _DURATION.fullmatch(text)
    if not found or text.endswith(("P", "T")):
        raise ValueError(text)
    sign, *parts = found.groups()
    years, months, days, hours, minutes, seconds = (int(part or 0) for part in parts)
    clock_days = years * 365 + months * 30 + days
    total = clock_days * 86_400 + hours * 3_600 + minutes * 60 + seconds
    return -total if sign else total


def moment(text: str, zone: ZoneInfo) -> datetime:
    """A time as written, in the zone unless it names one; raises ValueError."""
    parsed = datetime.fromisoformat(text)
    if parsed.tzinfo is None:
        parsed = parsed.replace(tzinfo=zone)
    return parsed.astimezone(UTC)


def day(text: str) -> date:
    """The day of a time as written."""
    return datetime.fromisoformat(text).date()


def is_elapsed(duration_format: int | None) -> bool:
    """Whether a duration of this format runs through nights and holidays."""
    return duration_format is not None and _plain(duration_format) in ELAPSED_FORMATS


def lag(value: int, lag_format: int | None) -> tuple[int | None, float | None, str]:
    """Seconds, percent and unit of a LinkLag; one of the first two is None."""
    kind = _plain(lag_format or 7)
    if kind == PERCENT_FORMAT:
        return None, float(value), "percent"
    if kind == ELAPSED_PERCENT_FORMAT:
        return None, float(value), "elapsed_percent"
    unit = "elapsed" if kind in ELAPSED_FORMATS else "working"
    return value * TENTH_OF_MINUTE_S, None, unit


def _plain(duration_format: int) -> int:
    return duration_format - ESTIMATED if duration_format > ESTIMATED else duration_format


def folded_alias(text: str) -> str:
    """A custom field's name as it is compared."""
    return re.sub(r"[\s_\-]+", "", unicodedata.normalize("NFKC", text).casefold())
