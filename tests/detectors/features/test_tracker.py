"""Features: each has a definition, counts what it says, forgets at the right moment and keeps memory bounded."""

import random
from dataclasses import replace

import pytest
from hypothesis import given, settings

from detectors.acts import is_help_app
from detectors.features.attempts.memory import KINDS
from detectors.features.table import TABLE, WINDOW_COUNTS
from detectors.features.tracker import FeatureTracker
from storage.clock import NS_PER_S
from storage.records import Box, EventKind, InputEvent, KeyClass, Record, Switch, SwitchName, Wake
from tests.fakes.sessions.timed_records import (
    S,
    actions,
    click,
    dialog_visit,
    focus,
    frame,
    key,
    keys,
    menu_visit,
    popup,
    records_of,
    seen,
)


def test_every_feature_is_defined_and_given() -> None:
    values = seen([], 1.0)
    assert list(values) == list(TABLE)
    assert all(unit and definition for unit, definition in TABLE.values())
    assert all(isinstance(value, float) for value in values.values())


def test_keys_are_counted_by_class() -> None:
    values = seen(keys(1.0, "ccccbtxnuuurpskeh"), 8.0)
    counted = {name: values[name] for name in WINDOW_COUNTS if values[name]}
    assert counted == {
        "inputs": 17.0, "characters": 4.0, "fluent_characters": 3.0, "erasures": 1.0, "commits": 2.0,
        "navigations": 1.0, "undos": 3.0, "undo_run_max": 3.0, "redos": 1.0, "pastes": 1.0, "saves": 1.0,
        "shortcuts": 1.0, "escapes": 1.0, "helps": 1.0,
    }  # fmt: skip
    assert values["erase_share"] == 0.2
    assert values["since_help_s"] == pytest.approx(3.8)


def test_a_new_window_counts_anew_and_keeps_memory() -> None:
    tracker = FeatureTracker()
    for record in [focus(0.0, "editor"), *keys(1.0, "cccuuu"), *keys(4.0, "cccuuu")]:
        tracker.take(record)
    tracker.open_window(6 * S)
    values = tracker.values(10 * S)
    assert values["undos"] == 0.0
    assert values["window_s"] == 4.0
    assert values["undo_count"] == 2.0
    assert values["failures"] > 1.5


def test_our_own_windows_and_modifiers_change_nothing() -> None:
    own = [key(2.0, KeyClass.UNDO, own=True), focus(2.1, "kairos", own=True), focus(2.2, "")]
    assert seen(own, 3.0) == seen([], 3.0)
    values = seen([*keys(1.0, "u"), key(1.3, KeyClass.MODIFIER), *keys(1.4, "u")], 3.0)
    assert values["undo_run_max"] == 2.0
    assert values["undo_count"] == 1.0


def test_undo_bursts_are_failed_tries_and_redo_takes_them_back() -> None:
    """Three bursts with tries between are three failures; undo and redo of the same is none."""
    loop = [*keys(1.0, "ccccuu"), *keys(4.0, "ccccuu"), *keys(7.0, "ccccuu")]
    assert seen(loop, 9.0)["undo_count"] == 3.0
    assert seen(loop, 9.0)["undo_presses"] == 6.0
    assert seen(loop, 9.0)["undo_level"] > 2.5
    compare = seen([*keys(1.0, "ccccu"), *keys(3.0, "r"), *keys(4.0, "u"), *keys(5.0, "r")], 6.0)
    assert compare["undo_level"] < 0.1
    assert compare["waver"] == 3.0
    partly = seen([*keys(1.0, "ccccuuuu"), *keys(4.0, "r")], 5.0)
    assert 0.5 < partly["undo_level"] < 1.5
    assert seen(keys(1.0, "r"), 2.0)["undo_level"] == 0.0


def test_a_pause_between_undos_makes_two_bursts() -> None:
    """Undos far apart are separate goes, even with nothing between."""
    assert seen([*keys(1.0, "u"), *keys(5.0, "u")], 6.0)["undo_count"] == 2.0


def test_work_that_stays_relieves_and_work_taken_back_does_not() -> None:
    """Sixty characters after two failures end the trouble, unless they are undone again."""
    trouble = [*keys(1.0, "cccuuu"), *keys(4.0, "cccuuu")]
    stuck, relieved = seen(trouble, 18.0), seen([*trouble, *keys(6.0, "c" * 60)], 18.0)
    assert stuck["failures"] > 1.4
    assert relieved["failures"] < 0.2
    assert stuck["relief"] == 1.0
    assert relieved["relief"] < 0.1
    assert seen([*trouble, *keys(6.0, "c" * 40), *keys(16.0, "uuu")], 19.5)["failures"] > 2.0


