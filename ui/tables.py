"""Tables: right-aligned figures, no clipped columns, a download."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import polars as pl
import streamlit as st

from ui.i18n import t

ROW_HEIGHT = 33


@dataclass(frozen=True)
class Column:
    """How a column is shown.

    format: a printf or Streamlit format for numbers and dates; text otherwise.
    kind: "progress" draws a bar from 0 to `maximum`.
    """

    label: str
    format: str | None = None
    width: Literal["small", "medium", "large"] | int | None = None
    kind: Literal["text", "number", "date", "datetime", "progress"] = "text"
    maximum: float | None = None
    hint: str | None = None


def table(
    frame: pl.DataFrame,
    columns: Mapping[str, Column],
    key: str,
    *,
    download: str | None = None,
    source: pl.DataFrame | None = None,
    rows: int = 12,
) -> None:
    """Draw the named columns in their order; at most `rows` before it scrolls.

    download: file name of a CSV of `source` (the unformatted frame), else of `frame`.
    """
    shown = frame.select(_plain(frame[name]) for name in columns)
    st.dataframe(
        shown,
        key=key,
        hide_index=True,
        width="stretch",
        placeholder="–",
        height=_height(shown.height, rows),
        column_config={name: _config(column) for name, column in columns.items()},
    )
    if download:
        exported = frame if source is None else source
        st.download_button(
            t("Download CSV"),
            data=lambda: csv_bytes(exported),
            file_name=download,
            mime="text/csv",
            key=f"{key}.download",
            on_click="ignore",
        )


def _height(count: int, most: int) -> int:
    """Heading and rows; half a row more where the rest is scrolled to, so that it shows."""
    peek = ROW_HEIGHT // 2 if count > most else 0
    return ROW_HEIGHT * (min(max(count, 1), most) + 1) + 2 + peek


def csv_bytes(frame: pl.DataFrame) -> bytes:
    """A frame as CSV that spreadsheets open safely.

    A byte order mark for Excel; text that a spreadsheet would run as a formula
    gets an apostrophe in front; exact figures keep their digits.
    """
    columns = []
    for series in frame.iter_columns():
        if series.dtype == pl.String:
            risky = series.str.contains(r"^[=+\-@\t\r]").fill_null(False)
            series = pl.select(
                pl.when(risky).then(pl.lit("'") + series).otherwise(series).alias(series.name)
            ).to_series()
        elif isinstance(series.dtype, pl.List | pl.Struct):
            series = series.map_elements(str, return_dtype=pl.String)
        columns.append(series)
    return b"\xef\xbb\xbf" + pl.DataFrame(columns).write_csv().encode()


def _plain(series: pl.Series) -> pl.Series:
    """Exact figures as numbers for display; text stays text."""
    return series.cast(pl.Float64) if isinstance(series.dtype, pl.Decimal) else series


def _config(column: Column) -> Any:
    shape = st.column_config
    common: dict[str, Any] = {"label": column.label, "width": column.width, "help": column.hint}
    if column.kind == "number":
        return shape.NumberColumn(**common, format=column.format)
    if column.kind == "date":
        return shape.DateColumn(**common, format=column.format or "YYYY-MM-DD")
    if column.kind == "datetime":
        return shape.DatetimeColumn(**common, format=column.format or "YYYY-MM-DD HH:mm")
    if column.kind == "progress":
        return shape.ProgressColumn(
            **common, format=column.format, min_value=0, max_value=column.maximum
        )
    return shape.TextColumn(**common)
