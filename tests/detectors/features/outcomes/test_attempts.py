"""Attempts: what ends in vain and what succeeds, each with a calm look-alike as its control (records by hand)."""

import random
from collections.abc import Callable
from typing import Any

import pytest

from detectors.features.extractors.attempt_outcomes import TouchedControls
from detectors.features.outcomes.attempts import MOST
from detectors.features.table import SENSED, TABLE
from detectors.features.tracker import FeatureTracker
from storage.records import (
    Box,
    ControlAct,
    ControlRole,
    ControlState,
    DialogSeen,
    DocumentLoaded,
    MessageClass,
    MessageSeen,
    Sense,
    UndoLabel,
)
from tests.fakes.sessions.strokes import WORD, Strokes

MEANING = (ControlAct, DialogSeen, MessageSeen, DocumentLoaded, UndoLabel, Sense)
IN_VAIN = ("touched_in_vain", "touched_again", "errors_again")


def sensed() -> Strokes:
    return Strokes().sense()


def spin(s: Strokes) -> None:
    for _ in range(6):
        s.touch("up", role=ControlRole.SPIN_BUTTON, gap=0.2).shows(f"number {s.frames}", WORD, after=0.1).wait(1.5)


def rename(s: Strokes) -> None:
    """Rename one file after the other: the same dialog each time, and each time it is done."""
    for number in range(5):
        s.touch("rename", gap=0.2).opens("rename", MessageClass.QUESTION).keys("ccc").wait(0.3)
        s.touch("ok", gap=0.2).shows(f"name {number}", Box(448, 200 + 32 * number, 256, 32), after=0.1).wait(1.5)


def add_up(s: Strokes) -> None:
    for number in range(4):
        for key in ("1", "+"):
            s.touch(key, gap=0.2).shows(f"sum {number} {key}", WORD, after=0.1).wait(0.6)


def place_the_caret(s: Strokes) -> None:
    """Click into a text again and again: that places the caret, and nothing is expected of it."""
    for y in (300, 500, 300, 500, 300):
        s.touch("", role=ControlRole.TEXT, at=(900, y)).wait(2.0)


def dead(s: Strokes) -> None:
    for _ in range(4):
        s.touch("apply").wait(2.5)


def refuse(s: Strokes) -> None:
    """Send a form that is refused with the same words each time, though a field is changed between."""
    for _ in range(4):
        s.touch("send").says("not valid").keys("bcc").wait(1.5)


@pytest.mark.parametrize("calm", [spin, rename, add_up, place_the_caret])
@pytest.mark.parametrize("trouble", [dead, refuse])
def test_success_of_the_same_shape_is_calm(calm: Callable[[Strokes], None], trouble: Callable[[Strokes], None]) -> None:
    """The same control again and again counts where nothing comes of it, not where each time something does."""
    at_ease, stuck = sensed(), sensed()
    calm(at_ease)
    trouble(stuck)
    quiet, loud = at_ease.values(), stuck.values()
    assert all(quiet[name] == 0.0 for name in IN_VAIN)
    assert loud["touched_in_vain"] > 2.5
    assert loud["touched_again"] > 1.5
    assert loud["errors_again"] > 1.5 or trouble is dead


def test_a_dialog_that_returns_is_a_sign_only_if_it_refuses() -> None:
    found = {}
    for about in (MessageClass.ERROR, MessageClass.PASSWORD, MessageClass.QUESTION, MessageClass.PROGRESS):
        s = sensed()
        for _ in range(3):
            s.touch("ok").opens("words", about).keys("cc").wait(3.0)
        found[about] = s.values()["errors_again"]
    assert found[MessageClass.ERROR] > 1.0
    assert found[MessageClass.PASSWORD] > 1.0
    assert found[MessageClass.QUESTION] == found[MessageClass.PROGRESS] == 0.0


