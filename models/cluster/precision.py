"""Accelerators and number formats as runs write them, and their dense peaks."""

import difflib
import re
from dataclasses import dataclass

import polars as pl

PRECISIONS = ("BF16", "FP16", "TF32", "FP8", "FP6", "FP4", "INT8")
_FORMS = {
    "fp8": "FP8",
    "float8": "FP8",
    "bf16": "BF16",
    "bfloat16": "BF16",
    "fp16": "FP16",
    "float16": "FP16",
    "tf32": "TF32",
    "fp6": "FP6",
    "fp4": "FP4",
    "int8": "INT8",
}
"""How a precision is written; of several in one word the first here counts."""

SPARSE = 2.0
"""Vendor sheets quote 2:4-sparse peaks, twice the dense ones."""


class UnknownAccelerator(ValueError):
    """An accelerator that the table does not have; never replaced by a default."""

    def __init__(self, name: str, nearest: str | None) -> None:
        hint = f'; the nearest known is "{nearest}"' if nearest else ""
        super().__init__(f'accelerator "{name}" is unknown{hint}')
        self.name = name
        self.nearest = nearest


class UnknownPeak(ValueError):
    """A known accelerator without a peak at the precision."""

    def __init__(self, accelerator: str, precision: str) -> None:
        super().__init__(f"{accelerator} has no {precision} peak in the accelerator table")
        self.accelerator = accelerator
        self.precision = precision


@dataclass(frozen=True)
class Peaks:
    """Dense TFLOP/s by accelerator and precision."""

    table: dict[tuple[str, str], float]
    names: dict[str, str]

    @classmethod
    def of(cls, accelerators: pl.DataFrame) -> "Peaks":
        """Peaks in the accelerator table (accelerator, precision, dense_tflops)."""
        rows = accelerators.select("accelerator", "precision", "dense_tflops").rows()
        table = {(name, precision.upper()): float(peak) for name, precision, peak in rows}
        return cls(table, {_plain(name): name for name, _, _ in rows})

    def name(self, written: str) -> str:
        """The table's own name. Raises UnknownAccelerator naming the nearest."""
        found = self.names.get(_plain(written))
        if found is None:
            close = difflib.get_close_matches(_plain(written), list(self.names), n=1, cutoff=0.3)
            raise UnknownAccelerator(written, self.names[close[0]] if close else None)
        return found

    def peak(self, written: str, precision: str) -> float:
        """Dense TFLOP/s. Raises UnknownAccelerator or UnknownPeak."""
        name = self.name(written)
        found = self.table.get((name, precision))
        if found is None:
            raise UnknownPeak(name, precision)
        return found


def precision_of(written: str) -> str | None:
    """The precision a run means: amp_bf16 is BF16, "fp8 mixed" FP8; None if unknown.

    fp16/bf16 is BF16: the two have one peak on every accelerator that has both.
    """
    text = written.casefold()
    return next((precision for form, precision in _FORMS.items() if form in text), None)


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.casefold())
