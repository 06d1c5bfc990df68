"""What a late milestone costs in accelerators that wait for it."""

from datetime import date, timedelta
from decimal import Decimal

import polars as pl

from metrics.cluster_cost import cluster_month_cost
from metrics.facts import Facts
from metrics.gpu_hours import owned_gpu_hours
from models.table import MONEY


def slip_costs(facts: Facts, items: pl.DataFrame) -> pl.DataFrame:
    """Items with slip_cost and currency: GPUs waiting x hours late x cost per owned GPU-hour.

    items: baseline_finish, finish, gpus_waiting, cluster. On time costs zero;
    without a stake, a baseline or a known rate the cost is null.
    """
    rates = owned_rates(facts) if items["gpus_waiting"].drop_nulls().len() else {}
    costs: list[Decimal | None] = []
    currencies: list[str | None] = []
    for baseline, finish, gpus, cluster in items.select(
        "baseline_finish", "finish", "gpus_waiting", "cluster"
    ).iter_rows():
        rate, currency = rates.get(cluster, (None, None))
        if rate is None or None in (baseline, finish, gpus):
            costs.append(None)
            currencies.append(None)
            continue
        late = max(finish - baseline, timedelta(0))
        hours = Decimal(late // timedelta(seconds=1)) / 3600
        costs.append(_stored(Decimal(repr(gpus)) * hours * rate))
        currencies.append(currency)
    return items.with_columns(
        pl.Series("slip_cost", costs, MONEY), pl.Series("currency", currencies, pl.String)
    )


def owned_rates(facts: Facts) -> dict[str, tuple[Decimal, str]]:
    """Effective cost per owned GPU-hour and its currency by cluster, in the last whole month.

    A cluster whose cost is unknown, or comes in several currencies, is absent.
    """
    month = last_whole_month(facts.today)
    hours = dict(owned_gpu_hours(facts, month).select("cluster", "gpu_hours").rows())
    costs = cluster_month_cost(facts, month)
    single = costs.filter(pl.len().over("cluster") == 1)
    return {
        cluster: (cost / Decimal(repr(hours[cluster])), currency)
        for cluster, currency, cost in single.select("cluster", "currency", "cost").rows()
        if hours.get(cluster)
    }


def last_whole_month(day: date) -> str:
    """The month that ends on the day, else the one before."""
    ends = (day + timedelta(days=1)).day == 1
    last = day if ends else day.replace(day=1) - timedelta(days=1)
    return f"{last:%Y-%m}"


def _stored(value: Decimal) -> Decimal:
    return value.quantize(Decimal(1).scaleb(-18))
