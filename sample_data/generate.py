"""Write every file of the sample company: `python -m sample_data.generate`.

The same code and seed write the same bytes.
"""

import shutil
from pathlib import Path

from sample_data.billing import forgotten_cost, write_bills
from sample_data.company import (
    BREACH_MINUTES,
    BREACHED_MONTH,
    BREACHED_SERVICE,
    CLUSTERS,
    FOLDER,
    FORGOTTEN_COMMITMENT,
    FORGOTTEN_SINCE,
    IDLE_CLUSTER,
    IDLE_SINCE,
    OVER_BUDGET,
    OVER_BUDGET_BY,
    OVER_BUDGET_MONTH,
    SLIPPING_PROJECT,
    SLIPPING_UID,
    WAITING_GPUS,
)
from sample_data.issues import write_issues
from sample_data.jobs import Job, all_jobs, gpu_hours
from sample_data.plans import Plan, Workdays, schedule, write_plans
from sample_data.programmes import plans
from sample_data.reference import budget_of, write_reference
from sample_data.register import write_registers
from sample_data.scheduler_exports import write_pods, write_slurm
from sample_data.service_log import write_service_logs
from sample_data.telemetry import write_telemetry
from sample_data.training import write_training_runs

OUTPUTS = ("billing", "gpu_metrics", "jira", "kubernetes", "plans", "review_2026-11-23", "service",
           "slurm", "training_runs")  # fmt: skip


def generate(folder: Path) -> None:
    """Write the files into a folder, in place of what an earlier run wrote."""
    for name in OUTPUTS:
        shutil.rmtree(folder / name, ignore_errors=True)
    review = folder / "review_2026-11-23"
    review.mkdir(parents=True)
    jobs = all_jobs()
    programmes = plans()
    write_reference(folder / "reference.xlsx")
    write_bills(folder / "billing")
    write_slurm(folder / "slurm", jobs)
    write_pods(folder / "kubernetes", jobs)
    write_telemetry(folder / "gpu_metrics", jobs)
    write_training_runs(folder / "training_runs")
    write_service_logs(folder / "service", review)
    write_plans(programmes, folder / "plans", review / "plans")
    write_issues(folder / "jira" / "inference.csv", review / "jira" / "inference.csv")
    write_registers(folder / "risks.xlsx", review / "risks.xlsx")
    (folder / "truths.toml").write_text(_truths(programmes, jobs), encoding="utf-8")


def _truths(programmes: tuple[Plan, ...], jobs: list[Job]) -> str:
    """What is planted in the data, for tests and the curious."""
    plan = next(p for p in programmes if p.title == SLIPPING_PROJECT)
    item = next(i for i in plan.items if str(i.uid) == SLIPPING_UID)
    days = Workdays(plan.start)
    schedule(plan, "slip_before")
    before = days.end(item.forecast[1]).date()
    schedule(plan, "slip")
    promised, forecast = days.end(item.planned[1]).date(), days.end(item.forecast[1]).date()
    idle = next(cluster for cluster in CLUSTERS if cluster.id == IDLE_CLUSTER)
    november_days = 30
    budget_minutes = november_days * 24 * 60 * 0.0005
    return f"""# Planted on purpose; pages must make each of these obvious.

[idle_cluster]
cluster = "{IDLE_CLUSTER}"
since = {IDLE_SINCE}
month = "2026-11"
owned_gpu_hours = {idle.gpus * 24 * november_days}
allocated_gpu_hours = "{gpu_hours(jobs, idle.id, 2026, 11):.2f}"

[forgotten_commitment]
id = "{FORGOTTEN_COMMITMENT}"
since = {FORGOTTEN_SINCE}
unused_cost = "{forgotten_cost():.2f}"
currency = "USD"

[slipping_milestone]
project = "{SLIPPING_PROJECT}"
task_uid = "{SLIPPING_UID}"
promised = {promised}
forecast_before = {before}
forecast = {forecast}
slip_days = {(forecast - promised).days}
slip_workdays = {item.forecast[1] - item.planned[1]}
gpus_waiting = {WAITING_GPUS}

[over_budget]
tenant = "{OVER_BUDGET}"
month = "{OVER_BUDGET_MONTH}"
basis = "effective"
budget = "{budget_of(OVER_BUDGET, OVER_BUDGET_MONTH)}.00"
over_by = "{OVER_BUDGET_BY}"
currency = "USD"

[breached_slo]
service = "{BREACHED_SERVICE}"
month = "{BREACHED_MONTH}"
downtime_minutes = {BREACH_MINUTES}
budget_minutes = {budget_minutes:.1f}
budget_left_percent = {(1 - BREACH_MINUTES / budget_minutes) * 100:.2f}
"""


if __name__ == "__main__":
    generate(FOLDER)
