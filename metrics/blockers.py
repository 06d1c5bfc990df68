"""What stops open work, who removes it, since when."""

import re
from datetime import date
from typing import Any

import polars as pl

from metrics.facts import Facts
from metrics.plans import Plan

BLOCKER: dict[str, Any] = {
    "program": pl.String,
    "project": pl.String,
    "uid": pl.String,
    "name": pl.String,
    "blocked_by": pl.String,
    "owner": pl.String,
    "since": pl.Date,
    "age_days": pl.Int64,
    "blocker_status": pl.String,
    "blocker_due": pl.Date,
    "critical": pl.Boolean,
    "slack_days": pl.Float64,
}
"""owner: who removes the blocker. slack_days: working days the task can still wait."""

_ISSUE_KEY = re.compile(r"\b[A-Z][A-Z0-9_]+-\d+\b")
BLOCKS = "blocks"
DONE = "done"


def blockers(facts: Facts, named: list[tuple[dict[str, Any], Plan]]) -> list[dict[str, Any]]:
    """Open tasks of plans that name a blocker.

    A blocker written as an issue key carries that issue's status, assignee and
    due day. Critical ones first, then the oldest.
    """
    issues = {row["uid"]: row for row in issues_of(facts).iter_rows(named=True)}
    rows = [
        _row(program["program"], plan, task, issues, facts.today)
        for program, plan in named
        for task in _blocked(plan)
    ]
    return sorted(rows, key=lambda row: (not row["critical"], -(row["age_days"] or 0), row["uid"]))


def blocked_issues(facts: Facts) -> list[dict[str, Any]]:
    """Open issues that an issue which is not done, or not in the lake, blocks."""
    found = issues_of(facts)
    issues = {row["uid"]: row for row in found.iter_rows(named=True)}
    # An issue exported again without links leaves its earlier ones behind.
    links = facts.table("task_link").join(found, on=["project", "scope", "load_id"], how="semi")
    return _blocked_issues(links, issues)


def issues_of(facts: Facts) -> pl.DataFrame:
    """The rows of issue trackers, as against those of plans."""
    return facts.table("task").filter(pl.col("scope") != "plan")


def _blocked(plan: Plan) -> list[dict[str, Any]]:
    is_open = pl.col("percent_complete").fill_null(0) < 100
    return plan.leaves.filter(pl.col("blocked_by").is_not_null() & is_open).to_dicts()


def _row(
    program: str, plan: Plan, task: dict[str, Any], issues: dict[str, dict[str, Any]], today: date
) -> dict[str, Any]:
    key = _ISSUE_KEY.search(task["blocked_by"])
    issue = issues.get(key.group()) if key else None
    since = task["blocked_since"]
    slack = task["own_slack_s"]
    return {
        "program": program,
        "project": plan.key,
        "uid": task["uid"],
        "name": task["name"],
        "blocked_by": task["blocked_by"],
        "owner": task["blocker_owner"] or (issue["owner"] if issue else None),
        "since": since,
        "age_days": (today - since).days if since else None,
        "blocker_status": issue["status"] if issue else None,
        "blocker_due": issue["due"] if issue else None,
        "critical": bool(task["own_critical"]),
        "slack_days": None if slack is None else slack / plan.day_s,
    }


def _blocked_issues(links: pl.DataFrame, issues: dict[str, dict[str, Any]]) -> list[dict[str, Any]]:
    blocks = links.filter(pl.col("link_type").str.to_lowercase() == BLOCKS)
    found = {}
    for before, after in blocks.select("predecessor_uid", "successor_uid").iter_rows():
        blocker, blocked = issues.get(before), issues.get(after)
        if blocked is None or _is_done(blocked) or (blocker and _is_done(blocker)):
            continue
        found[before, after] = {
            "program": None,
            "project": blocked["project"],
            "uid": after,
            "name": blocked["name"],
            "blocked_by": f"{before} {blocker['name']}" if blocker else before,
            "owner": blocker["owner"] if blocker else None,
            "since": None,
            "age_days": None,
            "blocker_status": blocker["status"] if blocker else None,
            "blocker_due": blocker["due"] if blocker else None,
            "critical": False,
            "slack_days": None,
        }
    return list(found.values())


def _is_done(issue: dict[str, Any]) -> bool:
    return issue["status_category"] == DONE or issue["resolved"] is not None
