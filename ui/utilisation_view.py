"""Words and rows of the utilisation page, from the figures it asks for."""

from typing import Any
from zoneinfo import ZoneInfo

import polars as pl

from metrics.answer import Answer
from ui.charts.funnel import LOSSES
from ui.format import (
    duration_minutes,
    gpu_hours,
    moment,
    money_short,
    month,
    number,
    percent,
    signed,
)
from ui.i18n import language, t
from ui.tiles import Tile

EVERY = "all"

CAUSES = {
    "total_parameters": "the parameters may be the total instead of the active ones",
    "non_causal": "attention is counted as not causal at long context",
    "wrong_precision": "the run may have used a lower precision than stated",
    "inputs": "the speed or the number of accelerators may be wrong",
}
"""Why an MFU above 100 % came out, by problem."""


def names(frame: pl.DataFrame, kind: str) -> dict[str, str]:
    """Names in the chosen language by id."""
    shown = {}
    for row in frame.iter_rows(named=True):
        name = row["name_zh"] if language() == "zh" and row["name_zh"] else row["name"]
        shown[row[kind]] = t("Unallocated") if row[kind] == "unallocated" else name
    return shown


def currency(answer: Answer, otherwise: str) -> str:
    """The currency of the funnel's money."""
    summary = answer.extra["summary"]
    return str(summary["currency"].item()) if summary.height else otherwise


def only(frame: pl.DataFrame, cluster: str | None, tenant: str | None) -> pl.DataFrame:
    """The rows of a cluster, of a tenant, or all."""
    for column, chosen in (("cluster", cluster), ("tenant", tenant)):
        if chosen is not None:
            frame = frame.filter(pl.col(column) == chosen)
    return frame


def of_tenant(frame: pl.DataFrame, tenant: str | None) -> pl.DataFrame:
    """Idle jobs of a tenant, or all; a cluster is nobody's."""
    return frame if tenant is None else frame.filter(pl.col("tenant") == tenant)


def headline(
    answer: Answer,
    mfu: Answer,
    idle: pl.DataFrame,
    clusters: dict[str, str],
    chosen_month: str,
    tenant: str | None,
) -> str:
    """The page's question answered in a few sentences; `tenant` by name, None for all."""
    if answer.extra["summary"].is_empty():
        return t("No GPU-hours are known for {month}.", month=month(chosen_month))
    summary = answer.extra["summary"].row(0, named=True)
    sentences = [_use_sentence(summary, chosen_month, tenant)]
    losses = answer.extra["losses"].filter(pl.col("loss") != "remainder")
    if not losses.is_empty() and losses["gpu_hours"].max():
        worst = losses.sort("gpu_hours", descending=True).row(0, named=True)
        sentences.append(_loss_sentence(worst, summary["currency"]))
    sentences += [
        _idle_sentence(row, clusters)
        for row in idle.filter(pl.col("kind") == "cluster").iter_rows(named=True)
    ]
    if not mfu.extra["weighted"].is_empty():
        share = mfu.extra["weighted"]["mfu_percent"].item()
        sentences.append(
            t(
                "Training runs reach **{mfu}** MFU, weighted by accelerator-hours.",
                mfu=percent(share),
            )
        )
    return ("" if language() == "zh" else " ").join(sentences)


def _idle_sentence(row: dict[str, Any], clusters: dict[str, str]) -> str:
    told = {
        "cluster": clusters.get(row["cluster"], row["cluster"]),
        "share": percent(row["use_percent"]),
        "hours": gpu_hours(row["gpu_hours"]),
    }
    if row["cost"] is None:
        return t("**{cluster}** is idle: **{share}** in use over 28 days, {hours} unused.", **told)
    return t(
        "**{cluster}** is idle: **{share}** in use over 28 days, {hours} unused, "
        "worth **{money}**.",
        money=money_short(row["cost"], row["currency"]),
        **told,
    )


def _loss_sentence(worst: dict[str, Any], currency: str) -> str:
    told = {
        "loss": t(LOSSES[worst["loss"]]).lower(),
        "hours": gpu_hours(worst["gpu_hours"]),
        "share": percent(worst["percent"]),
    }
    if worst["cost"] is None:
        return t("The largest loss is **{loss}**: {hours}, {share} of the whole.", **told)
    return t(
        "The largest loss is **{loss}**: {hours}, {share} of the whole, worth **{money}**.",
        money=money_short(worst["cost"], currency),
        **told,
    )


