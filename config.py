"""quartermaster.toml: read once, checked strictly, paths made absolute.

An unknown key is an error that names the nearest known one, because a typing
mistake that is silently ignored changes what a company is billed.
"""

import difflib
import os
import tomllib
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from babel.numbers import list_currencies
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

DEFAULT_FILE = "quartermaster.toml"
ENVIRONMENT_VARIABLE = "QUARTERMASTER_CONFIG"


class ConfigError(Exception):
    """A configuration that cannot be used: file, key, rule and what to do."""

    def __init__(self, path: Path, message: str, key: str | None = None) -> None:
        super().__init__(f"{path}: {message}")
        self.path = path
        self.key = key


class LakeSettings(BaseModel):
    """Where the lake's catalogue and Parquet files are."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    catalog: str = "sqlite:data/catalog.sqlite"
    data_path: str = "data/lake"

    @field_validator("catalog")
    @classmethod
    def _known_catalog(cls, value: str) -> str:
        if not value.startswith(("sqlite:", "postgres:")):
            raise ValueError('must start with "sqlite:" or "postgres:"')
        return value


class RecordsSettings(BaseModel):
    """Where the records (risks, actions, decisions) are."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    url: str = "sqlite:///data/records.db"


class SourceSettings(BaseModel):
    """One [[sources]] block; keys beyond these are options of its kind."""

    model_config = ConfigDict(extra="allow", frozen=True)

    name: str = Field(min_length=1)
    kind: str
    path: str

    @property
    def options(self) -> dict[str, Any]:
        """The keys that the kind's reader checks."""
        return dict(self.model_extra or {})


class Config(BaseModel):
    """A checked quartermaster.toml; relative paths are relative to `file`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    file: Path
    timezone: str = "UTC"
    currency: str = "USD"
    lake: LakeSettings = LakeSettings()
    records: RecordsSettings = RecordsSettings()
    sources: tuple[SourceSettings, ...] = ()

    @field_validator("timezone")
    @classmethod
    def _known_zone(cls, value: str) -> str:
        try:
            ZoneInfo(value)
        except (ZoneInfoNotFoundError, ValueError) as error:
            raise ValueError(
                f'"{value}" is not a time zone; use a name such as "Asia/Shanghai"'
            ) from error
        return value

    @field_validator("currency")
    @classmethod
    def _known_currency(cls, value: str) -> str:
        if value not in list_currencies():
            raise ValueError(f'"{value}" is not an ISO 4217 currency code such as "USD"')
        return value

    @property
    def zone(self) -> ZoneInfo:
        """The zone of days, weeks and months on pages."""
        return ZoneInfo(self.timezone)

    def path(self, relative: str) -> Path:
        """A path of the file, made absolute against the file's own folder."""
        # Normalised, because the lake remembers its data path as it is spelt.
        return Path(os.path.normpath(self.file.parent / relative))


def find_config(given: Path | None = None) -> Path:
    """The file to use: as given, else the environment's, else the default name."""
    return Path(given or os.environ.get(ENVIRONMENT_VARIABLE) or DEFAULT_FILE).resolve()


def read_config(path: Path) -> Config:
    """The checked configuration.

    Raises ConfigError naming the file, the key and the cure: no such file, not
    TOML, an unknown key, a wrong value, two sources of one name.
    """
    try:
        document = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except FileNotFoundError:
        raise ConfigError(
            path, "no such file. Give one with --config, or start from the README's example."
        ) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(path, f"not valid TOML: {error}") from None
    try:
        checked = Config.model_validate({"file": path.resolve(), **document})
    except ValidationError as error:
        raise _explained(path, error) from None
    names = [source.name for source in checked.sources]
    for name in names:
        if names.count(name) > 1:
            raise ConfigError(path, f'two sources are named "{name}"; names must differ', name)
    return checked


def nearest(word: str, known: list[str]) -> str:
    """A hint such as ` Did you mean "timezone"?`, or the known words."""
    close = difflib.get_close_matches(word, known, n=1, cutoff=0.5)
    if close:
        return f' Did you mean "{close[0]}"?'
    return f" Known: {', '.join(sorted(known))}." if known else ""


_KNOWN_KEYS: dict[tuple[int | str, ...], list[str]] = {
    (): ["timezone", "currency", "lake", "records", "sources"],
    ("lake",): list(LakeSettings.model_fields),
    ("records",): list(RecordsSettings.model_fields),
}


def _explained(path: Path, error: ValidationError) -> ConfigError:
    first = error.errors()[0]
    place = tuple(part for part in first["loc"])
    key = ".".join(str(part) for part in place)
    if first["type"] == "extra_forbidden":
        hint = nearest(str(place[-1]), _KNOWN_KEYS.get(place[:-1], []))
        return ConfigError(path, f'unknown key "{key}".{hint}', key)
    if first["type"] == "missing":
        return ConfigError(path, f'key "{key}" is missing', key)
    return ConfigError(path, f'key "{key}": {first["msg"].removeprefix("Value error, ")}', key)
