"""What the lake knows about services: what went wrong, and what was planned.

Terms are those of the SRE workbook. Intervals are half-open instants in UTC;
an end that is null means "not over yet".
"""

import pandera.polars as pa
import polars as pl

from models.table import INSTANT, Table

EFFECTS = ("down", "degraded", "unknown")
"""What an incident did to its service: down spends error budget; degraded is
listed only; unknown (nobody could see it) is neither up nor down time."""

_FILLED = pa.Check.str_length(min_value=1)
_POSITIVE = pa.Check.gt(0)


def _text(*checks: pa.Check, nullable: bool = True) -> pa.Column:
    return pa.Column(pl.String, list(checks), nullable=nullable)


def _instant(*, nullable: bool = False) -> pa.Column:
    return pa.Column(INSTANT, nullable=nullable)


def _count() -> pa.Column:
    return pa.Column(pl.Int64, _POSITIVE, nullable=True)


INCIDENT = Table(
    name="incident",
    schema=pa.DataFrameSchema(
        {
            "incident_id": _text(_FILLED, nullable=False),
            "service": _text(_FILLED, nullable=False),
            "cluster": _text(),
            "title": _text(),
            "start": _instant(),
            "end": _instant(nullable=True),
            "severity": _text(),
            "cause": _text(),
            "effect": _text(pa.Check.isin(EFFECTS), nullable=False),
            "gpus": _count(),
        },
        strict=True,
    ),
    replaces=(),
)
"""One unplanned event at one service. gpus: accelerators it took, null for all.

An incident log is a state, not a stream: a newer copy of a file replaces all
its rows, and a newer file's incident replaces the same incident of any other
(pipelines/sql/incident_superseded.sql): service and id name one row. No `event_time`: the newest
entry of a log does not say how far the log reaches, a quiet week is no gap."""

MAINTENANCE_WINDOW = Table(
    name="maintenance_window",
    schema=pa.DataFrameSchema(
        {
            "service": _text(_FILLED, nullable=True),
            "cluster": _text(),
            "start": _instant(),
            "end": _instant(),
            "reason": _text(_FILLED, nullable=False),
            "approved_by": _text(),
            "gpus": _count(),
        },
        strict=True,
    ),
    replaces=(),
)
"""One planned window. service null: every service of the cluster."""

TABLES: tuple[Table, ...] = (INCIDENT, MAINTENANCE_WINDOW)
