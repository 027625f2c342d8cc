"""Dialogs: which had an effect, by how much of the screen outside them changed (records by hand)."""

import pytest

from storage.records import Box
from tests.fakes.sessions.strokes import VIEW, Strokes

CELL = Box(128, 128, 128, 32)
CARET = Box(128, 128, 64, 32)
CURSOR = Box(64, 128, 192, 32)
UNDER = Box(600, 300, 400, 300)
OK = (950, 580)


def format_cells(box: Box, *, tiles: bool) -> Strokes:
    """Open the same dialog four times and leave it by its button; after that something outside it changes."""
    s = Strokes()
    if tiles:
        s.shows("sheet", VIEW)
    for number in range(4):
        s.press(140, 140, gap=0.2).frame(CURSOR).wait(0.5)
        s.keys("k").focus("editor", title="Format", dialog=True).wait(0.2).frame(UNDER).wait(1.5)
        s.press(*OK, gap=0.1).focus("editor").wait(0.1)
        if tiles:
            s.shows(f"formatted {number}", box, after=0.0)
        else:
            s.frame(box)
        s.wait(2.5)
    return s


@pytest.mark.parametrize(("box", "tiles", "counted"), [(CELL, True, 0.0), (CARET, True, 4.0), (CELL, False, 4.0)])
def test_a_dialog_that_changes_one_cell_had_an_effect(box: Box, *, tiles: bool, counted: float) -> None:
    assert format_cells(box, tiles=tiles).values()["dialog_count"] == counted
