"""Incident logs as teams really keep them: what is read, what is refused and why."""

import gzip
from datetime import UTC, datetime
from pathlib import Path

import openpyxl
import pytest

from pipelines.event_rows import EventOptions
from pipelines.sources import FileRefused, MissingColumns, ReadResult
from pipelines.sources.incidents import IncidentsReader

SHANGHAI = EventOptions(timezone="Asia/Shanghai")
LOG = """incident_id,service,cluster,title,start,end,severity,cause,gpus
INC-1,inference-api,shanghai,API errors,2026-04-10 10:00,2026-04-10 10:43,SEV1,bad rollout,
INC-2,training-shanghai,shanghai,Node lost,2026-04-11 00:00,2026-04-11 06:00,SEV3,GPU fell off bus,8
INC-3,inference-api,shanghai,Still slow,2026-04-30 23:00,,SEV2,,
"""


def read(tmp_path: Path, text: str | bytes, name: str = "incidents.csv") -> ReadResult:
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return IncidentsReader().read(path, SHANGHAI)


def rows(result: ReadResult) -> list[dict]:
    return result.tables["incident"].to_dicts()


def test_a_log_becomes_incidents_in_utc(tmp_path):
    result = read(tmp_path, LOG)
    first, second, third = rows(result)
    assert result.rows_read == 3
    assert list(result.rejected) == []
    assert first["start"] == datetime(2026, 4, 10, 2, 0, tzinfo=UTC)
    assert first["end"] == datetime(2026, 4, 10, 2, 43, tzinfo=UTC)
    assert first["gpus"] is None
    assert second["gpus"] == 8
    assert third["source_row"] == 4
    assert {row["effect"] for row in rows(result)} == {"down"}


def test_an_open_incident_has_no_end(tmp_path):
    text = "service,start,end,cause\na,2026-04-01 10:00,,x\nb,2026-04-01 10:00,进行中,x\n"
    assert [row["end"] for row in rows(read(tmp_path, text))] == [None, None]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "gb18030"])
def test_chinese_headings_in_any_encoding(tmp_path, encoding):
    text = (
        "事件编号,服务,集群,标题,开始时间,恢复时间,级别,根因,影响卡数\r\n"
        "故障-1,推理服务,上海,接口报错,2026-04-10 10:00:00,2026-04-10 10:43:00,一级,发布问题,16\r\n"
    )
    (row,) = rows(read(tmp_path, text.encode(encoding)))
    assert (row["service"], row["cause"], row["severity"]) == ("推理服务", "发布问题", "一级")
    assert row["gpus"] == 16


@pytest.mark.parametrize(
    "written",
    [
        "2026/4/1 9:05",
        "2026-4-1 9:05:00",
        "2026年4月1日 9:05",
        "2026年4月1日9时5分",
        "2026-04-01T01:05:00Z",
        "2026-04-01 09:05:00+08:00",
        "２０２６/４/１ ９：０５",
    ],
)
def test_times_as_spreadsheets_write_them(tmp_path, written):
    (row,) = rows(read(tmp_path, f"service,start,end,cause\na,{written},,x\n"))
    assert row["start"] == datetime(2026, 4, 1, 1, 5, tzinfo=UTC)


def test_end_before_start_is_refused_with_both_values(tmp_path):
    text = "service,start,end,severity,cause\na,2026-04-10 10:00,2026-04-10 09:00,S1,x\n"
    result = read(tmp_path, text)
    (refused,) = result.rejected
    assert rows(result) == []
    assert (refused.row, refused.column, refused.rule) == (2, "end", "end_before_start")
    assert '"2026-04-10 09:00" is before the start "2026-04-10 10:00"' in refused.message
    assert refused.raw == "a,2026-04-10 10:00,2026-04-10 09:00,S1,x"


def test_overlapping_incidents_are_all_kept(tmp_path):
    text = (
        "service,start,end,severity,cause\n"
        "a,2026-04-10 10:00,2026-04-10 11:00,S1,x\n"
        "a,2026-04-10 10:30,2026-04-10 11:30,S1,y\n"
    )
    assert len(rows(read(tmp_path, text))) == 2


def test_incidents_that_begin_together_get_names_of_their_own(tmp_path):
    text = (
        "service,start,end,severity,cause\n"
        "a,2026-04-10 10:00,2026-04-10 11:00,S1,x\n"
        "a,2026-04-10 10:00,2026-04-10 11:30,S1,y\n"
    )
    names = [row["incident_id"] for row in rows(read(tmp_path, text))]
    assert names == ["a@2026-04-10T02:00:00Z", "a@2026-04-10T02:00:00Z#2"]


def test_a_copied_row_is_refused_not_counted_twice(tmp_path):
    line = "a,2026-04-10 10:00,2026-04-10 11:00,S1,x\n"
    result = read(tmp_path, "service,start,end,severity,cause\n" + line + line)
    assert len(rows(result)) == 1
    (refused,) = result.rejected
    assert (refused.row, refused.rule) == (3, "repeated")
    assert "row 2" in refused.message
    assert result.rows_read == 2


