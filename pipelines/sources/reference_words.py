"""How people head and fill the reference tables, in English and Chinese."""

TABLE_NAMES: dict[str, tuple[str, ...]] = {
    "tenant": ("tenants", "team", "teams", "租户", "团队"),
    "cluster": ("clusters", "集群"),
    "allocation_rule": ("allocation rules", "rule", "rules", "分摊规则", "规则"),
    "budget": ("budgets", "预算"),
    "quota": ("quotas", "配额"),
    "fx_rate": ("fx rates", "fx", "exchange rates", "汇率"),
    "accelerator": ("accelerators", "加速卡", "加速器"),
    "slo": ("slos", "服务目标", "服务等级目标"),
    "program": ("programs", "programme", "programmes", "项目群", "计划"),
    "milestone_stake": ("milestone stakes", "stakes", "里程碑影响"),
}
"""Sheet names and file stems; width, case, blanks and punctuation do not matter."""

_OWNER = ("负责人", "所有者")
_VALID = {
    "valid_from": ("from", "valid since", "生效日期", "开始日期", "生效"),
    "valid_to": ("to", "valid until", "失效日期", "结束日期", "失效"),
}
_NAME = {
    "name": ("name en", "english name", "名称", "英文名", "英文名称"),
    "name_zh": ("chinese name", "name cn", "中文名", "中文名称"),
}

HEADINGS: dict[str, dict[str, tuple[str, ...]]] = {
    "tenant": {
        "tenant": ("tenant id", "租户", "租户标识", "租户编号"),
        **_NAME,
        "cost_center": ("cost centre", "成本中心"),
        "owner": _OWNER,
        "slurm_accounts": ("slurm account", "accounts", "slurm账户", "slurm账号", "账户"),
        "namespaces": ("namespace", "命名空间"),
    },
    "cluster": {
        "cluster": ("cluster id", "集群", "集群标识"),
        **_NAME,
        "region": ("地域", "区域"),
        "scheduler": ("调度器",),
        "accelerator": ("gpu type", "加速卡", "加速器", "gpu型号", "卡型"),
        "gpus": ("gpu count", "卡数", "gpu数", "gpu数量"),
        "gpus_per_node": ("gpus per server", "每节点卡数", "单机卡数"),
        "in_service_from": ("in service since", "启用日期", "投产日期"),
        "in_service_to": ("in service until", "停用日期", "退役日期"),
    },
    "allocation_rule": {
        "rule": ("rule name", "规则", "规则名称"),
        "step": ("步骤", "阶段"),
        "priority": ("order", "优先级", "顺序"),
        "field": ("字段",),
        "operator": ("op", "比较", "运算符", "条件"),
        "value": ("值", "取值"),
        "tenant": ("租户",),
        "cluster": ("集群",),
        "metric": ("meter", "计量", "计量指标"),
        "idle_policy": ("idle", "闲置策略", "闲置"),
        "pool": ("资源池", "成本池", "共享池"),
        "method": ("方法", "分摊方法"),
        "shares": ("share", "比例", "份额"),
        "owner": _OWNER,
        "reason": ("理由", "原因", "说明"),
        **_VALID,
    },
    "budget": {
        "tenant": ("租户",),
        "month": ("月份", "月"),
        "currency": ("币种", "货币"),
        "amount": ("budget", "金额", "预算", "预算金额"),
        "version": ("版本",),
    },
    "quota": {
        "tenant": ("租户",),
        "cluster": ("集群",),
        "gpus": ("gpu count", "卡数", "配额", "gpu数"),
        **_VALID,
    },
    "fx_rate": {
        "month": ("月份", "月"),
        "from_currency": ("from", "原币种", "源币种"),
        "to_currency": ("to", "目标币种"),
        "rate": ("汇率",),
    },
    "accelerator": {
        "accelerator": ("model", "型号", "加速卡", "加速器"),
        "vendor": ("厂商", "供应商"),
        "precision": ("精度",),
        "dense_tflops": ("peak tflops", "稠密算力", "峰值算力"),
        "memory_gib": ("memory", "显存", "显存gib"),
        "memory_bw_gbs": ("memory bandwidth", "显存带宽"),
        "tdp_w": ("tdp", "功耗", "功耗w"),
        "reference": ("source", "来源"),
    },
    "slo": {
        "service": ("服务", "服务标识"),
        **_NAME,
        "kind": ("type", "类型"),
        "target_percent": ("target", "目标", "目标值", "目标百分比"),
        "cluster": ("集群",),
        "gpus": ("卡数", "gpu数"),
        "owner": _OWNER,
        "valid_from": _VALID["valid_from"],
    },
    "program": {
        "program": ("programme", "program id", "项目群", "计划"),
        **_NAME,
        "owner": _OWNER,
        "project": ("tracker project", "项目", "跟踪项目"),
        "cluster": ("集群",),
        "budget": ("预算", "预算金额"),
        "currency": ("币种", "货币"),
    },
    "milestone_stake": {
        "project": ("项目",),
        "task_uid": ("uid", "task", "任务", "任务uid", "任务编号"),
        "gpus_waiting": ("gpus", "等待卡数", "受影响卡数"),
        "cluster": ("集群",),
    },
}

VALUES: dict[str, dict[str, str]] = {
    "step": {"直接": "direct", "计量": "metered", "共享": "shared"},
    "operator": {
        "=": "equals",
        "is": "equals",
        "in": "one_of",
        "等于": "equals",
        "属于": "one_of",
        "开头为": "starts_with",
        "前缀": "starts_with",
    },
    "idle_policy": {
        "平台": "platform",
        "按使用": "use",
        "使用": "use",
        "按配额": "quota",
        "配额": "quota",
    },
    "method": {
        "按比例": "proportional",
        "比例": "proportional",
        "平均": "even",
        "均摊": "even",
        "固定": "fixed",
        "固定比例": "fixed",
    },
    "metric": {"gpu-hours": "gpu_hours", "gpu hours": "gpu_hours", "卡时": "gpu_hours"},
    "kind": {"训练": "training", "推理": "inference", "平台": "platform"},
    "field": {
        "子账号": "sub_account_id",
        "子账号名称": "sub_account_name",
        "服务": "service_name",
        "服务类别": "service_category",
        "资源": "resource_id",
        "地域": "region_id",
        "云厂商": "provider",
        "供应商": "provider",
        "任意": "any",
        "全部": "any",
    },
}
"""Other ways to write an allowed value, by field."""
