"""Incident logs as teams keep them: CSV or a sheet, English or Chinese headings."""

from datetime import datetime
from pathlib import Path
from typing import Any, ClassVar

import polars as pl

from models.service.contracts import EFFECTS, INCIDENT
from pipelines.event_rows import (
    Cells,
    EventOptions,
    EventRows,
    RowRefused,
    has_columns,
    read_events,
)
from pipelines.sources import ReadResult, Rejection

COLUMNS: dict[str, tuple[str, ...]] = {
    "incident_id": ("incident", "id", "key", "编号", "事件编号", "故障编号", "事件id"),
    "service": ("service name", "服务", "服务名", "业务"),
    "cluster": ("集群",),
    "title": ("summary", "description", "标题", "描述", "故障描述", "事件描述"),
    "start": ("started", "started at", "start time", "begin", "开始", "开始时间", "发生时间"),
    "end": ("ended", "ended at", "end time", "resolved", "resolved at",
            "结束", "结束时间", "恢复时间"),
    "severity": ("sev", "priority", "级别", "严重程度", "等级", "故障级别"),
    "cause": ("root cause", "reason", "原因", "根因", "故障原因"),
    "effect": ("影响类型",),
    "gpus": ("gpu count", "gpus affected", "卡数", "gpu数", "影响卡数", "影响gpu数"),
}  # fmt: skip
REQUIRED = ("service", "start", "end")

EFFECT_WORDS = {
    **{word: word for word in EFFECTS},
    **dict.fromkeys(("outage", "full", "中断", "宕机", "不可用"), "down"),
    **dict.fromkeys(("partial", "slow", "降级", "变慢", "部分影响"), "degraded"),
    **dict.fromkeys(("no data", "blind", "未知", "无监控"), "unknown"),
}


class IncidentsReader:
    """An incident log: a row per incident, open ones without an end.

    Takes    columns by name, in any order, English or Chinese; unknown ones
             are named in the load's notes and left out.
    Gives    incident (models/service). A row without an id is named by its
             service and start. Overlapping incidents are all kept.
    Rejects  a row that ends before it starts or stops before its end column,
             has no service or start, or repeats an earlier row's id.
    Raises   MissingColumns without service, start and end.
    """

    kind: ClassVar[str] = "incidents"
    options: ClassVar[type[EventOptions]] = EventOptions

    def sniff(self, path: Path) -> bool:
        """Service, start and end, with a severity or a cause beside them."""
        return any(
            has_columns(path, COLUMNS, (*REQUIRED, other)) for other in ("severity", "incident_id")
        )

    def read(self, path: Path, options: EventOptions) -> ReadResult:
        """The log's incidents and its refused rows."""
        advice = "An incident log needs service, start and end; leave end blank while it is open."
        found = read_events(path, options, COLUMNS, REQUIRED, advice, _incident)
        repeated = _take_repeated(found)
        frame = pl.DataFrame(found.rows, schema={**INCIDENT.columns, "source_row": pl.Int64})
        return ReadResult(
            tables={INCIDENT.name: frame},
            rejected=[*found.rejected, *repeated],
            rows_read=frame.height + len(found.rejected) + len(repeated),
            notes=found.notes,
        )


def _incident(cells: Cells) -> dict[str, Any]:
    service = cells.required("service", "Name the service as the slo table does.")
    start = cells.instant("start", "Give the time the incident began.")
    return {
        "incident_id": cells.text("incident_id") or _name(service, start),
        "service": service,
        "cluster": cells.text("cluster"),
        "title": cells.text("title"),
        "start": start,
        "end": cells.end(start),
        "severity": cells.text("severity"),
        "cause": cells.text("cause"),
        "effect": _effect(cells),
        "gpus": cells.count("gpus"),
    }


def _name(service: str, start: datetime) -> str:
    return f"{service}@{start:%Y-%m-%dT%H:%M:%SZ}"


def _effect(cells: Cells) -> str:
    text = cells.text("effect")
    if text is None:
        return "down"
    effect = EFFECT_WORDS.get(text.casefold())
    if effect is None:
        raise RowRefused(
            cells.heading("effect"),
            "effect",
            f'"{text}" is unknown. Write down, degraded or unknown; blank means down.',
        )
    return effect


def _take_repeated(found: EventRows) -> list[Rejection]:
    """Takes rows that repeat an earlier id out of `found`.

    Rows named by service and start that differ otherwise are two incidents
    that began together: the later gets a number.
    """
    kept: dict[tuple[str, str], dict[str, Any]] = {}
    repeated = []
    for row in found.rows:
        named = row["incident_id"] == _name(row["service"], row["start"])
        key = (row["service"], row["incident_id"])
        number = 1
        while key in kept and named and not _same(kept[key], row):
            number += 1
            key = (row["service"], f"{row['incident_id']}#{number}")
        if key in kept:
            repeated.append(
                Rejection(
                    row["source_row"],
                    "incident_id",
                    "repeated",
                    f'"{key[1]}" is already in row {kept[key]["source_row"]}. '
                    "Give each incident its own id, or delete the copy.",
                    str({k: str(v) for k, v in row.items() if v is not None}),
                )
            )
        else:
            kept[key] = {**row, "incident_id": key[1]}
    found.rows = list(kept.values())
    return repeated


def _same(one: dict[str, Any], other: dict[str, Any]) -> bool:
    left_out = {"incident_id", "source_row"}
    return all(one[name] == other[name] for name in one.keys() - left_out)


READERS = (IncidentsReader(),)
