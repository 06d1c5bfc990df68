"""What is due, what slips, why, and what does it do to the end date?"""

from typing import Any

import polars as pl

from metrics.answer import Answer, metric
from metrics.blockers import BLOCKER, blockers
from metrics.facts import Facts
from metrics.plans import PLAN_TABLES, Plan, each_named, key_or_none, plan_heads
from metrics.program_progress import PROGRAM, program_row
from metrics.slip_cost import slip_costs
from models.program.milestones import with_status
from models.reference import newest
from models.table import INSTANT, MONEY

FORMULA = (
    "Forecast = our critical path with no unfinished work before the plan's status date; a done "
    "milestone keeps its actual finish. Slip = calendar days from the baseline's finish to that. "
    "Cost of a slip = GPUs waiting x hours from baseline to forecast x the cluster's cost per "
    "owned GPU-hour."
)
NO_BASELINE = "Some plans hold no baseline, so their slip is not known."
NO_STATUS_DATE = "Some plans give no status date; unfinished work in their past is left there."
LATE_WORK = (
    "Some unfinished work lies before its plan's status date and was not rescheduled; the "
    "forecast takes it to go on from that date."
)
NO_RATE = "The cost of some slips is not known: their cluster has no cost per GPU-hour."

ITEM: dict[str, Any] = {
    "program": pl.String,
    "program_name": pl.String,
    "program_name_zh": pl.String,
    "project": pl.String,
    "uid": pl.String,
    "wbs": pl.String,
    "name": pl.String,
    "owner": pl.String,
    "status": pl.String,
    "percent_complete": pl.Float64,
    "baseline_finish": INSTANT,
    "stored_finish": INSTANT,
    "finish": INSTANT,
    "deadline": INSTANT,
    "due_in_days": pl.Int64,
    "slip_days": pl.Int64,
    "slip_working_days": pl.Float64,
    "total_slack_hours": pl.Float64,
    "critical": pl.Boolean,
    "blocked_by": pl.String,
    "gpus_waiting": pl.Float64,
    "cluster": pl.String,
    "slip_cost": MONEY,
    "currency": pl.String,
}


@metric("milestones")
def milestones(facts: Facts, project: str | None = None) -> Answer:
    """Every milestone of the plans with its forecast, slip, slack and what waits for it.

    project: a plan's key or title; all of them unless given.
    extra: `tasks` (the other leaves, same columns), `programs` (a row a
    programme with a plan), `blockers` (what stops open tasks),
    `summary` (one row: what the page's tiles show).
    """
    named = list(each_named(facts, project))
    items = pl.concat(_items(facts, program, plan) for program, plan in named)
    items = items.join(_stakes(facts), on=["project", "uid"], how="left", maintain_order="left")
    items = slip_costs(facts, items)
    shown = items.select(
        *(pl.col(name).cast(dtype) for name, dtype in ITEM.items()), "is_milestone"
    ).sort("finish", "project", "uid", nulls_last=True)
    found = shown.filter("is_milestone").drop("is_milestone")
    rows = [program_row(program, plan, found, facts.now) for program, plan in named]
    programs = pl.DataFrame(rows, schema=PROGRAM)
    stops = pl.DataFrame(blockers(facts, named), schema=BLOCKER)
    return Answer(
        frame=found,
        formula=FORMULA,
        tables=(*PLAN_TABLES, "program", "milestone_stake", "cost_line", "cluster"),
        data_through=facts.data_through("project"),
        notes=_notes([plan for _, plan in named], found),
        extra={
            "tasks": shown.filter(~pl.col("is_milestone")).drop("is_milestone"),
            "programs": programs,
            "blockers": stops,
            "summary": _summary(found, programs, stops),
        },
    )


