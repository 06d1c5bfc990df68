"""Availability of services over a period, with and without planned maintenance."""

import polars as pl

from models.service.budget import HUNDRED, budget, budget_left_percent, sli
from models.service.timeline import totals

MINUTE = 60_000_000
"""Microseconds."""


def availability(elapsed: pl.DataFrame, whole: pl.DataFrame, targets: pl.DataFrame) -> pl.DataFrame:
    """What each service delivered so far, against its budget for the whole period.

    sli = up / (up + down + planned): planned maintenance counted as down time.
    sli_excluding_maintenance = up / (up + down): the figure the target is for.
    Both over the time that is known: unknown is neither up nor down. How far
    the latter could lie if all of it was down, or up: sli_low and sli_high.
    budget = (period - planned) x (1 - target); budget left = 1 - down / budget.
    Time is weighed by units, so that of a training cluster's minute with 8 of
    1,024 accelerators down, 8/1,024 is down time.

    elapsed, whole: timelines to now, and to the period's end (what has not
        happened yet is up there, except maintenance that is already planned).
    targets: service, may_fail (millionths of a percent; null without target).
    Returns service, target, sli, sli_low, sli_high,
        sli_excluding_maintenance, budget_minutes, budget_left_percent,
        downtime_minutes (outside maintenance), maintenance_minutes,
        unknown_minutes, coverage_percent. Where nothing is known every figure
        but coverage (0) and budget_minutes is null.
    """
    valid, down = pl.col("total") - pl.col("planned"), pl.col("down")
    known = pl.col("total") - pl.col("unknown")
    budget_valid = pl.col("whole_total") - pl.col("whole_planned")
    scale = pl.col("units") * MINUTE
    # A calendar alone tells nothing: some time besides the planned must be known.
    seen = (known > pl.col("planned")) | (pl.col("unknown") == 0)
    return (
        totals(elapsed)
        .join(
            totals(whole).select("service", whole_total="total", whole_planned="planned"),
            on="service",
        )
        .join(targets, on="service", how="left")
        .sort("service")
        .select(
            "service",
            target=(HUNDRED - pl.col("may_fail")) / HUNDRED,
            sli=pl.when(seen).then(sli(down + pl.col("planned"), known)),
            sli_excluding_maintenance=sli(down, valid - pl.col("unknown")),
            sli_low=pl.when(seen).then(sli(down + pl.col("unknown"), valid)),
            sli_high=pl.when(seen).then(sli(down, valid)),
            budget_minutes=budget(budget_valid / scale, pl.col("may_fail")),
            budget_left_percent=pl.when(seen).then(
                budget_left_percent(down / scale, budget_valid / scale, pl.col("may_fail"))
            ),
            downtime_minutes=pl.when(seen).then(down / scale),
            maintenance_minutes=pl.when(seen).then(pl.col("planned") / scale),
            unknown_minutes=pl.col("unknown") / scale,
            coverage_percent=pl.when(pl.col("total") > 0).then(known * 100 / pl.col("total")),
        )
    )


def burn_down(elapsed: pl.DataFrame, whole: pl.DataFrame, targets: pl.DataFrame) -> pl.DataFrame:
    """How much of the budget was left at each change, from 100 % on.

    Arguments as for `availability`. Returns service, at, left_percent: a point
    at the period's start and at the end of every segment; straight in between.
    A service without a target or without known time has no line.
    """
    length = (pl.col("end") - pl.col("start")).dt.total_microseconds()
    scale = pl.col("units") * MINUTE
    budgets = (
        totals(whole)
        .join(targets, on="service")
        .select("service", "may_fail", valid=(pl.col("total") - pl.col("planned")) / scale)
    )
    seen = totals(elapsed).filter(pl.col("total") > pl.col("unknown")).select("service")
    points = (
        elapsed.join(seen, on="service", how="semi")
        .join(budgets, on="service")
        .sort("service", "start")
        .with_columns(spent=(length * pl.col("down")).cum_sum().over("service") / scale)
    )
    first = points.group_by("service").agg(
        pl.col("start").min().alias("at"), pl.col("may_fail", "valid").first(), spent=pl.lit(0.0)
    )
    left = budget_left_percent(pl.col("spent"), pl.col("valid"), pl.col("may_fail"))
    return (
        pl.concat(
            [
                first.select("service", "at", "may_fail", "valid", "spent"),
                points.select("service", "may_fail", "valid", "spent", at="end").select(
                    "service", "at", "may_fail", "valid", "spent"
                ),
            ]
        )
        .select("service", "at", left_percent=left)
        .drop_nulls()
        .sort("service", "at")
    )
