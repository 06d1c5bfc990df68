"""The sample company in a lake of the tests' own."""

import re
from collections.abc import Collection
from pathlib import Path

from rich.console import Console

from config import Config, read_config
from sample_data.load import LAST_REVIEW, load_sample
from tests.lakes import ROOT

LIGHT = ("reference", "incidents", "maintenance", "msproject", "risk_register", "training_runs")
"""Kinds whose sample files load in seconds; bills, jobs and samples take longer."""


def sample_lake(folder: Path, kinds: Collection[str] | None = None) -> Config:
    """The sample loaded as `make run` does: the last review's state, then today's.

    kinds: only the sources of these kinds; all of them unless given.
    """
    before = _moved(LAST_REVIEW, folder, kinds)
    config = _moved(ROOT / "quartermaster.toml", folder, kinds)
    load_sample(config, before, Console(stderr=True, quiet=True))
    return config


def _moved(file: Path, folder: Path, kinds: Collection[str] | None) -> Config:
    """The configuration in another folder: its sources stay, its stores move."""
    head, *blocks = file.read_text(encoding="utf-8").split("[[sources]]")
    if kinds is not None:
        blocks = [b for b in blocks if re.search(r'^kind = "(.+)"$', b, re.M).group(1) in kinds]  # type: ignore[union-attr]
    head = head.replace("../data", "data")
    sources = "".join(
        "[[sources]]" + re.sub(r'^path = "', f'path = "{file.parent}/', block, flags=re.M)
        for block in blocks
    )
    moved = folder / file.name
    moved.write_text(head + sources, encoding="utf-8")
    return read_config(moved)
