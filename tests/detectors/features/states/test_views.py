"""Views that are looked at again, wherever they are scrolled to (records by hand)."""

from collections.abc import Sequence

import pytest

from detectors.features.extractors.returning_states import ReturningStates
from detectors.features.states.judging import FIRST_RETURN, Outcome
from detectors.features.states.views import (
    FEWEST_CAME,
    MAX_KNOWN,
    MAX_SHOWN,
    RECENT_NS,
    Looked,
    View,
    ViewMemory,
    around,
)
from detectors.features.tracker import FeatureTracker
from storage.clock import NS_PER_S
from storage.records import Box
from tests.fakes.strokes import VIEW, WORD, Strokes

PANE, OTHER_PANE = Box(0, 64, 640, 896), Box(704, 64, 640, 896)
MENU = Box(64, 64, 256, 320)


def lines(first: int, many: int = 20) -> frozenset[int]:
    """Return the patches of so many lines of a text."""
    return frozenset(range(first, first + many))


def looked_at(s: Strokes) -> list[Outcome]:
    """Return what came of each act that ended."""
    tracker, found = FeatureTracker(), list[Outcome]()
    (states,) = (one for one in tracker._features.extractors if isinstance(one, ReturningStates))
    states.take_ended = (found.append,)
    for record in s.press(10, 10).records:  # ends the act before
        tracker.take(record)
    return found


def wheel(s: Strokes, places: Sequence[int], *, text: str = "text") -> Strokes:
    """Turn the wheel to places of a text, and look."""
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
        memory.keep(view, start_ns, start_ns + NS_PER_S)
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
    """What stands in the other pane is on the screen all the time, and is not looked at again."""
    views = [View(PANE, lines(0)), View(OTHER_PANE, lines(100)), View(PANE, lines(20)), View(OTHER_PANE, lines(120))]
    assert [found and found.times for found in scrolled(ViewMemory(), *views)] == [0, 0, 0, 0]
    both = View(around([PANE, OTHER_PANE]), views[2].patches | views[3].patches)
    assert ViewMemory.looked(memory_of(*views), both, 90 * NS_PER_S) is None


def test_a_menu_over_a_text_does_not_hide_what_is_below_it() -> None:
    """Once it is gone, the text that stood there is no other view."""
    memory = memory_of(View(PANE, lines(0)))
    memory.show(View(MENU, lines(500)), 20 * NS_PER_S)
    assert memory.looked(View(PANE, lines(2)), 30 * NS_PER_S) is None
    memory.keep(View(PANE, lines(50)), 30 * NS_PER_S, 31 * NS_PER_S)
    assert memory.looked(View(PANE, lines(0)), 40 * NS_PER_S) == Looked(0.0, 1)


