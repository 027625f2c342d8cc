"""Keys wait until it is known where they went; those of a password field become one span."""

from dataclasses import replace

from daemon.capture.accessibility.covered_fields import MARGIN
from daemon.capture.accessibility.protection import HANGS_NS, HOLD_NS, LONGEST_NS, FieldProtection
from daemon.capture.control_source import AnswerAwaited, AnswerGiven, Control, FieldSeen, FocusMoved, FocusMoving
from storage.records import Box, ControlRole, EventKind, InputEvent, KeyClass
from tests.fakes.desktop.windows import BIG, scene, window

MS = 1_000_000
PID, OTHER = 7, 8
FIELD = Control(key="/p", role=ControlRole.PASSWORD, box=Box(10, 10, 50, 20))
ENTRY = Control(key="/e", role=ControlRole.ENTRY)
LATE = 30_000 * MS


def key(ms: int, key_class: KeyClass = KeyClass.CHARACTER) -> InputEvent:
    return InputEvent(t_ns=ms * MS, kind=EventKind.KEY, key_class=key_class)


def moving(ms: int, number: int, pid: int = PID) -> FocusMoving:
    return FocusMoving(t_ns=ms * MS, pid=pid, number=number)


def moved(ms: int, number: int, control: Control | None, pid: int = PID) -> FocusMoved:
    return FocusMoved(t_ns=ms * MS, pid=pid, number=number, control=control)


def told(ms: int, *, holds: bool, box: Box | None = FIELD.box, key: str = "/p") -> FieldSeen:
    return FieldSeen(t_ns=ms * MS, pid=PID, key=key, holds=holds, box=box)


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
    for at_once, kinds in ((True, 2), (False, 1)):  # the control: the act is part of the span
        fields, events = started(), [key(1000, KeyClass.TAB), key(1010)]
        fields.acted(events if at_once else [])
        fields.note([moved(1030, 1, FIELD)])
        assert len(fields.apply(events, LATE)) == kinds


def test_keys_wait_for_an_answer_but_not_for_ever() -> None:
    """A program that does not say where the keyboard is hangs: they may be a password typed ahead, and are one span."""
    fields = started(moving(1000, 1))
    assert fields.apply([key(1010)], 1500 * MS) == []
    assert fields.is_waiting(1500 * MS)
    assert not fields.is_waiting(1000 * MS + LONGEST_NS)
    assert fields.apply([key(1020), key(1990)], 1000 * MS + LONGEST_NS) == []
    assert fields.placeless(LATE) == {PID}  # pictures go on, without its windows
    passed = fields.apply([], 1000 * MS + HANGS_NS)
    assert [(e.kind, e.t_ns, e.count) for e in passed] == [(EventKind.PROTECTED, 900 * MS, 1)]
    assert fields.apply([key(9000)], LATE) == []
    fields = started(moving(1000, 1))
    fields.apply([key(1010)], 1500 * MS)
    fields.note([moved(1000, 1, FIELD)])
    assert [e.kind for e in fields.apply([], 1501 * MS)] == [EventKind.PROTECTED]


def test_a_field_that_gets_the_keyboard_once_more_stays_one_span() -> None:
    """GTK 3 signals it twice; another field is another span."""
    again = replace(FIELD, key="/q")
    for second, count in ((FIELD, 1), (again, 2)):
        fields = started(moved(1000, 1, FIELD), moved(1200, 2, second))
        passed = fields.apply([key(1050), key(1300)], LATE)
        assert [event.kind for event in passed] == count * [EventKind.PROTECTED]
        fields.note([moved(1500, 3, ENTRY)])
        assert fields.apply([key(1600)], LATE) == [key(1600)]


def test_a_slower_answer_about_where_it_was_before_is_not_where_it_is() -> None:
    """Answers come in any order; the newest signal counts."""
    fields = started(moving(1000, 1), moving(1100, 2), moved(1100, 2, FIELD), moved(1000, 1, ENTRY))
    assert [e.kind for e in fields.apply([key(1200)], LATE)] == [EventKind.PROTECTED]


def test_a_field_that_had_the_keyboard_before_it_was_known_to_be_one_is_covered() -> None:
    """The keyboard had gone on when its program answered; what it was not, or is not known to be, is not covered."""
    fields = started(moving(1000, 1), moving(1100, 2), moved(1100, 2, ENTRY), moved(1000, 1, FIELD))
    assert len(fields.covered(LATE)) == 1
    fields = started(moving(1000, 1), moved(1100, 2, ENTRY), moved(1000, 1, ENTRY), moving(1000, 1))
    assert not fields.covered(LATE)


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
    assert fields.covered(LATE) == {box}  # its dots are still there
    fields.note([told(2000, holds=False)])
    assert fields.covered(1990 * MS) == {box}
    assert fields.covered(2010 * MS) == frozenset()


