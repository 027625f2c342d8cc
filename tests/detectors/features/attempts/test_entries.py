"""Entries: which replaced entry had failed, and which had brought what it was typed for (records by hand)."""

from collections.abc import Callable

import pytest

from detectors.features.attempts.entries import Entries
from detectors.features.states.judging import ActOutcome
from detectors.features.tracker import FeatureTracker
from storage.records import Box
from tests.fakes.sessions.strokes import Strokes

FIELD = Box(448, 128, 512, 32)
RESULTS = Box(448, 256, 512, 320)
MESSAGE = Box(448, 160, 256, 32)
IN_FIELD = (700, 140)


def retyped(s: Strokes) -> float:
    return s.wait(2.0).values()["retype_count"]


def caret(s: Strokes, blinks: int) -> Strokes:
    word = f"word {s.frames}"
    for number in range(blinks):
        s.shows(f"{word} {number % 2}", Box(576, 128, 64, 32), after=0.5)
    return s


def type_over(s: Strokes, *, at: tuple[int, int] | None = IN_FIELD) -> Strokes:
    if at is not None:
        s.press(*at, gap=0.3)
    return s.keys("a", 0.1).keys("cccc").shows(f"word {s.frames}", FIELD, after=0.1)


def open_and_shut(s: Strokes, presses: int) -> Strokes:
    for number in range(presses):
        s.press(1200, 700, gap=0.2).shows(("open", "shut")[number % 2], Box(1152, 640, 64, 32)).wait(1.2)
    return s


def search(s: Strokes, picture: str, box: Box) -> Strokes:
    return type_over(s).keys("x", 0.1).shows(picture, box, after=0.2).wait(3.0)


def with_enter(s: Strokes, number: int, box: Box) -> None:
    search(s, f"found {number}", box)


def by_a_button(s: Strokes, number: int, box: Box) -> None:
    type_over(s).press(1200, 140, gap=0.2).shows(f"found {number}", box).wait(2.0)


def in_a_field_that_clears_itself(s: Strokes, number: int, box: Box) -> None:
    s.press(*IN_FIELD, gap=0.3).keys("cccc").shows(f"word {number}", FIELD, after=0.1)
    s.keys("x", 0.1).shows(f"found {number}", box, after=0.2).wait(3.0)


def after_a_pause(s: Strokes, number: int, box: Box, blinks: int = 0) -> None:
    """Enter changes the entry itself and shows something; before it the caret may have blinked."""
    caret(type_over(s), blinks).wait(2.0).keys("x", 0.1).shows(f"word {number}!", FIELD, after=0.1)
    s.shows(f"found {number}", box, after=0.1).wait(2.0)


def after_blinks(s: Strokes, number: int, box: Box) -> None:
    after_a_pause(s, number, box, blinks=4)


@pytest.mark.parametrize(("box", "failed"), [(RESULTS, False), (MESSAGE, True)], ids=["results", "only a message"])
@pytest.mark.parametrize("enter", [with_enter, by_a_button, in_a_field_that_clears_itself, after_a_pause, after_blinks])
def test_a_search_with_results_was_no_failure_and_one_that_only_says_something_was(
    enter: Callable[[Strokes, int, Box], None], box: Box, *, failed: bool
) -> None:
    """Three searches in the same field; the control shows one row, which says each time that nothing was found."""
    s = Strokes()
    for number in range(3):
        enter(s, number, box)
    assert (retyped(s) > 0.0) is failed


def test_results_that_stood_there_before_are_none() -> None:
    s = Strokes()
    for _ in range(4):
        search(s, "the same page", RESULTS)
    assert retyped(s) >= 2.0


@pytest.mark.parametrize(
    ("leave", "failed"),
    [(lambda s: s.keys("t"), False), (lambda s: s.press(700, 400), False), (lambda s: s, True)],
    ids=["tab", "a click", "the same field"],
)
def test_replacing_in_another_field_is_no_second_try(leave: Callable[[Strokes], Strokes], *, failed: bool) -> None:
    """Tab or a click leads to the next field; the control goes on in the same one."""
    s = type_over(Strokes()).wait(1.0)
    type_over(leave(s), at=None)
    assert (retyped(s) > 0.0) is failed


@pytest.mark.parametrize(("presses", "failed"), [(0, True), (1, True), (2, False)])
def test_who_goes_on_with_what_an_entry_brought_is_done_with_it(presses: int, *, failed: bool) -> None:
    s = open_and_shut(Strokes(), 2)
    search(s, "one found", MESSAGE)
    open_and_shut(s, presses)
    search(s, "another found", MESSAGE)
    assert (retyped(s) > 0.0) is failed


