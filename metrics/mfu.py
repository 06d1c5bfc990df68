"""MFU and HFU of every training run, with all that one needs to compare two of them."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import polars as pl

from metrics.answer import Answer, metric
from metrics.facts import Facts
from models.cluster.mfu import (
    MissingInput,
    Shape,
    achieved_tflops,
    flops_per_token,
    likely_cause,
    percent_of_peak,
)
from models.cluster.precision import SPARSE, Peaks, UnknownAccelerator, UnknownPeak
from models.reference import newest

FORMULA = (
    "MFU = model FLOP/s achieved / (accelerators x dense peak FLOP/s at the precision); HFU also "
    "counts recomputation. FLOPs as the run's own formula counts them"
)
SAME = 0.01
"""Two peaks within a percent are one peak, quoted with other rounding."""

CAUSES = {
    "total_parameters": "the parameters may be the total instead of the active ones",
    "non_causal": "attention is counted as not causal at long context",
    "wrong_precision": "the run may have used a lower precision than stated",
    "inputs": "the speed or the number of accelerators may be wrong",
}

DETAIL: dict[str, Any] = {
    "run": pl.String,
    "tenant": pl.String,
    "project": pl.String,
    "cluster": pl.String,
    "accelerator": pl.String,
    "accelerators": pl.Int64,
    "precision": pl.String,
    "formula": pl.String,
    "causal": pl.Boolean,
    "peak_tflops": pl.Float64,
    "achieved_tflops": pl.Float64,
    "mfu_percent": pl.Float64,
    "hfu_percent": pl.Float64,
    "goodput_percent": pl.Float64,
    "start": pl.Datetime("us", "UTC"),
    "end": pl.Datetime("us", "UTC"),
    "run_hours": pl.Float64,
    "problem": pl.String,
    "nearest": pl.String,
    "is_second_peak": pl.Boolean,
    "is_reported": pl.Boolean,
    "note": pl.String,
}
"""One interval against one peak; problem: why there is no MFU (a CAUSES word, or
unknown_accelerator, unknown_peak, sparse_peak, missing_input, no_speed)."""


@dataclass(frozen=True)
class _Speed:
    """Achieved TFLOP/s of one accelerator, and how they are known."""

    model: float
    hardware: float | None
    causal: bool | None
    is_reported: bool


@metric("mfu")
def mfu(
    facts: Facts,
    month: str | None = None,
    cluster: str | None = None,
    tenant: str | None = None,
) -> Answer:
    """MFU and HFU by run; in a month, the runs that ran in it.

    extra: detail (DETAIL, a row an interval and peak), weighted (one row: MFU
    weighted by accelerator-hours over runs at their own precision's peak), by_day
    (day, mfu_percent of the runs that started then, weighted the same way).
    """
    detail = run_details(facts, month)
    if cluster is not None:
        detail = detail.filter(pl.col("cluster") == cluster)
    if tenant is not None:
        detail = detail.filter(pl.col("tenant") == tenant)
    frame = by_run(detail)
    usable = detail.filter(pl.col("mfu_percent").is_not_null())
    return Answer(
        frame=frame.select(
            "run",
            "accelerator",
            "precision",
            "formula",
            "peak_tflops",
            "mfu_percent",
            "hfu_percent",
            "note",
        ),
        formula=FORMULA,
        tables=("training_run", "accelerator"),
        coverage_percent=100 * usable.height / detail.height if detail.height else None,
        data_through=facts.data_through("training_run"),
        notes=("Figures under different formulas are not comparable.",)
        if usable["formula"].n_unique() > 1
        else (),
        extra={
            "detail": frame,
            "weighted": weighted(detail),
            "by_day": _by_start(detail, facts),
        },
    )


def run_details(facts: Facts, month: str | None = None) -> pl.DataFrame:
    """Every interval against its peaks (DETAIL); in a month, its part within it."""
    runs = facts.table("training_run")
    peaks = Peaks.of(newest(facts.table("accelerator"), "accelerator"))
    bounds = None
    if month is not None:
        start, end = facts.month(month)
        bounds = (start, min(end, facts.now))
        runs = runs.filter(
            (pl.col("start") < bounds[1]) & (pl.col("end").is_null() | (pl.col("end") > start))
        )
    rows = [
        judged
        for row in runs.iter_rows(named=True)
        for judged in _against_peaks(row, peaks, _hours(row, bounds, facts.now))
    ]
    return pl.DataFrame(rows, schema=DETAIL, orient="row")


def by_run(detail: pl.DataFrame) -> pl.DataFrame:
    """One row a run and peak: intervals weighted by accelerator-hours.

    An interval that does not say how long it lasted keeps a row of its own,
    since nothing says what it weighs.
    """
    keys = [
        "run",
        "accelerator",
        "precision",
        "formula",
        "peak_tflops",
        "problem",
        "is_second_peak",
    ]
    weight = pl.col("run_hours")
    timed = detail.filter(weight.is_not_null() & (weight > 0))
    rest = detail.filter(weight.is_null() | (weight <= 0))
    means = [
        ((pl.col(name) * weight).sum() / weight.filter(pl.col(name).is_not_null()).sum())
        .fill_nan(None)
        .alias(name)
        for name in ("achieved_tflops", "mfu_percent", "hfu_percent", "goodput_percent")
    ]
    first = [
        pl.col(name).first()
        for name in DETAIL
        if name not in keys
        and name not in ("run_hours", "start", "end")
        and not name.endswith("_percent")
        and name != "achieved_tflops"
    ]
    grouped = timed.group_by(keys, maintain_order=True).agg(
        *means, *first, pl.col("start").min(), pl.col("end").max(), weight.sum()
    )
    return pl.concat([grouped.select(list(DETAIL)), rest.select(list(DETAIL))]).sort(
        "run", "is_second_peak", maintain_order=True
    )


def weighted(detail: pl.DataFrame) -> pl.DataFrame:
    """One row: runs, run_hours, mfu_percent, model_flops (MFU x hours).

    Over intervals at their own precision's peak that say how long they lasted;
    no rows where there are none.
    """
    usable = detail.filter(
        pl.col("mfu_percent").is_not_null() & (pl.col("run_hours") > 0) & ~pl.col("is_second_peak")
    )
    hours = pl.col("run_hours")
    return usable.select(
        runs=pl.col("run").n_unique().cast(pl.Int64),
        run_hours=hours.sum(),
        mfu_percent=(pl.col("mfu_percent") * hours).sum() / hours.sum(),
        model_flops=(pl.col("mfu_percent") / 100 * hours).sum(),
    ).filter(pl.col("runs") > 0)


def _by_start(detail: pl.DataFrame, facts: Facts) -> pl.DataFrame:
    local = pl.col("start").dt.convert_time_zone(str(facts.zone)).dt.date()
    days = [
        weighted(rows).select(pl.lit(day).alias("day"), "mfu_percent")
        for (day,), rows in detail.filter(pl.col("start").is_not_null())
        .sort("start")
        .group_by(local.alias("day"), maintain_order=True)
    ]
    schema: dict[str, Any] = {"day": pl.Date, "mfu_percent": pl.Float64}
    return pl.concat(days) if days else pl.DataFrame(schema=schema)


def _against_peaks(
    row: dict[str, Any], peaks: Peaks, run_hours: float | None
) -> Iterable[dict[str, Any]]:
    """The interval against its precision's peak; an FP8 run against BF16's too."""
    precision = row["precision"]
    own = row["peak_tflops"]
    plain = {name: row.get(name) for name in DETAIL} | {
        "run_hours": run_hours,
        "is_second_peak": False,
        "is_reported": False,
        "peak_tflops": own,
        "note": "",
    }
    try:
        dense = peaks.peak(row["accelerator"], precision)
        half = peaks.peak(row["accelerator"], "BF16") if precision == "FP8" else None
    except UnknownAccelerator as error:
        yield plain | _refused("unknown_accelerator", str(error), error.nearest)
        return
    except UnknownPeak as error:
        yield plain | _refused("unknown_peak", str(error))
        return
    plain["accelerator"] = peaks.name(row["accelerator"])
    if own and precision != "FP8" and abs(own / dense / SPARSE - 1) < SAME:
        message = f"refused: peak {own:g} is the 2:4-sparse figure, dense is {dense:g}"
        yield plain | _refused("sparse_peak", message)
        return
    try:
        speed = _speed(row)
    except MissingInput as error:
        yield plain | {"peak_tflops": own or dense} | _refused("missing_input", str(error))
        return
    if half is None:
        yield plain | _judged(row, speed, own or dense, dense, precision)
        return
    # An FP8 run may state either peak; the one it states keeps its own rounding.
    near_half = own is not None and abs(own / half - 1) < abs(own / dense - 1)
    first = own if own and not near_half else dense
    second = own if own and near_half else half
    yield plain | _judged(row, speed, first, dense, "FP8")
    yield plain | _judged(row, speed, second, half, "BF16") | {"is_second_peak": True}


def _speed(row: dict[str, Any]) -> _Speed:
    """TFLOP/s from shape and speed, else as the run reports them. Raises MissingInput."""
    shape = Shape.of(row)
    tokens = row["tokens_per_s"]
    if not tokens and row["step_time_s"] and row["batch_seqs"] and row["seq_len"]:
        tokens = row["batch_seqs"] * row["seq_len"] / row["step_time_s"]
    if tokens:
        flops = flops_per_token(row["formula"], shape, row["recompute"])
        count = row["accelerators"]
        hardware = flops.hardware
        return _Speed(
            achieved_tflops(flops.model, tokens, count),
            achieved_tflops(hardware, tokens, count) if hardware is not None else None,
            flops.causal,
            False,
        )
    reported = row["tflops_per_accelerator"]
    if not reported:
        raise MissingInput(row["formula"], ["tokens_per_s"])
    return _Speed(reported, None, row["causal"], True)


def _judged(
    row: dict[str, Any], speed: _Speed, peak: float, dense: float, basis: str
) -> dict[str, Any]:
    """Utilisation against `peak`; dense: the table's peak at the precision `basis`."""
    precision = row["precision"]
    percent = percent_of_peak(speed.model, peak)
    hardware = percent_of_peak(speed.hardware, peak) if speed.hardware is not None else None
    result: dict[str, Any] = {
        "peak_tflops": peak,
        "causal": speed.causal,
        "is_reported": speed.is_reported,
        "achieved_tflops": speed.model,
        "mfu_percent": percent,
        "hfu_percent": hardware,
    }
    if max(percent, hardware or 0.0) > 100:
        cause = likely_cause(row["formula"], Shape.of(row), precision, percent)
        message = f"refused: {max(percent, hardware or 0.0):.1f} % of peak; {CAUSES[cause]}"
        return result | {"mfu_percent": None, "hfu_percent": None} | _refused(cause, message)
    notes = []
    if speed.is_reported:
        notes.append("FLOP/s as the run reports them")
    elif row["formula"] == "6n":
        notes.append("attention not counted")
    else:
        notes.append("causal attention" if speed.causal else "attention not causal")
    if precision == "FP8":
        notes.append(f"against the {basis} peak")
    if abs(peak / dense - 1) > SAME:
        notes.append(f"peak as the run states it; the accelerator table has {dense:g}")
    return result | {"note": "; ".join(notes)}


def _refused(problem: str, message: str, nearest: str | None = None) -> dict[str, Any]:
    return {"problem": problem, "note": message, "nearest": nearest}


def _hours(
    row: dict[str, Any], bounds: tuple[datetime, datetime] | None, now: datetime
) -> float | None:
    """Accelerator-hours of the interval, or of its part within the bounds."""
    if row["start"] is None:
        return None
    begin, until = row["start"], row["end"] or now
    if bounds is not None:
        begin, until = max(begin, bounds[0]), min(until, bounds[1])
    hours: float = max((until - begin) / timedelta(hours=1), 0.0) * row["accelerators"]
    return hours
