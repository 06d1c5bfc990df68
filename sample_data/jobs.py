"""Who ran what, where and when: the company's jobs, before any scheduler exports them.

Each team works on its own nodes, cut into slots; a slot runs one job after the
other, so no node is ever given twice.
"""

import random
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from sample_data.company import (
    CLUSTERS,
    FIRST_DAY,
    IDLE_CLUSTER,
    IDLE_SINCE,
    LAST_DAY,
    QUOTA_NODES,
    SEED,
    Cluster,
)

ZONE = ZoneInfo("Asia/Shanghai")
BEGIN = datetime(FIRST_DAY.year, FIRST_DAY.month, FIRST_DAY.day, tzinfo=ZONE)
FINISH = datetime(LAST_DAY.year, LAST_DAY.month, LAST_DAY.day, tzinfo=ZONE) + timedelta(days=1)

SLOTS = {
    32: (16, 8, 4, 2, 1, 1),
    16: (8, 4, 2, 1, 1),
    11: (1,) * 11,
    8: (4, 2, 1, 1),
    4: (2, 1, 1),
    3: (1, 1, 1),
    2: (1, 1),
}
"""How a team's nodes are cut."""

BUSY = {
    "pretraining": 0.96,
    "multimodal": 0.92,
    "robotics": 0.84,
    "search-rec": 0.86,
    "speech": 0.8,
    "research": 0.9,
    "inference-platform": 0.93,
}
"""Share of the time that a slot of the team is taken."""
BUSY_WHERE_IDLE = {"research": 0.05, "multimodal": 0.3, "robotics": 0.35}

NAMES = {
    "pretraining": ("yq-72b-stage2", "yq-72b-anneal", "yq-moe-a12b", "data-ablation"),
    "multimodal": ("vl-14b-sft", "vl-14b-pretrain", "video-tokenizer", "ocr-distill"),
    "robotics": ("vla-7b", "sim2real-ppo", "grasp-diffusion", "teleop-bc"),
    "search-rec": ("rank-dlrm-v9", "embed-refresh", "query-rewrite"),
    "speech": ("asr-conformer-xl", "tts-flow", "voice-clone-eval"),
    "research": ("long-context-1m", "optimizer-study", "rl-verifier"),
    "inference-platform": ("chat-72b", "embed-large", "vl-14b-serve", "rerank"),
}
OUTCOMES = (("COMPLETED", 72), ("FAILED", 12), ("CANCELLED", 10), ("TIMEOUT", 4), ("NODE_FAIL", 2))
SWEEP_EVERY, SWEEP_TASKS = 16, 4
"""Of so many runs in a one-node slot, the first so many are one job array."""


@dataclass(frozen=True)
class Job:
    """One run. nodes: names; submit, start, end: aware instants; end may lie after FINISH."""

    cluster: str
    number: int
    name: str
    tenant: str
    account: str
    user: str
    nodes: tuple[str, ...]
    gpus: int
    submit: datetime
    start: datetime
    end: datetime
    state: str
    array: tuple[int, int] | None = None
    """The number of the array's first task, and this task's place."""

    @property
    def shown_id(self) -> str:
        """As sacct's JobID says it: 104711, or 104711_3 for a task of an array."""
        return f"{self.array[0]}_{self.array[1]}" if self.array else str(self.number)

    def is_running(self, at: datetime) -> bool:
        """Whether it holds its nodes at an instant."""
        return self.start <= at < self.end


def all_jobs() -> list[Job]:
    """Every run of the thirteen months, in order of start."""
    jobs = [job for cluster in CLUSTERS for job in _cluster_jobs(cluster)]
    return sorted(jobs, key=lambda job: (job.start, job.cluster, job.number))


def gpu_hours(jobs: list[Job], cluster: str, year: int, month: int) -> float:
    """GPU-hours that a cluster's jobs held in a calendar month of Asia/Shanghai."""
    begin = datetime(year, month, 1, tzinfo=ZONE)
    end = (begin + timedelta(days=32)).replace(day=1)
    return sum(
        max((min(job.end, end) - max(job.start, begin)).total_seconds(), 0) / 3600 * job.gpus
        for job in jobs
        if job.cluster == cluster
    )


