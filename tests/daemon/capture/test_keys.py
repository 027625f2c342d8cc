"""What a press was for, and times of keys on a grid."""

from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, repeat

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.capture import observer
from daemon.capture.input import InputQueue
from daemon.capture.keys import GRID_NS, KeyClassifier, cell_end, cell_start, with_coarse_keys
from demo.virtual_desktop.desktop import VirtualDesktop
from storage.clock import NS_PER_S
from storage.records import Box, EventKind, Focus, InputEvent, KeyClass, Record
from storage.settings import CaptureSettings, Settings
from tests.fakes.desktop.painter import Painter, RunningCapture, capturing


@dataclass(frozen=True)
class Named:
    """Stands for pynput's `Key`."""

    name: str


@dataclass(frozen=True)
class Code:
    """Stands for pynput's `KeyCode`."""

    char: str | None = None
    vk: int | None = None
    is_dead: bool = False


CTRL, ALT, SHIFT, CMD, ALT_GR = Named("ctrl_l"), Named("alt_l"), Named("shift"), Named("cmd"), Named("alt_gr")


@pytest.mark.parametrize(
    ("held", "key", "expected"),
    [
        ([], Code("a", 97), KeyClass.CHARACTER),
        ([SHIFT], Code("A", 65), KeyClass.CHARACTER),
        ([ALT_GR], Code("€", 0x20AC), KeyClass.CHARACTER),
        ([], Named("space"), KeyClass.CHARACTER),
        ([], Code("^", 0xFE52, is_dead=True), KeyClass.CHARACTER),
        ([], Named("enter"), KeyClass.ENTER),
        ([], Named("page_down"), KeyClass.NAVIGATION),
        ([CTRL], Named("left"), KeyClass.NAVIGATION),
        ([], Named("backspace"), KeyClass.BACKSPACE),
        ([ALT], Named("backspace"), KeyClass.UNDO),
        ([CTRL], Code("z", 122), KeyClass.UNDO),
        ([CMD], Code("z", 122), KeyClass.UNDO),
        ([CTRL, SHIFT], Code("Z", 90), KeyClass.REDO),
        ([CTRL], Code("y", 121), KeyClass.REDO),
        ([CTRL], Code("c", 99), KeyClass.COPY),
        ([CTRL], Named("insert"), KeyClass.COPY),
        ([SHIFT], Named("insert"), KeyClass.PASTE),
        ([SHIFT], Named("delete"), KeyClass.CUT),
        ([CTRL], Code("v", 118), KeyClass.PASTE),
        ([CTRL], Code("x", 120), KeyClass.CUT),
        ([CTRL], Code("s", 115), KeyClass.SAVE),
        ([CTRL], Code("f", 102), KeyClass.FIND),
        ([CTRL], Code("a", 97), KeyClass.SELECT_ALL),
        ([CTRL], Code("k", 107), KeyClass.SHORTCUT),
        ([CTRL, ALT], Code("z", 122), KeyClass.SHORTCUT),
        ([ALT], Code("f", 102), KeyClass.MENU),
        ([ALT], Named("tab"), KeyClass.SHORTCUT),
        ([], Named("f1"), KeyClass.HELP),
        ([], Named("f5"), KeyClass.FUNCTION),
        ([], Named("f10"), KeyClass.MENU),
        ([], Code(None, 0xFF65), KeyClass.UNDO),
        ([], Named("media_next"), KeyClass.OTHER),
        ([], Code(None, 0x1008FF11), KeyClass.OTHER),
        ([], None, KeyClass.OTHER),
    ],
)
def test_what_a_press_was_for(held: list[Named], key: Code | Named | None, expected: KeyClass) -> None:
    """A key's class follows from what it is and what is held with it."""
    reader = KeyClassifier()
    for modifier in held:
        assert reader.press(modifier) is KeyClass.MODIFIER
    assert reader.press(key) is expected


def test_undo_on_a_layout_without_latin_letters() -> None:
    """Where the key of Z enters another letter, the shortcut still goes by its key."""
    reader = KeyClassifier()
    cyrillic_ya = 0x6D1
    reader.press(CTRL)
    assert reader.press(Code("я", cyrillic_ya)) is KeyClass.SHORTCUT
    reader.use_layout({cyrillic_ya: "z"})
    assert reader.press(Code("я", cyrillic_ya)) is KeyClass.UNDO


def test_undo_where_z_and_y_change_places() -> None:
    """On a German layout the symbol counts, not the place of the key."""
    reader = KeyClassifier()
    reader.use_layout({ord("z"): "z", ord("y"): "y"})
    reader.press(CTRL)
    assert reader.press(Code("z", ord("z"))) is KeyClass.UNDO


def test_a_modifier_counts_until_its_release_or_a_reset() -> None:
    """After the release, and after a reset, a letter is a letter."""
    reader = KeyClassifier()
    reader.press(CTRL)
    reader.release(CTRL)
    assert reader.press(Code("z", 122)) is KeyClass.CHARACTER
    reader.press(CTRL)
    reader.reset()
    assert reader.press(Code("z", 122)) is KeyClass.CHARACTER


EDITOR = Box(50, 60, 500, 400)
LONE = 8

