"""The schedule figure: keys, projects by name, loops, what drives a date."""

from pathlib import Path

import polars as pl
import pytest

from metrics.answer import CannotAnswer
from metrics.facts import Facts
from metrics.schedule import INACTIVE, LOOPS, driving_path, schedule
from tests.lakes import facts_of, loaded, source
from tests.plan_files import slipping_plan, task, write_plan
from tests.real import real

KEYS = [
    "uid",
    "wbs",
    "name",
    "start",
    "finish",
    "early_start",
    "early_finish",
    "late_start",
    "late_finish",
    "total_slack_hours",
    "critical",
    "stored_start",
    "stored_finish",
    "stored_critical",
]


def facts(folder: Path, zone: str = "Asia/Shanghai") -> Facts:
    return facts_of(loaded(folder, source("plans", "msproject", "plans/*.xml"), timezone=zone))


def test_the_frame_has_the_promised_keys_in_the_plans_own_zone(tmp_path: Path) -> None:
    slipping_plan(tmp_path / "plans" / "cooling.xml")
    frame = schedule(facts(tmp_path)).frame
    assert frame.columns == KEYS
    assert frame["uid"].to_list() == [1, 2, 3, 4, 5, 6]
    assert frame["early_finish"][2].isoformat() == "2026-11-12T17:00:00+08:00"
    # Hand-over is a day, Friday 13; manuals may be as late as that: four days of slack.
    slack = dict(frame.select("name", "total_slack_hours").rows())
    assert (slack["Hand-over"], slack["Manuals"]) == (0, 32)
    assert frame.filter("critical")["name"].to_list() == [
        "Loop",
        "Flush",
        "Loop tested",
        "Hand-over",
    ]


@pytest.mark.golden
def test_a_real_plan_prints_what_project_stored(tmp_path: Path) -> None:
    config = loaded(
        tmp_path,
        source("plans", "msproject", real("trackers/msproject_golden/residential_109.xml")),
    )
    frame = schedule(facts_of(config), project="residential_109").frame
    leaves = frame.filter(~pl.col("uid").is_in([0]))
    assert leaves.height == 108
    assert frame.filter(pl.col("start") != pl.col("stored_start")).is_empty()
    assert frame.filter(pl.col("finish") != pl.col("stored_finish")).is_empty()


def test_a_project_is_named_by_file_or_title_and_a_wrong_name_gets_a_hint(
    tmp_path: Path,
) -> None:
    slipping_plan(tmp_path / "plans" / "cooling.xml", title="Cooling loop")
    slipping_plan(tmp_path / "plans" / "power.xml", title="Power")
    found = facts(tmp_path)
    by_title = schedule(found, project="Cooling loop").frame
    assert by_title.equals(schedule(found, project="cooling").frame)
    with pytest.raises(CannotAnswer, match="Did you mean"):
        schedule(found, project="coolin")
    with pytest.raises(CannotAnswer, match="cooling, power"):
        schedule(found)


def test_a_title_of_several_plans_names_none(tmp_path: Path) -> None:
    slipping_plan(tmp_path / "plans" / "a.xml", title="Project1")
    slipping_plan(tmp_path / "plans" / "b.xml", title="Project1")
    with pytest.raises(CannotAnswer, match="several"):
        schedule(facts(tmp_path), project="Project1")


def test_without_a_plan_it_says_what_to_add(tmp_path: Path) -> None:
    with pytest.raises(CannotAnswer, match="msproject"):
        schedule(facts_of(loaded(tmp_path, "")))


def test_a_loop_is_said_and_the_rest_has_dates(tmp_path: Path) -> None:
    write_plan(
        tmp_path / "plans" / "loop.xml",
        task(1, "A", 1, (2,), level=1)
        + task(2, "B", 1, (1,), level=1)
        + task(3, "C", 1, level=1)
        + task(4, "Off", 1, level=1, Active=0),
    )
    answer = schedule(facts(tmp_path))
    assert LOOPS in answer.notes and INACTIVE in answer.notes
    assert answer.extra["loops"]["name"].to_list() == ["A", "B"]
    dated = answer.frame.drop_nulls("early_start")
    assert dated["name"].to_list() == ["C"]


def test_the_driving_path_runs_from_what_has_begun_to_the_end(tmp_path: Path) -> None:
    slipping_plan(tmp_path / "plans" / "cooling.xml")
    found = facts(tmp_path)
    path = driving_path(found, "cooling").frame
    assert path["name"].to_list() == ["Flush", "Loop tested", "Hand-over"]
    assert path["blocked_by"][0] == "GPU-2 sensors at customs"
    assert driving_path(found, "cooling", uid="4").frame["uid"].to_list() == ["3", "4"]
