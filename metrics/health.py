"""Is each programme healthy, and if not, what makes it so?"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import polars as pl

from metrics.answer import Answer, CannotAnswer, metric
from metrics.charges import reference
from metrics.facts import Facts
from metrics.milestones import milestones
from metrics.risk_actions import late_steps
from metrics.sla import sla
from models.program.risk import CRITICAL_FROM, weighed
from models.table import INSTANT


@dataclass(frozen=True)
class Threshold:
    """Where a check turns amber and where red; `is_floor`: at or below, not above."""

    check: str
    amber: float
    red: float
    is_floor: bool = False

    def status(self, value: float | None) -> str:
        """green, amber, red; grey where nothing is known."""
        if value is None:
            return "grey"
        sign = -1 if self.is_floor else 1
        if sign * value >= sign * self.red:
            return "red"
        return "amber" if sign * value >= sign * self.amber else "green"


THRESHOLDS = (
    Threshold("milestone_slip", amber=1, red=10),
    Threshold("end_slip", amber=1, red=20),
    Threshold("spi", amber=0.95, red=0.85, is_floor=True),
    Threshold("critical_risks", amber=1, red=4),
    Threshold("overdue_steps", amber=1, red=5),
    Threshold("service", amber=25, red=-0.01, is_floor=True),
)
"""Days of slip of the next milestone and of the end; earned against planned value;
live risks that score critical; steps past their date; percent of error budget
left on the programme's cluster. The gravest check is the programme's health."""

FORMULA = (
    "Health = the worst of: slip of the next milestone (amber from 1 day, red from 10), slip of "
    "the end (1, 20), SPI (0.95, 0.85), live critical risks (1, 4), overdue steps (1, 5) and the "
    "error budget left on the programme's cluster (25 %, below 0 %)."
)
NO_ACTUAL_COST = "CPI is not judged: plans hold no actual cost."

ORDER = ("red", "amber", "green", "grey")

HEALTH: dict[str, Any] = {
    "program": pl.String,
    "name": pl.String,
    "name_zh": pl.String,
    "owner": pl.String,
    "health": pl.String,
    "percent": pl.Float64,
    "planned_percent": pl.Float64,
    "finish": INSTANT,
    "slip_days": pl.Int64,
    "next_milestone": pl.String,
    "next_finish": INSTANT,
    "next_slip_days": pl.Int64,
}
CHECK: dict[str, Any] = {
    "program": pl.String,
    "check": pl.String,
    "value": pl.Float64,
    "subject": pl.String,
    "subject_zh": pl.String,
    "status": pl.String,
}
Subject = tuple[float | None, str | None, str | None]
"""A check's value and what it speaks of, in both languages."""


@metric("program-health", listed=False)
def program_health(facts: Facts) -> Answer:
    """A row a programme with its health, the worst first.

    extra: `checks`, a row a programme and check, the worst first; subject is
        the milestone or service it speaks of.
    """
    notes: list[str] = [NO_ACTUAL_COST]
    plans = {row["program"]: row for row in _plans(facts, notes)}
    programs = {row["program"]: row for row in reference(facts, "program").iter_rows(named=True)}
    services = _services(facts, notes)
    risks = _risk_counts(facts)
    rows, checks = [], []
    for program in dict.fromkeys([*programs, *plans]):
        plan, about = plans.get(program, {}), programs.get(program, {})
        values = _values(plan, risks.get(program, {}), services.get(about.get("cluster")))
        judged = sorted(_judged(program, values), key=lambda row: ORDER.index(row["status"]))
        checks += judged
        row = {name: about.get(name, plan.get(name)) for name in HEALTH}
        rows.append(row | {"program": program, "health": judged[0]["status"]})
    frame = pl.DataFrame(rows, schema=HEALTH, orient="row")
    place = pl.col("health").replace_strict(ORDER, range(len(ORDER)), return_dtype=pl.Int64)
    return Answer(
        frame=frame.sort(place, "name", maintain_order=True),
        formula=FORMULA,
        tables=("program", "task", "task_baseline", "risk", "action", "slo", "incident"),
        data_through=facts.data_through(),
        notes=tuple(notes),
        extra={"checks": pl.DataFrame(checks, schema=CHECK, orient="row")},
    )


def _values(
    plan: dict[str, Any], risks: dict[str, float], service: Subject | None
) -> dict[str, Subject]:
    """What each check found; a check that nothing is known of is None."""
    return {
        "milestone_slip": (plan.get("next_slip_days"), plan.get("next_milestone"), None),
        "end_slip": (plan.get("slip_days"), None, None),
        "spi": (plan.get("spi"), None, None),
        "critical_risks": (risks.get("critical_risks"), None, None),
        "overdue_steps": (risks.get("overdue_steps"), None, None),
        "service": service or (None, None, None),
    }


def _judged(program: str, values: dict[str, Subject]) -> Iterator[dict[str, Any]]:
    for threshold in THRESHOLDS:
        value, subject, subject_zh = values[threshold.check]
        yield {
            "program": program,
            "check": threshold.check,
            "value": None if value is None else float(value),
            "subject": subject,
            "subject_zh": subject_zh,
            "status": threshold.status(value),
        }


def _plans(facts: Facts, notes: list[str]) -> list[dict[str, Any]]:
    try:
        return milestones(facts).extra["programs"].to_dicts()
    except CannotAnswer as reason:
        notes.append(str(reason))
        return []


def _risk_counts(facts: Facts) -> dict[str, dict[str, float]]:
    """Critical live risks and overdue steps by programme; one without any risk is absent."""
    register = facts.risks()
    live = weighed(register).filter("is_live")
    late = late_steps(register, facts.actions(), facts.today)
    critical = live.filter(pl.col("score") >= CRITICAL_FROM)
    return {
        program: {
            "critical_risks": critical.filter(pl.col("program") == program).height,
            "overdue_steps": late.filter(pl.col("program") == program).height,
        }
        for program in register["program"].drop_nulls().unique()
    }


def _services(facts: Facts, notes: list[str]) -> dict[str | None, Subject]:
    """By cluster, the service with the least error budget left this month."""
    try:
        services = sla(facts).extra["service"]
    except CannotAnswer as reason:
        notes.append(str(reason))
        return {}
    judged = services.filter(
        pl.col("cluster").is_not_null() & pl.col("budget_left_percent").is_not_null()
    ).sort("budget_left_percent", descending=True)
    return {
        row["cluster"]: (row["budget_left_percent"], row["name"], row["name_zh"])
        for row in judged.iter_rows(named=True)
    }
