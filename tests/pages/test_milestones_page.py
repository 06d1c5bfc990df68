"""The Milestones page in both languages: one plan, several, none, and real ones."""

from datetime import datetime
from itertools import pairwise
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

import metrics.issues
import metrics.milestones
import metrics.plans
import metrics.schedule
from config import Config
from tests.lakes import ROOT, loaded, source
from tests.plan_files import slipping_plan, task, write_plan
from tests.real import real
from ui.charts.gantt import GanttRow, gantt, month_ticks
from ui.i18n import translate
from ui.milestones_rows import STATUS


def page(config: Config, monkeypatch: pytest.MonkeyPatch, **query: str) -> AppTest:
    monkeypatch.setenv("QUARTERMASTER_CONFIG", str(config.file))
    test = AppTest.from_file(str(ROOT / "pages" / "milestones.py"), default_timeout=60)
    for key, value in query.items():
        test.query_params[key] = value
    test.run()
    assert not test.exception, test.exception
    return test


def words(test: AppTest) -> str:
    shown = [*test.markdown, *test.caption, *test.title, *test.warning]
    return "\n".join(str(element.value) for element in shown)


def tiles(test: AppTest) -> dict[str, str]:
    return {metric.label: metric.value for metric in test.metric}


@pytest.fixture(scope="module")
def two_plans(tmp_path_factory: pytest.TempPathFactory) -> Config:
    folder = tmp_path_factory.mktemp("plans")
    slipping_plan(folder / "plans" / "cooling.xml", title="Cooling loop")
    write_plan(
        folder / "plans" / "power.xml",
        task(1, "Feed", 3, level=1)
        + task(
            2, "Energised", 0, (1,), level=1, Milestone=1, baseline=("2026-12-01", "2026-12-01")
        ),
        "Power feed",
    )
    blocks = source("plans", "msproject", "plans/*.xml")
    return loaded(folder, blocks, timezone="Asia/Shanghai")


