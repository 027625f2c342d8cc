"""What a press was for, and times of keys on a grid."""

from dataclasses import replace
from functools import partial
from itertools import chain, repeat

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.capture import observer
from daemon.capture.input import InputQueue
from daemon.capture.keys import (
    GRID_NS,
    Fallback,
    KeyPress,
    cell_end,
    cell_start,
    class_of_press,
    fallback_of,
    with_coarse_keys,
)
from demo.virtual_desktop.desktop import VirtualDesktop
from storage.clock import NS_PER_S
from storage.records import Box, EventKind, Focus, InputEvent, KeyClass, Record
from storage.settings import CaptureSettings, Settings
from tests.fakes.desktop.painter import Painter, RunningCapture, capturing


def pressed(key: int | str, *held: str, letter: str | None = None, other: str = "", us: str = "") -> KeyPress:
    keysym = ord(key) if isinstance(key, str) else key
    latin = key.lower() if isinstance(key, str) and key.isascii() and key.isalpha() else ""
    modifiers = dict.fromkeys(held, True)
    return KeyPress(keysym, latin if letter is None else letter, other, us, **modifiers)


@pytest.mark.parametrize(
    ("press", "expected"),
    [
        (pressed("a"), KeyClass.CHARACTER),
        (pressed("A", "shift"), KeyClass.CHARACTER),
        (pressed(0x10020AC), KeyClass.CHARACTER),
        (pressed(0x6D1), KeyClass.CHARACTER),
        (pressed(" "), KeyClass.CHARACTER),
        (pressed(0xFE52), KeyClass.CHARACTER),
        (pressed(0xFFB5), KeyClass.CHARACTER),
        (pressed(0xFF0D), KeyClass.ENTER),
        (pressed(0xFF8D), KeyClass.ENTER),
        (pressed(0xFE20, "shift"), KeyClass.TAB),
        (pressed(0xFF56), KeyClass.NAVIGATION),
        (pressed(0xFF96), KeyClass.NAVIGATION),
        (pressed(0xFF51, "ctrl"), KeyClass.NAVIGATION),
        (pressed(0xFF08), KeyClass.BACKSPACE),
        (pressed(0xFF08, "alt"), KeyClass.UNDO),
        (pressed("z", "ctrl"), KeyClass.UNDO),
        (pressed("z", "logo"), KeyClass.SHORTCUT),
        (pressed("Z", "ctrl", "shift"), KeyClass.REDO),
        (pressed("y", "ctrl"), KeyClass.REDO),
        (pressed("c", "ctrl"), KeyClass.COPY),
        (pressed(0xFF63, "ctrl"), KeyClass.COPY),
        (pressed(0xFF63, "shift"), KeyClass.PASTE),
        (pressed(0xFFFF, "shift"), KeyClass.CUT),
        (pressed("v", "ctrl"), KeyClass.PASTE),
        (pressed("x", "ctrl"), KeyClass.CUT),
        (pressed("s", "ctrl"), KeyClass.SAVE),
        (pressed("f", "ctrl"), KeyClass.FIND),
        (pressed("a", "ctrl"), KeyClass.SELECT_ALL),
        (pressed("k", "ctrl"), KeyClass.SHORTCUT),
        (pressed("z", "ctrl", "alt"), KeyClass.SHORTCUT),
        (pressed("f", "alt"), KeyClass.MENU),
        (pressed(0xFF09, "alt"), KeyClass.SHORTCUT),
        (pressed(" ", "ctrl"), KeyClass.SHORTCUT),
        (pressed(0xFFBE), KeyClass.HELP),
        (pressed(0xFFC2), KeyClass.FUNCTION),
        (pressed(0xFFC7), KeyClass.MENU),
        (pressed(0xFFE3), KeyClass.MODIFIER),
        (pressed(0xFE08), KeyClass.MODIFIER),
        (pressed(0xFF65), KeyClass.UNDO),
        (pressed(0x1008FF11), KeyClass.OTHER),
        (pressed(0x1008FF11, "logo"), KeyClass.SHORTCUT),
        (pressed(0), KeyClass.OTHER),
    ],
)
def test_what_a_press_was_for(press: KeyPress, expected: KeyClass) -> None:
    """A key's class follows from its symbol and what is held with it."""
    assert class_of_press(press) is expected


@pytest.mark.parametrize(
    ("app", "expected"),
    [
        ("mousepad", KeyClass.REDO),
        ("Chromium", KeyClass.UNDO),
        ("code-oss", KeyClass.UNDO),
        ("codeblocks", KeyClass.REDO),
    ],
)
def test_without_a_latin_letter_programs_fall_back_differently(app: str, expected: KeyClass) -> None:
    """With a German group beside it, most go by that; what is built on Chromium goes by a US keyboard."""
    cyrillic = pressed(0x6D1, "ctrl", other="y", us="z")
    assert class_of_press(cyrillic, fallback_of(app)) is expected
    assert class_of_press(cyrillic._replace(other_letter="", us_letter="")) is KeyClass.SHORTCUT


def test_a_letter_of_the_active_group_needs_no_fallback() -> None:
    """On a German keyboard the symbol counts, not the place of the key."""
    german = pressed("z", "ctrl", us="y")
    assert {class_of_press(german, fallback) for fallback in Fallback} == {KeyClass.UNDO}


EDITOR = Box(50, 60, 500, 400)
LONE = 8

_GAPS_NS = st.one_of(st.integers(0, GRID_NS // 5), st.integers(0, NS_PER_S))
_WHAT = st.one_of(st.none(), st.sampled_from([KeyClass.CHARACTER, KeyClass.BACKSPACE, KeyClass.UNDO]))
_STEPS = st.lists(st.tuples(_GAPS_NS, _WHAT, st.booleans(), st.integers(1, 3)), max_size=60)


def key(t_ns: int, key_class: KeyClass = KeyClass.CHARACTER, *, own: bool = False, count: int = 1) -> InputEvent:
    return InputEvent(t_ns=t_ns, kind=EventKind.KEY, key_class=key_class, own=own, count=count)


def click(t_ns: int) -> InputEvent:
    return InputEvent(t_ns=t_ns, kind=EventKind.BUTTON_DOWN, button="left", x=1, y=1)


def off_grid(records: list[Record]) -> list[InputEvent]:
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
