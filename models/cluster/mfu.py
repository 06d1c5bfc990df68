"""Model and hardware FLOPs utilisation of training runs.

MFU = model FLOP/s achieved / (accelerators x dense peak FLOP/s at the precision
used). Eight ways to count FLOPs are in public use and differ by up to nine
points on one run, so every figure carries formula, peak, precision and whether
attention was counted as causal. Source: METRICS.md, section 1.
"""

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any

FULL_RECOMPUTE = 4 / 3
"""Backward costs two forwards; recomputing the forward makes 4 of 3."""

RECOMPUTE = ("none", "selective", "full")
LONG_CONTEXT = 32_768


class MissingInput(ValueError):
    """Inputs the run's formula needs and the run does not give."""

    def __init__(self, formula: str, names: list[str]) -> None:
        super().__init__(f"formula {formula} needs {', '.join(names)}")
        self.formula = formula
        self.names = names


@dataclass(frozen=True)
class Shape:
    """A model as its FLOPs are counted; fields as in the training_run contract."""

    params: int | None = None
    active_params: int | None = None
    layers: int | None = None
    hidden: int | None = None
    ffn_hidden: int | None = None
    gated_ffn: bool | None = None
    heads: int | None = None
    head_size: int | None = None
    value_head_size: int | None = None
    kv_heads: int | None = None
    seq_len: int | None = None
    vocab: int | None = None
    moe_layers: int | None = None
    experts_active: int | None = None
    moe_ffn_hidden: int | None = None
    shared_ffn_hidden: int | None = None
    sliding_window: int | None = None
    sliding_layers: int | None = None
    causal: bool | None = None

    @classmethod
    def of(cls, row: dict[str, Any]) -> "Shape":
        """The shape in a training_run row."""
        return cls(**{field.name: row.get(field.name) for field in fields(cls)})


@dataclass(frozen=True)
class Flops:
    """Floating-point operations for one token, forward and backward.

    hardware: with recomputation; None where how much is recomputed is not known.
    causal: whether attention counts only the half below the diagonal.
    """

    model: float
    hardware: float | None
    causal: bool


def flops_per_token(formula: str, shape: Shape, recompute: str | None = None) -> Flops:
    """What one token costs by a formula.

    Raises MissingInput naming the inputs that are not there.
    """
    causal = shape.causal if shape.causal is not None else formula in ("megatron", "maxtext")
    count = FORMULAS[formula]
    model = count(_Needs(formula, shape), causal)
    if formula == "sc21":
        hardware: float | None = _sc21_hardware(_Needs(formula, shape), causal)
    elif recompute == "none":
        hardware = model
    elif recompute == "full":
        hardware = model * FULL_RECOMPUTE
    elif formula == "korthikanti":
        hardware = _dense_block(_Needs(formula, shape), 2 * (0.5 if causal else 1.0))
    else:
        hardware = None
    return Flops(model, hardware, causal)


def achieved_tflops(flops: float, tokens_per_s: float, accelerators: float) -> float:
    """TFLOP/s of one accelerator."""
    return flops * tokens_per_s / accelerators / 1e12


def percent_of_peak(tflops: float, peak_tflops: float) -> float:
    """Utilisation in percent of a dense peak."""
    return 100 * tflops / peak_tflops


def likely_cause(formula: str, shape: Shape, precision: str, percent: float) -> str:
    """Why an MFU came out above 100 %: the word of the likeliest mistake.

    total_parameters (of a mixture of experts), non_causal (at long context),
    wrong_precision, or inputs (speed or count of accelerators).
    """
    has_experts = shape.experts_active is not None or shape.moe_layers is not None
    if has_experts and (shape.active_params is None or shape.active_params == shape.params):
        return "total_parameters"
    long = (shape.seq_len or 0) >= LONG_CONTEXT
    if long and formula not in ("6n", "megatron", "maxtext") and not shape.causal:
        return "non_causal"
    if precision != "FP8" and percent <= 200:
        return "wrong_precision"
    if formula in ("6n", "palm", "mosaic", "titan") and shape.active_params is None:
        return "total_parameters"
    return "inputs"


