"""A small lake of a test's own."""

from pathlib import Path

from config import Config, read_config
from metrics.facts import Facts, open_facts, records_url
from pipelines.load import SourceOutcome, load
from records.import_risks import risk_writer

ROOT = Path(__file__).resolve().parents[1]


def written(folder: Path, sources: str, *, timezone: str = "UTC", currency: str = "USD") -> Config:
    """A configuration in `folder` with these [[sources]] blocks; nothing is loaded yet."""
    file = folder / "quartermaster.toml"
    file.write_text(
        f'timezone = "{timezone}"\ncurrency = "{currency}"\n\n{sources}', encoding="utf-8"
    )
    return read_config(file)


def outcomes(config: Config, *names: str) -> list[SourceOutcome]:
    """Load the sources, as the command line does."""
    return list(load(config, names, records=risk_writer(records_url(config))))


def loaded(folder: Path, sources: str, *, timezone: str = "UTC", currency: str = "USD") -> Config:
    """A configuration whose sources are loaded; a source that failed fails the test."""
    config = written(folder, sources, timezone=timezone, currency=currency)
    for outcome in outcomes(config):
        assert outcome.status in ("loaded", "unchanged"), (outcome.source, outcome.message)
    return config


def facts_of(config: Config) -> Facts:
    """The newest state of a configuration's stores."""
    return open_facts(config)


def source(name: str, kind: str, path: Path | str, **options: object) -> str:
    """A [[sources]] block."""
    lines = [f'name = "{name}"', f'kind = "{kind}"', f'path = "{path}"']
    for key, value in options.items():
        shown = str(value).lower() if isinstance(value, bool) else f'"{value}"'
        lines.append(f"{key} = {shown}")
    return "[[sources]]\n" + "\n".join(lines) + "\n\n"
