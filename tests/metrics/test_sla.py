"""The SLA figures end to end: logs and objectives as files, figures by name."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from metrics import sla as module
from metrics.answer import Answer, CannotAnswer, metrics
from metrics.sla import KEYS, sla, sla_trend
from tests.lakes import facts_of, loaded, outcomes, source

SLO = """service,name,name_zh,kind,target_percent,cluster,gpus,owner,valid_from
inference-api,Inference API,推理服务,inference,99.95,,,Ann,2026-01-01
portal,Portal,门户,platform,99.9,shanghai,,Bo,2026-04-16
training-sh,Training Shanghai,上海训练,training,99.9,shanghai,1024,Cai,
"""


def lake(
    folder: Path,
    incidents: str | None,
    maintenance: str | None = None,
    *,
    slo: str = SLO,
    timezone: str = "UTC",
):
    blocks = ""
    for name, kind, heading, text in (
        ("objectives", "reference", "", slo),
        ("incidents", "incidents", "service,start,end,severity,cause,gpus\n", incidents),
        ("calendar", "maintenance", "service,cluster,start,end,reason,gpus\n", maintenance),
    ):
        if text is not None:
            file = folder / ("slo.csv" if kind == "reference" else f"{kind}.csv")
            file.write_text(heading + text, encoding="utf-8")
            blocks += source(name, kind, file.name)
    return facts_of(loaded(folder, blocks, timezone=timezone))


def row(answer: Answer, service: str) -> dict:
    (found,) = [r for r in answer.frame.to_dicts() if r["service"] == service]
    return found


def test_keys_and_order_are_the_documented_ones(tmp_path):
    answer = sla(
        lake(tmp_path, "inference-api,2026-04-10 10:00,2026-04-10 11:00,S1,x,\n"), "2026-04"
    )
    assert tuple(answer.frame.columns) == KEYS
    assert metrics()["sla"].function is module.sla


def test_a_month_over_its_budget(tmp_path):
    # 21.6 min allowed, 43.2 used: -100 % left.
    facts = lake(tmp_path, "inference-api,2026-04-10 10:00:00,2026-04-10 10:43:12,S1,rollout,\n")
    found = row(sla(facts, "2026-04"), "inference-api")
    assert (found["target"], found["sli"]) == (0.9995, 0.999)
    assert (found["budget_minutes"], found["downtime_minutes"]) == (21.6, 43.2)
    assert found["budget_left_percent"] == pytest.approx(-100)
    assert found["mttr_minutes"] == pytest.approx(43.2)
    assert found["mtbf_hours"] == pytest.approx((43_200 - 43.2) / 60)
    assert found["coverage_percent"] == 100


def test_a_training_cluster_is_weighed_by_accelerators_and_by_scheduler(tmp_path):
    lines = (
        "training-sh,2026-04-10 00:00,2026-04-10 06:00,S3,gpu,8\n"
        "training-sh,2026-04-20 00:00,2026-04-20 00:43:12,S1,scheduler,\n"
    )
    answer = sla(lake(tmp_path, lines), "2026-04")
    # 48 GPU-h of 737,280 and 43.2 minutes of all of them.
    expected = 1 - (48 + 1024 * 0.72) / (1024 * 720)
    assert row(answer, "training-sh")["sli"] == pytest.approx(expected)
    about = answer.extra["service"].filter(service="training-sh").to_dicts()[0]
    assert about["scheduler_up"] == pytest.approx(0.999)
    assert module.WEIGHED in answer.notes


def test_one_node_of_eight_for_six_hours_in_a_30_day_month(tmp_path):
    facts = lake(tmp_path, "training-sh,2026-04-10 00:00,2026-04-10 06:00,S3,gpu,8\n")
    assert round(100 * row(sla(facts, "2026-04"), "training-sh")["sli"], 6) == 99.993490


def test_overlapping_incidents_are_one_outage_and_two_repairs(tmp_path):
    lines = (
        "inference-api,2026-04-10 10:00,2026-04-10 10:40,S1,x,\n"
        "inference-api,2026-04-10 10:20,2026-04-10 11:00,S2,y,\n"
    )
    answer = sla(lake(tmp_path, lines), "2026-04")
    found = row(answer, "inference-api")
    assert found["downtime_minutes"] == 60
    assert found["mttr_minutes"] == 40
    assert found["mtbf_hours"] == pytest.approx(719)
    about = answer.extra["service"].filter(service="inference-api").to_dicts()[0]
    assert about["mttr_outage_minutes"] == 60


def test_maintenance_of_a_cluster_counts_for_its_services_with_and_without(tmp_path):
    facts = lake(
        tmp_path,
        "portal,2026-04-20 00:30,2026-04-20 01:30,S1,x,\n",
        ",shanghai,2026-04-20 00:00,2026-04-20 01:00,Cooling loop,\n",
    )
    answer = sla(facts, "2026-04")
    found = row(answer, "portal")
    # The objective holds from 16 April: 15 days, 21,600 min.
    assert found["sli"] == (21_600 - 90) / 21_600
    assert found["sli_excluding_maintenance"] == (21_540 - 30) / 21_540
    assert found["downtime_minutes"] == 30
    assert found["budget_minutes"] == pytest.approx(21.54)
    assert answer.extra["maintenance"]["reason"].unique().to_list() == ["Cooling loop"]
    assert set(answer.extra["maintenance"]["service"]) == {"portal", "training-sh"}


def test_a_service_is_absent_before_its_objective(tmp_path):
    facts = lake(tmp_path, "inference-api,2026-03-10 10:00,2026-03-10 11:00,S1,x,\n")
    assert sla(facts, "2026-03").frame["service"].to_list() == ["inference-api", "training-sh"]


def test_without_an_incident_log_nothing_is_up(tmp_path):
    facts = lake(tmp_path, None, "portal,,2026-04-20 00:00,2026-04-20 01:00,x,\n")
    answer = sla(facts, "2026-04")
    assert answer.frame["sli_excluding_maintenance"].null_count() == 3
    assert answer.frame["sli"].null_count() == 3
    assert answer.frame["downtime_minutes"].null_count() == 3
    assert answer.notes[0] == module.NO_LOG


def test_a_month_before_the_log_begins_is_unknown_not_perfect(tmp_path):
    facts = lake(tmp_path, "inference-api,2026-04-10 10:00,2026-04-10 11:00,S1,x,\n")
    answer = sla(facts, "2026-03")
    assert answer.frame["sli"].to_list() == [None, None]
    assert answer.frame["coverage_percent"].to_list() == [0, 0]
    assert module.PARTLY_KNOWN in answer.notes


def test_a_quiet_service_in_a_log_is_up(tmp_path):
    facts = lake(tmp_path, "inference-api,2026-04-10 10:00,2026-04-10 11:00,S1,x,\n")
    found = row(sla(facts, "2026-05"), "training-sh")
    assert (found["sli"], found["mttr_minutes"], found["mtbf_hours"]) == (1.0, None, None)


def test_an_open_incident_counts_to_now_and_not_in_repair_time(tmp_path):
    lines = (
        "inference-api,2026-04-29 10:00,2026-04-29 11:00,S1,x,\n"
        "inference-api,2026-04-30 23:00,,S1,y,\n"
    )
    facts = lake(tmp_path, lines)
    answer = sla(facts, "2026-04")
    found = row(answer, "inference-api")
    assert found["downtime_minutes"] == 120
    assert found["mttr_minutes"] == 60
    assert module.OPEN_INCIDENTS in answer.notes
    assert row(sla(facts, "2026-05"), "inference-api")["sli"] == 0.0


def test_months_are_those_of_the_configured_zone(tmp_path):
    # 31 March 23:30 to 1 April 00:30 in Shanghai: half an hour in each month.
    facts = lake(
        tmp_path,
        "inference-api,2026-03-31 23:30,2026-04-01 00:30,S1,x,\n",
        timezone="Asia/Shanghai",
    )
    for month in ("2026-03", "2026-04"):
        assert row(sla(facts, month), "inference-api")["downtime_minutes"] == 30
    assert facts.month("2026-04")[0] == datetime(2026, 3, 31, 16, tzinfo=UTC)


def test_a_service_nobody_promised_anything_for_is_shown_without_a_budget(tmp_path):
    answer = sla(lake(tmp_path, "Portal,2026-04-20 00:00,2026-04-20 01:00,S1,x,\n"), "2026-04")
    found = row(answer, "Portal")
    assert (found["target"], found["budget_minutes"], found["downtime_minutes"]) == (None, None, 60)
    assert module.NO_OBJECTIVE in answer.notes


def test_a_changed_target_applies_from_the_month_it_is_valid_in(tmp_path):
    slo = SLO + "inference-api,Inference API,推理服务,inference,99.9,,,Ann,2026-05-01\n"
    facts = lake(tmp_path, "inference-api,2026-04-10 10:00,2026-04-10 11:00,S1,x,\n", slo=slo)
    assert row(sla(facts, "2026-04"), "inference-api")["target"] == 0.9995
    assert row(sla(facts, "2026-05"), "inference-api")["target"] == 0.999
    assert row(sla(facts, "2026-05"), "inference-api")["budget_minutes"] == 44.64


def test_degraded_incidents_are_listed_and_cost_nothing(tmp_path):
    (tmp_path / "log.csv").write_text(
        "service,start,end,severity,effect\n"
        "inference-api,2026-04-10 10:00,2026-04-10 11:00,S3,degraded\n"
        "inference-api,2026-04-11 00:00,2026-04-14 00:00,S3,unknown\n"
    )
    (tmp_path / "slo.csv").write_text(SLO, encoding="utf-8")
    blocks = source("o", "reference", "slo.csv") + source("i", "incidents", "log.csv")
    answer = sla(facts_of(loaded(tmp_path, blocks)), "2026-04")
    found = row(answer, "inference-api")
    assert (found["sli"], found["downtime_minutes"], found["mttr_minutes"]) == (1.0, 0.0, None)
    assert found["coverage_percent"] == 90
    assert answer.extra["incident"].height == 2


def test_the_same_incident_in_two_exports_counts_once_and_its_newer_form_holds(tmp_path):
    heading = "id,service,start,end,severity\n"
    (tmp_path / "log-1.csv").write_text(heading + "7,inference-api,2026-04-10 10:00,,S1\n")
    (tmp_path / "log-2.csv").write_text(
        heading + "7,inference-api,2026-04-10 10:00,2026-04-10 10:20,S1\n"
    )
    (tmp_path / "slo.csv").write_text(SLO, encoding="utf-8")
    blocks = source("o", "reference", "slo.csv") + source("i", "incidents", "log-*.csv")
    facts = facts_of(loaded(tmp_path, blocks))
    found = row(sla(facts, "2026-04"), "inference-api")
    assert (found["downtime_minutes"], found["mttr_minutes"]) == (20, 20)
    assert facts.table("incident").height == 1


def test_a_newer_copy_of_a_log_replaces_its_rows_and_other_files_keep_theirs(tmp_path):
    heading = "service,start,end,severity,cause,gpus\n"
    january = "inference-api,2026-01-10 10:00,2026-01-10 10:10,S1,x,\n"
    (tmp_path / "log-01.csv").write_text(heading + january)
    april = tmp_path / "log-04.csv"
    april.write_text(heading + "inference-api,2026-04-10 10:00,2026-04-10 10:20,S1,x,\n")
    (tmp_path / "slo.csv").write_text(SLO, encoding="utf-8")
    blocks = source("o", "reference", "slo.csv") + source("i", "incidents", "log-*.csv")
    config = loaded(tmp_path, blocks)
    # The start is corrected by an hour; without an id that is another incident.
    april.write_text(heading + "inference-api,2026-04-10 11:00,2026-04-10 11:20,S1,x,\n")
    outcomes(config)
    facts = facts_of(config)
    assert facts.table("incident").height == 2
    assert row(sla(facts, "2026-04"), "inference-api")["downtime_minutes"] == 20
    assert row(sla(facts, "2026-01"), "inference-api")["downtime_minutes"] == 10


def test_two_exports_of_one_calendar_plan_a_window_once(tmp_path):
    heading = "service,start,end,reason\n"
    line = "inference-api,2026-04-20 00:00,2026-04-20 01:00,Upgrade\n"
    (tmp_path / "plan-1.csv").write_text(heading + line)
    (tmp_path / "plan-2.csv").write_text(heading + line)
    facts = facts_of(loaded(tmp_path, source("m", "maintenance", "plan-*.csv")))
    assert facts.table("maintenance_window").height == 1


def test_alerts_that_fired_in_the_month_are_told_with_their_moment(tmp_path):
    answer = sla(
        lake(tmp_path, "inference-api,2026-04-10 10:00,2026-04-10 10:30,S1,x,\n"), "2026-04"
    )
    burn = answer.extra["burn"].filter(service="inference-api")
    assert burn["threshold"].to_list() == pytest.approx([14.4, 6, 3, 1])
    assert burn["fired"].all()
    assert not burn["firing"].any()
    assert burn["worst_at"].unique().to_list() == [datetime(2026, 4, 10, 10, 30, tzinfo=UTC)]
    assert not answer.extra["burn"].filter(service="training-sh")["fired"].any()


def test_the_trend_has_only_months_the_log_speaks_for(tmp_path):
    facts = lake(tmp_path, "inference-api,2026-04-10 10:00,2026-04-10 10:30,S1,x,\n")
    trend = sla_trend(facts, "2026-06").frame.filter(service="inference-api")
    assert trend["month"].to_list() == ["2026-04", "2026-05", "2026-06"]
    assert trend["sli_excluding_maintenance"].to_list()[1:] == [1.0, 1.0]


def test_nothing_loaded_says_so(tmp_path):
    facts = lake(tmp_path, None, "portal,,2026-04-20 00:00,2026-04-20 01:00,x,\n", slo=None)
    with pytest.raises(CannotAnswer, match="No service objectives"):
        sla(facts, "2026-03")


def test_a_month_that_has_not_begun_is_refused(tmp_path):
    facts = lake(tmp_path, "inference-api,2026-04-10 10:00,2026-04-10 10:30,S1,x,\n")
    with pytest.raises(CannotAnswer, match="has not begun"):
        sla(facts, "2999-01")