def _use_sentence(summary: dict[str, Any], chosen_month: str, tenant: str | None) -> str:
    when = month(chosen_month)
    if tenant is not None:
        return t(
            "In {month} {tenant} held **{hours}** of GPU time; **{active}** of it was active.",
            month=when,
            tenant=tenant,
            hours=gpu_hours(summary["allocated"]),
            active=percent(summary["active_percent"]),
        )
    if summary["owned"] is None:
        return t(
            "In {month} jobs held **{hours}** of GPU time; what is owned here is not known.",
            month=when,
            hours=gpu_hours(summary["allocated"]),
        )
    if summary["active"] is None:
        return t(
            "In {month} jobs held **{allocated}** of the available GPU-hours; "
            "how busy they were is not measured.",
            month=when,
            allocated=percent(summary["allocated_percent"]),
        )
    return t(
        "In {month} jobs held **{allocated}** of the available GPU-hours; "
        "**{active}** were active.",
        month=when,
        allocated=percent(summary["allocated_percent"]),
        active=percent(summary["active_percent"]),
    )


def use_tiles(
    now: Answer,
    before: Answer | None,
    days: pl.DataFrame,
    mfu: tuple[Answer | None, Answer | None],
    wait: tuple[Answer | None, Answer | None],
) -> list[Tile]:
    """Four to six figures with their change since the review compared with."""
    summary = _first(now.extra["summary"])
    earlier = _first(before.extra["summary"]) if before else {}
    owns = summary.get("owned") is not None
    held = Tile(
        t("Allocated, %"),
        number(summary.get("allocated_percent"), 1),
        _points(summary.get("allocated_percent"), earlier.get("allocated_percent")),
        "up",
        days["allocated_percent"].to_list(),
        t("GPU-hours held by jobs over GPU-hours owned less down time"),
    )
    if not owns:
        held = Tile(
            t("GPU-hours held"),
            gpu_hours(summary.get("allocated")),
            spark=days["allocated"].to_list(),
        )
    tiles = [
        held,
        Tile(
            t("Active, %"),
            number(summary.get("active_percent"), 1),
            _points(summary.get("active_percent"), earlier.get("active_percent")),
            "up",
            days["active_percent"].to_list(),
            t("Of the available GPU-hours, for a tenant of those held. DCGM field 1001"),
        ),
        Tile(
            t("Unused, GPU-h") if summary.get("unused_cost") is None else t("Unused, money"),
            gpu_hours(summary.get("unused"))
            if summary.get("unused_cost") is None
            else money_short(summary["unused_cost"], str(summary["currency"])),
            _points(summary.get("unused_percent"), earlier.get("unused_percent")),
            "down",
            (100 - days["active_percent"]).to_list() if owns else None,
            t("Not allocated, or held but idle; the change is in points of what is owned"),
        ),
    ]
    weighted, weighted_before = (
        _first(one.extra["weighted"]).get("mfu_percent") if one else None for one in mfu
    )
    tiles.append(
        Tile(
            t("MFU, %"),
            number(weighted, 1),
            _points(weighted, weighted_before),
            "up",
            mfu[0].extra["by_day"]["mfu_percent"].to_list() if mfu[0] else None,
            t("Model FLOPs utilisation, weighted by accelerator-hours of training runs"),
        )
    )
    waited, waited_before = (
        _first(one.extra["total"]).get("p95_s") if one else None for one in wait
    )
    tiles.append(
        Tile(
            t("Wait, P95"),
            duration_minutes(None if waited is None else waited / 60),
            _minutes_change(waited, waited_before),
            "down",
            wait[0].extra["by_day"]["p95_s"].to_list() if wait[0] else None,
            t("Start less eligible; pending jobs count to now"),
        )
    )
    return tiles


def cluster_rows(answer: Answer, shown: dict[str, str]) -> pl.DataFrame:
    """A row a cluster, with its name and the hours nobody used."""
    frame = answer.extra["clusters"]
    # Not map_elements: its thread has no reader, hence no language.
    words = [_use_status(value) for value in frame["allocated_percent"]]
    return frame.with_columns(
        pl.Series("status", words, dtype=pl.String), label=pl.col("cluster").replace(shown)
    )


def tenant_rows(
    frame: pl.DataFrame, clusters: dict[str, str], tenants: dict[str, str]
) -> pl.DataFrame:
    """GPU-hours by cluster and tenant with their names, most first."""
    return frame.with_columns(
        cluster_label=pl.col("cluster").replace(clusters),
        tenant_label=pl.col("tenant").replace(tenants),
    ).sort("gpu_hours", descending=True)


