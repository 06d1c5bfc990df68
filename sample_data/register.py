"""The risk register: thirty risks with their history and actions, as a workbook."""

import random
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from pathlib import Path

import xlsxwriter

from sample_data.company import LAST_REVIEW, SEED

RISK_HEADINGS = [
    "ID", "Programme", "Title", "Title (Chinese)", "Description", "Category", "Type", "Owner",
    "Raised on", "Status", "Probability", "Impact", "Cost impact", "Currency",
    "Inherent probability", "Inherent impact", "Target probability", "Target impact", "Response",
    "Proximity", "Trigger", "Due", "Next action", "Tenant", "Closing reason",
]  # fmt: skip
ACTION_HEADINGS = ["ID", "Title", "Title (Chinese)", "Risk", "Programme", "Owner", "Due", "Status",
                   "Done on"]  # fmt: skip
HISTORY_HEADINGS = ["ID", "Version", "At", "Who", "Field", "Was", "Is"]

SH, EN, RO, SC = "sh-extension", "inference-engine", "robotics-base", "scheduler-upgrade"


@dataclass(frozen=True)
class Risk:
    """What somebody fears. moves: (date, field, value before it); newest values stand in the row."""

    programme: str
    title: str
    title_zh: str
    category: str
    owner: str
    probability: int
    impact: int
    cost: int
    response: str
    action: str
    status: str = "open"
    tenant: str = ""
    is_opportunity: bool = False
    moves: tuple[tuple[date, str, str], ...] = ()


