"""What threatens the programmes, how much, who acts by when, and is it getting better?"""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Any

import polars as pl

from metrics.answer import Answer, CannotAnswer, metric
from metrics.facts import Facts
from models.program.register import LIVE, OCCURRED, RISK
from models.program.risk import CRITICAL_FROM, chances, portfolio_loss, weighed
from models.table import INSTANT, MONEY

EXPOSURE_KEYS = ("id", "title", "probability", "impact", "score", "emv", "status", "owner")

FORMULA = (
    "Score = probability x impact (1 to 5 each). EMV = chance in percent x cost impact / 100, "
    "where an unstated chance is the middle of its probability band; an opportunity counts "
    "below zero, a closed or occurred risk not at all. Exposure = sum of EMV; P80 = the loss "
    "that the live risks together, taken as independent, do not exceed with 80 % probability."
)

WEEK = timedelta(days=7)


@metric("risk-exposure")
def risk_exposure(facts: Facts, program: str | None = None, category: str | None = None) -> Answer:
    """Every risk with its score and expected money, worst first.

    The sum of `emv` is the exposure: it is null where a risk is over or where
    nobody gave a cost. extra: `register` (every field and weight), `exposure`
    (a row per currency), `matrix` (a row per cell with live risks: probability,
    impact, risks, ids, titles, titles_zh), `actions` of these risks.
    """
    register = weighed(_only(facts.risks(), program, category))
    return Answer(
        frame=register.select(EXPOSURE_KEYS),
        formula=FORMULA,
        tables=("risk", "action"),
        coverage_percent=_valued_percent(register),
        data_through=_newest(register),
        notes=_notes(register, facts.currency),
        extra={
            "register": _with_next_step(register, facts),
            "exposure": exposure(register),
            "matrix": _matrix(register),
            "actions": facts.actions().filter(pl.col("risk").is_in(register["id"].implode())),
        },
    )


@metric("risk-history", listed=False)
def risk_history(
    facts: Facts, program: str | None = None, category: str | None = None, weeks: int = 26
) -> Answer:
    """Exposure over time in the reporting currency, a row a week, from the audit trail.

    Columns: at, risks (live ones), critical, emv, p80. The last row is the
    newest state; weeks before the first record are absent.
    """
    trail = facts.records.audit(RISK.name)
    first = trail["at"].min()
    rows: list[dict[str, Any]] = []
    if isinstance(first, datetime):
        end = _end(facts)
        instants = [end - WEEK * back for back in range(weeks, -1, -1)]
        states = facts.records.items_over(RISK, [at for at in instants if at >= first])
        for at, state in sorted(states.items()):
            register = weighed(_only(state, program, category))
            live = register.filter(pl.col("is_live"))
            loss = portfolio_loss(chances(register, facts.currency))
            rows.append(
                {
                    "at": at,
                    "risks": live.height,
                    "critical": _critical(live),
                    "emv": loss.mean,
                    "p80": loss.p80,
                }
            )
    schema = {
        "at": INSTANT,
        "risks": pl.Int64(),
        "critical": pl.Int64(),
        "emv": MONEY,
        "p80": MONEY,
    }
    return Answer(
        frame=pl.DataFrame(rows, schema=schema),
        formula="Each week's register is rebuilt from the audit trail and weighed as today's is.",
        tables=("audit",),
        data_through=_newest(trail.rename({"at": "changed_at"})),
    )


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
    new, up, down, same, closed, occurred. extra: `summary`, a row with the
    register's figures now and then.
    """
    then = _instant(facts, since)
    fields = ["id", "title", "title_zh", "status", "probability", "impact", "score", "emv"]
    now_all = weighed(_only(facts.risks(), program, category))
    was_all = weighed(_only(facts.records.risks(then), program, category))
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
        data_through=_newest(now_all),
        extra={
            "summary": pl.concat(
                [
                    _summary(facts, now_all, facts.actions(), "now"),
                    _summary(facts, was_all, facts.records.actions(then), "was"),
                ]
            )
        },
    )


@metric("overdue-actions", listed=False)
def overdue_actions(facts: Facts, program: str | None = None) -> Answer:
    """Actions past their date and not done, the oldest first.

    Columns: id, title, title_zh, risk, program, owner, due, days_overdue.
    """
    late = (
        _late(facts.actions(), facts)
        .with_columns(days_overdue=(pl.lit(facts.today) - pl.col("due")).dt.total_days())
        .sort("due", "id")
    )
    if program is not None:
        late = late.filter(pl.col("program") == program)
    return Answer(
        frame=late.select(
            "id", "title", "title_zh", "risk", "program", "owner", "due", "days_overdue"
        ),
        formula="Open actions whose due date is before the last day with data.",
        tables=("action",),
        data_through=_newest(late),
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
        data_through=_newest(trail.rename({"at": "changed_at"})),
    )


def exposure(register: pl.DataFrame) -> pl.DataFrame:
    """What weighed risks add up to, a row per currency: currencies are never added.

    Columns: currency, risks (live with an EMV), emv, p80, method.
    """
    valued = register.filter(pl.col("is_live") & pl.col("emv").is_not_null())
    rows = []
    for currency in valued["currency"].unique().sort():
        loss = portfolio_loss(chances(register, currency))
        count = valued.filter(pl.col("currency") == currency).height
        rows.append((currency, count, loss.mean, loss.p80, loss.method))
    schema = {
        "currency": pl.String(),
        "risks": pl.Int64(),
        "emv": MONEY,
        "p80": MONEY,
        "method": pl.String(),
    }
    return pl.DataFrame(rows, schema=schema, orient="row")


def _matrix(register: pl.DataFrame) -> pl.DataFrame:
    """Live, scored risks by cell of the matrix, worst cells first."""
    return (
        register.filter(pl.col("is_live") & pl.col("score").is_not_null())
        .group_by("probability", "impact")
        .agg(
            risks=pl.len(),
            ids=pl.col("id").sort(),
            titles=pl.col("title").sort_by("id"),
            titles_zh=pl.coalesce("title_zh", "title").sort_by("id"),
        )
        .sort("probability", "impact", descending=True)
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


def _summary(
    facts: Facts, register: pl.DataFrame, actions: pl.DataFrame, when: str
) -> pl.DataFrame:
    """One row of the register's figures at one instant."""
    live = register.filter(pl.col("is_live"))
    loss = portfolio_loss(chances(register, facts.currency))
    return pl.DataFrame(
        {
            "when": [when],
            "risks": [live.height],
            "critical": [_critical(live)],
            "emv": [loss.mean],
            "p80": [loss.p80],
            "overdue": [
                _late(actions, facts).filter(pl.col("risk").is_in(register["id"].implode())).height
            ],
            "without_owner": [live.filter(pl.col("owner").is_null()).height],
            "without_dated_action": [live.filter(~_has_dated_action(actions)).height],
        },
        schema_overrides={"emv": MONEY, "p80": MONEY},
    )