def test_a_field_without_a_place_is_its_whole_program() -> None:
    """For as long as a field with one would be covered."""
    fields = started(moved(1000, 1, replace(FIELD, box=None)))
    assert fields.placeless(LATE) == {PID}
    assert fields.covered(LATE) == frozenset()
    fields.note([moved(2000, 2, None)])
    assert fields.placeless(LATE) == {PID}
    fields.note([told(2000, holds=False)])
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


def test_keys_typed_ahead_into_a_program_that_hangs_are_one_span_whatever_it_says_later() -> None:
    """It may have been in a plain field when it stopped answering; since the act that moved the keyboard nobody knows.

    What is typed once it has worked that off counts again.
    """
    for answer in (ENTRY, FIELD, None):
        fields = started(moved(900, 1, ENTRY))
        typed = [key(1000), key(1100, KeyClass.TAB), *(key(1200 + 300 * n) for n in range(8))]
        click = InputEvent(t_ns=3400 * MS, kind=EventKind.BUTTON_UP, button="left")
        fields.note([AnswerAwaited(t_ns=1200 * MS, pid=PID)])
        passed = fields.apply(typed[:3], 1400 * MS)
        assert passed == []
        for event in typed[3:]:
            passed += fields.apply([event], event.t_ns)
        passed += fields.apply([click], 3450 * MS)
        assert fields.placeless(LATE) == {PID}  # its pictures may show what was typed
        if answer is not None:
            fields.note([moving(5000, 2), moved(5000, 2, answer)])
        fields.note([AnswerGiven(t_ns=5300 * MS, pid=PID)])
        fields.note([moving(5400, 3), moved(5400, 3, ENTRY)])
        assert fields.placeless(LATE) == set()
        passed += fields.apply([key(6000)], LATE)
        kinds = [event.kind for event in passed]
        assert kinds == [EventKind.KEY, EventKind.KEY, EventKind.PROTECTED, EventKind.BUTTON_UP, EventKind.KEY]
        times = [event.t_ns for event in passed]
        assert times == sorted(times)


def test_keys_wait_for_a_program_that_answers_a_little_late_and_count_where_no_field_had_them() -> None:
    """A field that it says it moved to meanwhile has had them since the act before, however long ago that was."""
    for answer, kinds in ((ENTRY, 3 * [EventKind.KEY]), (FIELD, [EventKind.PROTECTED])):
        fields = started()
        fields.apply([key(1000, KeyClass.TAB)], 1001 * MS)
        assert len(fields.apply([], 1000 * MS + HOLD_NS)) == 1
        fields.note([AnswerAwaited(t_ns=1050 * MS, pid=PID), AnswerAwaited(t_ns=1250 * MS, pid=PID)])
        assert fields.apply([key(1050), key(1250), key(1450)], 1900 * MS) == []
        assert fields.is_waiting(1900 * MS)
        fields.note([moving(1950, 1), moved(1950, 1, answer), AnswerGiven(t_ns=1980 * MS, pid=PID)])
        assert [event.kind for event in fields.apply([], 1990 * MS)] == kinds
        assert not fields.is_waiting(1990 * MS)


def test_letters_for_a_program_that_starts_slowly_count_where_it_says_that_nothing_secret_had_them() -> None:
    """Not if a key moved the keyboard meanwhile, if a field was there for a moment, or if it cannot say what was."""
    tab = key(2000, KeyClass.TAB)
    plain = [moved(1000, 1, ENTRY)]
    passing = [moving(2500, 2), moving(2600, 3), moved(2600, 3, ENTRY), moved(2500, 2, FIELD)]
    gone = [moving(2500, 2), moved(2500, 2, None)]
    left = [moving(2500, 2), moving(2600, 3), moved(2500, 2, None), moved(2600, 3, ENTRY)]
    left_late = [moving(2500, 2), moving(2600, 3), moved(2600, 3, ENTRY), moved(2500, 2, None)]
    for act, news, is_counted in (
        (None, plain, True),
        (tab, plain, False),
        (None, [*plain, *passing], False),
        (None, [*plain, *gone], False),
        (None, [*plain, *left], False),
        (None, [*plain, *left_late], False),
        (None, [*plain, moved(2500, 2, None)], True),
        (None, [], False),
    ):
        fields = started(moving(1000, 1))
        typed = [key(1200), *([act] if act else []), key(2200)]
        fields.note([AnswerAwaited(t_ns=1200 * MS, pid=PID)])
        assert fields.apply(typed, 3000 * MS) == []
        assert fields.placeless(LATE) == {PID}
        fields.note([*news, AnswerGiven(t_ns=3500 * MS, pid=PID)])
        passed = fields.apply([key(3600)], LATE)
        expected = [*typed, key(3600)] if is_counted else [key(3600)]
        if not news:
            expected = []  # that question is open still
        assert [event for event in passed if event.kind is EventKind.KEY] == expected
        assert next(event.kind for event in passed) is (EventKind.KEY if is_counted else EventKind.PROTECTED)


