"""Programme health: thresholds decide, the gravest check counts, unknown is grey."""

import pytest

from metrics.health import ORDER, THRESHOLDS, Threshold, program_health
from tests.lakes import facts_of

SLIP = Threshold("slip", amber=1, red=10)
PACE = Threshold("spi", amber=0.95, red=0.85, is_floor=True)


@pytest.mark.parametrize(
    ("threshold", "value", "status"),
    [
        (SLIP, None, "grey"),
        (SLIP, -3, "green"),
        (SLIP, 0, "green"),
        (SLIP, 1, "amber"),
        (SLIP, 9, "amber"),
        (SLIP, 10, "red"),
        (PACE, 1.2, "green"),
        (PACE, 0.95, "amber"),
        (PACE, 0.85, "red"),
        (PACE, None, "grey"),
    ],
)
def test_a_value_at_the_threshold_has_crossed_it(threshold, value, status):
    assert threshold.status(value) == status


def test_thresholds_worsen_in_their_direction():
    for one in THRESHOLDS:
        assert (one.red < one.amber) == one.is_floor, one.check


def test_a_programme_is_as_healthy_as_its_gravest_check(light_sample):
    answer = program_health(facts_of(light_sample))
    gravest = dict(answer.extra["checks"].group_by("program", maintain_order=True).first()
                   .select("program", "status").rows())  # fmt: skip
    assert dict(answer.frame.select("program", "health").rows()) == gravest
    places = [ORDER.index(health) for health in answer.frame["health"]]
    assert places == sorted(places)


def test_the_slipping_programme_is_red_for_its_milestone(light_sample):
    answer = program_health(facts_of(light_sample))
    first = answer.extra["checks"].row(0, named=True)
    assert (first["program"], first["check"]) == ("sh-extension", "milestone_slip")
    assert (first["value"], first["status"]) == (20.0, "red")
    assert answer.frame["health"][0] == "red"


def test_without_anything_loaded_there_is_no_programme(empty_lake):
    assert program_health(facts_of(empty_lake)).frame.is_empty()
