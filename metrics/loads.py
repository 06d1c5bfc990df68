"""What is loaded, how fresh is it, what did each load change, what was refused and why?"""

from datetime import datetime, timedelta

import polars as pl

from metrics.answer import Answer, metric
from metrics.facts import Facts

TABLES = ("load", "load_file", "load_change", "quarantine")

EXPECTED_LAG = {
    "focus": timedelta(days=3),
    "gpu_metrics": timedelta(days=1),
    "kubernetes": timedelta(days=1),
    "prometheus": timedelta(days=1),
    "slurm": timedelta(days=1),
}
"""How far behind the newest data of all a feed may be: bills arrive with days of
delay, meters within one. Other kinds change when something happens, so their
age says nothing; they are judged by whether their last load succeeded."""

REFUSALS = "Each refused row is kept whole, with file, row, column and the rule it broke."
FRESHNESS = (
    "A source is fresh when its last load succeeded and its data reaches to within its kind's "
    "usual delay of the newest data loaded (bills 3 days, meters and schedulers 1 day)."
)
MOVED = "Moved = total after the load - total before it, per table, period and currency."


@metric("quarantine")
def quarantine(facts: Facts) -> Answer:
    """Every refused row that a newer delivery of its file has not cured.

    frame: source, file, row (null: the file as a whole), column, rule, message.
    extra: `raw` with the same and the row as it was read, its kind and when;
        `group` with a row per source, file, column and rule: rows, the first
        row and its message, the largest group first.
    """
    rows = facts.query("refused_row")
    groups = (
        rows.group_by("source", "file", "column", "rule", maintain_order=True)
        .agg(pl.len().cast(pl.Int64).alias("rows"), pl.col("row", "message").first())
        .sort("rows", descending=True, maintain_order=True)
    )
    return Answer(
        frame=rows.select("source", "file", "row", "column", "rule", "message"),
        formula=REFUSALS,
        tables=("quarantine", "load"),
        data_through=_latest(rows, "refused_at"),
        extra={"raw": rows, "group": groups},
    )


@metric("sources", listed=False)
def sources(facts: Facts) -> Answer:
    """Each configured source, and each that the lake still holds rows of.

    frame: source, kind, state (never_loaded, failed, partial, behind, fresh),
        last_load, status, message, data_through, behind_hours (null where the
        kind has no reach in time), files, files_refused, rows, quarantined,
        is_configured.
    extra: `table` with source, table_name, rows.
    """
    configured = pl.DataFrame(
        [(s.name, s.kind, s.path, True) for s in facts.config.sources],
        schema={
            "source": pl.String,
            "kind": pl.String,
            "path": pl.String,
            "is_configured": pl.Boolean,
        },
        orient="row",
    )
    held = facts.query("source_load")
    by_table = facts.query("source_rows")
    rows = by_table.group_by("source").agg(pl.col("rows").sum())
    lag = pl.DataFrame(
        {"kind": list(EXPECTED_LAG), "lag": list(EXPECTED_LAG.values())},
        schema={"kind": pl.String, "lag": pl.Duration("us")},
    )
    behind = pl.lit(facts.now).cast(pl.Datetime("us", "UTC")) - pl.col("data_through")
    frame = (
        configured.join(held, on="source", how="full", coalesce=True)
        .with_columns(
            kind=pl.coalesce("kind", "kind_right"),
            is_configured=pl.col("is_configured").fill_null(False),
        )
        .join(rows, on="source", how="left")
        .join(lag, on="kind", how="left")
        .with_columns(
            pl.col("files", "files_refused", "quarantined").fill_null(0),
            # The risk register's rows are in records, not in the lake.
            rows=pl.coalesce("rows", "rows_accepted", pl.lit(0)),
            state=pl.when(pl.col("last_load").is_null())
            .then(pl.lit("never_loaded"))
            .when(pl.col("status") == "failed")
            .then(pl.lit("failed"))
            .when(pl.col("files_refused") > 0)
            .then(pl.lit("partial"))
            .when(behind > pl.col("lag"))
            .then(pl.lit("behind"))
            .otherwise(pl.lit("fresh")),
            behind_hours=pl.max_horizontal(behind.dt.total_seconds() / 3600, pl.lit(0.0)).cast(
                pl.Float64
            ),
        )
        .with_columns(
            behind_hours=pl.when(pl.col("data_through").is_not_null()).then("behind_hours")
        )
        .select(
            "source",
            "kind",
            "path",
            "state",
            "last_load",
            "status",
            "message",
            "data_through",
            "behind_hours",
            "files",
            "files_refused",
            "rows",
            "quarantined",
            "is_configured",
        )
        .sort("source")
    )
    return Answer(
        frame=frame,
        formula=FRESHNESS,
        tables=TABLES,
        data_through=facts.data_through(),
        extra={"table": by_table},
    )


@metric("loads", listed=False)
def loads(facts: Facts) -> Answer:
    """The load history, newest first.

    frame: load_id, source, kind, started_at, finished_at, seconds, status,
        files, rows_read, rows_accepted, rows_quarantined, rows_replaced,
        message, data_through, currencies and amounts (lists: by how much the
        load moved the billed total of each currency).
    extra: `file` with every file of every load.
    """
    frame = facts.query("load_history")
    took = (pl.col("finished_at") - pl.col("started_at")).dt.total_milliseconds() / 1000
    return Answer(
        frame=frame.with_columns(seconds=took),
        formula=MOVED,
        tables=TABLES,
        data_through=_latest(frame, "finished_at"),
        extra={"file": facts.table("load_file").sort("load_id", "file", descending=[True, False])},
    )


@metric("load-changes", listed=False)
def load_changes(facts: Facts) -> Answer:
    """By how much each load moved each period's total, newest first.

    frame: load_id, loaded_at, source, table_name, key, currency, rows_before,
        rows_after, billed_before, billed_after, moved, note.
    """
    frame = facts.query("load_changes")
    return Answer(
        frame=frame,
        formula=MOVED,
        tables=("load_change", "load"),
        data_through=_latest(frame, "loaded_at"),
    )


def _latest(frame: pl.DataFrame, column: str) -> datetime | None:
    newest = frame[column].max()
    return newest if isinstance(newest, datetime) else None
