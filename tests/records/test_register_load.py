"""A register as a source: loaded with the rest, its conflicts in quarantine, edits untouched."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from records.edits import Author, change
from tests.lakes import facts_of, outcomes, source, written

HEADING = "编号,标题,状态,概率,影响,下一步行动\n"
FIRST = HEADING + "R-001,液冷回路延期,打开,3,4,空运传感器\nR-002,海关滞留,打开,2,2,\n"
LATER = HEADING + "R-001,液冷回路延期,打开,5,4,空运传感器\nR-002,海关滞留,打开,2,3,换货代\n"


@pytest.mark.parametrize("encoding", ["gbk", "utf-8-sig"])
def test_a_newer_file_never_overwrites_an_edit_made_in_the_browser(
    tmp_path: Path, encoding: str
) -> None:
    file = tmp_path / "register.csv"
    file.write_bytes(FIRST.encode(encoding))
    config = written(tmp_path, source("register", "risk_register", file))
    [first] = outcomes(config)
    assert (first.status, first.accepted, first.quarantined) == ("loaded", 2, 0)
    [again] = outcomes(config)
    assert again.status == "unchanged"

    records = facts_of(config).records
    change(records, "risk", "R-001", 1, {"probability": 1}, Author("li", datetime.now(UTC)))
    file.write_bytes(LATER.encode(encoding))
    [later] = outcomes(config)
    assert (later.read, later.accepted, later.quarantined) == (2, 1, 1)
    assert records.risks().select("id", "probability", "impact", "next_action").rows() == [
        ("R-001", 1, 4, "空运传感器"),
        ("R-002", 2, 3, "换货代"),
    ]
    refused = facts_of(config).table("quarantine").row(0, named=True)
    assert (refused["row"], refused["rule"]) == (2, "conflict")
    assert "R-001" in refused["message"]