def test_letters_do_not_count_where_what_had_the_keyboard_before_is_gone_or_has_not_answered() -> None:
    """Also where it is gone before they have waited for long, and where the newest answer comes first."""
    for early, late in (([moved(1000, 1, None)], []), ([], [moved(1000, 1, None)]), ([], [])):
        fields = started(moving(1000, 1), moving(1100, 2), *early)
        assert fields.apply([key(1150)], 1300 * MS) == []
        assert fields.apply([], 3000 * MS) == []
        fields.note([moved(1100, 2, ENTRY)])
        passed = fields.apply([], 3100 * MS)
        fields.note(late)
        passed += fields.apply([key(3200)], LATE)
        assert [event.kind for event in passed] == [EventKind.PROTECTED, EventKind.KEY]
        fields.note([moving(40_000, 3)])  # what was gone then says nothing of later
        assert fields.apply([key(40_010)], 42_000 * MS) == []
        fields.note([moved(40_000, 3, ENTRY)])
        assert fields.apply([], 42_000 * MS) == [key(40_010)]


def test_keys_between_a_field_that_was_left_and_where_the_keyboard_is_now_are_one_span() -> None:
    """It is known to have been a field only once the keyboard is elsewhere."""
    other = moved(1200, 2, replace(FIELD, key="/q"))
    for news, count in (
        ([moved(1000, 1, FIELD), moved(1200, 2, ENTRY)], 1),
        ([moved(1200, 2, ENTRY), moved(1000, 1, FIELD)], 1),
        ([other, moved(1000, 1, FIELD), moved(1300, 3, ENTRY)], 2),
    ):
        fields = started(moving(1000, 1), moving(1200, 2))
        assert fields.apply([key(1050), key(1150), key(1450)], 1500 * MS) == []
        fields.note(news)
        passed = fields.apply([], LATE)
        assert [event.kind for event in passed] == [*count * [EventKind.PROTECTED], EventKind.KEY]


def test_other_input_waits_for_a_second_at_most_behind_keys_that_wait_longer() -> None:
    """Or a person who clicks would seem to pause."""
    fields = started(moving(1000, 1))
    clicks = [InputEvent(t_ns=(1200 + 100 * n) * MS, kind=EventKind.BUTTON_DOWN) for n in range(20)]
    assert fields.apply([key(1100), *clicks[:5]], 1700 * MS) == []
    assert fields.apply([], clicks[2].t_ns + LONGEST_NS) == clicks[:3]
    assert fields.apply([key(2150), *clicks[5:]], 4100 * MS) == clicks[3:]
    assert fields.waiting == 2
    (span,) = fields.apply([], 2150 * MS + HANGS_NS)
    assert (span.kind, span.t_ns) == (EventKind.PROTECTED, clicks[-1].t_ns)


def test_letters_count_where_it_is_known_that_nothing_secret_has_the_keyboard_of_a_program_that_hangs() -> None:
    """Nothing has moved it since the program came to the front."""
    for act, kind in ((None, EventKind.KEY), (key(1100, KeyClass.TAB), EventKind.PROTECTED)):
        fields = started(moving(900, 1), moved(900, 1, ENTRY))
        passed = fields.apply([act] if act else [], 1400 * MS)
        fields.note([AnswerAwaited(t_ns=1500 * MS, pid=PID)])
        fields.apply([key(1500)], 3000 * MS)
        fields.note([AnswerGiven(t_ns=3500 * MS, pid=PID)])
        passed = fields.apply([], 3600 * MS)
        assert [event.kind for event in passed] == [kind]


def test_letters_for_what_was_in_front_before_stay_protected_and_no_window_in_between_counts() -> None:
    """While another program comes to the front its keys wait; no window in front, for a moment, is none."""
    for switched, kind in ((0, EventKind.KEY), (OTHER, EventKind.PROTECTED)):
        fields = started(moving(1000, 1))
        assert fields.apply([key(1200)], 2500 * MS) == []
        fields.use_active(switched, 2600 * MS)
        if not switched:
            fields.use_active(PID, 2700 * MS)
        fields.note([moved(1000, 1, ENTRY)])
        assert [event.kind for event in fields.apply([], 2800 * MS)] == [kind]


def test_no_key_waits_longer_although_it_is_asked_again_and_again() -> None:
    """Each signal is a new question; the first one has made a span of its keys by then."""
    fields = started(moving(1000, 1))
    assert fields.apply([key(1100)], 3000 * MS) == []
    for number in range(2, 7):
        fields.note([moving(2500 * number, number)])
        assert fields.apply([], 2500 * number * MS + 1) == []
    assert [event.kind for event in fields.apply([], 1100 * MS + HANGS_NS)] == [EventKind.PROTECTED]


