"""Views that are looked at again, wherever they are scrolled to (records by hand)."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import cast

import pytest

from detectors.features.extractors.returning_states import ReturningStates
from detectors.features.states.judging import FIRST_RETURN, ActOutcome
from detectors.features.states.views import (
    FEWEST_CAME,
    MAX_KNOWN,
    MAX_SHOWN,
    RECENT_NS,
    Looked,
    View,
    ViewMemory,
    changed_part,
)
from detectors.features.tracker import FeatureTracker
from storage.clock import NS_PER_S
from storage.records import Box, Frame, TileDigests
from storage.records.tiles import MAX_PATCHES, pack, unpack_patches
from tests.fakes.sessions.strokes import VIEW, WORD, Strokes

PANE, OTHER_PANE = Box(0, 64, 640, 896), Box(704, 64, 640, 896)
MENU = Box(64, 64, 256, 320)


def lines(first: int, many: int = 20) -> frozenset[int]:
    return frozenset(range(first, first + many))


def looked_at(s: Strokes) -> list[ActOutcome]:
    tracker, found = FeatureTracker(), list[ActOutcome]()
    (states,) = (extractor for extractor in tracker._features.extractors if isinstance(extractor, ReturningStates))
    states.take_ended = (found.append,)
    for record in s.press(10, 10).records:  # ends the act before
        tracker.take(record)
    return found


def wheel(s: Strokes, places: Sequence[int], *, text: str = "text") -> Strokes:
    for line in places:
        s.scroll(-1).scrolls_to(line, text=text).wait(1.5)
    return s


# ---------------------------------------------------------------- the memory


def scrolled(memory: ViewMemory, *views: View) -> list[Looked | None]:
    """Scroll to views, ten seconds each, and return what each led to."""
    found = []
    for number, view in enumerate(views):
        start_ns = 10 * number * NS_PER_S
        found.append(memory.looked(view, start_ns))
        memory.keep(view, start_ns + NS_PER_S)
    return found


def test_a_view_is_known_wherever_it_stands_and_its_looks_are_counted() -> None:
    """Down, up, down: the lines that come are new, then looked at once, then twice; what stayed there says nothing."""
    views = [View(PANE, lines(first)) for first in (0, 15, 2, 14)]
    assert scrolled(ViewMemory(), *views) == [Looked(1.0, 0), Looked(1.0, 0), Looked(0.0, 1), Looked(0.0, 1)]
    views += [View(PANE, lines(first)) for first in (0, 15)]
    assert scrolled(ViewMemory(), *views)[-2:] == [Looked(0.0, 2), Looked(0.0, 2)]


def test_a_view_that_moved_by_little_says_nothing() -> None:
    """Three lines further is the same view; the control moves by as many as are needed."""
    for moved, tells in ((FEWEST_CAME - 1, False), (FEWEST_CAME, True)):
        found = scrolled(ViewMemory(), View(PANE, lines(0)), View(PANE, lines(moved)))
        assert (found[-1] is not None) is tells


def test_two_panes_are_scrolled_in_turn() -> None:
    views = [View(PANE, lines(0)), View(OTHER_PANE, lines(100)), View(PANE, lines(20)), View(OTHER_PANE, lines(120))]
    assert [found and found.times for found in scrolled(ViewMemory(), *views)] == [0, 0, 0, 0]
    both = View(Box(0, 64, 1344, 896), views[2].patches | views[3].patches)
    assert ViewMemory.looked(memory_of(*views), both, 90 * NS_PER_S) is None


def test_a_menu_over_a_text_does_not_hide_what_is_below_it() -> None:
    memory = memory_of(View(PANE, lines(0)))
    memory.show(View(MENU, lines(500)), 20 * NS_PER_S)
    assert memory.looked(View(PANE, lines(2)), 30 * NS_PER_S) is None
    memory.keep(View(PANE, lines(50)), 31 * NS_PER_S)
    assert memory.looked(View(PANE, lines(0)), 40 * NS_PER_S) == Looked(0.0, 1)


def test_what_came_less_than_a_second_before_was_not_known() -> None:
    """A view that was only passed is new at the end of the same movement; the control had been there longer."""
    memory = memory_of(View(PANE, lines(40)))
    memory.show(View(MENU, lines(0)), 20 * NS_PER_S)
    memory.keep(View(PANE, lines(60)), 20 * NS_PER_S)
    assert memory.looked(View(PANE, lines(0)), 20 * NS_PER_S + NS_PER_S // 2) == Looked(1.0, 0)
    assert memory.looked(View(PANE, lines(0)), 25 * NS_PER_S) == Looked(0.0, 1)


def test_what_is_only_drawn_again_was_not_looked_at_again() -> None:
    memory = memory_of(View(PANE, lines(0)))
    for second in range(20, 24):
        memory.show(View(PANE, lines(0)), second * NS_PER_S)
    memory.keep(View(PANE, lines(30)), 30 * NS_PER_S)
    assert memory.looked(View(PANE, lines(0)), 40 * NS_PER_S) == Looked(0.0, 1)


def test_a_pane_takes_the_place_of_what_a_whole_window_showed() -> None:
    memory = ViewMemory()
    memory.show(View(Box(0, 0, 1900, 1056), lines(0)), NS_PER_S)
    memory.keep(View(Box(320, 96, 896, 640), lines(20)), 10 * NS_PER_S)
    assert memory.looked(View(Box(320, 96, 896, 640), lines(0)), 20 * NS_PER_S) == Looked(0.0, 1)


def test_a_page_that_is_needed_again_later_begins_anew() -> None:
    """It stays known, but what was looked at minutes ago is no search; the control comes back soon."""
    for away_s, times in ((RECENT_NS // NS_PER_S - 1, 2), (RECENT_NS // NS_PER_S + 1, 1)):
        memory = memory_of(*(View(PANE, lines(first)) for first in (0, 20, 0, 20)))
        assert memory.looked(View(PANE, lines(0)), (21 + away_s) * NS_PER_S) == Looked(0.0, times)


def test_a_part_that_is_drawn_again_belongs_to_the_view() -> None:
    whole = View(VIEW, lines(0))
    assert View(MENU, lines(90, 5)).after(whole) == View(VIEW, lines(0) | lines(90, 5))
    assert View(VIEW, lines(90)).after(whole) == View(VIEW, lines(90))
    assert View(MENU, lines(90)).after(None) == View(MENU, lines(90))


def memory_of(*views: View) -> ViewMemory:
    memory = ViewMemory()
    scrolled(memory, *views)
    return memory


# ---------------------------------------------------------------- what comes of scrolling


def test_who_scrolls_to_and_fro_is_at_the_same_views_though_no_place_shows_the_same() -> None:
    """Each time the text stands a line further up or down. Without patches nothing is found: that is the control."""
    to_and_fro = (0, 20, 40, 21, 1, 22, 42, 19, 2, 20, 41)
    s = wheel(Strokes(), to_and_fro)
    assert s.values()["views_again"] > 4.0
    exact = wheel(Strokes(), (0, 20, 40, 20, 0, 20, 40)).values()
    assert exact["views_again"] > 1.0
    assert exact["revisited"] == 0.0  # by places they are the same, but count once
    for number, record in enumerate(s.records):
        if isinstance(record, TileDigests):
            s.records[number] = replace(record, patches="")
    assert s.values()["views_again"] == 0.0


def test_scrolling_shows_something_new_where_lines_come_that_never_stood_anywhere() -> None:
    """By their places all of it is new each time, which is what models have learned: `fresh` stays so."""
    found = looked_at(wheel(Strokes(), (0, 20, 1, 21, 2, 40)))[:6]
    assert [outcome.new_view for outcome in found] == [True, True, False, False, False, True]
    assert {outcome.fresh for outcome in found} == {True}


def test_what_a_press_shows_is_on_the_screen_and_no_view_that_was_looked_for() -> None:
    """A page that was opened by a click is known; a little scrolling in it leads nowhere else."""
    s = wheel(Strokes(), (0, 20))
    s.press(400, 400, gap=0.2).scrolls_to(0, text="page").wait(2.0)
    for _ in range(3):
        s.scroll(-1).scrolls_to(2, text="page").wait(1.5).scroll(1).scrolls_to(0, text="page").wait(1.5)
    assert s.values()["views_again"] == 0.0


@pytest.mark.parametrize(
    ("between", "least", "most"),
    [
        (lambda s, n: s.keys("cccc").shows(f"sentence {n}", WORD), 0.0, 1.0),
        (lambda s, n: s.keys("cccc").shows(f"word {n}", Box(64, 32, 128, 32)), 1.5, 8.0),
        (lambda s, n: s.keys("ccccx").shows(f"match {n}", VIEW), 2.2, 8.0),
        (lambda s, n: s.keys("cccc").shows(f"value {n % 2}", WORD), 2.2, 8.0),
        (lambda s, n: s.press(600, 20, gap=0.1).shows(f"menu {n}", WORD), 1.5, 8.0),
        (lambda s, _: s, 2.2, 8.0),
    ],
    ids=["writes", "types a word to look for", "goes to a match", "types to and fro", "opens menus", "nothing"],
)
def test_only_who_writes_between_looks_checks(
    between: Callable[[Strokes, int], Strokes], least: float, most: float
) -> None:
    """Others look for something; what else they see that is new relieves a little."""
    s = Strokes()
    for number, line in enumerate((0, 20, 0, 20, 0, 20, 0, 20)):
        between(wheel(s, (line,)), number).wait(1.6)
    assert least <= s.values()["views_again"] < most


def test_a_view_is_judged_with_its_own_program() -> None:
    s = wheel(Strokes(), (0, 20, 0, 20, 0))
    before = s.values()["views_again"]
    s.focus("mail", window=2).wait(0.1)
    assert s.values()["views_again"] == pytest.approx(before, rel=0.05)


def test_what_another_program_shows_is_no_view_of_a_scroll_before() -> None:
    """The wheel was turned, and a window came to the front at once; the control has no such window."""
    found = []
    for comes in (True, False):
        s = wheel(Strokes(), (0, 20)).scroll(-1)
        if comes:
            s.focus("mail", window=2)
        found.append(looked_at(s.scrolls_to(100).wait(1.6))[2].new_view)
    assert found == [None, True]


def test_a_clock_beside_a_text_is_no_part_of_its_view() -> None:
    text, gap, clock = Box(0, 64, 640, 512), Box(64, 640, 256, 160), Box(1700, 0, 64, 32)
    assert changed_part([clock, text, gap]) == Box(0, 64, 640, 736)
    assert changed_part([clock]) == clock


@pytest.mark.parametrize("patches", ["A", "not base64!", "AAAA" * 60])
def test_foreign_patches_are_ignored(patches: str) -> None:
    s = Strokes().scroll(-1).scrolls_to(0)
    s.records[-1] = replace(cast("TileDigests", s.records[-1]), patches=patches)
    assert s.values()["tiles_seen"] == 1.0
    assert looked_at(s)[-1].fresh


def test_what_stayed_on_the_screen_was_not_looked_at_again() -> None:
    memory = memory_of(*(View(PANE, lines(first)) for first in (0, 10, 0, 10)))
    assert memory.looked(View(PANE, lines(50)), 50 * NS_PER_S) == Looked(1.0, 0)
    memory.keep(View(PANE, lines(50)), 51 * NS_PER_S)
    assert memory.looked(View(PANE, lines(10, 10)), 60 * NS_PER_S) == Looked(0.0, 1)


def test_work_in_between_makes_a_look_a_check() -> None:
    """Who replaced a word looks whether it is right; the control did nothing in between."""
    for works, times in ((True, 1), (False, 2)):
        memory = memory_of(*(View(PANE, lines(first)) for first in (0, 20, 0, 20)))
        if works:
            memory.work(39 * NS_PER_S)
        assert memory.looked(View(PANE, lines(0)), 40 * NS_PER_S) == Looked(0.0, times)


def test_it_is_bounded() -> None:
    """However much is scrolled through."""
    memory = ViewMemory()
    for number in range(3 * MAX_KNOWN // 20):
        memory.show(View(MENU, lines(20 * number)), number)
    assert len(memory) == MAX_KNOWN
    assert len(memory._shown) == MAX_SHOWN  # no method gives it


def test_what_is_known_alike_is_kept_once() -> None:
    """Sixty lines of two looks and a third at half of the first: three memories, and not sixty."""
    memory = ViewMemory()
    for number, first in enumerate((0, 20, 10)):
        memory.keep(View(PANE, lines(first)), number)
    assert len(memory) == 40
    assert len({id(what) for what in memory._known.values()}) == 3


def test_who_reads_on_is_at_new_views() -> None:
    """And a text that is read a second time counts a quarter, since that is no search."""
    assert wheel(Strokes(), range(0, 200, 15)).values()["views_again"] == 0.0
    twice = looked_at(wheel(Strokes(), (*range(0, 100, 20), *range(0, 100, 20))))
    weights = [outcome.again for outcome in twice]
    assert weights[:5] == [0.0] * 5
    assert set(weights[5:-1]) <= {FIRST_RETURN}
    assert wheel(Strokes(), (*range(0, 200, 20), *range(0, 200, 20))).values()["views_again"] < 3.0


def test_scrolling_by_a_little_is_judged_by_places() -> None:
    """So few lines tell nothing of views; places know new ones, and views that come back just as they were."""
    found = looked_at(wheel(Strokes(), (0, 2, 4, 6)))[1:4]
    assert [(outcome.fresh, outcome.again, outcome.new_view) for outcome in found] == [(True, 0.0, None)] * 3
    few = Strokes()
    for line in (0, 100, 0, 100, 0):
        few.scroll(-1).scrolls_to(line, lines=FEWEST_CAME - 1).wait(1.5)
    assert few.values()["revisited"] > 1.5


def test_who_writes_in_another_window_takes_notes() -> None:
    """Looks in a reader, each followed by a sentence in an editor; the control only goes there and back."""
    found = []
    for writes in (True, False):
        s = Strokes("reader")
        for number, line in enumerate((0, 20, 0, 20, 0, 20, 0, 20)):
            wheel(s, (line,)).focus("editor", window=2).wait(1.0)
            if writes:
                s.keys("cccc").shows(f"sentence {number}", WORD).wait(1.6)
            s.press(600, 500).wait(1.6).focus("reader").wait(1.0)
        found.append(s.values()["views_again"])
    assert found[0] < 1.0
    assert found[1] > 2.0


def test_two_panes_of_a_window_are_told_apart() -> None:
    s = Strokes()
    for first in (0, 4, 8, 12):
        s.scroll(-1).scrolls_to(first, box=PANE).wait(1.5)
        s.scroll(-1).scrolls_to(100 + first, box=OTHER_PANE).wait(1.5)
    assert {outcome.again for outcome in looked_at(s)} == {0.0}


def test_a_frame_without_a_change_has_no_view() -> None:
    tracker = FeatureTracker()
    tracker.take(Frame(t_ns=1, monitor="m", size=(1920, 1080), digest="d", changed=()))
    tracker.take(TileDigests(now="", patches=pack([b"ab", b"cd"])))
    assert tracker.values(10)["views_again"] == 0.0


def test_more_patches_than_any_row_has_are_ignored() -> None:
    """The control has as many as are allowed."""
    digests = [number.to_bytes(2, "big") for number in range(MAX_PATCHES + 1)]
    assert unpack_patches(pack(digests)) == frozenset()
    assert unpack_patches(pack(digests[1:])) == frozenset(range(1, MAX_PATCHES + 1))


def test_two_programs_have_views_of_their_own() -> None:
    s = wheel(Strokes(), (0, 20))
    s.focus("reader").wait(1.0)
    found = looked_at(wheel(s, (0, 20)))
    assert [outcome.fresh for outcome in found if outcome.app == "reader"][:2] == [True, True]
