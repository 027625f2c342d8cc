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


@pytest.mark.parametrize(("told", "goes", "counted"), [(True, False, 0.0), (True, True, 3.0), (False, False, 3.0)])
def test_going_to_and_fro_beside_a_standing_dialog_is_no_failure(*, told: bool, goes: bool, counted: float) -> None:
    s = Strokes()
    if told:
        s.window(UNDER)
    for _ in range(3):
        s.focus("editor", title="Brief", dialog=True).wait(0.5).press(*OK, gap=0.1).wait(2.0)
        if goes:
            s.window(UNDER, gone=True)
        s.focus("editor").wait(0.1).frame(CURSOR).wait(4.0)
    values = s.values()
    assert values["dialog_count"] == counted
    assert values["dialogs"] == (3.0 if counted else 1.0)
    assert (values["dialog_again"] > 0.0) is (counted > 0.0)


@pytest.mark.parametrize("acts", [1, 0])
def test_a_dialog_that_goes_a_moment_after_its_focus_was_left_in_vain_if_used(acts: int) -> None:
    s = Strokes().window(Box(10, 10, 90, 90), gone=True).focus("editor", title="Options", dialog=True).wait(0.5)
    s = s.press(*OK, gap=2.1) if acts else s.wait(2.1)
    assert s.focus("editor").wait(0.3).window(UNDER, gone=True).wait(3.0).values()["dialog_count"] == acts


@pytest.mark.parametrize("bundled", [False, True])
def test_a_key_that_comes_after_the_window_it_closed_counts_as_before_it(*, bundled: bool) -> None:
    """A menu is picked from by Enter; capture hands keys over later than windows."""
    s = Strokes()
    for _ in range(3):
        s.press(140, 140, gap=0.2).popup().wait(0.6).keys("n", gap=0.4).keys("x", gap=0.1).popup(gone=True)
        if bundled:
            s.records[-2:] = s.records[:-3:-1]
        s.wait(0.2).frame(CURSOR).wait(3.0)
    values = s.values()
    assert (values["menu_count"], values["menu_left"]) == (0.0, 0.0)
