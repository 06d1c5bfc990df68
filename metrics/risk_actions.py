"""Who has to act by when: overdue steps, risks without a dated one, and who changed what."""

from datetime import date, datetime

import polars as pl

from metrics.answer import Answer, CannotAnswer, metric
from metrics.facts import Facts
from models.program.register import ACTION, LIVE, RISK


@metric("overdue-actions", listed=False)
def overdue_actions(facts: Facts, program: str | None = None) -> Answer:
    """Actions past their date and not done, the oldest first.

    Columns: id, title, title_zh, risk, program, owner, due, days_overdue.
    """
    risks, actions = facts.risks(), facts.actions()
    late = late_steps(risks, actions, facts.today)
    if program is not None:
        late = late.filter(pl.col("program") == program)
    return Answer(
        frame=late,
        formula=(
            "Open actions, and next actions of live risks, whose date is before the last day "
            "with data."
        ),
        tables=("action", "risk"),
        data_through=newest(
            pl.concat([risks.select("changed_at"), actions.select("changed_at")]), "changed_at"
        ),
    )


@metric("risk-audit", listed=False)
def risk_audit(facts: Facts, risk: str) -> Answer:
    """Who changed what of one risk and when: a row per changed field, newest first."""
    trail = facts.records.audit(RISK.name, risk)
    if facts.records_as_of is not None:
        trail = trail.filter(pl.col("at") <= facts.records_as_of)
    if trail.is_empty():
        raise CannotAnswer(f"There is no risk {risk} in this state of the register.")
    return Answer(
        frame=trail,
        formula="Each save of a risk is a version; the audit trail keeps what was and what is.",
        tables=("audit",),
        data_through=newest(trail, "at"),
    )


def late_steps(risks: pl.DataFrame, actions: pl.DataFrame, today: date) -> pl.DataFrame:
    """What should have been done by now: open actions, and live risks' own next actions.

    Columns: id (of the action, or of the risk whose next action it is), title,
    title_zh, risk, program, owner, due, days_overdue; the oldest first. Due
    today is not late.
    """
    columns = ["id", "title", "title_zh", "risk", "program", "owner", "due"]
    own = risks.filter(
        pl.col("status").is_in(LIVE) & pl.col("next_action").is_not_null()
    ).with_columns(title=pl.col("next_action"), title_zh=pl.lit(None, pl.String), risk=pl.col("id"))
    log = actions.filter(pl.col("status") == ACTION["status"].default)
    return (
        pl.concat([log.select(columns), own.select(columns)])
        .filter(pl.col("due") < today)
        .with_columns(days_overdue=(pl.lit(today) - pl.col("due")).dt.total_days())
        .sort("due", "id")
    )


def has_dated_action(actions: pl.DataFrame) -> pl.Expr:
    """A next action with a date of its own, or an open action of the action log."""
    open_ones = actions.filter(pl.col("status") == "open")["risk"].drop_nulls().implode()
    own = pl.col("next_action").is_not_null() & pl.col("due").is_not_null()
    return own | pl.col("id").is_in(open_ones)


def newest(frame: pl.DataFrame, column: str) -> datetime | None:
    """The newest instant of a column."""
    found = frame[column].max()
    return found if isinstance(found, datetime) else None
