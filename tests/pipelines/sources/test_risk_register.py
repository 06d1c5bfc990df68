"""Risk registers as people keep them, in two languages and several states of mess."""

import json
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import openpyxl
import polars as pl
import pytest

from pipelines.sources import MissingColumns, ReadResult, Rejection
from pipelines.sources.risk_register import RiskRegisterOptions, RiskRegisterReader

ENGLISH = "ID,Title,Status,Probability,Impact,Cost impact,Currency,Due\n"


def read(path: Path, **options: Any) -> ReadResult:
    return RiskRegisterReader().read(path, RiskRegisterOptions(**options))


def risks(result: ReadResult) -> pl.DataFrame:
    frame = result.tables["risk"]
    assert isinstance(frame, pl.DataFrame)
    return frame


def rejections(result: ReadResult) -> list[Rejection]:
    return [one for one in result.rejected if isinstance(one, Rejection)]


def text(folder: Path, content: str, encoding: str = "utf-8") -> Path:
    path = folder / "register.csv"
    path.write_bytes(content.encode(encoding))
    return path


def book(folder: Path, **sheets: list[list[Any]]) -> Path:
    workbook = openpyxl.Workbook()
    workbook.remove(workbook.active)
    for name, rows in sheets.items():
        sheet = workbook.create_sheet(name)
        for row in rows:
            sheet.append(row)
    path = folder / "register.xlsx"
    workbook.save(path)
    return path


def test_an_english_csv_gives_typed_rows(tmp_path: Path) -> None:
    path = text(tmp_path, ENGLISH + 'R-001,Cooling late,Open,4,5,"2,000,000.50",USD,2026-12-02\n')
    row = risks(read(path)).row(0, named=True)
    assert row == {
        "id": "R-001",
        "title": "Cooling late",
        "status": "open",
        "probability": 4,
        "impact": 5,
        "cost_impact": Decimal("2000000.50"),
        "currency": "USD",
        "due": date(2026, 12, 2),
        "source_row": 2,
    }


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "gbk", "utf-16"])
def test_a_chinese_csv_reads_in_every_encoding(tmp_path: Path, encoding: str) -> None:
    path = text(
        tmp_path,
        "风险编号,风险名称,类型,状态,可能性,影响程度,影响金额,负责人,应对策略,类别\r\n"
        "R-007,液冷回路延期,威胁,处理中,高,很高,200万,机房设施部,缓解,供应链\r\n",
        encoding,
    )
    row = risks(read(path, currency="CNY")).row(0, named=True)
    assert (row["title"], row["type"], row["status"]) == ("液冷回路延期", "threat", "open")
    assert (row["probability"], row["impact"]) == (4, 5)
    assert (row["cost_impact"], row["currency"]) == (Decimal(2_000_000), "CNY")
    assert (row["response"], row["category"]) == ("mitigate", "supply")


def test_a_public_style_log_with_semicolons_reads(tmp_path: Path) -> None:
    path = text(
        tmp_path,
        "Risk_ID;Date_identified;Project_Name;Risk_Name;Risk_type;Probability;Impact;Reaction\n"
        "1;2020/9/12;Hall B;Power late;Threat;2 - Low;4 (high);Mitigate\n",
    )
    row = risks(read(path)).row(0, named=True)
    assert (row["id"], row["program"], row["raised_on"]) == ("1", "Hall B", date(2020, 9, 12))
    assert (row["probability"], row["impact"]) == (2, 4)


def test_a_preamble_above_the_headings_is_passed_over(tmp_path: Path) -> None:
    path = text(tmp_path, "Risk register of Hall B\n,,\n" + ENGLISH + "R-1,Late,Open,1,1,,,\n")
    assert risks(read(path))["source_row"].to_list() == [4]


def test_a_percentage_in_the_probability_column_gives_step_and_percent(tmp_path: Path) -> None:
    path = text(tmp_path, ENGLISH + "R-1,Late,Open,30 %,2,,,\nR-2,Dear,Open,71%,2,,,\n")
    frame = risks(read(path))
    assert frame["probability"].to_list() == [3, 5]
    assert frame["probability_percent"].to_list() == [30, 71]


def test_a_column_of_shares_is_recognised_as_a_whole(tmp_path: Path) -> None:
    path = text(tmp_path, "ID,Title,Probability %\nR-1,a,0.3\nR-2,b,1\n")
    assert risks(read(path))["probability_percent"].to_list() == [30, 100]


def test_a_column_of_percentages_is_left_alone(tmp_path: Path) -> None:
    path = text(tmp_path, "ID,Title,Probability %\nR-1,a,0.5\nR-2,b,30\n")
    assert risks(read(path))["probability_percent"].to_list() == [Decimal("0.5"), 30]


