"""The memory of states: what counts as a return, what is left out, and what is forgotten (records by hand)."""

import random
from collections.abc import Callable

import pytest

from detectors.features.extractors.returning_states import MAX_APPS, ReturningStates
from detectors.features.states.places import MAX_PLACES
from detectors.features.states.tally import MAX_OUTCOMES
from detectors.features.tracker import FeatureTracker
from storage.records import Box, Frame, TileDigests
from tests.fakes.sessions.strokes import VIEW, Strokes

FIELD = Box(448, 480, 512, 32)
OTHER = Box(1216, 800, 128, 32)
READ_OUT = Box(64, 960, 64, 32)
DIALOG = Box(576, 288, 384, 320)


def act(s: Strokes, picture: str, box: Box = FIELD, *, at: tuple[int, int] = (900, 500)) -> Strokes:
    return s.press(*at, gap=0.2).shows(picture, box).wait(1.2)


LOOKS: tuple[Callable[[Strokes], object], ...] = (lambda s: s.scroll(-1, -1), lambda s: s.keys("nn"))
"""The wheel and the arrow keys."""


def acts(pictures: str, box: Box = FIELD, s: Strokes | None = None) -> Strokes:
    found = s or Strokes()
    for picture in pictures:
        act(found, picture, box)
    return found


def returned(s: Strokes) -> float:
    return s.wait(1.6).values()["returned_20s"]


def test_what_stood_there_before_comes_back() -> None:
    """One act returns; the control shows something new each time."""
    assert returned(acts("aba")) > 0.8
    assert returned(acts("abc")) == 0.0


def test_what_stood_there_first_is_known_from_the_row_that_replaced_it() -> None:
    """The first picture had no digest of its own; `before` gives it when it goes."""
    known = Strokes().press(gap=0.2).shows("b", FIELD, before="first").wait(1.2)
    assert returned(act(known, "first")) > 0.8
    unknown = Strokes().press(gap=0.2).shows("b", FIELD).wait(1.2)
    assert returned(act(unknown, "first")) == 0.0


def test_tiles_must_have_stood_there_together() -> None:
    mixed = acts("ab")
    left, right = Box(448, 480, 256, 32), Box(704, 480, 256, 32)
    mixed.press(gap=0.2).shows("c", FIELD).wait(1.2)
    mixed.press(gap=0.2).shows("a", left, after=0.2).shows("b", right, after=0.2).wait(1.2)
    assert returned(mixed) == 0.0


def test_a_flash_of_less_than_a_second_is_no_return() -> None:
    """What went and came back at once was never away."""
    s = act(Strokes(), "a")
    s.press(gap=0.1).shows("b", FIELD, after=0.1)
    s.now -= 0.4
    s.press(300, 300, gap=0.1).shows("b2", OTHER, after=0.1)
    assert returned(s) == 0.0


def test_scrolling_and_arrow_keys_only_look_around() -> None:
    for move in LOOKS:
        s = Strokes()
        for picture in ("a", "b", "a", "b"):
            move(s)
            s.shows(picture, VIEW).wait(1.2)
        assert returned(s) == 0.0
    assert returned(acts("abab", VIEW)) > 1.0


def test_looking_around_that_leads_back_to_a_view_is_counted_apart() -> None:
    for move in LOOKS:
        for pictures, box, expected in (
            (("a", "b", "c", "b", "a"), VIEW, 2),
            (("a", "b", "c", "d", "e"), VIEW, 0),
            (("a", "b", "c", "b", "a"), FIELD, 0),
        ):
            s = Strokes()
            for picture in pictures:
                move(s)
                s.shows(picture, box).wait(1.2)
            found = s.wait(1.6).values()
            assert 0.7 * expected <= found["revisited"] <= expected
    assert acts("abab", VIEW).wait(1.6).values()["revisited"] == 0.0


