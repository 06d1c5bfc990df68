"""The plans in the lake, scheduled: what every figure about them starts from."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo

import polars as pl

from config import nearest
from metrics.answer import CannotAnswer
from metrics.facts import Facts
from models.program.calendar import seconds_of
from models.program.network import Network, network
from models.program.rows import with_own_dates
from models.program.schedule import Schedule, schedule
from models.reference import newest

PLAN_TABLES = ("project", "task", "task_link", "task_baseline", "calendar")
NO_PLAN = (
    "No plan is loaded. Add a source of kind msproject with the plan saved as XML from "
    "Microsoft Project."
)
FORECAST = ("forecast_start", "forecast_finish")


@dataclass(frozen=True)
class Plan:
    """One project's plan.

    rows: its tasks in file order (models/program/rows.py) with baseline_* of
        the baseline in use and forecast_*: our dates with no unfinished work
        before the plan's status date.
    """

    key: str
    title: str
    zone: ZoneInfo
    day_s: int
    status_date: datetime | None
    rows: pl.DataFrame
    links: pl.DataFrame
    network: Network
    schedule: Schedule

    @property
    def leaves(self) -> pl.DataFrame:
        """Active rows without anything below them: what is done, counted and scheduled."""
        return self.rows.filter(~pl.col("is_summary") & pl.col("is_active"))

    def working_days(self, start: datetime | None, end: datetime | None) -> float | None:
        """Working days of the plan's calendar between two instants; negative backwards."""
        if start is None or end is None:
            return None
        moments = [seconds_of(at.astimezone(self.zone).replace(tzinfo=None)) for at in (start, end)]
        return self.network.calendar.between(*moments) / self.day_s


def plans(facts: Facts, project: str | None = None) -> list[Plan]:
    """Every plan, or the one named by its key or its title, scheduled.

    Raises CannotAnswer when none is loaded, or none or several have the name.
    """
    heads = plan_heads(facts)
    if heads.is_empty():
        raise CannotAnswer(NO_PLAN)
    if project is not None:
        heads = heads.filter(pl.col("project") == plan_key(heads, project))
    tables = {name: facts.table(name) for name in PLAN_TABLES[1:]}
    return [_plan(head, tables) for head in heads.iter_rows(named=True)]


def plan_heads(facts: Facts) -> pl.DataFrame:
    """The project rows of plans, by key."""
    return facts.table("project").filter(pl.col("scope") == "plan").sort("project")


def plan_key(heads: pl.DataFrame, name: str) -> str:
    """The key of the plan called so: by key, else by a title that only one has.

    Raises CannotAnswer with the nearest name.
    """
    keys = heads["project"].to_list()
    if name in keys:
        return name
    titled = heads.filter(pl.col("title") == name)["project"].to_list()
    if len(titled) == 1:
        return str(titled[0])
    if titled:
        raise CannotAnswer(f'"{name}" is the title of several plans: {", ".join(titled)}.')
    raise CannotAnswer(f'No plan "{name}".{nearest(name, keys)}')


def programs(facts: Facts) -> pl.DataFrame:
    """Programmes with the key of their plan: program, name, name_zh, owner, project, ...

    A plan that no programme names stands for itself, under its title.
    """
    known = newest(facts.table("program"), "program").select(
        "program", "name", "name_zh", "owner", "project", "cluster", "budget", "currency"
    )
    heads = plan_heads(facts)
    known = known.with_columns(
        pl.Series("project", [key_or_none(heads, name) for name in known["project"]], pl.String)
    )
    alone = heads.join(known, on="project", how="anti").select(
        program=pl.col("project"),
        name=_display_title(heads),
        project=pl.col("project"),
        currency=pl.col("currency"),
    )
    return pl.concat([known, alone], how="diagonal")


def key_or_none(heads: pl.DataFrame, name: str | None) -> str | None:
    """The key of the plan called so, None where no single plan is."""
    try:
        return None if name is None else plan_key(heads, name)
    except CannotAnswer:
        return None


def _display_title(heads: pl.DataFrame) -> pl.Expr:
    """The title where it tells plans apart (many are called Project1), else the key."""
    counts = heads["title"].value_counts()
    shared = counts.filter(pl.col("count") > 1)["title"].to_list()
    usable = pl.col("title").is_not_null() & ~pl.col("title").is_in(shared)
    return pl.when(usable).then("title").otherwise("project")


def _plan(head: dict[str, object], tables: dict[str, pl.DataFrame]) -> Plan:
    # An export without links leaves an earlier one's behind: rows of one file belong together.
    mine = {
        name: frame.filter(
            (pl.col("project") == head["project"])
            & (pl.col("scope") == head["scope"])
            & (pl.col("load_id") == head["load_id"])
            & (pl.col("source_file") == head["source_file"])
        ).sort("source_row", maintain_order=True)
        for name, frame in tables.items()
    }
    zone = ZoneInfo(str(head["timezone"]))
    status = head["status_date"]
    tasks = mine["task"].filter(pl.col("item_type") != "project")
    net = network(head, mine["task"], mine["task_link"], mine["calendar"])
    dates = schedule(net)
    rows = with_own_dates(tasks, net, dates, zone)
    ahead = rows
    if isinstance(status, datetime):
        moment = seconds_of(status.astimezone(zone).replace(tzinfo=None))
        ahead = with_own_dates(tasks, net, schedule(net.from_status(moment)), zone)
    forecast = ahead.select("uid", forecast_start="own_start", forecast_finish="own_finish")
    rows = rows.join(forecast, on="uid", how="left", maintain_order="left").join(
        baseline_in_use(mine["task_baseline"]), on="uid", how="left", maintain_order="left"
    )
    return Plan(
        key=str(head["project"]),
        title=str(head["title"] or head["project"]),
        zone=zone,
        day_s=int(str(head["minutes_per_day"])) * 60,
        status_date=status if isinstance(status, datetime) else None,
        rows=rows,
        links=mine["task_link"],
        network=net,
        schedule=dates,
    )


def baseline_in_use(baselines: pl.DataFrame) -> pl.DataFrame:
    """The plan's own baseline 0, or the lowest that was saved; one for the whole plan."""
    lowest = baselines.filter(pl.col("number") == pl.col("number").min())
    return lowest.select(
        "uid",
        *(
            pl.col(name).alias(f"baseline_{name}")
            for name in ("start", "finish", "duration_s", "work_s", "cost")
        ),
    )


def each_named(facts: Facts, project: str | None) -> Iterator[tuple[dict[str, object], Plan]]:
    """Plans with their programme's row; a programme without a plan is absent."""
    by_key = {row["project"]: row for row in programs(facts).iter_rows(named=True)}
    for plan in plans(facts, project):
        yield by_key[plan.key], plan
