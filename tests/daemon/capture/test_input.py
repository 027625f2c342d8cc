"""Input between a backend and the core: in order, nothing lost that counts, bounded, nothing behind a closed gate."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

import daemon.capture.input as module
from daemon.capture.fence.input_filter import InputFilter
from daemon.capture.fence.rules import KeyAccess, Zones
from daemon.capture.gate import Gate
from daemon.capture.input import InputQueue, MotionMerger
from daemon.capture.keys import GRID_NS, KeyPress
from storage.clock import NS_PER_S, ManualClock
from storage.records import Box, EventKind, InputEvent, KeyClass

LETTER = KeyPress(97, "a")
ENTER, F5, LEFT_ARROW, BACKSPACE = KeyPress(0xFF0D), KeyPress(0xFFC2), KeyPress(0xFF51), KeyPress(0xFF08)


class QueueHarness:
    """A queue with a clock by hand and a count of its wake-ups."""

    def __init__(self) -> None:
        self.clock = ManualClock(NS_PER_S)
        self.gate = Gate()
        self.gate.open()
        self.wakes = 0
        self.seen = 0
        self.queue = InputQueue(self.clock, self.gate, self._wake, self._see)

    def _wake(self) -> None:
        self.wakes += 1

    def _see(self, t_ns: int) -> None:
        self.seen = t_ns


def test_events_come_out_in_order_and_wake_once() -> None:
    """The first event wakes, the first click wakes once more, the others wait with them."""
    harness = QueueHarness()
    harness.queue.press(LETTER)
    harness.queue.press(LETTER)
    harness.queue.scroll(5, 6, 0, -1)
    assert harness.wakes == 1
    harness.queue.click(5, 6, "left", True)
    harness.queue.click(5, 6, "left", False)
    assert harness.wakes == 2
    events, lost = harness.queue.drain()
    assert [event.kind for event in events] == [
        *(EventKind.KEY, EventKind.KEY, EventKind.SCROLL),
        *(EventKind.BUTTON_DOWN, EventKind.BUTTON_UP),
    ]
    assert lost == 0
    assert harness.seen == NS_PER_S
    harness.queue.press(LETTER)
    assert harness.wakes == 2  # a caller that got events drains again by itself
    harness.queue.drain()
    harness.queue.drain()
    harness.queue.press(LETTER)
    assert harness.wakes == 3


def test_keys_wait_for_the_end_of_their_cell_and_clicks_do_not() -> None:
    """So a hand-over tells no more of the first key than its cell; nor does the activity that is noted for a kill."""
    harness = QueueHarness()
    assert harness.queue.due_ns == 0
    harness.clock.advance(7)
    harness.queue.press(LETTER)
    assert harness.queue.due_ns == harness.seen == NS_PER_S + GRID_NS
    harness.queue.click(5, 6, "left", True)
    assert harness.queue.urgent  # which goes before `due_ns`
    assert harness.seen == NS_PER_S + 7
    assert [event.t_ns for event in harness.queue.drain()[0]] == [NS_PER_S + 7] * 2  # in order, to be rounded later
    harness.queue.scroll(5, 6, 0, -1)
    harness.queue.press(LETTER)
    assert harness.queue.due_ns == 0
    harness.queue.drain()
    harness.clock.advance(GRID_NS)
    harness.queue.key(KeyClass.TAB, is_plain=True, at_ns=NS_PER_S + 7)  # comes late
    assert harness.queue.due_ns == NS_PER_S + 2 * GRID_NS


def test_keys_that_may_run_something_are_passed_on_at_once() -> None:
    """Enter by itself apart from Enter with Ctrl; no letters, no keys that move, nothing while the gate is closed."""
    harness = QueueHarness()
    commands: list[bool] = []
    harness.queue.on_command = commands.append
    for press in (F5, ENTER, LEFT_ARROW, LETTER, ENTER._replace(ctrl=True), ENTER):
        harness.queue.press(press)
    harness.gate.close()
    harness.queue.press(F5)
    assert commands == [False, True, False, True]


def test_each_key_is_passed_on_while_the_gate_is_open() -> None:
    harness = QueueHarness()
    keys: list[int] = []
    harness.queue.on_key = lambda: keys.append(1)
    for press in (F5, LETTER, LETTER, LEFT_ARROW):
        harness.queue.press(press)
    harness.gate.close()
    harness.queue.press(LETTER)
    assert len(keys) == 4


def test_the_first_key_that_writes_after_a_command_or_a_click_is_passed_on() -> None:
    """One is enough; no letter costs anything after that."""
    harness = QueueHarness()
    writings: list[int] = []
    harness.queue.on_command = lambda _: None
    harness.queue.on_writing = lambda: writings.append(1)
    for press, total in ((F5, 0), (LETTER, 1), (LETTER, 1), (F5, 1), (BACKSPACE, 2)):
        harness.queue.press(press)
        assert len(writings) == total
    harness.queue.click(5, 6, "left", True)
    harness.queue.click(5, 6, "left", False)
    for _ in range(2):
        harness.queue.press(LETTER)
        assert len(writings) == 3


def test_the_first_key_that_writes_after_what_may_move_the_keyboard_is_passed_on() -> None:
    """Whether its program answers is asked then, and not with each letter."""
    harness = QueueHarness()
    typings: list[int] = []
    harness.queue.press(LETTER)  # nobody asks yet
    harness.queue.on_typing = lambda: typings.append(1)
    for press, total in ((LETTER, 1), (LETTER, 1), (LEFT_ARROW, 1), (LETTER, 2), (ENTER, 2), (BACKSPACE, 3)):
        harness.queue.press(press)
        assert len(typings) == total
    harness.queue.click(5, 6, "right", True)
    harness.queue.click(5, 6, "right", False)
    for _ in range(2):
        harness.queue.press(LETTER)
        assert len(typings) == 4
    harness.queue.clear()
    harness.queue.press(LETTER)
    assert len(typings) == 5


def test_who_waits_for_what_is_pending_gets_it_soon() -> None:
    """It wakes even where a drain is expected anyway, until the next drain; keys still wait for their cell."""
    harness = QueueHarness()
    assert not harness.queue.request_flush()
    assert (harness.wakes, harness.queue.flush_requested) == (0, False)
    harness.queue.press(LETTER)
    harness.queue.drain()
    harness.queue.press(LETTER)
    assert harness.wakes == 1
    assert harness.queue.request_flush()
    assert (harness.wakes, harness.queue.flush_requested, harness.queue.urgent) == (2, True, False)
    assert harness.queue.due_ns == NS_PER_S + GRID_NS
    harness.queue.drain()
    assert not harness.queue.flush_requested


def test_nothing_passes_a_closed_gate() -> None:
    """Callbacks drop at once, and what waited is forgotten."""
    harness = QueueHarness()
    harness.queue.press(LETTER)
    harness.gate.close()
    harness.queue.press(LETTER)
    harness.queue.click(1, 1, "left", True)
    harness.queue.scroll(1, 1, 0, 1)
    harness.queue.move(1, 1)
    harness.queue.clear()
    assert harness.queue.drain() == ([], 0)
    harness.gate.open()
    harness.queue.press(LETTER)
    assert harness.queue.drain()[0][0].key_class is KeyClass.CHARACTER


def test_events_from_before_the_gate_opened_are_refused_however_late_they_come() -> None:
    """The server's time decides; after the gate was closed nothing passes until `accept_from` is called."""
    harness = QueueHarness()
    assert not harness.queue.accepts(1)
    harness.queue.press(LETTER)
    harness.queue.accept_from(harness.gate.epoch, 1000)
    assert harness.queue.drain() == ([], 0)
    assert [harness.queue.accepts(at_ms) for at_ms in (0, 999, 1000, 1001, 10**9)] == [False, False, False, True, True]
    harness.gate.close()
    assert not harness.queue.accepts(2000)
    harness.gate.open()
    assert not harness.queue.accepts(2000)
    harness.queue.accept_from(harness.gate.epoch, 3000)
    assert [harness.queue.accepts(at_ms) for at_ms in (2000, 3001)] == [False, True]


