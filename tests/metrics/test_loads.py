"""Loads, freshness and refusals as the Data page and the command line tell them."""

from datetime import UTC, datetime
from pathlib import Path

from metrics.answer import metrics
from metrics.loads import load_changes, loads, quarantine, sources
from models.table import tables
from tests.lakes import facts_of, loaded, outcomes, source, written

LOG = "service,start,end,severity\n"
GOOD = "api,2026-04-10 10:00,2026-04-10 11:00,S1\n"
BAD = "api,2026-04-10 10:00,2026-04-10 09:00,S1\n"
ROOT = Path(__file__).resolve().parents[2]


def test_refused_rows_keep_file_row_column_rule_and_message(tmp_path):
    (tmp_path / "log.csv").write_text(LOG + GOOD + BAD)
    answer = quarantine(facts_of(loaded(tmp_path, source("log", "incidents", "log.csv"))))
    assert answer.frame.columns == ["source", "file", "row", "column", "rule", "message"]
    (row,) = answer.frame.to_dicts()
    assert (row["source"], row["file"], row["row"]) == ("log", "log.csv", 3)
    assert (row["column"], row["rule"]) == ("end", "end_before_start")
    assert answer.extra["raw"]["raw"].to_list() == [BAD.strip()]


def test_a_corrected_file_leaves_quarantine(tmp_path):
    log = tmp_path / "log.csv"
    log.write_text(LOG + GOOD + BAD)
    config = loaded(tmp_path, source("log", "incidents", "log.csv"))
    log.write_text(LOG + GOOD)
    outcomes(config)
    assert quarantine(facts_of(config)).frame.is_empty()


def test_an_unreadable_file_is_in_quarantine_as_a_whole(tmp_path):
    (tmp_path / "log.csv").write_text("service,start\napi,2026-04-10\n")
    config = written(tmp_path, source("log", "incidents", "log.csv"))
    assert [outcome.status for outcome in outcomes(config)] == ["failed"]
    (row,) = quarantine(facts_of(config)).frame.to_dicts()
    assert (row["row"], row["rule"]) == (None, "missing_columns")


def test_sources_tell_state_rows_and_refusals(tmp_path):
    (tmp_path / "log.csv").write_text(LOG + GOOD + BAD)
    blocks = source("log", "incidents", "log.csv") + source("absent", "maintenance", "no-*.csv")
    config = written(tmp_path, blocks)
    outcomes(config)
    absent, log = sources(facts_of(config)).frame.to_dicts()
    assert (log["state"], log["rows"], log["quarantined"]) == ("fresh", 1, 1)
    assert (log["files"], log["kind"]) == (1, "incidents")
    assert absent["state"] == "failed"
    assert "no file matches" in absent["message"]
    assert absent["rows"] == 0


def test_a_source_never_loaded_and_one_no_longer_configured_are_both_shown(tmp_path):
    (tmp_path / "log.csv").write_text(LOG + GOOD)
    loaded(tmp_path, source("old", "incidents", "log.csv"))
    config = written(tmp_path, source("new", "incidents", "log.csv"))
    new, old = sources(facts_of(config)).frame.to_dicts()
    assert (new["source"], new["state"], new["is_configured"]) == ("new", "never_loaded", True)
    assert (old["source"], old["rows"], old["is_configured"]) == ("old", 1, False)


def test_a_feed_far_behind_the_newest_data_is_behind(tmp_path):
    for name, day in (("early", "2026-04-01"), ("late", "2026-04-10")):
        (tmp_path / f"{name}.txt").write_text(
            "JobID|State|Start|End|Elapsed|AllocTRES|Submit|Account|Cluster\n"
            f"1|COMPLETED|{day}T00:00:00|{day}T01:00:00|01:00:00|gres/gpu=8|{day}T00:00:00|a|c\n"
        )
    blocks = source("a", "slurm", "early.txt") + source("b", "slurm", "late.txt")
    early, late = sources(facts_of(loaded(tmp_path, blocks))).frame.to_dicts()
    assert (early["state"], early["behind_hours"]) == ("behind", 216)
    assert (late["state"], late["behind_hours"]) == ("fresh", 0)
    assert late["data_through"] == datetime(2026, 4, 10, 1, tzinfo=UTC)


def test_the_history_has_every_load_newest_first(tmp_path):
    log = tmp_path / "log.csv"
    log.write_text(LOG + GOOD)
    config = loaded(tmp_path, source("log", "incidents", "log.csv"))
    log.write_text(LOG + GOOD + GOOD.replace("04-10", "04-11"))
    outcomes(config)
    answer = loads(facts_of(config))
    assert answer.frame["rows_accepted"].to_list() == [2, 1]
    assert answer.frame["rows_replaced"].to_list() == [1, 0]
    assert answer.frame["seconds"].min() > 0
    assert answer.extra["file"]["file"].to_list() == ["log.csv", "log.csv"]
    assert load_changes(facts_of(config)).frame.is_empty()


def test_every_contract_table_is_counted():
    query = (ROOT / "metrics" / "sql" / "source_rows.sql").read_text(encoding="utf-8")
    for name in tables():
        assert f"'{name}'" in query, name


def test_an_empty_lake_answers_with_empty_frames(tmp_path):
    config = written(tmp_path, source("log", "incidents", "none.csv"))
    outcomes(config)
    facts = facts_of(config)
    assert quarantine(facts).frame.is_empty()
    assert loads(facts).frame["status"].to_list() == ["failed"]


def test_only_quarantine_is_offered_on_the_command_line():
    listed = {name for name, found in metrics().items() if found.listed}
    assert "quarantine" in listed
    assert not {"loads", "sources", "load-changes"} & listed