def test_a_message_that_is_said_again_by_itself_is_one() -> None:
    """Without an act between it only stands there; with one it has come back (the control)."""
    alone, tried = sensed().touch("send"), sensed().touch("send")
    for _ in range(3):
        alone.says("wrong").wait(2.0)
        tried.says("wrong").wait(1.0).touch("send").wait(0.5)
    assert alone.values()["errors_again"] == 0.0
    assert tried.values()["errors_again"] > 1.0


def test_errors_that_change_last_until_an_attempt_succeeds() -> None:
    s = sensed()
    for number in range(3):
        s.keys("cc").touch("run").says(f"error {number}").wait(3.0)
    going_on = s.values()
    s.keys("cc").touch("run", gap=0.2).shows("it runs", WORD).wait(2.0)
    over = s.values()
    assert going_on["errors_other"] > 1.0
    assert going_on["errors_last"] > 0.15
    assert over["errors_last"] == 0.0


def test_to_and_fro_between_two_controls_in_vain_is_a_turn_and_trying_all_of_a_row_is_none() -> None:
    """A B A B, nothing each time; the control tries four once each, and then each does something."""
    between, row, useful = sensed(), sensed(), sensed()
    for number in range(6):
        between.touch(f"option {number % 2}").wait(2.5)
        row.touch(f"option {number}").wait(2.5)
        useful.touch(f"option {number % 2}", gap=0.2).shows(f"new {number}", WORD).wait(1.5)
    assert between.values()["touched_turns"] > 2.0
    assert row.values()["touched_turns"] == useful.values()["touched_turns"] == 0.0


def test_the_answer_may_be_late_but_not_later_than_the_next_attempt() -> None:
    late = sensed().touch("send").wait(4.5).says("refused").wait(1.0)
    assert late.values()["touched_in_vain"] > 0.8
    moved_on = sensed().touch("send", gap=0.2).shows("sent", WORD).wait(2.0)
    before = moved_on.values()["touched_in_vain"]
    moved_on.touch("other", gap=0.2).shows("more", WORD).says("refused").wait(1.0)
    assert before == 0.0
    assert 0.8 < moved_on.values()["touched_in_vain"] < 1.1


def test_a_toggle_put_back_counts_and_a_selection_that_shows_its_own_format_does_not() -> None:
    """On, off, on by hand; the same states where only another cell was gone to, and two toggles tried once each."""
    by_hand, by_cell, apart = sensed(), sensed(), sensed()
    for number in range(4):
        by_hand.toggles("bold", on=number % 2 == 0).wait(2.0)
        apart.toggles(f"toggle {number}", on=True).wait(2.0)
        by_cell.press(900, 300 + 100 * (number % 2), gap=0.2)
        for what, role, name, state in (
            ("chosen", ControlRole.CELL, f"cell {number}", ControlState.PLAIN),
            ("toggled", ControlRole.TOGGLE, "bold", ControlState.ON if number % 2 else ControlState.OFF),
        ):
            facts: dict[str, Any] = {"what": what, "role": role, "name_digest": name, "state": state}
            by_cell.records.append(ControlAct(t_ns=by_cell.now_ns, app="editor", **facts))
        by_cell.wait(2.0)
    assert by_hand.values()["toggled_back"] > 2.0
    assert by_cell.values()["toggled_back"] == apart.values()["toggled_back"] == 0.0


def test_a_tool_bar_that_follows_the_selection_is_no_answer_to_a_press() -> None:
    """A button that does nothing stays one, whatever is toggled elsewhere; one that is toggled itself answers."""

    def pressed_twice(x: int, y: int) -> float:
        s = sensed()
        for number in range(2):
            s.touch("dead", at=(900, 500), gap=0.2)
            state = ControlState.ON if number else ControlState.OFF
            facts: dict[str, Any] = {"what": "toggled", "role": ControlRole.TOGGLE, "name_digest": "bold"}
            box = Box(x - 10, y - 10, 20, 20)
            s.records.append(ControlAct(t_ns=s.now_ns, app="editor", **facts, state=state, box=box))
            s.wait(3.0)
        return s.values()["touched_in_vain"]

    assert pressed_twice(200, 100) > 1.5
    assert pressed_twice(900, 500) == 0.0


