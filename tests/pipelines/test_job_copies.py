"""Overlapping exports of jobs: each run counts once, by the copy that saw most of it."""

from pathlib import Path

import polars as pl

from tests.lakes import facts_of, loaded, source

HEADING = "JobID|State|Submit|Start|End|Elapsed|AllocTRES"
RUNNING = "7|RUNNING|2026-01-05T08:00:00|2026-01-05T09:00:00|Unknown|01:00:00|gres/gpu=8"
ENDED = (
    "7|COMPLETED|2026-01-05T08:00:00|2026-01-05T09:00:00|2026-01-05T13:00:00|04:00:00|gres/gpu=8"
)
FIRST_RUN = (
    "8|REQUEUED|2026-01-05T08:00:00|2026-01-05T09:00:00|2026-01-05T10:00:00|01:00:00|gres/gpu=1"
)
SECOND_RUN = (
    "8|COMPLETED|2026-01-05T10:00:00|2026-01-05T11:00:00|2026-01-05T13:00:00|02:00:00|gres/gpu=1"
)


def jobs(folder: Path, **files: str) -> pl.DataFrame:
    """The lake's jobs after loading files in the order of their names."""
    for name, text in files.items():
        (folder / f"{name}.txt").write_text(f"{HEADING}\n{text}\n")
    config = loaded(folder, source("jobs", "slurm", "*.txt", cluster="x"))
    return facts_of(config).table("job").sort("job_id", "submit")


def test_a_later_export_replaces_the_run_it_saw_end(tmp_path: Path) -> None:
    frame = jobs(tmp_path, a=RUNNING, b=ENDED)
    assert frame.select("state", "elapsed_s").rows() == [("COMPLETED", 14_400.0)]


def test_an_export_from_while_it_ran_does_not_undo_a_later_one(tmp_path: Path) -> None:
    frame = jobs(tmp_path, a=ENDED, b=RUNNING)
    assert frame.select("state", "elapsed_s").rows() == [("COMPLETED", 14_400.0)]


def test_a_correction_of_the_same_run_wins_by_being_newer(tmp_path: Path) -> None:
    frame = jobs(tmp_path, a=ENDED, b=ENDED.replace("gres/gpu=8", "gres/gpu=4"))
    assert frame["gpus"].to_list() == [4]


def test_runs_of_a_requeued_job_from_two_exports_all_count(tmp_path: Path) -> None:
    frame = jobs(tmp_path, a=FIRST_RUN, b=f"{FIRST_RUN}\n{SECOND_RUN}", c=SECOND_RUN)
    assert frame["elapsed_s"].to_list() == [3600, 7200]
