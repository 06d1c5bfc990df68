"""The risk pictures: a circle a cell, an arrow a move, amounts in a readable unit."""

from datetime import UTC, datetime
from decimal import Decimal
from zoneinfo import ZoneInfo

import polars as pl

from models.table import INSTANT, MONEY
from ui.charts.risk import exposure_over_time, risk_matrix

MATRIX = pl.DataFrame(
    {
        "probability": [4, 1],
        "impact": [5, 2],
        "risks": [10, 1],
        "ids": [[f"R-{n:03d}" for n in range(10)], ["R-020"]],
        "titles": [["Cooling late"] * 10, ["Customs"]],
        "titles_zh": [["液冷延期"] * 10, ["海关"]],
    }
)


def movement(*rows: tuple[int | None, int | None, int | None, int | None]) -> pl.DataFrame:
    names = ["probability_was", "impact_was", "probability", "impact"]
    return pl.DataFrame(rows, schema=dict.fromkeys(names, pl.Int64), orient="row")


def arrows(figure: object) -> list[object]:
    return [one for one in figure.layout.annotations if one.showarrow]  # type: ignore[attr-defined]


def test_a_circle_counts_its_risks_and_names_the_first() -> None:
    figure = risk_matrix(MATRIX, movement())
    [circles] = figure.data
    assert list(circles.text) == ["10", "1"]
    said = circles.hovertext[0]
    assert "score 20" in said
    assert "R-000 Cooling late" in said
    assert said.endswith("and 2 more")
    assert len(figure.layout.shapes) == 25


def test_only_moved_risks_draw_an_arrow_and_one_way_draws_once() -> None:
    rows = movement((3, 4, 5, 4), (3, 4, 5, 4), (2, 2, 2, 2), (None, None, 4, 4), (2, 4, 4, 2))
    # A swap of probability and impact keeps the score, yet it is a move.
    assert len(arrows(risk_matrix(MATRIX, rows))) == 2


def history(emv: str) -> pl.DataFrame:
    rows = [(datetime(2026, 11, 23, tzinfo=UTC), 3, 1, Decimal(emv), Decimal(emv) * 2)]
    schema = {"at": INSTANT, "risks": pl.Int64, "critical": pl.Int64, "emv": MONEY, "p80": MONEY}
    return pl.DataFrame(rows, schema=schema, orient="row")


def test_the_axis_unit_follows_the_size_and_the_text_keeps_the_amount() -> None:
    zone = ZoneInfo("Asia/Shanghai")
    large = exposure_over_time(history("2500000"), "USD", zone)
    assert large.layout.yaxis.title.text == "Million USD"
    assert [list(trace.y) for trace in large.data] == [[5.0], [2.5]]
    assert "2.5" in large.data[1].hovertext[0]
    small = exposure_over_time(history("900"), "USD", zone)
    assert small.layout.yaxis.title.text == "USD"
