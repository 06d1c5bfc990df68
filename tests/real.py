"""Real public files beside the checkout, with golden figures in their SOURCES.md.

They are not part of the project: on a machine without them the tests that need
them skip and say so; in CI their absence is a failure.
"""

import os
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parents[2] / "shared" / "real"


def real(name: str) -> Path:
    """A real file or folder by its path below the collection."""
    path = FOLDER / name
    if path.exists():
        return path
    reason = f"the real file {name} is not on this machine"
    if os.environ.get("CI") == "true":
        pytest.fail(reason)
    pytest.skip(reason)
