"""What the four programmes do: their work breakdown, links, slips and blockers.

The slipping milestone is the Shanghai extension's cooling loop, which holds up
burn-in and go-live while 256 delivered GPUs wait.
"""

from datetime import date

from sample_data.plans import Item, Plan

Link = tuple[str, str, int]


class Outline:
    """Builds a plan's rows: phases, tasks in sequence, milestones."""

    def __init__(self) -> None:
        self.items: list[Item] = []

    def phase(self, name: str, level: int = 1) -> None:
        """A summary row."""
        self.items.append(Item(f"s{len(self.items)}", name, level, is_summary=True))

    def task(
        self, key: str, name: str, days: int, *after: str, owner: str, level: int = 2,
        slip: int = 0, slip_before: int = 0, blocked: tuple[str, str, date] | None = None,
    ) -> None:  # fmt: skip
        """A leaf; `after` entries are "key", "key SS+2", "key FF" or "key FS+5"."""
        assert all(item.key != key for item in self.items), key
        self.items.append(
            Item(key, name, level, days, tuple(_link(word) for word in after), owner,
                 slip=slip, slip_before=slip_before, blocked=blocked)
        )  # fmt: skip

    def milestone(self, key: str, name: str, *after: str, owner: str, level: int = 2) -> None:
        """A point in time."""
        self.task(key, name, 0, *after, owner=owner, level=level)


def _link(word: str) -> Link:
    key, _, rest = word.partition(" ")
    kind, _, lag = (rest or "FS").partition("+")
    return key, kind, int(lag or 0)


def plans() -> tuple[Plan, ...]:
    """The four plans."""
    return (_extension(), _engine(), _robotics(), _scheduler())


