"""DCGM samples: tables, Prometheus answers, scrapes; what is left out and why."""

from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import duckdb
import polars as pl
import pytest

from models.cluster.contracts import GPU_HOUR
from pipelines.sources import FileRefused, MissingColumns, ReadResult, Rejection, Select
from pipelines.sources.gpu_metrics import GpuMetricsOptions, GpuMetricsReader
from pipelines.sources.prometheus_text import query_range_samples, scrape_samples
from tests.real import real

ENGINE = "DCGM_FI_PROF_GR_ENGINE_ACTIVE"
HEADING = f"timestamp,cluster,node,gpu_uuid,{ENGINE},DCGM_FI_PROF_SM_ACTIVE,DCGM_FI_DEV_POWER_USAGE"


def read(path: Path, **options: object) -> tuple[pl.DataFrame, list[Rejection]]:
    """Hours and refused rows, as the loader would ask for them."""
    result = GpuMetricsReader().read(path, GpuMetricsOptions.model_validate(options))
    return hours(result), refused(result)


def hours(result: ReadResult) -> pl.DataFrame:
    content = result.tables.get("gpu_hour")
    if content is None:
        return pl.DataFrame(schema=pl.Schema(GPU_HOUR.columns))
    assert isinstance(content, Select)
    frame = run(content).with_columns(pl.col("hour").dt.convert_time_zone("UTC"))
    GPU_HOUR.schema.validate(frame.drop("source_row"))
    return frame.sort("gpu_uuid", "mig_instance", "hour")


def refused(result: ReadResult) -> list[Rejection]:
    if isinstance(result.rejected, Select):
        return [Rejection(*row) for row in run(result.rejected).rows()]
    return list(result.rejected)


def run(select: Select) -> pl.DataFrame:
    connection = duckdb.connect()
    connection.execute("set timezone = 'UTC'")
    for name, relation in select.views.items():
        relation(connection).create_view(name)
    parameters: Mapping[str, Any] = select.parameters
    return connection.execute(select.sql, dict(parameters)).pl()


def table(folder: Path, *lines: str, heading: str = HEADING) -> Path:
    path = folder / "gpu.csv"
    path.write_text("\n".join((heading, *lines)) + "\n")
    return path


def test_samples_become_hourly_means_with_their_coverage(tmp_path: Path) -> None:
    path = table(
        tmp_path,
        "2026-11-30 08:00:00,sh,n1,u1,0.2,0.1,300",
        "2026-11-30 08:20:00,sh,n1,u1,0.4,0.3,320",
        "2026-11-30 08:40:00,sh,n1,u1,0.6,0.2,340",
        "2026-11-30 09:00:00,sh,n1,u1,0.8,0.5,360",
    )
    frame, rejected = read(path, timezone="Asia/Shanghai")
    assert not rejected
    first, second = frame.to_dicts()
    assert first["hour"] == datetime(2026, 11, 30, 0, tzinfo=UTC)
    assert (first["samples"], first["samples_expected"]) == (3, 3)
    assert first["engine_active"] == pytest.approx(0.4)
    assert first["power_w"] == pytest.approx(320)
    assert (second["samples"], second["samples_expected"]) == (1, 3)
    assert second["tensor_active"] is None, "not in the file is not zero"


def test_column_order_case_and_zones_do_not_matter(tmp_path: Path) -> None:
    path = table(
        tmp_path,
        "0.5,u1,sh,2026-11-30T08:30:00+08:00,x",
        "0.7,u1,sh,1796010600,x",
        heading=f"{ENGINE.lower()},UUID,Cluster,Time,extra",
    )
    frame, _ = read(path)
    # 1796010600 is 2026-11-30T03:50:00Z.
    assert frame["engine_active"].to_list() == [0.5, 0.7]