def _cluster_jobs(cluster: Cluster) -> Iterator[Job]:
    first = 0
    for place, (tenant, count) in enumerate(QUOTA_NODES[cluster.id].items()):
        for slot, size in enumerate(SLOTS[count]):
            nodes = tuple(cluster.nodes[first : first + size])
            first += size
            chance = random.Random(f"{SEED}-{cluster.id}-{tenant}-{slot}")
            number = 100_000 + place * 1_000_000 // 8 + slot * 10_000
            jobs = _slot_jobs(cluster, tenant, nodes, number, chance)
            if len(nodes) == 1 and cluster.scheduler == "slurm":
                jobs = _swept(jobs)
            yield from jobs


def _slot_jobs(
    cluster: Cluster, tenant: str, nodes: tuple[str, ...], number: int, chance: random.Random
) -> Iterator[Job]:
    serving = cluster.scheduler == "kubernetes"
    median_h = 150.0 if serving else 5.0 + 4.5 * len(nodes)
    clock = BEGIN - timedelta(hours=chance.uniform(0, median_h))
    while clock < FINISH:
        hours = min(max(chance.lognormvariate(0, 0.7) * median_h, 0.2), 400)
        busy = BUSY[tenant]
        if cluster.id == IDLE_CLUSTER and clock.date() >= IDLE_SINCE:
            busy = BUSY_WHERE_IDLE[tenant]
        if len(nodes) <= 2 and clock.weekday() >= 5 and not serving:
            busy -= 0.2 if busy > 0.5 else 0
        start = clock + timedelta(hours=chance.expovariate(1) * median_h * (1 / busy - 1))
        gpus = len(nodes) * 8
        if len(nodes) == 1 and not serving:
            gpus = chance.choice((8, 8, 8, 4, 2, 1))
        state = chance.choices([s for s, _ in OUTCOMES], [w for _, w in OUTCOMES])[0]
        if state in ("FAILED", "CANCELLED"):
            hours *= chance.uniform(0.05, 0.6)
        wait = timedelta(minutes=chance.expovariate(1) * (4 if serving else 9 + 14 * len(nodes)))
        start, wait = _second(start), _whole(wait)
        job = Job(
            cluster=cluster.id,
            number=number,
            name=chance.choice(NAMES[tenant]),
            tenant=tenant,
            account=tenant if chance.random() < 0.8 else f"{tenant}-dev",
            user=f"{tenant[:4]}{chance.randrange(1, 9):02d}",
            nodes=nodes,
            gpus=gpus,
            submit=start - wait,
            start=start,
            end=_second(start + timedelta(hours=hours)),
            state=state,
        )
        yield job
        clock = job.end
        if state == "NODE_FAIL":
            again = job.end + timedelta(minutes=20)
            job = replace(
                job,
                submit=job.end + timedelta(seconds=1),
                start=again,
                end=_second(again + timedelta(hours=hours / 2)),
                state="COMPLETED",
            )
            yield job
            clock = job.end
        number += 1


def _swept(jobs: Iterable[Job]) -> Iterator[Job]:
    """Now and then four runs in a row are one array, submitted at once, a task at a time."""
    first: Job | None = None
    number = -1
    for job in jobs:
        requeued, number = job.number == number, job.number
        place = number % SWEEP_EVERY
        if place == 0 and not requeued:
            first = job
        if first is None or place >= SWEEP_TASKS:
            yield job
            continue
        yield replace(
            job, name=first.name, user=first.user, account=first.account,
            submit=job.submit if requeued else first.submit, array=(first.number, place),
        )  # fmt: skip


def _second(moment: datetime) -> datetime:
    return moment.astimezone(UTC).replace(microsecond=0).astimezone(ZONE)


def _whole(length: timedelta) -> timedelta:
    return timedelta(seconds=int(length.total_seconds()))
