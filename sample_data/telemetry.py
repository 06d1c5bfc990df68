"""GPU metrics by the hour, in DCGM's words, consistent with the jobs that ran."""

from datetime import date, datetime, timedelta
from pathlib import Path
from uuid import UUID

import numpy as np
import polars as pl

from sample_data.company import CLUSTERS, IDLE_CLUSTER, IDLE_SINCE, LAST_DAY, LAST_REVIEW, SEED
from sample_data.jobs import ZONE, Job

FIRST_MONDAY = date(2026, 10, 5)
SENTINEL = float(0x7FFFFFFFFFFFFFF2)
"""DCGM's "not supported"."""

ACTIVE = {
    "pretraining": 0.94,
    "multimodal": 0.89,
    "robotics": 0.71,
    "search-rec": 0.74,
    "speech": 0.78,
    "research": 0.82,
    "inference-platform": 0.63,
}
"""Engine-active share of a team's jobs while they compute."""
SM_OF_ACTIVE, TENSOR_OF_ACTIVE, DRAM_OF_ACTIVE = 0.72, 0.5, 0.55
IDLE_WATTS, FULL_WATTS = 90, 690


def write_telemetry(folder: Path, jobs: list[Job]) -> None:
    """A Parquet file a week, those after the last review in `late`."""
    (folder / "late").mkdir(parents=True, exist_ok=True)
    begin = FIRST_MONDAY
    while begin <= LAST_DAY:
        end = min(begin + timedelta(days=7), LAST_DAY + timedelta(days=1))
        year, week, _ = begin.isocalendar()
        place = folder / "late" if begin > LAST_REVIEW else folder
        frame = pl.concat([_week(cluster.id, begin, end, jobs) for cluster in CLUSTERS])
        frame.write_parquet(
            place / f"gpu-{year}-W{week}.parquet", compression="zstd", compression_level=12
        )
        begin = end


def _week(cluster_id: str, begin: date, end: date, jobs: list[Job]) -> pl.DataFrame:
    cluster = next(c for c in CLUSTERS if c.id == cluster_id)
    start = datetime(begin.year, begin.month, begin.day, tzinfo=ZONE)
    hours = (end - begin).days * 24
    noise = np.random.default_rng([SEED, begin.toordinal(), len(cluster.id)])
    engine = np.zeros((len(cluster.nodes), 8, hours))
    places = {node: i for i, node in enumerate(cluster.nodes)}
    for job in jobs:
        if job.cluster != cluster_id or job.end <= start:
            continue
        first = (job.start - start).total_seconds() / 3600
        last = (job.end - start).total_seconds() / 3600
        if first >= hours:
            continue
        level = _level(job)
        for hour in range(max(int(first), 0), min(int(last) + 1, hours)):
            covered = min(last, hour + 1) - max(first, hour)
            value = level * covered * _daily(job.tenant, hour % 24)
            for node in job.nodes:
                engine[places[node], : min(job.gpus, 8), hour] += value
    spread = noise.normal(1, 0.04, engine.shape)
    engine = np.clip(engine * spread, 0, 1).round(2)
    if cluster_id == "shanghai":
        engine[40, 3, :] = 0.37  # a frozen series: the exporter hung, the value stayed
    return _frame(cluster_id, cluster.nodes, start, engine, noise)


def _level(job: Job) -> float:
    if job.cluster == IDLE_CLUSTER and job.start.date() >= IDLE_SINCE:
        return 0.2  # notebooks left open
    if job.state == "FAILED":
        return ACTIVE[job.tenant] * 0.6
    return ACTIVE[job.tenant]


def _daily(tenant: str, hour: int) -> float:
    """Serving follows the day, training does not."""
    if tenant not in ("inference-platform", "search-rec"):
        return 1.0
    return float(0.72 + 0.34 * np.sin((hour - 8) / 24 * 2 * np.pi))


def _frame(
    cluster: str,
    nodes: list[str],
    start: datetime,
    engine: np.ndarray,
    noise: np.random.Generator,
) -> pl.DataFrame:
    count, gpus, hours = engine.shape
    flat = engine.reshape(-1)
    wobble = noise.normal(1, 0.02, flat.shape)
    watts = (IDLE_WATTS + (FULL_WATTS - IDLE_WATTS) * flat * wobble) // 20 * 20
    labels = [(node, gpu) for node in nodes for gpu in range(gpus)]
    frame = pl.DataFrame(
        {
            "timestamp": np.tile(np.arange(hours), count * gpus),
            "cluster": [cluster] * flat.size,
            "node": np.repeat([node for node, _ in labels], hours),
            "gpu_uuid": np.repeat([_uuid(node, gpu) for node, gpu in labels], hours),
            "DCGM_FI_DEV_GPU_UTIL": np.where(flat > 0.02, 100.0, 0.0),
            "DCGM_FI_PROF_GR_ENGINE_ACTIVE": flat,
            "DCGM_FI_PROF_SM_ACTIVE": (flat * SM_OF_ACTIVE).round(2),
            "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE": (flat * TENSOR_OF_ACTIVE).round(2),
            "DCGM_FI_PROF_DRAM_ACTIVE": (flat * DRAM_OF_ACTIVE).round(2),
            "DCGM_FI_DEV_POWER_USAGE": watts,
        }
    ).with_columns(
        timestamp=pl.lit(start) + pl.duration(hours=pl.col("timestamp")),
        cluster=pl.col("cluster").cast(pl.String),
    )
    return _flawed(frame)


def _flawed(frame: pl.DataFrame) -> pl.DataFrame:
    """A node whose exporter was down for hours, and a field that one GPU does not support."""
    gap = (pl.col("node") == "va-gpu-005") & (pl.col("timestamp").dt.hour().is_between(1, 3))
    odd = (pl.col("node") == "sg-gpu-011") & (pl.col("timestamp").dt.hour() == 5)
    return frame.filter(~gap).with_columns(
        DCGM_FI_PROF_PIPE_TENSOR_ACTIVE=pl.when(odd)
        .then(SENTINEL)
        .otherwise(pl.col("DCGM_FI_PROF_PIPE_TENSOR_ACTIVE"))
    )


def _uuid(node: str, gpu: int) -> str:
    seed = np.random.default_rng([SEED, *node.encode(), gpu])
    return f"GPU-{UUID(bytes=seed.bytes(16))}"
