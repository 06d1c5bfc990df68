"""Tables: a download that no spreadsheet runs and that keeps every digit; heights that fit."""

from decimal import Decimal

import polars as pl

from models.table import MONEY
from ui.tables import ROW_HEIGHT, _height, csv_bytes


def test_text_that_a_spreadsheet_would_run_gets_an_apostrophe():
    frame = pl.DataFrame({"title": ["=1+1", "+49 30", "@SUM(A1)", "-x", "plain", None]})
    lines = csv_bytes(frame).decode("utf-8-sig").splitlines()
    assert lines == ["title", "'=1+1", "'+49 30", "'@SUM(A1)", "'-x", "plain", ""]


def test_money_keeps_its_digits_and_negative_amounts_stay_numbers():
    exact = Decimal("-0.123456789012345678")
    frame = pl.DataFrame({"amount": pl.Series([exact], dtype=MONEY)})
    assert csv_bytes(frame).decode("utf-8-sig").splitlines() == ["amount", str(exact)]


def test_excel_is_told_the_encoding():
    assert csv_bytes(pl.DataFrame({"a": ["云"]})).startswith(b"\xef\xbb\xbf")


def test_a_short_table_ends_with_its_last_row_and_a_long_one_shows_there_is_more():
    assert _height(3, 12) == 4 * ROW_HEIGHT + 2
    assert _height(13, 12) == 13 * ROW_HEIGHT + 2 + ROW_HEIGHT // 2
    assert _height(0, 12) == 2 * ROW_HEIGHT + 2
