"""How spreadsheets write the register: headings and words, English and Chinese.

The first English and the first Chinese name are the ones we write; the rest
are ways that people's own logs say the same.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Words:
    """English name, Chinese name, and other spellings met in files."""

    en: str
    zh: str
    others: tuple[str, ...] = ()

    @property
    def all(self) -> tuple[str, ...]:
        """Every spelling."""
        return (self.en, self.zh, *self.others)


SHEETS: dict[str, Words] = {
    "risk": Words("Risks", "风险", ("Risk", "Risk register", "Risk log", "风险登记册", "风险清单")),
    "action": Words("Actions", "行动", ("Action", "Action log", "行动项", "措施")),
    "decision": Words("Decisions", "决策", ("Decision log", "决策记录")),
    "raid_item": Words("Issues", "问题", ("RAID", "Issue log", "问题清单", "假设与依赖")),
    "history": Words("History", "历史", ("Audit", "变更记录", "修改历史")),
}

HEADINGS: dict[str, Words] = {
    "id": Words(
        "ID", "编号", ("Risk ID", "Risk_ID", "No.", "序号", "风险编号", "风险ID", "行动编号")
    ),
    "program": Words(
        "Programme", "项目群", ("Program", "Project", "Project_Name", "项目", "所属项目")
    ),
    "title": Words(
        "Title",
        "标题",
        ("Risk", "Risk_Name", "Name", "Action", "风险名称", "名称", "风险标题", "行动项"),
    ),
    "title_zh": Words("Title (Chinese)", "中文标题", ("Title zh", "标题（中文）")),
    "description": Words(
        "Description", "描述", ("Cause, event, effect", "风险描述", "说明", "详细描述")
    ),
    "category": Words("Category", "类别", ("分类", "风险类别")),
    "type": Words("Type", "类型", ("Risk_type", "风险类型")),
    "owner": Words("Owner", "负责人", ("Risk owner", "责任人", "风险负责人")),
    "raised_on": Words(
        "Raised on",
        "提出日期",
        ("Raised", "Date_identified", "Date raised", "识别日期", "登记日期"),
    ),
    "status": Words("Status", "状态", ("State", "风险状态")),
    "probability": Words("Probability", "概率", ("Likelihood", "P", "可能性", "发生概率")),
    "impact": Words("Impact", "影响", ("I", "Severity", "影响程度", "严重程度")),
    "probability_percent": Words(
        "Probability %", "概率%", ("Probability percent", "Chance %", "概率百分比", "概率（%）")
    ),
    "cost_impact": Words(
        "Cost impact", "成本影响", ("Cost", "Impact cost", "损失金额", "影响金额", "成本影响金额")
    ),
    "currency": Words("Currency", "币种", ("货币",)),
    "inherent_probability": Words("Inherent probability", "固有概率"),
    "inherent_impact": Words("Inherent impact", "固有影响"),
    "target_probability": Words(
        "Target probability", "目标概率", ("Residual probability", "剩余概率", "残余概率")
    ),
    "target_impact": Words(
        "Target impact", "目标影响", ("Residual impact", "剩余影响", "残余影响")
    ),
    "score_reason": Words("Score reason", "评分理由", ("Scoring note",)),
    "response": Words(
        "Response", "应对", ("Reaction", "Response strategy", "应对策略", "应对方式")
    ),
    "proximity": Words("Proximity", "临近度", ("临近程度",)),
    "trigger": Words("Trigger", "触发条件", ("触发因素",)),
    "due": Words("Due", "截止日期", ("Due date", "到期日", "计划完成日期", "应对截止日期")),
    "next_action": Words(
        "Next action", "下一步行动", ("Reaction_details", "Next step", "下一步", "应对措施")
    ),
    "tenant": Words("Tenant", "租户", ("Linked tenant",)),
    "milestone": Words("Milestone", "里程碑", ("Linked milestone", "关联里程碑")),
    "issue": Words("Issue", "关联问题", ("Linked issue", "问题编号")),
    "closing_reason": Words("Closing reason", "关闭理由", ("关闭原因",)),
    "risk": Words("Risk", "风险", ("Risk ID", "关联风险", "风险编号")),
    "done_on": Words("Done on", "完成日期", ("Completed", "实际完成日期")),
    "source_meeting": Words("Source meeting", "来源会议", ("Meeting",)),
    "evidence": Words("Evidence", "证据", ("佐证",)),
    "options": Words("Options", "备选方案"),
    "decision": Words("Decision", "决定"),
    "decided_by": Words("Decided by", "决策人"),
    "decided_on": Words("Decided on", "决策日期"),
    "affects": Words("Affects", "影响范围"),
    "kind": Words("Kind", "类型", ("种类",)),
    "severity": Words("Severity", "等级", ("严重度", "严重程度")),
    "version": Words("Version", "版本", ()),
    "updated_at": Words("Updated at", "更新时间", ("Last updated", "最后更新", "修改时间")),
    "updated_by": Words("Updated by", "更新人", ("最后修改人",)),
    "at": Words("At", "时间", ("When", "修改时间")),
    "who": Words("Who", "修改人", ("Author", "操作人")),
    "how": Words("How", "方式", ()),
    "field": Words("Field", "字段", ()),
    "was": Words("Was", "原值", ("Old value",)),
    "is": Words("Is", "新值", ("New value",)),
    "entity": Words("Kind", "类型", ("种类",)),
    "score": Words("Score", "风险值", ()),
    "emv": Words("EMV", "期望货币值", ()),
}
"""By field; score and emv are written for people and ignored on reading."""

CHOICES: dict[str, Words] = {
    "threat": Words("Threat", "威胁", ("Risk", "Negative", "风险")),
    "opportunity": Words("Opportunity", "机会", ("Positive", "机遇")),
    "draft": Words("Draft", "草稿", ("Proposed", "New", "拟定")),
    "open": Words(
        "Open",
        "打开",
        (
            "Active",
            "Treating",
            "In progress",
            "Monitoring",
            "Accepted",
            "开放",
            "进行中",
            "处理中",
            "监控中",
            "未关闭",
        ),
    ),
    "closed": Words("Closed", "已关闭", ("Close", "Retired", "关闭")),
    "occurred": Words("Occurred", "已发生", ("Issue", "Materialised", "发生", "已转问题")),
    "done": Words("Done", "已完成", ("Completed", "Closed", "完成", "已关闭")),
    "cancelled": Words("Cancelled", "已取消", ("Canceled", "取消")),
    "supply": Words("Supply", "供应", ("Supply chain", "供应链")),
    "technical": Words("Technical", "技术", ("Technology",)),
    "facility": Words(
        "Facility", "机房设施", ("Facilities", "Power and cooling", "设施", "基础设施")
    ),
    "schedule": Words("Schedule", "进度", ("Time",)),
    "cost": Words("Cost", "成本", ("Budget", "预算")),
    "people": Words("People", "人员", ("Resource", "资源", "人力")),
    "vendor": Words("Vendor", "供应商", ("Supplier",)),
    "regulatory": Words("Regulatory", "监管合规", ("Compliance", "Legal", "合规", "法规")),
    "security": Words("Security", "安全", ()),
    "other": Words("Other", "其他", ("其它",)),
    "decided": Words("Decided", "已决定"),
    "withdrawn": Words("Withdrawn", "已撤回"),
    "issue": Words("Issue", "问题"),
    "assumption": Words("Assumption", "假设"),
    "dependency": Words("Dependency", "依赖"),
    "avoid": Words("Avoid", "规避", ("避免",)),
    "transfer": Words("Transfer", "转移", ("转嫁",)),
    "mitigate": Words("Mitigate", "减轻", ("Reduce", "缓解", "降低")),
    "accept": Words("Accept", "接受", ("Retain", "自留")),
    "exploit": Words("Exploit", "开拓", ("利用",)),
    "share": Words("Share", "分享", ("共享",)),
    "enhance": Words("Enhance", "提高", ("增强",)),
}
"""By the value that the register keeps."""

LEVELS: dict[int, tuple[str, ...]] = {
    1: ("very low", "rare", "minor", "negligible", "很低", "极低", "轻微"),
    2: ("low", "unlikely", "低", "较低", "较小"),
    3: ("medium", "moderate", "possible", "中", "中等"),
    4: ("high", "likely", "major", "高", "较高", "较大"),
    5: ("very high", "almost certain", "severe", "critical", "很高", "极高", "严重"),
}
"""Words that logs write instead of 1 to 5."""