def test_undo_and_redo_in_turn_are_a_comparison_and_undoing_work_is_a_return() -> None:
    """Only what had to be made costs something when it goes."""
    compared = acts("ab")
    compared.keys("u").shows("a", FIELD).wait(1.2)
    once = returned(compared)
    for key, picture in (("r", "b"), ("u", "a"), ("r", "b"), ("u", "a")):
        compared.keys(key).shows(picture, FIELD).wait(1.2)
    worked = acts("ab")
    worked.keys("u").shows("a", FIELD).wait(1.2)
    for number in range(2):
        act(worked, f"try {number}")
        worked.keys("u").shows("a", FIELD).wait(1.2)
    assert once > 0.8
    assert returned(compared) < once
    assert returned(worked) > 2.0 * once


def test_going_back_after_all_options_were_tried_is_free() -> None:
    s = Strokes()
    for number in range(4):
        act(s, f"option {number}", at=(900, 300 + 40 * number))
    act(s, "option 1", at=(900, 340))
    assert returned(s) == 0.0
    act(s, "option 2", at=(900, 380))
    assert returned(s) > 0.8


def test_the_same_dialog_with_success_counts_less_than_without() -> None:
    """What was made since and stands elsewhere tells batch work from trouble."""
    found = {}
    for success in (True, False):
        s = Strokes()
        for number in range(5):
            act(s, "dialog", DIALOG)
            s.keys("x").shows("page", DIALOG)
            if success:
                s.shows(f"made {number}", Box(1024 + 128 * number, 64, 128, 32), after=0.1)
            s.wait(1.2)
        found[success] = returned(s)
    assert found[True] < 0.5 * found[False]


def test_a_dialog_that_opens_again_is_known_by_its_title_where_there_are_no_tiles() -> None:
    s = Strokes()
    counts = []
    for _ in range(3):
        s.press(gap=0.2).focus("editor", title="Sign in", dialog=True).wait(3.0)
        s.keys("x").focus("editor").wait(2.0)
        counts.append(s.values()["returned_20s"])
    assert counts[0] == 0.0
    assert 0.5 < counts[1] < counts[2]
    assert s.values()["stale_20s"] == 0.0


def test_a_dialog_that_closes_and_leaves_nothing_is_a_return() -> None:
    found = {}
    for made in (True, False):
        s = Strokes().press(gap=0.2).shows("dialog", DIALOG, before="page").wait(2.0)
        s.keys("x").shows("page", DIALOG)
        if made:
            s.shows("made", Box(1024, 64, 192, 32), after=0.1)
        found[made] = returned(s.wait(1.2))
    assert found[False] > 0.8
    assert found[True] < 0.5 * found[False]


def test_changing_programs_is_no_return_and_two_windows_are_one_task() -> None:
    s = acts("ab")
    before = returned(s)
    for app, picture in (("Browser", "pages"), ("editor", "b"), ("Browser", "pages"), ("editor", "b")):
        s.press(20, 980, gap=0.1).focus(app).shows(picture, VIEW).wait(2.0)
    assert returned(s) == before == 0.0
    assert returned(act(s, "a")) > 0.5


@pytest.mark.parametrize(("away_s", "counts"), [(30.0, True), (61.0, False)])
def test_a_program_that_was_unused_for_a_minute_begins_anew(away_s: float, counts: bool) -> None:
    s = acts("aba")
    s.press(20, 980, gap=0.1).focus("Browser").shows("pages", VIEW).wait(away_s)
    s.press(20, 980, gap=0.1).focus("editor").shows("work", VIEW).wait(2.0)
    assert (s.values()["returned_20s"] > 0.1) is counts
    assert (act(s, "b", FIELD).values()["stale_20s"] > 0.5) is counts


def test_a_read_out_neither_hides_a_return_nor_makes_one() -> None:
    """A counter beside the field shows another number after each act; a tile of the field has few values."""
    s = Strokes()
    for number in range(24):
        s.press(gap=0.2).shows(f"number {number}", READ_OUT, after=0.1)
        s.now -= 0.4
        s.shows("ab"[number % 2], Box(448, 480, 64, 32), after=0.1).wait(1.2)
    recent = s.values()
    assert recent["returned_20s"] > 4.0
    alone = Strokes()
    for number in range(24):
        alone.press(gap=0.2).shows(f"number {number}", READ_OUT, after=0.1).wait(1.2)
    assert alone.values()["returned_20s"] == 0.0
    assert alone.values()["stale_20s"] > 1.0  # masked once it is known, it shows nothing new


