"""Which files a load reads again."""

from pathlib import Path

import polars as pl

from pipelines.files import SourceFile, changed_files, deliveries, find_files
from tests.lakes import source, written

HELD_SCHEMA = {
    "load_id": pl.Int64,
    "file": pl.String,
    "sha256": pl.String,
    "status": pl.String,
}


def _held(*rows: tuple[int, str, str, str]) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=HELD_SCHEMA, orient="row")


def _file(name: str, sha256: str) -> SourceFile:
    return SourceFile(Path(name), name, sha256, 1)


def test_the_same_content_under_the_same_name_is_held() -> None:
    assert changed_files([_file("a.csv", "1")], _held((1, "a.csv", "1", "loaded"))) == []


def test_a_renamed_file_is_held() -> None:
    assert changed_files([_file("b.csv", "1")], _held((1, "a.csv", "1", "loaded"))) == []


def test_a_file_set_back_to_an_earlier_content_is_read_again() -> None:
    held = _held((1, "a.csv", "1", "loaded"), (2, "a.csv", "2", "loaded"))
    assert [file.name for file in changed_files([_file("a.csv", "1")], held)] == ["a.csv"]


def test_a_refused_file_is_tried_again() -> None:
    held = _held((1, "a.csv", "1", "refused"))
    assert len(changed_files([_file("a.csv", "1")], held)) == 1


def test_files_come_in_the_order_people_number_them(tmp_path: Path) -> None:
    for name in ("bill-10.csv", "bill-2.csv", "bill-1.csv"):
        (tmp_path / name).write_text(name)
    config = written(tmp_path, source("bills", "focus", "bill-*.csv"))
    found = find_files(config, config.sources[0], "")
    assert [file.name for file in found] == ["bill-1.csv", "bill-2.csv", "bill-10.csv"]


def test_a_changed_option_reads_the_file_again(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("x")
    config = written(tmp_path, source("bills", "focus", "a.csv"))
    one, other = (find_files(config, config.sources[0], text)[0] for text in ("a", "b"))
    assert one.sha256 != other.sha256


def test_an_absolute_glob_outside_the_configuration_works(tmp_path: Path) -> None:
    exports = tmp_path / "exports"
    home = tmp_path / "home"
    exports.mkdir()
    home.mkdir()
    (exports / "a.csv").write_text("x")
    config = written(home, source("bills", "focus", exports / "*.csv"))
    assert [file.path.name for file in find_files(config, config.sources[0], "")] == ["a.csv"]


def test_parts_of_one_folder_are_one_delivery() -> None:
    files = [_file("may/1.csv", "1"), _file("june/1.csv", "2"), _file("may/2.csv", "3")]
    assert [[f.name for f in group] for group in deliveries(files, parts=True)] == [
        ["june/1.csv"],
        ["may/1.csv", "may/2.csv"],
    ]
    assert len(deliveries(files, parts=False)) == 3
