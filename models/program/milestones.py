"""Which items of a plan are due, late or slipped, and by how much."""

from datetime import date, timedelta
from zoneinfo import ZoneInfo

import polars as pl

DUE_WITHIN = timedelta(days=42)
"""How far ahead a review looks: six weeks."""

DONE, OVERDUE, DUE, LATER, UNDATED = "done", "overdue", "due", "later", "undated"


def with_status(items: pl.DataFrame, today: date, zone: ZoneInfo) -> pl.DataFrame:
    """Items with status, slip_days and due_in_days, days being those of `zone`.

    items: forecast_finish, baseline_finish, actual_finish, percent_complete.
    finish: the actual finish of what is done, else the forecast.
    status: done; overdue (was to finish before today, and has not); due (within six
        weeks); later; undated.
    slip_days: calendar days from the baseline's to the finish's day, negative
        when early; null without a baseline.
    due_in_days: calendar days from today to the finish; null when done.
    """
    is_done = pl.col("percent_complete").fill_null(0) >= 100
    finish = (
        pl.when(is_done)
        .then(pl.coalesce("actual_finish", "forecast_finish"))
        .otherwise("forecast_finish")
    )
    return (
        items.with_columns(finish=finish, is_done=is_done)
        .with_columns(
            status=pl.when("is_done")
            .then(pl.lit(DONE))
            .when(pl.col("finish").is_null())
            .then(pl.lit(UNDATED))
            .when(_day("finish", zone) < today)
            .then(pl.lit(OVERDUE))
            .when(_day("finish", zone) <= today + DUE_WITHIN)
            .then(pl.lit(DUE))
            .otherwise(pl.lit(LATER)),
            slip_days=(_day("finish", zone) - _day("baseline_finish", zone)).dt.total_days(),
            due_in_days=pl.when(~pl.col("is_done")).then(
                (_day("finish", zone) - pl.lit(today)).dt.total_days()
            ),
        )
        .drop("is_done")
    )


def _day(column: str, zone: ZoneInfo) -> pl.Expr:
    return pl.col(column).dt.convert_time_zone(zone.key).dt.date()