def test_keys_that_wait_for_one_program_are_another_one_s_where_that_was_in_front_then() -> None:
    """A password typed just before the keyboard went to a program that hangs stays one."""
    fields = started(moved(900, 1, FIELD))
    fields.apply([], 5000 * MS)
    fields.note([AnswerAwaited(t_ns=5100 * MS, pid=OTHER)])
    fields.use_active(OTHER, 5050 * MS)
    fields.note([moved(5060, 2, None)])
    assert fields.apply([key(4990), key(5100)], 5300 * MS) == []
    fields.use_active(OTHER, 12_000 * MS)
    assert fields.apply([], 12_000 * MS) == []
    passed = fields.apply([], 5100 * MS + HANGS_NS)
    assert [event.kind for event in passed] == [EventKind.PROTECTED, EventKind.PROTECTED]


def test_a_field_that_is_known_stays_one_span_while_its_program_hangs() -> None:
    """What is typed after it leaves no second one, unless it goes on after the program answers."""
    fields = started(moved(1000, 1, FIELD))
    fields.note([AnswerAwaited(t_ns=1500 * MS, pid=PID)])
    passed = fields.apply([key(1100), key(1500), key(2900)], 4000 * MS)
    fields.note([moved(5000, 2, ENTRY), AnswerGiven(t_ns=5100 * MS, pid=PID)])
    passed += fields.apply([key(4500), key(6000)], LATE)
    assert [event.kind for event in passed] == [EventKind.PROTECTED, EventKind.KEY]


def test_a_plain_answer_while_the_rest_is_awaited_does_not_end_the_span() -> None:
    """The program is only beginning to work off what was typed."""
    fields = started(moving(1000, 1))
    fields.note([AnswerAwaited(t_ns=1200 * MS, pid=PID)])
    passed = fields.apply([key(1200)], 2500 * MS)
    fields.note([moved(1000, 1, ENTRY)])
    passed += fields.apply([key(2600)], 2800 * MS)
    assert passed == []
    passed = fields.apply([key(16_100)], 16_300 * MS)
    fields.note([AnswerGiven(t_ns=16_400 * MS, pid=PID)])
    passed += fields.apply([key(16_500)], LATE)
    assert [event.kind for event in passed] == [EventKind.PROTECTED, EventKind.KEY]
    assert passed[-1] == key(16_500)


def test_a_pause_drops_keys_that_wait_for_a_program_that_hangs_and_asks_nothing_of_before() -> None:
    """Its answer to what was asked before the pause is not taken in, so nobody may wait for it."""
    fields = started(moving(1000, 1))
    fields.note([AnswerAwaited(t_ns=1100 * MS, pid=PID)])
    assert fields.apply([key(1100)], 1200 * MS) == []
    fields.clear()
    assert not fields.is_waiting(1200 * MS)
    assert fields.apply([key(9000)], LATE) == [key(9000)]
    fields = started(moving(1000, 1))
    fields.apply([key(1100)], 2500 * MS)
    fields.clear()
    assert fields.apply([key(9000)], LATE) == [key(9000)]


def test_at_the_end_of_the_sense_what_waited_for_an_answer_is_a_span_and_fields_stay_covered() -> None:
    """Nobody will say where it went; if the person turned it off nothing is covered any more."""
    for forget in (False, True):
        fields = started(moved(900, 1, FIELD), moving(1000, 2))
        fields.follow(scene(window(1, "Form", BIG, pid=PID), active=1), 900 * MS)
        fields.apply([key(1010)], 1020 * MS)
        fields.note([moved(1005, 3, FIELD), moving(1030, 4)])
        assert [e.kind for e in fields.release([key(1040)], forget_fields=forget)] == [EventKind.PROTECTED]
        assert bool(fields.covered(LATE)) is not forget
        assert fields.release([key(1050)], forget_fields=forget) == [key(1050)]


def test_a_span_is_never_handed_on_with_an_earlier_time_than_what_was_before_it() -> None:
    """A key may be known to be a password's only after what followed the act that moved the keyboard."""
    fields = started()
    click = InputEvent(t_ns=1000 * MS, kind=EventKind.BUTTON_DOWN, button="left")
    up = InputEvent(t_ns=1080 * MS, kind=EventKind.BUTTON_UP, button="left")
    passed = fields.apply([click, up], 1100 * MS)
    fields.note([moved(1090, 1, FIELD)])
    passed += fields.apply([key(1200)], LATE)
    assert [(e.kind, e.t_ns // MS) for e in passed[1:]] == [(EventKind.BUTTON_UP, 1080), (EventKind.PROTECTED, 1080)]
