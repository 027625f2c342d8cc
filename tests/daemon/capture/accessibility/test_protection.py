"""Keys wait until it is known where they went; those of a password field become one span."""

from dataclasses import replace

from daemon.capture.accessibility.protection import HOLD_NS, LONGEST_NS, MARGIN, FieldProtection
from daemon.capture.control_source import Control, FocusMoved, FocusMoving
from storage.records import Box, ControlRole, EventKind, InputEvent, KeyClass

MS = 1_000_000
PID, OTHER = 7, 8
FIELD = Control(key="/p", role=ControlRole.PASSWORD, box=Box(10, 10, 50, 20))
ENTRY = Control(key="/e", role=ControlRole.ENTRY)
LATE = 10_000 * MS


def key(ms: int, key_class: KeyClass = KeyClass.CHARACTER) -> InputEvent:
    return InputEvent(t_ns=ms * MS, kind=EventKind.KEY, key_class=key_class)


def moving(ms: int, number: int, pid: int = PID) -> FocusMoving:
    """Return the news that the keyboard moved to something unknown."""
    return FocusMoving(t_ns=ms * MS, pid=pid, number=number)


def moved(ms: int, number: int, control: Control | None, pid: int = PID) -> FocusMoved:
    return FocusMoved(t_ns=ms * MS, pid=pid, number=number, control=control)


def started(*news: FocusMoving | FocusMoved, active: int = PID) -> FieldProtection:
    fields = FieldProtection()
    fields.use_active(active, 0)
    fields.note(news)
    return fields


def test_a_key_waits_for_a_moment_and_holds_back_what_follows() -> None:
    """The order stays; a click alone does not wait."""
    fields = started()
    click = InputEvent(t_ns=1020 * MS, kind=EventKind.BUTTON_DOWN, button="left")
    assert fields.apply([click], 1021 * MS) == [click]
    assert fields.apply([key(1030), click], 1040 * MS) == []
    assert fields.due_ns == 1030 * MS + HOLD_NS
    assert fields.apply([], fields.due_ns) == [key(1030), click]
    assert fields.due_ns is None


def test_keys_of_a_field_are_one_span_that_tells_neither_number_nor_time() -> None:
    """The same whether three keys were typed or thirty, fast or slowly; keys after it count again."""
    found = []
    for step, count in ((10, 3), (40, 30)):
        fields = started()
        tab = key(1000, KeyClass.TAB)
        typed = [key(1080 + step * n) for n in range(count)]
        end_ms = 1080 + step * count + 5
        after = key(end_ms + 50)
        fields.apply([tab], 1001 * MS)
        fields.note([moving(1015, 1), moved(1015, 1, FIELD), moved(1015, 1, FIELD)])
        passed = fields.apply(typed, 1300 * MS)
        fields.note([moved(end_ms, 2, ENTRY)])
        passed += fields.apply([after], LATE)
        assert [event.kind for event in passed] == [EventKind.KEY, EventKind.PROTECTED, EventKind.KEY]
        assert passed[0] == tab
        assert passed[2] == after
        found.append(passed[1])
    assert found[0] == found[1]


def test_a_key_that_came_before_the_news_belongs_to_the_field() -> None:
    """Since the act that moved the keyboard; without one, for a tenth of a second before the news."""
    fields = started()
    fields.apply([key(990), key(1000, KeyClass.TAB), key(1010)], 1011 * MS)
    fields.note([moving(1030, 1), moved(1030, 1, FIELD)])
    passed = fields.apply([], LATE)
    assert [(e.kind, e.t_ns // MS) for e in passed[:2]] == [(EventKind.KEY, 990), (EventKind.KEY, 1000)]
    assert [e.kind for e in passed[2:]] == [EventKind.PROTECTED]
    fields = started()
    fields.apply([key(925), key(1010)], 1011 * MS)
    fields.note([moved(1030, 1, FIELD)])
    assert [e.kind for e in fields.apply([], LATE)] == [EventKind.KEY, EventKind.PROTECTED]


def test_keys_wait_for_an_answer_but_not_for_ever() -> None:
    """A program that does not say where the keyboard is hangs, and takes no key."""
    fields = started(moving(1000, 1))
    assert fields.apply([key(1010)], 1500 * MS) == []
    assert fields.is_waiting(1500 * MS)
    assert fields.apply([], 1000 * MS + LONGEST_NS) == [key(1010)]
    fields = started(moving(1000, 1))
    fields.apply([key(1010)], 1500 * MS)
    fields.note([moved(1000, 1, FIELD)])
    assert [e.kind for e in fields.apply([], 1501 * MS)] == [EventKind.PROTECTED]


def test_a_slower_answer_about_where_it_was_before_is_not_where_it_is() -> None:
    """Answers come in any order; the newest signal counts."""
    fields = started(moving(1000, 1), moving(1100, 2), moved(1100, 2, FIELD), moved(1000, 1, ENTRY))
    assert [e.kind for e in fields.apply([key(1200)], LATE)] == [EventKind.PROTECTED]


def test_a_field_in_a_program_behind_protects_nothing_in_front() -> None:
    """Unless it is not known which program is in front."""
    for active, kinds in ((OTHER, EventKind.KEY), (0, EventKind.PROTECTED), (PID, EventKind.PROTECTED)):
        fields = started(moved(1000, 1, FIELD), active=active)
        assert [e.kind for e in fields.apply([key(1200)], LATE)] == [kinds]


def test_the_rectangle_of_a_field_is_covered_while_it_has_the_keyboard_and_a_moment_longer() -> None:
    """With a margin for what it paints around itself."""
    fields = started(moved(1000, 1, FIELD))
    box = Box(10 - MARGIN, 10 - MARGIN, 50 + 2 * MARGIN, 20 + 2 * MARGIN)
    assert fields.covered(LATE) == {box}
    fields.note([moved(2000, 2, None)])
    assert fields.covered(1990 * MS) == {box}
    assert fields.covered(2010 * MS) == frozenset()


def test_a_field_without_a_place_is_its_whole_program() -> None:
    """For as long as a field with one would be covered."""
    fields = started(moved(1000, 1, replace(FIELD, box=None)))
    assert fields.placeless(LATE) == {PID}
    assert fields.covered(LATE) == frozenset()
    fields.note([moved(2000, 2, None)])
    assert fields.placeless(1990 * MS) == {PID}
    assert fields.placeless(2010 * MS) == set()


def test_what_waits_at_a_pause_is_dropped_and_what_waits_at_the_end_of_the_sense_is_not() -> None:
    """A pause takes nothing in; without the sense keys are kept as they would be without it."""
    fields = started()
    fields.apply([key(1000)], 1001 * MS)
    fields.clear()
    assert fields.apply([], LATE) == []
    fields = started(moved(900, 1, ENTRY))
    fields.apply([key(1000)], 1001 * MS)
    assert fields.release([key(1005)]) == [key(1000), key(1005)]
    assert fields.due_ns is None
