"""Load the sample company where nothing is loaded yet: `python -m sample_data.load`.

Two loads, the state of the last review and today's, so that every "since last
review" has something to compare with.
"""

from pathlib import Path

from rich.console import Console

from config import Config, find_config, read_config
from metrics.facts import reader, records_url
from pipelines.load import load
from records.import_risks import risk_writer

LAST_REVIEW = Path(__file__).parent / "review_2026-11-23.toml"


def load_sample(config: Config, last_review: Config, console: Console) -> None:
    """Bring the lake to today's state, by way of the last review's if it is empty."""
    held = _loaded_sources(config)
    if {source.name for source in config.sources} <= held:
        console.print("The lake holds every source; nothing to load.")
        return
    for step in ([last_review] if not held else []) + [config]:
        for outcome in load(step, records=risk_writer(records_url(step))):
            said = f" ({outcome.message})" if outcome.message else ""
            console.print(
                f"{outcome.source}: {outcome.status}, {outcome.accepted:,} rows,"
                f" {outcome.quarantined:,} quarantined{said}"
            )


def _loaded_sources(config: Config) -> set[str]:
    lakes = reader(config)
    frame = lakes.at(lakes.snapshot_id()).query(
        "select distinct source from load where status in ('loaded', 'partial')"
    )
    return set(frame["source"].to_list())


if __name__ == "__main__":
    load_sample(read_config(find_config()), read_config(LAST_REVIEW), Console(stderr=True))