def _extension() -> Plan:
    o = Outline()
    o.phase("Site and power 场地与供电")
    o.milestone("go", "Programme approved 立项", owner="Zhao Qiang")
    o.task("permit", "Utility power application 用电报装", 30, "go", owner="Facilities (Lin Tao)")
    o.task("feed", "12 MW feed and substation 12MW 供电线路", 55, "permit",
           owner="Facilities (Lin Tao)")  # fmt: skip
    o.task("ups", "UPS and switchgear 不间断电源与配电", 30, "permit FS+20",
           owner="Facilities (Lin Tao)")  # fmt: skip
    o.milestone("energised", "Power energised 送电", "feed", "ups", owner="Facilities (Lin Tao)")
    o.task("floor", "Raised floor and load check 地板承重", 18, "permit",
           owner="Facilities (Lin Tao)")  # fmt: skip
    o.phase("Liquid cooling 液冷系统")
    o.task("cdu-design", "CDU and manifold design CDU 设计", 25, "go", owner="Cooling (Xu Jie)")
    o.task("cdu-order", "Order CDUs and pumps CDU 采购", 45, "cdu-design", owner="Supply (Guo Fei)")
    o.task("pipe", "Facility water loop piping 一次侧管路", 40, "floor", owner="Cooling (Xu Jie)",
           slip=3, slip_before=3)  # fmt: skip
    for row in "ABCDEFGH":
        o.task(f"manifold-{row}", f"Row {row} manifolds and quick couplings {row} 排歧管", 6,
               "cdu-order", "pipe" if row == "A" else f"manifold-{chr(ord(row) - 1)} SS+3",
               owner="Cooling (Xu Jie)")  # fmt: skip
    o.task("flush", "Flush and pressure test 冲洗与打压", 12, "manifold-H", "energised",
           owner="Cooling (Xu Jie)", slip=11, slip_before=6,
           blocked=("CDU pressure sensors held at customs 传感器清关", "Supplier C (Guo Fei)",
                    date(2026, 11, 13)))  # fmt: skip
    o.task("leak", "Leak test under load 带载检漏", 8, "flush", owner="Cooling (Xu Jie)")
    o.milestone("cooling", "Cooling loop tested 液冷验收", "leak", owner="Cooling (Xu Jie)")
    o.phase("Hardware 硬件")
    o.task("order1", "Order GPU nodes, batch 1 (256) 首批采购", 20, "go", owner="Supply (Guo Fei)")
    o.task("deliver1", "Deliver batch 1 首批到货", 70, "order1", owner="Supply (Guo Fei)")
    o.task("order2", "Order GPU nodes, batch 2 (768) 二批采购", 20, "order1",
           owner="Supply (Guo Fei)")  # fmt: skip
    o.task("deliver2", "Deliver batch 2 二批到货", 70, "order2", owner="Supply (Guo Fei)", slip=4,
           slip_before=4, blocked=("Export licence review 出口许可", "Vendor A (Guo Fei)",
                                   date(2026, 11, 20)))  # fmt: skip
    o.task("switches", "Deliver leaf and spine switches 交换机到货", 80, "order1 SS+10",
           owner="Network (Fang Yu)")  # fmt: skip
    o.task("optics", "Deliver optics and cables 光模块到货", 60, "order1 SS+25",
           owner="Network (Fang Yu)")  # fmt: skip
    o.milestone("delivered1", "Batch 1 delivered 首批到齐", "deliver1", owner="Supply (Guo Fei)")
    o.milestone("delivered2", "Batch 2 delivered 二批到齐", "deliver2", owner="Supply (Guo Fei)")
    o.phase("Rack and cable 上架布线")
    for number, row in enumerate("ABCDEFGH"):
        batch = "delivered1" if number < 2 else "delivered2"
        before = [batch, "energised"] if number in (0, 2) else [f"rack-{chr(ord(row) - 1)}"]
        o.task(f"rack-{row}", f"Rack row {row} {row} 排上架", 4, *before,
               owner="Deployment (Ma Chao)")  # fmt: skip
        o.task(f"cable-{row}", f"Cable row {row} {row} 排布线", 3, f"rack-{row}", "optics",
               owner="Network (Fang Yu)")  # fmt: skip
        o.task(f"cool-{row}", f"Connect row {row} to the loop {row} 排接液冷", 2,
               f"rack-{row}", "cooling", owner="Cooling (Xu Jie)")  # fmt: skip
    o.milestone("racked", "All rows racked 全部上架", "cable-H", "cool-H",
                owner="Deployment (Ma Chao)")  # fmt: skip
    o.phase("Fabric 网络")
    o.task(
        "spine", "Spine switches and routing 核心交换", 15, "switches", owner="Network (Fang Yu)"
    )
    o.task("leaf", "Leaf switches and RoCE settings RoCE 配置", 18, "spine",
           owner="Network (Fang Yu)")  # fmt: skip
    o.task("dcqcn", "Tune PFC and DCQCN 拥塞控制调优", 10, "leaf", "cable-B",
           owner="Network (Fang Yu)")  # fmt: skip
    o.task("nccl1", "NCCL test, batch 1 首批 NCCL 测试", 6, "dcqcn", "cool-B",
           owner="Network (Fang Yu)")  # fmt: skip
    o.task("nccl2", "NCCL test, all rows 全量 NCCL 测试", 8, "nccl1", "racked",
           owner="Network (Fang Yu)")  # fmt: skip
    o.milestone("fabric", "Fabric accepted 网络验收", "nccl2", owner="Network (Fang Yu)")
    o.phase("Platform 平台软件")
    o.task("image", "Node image and drivers 节点镜像", 12, "order1", owner="Platform (Sun Jing)")
    o.task("slurm", "Extend Slurm partitions Slurm 分区", 8, "image", "delivered1",
           owner="Platform (Sun Jing)")  # fmt: skip
    o.task("dcgm", "DCGM exporters and alerts 监控告警", 6, "slurm", owner="Platform (Sun Jing)")
    o.task("fs", "Grow the parallel file system 并行文件系统扩容", 25, "energised",
           owner="Storage (He Lin)")  # fmt: skip
    o.task("security", "Security review 安全评审", 8, "slurm", owner="Security (Yao Na)")
    o.phase("Burn-in and acceptance 老化与验收")
    for row in "ABCDEFGH":
        before = [f"cool-{row}", f"cable-{row}", "dcgm"]
        if row != "A":
            before.append(f"burn-{chr(ord(row) - 1)} SS+1")
        o.task(f"burn-{row}", f"Burn-in row {row}, 72 h {row} 排老化", 3, *before,
               owner="Deployment (Ma Chao)")  # fmt: skip
    o.task("mlperf", "Reference training run 基准训练", 7, "fabric", "burn-H", "fs",
           owner="Pretraining (Chen Wei)")  # fmt: skip
    o.task("sla", "Acceptance protocol 验收报告", 5, "mlperf", "security", owner="Zhao Qiang")
    o.milestone("golive", "Go-live 1,024 GPUs 千卡上线", "sla", owner="Zhao Qiang")
    o.phase("Training and hand-over 培训交接")
    o.task("runbook", "Runbooks and on-call 运维手册", 15, "cooling", owner="Platform (Sun Jing)")
    o.task("train", "Train the operators 运维培训", 6, "runbook", owner="Platform (Sun Jing)")
    o.task("spares", "Spares on site 备件入库", 20, "delivered1", owner="Supply (Guo Fei)")
    o.milestone("handover", "Hand-over 交接", "golive", "train", "spares", owner="Zhao Qiang")
    return Plan("Shanghai extension", "shanghai-extension", date(2026, 5, 18), tuple(o.items))