def idle_rows(
    frame: pl.DataFrame, clusters: dict[str, str], tenants: dict[str, str], zone: ZoneInfo
) -> pl.DataFrame:
    """What could be given back, in words."""
    rows = [
        {
            "what": t("Whole cluster") if row["kind"] == "cluster" else _job_name(row),
            "cluster_label": clusters.get(row["cluster"], row["cluster"]),
            "tenant_label": tenants.get(row["tenant"] or "", row["tenant"]) or "–",
            "owner": row["owner"] or "–",
            "gpus": row["gpus"],
            "use_percent": row["use_percent"],
            "gpu_hours": row["gpu_hours"],
            "cost": row["cost"],
            "last_active": moment(row["last_active"], zone),
        }
        for row in frame.iter_rows(named=True)
    ]
    schema: dict[str, Any] = {
        **dict.fromkeys(("what", "cluster_label", "tenant_label", "owner"), pl.String),
        "last_active": pl.String,
        **dict.fromkeys(("gpus", "use_percent", "gpu_hours"), pl.Float64),
        "cost": frame.schema["cost"],
    }
    return pl.DataFrame(rows, schema=schema, orient="row")


def mfu_rows(detail: pl.DataFrame, tenants: dict[str, str]) -> pl.DataFrame:
    """MFU by run with its note in the chosen language; the largest runs first."""
    notes = [mfu_note(row) for row in detail.iter_rows(named=True)]
    return detail.with_columns(
        pl.Series("words", notes, dtype=pl.String),
        hardware=pl.format("{} x {}", "accelerators", "accelerator"),
        tenant_label=pl.col("tenant").replace(tenants),
        effective_percent=pl.col("mfu_percent") * pl.col("goodput_percent") / 100,
    ).sort("run_hours", descending=True, nulls_last=True, maintain_order=True)


def mfu_note(row: dict[str, Any]) -> str:
    """How a run's FLOPs were counted, or why it has no MFU."""
    problem = row["problem"]
    if problem in CAUSES:
        return t("Refused, above 100 %: {cause}", cause=t(CAUSES[problem]))
    if problem == "unknown_accelerator":
        nearest = row["nearest"] or "–"
        return t("Accelerator unknown; the nearest known is {nearest}", nearest=nearest)
    if problem == "unknown_peak":
        return t("No peak at this precision in the accelerator table")
    if problem == "sparse_peak":
        return t("Refused: the peak given is the 2:4-sparse figure")
    if problem:
        return t("An input of the formula is missing")
    parts = []
    if row["is_reported"]:
        parts.append(t("FLOP/s as the run reports them"))
    elif row["formula"] == "6n":
        parts.append(t("attention not counted"))
    else:
        parts.append(t("causal attention") if row["causal"] else t("attention not causal"))
    if row["precision"] == "FP8":
        parts.append(
            t("against the BF16 peak") if row["is_second_peak"] else t("against the FP8 peak")
        )
    return "; ".join(parts)


def wait_rows(frame: pl.DataFrame, key: str, shown: dict[str, str]) -> pl.DataFrame:
    """Waits in minutes."""
    seconds = ("mean_s", "p50_s", "p95_s", "max_s", "submit_mean_s")
    return frame.with_columns(
        *[(pl.col(name) / 60).alias(name.replace("_s", "_min")) for name in seconds],
        label=pl.col(key).replace(shown),
    )


def _job_name(row: dict[str, Any]) -> str:
    """A Slurm job's number and name; a pod's namespace and name without its uid."""
    job, _, uid = row["job_id"].partition("@")
    return job if uid else f"{job} {row['job_name'] or ''}".strip()


def _use_status(value: float | None) -> str:
    if value is None:
        return t("○ not known")
    if value >= 80:
        return t("■ well used")
    return t("● partly used") if value >= 50 else t("▲ mostly idle")


def _first(frame: pl.DataFrame) -> dict[str, Any]:
    return frame.row(0, named=True) if frame.height else {}


def _points(now: float | None, then: float | None) -> str | None:
    if now is None or then is None:
        return None
    return t("{points} pt", points=signed(number(now - then, 1), now - then))


def _minutes_change(now: float | None, then: float | None) -> str | None:
    if now is None or then is None:
        return None
    return signed(duration_minutes((now - then) / 60), now - then)
