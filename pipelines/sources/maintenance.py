"""Maintenance calendars: planned windows with their reason and who approved them."""

from pathlib import Path
from typing import Any, ClassVar

import polars as pl

from models.service.contracts import MAINTENANCE_WINDOW
from pipelines.event_rows import (
    Cells,
    EventOptions,
    EventRows,
    RowRefused,
    has_columns,
    read_events,
)
from pipelines.sources import ReadResult, Rejection
from pipelines.sources.incidents import COLUMNS as INCIDENT_COLUMNS

COLUMNS: dict[str, tuple[str, ...]] = {
    "service": INCIDENT_COLUMNS["service"],
    "cluster": INCIDENT_COLUMNS["cluster"],
    "start": (*INCIDENT_COLUMNS["start"], "window start", "维护开始", "维护开始时间"),
    "end": (*INCIDENT_COLUMNS["end"], "window end", "维护结束", "维护结束时间"),
    "reason": ("change", "原因", "维护原因", "维护内容", "事由"),
    "approved_by": ("approver", "approved", "审批人", "批准人", "批准"),
    "gpus": INCIDENT_COLUMNS["gpus"],
}
REQUIRED = ("start", "end", "reason")


class MaintenanceReader:
    """A maintenance calendar: a row per planned window.

    Takes    columns by name, in any order, English or Chinese.
    Gives    maintenance_window (models/service). A row with a cluster and no
             service stands for every service of that cluster.
    Rejects  a window without service and cluster, without an end or a reason
             (time is only excused with a reason), that ends before it starts, or
             that an earlier row already plans.
    Raises   MissingColumns without start, end and reason.
    """

    kind: ClassVar[str] = "maintenance"
    options: ClassVar[type[EventOptions]] = EventOptions

    def sniff(self, path: Path) -> bool:
        """Start, end and reason without a severity: otherwise it is an incident log."""
        beside = {**COLUMNS, "severity": INCIDENT_COLUMNS["severity"]}
        return has_columns(path, COLUMNS, REQUIRED) and not has_columns(
            path, beside, (*REQUIRED, "severity")
        )

    def read(self, path: Path, options: EventOptions) -> ReadResult:
        """The calendar's windows and its refused rows."""
        advice = "A maintenance calendar needs service (or cluster), start, end and reason."
        found = read_events(path, options, COLUMNS, REQUIRED, advice, _window)
        repeated = _take_repeated(found)
        frame = pl.DataFrame(
            found.rows, schema={**MAINTENANCE_WINDOW.columns, "source_row": pl.Int64}
        )
        return ReadResult(
            tables={MAINTENANCE_WINDOW.name: frame},
            rejected=[*found.rejected, *repeated],
            rows_read=found.rows_read + len(repeated),
            notes=found.notes,
        )


def _window(cells: Cells) -> dict[str, Any]:
    service, cluster = cells.text("service"), cells.text("cluster")
    if service is None and cluster is None:
        raise RowRefused(
            cells.heading("service"), "blank", "is blank. Name the service, or the cluster for all."
        )
    start = cells.instant("start", "Give the time the window opens.")
    end = cells.end(start)
    if end is None:
        raise RowRefused(
            cells.heading("end"), "blank", "is blank. A planned window needs its planned end."
        )
    return {
        "service": service,
        "cluster": cluster,
        "start": start,
        "end": end,
        "reason": cells.required("reason", "Time is only excused with a reason; give one."),
        "approved_by": cells.text("approved_by"),
        "gpus": cells.count("gpus"),
    }


def _take_repeated(found: EventRows) -> list[Rejection]:
    """Takes windows that an earlier row already plans out of `found`."""
    kept: dict[tuple[Any, ...], dict[str, Any]] = {}
    repeated = []
    for row in found.rows:
        key = tuple(row[name] for name in ("service", "cluster", "start", "end", "gpus"))
        if key not in kept:
            kept[key] = row
            continue
        repeated.append(
            Rejection(
                row["source_row"],
                None,
                "repeated",
                f"The same window is already in row {kept[key]['source_row']}. Delete the copy.",
                str({k: str(v) for k, v in row.items() if v is not None}),
            )
        )
    found.rows = list(kept.values())
    return repeated


READERS = (MaintenanceReader(),)
