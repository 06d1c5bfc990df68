"""What SLA and load figures say beside themselves is said in both languages."""

import pytest

from metrics import loads, service_log, sla
from ui import load_view, service_view
from ui.i18n import translate

SENTENCES = (
    sla.FORMULA,
    sla.NO_LOG,
    sla.PARTLY_KNOWN,
    sla.OPEN_INCIDENTS,
    sla.RUNNING_MONTH,
    sla.WEIGHED,
    sla.NO_OBJECTIVE,
    service_log.NOT_BEGUN,
    service_log.NOTHING_LOADED,
    loads.REFUSALS,
    loads.FRESHNESS,
    loads.MOVED,
    *(word for _, word in service_view.STATUS.values()),
    *service_view.EFFECTS.values(),
    *service_view.SEVERITIES.values(),
    *(word for _, word in load_view.STATES.values()),
    *(word for _, word in load_view.LOAD_STATES.values()),
)


@pytest.mark.parametrize("sentence", sorted(set(SENTENCES)))
def test_every_sentence_has_its_chinese(sentence):
    assert translate(sentence, "zh") != sentence


@pytest.mark.parametrize(
    ("word", "rank"),
    [("SEV1", 0), ("P2", 1), ("三级", 2), ("critical", 0), ("严重", 0), ("low", 3), ("S9", 3)],
)
def test_severities_of_any_habit_are_ranked(word, rank):
    assert service_view._rank(word) == rank
