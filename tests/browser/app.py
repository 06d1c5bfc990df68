"""The app in a process of its own, and Debian's Chromium to drive it."""

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]

CHROMIUM = "/usr/bin/chromium"
ARGUMENTS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
START_S = 60


@contextmanager
def serving(config: Path) -> Iterator[str]:
    """The app over a configuration; gives its address, ends it by its process id."""
    port = _free_port()
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.port", str(port)]
    environment = {**os.environ, "QUARTERMASTER_CONFIG": str(config)}
    quiet = subprocess.DEVNULL
    with subprocess.Popen(command, cwd=ROOT, env=environment, stdout=quiet, stderr=quiet) as app:
        try:
            address = f"http://127.0.0.1:{port}"
            _wait(f"{address}/_stcore/health", app)
            yield address
        finally:
            app.terminate()
            app.wait(timeout=20)


@contextmanager
def browser() -> Iterator[Any]:
    """Chromium; without one the test skips, except in CI, where it fails."""
    path = CHROMIUM if Path(CHROMIUM).exists() else shutil.which("chromium")
    if path is None:
        reason = "no Chromium on this machine (apt-get install chromium)"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as play:
        chromium = play.chromium.launch(executable_path=path, args=list(ARGUMENTS))
        try:
            yield chromium
        finally:
            chromium.close()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _wait(url: str, app: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + START_S
    while time.monotonic() < end:
        try:
            with urllib.request.urlopen(url, timeout=2) as answer:
                if answer.status == 200:
                    return
        except OSError:
            time.sleep(0.2)
        if app.poll() is not None:
            raise RuntimeError(f"the app ended with code {app.returncode} before it answered")
    raise RuntimeError(f"the app did not answer within {START_S} s")
