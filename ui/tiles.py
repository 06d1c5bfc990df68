"""The row of figures under a headline: value, change since the last review, sparkline."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import streamlit as st

MINIMUM_PX = 140
"""Narrower tiles wrap: two stand side by side on a phone, six on a laptop."""


@dataclass(frozen=True)
class Tile:
    """One figure. The unit belongs in the label, the short value in the tile.

    delta: the change as text, with its sign; None shows none.
    good: the direction that is welcome; without one the change is grey.
    spark: values oldest first; gaps are None.
    """

    label: str
    value: str
    delta: str | None = None
    good: Literal["up", "down"] | None = None
    spark: Sequence[float | None] | None = None
    hint: str | None = None


def tiles(row: Sequence[Tile]) -> None:
    """Draw the tiles; they wrap on narrow screens."""
    with st.grid(max(len(row), 1), min_column_width=MINIMUM_PX, gap="small"):
        for tile in row:
            points = [float(v) for v in tile.spark or [] if v is not None]
            st.metric(
                tile.label,
                tile.value,
                delta=tile.delta,
                delta_color=_colour(tile),
                delta_arrow="auto" if tile.good and tile.delta else "off",
                help=tile.hint,
                border=True,
                chart_data=points if len(points) > 1 else None,
                chart_type="line",
                height="stretch",
                width="stretch",
            )


def _colour(tile: Tile) -> Literal["normal", "inverse", "off"]:
    if tile.good == "up":
        return "normal"
    return "inverse" if tile.good == "down" else "off"
