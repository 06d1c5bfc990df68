"""Pods that asked for accelerators, as `kubectl get pods -A -o json` lists them.

The cluster forgets a finished pod within hours, so a collector saves the list
regularly. One file may hold one list, several lists or pods one a line (JSON
lines), gzipped or not. Of a pod only these fields are read; a file trimmed to
them is as good as the whole answer:

    metadata.name, namespace, uid, creationTimestamp, labels, annotations
    spec.nodeName, spec.containers[].resources.limits / requests (and initContainers)
    status.phase, reason, startTime, qosClass, conditions[PodScheduled],
    status.containerStatuses[].state.terminated.finishedAt / reason
"""

import json
import re
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import polars as pl

from models.cluster.contracts import JOB
from pipelines.sources import FileRefused, Options, ReadResult, Rejection
from pipelines.sources.sacct_fields import mig_share
from pipelines.tabular import CellError, decode, parse_instant

WHOLE = re.compile(
    r"^(nvidia\.com/gpu|amd\.com/gpu|google\.com/tpu|huawei\.com/[Aa]scend\w*|"
    r"aws\.amazon\.com/neuron|habana\.ai/gaudi|hygon\.com/dcu|volcano\.sh/gpu-number)$"
)
MIG = re.compile(r"^nvidia\.com/mig-(\dg\.\d+gb)")
QUEUES = (
    "scheduling.volcano.sh/queue-name",
    "volcano.sh/queue-name",
    "kueue.x-k8s.io/queue-name",
)
OWNERS = (
    "volcano.sh/job-name",
    "training.kubeflow.org/job-name",
    "ray.io/cluster",
    "batch.kubernetes.io/job-name",
    "job-name",
    "leaderworkerset.sigs.k8s.io/name",
    "app.kubernetes.io/name",
)
PHASES = {
    "Pending": "PENDING",
    "Running": "RUNNING",
    "Succeeded": "COMPLETED",
    "Failed": "FAILED",
    "Unknown": "UNKNOWN",
}
REASONS = {
    "Evicted": "PREEMPTED",
    "Preempting": "PREEMPTED",
    "NodeLost": "NODE_FAIL",
    "NodeShutdown": "NODE_FAIL",
    "OOMKilled": "OUT_OF_MEMORY",
    "DeadlineExceeded": "TIMEOUT",
}
_UTC = ZoneInfo("UTC")


class KubernetesOptions(Options):
    """cluster: the name these pods' cluster has in the reference tables."""

    cluster: str


class KubernetesReader:
    """Pod lists of a Kubernetes cluster (Volcano, Kueue, Kubeflow or plain).

    Takes    a List, several, or pods one a line; later copies of a pod win.
    Gives    job (models/cluster), a row a pod: job_id is namespace/name@uid,
             job_name the job that owns it, partition the queue, gpus the sum of
             its containers' limits (MIG instances as their share). A GPU is held
             from PodScheduled to the last container's end; a running pod counts
             to the newest instant in the file.
    Leaves   pods that ask for no accelerator, counted in a note.
    out
    Rejects  a pod without name or creation time, with a time or quantity that
             cannot be read, or that ends before it starts.
    Raises   FileRefused for a document that holds no pods.
    Source   Kubernetes API v1 Pod; Volcano and Kueue labels.
    """

    kind = "kubernetes"
    options = KubernetesOptions

    def sniff(self, path: Path) -> bool:
        """Whether the head looks like a list of pods."""
        try:
            head = decode(path)[:20_000]
        except (FileRefused, OSError):
            return False
        return '"containers"' in head and '"metadata"' in head and '"phase"' in head

    def read(self, path: Path, options: KubernetesOptions) -> ReadResult:
        """The file's pods with accelerators, and those that cannot be read."""
        pods = _pods(path)
        rows: dict[str, dict[str, Any]] = {}
        rejected: list[Rejection] = []
        without = 0
        for number, pod in enumerate(pods, start=1):
            try:
                row = _row(pod, options.cluster, number)
            except CellError as error:
                name = str(dict(pod.get("metadata") or {}).get("name", "?"))
                message = f"{path.name}, pod {number} ({name}): {error.message}"
                raw = json.dumps(pod, ensure_ascii=False)[:4_000]
                rejected.append(Rejection(number, None, error.rule, message, raw))
                continue
            if row is None:
                without += 1
            else:
                rows[row["job_id"]] = row
        frame = pl.DataFrame(
            _until_newest(list(rows.values())),
            schema=pl.Schema({**JOB.columns, "source_row": pl.Int64()}),
            orient="row",
        )
        notes = (f"{without} pods that ask for no accelerator left out",) if without else ()
        return ReadResult({"job": frame}, rejected, rows_read=len(pods), notes=notes)


READERS = (KubernetesReader(),)