def test_what_came_less_than_a_second_before_was_not_known() -> None:
    """A view that was only passed is new at the end of the same movement; the control had been there longer."""
    memory = ViewMemory()
    memory.show(View(MENU, lines(0)), NS_PER_S)
    memory.keep(View(PANE, lines(40)), 0, NS_PER_S)
    memory.keep(View(around([PANE, MENU]), lines(60)), NS_PER_S, NS_PER_S)
    assert memory.looked(View(PANE, lines(0)), NS_PER_S + NS_PER_S // 2) == Looked(1.0, 0)
    assert memory.looked(View(PANE, lines(0)), 5 * NS_PER_S) == Looked(0.0, 1)


def test_a_page_that_is_needed_again_later_begins_anew() -> None:
    """It stays known, but what was looked at minutes ago is no search; the control comes back soon."""
    for away_s, times in ((RECENT_NS // NS_PER_S - 1, 2), (RECENT_NS // NS_PER_S + 1, 1)):
        memory = memory_of(*(View(PANE, lines(first)) for first in (0, 20, 0, 20)))
        assert memory.looked(View(PANE, lines(0)), (21 + away_s) * NS_PER_S) == Looked(0.0, times)


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
    assert (len(memory._known), len(memory._shown)) == (MAX_KNOWN, MAX_SHOWN)


def test_a_part_that_is_drawn_again_belongs_to_the_view() -> None:
    """A picture that loads late changes a part; a whole new view replaces the one before."""
    whole = View(VIEW, lines(0))
    assert View(MENU, lines(90, 5)).after(whole) == View(VIEW, lines(0) | lines(90, 5))
    assert View(VIEW, lines(90)).after(whole) == View(VIEW, lines(90))
    assert View(MENU, lines(90)).after(None) == View(MENU, lines(90))


def memory_of(*views: View) -> ViewMemory:
    """Return a memory in which these were scrolled to."""
    memory = ViewMemory()
    scrolled(memory, *views)
    return memory


# ---------------------------------------------------------------- what comes of scrolling


def test_who_scrolls_to_and_fro_is_at_the_same_views_though_no_place_shows_the_same() -> None:
    """Each time the text stands a line further up or down. Without patches nothing is found: that is the control."""
    to_and_fro = (0, 20, 40, 21, 1, 22, 42, 19, 2, 20, 41)
    s = wheel(Strokes(), to_and_fro)
    assert s.values()["views_again"] > 4.0
    for number, record in enumerate(s.records):
        if getattr(record, "patches", ""):
            s.records[number] = type(record)(now=record.now)  # type: ignore[attr-defined, call-arg]  # a TileDigests
    assert s.values()["views_again"] == 0.0


def test_who_reads_on_is_at_new_views() -> None:
    """And a text that is read a second time counts a quarter, since that is no search."""
    assert wheel(Strokes(), range(0, 200, 15)).values()["views_again"] == 0.0
    twice = looked_at(wheel(Strokes(), (*range(0, 100, 20), *range(0, 100, 20))))
    weights = [one.again for one in twice]
    assert weights[:5] == [0.0] * 5
    assert set(weights[5:-1]) <= {FIRST_RETURN}
    assert wheel(Strokes(), (*range(0, 200, 20), *range(0, 200, 20))).values()["views_again"] < 3.0


def test_scrolling_shows_something_new_where_lines_come_that_never_stood_anywhere() -> None:
    """By their places alone all of it would be new each time."""
    fresh = [one.fresh for one in looked_at(wheel(Strokes(), (0, 20, 1, 21, 2, 40)))]
    assert fresh[:6] == [True, True, False, False, False, True]


def test_who_reads_on_line_by_line_sees_something_new() -> None:
    """So few lines tell nothing of views, so places do."""
    found = looked_at(wheel(Strokes(), (0, 2, 4, 6)))
    assert [one.fresh for one in found[:4]] == [True] * 4
    assert {one.again for one in found[:4]} == {0.0}


def test_what_a_press_shows_is_on_the_screen_and_no_view_that_was_looked_for() -> None:
    """A page that was opened by a click is known; a little scrolling in it leads nowhere else."""
    s = wheel(Strokes(), (0, 20))
    s.press(400, 400, gap=0.2).scrolls_to(0, text="page").wait(2.0)
    for _ in range(3):
        s.scroll(-1).scrolls_to(2, text="page").wait(1.5).scroll(1).scrolls_to(0, text="page").wait(1.5)
    assert s.values()["views_again"] == 0.0


def test_who_writes_between_looks_is_not_searching() -> None:
    """Each sentence is new; the same looks without it come to more."""
    found = []
    for writes in (True, False):
        s = Strokes()
        for number, line in enumerate((0, 20, 0, 20, 0, 20, 0, 20)):
            wheel(s, (line,))
            if writes:
                s.keys("ccc").shows(f"sentence {number}", WORD).wait(1.6)
        found.append(s.values()["views_again"])
    assert found[0] < 1.5
    assert found[1] > 3.0


def test_two_programs_have_views_of_their_own() -> None:
    """The same lines in another program are new there."""
    s = wheel(Strokes(), (0, 20))
    s.focus("reader").wait(1.0)
    found = looked_at(wheel(s, (0, 20)))
    assert [one.fresh for one in found if one.app == "reader"][:2] == [True, True]


@pytest.mark.parametrize("patches", ["A", "not base64!", "AAAA" * 60])
def test_foreign_patches_are_ignored(patches: str) -> None:
    """The tiles beside them count all the same."""
    s = Strokes().scroll(-1).scrolls_to(0)
    row = s.records[-1]
    s.records[-1] = type(row)(now=row.now, patches=patches)  # type: ignore[attr-defined, call-arg]  # a TileDigests
    assert s.values()["tiles_seen"] == 1.0
    assert looked_at(s)[-1].fresh
