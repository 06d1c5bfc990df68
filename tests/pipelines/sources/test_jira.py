"""Jira's CSV exports: repeated columns, languages, dates, links, comments."""

from datetime import UTC, date, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import polars as pl
import pytest

from pipelines.sources import FileRefused, MissingColumns, ReadResult
from pipelines.sources.jira import JiraOptions, JiraReader
from pipelines.sources.jira_dates import Undecided, is_day_first, jira_instant
from pipelines.tabular import CellError
from tests.real import real

READER = JiraReader()
HEADINGS = (
    "Summary,Issue key,Status,Created,Due date,Labels,Labels,Outward issue link (Blocks),Comment"
)


def read(path: Path, **options: object) -> ReadResult:
    return READER.read(path, JiraOptions(**options))  # type: ignore[arg-type]


def written(folder: Path, *rows: str, headings: str = HEADINGS) -> Path:
    path = folder / "issues.csv"
    path.write_text("\n".join([headings, *rows]) + "\n", encoding="utf-8")
    return path


def tasks(result: ReadResult) -> pl.DataFrame:
    frame = result.tables["task"]
    assert isinstance(frame, pl.DataFrame)
    return frame


def links(result: ReadResult) -> set[tuple[str, str, str, bool]]:
    frame = result.tables["task_link"]
    assert isinstance(frame, pl.DataFrame)
    return set(frame.select("predecessor_uid", "successor_uid", "link_type", "is_pending").rows())


@pytest.mark.golden
def test_repeated_headings_are_read_by_position() -> None:
    result = read(real("trackers/jira/jira_repeated_headers_made.csv"))
    found = {row["uid"]: row for row in tasks(result).iter_rows(named=True)}
    assert len(found) == 5
    assert found["GPU-2"]["labels"] == ["infra", "rack", "delivery"]
    assert found["GPU-2"]["sprints"] == ["Sprint 1", "Sprint 2"]
    assert found["GPU-2"]["work_s"] == 144_000  # 40 h: estimates are seconds
    assert found["GPU-2"]["due"] == date(2026, 1, 19)
    assert found["GPU-5"]["name"] == '=HYPERLINK("http://x.invalid","Acceptance")'
    assert found["GPU-5"]["is_milestone"]
    assert found["GPU-1"]["is_summary"]
    assert {row["parent_uid"] for uid, row in found.items() if uid != "GPU-1"} == {"GPU-1"}


@pytest.mark.golden
def test_a_link_listed_by_both_issues_counts_once_and_one_out_of_the_file_is_pending() -> None:
    result = read(real("trackers/jira/jira_repeated_headers_made.csv"))
    assert links(result) == {
        ("GPU-2", "GPU-3", "Blocks", False),
        ("GPU-2", "GPU-4", "Blocks", False),
        ("GPU-3", "GPU-5", "Blocks", False),
        ("GPU-4", "GPU-5", "Blocks", False),
        ("GPU-5", "GPU-99", "Blocks", True),
    }
    assert result.notes[0] == "1 links to issues outside the file kept as pending"


@pytest.mark.golden
def test_comments_are_split_at_the_first_two_semicolons_only() -> None:
    comments = read(real("trackers/jira/jira_repeated_headers_made.csv")).tables["task_comment"]
    assert isinstance(comments, pl.DataFrame)
    assert comments.select("author", "body").rows() == [
        ("u-1", "PDU late; vendor says 2 days"),
        ("u-2", "accepted, see log"),
    ]


@pytest.mark.golden
@pytest.mark.parametrize("name", ["jira_zh_made_utf8bom.csv", "jira_zh_made_gbk.csv"])
def test_chinese_headings_months_and_halves_of_the_day(name: str) -> None:
    result = read(real(f"trackers/jira/{name}"))
    found = {row["uid"]: row for row in tasks(result).iter_rows(named=True)}
    assert list(found) == ["GPU-1", "GPU-2", "GPU-5"]
    # 02/十二月/25 12:08 下午 is noon; 02/一月/26 12:08 上午 is just after midnight.
    assert found["GPU-5"]["created"] == datetime(2025, 12, 2, 12, 8, tzinfo=UTC)
    assert found["GPU-5"]["updated"] == datetime(2026, 1, 2, 0, 8, tzinfo=UTC)
    assert found["GPU-2"]["labels"] == ["基建", "交付"]
    assert found["GPU-2"]["status_category"] == "done"
    assert {link[3] for link in links(result)} == {True}


