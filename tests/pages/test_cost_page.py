"""The cost page: both languages, choices in the URL, empty and partial states."""

import re
import tomllib
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from tests.lakes import loaded, source
from tests.metrics.bills import charge, lake, rule
from tests.real import real

ROOT = Path(__file__).resolve().parents[2]
IMAGE = "![x](http://example.org/x.png)"


def show(config_file: Path, monkeypatch, **query: str) -> AppTest:
    monkeypatch.setenv("QUARTERMASTER_CONFIG", str(config_file))
    app = AppTest.from_file(str(ROOT / "pages" / "cost_allocation.py"), default_timeout=90)
    for key, value in query.items():
        app.query_params[key] = value
    app.run()
    assert not app.exception
    return app


def words(app: AppTest) -> str:
    return "\n".join(element.value for element in [*app.title, *app.markdown, *app.caption])


def figures(app: AppTest) -> dict[str, str]:
    return {tile.label: tile.value for tile in app.metric}


@pytest.fixture(scope="module")
def config_file(tmp_path_factory) -> Path:
    before = {
        "BillingPeriodStart": "2026-02-01T00:00:00Z",
        "BillingPeriodEnd": "2026-03-01T00:00:00Z",
        "ChargePeriodStart": "2026-02-01T00:00:00Z",
        "ChargePeriodEnd": "2026-02-02T00:00:00Z",
    }
    forgotten = {
        "EffectiveCost": "50",
        "CommitmentDiscountId": "c",
        "CommitmentDiscountName": IMAGE,
        "CommitmentDiscountType": "Reservation",
        "CommitmentDiscountStatus": "Unused",
        "ServiceName": "B",
    }
    return lake(
        tmp_path_factory.mktemp("cost"),
        [
            charge("800.00", **before),
            charge("0", **before, **forgotten),
            charge("1000.00"),
            charge("0", **forgotten),
            charge("300", ServiceName="B"),
            charge("100", ServiceName="Nobody's"),
            charge("70", BillingCurrency="CNY"),
        ],
        [
            rule("b", "direct", 1, "service_name", operator="equals", value="B", tenant="b"),
            rule("a", "direct", 2, "service_name", operator="starts_with", value="G", tenant="a"),
        ],
        tenants="tenant,name,name_zh\na,Team A,甲组\nb,Team B,乙组\n",
        budget="tenant,month,currency,amount,version\na,2026-03,USD,900,v1\nb,2026-03,USD,900,v1\n",
        fx_rate="month,from_currency,to_currency,rate\n2026-03,CNY,USD,0.14\n",
    ).file


def test_headline_answers_with_figures(config_file, monkeypatch):
    said = words(show(config_file, monkeypatch))
    # 1,400 against 800; A pays 1,000 of it; A's budget is 900 and 70 CNY are 9.80 USD more.
    assert "**Mar 2026** cost **1.4\u2009k\u2009USD** (billed cost), **+75.0\u2009%**" in said
    assert "**Team A** pays most, **71\u2009%**." in said
    assert "**100\u2009USD** is unallocated (7.1\u2009%)." in said
    assert "Over budget: **Team A** (112\u2009%)." in said
    assert "the difference is **0**" in said


def test_tiles_count_what_needs_a_decision(config_file, monkeypatch):
    tiles = figures(show(config_file, monkeypatch))
    assert tiles["Spend, USD"] == "1,400"
    assert tiles["Unallocated, %"] == "7.1"
    assert tiles["Over budget"] == "1 of 2"
    assert tiles["Unused, USD"] == "50.00"
    assert tiles["Bill check, USD"] == "■ 0"


def test_name_from_a_bill_never_becomes_markup(config_file, monkeypatch):
    said = words(show(config_file, monkeypatch))
    assert "Paid for and unused" in said
    assert IMAGE not in said


def test_month_basis_and_currency_come_from_the_url(config_file, monkeypatch):
    app = show(config_file, monkeypatch, month="2026-02", basis="effective")
    assert app.selectbox(key="month").value == "2026-02"
    assert figures(app)["Spend, USD"] == "850.00"
    app = show(config_file, monkeypatch, currency="CNY")
    assert figures(app)["Spend, CNY"] == "70.00"


def test_choosing_another_basis_changes_every_figure(config_file, monkeypatch):
    app = show(config_file, monkeypatch)
    app.segmented_control(key="basis").set_value("effective").run()
    assert not app.exception
    assert figures(app)["Spend, USD"] == "1,450"
    assert "effective" in app.query_params["basis"]


def test_every_word_is_chinese_in_chinese(config_file, monkeypatch):
    app = show(config_file, monkeypatch, lang="zh")
    said = words(app)
    assert app.title[0].value == "成本分摊"
    assert "**甲组**承担最多" in said
    for english in ("cost", "pays", "budget", "charges", "Rule"):
        assert english not in re.sub(r"`[^`]*`", "", said), english
    assert not [tile.label for tile in app.metric if "spend" in tile.label.lower()]


def test_page_without_bills_says_what_to_add(tmp_path, monkeypatch):
    (tmp_path / "tenant.csv").write_text("tenant,name\na,A\n")
    file = loaded(tmp_path, source("tables", "reference", "tenant.csv")).file
    for lang, sentence in (("en", "No bills are loaded yet."), ("zh", "尚未载入账单。")):
        app = show(file, monkeypatch, lang=lang)
        assert sentence in words(app)
        assert "`focus`" in words(app)
        assert not app.metric


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_lake_that_was_never_loaded_says_what_to_add(empty_lake, monkeypatch, lang):
    app = show(empty_lake.file, monkeypatch, lang=lang)
    assert "`focus`" in words(app)
    assert not app.metric


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_sample_shows_who_is_over_budget_and_what_is_forgotten(sample, monkeypatch, lang):
    truths = tomllib.loads((ROOT / "sample_data" / "truths.toml").read_text())
    app = show(sample.file, monkeypatch, lang=lang)
    said = words(app)
    over = {"multimodal": {"en": "Over budget: **Multimodal**", "zh": "超预算：**多模态**"}}
    assert over[truths["over_budget"]["tenant"]][lang] in said
    assert "64 x H100 reserved" in said
    assert truths["over_budget"]["month"] == app.selectbox(key="month").value
    reserved = next(
        frame.value for frame in app.dataframe if "unused_months" in frame.value.columns
    )
    # Unused since 15 June: six months in a row by November.
    assert reserved["unused_months"].iloc[0] == 6
    tiles = figures(app)
    assert tiles[{"en": "Over budget", "zh": "超预算"}[lang]].startswith("1 ")
    assert "■ 0" in tiles.values()


@pytest.mark.golden
def test_real_bill_without_rules_is_all_unallocated_and_reconciled(tmp_path, monkeypatch):
    path = real("billing/focus_1_0_sample_1000.csv")
    file = loaded(tmp_path, source("bills", "focus", path)).file
    for lang in ("en", "zh"):
        app = show(file, monkeypatch, lang=lang)
        # The one Oracle row of October is another month's.
        assert "20.28022672899" in words(app)
    assert app.selectbox(key="month").value == "2024-09"
