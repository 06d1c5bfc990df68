"""What finance's workbook says, in English (the keys) and Chinese."""

from metrics.cost_allocation import (
    FORMULA,
    MISSING_COST_NOTE,
    PLATFORM_NOTE,
    UNALLOCATED_NOTE,
)

CHINESE = {
    FORMULA: (
        "每笔费用归最先匹配的规则：先直接归属，再按 GPU 卡时计量（闲置按其策略），"
        "再分摊共享池，余下的保持未分摊。先精确到最后一位，再按最大余数法取整到分，"
        "使行列合计一致。"
    ),
    UNALLOCATED_NOTE: (
        "“unallocated”一行：直接列是没有规则匹配的费用；计量列和共享列是"
        "规则已匹配但无法归属的费用。"
    ),
    PLATFORM_NOTE: "闲置策略为“平台”时，闲置成本由平台承担。",
    MISSING_COST_NOTE: "部分费用没有这一口径的成本，未计入，也不按 0 计。",
    "Cost allocation": "成本分摊",
    "Cover": "封面",
    "By tenant": "按租户",
    "By service": "按服务",
    "Rules": "规则",
    "Detail": "明细",
    "Reconciliation": "对账",
    "Month": "月份",
    "Basis": "口径",
    "billed": "账单成本",
    "effective": "有效成本（摊销）",
    "list": "目录价成本",
    "contracted": "合同价成本",
    "Currencies": "币种",
    "Data through": "数据截至",
    "Time zone": "时区",
    "Lake snapshot": "数据湖快照",
    "How computed": "计算方法",
    "Note": "说明",
    "Checks (every difference must be 0)": "校验（所有差额必须为 0）",
    "Check": "校验项",
    "Difference": "差额",
    "Result": "结果",
    "agrees": "一致",
    "differs": "不一致",
    "{currency}: tenants against bill": "{currency}：租户合计与账单",
    "{currency}: services against tenants": "{currency}：服务合计与租户合计",
    "{currency}: rules against tenants": "{currency}：规则合计与租户合计",
    "{currency}: detail against tenants": "{currency}：明细合计与租户合计",
    "Tenant": "租户",
    "Name": "名称",
    "Cost centre": "成本中心",
    "Currency": "币种",
    "direct": "直接",
    "metered": "计量",
    "idle": "闲置",
    "shared": "共享",
    "Total": "合计",
    "Total {currency}": "{currency} 合计",
    "unallocated": "未分摊",
    "Unallocated": "未分摊",
    "Provider": "服务商",
    "Service": "服务",
    "Sub account": "子账号",
    "Order": "顺序",
    "Rule": "规则",
    "Step": "步骤",
    "Condition": "条件",
    "Goes to": "去向",
    "Method": "方法",
    "Owner": "负责人",
    "Reason": "理由",
    "Valid from": "生效日期",
    "Valid to": "失效日期",
    "Amount": "金额",
    "Reached by": "分摊方式",
    "Why unallocated": "未分摊原因",
    "no rule": "无规则",
    "no_rule": "没有规则匹配",
    "not_measured": "集群用量未计量",
    "no_tenant": "作业账户没有对应租户",
    "no_direct_cost": "没有直接成本可作比例",
    "negative_direct_cost": "有租户的直接成本为负",
    "shares_left": "固定比例的剩余部分",
    "no_tenants": "没有租户",
    "platform": "平台承担",
    "use": "按使用",
    "quota": "按配额",
    "proportional": "按比例",
    "even": "平均",
    "fixed": "固定比例",
    "Charges": "费用行数",
    "Without a cost": "无此成本的行数",
    "Bill, exact": "账单（精确）",
    "Allocated, exact": "已分摊（精确）",
    "Difference, exact": "差额（精确）",
    "Bill, rounded": "账单（取整）",
    "Allocated": "已分摊",
    "All providers": "全部服务商",
}

ENGLISH = {
    "billed": "Billed cost",
    "effective": "Effective cost (amortised)",
    "list": "List cost",
    "contracted": "Contracted cost",
    "direct": "Direct",
    "metered": "Metered",
    "idle": "Idle",
    "shared": "Shared",
    "unallocated": "Unallocated",
    "no_rule": "No rule takes it",
    "not_measured": "The cluster's use is not measured",
    "no_tenant": "Jobs of accounts without a tenant",
    "no_direct_cost": "No direct cost to follow",
    "negative_direct_cost": "A tenant's direct cost is negative",
    "shares_left": "Left by fixed shares",
    "no_tenants": "No tenants",
}
"""Words that stand for the codes of the figures."""


def word(text: str | None, language: str, **values: object) -> str:
    """The text in the language ("en" or "zh"); unknown ones, such as names, as they are."""
    if text is None:
        return ""
    words = CHINESE if language == "zh" else ENGLISH
    return words.get(text, text).format(**values) if values else words.get(text, text)
