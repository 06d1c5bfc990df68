"""Maintenance calendars: planned windows with their reason and who approved them."""

from pathlib import Path
from typing import Any, ClassVar

import polars as pl

from models.service.contracts import MAINTENANCE_WINDOW
from pipelines.event_rows import Cells, EventOptions, RowRefused, has_columns, read_events
from pipelines.sources import ReadResult
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
             (time is only excused with a reason), or that ends before it starts.
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
        frame = pl.DataFrame(
            found.rows, schema={**MAINTENANCE_WINDOW.columns, "source_row": pl.Int64}
        )
        return ReadResult(
            tables={MAINTENANCE_WINDOW.name: frame},
            rejected=found.rejected,
            rows_read=found.rows_read,
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


READERS = (MaintenanceReader(),)