def milestone_changes(now: pl.DataFrame, before: pl.DataFrame | None) -> pl.DataFrame:
    """What moved between two answers of `milestones`, the largest move first.

    Columns: project, uid, name, before, finish, moved_days (positive: later),
    is_new, is_reached (done now, was not before). Unchanged ones are absent.
    """
    earlier = (now.clear() if before is None else before).select(
        "project", "uid", before="finish", was="status"
    )
    moved = (pl.col("finish") - pl.col("before")).dt.total_seconds() / 86_400
    found = now.join(earlier, on=["project", "uid"], how="left", maintain_order="left")
    return (
        found.filter(before is not None)
        .with_columns(
            moved_days=moved.round().cast(pl.Int64),
            is_new=pl.col("was").is_null(),
            is_reached=(pl.col("status") == "done") & (pl.col("was") != "done").fill_null(True),
        )
        .filter(pl.col("is_new") | pl.col("is_reached") | (pl.col("moved_days") != 0))
        .sort(pl.col("moved_days").abs(), descending=True, nulls_last=True)
        .select("project", "uid", "name", "before", "finish", "moved_days", "is_new", "is_reached")
    )


def _summary(found: pl.DataFrame, programs: pl.DataFrame, stops: pl.DataFrame) -> pl.DataFrame:
    """One row: open, late, due, overdue, blocked, critical_tasks, spi, slip_cost, currency.

    spi: the lowest of the programmes. slip_cost: of open milestones; null when
    none is known or they come in several currencies.
    """
    ahead = found.filter(pl.col("status") != "done")
    costs = ahead.drop_nulls("slip_cost")
    currencies = costs["currency"].unique().to_list()
    one = len(currencies) == 1
    return pl.DataFrame(
        {
            "open": [ahead.height],
            "late": [ahead.filter(pl.col("slip_days") > 0).height],
            "due": [ahead.filter(pl.col("status") == "due").height],
            "overdue": [ahead.filter(pl.col("status") == "overdue").height],
            "blocked": [stops.height],
            "critical_tasks": [programs["critical_tasks"].sum()],
            "spi": [programs["spi"].min()],
            "slip_cost": pl.Series([costs["slip_cost"].sum() if one else None], dtype=MONEY),
            "currency": pl.Series([currencies[0] if one else None], dtype=pl.String),
        }
    )


def _items(facts: Facts, program: dict[str, Any], plan: Plan) -> pl.DataFrame:
    leaves = with_status(plan.leaves.rename({"finish": "stored_finish"}), facts.today, facts.zone)
    slips = leaves.select("baseline_finish", "finish").rows()
    return leaves.with_columns(
        program=pl.lit(program["program"], pl.String),
        program_name=pl.lit(program["name"], pl.String),
        program_name_zh=pl.lit(program["name_zh"], pl.String),
        total_slack_hours=pl.col("own_slack_s") / 3600,
        critical=pl.col("own_critical"),
        slip_working_days=pl.Series([plan.working_days(*pair) for pair in slips], dtype=pl.Float64),
    )


def _stakes(facts: Facts) -> pl.DataFrame:
    """What idles while a milestone waits: project (the plan's key), uid, gpus_waiting, cluster."""
    heads = plan_heads(facts)
    stakes = newest(facts.table("milestone_stake"), "milestone_stake")
    keys = [key_or_none(heads, name) for name in stakes["project"]]
    return stakes.select(
        pl.Series("project", keys, pl.String),
        pl.col("task_uid").alias("uid"),
        "gpus_waiting",
        "cluster",
    ).drop_nulls("project")


def _notes(named: list[Plan], found: pl.DataFrame) -> tuple[str, ...]:
    unpriced = found.filter(
        (pl.col("slip_days") > 0) & (pl.col("gpus_waiting") > 0) & pl.col("slip_cost").is_null()
    )
    late = any(
        not plan.rows.filter(pl.col("forecast_finish") > pl.col("own_finish")).is_empty()
        for plan in named
    )
    holds = {
        NO_BASELINE: any(plan.rows["baseline_finish"].is_null().all() for plan in named),
        NO_STATUS_DATE: any(plan.status_date is None for plan in named),
        LATE_WORK: late,
        NO_RATE: not unpriced.is_empty(),
    }
    return tuple(note for note, is_so in holds.items() if is_so)
