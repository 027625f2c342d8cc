"""The rolling window: when it opens and closes, and what its prefixes hold."""

import itertools

from hypothesis import given
from hypothesis import strategies as st

from daemon.engine.window import FRACTIONS, PrefixBounds, RollingWindow
from storage.clock import NS_PER_S
from storage.records import ClosedBy, Window
from storage.settings import WindowSettings
from tests.fakes.narrowing import present

SETTINGS = WindowSettings()
PLANNED_NS = round(SETTINGS.planned_s * NS_PER_S)
START_NS = 1_000 * NS_PER_S


def run_out(window: RollingWindow, now_ns: int) -> tuple[list[PrefixBounds], list[Window]]:
    prefixes: list[PrefixBounds] = []
    closed: list[Window] = []
    while (bounds := window.next_prefix(now_ns)) is not None:
        prefixes.append(bounds)
        if (full := window.close_full()) is not None:
            closed.append(full)
    return prefixes, closed


def test_a_prefix_ends_at_each_quarter_of_the_planned_length() -> None:
    window = RollingWindow(SETTINGS)
    window.open(START_NS, "editor")
    window.add_input(1, START_NS)
    prefixes, closed = run_out(window, START_NS + PLANNED_NS)
    assert [prefix.fraction for prefix in prefixes] == list(FRACTIONS)
    assert [(prefix.end_ns - START_NS) // NS_PER_S for prefix in prefixes] == [6, 12, 18, 24]
    assert [window.closed_by for window in closed] == [ClosedBy.FULL]


def test_the_next_window_begins_where_the_last_one_ended_while_someone_is_there() -> None:
    window = RollingWindow(SETTINGS)
    window.open(START_NS, "editor")
    window.add_input(1, START_NS)
    _, closed = run_out(window, START_NS + 20 * PLANNED_NS)
    assert [window.start_ns for window in closed[1:]] == [window.end_ns for window in closed[:-1]]
    assert len(closed) == SETTINGS.away_s // SETTINGS.planned_s
    assert not window.is_open


def test_opening_twice_changes_nothing() -> None:
    window = RollingWindow(SETTINGS)
    window.open(START_NS, "editor")
    due_ns = window.due_ns
    window.open(START_NS + NS_PER_S, "other")
    assert window.due_ns == due_ns


def test_an_early_close_yields_a_truncated_prefix() -> None:
    window = RollingWindow(SETTINGS)
    window.add_frame(7, START_NS - NS_PER_S)
    window.open(START_NS, "editor")
    window.add_input(3, START_NS)
    window.add_frame(8, START_NS + 2 * NS_PER_S)
    window.add_frame(9, START_NS + 5 * NS_PER_S)
    end = present(window.close_early(START_NS + 3 * NS_PER_S, ClosedBy.APP_SWITCH))
    bounds, closed = end
    assert bounds.truncated
    assert bounds.fraction == 1.0
    assert bounds.slots == (7, 8)
    assert (closed.closed_by, closed.events, closed.frames) == (ClosedBy.APP_SWITCH, 3, (8, 9))


def test_a_slot_shows_the_last_frame_before_its_end() -> None:
    window = RollingWindow(SETTINGS)
    window.open(START_NS, "editor")
    slot_ns = PLANNED_NS // SETTINGS.slots
    for seq in range(1, 101):
        window.add_frame(seq, START_NS + seq * slot_ns // 101)
    window.add_frame(200, START_NS + slot_ns * 3 // 2)
    bounds = present(window.next_prefix(START_NS + PLANNED_NS // 4))
    assert bounds.slots == (100, 200)
    closed = present(window.close_early(START_NS + PLANNED_NS // 4, ClosedBy.PAUSE))
    assert closed[1].frames == (100, 200)


@given(frames=st.lists(st.integers(0, PLANNED_NS), max_size=200).map(sorted), before=st.booleans())
def test_prefixes_are_nested_in_time_order_and_bounded(frames: list[int], before: bool) -> None:
    window = RollingWindow(SETTINGS)
    if before:
        window.add_frame(0, START_NS - 1)
    window.open(START_NS, "editor")
    prefixes: list[PrefixBounds] = []
    for seq, offset_ns in enumerate(frames, start=1):
        prefixes += run_out(window, START_NS + offset_ns)[0]
        if not window.is_open:
            break
        window.add_frame(seq, START_NS + offset_ns)
    prefixes += run_out(window, START_NS + PLANNED_NS)[0]
    assert len(prefixes) == len(FRACTIONS)
    for shorter, longer in itertools.pairwise(prefixes):
        assert longer.slots[: len(shorter.slots)] == shorter.slots
    for prefix in prefixes:
        assert len(prefix.slots) <= SETTINGS.slots * prefix.fraction + 1
        assert list(prefix.slots) == sorted(set(prefix.slots))


def test_nothing_is_due_before_the_first_input() -> None:
    window = RollingWindow(SETTINGS)
    window.add_frame(1, START_NS)
    assert not window.is_open
    assert window.due_ns is None
    assert window.next_prefix(START_NS + 10 * PLANNED_NS) is None
    assert window.close_full() is None
    assert window.close_early(START_NS, ClosedBy.PAUSE) is None
