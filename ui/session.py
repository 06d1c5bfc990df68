"""What a reader looks at: which configuration, which state, compared with which.

Frames are cached by (configuration, snapshot id, records version, figure,
parameters): a new load or edit shows at once, nothing is computed twice.
"""

import logging
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import streamlit as st

from config import Config, find_config, read_config
from metrics.answer import Answer, CannotAnswer, metrics
from metrics.facts import Facts, Review, open_facts, reader, reviews

log = logging.getLogger(__name__)

AS_OF, VERSUS = "as_of", "versus"
"""Names in the URL of the review looked at and the one compared with."""


@dataclass(frozen=True)
class Session:
    """A state and the one it is compared with.

    snapshot_id: the state shown; is_latest: it is the newest, so edits are allowed.
    before: the review compared with; None where there is no earlier one.
    records_version: of the records when the page began.
    """

    config: Config
    snapshot_id: int
    is_latest: bool
    review: Review | None
    before: Review | None
    all_reviews: tuple[Review, ...]
    records_version: int

    def facts(self) -> Facts:
        """The state shown."""
        return _facts(self.config, self.snapshot_id, self.is_latest)

    def ask(self, name: str, **parameters: Any) -> Answer:
        """A figure at the state shown. Raises CannotAnswer."""
        return self._ask(self.snapshot_id, self.is_latest, name, parameters)

    def ask_before(self, name: str, **parameters: Any) -> Answer | None:
        """The same figure at the review compared with; None where it cannot be given."""
        if self.before is None:
            return None
        try:
            return self._ask(self.before.snapshot_id, False, name, parameters)
        except CannotAnswer:
            return None

    def _ask(
        self, snapshot_id: int, is_latest: bool, name: str, parameters: dict[str, Any]
    ) -> Answer:
        if name not in metrics():
            raise CannotAnswer(f"There is no figure called {name}.")
        return _cached_answer(
            str(self.config.file),
            snapshot_id,
            is_latest,
            self.records_version,
            name,
            tuple(sorted(parameters.items())),
        )


def current() -> Session:
    """The session that the sidebar or the URL chose.

    Raises ConfigError, LakeError or RecordsError, in words.
    """
    config = configuration()
    head = reader(config).snapshot_id()
    found = tuple(_reviews(str(config.file), head))
    shown = _chosen(AS_OF, found, config) or (found[0] if found else None)
    is_latest = shown is None or shown is found[0]
    earlier = [r for r in found if shown is not None and r.snapshot_id < shown.snapshot_id]
    before = _chosen(VERSUS, tuple(earlier), config) or (earlier[0] if earlier else None)
    snapshot = head if shown is None or is_latest else shown.snapshot_id
    version = _facts(config, snapshot, is_latest).records.version()
    return Session(config, snapshot, is_latest, shown, before, found, version)


def configuration() -> Config:
    """The configuration in use, read again when the file changes."""
    path = find_config()
    stamp = path.stat().st_mtime_ns if path.exists() else 0
    return _configuration(str(path), stamp)


def _chosen(key: str, among: tuple[Review, ...], config: Config) -> Review | None:
    word = st.session_state.get(key) or st.query_params.get(key)
    for review in among:
        if review.day(config.zone).isoformat() == word:
            return review
    return None


@st.cache_resource(max_entries=8)
def _configuration(path: str, stamp: int) -> Config:
    return read_config(Path(path))


@st.cache_data(max_entries=8, show_spinner=False)
def _reviews(config_file: str, head: int) -> list[Review]:
    return reviews(read_config(Path(config_file)))


def _facts(config: Config, snapshot_id: int, is_latest: bool) -> Facts:
    """The state pinned to its snapshot, so that a page's figures agree while a load commits."""
    facts = open_facts(config, snapshot_id)
    if is_latest:
        # Nobody looks back: an edit made after the load counts.
        facts.records_as_of = None
    return facts


@st.cache_data(max_entries=512, show_spinner=False)
def _cached_answer(
    config_file: str,
    snapshot_id: int,
    is_latest: bool,
    records_version: int,
    name: str,
    parameters: tuple[tuple[str, Any], ...],
) -> Answer:
    facts = _facts(configuration(), snapshot_id, is_latest)
    return metrics()[name].function(facts, **dict(parameters))