def test_a_press_that_shows_something_new_ends_the_entry_before() -> None:
    s = search(Strokes(), "one found", MESSAGE)
    s.press(1200, 700, gap=0.2).shows("a page", RESULTS).wait(1.2)
    assert retyped(search(s, "another found", MESSAGE)) == 0.0


def test_what_comes_by_again_letter_by_letter_counts_once_for_an_entry() -> None:
    counts = []
    for ends in ("", "x"):
        s = Strokes()
        for picture in ("all", "some", "all", "some", "all", "some"):
            s.keys("c" + ends, 0.1).shows(picture, RESULTS, after=0.1).wait(2.5)
        counts.append(retyped(s))
    assert counts[0] == 1.0
    assert counts[1] >= 3.0


def test_a_menu_looked_into_brings_nothing() -> None:
    """What covers much of the window is a menu; without one the press had shown a new page (the control)."""
    counts = []
    for menu in (True, False):
        s = search(Strokes(), "refused", MESSAGE)
        s.press(120, 20, gap=0.1)
        if menu:
            s.popup()
        s.shows("commands", RESULTS, after=0.1).wait(1.0)
        if menu:
            s.keys("e").popup(gone=True).wait(1.0)
        counts.append(retyped(search(s, "refused again", MESSAGE)))
    assert counts[0] > counts[1] == 0.0


@pytest.mark.parametrize(("presses", "failed"), [(1, True), (2, False)])
def test_the_press_that_sends_an_entry_is_no_going_on(presses: int, *, failed: bool) -> None:
    s = open_and_shut(Strokes(), 2)
    type_over(s).press(1200, 140, gap=0.2).shows("one found", MESSAGE).wait(1.2)
    open_and_shut(s, presses)
    assert (retyped(type_over(s).wait(2.0)) > 0.0) is failed


def test_each_act_is_judged_once_however_often_features_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only when it has ended: what is read before may change by a frame that comes late."""
    s = search(Strokes(), "one found", MESSAGE)
    s.press(1200, 700, gap=0.2).shows("a page", RESULTS).wait(2.0)
    type_over(s).wait(2.0)
    counts = []
    for often in (0, 3):
        judged: list[ActOutcome] = []
        monkeypatch.setattr(Entries, "on_judged", lambda _, outcome, judged=judged: judged.append(outcome))
        tracker = FeatureTracker()
        tracker.open_window(0)
        for record in s.records:
            tracker.take(record)
            for _ in range(often):
                tracker.values(getattr(record, "t_ns", 0) + 2_000_000_000)
        counts.append([(outcome.start_ns, outcome.kind) for outcome in judged])
    assert counts[0] == counts[1]
    assert len(counts[0]) == len(set(counts[0])) >= 4


def test_clicks_within_one_field_are_at_one_place() -> None:
    """At its beginning and further on; the control is a field beside it."""
    counts = []
    for x in (760, 1000):
        s = Strokes()
        for number in range(4):
            type_over(s, at=(700 if number % 2 else x, 140)).keys("x").wait(2.0)
        counts.append(retyped(s))
    assert counts[0] > counts[1] == 0.0


def test_a_field_that_was_reached_by_keys_is_known_by_its_row() -> None:
    """A click into it is none elsewhere, however much it shows; one into another row is (the control)."""
    counts = []
    for y in (140, 500):
        s = type_over(Strokes(), at=None).keys("x", 0.1).shows("refused", MESSAGE, after=0.2).wait(2.0)
        s.press(800, y, gap=0.2).shows("list", RESULTS).wait(1.0)
        counts.append(retyped(type_over(s, at=None)))
    assert counts[0] > counts[1] == 0.0


def test_tab_that_marks_the_next_field_brings_nothing() -> None:
    s = Strokes()
    for number in range(3):
        type_over(s).keys("t", 0.1).shows(f"frame {number}", Box(448, 192, 512, 64), after=0.1).wait(2.0)
    assert retyped(s) > 0.0


def test_an_entry_of_unknown_place_is_left_by_a_click() -> None:
    """It was reached by keys; after a click another field is typed over, without one the same (the control)."""
    counts = []
    for leaves in (False, True):
        s = Strokes().keys("cccc").shows("word", FIELD, after=0.1).wait(1.0)
        if leaves:
            s.press(700, 400)
        counts.append(retyped(type_over(s, at=None)))
    assert counts[0] > counts[1] == 0.0
