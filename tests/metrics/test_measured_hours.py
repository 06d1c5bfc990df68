"""The mart of measured hours: MIG instances, coverage, whose an hour was."""

from pathlib import Path

import polars as pl
import pytest

from tests.lakes import facts_of, loaded, source
from tests.real import real

ENGINE = "DCGM_FI_PROF_GR_ENGINE_ACTIVE"
HEADING = f"timestamp,cluster,node,gpu_uuid,gpu_i_id,gpu_i_profile,namespace,{ENGINE}"


def measured(folder: Path, *lines: str, reference: str = "") -> pl.DataFrame:
    (folder / "gpu.csv").write_text("\n".join((HEADING, *lines)) + "\n")
    config = loaded(folder, reference + source("gpus", "gpu_metrics", "gpu.csv"))
    return facts_of(config).table("measured_tenant_hour").sort("hour", "tenant")


def test_a_whole_gpu_stands_for_its_mig_instances(tmp_path: Path) -> None:
    frame = measured(
        tmp_path,
        "2026-11-30T08:00:00Z,va,n1,u1,,,,0.6",
        "2026-11-30T08:00:00Z,va,n1,u1,1,3g.40gb,,0.9",
        "2026-11-30T08:00:00Z,va,n1,u1,2,4g.40gb,,0.4",
    )
    assert frame.select("weight", "active").rows() == [(1.0, 0.6)]


def test_instances_alone_weigh_their_compute_slices(tmp_path: Path) -> None:
    frame = measured(
        tmp_path,
        "2026-11-30T08:00:00Z,va,n1,u1,1,3g.40gb,,0.7",
        "2026-11-30T08:00:00Z,va,n1,u1,2,1g.10gb,,0.35",
    )
    assert frame["weight"].item() == pytest.approx(4 / 7)
    assert frame["active"].item() == pytest.approx(3 / 7 * 0.7 + 1 / 7 * 0.35)


def test_an_hour_half_sampled_weighs_half(tmp_path: Path) -> None:
    frame = measured(
        tmp_path,
        *(f"2026-11-30T08:{m:02d}:00Z,va,n1,u1,,,,0.5" for m in (0, 15, 30, 45)),
        "2026-11-30T09:00:00Z,va,n1,u1,,,,0.5",
        "2026-11-30T09:15:00Z,va,n1,u1,,,,0.7",
    )
    assert frame["weight"].to_list() == [1.0, 0.5]
    assert frame["active"].to_list() == pytest.approx([0.5, 0.3])


def test_the_exporter_s_namespace_says_whose_the_hour_was(tmp_path: Path) -> None:
    (tmp_path / "reference").mkdir()
    (tmp_path / "reference" / "tenant.csv").write_text(
        "tenant,name,namespaces\nrobotics,Robotics,robo;robo-sim\n"
    )
    frame = measured(
        tmp_path,
        "2026-11-30T08:00:00Z,va,n1,u1,,,robo-sim,0.6",
        "2026-11-30T08:00:00Z,va,n1,u2,,,,0.2",
        reference=source("reference", "reference", "reference/*.csv"),
    )
    rows = frame.sort("holding").select("tenant", "holding", "active").rows()
    assert rows == [(None, "not_seen", 0.2), ("robotics", "one", 0.6)]


@pytest.mark.golden
def test_a_real_scrape_counts_one_accelerator_for_a_minute(tmp_path: Path) -> None:
    path = real("cluster/dcgm/scrape_a100_mig_excerpt.prom")
    config = loaded(tmp_path, source("gpus", "gpu_metrics", path, cluster="x"))
    frame = facts_of(config).table("measured_tenant_hour")
    assert frame["weight"].item() == pytest.approx(1 / 60)
    assert frame["tensor_active"].item() == pytest.approx(0.929260 / 60)