def test_failures_fade() -> None:
    first = seen(keys(1.0, "cccu"), 2.0)["undo_level"]
    assert seen(keys(1.0, "cccu"), 42.0)["undo_level"] == pytest.approx(first / 2, rel=1e-3)


TWO_APART = (Box(64, 256, 64, 32), Box(64, 736, 64, 32))


def test_clicks_without_an_answer_are_dead_and_at_the_same_place_weigh_more() -> None:
    once = click(2.0)
    assert seen(once, 6.0)["dead_clicks"] == 0.0  # a slow page may come yet
    assert seen(once, 6.1)["dead_clicks"] == 1.0
    assert seen(once, 6.1)["dead_click_level"] == pytest.approx(0.4, rel=0.1)
    twice = [*once, *click(4.0)]
    assert seen(twice, 4.1)["dead_clicks"] == 1.0  # who did not wait for it says so
    assert seen([*twice, *click(6.0)], 10.1)["dead_click_level"] > 2.0


def test_an_answered_click_is_not_dead() -> None:
    near = [*click(2.0), frame(2.3, "a", Box(480, 480, 64, 32))]
    large = [*click(2.0), frame(2.3, "a", Box(900, 700, 512, 64))]
    count_and_status = [*click(2.0), frame(2.3, "a", *TWO_APART)]
    opened = [*click(2.0), popup(2.3)]
    again = [frame(0.5, "a"), *click(1.0), frame(1.3, "b", *TWO_APART), *click(2.0), frame(2.3, "a", *TWO_APART)]
    focused = [*click(2.0), focus(2.3, "editor", title="two")]
    slow = [*click(2.0), frame(2.3, "a", Box(20, 20, 64, 32)), frame(5.9, "b", Box(0, 0, 1280, 700))]
    window = [*click(2.0), focus(5.9, "editor", title="two")]
    double = [*click(2.0), *click(2.3), frame(5.9, "b", Box(0, 0, 1280, 700))]
    for answer in (near, large, count_and_status, again, opened, focused, slow, window, double):
        assert seen(answer, 7.0)["dead_clicks"] == 0.0


def test_a_frame_that_is_told_late_still_answers() -> None:
    """On a busy machine pictures come to the log seconds after they were taken: nothing is judged before they do."""
    busy = [replace(frame(1.0, "a"), at_ns=round(3.0 * NS_PER_S)), *click(2.0)]
    assert seen(busy, 7.9)["dead_clicks"] == 0.0
    assert seen(busy, 8.1)["dead_clicks"] == 1.0
    suspended = [replace(frame(1.0, "a"), at_ns=round(600.0 * NS_PER_S)), *click(602.0)]
    assert seen(suspended, 610.1)["dead_clicks"] == 1.0


def test_carets_clocks_and_late_changes_answer_nothing() -> None:
    clock = [*click(2.0), frame(2.5, "a", Box(1792, 0, 128, 32))]
    caret = [frame(0.5, "on", Box(512, 480, 64, 32)), frame(1.1, "off", Box(512, 480, 64, 32)), *click(2.0)]
    blinked = [*caret, frame(2.3, "on", Box(512, 480, 64, 32))]
    spinner = [frame(0.5, "b", *TWO_APART), frame(1.1, "c", *TWO_APART), *click(2.0), frame(2.3, "b", *TWO_APART)]
    late = [*click(2.0), frame(6.1, "a", Box(900, 700, 512, 64))]
    not_waited_for = [*click(2.0), *keys(3.0, "n"), frame(4.0, "a", Box(900, 700, 512, 64))]
    for no_answer in (clock, blinked, spinner, late, not_waited_for):
        assert seen(no_answer, 7.0)["dead_clicks"] == 1.0


def test_a_region_that_keeps_changing_by_itself_is_background() -> None:
    video = [frame(3.0 + 2 * n, f"v{n}", Box(448, 448, 256, 128)) for n in range(5)]
    assert seen([*video, *click(14.0), frame(14.4, "v9", Box(448, 448, 256, 128))], 18.1)["dead_clicks"] == 1.0
    assert seen([*click(14.0), frame(14.4, "v9", Box(448, 448, 256, 128))], 18.1)["dead_clicks"] == 0.0


def test_nothing_is_dead_where_no_frame_was_ever_seen() -> None:
    """Without frames nobody can tell."""
    tracker = FeatureTracker()
    for record in [focus(0.0, "editor"), *click(1.0)]:
        tracker.take(record)
    assert tracker.values(5 * S)["dead_clicks"] == 0.0