_GAPS_NS = st.one_of(st.integers(0, GRID_NS // 5), st.integers(0, NS_PER_S))
_WHAT = st.one_of(st.none(), st.sampled_from([KeyClass.CHARACTER, KeyClass.BACKSPACE, KeyClass.UNDO]))
_STEPS = st.lists(st.tuples(_GAPS_NS, _WHAT, st.booleans(), st.integers(1, 3)), max_size=60)


def key(t_ns: int, key_class: KeyClass = KeyClass.CHARACTER, *, own: bool = False, count: int = 1) -> InputEvent:
    """Return a key press."""
    return InputEvent(t_ns=t_ns, kind=EventKind.KEY, key_class=key_class, own=own, count=count)


def click(t_ns: int) -> InputEvent:
    """Return a press of a button."""
    return InputEvent(t_ns=t_ns, kind=EventKind.BUTTON_DOWN, button="left", x=1, y=1)


def off_grid(records: list[Record]) -> list[InputEvent]:
    """Return the keys whose time is none of the grid."""
    keys = [record for record in records if isinstance(record, InputEvent) and record.kind is EventKind.KEY]
    return [event for event in keys if event.t_ns % GRID_NS]


def singly(records: list[Record]) -> list[Record]:
    """Return the records with every key alone and without times of keys: what must not change."""

    def split(record: Record) -> list[Record]:
        if isinstance(record, InputEvent) and record.kind is EventKind.KEY:
            return list(repeat(replace(record, t_ns=0, count=1), record.count))
        return [record]

    return list(chain.from_iterable(map(split, records)))


@given(_STEPS)
def test_order_and_counts_are_kept_and_no_time_is_off_the_grid(
    steps: list[tuple[int, KeyClass | None, bool, int]],
) -> None:
    """Only times of keys change, by less than a cell and never to a later one; a second rounding changes nothing."""
    records: list[Record] = []
    now_ns = 0
    for gap_ns, key_class, own, count in steps:
        now_ns += gap_ns
        records.append(click(now_ns) if key_class is None else key(now_ns, key_class, own=own, count=count))
    coarse = list(with_coarse_keys(records))
    assert off_grid(coarse) == []
    assert singly(coarse) == singly(records)
    assert list(with_coarse_keys(coarse)) == coarse
    times = [record.t_ns for record in records if isinstance(record, InputEvent) for _ in range(record.count)]
    rounded = [record.t_ns for record in coarse if isinstance(record, InputEvent) for _ in range(record.count)]
    assert all(0 <= exact_ns - t_ns < GRID_NS for exact_ns, t_ns in zip(times, rounded, strict=True))


def test_exact_times_would_be_found() -> None:
    """Control of the test above: what comes from the callbacks is off the grid."""
    assert len(off_grid([key(GRID_NS + 1), key(GRID_NS), key(3), click(5)])) == 2


def test_equal_neighbors_in_a_cell_are_one_record() -> None:
    """Over the end of a cell, over another record and over another class nothing is merged: rhythm and order stay."""
    records: list[Record] = [
        *(key(1), key(2, count=2), key(3, KeyClass.BACKSPACE), key(GRID_NS - 1)),
        *(key(GRID_NS), click(GRID_NS + 1), key(GRID_NS + 2)),
    ]
    assert list(with_coarse_keys(records)) == [
        *(key(0, count=3), key(0, KeyClass.BACKSPACE), key(0)),
        *(key(GRID_NS), click(GRID_NS + 1), key(GRID_NS)),
    ]


def test_a_cell_ends_where_the_next_begins() -> None:
    """A time on the grid begins a cell."""
    assert [(cell_start(t_ns), cell_end(t_ns)) for t_ns in (0, GRID_NS - 1, GRID_NS)] == [
        *((0, GRID_NS), (0, GRID_NS)),
        (GRID_NS, 2 * GRID_NS),
    ]


def _has_keys(capture: RunningCapture, count: int) -> bool:
    return capture.keys() == count


@pytest.mark.display
@pytest.mark.parametrize("protected", [True, False])
def test_typing_on_a_desktop_leaves_no_exact_time(
    bare_desktop: VirtualDesktop, painter: Painter, monkeypatch: pytest.MonkeyPatch, *, protected: bool
) -> None:
    """Neither the times of keys nor when they were handed over tell more than the cell, if nothing else happens.

    Without rounding and waiting, the control, the same typing leaves both.
    """
    if not protected:
        monkeypatch.setattr(observer, "with_coarse_keys", list)
        monkeypatch.setattr(InputQueue, "due_ns", 0)
    painter.activate(painter.window("Editor", EDITOR))
    settings = Settings(capture=CaptureSettings(drain_s=0.05))
    with capturing(bare_desktop, settings, pictures=False) as capture:
        capture.until(lambda: any(f.app == "Editor" for f in capture.of(Focus)), "reporting the focus")
        painter.key("a")
        capture.until(lambda: capture.keys() == 1, "taking in the first key")
        first = len(capture.records)
        for typed in range(2, 2 + LONE):
            capture.wait_idle()
            painter.key("b")
            capture.until(partial(_has_keys, capture, typed), "taking in a key")
        last = len(capture.records)
        for letter in "cdef":
            painter.key(letter)
        capture.until(lambda: capture.keys() == 1 + LONE + 4, "taking in the keys")
    keys = capture.of(InputEvent)
    assert sum(event.count for event in keys) == 1 + LONE + 4
    assert [event.t_ns for event in keys] == sorted(event.t_ns for event in keys)
    handed = zip(capture.records[first:last], capture.handed_ns[first:last], strict=True)
    early = [event for event, at_ns in handed if isinstance(event, InputEvent) and at_ns < cell_end(event.t_ns)]
    assert (off_grid(capture.records) == [], early == []) == (protected, protected)
