"""Model FLOPs by eight formulas: hand-checked cases of METRICS.md, section 1."""

from dataclasses import replace

import polars as pl
import pytest

from models.cluster.mfu import (
    FORMULAS,
    MissingInput,
    Shape,
    achieved_tflops,
    flops_per_token,
    likely_cause,
    percent_of_peak,
)
from models.cluster.precision import Peaks, UnknownAccelerator, UnknownPeak, precision_of

LLAMA_8B = Shape(
    params=8_030_261_248,
    layers=32,
    hidden=4096,
    ffn_hidden=14336,
    gated_ffn=True,
    heads=32,
    kv_heads=8,
    seq_len=8192,
    vocab=128256,
)
GPT3 = Shape(layers=96, hidden=12288, seq_len=2048, vocab=51200)
PALM = Shape(
    params=540_350_000_000,
    layers=118,
    hidden=18432,
    heads=48,
    head_size=256,
    seq_len=2048,
    vocab=256000,
)


def utilisation(
    formula: str, shape: Shape, tokens: float, count: float, peak: float, recompute: str | None
) -> tuple[float, float | None]:
    flops = flops_per_token(formula, shape, recompute)
    model = percent_of_peak(achieved_tflops(flops.model, tokens, count), peak)
    if flops.hardware is None:
        return model, None
    return model, percent_of_peak(achieved_tflops(flops.hardware, tokens, count), peak)


def test_palm_540b_on_6144_tpu_v4() -> None:
    mfu, hfu = utilisation("palm", PALM, 238_300, 6144, 275, None)
    assert mfu == pytest.approx(46.229, abs=0.0005)
    assert hfu is None, "how much was recomputed is not stated"


def test_the_rule_of_thumb_reads_half_a_point_less_on_palm() -> None:
    assert utilisation("6n", PALM, 238_300, 6144, 275, None)[0] == pytest.approx(45.73, abs=0.005)


def test_mosaic_70b_with_checkpointing() -> None:
    mpt = Shape(params=64_862_437_376, layers=80, hidden=8192, seq_len=2048)
    mfu, hfu = utilisation("mosaic", mpt, 515_636, 512, 989.5, "full")
    assert mfu == pytest.approx(41.25, abs=0.005)
    assert hfu == pytest.approx(55.00, abs=0.005)


def test_korthikanti_175b_counts_attention_twice_under_selective_recompute() -> None:
    mfu, hfu = utilisation("korthikanti", GPT3, 64 * 2048 / 13.75, 64, 312, "selective")
    assert mfu == pytest.approx(51.39, abs=0.005)
    assert hfu == pytest.approx(52.77, abs=0.005)


def test_sc21_is_a_hardware_figure() -> None:
    flops = flops_per_token("sc21", GPT3)
    tokens = 1536 * 2048 / 32
    assert flops.hardware is not None
    assert achieved_tflops(flops.hardware, tokens, 1024) == pytest.approx(137.66, abs=0.005)
    mfu, hfu = utilisation("sc21", GPT3, tokens, 1024, 312, None)
    assert hfu == pytest.approx(44.12, abs=0.005)
    assert mfu == pytest.approx(33.12, abs=0.005)


def test_megatron_counts_llama_8b_exactly() -> None:
    # 6 x [32 x (4096 x 6144 + 4096^2 + 3 x 4096 x 14336) + 4096 x 128256]
    # + 6 x 32 x 8192 x 4096 (causal half of scores and values)
    assert flops_per_token("megatron", LLAMA_8B).model == 51_470_401_536


@pytest.mark.parametrize(
    ("formula", "percent"),
    [("6n", 32.47), ("megatron", 34.68), ("maxtext", 34.68), ("titan", 39.02), ("palm", 41.15)],
)
def test_one_run_reads_nine_points_apart(formula: str, percent: float) -> None:
    mfu, _ = utilisation(formula, LLAMA_8B, 6667, 1, 989.4, None)
    assert mfu == pytest.approx(percent, abs=0.01)


