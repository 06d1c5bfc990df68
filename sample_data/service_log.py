"""Incidents and maintenance windows of thirteen months."""

import csv
import random
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from sample_data.company import BREACH_MINUTES, BREACHED_SERVICE, LAST_REVIEW, SEED
from sample_data.jobs import BEGIN, FINISH

HEADINGS = ["incident_id", "service", "cluster", "title", "start", "end", "severity", "cause",
            "gpus", "effect"]  # fmt: skip
KINDS = (
    ("training-shanghai", "shanghai", "GPU fell off the bus", "GPU hardware", 8, 5.0, 26),
    ("training-shanghai", "shanghai", "HBM3 uncorrectable error", "HBM3 memory", 8, 4.0, 12),
    ("training-shanghai", "shanghai", "Leaf switch reboot", "network", 64, 0.9, 4),
    ("training-singapore", "singapore", "GPU fell off the bus", "GPU hardware", 8, 6.0, 11),
    ("training-singapore", "singapore", "NVLink error", "GPU hardware", 8, 3.5, 5),
    ("inference-api", "virginia", "Elevated 5xx after rollout", "software", None, 0.12, 7),
    ("batch-inference", "virginia", "Queue stalled", "software", None, 0.15, 5),
    ("speech-asr", "virginia", "Model server crash loop", "software", None, 0.11, 6),
    ("scheduler", None, "slurmctld failover", "software", None, 0.25, 6),
    ("storage", None, "Metadata server failover", "storage", None, 0.3, 5),
    ("portal", None, "Login errors", "software", None, 0.4, 4),
)
"""Service, cluster, title, cause, GPUs, usual hours, how many in thirteen months."""


def write_service_logs(folder: Path, review: Path) -> None:
    """Today's logs, and the incident log as it stood at the last review."""
    folder.mkdir(parents=True, exist_ok=True)
    review.mkdir(parents=True, exist_ok=True)
    incidents = _incidents()
    cut = datetime.combine(LAST_REVIEW, datetime.min.time(), BEGIN.tzinfo) + timedelta(days=1)
    _write(folder / "incidents.csv", incidents, FINISH)
    _write(review / "incidents.csv", incidents, cut)
    _write_maintenance(folder / "maintenance.csv")


def _incidents() -> list[list[Any]]:
    chance = random.Random(f"{SEED}-incidents")
    span = (FINISH - timedelta(days=32) - BEGIN).total_seconds()
    rows: list[list[Any]] = []
    for service, cluster, title, cause, gpus, hours, count in KINDS:
        for _ in range(count):
            start = BEGIN + timedelta(seconds=chance.uniform(0, span))
            end = start + timedelta(hours=hours * chance.uniform(0.4, 1.8))
            level = "SEV2" if gpus is None or gpus > 8 else "SEV3"
            rows.append([service, cluster, title, start, end, level, cause, gpus, "down"])

    def november(day: int, hour: int, minute: int) -> datetime:
        return datetime(2026, 11, day, hour, minute, tzinfo=BEGIN.tzinfo)

    rows += [
        ["training-shanghai", "shanghai", "GPU fell off the bus", november(4, 3, 10),
         november(4, 9, 40), "SEV3", "GPU hardware", 8, "down"],
        ["training-shanghai", "shanghai", "Coolant pressure alarm, row C", november(12, 14, 0),
         november(12, 15, 0), "SEV2", "facility", 64, "down"],
        ["training-singapore", "singapore", "HBM3 uncorrectable error", november(9, 22, 5),
         november(10, 2, 30), "SEV3", "HBM3 memory", 8, "down"],
        ["speech-asr", "virginia", "Model server crash loop", november(17, 11, 2),
         november(17, 11, 9), "SEV3", "software", None, "down"],
        ["batch-inference", "virginia", "Queue stalled", november(19, 2, 0),
         november(19, 2, 12), "SEV3", "software", None, "down"],
        [BREACHED_SERVICE, "virginia", "Gateway certificate expired", november(25, 10, 12),
         november(25, 10, 12) + timedelta(minutes=BREACH_MINUTES), "SEV1", "configuration", None,
         "down"],
        ["storage", None, "Slow metadata, one pool", november(27, 20, 0), november(27, 21, 30),
         "SEV3", "storage", None, "degraded"],
        ["training-shanghai", "shanghai", "Node waits for a spare NIC", november(30, 6, 0), None,
         "SEV3", "network", 8, "down"],
    ]  # fmt: skip
    rows.sort(key=lambda row: row[3])
    return [[f"INC-{number:04d}", *row] for number, row in enumerate(rows, start=1)]


def _write(file: Path, incidents: list[list[Any]], until: datetime) -> None:
    with file.open("w", newline="", encoding="utf-8") as target:
        sheet = csv.writer(target, lineterminator="\n")
        sheet.writerow(HEADINGS)
        for id, service, cluster, title, start, end, level, cause, gpus, effect in incidents:
            if start >= until:
                continue
            ended = end is not None and end < until
            sheet.writerow([
                id, service, cluster, title, start.strftime("%Y-%m-%d %H:%M"),
                end.strftime("%Y-%m-%d %H:%M") if ended else "", level, cause, gpus, effect,
            ])  # fmt: skip


def _write_maintenance(file: Path) -> None:
    rows = [["service", "cluster", "start", "end", "reason", "approved_by", "gpus"]]
    start = BEGIN + timedelta(days=9, hours=2)
    number = 0
    while start < FINISH:
        cluster = ("shanghai", "singapore", "virginia")[number % 3]
        service = (f"training-{cluster}", f"training-{cluster}", "batch-inference")[number % 3]
        reason = ("Firmware update", "Switch replacement", "GPU driver upgrade")[number % 3]
        gpus = (64, 64, "")[number % 3]
        hours = (4, 4, 1)[number % 3]
        rows.append([
            service, cluster, start.strftime("%Y-%m-%d %H:%M"),
            (start + timedelta(hours=hours)).strftime("%Y-%m-%d %H:%M"), reason, "Sun Jing",
            str(gpus),
        ])  # fmt: skip
        start += timedelta(days=28)
        number += 1
    with file.open("w", newline="", encoding="utf-8") as target:
        csv.writer(target, lineterminator="\n").writerows(rows)
