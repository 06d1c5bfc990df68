"""Jobs as schedulers export them: sacct text for Slurm, `kubectl get pods` for Kubernetes."""

import gzip
import json
import random
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from sample_data.company import CLUSTERS, LAST_REVIEW, MONTHS, SEED
from sample_data.jobs import FINISH, ZONE, Job

HEADINGS = (
    "JobID|JobIDRaw|JobName|User|Account|Partition|QOS|State|ExitCode|Submit|Eligible|Start|End|"
    "Elapsed|Timelimit|NNodes|NCPUS|AllocTRES|NodeList"
)
BAD_ROW = {
    "JobID": "199001", "JobIDRaw": "199001", "JobName": "grasp-eval", "User": "robo02",
    "Account": "robotics", "Partition": "gpu", "QOS": "normal", "State": "COMPLETED",
    "ExitCode": "0:0", "Submit": "2026-11-10T09:00:00", "Eligible": "2026-11-10T09:00:00",
    "Start": "2026-11-10T09:10:00", "End": "2026-11-10T10:10:00", "Elapsed": "01:00:00",
    "Timelimit": "1-00:00:00", "NNodes": "1", "NCPUS": "96",
    "AllocTRES": "cpu=96,gres/gpu:h800=8,gres/gpu=8,node=1", "NodeList": "sh-gpu-050",
}  # fmt: skip
BAD_CELLS = (
    {"End": "2026-11-10T09:05:00"},
    {"AllocTRES": "cpu=96,gres/gpu=eight,node=1"},
    {"Elapsed": "-00:10:00"},
    {"State": ""},
    {"JobID": "", "JobIDRaw": ""},
    {"Start": "2026-11-31T09:10:00"},
    {"Submit": "yesterday"},
    {"End": "10/11/2026 10:10"},
    {"Elapsed": "1h00m"},
    {"NodeList": "sh-gpu-[a-b]"},
    {"JobName": "grasp|eval"},
    {"AllocTRES": "cpu=96,gres/gpu=,node=1"},
)
"""What is wrong in each row that no ledger may take; they show what quarantine is for."""


def write_slurm(folder: Path, jobs: list[Job]) -> None:
    """A file a Slurm cluster and export; November's second export in `late`."""
    (folder / "late").mkdir(parents=True, exist_ok=True)
    for cluster in CLUSTERS:
        if cluster.scheduler != "slurm":
            continue
        mine = [job for job in jobs if job.cluster == cluster.id]
        for name, begin, end in exports():
            lines = [HEADINGS]
            model = cluster.accelerator.split()[0].lower()
            for job in mine:
                if job.submit < end and job.end > begin:
                    lines.extend(_sacct(job, end, model, with_steps=name.startswith(MONTHS[-1])))
            if cluster.id == "shanghai" and name.startswith(MONTHS[-1]) and "late" not in name:
                lines.extend(_bad_rows())
            file = folder / _placed(name, f"{cluster.id}-", ".psv.gz")
            file.write_bytes(gzip.compress("\n".join([*lines, ""]).encode(), mtime=0))


def write_pods(folder: Path, jobs: list[Job]) -> None:
    """Pod lists of the Kubernetes cluster, collected to a file an export."""
    (folder / "late").mkdir(parents=True, exist_ok=True)
    mine = [job for job in jobs if job.cluster == "virginia"]
    for name, begin, end in exports():
        pods = [_pod(job, end) for job in mine if job.submit < end and job.end > begin]
        text = json.dumps({"apiVersion": "v1", "kind": "List", "items": pods})
        file = folder / _placed(name, "pods-", ".json.gz")
        file.write_bytes(gzip.compress(text.encode(), mtime=0))


def exports() -> Iterator[tuple[str, datetime, datetime]]:
    """Name and window of each export: a month, and November in two."""
    for month in MONTHS[:-1]:
        begin = datetime.fromisoformat(f"{month}-01").replace(tzinfo=ZONE)
        following = (begin + timedelta(days=32)).replace(day=1)
        yield month, begin, following
    begin = datetime.fromisoformat(f"{MONTHS[-1]}-01").replace(tzinfo=ZONE)
    cut = datetime(LAST_REVIEW.year, LAST_REVIEW.month, LAST_REVIEW.day, tzinfo=ZONE)
    cut += timedelta(days=1)
    yield f"{MONTHS[-1]}-01", begin, cut
    yield f"late/{MONTHS[-1]}-23", cut, FINISH


