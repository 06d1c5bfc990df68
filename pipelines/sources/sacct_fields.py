"""The grammar of sacct's cells: durations, TRES, node lists, job reports.

Each function takes and gives whole columns; texts that repeat (TRES, node
lists) are read once per distinct text.
Source: the sacct manual, "Job Accounting Fields"; Slurm's TRES page.
"""

import base64
import binascii
import gzip
import json
import re
from collections.abc import Callable
from itertools import product
from typing import Any

import polars as pl

UNKNOWN_WORDS = ("Unknown", "None", "UNLIMITED", "Partition_Limit", "INVALID", "N/A", "NONE", "")
"""What sacct prints where it has no value; each is null, never zero."""

DURATION = r"^(?:(?:(\d+)-)?(\d+):)?(\d+):(\d+(?:\.\d+)?)$"
"""[[days-]hours:]minutes:seconds[.fraction]."""

MIG_PROFILE = re.compile(r"(\d)g\.(\d+)gb")
_NODES_TOO_MANY = 100_000


class Unreadable(ValueError):
    """A cell that does not follow sacct's grammar."""


def known(column: str) -> pl.Expr:
    """The column's text, null where sacct says it has no value."""
    text = pl.col(column).str.strip_chars()
    return pl.when(text.is_in(UNKNOWN_WORDS)).then(None).otherwise(text)


def seconds(text: pl.Expr) -> pl.Expr:
    """Seconds of a duration; null where it is none. 4-23:56:21 is 431,781."""
    parts = text.str.extract_groups(DURATION).struct
    days = parts.field("1").cast(pl.Float64).fill_null(0)
    hours = parts.field("2").cast(pl.Float64).fill_null(0)
    minutes = parts.field("3").cast(pl.Float64)
    rest = parts.field("4").cast(pl.Float64)
    return days * 86_400 + hours * 3_600 + minutes * 60 + rest


def instant(text: pl.Expr, zone: str, *, ambiguous: str = "earliest") -> pl.Expr:
    """UTC instant of a local ISO time, an ISO time with offset, or epoch seconds."""
    local = text.str.to_datetime("%Y-%m-%dT%H:%M:%S", time_unit="us", strict=False)
    placed = local.dt.replace_time_zone(
        zone, ambiguous=pl.lit(ambiguous), non_existent="null"
    ).dt.convert_time_zone("UTC")
    offset = text.str.replace(r"Z$", "+00:00").str.to_datetime(
        "%Y-%m-%dT%H:%M:%S%z", time_unit="us", strict=False
    )
    epoch = pl.from_epoch(text.cast(pl.Int64, strict=False), time_unit="s")
    return pl.coalesce(
        placed,
        offset.dt.convert_time_zone("UTC"),
        epoch.dt.cast_time_unit("us").dt.replace_time_zone("UTC"),
    )


def tres_gpus(tres: str) -> float:
    """GPUs in a TRES list; MIG instances count as their share of compute slices.

    gres/gpu=N is the total and gres/gpu:type=N a part of it, so the two are
    never added; without the total the parts are. One 1g instance is 1/7 of a
    GPU (1/4 on an A30, whose slice has 6 GB).
    Raises Unreadable for a count that is no number.
    """
    total: float | None = None
    typed = 0.0
    sliced = 0.0
    excess = 0.0
    for entry in tres.split(","):
        name, _, count_text = entry.partition("=")
        name = name.strip().lower()
        if name not in ("gres/gpu", "gpu") and not name.startswith("gres/gpu:"):
            continue
        try:
            count = float(count_text)
        except ValueError:
            raise Unreadable(f'"{entry}" has no count') from None
        if count < 0:
            raise Unreadable(f'"{entry}" is negative')
        if ":" not in name:
            total = count
            continue
        typed += count
        share = mig_share(name)
        if share is not None:
            sliced += count * share
            excess += count
    whole = typed if total is None else total
    return whole - excess + sliced