D = date
RISKS = (
    Risk(SH, "Cooling loop late, batch 1 idles", "液冷延迟，首批闲置", "facility", "Xu Jie", 5, 4,
         1_300_000, "mitigate", "Air-freight the pressure sensors", tenant="pretraining",
         moves=((D(2026, 9, 21), "probability", "2"), (D(2026, 10, 26), "probability", "3"),
                (D(2026, 11, 25), "probability", "4"))),
    Risk(SH, "Batch 2 held in export review", "二批受出口审查", "regulatory", "Guo Fei", 4, 4,
         2_400_000, "transfer", "Broker bond and second forwarder",
         moves=((D(2026, 10, 12), "impact", "3"), (D(2026, 11, 20), "probability", "3"))),
    Risk(SH, "RoCE congestion below NCCL target", "RoCE 拥塞达不到目标", "technical", "Fang Yu", 3, 4,
         900_000, "mitigate", "Tune DCQCN on batch 1"),
    Risk(SH, "Substation inspection slips", "变电站验收延期", "facility", "Lin Tao", 2, 4, 600_000,
         "mitigate", "Weekly call with the utility", moves=((D(2026, 8, 10), "probability", "4"),)),
    Risk(SH, "Quick couplings leak under load", "快接头带载渗漏", "technical", "Xu Jie", 2, 5,
         1_800_000, "mitigate", "Dye test on row A"),
    Risk(SH, "Optics DOA rate above 2 %", "光模块失效率超 2%", "vendor", "Fang Yu", 3, 2, 180_000,
         "accept", "Hold 5 % spares"),
    Risk(SH, "Riggers short before Spring Festival", "春节前搬运人手不足", "people", "Ma Chao", 3, 3,
         220_000, "mitigate", "Book a second crew"),
    Risk(SH, "Power price rises in the spring", "春季电价上涨", "cost", "He Fang", 3, 3, 450_000,
         "accept", "Index in the budget"),
    Risk(SH, "File system growth delays acceptance", "存储扩容拖延验收", "schedule", "He Lin", 2, 3,
         260_000, "mitigate", "Start with two pools"),
    Risk(EN, "P99 misses 99.95 % target", "P99 达不到 99.95%", "technical", "Zhang Min", 4, 4, 800_000,
         "mitigate", "Second replica set and load shedding", tenant="inference-platform",
         moves=((D(2026, 11, 26), "probability", "3"),)),
    Risk(EN, "FP8 accuracy drop on Chinese tasks", "FP8 中文精度下降", "technical", "Qian Bo", 2, 3,
         150_000, "mitigate", "Per-channel scaling"),
    Risk(EN, "Speculative decoding gains vanish under load", "投机解码高负载失效", "technical",
         "D. Okafor", 3, 2, 120_000, "accept", "Fallback switch"),
    Risk(EN, "Key engineer leaves", "关键工程师离职", "people", "Zhang Min", 2, 4, 350_000, "mitigate",
         "Pair on the scheduler core"),
    Risk(EN, "Gateway certificates expire unseen", "网关证书过期未察觉", "security", "Kim Min-jun", 4, 4,
         500_000, "avoid", "Automatic renewal and alert", status="occurred",
         moves=((D(2026, 11, 25), "status", "open"),)),
    Risk(EN, "Cost per token below plan", "单 token 成本低于计划", "cost", "He Fang", 3, 3, 400_000,
         "enhance", "Move batch to FP8", is_opportunity=True),
    Risk(RO, "Munich safety case rejected", "慕尼黑安全论证被拒", "regulatory", "Ida Falk", 3, 4, 700_000,
         "mitigate", "Pre-audit with TÜV"),
    Risk(RO, "Teleoperation data too narrow", "遥操作数据面窄", "technical", "Maria Santos", 3, 3,
         300_000, "mitigate", "Two more scenes", tenant="robotics"),
    Risk(RO, "5G jitter breaks the control loop", "5G 抖动影响控制", "technical", "Jan Roth", 2, 4,
         420_000, "mitigate", "Local fallback controller"),
    Risk(RO, "Privacy review blocks data loop", "隐私评审阻塞数据回流", "regulatory", "Ana Lopes", 3, 3,
         280_000, "avoid", "Blur at the edge"),
    Risk(RO, "Edge nodes end of sale", "边缘节点停售", "supply", "Guo Fei", 2, 3, 200_000, "transfer",
         "Last-time buy"),
    Risk(RO, "Robot arm supplier shares tooling", "机械臂供应商共享模具", "vendor", "Maria Santos", 2, 3,
         250_000, "share", "Joint order", is_opportunity=True),
    Risk(SC, "Operator upgrade breaks MIG profiles", "算子升级破坏 MIG", "technical", "Sun Jing", 2, 3,
         160_000, "mitigate", "Canary node pool"),
    Risk(SC, "Preemption surprises tenants", "抢占影响租户", "other", "Ivy Tan", 3, 2, 90_000, "mitigate",
         "Office hours"),
    Risk(SC, "Slurm database migration slow", "Slurm 数据库迁移慢", "schedule", "Kim Min-jun", 2, 3,
         110_000, "mitigate", "Dry run on a copy"),
    Risk(SC, "Singapore stays idle", "新加坡集群持续闲置", "cost", "Sun Jing", 5, 4, 1_100_000, "mitigate",
         "Move research queue or return 16 nodes", tenant="research",
         moves=((D(2026, 10, 19), "probability", "3"), (D(2026, 11, 9), "probability", "4"))),
    Risk(SC, "Roll-back window too short", "回滚窗口不足", "schedule", "Kim Min-jun", 2, 3, 130_000,
         "mitigate", "Freeze on Fridays"),
    Risk(SH, "Customs duty reclassified", "关税重新归类", "cost", "He Fang", 2, 4, 950_000, "transfer",
         "Binding ruling", status="closed", moves=((D(2026, 11, 24), "status", "open"),)),
    Risk(EN, "Token demand beats forecast", "token 需求超预期", "other", "Zhang Min", 3, 4, 600_000,
         "exploit", "Reserve burst capacity", is_opportunity=True),
    Risk(RO, "Simulation licence cost", "仿真许可成本", "cost", "He Fang", 2, 2, 80_000, "accept",
         "Renegotiate", status="closed", moves=((D(2026, 10, 20), "status", "open"),)),
    Risk(SC, "DCGM 4 drops a field we bill by", "DCGM 4 移除计费字段", "technical", "Kim Min-jun", 1, 3,
         70_000, "mitigate", "Contract test"),
)  # fmt: skip

DAYS_TO_ACT = (2, -6, 14, 21, 9, 30, 11, 45, 16, -3)
"""Due dates of actions, counted from the last day of data; two are overdue."""


