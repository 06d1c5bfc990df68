"""How risks moved since a review, and what the register's figures were then."""

from datetime import UTC, date, datetime, timedelta

import polars as pl

from metrics.answer import Answer, CannotAnswer, metric
from metrics.facts import Facts
from metrics.risk_actions import has_dated_action, late_steps
from metrics.risk_exposure import WEEK, critical_count, end_of, newest_edit, only
from models.program.register import OCCURRED
from models.program.risk import chances, portfolio_loss, weighed
from models.table import MONEY


@metric("risk-movement", listed=False)
def risk_movement(
    facts: Facts,
    since: str | None = None,
    program: str | None = None,
    category: str | None = None,
) -> Answer:
    """How each risk moved since a review: a row per risk that is live now or was then.

    since: ISO instant; a week before now unless given. Columns: id, title,
    title_zh, status, probability, impact, score and the same with `_was`,
    `move` (score now - then; null if it was not scored on both days), `kind`:
    new, up, down, same, closed, occurred. extra: `summary`, the register's
    figures in rows now, was and change.
    """
    then = _instant(facts, since)
    fields = ["id", "title", "title_zh", "status", "probability", "impact", "score", "emv"]
    now_all = weighed(only(facts.risks(), program, category))
    was_all = weighed(only(facts.records.risks(then), program, category))
    moved = (
        now_all.select(*fields, "is_live")
        .join(
            was_all.select(*fields, "is_live"), on="id", how="left", suffix="_was", validate="1:1"
        )
        .filter(pl.col("is_live") | pl.col("is_live_was").fill_null(False))
        .with_columns(
            move=pl.when(pl.col("is_live")).then(pl.col("score") - pl.col("score_was")),
        )
        .with_columns(kind=_kind())
        .sort("id")
    )
    return Answer(
        frame=moved.drop("is_live", "is_live_was", "title_was", "title_zh_was"),
        formula="Move = score now - score at the review, both from the audit trail.",
        tables=("risk", "audit"),
        data_through=newest_edit(now_all),
        extra={"summary": _now_and_then(facts, now_all, was_all, then)},
    )


def _kind() -> pl.Expr:
    return (
        pl.when(~pl.col("is_live"))
        .then(
            pl.when(pl.col("status") == OCCURRED)
            .then(pl.lit("occurred"))
            .otherwise(pl.lit("closed"))
        )
        .when(~pl.col("is_live_was").fill_null(False))
        .then(pl.lit("new"))
        .when(pl.col("move") > 0)
        .then(pl.lit("up"))
        .when(pl.col("move") < 0)
        .then(pl.lit("down"))
        .otherwise(pl.lit("same"))
    )


def _now_and_then(
    facts: Facts, now_all: pl.DataFrame, was_all: pl.DataFrame, then: datetime
) -> pl.DataFrame:
    """Three rows of the register's figures: now, was, and the change between them."""
    # A review at midnight saw the day that ended.
    day = (then - timedelta(microseconds=1)).astimezone(facts.zone).date()
    now = _summary(now_all, facts.actions(), facts.today, facts.currency, "now")
    was = _summary(was_all, facts.records.actions(then), day, facts.currency, "was")
    figures = [name for name in now.columns if name != "when"]
    change = now.select(
        pl.lit("change").alias("when"), *(now[name] - was[name] for name in figures)
    )
    return pl.concat([now, was, change.cast(now.schema)])


def _summary(
    register: pl.DataFrame, actions: pl.DataFrame, today: date, currency: str, when: str
) -> pl.DataFrame:
    """One row of the register's figures at one instant."""
    live = register.filter(pl.col("is_live"))
    loss = portfolio_loss(chances(register, currency))
    return pl.DataFrame(
        {
            "when": [when],
            "risks": [live.height],
            "critical": [critical_count(live)],
            "emv": [loss.mean],
            "p80": [loss.p80],
            "overdue": [_late(register, actions, today)],
            "without_owner": [live.filter(pl.col("owner").is_null()).height],
            "without_dated_action": [live.filter(~has_dated_action(actions)).height],
        },
        schema_overrides={"emv": MONEY, "p80": MONEY},
    )


def _instant(facts: Facts, since: str | None) -> datetime:
    if since is None:
        return end_of(facts) - WEEK
    try:
        moment = datetime.fromisoformat(since)
    except ValueError:
        raise CannotAnswer(f'"{since}" is not an instant; write it as 2026-11-23T18:00.') from None
    return (moment if moment.tzinfo else moment.replace(tzinfo=facts.zone)).astimezone(UTC)


def _late(register: pl.DataFrame, actions: pl.DataFrame, today: date) -> int:
    """Overdue steps of these risks."""
    late = late_steps(register, actions, today)
    return late.filter(pl.col("risk").is_in(register["id"].implode())).height