def _engine() -> Plan:
    o = Outline()
    o.phase("Foundations 基础")
    o.milestone("go", "Kick-off 启动", owner="Zhang Min")
    o.task("baseline", "Baseline of latency and cost 基线测量", 10, "go", owner="Perf (Luo Kai)")
    o.task("trace", "Request tracing 请求追踪", 8, "go", owner="Serving (Zhang Min)")
    o.task("harness", "Load harness 压测工具", 12, "baseline SS+3", owner="Perf (Luo Kai)")
    for stem, zh, owner, first in (
        ("Paged KV cache", "分页 KV 缓存", "Serving (Zhang Min)", "baseline"),
        ("Continuous batching", "连续批处理", "Serving (Zhang Min)", "baseline"),
        ("Speculative decoding", "投机解码", "Research (D. Okafor)", "harness"),
        ("FP8 kernels", "FP8 算子", "Kernels (Qian Bo)", "harness"),
        ("Prefill and decode split", "PD 分离", "Serving (Zhang Min)", "trace"),
        ("Multi-LoRA serving", "多 LoRA 服务", "Serving (Zhang Min)", "trace"),
        ("Autoscaling", "弹性伸缩", "Platform (Sun Jing)", "trace"),
    ):
        key = stem.split()[0].lower()
        late = key == "speculative"
        o.phase(f"{stem} {zh}")
        o.task(f"{key}-design", f"{stem}: design", 8, first, owner=owner)
        o.task(f"{key}-build", f"{stem}: implementation", 22, f"{key}-design", owner=owner,
               slip=5 if late else 0, slip_before=5 if late else 0)  # fmt: skip
        o.task(f"{key}-unit", f"{stem}: correctness tests", 8, f"{key}-build SS+10", owner=owner)
        o.task(f"{key}-bench", f"{stem}: benchmark", 6, f"{key}-build", "harness",
               owner="Perf (Luo Kai)")  # fmt: skip
        o.task(f"{key}-review", f"{stem}: review and merge", 4, f"{key}-bench", f"{key}-unit",
               owner=owner)  # fmt: skip
        o.milestone(f"{key}-done", f"{stem} merged", f"{key}-review", owner=owner)
    o.phase("Release 发布")
    merged = [f"{k}-done" for k in ("paged", "continuous", "speculative", "fp8", "prefill",
                                    "multi-lora", "autoscaling")]  # fmt: skip
    o.task("integrate", "Integration branch 集成", 15, *merged, owner="Serving (Zhang Min)")
    o.task("soak", "72 h soak test 稳定性测试", 5, "integrate", owner="Perf (Luo Kai)")
    o.milestone("p99", "P99 gate passed P99 达标", "soak", owner="Zhang Min")
    for place, name in enumerate(("internal chat", "search", "external API")):
        before = "p99" if place == 0 else f"canary-{place - 1}"
        o.task(f"canary-{place}", f"Canary: {name} 灰度", 8, before, owner="Serving (Zhang Min)",
               blocked=("No reviewer for the rollback plan", "Security (Yao Na)",
                        date(2026, 11, 24)) if place == 0 else None)  # fmt: skip
    o.milestone("ga", "General availability 正式发布", "canary-2", owner="Zhang Min")
    o.task("docs", "Documentation 文档", 12, "integrate", owner="Docs (Ren Xia)")
    o.task("cost", "Cost report per token 单 token 成本报告", 6, "ga", owner="Finance (He Fang)")
    return Plan("Inference engine", "inference-engine", date(2026, 7, 27), tuple(o.items))


