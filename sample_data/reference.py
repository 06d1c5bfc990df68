"""The reference workbook: tenants, clusters, rules, budgets, SLOs, programmes."""

from datetime import date, datetime
from pathlib import Path
from typing import Any

import xlsxwriter

from sample_data.company import (
    CLUSTERS,
    FIRST_DAY,
    MONTHS,
    PROGRAMMES,
    QUOTA_NODES,
    SLIPPING_PROJECT,
    SLIPPING_UID,
    TENANTS,
    WAITING_GPUS,
)

NVIDIA = "NVIDIA datasheets, published with sparsity, halved"
ACCELERATORS = [
    (name, "NVIDIA", precision, peak, memory, bandwidth, 700, NVIDIA)
    for name, memory, bandwidth in (
        ("H800 SXM", 80, 3350),
        ("H100 SXM", 80, 3350),
        ("H200 SXM", 141, 4800),
    )
    for precision, peak in (("TF32", 494.7), ("BF16", 989.4), ("FP16", 989.4), ("FP8", 1978.9))
]

USD_PER_CNY = [
    "0.1405", "0.1410", "0.1412", "0.1408", "0.1403", "0.1399", "0.1396", "0.1401", "0.1406",
    "0.1411", "0.1414", "0.1409", "0.1407",
]  # fmt: skip

MONTHLY_BUDGET = {
    "pretraining": 1_850_000,
    "multimodal": 1_650_000,
    "robotics": 720_000,
    "inference-platform": 850_000,
    "speech": 450_000,
    "search-rec": 820_000,
    "research": 870_000,
    "platform": 460_000,
}
"""USD; budgets grow by two percent a month as the bills do."""


def write_reference(file: Path) -> None:
    """The workbook, a sheet a table."""
    book = xlsxwriter.Workbook(
        file, {"strings_to_formulas": False, "default_date_format": "yyyy-mm-dd"}
    )
    # A fixed creation time keeps the bytes the same from run to run.
    book.set_properties({"created": datetime(2026, 11, 30)})
    bold = book.add_format({"bold": True})
    for name, (headings, rows) in _sheets().items():
        page = book.add_worksheet(name)
        page.freeze_panes(1, 0)
        page.write_row(0, 0, headings, bold)
        for number, row in enumerate(rows, start=1):
            for column, value in enumerate(row):
                _write(page, number, column, value)
        page.autofit()
    book.close()


def _write(page: Any, row: int, column: int, value: object) -> None:
    if isinstance(value, date):
        page.write_datetime(row, column, datetime(value.year, value.month, value.day))
    elif value is not None:
        page.write(row, column, value)


def _sheets() -> dict[str, tuple[list[str], list[tuple[object, ...]]]]:
    return {
        "tenant": (
            ["tenant", "name", "name_zh", "cost_center", "owner", "slurm_accounts", "namespaces"],
            [
                (t.id, t.name, t.name_zh, t.cost_center, t.owner, f"{t.id};{t.id}-dev",
                 f"{t.id};{t.id}-batch")
                for t in TENANTS
            ],
        ),
        "cluster": (
            ["cluster", "name", "name_zh", "region", "scheduler", "accelerator", "gpus",
             "gpus_per_node", "in_service_from", "in_service_to"],
            [
                (c.id, c.name, c.name_zh, c.region, c.scheduler, c.accelerator, c.gpus, 8,
                 date(2025, 6, 1), None)
                for c in CLUSTERS
            ],
        ),
        "allocation_rule": (
            ["rule", "step", "priority", "field", "operator", "value", "tenant", "cluster",
             "metric", "idle_policy", "pool", "method", "shares", "owner", "reason", "valid_from"],
            _rules(),
        ),
        "budget": (
            ["tenant", "month", "currency", "amount", "version"],
            [
                (tenant, month, "USD", budget_of(tenant, month), "FY26-v2")
                for month in MONTHS
                for tenant in MONTHLY_BUDGET
            ],
        ),
        "quota": (
            ["tenant", "cluster", "gpus", "valid_from", "valid_to"],
            [
                (tenant, cluster, nodes * 8, FIRST_DAY, None)
                for cluster, nodes_of in QUOTA_NODES.items()
                for tenant, nodes in nodes_of.items()
            ],
        ),
        "fx_rate": (
            ["month", "from_currency", "to_currency", "rate"],
            [(month, "CNY", "USD", rate) for month, rate in zip(MONTHS, USD_PER_CNY, strict=True)],
        ),
        "accelerator": (
            ["accelerator", "vendor", "precision", "dense_tflops", "memory_gib", "memory_bw_gbs",
             "tdp_w", "source"],
            list(ACCELERATORS),
        ),
        "slo": (
            ["service", "name", "name_zh", "kind", "target_percent", "cluster", "gpus", "owner",
             "valid_from"],
            _slos(),
        ),
        "program": (
            ["program", "name", "name_zh", "owner", "project", "cluster", "budget", "currency"],
            [
                (p.id, p.name, p.name_zh, p.owner, p.project, p.cluster, p.budget, "USD")
                for p in PROGRAMMES
            ],
        ),
        "milestone_stake": (
            ["project", "task_uid", "gpus_waiting", "cluster"],
            [(SLIPPING_PROJECT, SLIPPING_UID, WAITING_GPUS, "shanghai")],
        ),
    }  # fmt: skip


