"""The critical path, rule by rule, in days from 0 and in working time."""

import json
from dataclasses import replace

import pytest

from models.program.calendar import WorkingTime
from models.program.network import Activity, Calendars, Link, Network
from models.program.schedule import Dates, schedule
from tests.models.program.plans import DAY_S, WEEKDAYS, days, moment
from tests.real import real

FS, SS, FF, SF = "FS", "SS", "FF", "SF"


def dates_of(network: Network) -> dict[str, Dates]:
    return schedule(network).dates


def span(dates: Dates) -> tuple[float, float, float, float, float]:
    """Early start and finish, late start and finish, total slack, in days."""
    return tuple(  # type: ignore[return-value]
        value / DAY_S
        for value in (
            dates.early_start,
            dates.early_finish,
            dates.late_start,
            dates.late_finish,
            dates.total_slack,
        )
    )


def test_the_documented_network_ends_on_day_twelve() -> None:
    # A 3; B 4 after A; C 2, SS+1 from A; D 5 after B and C: C 1..3, may slip to 5..7.
    found = dates_of(
        days(
            {"A": 3, "B": 4, "C": 2, "D": 5},
            ("A", "B", FS, 0),
            ("A", "C", SS, 1),
            ("B", "D", FS, 0),
            ("C", "D", FS, 0),
        )
    )
    assert span(found["D"])[:2] == (7, 12)
    assert span(found["C"])[4] == 4
    assert [uid for uid, one in found.items() if one.is_critical] == ["A", "B", "D"]


@pytest.mark.golden
def test_hand_checked_networks() -> None:
    cases = json.loads(real("trackers/cases/cpm_networks.json").read_text("utf-8"))
    assert len(cases) == 10
    for case in cases:
        more = {
            uid: {"constraint": kind, "constraint_date": at * DAY_S}
            for uid, said in case["constraints"].items()
            for kind, at in said.items()
        }
        links = [(x["pred"], x["succ"], x["type"], x["lag"]) for x in case["links"]]
        result = schedule(days(case["durations"], *links, **more))
        assert result.finish == case["expected"]["finish"] * DAY_S, case["name"]
        for uid, wanted in case["expected"]["tasks"].items():
            dates = result.dates[uid]
            assert span(dates) == tuple(wanted[key] for key in ("es", "ef", "ls", "lf", "tf")), (
                case["name"],
                uid,
            )
            assert dates.free_slack == wanted["ff"] * DAY_S, (case["name"], uid)
            assert dates.is_critical == wanted["critical"], (case["name"], uid)


def test_an_elapsed_lag_runs_through_the_weekend() -> None:
    # A ends Friday 17:00; two clock days later is Sunday 17:00, so B starts Monday.
    for is_elapsed, expected in ((True, "2026-11-09T08:00"), (False, "2026-11-11T08:00")):
        lag = 2 * (DAY_S if is_elapsed else 8 * 3600)
        found = dates_of(weekdays(Link("A", "B", FS, lag, is_elapsed)))
        assert found["B"].early_start == moment(expected)


def test_a_lead_longer_than_the_predecessor_stops_at_the_projects_start() -> None:
    found = dates_of(days({"A": 1, "B": 4}, ("A", "B", FS, -3)))
    assert found["B"].early_start == 0


def test_a_deadline_makes_slack_negative_and_moves_nothing() -> None:
    found = dates_of(days({"A": 5}, A={"deadline": 3 * DAY_S}))
    assert span(found["A"]) == (0, 5, -2, 3, -2)
    assert found["A"].is_critical


def test_a_must_date_wins_over_predecessors_and_shows_the_conflict() -> None:
    found = dates_of(
        days(
            {"A": 5, "M": 0},
            ("A", "M", FS, 0),
            M={"constraint": "MFO", "constraint_date": 3 * DAY_S},
        )
    )
    assert span(found["M"]) == (3, 3, 3, 3, -2)
    assert span(found["A"])[4] == -2


def test_as_late_as_possible_takes_free_slack_only() -> None:
    # A could slip 4 days against the end, but B, which follows, starts on day 3.
    found = dates_of(
        days(
            {"A": 1, "B": 2, "C": 9},
            ("A", "B", FS, 0),
            A={"constraint": "ALAP"},
            B={"constraint": "SNET", "constraint_date": 3 * DAY_S},
        )
    )
    assert (found["A"].start, found["A"].finish) == (2 * DAY_S, 3 * DAY_S)
    assert found["A"].early_start == 0
    assert found["A"].total_slack == 6 * DAY_S


