"""Which tracker issues are due or late, and which wait for others?"""

from datetime import timedelta

import polars as pl

from metrics.answer import Answer, metric
from metrics.blockers import BLOCKER, blocked_issues, issues_of
from metrics.facts import Facts
from models.program.milestones import DONE, DUE_WITHIN

FORMULA = (
    "Open issues whose due day is past or within six weeks. Blocked = an open issue that an "
    "issue which is not done blocks."
)
NO_DUE_DAY = "Open issues without a due day are not listed."

_COLUMNS = ("project", "uid", "name", "item_type", "status", "owner", "due", "due_in_days")


@metric("issues-due")
def issues_due(facts: Facts) -> Answer:
    """Open issues that are due or late, the latest first.

    Columns: project, uid, name, item_type, status, owner, due, due_in_days
    (negative: late). extra: `blockers` (issues that wait, metrics/blockers.py),
    `counts` (project, issues, open, late).
    """
    issues = issues_of(facts)
    is_open = (pl.col("status_category") != DONE).fill_null(True) & pl.col("resolved").is_null()
    today = pl.lit(facts.today)
    aged = issues.with_columns(is_open=is_open, due_in_days=(pl.col("due") - today).dt.total_days())
    coming = aged.filter("is_open", pl.col("due") <= facts.today + timedelta(DUE_WITHIN.days))
    undated = not aged.filter("is_open", pl.col("due").is_null()).is_empty()
    return Answer(
        frame=coming.sort("due", "uid").select(_COLUMNS),
        formula=FORMULA,
        tables=("task", "task_link"),
        data_through=facts.data_through("task"),
        notes=(NO_DUE_DAY,) if undated else (),
        extra={
            "blockers": pl.DataFrame(blocked_issues(facts), schema=BLOCKER),
            "counts": aged.group_by("project")
            .agg(
                issues=pl.len(),
                open=pl.col("is_open").sum(),
                late=(pl.col("is_open") & (pl.col("due_in_days") < 0)).sum(),
            )
            .sort("project"),
        },
    )