def budget_of(tenant: str, month: str) -> int:
    """A tenant's budget for a month; budgets were set in steps of 10,000 USD."""
    return round(MONTHLY_BUDGET[tenant] * 1.02 ** MONTHS.index(month) / 10_000) * 10_000


def _rules() -> list[tuple[object, ...]]:
    start = date(2025, 1, 1)
    rows: list[tuple[object, ...]] = []

    def add(rule: str, step: str, priority: int, field: str, operator: str | None,
            value: str | None, reason: str, **to: str) -> None:  # fmt: skip
        targets = [to.get(key) for key in (
            "tenant", "cluster", "metric", "idle_policy", "pool", "method", "shares")]  # fmt: skip
        rows.append(
            (rule, step, priority, field, operator, value, *targets, "Finance (He Fang)",
             reason, start)
        )  # fmt: skip

    for place, tenant in enumerate(TENANTS):
        add(f"Team tag {tenant.id}", "direct", 10 + place, "tag:team", "equals", tenant.id,
            "Resources carry their team", tenant=tenant.id)  # fmt: skip
    for place, tenant in enumerate(TENANTS):
        add(f"Sub account {tenant.id}", "direct", 40 + place, "sub_account_name", "equals",
            f"yq-{tenant.id}", "Accounts opened for one team", tenant=tenant.id)  # fmt: skip
    policies = {"shanghai": "quota", "singapore": "platform", "virginia": "use"}
    for place, cluster in enumerate(CLUSTERS):
        add(f"Cluster {cluster.id} by GPU-hours", "metered", 60 + place, "sub_account_id",
            "equals", f"dc-{cluster.id}", "Own clusters are charged by use", cluster=cluster.id,
            metric="gpu_hours", idle_policy=policies[cluster.id])  # fmt: skip
    add("Support by direct cost", "shared", 80, "service_name", "one_of",
        "Enterprise Support;Unified Support;Support Plan", "Everybody calls support",
        pool="support", method="proportional")  # fmt: skip
    add("Network backbone evenly", "shared", 81, "tag:team", "equals", "shared",
        "The backbone serves all teams alike", pool="backbone", method="even")  # fmt: skip
    return rows


def _slos() -> list[tuple[object, ...]]:
    start = date(2025, 11, 1)
    return [
        ("training-shanghai", "Shanghai training", "上海训练", "training", 99.9, "shanghai", 512,
         "Zhao Qiang", start),
        ("training-singapore", "Singapore training", "新加坡训练", "training", 99.9, "singapore", 256,
         "Zhao Qiang", start),
        ("inference-api", "Inference API", "推理 API", "inference", 99.95, "virginia", None,
         "Zhang Min", start),
        ("batch-inference", "Batch inference", "批量推理", "inference", 99.95, "virginia", None,
         "Zhang Min", start),
        ("speech-asr", "Speech recognition", "语音识别", "inference", 99.95, "virginia", None,
         "Priya Nair", start),
        ("scheduler", "Job scheduler", "作业调度", "platform", 99.9, None, None, "Sun Jing", start),
        ("storage", "Parallel file system", "并行文件系统", "platform", 99.9, None, None, "Sun Jing",
         start),
        ("portal", "Developer portal", "开发者门户", "platform", 99.9, None, None, "Sun Jing", start),
    ]  # fmt: skip