def test_a_mixture_of_experts_counts_active_experts() -> None:
    # Mixtral 8x7B: 32 layers, 8 experts of which 2 are used, V 32000, s 4096.
    mixtral = replace(
        LLAMA_8B,
        params=46_702_792_704,
        active_params=12_879_925_248,
        vocab=32000,
        seq_len=4096,
        ffn_hidden=None,
        moe_layers=32,
        experts_active=2,
        moe_ffn_hidden=14336,
    )
    assert flops_per_token("6n", mixtral).model == 6 * 12_879_925_248
    # 6 x [32 x (41,943,040 + 2 x 176,160,768) + 4096 x 32000] + 6 x 32 x 4096 x 4096
    assert flops_per_token("megatron", mixtral).model == 79_706_456_064


def test_grouped_queries_shrink_projections_not_attention() -> None:
    full = flops_per_token("megatron", replace(LLAMA_8B, kv_heads=32)).model
    grouped = flops_per_token("megatron", LLAMA_8B).model
    # 2 x (4096 - 1024) x 4096 x 32 layers x 6
    assert full - grouped == 6 * 32 * 2 * 3072 * 4096


def test_a_sliding_window_as_long_as_the_sequence_changes_nothing() -> None:
    whole = flops_per_token("maxtext", LLAMA_8B).model
    assert flops_per_token("maxtext", replace(LLAMA_8B, sliding_window=8192)).model == whole
    assert flops_per_token("maxtext", replace(LLAMA_8B, sliding_window=1024)).model < whole


def test_causal_multi_head_latent_attention() -> None:
    # DeepSeek-V3: 6 x 37 B + 3 x 4096 x 128 x (192 + 128) x 61 at 3.16 M tokens/s on 2,048 H800.
    deepseek = Shape(
        params=671_000_000_000,
        active_params=37_000_000_000,
        layers=61,
        heads=128,
        head_size=192,
        value_head_size=128,
        seq_len=4096,
        causal=True,
    )
    mfu, _ = utilisation("palm", deepseek, 3_160_494, 2048, 989.5, None)
    assert mfu == pytest.approx(39.41, abs=0.005)


@pytest.mark.parametrize("formula", list(FORMULAS))
def test_mfu_never_exceeds_hfu(formula: str) -> None:
    for recompute in ("none", "full", "selective"):
        flops = flops_per_token(formula, LLAMA_8B, recompute)
        assert flops.hardware is None or flops.hardware >= flops.model


def test_a_missing_input_is_named() -> None:
    with pytest.raises(MissingInput, match="formula palm needs layers"):
        flops_per_token("palm", Shape(params=1))


@pytest.mark.parametrize(
    ("formula", "shape", "precision", "percent", "cause"),
    [
        ("6n", Shape(params=46_700_000_000, experts_active=2), "BF16", 283.0, "total_parameters"),
        ("palm", replace(LLAMA_8B, seq_len=131_072), "BF16", 130.0, "non_causal"),
        ("megatron", LLAMA_8B, "BF16", 120.0, "wrong_precision"),
        ("megatron", LLAMA_8B, "FP8", 250.0, "inputs"),
    ],
)
def test_an_impossible_mfu_has_a_likely_cause(
    formula: str, shape: Shape, precision: str, percent: float, cause: str
) -> None:
    assert likely_cause(formula, shape, precision, percent) == cause


PEAKS = Peaks.of(
    pl.DataFrame(
        {
            "accelerator": ["H100 SXM", "H100 SXM", "A100 80GB SXM"],
            "precision": ["BF16", "FP8", "BF16"],
            "dense_tflops": [989.4, 1978.9, 312.0],
        }
    )
)


def test_an_accelerator_is_found_however_it_is_spaced() -> None:
    assert PEAKS.peak("h100-sxm", "BF16") == 989.4


def test_an_unknown_accelerator_is_an_error_that_names_the_nearest() -> None:
    with pytest.raises(UnknownAccelerator) as error:
        PEAKS.peak("H100 SXM5", "BF16")
    assert error.value.nearest == "H100 SXM"


def test_a_precision_without_a_peak_is_an_error() -> None:
    with pytest.raises(UnknownPeak, match="A100 80GB SXM has no FP8 peak"):
        PEAKS.peak("A100 80GB SXM", "FP8")


@pytest.mark.parametrize(
    ("written", "precision"),
    [
        ("amp_bf16", "BF16"),
        ("fp16/bf16", "BF16"),
        ("fp8 mixed", "FP8"),
        ("float16", "FP16"),
        ("double", None),
    ],
)
def test_precisions_as_runs_write_them(written: str, precision: str | None) -> None:
    assert precision_of(written) == precision
