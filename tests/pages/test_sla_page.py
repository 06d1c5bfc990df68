"""The SLA page: both languages, filters in the URL, empty and partial states."""

import tomllib
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from tests.lakes import loaded, source

ROOT = Path(__file__).resolve().parents[2]
SLO = """service,name,name_zh,kind,target_percent,cluster,gpus,owner,valid_from
inference-api,Inference API,推理接口,inference,99.95,,,Ann,2026-01-01
training-sh,Shanghai training,上海训练,training,99.9,shanghai,1024,Cai,
"""
LOG = """service,title,start,end,severity,cause,gpus
inference-api,5xx,2026-03-02 10:00,2026-03-02 10:05,SEV2,![x](http://example.org/x.png),
inference-api,5xx,2026-04-10 10:00:00,2026-04-10 10:43:12,SEV1,![x](http://example.org/x.png),
training-sh,Node lost,2026-04-20 00:00,2026-04-20 06:00,SEV3,GPU fell off the bus,8
"""
CALENDAR = "service,cluster,start,end,reason\n,shanghai,2026-04-25 02:00,2026-04-25 04:00,Upgrade\n"


def show(config_file: Path, monkeypatch, **query: str) -> AppTest:
    monkeypatch.setenv("QUARTERMASTER_CONFIG", str(config_file))
    app = AppTest.from_file(str(ROOT / "pages" / "sla.py"), default_timeout=60)
    for key, value in query.items():
        app.query_params[key] = value
    return app.run()


def words(app: AppTest) -> str:
    return "\n".join(element.value for element in [*app.title, *app.markdown, *app.caption])


@pytest.fixture(scope="module")
def lake(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("sla")
    (folder / "slo.csv").write_text(SLO, encoding="utf-8")
    (folder / "log.csv").write_text(LOG, encoding="utf-8")
    (folder / "calendar.csv").write_text(CALENDAR, encoding="utf-8")
    blocks = (
        source("objectives", "reference", "slo.csv")
        + source("log", "incidents", "log.csv")
        + source("calendar", "maintenance", "calendar.csv")
    )
    return loaded(folder, blocks).file


def test_the_headline_names_the_service_over_its_budget(lake, monkeypatch):
    app = show(lake, monkeypatch, month="2026-04")
    assert not app.exception
    assert "**1 of 2 services are within their error budget in Apr 2026.**" in words(app)
    assert "Inference API has least left: **-100" in words(app)
    assert [metric.value for metric in app.metric][:2] == ["1 of 2", "-100"]


def test_every_word_is_chinese_in_chinese(lake, monkeypatch):
    app = show(lake, monkeypatch, month="2026-04", lang="zh")
    assert not app.exception
    assert app.title[0].value == "SLA 健康度"
    assert "推理接口 剩余最少：**-100" in words(app)
    assert [metric.label for metric in app.metric] == [
        "预算内的服务",
        "最少剩余预算，%",
        "中断时间，分钟",
        "故障",
        "MTTR，分钟",
        "计划维护，分钟",
    ]
    for element in [*app.markdown, *app.caption]:
        assert "budget" not in element.value.lower(), element.value


def test_text_from_a_file_never_becomes_markup(lake, monkeypatch):
    assert "![x](" not in words(show(lake, monkeypatch, month="2026-04"))


def test_month_and_service_come_from_the_url(lake, monkeypatch):
    app = show(lake, monkeypatch, month="2026-03", service="inference-api")
    assert app.selectbox(key="month").value == "2026-03"
    assert app.multiselect(key="service").value == ["inference-api"]
    services = next(frame.value for frame in app.dataframe if "budget_minutes" in frame.value)
    assert services["label"].to_list() == ["Inference API"]


def test_choosing_a_month_shows_that_month(lake, monkeypatch):
    app = show(lake, monkeypatch, month="2026-04")
    app.selectbox(key="month").set_value("2026-03").run()
    assert "Mar 2026" in words(app)


def test_maintenance_is_listed_with_its_reason(lake, monkeypatch):
    app = show(lake, monkeypatch, month="2026-04")
    windows = next(frame.value for frame in app.dataframe if "reason" in frame.value)
    assert windows["reason"].to_list() == ["Upgrade"]
    assert "None was planned" in words(show(lake, monkeypatch, month="2026-03"))


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_an_empty_lake_says_what_to_add(tmp_path, monkeypatch, lang):
    (tmp_path / "log.csv").write_text("service,start,end,severity\n")
    config = loaded(tmp_path, source("log", "incidents", "log.csv"))
    app = show(config.file, monkeypatch, lang=lang)
    assert not app.exception
    assert "`incidents`" in words(app)


def test_objectives_without_a_log_claim_nothing(tmp_path, monkeypatch):
    (tmp_path / "slo.csv").write_text(SLO, encoding="utf-8")
    config = loaded(tmp_path, source("objectives", "reference", "slo.csv"))
    app = show(config.file, monkeypatch)
    assert not app.exception
    assert "No service has a level yet." in words(app)


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_planted_breach_is_the_only_one_and_first(light_sample, monkeypatch, lang):
    truth = tomllib.loads((ROOT / "sample_data" / "truths.toml").read_text())["breached_slo"]
    app = show(light_sample.file, monkeypatch, month=truth["month"], lang=lang)
    assert not app.exception
    services = next(frame.value for frame in app.dataframe if "budget_minutes" in frame.value)
    overspent = services[services["status"].str.startswith("▲")]
    assert len(overspent) == 1
    assert overspent.index[0] == 0
    assert overspent["downtime_minutes"].to_list() == [truth["downtime_minutes"]]
