"""Training runs with the model shapes and speeds that MFU is computed from."""

import csv
import random
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path

from sample_data.company import IDLE_CLUSTER, IDLE_SINCE, LAST_REVIEW, SEED

PEAK = {"BF16": 989.4e12, "FP8": 1978.9e12}


@dataclass(frozen=True)
class Shape:
    """A dense decoder: parameters, layers, hidden size, heads, KV heads, FFN, vocabulary."""

    name: str
    params: int
    layers: int
    hidden: int
    heads: int
    kv_heads: int
    ffn: int
    vocab: int
    seq: int


SHAPES = {
    "yq-72b": Shape("yq-72b", 72_706_203_648, 80, 8192, 64, 8, 29_568, 152_064, 8192),
    "yq-32b": Shape("yq-32b", 32_763_876_352, 64, 5120, 40, 8, 27_648, 152_064, 8192),
    "vl-14b": Shape("vl-14b", 14_770_033_664, 48, 5120, 40, 8, 13_824, 152_064, 4096),
    "vla-7b": Shape("vla-7b", 7_615_616_512, 28, 3584, 28, 4, 18_944, 152_064, 4096),
    "asr-2b": Shape("asr-2b", 2_130_000_000, 36, 2048, 16, 8, 6_144, 65_536, 2048),
}

RUNS = (
    ("yq-72b", "pretraining", "foundation", "shanghai", 128, "BF16", "megatron", 0.432),
    ("yq-72b", "pretraining", "foundation", "shanghai", 64, "BF16", "megatron", 0.441),
    ("yq-32b", "pretraining", "low precision", "shanghai", 32, "FP8", "palm", 0.312),
    ("vl-14b", "multimodal", "vision-language", "shanghai", 64, "BF16", "titan", 0.384),
    ("vla-7b", "robotics", "embodied", "shanghai", 32, "BF16", "palm", 0.352),
    ("asr-2b", "speech", "recognition", "shanghai", 16, "BF16", "6n", 0.291),
    ("yq-32b", "research", "long context", "singapore", 64, "BF16", "megatron", 0.407),
    ("vl-14b", "multimodal", "video", "singapore", 32, "BF16", "mosaic", 0.336),
)
"""Model, tenant, project, cluster, GPUs, precision, formula, MFU. None is larger than
the tenant's largest slot in jobs.py, and together they fit its nodes."""
HEADINGS = [
    "run",
    "tenant",
    "project",
    "cluster",
    "accelerator",
    "count",
    "precision",
    "formula",
    "start",
    "end",
    "n_params",
    "n_layers",
    "d_model",
    "n_heads",
    "head_dim",
    "n_kv_heads",
    "ffn_hidden",
    "gated_ffn",
    "seq_len",
    "vocab",
    "global_batch_seqs",
    "tokens_per_s",
    "act_ckpt",
    "goodput_percent",
]
ACCELERATOR = {"shanghai": "H800 SXM", "singapore": "H100 SXM"}


def write_training_runs(folder: Path) -> None:
    """Each run of the table, again and again through the autumn.

    Runs that ended after the last review are in `late`: a review that already
    knew them would have data beyond its day.
    """
    chance = random.Random(f"{SEED}-runs")
    rows = [
        _run(week, number, run, chance)
        for week in range(9)
        for number, run in enumerate(RUNS)
        if run[3] != IDLE_CLUSTER or _begin(week, number) < IDLE_SINCE
    ]
    ended = HEADINGS.index("end")
    last = LAST_REVIEW.isoformat()
    late = [row for row in rows if str(row[ended])[:10] > last]
    _write(folder / "runs.csv", [row for row in rows if row not in late])
    _write(folder / "late" / "runs-2026-11-23.csv", late)


def _write(file: Path, rows: list[list[object]]) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("w", newline="", encoding="utf-8") as target:
        sheet = csv.writer(target, lineterminator="\n")
        sheet.writerow(HEADINGS)
        sheet.writerows(rows)


def _begin(week: int, number: int) -> date:
    return date(2026, 9, 28) + timedelta(days=7 * week + number % 3)


def _run(
    week: int,
    number: int,
    run: tuple[str, str, str, str, int, str, str, float],
    chance: random.Random,
) -> list[object]:
    model, tenant, project, cluster, count, precision, formula, mfu = run
    shape = SHAPES[model]
    begin = _begin(week, number)
    attained = mfu * chance.uniform(0.95, 1.04)
    speed = attained * count * PEAK[precision] / _flops_per_token(shape, formula)
    checkpointing = formula == "mosaic"
    return [
        f"{model}-{tenant[:4]}-{cluster[:2]}{count}-w{40 + week}", tenant, project, cluster, ACCELERATOR[cluster], count,
        precision, formula, f"{begin} 08:00", f"{begin + timedelta(days=5)} 20:00", shape.params,
        shape.layers, shape.hidden, shape.heads, shape.hidden // shape.heads, shape.kv_heads,
        shape.ffn, "yes", shape.seq, shape.vocab, count * 4, round(speed, 1),
        "yes" if checkpointing else "no", round(chance.uniform(86, 97), 1),
    ]  # fmt: skip


def _flops_per_token(shape: Shape, formula: str) -> float:
    """Enough for a believable speed; what MFU is, models/cluster/mfu.py says."""
    attention = 12 * shape.layers * shape.hidden * shape.seq
    if formula == "6n":
        return 6.0 * shape.params
    if formula == "titan":
        return 6.0 * (shape.params - shape.vocab * shape.hidden) + attention
    if formula == "megatron":
        return 6.0 * (shape.params - shape.vocab * shape.hidden) + attention / 2
    return 6.0 * shape.params + attention
