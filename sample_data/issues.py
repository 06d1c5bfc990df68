"""The inference team's Jira issues in the exact shape of a full CSV export."""

import csv
import random
from datetime import date, datetime, timedelta
from pathlib import Path

from sample_data.company import LAST_REVIEW, SEED

HEADINGS = [
    "Summary", "Issue key", "Issue id", "Issue Type", "Status", "Project key", "Project name",
    "Project type", "Project lead", "Priority", "Resolution", "Assignee", "Reporter", "Creator",
    "Created", "Updated", "Last Viewed", "Resolved", "Due date", "Votes", "Labels", "Labels",
    "Description", "Watchers", "Watchers", "Original estimate", "Remaining Estimate", "Time Spent",
    "Work Ratio", "Inward issue link (Blocks)", "Outward issue link (Blocks)",
    "Outward issue link (Blocks)", "Sprint", "Sprint", "Custom field (Story Points)", "Parent",
    "Parent key", "Parent summary", "Status Category", "Comment", "Comment",
]  # fmt: skip
PEOPLE = ("Zhang Min", "Luo Kai", "Qian Bo", "D. Okafor", "Sun Jing", "Yao Na")
TOPICS = (
    "KV cache eviction under memory pressure", "Batch scheduler starves long prompts",
    "Draft model mismatch on tool calls", "FP8 scale overflow in rotary layers",
    "Prefill nodes idle at night", "LoRA adapter reload leaks memory",
    "Autoscaler oscillates on bursty load", "TTFT regression after tokenizer change",
    "Streaming stops after client reconnect", "Rollback plan for gateway",
    "Certificate renewal automation", "P99 dashboard per tenant", "Load shedding policy",
    "Router sticky sessions", "Cost per token report",
)  # fmt: skip


def write_issues(today: Path, review: Path) -> None:
    """The export of today and that of the last review."""
    _write(today, datetime(2026, 11, 30, 18, 0))
    _write(review, datetime.combine(LAST_REVIEW, datetime.min.time()).replace(hour=18))


def _write(file: Path, at: datetime) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("w", newline="", encoding="utf-8") as target:
        sheet = csv.writer(target, lineterminator="\r\n")
        sheet.writerow(HEADINGS)
        for number in range(1, 49):
            row = _issue(number, at)
            if row:
                sheet.writerow(row)


def _issue(number: int, at: datetime) -> list[str] | None:
    chance = random.Random(f"{SEED}-issue-{number}")
    created = datetime(2026, 8, 3, 9, 30) + timedelta(days=2.5 * number, hours=chance.random() * 8)
    started = created + timedelta(days=chance.uniform(1, 6))
    resolved = started + timedelta(days=chance.uniform(3, 25))
    if created > at:
        return None
    done, begun = resolved <= at, started <= at
    status, category = (
        ("Done", "Done")
        if done
        else ("In Progress", "In Progress")
        if begun
        else ("To Do", "To Do")
    )
    topic = TOPICS[number % len(TOPICS)]
    parent = ("INF-1", "1001", "Inference engine 2.0") if number > 1 else ("", "", "")
    sprint = 31 + (created - datetime(2026, 8, 3)).days // 14
    estimate = chance.choice((4, 8, 16, 24)) * 3600
    blocks = f"INF-{number + 3}" if number % 7 == 3 else ""
    blocked_by = f"INF-{number - 3}" if number % 7 == 6 and number > 3 else ""
    outside = "PLAT-88" if number == 40 else ""
    updated = min(at, resolved if done else at - timedelta(hours=chance.uniform(1, 60)))
    return [
        "Inference engine 2.0" if number == 1 else f"{topic} ({number})", f"INF-{number}",
        str(1000 + number), "Epic" if number == 1 else chance.choice(("Story", "Task", "Bug")),
        status, "INF", "Inference engine issues", "software", "Zhang Min",
        chance.choice(("High", "Medium", "Low")), "Done" if done else "", chance.choice(PEOPLE),
        "Zhang Min", "Zhang Min", _stamp(created), _stamp(max(updated, created)), _stamp(at),
        _stamp(resolved) if done else "", _day(date(2026, 12, 1) + timedelta(days=number - 36)),
        "0", "serving", "p99" if number % 4 == 0 else "", f"Seen in production; see run {number}.",
        "Zhang Min", "Luo Kai", str(estimate), "0" if done else str(estimate // 2),
        str(estimate if done else estimate // 2), "100%" if done else "50%", blocked_by, blocks,
        outside, f"INF Sprint {sprint}", f"INF Sprint {sprint + 1}" if not done else "",
        str(chance.choice((1, 2, 3, 5, 8))), parent[1], parent[0], parent[2], category,
        f"{_stamp(started)};zhang.min;Reproduced; see trace" if begun else "", "",
    ]  # fmt: skip


def _stamp(moment: datetime) -> str:
    """12/Jan/26 3:04 PM."""
    return moment.strftime("%d/%b/%y ") + moment.strftime("%I:%M %p").lstrip("0")


def _day(day: date) -> str:
    return day.strftime("%d/%b/%y 12:00 AM")
