"""Pods that asked for accelerators."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from pipelines.sources import FileRefused, ReadResult
from pipelines.sources.kubernetes import KubernetesOptions, KubernetesReader


def pod(name: str, gpus: dict[str, str], **status: Any) -> dict[str, Any]:
    """A pod that ran from 08:00 to 10:30 unless its status says otherwise."""
    usual = {
        "phase": "Succeeded",
        "startTime": "2026-11-01T08:00:05Z",
        "conditions": [
            {
                "type": "PodScheduled",
                "status": "True",
                "lastTransitionTime": "2026-11-01T08:00:00Z",
            }
        ],
        "containerStatuses": [{"state": {"terminated": {"finishedAt": "2026-11-01T10:30:00Z"}}}],
    }
    return {
        "kind": "Pod",
        "metadata": {
            "name": name,
            "namespace": "robotics",
            "uid": f"uid-{name}",
            "creationTimestamp": "2026-11-01T07:50:00Z",
            "labels": {
                "volcano.sh/job-name": "sim-train",
                "volcano.sh/queue-name": "robotics-queue",
            },
        },
        "spec": {"nodeName": "va-gpu-03", "containers": [{"resources": {"limits": gpus}}]},
        "status": {**usual, **status},
    }


def read(folder: Path, *pods: dict[str, Any], lines: bool = False) -> ReadResult:
    path = folder / "pods.json"
    if lines:
        path.write_text("\n".join(json.dumps({"items": [one]}) for one in pods))
    else:
        path.write_text(json.dumps({"kind": "List", "items": list(pods)}))
    return KubernetesReader().read(path, KubernetesOptions(cluster="virginia"))


def jobs(result: ReadResult) -> pl.DataFrame:
    frame = result.tables["job"]
    assert isinstance(frame, pl.DataFrame)
    return frame


def test_a_pod_holds_its_gpus_from_scheduling_to_the_end(tmp_path: Path) -> None:
    row = jobs(read(tmp_path, pod("a", {"nvidia.com/gpu": "8"}))).row(0, named=True)
    assert row["job_id"] == "robotics/a@uid-a"
    assert (row["job_name"], row["partition"]) == ("sim-train", "robotics-queue")
    assert (row["state"], row["gpus"], row["node_list"]) == ("COMPLETED", 8, "va-gpu-03")
    assert row["start"] == datetime(2026, 11, 1, 8, tzinfo=UTC)
    assert row["elapsed_s"] == 9000
    assert row["eligible"] == datetime(2026, 11, 1, 7, 50, tzinfo=UTC)


def test_mig_instances_count_as_their_share(tmp_path: Path) -> None:
    frame = jobs(read(tmp_path, pod("a", {"nvidia.com/mig-3g.40gb": "2", "cpu": "8"})))
    assert frame["gpus"].item() == pytest.approx(6 / 7)


def test_pods_without_accelerators_are_left_out_and_counted(tmp_path: Path) -> None:
    result = read(tmp_path, pod("a", {"cpu": "1"}), pod("b", {"nvidia.com/gpu": "1"}))
    assert jobs(result).height == 1
    assert result.notes == ("1 pods that ask for no accelerator left out",)


def test_a_running_pod_counts_to_the_newest_instant_of_the_file(tmp_path: Path) -> None:
    running = pod("a", {"nvidia.com/gpu": "1"}, phase="Running", containerStatuses=[])
    row = jobs(read(tmp_path, running, pod("b", {"nvidia.com/gpu": "1"}))).row(0, named=True)
    assert (row["state"], row["end"], row["elapsed_s"]) == ("RUNNING", None, 9000)


def test_an_evicted_pod_was_preempted(tmp_path: Path) -> None:
    frame = jobs(
        read(tmp_path, pod("a", {"nvidia.com/gpu": "1"}, phase="Failed", reason="Evicted"))
    )
    assert frame["state"].item() == "PREEMPTED"


def test_json_lines_and_later_copies(tmp_path: Path) -> None:
    early = pod("a", {"nvidia.com/gpu": "1"}, phase="Running", containerStatuses=[])
    frame = jobs(read(tmp_path, early, pod("a", {"nvidia.com/gpu": "1"}), lines=True))
    assert frame["state"].to_list() == ["COMPLETED"]


def test_a_pod_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    bad = pod("bad", {"nvidia.com/gpu": "two"})
    ends_first = pod(
        "early",
        {"nvidia.com/gpu": "1"},
        containerStatuses=[{"state": {"terminated": {"finishedAt": "2026-11-01T07:00:00Z"}}}],
    )
    result = read(tmp_path, bad, ends_first, pod("good", {"nvidia.com/gpu": "1"}))
    assert jobs(result).height == 1
    assert [(r.row, r.rule) for r in result.rejected] == [(1, "quantity"), (2, "order")]


def test_another_document_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_text('{"kind": "NodeList", "items": []}')
    with pytest.raises(FileRefused, match="holds no pods"):
        KubernetesReader().read(path, KubernetesOptions(cluster="virginia"))
