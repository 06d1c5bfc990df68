"""MSPDI plans: every real file, and each kind of mess."""

import gzip
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import polars as pl
import pytest

from pipelines.sources import FileRefused, ReadResult
from pipelines.sources.msproject import MsProjectOptions, MsProjectReader
from tests.lakes import facts_of, loaded, source
from tests.real import real

READER = MsProjectReader()
NAMESPACE = "{http://schemas.microsoft.com/project}"


def read(path: Path, **options: object) -> ReadResult:
    return READER.read(path, MsProjectOptions(**options))  # type: ignore[arg-type]


def frame(result: ReadResult, name: str) -> pl.DataFrame:
    found = result.tables[name]
    assert isinstance(found, pl.DataFrame)
    return found


def row(result: ReadResult, uid: str) -> dict[str, Any]:
    return frame(result, "task").filter(pl.col("uid") == uid).row(0, named=True)


def written(folder: Path, tasks: str, head: str = "", name: str = "plan.xml") -> Path:
    path = folder / name
    path.write_text(
        '<?xml version="1.0" encoding="UTF-8"?>'
        '<Project xmlns="http://schemas.microsoft.com/project">'
        f"<StartDate>2026-11-02T08:00:00</StartDate>{head}<Tasks>{tasks}</Tasks></Project>",
        encoding="utf-8",
    )
    return path


def task(uid: int, level: int = 1, inside: str = "", duration: str = "PT8H0M0S") -> str:
    return (
        f"<Task><UID>{uid}</UID><Name>T{uid}</Name><OutlineLevel>{level}</OutlineLevel>"
        f"<Duration>{duration}</Duration>{inside}</Task>"
    )


@pytest.mark.golden
@pytest.mark.parametrize("folder", ["msproject", "msproject_golden", "mpxj_scheduled"])
def test_every_task_and_link_of_a_real_file_is_in_a_table(folder: str) -> None:
    for path in sorted(real(f"trackers/{folder}").glob("*.xml")):
        result = read(path)
        plan = ElementTree.parse(path).getroot()
        every = list(plan.iter(f"{NAMESPACE}Task"))
        blank = sum(one.findtext(f"{NAMESPACE}IsNull") == "1" for one in every)
        assert frame(result, "task").height == len(every) - blank, path.name
        links = len(list(plan.iter(f"{NAMESPACE}PredecessorLink")))
        assert frame(result, "task_link").height == links, path.name
        assert not list(result.rejected), path.name  # type: ignore[arg-type]


@pytest.mark.golden
def test_all_real_plans_load_into_one_lake(tmp_path: Path) -> None:
    folder = real("trackers")
    config = loaded(
        tmp_path,
        source("project", "msproject", folder / "msproject/*.xml")
        + source("gantt", "msproject", folder / "ganttproject/*.xml")
        + source("scheduled", "msproject", folder / "mpxj_scheduled/*.xml.gz"),
    )
    facts = facts_of(config)
    heads = facts.table("project")
    assert heads.height == 14 + 3 + 1 and heads["project"].n_unique() == heads.height
    assert facts.table("quarantine").is_empty()
    assert facts.table("task").filter(pl.col("project") == "large_2000").height == 2100


@pytest.mark.golden
def test_lags_keep_their_unit() -> None:
    links = frame(read(real("trackers/msproject_golden/software_plan_87.xml")), "task_link")
    percents = links.filter(pl.col("lag_unit") == "percent")
    assert percents.height == 3 and percents["lag_s"].null_count() == 3
    links = frame(read(real("trackers/msproject/task-links-project2013-mspdi.xml")), "task_link")
    # LinkLag is in tenths of a minute: 4800 is a day of eight hours, 24000 a week of five.
    assert set(links["lag_s"]) == {0, 28_800, 57_600, 144_000, 288_000}