def gres_gpus(gres: str) -> float:
    """GPUs in an old AllocGRES or ReqGRES list: gpu:2, gpu:a100:2, gpu:a100:2(IDX:0-1)."""
    total = 0.0
    for entry in re.sub(r"\([^)]*\)", "", gres).split(","):
        parts = entry.strip().removeprefix("gres:").removeprefix("gres/").split(":")
        if parts[0].lower() != "gpu":
            continue
        try:
            total += float(parts[-1]) if len(parts) > 1 else 1.0
        except ValueError:
            total += 1.0
    return total


def mig_share(profile: str) -> float | None:
    """The compute share of a MIG profile such as 1g.10gb; None where it is none."""
    found = MIG_PROFILE.search(profile)
    if not found:
        return None
    slices, memory = int(found.group(1)), int(found.group(2))
    a30 = slices in (1, 2, 4) and memory == 6 * slices
    return slices / (4 if a30 else 7)


def node_names(node_list: str) -> str:
    """A Slurm host list, expanded: gpu[001-003,7] is gpu001,gpu002,gpu003,gpu7."""
    names: list[str] = []
    for word in re.findall(r"(?:[^,\[\]]|\[[^\]]*\])+", node_list):
        pieces = re.split(r"(\[[^\]]*\])", word)
        choices = [
            _ranges(piece[1:-1]) if piece.startswith("[") else [piece] for piece in pieces if piece
        ]
        names.extend("".join(parts) for parts in product(*choices))
        if len(names) > _NODES_TOO_MANY:
            raise Unreadable(f'"{node_list[:60]}" names more than {_NODES_TOO_MANY} nodes')
    return ",".join(names)


def job_report(comment: str) -> dict[str, float | int | None]:
    """What a jobstats report (JS1: in AdminComment) says of a job's GPUs.

    Gives gpus, gpus_reported and gpu_util_percent: the mean over the GPUs that
    reported. A GPU without a figure is not at 0 %. Empty where it is no report.
    """
    if not comment.startswith("JS1:") or len(comment) < 12:
        return {}
    try:
        report: dict[str, Any] = json.loads(gzip.decompress(base64.b64decode(comment[4:])))
    except (binascii.Error, OSError, EOFError, ValueError):
        return {}
    nodes = [node for node in dict(report.get("nodes") or {}).values() if isinstance(node, dict)]
    shares = [float(v) for node in nodes for v in dict(node.get("gpu_utilization") or {}).values()]
    listed = sum(len(node.get("gpu_total_memory") or {}) for node in nodes)
    gpus = report.get("gpus", listed)
    return {
        "gpus": float(gpus) if isinstance(gpus, int | float) else None,
        "gpus_reported": len(shares),
        "gpu_util_percent": sum(shares) / len(shares) if shares else None,
    }


def by_distinct(
    column: pl.Series, read: Callable[[str], Any], dtype: Any
) -> tuple[pl.Series, dict[str, str]]:
    """`read` of every text, once per distinct one; and those unreadable, with why."""
    values: dict[str, Any] = {}
    wrong: dict[str, str] = {}
    for text in column.drop_nulls().unique():
        try:
            values[text] = read(text)
        except Unreadable as error:
            wrong[text] = str(error)
    if not values:
        return pl.Series(column.name, [None] * len(column), dtype=dtype), wrong
    read_column = column.replace_strict(
        list(values),
        pl.Series(list(values.values()), dtype=dtype),
        default=None,
        return_dtype=dtype,
    )
    return read_column, wrong


def _ranges(text: str) -> list[str]:
    names: list[str] = []
    for part in text.split(","):
        low, dash, high = part.partition("-")
        if not dash:
            names.append(low)
            continue
        if not (low.isdigit() and high.isdigit()) or int(high) - int(low) > _NODES_TOO_MANY:
            raise Unreadable(f'"[{text}]" is not a node range')
        names.extend(str(number).zfill(len(low)) for number in range(int(low), int(high) + 1))
    return names
