"""Colours that everybody can read, and that mean the same thing everywhere."""

import pytest

from ui.theme import DARK_INK, LIGHT_INK, MANY, STATUS, colour_of


def luminance(colour: str) -> float:
    """Relative luminance (WCAG 2.1)."""
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.03928 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("ink", [LIGHT_INK, DARK_INK], ids=["light", "dark"])
def test_text_is_readable_on_page_and_surface(ink):
    for text in (ink.text, ink.quiet):
        assert contrast(text, ink.page) >= 4.5
        assert contrast(text, ink.surface) >= 4.5


def test_no_status_is_told_by_colour_alone():
    signs = [sign for sign, _, _ in STATUS.values()]
    words = [word for _, word, _ in STATUS.values()]
    assert len(set(signs)) == len(set(words)) == len(STATUS)


def test_a_tenant_keeps_its_colour_and_neighbours_differ():
    known = tuple(f"t{n}" for n in range(8))
    colours = [colour_of("tenant", id, known) for id in known]
    assert len(set(colours)) == 8
    assert colours == [colour_of("tenant", id, known) for id in known]
    assert set(colours) <= set(MANY)
    assert colour_of("tenant", "elsewhere") == colour_of("tenant", "elsewhere")