def _pods(path: Path) -> list[dict[str, Any]]:
    text = decode(path)
    try:
        documents = [json.loads(text)]
    except ValueError:
        documents = list(_lines(path, text))
    pods: list[dict[str, Any]] = []
    for document in documents:
        items = document if isinstance(document, list) else [document]
        for item in items:
            if not isinstance(item, dict):
                continue
            listed = item.get("items")
            pods.extend(listed if isinstance(listed, list) else [item])
    pods = [pod for pod in pods if isinstance(pod, dict) and "spec" in pod and "metadata" in pod]
    if not pods:
        raise FileRefused(
            path,
            "no_pods",
            f"{path.name}: holds no pods. Save the answer of kubectl get pods -A -o json.",
        )
    return pods


def _lines(path: Path, text: str) -> Iterable[Any]:
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        try:
            yield json.loads(line)
        except ValueError:
            raise FileRefused(
                path,
                "json",
                f"{path.name}, row {number}: neither one JSON document nor JSON lines. "
                "The file may have been cut; save it again.",
                number,
            ) from None


def _row(pod: dict[str, Any], cluster: str, number: int) -> dict[str, Any] | None:
    """The pod under the job contract; None where it asks for no accelerator."""
    spec, status = pod["spec"], pod.get("status") or {}
    meta = pod["metadata"]
    gpus = _accelerators(spec)
    if gpus == 0:
        return None
    name, namespace = meta.get("name"), meta.get("namespace")
    if not name:
        raise CellError("missing", "metadata.name is blank.")
    created = _instant(meta.get("creationTimestamp"), "metadata.creationTimestamp")
    if created is None:
        raise CellError("missing", "metadata.creationTimestamp is blank.")
    phase = str(status.get("phase", "Unknown"))
    ended = [
        dict(container.get("state") or {}).get("terminated") or {}
        for container in status.get("containerStatuses") or []
    ]
    start = _scheduled(status)
    end = None
    if phase in ("Succeeded", "Failed"):
        ends = [_instant(one.get("finishedAt"), "finishedAt") for one in ended]
        end = max((moment for moment in ends if moment), default=None)
    if start and end and end < start:
        raise CellError("order", f"ends {end.isoformat()}, before its start {start.isoformat()}.")
    reasons = [status.get("reason"), *(one.get("reason") for one in ended)]
    state = PHASES.get(phase, "UNKNOWN")
    if state == "FAILED":
        state = next((REASONS[str(r)] for r in reasons if str(r) in REASONS), state)
    tags = {**(meta.get("labels") or {}), **(meta.get("annotations") or {})}
    node = spec.get("nodeName")
    return {
        "cluster": cluster,
        "job_id": f"{namespace}/{name}" + (f"@{meta['uid']}" if meta.get("uid") else ""),
        "job_name": next((str(tags[key]) for key in OWNERS if tags.get(key)), str(name)),
        "account": None,
        "namespace": namespace,
        "user": None,
        "partition": next((str(tags[key]) for key in QUEUES if tags.get(key)), None),
        "qos": status.get("qosClass") or spec.get("priorityClassName"),
        "state": state,
        "submit": created,
        "eligible": created,
        "start": start,
        "end": end,
        "elapsed_s": (end - start).total_seconds() if start and end else None,
        "gpus": gpus,
        "nodes": 1 if node else None,
        "node_list": node,
        "source_row": number,
    }


def _until_newest(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Running pods have lasted at least to the newest instant the file knows of."""
    moments = [row[key] for row in rows for key in ("submit", "start", "end") if row[key]]
    for row in rows:
        if row["state"] == "RUNNING" and row["start"]:
            row["elapsed_s"] = (max(moments) - row["start"]).total_seconds()
    return rows


def _accelerators(spec: dict[str, Any]) -> float:
    """Containers run together, init containers before them: the larger need counts."""
    together = sum(_asked(container) for container in spec.get("containers") or [])
    before = max((_asked(container) for container in spec.get("initContainers") or []), default=0.0)
    return max(together, before)


def _asked(container: dict[str, Any]) -> float:
    resources = container.get("resources") or {}
    wanted = {**(resources.get("requests") or {}), **(resources.get("limits") or {})}
    total = 0.0
    for name, quantity in wanted.items():
        slice_of = MIG.match(name)
        if not slice_of and not WHOLE.match(name):
            continue
        try:
            count = float(quantity)
        except (TypeError, ValueError):
            raise CellError("quantity", f'{name}: "{quantity}" is not a count.') from None
        total += count * (mig_share(slice_of[1]) or 0.0) if slice_of else count
    return total


def _scheduled(status: dict[str, Any]) -> datetime | None:
    for condition in status.get("conditions") or []:
        if condition.get("type") == "PodScheduled" and condition.get("status") == "True":
            return _instant(condition.get("lastTransitionTime"), "PodScheduled")
    return _instant(status.get("startTime"), "status.startTime")


def _instant(text: Any, where: str) -> datetime | None:
    if not text:
        return None
    try:
        return parse_instant(str(text), _UTC)
    except CellError:
        raise CellError("time", f'{where}: "{text}" is not a time.') from None
