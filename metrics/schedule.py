"""When does each task of a plan happen, and which of them set the end?"""

import polars as pl

from metrics.answer import Answer, CannotAnswer, metric
from metrics.facts import Facts
from metrics.plans import NO_PLAN, PLAN_TABLES, Plan, plan_heads, plans
from models.program.rows import driving_chain

FORMULA = (
    "Critical path method over the plan's own calendars: early dates are the latest that the "
    "project's start, links with lags and constraints allow; late dates the earliest that the "
    "project's end, links, constraints and deadlines ask for; total slack = late minus early in "
    "working time; critical = total slack within the plan's limit. Stored dates are the "
    "tracker's own."
)
PATH_FORMULA = (
    "From the task back: at each step the predecessor whose link allows the latest early start, "
    "until a date sets it (the project's start, a constraint, work that has begun)."
)
LOOPS = "Some tasks wait for each other in a loop; they have no dates of ours, the rest has."
OWN_SUMMARY = "Links between a task and its own summary cannot hold and are left out."
PENDING = "Links to tasks of other plans are not followed."
NO_WEEK = "Some calendars have no working week; the project's own, or Monday to Friday, stands in."
INACTIVE = "Inactive tasks are listed without dates of ours."


@metric("schedule")
def schedule(facts: Facts, project: str | None = None) -> Answer:
    """Every task of a plan with our dates beside the stored ones; the project's own row is not.

    project: the plan's key or title; may be left out where only one is loaded.
    extra: `rows` (everything known of a task, as metrics/plans.py has it),
    `links` (the plan's dependencies), `loops` (loop, place, uid, name).
    """
    if project is None:
        keys = plan_heads(facts)["project"].to_list()
        if not keys:
            raise CannotAnswer(NO_PLAN)
        if len(keys) > 1:
            raise CannotAnswer(f"Name one project: {', '.join(keys)}.")
        project = keys[0]
    plan = plans(facts, project)[0]
    return Answer(
        frame=schedule_frame(plan),
        formula=FORMULA,
        tables=PLAN_TABLES,
        data_through=plan.status_date,
        notes=_notes(plan),
        extra={
            "rows": plan.rows,
            "links": plan.links.drop("scope", "source", "load_id", "source_file"),
            "loops": _loops(plan),
        },
    )


@metric("driving-path")
def driving_path(facts: Facts, project: str, uid: str | None = None) -> Answer:
    """Why a task is when it is: each predecessor that set the next one's date, first to last.

    uid: the task; what sets the plan's end unless given. Columns: uid, wbs,
    name, owner, start, finish, percent_complete, total_slack_hours, blocked_by.
    A path begins where a date, not a predecessor, sets the start.
    """
    plan = plans(facts, project)[0]
    ends = plan.leaves.sort("own_finish", "own_slack_s", descending=[True, False], nulls_last=True)
    last: str = uid or (ends["uid"][0] if ends.height else "")
    chain = driving_chain(plan.rows, last) if last in plan.rows["uid"] else []
    order = pl.DataFrame({"uid": chain}, schema={"uid": pl.String})
    return Answer(
        frame=order.join(plan.rows, on="uid", how="left", maintain_order="left").select(
            "uid",
            "wbs",
            "name",
            "owner",
            start=pl.col("own_start"),
            finish=pl.col("own_finish"),
            percent_complete=pl.col("percent_complete"),
            total_slack_hours=pl.col("own_slack_s") / 3600,
            blocked_by=pl.col("blocked_by"),
        ),
        formula=PATH_FORMULA,
        tables=PLAN_TABLES,
        data_through=plan.status_date,
    )


def schedule_frame(plan: Plan) -> pl.DataFrame:
    """The plan's rows under the keys that `quartermaster metric schedule` prints."""
    return plan.rows.select(
        uid=_whole_numbers(plan.rows["uid"]),
        wbs=pl.col("wbs"),
        name=pl.col("name"),
        start=_local("own_start", plan),
        finish=_local("own_finish", plan),
        early_start=_local("own_early_start", plan),
        early_finish=_local("own_early_finish", plan),
        late_start=_local("own_late_start", plan),
        late_finish=_local("own_late_finish", plan),
        total_slack_hours=pl.col("own_slack_s") / 3600,
        critical=pl.col("own_critical"),
        stored_start=_local("start", plan),
        stored_finish=_local("finish", plan),
        stored_critical=pl.col("is_critical"),
    )


def _local(column: str, plan: Plan) -> pl.Expr:
    """The instant in the plan's own zone, as people wrote it."""
    return pl.col(column).dt.convert_time_zone(plan.zone.key)


def _whole_numbers(uids: pl.Series) -> pl.Series:
    """UIDs as numbers where all are, as Microsoft Project has them."""
    numbers = uids.cast(pl.Int64, strict=False)
    return uids if numbers.null_count() else numbers


def _loops(plan: Plan) -> pl.DataFrame:
    names = dict(plan.rows.select("uid", "name").rows())
    return pl.DataFrame(
        [
            (number, place, uid, names.get(uid))
            for number, members in enumerate(plan.network.loops, 1)
            for place, uid in enumerate(members, 1)
        ],
        schema={"loop": pl.Int64, "place": pl.Int64, "uid": pl.String, "name": pl.String},
        orient="row",
    )


def _notes(plan: Plan) -> tuple[str, ...]:
    found = {
        LOOPS: bool(plan.network.loops),
        OWN_SUMMARY: bool(plan.network.ignored),
        PENDING: bool(plan.links["is_pending"].any()),
        NO_WEEK: bool(plan.network.idle_calendars),
        INACTIVE: not plan.rows["is_active"].all(),
    }
    return tuple(note for note, holds in found.items() if holds)
