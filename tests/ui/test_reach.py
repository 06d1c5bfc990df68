"""How far data reaches: midnight is the end of the day before."""

from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

from ui import format

SHANGHAI = ZoneInfo("Asia/Shanghai")


def test_data_to_midnight_reaches_the_end_of_the_day_before():
    midnight = datetime(2026, 11, 30, 16, 0, tzinfo=UTC)
    assert format.reach(midnight, SHANGHAI) == f"{format.day(date(2026, 11, 30))} 24:00"


def test_data_to_any_other_minute_reaches_that_minute():
    evening = datetime(2026, 11, 30, 12, 5, tzinfo=UTC)
    assert format.reach(evening, SHANGHAI) == f"{format.day(date(2026, 11, 30))} 20:05"


def test_an_axis_month_is_two_lines():
    assert format.month_short("2026-11") == "Nov<br>2026"
