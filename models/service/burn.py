"""How fast each error budget was going at given moments, by alert window."""

from datetime import timedelta

import polars as pl

from models.service.budget import burn_rate, burn_thresholds
from models.service.timeline import clip, totals


def burn_at(segments: pl.DataFrame, moments: pl.DataFrame, window: pl.Expr) -> pl.Series:
    """Burn rate in the window that ends at each moment.

    segments: a timeline that reaches back at least one window before the first
        moment, or to where the service's record begins.
    moments: row (unique), service, at, may_fail.
    Planned and unknown time is neither good nor bad. Null where nothing in the
    window is known.
    """
    ends = moments.select("row", "service", "may_fail", until="at", since=pl.col("at") - window)
    inside = clip(
        ends.join(segments, on="service", how="inner"), start=pl.col("since"), end=pl.col("until")
    )
    spent = totals(inside.with_columns(service=pl.col("row"))).rename({"service": "row"})
    bad, valid = pl.col("down"), pl.col("total") - pl.col("planned") - pl.col("unknown")
    return ends.join(spent, on="row", how="left", maintain_order="left").select(
        burn=burn_rate(bad, valid, pl.col("may_fail"))
    )["burn"]


def alerts(segments: pl.DataFrame, moments: pl.DataFrame, period: timedelta) -> pl.DataFrame:
    """Both windows of every alert pair at every moment.

    moments: service, at, may_fail.
    Returns service, at, severity, long, short, threshold, budget_percent,
    burn_long, burn_short, firing: both windows exceed the threshold. Not firing
    where a window is unknown.
    """
    pairs = moments.join(burn_thresholds(period), how="cross").with_row_index("row")
    measured = pairs.with_columns(
        burn_at(segments, pairs, pl.col("long")).alias("burn_long"),
        burn_at(segments, pairs, pl.col("short")).alias("burn_short"),
    )
    lower = pl.min_horizontal("burn_long", "burn_short")
    known = pl.col("burn_long").is_not_null() & pl.col("burn_short").is_not_null()
    return measured.with_columns(
        firing=(known & (lower > pl.col("threshold"))).fill_null(False)
    ).select(
        "service",
        "at",
        "severity",
        "long",
        "short",
        "budget_percent",
        "threshold",
        "burn_long",
        "burn_short",
        "firing",
    )


def worst_moments(
    segments: pl.DataFrame, may_fail: pl.DataFrame, period: timedelta
) -> pl.DataFrame:
    """When each alert pair came nearest to, or went furthest above, its threshold.

    Both windows are at their highest together when down time stops growing, so
    it is enough to look at the ends of the segments with down time.
    segments: a timeline; may_fail: service, since, may_fail (moments before
        `since` only fill windows).
    Returns a row per service and pair as `alerts`, with firing = it was
    exceeded; nothing for a service without down time.
    """
    moments = (
        segments.filter(pl.col("down") > 0)
        .join(may_fail, on="service")
        .filter(pl.col("end") > pl.col("since"))
        .select("service", "may_fail", at="end")
    )
    return (
        alerts(segments, moments, period)
        .sort(pl.min_horizontal("burn_long", "burn_short"), descending=True, nulls_last=True)
        .unique(["service", "severity", "long"], keep="first", maintain_order=True)
        .sort("service", "long")
    )
