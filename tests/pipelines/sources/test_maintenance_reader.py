"""Maintenance calendars: time is only excused with a reason."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from pipelines.event_rows import EventOptions
from pipelines.sources import MissingColumns, ReadResult
from pipelines.sources.incidents import IncidentsReader
from pipelines.sources.maintenance import MaintenanceReader

CALENDAR = """service,cluster,start,end,reason,approved_by,gpus
inference-api,,2026-04-12 02:00,2026-04-12 04:00,Driver upgrade,Li Na,
,shanghai,2026-04-19 00:00,2026-04-19 06:00,Cooling loop,Wang Wei,256
"""


def read(tmp_path: Path, text: str) -> ReadResult:
    path = tmp_path / "maintenance.csv"
    path.write_text(text, encoding="utf-8")
    return MaintenanceReader().read(path, EventOptions(timezone="Asia/Shanghai"))


def test_windows_of_a_service_and_of_a_cluster(tmp_path):
    first, second = read(tmp_path, CALENDAR).tables["maintenance_window"].to_dicts()
    assert first["start"] == datetime(2026, 4, 11, 18, 0, tzinfo=UTC)
    assert first["approved_by"] == "Li Na"
    assert (second["service"], second["cluster"], second["gpus"]) == (None, "shanghai", 256)


def test_chinese_headings(tmp_path):
    text = (
        "服务,开始时间,结束时间,维护原因,审批人\n推理,2026-04-12 02:00,2026-04-12 04:00,升级,李娜\n"
    )
    (row,) = read(tmp_path, text).tables["maintenance_window"].to_dicts()
    assert (row["reason"], row["approved_by"]) == ("升级", "李娜")


@pytest.mark.parametrize(
    ("line", "column", "rule"),
    [
        ("a,2026-04-12 02:00,2026-04-12 04:00,", "reason", "blank"),
        (",2026-04-12 02:00,2026-04-12 04:00,x", "service", "blank"),
        ("a,2026-04-12 02:00,,x", "end", "blank"),
        ("a,2026-04-12 02:00,2026-04-12 01:00,x", "end", "end_before_start"),
    ],
)
def test_a_window_without_reason_service_or_end_is_refused(tmp_path, line, column, rule):
    result = read(tmp_path, f"service,start,end,reason\n{line}\n")
    assert [(r.column, r.rule) for r in result.rejected] == [(column, rule)]
    assert result.tables["maintenance_window"].is_empty()
    assert result.rows_read == 1


def test_a_calendar_needs_a_reason_column(tmp_path):
    with pytest.raises(MissingColumns):
        read(tmp_path, "service,start,end\na,2026-04-12 02:00,2026-04-12 04:00\n")


def test_sniff_tells_a_calendar_from_an_incident_log(tmp_path):
    calendar, log = tmp_path / "calendar.csv", tmp_path / "log.csv"
    calendar.write_text(CALENDAR)
    log.write_text("service,start,end,severity,reason\na,2026-04-10,2026-04-11,S1,x\n")
    assert MaintenanceReader().sniff(calendar)
    assert not IncidentsReader().sniff(calendar)
    assert IncidentsReader().sniff(log)
    assert not MaintenanceReader().sniff(log)


def test_a_copied_window_is_refused(tmp_path):
    line = "a,2026-04-12 02:00,2026-04-12 04:00,x\n"
    result = read(tmp_path, f"service,start,end,reason\n{line}{line}")
    assert result.tables["maintenance_window"].height == 1
    assert [(r.row, r.rule) for r in result.rejected] == [(3, "repeated")]
    assert result.rows_read == 2
