"""The utilisation page on the sample company: its idle cluster cannot be overlooked."""

import tomllib

import polars as pl
import pytest

from config import Config
from metrics.answer import metrics
from tests.lakes import ROOT, facts_of

TRUTHS = tomllib.loads((ROOT / "sample_data" / "truths.toml").read_text(encoding="utf-8"))
IDLE = TRUTHS["idle_cluster"]["cluster"]


@pytest.mark.parametrize(
    ("lang", "said"), [("en", "**Singapore training** is idle"), ("zh", "闲置：28 天内利用率")]
)
def test_the_headline_names_the_idle_cluster(lang, said, sample: Config, show, words) -> None:
    shown = show("utilisation", sample, lang=lang)
    assert not shown.exception
    assert said in words(shown)


def test_the_idle_cluster_is_the_only_cluster_found_idle(sample: Config) -> None:
    frame = metrics()["idle-candidates"].function(facts_of(sample)).frame
    row = frame.filter(pl.col("kind") == "cluster").row(0, named=True)
    assert row["cluster"] == IDLE
    assert frame.filter(pl.col("kind") == "cluster").height == 1
    assert row["cost"] > 0


def test_losses_of_the_month_are_all_that_is_owned_and_all_it_cost(sample: Config) -> None:
    answer = metrics()["funnel"].function(facts_of(sample), month="2026-11")
    levels = {row["level"]: row for row in answer.frame.to_dicts()}
    losses = answer.extra["losses"]
    assert losses["percent"].sum() == pytest.approx(100)
    assert losses["gpu_hours"].sum() == pytest.approx(levels["owned"]["gpu_hours"])
    assert float(losses["cost"].sum()) == pytest.approx(float(levels["owned"]["cost"]), abs=0.01)


def test_each_level_lies_inside_the_one_above(sample: Config) -> None:
    frame = metrics()["funnel"].function(facts_of(sample), month="2026-11").frame
    hours = frame["gpu_hours"].drop_nulls().to_list()
    assert len(hours) == 7
    assert hours == sorted(hours, reverse=True)


def test_gpu_hours_add_up_to_what_the_funnel_calls_allocated(sample: Config) -> None:
    facts = facts_of(sample)
    used = metrics()["gpu-hours"].function(facts, month="2026-11").frame
    levels = metrics()["funnel"].function(facts, month="2026-11").frame
    allocated = levels.filter(pl.col("level") == "allocated")["gpu_hours"].item()
    assert used["gpu_hours"].sum() == pytest.approx(allocated)


def test_a_tenant_and_a_cluster_are_chosen_in_the_url(sample: Config, show, words) -> None:
    shown = show("utilisation", sample, tenant="multimodal", cluster=IDLE, month="2026-10")
    assert not shown.exception
    assert "In Oct 2026 Multimodal held" in words(shown)
