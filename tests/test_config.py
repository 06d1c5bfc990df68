"""quartermaster.toml is read strictly, and says what is wrong with it."""

from pathlib import Path

import pytest

from config import ConfigError, find_config, nearest, read_config


def _write(folder: Path, text: str) -> Path:
    file = folder / "quartermaster.toml"
    file.write_text(text, encoding="utf-8")
    return file


def test_the_documented_example_reads_as_written(tmp_path: Path) -> None:
    config = read_config(
        _write(
            tmp_path,
            """
            timezone = "Asia/Shanghai"
            currency = "USD"

            [lake]
            catalog = "sqlite:data/catalog.sqlite"
            data_path = "data/lake"

            [records]
            url = "sqlite:///data/records.db"

            [[sources]]
            name = "cloud bills"
            kind = "focus"
            path = "sample_data/billing/*.csv"
            decimal = ","
            """,
        )
    )
    assert config.timezone == "Asia/Shanghai"
    assert config.path(config.lake.data_path) == tmp_path / "data/lake"
    assert config.sources[0].options == {"decimal": ","}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('timezon = "UTC"', 'unknown key "timezon". Did you mean "timezone"?'),
        ('[lake]\ncatalogue = "sqlite:x"', 'unknown key "lake.catalogue". Did you mean "catalog"?'),
        ('timezone = "Mars/Olympus"', '"Mars/Olympus" is not a time zone'),
        ('currency = "dollars"', '"dollars" is not an ISO 4217 currency code'),
        ('[lake]\ncatalog = "mysql:x"', 'must start with "sqlite:" or "postgres:"'),
        ('[[sources]]\nname = "a"\nkind = "focus"', 'key "sources.0.path" is missing'),
        ("timezone = UTC", "not valid TOML"),
        (
            '[[sources]]\nname = "a"\nkind = "x"\npath = "y"\n' * 2,
            'two sources are named "a"; names must differ',
        ),
    ],
)
def test_a_mistake_names_the_key_and_the_cure(tmp_path: Path, text: str, said: str) -> None:
    file = _write(tmp_path, text)
    with pytest.raises(ConfigError) as raised:
        read_config(file)
    assert said in str(raised.value)
    assert str(file) in str(raised.value)


def test_a_missing_file_says_how_to_give_one(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="Give one with --config"):
        read_config(tmp_path / "nowhere.toml")


def test_the_given_file_wins_over_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("QUARTERMASTER_CONFIG", str(tmp_path / "b.toml"))
    assert find_config(tmp_path / "a.toml") == tmp_path / "a.toml"
    assert find_config() == tmp_path / "b.toml"


def test_a_word_far_from_all_lists_the_known_ones() -> None:
    assert nearest("zzz", ["focus", "slurm"]) == " Known: focus, slurm."
