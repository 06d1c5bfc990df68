"""Our dates against those that Microsoft Project, and MPXJ, stored."""

import csv
from collections.abc import Iterable
from zoneinfo import ZoneInfo

import polars as pl
import pytest

from models.program.network import Network, local_seconds
from models.program.schedule import schedule
from tests.models.program.plans import moment, real_plan, real_tables
from tests.real import real

pytestmark = pytest.mark.golden

FIELDS = ("early_start", "early_finish", "late_start", "late_finish")

MICROSOFT = {
    "residential_109": 89,
    "home_move_172": 126,
    "training_rollout_77": 61,
    "software_plan_87": 74,
    "software_progress_87": 74,
    "actuals_16": 14,
    "baseline_actuals_15": 9,
    "mfo_negative_slack_16": 15,
    "two_calendars_20": 15,
    "effort_driven_11": 10,
    "alap_6": 5,
}


@pytest.mark.parametrize(("name", "leaves"), MICROSOFT.items())
def test_every_leaf_equals_what_project_stored(name: str, leaves: int) -> None:
    network = real_plan(f"msproject_golden/{name}.xml")
    stored = golden(name, network)
    assert len(stored) == leaves
    assert ours(network, stored) == stored


def test_manual_tasks_equal_project_on_the_working_axis() -> None:
    # Project writes one late finish as Monday 08:00 where we write Friday 17:00.
    network = real_plan("msproject_golden/manual_conflict_12.xml")
    stored = golden("manual_conflict_12", network)
    assert len(stored) == 10
    assert on_axis(network, ours(network, stored)) == on_axis(network, stored)


@pytest.mark.parametrize(
    ("name", "leaves"),
    {
        "mpxj_scheduled/fs_only_20.xml": 20,
        "mpxj_scheduled/fs_lags_60.xml": 60,
        "mpxj_scheduled/all_links_80.xml": 80,
        "mpxj_scheduled/all_links_constraints_300.xml": 300,
        "mpxj_scheduled/large_2000.xml.gz": 2000,
        "msproject/task-links-project2003-mspdi.xml": 16,
        "msproject/task-links-project2007-mspdi.xml": 16,
        "msproject/task-links-project2010-mspdi.xml": 16,
        "msproject/task-links-project2013-mspdi.xml": 16,
        "msproject/mspdirelations.xml": 5,
    }.items(),
)
def test_every_leaf_equals_what_the_file_stores(name: str, leaves: int) -> None:
    _, tasks, _, _ = real_tables(name)
    network = real_plan(name)
    stored = stored_in(tasks, network)
    assert len(stored) == leaves
    assert on_axis(network, ours(network, stored)) == on_axis(network, stored)


@pytest.mark.parametrize("year", [2016, 2019])
def test_two_late_dates_of_manual_tasks_differ_as_documented(year: int) -> None:
    name = f"msproject/task-links-project{year}-mspdi.xml"
    _, tasks, _, _ = real_tables(name)
    network = real_plan(name)
    stored = on_axis(network, stored_in(tasks, network))
    mine = on_axis(network, ours(network, stored))
    assert {uid for uid in stored if stored[uid] != mine[uid]} == {"11", "13"}


Row = tuple[int, int, int, int, float, bool]


def golden(name: str, network: Network) -> dict[str, Row]:
    """Leaves of the CSV beside a plan; slack in minutes."""
    with real(f"trackers/msproject_golden/{name}.golden.csv").open(encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["uid"] in network.activities]
    return {
        row["uid"]: (
            *(moment(row[field]) for field in FIELDS),
            float(row["total_slack_min"]),
            row["critical"] == "1",
        )  # type: ignore[misc]
        for row in rows
    }


def stored_in(tasks: pl.DataFrame, network: Network) -> dict[str, Row]:
    """Leaves as the plan itself stores them; a slack of zero is left out there."""
    local = local_seconds(tasks, ZoneInfo("UTC"))
    return {
        row["uid"]: (
            *(row[field] for field in FIELDS),
            (row["total_slack_s"] or 0) / 60,
            row["is_critical"],
        )  # type: ignore[misc]
        for row in local.iter_rows(named=True)
        if row["uid"] in network.activities
    }


def ours(network: Network, leaves: Iterable[str]) -> dict[str, Row]:
    result = schedule(network)
    return {
        uid: (
            one.early_start,
            one.early_finish,
            one.late_start,
            one.late_finish,
            one.total_slack / 60,
            one.is_critical,
        )
        for uid, one in result.dates.items()
        if uid in set(leaves)
    }


def on_axis(network: Network, rows: dict[str, Row]) -> dict[str, Row]:
    """Dates as working time: 17:00 and the next 08:00 are one instant of a plan."""
    position = network.calendar.position
    return {
        uid: (*(position(at) for at in row[:4]), row[4], row[5])  # type: ignore[misc]
        for uid, row in rows.items()
    }
