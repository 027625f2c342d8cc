"""Where the words beside a ring stand, and that they are plain."""

import pytest

from ui.views.spotlight import GAP, MAX_LABEL, label_place, label_text

SCREEN = (0, 0, 1000, 800)
SIZE = (200, 20)


@pytest.mark.parametrize(
    ("ring", "place"),
    [
        ((100, 100, 50, 30), (100, 130 + GAP)),
        ((100, 760, 50, 30), (100, 760 - GAP - 20)),
        ((900, 100, 50, 30), (800, 130 + GAP)),
        ((-5, -5, 50, 30), (0, 25 + GAP)),
        ((0, 0, 1000, 800), (0, 780)),
    ],
)
def test_the_words_stand_below_the_ring_or_above_it_and_never_off_the_screen(
    ring: tuple[int, int, int, int], place: tuple[int, int]
) -> None:
    """Whatever is ringed, a whole window too."""
    assert label_place(ring, SIZE, SCREEN) == place


def test_words_are_one_line_of_plain_text() -> None:
    """They may come from the screen: no line breaks, no direction marks, not too long."""
    assert label_text(" Open\nthe \u202eView\u202c menu ") == "Open the View menu"
    assert label_text("") == ""
    assert len(label_text("word " * 50)) <= MAX_LABEL