def test_a_double_click_is_one_click_and_a_drag_is_none_that_can_be_dead() -> None:
    double = [*click(2.0), *click(2.2)]
    assert seen(double, 7.0)["dead_clicks"] == 1.0
    drag = click(2.0, to=(700, 600))
    assert seen(drag, 7.0)["dead_click_level"] == 0.0


def test_a_productive_stepper_is_no_repetition_and_a_toggle_is() -> None:
    stepper, toggle = [], []
    for n in range(6):
        stepper += [*click(2.0 + n), frame(2.3 + n, f"value {n}", Box(448, 480, 128, 32))]
        toggle += [*click(2.0 + n), frame(2.3 + n, ("on", "off")[n % 2], Box(448, 480, 128, 32))]
    assert seen(stepper, 10.0)["repeat_click_count"] == 0.0
    assert seen(toggle, 10.0)["repeat_click_count"] >= 3.0


def test_a_menu_left_without_an_act_failed_and_a_pick_did_not() -> None:
    escaped = menu_visit(2.0, [*keys(3.0, "e"), popup(3.1, gone=True)])
    beside = menu_visit(2.0, [*click(3.0, 900, 900), popup(3.1, gone=True)])
    picked = menu_visit(2.0, [*click(3.0, 150, 100), popup(3.1, gone=True)])
    entered = [*keys(2.0, "m"), popup(2.2), *keys(3.0, "x"), popup(3.1, gone=True)]
    assert [seen(visit, 5.0)["menu_count"] for visit in (escaped, beside, picked, entered)] == [1.0, 1.0, 0.0, 0.0]
    assert seen(picked, 5.0)["pace"] > 0.0


def test_a_walk_through_several_menus_is_one_failure_that_weighs_more() -> None:
    other = Box(300, 40, 200, 300)
    walk = menu_visit(
        2.0, [popup(3.0, gone=True), popup(3.1, box=other), *keys(4.0, "e"), popup(4.1, gone=True, box=other)]
    )
    values = seen(walk, 6.0)
    assert values["menus"] == 2.0
    assert values["menu_count"] == 1.0
    assert values["menu_level"] > 1.1


def test_tool_tips_and_completion_lists_are_no_menus() -> None:
    completion = [*keys(2.0, "cc"), popup(2.6), popup(3.5, gone=True)]
    tooltip_box = Box(100, 40, 90, 24)
    tooltip = [*click(2.0), popup(2.5, box=tooltip_box), popup(3.5, gone=True, box=tooltip_box)]
    assert seen(completion, 6.0)["menus"] == 0.0
    assert seen(tooltip, 6.0)["menus"] == 0.0


def test_a_dialog_left_without_effect_failed_and_more_so_the_second_time() -> None:
    escaped = dialog_visit(2.0, keys(3.0, "e"), 3.2)
    button = dialog_visit(2.0, click(3.0, 900, 580), 3.2)
    again = [*button, *dialog_visit(8.0, click(9.0, 900, 580), 9.2)]
    assert seen(escaped, 6.0)["dialog_level"] == pytest.approx(1.0, rel=0.1)
    assert seen(button, 6.0)["dialog_level"] == pytest.approx(0.4, rel=0.1)
    assert seen(again, 12.0)["dialog_level"] > 1.8
    assert seen(again, 12.0)["dialogs"] == 2.0
    assert seen(again, 12.0)["app_switches"] == 0.0


def test_a_dialog_with_an_effect_is_work() -> None:
    """Something typed and confirmed, or a change outside it, makes a dialog useful, however it is closed."""
    typed = dialog_visit(2.0, keys(3.0, "ccx"), 4.0, digest="changed")
    changed = [*dialog_visit(2.0, click(3.0, 900, 580), 3.2, digest="x"), frame(3.6, "changed", Box(0, 0, 512, 800))]
    found = dialog_visit(2.0, [*keys(3.0, "ccxxe")], 4.2, digest="changed")
    for visit in (typed, changed, found):
        assert seen(visit, 8.0)["dialog_count"] == 0.0


def test_typing_in_a_dialog_closed_by_its_button_gets_the_benefit_of_the_doubt() -> None:
    """The first time it may have worked; the same dialog again says otherwise."""
    first = dialog_visit(2.0, [*keys(3.0, "cc"), *click(4.0, 900, 580)], 4.2)
    assert seen(first, 7.0)["dialog_level"] == 0.0
    second = dialog_visit(8.0, [*keys(9.0, "cc"), *click(10.0, 900, 580)], 10.2)
    assert seen([*first, *second], 14.0)["dialog_level"] == pytest.approx(0.5, rel=0.1)


