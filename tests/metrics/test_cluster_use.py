"""GPU-hours, funnel, waits, idle and MFU through a lake: small files worked by hand."""

from decimal import Decimal

import polars as pl
import pytest

from config import Config
from metrics.answer import metrics
from metrics.facts import Facts
from tests.lakes import facts_of, loaded, source

SACCT = """\
JobID|Account|User|State|Submit|Eligible|Start|End|Elapsed|AllocTRES|NodeList
1|pre|li|COMPLETED|2026-01-30T11:00:00|2026-01-30T11:00:00|2026-01-30T12:00:00|2026-02-02T06:00:00|2-18:00:00|gres/gpu=64|sh[1-8]
2|pre|li|PREEMPTED|2026-02-03T00:00:00|2026-02-03T00:00:00|2026-02-03T00:00:00|2026-02-03T10:00:00|10:00:00|gres/gpu=8|sh1
2|pre|li|COMPLETED|2026-02-03T10:00:00|2026-02-03T10:00:00|2026-02-03T11:00:00|2026-02-03T21:00:00|10:00:00|gres/gpu=8|sh1
3|ghost|mo|FAILED|2026-02-03T00:00:00|2026-02-03T00:00:00|2026-02-03T00:30:00|2026-02-03T01:00:00|00:30:00|gres/gpu=8|sh2
3.batch|ghost||FAILED|2026-02-03T00:00:00|2026-02-03T00:00:00|2026-02-03T00:30:00|2026-02-03T01:00:00|00:30:00|gres/gpu=8|sh2
4|spk|wu|RUNNING|2026-02-28T20:00:00|2026-02-28T20:00:00|2026-02-28T20:00:00|Unknown|04:00:00|gres/gpu=8|sh3
5|spk|wu|PENDING|2026-02-28T22:00:00|2026-02-28T22:00:00|Unknown|Unknown|00:00:00||
"""

TENANT = """\
tenant,name,slurm_accounts
pretraining,Pre-training,pre;pre-large
speech,Speech,spk
"""
CLUSTER = """\
cluster,name,scheduler,accelerator,gpus,gpus_per_node,in_service_from
sh,Shanghai,slurm,H800 SXM,128,8,2026-01-01
"""
ACCELERATOR = """\
accelerator,precision,dense_tflops
H800 SXM,BF16,989.4
H800 SXM,FP8,1978.9
"""
ENGINE = "DCGM_FI_PROF_GR_ENGINE_ACTIVE"
RUNS = """\
run,tenant,cluster,accelerator,count,precision,formula,start,end,params,tokens_per_s
steady,pretraining,sh,H800 SXM,64,bf16,6n,2026-02-01T00:00:00Z,2026-02-02T00:00:00Z,8e9,527680
sparse,pretraining,sh,H800 SXM,8,bf16,6n,,,8e9,1000
lost,speech,sh,H900,8,bf16,6n,,,8e9,1000
eager,speech,sh,H800 SXM,8,bf16,6n,,,700e9,70000
half,speech,sh,H800 SXM,8,fp8,6n,,,8e9,65960
"""


def gpu_samples() -> str:
    """Two days: sh1 busy at 0.6 all of Feb 3; sh3 busy on Feb 28 to 22:00, then idle."""
    lines = [f"timestamp,cluster,node,gpu_uuid,{ENGINE},DCGM_FI_PROF_SM_ACTIVE"]
    for hour in range(24):
        lines += [f"2026-02-03T{hour:02d}:00:00Z,sh,sh1,GPU-1-{g},0.6,0.3" for g in range(8)]
    for hour in range(20, 24):
        busy = 0.5 if hour < 22 else 0.0
        lines += [f"2026-02-28T{hour:02d}:00:00Z,sh,sh3,GPU-3-{g},{busy},0" for g in range(8)]
    return "\n".join(lines) + "\n"


@pytest.fixture(scope="module")
def config(tmp_path_factory: pytest.TempPathFactory) -> Config:
    folder = tmp_path_factory.mktemp("cluster")
    reference = folder / "reference"
    reference.mkdir()
    (reference / "tenant.csv").write_text(TENANT)
    (reference / "cluster.csv").write_text(CLUSTER)
    (reference / "accelerator.csv").write_text(ACCELERATOR)
    (folder / "sacct.txt").write_text(SACCT)
    (folder / "gpu.csv").write_text(gpu_samples())
    (folder / "runs.csv").write_text(RUNS)
    blocks = (
        source("reference", "reference", "reference/*.csv")
        + source("jobs", "slurm", "sacct.txt", cluster="sh")
        + source("gpus", "gpu_metrics", "gpu.csv")
        + source("runs", "training_runs", "runs.csv")
    )
    return loaded(folder, blocks)


