"""A load is whole or not at all, and says what it did."""

from pathlib import Path

import polars as pl
import pytest

from pipelines.load import UnknownSource, load
from tests.lakes import facts_of, outcomes, source, written

HEADINGS = "incident_id,service,cluster,title,start,end,severity,cause,gpus\n"
GOOD = (
    "I-1,training,shanghai,Fabric down,2026-11-01T00:00:00Z,2026-11-01T02:00:00Z,SEV2,network,8\n"
)
BACKWARDS = "I-2,training,shanghai,Clock,2026-11-02T00:00:00Z,2026-11-01T00:00:00Z,SEV2,other,\n"


def _incidents(folder: Path, text: str, name: str = "incidents.csv") -> None:
    (folder / name).write_text(text, encoding="utf-8")


def test_good_rows_go_in_and_bad_rows_are_kept_whole_with_reasons(tmp_path: Path) -> None:
    _incidents(tmp_path, HEADINGS + GOOD + BACKWARDS)
    config = written(tmp_path, source("log", "incidents", "incidents.csv"))
    (outcome,) = outcomes(config)
    assert (outcome.status, outcome.read, outcome.accepted, outcome.quarantined) == (
        "loaded",
        2,
        1,
        1,
    )
    facts = facts_of(config)
    row = facts.table("incident").row(0, named=True)
    assert (row["source"], row["source_file"], row["source_row"]) == ("log", "incidents.csv", 2)
    refused = facts.table("quarantine").row(0, named=True)
    assert (refused["file"], refused["row"], refused["column_name"]) == ("incidents.csv", 3, "end")
    assert "I-2" in refused["raw"]
    assert refused["message"]


def test_the_same_file_twice_changes_nothing_and_says_so(tmp_path: Path) -> None:
    _incidents(tmp_path, HEADINGS + GOOD)
    config = written(tmp_path, source("log", "incidents", "incidents.csv"))
    outcomes(config)
    before = facts_of(config)
    (outcome,) = outcomes(config)
    after = facts_of(config)
    assert outcome.status == "unchanged"
    assert after.snapshot_id == before.snapshot_id
    assert after.table("incident").equals(before.table("incident"))


def test_a_corrected_file_empties_its_quarantine(tmp_path: Path) -> None:
    _incidents(tmp_path, HEADINGS + GOOD + BACKWARDS)
    config = written(tmp_path, source("log", "incidents", "incidents.csv"))
    outcomes(config)
    _incidents(tmp_path, HEADINGS + GOOD)
    outcomes(config)
    assert facts_of(config).table("quarantine").is_empty()


def test_a_bad_file_fails_alone(tmp_path: Path) -> None:
    _incidents(tmp_path, HEADINGS + GOOD)
    _incidents(tmp_path, "this is not a table of incidents\n", "wrong.csv")
    config = written(
        tmp_path,
        source("bad", "incidents", "wrong.csv")
        + source("good", "incidents", "incidents.csv")
        + source("absent", "incidents", "nowhere/*.csv"),
    )
    found = {outcome.source: outcome for outcome in outcomes(config)}
    assert {name: outcome.status for name, outcome in found.items()} == {
        "bad": "failed",
        "good": "loaded",
        "absent": "failed",
    }
    assert "no file matches" in found["absent"].message
    facts = facts_of(config)
    assert facts.table("incident").height == 1
    (reason,) = facts.table("quarantine").filter(pl.col("row").is_null())["message"]
    assert "wrong.csv" in reason and "service" in reason
    assert facts.table("load").filter(pl.col("status") == "failed").height == 2


def test_a_refused_file_leaves_the_others_of_its_source(tmp_path: Path) -> None:
    _incidents(tmp_path, HEADINGS + GOOD)
    _incidents(tmp_path, "nonsense\n", "incidents-2.csv")
    config = written(tmp_path, source("log", "incidents", "incidents*.csv"))
    (outcome,) = outcomes(config)
    assert (outcome.status, outcome.accepted) == ("partial", 1)
    assert outcome.message == "1 of 2 new files refused; see quarantine"


@pytest.mark.parametrize(
    ("block", "said"),
    [
        (source("a", "incident", "*.csv"), 'kind "incident" is unknown. Did you mean "incidents"?'),
        (
            source("a", "incidents", "*.csv", timezon="UTC"),
            'unknown option "timezon" for kind incidents. Did you mean "timezone"?',
        ),
    ],
)
def test_a_wrong_source_block_is_explained(tmp_path: Path, block: str, said: str) -> None:
    (outcome,) = outcomes(written(tmp_path, block))
    assert outcome.status == "failed"
    assert outcome.message == said


def test_an_unknown_source_name_offers_the_nearest(tmp_path: Path) -> None:
    config = written(tmp_path, source("incident log", "incidents", "*.csv"))
    with pytest.raises(UnknownSource, match='Did you mean "incident log"'):
        list(load(config, ["incident logs"]))


def test_a_file_written_while_it_is_read_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _incidents(tmp_path, HEADINGS + GOOD)
    config = written(tmp_path, source("log", "incidents", "incidents.csv"))
    monkeypatch.setattr("pipelines.files.SourceFile.is_as_found", lambda self: False)
    (outcome,) = outcomes(config)
    assert outcome.status == "failed"
    facts = facts_of(config)
    assert facts.table("incident").is_empty()
    assert "Load again when it is complete" in facts.table("quarantine")["message"][0]


def test_an_unexpected_fault_keeps_the_last_state_and_shows_no_traceback(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _incidents(tmp_path, HEADINGS + GOOD)
    config = written(tmp_path, source("log", "incidents", "incidents*.csv"))
    outcomes(config)
    _incidents(tmp_path, HEADINGS + GOOD.replace("I-1", "I-3"), "incidents-2.csv")
    monkeypatch.setattr(
        "pipelines.marts.rebuild", lambda *_: (_ for _ in ()).throw(RuntimeError("disk full"))
    )
    (outcome,) = outcomes(config)
    assert outcome.status == "failed"
    assert outcome.message == "stopped, the last good state is kept: disk full"
    facts = facts_of(config)
    assert facts.table("incident")["incident_id"].to_list() == ["I-1"]
    assert facts.table("load")["status"].to_list()[-1] == "failed"


def test_a_source_names_the_cluster_that_its_export_does_not(tmp_path: Path) -> None:
    (tmp_path / "jobs.psv").write_text(
        "JobID|State|Submit|Start|End|Elapsed|AllocTRES\n"
        "7|COMPLETED|2026-11-01T00:00:00|2026-11-01T00:00:00|2026-11-01T01:00:00|01:00:00|gres/gpu=8\n"
    )
    config = written(
        tmp_path,
        source("shanghai", "slurm", "jobs.psv") + source("s", "slurm", "jobs.psv", cluster="own"),
    )
    outcomes(config)
    assert sorted(facts_of(config).table("job")["cluster"]) == ["own", "shanghai"]