def test_a_caret_is_one_state() -> None:
    caret = Box(448, 480, 64, 32)
    s = Strokes()
    s.keys("cc").shows("word", caret)
    for shown in ("word, caret off", "word", "word, caret off", "word"):
        s.shows(shown, caret, after=0.2)
    s.wait(1.5).keys("cc").shows("longer", caret).wait(1.5)
    s.keys("bb").shows("word, caret off", caret).wait(1.2)
    assert returned(s) > 0.8


def test_acts_without_anything_new_count_and_new_ones_do_not() -> None:
    """A dead button and a known picture show nothing new; a new title, a new place or a new picture do."""
    dead = act(Strokes(), "a")
    for _ in range(3):
        dead.press(300, 300, gap=2.0)
    assert dead.wait(1.6).values()["stale_20s"] > 2.0
    fresh = Strokes()
    for number in range(4):
        act(fresh, f"new {number}")
    assert fresh.wait(1.6).values()["stale_20s"] == 0.0
    titled = acts("abc")
    titled.press(gap=0.2).focus("editor", title="page 2").shows("a", FIELD).wait(3.0)
    assert titled.values()["stale_20s"] == 0.0


def test_the_same_target_with_the_same_end_counts_over_a_change_of_window() -> None:
    """From press to press, also where something was looked up in between; another end does not count."""
    s = Strokes()
    for _ in range(3):
        s.press(900, 500, gap=0.2).shows("refused", FIELD).wait(2.0)
        s.keys("cc").shows("form", FIELD).wait(1.0)
        s.press(20, 980, gap=0.1).focus("Browser").wait(2.0).press(20, 980, gap=0.1).focus("editor").wait(2.0)
    assert s.values()["same_end_20s"] > 1.0
    other = Strokes()
    for number in range(3):
        other.press(900, 500, gap=0.2).shows(f"step {number}", FIELD).wait(2.0)
    assert other.values()["same_end_20s"] == 0.0


def test_quiet_counts_after_a_return_alone() -> None:
    back, forth = acts("aba"), acts("abc")
    quiet = [story.wait(5.0).values()["quiet_back_20s"] for story in (back, forth)]
    assert quiet[0] > 2.0
    assert quiet[1] == 0.0
    assert back.wait(200.0).values()["quiet_back_20s"] < 0.1


def test_values_are_also_given_beyond_the_person_s_own_earlier_minutes() -> None:
    always, lately = Strokes(), Strokes()
    for number in range(90):
        act(always, "ab"[number % 2])
        act(lately, "ab"[number % 2] if number > 70 else f"new {number}")
    habit, begun = always.wait(1.6).values(), lately.wait(1.6).values()
    assert habit["returned_20s"] > 3.0
    assert habit["returned_more"] < 0.3 * habit["returned_20s"]
    assert begun["returned_more"] > 0.8 * begun["returned_20s"] > 1.0


def test_without_digests_and_dialogs_everything_is_neutral() -> None:
    s = Strokes()
    for _ in range(5):
        s.press(gap=0.2).answered(digest="a").wait(1.0).press(gap=0.2).answered(digest="b").wait(1.0)
    values = s.values()
    assert {values[name] for name in ReturningStates.table} == {0.0}