@pytest.fixture(scope="module")
def facts(config: Config) -> Facts:
    return facts_of(config)


def ask(facts: Facts, name: str, **parameters: object) -> pl.DataFrame:
    return metrics()[name].function(facts, **parameters).frame


def test_gpu_hours_are_clipped_to_the_month(facts: Facts) -> None:
    january = ask(facts, "gpu-hours", month="2026-01").to_dicts()
    assert january == [
        {"cluster": "sh", "tenant": "pretraining", "jobs": 1, "gpu_hours": 2304.0, "cost": None}
    ]
    # Feb: job 1 has 30 h x 64, job 2 twice 10 h x 8 as one job, job 4 4 h x 8.
    february = ask(facts, "gpu-hours", month="2026-02")
    assert february.select("tenant", "jobs", "gpu_hours").rows() == [
        ("pretraining", 2, 1920.0 + 160.0),
        ("speech", 1, 32.0),
        ("unallocated", 1, 4.0),
    ]
    assert february["cost"].null_count() == 3, "an unknown cost is not zero"


def test_gpu_hours_by_hour_tie_to_the_runs(facts: Facts) -> None:
    by_hour = facts.table("job_tenant_hour")["gpu_hours"].sum()
    runs = facts.table("job_run").filter(pl.col("start").is_not_null())
    assert by_hour == pytest.approx(runs["gpu_hours"].sum())


def test_the_funnel_of_a_month(facts: Facts) -> None:
    answer = metrics()["funnel"].function(facts, month="2026-02")
    levels = {row["level"]: row for row in answer.frame.to_dicts()}
    owned = 128 * 24 * 28
    assert levels["owned"]["gpu_hours"] == owned
    assert levels["allocated"]["gpu_hours"] == pytest.approx(2116)
    # 24 h x 8 at 0.6 and 2 h x 8 at 0.5; watched were 24 x 8 + 4 x 8 hours of all available.
    assert levels["active"]["gpu_hours"] == pytest.approx(min(24 * 8 * 0.6 + 8, 2116 * 224 / owned))
    losses = answer.extra["losses"]
    assert losses["gpu_hours"].sum() == pytest.approx(owned)
    assert losses["percent"].sum() == pytest.approx(100)
    assert losses.filter(pl.col("loss") == "not_measured")["gpu_hours"].item() > 0
    assert answer.coverage_percent == pytest.approx(100 * 224 / owned)


def test_a_tenant_s_funnel_counts_only_nodes_it_held_alone(facts: Facts) -> None:
    frame = ask(facts, "funnel", month="2026-02", tenant="speech")
    levels = dict(frame.select("level", "gpu_hours").rows())
    assert levels["owned"] is None
    assert levels["allocated"] == 32
    assert levels["active"] == pytest.approx(2 * 8 * 0.5)


def test_a_month_without_data_is_empty_not_zero(facts: Facts) -> None:
    frame = ask(facts, "funnel", month="2025-06")
    assert frame["gpu_hours"].null_count() == frame.height


def test_a_running_job_that_does_nothing_is_a_candidate(facts: Facts) -> None:
    frame = ask(facts, "idle-candidates").filter(pl.col("kind") == "job")
    row = frame.row(0, named=True)
    assert (row["job_id"], row["tenant"], row["owner"], row["gpus"]) == ("4", "speech", "wu", 8)
    assert row["last_active"].isoformat() == "2026-02-28T22:00:00+00:00"
    assert row["gpu_hours"] == 16  # 8 GPUs since 22:00, data through midnight


def test_a_cluster_little_used_is_a_candidate(facts: Facts) -> None:
    frame = ask(facts, "idle-candidates").filter(pl.col("kind") == "cluster")
    assert frame["cluster"].to_list() == ["sh"]


def test_pending_jobs_wait_until_the_data_ends(facts: Facts) -> None:
    row = ask(facts, "queue-wait", month="2026-02").row(0, named=True)
    # Waits: 0 and 3600 (job 2), 1800 (job 3), 0 (job 4), 7200 so far (job 5).
    assert (row["runs"], row["pending"]) == (5, 1)
    assert row["mean_s"] == (0 + 3600 + 1800 + 0 + 7200) / 5
    assert row["p50_s"] == 1800


