"""What a figure answers with, and the register of figures by name.

A figure exists once: pages, workbooks and the command line ask the function
registered here and show what it answers.
"""

import inspect
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

import polars as pl


@dataclass(frozen=True)
class Answer:
    """A figure with what a reader needs to trust it.

    frame: the rows; exact figures are Decimal, instants are UTC.
    formula: one English sentence or formula, translated when shown.
    tables: lake and records tables it was computed from.
    coverage_percent: share of the expected input that was there; None where
        the figure has no notion of it.
    data_through: newest input instant; None without data.
    notes: exclusions, gaps, deviations a reader must know, in English.
    """

    frame: pl.DataFrame
    formula: str
    tables: tuple[str, ...]
    coverage_percent: float | None = None
    data_through: datetime | None = None
    notes: tuple[str, ...] = ()
    extra: dict[str, pl.DataFrame] = field(default_factory=dict)
    """Further frames of the same computation, for pages (checks, steps, links)."""


class CannotAnswer(Exception):
    """Why a figure cannot be given, in words for the person asking."""


@dataclass(frozen=True)
class Metric:
    """A registered figure. `listed`: offered by `quartermaster metric`."""

    name: str
    function: Callable[..., Answer]
    listed: bool

    @property
    def parameters(self) -> dict[str, Any]:
        """Parameter names after `facts`, with their defaults (`inspect.Parameter.empty`)."""
        given = list(inspect.signature(self.function).parameters.values())[1:]
        return {p.name: p.default for p in given}


_REGISTER: dict[str, Metric] = {}


def metric(
    name: str, *, listed: bool = True
) -> Callable[[Callable[..., Answer]], Callable[..., Answer]]:
    """Register `function(facts, **parameters) -> Answer` under the figure's name."""

    def register(function: Callable[..., Answer]) -> Callable[..., Answer]:
        _REGISTER[name] = Metric(name, function, listed)
        return function

    return register


@cache
def metrics() -> dict[str, Metric]:
    """Every figure by name; modules of this package register theirs on import."""
    package = import_module("metrics")
    for info in iter_modules(package.__path__):
        import_module(f"metrics.{info.name}")
    return dict(sorted(_REGISTER.items()))
