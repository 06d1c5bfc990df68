"""The Data page: sources, freshness, history, refusals, in both languages."""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from tests.lakes import outcomes, source, written
from tests.real import real

ROOT = Path(__file__).resolve().parents[2]
LOG = "service,start,end,severity\n"
GOOD = "api,2026-04-10 10:00,2026-04-10 11:00,S1\n"
BAD = "api,2026-04-10 10:00,2026-04-10 09:00,S1\n"


def show(config_file: Path, monkeypatch, **query: str) -> AppTest:
    monkeypatch.setenv("QUARTERMASTER_CONFIG", str(config_file))
    app = AppTest.from_file(str(ROOT / "pages" / "data.py"), default_timeout=60)
    for key, value in query.items():
        app.query_params[key] = value
    return app.run()


def words(app: AppTest) -> str:
    return "\n".join(element.value for element in [*app.title, *app.markdown, *app.caption])


@pytest.fixture(scope="module")
def lake(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("data")
    (folder / "log.csv").write_text(LOG + GOOD + BAD + BAD.replace("-10 ", "-12 "))
    blocks = source("log", "incidents", "log.csv") + source("gone", "maintenance", "no*.csv")
    config = written(folder, blocks)
    outcomes(config)
    return config.file


def test_refusals_are_told_with_place_and_cure(lake, monkeypatch):
    app = show(lake, monkeypatch)
    assert not app.exception
    assert "Refused and kept out of every figure: **2** rows." in words(app)
    assert "2 rows, first 3" in words(app)
    assert "Correct the start or the end" in words(app)
    table = next(frame.value for frame in app.dataframe if "rule" in frame.value)
    assert table["row"].to_list() == [3, 4]
    assert table["raw"].to_list()[0].startswith("api,2026-04-10 10:00")


def test_states_tell_a_failed_source(lake, monkeypatch):
    app = show(lake, monkeypatch)
    table = next(frame.value for frame in app.dataframe if "quarantined" in frame.value)
    assert dict(zip(table["source"], table["state"], strict=True)) == {
        "gone": "▲ last load failed",
        "log": "■ fresh",
    }
    assert "State" in words(app)


def test_every_word_is_chinese_in_chinese(lake, monkeypatch):
    app = show(lake, monkeypatch, lang="zh")
    assert not app.exception
    assert app.title[0].value == "数据"
    assert [metric.label for metric in app.metric] == [
        "最新的数据源",
        "湖中行数",
        "隔离行数",
        "失败的加载",
    ]
    assert "请更正开始或结束时间" in words(app)


def test_the_source_filter_is_in_the_url(lake, monkeypatch):
    app = show(lake, monkeypatch, source="gone")
    assert app.multiselect(key="source").value == ["gone"]
    assert "None: every row read is in the lake." in words(app)


def test_text_from_a_file_never_becomes_markup(tmp_path, monkeypatch):
    bad = "![x](http://example.org/x.png),yesterday,,S1\n"
    (tmp_path / "log.csv").write_text(LOG + bad)
    config = written(tmp_path, source("![s](http://example.org/s.png)", "incidents", "log.csv"))
    outcomes(config)
    said = words(show(config.file, monkeypatch))
    assert "![x](" not in said
    assert "![s](" not in said


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_configuration_without_sources_says_what_to_add(tmp_path, monkeypatch, lang):
    config = written(tmp_path, "")
    outcomes(config)
    app = show(config.file, monkeypatch, lang=lang)
    assert not app.exception
    assert "`focus`" in words(app)


@pytest.mark.golden
def test_real_exports_are_shown_with_what_they_moved(tmp_path, monkeypatch):
    config = written(tmp_path, source("bills", "focus", real("billing/focus_1_0_sample_1000.csv")))
    outcomes(config)
    app = show(config.file, monkeypatch)
    assert not app.exception
    table = next(frame.value for frame in app.dataframe if "quarantined" in frame.value)
    assert table["rows"].to_list() == [1000]
    assert any("billed_after" in frame.value for frame in app.dataframe)


def test_the_sample_s_planted_bad_rows_are_told(tmp_path, monkeypatch):
    jobs = ROOT / "sample_data" / "slurm" / "shanghai-2026-11-01.psv.gz"
    config = written(tmp_path, source("jobs", "slurm", jobs, cluster="shanghai"))
    outcomes(config)
    said = words(show(config.file, monkeypatch))
    assert "kept out of every figure: **12** rows" in said
    assert r"shanghai\-2026\-11\-01" in said
