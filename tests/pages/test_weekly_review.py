"""The weekly review: findings as sentences, what changed, in both languages, with their links."""

import html

import pytest


@pytest.fixture
def review(light_sample, show):
    return lambda **query: show("weekly_review", light_sample, **query)


def test_the_headline_counts_programmes_and_decisions(review, words):
    shown = review()
    assert not shown.exception
    said = words(shown)
    assert "programmes on plan.**" in said
    assert "Decisions needed: **" in said
    assert "Inference API has **" in said


def test_findings_are_sentences_with_their_figures(review, words):
    said = html.unescape(words(review()))
    assert "<strong>Cooling loop tested 液冷验收 slips 20 days</strong> to 15 Dec 2026" in said
    assert "256 GPUs wait for it" in said
    assert "<strong>Inference API broke its SLO</strong>" in said


def test_a_cluster_that_nothing_reports_is_not_called_idle(review, words):
    assert "stands idle" not in words(review())


def test_what_moved_since_the_review_is_said(review, words):
    said = words(review())
    assert "compared with the review of 22 Nov 2026" in said
    assert "<strong>Inference API</strong> broke its SLO" in said
    assert "There is no earlier review" not in said


def test_an_earlier_review_shows_its_own_figures(review, words):
    said = words(review(as_of="2026-11-22"))
    assert "to 22 Nov 2026" in said
    assert "Inference API broke its SLO" not in said


def test_links_keep_language_and_review(review, words):
    said = words(review(lang="zh", as_of="2026-11-22"))
    assert 'href="milestones?lang=zh&amp;as_of=2026-11-22"' in said


def test_every_sentence_is_chinese_in_chinese(review, words):
    said = html.unescape(words(review(lang="zh")))
    assert "每周评审" in said
    assert "延期 20 天" in said
    assert "推理 API未达成 SLO" in said
    for english in ("slips", "Decisions", "programmes", "on plan", "overdue", "unchanged"):
        assert english not in said, english