@pytest.mark.golden
def test_recurring_exceptions_become_the_days_project_lists() -> None:
    path = real("trackers/msproject/calendar-recurring-exceptions-project2016-mspdi.xml")
    rows = frame(read(path), "calendar").filter(pl.col("date_from").is_not_null())

    def days(part: pl.DataFrame) -> set[date]:
        return {
            day
            for start, end in part.select("date_from", "date_to").rows()
            for day in pl.date_range(start, end, eager=True)
        }

    listed = rows.filter(pl.col("exception").is_null())
    expanded = rows.filter(pl.col("exception").is_not_null())
    assert len(days(listed)) == 140
    assert days(expanded) == days(listed)


@pytest.mark.golden
def test_baselines_keep_their_numbers() -> None:
    baselines = frame(read(real("trackers/msproject/baselines.xml")), "task_baseline")
    assert baselines["number"].to_list() == list(range(1, 11))
    assert baselines["duration_s"][1] == 54_000
    assert baselines["cost"][0] == Decimal(1)  # Project writes hundredths


def test_the_project_is_named_after_the_file_unless_said(tmp_path: Path) -> None:
    path = written(tmp_path, task(1), "<Title>Project1</Title>", "site-a.xml")
    assert frame(read(path), "project")["project"].to_list() == ["site-a"]
    assert frame(read(path, project="Site A"), "task")["project"].to_list() == ["Site A"]


def test_times_are_of_the_sources_zone(tmp_path: Path) -> None:
    path = written(tmp_path, task(1, inside="<Start>2026-11-02T08:00:00</Start>"))
    found = row(read(path, timezone="Asia/Shanghai"), "1")
    assert found["start"] == datetime(2026, 11, 2, 0, 0, tzinfo=UTC)


def test_outline_levels_give_parents_and_the_projects_own_row_is_no_parent(
    tmp_path: Path,
) -> None:
    result = read(written(tmp_path, task(0, 0) + task(1) + task(2, 2) + task(3)))
    tasks = frame(result, "task").select("uid", "parent_uid", "item_type").rows()
    assert tasks == [
        ("0", None, "project"),
        ("1", None, "summary"),
        ("2", "1", "task"),
        ("3", None, "task"),
    ]


def test_blank_rows_are_left_out_and_counted(tmp_path: Path) -> None:
    result = read(written(tmp_path, task(1) + "<Task><UID>2</UID><IsNull>1</IsNull></Task>"))
    assert frame(result, "task").height == 1
    assert result.notes == ("1 blank rows of the plan left out",)


def test_a_missing_element_is_not_zero(tmp_path: Path) -> None:
    found = row(read(written(tmp_path, task(1))), "1")
    assert found["percent_complete"] is None and found["total_slack_s"] is None
    assert found["is_critical"] is None


@pytest.mark.parametrize(
    ("bad", "column"),
    [
        ("<Start>yesterday</Start>", "Start"),
        ("<PercentComplete>130</PercentComplete>", "PercentComplete"),
        ("<Work>8 hours</Work>", "Work"),
        ("<PredecessorLink><PredecessorUID>1</PredecessorUID><Type>9</Type></PredecessorLink>",
         "PredecessorLink"),
    ],
)  # fmt: skip
def test_a_task_that_cannot_be_read_is_refused_alone(tmp_path: Path, bad: str, column: str) -> None:
    result = read(written(tmp_path, task(1) + task(2, inside=bad)))
    (refusal,) = result.rejected  # type: ignore[misc]
    assert (refusal.row, refusal.column) == (2, column)  # type: ignore[union-attr]
    assert frame(result, "task")["uid"].to_list() == ["1"]


def test_a_repeated_uid_is_refused(tmp_path: Path) -> None:
    result = read(written(tmp_path, task(1) + task(1)))
    assert [r.row for r in result.rejected] == [2]  # type: ignore[union-attr]