def test_a_level_beyond_ones_own_minutes_falls_for_who_always_works_so() -> None:
    """Eight minutes of the same rate leave little; the same acts after calm minutes stand out."""
    always, lately = sensed(), sensed()
    for number in range(48):
        always.touch("apply").wait(9.5)
        if number < 44:
            lately.touch("apply", gap=0.2).answered(0.2, WORD).wait(9.3)
        else:
            lately.touch("apply").wait(9.5)
    assert lately.values()["touched_in_vain_more"] > 2.0
    assert always.values()["touched_in_vain_more"] < 0.4 * lately.values()["touched_in_vain_more"]


def mixed(seed: int) -> Strokes:
    rng = random.Random(seed)
    s = sensed()
    for number in range(120):
        match rng.randrange(9):
            case 0:
                s.touch(f"tool {rng.randrange(3)}", at=(900, 300 + 100 * rng.randrange(3)))
            case 1:
                s.says(f"text {rng.randrange(3)}", rng.choice(list(MessageClass)))
            case 2:
                s.opens(f"dialog {rng.randrange(3)}", rng.choice(list(MessageClass)))
            case 3:
                s.toggles(f"check {rng.randrange(2)}", on=rng.random() < 0.5)
            case 4:
                s.names_undo(f"label {rng.randrange(3)}").keys("u")
            case 5:
                s.shows(f"picture {rng.randrange(4)}", WORD)
            case 6:
                s.focus(rng.choice(("editor", "firefox", "viewer")), title=f"title {rng.randrange(3)}")
            case 7:
                s.loads(f"page {number}").keys("ccx")
            case _:
                s.keys("cccb").wait(rng.random() * 6.0)
    return s


@pytest.mark.parametrize("seed", range(4))
def test_without_the_sense_its_features_are_zero_and_no_other_changes(seed: int) -> None:
    """So blanking them in training is the same as a session without it; with it they are alive (the control)."""
    s = mixed(seed)
    heard = s.values()
    s.records = [row for row in s.records if not isinstance(row, MEANING)]
    deaf = s.values()
    assert deaf == heard | dict.fromkeys(SENSED, 0.0)
    assert sum(heard[name] > 0.0 for name in SENSED) > 10


def test_the_sense_that_goes_takes_its_features_along() -> None:
    """Nothing earlier is held against the person while nobody can see whether it is over."""
    s = sensed()
    dead(s)
    assert s.values()["touched_again"] > 1.5
    assert s.sense(on=False).values()["touched_again"] == 0.0
    assert s.values()["controls_seen"] == 0.0


def test_two_windows_worked_in_turn_are_one_task_and_a_program_that_was_away_begins_anew() -> None:
    s = sensed()
    dead(s)
    there = s.focus("viewer", window=2).wait(3.0).values()["touched_again"]
    soon = s.focus("editor").wait(1.0).values()["touched_again"]
    s.focus("viewer", window=2).wait(70.0).focus("editor").wait(1.0)
    assert there > 1.5
    assert soon > 1.5
    assert s.values()["touched_again"] == 0.0


def test_the_features_of_the_sense_are_those_of_its_extractor() -> None:
    """Whoever blanks them has all of them."""
    assert tuple(TouchedControls.table) == SENSED
    assert all(name in TABLE for name in SENSED)


@pytest.mark.parametrize("seed", range(4))
def test_values_are_bounded_and_reading_changes_nothing(seed: int) -> None:
    """Whatever happens; read at every record, or once."""
    s = mixed(seed)
    often = FeatureTracker()
    often.open_window(0)
    for record in s.records:
        often.take(record)
        often.values(getattr(record, "t_ns", 0))
    once, last = s.values(), often.values(s.now_ns)
    ours = ("tried_", "touched_", "error", "toggled", "undone_", "notices")
    names = [name for name in TABLE if name.startswith(ours)]
    assert [last[name] for name in names] == [once[name] for name in names]
    assert all(0.0 <= once[name] <= MOST for name in names)