def test_a_column_that_is_not_there_says_nothing_a_blank_cell_says_none(tmp_path: Path) -> None:
    frame = risks(read(text(tmp_path, "ID,Title,Owner\nR-1,Late,\n")))
    assert "trigger" not in frame.columns
    assert frame["owner"].to_list() == [None]


@pytest.mark.parametrize(
    ("row", "column", "rule"),
    [
        (",Late,Open,1,1,,,", "ID", "required"),
        ("R-9,,Open,1,1,,,", "Title", "required"),
        ("R-9,Late,Perhaps,1,1,,,", "Status", "word"),
        ("R-9,Late,Open,7,1,,,", "Probability", "level"),
        ("R-9,Late,Open,1,1,a lot,USD,", "Cost impact", "number"),
        ("R-9,Late,Open,1,1,,,soon", "Due", "date"),
        ("R-1,Late again,Open,1,1,,,", "ID", "unique"),
    ],
)
def test_a_bad_row_is_refused_whole_and_the_others_stay(
    tmp_path: Path, row: str, column: str, rule: str
) -> None:
    result = read(text(tmp_path, ENGLISH + "R-1,Good,Open,1,1,,,\n" + row + "\n"))
    [refused] = rejections(result)
    assert (refused.row, refused.column, refused.rule) == (3, column, rule)
    assert refused.message.startswith(f"register.csv, row 3, {column}: ")
    assert json.loads(refused.raw or "")
    assert risks(result)["id"].to_list() == ["R-1"]
    assert result.rows_read == 2


def test_a_file_without_titles_is_refused_with_what_was_found(tmp_path: Path) -> None:
    with pytest.raises(MissingColumns) as refused:
        read(text(tmp_path, "ID,Probability,Impact\nR-1,2,3\n"))
    assert refused.value.missing == ["Title"]
    assert "found ID, Probability, Impact" in refused.value.message


def test_a_workbook_brings_actions_and_history(tmp_path: Path) -> None:
    path = book(
        tmp_path,
        Cover=[["Hall B"]],
        风险=[["编号", "标题", "概率", "影响", "版本"], ["R-001", "延期", 4, 5, 3]],
        行动=[
            ["编号", "标题", "风险", "负责人", "截止日期"],
            ["A-001", "空运", "R-001", "供应", "2026-12-02"],
        ],
        历史=[
            ["编号", "版本", "时间", "修改人", "字段", "原值", "新值"],
            ["R-001", 1, "2026-09-01 09:00", "wei", "*created", None, None],
            ["R-001", 2, "2026-10-01 09:00", "li", "概率", 2, 3],
            ["R-001", 3, "2026-11-01 09:00", "li", "probability", 3, 4],
        ],
    )
    result = read(path, timezone="Asia/Shanghai")
    history = json.loads(risks(result)["history"].item())
    assert [step["version"] for step in history] == [1, 2, 3]
    assert history[0]["changes"]["probability"] == {"was": None, "is": 2}
    assert history[0]["changes"]["status"] == {"was": None, "is": "open"}
    moment = datetime.fromisoformat(history[1]["at"])
    assert moment == datetime(2026, 10, 1, 1, tzinfo=UTC)
    action = result.tables["action"]
    assert isinstance(action, pl.DataFrame)
    assert action["risk"].to_list() == ["R-001"]


def test_a_history_row_that_cannot_be_read_is_refused_and_said(tmp_path: Path) -> None:
    path = book(
        tmp_path,
        Risks=[["ID", "Title"], ["R-001", "Late"]],
        History=[
            ["ID", "Version", "At", "Who", "Field", "Was", "Is"],
            ["R-001", "one", "2026-09-01", "wei", "title", None, "Late"],
            ["R-404", 1, "2026-09-01", "wei", "title", None, "Gone"],
        ],
    )
    result = read(path)
    [refused] = rejections(result)
    assert (refused.row, refused.rule) == (2, "version")
    assert "R-001" in result.notes[0]
    assert "R-404" in result.notes[1]
    assert "history" not in risks(result).columns or risks(result)["history"].item() is None


def test_sniffing_never_raises(tmp_path: Path) -> None:
    reader = RiskRegisterReader()
    assert reader.sniff(text(tmp_path, ENGLISH + "R-1,a,Open,1,1,,,\n"))
    assert not reader.sniff(text(tmp_path, "BilledCost,ChargeCategory\n1,Usage\n"))
    strange = tmp_path / "strange.xlsx"
    strange.write_bytes(b"no workbook")
    assert not reader.sniff(strange)
