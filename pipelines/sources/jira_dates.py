"""Dates as Jira's CSV export writes them, in the user's language and order.

12/Jan/26 3:04 PM; 25/Jun/20 12:44; 02/十二月/25 12:08 下午; 6/21/2025 16:14 once
a spreadsheet has been at it. Whether 3/4/2026 is in March or April is decided
once for a file, from its other dates, never cell by cell.
"""

import re
import unicodedata
from collections.abc import Iterable
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from pipelines.tabular import CellError, parse_instant

_ENGLISH = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_CHINESE = ("一", "二", "三", "四", "五", "六", "七", "八", "九", "十", "十一", "十二")
MONTHS = {
    **{name: number for number, name in enumerate(_ENGLISH, 1)},
    **{f"{name}月": number for number, name in enumerate(_CHINESE, 1)},
    **{f"{number}月": number for number in range(1, 13)},
}
MORNING, AFTERNOON = {"am", "上午"}, {"pm", "下午"}

_PATTERN = re.compile(
    r"(?P<first>\d{1,4})[/.\- ](?P<middle>[^/.\- ]+)[/.\- ](?P<last>\d{1,4})"
    r"(?:[ T,]+(?P<before>上午|下午)?\s*(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2}))?"
    r"(?:\.\d+)?\s*(?P<after>am|pm|上午|下午)?)?",
    re.IGNORECASE,
)


class Undecided(Exception):
    """Day and month of a file's dates cannot be told apart; `example` is one."""

    def __init__(self, example: str) -> None:
        super().__init__(example)
        self.example = example


def is_day_first(texts: Iterable[str]) -> bool | None:
    """Whether dates in figures alone put the day first; None where the file has none.

    Raises Undecided when nothing tells, or when the dates contradict each other.
    """
    example = None
    votes = set()
    for text in texts:
        found = _PATTERN.fullmatch(_plain(text))
        if not found or not found["middle"].isdigit() or len(found["first"]) == 4:
            continue
        example = example or text
        if int(found["first"]) > 12:
            votes.add(True)
        if int(found["middle"]) > 12:
            votes.add(False)
    if example is None:
        return None
    if len(votes) != 1:
        raise Undecided(example)
    return votes.pop()


def jira_instant(text: str, zone: ZoneInfo, day_first: bool | None) -> datetime:
    """The instant in UTC; a time without a zone is of `zone`. Raises CellError."""
    return _local(text, zone, day_first).astimezone(UTC)


def jira_day(text: str, zone: ZoneInfo, day_first: bool | None) -> datetime:
    """The moment in `zone`, of which a due date uses the day."""
    return _local(text, zone, day_first).astimezone(zone)


def _local(text: str, zone: ZoneInfo, day_first: bool | None) -> datetime:
    plain = _plain(text)
    found = _PATTERN.fullmatch(plain)
    if not found or len(found["first"]) == 4:
        return parse_instant(re.sub(r"([+-]\d{2})(\d{2})$", r"\1:\2", plain), zone)
    first, middle, year = found["first"], found["middle"].lower(), int(found["last"])
    if middle.isdigit():
        day, month = int(first), int(middle)
        if not day_first:
            day, month = month, day
    else:
        day, month = int(first), _month(middle, text)
    try:
        return datetime(
            year + 2000 if year < 100 else year,
            month,
            day,
            _hour(found),
            int(found["minute"] or 0),
            int(found["second"] or 0),
            tzinfo=zone,
        )
    except ValueError:
        raise CellError("date", f'"{text}" is not a day of the calendar.') from None


def _hour(found: re.Match[str]) -> int:
    hour = int(found["hour"] or 0)
    half = (found["before"] or found["after"] or "").lower()
    if half in AFTERNOON and hour < 12:
        return hour + 12
    return 0 if half in MORNING and hour == 12 else hour


def _month(word: str, text: str) -> int:
    number = MONTHS.get(word) or MONTHS.get(word[:3])
    if number is None:
        raise CellError(
            "date",
            f'"{text}": the month "{word}" is neither English nor Chinese. Set the language of '
            "your Jira profile to English and export again.",
        )
    return number


def _plain(text: str) -> str:
    return unicodedata.normalize("NFKC", text).strip()