class _Needs:
    """A shape whose missing fields are an error, collected by name."""

    def __init__(self, formula: str, shape: Shape) -> None:
        self.formula = formula
        self.shape = shape

    def __getattr__(self, name: str) -> float:
        value = getattr(self.shape, name)
        if name == "params":
            value = self.shape.active_params or value
        elif value is None and name == "head_size" and self.shape.hidden and self.shape.heads:
            value = self.shape.hidden / self.shape.heads
        elif value is None and name == "value_head_size":
            value = self.head_size
        elif value is None and name == "kv_heads":
            value = self.shape.heads
        if value is None:
            raise MissingInput(self.formula, [name])
        return float(value)


def _all_parameters(run: _Needs, causal: bool) -> float:
    return 6 * run.params


def _palm(run: _Needs, causal: bool) -> float:
    return 6 * run.params + _square_attention(run, causal)


def _mosaic(run: _Needs, causal: bool) -> float:
    half = 0.5 if causal else 1.0
    return 6 * run.params + 12 * run.layers * run.hidden * run.seq_len * half


def _titan(run: _Needs, causal: bool) -> float:
    """The input embedding is a table look-up, no matrix product."""
    return 6 * (run.params - run.vocab * run.hidden) + _square_attention(run, causal)


def _korthikanti(run: _Needs, causal: bool) -> float:
    return _dense_block(run, 0.5 if causal else 1.0)


def _matmuls(run: _Needs, causal: bool) -> float:
    """Every matrix product, with grouped queries, gated layers and active experts."""
    heads, size = run.heads, run.head_size
    queries = heads * size
    keys_values = run.kv_heads * (size + run.value_head_size)
    attended = heads * run.value_head_size
    projections = run.hidden * (queries + keys_values + attended)
    factor = 3 if run.shape.gated_ffn in (None, True) else 2
    moe_layers = float(run.shape.moe_layers or 0)
    dense_layers = run.layers - moe_layers
    feed_forward = dense_layers * factor * run.hidden * run.ffn_hidden if dense_layers else 0.0
    if moe_layers:
        width = run.moe_ffn_hidden * run.experts_active + float(run.shape.shared_ffn_hidden or 0)
        feed_forward += moe_layers * factor * run.hidden * width
    head = run.hidden * run.vocab
    matmuls = run.layers * projections + feed_forward + head
    window = float(run.shape.sliding_window or run.seq_len)
    sliding = run.shape.sliding_layers
    windowed = float(run.layers if sliding is None else sliding) if window < run.seq_len else 0.0
    scores = heads * (size + run.value_head_size)
    context = (run.layers - windowed) * _context(run.seq_len, run.seq_len, causal)
    context += windowed * _context(run.seq_len, window, causal)
    return 6 * matmuls + 6 * scores * context


def _context(seq_len: float, window: float, causal: bool) -> float:
    """Positions a token attends to on average: half of the sequence when causal."""
    if not causal:
        return window
    return window - window**2 / (2 * seq_len)


def _square_attention(run: _Needs, causal: bool) -> float:
    """12 L H Q s; where values have another size than queries, 6 L H (Q + V) s."""
    half = 0.5 if causal else 1.0
    layers, heads = run.layers, run.heads
    return 6 * layers * heads * (run.head_size + run.value_head_size) * run.seq_len * half


def _dense_block(run: _Needs, attention: float) -> float:
    """72 L h^2 (1 + s/6h + V/12hL) for a token; `attention` scales the s term."""
    layers, hidden = run.layers, run.hidden
    terms = 1 + attention * run.seq_len / (6 * hidden) + run.vocab / (12 * hidden * layers)
    return 72 * layers * hidden**2 * terms


def _sc21_hardware(run: _Needs, causal: bool) -> float:
    half = 0.5 if causal else 1.0
    layers, hidden = run.layers, run.hidden
    terms = 1 + half * run.seq_len / (6 * hidden) + run.vocab / (16 * layers * hidden)
    return 96 * layers * hidden**2 * terms


FORMULAS: dict[str, Callable[[_Needs, bool], float]] = {
    "6n": _all_parameters,
    "palm": _palm,
    "mosaic": _mosaic,
    "titan": _titan,
    "korthikanti": _korthikanti,
    "sc21": _korthikanti,
    "megatron": _matmuls,
    "maxtext": _matmuls,
}
"""Model FLOPs for a token by formula id (METRICS.md, section 1)."""
