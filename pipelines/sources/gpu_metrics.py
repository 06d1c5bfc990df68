"""Accelerator samples as DCGM names them: how busy each was, hour by hour.

Three shapes are read: a table (CSV, CSV.gz, Parquet) with a column a field; a
Prometheus query_range answer; a DCGM exporter scrape. All become rows of text
that one SQL statement turns into hours, so a large file never passes through
Python.
"""

from collections.abc import Callable, Mapping
from pathlib import Path

import duckdb
import polars as pl

from pipelines.sources import FileRefused, MissingColumns, Options, ReadResult, Rejection, Select
from pipelines.sources.prometheus_text import Sample, query_range_samples, scrape_samples
from pipelines.tabular import folded

_SQL = Path(__file__).parent

FIELDS: dict[str, tuple[str, ...]] = {
    "moment": ("timestamp", "time", "ts"),
    "cluster": ("cluster", "cluster_name"),
    "node": ("node", "hostname", "host", "instance"),
    "gpu_uuid": ("gpu_uuid", "uuid"),
    "mig_instance": ("mig_instance", "gpu_i_id"),
    "mig_profile": ("mig_profile", "gpu_i_profile"),
    "gpu_model": ("gpu_model", "modelName", "model"),
    "job_id": ("job_id", "hpc_job"),
    "namespace": ("namespace", "exported_namespace"),
    "gpu_util": ("DCGM_FI_DEV_GPU_UTIL",),
    "engine_active": ("DCGM_FI_PROF_GR_ENGINE_ACTIVE",),
    "sm_active": ("DCGM_FI_PROF_SM_ACTIVE",),
    "tensor_active": ("DCGM_FI_PROF_PIPE_TENSOR_ACTIVE",),
    "dram_active": ("DCGM_FI_PROF_DRAM_ACTIVE",),
    "power_w": ("DCGM_FI_DEV_POWER_USAGE", "DCGM_FI_DEV_POWER_USAGE_INSTANT"),
    "memory_used_mib": ("DCGM_FI_DEV_FB_USED",),
    "sm_clock_mhz": ("DCGM_FI_DEV_SM_CLOCK",),
    "memory_temp_c": ("DCGM_FI_DEV_MEMORY_TEMP",),
}
"""Our column, and the headings or labels it is read from, first found first."""

MEASURES = tuple(FIELDS)[9:]
LABELS = tuple(FIELDS)[1:9]
SCRAPE_STEP_S = 60.0
"""Taken for a scrape, which does not say how often it is made."""

_NULL_WORDS = "'', 'nan', '+inf', '-inf', 'null', 'none', 'n/a', 'na', '-'"


class GpuMetricsOptions(Options):
    """cluster: where the file does not name it. step_s: seconds between samples,
    found from the file unless given. percent: profiling fields are 0 to 100
    instead of DCGM's 0 to 1. delimiter: of a text table.
    """

    cluster: str | None = None
    step_s: float | None = None
    percent: bool = False
    delimiter: str | None = None


class GpuMetricsReader:
    """DCGM samples of accelerators, hourly or finer.

    Takes    CSV, CSV.gz or Parquet: timestamp, cluster, node, gpu_uuid, any of
             the DCGM_FI_* fields of FIELDS, and gpu_i_id for a MIG instance;
             Prometheus query_range JSON; DCGM exporter text (.prom). Any column
             order and case; other columns are ignored.
    Gives    gpu_hour (models/cluster): means over each hour's samples, with how
             many there were and how many were due. Files should be cut at full
             hours: a newer file replaces an accelerator's hour as a whole.
    Rejects  a row whose time, accelerator, cluster or a value cannot be read; a
             Prometheus series that is no DCGM field of an accelerator.
    Raises   MissingColumns when time or accelerator or all fields are not there.
    Source   DCGM field identifiers; dcgm-exporter's labels; Prometheus HTTP API.
    """

    kind = "gpu_metrics"
    options = GpuMetricsOptions

    def sniff(self, path: Path) -> bool:
        """Whether the file's head names a DCGM field or holds a Prometheus answer."""
        try:
            if path.suffix.lower() == ".parquet":
                return any(n.upper().startswith("DCGM_FI_") for n in pl.read_parquet_schema(path))
            with path.open("rb") as stream:
                head = stream.read(20_000)
        except (OSError, pl.exceptions.PolarsError):
            return False
        return b"DCGM_FI_" in head.upper() or b'"resultType"' in head

    def read(self, path: Path, options: GpuMetricsOptions) -> ReadResult:
        """The file's hours, and the rows that cannot be placed."""
        suffix = path.name.lower().removesuffix(".gz").rsplit(".", 1)[-1]
        if suffix == "json":
            return self._series(path, query_range_samples(path), options, None)
        if suffix in ("prom", "txt", "metrics"):
            return self._series(path, scrape_samples(path), options, SCRAPE_STEP_S)
        return ReadResult(*self._selects(path, _table_view(path, options), options, None))

    def _series(
        self,
        path: Path,
        samples: list[Sample],
        options: GpuMetricsOptions,
        step_s: float | None,
    ) -> ReadResult:
        """Samples of single fields, put side by side by accelerator and time."""
        wide, strange = _side_by_side(samples)
        refused = [
            Rejection(
                None,
                name,
                "not_a_gpu_field",
                f'{path.name}: series "{name}" is no DCGM field of an accelerator '
                f"({count} samples left out). Query a DCGM_FI_* field with its UUID label.",
            )
            for name, count in strange.items()
        ]
        if wide.is_empty():
            return ReadResult({}, refused, rows_read=0)
        view = _frame_view(wide, options)
        tables, rejected = self._selects(path, view, options, step_s)
        broken = duckdb.connect()
        try:
            for name, relation in rejected.views.items():
                relation(broken).create_view(name)
            more = broken.execute(rejected.sql, dict(rejected.parameters)).fetchall()
        finally:
            broken.close()
        return ReadResult(tables, [*refused, *(Rejection(*row) for row in more)])

    def _selects(
        self,
        path: Path,
        view: Callable[[duckdb.DuckDBPyConnection], duckdb.DuckDBPyRelation],
        options: GpuMetricsOptions,
        step_s: float | None,
    ) -> tuple[dict[str, pl.DataFrame | Select], Select]:
        judged = _statement("gpu_metrics_judged")
        views = {"sample": view, "judged": lambda connection: connection.sql(judged)}
        hours = Select(
            _statement("gpu_metrics"),
            views,
            {
                "timezone": options.timezone,
                "step_s": options.step_s or step_s,
                "full": 100.0 if options.percent else 1.0,
            },
        )
        rejected = Select(_statement("gpu_metrics_rejected"), views, {"file": path.name})
        return {"gpu_hour": hours}, rejected


