"""Training runs: model shape, speed and hardware, which MFU is computed from."""

import difflib
from collections.abc import Callable, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import polars as pl
from pydantic import Field

from models.cluster.contracts import TRAINING_RUN
from models.cluster.mfu import FORMULAS, RECOMPUTE
from models.cluster.precision import PRECISIONS, precision_of
from pipelines.sources import FileRefused, MissingColumns, Options, ReadResult, Rejection
from pipelines.tabular import (
    CellError,
    Row,
    Sheet,
    folded,
    locate,
    parse_bool,
    parse_decimal,
    parse_instant,
    read_sheet,
)

ALIASES: dict[str, tuple[str, ...]] = {
    "run": ("run_id", "run name", "name", "训练任务", "任务"),
    "tenant": ("team", "租户"),
    "project": ("experiment", "项目"),
    "cluster": ("集群",),
    "job_id": ("slurm_job_id", "jobid"),
    "accelerator": ("gpu", "gpu_type", "accelerator_type", "加速卡"),
    "accelerators": ("count", "gpus", "n_accel", "num_gpus", "accelerator_count", "world_size"),
    "precision": ("dtype", "精度"),
    "formula": ("mfu_formula", "formula_id", "公式"),
    "start": ("started", "start_time", "开始"),
    "end": ("ended", "end_time", "finish", "结束"),
    "params": ("parameters", "n_params", "参数量"),
    "active_params": ("active_parameters", "n_params_active"),
    "layers": ("n_layers", "num_layers"),
    "hidden": ("d_model", "hidden_size", "n_embd"),
    "ffn_hidden": ("ffn_hidden_size", "intermediate_size"),
    "gated_ffn": ("swiglu",),
    "heads": ("n_heads", "num_attention_heads"),
    "head_size": ("head_dim", "kv_channels"),
    "value_head_size": ("v_head_dim",),
    "kv_heads": ("n_kv_heads", "num_query_groups", "num_key_value_heads"),
    "seq_len": ("sequence_length", "seq_length", "max_seq_len"),
    "vocab": ("vocab_size",),
    "moe_layers": (),
    "experts_active": ("moe_top_k", "num_experts_per_tok"),
    "moe_ffn_hidden": ("moe_intermediate_size",),
    "shared_ffn_hidden": ("shared_expert_intermediate_size",),
    "sliding_window": ("window",),
    "sliding_layers": (),
    "causal": ("causal_attention",),
    "recompute": ("act_ckpt", "activation_checkpointing", "recompute_granularity"),
    "batch_seqs": ("global_batch_seqs", "global_batch_size"),
    "tokens_per_s": ("tokens_per_second", "throughput"),
    "step_time_s": ("step_time", "iteration_time_s"),
    "tflops_per_accelerator": ("tflops_per_gpu", "tflops_per_accel_reported"),
    "peak_tflops": ("peak_tflops_used",),
    "goodput_percent": ("goodput", "runtime_goodput_percent"),
}
"""Headings understood without a mapping, besides the field's own name."""

REQUIRED = ("run", "accelerator", "accelerators", "precision", "formula")
_FORMULA_NAMES = {
    "6nd": "6n",
    "nanogpt": "palm",
    "llm-foundry": "mosaic",
    "torchtitan": "titan",
} | {
    "korth": "korthikanti",
    "megatron_now": "megatron",
}
_RECOMPUTE_WORDS = {"true": "full", "yes": "full", "1": "full", "false": "none", "no": "none"} | {
    "0": "none"
}


class TrainingRunsOptions(Options):
    """columns: heading of a field where it is none of the known ones.
    values: what a file's word means, by field: values.accelerator.h100 = "H100 SXM".
    sheet: of a workbook; the first unless given. delimiter: of a text file.
    """

    columns: dict[str, str] = Field(default_factory=dict)
    values: dict[str, dict[str, str]] = Field(default_factory=dict)
    sheet: str | None = None
    delimiter: str | None = None


class TrainingRunsReader:
    """A table of training runs (CSV or xlsx), a row a run or an interval of one.

    Takes    headings as in ALIASES in any order, or as `columns` maps them.
    Gives    training_run (models/cluster): formula by its id, precision by its
             family, instants in UTC.
    Rejects  a row without run, accelerator, count, precision or formula; with a
             formula or precision that is not known (the nearest is named); with
             neither speed nor TFLOP/s; whose end precedes its start.
    Raises   MissingColumns when a required heading is not there.
    Source   METRICS.md, section 1.
    """

    kind = "training_runs"
    options = TrainingRunsOptions

    def sniff(self, path: Path) -> bool:
        """Whether the headings name a formula or speed and an accelerator."""
        try:
            sheet = read_sheet(path, headings=_known_headings())
        except (FileRefused, OSError, ValueError):
            return False
        places = locate(sheet, ALIASES)
        speed = places["tokens_per_s"] or places["step_time_s"]
        return bool(places["accelerator"] and places["formula"] and speed)

    def read(self, path: Path, options: TrainingRunsOptions) -> ReadResult:
        """The file's runs, and the rows that break a rule."""
        for given in (options.columns, options.values):
            for field in given:
                if field not in ALIASES:
                    close = difflib.get_close_matches(field, ALIASES, n=1)
                    hint = f' Did you mean "{close[0]}"?' if close else ""
                    raise FileRefused(
                        path, "option", f'columns and values know no field "{field}".{hint}'
                    )
        sheet = read_sheet(
            path,
            sheet=options.sheet,
            delimiter=options.delimiter,
            headings=[*_known_headings(), *options.columns.values()],
        )
        places = _places(path, sheet, options)
        zone = ZoneInfo(options.timezone)
        rows: list[dict[str, Any]] = []
        rejected: list[Rejection] = []
        for row in sheet.rows:
            try:
                rows.append(_run(row, places, options.values, zone))
            except _RowRefused as error:
                heading = sheet.headings[places[error.field]] if error.field in places else ""
                shown = heading or error.field
                rejected.append(
                    Rejection(
                        row.number,
                        shown,
                        error.rule,
                        f"{path.name}, row {row.number}, {shown}: {error.message}",
                        ",".join(cell or "" for cell in row.cells),
                    )
                )
        schema = pl.Schema({**TRAINING_RUN.columns, "source_row": pl.Int64()})
        frame = pl.DataFrame(rows, schema=schema, orient="row")
        return ReadResult({"training_run": frame}, rejected, rows_read=len(sheet.rows))


