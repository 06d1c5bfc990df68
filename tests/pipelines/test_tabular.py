"""Small tables as people export them are read by position, as text."""

import gzip
import zipfile
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from zoneinfo import ZoneInfo

import openpyxl
import pytest

from pipelines.sources import FileRefused
from pipelines.tabular import (
    CellError,
    decode,
    locate,
    parse_bool,
    parse_date,
    parse_decimal,
    parse_instant,
    read_sheet,
)

TEXT = "名称,金额\n推理平台,12\n"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "gbk"])
def test_chinese_text_is_read_in_the_encodings_exports_use(tmp_path: Path, encoding: str) -> None:
    file = tmp_path / "a.csv"
    file.write_bytes(TEXT.encode(encoding))
    assert decode(file) == TEXT


def test_gzip_and_zip_are_opened(tmp_path: Path) -> None:
    packed = tmp_path / "a.csv.gz"
    packed.write_bytes(gzip.compress(TEXT.encode()))
    archive = tmp_path / "a.zip"
    with zipfile.ZipFile(archive, "w") as target:
        target.writestr("a.csv", TEXT)
    assert decode(packed) == decode(archive) == TEXT


def test_an_archive_of_two_files_is_refused_in_words(tmp_path: Path) -> None:
    archive = tmp_path / "a.zip"
    with zipfile.ZipFile(archive, "w") as target:
        target.writestr("a.csv", TEXT)
        target.writestr("b.csv", TEXT)
    with pytest.raises(FileRefused, match="holds 2 files; pack one per archive"):
        decode(archive)


def test_bytes_that_fit_no_encoding_are_refused_not_replaced(tmp_path: Path) -> None:
    file = tmp_path / "a.csv"
    file.write_bytes(b"name\n\xff\xfe\xfa\x00\x81")
    with pytest.raises(FileRefused, match="Save it as UTF-8"):
        decode(file)


def test_a_preamble_repeated_headings_and_blank_rows_are_survived(tmp_path: Path) -> None:
    file = tmp_path / "a.csv"
    file.write_text('Report of May\n\nName,Label,Label\n\na,"x\ny",N/A\n\nb,,z\n', "utf-8")
    sheet = read_sheet(file, headings=["name", "label"])
    assert sheet.headings == ("Name", "Label", "Label")
    assert [(row.number, row.cells) for row in sheet.rows] == [
        (5, ("a", "x\ny", None)),
        (8, ("b", None, "z")),
    ]
    assert locate(sheet, {"name": (), "labels": ("label",), "due": ()}) == {
        "name": [0],
        "labels": [1, 2],
        "due": [],
    }


def test_headings_match_whatever_their_width_case_or_punctuation(tmp_path: Path) -> None:
    file = tmp_path / "a.tsv"
    file.write_text("Ｃｏｓｔ Center\tdue-date\nx\ty\n", "utf-8")
    sheet = read_sheet(file)
    assert locate(sheet, {"cost_center": (), "due": ("Due Date",)}) == {
        "cost_center": [0],
        "due": [1],
    }


def test_merged_cells_carry_their_value(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    page = book.active
    page.append(["team", "owner"])
    page.append(["a", "Li"])
    page.append([None, "Wang"])
    page.merge_cells("A2:A3")
    book.save(tmp_path / "a.xlsx")
    sheet = read_sheet(tmp_path / "a.xlsx")
    assert [row.cells for row in sheet.rows] == [("a", "Li"), ("a", "Wang")]


def test_a_file_that_is_no_workbook_is_refused_in_words(tmp_path: Path) -> None:
    (tmp_path / "a.xlsx").write_text("not a workbook")
    with pytest.raises(FileRefused, match="not a readable xlsx workbook"):
        read_sheet(tmp_path / "a.xlsx")


def test_an_unknown_sheet_names_those_found(tmp_path: Path) -> None:
    openpyxl.Workbook().save(tmp_path / "a.xlsx")
    with pytest.raises(FileRefused, match=r'no sheet "b" \(found Sheet\)'):
        read_sheet(tmp_path / "a.xlsx", sheet="b")


@pytest.mark.parametrize(
    ("text", "decimal", "value"),
    [
        ("1.5E-7", ".", "1.5E-7"),
        ("1,204.50", ".", "1204.50"),
        ("1.204,50", ",", "1204.50"),
        ("-1 204 567.5", ".", "-1204567.5"),
        ("１２", ".", "12"),
    ],
)
def test_numbers_are_exact(text: str, decimal: str, value: str) -> None:
    assert parse_decimal(text, decimal=decimal) == Decimal(value)


@pytest.mark.parametrize("text", ["1.204,50", "1,2,3", "12,34", "NaN", "Infinity", "abc", "1,20"])
def test_what_is_not_a_number_is_refused_with_advice(text: str) -> None:
    with pytest.raises(CellError):
        parse_decimal(text)


def test_dates_are_dates_and_instants_have_a_zone() -> None:
    assert parse_date("2026年11月30日") == parse_date("2026/11/30") == date(2026, 11, 30)
    shanghai = ZoneInfo("Asia/Shanghai")
    expected = datetime(2026, 11, 29, 16, tzinfo=UTC)
    assert parse_instant("2026-11-30", shanghai) == expected
    assert parse_instant("2026/11/30 00:00", shanghai) == expected
    assert parse_instant("2026-11-29T16:00:00Z", shanghai) == expected
    with pytest.raises(CellError, match="not a day of the calendar"):
        parse_date("2026-02-30")


def test_yes_and_no_are_read_in_both_languages() -> None:
    assert parse_bool("是") and not parse_bool("No")
    with pytest.raises(CellError):
        parse_bool("perhaps")