def test_an_entry_erased_and_entered_again_failed() -> None:
    assert seen(keys(1.0, "cccccbbbbbccccbbbb"), 8.0)["retype_count"] == 2.0
    assert seen(keys(1.0, "ccccccccccbccccccccbb" + "c" * 8), 8.0)["retype_count"] == 0.0
    assert seen(keys(1.0, "c" * 20 + "b" * 9), 9.0)["retype_count"] == 1.0


def test_replacing_everything_typed_just_now_failed() -> None:
    assert seen(keys(1.0, "ccccaccc"), 5.0)["retype_count"] == 1.0
    assert seen(keys(1.0, "ccccab"), 5.0)["retype_count"] == 1.0
    assert seen(keys(1.0, "ccccayccc"), 5.0)["retype_count"] == 0.0
    assert seen(keys(1.0, "accc"), 5.0)["retype_count"] == 0.0


def test_going_back_to_enter_again_failed() -> None:
    back = keys(1.0, "ccxnccxnccx")
    assert seen(back, 6.0)["retype_count"] >= 1.0
    down = keys(1.0, "ccxccxccxccx")
    assert seen(down, 6.0)["retype_count"] == 0.0
    clicked = [*click(1.0), *keys(1.5, "ccx"), *click(3.0), *keys(3.5, "ccx"), *click(5.0), *keys(5.5, "ccx")]
    assert seen(clicked, 7.0)["retype_count"] == 2.0
    elsewhere = [*click(1.0), *keys(1.5, "ccx"), *click(3.0, 500, 540), *keys(3.5, "ccx")]
    assert seen(elsewhere, 7.0)["retype_count"] == 0.0
    text = [*click(1.0), *keys(1.5, "c" * 25 + "x"), *click(8.0), *keys(8.5, "c" * 25 + "x")]
    assert seen(text, 15.0)["retype_count"] == 0.0


def test_where_the_screen_changed_tells_one_field_from_another() -> None:
    """One step back leads to the same field only if the same places change."""
    field, other = Box(448, 384, 128, 32), Box(1024, 800, 128, 32)

    def entered(second: Box) -> list[Record]:
        return [
            *keys(1.0, "cc"), frame(1.5, "a", field), *keys(1.6, "xn"),
            *keys(3.0, "cc"), frame(3.5, "b", second), *keys(3.6, "x"),
        ]  # fmt: skip

    assert seen(entered(field), 5.0)["retype_count"] == 1.0
    assert seen(entered(other), 5.0)["retype_count"] == 0.0


def test_an_edit_that_brings_an_earlier_screen_back_goes_to_and_fro() -> None:
    fro = []
    for n in range(4):
        fro += [*keys(2.0 + 2 * n, "k"), frame(2.4 + 2 * n, ("bold", "plain")[n % 2], Box(448, 384, 512, 64))]
    assert seen(fro, 12.0)["retype_count"] >= 2.0
    onward = []
    for n in range(4):
        onward += [*keys(2.0 + 2 * n, "k"), frame(2.4 + 2 * n, f"new {n}", Box(448, 384, 512, 64))]
    assert seen(onward, 12.0)["retype_count"] == 0.0
    scrolled = [
        *keys(2.0, "c"), frame(2.3, "below", Box(448, 384, 512, 64)),
        InputEvent(t_ns=3 * S, kind=EventKind.SCROLL, x=1, y=1, dy=1),
        frame(3.3, "first", Box(0, 0, 1900, 1000)),
    ]  # fmt: skip
    assert seen(scrolled, 5.0)["retype_count"] == 0.0


def test_memory_belongs_to_the_application_and_comes_back_with_it() -> None:
    trouble: list[Record] = [*keys(1.0, "cccuuu"), *keys(4.0, "cccuuu")]
    away = [*trouble, focus(6.0, "Chromium")]
    values = seen(away, 7.0)
    assert values["failures"] == 0.0
    assert values["failures_elsewhere"] > 1.5
    assert values["help_app"] == 1.0
    assert values["app_s"] == 1.0
    assert seen([*away, focus(9.0, "editor")], 10.0)["failures"] > 1.5


def test_pointer_and_scrolling_without_an_act_are_measured() -> None:
    hover: list[Record] = [
        InputEvent(t_ns=(2 + n) * S, kind=EventKind.MOTION, x=100 * n, y=60 * n, path=50) for n in range(12)
    ]
    values = seen(hover, 14.0)
    assert (values["hover_places"], values["hover_s"], values["motion_px"]) == (12.0, 12.0, 600.0)
    assert seen([*hover, *click(15.0)], 16.0)["hover_places"] == 0.0
    scroll: list[Record] = [
        InputEvent(t_ns=(2 + n) * S, kind=EventKind.SCROLL, x=1, y=1, dy=(1, -1)[n % 2], count=2) for n in range(6)
    ]
    values = seen(scroll, 9.0)
    assert (values["scrolls"], values["scroll_turns"]) == (12.0, 5.0)


