"""Slurm accounting text: what jobs ran, on how many GPUs, for how long.

Times are local to the cluster unless Slurm was told otherwise; sacct writes no
zone, so the source's `timezone` decides.
"""

import csv
import io
import re
from functools import partial
from pathlib import Path

import polars as pl

from models.cluster.contracts import JOB
from pipelines.sources import FileRefused, MissingColumns, Options, ReadResult, Rejection
from pipelines.sources.sacct_fields import (
    UNKNOWN_WORDS,
    by_distinct,
    gres_gpus,
    instant,
    job_report,
    known,
    node_names,
    seconds,
    tres_gpus,
)
from pipelines.tabular import decode

WANTED = {
    "cluster": ("cluster",),
    "job_id": ("jobidraw", "jobid"),
    "shown_id": ("jobid", "jobidraw"),
    "job_name": ("jobname",),
    "account": ("account",),
    "user": ("user", "uid"),
    "partition": ("partition",),
    "qos": ("qos",),
    "state": ("state",),
    "submit": ("submit",),
    "eligible": ("eligible",),
    "start": ("start",),
    "end": ("end",),
    "elapsed": ("elapsed",),
    "elapsed_raw": ("elapsedraw",),
    "timelimit": ("timelimit",),
    "tres": ("alloctres",),
    "requested_tres": ("reqtres",),
    "gres": ("allocgres", "reqgres"),
    "cpus": ("alloccpus", "ncpus", "allocatedcpus"),
    "nodes": ("nnodes", "allocnodes"),
    "node_list": ("nodelist",),
    "comment": ("admincomment",),
}
TIMES = ("submit", "eligible", "start", "end")
DELIMITERS = ("^|^", "|", "\t", ";", ",")
_EXPORT_AGAIN = "Export again with sacct --parsable2 and --format naming it."


class SacctOptions(Options):
    """cluster: where the file has no Cluster column. delimiter: found unless given.
    columns: the names given to --format, for a file exported with --noheader.
    """

    cluster: str | None = None
    delimiter: str | None = None
    columns: tuple[str, ...] = ()


class SacctReader:
    """Slurm accounting text (`sacct --parsable2`): a row per run of a job.

    Takes    columns by name in any order, any delimiter (--delimiter), a
             trailing one or none; steps or none; unknown columns are ignored.
    Gives    job (models/cluster): UTC instants, seconds, GPUs from AllocTRES,
             else AllocGRES, else the job's own jobstats report, else null.
    Leaves   step, batch and extern rows (they repeat their job's time) and exact
    out      repetitions of a row; every requeued run stays. Both are counted.
    Rejects  a row with too many or few cells, without a job id, whose End
             precedes its Start, or whose times, durations or AllocTRES cannot
             be read. A running job (End "Unknown") is kept, end null.
    Raises   MissingColumns when job id, state or any duration is not there.
    Source   the sacct manual, "Job Accounting Fields".
    """

    kind = "slurm"
    options = SacctOptions

    def sniff(self, path: Path) -> bool:
        """Whether the first line names sacct's columns."""
        try:
            head = decode(path)[:5_000].split("\n", 1)[0].lower()
        except (FileRefused, OSError):
            return False
        return "jobid" in head and ("state" in head or "elapsed" in head) and "|" in head

    def read(self, path: Path, options: SacctOptions) -> ReadResult:
        """The file's runs, and the rows that cannot be read."""
        names, raw, rejected = _cells(path, decode(path), options)
        places = _places(path, names, options)
        steps = _step_rows(raw, places["shown_id"])
        jobs = raw.filter(~steps)
        distinct = jobs.unique(subset=["cells"], keep="first", maintain_order=True)
        text = distinct.select(
            "source_row",
            "line",
            *(
                pl.col("cells").list.get(place, null_on_oob=True).alias(field)
                if place is not None
                else pl.lit(None, pl.String).alias(field)
                for field, place in places.items()
            ),
        )
        frame, bad, notes = _runs(path, text, options)
        left_out = {
            "step rows left out, they repeat their job's time": int(steps.sum()),
            "exact repetitions of a row left out": jobs.height - distinct.height,
        }
        counted = tuple(f"{count} {what}" for what, count in left_out.items() if count)
        return ReadResult(
            tables={"job": frame},
            rejected=[*rejected, *bad],
            rows_read=raw.height + len(rejected),
            notes=(*counted, *notes),
        )


READERS = (SacctReader(),)