READERS = (GpuMetricsReader(),)


def _statement(name: str) -> str:
    return (_SQL / f"{name}.sql").read_text(encoding="utf-8")


def _table_view(
    path: Path, options: GpuMetricsOptions
) -> Callable[[duckdb.DuckDBPyConnection], duckdb.DuckDBPyRelation]:
    """The file's rows as text under our names, opened when the loader asks."""

    def opened(connection: duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyRelation:
        if path.suffix.lower() == ".parquet":
            return connection.read_parquet(str(path), file_row_number=True)
        return connection.read_csv(str(path), header=True, all_varchar=True, sep=options.delimiter)

    probe = duckdb.connect()
    try:
        headings = opened(probe).columns
    except duckdb.Error as error:
        first = str(error).splitlines()[0]
        raise FileRefused(
            path, "unreadable", f"{path.name}: cannot be read as a table ({first})."
        ) from error
    finally:
        probe.close()
    places = _headings(headings)
    missing = [shown for shown in ("moment", "gpu_uuid") if shown not in places]
    if not any(measure in places for measure in MEASURES):
        missing.append("engine_active")
    if missing:
        names = [FIELDS[field][0] for field in missing]
        raise MissingColumns(path, names, headings, "Export time, UUID and DCGM_FI_* fields.")
    if "cluster" not in places and not options.cluster:
        raise MissingColumns(
            path, ["cluster"], headings, 'Set cluster = "NAME" for the source, or export it.'
        )
    number = (
        "file_row_number + 1" if path.suffix.lower() == ".parquet" else "row_number() over () + 1"
    )
    columns = _projection(places, options, number)
    return lambda connection: opened(connection).project(columns)


def _headings(headings: list[str]) -> dict[str, str]:
    """The file's own heading for each of our fields that it has."""
    by_name = {folded(heading): heading for heading in reversed(headings)}
    places = {}
    for field, aliases in FIELDS.items():
        for alias in (*aliases, field):
            if folded(alias) in by_name:
                places[field] = by_name[folded(alias)]
                break
    return places


def _projection(places: Mapping[str, str], options: GpuMetricsOptions, row: str) -> str:
    """A select list giving every field as text; blanks and words for nothing are null."""
    columns = [f"cast({row} as bigint) as source_row"]
    for field in FIELDS:
        value = "cast(null as varchar)"
        if field in places:
            text = 'trim(cast("' + places[field].replace('"', '""') + '" as varchar))'
            value = f"case when lower({text}) not in ({_NULL_WORDS}) then {text} end"
        if field == "cluster" and options.cluster:
            value = f"coalesce({value}, '" + options.cluster.replace("'", "''") + "')"
        columns.append(f"{value} as {field}")
    return ", ".join(columns)


def _frame_view(
    wide: pl.DataFrame, options: GpuMetricsOptions
) -> Callable[[duckdb.DuckDBPyConnection], duckdb.DuckDBPyRelation]:
    places = {name: name for name in wide.columns if name != "source_row"}
    columns = _projection(places, options, "source_row")
    table = wide.to_arrow()
    return lambda connection: connection.from_arrow(table).project(columns)


def _side_by_side(samples: list[Sample]) -> tuple[pl.DataFrame, dict[str, int]]:
    """One row an accelerator and time with a column a field; other series, counted."""
    field_of = {folded(a): field for field in MEASURES for a in FIELDS[field]}
    label_of = {folded(a): field for field in LABELS for a in (*FIELDS[field], field)}
    rows: dict[tuple[str | None, ...], dict[str, str | int | None]] = {}
    strange: dict[str, int] = {}
    for number, sample in enumerate(samples, start=1):
        field = field_of.get(folded(sample.name))
        labels: dict[str, str] = {}
        for name, value in sample.labels.items():
            ours = label_of.get(folded(name))
            if ours and ours not in labels and value:
                labels[ours] = value
        if field is None or "gpu_uuid" not in labels:
            if not sample.name.startswith("DCGM_FI_") or "gpu_uuid" not in labels:
                strange[sample.name] = strange.get(sample.name, 0) + 1
            continue
        key = (labels["gpu_uuid"], labels.get("mig_instance"), sample.moment)
        row = rows.setdefault(key, {"moment": sample.moment, "source_row": sample.row or number})
        row.update({**labels, field: sample.value})
    schema = {"source_row": pl.Int64, **dict.fromkeys(FIELDS, pl.String)}
    return pl.DataFrame(list(rows.values()), schema=schema, orient="row"), strange