def test_outcomes_by_count_and_by_hours(facts: Facts) -> None:
    frame = ask(facts, "job-outcomes", month="2026-02")
    shares = {row["outcome"]: row for row in frame.to_dicts()}
    assert shares["failed"]["share_of_runs"] == pytest.approx(1 / 5)
    assert shares["failed"]["share_of_gpu_hours"] == pytest.approx(4 / 2116)


def test_use_by_day_and_hour_of_the_week(facts: Facts) -> None:
    answer = metrics()["use-over-time"].function(facts, month="2026-02")
    third = answer.frame.filter(pl.col("day").dt.day() == 3).row(0, named=True)
    assert third["allocated"] == pytest.approx(160 + 4)
    assert third["owned"] == 128 * 24
    assert answer.extra["week"].height == 7 * 24


def test_mfu_shows_formula_peak_and_precision(facts: Facts) -> None:
    rows = {(row["run"], row["peak_tflops"]): row for row in ask(facts, "mfu").to_dicts()}
    # 6 x 8e9 x 527,680 / 64 / 989.4e12
    steady = rows["steady", 989.4]
    assert steady["mfu_percent"] == pytest.approx(40.0, abs=0.001)
    assert (steady["formula"], steady["precision"]) == ("6n", "BF16")
    assert steady["hfu_percent"] is None
    assert steady["note"] == "attention not counted"


def test_an_fp8_run_is_shown_against_both_peaks(facts: Facts) -> None:
    frame = ask(facts, "mfu").filter(pl.col("run") == "half").sort("peak_tflops")
    assert frame["peak_tflops"].to_list() == [989.4, 1978.9]
    assert frame["mfu_percent"].to_list() == pytest.approx([40.0, 20.0], abs=0.01)
    assert frame["note"].to_list() == [
        "attention not counted; against the BF16 peak",
        "attention not counted; against the FP8 peak",
    ]


def test_an_impossible_mfu_is_refused_with_its_cause(facts: Facts) -> None:
    row = ask(facts, "mfu").filter(pl.col("run") == "eager").row(0, named=True)
    assert row["mfu_percent"] is None
    assert "refused: 3714.4 % of peak; the parameters may be the total" in row["note"]


def test_an_unknown_accelerator_names_the_nearest(facts: Facts) -> None:
    row = ask(facts, "mfu").filter(pl.col("run") == "lost").row(0, named=True)
    assert row["mfu_percent"] is None
    assert row["note"] == 'accelerator "H900" is unknown; the nearest known is "H800 SXM"'


def test_money_is_the_cluster_s_cost_by_share_of_what_it_owns() -> None:
    from metrics.gpu_hours import priced

    assert priced(144.0, 576.0, Decimal("1000.00")) == Decimal("250.00")
    assert priced(144.0, None, Decimal("1000.00")) is None
    assert priced(144.0, 576.0, None) is None


def test_json_keys_are_exactly_those_of_the_command_line(facts: Facts) -> None:
    assert ask(facts, "gpu-hours").columns == ["cluster", "tenant", "jobs", "gpu_hours", "cost"]
    assert ask(facts, "mfu").columns == [
        "run",
        "accelerator",
        "precision",
        "formula",
        "peak_tflops",
        "mfu_percent",
        "hfu_percent",
        "note",
    ]


def test_the_same_files_again_change_nothing(config: Config) -> None:
    before = ask(facts_of(config), "gpu-hours", month="2026-02").rows()
    loaded_again = loaded(config.file.parent, config.file.read_text().split("\n\n", 1)[1])
    assert ask(facts_of(loaded_again), "gpu-hours", month="2026-02").rows() == before


def test_a_zone_half_an_hour_off_still_sees_its_hours(config: Config) -> None:
    moved = config.model_copy(update={"timezone": "Asia/Kolkata"})
    frame = metrics()["use-over-time"].function(facts_of(moved), month="2026-02").frame
    # February there is Jan 31 18:30 to Feb 28 18:30 UTC, taken from 18:00: job 1 has six
    # hours more on 64 GPUs, job 4 (8 GPUs from 20:00 on the 28th) is in March.
    assert frame["allocated"].sum() == pytest.approx(2116 + 6 * 64 - 32)
