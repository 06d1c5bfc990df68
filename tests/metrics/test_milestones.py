"""What is due, slips, is blocked, and what waiting costs."""

from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest

from metrics.facts import Facts
from metrics.issues import NO_DUE_DAY, issues_due
from metrics.milestones import LATE_WORK, NO_RATE, milestone_changes, milestones
from metrics.slip_cost import last_whole_month
from tests.lakes import facts_of, loaded, source
from tests.metrics.bills import charge, rule, write_rows
from tests.plan_files import slipping_plan
from tests.real import real

PROGRAM = "program,name,name_zh,project\ncooling,Cooling loop,液冷,Cooling\n"
STAKE = "project,task_uid,gpus_waiting,cluster\nCooling,4,256,sh\n"
CLUSTER = (
    "cluster,name,scheduler,accelerator,gpus,gpus_per_node,in_service_from\n"
    "sh,Shanghai,slurm,H800 SXM,512,8,2026-01-01\n"
)
ISSUES = """\
Summary,Issue key,Issue Type,Status,Assignee,Updated,Due date,Outward issue link (Blocks)
Release sensors,GPU-2,Task,In Progress,Guo Fei,10/Nov/26 9:00 AM,20/Nov/26 12:00 AM,GPU-3
Flush row A,GPU-3,Task,To Do,Xu Jie,10/Nov/26 9:00 AM,,
Old blocker,GPU-4,Task,Done,Xu Jie,10/Nov/26 9:00 AM,,GPU-3
"""


def blocks(folder: Path) -> str:
    (folder / "reference").mkdir(exist_ok=True)
    (folder / "reference" / "program.csv").write_text(PROGRAM, encoding="utf-8")
    (folder / "reference" / "milestone_stake.csv").write_text(STAKE)
    (folder / "issues.csv").write_text(ISSUES)
    return (
        source("reference", "reference", "reference/*.csv")
        + source("plans", "msproject", "plans/*.xml")
        + source("issues", "jira", "issues.csv")
    )


@pytest.fixture
def facts(tmp_path: Path) -> Facts:
    slipping_plan(tmp_path / "plans" / "cooling.xml")
    return facts_of(loaded(tmp_path, blocks(tmp_path), timezone="Asia/Shanghai"))


def test_a_milestone_moves_with_unfinished_work_of_the_past(facts: Facts) -> None:
    # Two of four days remain of a flush that is as of Friday 13: Monday 16 and Tuesday 17.
    answer = milestones(facts)
    row = answer.frame.row(0, named=True)
    assert row["finish"].isoformat() == "2026-11-17T09:00:00+00:00"
    assert row["baseline_finish"].date() == date(2026, 11, 10)
    assert (row["slip_days"], row["slip_working_days"]) == (7, 5)
    assert (row["status"], row["due_in_days"]) == ("due", 4)
    assert row["critical"] and row["program_name_zh"] == "液冷"
    assert LATE_WORK in answer.notes


def test_the_programme_rolls_up(facts: Facts) -> None:
    row = milestones(facts).extra["programs"].row(0, named=True)
    # Leaves: 5 d done, 4 d half done, 1 d and 1 d open: (5 + 2) / 11.
    assert row["percent"] == pytest.approx(700 / 11)
    # Value is weighed by baseline durations, 5 + 4 + 1 + 1 d, all planned by the 13th.
    assert row["value_by"] == "duration"
    assert row["spi"] == pytest.approx(7 / 11)
    assert (row["tasks"], row["done"]) == (4, 1)
    assert row["slip_days"] == 7
    assert row["next_milestone"] == "Loop tested"


def test_blockers_join_the_tracker_that_names_them(facts: Facts) -> None:
    found = milestones(facts).extra["blockers"].to_dicts()
    assert [row["uid"] for row in found] == ["3"]
    assert (
        found[0]
        | {
            "owner": "Guo Fei",
            "age_days": 4,
            "blocker_status": "In Progress",
            "blocker_due": date(2026, 11, 20),
            "critical": True,
        }
        == found[0]
    )


