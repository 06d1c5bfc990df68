"""A loader killed at any moment leaves the last committed state; readers see whole ones."""

import random
import subprocess
import sys
import time
from decimal import Decimal
from pathlib import Path

from config import Config
from pipelines.lake import LakeReader
from tests.lakes import ROOT, outcomes, source, written
from tests.pipelines.sources.focus_files import text

ROWS = 4000
KILLS = 6
LONGEST_S = 4.0


def _bill(folder: Path, cost: str) -> None:
    row = {"BilledCost": cost, "EffectiveCost": cost}
    (folder / "bill.csv").write_text(text(*[row] * ROWS), encoding="utf-8")


def _loader(config: Config) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "cli.py", "load", "--config", str(config.file)],
        cwd=ROOT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def _state(reader: LakeReader) -> tuple[int, Decimal, int]:
    """Rows, billed total and loads of the newest committed state."""
    lake = reader.at(reader.snapshot_id())
    frame = lake.query("select count(*) as n, sum(billed_cost) as billed from cost_line")
    loads = lake.query("select count(*) as n from load where status = 'loaded'")
    return int(frame["n"][0]), Decimal(frame["billed"][0]), int(loads["n"][0])


def test_a_killed_loader_leaves_the_last_state_and_the_next_load_works(tmp_path: Path) -> None:
    config = written(tmp_path, source("bill", "focus", "bill.csv"))
    _bill(tmp_path, "1")
    outcomes(config)
    delay = random.Random(20261201)
    price = 1
    for _ in range(KILLS):
        before = _state(LakeReader(config))
        assert before[:2] == (ROWS, ROWS * price)
        _bill(tmp_path, str(price + 1))
        loader = _loader(config)
        time.sleep(delay.uniform(0.3, LONGEST_S))
        loader.kill()
        loader.wait()
        rows, billed, loads = _state(LakeReader(config))
        assert rows == ROWS
        assert (billed, loads) in {
            (ROWS * price, before[2]),
            (ROWS * (price + 1), before[2] + 1),
        }
        (outcome,) = outcomes(config)
        assert outcome.status in ("loaded", "unchanged"), outcome.message
        price += 1
    assert _state(LakeReader(config)) == (ROWS, ROWS * price, price)


def test_readers_beside_a_loader_see_only_whole_states(tmp_path: Path) -> None:
    config = written(tmp_path, source("bill", "focus", "bill.csv"))
    _bill(tmp_path, "1")
    outcomes(config)
    readers = [LakeReader(config) for _ in range(3)]
    seen = set()
    for price in (2, 3):
        _bill(tmp_path, str(price))
        loader = _loader(config)
        while loader.poll() is None:
            for reader in readers:
                rows, billed, loads = _state(reader)
                assert (rows, billed) == (ROWS, ROWS * loads)
                seen.add(billed)
        assert loader.returncode == 0
    assert all(_state(reader) == (ROWS, ROWS * 3, 3) for reader in readers)
    assert len(seen) >= 2
