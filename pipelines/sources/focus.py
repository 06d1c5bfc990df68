"""FOCUS Cost and Usage exports, 0.5 to 1.4: what clouds, SaaS and own clusters charge."""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any, Literal
from zoneinfo import ZoneInfo

import duckdb
import polars as pl
from pydantic import Field, field_validator

from models.billing.contracts import CHARGE_CATEGORIES
from models.billing.focus import COLUMNS, Lifted, known_names, lift, other_dataset, version_of
from pipelines.sources import FileRefused, MissingColumns, Options, ReadResult, Select
from pipelines.sources.focus_landing import BROKEN, Landing, Layout, land, layout_of
from pipelines.sources.focus_notes import notes
from pipelines.tabular import folded

_SQL = Path(__file__).parent
_SPELLED = {folded(name): name for name in known_names() | {"ProviderName", "PublisherName"}}

REQUIRED = (
    "BilledCost",
    "EffectiveCost",
    "BillingPeriodStart",
    "BillingPeriodEnd",
    "ChargePeriodStart",
    "ChargePeriodEnd",
)
"""Without these a file has no charges; currency and category have defaults."""

DayOrder = Literal["month first", "day first"]


class FocusOptions(Options):
    """Options of FOCUS files.

    aliases: columns the file calls otherwise, by their FOCUS name.
    decimal: "," or "."; needed only where "1,204" leaves it open.
    dates: for dates such as 5/1/25, where the file leaves it open.
    delimiter: of a text file; found from the heading unless given.
    zone: of times written without one. FOCUS says UTC, so the configured
        timezone is not used.
    charge_category: taken for a file that has no such column.
    """

    aliases: dict[str, str] = Field(default_factory=dict)
    decimal: Literal[".", ","] | None = None
    dates: DayOrder | None = None
    delimiter: str | None = Field(default=None, min_length=1, max_length=1)
    zone: str = "UTC"
    charge_category: str = "Usage"

    @field_validator("aliases")
    @classmethod
    def _known_columns(cls, value: dict[str, str]) -> dict[str, str]:
        for name in value:
            if name not in COLUMNS:
                raise ValueError(f'"{name}" is not a FOCUS column; write FOCUS_NAME = "HEADING"')
        return value

    @field_validator("zone")
    @classmethod
    def _known_zone(cls, value: str) -> str:
        try:
            ZoneInfo(value)
        except (KeyError, ValueError, OSError) as error:
            raise ValueError(
                f'"{value}" is not a time zone; use "UTC" or "Asia/Shanghai"'
            ) from error
        return value

    @field_validator("charge_category")
    @classmethod
    def _known_category(cls, value: str) -> str:
        if value not in CHARGE_CATEGORIES:
            raise ValueError(f'"{value}" is none of {", ".join(CHARGE_CATEGORIES)}')
        return value


@dataclass(frozen=True)
class Settings:
    """What the options and the file as a whole decide for every row."""

    focus_version: str
    first_row: int
    mark: str | None
    day_order: str | None
    zone: str
    currency: str
    charge_category: str | None
    billing_shift: timedelta
    charge_shift: timedelta


class FocusReader:
    """FOCUS Cost and Usage: a row a charge.

    Takes    CSV with any delimiter, gzip, zip, or Parquet; UTF-8, UTF-16 or GBK;
             columns of 0.5 to 1.4 in any order and case, other columns ignored;
             lines above the heading skipped. Numbers with exponent, $ sign or
             thousands separators; instants with or without seconds and zone.
    Gives    cost_line (models/billing): 1.4 names, exact decimals, UTC periods.
             Ends that are the last day or second of their period in the whole
             file become the instant after it; the note says so.
    Rejects  a row without a readable billed and effective cost, period or
             category, whose period does not end after its start, with an
             unreadable quantity or price, or cut short.
    Raises   MissingColumns without costs or periods; FileRefused for another
             dataset, and for dates such as 5/1/25 that may be read two ways.
    Source   FOCUS 0.5 to 1.4, Cost and Usage.
    """

    kind = "focus"
    options = FocusOptions

    def sniff(self, path: Path) -> bool:
        """Whether the heading has the columns a charge cannot do without."""
        try:
            headings = _spelled(layout_of(path, _is_known).headings, {})
        except (FileRefused, OSError):
            return False
        places = lift(headings).places
        return other_dataset(headings) is None and all(name in places for name in REQUIRED)

    def read(self, path: Path, options: FocusOptions) -> ReadResult:
        """The file's charges, and its refused rows."""
        own_names = {folded(heading): name for name, heading in options.aliases.items()}
        layout = layout_of(
            path, lambda cell: folded(cell) in own_names or _is_known(cell), options.delimiter
        )
        headings = _spelled(layout.headings, own_names)
        lifted = lift(headings)
        _check_columns(path, layout, headings, lifted)
        names = _landing_names(layout, lifted)
        landing = land(path, layout, names, [*COLUMNS, BROKEN])
        connection = duckdb.connect()
        try:
            connection.execute("set timezone = 'UTC'")
            connection.execute(_statement("focus_macros"))
            rows(landing)(connection).create_view("landing")
            settings, remarks = _settings(path, connection, headings, lifted, landing, options)
            views = _views(landing, settings)
            for name, view in views.items():
                view(connection).create_view(name, replace=True)
            summary = connection.execute(_statement("focus_summary")).pl()
        finally:
            connection.close()
        return ReadResult(
            tables={"cost_line": Select(_statement("focus"), views)},
            rejected=Select(_statement("focus_rejected"), views, {"file": path.name}),
            rows_read=int(summary["rows_read"].sum()),
            notes=(*remarks, *notes(summary, lifted, layout.encoding, options.currency)),
        )


READERS = (FocusReader(),)