def test_change_without_input_is_watched() -> None:
    film: list[Record] = [*keys(1.0, "c"), *(frame(4.0 + 2 * n, f"f{n}", Box(0, 0, 640, 480)) for n in range(5))]
    assert seen(film, 13.0)["watching_s"] == 8.0
    assert seen(film, 13.0)["unprompted_frames"] == 5.0
    assert seen([*film, *keys(13.0, "c")], 14.0)["watching_s"] == 0.0


def test_protected_entry_says_nothing() -> None:
    tracker = FeatureTracker()
    tracker.take(focus(0.0, "editor"))
    tracker.take(InputEvent(t_ns=S, kind=EventKind.PROTECTED))
    values = tracker.values(3 * S)
    assert values["still_s"] == 2.0
    assert values["characters"] == 0.0


@pytest.mark.parametrize(
    "end", [Switch(name=SwitchName.PAUSED, on=True, by="person"), Wake(slept_ns=S)], ids=["pause", "wake"]
)
def test_what_is_pending_ends_with_a_pause(end: Record) -> None:
    """A click that could no longer be judged is not called dead."""
    assert seen([*click(2.0), end], 60.0)["dead_clicks"] == 0.0


def test_consent_given_or_a_fence_lifted_ends_nothing() -> None:
    on = Switch(name=SwitchName.CONSENT, on=True, by="person")
    off = Switch(name=SwitchName.PAUSED, on=False, by="person")
    assert seen([*click(2.0), on, off], 60.0)["dead_clicks"] == 1.0


def test_ten_thousand_events_leave_memory_bounded() -> None:
    """Whatever comes, every store keeps its limit."""
    rng = random.Random(1)
    tracker = FeatureTracker()
    tracker.take(focus(0.0, "editor"))
    for n in range(10_000):
        for record in records_of([(0, rng.randint(0, 9), rng.randint(0, 1_000_000))]):
            moved = {"t_ns": n * S // 10}
            tracker.take(type(record)(**{name: getattr(record, name) for name in record.__slots__} | moved))
    screen = tracker._screen
    assert len(screen._states) <= 128
    assert len(screen._edits_at) <= 128
    assert len(screen._regions) <= 64
    assert len(screen._pending) <= 64
    assert len(tracker._places) <= 64
    assert len(tracker._undos._presses) <= 64


def test_an_endless_pile_of_menus_is_bounded() -> None:
    """Pop-ups whose end is never told do not pile up."""
    tracker = FeatureTracker()
    tracker.take(focus(0.0, "editor"))
    for n in range(500):
        for record in menu_visit(1.0 + n, []):
            tracker.take(record)
    assert len(tracker._menus._open) <= 16


def test_many_different_dialogs_are_bounded() -> None:
    tracker = FeatureTracker()
    tracker.take(focus(0.0, "editor"))
    for n in range(100):
        tracker.take(focus(1.0 + 3 * n, "editor", title=f"d{n}", dialog=True))
        tracker.take(focus(2.0 + 3 * n, "editor"))
    tracker.values(400 * S)
    assert len(tracker._dialogs._useless) <= 16


def test_only_so_many_applications_are_remembered() -> None:
    tracker = FeatureTracker()
    for n in range(40):
        tracker.take(focus(float(n), f"app{n}"))
    assert len(tracker._memories) <= 8


@pytest.mark.parametrize(("app", "helps"), [("Firefox", 1), ("chromium-browser", 1), ("yelp", 1), ("mousepad", 0)])
def test_help_applications_are_known_by_class(app: str, helps: int) -> None:
    assert is_help_app(app) is bool(helps)


@settings(max_examples=200)
@given(actions)
def test_any_sequence_gives_sane_values_and_the_same_ones_again(steps: list[tuple[int, int, int]]) -> None:
    """Values are finite, never negative, shares within bounds, and a function of the records."""
    stream = records_of(steps)
    end_s = (stream[-1].t_ns / S if stream else 0.0) + 1.0  # type: ignore[attr-defined]  # every record made has one
    values = seen(stream, end_s)
    assert values == seen(stream, end_s)
    assert all(0.0 <= value < float("inf") for value in values.values())
    assert values["erase_share"] <= 1.0
    assert values["relief"] <= 1.0
    assert all(values[f"{kind}_count"] <= 64.0 for kind in KINDS)