def _cells(
    path: Path, text: str, options: SacctOptions
) -> tuple[list[str], pl.DataFrame, list[Rejection]]:
    """Headings, rows of as many cells (source_row, line, cells), and other rows."""
    lines = pl.DataFrame({"line": text.replace("\r\n", "\n").split("\n")}).with_row_index(
        "source_row", offset=1
    )
    lines = lines.filter(pl.col("line").str.strip_chars() != "")
    if lines.is_empty():
        raise FileRefused(path, "empty", f"{path.name}: holds no rows. Export it again.")
    first = lines.item(0, "line")
    delimiter = options.delimiter or _delimiter(first)
    if options.columns:
        names = list(options.columns)
    else:
        names = next(csv.reader([first])) if delimiter == "," else first.split(delimiter)
        names = [re.sub(r"%-?\d+$", "", name.strip()) for name in names]
        lines = lines.slice(1)
        if names and names[-1] == "":
            names.pop()
    if delimiter == ",":
        cells = list(csv.reader(io.StringIO("\n".join(lines["line"]))))
        rows = lines.with_columns(pl.Series("cells", cells, dtype=pl.List(pl.String)))
    else:
        rows = lines.with_columns(cells=pl.col("line").str.split(delimiter))
    count = pl.col("cells").list.len()
    trailing = (count == len(names) + 1) & (pl.col("cells").list.last() == "")
    fits = (count == len(names)) | trailing
    wrong = [
        Rejection(
            number,
            None,
            "cells",
            f"{path.name}, row {number}: {len(cells)} cells for {len(names)} columns. A cell "
            f'may hold the delimiter "{delimiter}" or the line was cut; export with another '
            "--delimiter.",
            line,
        )
        for number, line, cells in rows.filter(~fits).rows()
    ]
    return names, rows.filter(fits).cast({"source_row": pl.Int64}), wrong


def _delimiter(line: str) -> str:
    return next((mark for mark in DELIMITERS if mark in line), "|")


def _places(path: Path, names: list[str], options: SacctOptions) -> dict[str, int | None]:
    found = {name.lower(): place for place, name in reversed(list(enumerate(names)))}
    places = {
        field: next((found[name] for name in aliases if name in found), None)
        for field, aliases in WANTED.items()
    }
    missing = [
        shown for shown, field in (("JobID", "job_id"), ("State", "state")) if places[field] is None
    ]
    timed = places["start"] is not None and places["end"] is not None
    if places["elapsed"] is None and places["elapsed_raw"] is None and not timed:
        missing.append("Elapsed")
    if missing:
        advice = _EXPORT_AGAIN
        if "JobID" in missing and not options.columns:
            advice += " For a file without a heading give columns = [...] as in --format."
        raise MissingColumns(path, missing, names, advice)
    if places["cluster"] is None and not options.cluster:
        raise MissingColumns(
            path, ["Cluster"], names, 'Set cluster = "NAME" for the source, or export it.'
        )
    return places


def _step_rows(rows: pl.DataFrame, place: int | None) -> pl.Series:
    shown = pl.col("cells").list.get(place or 0, null_on_oob=True)
    return rows.select(shown.str.contains(".", literal=True).fill_null(False)).to_series()


def _runs(
    path: Path, text: pl.DataFrame, options: SacctOptions
) -> tuple[pl.DataFrame, list[Rejection], list[str]]:
    """Checked rows under the job contract, refused rows, notes."""
    clean = text.with_columns(known(name).alias(name) for name in WANTED)
    gpus, wrong_tres = by_distinct(clean["tres"], tres_gpus, pl.Float64)
    requested, _ = by_distinct(clean["requested_tres"], tres_gpus, pl.Float64)
    old, _ = by_distinct(clean["gres"], gres_gpus, pl.Float64)
    nodes, wrong_nodes = by_distinct(clean["node_list"], node_names, pl.String)
    reports = clean["comment"].map_elements(job_report, return_dtype=_REPORT, skip_nulls=True)
    frame = _timed(clean, options.timezone).with_columns(
        report=reports,
        allocated=gpus,
        requested=requested,
        old=old,
        expanded=nodes,
        elapsed_s=pl.coalesce(
            seconds(pl.col("elapsed")), pl.col("elapsed_raw").cast(pl.Float64, strict=False)
        ),
    )
    never_ran = (pl.col("elapsed_s").fill_null(0) == 0) & pl.col("tres").is_null()
    frame = frame.with_columns(
        gpus=pl.coalesce(
            "allocated",
            pl.when(pl.col("tres").is_null()).then(pl.col("old")),
            pl.when(pl.col("tres").is_null()).then(pl.col("report").struct.field("gpus")),
            pl.when(never_ran).then(pl.col("requested")),
        ),
        elapsed_s=pl.coalesce(
            "elapsed_s", (pl.col("end_at") - pl.col("start_at")).dt.total_microseconds() / 1e6
        ),
    )
    problems = _problems(frame, set(wrong_tres), set(wrong_nodes))
    checked = frame.with_columns(problem=pl.coalesce(problems))
    refused = checked.filter(pl.col("problem").is_not_null())
    bad = [_rejection(path, row) for row in refused.iter_rows(named=True)]
    good = checked.filter(pl.col("problem").is_null())
    return _contract(good, options), bad, _notes(text, good)


_REPORT = pl.Struct({"gpus": pl.Float64, "gpus_reported": pl.Int64, "gpu_util_percent": pl.Float64})


