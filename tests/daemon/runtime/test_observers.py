"""Observers of records: called in order, switched off when they fail; where somebody types, by their changes."""

import logging
from collections.abc import Sequence

import pytest

from daemon.capture.picture_ring import PictureRing
from daemon.runtime.observers import Observers, PictureNumbering, TypingPlace
from storage.records import Box, EventKind, Focus, Frame, InputEvent, KeyClass, Record, Tick
from storage.settings import CaptureSettings

STEPS = [(Tick(seq=number),) for number in range(1, 7)]


class Notes:
    """An observer that notes the numbers it has seen, behind its name."""

    def __init__(self, notes: list[str], name: str) -> None:
        self._notes = notes
        self._name = name

    def observe(self, rows: Sequence[Record]) -> None:
        self._notes.extend(f"{self._name}{row.seq}" for row in rows)


class Broken(Notes):
    """Fails at the second step."""

    def observe(self, rows: Sequence[Record]) -> None:
        super().observe(rows)
        if rows[0].seq == 2:
            raise ValueError("a secret title")


def test_observers_see_every_step_in_the_order_of_their_registration() -> None:
    notes: list[str] = []
    observers = Observers(Notes(notes, "a"), None, Notes(notes, "b"))
    for step in STEPS[:2]:
        observers.observe(step)
    assert notes == ["a1", "b1", "a2", "b2"]


def test_an_observer_that_raises_is_switched_off_and_disturbs_no_other(caplog: pytest.LogCaptureFixture) -> None:
    notes: list[str] = []
    broken: list[str] = []
    observers = Observers(Broken(broken, "x"), Notes(notes, "a"))
    with caplog.at_level(logging.ERROR):
        for step in STEPS[:4]:
            observers.observe(step)
    assert notes == ["a1", "a2", "a3", "a4"]
    assert broken == ["x1", "x2"]
    (record,) = caplog.records
    assert "Broken failed with ValueError" in record.getMessage()
    assert "test_observers.py" in record.getMessage()
    assert "secret" not in caplog.text


def test_pictures_get_the_numbers_of_their_frames() -> None:
    ring = PictureRing(CaptureSettings())
    ring.put(5, b"jpeg")
    Observers(PictureNumbering(ring)).observe(
        [Tick(seq=1), Frame(seq=2, t_ns=5, monitor="", size=(9, 9), digest="", changed=())]
    )
    assert (ring.jpeg(1), ring.jpeg(2)) == (None, b"jpeg")


LETTER = Box(300, 200, 12, 20)
S = 1_000_000_000


def key(t_s: float, *, own: bool = False) -> InputEvent:
    return InputEvent(t_ns=round(t_s * S), kind=EventKind.KEY, key_class=KeyClass.CHARACTER, own=own)


def frame(t_s: float, *changed: Box) -> Frame:
    return Frame(t_ns=round(t_s * S), monitor="a", size=(1280, 800), digest="d", changed=changed)


def test_letters_appear_where_somebody_types() -> None:
    typing = TypingPlace()
    typing.observe([frame(0.0, LETTER)])
    assert typing.place is None
    typing.observe([key(1.0), frame(1.4, Box(0, 0, 1280, 800))])
    assert typing.place is None
    typing.observe([frame(1.5, Box(0, 0, 900, 300), LETTER)])
    assert typing.place == LETTER
    typing.observe([frame(9.0, Box(5, 5, 9, 9))])
    assert typing.place == LETTER


def test_a_click_or_another_window_ends_it() -> None:
    """The caret may be anywhere then; keys typed into windows of ours count for nothing."""
    for end in (
        InputEvent(t_ns=2 * S, kind=EventKind.BUTTON_DOWN, button="left", x=1, y=1),
        InputEvent(t_ns=2 * S, kind=EventKind.SCROLL, dy=-1, x=1, y=1),
        Focus(t_ns=2 * S, app="mousepad", window=2, geometry=Box(0, 0, 9, 9), title_digest=""),
    ):
        typing = TypingPlace()
        typing.observe([key(1.0), frame(1.4, LETTER)])
        assert typing.place == LETTER
        typing.observe([end, key(2.0, own=True), frame(2.1, LETTER)])
        assert typing.place is None