def test_a_started_task_keeps_its_start_and_runs_on_for_what_remains() -> None:
    started = {"actual_start": 2 * DAY_S, "remaining": 3 * DAY_S}
    found = dates_of(days({"A": 1, "B": 4}, ("A", "B", FS, 0), B=started))
    assert span(found["B"])[:2] == (2, 6)
    assert found["B"].late_start == 2 * DAY_S


def test_an_interrupted_task_goes_on_when_it_resumes() -> None:
    found = dates_of(
        days({"A": 4}, A={"actual_start": 0, "remaining": 3 * DAY_S, "resume": 5 * DAY_S})
    )
    assert found["A"].early_finish == 8 * DAY_S


def test_a_finished_task_is_fixed_and_never_critical() -> None:
    done = {"actual_start": DAY_S, "actual_finish": 4 * DAY_S}
    found = dates_of(days({"A": 9, "B": 1}, ("A", "B", FS, 0), A=done))
    assert span(found["A"]) == (1, 4, 1, 4, 0)
    assert not found["A"].is_critical
    assert span(found["B"])[:2] == (4, 5)


def test_a_manual_task_stays_though_links_say_otherwise() -> None:
    kept = {"is_manual": True, "start": 0, "finish": 2 * DAY_S}
    found = dates_of(days({"A": 5, "B": 2, "C": 1}, ("A", "B", FS, 0), ("B", "C", FS, 0), B=kept))
    assert span(found["B"])[:2] == (0, 2)
    assert span(found["C"])[:2] == (2, 3)


def test_a_threshold_makes_nearly_critical_tasks_critical() -> None:
    network = days({"A": 5, "B": 3})
    assert not dates_of(network)["B"].is_critical
    assert dates_of(replace(network, critical_slack=2 * DAY_S))["B"].is_critical


def test_a_plan_scheduled_from_its_finish_runs_late() -> None:
    network = days({"A": 2, "B": 3}, ("A", "B", FS, 0))
    result = schedule(replace(network, is_from_start=False, finish=20 * DAY_S))
    assert result.start == 15 * DAY_S
    assert result.dates["B"].finish == 20 * DAY_S


def test_unfinished_work_in_the_past_moves_what_follows() -> None:
    network = days({"A": 2, "B": 3}, ("A", "B", FS, 0)).from_status(10 * DAY_S)
    assert schedule(network).dates["B"].early_finish == 15 * DAY_S


def test_a_loop_is_named_in_order_and_the_rest_is_scheduled() -> None:
    network = days(
        {"A": 1, "B": 1, "C": 1, "D": 2},
        ("A", "B", FS, 0),
        ("B", "C", FS, 0),
        ("C", "A", FS, 0),
        ("C", "D", FS, 0),
    )
    network.break_loops()
    assert network.loops == [["A", "B", "C"]]
    assert dates_of(network)["D"].early_finish == 2 * DAY_S


def test_a_task_that_waits_for_itself_is_a_loop() -> None:
    network = days({"A": 1, "B": 1}, ("A", "A", FS, 0), ("A", "B", FS, 0))
    network.break_loops()
    assert network.loops == [["A"]]


def test_the_driver_is_the_predecessor_that_sets_the_date() -> None:
    found = dates_of(days({"A": 1, "B": 4, "C": 1}, ("A", "C", FS, 0), ("B", "C", FS, 0)))
    assert found["C"].driver == "B"


def test_a_calendar_without_a_working_week_is_named_and_replaced() -> None:
    idle = WorkingTime("Shutdown", ((),) * 7)
    calendars = Calendars({"1": WEEKDAYS, "2": idle}, "1")
    row = {"calendar_uid": "2", "is_elapsed": False, "resource_calendar_uids": None}
    assert calendars.of(row) == (WEEKDAYS, WEEKDAYS)
    assert calendars.idle == ["Shutdown"]


def test_an_empty_plan_has_no_dates() -> None:
    assert schedule(days({})).dates == {}


def weekdays(link: Link) -> Network:
    """A of a day on Friday 2026-11-06, B of a day, on a Monday to Friday calendar."""
    day = 8 * 3600
    return Network(
        start=moment("2026-11-06T08:00"),
        calendar=WEEKDAYS,
        activities={uid: Activity(uid, day, WEEKDAYS, WEEKDAYS) for uid in "AB"},
        links=[link],
    )
