"""The utilisation page in both languages: full, empty, partial, and on real files."""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from config import Config
from metrics.funnel import FORMULA, TENANT_TOP
from tests.lakes import ROOT, loaded, source
from tests.real import real
from ui.charts.funnel import LEVELS, LOSSES
from ui.i18n import translate

SACCT = """\
JobID|Account|User|State|Submit|Eligible|Start|End|Elapsed|AllocTRES|NodeList
1|pre|li|COMPLETED|2026-02-01T11:00:00|2026-02-01T11:00:00|2026-02-01T12:00:00|2026-02-02T06:00:00|18:00:00|gres/gpu=64|sh[1-8]
2|spk|wu|RUNNING|2026-02-28T20:00:00|2026-02-28T20:00:00|2026-02-28T20:00:00|Unknown|04:00:00|gres/gpu=8|sh3
"""
TENANT = """\
tenant,name,name_zh,slurm_accounts
pretraining,Pre-training,大模型预训练,pre
speech,Speech,语音,spk
"""
CLUSTER = """\
cluster,name,name_zh,scheduler,accelerator,gpus,gpus_per_node,in_service_from
sh,Shanghai,上海,slurm,H800 SXM,128,8,2026-01-01
"""
SAMPLES = "timestamp,cluster,node,gpu_uuid,DCGM_FI_PROF_GR_ENGINE_ACTIVE\n" + "\n".join(
    f"2026-02-28T{hour:02d}:00:00Z,sh,sh3,GPU-{gpu},0" for hour in range(20, 24) for gpu in range(8)
)


def page(config: Config, monkeypatch: pytest.MonkeyPatch, **query: str) -> AppTest:
    monkeypatch.setenv("QUARTERMASTER_CONFIG", str(config.file))
    test = AppTest.from_file(str(ROOT / "pages" / "utilisation.py"), default_timeout=60)
    for key, value in query.items():
        test.query_params[key] = value
    test.run()
    assert not test.exception, test.exception
    return test


def words(test: AppTest) -> str:
    shown = [*test.markdown, *test.caption, *test.title]
    return "\n".join(str(element.value) for element in shown)


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Config:
    folder = tmp_path_factory.mktemp("page")
    (folder / "reference").mkdir()
    (folder / "reference" / "tenant.csv").write_text(TENANT, encoding="utf-8")
    (folder / "reference" / "cluster.csv").write_text(CLUSTER, encoding="utf-8")
    (folder / "sacct.txt").write_text(SACCT)
    (folder / "gpu.csv").write_text(SAMPLES)
    return loaded(
        folder,
        source("reference", "reference", "reference/*.csv")
        + source("jobs", "slurm", "sacct.txt", cluster="sh")
        + source("gpus", "gpu_metrics", "gpu.csv"),
    )


def test_the_headline_answers_with_figures(small: Config, monkeypatch: pytest.MonkeyPatch) -> None:
    test = page(small, monkeypatch)
    assert "In Feb 2026 jobs held **1.4" in words(test)
    assert "The largest loss is **not allocated**" in words(test)
    assert [metric.label for metric in test.metric][:2] == [
        "Allocated, %",
        "Active, %",
    ]


def test_every_word_is_in_chinese(small: Config, monkeypatch: pytest.MonkeyPatch) -> None:
    test = page(small, monkeypatch, lang="zh")
    assert "2026年2月，作业占用了可用 GPU 时的" in words(test)
    assert test.title[0].value == "利用率与 MFU"
    assert "上海" in str(test.dataframe[0].value)


def test_filters_come_from_the_url(small: Config, monkeypatch: pytest.MonkeyPatch) -> None:
    test = page(small, monkeypatch, tenant="speech", cluster="sh")
    assert [box.value for box in test.selectbox if box.key == "tenant"] == ["speech"]
    assert "In Feb 2026 Speech held **32" in words(test)


def test_without_training_runs_the_mfu_card_says_what_to_add(
    small: Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "`training_runs`" in words(page(small, monkeypatch))


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_an_empty_lake_says_which_sources_to_add(
    lang: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "reference"
    folder.mkdir()
    (folder / "tenant.csv").write_text(TENANT, encoding="utf-8")
    config = loaded(tmp_path, source("reference", "reference", "reference/*.csv"))
    test = page(config, monkeypatch, lang=lang)
    assert "`slurm`" in words(test)
    assert not test.metric


@pytest.mark.golden
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_real_exports_are_shown(lang: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = ("slurm2sql_sacct_parsable2_1.psv", "requeue_duplicates_reportseff_issue25.psv")
    blocks = "".join(
        source(f"jobs {name}", "slurm", real(f"cluster/slurm/{name}"), cluster="x")
        for name in (*names, "reportseff_sacct_pipe_11col.psv")
    )
    blocks += source("gpus", "gpu_metrics", f"{real('cluster/dcgm')}/*.prom", cluster="x")
    test = page(loaded(tmp_path, blocks), monkeypatch, lang=lang)
    assert test.title


def test_every_message_of_the_page_has_a_translation() -> None:
    for message in ("Utilisation and MFU", *LEVELS.values(), *LOSSES.values(), FORMULA, TENANT_TOP):
        assert translate(message, "zh") != message
