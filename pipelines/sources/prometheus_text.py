"""Samples as Prometheus gives them: a query_range answer, or an exporter's scrape.

Source: Prometheus HTTP API, "Range queries"; text exposition format 0.0.4.
"""

import json
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pipelines.sources import FileRefused
from pipelines.tabular import decode

_LINE = re.compile(
    r"^(?P<name>[a-zA-Z_:][\w:]*)\s*(?:\{(?P<labels>.*)\})?\s+(?P<value>\S+)(?:\s+(?P<ms>-?\d+))?\s*$"
)
_LABEL = re.compile(r'\s*([a-zA-Z_]\w*)\s*=\s*"((?:[^"\\]|\\.)*)"\s*,?')
_STAMP = re.compile(r"(20\d{2})-?(\d{2})-?(\d{2})[T_-]?(\d{2})[:-]?(\d{2})(?:[:-]?(\d{2}))?Z?")
_ESCAPES = {"\\\\": "\\", '\\"': '"', "\\n": "\n"}


@dataclass(frozen=True)
class Sample:
    """One value of one series. moment: as text, epoch seconds. row: line of a scrape."""

    name: str
    labels: dict[str, str]
    moment: str
    value: str
    row: int | None = None


def query_range_samples(path: Path) -> list[Sample]:
    """Every sample of a query or query_range answer, or of a list of them.

    Raises FileRefused for another document, or an answer that reports an error.
    """
    try:
        document = json.loads(decode(path))
    except ValueError as error:
        raise FileRefused(
            path, "json", f"{path.name}: not JSON ({error}). Query again and save the answer whole."
        ) from error
    answers = document if isinstance(document, list) else [document]
    samples: list[Sample] = []
    for answer in answers:
        samples.extend(_answer(path, answer))
    return samples


def scrape_samples(path: Path) -> list[Sample]:
    """Every sample of an exporter's text.

    A sample without a timestamp is of the time in the file's name
    (...2026-11-30T0800Z.prom, read as UTC), else of the file's last change.
    Raises FileRefused for a line that is no sample.
    """
    taken = _taken_at(path)
    samples = []
    for number, line in enumerate(decode(path).splitlines(), start=1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        found = _LINE.match(line.strip())
        if not found:
            raise FileRefused(
                path,
                "exposition",
                f"{path.name}, row {number}: not a Prometheus sample. Scrape again.",
                number,
            )
        milliseconds = found["ms"]
        moment = str(int(milliseconds) / 1000) if milliseconds else taken
        samples.append(
            Sample(found["name"], _labels(found["labels"] or ""), moment, found["value"], number)
        )
    return samples


def _answer(path: Path, answer: Any) -> list[Sample]:
    data = answer.get("data") if isinstance(answer, dict) else None
    if not isinstance(data, dict) or not isinstance(data.get("result"), list):
        said = answer.get("error", "no data.result") if isinstance(answer, dict) else "no data"
        raise FileRefused(
            path, "prometheus", f"{path.name}: not a Prometheus answer with samples ({said})."
        )
    samples = []
    for series in data["result"]:
        labels = {str(key): str(value) for key, value in series.get("metric", {}).items()}
        name = labels.pop("__name__", "")
        for moment, value in series.get("values") or [series.get("value") or (None, None)]:
            if moment is not None:
                samples.append(Sample(name, labels, str(moment), str(value)))
    return samples


def _labels(text: str) -> dict[str, str]:
    return {
        name: re.sub(r'\\[\\"n]', lambda found: _ESCAPES[found.group(0)], value)
        for name, value in _LABEL.findall(text)
    }


def _taken_at(path: Path) -> str:
    found = _STAMP.search(path.name)
    if found:
        parts = [int(part) for part in found.groups(default="0")]
        try:
            return str(datetime(*parts, tzinfo=UTC).timestamp())  # type: ignore[misc,arg-type]
        except ValueError:
            pass
    return str(int(path.stat().st_mtime))
