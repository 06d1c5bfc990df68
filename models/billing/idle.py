"""Whose a metered cluster's cost is: what was used, and what stood idle.

Everything is in GPU-hours; a cluster's cost is split in proportion to them, so
the price of an hour never has to be rounded.
"""

from collections.abc import Mapping
from datetime import datetime, time
from fractions import Fraction
from zoneinfo import ZoneInfo

import polars as pl

METERED = "metered"
IDLE = "idle"

Owner = tuple[str, str]
"""Tenant and column (`metered` or `idle`) that hours are charged to."""


def cluster_hours(
    capacity: Fraction | None,
    used: Mapping[str, Fraction],
    reserved: Mapping[str, Fraction],
    policy: str,
    platform: str,
) -> dict[Owner, Fraction]:
    """Every GPU-hour of a cluster in a period, by who pays for it and why.

    capacity: GPU-hours owned; None, or less than was used: what was used.
    used, reserved: GPU-hours by tenant.
    policy: `platform` leaves idle hours with `platform`; `use` gives them to
        the users in proportion to use; `quota` gives them to those who
        reserved hours and did not use them. What others borrowed of those
        hours is theirs, and hours that nobody reserved stay with `platform`.
    Returns hours that add up to the capacity; all zero or empty where
    nothing is owned and nothing was used.
    Source: METRICS.md section 4, the four cases of a cluster of 5,760 GPU-h.
    """
    taken = sum(used.values(), Fraction(0))
    hours: dict[Owner, Fraction] = {(tenant, METERED): amount for tenant, amount in used.items()}
    idle = max((capacity or Fraction(0)) - taken, Fraction(0))
    if idle == 0:
        return hours
    if policy == "use" and taken > 0:
        for tenant, amount in used.items():
            hours[tenant, IDLE] = idle * amount / taken
        return hours
    unused: dict[str, Fraction] = {}
    if policy == "quota":
        for tenant, quota in reserved.items():
            left = quota - used.get(tenant, Fraction(0))
            if left > 0:
                unused[tenant] = left
    promised = sum(unused.values(), Fraction(0))
    kept = min(Fraction(1), idle / promised) if promised else Fraction(0)
    for tenant, left in unused.items():
        hours[tenant, IDLE] = left * kept
    rest = idle - promised * kept
    if rest > 0:
        hours[platform, IDLE] = hours.get((platform, IDLE), Fraction(0)) + rest
    return hours


def reserved_hours(
    quota: pl.DataFrame, start: datetime, end: datetime, zone: ZoneInfo
) -> dict[tuple[str, str], Fraction]:
    """GPU-hours set aside in [start, end), by (cluster, tenant).

    quota: rows of the quota table; a day of validity begins at midnight in
        `zone`, `valid_to` is exclusive, a blank end is open.
    """
    found: dict[tuple[str, str], Fraction] = {}
    for row in quota.iter_rows(named=True):
        first, last = row["valid_from"], row["valid_to"]
        opens = datetime.combine(first, time(), zone) if first else start
        closes = datetime.combine(last, time(), zone) if last else end
        # Python subtracts two instants of one zone by wall clock: a day of 23 hours
        # would count 24. Timestamps are compared instead.
        seconds = min(closes.timestamp(), end.timestamp()) - max(
            opens.timestamp(), start.timestamp()
        )
        if seconds > 0:
            key = (row["cluster"], row["tenant"])
            hours = Fraction(row["gpus"]) * Fraction(seconds) / 3600
            found[key] = found.get(key, Fraction(0)) + hours
    return found