def test_all_programmes_say_the_worst_slip(
    two_plans: Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    test = page(two_plans, monkeypatch)
    said = words(test)
    assert "**Loop tested** slips **7 d** to **17 Nov 2026**; **1 of 2** open milestones" in said
    assert tiles(test)["Late milestones"] == "1"
    assert tiles(test)["Cost of slips"] == "not known"
    assert "Why Loop tested is on that day" in said


def test_one_programme_shows_its_tree_and_keeps_to_the_url(
    two_plans: Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    test = page(two_plans, monkeypatch, program="cooling", level="2")
    tree = test.dataframe[-1].value
    assert tree["name"].to_list()[:3] == ["▾ Loop", "\u2003Pipe", "\u2003Flush"]
    assert tree["critical"].to_list() == ["▲", "", "▲", "▲", "▲", ""]
    assert "cooling" in test.query_params["program"]
    assert test.selectbox[0].value == "cooling"


def test_choosing_a_programme_writes_the_url(
    two_plans: Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    test = page(two_plans, monkeypatch)
    test.selectbox[0].set_value("power").run()
    assert not test.exception
    assert "power" in test.query_params["program"]
    assert "No open milestone is later than its baseline" in words(test)


def test_only_critical_and_late(two_plans: Config, monkeypatch: pytest.MonkeyPatch) -> None:
    test = page(two_plans, monkeypatch, program="cooling", critical="1")
    assert test.toggle[0].value is True


def test_chinese_has_no_english_sentence(
    two_plans: Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    test = page(two_plans, monkeypatch, lang="zh", program="cooling")
    said = words(test)
    assert "**Loop tested** 延期 **7 天**" in said
    assert tiles(test)["延期里程碑"] == "1"
    for english in ("Critical path", "Later than promised", "Forecast =", "Blocked"):
        assert english not in said


def test_every_note_and_status_is_translated() -> None:
    modules = (metrics.issues, metrics.milestones, metrics.schedule, metrics.plans)
    sentences = [
        value
        for module in modules
        for name, value in vars(module).items()
        if name.isupper() and isinstance(value, str) and " " in value
    ]
    assert len(sentences) >= 10
    for sentence in [*sentences, *STATUS.values()]:
        assert translate(sentence, "zh") != sentence


def test_an_empty_lake_says_what_to_add(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for lang in ("en", "zh"):
        test = page(loaded(tmp_path, ""), monkeypatch, lang=lang)
        assert "`msproject`" in words(test)


@pytest.mark.parametrize(
    ("tasks", "said"),
    [
        (task(1, "A", 1, level=1), "have no milestone; the last task ends on **16 Nov 2026**"),
        (task(1, "M", 0, level=1, Milestone=1), "No baseline is kept"),
        (task(1, "M", 0, level=1, percent=100, Milestone=1), "Every milestone"),
        ("", "hold no task"),
    ],
)
def test_the_headline_claims_nothing_that_a_plan_does_not_say(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tasks: str, said: str
) -> None:
    write_plan(tmp_path / "plans" / "plan.xml", tasks)
    config = loaded(tmp_path, source("plans", "msproject", "plans/*.xml"))
    assert said in words(page(config, monkeypatch))


def test_a_loop_is_named_on_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_plan(
        tmp_path / "plans" / "loop.xml",
        task(1, "A", 1, (2,), level=1) + task(2, "B", 1, (1,), level=1) + task(3, "C", 1, level=1),
    )
    config = loaded(tmp_path, source("plans", "msproject", "plans/*.xml"))
    assert "A → B" in words(page(config, monkeypatch, program="loop"))


def test_a_tracker_alone_shows_its_issues(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "issues.csv").write_text(
        "Summary,Issue key,Status,Updated,Due date,Outward issue link (Blocks)\n"
        "Release sensors,GPU-2,In Progress,10/Nov/26 9:00 AM,09/Nov/26 12:00 AM,GPU-3\n"
        "Flush,GPU-3,To Do,10/Nov/26 9:00 AM,,\n"
    )
    test = page(loaded(tmp_path, source("issues", "jira", "issues.csv")), monkeypatch)
    assert "GPU: 2 of 2 issues open, 1 late" in words(test)
    assert test.dataframe[0].value["uid"].to_list() == ["GPU-2"]
    assert test.dataframe[1].value["blocked_by"].to_list() == ["GPU-2 Release sensors"]


@pytest.fixture(scope="module")
def real_plans(tmp_path_factory: pytest.TempPathFactory) -> Config:
    folder = real("trackers")
    return loaded(
        tmp_path_factory.mktemp("real"),
        source("golden", "msproject", folder / "msproject_golden/*.xml")
        + source("old", "msproject", folder / "msproject/*.xml")
        + source("gantt", "msproject", folder / "ganttproject/*.xml")
        + source("issues", "jira", folder / "jira/jira_repeated_headers_made.csv"),
    )


@pytest.mark.golden
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_real_plans_of_every_kind_are_drawn(
    real_plans: Config, monkeypatch: pytest.MonkeyPatch, lang: str
) -> None:
    page(real_plans, monkeypatch, lang=lang)
    for name in ("home_move_172", "manual_conflict_12", "issue1520", "mspdinulltasks"):
        page(real_plans, monkeypatch, lang=lang, program=name, level="all")


def test_a_chart_of_nothing_is_a_chart() -> None:
    now = datetime(2026, 11, 30)
    for is_narrow in (False, True):
        assert gantt([], now, is_narrow=is_narrow).layout.height > 0
    row = GanttRow("Old", 0, "task", datetime(2004, 1, 1), datetime(2004, 3, 1))
    figure = gantt([row], now)
    assert figure.layout.xaxis.range[1].year == 2004  # today is too far to draw


def test_month_ticks_are_few_and_even() -> None:
    ticks = month_ticks(datetime(2026, 1, 15), datetime(2027, 12, 3), 9)
    assert ticks[0] == datetime(2026, 2, 1) and len(ticks) <= 9
    assert {(b.month - a.month) % 12 for a, b in pairwise(ticks)} == {3}
