"""Server time of each page, cold and warm, on the configured lake (the sample by default).

    python -m benchmarks.pages --config quartermaster.toml

Cold: the first run of a page in a new process, imports and caches empty. Warm:
later runs in it, the median. A page runs as the app runs it, without a browser.
"""

import argparse
import os
import subprocess
import sys
import time
from pathlib import Path
from statistics import median

from rich.console import Console
from rich.table import Table
from streamlit.testing.v1 import AppTest

from config import ENVIRONMENT_VARIABLE, find_config

ROOT = Path(__file__).resolve().parents[1]
TARGET_MS = 300


def main() -> None:
    """Run each page in a process of its own, print the table."""
    parser = argparse.ArgumentParser(description="Server time of each page, cold and warm.")
    parser.add_argument("--config", type=Path)
    parser.add_argument("--runs", type=int, default=5, help="warm runs of a page")
    parser.add_argument("--page", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.page:
        _run_page(given.page, given.runs)
        return
    os.environ[ENVIRONMENT_VARIABLE] = str(find_config(given.config))
    table = Table(title=f"Server time, warm target {TARGET_MS} ms")
    for heading in ("page", "cold ms", "warm ms", "slowest warm ms"):
        table.add_column(heading, justify="left" if heading == "page" else "right")
    for file in sorted((ROOT / "pages").glob("[!_]*.py")):
        command = [sys.executable, "-m", "benchmarks.pages", "--page", file.stem]
        answer = subprocess.run(
            [*command, "--runs", str(given.runs)], cwd=ROOT, capture_output=True, text=True
        )
        if answer.returncode:
            reason = (answer.stderr.strip().splitlines() or ["no reason given"])[-1]
            table.add_row(file.stem, reason, "", "")
            continue
        cold, *warm = (float(word) for word in answer.stdout.splitlines()[-1].split())
        table.add_row(file.stem, f"{cold:.0f}", f"{median(warm):.0f}", f"{max(warm):.0f}")
    Console().print(table)


def _run_page(name: str, runs: int) -> None:
    test = AppTest.from_file(str(ROOT / "pages" / f"{name}.py"), default_timeout=300)
    spent = []
    for _ in range(runs + 1):
        started = time.perf_counter()
        test.run()
        spent.append((time.perf_counter() - started) * 1000)
        if test.exception:
            raise SystemExit(f"{name}: {test.exception[0].message}")
    sys.stdout.write(" ".join(f"{value:.1f}" for value in spent) + "\n")


if __name__ == "__main__":
    main()