def test_the_server_time_may_overflow() -> None:
    """Its 32 bits of milliseconds begin again at 0 after 50 days."""
    harness = QueueHarness()
    last_ms = (1 << 32) - 1
    harness.queue.accept_from(harness.gate.epoch, last_ms)
    assert [harness.queue.accepts(at_ms) for at_ms in (last_ms - 1, last_ms, 0, 86_400_000)] == [
        False,
        False,
        True,
        True,
    ]
    harness.queue.accept_from(harness.gate.epoch, 0)
    assert [harness.queue.accepts(at_ms) for at_ms in (last_ms, 0, 1)] == [False, False, True]


def test_what_is_too_much_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Beyond the bound events are dropped and their number is reported; motion alone never fills the queue."""
    monkeypatch.setattr("daemon.capture.input.MAX_PENDING", 2_000)
    harness = QueueHarness()
    for _ in range(2_007):
        harness.queue.press(LETTER)
    for number in range(1000):
        harness.queue.move(number, 0)
    events, lost = harness.queue.drain()
    assert len(events) == 2_000
    assert lost == 7 + 1000
    for number in range(1000):
        harness.queue.move(number, 0)
    assert len(harness.queue.drain()[0]) == 1


@given(st.lists(st.tuples(st.integers(0, 300), st.sampled_from(["move", "key", "click"])), max_size=200))
def test_merging_keeps_order_and_path(steps: list[tuple[int, str]]) -> None:
    """Merged motion has the whole path, other events stay as they are, times never go back, motion is rare."""
    merger = MotionMerger(10.0)
    now_ns = 0
    given_events: list[InputEvent] = []
    out: list[InputEvent] = []
    for wait_ms, what in steps:
        now_ns += wait_ms * 1_000_000
        if what == "move":
            event = InputEvent(t_ns=now_ns, kind=EventKind.MOTION, x=1, y=2, path=3)
        elif what == "key":
            event = InputEvent(t_ns=now_ns, kind=EventKind.KEY, key_class=KeyClass.CHARACTER)
        else:
            event = InputEvent(t_ns=now_ns, kind=EventKind.BUTTON_DOWN, button="left", x=1, y=2)
        given_events.append(event)
        out += merger.merge([event], now_ns)
    out += merger.merge([], now_ns + NS_PER_S)
    times = [event.t_ns for event in out]
    others = [event for event in given_events if event.kind is not EventKind.MOTION]
    assert times == sorted(times)
    assert [event for event in out if event.kind is not EventKind.MOTION] == others
    assert sum(event.path for event in out) == sum(event.path for event in given_events)
    motions = [event.t_ns for event in out if event.kind is EventKind.MOTION]
    assert len(motions) <= 2 + now_ns * 10 / NS_PER_S + len(others)
    assert merger.due_ns is None


def test_overload_merges_equal_neighbours_only() -> None:
    """More than a drain should hold becomes fewer records with counts; clicks stay single."""
    keys = [InputEvent(t_ns=n, kind=EventKind.KEY, key_class=KeyClass.CHARACTER) for n in range(module.OVERLOAD)]
    click = InputEvent(t_ns=900, kind=EventKind.BUTTON_DOWN, button="left", x=1, y=1)
    undo = InputEvent(t_ns=901, kind=EventKind.KEY, key_class=KeyClass.UNDO)
    merged = MotionMerger(10.0).merge([*keys, click, click, undo], 1000)
    assert [event.count for event in merged] == [module.OVERLOAD, 1, 1, 1]


def _click(x: int, y: int, *, down: bool = True) -> InputEvent:
    return InputEvent(t_ns=1, kind=EventKind.BUTTON_DOWN if down else EventKind.BUTTON_UP, button="left", x=x, y=y)


def test_input_in_closed_zones_is_dropped_and_counted_roughly() -> None:
    """Pointer events inside a covered rectangle and closed keys go; their number comes late and rounded up."""
    input_filter = InputFilter()
    zones = Zones(
        covered=frozenset({Box(10, 10, 100, 100)}), own=frozenset({Box(200, 0, 50, 50)}), keys=KeyAccess.CLOSED
    )
    key = InputEvent(t_ns=1, kind=EventKind.KEY, key_class=KeyClass.CHARACTER)
    kept = input_filter.apply([key, key, key, _click(20, 20), _click(5, 5), _click(210, 10)], zones, 0)
    assert kept == [_click(5, 5), replace(_click(210, 10), own=True)]
    assert input_filter.dropped(0) == []
    assert input_filter.due_ns is not None
    assert [(d.count, d.reason) for d in input_filter.dropped(input_filter.due_ns)] == [(10, "excluded")]
    assert input_filter.dropped(10 * NS_PER_S, final=True) == []


@pytest.mark.parametrize(
    ("zones", "kept"),
    [
        (Zones(), [False]),
        (Zones(own=frozenset({Box(0, 0, 9, 9)})), [False]),
        (Zones(keys=KeyAccess.OWN), [True]),
        (Zones(keys=KeyAccess.CLOSED), []),
        (Zones(keys=KeyAccess.UNKNOWN), []),
        (Zones(covered=frozenset({Box(0, 0, 9, 9)})), []),
    ],
)
def test_a_click_of_which_nobody_tells_the_place_counts_only_where_nothing_is_closed(
    zones: Zones, kept: list[bool]
) -> None:
    """It may have been in any window that is there; whether somebody is at work is known in any case."""
    click, active = replace(_click(0, 0), x=None, y=None), InputEvent(t_ns=1, kind=EventKind.ACTIVE)
    told = InputFilter().apply([click, active], zones, 0)
    assert [event.own for event in told] == [*kept, False]


def test_a_button_pressed_outside_a_covered_window_is_released_without_a_position() -> None:
    """A drag into a covered window must not leave the button down for ever; a press inside leaves nothing."""
    input_filter = InputFilter()
    zones = Zones(covered=frozenset({Box(10, 10, 100, 100)}))
    kept = input_filter.apply(
        [_click(5, 5), _click(20, 20, down=False), _click(20, 20), _click(20, 20, down=False)], zones, 0
    )
    assert [(event.kind, event.x) for event in kept] == [(EventKind.BUTTON_DOWN, 5), (EventKind.BUTTON_UP, None)]


def test_keys_for_our_own_windows_are_marked_and_for_unknown_ones_dropped() -> None:
    """`own` marks what went to a window of ours; where the receiver is unknown keys are dropped."""
    input_filter = InputFilter()
    key = InputEvent(t_ns=1, kind=EventKind.KEY, key_class=KeyClass.CHARACTER)
    assert input_filter.apply([key], Zones(keys=KeyAccess.OWN), 0)[0].own
    assert input_filter.apply([key], Zones(keys=KeyAccess.UNKNOWN), 0) == []
    assert [d.reason for d in input_filter.dropped(0, final=True)] == ["unknown_windows"]


LEFT = "left"


def test_ten_thousand_events_in_a_second_lose_nothing_that_counts() -> None:
    """All keys, clicks and scroll steps are accounted for, and the whole path of the pointer."""
    harness = QueueHarness()
    merger = MotionMerger(10.0)
    for number in range(10_000):
        harness.clock.advance(100_000)
        match number % 5:
            case 0 | 1:
                harness.queue.press(LETTER)
            case 2:
                harness.queue.scroll(0, 0, 0, -1)
            case 3:
                harness.queue.click(0, 0, LEFT, number % 2 == 0)
            case _:
                harness.queue.move(number, 0)
    events, lost = harness.queue.drain()
    kept = merger.merge(events, harness.clock.now_ns())
    kept += merger.merge([], harness.clock.now_ns() + NS_PER_S)
    counts = {kind: sum(event.count for event in kept if event.kind is kind) for kind in EventKind}
    assert lost == 0
    assert counts[EventKind.KEY] == 4000
    assert counts[EventKind.SCROLL] == 2000
    assert sum(event.dy for event in kept) == -2000
    assert counts[EventKind.BUTTON_DOWN] + counts[EventKind.BUTTON_UP] == 2000
    assert sum(event.path for event in kept) == 9995