def test_parquet_with_native_types(tmp_path: Path) -> None:
    path = tmp_path / "gpu.parquet"
    pl.DataFrame(
        {
            "timestamp": [datetime(2026, 11, 30, 8, tzinfo=UTC)],
            "cluster": ["sh"],
            "node": ["n1"],
            "gpu_uuid": ["u1"],
            ENGINE: [0.25],
            "DCGM_FI_DEV_GPU_UTIL": [90],
        }
    ).write_parquet(path)
    frame, _ = read(path, timezone="Asia/Shanghai")
    row = frame.row(0, named=True)
    assert row["hour"] == datetime(2026, 11, 30, 8, tzinfo=UTC)
    assert (row["engine_active"], row["gpu_util"]) == (0.25, 0.9)


def test_sentinels_and_values_above_100_percent_are_left_out_and_flagged(tmp_path: Path) -> None:
    path = table(
        tmp_path,
        "2026-11-30T08:00:00Z,sh,n1,u1,0.5,1.7,9223372036854775794",
        "2026-11-30T08:30:00Z,sh,n1,u1,0.7,0.3,",
    )
    row = read(path)[0].row(0, named=True)
    assert row["sm_active"] == pytest.approx(0.3)
    assert row["power_w"] is None
    assert row["flags"] == "above_100,not_supported"


def test_a_frozen_series_is_flagged_and_left_out(tmp_path: Path) -> None:
    lines = [f"2026-11-30T08:{m:02d}:00Z,sh,n1,u1,0.734,0.5,411" for m in range(0, 60, 5)]
    alive = [f"2026-11-30T08:{m:02d}:00Z,sh,n1,u2,0.734,0.5,{400 + m}" for m in range(0, 60, 5)]
    frozen, moving = read(table(tmp_path, *lines, *alive))[0].to_dicts()
    assert (frozen["engine_active"], frozen["flags"]) == (None, "frozen")
    assert moving["engine_active"] == pytest.approx(0.734)


def test_an_idle_accelerator_is_not_frozen(tmp_path: Path) -> None:
    lines = [f"2026-11-30T08:{m:02d}:00Z,sh,n1,u1,0,0,70" for m in range(0, 60, 5)]
    assert read(table(tmp_path, *lines))[0]["engine_active"].item() == 0


def test_a_sample_seen_twice_counts_once(tmp_path: Path) -> None:
    sample = "2026-11-30T08:00:00Z,sh,n1,u1,0.2,0.1,300"
    frame, _ = read(table(tmp_path, sample, sample, "2026-11-30T08:30:00Z,sh,n1,u1,0.4,0.1,300"))
    assert frame["samples"].item() == 2
    assert frame["engine_active"].item() == pytest.approx(0.3)


def test_rows_that_cannot_be_read_are_refused_with_their_place(tmp_path: Path) -> None:
    path = table(
        tmp_path,
        "2026-11-30T08:00:00Z,sh,n1,u1,0.2,0.1,300",
        "noon,sh,n1,u1,0.2,0.1,300",
        "2026-11-30T09:00:00Z,sh,n1,,0.2,0.1,300",
        "2026-11-30T09:00:00Z,sh,n1,u1,busy,0.1,300",
        "2026-11-30T10:00:00Z,sh,n1,u1,NaN,0.1,N/A",
    )
    frame, rejected = read(path)
    assert [(r.row, r.column, r.rule) for r in rejected] == [
        (3, "timestamp", "time"),
        (4, "gpu_uuid", "missing"),
        (5, ENGINE, "number"),
    ]
    assert rejected[0].message.startswith('gpu.csv, row 3, timestamp: "noon" is not a time')
    assert frame["engine_active"].to_list() == [0.2, None]


def test_percent_profiling_fields_need_the_option(tmp_path: Path) -> None:
    path = table(tmp_path, "2026-11-30T08:00:00Z,sh,n1,u1,45,30,300")
    assert read(path, percent=True)[0]["engine_active"].item() == pytest.approx(0.45)
    assert read(path)[0]["engine_active"].item() is None