def _robotics() -> Plan:
    o = Outline()
    o.phase("Edge platform 边缘平台")
    o.milestone("go", "Programme start 启动", owner="Maria Santos")
    o.task("spec", "Edge node specification 边缘节点规格", 12, "go", owner="Edge (Tom Reid)")
    o.task("os", "Real-time image and OTA 实时镜像与 OTA", 30, "spec", owner="Edge (Tom Reid)")
    o.task("fleet", "Fleet registry 设备注册", 20, "spec", owner="Cloud (Ana Lopes)")
    o.task("link", "Cloud-edge message bus 云边消息总线", 25, "fleet SS+5",
           owner="Cloud (Ana Lopes)")  # fmt: skip
    for site, zh in (("Suzhou", "苏州"), ("Shenzhen", "深圳"), ("Munich", "慕尼黑")):
        key = site.lower()
        late = 2 if site == "Munich" else 0
        o.phase(f"Pilot site {site} {zh}试点")
        o.task(
            f"{key}-survey", f"{site}: site survey 现场勘察", 6, "spec", owner="Field (Jan Roth)"
        )
        o.task(f"{key}-net", f"{site}: 5G and time sync 网络与授时", 15, f"{key}-survey",
               owner="Field (Jan Roth)")  # fmt: skip
        o.task(f"{key}-ship", f"{site}: ship edge nodes 发货", 20, "os",
               owner="Supply (Guo Fei)", slip=late, slip_before=late)  # fmt: skip
        o.task(f"{key}-install", f"{site}: install 安装", 8, f"{key}-ship", f"{key}-net",
               owner="Field (Jan Roth)")  # fmt: skip
        o.task(f"{key}-calib", f"{site}: robot calibration 机器人标定", 10, f"{key}-install",
               owner="Robotics (Maria Santos)")  # fmt: skip
        o.task(f"{key}-safety", f"{site}: safety case 安全论证", 12, f"{key}-install",
               owner="Safety (Ida Falk)")  # fmt: skip
        o.milestone(f"{key}-live", f"{site} pilot live 试点上线", f"{key}-calib",
                    f"{key}-safety", owner="Maria Santos")  # fmt: skip
    o.phase("Models 模型")
    for name, days in (("Teleoperation data set", 40), ("Simulation scenes", 35),
                       ("VLA policy 7B", 45), ("Grasp diffusion policy", 30),
                       ("World model", 40)):  # fmt: skip
        key = name.split()[0].lower()
        before = "teleoperation" if key in ("vla", "grasp") else "go"
        o.task(key, name, days, before, owner="Robotics (Maria Santos)")
        o.task(f"{key}-eval", f"{name}: evaluation", 8, key, owner="Robotics (Maria Santos)")
    o.task("distil", "Distil the policy for the edge 端侧蒸馏", 20, "vla-eval",
           owner="Robotics (Maria Santos)",
           blocked=("Edge board firmware lacks INT4 板卡固件不支持 INT4", "Vendor E (Tom Reid)",
                    date(2026, 11, 18)))  # fmt: skip
    o.phase("Operations 运营")
    for name, days, before in (
        ("Data loop from sites 数据回流", 25, "link"), ("Labelling service 标注服务", 20, "link"),
        ("Retraining pipeline 再训练流水线", 25, "labelling"), ("Dashboards of the fleet 车队看板", 15, "fleet"),
        ("Incident process 事故流程", 8, "fleet"), ("Privacy review 隐私评审", 10, "data"),
    ):  # fmt: skip
        o.task(name.split()[0].lower(), name, days, before, owner="Cloud (Ana Lopes)")
    o.milestone("edge", "Edge pilot complete 试点完成", "suzhou-live", "shenzhen-live",
                "munich-live", owner="Maria Santos")  # fmt: skip
    o.task("soak", "Four-week soak 四周运行", 20, "edge", "distil", "retraining",
           owner="Maria Santos")  # fmt: skip
    o.milestone("base", "Base handed to product 交付产品", "soak", owner="Maria Santos")
    for place in range(1, 9):
        o.task(f"skill-{place}", f"Skill pack {place} 技能包 {place}", 9 + place,
               "distil" if place == 1 else f"skill-{place - 1} SS+4",
               owner="Robotics (Maria Santos)")  # fmt: skip
    return Plan("Robotics base", "robotics-base", date(2026, 6, 29), tuple(o.items))