def _with_next_step(register: pl.DataFrame, facts: Facts) -> pl.DataFrame:
    """Adds has_dated_action, and is_overdue: the risk's own date or an action's is past."""
    actions = facts.actions()
    late = _late(actions, facts)["risk"].drop_nulls().implode()
    own = pl.col("is_live") & (pl.col("due") < facts.today)
    return register.with_columns(
        has_dated_action=_has_dated_action(actions),
        is_overdue=(own.fill_null(False) | pl.col("id").is_in(late)),
    )


def _has_dated_action(actions: pl.DataFrame) -> pl.Expr:
    """A next action with a date of its own, or an open action of the action log."""
    open_ones = actions.filter(pl.col("status") == "open")["risk"].drop_nulls().implode()
    own = pl.col("next_action").is_not_null() & pl.col("due").is_not_null()
    return own | pl.col("id").is_in(open_ones)


def _late(actions: pl.DataFrame, facts: Facts) -> pl.DataFrame:
    return actions.filter((pl.col("status") == "open") & (pl.col("due") < facts.today))


def _critical(live: pl.DataFrame) -> int:
    return live.filter(pl.col("score") >= CRITICAL_FROM).height


def _only(risks: pl.DataFrame, program: str | None, category: str | None) -> pl.DataFrame:
    if program is not None:
        risks = risks.filter(pl.col("program") == program)
    if category is not None:
        risks = risks.filter(pl.col("category") == category)
    return risks


def _instant(facts: Facts, since: str | None) -> datetime:
    if since is None:
        return _end(facts) - WEEK
    try:
        moment = datetime.fromisoformat(since)
    except ValueError:
        raise CannotAnswer(f'"{since}" is not an instant; write it as 2026-11-23T18:00.') from None
    return (moment if moment.tzinfo else moment.replace(tzinfo=facts.zone)).astimezone(UTC)


def _end(facts: Facts) -> datetime:
    """The newest instant to look at: an edit made after the data's end counts."""
    if facts.records_as_of is not None:
        return facts.records_as_of
    newest = _newest(facts.risks())
    return max(facts.now, newest) if newest is not None else facts.now


def _newest(frame: pl.DataFrame) -> datetime | None:
    newest = frame["changed_at"].max() if "changed_at" in frame.columns else None
    return newest if isinstance(newest, datetime) else None


def _valued_percent(register: pl.DataFrame) -> float | None:
    """Share of live risks whose expected money is known."""
    live = register.filter(pl.col("is_live"))
    if live.is_empty():
        return None
    return 100 * live.filter(pl.col("emv").is_not_null()).height / live.height


def _notes(register: pl.DataFrame, currency: str) -> tuple[str, ...]:
    live = register.filter(pl.col("is_live"))
    notes = []
    without = live.filter(pl.col("emv").is_null())["id"].to_list()
    if without:
        notes.append(f"Without cost or probability, so not in the exposure: {_listed(without)}.")
    drafts = live.filter(pl.col("status") == LIVE[0])["id"].to_list()
    if drafts:
        notes.append(f"Drafts are counted like open risks: {_listed(drafts)}.")
    foreign = live.filter(pl.col("emv").is_not_null() & (pl.col("currency") != currency))
    if not foreign.is_empty():
        notes.append(
            f"In another currency than {currency}, shown apart and never added: "
            f"{_listed(foreign['id'].to_list())}."
        )
    return tuple(notes)


def _listed(ids: Iterable[str]) -> str:
    ordered = sorted(ids)
    return ", ".join(ordered[:10]) + (" ..." if len(ordered) > 10 else "")