def test_missing_columns_are_named(tmp_path: Path) -> None:
    with pytest.raises(MissingColumns, match="no columns gpu_uuid, DCGM_FI_PROF_GR_ENGINE_ACTIVE"):
        read(table(tmp_path, "2026-11-30,1", heading="timestamp,watts"))
    with pytest.raises(MissingColumns, match='cluster = "NAME"'):
        read(table(tmp_path, "2026-11-30,u,1", heading=f"timestamp,uuid,{ENGINE}"))


@pytest.mark.golden
def test_a_mig_instance_stands_beside_its_parent() -> None:
    frame, _ = read(real("cluster/dcgm/scrape_a100_mig_excerpt.prom"), cluster="x")
    assert frame.height == 2
    assert frame["gpu_uuid"].n_unique() == 1
    parent, instance = frame.sort("mig_instance", nulls_last=False).to_dicts()
    assert (parent["mig_instance"], instance["mig_instance"]) == (None, "13")
    assert instance["mig_profile"] == "1g.5gb"
    assert parent["tensor_active"] == pytest.approx(0.929260)
    assert instance["tensor_active"] == pytest.approx(0.930433)
    assert parent["node"] == "ub20-a100-k8s"


@pytest.mark.golden
def test_the_not_supported_sentinel_is_null() -> None:
    frame, _ = read(real("cluster/dcgm/scrape_sentinel_excerpt.prom"), cluster="x")
    row = frame.row(0, named=True)
    assert (row["sm_clock_mhz"], row["memory_temp_c"]) == (139, None)
    assert row["flags"] == "not_supported"


@pytest.mark.golden
def test_prometheus_answers_keep_every_sample() -> None:
    path = real("cluster/prometheus/query_range_up.json")
    samples = query_range_samples(path)
    by_job: dict[str, list[str]] = {}
    for sample in samples:
        by_job.setdefault(sample.labels["job"], []).append(sample.value)
    assert by_job == {"prometheus": ["1", "1", "1"], "node": ["0", "0", "1"]}
    frame, rejected = read(path, cluster="x")
    assert frame.is_empty()
    assert [(r.column, r.rule) for r in rejected] == [("up", "not_a_gpu_field")]


def test_a_query_range_answer_of_dcgm_fields(tmp_path: Path) -> None:
    labels = '"UUID": "u1", "Hostname": "n1", "cluster": "sh", "exported_namespace": "robotics"'
    path = tmp_path / "range.json"
    path.write_text(
        '{"status": "success", "data": {"resultType": "matrix", "result": ['
        f'{{"metric": {{"__name__": "{ENGINE}", {labels}}},'
        ' "values": [[1796025600, "0.5"], [1796027400, "0.7"]]},'
        f'{{"metric": {{"__name__": "DCGM_FI_DEV_POWER_USAGE", {labels}}},'
        ' "values": [[1796025600, "300"], [1796027400, "NaN"]]}]}}'
    )
    frame, rejected = read(path)
    assert not rejected
    row = frame.row(0, named=True)
    assert (row["namespace"], row["node"], row["samples"]) == ("robotics", "n1", 2)
    assert row["engine_active"] == pytest.approx(0.6)
    assert row["power_w"] == 300


def test_a_scrape_is_of_the_time_in_its_name(tmp_path: Path) -> None:
    path = tmp_path / "node7_2026-11-30T0800Z.prom"
    path.write_text(f'# HELP x\n{ENGINE}{{gpu="0", UUID="u\\"1"}} 0.5\n')
    (sample,) = scrape_samples(path)
    assert sample.labels["UUID"] == 'u"1'
    row = read(path, cluster="sh")[0].row(0, named=True)
    assert row["hour"] == datetime(2026, 11, 30, 8, tzinfo=UTC)
    assert (row["samples"], row["samples_expected"]) == (1, 60)


def test_a_prometheus_error_is_refused_with_its_words(tmp_path: Path) -> None:
    path = tmp_path / "range.json"
    path.write_text('{"status": "error", "error": "query timed out"}')
    with pytest.raises(FileRefused, match="query timed out"):
        read(path)
