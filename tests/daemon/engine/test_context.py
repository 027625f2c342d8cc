"""What the policy may know about the moment."""

from daemon.engine.context import IN_WORD_NS, ContextFold
from storage.clock import NS_PER_S
from storage.records import Box, Environment, EventKind, Focus, InputEvent, KeyClass, SessionStart, Switch, SwitchName
from storage.testing import plain

WHOLE = Box(0, 0, 100, 100)


def started() -> ContextFold:
    fold = ContextFold()
    fold.add(plain(SessionStart, at_ns=NS_PER_S))
    return fold


def test_a_character_key_means_inside_a_word_for_a_second() -> None:
    fold = started()
    fold.add(InputEvent(at_ns=5 * NS_PER_S, t_ns=0, kind=EventKind.KEY, key_class=KeyClass.ENTER))
    assert not fold.context(5 * NS_PER_S, None).in_word
    fold.add(InputEvent(at_ns=5 * NS_PER_S, t_ns=0, kind=EventKind.KEY, key_class=KeyClass.CHARACTER))
    assert fold.context(5 * NS_PER_S + IN_WORD_NS - 1, None).in_word
    assert not fold.context(5 * NS_PER_S + IN_WORD_NS, None).in_word


def test_motion_with_a_button_down_is_a_drag_until_the_button_is_up() -> None:
    fold = started()
    fold.add(InputEvent(at_ns=2, t_ns=0, kind=EventKind.MOTION))
    assert not fold.context(2, None).dragging
    fold.add(InputEvent(at_ns=3, t_ns=0, kind=EventKind.BUTTON_DOWN, button="left"))
    fold.add(InputEvent(at_ns=4, t_ns=0, kind=EventKind.MOTION))
    during = fold.context(4, None)
    assert during.dragging
    assert during.buttons_down
    fold.add(InputEvent(at_ns=5, t_ns=0, kind=EventKind.BUTTON_UP, button="left"))
    after = fold.context(5, None)
    assert not after.dragging
    assert not after.buttons_down


def test_a_pause_forgets_buttons_that_were_down() -> None:
    """The release may come while nothing is taken in, so a pause lifts every button."""
    fold = started()
    fold.add(InputEvent(at_ns=3, t_ns=0, kind=EventKind.BUTTON_DOWN, button="left"))
    fold.add(Switch(name=SwitchName.EXCLUDED, on=True, by="fence"))
    assert fold.context(3, None).buttons_down
    assert fold.context(3, None).excluded
    fold.add(Switch(name=SwitchName.PRIVATE, on=True, by="person"))
    assert fold.context(3, None).paused
    assert not fold.context(3, None).buttons_down


def test_somebody_who_is_active_has_given_input_just_now_until_they_are_idle_or_a_pause_begins() -> None:
    """Where a desktop says no more than that, no break may be seen in the middle of work."""
    fold = started()
    fold.add(InputEvent(at_ns=2 * NS_PER_S, t_ns=0, kind=EventKind.ACTIVE))
    assert fold.context(9 * NS_PER_S, None).last_input_ns == 9 * NS_PER_S
    fold.add(InputEvent(at_ns=10 * NS_PER_S, t_ns=0, kind=EventKind.IDLE))
    assert fold.context(15 * NS_PER_S, None).last_input_ns == 9 * NS_PER_S, "being idle is told a second later"
    fold.add(InputEvent(at_ns=15 * NS_PER_S, t_ns=0, kind=EventKind.KEY, key_class=KeyClass.ENTER))
    fold.add(InputEvent(at_ns=15 * NS_PER_S + 1, t_ns=0, kind=EventKind.IDLE))
    assert fold.context(15 * NS_PER_S + 1, None).last_input_ns == 15 * NS_PER_S
    fold.add(InputEvent(at_ns=16 * NS_PER_S, t_ns=0, kind=EventKind.ACTIVE))
    fold.add(Switch(name=SwitchName.PAUSED, on=True, by="person"))
    assert fold.context(20 * NS_PER_S, None).last_input_ns == 16 * NS_PER_S


def test_our_own_windows_leave_no_trace_in_the_context() -> None:
    fold = started()
    fold.add(Focus(at_ns=9, t_ns=0, app="editor", window=1, title_digest="", geometry=WHOLE))
    fold.add(Focus(at_ns=10, t_ns=0, app="kairos", window=2, title_digest="", geometry=WHOLE, own=True))
    fold.add(InputEvent(at_ns=11, t_ns=0, kind=EventKind.BUTTON_DOWN, button="left", own=True))
    fold.add(Focus(at_ns=12, t_ns=0, app="", window=0, title_digest="", geometry=WHOLE))
    context = fold.context(12, None)
    assert (context.app, context.focus_since_ns) == ("editor", 9)
    assert context.last_input_ns == NS_PER_S
    assert not context.buttons_down


def test_without_a_first_row_there_is_no_consent() -> None:
    assert ContextFold().stopped
    assert not started().stopped


def test_unknown_facts_count_as_false() -> None:
    """What a platform cannot tell does not hold offers back; what it tells does."""
    fold = started()
    assert not fold.context(0, None).locked
    fold.add(Environment(locked=True))
    assert fold.context(0, None).locked
    assert not fold.context(0, None).call