def _scheduler() -> Plan:
    o = Outline()
    o.phase("Prepare 准备")
    o.milestone("go", "Change approved 变更批准", owner="Sun Jing")
    o.task("lab", "Lab cluster 实验集群", 10, "go", owner="Platform (Sun Jing)")
    o.task("matrix", "Driver and CUDA matrix 驱动矩阵", 6, "go", owner="Platform (Sun Jing)")
    o.task("rollback", "Rollback rehearsed 回滚演练", 5, "lab", owner="SRE (Kim Min-jun)")
    for name, zh, before in (
        ("GPU Operator 26.3", "GPU 算子", "lab"), ("Volcano 1.12", "Volcano 调度", "lab"),
        ("Slurm 25.11", "Slurm 升级", "matrix"), ("DCGM 4", "DCGM 升级", "matrix"),
        ("Topology-aware placement", "拓扑感知调度", "volcano-test"),
        ("Quota and preemption", "配额与抢占", "volcano-test"),
    ):  # fmt: skip
        key = name.split()[0].lower().split("-")[0]
        o.phase(f"{name} {zh}")
        o.task(f"{key}-notes", f"{name}: release notes and config diff", 4, before,
               owner="Platform (Sun Jing)")  # fmt: skip
        o.task(f"{key}-test", f"{name}: upgrade in the lab", 8, f"{key}-notes",
               owner="Platform (Sun Jing)")  # fmt: skip
        late = 3 if key == "gpu" else 0
        o.task(f"{key}-perf", f"{name}: scheduling benchmark", 5, f"{key}-test",
               owner="SRE (Kim Min-jun)", slip=late, slip_before=late)  # fmt: skip
        o.task(f"{key}-fix", f"{name}: fix findings", 6, f"{key}-perf",
               owner="Platform (Sun Jing)")  # fmt: skip
        o.milestone(f"{key}-ready", f"{name} ready", f"{key}-fix", owner="Sun Jing")
    ready = [f"{k}-ready" for k in ("gpu", "volcano", "slurm", "dcgm", "topology", "quota")]
    for place, (site, zh) in enumerate(
        (("Virginia", "弗吉尼亚"), ("Singapore", "新加坡"), ("Shanghai", "上海"))
    ):
        key = site.lower()
        o.phase(f"Roll-out {site} {zh}上线")
        waits = ["rollback", *ready] if place == 0 else [f"roll-{place - 1}-done"]
        o.task(f"roll-{place}-notice", f"{site}: notice to tenants 租户通知", 5, *waits,
               owner="TPM (Ivy Tan)")  # fmt: skip
        for wave in (1, 2, 3):
            o.task(f"roll-{place}-w{wave}", f"{site}: wave {wave} 第 {wave} 批", 3,
                   f"roll-{place}-notice" if wave == 1 else f"roll-{place}-w{wave - 1}",
                   owner="SRE (Kim Min-jun)")  # fmt: skip
        o.task(f"roll-{place}-watch", f"{site}: watch a week 观察一周", 5, f"roll-{place}-w3",
               owner="SRE (Kim Min-jun)")  # fmt: skip
        o.milestone(f"roll-{place}-done", f"{site} upgraded 升级完成", f"roll-{place}-watch",
                    owner="Sun Jing")  # fmt: skip
    o.phase("Close 收尾")
    o.task("docs", "User documentation 用户文档", 8, "roll-0-done", owner="Docs (Ren Xia)")
    o.task("training", "Office hours for teams 团队答疑", 10, "docs", owner="TPM (Ivy Tan)")
    o.milestone("closed", "Upgrade closed 项目关闭", "roll-2-done", "training", owner="Sun Jing")
    return Plan("Scheduler upgrade", "scheduler-upgrade", date(2026, 9, 14), tuple(o.items))