def _timed(frame: pl.DataFrame, zone: str) -> pl.DataFrame:
    """The four instants as *_at.

    An hour that the clock shows twice is read as the earlier one, unless the
    end would then lie more than half an hour before start + elapsed.
    """
    early = partial(instant, zone=zone)
    frame = frame.with_columns(early(pl.col(name)).alias(f"{name}_at") for name in TIMES)
    late = instant(pl.col("end"), zone, ambiguous="latest")
    charged = pl.coalesce(seconds(pl.col("elapsed")), pl.lit(0.0))
    lasted = (pl.col("end_at") - pl.col("start_at")).dt.total_seconds()
    return frame.with_columns(
        end_at=pl.when(lasted < charged - 1_800).then(late).otherwise(pl.col("end_at"))
    )


def _problems(frame: pl.DataFrame, wrong_tres: set[str], wrong_nodes: set[str]) -> list[pl.Expr]:
    """For each rule the name of the offending column, else null; first one counts."""

    def broken(condition: pl.Expr, column: str, rule: str) -> pl.Expr:
        return pl.when(condition).then(pl.lit(f"{column}|{rule}"))

    def unread(name: str, value: str) -> pl.Expr:
        return pl.col(name).is_not_null() & pl.col(value).is_null()

    negative = pl.col("elapsed").str.starts_with("-") | (pl.col("elapsed_s") < 0)
    unread_elapsed = pl.col("elapsed").is_not_null() & seconds(pl.col("elapsed")).is_null()
    return [
        broken(pl.col("job_id").is_null(), "JobID", "missing"),
        broken(pl.col("state").is_null(), "State", "missing"),
        *(broken(unread(name, f"{name}_at"), name.capitalize(), "time") for name in TIMES),
        broken(pl.col("end_at") < pl.col("start_at"), "End", "order"),
        broken(negative.fill_null(False), "Elapsed", "negative"),
        broken(unread_elapsed, "Elapsed", "duration"),
        broken(pl.col("tres").is_in(list(wrong_tres)), "AllocTRES", "tres"),
        broken(pl.col("node_list").is_in(list(wrong_nodes)), "NodeList", "nodes"),
    ]


_ADVICE = {
    "missing": "is blank. Export again.",
    "time": '"{value}" is not a time such as 2026-11-30T08:00:00 (or falls in an hour that '
    "the clock skips in the source's timezone).",
    "order": '"{value}" is before Start "{start}". Correct the record or leave the job out.',
    "negative": '"{value}" is negative.',
    "duration": '"{value}" is not [days-]hours:minutes:seconds.',
    "tres": '"{value}" cannot be read: gres/gpu needs a count.',
    "nodes": '"{value}" is not a Slurm host list.',
}
_COLUMN_FIELD = {
    "JobID": "job_id",
    "AllocTRES": "tres",
    "NodeList": "node_list",
    "State": "state",
    "Elapsed": "elapsed",
    **{name.capitalize(): name for name in TIMES},
}


def _rejection(path: Path, row: dict[str, object]) -> Rejection:
    column, rule = str(row["problem"]).split("|")
    words = _ADVICE[rule].format(value=row[_COLUMN_FIELD[column]], start=row["start"])
    number = int(str(row["source_row"]))
    message = f"{path.name}, row {number}, {column}: {words}"
    return Rejection(number, column, rule, message, str(row["line"]))


def _contract(frame: pl.DataFrame, options: SacctOptions) -> pl.DataFrame:
    shown = pl.col("timelimit")
    columns = {
        "cluster": pl.coalesce(pl.col("cluster"), pl.lit(options.cluster, pl.String)),
        "namespace": pl.lit(None, pl.String),
        "state": pl.col("state").str.extract(r"^([A-Za-z_]+)").str.to_uppercase(),
        **{name: pl.col(f"{name}_at") for name in TIMES},
        "timelimit_s": seconds(shown),
        "cpus": pl.col("cpus").cast(pl.Int64, strict=False),
        "nodes": pl.col("nodes").cast(pl.Int64, strict=False),
        "node_list": pl.col("expanded"),
        "gpu_util_percent": pl.col("report").struct.field("gpu_util_percent"),
        "gpus_reported": pl.col("report").struct.field("gpus_reported"),
    }
    return (
        frame.with_columns(**columns)
        .select(*JOB.columns, "source_row")
        .cast(pl.Schema(JOB.columns))
    )


def _notes(text: pl.DataFrame, good: pl.DataFrame) -> list[str]:
    """What a reader of the figures should know, one sentence each."""
    notes = []
    words = [word for word in UNKNOWN_WORDS if word]
    for field in ("start", "end", "elapsed", "timelimit"):
        counts = text.filter(pl.col(field).is_in(words)).group_by(field).len().sort(field)
        if not counts.is_empty():
            said = ", ".join(f'"{word}" {count} times' for word, count in counts.rows())
            notes.append(f"{field.capitalize()} is not known where sacct says {said}")
    unknown = good.filter(pl.col("gpus").is_null() & (pl.col("elapsed_s") > 0)).height
    if unknown:
        notes.append(
            f"GPUs are not known for {unknown} runs; export again with AllocTRES in --format"
        )
    partly = good.filter(pl.col("report").struct.field("gpus_reported") < pl.col("gpus")).height
    if partly:
        notes.append(f"{partly} jobs report the use of only some of their GPUs")
    return notes
