"""Numbers, money and days read as people write them, in both languages."""

from datetime import UTC, date, datetime
from decimal import Decimal
from zoneinfo import ZoneInfo

import polars as pl
import pytest

from ui import format as shown
from ui.tables import csv_bytes

THIN = "\u2009"


@pytest.fixture(params=["en", "zh"])
def lang(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    for module in ("ui.format", "ui.i18n"):
        monkeypatch.setattr(f"{module}.language", lambda: request.param)
    return str(request.param)


def test_what_nobody_measured_is_said_in_words(lang: str) -> None:
    words = {"en": ("not measured", "not known"), "zh": ("未测量", "未知")}[lang]
    for value in (shown.number, shown.gpu_hours, shown.percent, shown.days):
        assert value(None) == words[0]
    assert shown.money(None, "USD") == words[1]


@pytest.mark.parametrize(
    ("value", "currency", "text"),
    [
        ("12400000", "USD", f"12.4{THIN}M{THIN}USD"),
        ("310400", "USD", f"310{THIN}k{THIN}USD"),
        ("-1250", "USD", f"-1.2{THIN}k{THIN}USD"),
        ("85.4", "CNY", f"85{THIN}CNY"),
        ("0", "USD", f"0{THIN}USD"),
    ],
)
def test_short_money_fits_a_tile(lang: str, value: str, currency: str, text: str) -> None:
    assert shown.money_short(Decimal(value), currency) == text


def test_money_has_its_currency_s_decimals(lang: str) -> None:
    assert shown.money(Decimal("1234.5"), "USD") == f"1,234.50{THIN}USD"
    assert shown.money(Decimal("1234"), "JPY") == f"1,234{THIN}JPY"
    assert shown.money(Decimal("1234"), "TWD") == f"1,234{THIN}TWD"


def test_an_instant_is_the_day_of_the_reader_s_zone(lang: str) -> None:
    evening = datetime(2026, 11, 29, 16, tzinfo=UTC)
    expected = {"en": "30 Nov 2026", "zh": "2026年11月30日"}[lang]
    assert shown.day(evening, ZoneInfo("Asia/Shanghai")) == expected
    assert shown.day(date(2026, 11, 30)) == expected


def test_months_read_in_both_languages(lang: str) -> None:
    assert shown.month("2026-09") == {"en": "Sep 2026", "zh": "2026年9月"}[lang]


def test_durations_use_the_unit_people_would(lang: str) -> None:
    minutes, hours, days = {
        "en": ("47 min", "3.5 h", "20.0 d"),
        "zh": ("47 分钟", "3.5 小时", "20.0 天"),
    }[lang]
    assert shown.duration_minutes(47) == minutes
    assert shown.duration_minutes(210) == hours
    assert shown.duration_minutes(20 * 1440) == days


def test_csv_text_never_runs_as_a_formula_and_money_keeps_its_digits() -> None:
    frame = pl.DataFrame(
        {
            "name": ["=1+1", "+x", "-x", "@x", "plain", None],
            "cost": [Decimal("-0.000000000000000001")] * 6,
        },
        schema={"name": pl.String, "cost": pl.Decimal(38, 18)},
    )
    text = csv_bytes(frame).decode("utf-8-sig")
    assert text.splitlines()[1:] == [
        "'=1+1,-0.000000000000000001",
        "'+x,-0.000000000000000001",
        "'-x,-0.000000000000000001",
        "'@x,-0.000000000000000001",
        "plain,-0.000000000000000001",
        ",-0.000000000000000001",
    ]
