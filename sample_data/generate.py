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
    FOLDER,
    FORGOTTEN_COMMITMENT,
    FORGOTTEN_SINCE,
    IDLE_CLUSTER,
    IDLE_SINCE,
    OVER_BUDGET,
    OVER_BUDGET_MONTH,
    SLIPPING_PROJECT,
    SLIPPING_UID,
    WAITING_GPUS,
)
from sample_data.issues import write_issues
from sample_data.jobs import all_jobs
from sample_data.plans import Plan, Workdays, write_plans
from sample_data.programmes import plans
from sample_data.reference import write_reference
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
    (folder / "truths.toml").write_text(_truths(programmes), encoding="utf-8")


def _truths(programmes: tuple[Plan, ...]) -> str:
    """What is planted in the data, for tests and the curious."""
    plan = next(p for p in programmes if p.title == SLIPPING_PROJECT)
    item = next(i for i in plan.items if str(i.uid) == SLIPPING_UID)
    days = Workdays(plan.start)
    promised, forecast = days.end(item.planned[1]).date(), days.end(item.forecast[1]).date()
    return f"""# Planted on purpose; pages must make each of these obvious.

[idle_cluster]
cluster = "{IDLE_CLUSTER}"
since = {IDLE_SINCE}

[forgotten_commitment]
id = "{FORGOTTEN_COMMITMENT}"
since = {FORGOTTEN_SINCE}
unused_cost = "{forgotten_cost():.2f}"
currency = "USD"

[slipping_milestone]
project = "{SLIPPING_PROJECT}"
task_uid = "{SLIPPING_UID}"
promised = {promised}
forecast = {forecast}
slip_days = {(forecast - promised).days}
slip_workdays = {item.forecast[1] - item.planned[1]}
gpus_waiting = {WAITING_GPUS}

[over_budget]
tenant = "{OVER_BUDGET}"
month = "{OVER_BUDGET_MONTH}"

[breached_slo]
service = "{BREACHED_SERVICE}"
month = "{BREACHED_MONTH}"
downtime_minutes = {BREACH_MINUTES}
"""


if __name__ == "__main__":
    generate(FOLDER)
