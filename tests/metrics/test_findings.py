"""What is planted in the sample is found, with its money; what is not known is not a finding."""

import tomllib
from datetime import date
from decimal import Decimal

import polars as pl
import pytest

from config import Config
from metrics.findings import FINDING, findings
from tests.lakes import ROOT, facts_of


@pytest.fixture(scope="module")
def truths() -> dict[str, dict[str, object]]:
    return tomllib.loads((ROOT / "sample_data" / "truths.toml").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def found(sample: Config) -> pl.DataFrame:
    return findings(facts_of(sample)).frame


def one(found: pl.DataFrame, kind: str) -> dict[str, object]:
    return found.filter((pl.col("kind") == kind) & (pl.col("severity") == "red")).row(0, named=True)


def test_the_idle_cluster_and_its_money_are_found(found, truths):
    idle = found.filter(pl.col("kind") == "idle_cluster")
    assert idle["subject"].to_list() == [truths["idle_cluster"]["cluster"]]
    assert idle["amount"][0] > 0


def test_the_forgotten_commitment_is_found_with_all_it_wasted(found, truths):
    row = one(found, "forgotten_commitment")
    assert row["subject"] == truths["forgotten_commitment"]["id"]
    wasted = Decimal(str(truths["forgotten_commitment"]["unused_cost"]))
    assert abs(row["amount"] - wasted) < 1
    assert row["currency"] == truths["forgotten_commitment"]["currency"]


def test_the_slipping_milestone_is_found_with_what_waits_for_it(found, truths):
    row, truth = one(found, "slipping_milestone"), truths["slipping_milestone"]
    assert str(row["subject"]).endswith(f"/{truth['task_uid']}")
    assert row["days"] == truth["slip_days"]
    assert row["count"] == truth["gpus_waiting"]
    assert isinstance(row["at"].date(), date) and row["at"].date() == truth["forecast"]
    assert row["amount"] > 0


def test_the_tenant_over_budget_is_found(found, truths):
    over = found.filter(pl.col("kind") == "over_budget")
    assert over["subject"].to_list() == [truths["over_budget"]["tenant"]]
    assert over["month"].to_list() == [truths["over_budget"]["month"]]
    assert over["percent"][0] > 100


def test_the_breached_slo_is_found(found, truths):
    breached = found.filter(pl.col("kind") == "slo_breached")
    assert breached["subject"].to_list() == [truths["breached_slo"]["service"]]
    assert breached["minutes"][0] == truths["breached_slo"]["downtime_minutes"]
    assert breached["percent"][0] < 0


def test_the_gravest_come_first_then_by_money(found):
    amounts = found.filter(pl.col("severity") == "red")["amount"].drop_nulls().to_list()
    assert amounts == sorted(amounts, reverse=True)
    assert found["severity"].to_list() == sorted(found["severity"], reverse=True)


def test_an_empty_lake_has_no_findings_and_says_what_is_missing(empty_lake):
    answer = findings(facts_of(empty_lake))
    assert answer.frame.is_empty()
    assert answer.frame.columns == list(FINDING)
    assert answer.notes


def test_a_cluster_without_jobs_or_samples_is_unknown_not_idle(light_sample):
    frame = findings(facts_of(light_sample)).frame
    assert "idle_cluster" not in frame["kind"].to_list()
