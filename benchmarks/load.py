"""Time and memory of loading a FOCUS export, beside the bare engine on the same file.

    python -m benchmarks.load --rows 1000000

Each side runs in a process of its own, in turn, so that both meet the same
state of the machine; figures are medians. Bare is what one would type: read_csv
with declared types, copied to Parquet. It is run with the types the lake stores
(decimal(38, 18)) and with decimal(18, 9), which the engine parses far faster
but which cannot hold every bill. Nothing is asserted: read the ratios.
"""

import argparse
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

import duckdb
from rich.console import Console
from rich.table import Table

from config import read_config
from models.billing.contracts import COST_LINE
from pipelines.load import load


def main() -> None:
    """Generate, run each side in turn, print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--side", choices=sorted(_SIDES), help=argparse.SUPPRESS)
    parser.add_argument("--file", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.side:
        _run_side(given.side, given.file)
        return
    with tempfile.TemporaryDirectory(prefix="quartermaster-benchmark-") as folder:
        file = Path(folder) / "bill.csv"
        generate(file, given.rows)
        found: dict[str, list[tuple[float, float]]] = {side: [] for side in _SIDES}
        for _ in range(given.runs):
            for side, runs in found.items():
                runs.append(_measured(side, file))
        _print(found, given.rows, file.stat().st_size)


def generate(path: Path, rows: int) -> None:
    """A FOCUS 1.0 export of one month: 43 columns, daily and hourly charges, tags."""
    statement = (Path(__file__).parent / "focus_rows.sql").read_text(encoding="utf-8")
    connection = duckdb.connect()
    connection.execute(statement, {"rows": rows})
    connection.sql("from charge").write_csv(str(path), header=True, na_rep="NULL")


def bare(decimal: str) -> Callable[[Path], None]:
    """read_csv with declared types, copied to Parquet."""

    def run(file: Path) -> None:
        connection = duckdb.connect()
        headings = file.open(encoding="utf-8").readline().strip().split(",")
        types = {
            name: decimal
            if name.endswith(("Cost", "Price", "Quantity"))
            else ("TIMESTAMP" if "Period" in name else "VARCHAR")
            for name in headings
        }
        rows = connection.read_csv(str(file), header=True, dtype=types, na_values=["NULL"])
        rows.write_parquet(str(file.with_suffix(".parquet")))

    return run


def product(file: Path) -> None:
    """The whole path: read, judge, write to the lake, replace, rebuild marts, record."""
    with tempfile.TemporaryDirectory(dir=file.parent) as folder:
        settings = Path(folder) / "quartermaster.toml"
        settings.write_text(
            f'[[sources]]\nname = "bill"\nkind = "focus"\npath = "{file}"\n', encoding="utf-8"
        )
        (outcome,) = load(read_config(settings))
        if outcome.status != "loaded" or outcome.quarantined:
            raise SystemExit(f"the load did not go through: {outcome}")


_SIDES: dict[str, Callable[[Path], None]] = {
    "bare, decimal(38, 18)": bare("DECIMAL(38, 18)"),
    "bare, decimal(18, 9)": bare("DECIMAL(18, 9)"),
    "quartermaster load": product,
}


def _run_side(side: str, file: Path) -> None:
    started = time.perf_counter()
    _SIDES[side](file)
    sys.stdout.write(f"{time.perf_counter() - started} {_peak()}\n")


def _peak() -> float:
    """Megabytes at the most. ru_maxrss would carry over what the parent had used."""
    status = Path("/proc/self/status")
    if status.exists():
        found = re.search(r"VmHWM:\s+(\d+)", status.read_text())
        if found:
            return int(found.group(1)) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _measured(side: str, file: Path) -> tuple[float, float]:
    command = [sys.executable, "-m", "benchmarks.load", "--side", side, "--file", str(file)]
    answer = subprocess.run(command, check=True, capture_output=True, text=True)
    seconds, peak = answer.stdout.split()
    return float(seconds), float(peak)


def _print(found: dict[str, list[tuple[float, float]]], rows: int, size: int) -> None:
    console = Console()
    ours = [median(run[i] for run in found["quartermaster load"]) for i in (0, 1)]
    table = Table(
        title=f"{rows:,} rows, {size / 1e6:,.0f} MB, {len(COST_LINE.columns)} lake columns"
    )
    for heading in ("side", "seconds", "peak MB", "load: times its time", "times its memory"):
        table.add_column(heading, justify="left" if heading == "side" else "right")
    for side, runs in found.items():
        seconds, peak = (median(run[i] for run in runs) for i in (0, 1))
        table.add_row(
            side,
            f"{seconds:.2f}",
            f"{peak:.0f}",
            f"{ours[0] / seconds:.2f}",
            f"{ours[1] / peak:.2f}",
        )
    console.print(table)


if __name__ == "__main__":
    main()