def write_register(file: Path, until: date) -> None:
    """The workbook as it stood at the end of a day, with the history up to it."""
    book = xlsxwriter.Workbook(file, {"strings_to_formulas": False})
    book.set_properties({"created": datetime(2026, 11, 30)})
    bold = book.add_format({"bold": True})
    sheets = {
        "Risks": (RISK_HEADINGS, [_risk(n, r, until) for n, r in enumerate(RISKS, start=1)]),
        "Actions": (ACTION_HEADINGS, list(_actions(until))),
        "History": (HISTORY_HEADINGS, list(_history(until))),
    }
    for name, (headings, rows) in sheets.items():
        page = book.add_worksheet(name)
        page.freeze_panes(1, 0)
        page.write_row(0, 0, headings, bold)
        for number, row in enumerate(rows, start=1):
            page.write_row(number, 0, row)
        page.autofit(max_width=400)
    book.close()


def _value(risk: Risk, field: str, until: date) -> str:
    """A field's value at a day: what the first later move found there, else today's."""
    for day, name, was in risk.moves:
        if name == field and day > until:
            return was
    return str(getattr(risk, field))


def _raised(number: int) -> date:
    return date(2026, 6, 8) + timedelta(days=4 * number)


def _risk(number: int, risk: Risk, until: date) -> list[object]:
    status = _value(risk, "status", until)
    inherent = min(int(risk.moves[0][2]) + 1, 5) if _moves(risk) else risk.probability
    return [
        f"R-{number:03d}", risk.programme, risk.title, risk.title_zh,
        _description(risk),
        risk.category, "opportunity" if risk.is_opportunity else "threat", risk.owner,
        _raised(number).isoformat(), status, int(_value(risk, "probability", until)),
        int(_value(risk, "impact", until)), risk.cost, "USD", max(inherent, risk.probability),
        risk.impact, max(risk.probability - 2, 1), max(risk.impact - 1, 1), risk.response,
        ("this month", "this quarter", "next quarter")[number % 3], "Weekly check shows a trend",
        (date(2026, 12, 4) + timedelta(days=5 * (number % 12))).isoformat(), risk.action,
        risk.tenant, "No longer possible" if status == "closed" else "",
    ]  # fmt: skip


def _description(risk: Risk) -> str:
    outcome = "gain money" if risk.is_opportunity else "lose time and money"
    return f"{risk.title}: if so, the programme may {outcome}. Answer: {risk.action.lower()}."


def _moves(risk: Risk) -> bool:
    return bool(risk.moves) and risk.moves[0][1] == "probability"


def _actions(until: date) -> Iterable[list[object]]:
    for number, (risk, days) in enumerate(
        zip((1, 2, 3, 5, 7, 10, 14, 16, 25, 27), DAYS_TO_ACT, strict=True), start=1
    ):
        due = date(2026, 11, 30) + timedelta(days=days)
        done = date(2026, 11, 27) if risk in (14, 27) else None
        is_done = done is not None and done <= until
        subject = RISKS[risk - 1]
        yield [
            f"A-{number:03d}", subject.action, "", f"R-{risk:03d}", subject.programme,
            subject.owner, due.isoformat(), "done" if is_done else "open",
            done.isoformat() if done and is_done else "",
        ]  # fmt: skip


def _history(until: date) -> Iterable[list[object]]:
    chance = random.Random(f"{SEED}-history")
    for number, risk in enumerate(RISKS, start=1):
        id = f"R-{number:03d}"
        yield [id, 1, f"{_raised(number)} 10:00", risk.owner, "*created", "", ""]
        past = [move for move in risk.moves if move[0] <= until]
        for version, (day, field, was) in enumerate(past, start=2):
            later = [w for d, name, w in risk.moves if name == field and d > day]
            now = later[0] if later else str(getattr(risk, field))
            hour = chance.randrange(9, 18)
            yield [id, version, f"{day} {hour:02d}:15", risk.owner, field, was, now]


def write_registers(today: Path, review: Path) -> None:
    """The register of today and of the last review."""
    write_register(today, date(2026, 11, 30))
    write_register(review, LAST_REVIEW)
