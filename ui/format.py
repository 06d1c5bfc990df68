"""Numbers, money, days and durations as people read them, in the chosen language.

Nothing here changes a figure beyond its display; None reads "not measured".
"""

from datetime import date, datetime, timedelta
from decimal import Decimal
from zoneinfo import ZoneInfo

from babel.dates import format_date, format_datetime, format_skeleton
from babel.numbers import format_decimal

from models.billing.rounding import minor_digits
from ui.i18n import language, locale, t

Number = int | float | Decimal
THIN = "\u2009"


def missing() -> str:
    """What stands where nothing was measured."""
    return t("not measured")


def number(value: Number | None, digits: int = 0) -> str:
    """1,234.5 with a fixed count of decimals."""
    if value is None:
        return missing()
    pattern = "#,##0" + ("." + "0" * digits if digits else "")
    return str(format_decimal(value, format=pattern, locale=locale()))


def money(value: Decimal | None, currency: str, digits: int | None = None) -> str:
    """12,345.67 USD; decimals as the currency has them."""
    if value is None:
        return t("not known")
    places = minor_digits(currency) if digits is None else digits
    return f"{number(value, places)}{THIN}{currency}"


def money_short(value: Decimal | None, currency: str) -> str:
    """12.4 M USD, 310 k USD, 85 USD."""
    if value is None:
        return t("not known")
    size = abs(Decimal(value))
    if size >= 1_000_000:
        return f"{number(value / 1_000_000, 1)}{THIN}M{THIN}{currency}"
    if size >= 10_000:
        return f"{number(value / 1_000, 0)}{THIN}k{THIN}{currency}"
    if size >= 1_000:
        return f"{number(value / 1_000, 1)}{THIN}k{THIN}{currency}"
    return f"{number(value, 0)}{THIN}{currency}"


def gpu_hours(value: Number | None) -> str:
    """150.0 k h above ten thousand, else 1,234 h."""
    if value is None:
        return missing()
    if abs(float(value)) >= 10_000:
        return f"{number(value / 1000, 1)}{THIN}k{THIN}h"
    return f"{number(value, 0)}{THIN}h"


def percent(value: Number | None, digits: int = 1) -> str:
    """A value of 0 to 100 with a thin gap: 86.2 %."""
    return missing() if value is None else f"{number(value, digits)}{THIN}%"


def share(value: Number | None, digits: int = 1) -> str:
    """A share of 0 to 1 as a percentage."""
    return missing() if value is None else percent(value * 100, digits)


def day(value: date | datetime | None, zone: ZoneInfo | None = None) -> str:
    """14 Mar 2027, 2027年3月14日; an instant is shown as the day in `zone`."""
    if value is None:
        return "–"
    if isinstance(value, datetime) and value.tzinfo and zone:
        value = value.astimezone(zone)
    if language() == "zh":
        return f"{value.year}年{value.month}月{value.day}日"
    return str(format_date(value, "d MMM y", locale="en_GB").replace("Sept", "Sep"))


def day_short(value: date | datetime | None, zone: ZoneInfo | None = None) -> str:
    """14 Mar, 3月14日."""
    if value is None:
        return "–"
    if isinstance(value, datetime) and value.tzinfo and zone:
        value = value.astimezone(zone)
    if language() == "zh":
        return f"{value.month}月{value.day}日"
    return str(format_date(value, "d MMM", locale="en_GB").replace("Sept", "Sep"))


def moment(value: datetime | None, zone: ZoneInfo) -> str:
    """An instant with its clock time in `zone`: 30 Nov 2026 06:00."""
    if value is None:
        return "–"
    local = value.astimezone(zone)
    return f"{day(local)} {format_datetime(local, 'HH:mm', locale='en_GB')}"


def reach(value: datetime | None, zone: ZoneInfo) -> str:
    """How far data reaches: midnight is the end of the day before, 30 Nov 2026 24:00."""
    if value is None or value.astimezone(zone).strftime("%H:%M") != "00:00":
        return moment(value, zone)
    return f"{day(value.astimezone(zone) - timedelta(days=1))} 24:00"


def month(value: str) -> str:
    """A month "2026-11" as Nov 2026 or 2026年11月."""
    year, number_ = (int(part) for part in value.split("-"))
    if language() == "zh":
        return f"{year}年{number_}月"
    shown = format_skeleton("yMMM", datetime(year, number_, 1), locale="en_GB")
    return str(shown).replace("Sept", "Sep")


def month_short(value: str) -> str:
    """The same over two lines, for an axis: Nov above 2026."""
    year, number_ = value.split("-")
    name = f"{int(number_)}月" if language() == "zh" else month(value).split(" ")[0]
    return f"{name}<br>{year}"


def days(value: Number | None, digits: int = 0) -> str:
    """9 d, 9 天."""
    return missing() if value is None else t("{n} d", n=number(value, digits))


def duration_minutes(value: Number | None) -> str:
    """Minutes below two hours, hours below two days, else days."""
    if value is None:
        return missing()
    size = abs(float(value))
    if size < 120:
        return t("{n} min", n=number(value, 1 if size < 10 else 0))
    if size < 2880:
        return t("{n} h", n=number(value / 60, 1))
    return days(value / 1440, 1)


def signed(text: str, value: Number | None) -> str:
    """The text with a plus sign where the value is positive."""
    return f"+{text}" if value is not None and value > 0 else text
