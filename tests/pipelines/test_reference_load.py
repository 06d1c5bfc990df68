"""Reference files through a whole load: replaced as a whole, refused rows kept with advice."""

from metrics.charges import reference
from tests.lakes import facts_of, outcomes, source, written

TENANTS = "tenant,name\nresearch,Research\nspeech,Speech\n"
BUDGET = "tenant,month,currency,amount\nresearch,2026-03,USD,10\nreserch,2026-03,USD,20\n"


def test_newer_file_replaces_its_table_and_refused_rows_say_what_to_do(tmp_path):
    (tmp_path / "tenant.csv").write_text(TENANTS)
    (tmp_path / "budget.csv").write_text(BUDGET)
    config = written(tmp_path, source("tables", "reference", "*.csv"))
    (outcome,) = outcomes(config)
    assert (outcome.status, outcome.accepted, outcome.quarantined) == ("loaded", 3, 1)
    (refused,) = facts_of(config).table("quarantine").iter_rows(named=True)
    assert (refused["file"], refused["row"], refused["column_name"]) == ("budget.csv", 3, "tenant")
    assert refused["message"].endswith('"reserch" is unknown. Did you mean "research"?')
    assert refused["raw"] == "reserch,2026-03,USD,20"

    (again,) = outcomes(config)
    assert again.status == "unchanged"

    # A tenant taken out of the file is gone; the other table stays as it was.
    (tmp_path / "tenant.csv").write_text("tenant,name\nspeech,Speech and audio\n")
    (changed,) = outcomes(config)
    assert changed.status == "loaded"
    facts = facts_of(config)
    assert facts.table("tenant").select("tenant", "name").rows() == [("speech", "Speech and audio")]
    assert facts.table("budget").height == 1


def test_two_sources_may_list_the_same_tenant_without_counting_it_twice(tmp_path):
    for name in ("ours", "theirs"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "tenant.csv").write_text(f"tenant,name\nresearch,{name}\n")
    config = written(
        tmp_path,
        source("ours", "reference", "ours/*.csv") + source("theirs", "reference", "theirs/*.csv"),
    )
    outcomes(config)
    facts = facts_of(config)
    assert facts.table("tenant").height == 2
    assert reference(facts, "tenant")["name"].to_list() == ["theirs"]
