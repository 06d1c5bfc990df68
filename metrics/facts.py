"""What figures are computed from: one state of the lake and of the records.

Everything a figure reads is pinned to one snapshot, so the figures of a page
agree with each other even while a load commits, and `(snapshot id, records
version)` is a complete cache key.
"""

import threading
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from functools import cached_property
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import duckdb
import polars as pl

from config import Config
from metrics.answer import CannotAnswer
from models.ledger import ALLOCATION_KINDS
from models.program.register import Entity
from models.table import INSTANT
from pipelines.lake import Lake, LakeReader
from records.reading import Records, open_records

LATE_LOAD = timedelta(days=2)
"""A load that comes this long after its data's end brings a past, not the news."""

_QUERIES = Path(__file__).parent / "sql"


@dataclass(frozen=True)
class Review:
    """A state that a review looked at: the last one of a day's data.

    data_through: newest instant of data then; committed_at: when it was loaded.
    """

    snapshot_id: int
    data_through: datetime
    committed_at: datetime

    def day(self, zone: ZoneInfo) -> date:
        """The last day whose data it saw."""
        return _day(self.data_through, zone)


class Facts:
    """The lake at one snapshot, the records as they stood then, and the clock."""

    def __init__(self, config: Config, lake: Lake, snapshot_id: int, records: Records) -> None:
        self.config = config
        self.snapshot_id = snapshot_id
        self.records = records
        self.records_as_of: datetime | None = None
        self._lake = lake

    @property
    def zone(self) -> ZoneInfo:
        """The zone of days, weeks and months."""
        return self.config.zone

    @property
    def currency(self) -> str:
        """The currency reports are in."""
        return self.config.currency

    @cached_property
    def now(self) -> datetime:
        """The instant figures stand at: the newest data's, never later than the clock.

        Data loaded last night and looked at this morning is of last night;
        counting the hours since as down or idle would be wrong.
        """
        newest = self.data_through()
        clock = datetime.now(UTC)
        return min(newest, clock) if newest else clock

    @cached_property
    def rules_version(self) -> int:
        """How often finance had changed the allocation rules by then."""
        return self.records.version_of(ALLOCATION_KINDS, self.records_as_of)

    def ledger(self, entity: Entity) -> pl.DataFrame:
        """Finance's items of one kind as they stood (models/ledger.py)."""
        return self.records.items(entity, self.records_as_of)

    @property
    def today(self) -> date:
        """The last day with data: data through midnight is of the day that ended."""
        return _day(self.now, self.zone)

    def table(self, name: str) -> pl.DataFrame:
        """A whole small table with its lineage; empty, with its columns, if nothing is loaded."""
        return self._ask(f"from {name}", {}, {})

    def query(
        self, sql_name: str, frames: Mapping[str, pl.DataFrame] | None = None, **parameters: Any
    ) -> pl.DataFrame:
        """The rows of `metrics/sql/<sql_name>.sql`; frames are readable by their names."""
        sql = (_QUERIES / f"{sql_name}.sql").read_text(encoding="utf-8")
        return self._ask(sql, parameters, frames or {})

    def risks(self) -> pl.DataFrame:
        """The risk register as it stood."""
        return self.records.risks(self.records_as_of)

    def actions(self) -> pl.DataFrame:
        """The actions as they stood."""
        return self.records.actions(self.records_as_of)

    def decisions(self) -> pl.DataFrame:
        """The decisions as they stood."""
        return self.records.decisions(self.records_as_of)

    def month(self, month: str | None = None) -> tuple[datetime, datetime]:
        """UTC bounds `[from, to)` of a calendar month "YYYY-MM" of the zone; None: that of `now`.

        Raises CannotAnswer for anything else.
        """
        if month is None:
            year, number = self.today.year, self.today.month
        else:
            try:
                parsed = datetime.strptime(month, "%Y-%m")
            except ValueError:
                raise CannotAnswer(f'"{month}" is not a month; write it as 2026-11.') from None
            year, number = parsed.year, parsed.month
        following = (year + number // 12, number % 12 + 1)
        return (
            datetime(year, number, 1, tzinfo=self.zone).astimezone(UTC),
            datetime(*following, 1, tzinfo=self.zone).astimezone(UTC),
        )

    def month_name(self, month: str | None = None) -> str:
        """The month "YYYY-MM" that `month` bounds."""
        return self.month(month)[0].astimezone(self.zone).strftime("%Y-%m")

    def data_through(self, *tables: str) -> datetime | None:
        """The newest instant of data loaded: overall, or of the sources feeding these tables."""
        sources: list[str] = []
        for name in tables:
            frame = self._ask(f"select distinct source from {name}", {}, {})
            sources.extend(frame["source"].to_list())
        if tables and not sources:
            return None
        frame = self._ask(
            "select max(data_through) as newest from load "
            "where $everything or list_contains($sources, source)",
            {"everything": not tables, "sources": sources},
            {},
        )
        newest: datetime | None = frame["newest"].cast(INSTANT)[0]
        return newest

    def _ask(
        self, sql: str, parameters: Mapping[str, Any], frames: Mapping[str, pl.DataFrame]
    ) -> pl.DataFrame:
        try:
            return self._lake.query(sql, parameters, frames)
        except duckdb.CatalogException as error:
            raise CannotAnswer(
                "This state was saved by an earlier version that did not keep what the figure "
                f"needs ({str(error).splitlines()[0]}). Load again, or choose a later review."
            ) from error


_READERS: dict[Path, LakeReader] = {}
_READERS_LOCK = threading.Lock()


def reader(config: Config) -> LakeReader:
    """The process's one reader of a configuration's lake; safe between threads."""
    with _READERS_LOCK:
        if config.file not in _READERS:
            _READERS[config.file] = LakeReader(config)
        return _READERS[config.file]


def open_facts(config: Config, as_of_snapshot: int | None = None) -> Facts:
    """The newest state, or the one a snapshot left.

    Raises LakeError or RecordsError, both in words, when a store cannot be opened.
    """
    lakes = reader(config)
    snapshot_id = lakes.snapshot_id() if as_of_snapshot is None else as_of_snapshot
    records = open_records(records_url(config))
    facts = Facts(config, lakes.at(snapshot_id), snapshot_id, records)
    if as_of_snapshot is not None:
        facts.records_as_of = _recorded_until(facts.now, _committed_at(lakes, snapshot_id))
    return facts


def records_url(config: Config) -> str:
    """The records' URL; a relative SQLite file is beside the configuration."""
    prefix = "sqlite:///"
    url = config.records.url
    if url.startswith(prefix) and not url.removeprefix(prefix).startswith(("/", ":memory:")):
        return f"{prefix}{config.path(url.removeprefix(prefix))}"
    return url


def reviews(config: Config) -> list[Review]:
    """The states a review can be opened at, newest first: the last of each day of data."""
    lakes = reader(config)
    head = lakes.at(lakes.snapshot_id())
    reached = dict(
        head.query("select load_id, data_through from load where data_through is not null").rows()
    )
    newest: datetime | None = None
    last_of_day: dict[Any, Review] = {}
    clock = datetime.now(UTC)
    for snapshot in lakes.snapshots():
        if snapshot.load_id is None:
            continue
        moment = reached.get(snapshot.load_id)
        if moment is not None:
            newest = max(newest or moment, min(moment, clock))
        if newest is not None:
            last_of_day[_day(newest, config.zone)] = Review(
                snapshot.snapshot_id, newest, snapshot.committed_at
            )
    return sorted(last_of_day.values(), key=lambda review: review.snapshot_id, reverse=True)


def _day(through: datetime, zone: ZoneInfo) -> date:
    return (through - timedelta(microseconds=1)).astimezone(zone).date()


def _recorded_until(data_through: datetime, committed_at: datetime) -> datetime:
    """Up to when records count in an earlier state.

    Data loaded as it comes is reviewed with whatever was recorded when it was
    loaded. A past that is loaded long afterwards (a migration, the sample
    company) goes with the records of its own time.
    """
    return committed_at if committed_at - data_through <= LATE_LOAD else data_through


def _committed_at(lakes: LakeReader, snapshot_id: int) -> datetime:
    for snapshot in lakes.snapshots():
        if snapshot.snapshot_id == snapshot_id:
            return snapshot.committed_at
    raise CannotAnswer(f"There is no state {snapshot_id} in this lake.")