def _check_columns(path: Path, layout: Layout, headings: list[str], lifted: Lifted) -> None:
    other = other_dataset(layout.headings)
    if other is not None:
        what, advice = other
        raise FileRefused(path, "dataset", f"{path.name}: is {what}. {advice}")
    missing = [name for name in REQUIRED if name not in lifted.places]
    if missing:
        raise MissingColumns(
            path,
            missing,
            layout.headings,
            "Export FOCUS Cost and Usage, or name the file's own headings under aliases.",
        )


def _landing_names(layout: Layout, lifted: Lifted) -> dict[int, str]:
    """FOCUS names for what is read; the file's own, made unique, for the rest."""
    names = {position: name for name, position in lifted.places.items()}
    taken = {name.casefold() for name in [*COLUMNS, BROKEN, "file_row_number"]}
    for position, heading in enumerate(layout.headings):
        if position not in names:
            own = heading or "unnamed"
            if own.casefold() in taken:
                own = f"{own} (column {position + 1})"
            taken.add(own.casefold())
            names[position] = own
    return names


def rows(landing: Landing) -> Callable[[duckdb.DuckDBPyConnection], duckdb.DuckDBPyRelation]:
    """The landed file, its folder kept for as long as the function is."""
    return lambda connection: connection.read_parquet(str(landing.path), file_row_number=True)


def _views(
    landing: Landing, settings: Settings
) -> Mapping[str, Callable[[duckdb.DuckDBPyConnection], duckdb.DuckDBPyRelation]]:
    constants = pl.DataFrame([asdict(settings)], schema=_SETTINGS_SCHEMA).to_arrow()

    def judged(connection: duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyRelation:
        connection.execute(_statement("focus_macros"))
        return connection.sql(_statement("focus_judged"))

    return {
        "landing": rows(landing),
        "settings": lambda connection: connection.from_arrow(constants),
        "judged": judged,
    }


_SETTINGS_SCHEMA: dict[str, Any] = {
    "focus_version": pl.String,
    "first_row": pl.Int64,
    "mark": pl.String,
    "day_order": pl.String,
    "zone": pl.String,
    "currency": pl.String,
    "charge_category": pl.String,
    "billing_shift": pl.Duration("us"),
    "charge_shift": pl.Duration("us"),
}


def _settings(
    path: Path,
    connection: duckdb.DuckDBPyConnection,
    headings: list[str],
    lifted: Lifted,
    landing: Landing,
    options: FocusOptions,
) -> tuple[Settings, list[str]]:
    """What holds for the whole file, and what to say about it."""
    remarks = []
    order: str | None = options.dates
    dates = _dates(connection, order)
    if dates["slash_dates"] and order is None:
        order = _day_order(path, dates)
        remarks.append(f"Dates such as 5/1/25 are read {order}.")
        dates = _dates(connection, order)
    billing_shift = charge_shift = timedelta()
    if dates["billing_ends_at_last_second"]:
        billing_shift = timedelta(seconds=1)
    elif dates["billing_ends_on_last_day"]:
        billing_shift = timedelta(days=1)
    if dates["charge_ends_at_last_second"]:
        charge_shift = timedelta(seconds=1)
    elif billing_shift == timedelta(days=1) and dates["charge_ends_on_days"]:
        charge_shift = timedelta(days=1)
    if billing_shift or charge_shift:
        remarks.append(
            "Periods end on their last day or second in the whole file; "
            "FOCUS ends them at the instant after it, and so are they kept."
        )
    elif dates["charge_ends_some_last_second"]:
        remarks.append("Some charge periods end at 23:59:59; FOCUS ends them at the next midnight.")
    category = None
    if "ChargeCategory" not in lifted.places:
        category = options.charge_category
        remarks.append(f"No column ChargeCategory: every charge is taken as {category}.")
    if "BillingAccountId" not in lifted.places:
        remarks.append(
            "No column BillingAccountId: only a newer file of the same name replaces these charges."
        )
    settings = Settings(
        version_of(headings),
        landing.first_row,
        options.decimal,
        order,
        options.zone,
        options.currency,
        category,
        billing_shift,
        charge_shift,
    )
    return settings, remarks


def _dates(connection: duckdb.DuckDBPyConnection, order: str | None) -> dict[str, Any]:
    answer = connection.execute(_statement("focus_dates"), {"day_order": order}).pl()
    return answer.row(0, named=True)


def _day_order(path: Path, dates: Mapping[str, Any]) -> str:
    """Day and month are told apart by a part above 12, else by whole billing months."""
    month_first = bool(dates["second_is_day"]) or (
        dates["month_first_is_whole"] and not dates["day_first_is_whole"]
    )
    day_first = bool(dates["first_is_day"]) or (
        dates["day_first_is_whole"] and not dates["month_first_is_whole"]
    )
    if dates["second_is_day"] and not dates["first_is_day"]:
        return "month first"
    if dates["first_is_day"] and not dates["second_is_day"]:
        return "day first"
    if month_first == day_first:
        raise FileRefused(
            path,
            "dates",
            f"{path.name}: its dates (as 5/1/25) may be 5 January or 1 May. "
            'Export them as 2025-05-01, or set dates = "month first" or "day first" '
            "for the source.",
        )
    return "month first" if month_first else "day first"


def _spelled(headings: list[str], own_names: Mapping[str, str]) -> list[str]:
    """Headings as FOCUS spells them, where they are FOCUS's or the options name them."""
    return [own_names.get(folded(h)) or _SPELLED.get(folded(h)) or h for h in headings]


def _is_known(cell: str) -> bool:
    return folded(cell) in _SPELLED


def _statement(name: str) -> str:
    return (_SQL / f"{name}.sql").read_text(encoding="utf-8")