def test_a_given_id_used_twice_is_refused(tmp_path):
    text = (
        "id,service,start,end,severity\n"
        "1,a,2026-04-10 10:00,2026-04-10 11:00,S1\n"
        "1,a,2026-04-12 10:00,2026-04-12 11:00,S1\n"
        "1,b,2026-04-12 10:00,2026-04-12 11:00,S1\n"
    )
    result = read(tmp_path, text)
    assert [row["service"] for row in rows(result)] == ["a", "b"]
    assert [refused.row for refused in result.rejected] == [3]


def test_a_row_cut_off_before_its_end_is_not_an_endless_outage(tmp_path):
    text = "service,start,end,severity\na,2026-04-10 10:00,2026-04-10 11:00,S1\na,2026-04-11 10:00"
    result = read(tmp_path, text)
    assert len(rows(result)) == 1
    assert [refused.rule for refused in result.rejected] == ["truncated"]


@pytest.mark.parametrize(
    ("line", "column", "rule"),
    [
        (",2026-04-10 10:00,,S1,", "service", "blank"),
        ("a,,2026-04-10 10:00,S1,", "start", "blank"),
        ("a,yesterday,,S1,", "start", "date"),
        ("a,2026-04-10 10:00,2026-02-30 10:00,S1,", "end", "date"),
        ("a,2026-04-10 10:00,,S1,7.5", "gpus", "count"),
        ("a,2026-04-10 10:00,,S1,-8", "gpus", "count"),
        ("a,2026-04-10 10:00,,S1,many", "gpus", "number"),
    ],
)
def test_a_bad_cell_refuses_its_row_alone(tmp_path, line, column, rule):
    good = "b,2026-04-10 10:00,2026-04-10 11:00,S1,8\n"
    result = read(tmp_path, f"service,start,end,severity,gpus\n{line}\n{good}")
    assert [row["service"] for row in rows(result)] == ["b"]
    assert [(r.column, r.rule) for r in result.rejected] == [(column, rule)]


def test_effect_says_what_the_service_lost(tmp_path):
    text = (
        "service,start,end,severity,effect\n"
        "a,2026-04-10 10:00,2026-04-10 11:00,S1,degraded\n"
        "a,2026-04-11 10:00,2026-04-11 11:00,S1,无监控\n"
        "a,2026-04-12 10:00,2026-04-12 11:00,S1,terrible\n"
    )
    result = read(tmp_path, text)
    assert [row["effect"] for row in rows(result)] == ["degraded", "unknown"]
    assert [refused.rule for refused in result.rejected] == ["effect"]


def test_a_heading_below_a_preamble_and_unknown_columns(tmp_path):
    text = (
        "Incident export,,,,\nGenerated,2026-05-01,,,\n\n"
        "Service;Started at;Resolved at;Severity;Slack channel\n"
        "a;2026-04-10T10:00:00Z;2026-04-10T11:00:00+08:00;S1;#x\n"
    ).replace(",", ";")
    result = read(tmp_path, text)
    assert [refused.rule for refused in result.rejected] == ["end_before_start"]
    assert result.notes == ("columns not used: Slack channel",)


def test_a_workbook_sheet_and_a_gzip_file(tmp_path):
    book = openpyxl.Workbook()
    page = book.active
    page.append(["Service", "Start", "End", "Severity"])
    page.append(["a", datetime(2026, 4, 10, 10, 0), datetime(2026, 4, 10, 10, 30), "S1"])
    book.save(tmp_path / "incidents.xlsx")
    (row,) = rows(IncidentsReader().read(tmp_path / "incidents.xlsx", SHANGHAI))
    assert row["start"] == datetime(2026, 4, 10, 2, 0, tzinfo=UTC)
    assert len(rows(read(tmp_path, gzip.compress(LOG.encode()), "incidents.csv.gz"))) == 3


def test_a_log_without_incidents_is_a_log(tmp_path):
    result = read(tmp_path, "service,start,end,severity,cause\n")
    assert rows(result) == []
    assert result.rows_read == 0


def test_a_missing_column_refuses_the_file_with_what_was_found(tmp_path):
    with pytest.raises(MissingColumns) as refusal:
        read(tmp_path, "service,start,severity\na,2026-04-10 10:00,S1\n")
    assert "no column end (found service, start, severity)" in refusal.value.message


def test_a_file_that_is_no_table_is_refused(tmp_path):
    with pytest.raises(FileRefused):
        read(tmp_path, b"\x89PNG\r\n\x1a\n\xff\xff\xff\xff", "incidents.csv")


def test_sniff_knows_a_log_and_never_raises(tmp_path):
    reader = IncidentsReader()
    log, other, noise = (tmp_path / name for name in ("a.csv", "b.csv", "c.bin"))
    log.write_text(LOG)
    other.write_text("JobID,Start,End\n1,2026-04-10,2026-04-11\n")
    noise.write_bytes(bytes(range(256)))
    assert reader.sniff(log)
    assert not reader.sniff(other)
    assert not reader.sniff(noise)
    assert not reader.sniff(tmp_path / "absent.csv")
