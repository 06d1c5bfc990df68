"""Time in states: overlaps never count twice, nothing is lost, the edges are cut."""

from datetime import UTC, datetime, timedelta

import polars as pl
from hypothesis import given, settings
from hypothesis import strategies as st

from models.service.timeline import KINDS, outages, timeline, totals

START = datetime(2026, 4, 1, tzinfo=UTC)
HOUR = 3_600_000_000
DAY = 24
INSTANT = pl.Datetime("us", "UTC")


def services(units: int = 1, hours: int = DAY) -> pl.DataFrame:
    return pl.DataFrame(
        {
            "service": ["a"],
            "start": [START],
            "end": [START + timedelta(hours=hours)],
            "units": [units],
        },
        schema={"service": pl.String, "start": INSTANT, "end": INSTANT, "units": pl.Int64},
    )


def events(*rows: tuple[str, int, int, int | None]) -> pl.DataFrame:
    """Rows of kind, first and last hour, units."""
    return pl.DataFrame(
        [
            ("a", kind, START + timedelta(hours=first), START + timedelta(hours=last), units)
            for kind, first, last, units in rows
        ],
        schema={
            "service": pl.String,
            "kind": pl.String,
            "start": INSTANT,
            "end": INSTANT,
            "units": pl.Int64,
        },
        orient="row",
    )


def hours(units: int, *rows: tuple[str, int, int, int | None]) -> dict[str, float]:
    (row,) = totals(timeline(services(units), events(*rows))).to_dicts()
    return {kind: row[kind] / HOUR for kind in ("total", *KINDS)}


def test_overlapping_events_count_once():
    # 1-3 and 2-5 are down together from 1 to 5.
    assert hours(1, ("down", 1, 3, None), ("down", 2, 5, None))["down"] == 4


def test_events_are_cut_to_the_period():
    assert hours(1, ("down", -5, 2, None), ("down", 23, 40, None), ("down", 30, 40, None)) == {
        "total": 24,
        "planned": 0,
        "down": 3,
        "unknown": 0,
    }


def test_a_failure_inside_maintenance_is_planned_time():
    found = hours(1, ("planned", 2, 6, None), ("down", 4, 8, None))
    assert (found["planned"], found["down"]) == (4, 2)


def test_a_known_failure_is_not_unknown():
    found = hours(1, ("down", 2, 6, None), ("unknown", 4, 8, None))
    assert (found["down"], found["unknown"]) == (4, 2)


def test_events_on_part_of_the_units_add_up_to_all_of_them_at_most():
    # 8 of 16 for 4 h and 12 of 16 for 4 h, both from hour 2 on: 2 h of 8, 2 h of 16, 2 h of 12.
    found = hours(16, ("down", 0, 4, 8), ("down", 2, 6, 12))
    assert found["down"] == 2 * 8 + 2 * 16 + 2 * 12


def test_more_units_than_there_are_count_as_all():
    assert hours(16, ("down", 0, 1, 4096))["down"] == 16


def test_events_without_units_take_all_of_them():
    assert hours(16, ("down", 0, 1, None), ("down", 0, 1, 8))["down"] == 16


def test_a_service_without_events_has_one_quiet_segment():
    segments = timeline(services(), events())
    assert segments.select("start", "end", "down").rows() == [
        (START, START + timedelta(hours=24), 0)
    ]


def test_events_of_other_services_count_for_nothing():
    other = events(("down", 0, 4, None)).with_columns(service=pl.lit("b"))
    assert totals(timeline(services(), other))["down"].to_list() == [0]


EVENT = st.tuples(
    st.sampled_from(KINDS),
    st.integers(-10, 30),
    st.integers(0, 20),
    st.one_of(st.none(), st.integers(1, 12)),
).map(lambda e: (e[0], e[1], e[1] + e[2], e[3]))


def brute_force(units: int, rows: list[tuple[str, int, int, int | None]]) -> dict[str, int]:
    """Hour by hour, straight from the definition."""
    found = {"total": DAY * units, **dict.fromkeys(KINDS, 0)}
    for hour in range(DAY):
        held = 0
        for kind in KINDS:
            holding = sum(
                min(units, units if part is None else part)
                for event, first, last, part in rows
                if event == kind and first <= hour < last
            )
            taken = min(units, held + holding) - held
            found[kind] += taken
            held += taken
    return found


@settings(max_examples=150, deadline=None)
@given(st.integers(1, 10), st.lists(EVENT, max_size=8))
def test_totals_equal_an_hour_by_hour_count(units, rows):
    assert hours(units, *rows) == brute_force(units, rows)


@settings(max_examples=100, deadline=None)
@given(st.integers(1, 10), st.lists(EVENT, max_size=8))
def test_segments_cover_the_period_once_and_states_never_exceed_the_units(units, rows):
    segments = timeline(services(units), events(*rows))
    assert segments["start"][0] == START
    assert segments["end"][-1] == START + timedelta(hours=DAY)
    assert segments["start"][1:].to_list() == segments["end"][:-1].to_list()
    held = segments.select(pl.sum_horizontal(KINDS))["planned"]
    assert held.max() <= units
    assert segments.select(pl.min_horizontal(KINDS))["planned"].min() >= 0


@settings(max_examples=100, deadline=None)
@given(st.lists(EVENT, min_size=1, max_size=8), st.randoms())
def test_the_order_of_events_does_not_matter(rows, random):
    shuffled = list(rows)
    random.shuffle(shuffled)
    assert timeline(services(8), events(*rows)).equals(timeline(services(8), events(*shuffled)))


@settings(max_examples=100, deadline=None)
@given(st.lists(EVENT, max_size=8), st.integers(1, DAY - 1))
def test_a_period_cut_in_two_sums_to_the_whole(rows, cut):
    first = services(8, hours=cut)
    second = services(8).with_columns(start=START + timedelta(hours=cut)).cast({"start": INSTANT})
    parts = [totals(timeline(part, events(*rows))) for part in (first, second)]
    whole = totals(timeline(services(8), events(*rows)))
    for kind in ("total", *KINDS):
        assert sum(part[kind][0] for part in parts) == whole[kind][0]


@settings(max_examples=100, deadline=None)
@given(st.lists(EVENT, max_size=8))
def test_outages_are_apart_and_as_long_as_the_down_time(rows):
    down = events(*(("down", first, last, None) for _, first, last, _ in rows if first < last))
    merged = outages(down.select("service", "start", "end"))
    assert (merged["start"][1:] > merged["end"][:-1]).all()
    assert merged["incidents"].sum() == down.height
    wide = (
        services(hours=100).with_columns(start=START - timedelta(hours=50)).cast({"start": INSTANT})
    )
    length = (merged["end"] - merged["start"]).dt.total_microseconds().sum()
    assert totals(timeline(wide, down))["down"][0] == length


def test_outages_that_touch_are_one():
    down = events(("down", 1, 2, None), ("down", 2, 3, None), ("down", 4, 5, None))
    assert outages(down.select("service", "start", "end"))["incidents"].to_list() == [2, 1]