def test_issues_say_what_is_due_and_what_waits(facts: Facts) -> None:
    answer = issues_due(facts)
    assert answer.frame.select("uid", "due_in_days").rows() == [("GPU-2", 7)]
    assert answer.extra["counts"].rows() == [("GPU", 3, 2, 0)]
    # GPU-4 is done and blocks nothing any more.
    (waiting,) = answer.extra["blockers"].to_dicts()
    assert (waiting["uid"], waiting["blocked_by"]) == ("GPU-3", "GPU-2 Release sensors")
    assert NO_DUE_DAY in answer.notes


def test_an_unknown_rate_makes_the_cost_unknown_not_zero(facts: Facts) -> None:
    answer = milestones(facts)
    assert answer.frame["gpus_waiting"].to_list() == [256]
    assert answer.frame["slip_cost"].to_list() == [None]
    assert NO_RATE in answer.notes
    assert answer.extra["summary"]["slip_cost"].to_list() == [None]


def test_the_cost_of_a_slip_is_gpus_by_hours_by_rate(tmp_path: Path) -> None:
    slipping_plan(tmp_path / "plans" / "cooling.xml")
    sources = blocks(tmp_path) + source("bills", "focus", "bills.csv")
    # October's 744 hours of 512 GPUs cost 2.00 each.
    october = charge("761856.00", BillingPeriodStart="2026-10-01T00:00:00Z",
                     BillingPeriodEnd="2026-11-01T00:00:00Z",
                     ChargePeriodStart="2026-10-02T00:00:00Z",
                     ChargePeriodEnd="2026-10-03T00:00:00Z")  # fmt: skip
    write_rows(tmp_path / "bills.csv", [october])
    reference = tmp_path / "reference"
    metered = rule("own", "metered", cluster="sh", metric="gpu_hours", idle_policy="platform")
    write_rows(reference / "allocation_rule.csv", [metered])
    (reference / "cluster.csv").write_text(CLUSTER)
    found = milestones(facts_of(loaded(tmp_path, sources, timezone="Asia/Shanghai")))
    row = found.frame.row(0, named=True)
    # 10 November 17:00 to 17 November 17:00 is 168 hours: 256 x 168 x 2.00.
    assert (row["slip_cost"], row["currency"]) == (Decimal("86016.00"), "USD")
    assert found.extra["summary"]["slip_cost"].to_list() == [Decimal("86016.00")]


def test_what_moved_since_a_review(tmp_path: Path) -> None:
    slipping_plan(tmp_path / "plans" / "cooling.xml")
    before = milestones(facts_of(loaded(tmp_path, blocks(tmp_path)))).frame
    slipping_plan(tmp_path / "plans" / "cooling.xml", extra_days=3)
    now = milestones(facts_of(loaded(tmp_path, blocks(tmp_path)))).frame
    moved = milestone_changes(now, before).to_dicts()
    assert [(row["name"], row["moved_days"], row["is_new"]) for row in moved] == [
        ("Loop tested", 3, False)
    ]
    assert milestone_changes(now, now).is_empty()
    assert milestone_changes(now, None).is_empty()
    assert milestone_changes(now, before.clear())["is_new"].to_list() == [True]


def test_a_plan_that_no_programme_names_stands_for_itself(tmp_path: Path) -> None:
    slipping_plan(tmp_path / "plans" / "site.xml", title="Site work")
    config = loaded(tmp_path, source("plans", "msproject", "plans/*.xml"))
    row = milestones(facts_of(config)).extra["programs"].row(0, named=True)
    assert (row["program"], row["name"]) == ("site", "Site work")


@pytest.mark.parametrize(
    ("day", "month"),
    [
        (date(2026, 11, 30), "2026-11"),
        (date(2026, 11, 29), "2026-10"),
        (date(2026, 1, 5), "2025-12"),
    ],
)
def test_rates_are_of_the_last_whole_month(day: date, month: str) -> None:
    assert last_whole_month(day) == month


@pytest.mark.golden
def test_a_real_plan_without_status_date_keeps_its_own_dates(tmp_path: Path) -> None:
    config = loaded(
        tmp_path,
        source("p", "msproject", real("trackers/msproject_golden/software_progress_87.xml")),
    )
    frame = milestones(facts_of(config)).frame
    assert frame.height == 12
    assert frame.filter(frame["finish"] != frame["stored_finish"]).is_empty()
    assert set(frame["slip_days"]) == {0}