READERS = (TrainingRunsReader(),)


class _RowRefused(Exception):
    def __init__(self, field: str, rule: str, message: str) -> None:
        super().__init__(message)
        self.field = field
        self.rule = rule
        self.message = message


def _known_headings() -> list[str]:
    return [name for field, aliases in ALIASES.items() for name in (field, *aliases)]


def _places(path: Path, sheet: Sheet, options: TrainingRunsOptions) -> dict[str, int]:
    found = {field: spots[0] for field, spots in locate(sheet, ALIASES).items() if spots}
    by_heading = {folded(heading): spot for spot, heading in reversed([*enumerate(sheet.headings)])}
    absent = []
    for field, heading in options.columns.items():
        if folded(heading) in by_heading:
            found[field] = by_heading[folded(heading)]
        else:
            absent.append(heading)
    absent += [field for field in REQUIRED if field not in found and field not in options.columns]
    if absent:
        raise MissingColumns(
            path,
            absent,
            list(sheet.headings),
            'Say which heading is meant, such as columns = { run = "experiment" }.',
        )
    return found


def _run(
    row: Row,
    places: Mapping[str, int],
    values: Mapping[str, Mapping[str, str]],
    zone: ZoneInfo,
) -> dict[str, Any]:
    """One row under the contract. Raises _RowRefused."""
    run: dict[str, Any] = {"source_row": row.number}
    for field, dtype in TRAINING_RUN.columns.items():
        text = (row.cell(places.get(field)) or "").strip()
        meant = values.get(field, {}).get(text, text)
        if not meant:
            if field in REQUIRED:
                raise _RowRefused(field, "missing", "is blank.")
            run[field] = None
            continue
        try:
            run[field] = _PARSERS.get(field, _parser(dtype, zone))(meant)
        except CellError as error:
            raise _RowRefused(field, error.rule, error.message) from None
    if run["start"] and run["end"] and run["end"] < run["start"]:
        raise _RowRefused("end", "order", "is before the start.")
    has_speed = run["tokens_per_s"] or (run["step_time_s"] and run["batch_seqs"])
    if not has_speed and not run["tflops_per_accelerator"]:
        raise _RowRefused(
            "tokens_per_s",
            "no_speed",
            "the row gives neither tokens per second, nor step time with batch, nor TFLOP/s.",
        )
    return run


def _parser(dtype: Any, zone: ZoneInfo) -> Callable[[str], Any]:
    if dtype == pl.Int64:
        return _whole
    if dtype == pl.Float64:
        return lambda text: float(parse_decimal(text))
    if dtype == pl.Boolean:
        return parse_bool
    if isinstance(dtype, pl.Datetime):
        return lambda text: _instant(text, zone)
    return str


def _instant(text: str, zone: ZoneInfo) -> datetime:
    return parse_instant(text, zone)


def _whole(text: str) -> int:
    number = parse_decimal(text)
    if number != number.to_integral_value():
        raise CellError("whole_number", f'"{text}" is not a whole number.')
    return int(number)


def _formula(text: str) -> str:
    word = text.strip().casefold()
    word = _FORMULA_NAMES.get(word, word)
    if word not in FORMULAS:
        close = difflib.get_close_matches(word, FORMULAS, n=1, cutoff=0.5)
        hint = f'Did you mean "{close[0]}"? ' if close else ""
        raise CellError("formula", f'"{text}" is unknown. {hint}Known: {", ".join(FORMULAS)}.')
    return word


def _precision(text: str) -> str:
    found = precision_of(text)
    if found is None:
        raise CellError("precision", f'"{text}" is unknown. Known: {", ".join(PRECISIONS)}.')
    return found


def _recompute(text: str) -> str:
    word = text.strip().casefold()
    word = _RECOMPUTE_WORDS.get(word, word)
    if word not in RECOMPUTE:
        raise CellError("recompute", f'"{text}" is unknown. Known: {", ".join(RECOMPUTE)}.')
    return word


_PARSERS: dict[str, Callable[[str], Any]] = {
    "formula": _formula,
    "precision": _precision,
    "recompute": _recompute,
}