@pytest.mark.golden
def test_a_server_export_with_line_breaks_in_cells() -> None:
    result = read(real("trackers/jira/jira_server_export.csv"), timezone="Australia/Perth")
    found = tasks(result)
    assert found.height == 4 and not list(result.rejected)  # type: ignore[arg-type]
    assert found["created"][0] == datetime(2020, 6, 25, 4, 44, tzinfo=UTC)
    assert found["source_row"].to_list() == [2, 3, 4, 16]


def test_sniff_knows_an_export_from_another_table(tmp_path: Path) -> None:
    assert READER.sniff(written(tmp_path, "A,X-1,Open,,,,,,"))
    other = tmp_path / "bill.csv"
    other.write_text("BilledCost,ServiceName\n1,x\n")
    assert not READER.sniff(other)


def test_a_row_without_a_key_and_a_repeated_key_are_refused(tmp_path: Path) -> None:
    result = read(written(tmp_path, "A,X-1,Open,,,,,,", "B,,Open,,,,,,", "C,X-1,Open,,,,,,"))
    assert tasks(result)["name"].to_list() == ["A"]
    assert [(r.row, r.column) for r in result.rejected] == [  # type: ignore[union-attr]
        (3, "Issue key"),
        (4, "Issue key"),
    ]


def test_a_date_that_cannot_be_read_names_its_column(tmp_path: Path) -> None:
    result = read(written(tmp_path, "A,X-1,Open,29/июл/26 09:59,,,,,"))
    (refusal,) = result.rejected  # type: ignore[misc]
    assert refusal.column == "Created" and "июл" in refusal.message  # type: ignore[union-attr]


def test_another_files_columns_are_said_to_be_missing(tmp_path: Path) -> None:
    with pytest.raises(MissingColumns) as error:
        read(written(tmp_path, "1,2", headings="Name,Owner"))
    assert error.value.missing == ["key", "summary"]


def test_day_and_month_are_told_apart_once_for_the_file(tmp_path: Path) -> None:
    path = written(tmp_path, "A,X-1,Open,6/21/2025 16:14,,,,,", "B,X-2,Open,3/4/2025 10:00,,,,,")
    assert tasks(read(path))["created"][1] == datetime(2025, 3, 4, 10, tzinfo=UTC)


def test_undecidable_dates_refuse_the_file_until_the_order_is_said(tmp_path: Path) -> None:
    path = written(tmp_path, "B,X-2,Open,3/4/2025 10:00,,,,,")
    with pytest.raises(FileRefused, match="day_first"):
        read(path)
    assert tasks(read(path, day_first=True))["created"][0].month == 4


def test_a_comment_without_date_and_author_is_kept_whole(tmp_path: Path) -> None:
    comments = read(written(tmp_path, "A,X-1,Open,,,,,,late; again; so")).tables["task_comment"]
    assert isinstance(comments, pl.DataFrame)
    assert comments["body"].to_list() == ["late; again; so"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("12/Jan/26 3:04 PM", "2026-01-12T15:04"),
        ("12/Jan/26 12:00 AM", "2026-01-12T00:00"),
        ("25/Jun/20 12:44", "2020-06-25T12:44"),
        ("12/1月/26 下午3:04", "2026-01-12T15:04"),
        ("2026-01-12T15:04:00.000+0800", "2026-01-12T07:04"),
        ("2026-01-12 15:04", "2026-01-12T15:04"),
    ],
)
def test_dates_of_many_profiles(text: str, expected: str) -> None:
    assert jira_instant(text, ZoneInfo("UTC"), None).strftime("%Y-%m-%dT%H:%M") == expected


def test_a_day_that_does_not_exist_is_refused() -> None:
    with pytest.raises(CellError):
        jira_instant("31/Feb/26 10:00 AM", ZoneInfo("UTC"), None)


def test_dates_that_contradict_each_other_decide_nothing() -> None:
    assert is_day_first(["12/Jan/26"]) is None
    with pytest.raises(Undecided):
        is_day_first(["21/6/2025", "6/21/2025"])