def _placed(name: str, prefix: str, suffix: str) -> Path:
    path = Path(name)
    return path.with_name(f"{prefix}{path.name}{suffix}")


def _bad_rows() -> Iterator[str]:
    for place, cells in enumerate(BAD_CELLS):
        number = str(199_001 + place)
        yield "|".join({**BAD_ROW, "JobID": number, "JobIDRaw": number, **cells}.values())


def _sacct(job: Job, at: datetime, model: str, *, with_steps: bool) -> Iterable[str]:
    started, ended = job.start < at, job.end <= at
    state = job.state if ended else ("RUNNING" if started else "PENDING")
    if state == "CANCELLED":
        state = "CANCELLED by 1000042"
    end = job.end if ended else at
    elapsed = _clock(end - job.start) if started else "00:00:00"
    codes = {"COMPLETED": "0:0", "RUNNING": "0:0", "PENDING": "0:0", "FAILED": "1:0"}
    cpus = 12 * job.gpus
    tres = (
        f"billing={cpus},cpu={cpus},gres/gpu:{model}={job.gpus},gres/gpu={job.gpus},"
        f"mem={job.gpus * 220}G,node={len(job.nodes)}"
    )
    fields = [
        job.shown_id, str(job.number), job.name, job.user, job.account, "gpu", "normal", state,
        codes.get(job.state if ended else state, "0:15"), _local(job.submit), _local(job.submit),
        _local(job.start) if started else "Unknown", _local(job.end) if ended else "Unknown",
        elapsed, "14-00:00:00", str(len(job.nodes)), str(cpus), tres if started else "",
        _hostlist(job.nodes) if started else "None assigned",
    ]  # fmt: skip
    yield "|".join(fields)
    if with_steps and started:
        for step, name in (("batch", "batch"), ("extern", "extern"), ("0", "python")):
            step_fields = list(fields)
            step_fields[0], step_fields[1] = f"{job.shown_id}.{step}", f"{job.number}.{step}"
            step_fields[2] = name
            step_fields[3] = step_fields[5] = step_fields[6] = step_fields[14] = ""
            yield "|".join(step_fields)


def _clock(length: timedelta) -> str:
    seconds = int(length.total_seconds())
    days, rest = divmod(seconds, 86_400)
    clock = f"{rest // 3600:02d}:{rest % 3600 // 60:02d}:{rest % 60:02d}"
    return f"{days}-{clock}" if days else clock


def _local(moment: datetime) -> str:
    return moment.astimezone(ZONE).strftime("%Y-%m-%dT%H:%M:%S")


def _hostlist(nodes: tuple[str, ...]) -> str:
    """Slurm's short form of consecutive names: sh-gpu-[001-016]."""
    if len(nodes) == 1:
        return nodes[0]
    stem = nodes[0].rsplit("-", 1)[0]
    return f"{stem}-[{nodes[0].rsplit('-', 1)[1]}-{nodes[-1].rsplit('-', 1)[1]}]"


def _pod(job: Job, at: datetime) -> dict[str, Any]:
    started, ended = job.start < at, job.end <= at
    chance = random.Random(f"{SEED}-{job.number}-{job.start.isoformat()}")
    pod = f"{job.name}-{chance.getrandbits(36):09x}-{chance.getrandbits(20):05x}"
    uid = f"{chance.getrandbits(32):08x}-{chance.getrandbits(16):04x}-4{chance.getrandbits(12):03x}"
    finished = {"terminated": {"finishedAt": _zulu(job.end), "reason": "Completed", "exitCode": 0}}
    return {
        "metadata": {
            "name": pod,
            "namespace": job.tenant,
            "uid": f"{uid}-9{chance.getrandbits(12):03x}-{chance.getrandbits(48):012x}",
            "creationTimestamp": _zulu(job.submit),
            "labels": {"volcano.sh/job-name": job.name, "volcano.sh/queue-name": job.tenant},
        },
        "spec": {
            **({"nodeName": job.nodes[0]} if started else {}),
            "containers": [
                {"name": "server", "resources": {"limits": {"nvidia.com/gpu": str(job.gpus)}}}
            ],
        },
        "status": {
            "phase": "Succeeded" if ended else "Running",
            "startTime": _zulu(job.start),
            "containerStatuses": [
                {"state": finished if ended else {"running": {"startedAt": _zulu(job.start)}}}
            ],
        }
        if started
        else {"phase": "Pending"},
    }


def _zulu(moment: datetime) -> str:
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