def test_a_link_to_another_file_is_pending(tmp_path: Path) -> None:
    link = "<PredecessorLink><PredecessorUID>77</PredecessorUID></PredecessorLink>"
    result = read(written(tmp_path, task(1, inside=link)))
    assert frame(result, "task_link")["is_pending"].to_list() == [True]
    assert "1 links to tasks of another file kept as pending" in result.notes


def test_blockers_come_from_custom_fields_by_their_names(tmp_path: Path) -> None:
    head = "<ExtendedAttributes>" + "".join(
        f"<ExtendedAttribute><FieldID>{number}</FieldID><Alias>{alias}</Alias></ExtendedAttribute>"
        for number, alias in enumerate(("阻塞原因", "Blocker owner", "Blocked since"), 1)
    )
    values = "".join(
        f"<ExtendedAttribute><FieldID>{number}</FieldID><Value>{value}</Value></ExtendedAttribute>"
        for number, value in enumerate(("Switches at customs", "Li Na", "2026-11-10T00:00:00"), 1)
    )
    found = row(
        read(written(tmp_path, task(1, inside=values), head + "</ExtendedAttributes>")), "1"
    )
    assert found["blocked_by"] == "Switches at customs"
    assert (found["blocker_owner"], found["blocked_since"]) == ("Li Na", date(2026, 11, 10))


def test_owners_are_those_assigned(tmp_path: Path) -> None:
    head = (
        "<Resources><Resource><UID>1</UID><Name>Wang</Name><Type>1</Type></Resource>"
        "<Resource><UID>2</UID><Name>Okafor</Name><Type>1</Type></Resource></Resources>"
        "<Assignments><Assignment><TaskUID>1</TaskUID><ResourceUID>1</ResourceUID></Assignment>"
        "<Assignment><TaskUID>1</TaskUID><ResourceUID>2</ResourceUID></Assignment></Assignments>"
    )
    assert row(read(written(tmp_path, task(1), head)), "1")["owner"] == "Wang; Okafor"


def test_a_packed_plan_is_read(tmp_path: Path) -> None:
    plain = written(tmp_path, task(1))
    packed = tmp_path / "packed.xml.gz"
    packed.write_bytes(gzip.compress(plain.read_bytes()))
    assert READER.sniff(packed)
    assert frame(read(packed), "project")["project"].to_list() == ["packed"]


def test_a_plan_in_gbk_is_read(tmp_path: Path) -> None:
    path = written(tmp_path, task(1).replace("T1", "机房验收"))
    text = path.read_text(encoding="utf-8").replace("UTF-8", "GBK")
    path.write_bytes(text.encode("gbk"))
    assert row(read(path), "1")["name"] == "机房验收"


def test_an_entity_bomb_is_refused_in_words(tmp_path: Path) -> None:
    path = tmp_path / "bomb.xml"
    path.write_text(
        '<?xml version="1.0"?><!DOCTYPE b [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>'
        '<Project xmlns="http://schemas.microsoft.com/project"><Title>&b;</Title></Project>'
    )
    with pytest.raises(FileRefused, match="entities"):
        read(path)


@pytest.mark.parametrize(
    "text", ["not xml", "<a/>", '<Project xmlns="http://schemas.microsoft.com/project">']
)
def test_another_or_a_broken_file_is_refused_in_words(tmp_path: Path, text: str) -> None:
    path = tmp_path / "x.xml"
    path.write_text(text)
    with pytest.raises(FileRefused, match=r"x\.xml"):
        read(path)


def test_loading_a_plan_again_replaces_it_whole(tmp_path: Path) -> None:
    link = "<PredecessorLink><PredecessorUID>1</PredecessorUID></PredecessorLink>"
    written(tmp_path, task(1) + task(2, inside=link))
    blocks = source("plans", "msproject", tmp_path / "*.xml")
    loaded(tmp_path, blocks)
    written(tmp_path, task(1))
    facts = facts_of(loaded(tmp_path, blocks))
    assert facts.table("task")["uid"].to_list() == ["1"]
