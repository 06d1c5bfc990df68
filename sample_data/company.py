"""The sample company: who it is, what it owns, and the truths planted in its data.

Everything is invented except accelerators' peaks. Times are Asia/Shanghai.
"""

from dataclasses import dataclass
from datetime import date
from pathlib import Path

SEED = 20261130
FOLDER = Path(__file__).parent
FIRST_DAY = date(2025, 11, 1)
LAST_REVIEW = date(2026, 11, 22)
LAST_DAY = date(2026, 11, 30)
"""The last days with data at the last review and today."""

MONTHS = [f"{2025 + (10 + i) // 12}-{(10 + i) % 12 + 1:02d}" for i in range(13)]


@dataclass(frozen=True)
class Tenant:
    """A team that is charged for what it uses."""

    id: str
    name: str
    name_zh: str
    cost_center: str
    owner: str


TENANTS = (
    Tenant("pretraining", "Foundation pretraining", "大模型预训练", "CC-1010", "Chen Wei"),
    Tenant("multimodal", "Multimodal", "多模态", "CC-1020", "Liu Yang"),
    Tenant("robotics", "Embodied robotics", "具身智能", "CC-1030", "Maria Santos"),
    Tenant("inference-platform", "Inference platform", "推理平台", "CC-2010", "Zhang Min"),
    Tenant("speech", "Speech", "语音", "CC-1040", "Priya Nair"),
    Tenant("search-rec", "Search and recommendation", "搜索推荐", "CC-2020", "Wang Lei"),
    Tenant("research", "Frontier research", "前沿研究", "CC-1050", "David Okafor"),
    Tenant("platform", "Platform engineering", "平台工程", "CC-9010", "Sun Jing"),
)


@dataclass(frozen=True)
class Cluster:
    """An own cluster; usd_per_gpu_hour: what an owned GPU-hour costs, all in."""

    id: str
    name: str
    name_zh: str
    region: str
    scheduler: str
    accelerator: str
    gpus: int
    usd_per_gpu_hour: str
    prefix: str

    @property
    def nodes(self) -> list[str]:
        """Node names, eight GPUs each."""
        return [f"{self.prefix}-{i:03d}" for i in range(1, self.gpus // 8 + 1)]


CLUSTERS = (
    Cluster("shanghai", "Shanghai training", "上海训练集群", "cn-shanghai", "slurm", "H800 SXM",
            512, "2.05", "sh-gpu"),
    Cluster("singapore", "Singapore training", "新加坡训练集群", "ap-southeast-1", "slurm",
            "H100 SXM", 256, "2.42", "sg-gpu"),
    Cluster("virginia", "Virginia serving", "弗吉尼亚推理集群", "us-east-1", "kubernetes", "H200 SXM",
            128, "2.88", "va-gpu"),
)  # fmt: skip

QUOTA_NODES = {
    "shanghai": {"pretraining": 32, "multimodal": 16, "robotics": 8, "search-rec": 4, "speech": 4},
    "singapore": {"research": 16, "multimodal": 8, "robotics": 8},
    "virginia": {"inference-platform": 11, "search-rec": 3, "speech": 2},
}
"""Nodes set aside for each tenant; a tenant's jobs run on its own nodes."""


@dataclass(frozen=True)
class Programme:
    """A programme and the plan that tracks it."""

    id: str
    name: str
    name_zh: str
    owner: str
    project: str
    cluster: str | None
    budget: str


PROGRAMMES = (
    Programme("sh-extension", "1,024-GPU Shanghai extension", "上海千卡液冷扩容", "Zhao Qiang",
              "Shanghai extension", "shanghai", "42000000.00"),
    Programme("inference-engine", "Inference engine", "推理引擎", "Zhang Min",
              "Inference engine", "virginia", "3600000.00"),
    Programme("robotics-base", "Cloud-edge robotics base", "云边协同机器人底座", "Maria Santos",
              "Robotics base", None, "5400000.00"),
    Programme("scheduler-upgrade", "GPU Operator and scheduler upgrade", "GPU Operator 与调度升级",
              "Sun Jing", "Scheduler upgrade", "singapore", "1200000.00"),
)  # fmt: skip

IDLE_CLUSTER = "singapore"
IDLE_SINCE = date(2026, 10, 5)
"""From this Monday the research team's nodes there stand almost empty."""

FORGOTTEN_COMMITMENT = "rsv-h100-iad-07"
FORGOTTEN_SINCE = date(2026, 6, 15)
FORGOTTEN_GPUS, FORGOTTEN_USD_PER_GPU_HOUR = 64, "2.10"
"""Reserved at CoreWeave, never used since."""

OVER_BUDGET = "multimodal"
OVER_BUDGET_MONTH = "2026-11"
OVER_BUDGET_BY = "339151.21"
"""USD; tests/sample_data works it out of the raw files."""

BREACHED_SERVICE = "inference-api"
BREACHED_MONTH = "2026-11"
BREACH_MINUTES = 47

SLIPPING_PROJECT, SLIPPING_UID, WAITING_GPUS = "Shanghai extension", "22", 256
"""The cooling loop's milestone, and the delivered GPUs that wait for it."""
