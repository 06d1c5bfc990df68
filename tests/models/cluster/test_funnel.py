"""The funnel's levels and losses: METRICS.md, section 2."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.cluster.funnel import LEVELS, Measured, funnel, together

WEEK = Measured(
    owned=172_032.0,
    down=0.0,
    planned_down=768.0,
    allocated=150_000.0,
    measured=171_264.0,
    active=120_000.0,
    active_with_sm=120_000.0,
    sm_active=74_400.0,
)


def test_the_worked_week() -> None:
    one = funnel(WEEK)
    assert one.levels["available"] == 171_264
    assert 100 * one.levels["allocated"] / one.levels["available"] == pytest.approx(
        87.584, abs=5e-4
    )
    assert one.levels["active"] == 120_000
    assert 100 * one.levels["sm_active"] / one.levels["owned"] == pytest.approx(43.248, abs=5e-4)
    assert one.losses["idle"] == 21_264
    assert one.losses["held_idle"] == pytest.approx(30_000)


def test_losses_and_remainder_are_all_that_is_owned() -> None:
    one = funnel(WEEK)
    assert sum(one.losses.values()) + one.remainder == pytest.approx(172_032)


def test_a_level_nobody_measured_is_not_zero() -> None:
    one = funnel(Measured(owned=100.0, down=0.0, planned_down=0.0, allocated=60.0))
    assert one.levels["active"] is None
    assert one.losses["not_measured"] == 60
    assert "held_idle" not in one.losses


def test_half_of_the_accelerators_watched_leaves_half_not_measured() -> None:
    one = funnel(replace(WEEK, measured=171_264 / 2, active=60_000.0, active_with_sm=0.0))
    assert one.coverage["active"] == pytest.approx(0.5)
    assert one.losses["not_measured"] == pytest.approx(75_000)
    assert one.losses["held_idle"] == pytest.approx(15_000)
    assert one.levels["sm_active"] is None


def test_more_allocated_than_available_is_told_and_left_out() -> None:
    one = funnel(replace(WEEK, allocated=180_000.0))
    assert one.levels["allocated"] == 171_264
    assert one.excess["allocated"] == pytest.approx(8_736)
    assert one.losses["idle"] == 0


def test_a_tenant_starts_at_allocated() -> None:
    one = funnel(replace(WEEK, owned=None, down=None, planned_down=None, measured=150_000.0))
    assert one.levels["owned"] is None
    assert one.top == 150_000
    assert sum(one.losses.values()) + one.remainder == pytest.approx(150_000)


hours = st.integers(0, 1_000_000).map(float)


@st.composite
def cluster(draw: st.DrawFn) -> Measured:
    return Measured(*[draw(hours) for _ in range(12)])


@given(st.lists(cluster(), min_size=1, max_size=4))
def test_losses_leave_exactly_the_deepest_level(parts: list[Measured]) -> None:
    total = together([funnel(part) for part in parts])
    measured = [hours for level in LEVELS[3:] if (hours := total.levels[level]) is not None]
    deepest = measured[-1] if measured else 0.0
    assert total.top - sum(total.losses.values()) == pytest.approx(deepest, rel=1e-6, abs=1e-3)


def test_a_cluster_without_metrics_leaves_its_hours_not_measured() -> None:
    blind = Measured(owned=100.0, down=0.0, planned_down=0.0, allocated=60.0)
    total = together([funnel(WEEK), funnel(blind)])
    assert total.levels["allocated"] == 150_060
    assert total.levels["active"] == 120_000
    assert total.losses["not_measured"] >= 60
    assert sum(total.losses.values()) + total.remainder == pytest.approx(172_132)