@pytest.mark.parametrize("now", ["", "AAAA", "not base64!", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"])
def test_a_foreign_row_is_ignored(now: str) -> None:
    tracker = FeatureTracker()
    tracker.take(TileDigests(now="AAAA"))
    tracker.take(Frame(t_ns=1, monitor="m", size=(1920, 1080), digest="d", changed=(FIELD,)))
    tracker.take(TileDigests(now=now))
    tracker.take(TileDigests(now="AAAAAAAAAAAAAAAAAAAAAA"))  # eight digests, but the frame had its row
    assert tracker.values(10)["tiles_seen"] == 0.0
    tracker.take(Frame(t_ns=2, monitor="m", size=(1920, 1080), digest="d", changed=(FIELD,)))
    tracker.take(TileDigests(now="AAAAAAAAAAAAAAAAAAAAAA"))
    assert tracker.values(10)["tiles_seen"] == 1.0


def test_memory_is_bounded_and_equal_records_give_equal_values() -> None:
    """However long and varied the work is."""
    values = []
    for _ in range(2):
        rng = random.Random(7)
        s = Strokes()
        for number in range(1500):
            s.press(rng.randrange(1900), rng.randrange(1000), gap=0.1)
            box = Box(64 * rng.randrange(25), 32 * rng.randrange(28), 64 * rng.randint(1, 5), 32 * rng.randint(1, 6))
            s.shows(f"picture {rng.randrange(40)}", box, after=0.1)
            if number % 10 == 0:
                s.focus(f"app {rng.randrange(12)}", title=f"t{rng.randrange(400)}", dialog=number % 20 == 0)
        tracker = FeatureTracker()
        for record in s.records:
            tracker.take(record)
        values.append(tracker.values(s.now_ns))
        (memory,) = (extractor for extractor in tracker._features.extractors if isinstance(extractor, ReturningStates))
        assert 0 < len(memory._places) <= MAX_APPS  # same
        assert len(memory._used_ns) <= MAX_APPS  # same
        assert max(len(places) for places in memory._places.values()) <= MAX_PLACES  # same
        assert len(memory._tally.outcomes) <= MAX_OUTCOMES  # same
    assert values[0] == values[1]
    assert values[0]["tiles_seen"] == 1.0


def fruitless(s: Strokes) -> float:
    return s.wait(1.6).values()["fruitless"]


def test_acts_that_bring_back_what_was_there_or_end_alike_are_fruitless() -> None:
    """To and fro between two pictures counts from the first return on; ever new ones never do."""
    turned, new, dead = Strokes(), Strokes(), Strokes()
    for number in range(6):
        act(turned, "ab"[number % 2])
        act(new, f"picture {number}")
        if not number:
            act(dead, "a", OTHER)
        dead.press(gap=0.2).wait(2.2)
    assert fruitless(turned) > 2.5
    assert fruitless(new) == 0.0
    assert fruitless(dead) > 2.5


@pytest.mark.parametrize(("picture", "counts"), [("a+1", True), ("a+4", False)])
def test_a_fifth_of_the_tiles_may_differ(picture: str, counts: bool) -> None:
    assert (returned(act(acts("ab"), picture)) > 0.5) is counts


def test_who_always_looks_so_has_no_more_than_usual() -> None:
    s = Strokes()
    found = []
    for _ in range(60):
        for picture in ("a", "b"):
            s.scroll(-1).shows(picture, VIEW).wait(2.0)
        found.append(s.values()["revisited"])
    assert max(found[:15]) > 5.0
    assert found[-1] < 1.0


def test_enter_is_an_attempt_too() -> None:
    """Enter to Enter, whatever was typed between."""
    s = Strokes()
    for number in range(3):
        s.keys("ccc").shows(f"try {number}", OTHER).wait(1.0)
        s.keys("x").shows("refused", FIELD).wait(1.0).press(300, 300, gap=0.2).shows("form", FIELD).wait(2.0)
    assert s.values()["same_end_20s"] > 0.5


def test_an_act_that_shows_something_new_leaves_little_of_them() -> None:
    """The same returns with new work between them are no trouble."""
    s = Strokes()
    for number in range(6):
        act(s, "ab"[number % 2])
        s.press(1200, 810, gap=0.2).shows(f"work {number}", OTHER).wait(1.2)
    assert fruitless(s) < 0.5


def test_what_always_was_so_is_not_fruitless() -> None:
    """Somebody whose work has looked so for minutes is not in trouble now."""
    s = Strokes()
    early = 0.0
    for number in range(120):
        act(s, "ab"[number % 2]).wait(2.0)
        if number == 12:
            early = s.values()["fruitless"]
    assert early > 3.0
    assert fruitless(s) < 0.4 * early


def test_without_digests_nothing_is_fruitless() -> None:
    s = Strokes()
    for _ in range(6):
        s.press(gap=0.2).wait(2.0)
    assert fruitless(s) == 0.0
