"""What threatens the programmes, how much, who acts by when, and is it getting better?"""

from datetime import datetime, timedelta
from typing import Any

import polars as pl

from metrics.answer import Answer, metric
from metrics.facts import Facts
from metrics.risk_actions import has_dated_action, late_steps
from models.program.register import DRAFT, RISK
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
    impact, risks, ids, titles, titles_zh), `actions` of these risks, `programs`
    (program, name, name_zh: known ones and those that a risk names).
    """
    register = weighed(only(facts.risks(), program, category))
    return Answer(
        frame=register.select(EXPOSURE_KEYS),
        formula=FORMULA,
        tables=("risk", "action"),
        coverage_percent=_valued_percent(register),
        data_through=newest_edit(register),
        notes=_notes(register, facts.currency),
        extra={
            "register": _with_next_step(register, facts),
            "exposure": exposure(register),
            "matrix": _matrix(register),
            "programs": _programs(facts),
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
        end = end_of(facts)
        instants = [end - WEEK * back for back in range(weeks, -1, -1)]
        states = facts.records.items_over(RISK, [at for at in instants if at >= first])
        for at, state in sorted(states.items()):
            register = weighed(only(state, program, category))
            live = register.filter(pl.col("is_live"))
            loss = portfolio_loss(chances(register, facts.currency))
            rows.append(
                {
                    "at": at,
                    "risks": live.height,
                    "critical": critical_count(live),
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
        data_through=newest_edit(trail.rename({"at": "changed_at"})),
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


def _programs(facts: Facts) -> pl.DataFrame:
    """Programmes to choose from: the reference table's, then those only a risk names."""
    known = facts.table("program").select("program", "name", "name_zh").unique("program")
    named = facts.risks().select("program").drop_nulls().unique()
    strangers = named.join(known, on="program", how="anti").with_columns(
        name=pl.col("program"), name_zh=pl.lit(None, pl.String)
    )
    return pl.concat([known.sort("program"), strangers.sort("program")])


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


def _with_next_step(register: pl.DataFrame, facts: Facts) -> pl.DataFrame:
    """Adds has_dated_action, and is_overdue: the risk's own date or an action's is past."""
    actions = facts.actions()
    late = late_steps(register, actions, facts.today)["risk"].drop_nulls().implode()
    return register.with_columns(
        has_dated_action=has_dated_action(actions), is_overdue=pl.col("id").is_in(late)
    )


def critical_count(live: pl.DataFrame) -> int:
    return live.filter(pl.col("score") >= CRITICAL_FROM).height


def only(risks: pl.DataFrame, program: str | None, category: str | None) -> pl.DataFrame:
    if program is not None:
        risks = risks.filter(pl.col("program") == program)
    if category is not None:
        risks = risks.filter(pl.col("category") == category)
    return risks


def end_of(facts: Facts) -> datetime:
    """The newest instant to look at: an edit made after the data's end counts."""
    if facts.records_as_of is not None:
        return facts.records_as_of
    newest = newest_edit(facts.risks())
    return max(facts.now, newest) if newest is not None else facts.now


def newest_edit(frame: pl.DataFrame) -> datetime | None:
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
    if live["emv"].has_nulls():
        notes.append("A risk without a cost or a probability is listed, but not in the exposure.")
    if (live["status"] == DRAFT).any():
        notes.append("Drafts are counted like open risks.")
    if (live.drop_nulls("emv")["currency"] != currency).any():
        notes.append("Risks in another currency are shown apart and never added.")
    return tuple(notes)
