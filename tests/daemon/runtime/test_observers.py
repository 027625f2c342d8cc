"""Observers of records: called in order, switched off when they fail, never in the core's way."""

import logging
import threading
from collections.abc import Sequence

import pytest

from daemon.capture.picture_ring import PictureRing
from daemon.runtime.observers import Observers, PictureNumbering, QueuedObserver
from storage.records import Frame, Record, Tick
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


class Held(Notes):
    """Waits at each step until it may go on."""

    def __init__(self, notes: list[str], name: str) -> None:
        super().__init__(notes, name)
        self.entered, self.go = threading.Semaphore(0), threading.Event()

    def observe(self, rows: Sequence[Record]) -> None:
        self.entered.release()
        assert self.go.wait(10)
        super().observe(rows)


def test_observers_see_every_step_in_the_order_of_their_registration() -> None:
    """One that is off (None) takes no place."""
    notes: list[str] = []
    observers = Observers(Notes(notes, "a"), None, Notes(notes, "b"))
    for step in STEPS[:2]:
        observers.observe(step)
    observers.close(1.0)
    assert notes == ["a1", "b1", "a2", "b2"]


@pytest.mark.parametrize("queued", [False, True])
def test_an_observer_that_raises_is_switched_off_and_disturbs_no_other(
    caplog: pytest.LogCaptureFixture, *, queued: bool
) -> None:
    """The log names it and the place, once, and quotes nothing of what was wrong."""
    notes: list[str] = []
    broken: list[str] = []
    observer = Broken(broken, "x")
    observers = Observers(QueuedObserver(observer) if queued else observer, Notes(notes, "a"))
    with caplog.at_level(logging.ERROR):
        for step in STEPS[:4]:
            observers.observe(step)
        observers.close(5.0)
    assert notes == ["a1", "a2", "a3", "a4"]
    assert broken == ["x1", "x2"]
    (record,) = caplog.records
    assert "Broken failed with ValueError" in record.getMessage()
    assert "test_observers.py" in record.getMessage()
    assert "secret" not in caplog.text


def test_a_full_queue_drops_rows_counts_them_and_never_blocks(caplog: pytest.LogCaptureFixture) -> None:
    """What was queued is still seen at the end."""
    notes: list[str] = []
    held = Held(notes, "a")
    queued = QueuedObserver(held, capacity=2)
    observers = Observers(queued)
    observers.observe(STEPS[0])
    assert held.entered.acquire(timeout=10)  # the thread holds the first step, so two more fit
    for step in STEPS[1:]:
        observers.observe(step)
    assert queued.dropped == 3
    held.go.set()
    observers.close(5.0)
    assert notes == ["a1", "a2", "a3"]
    assert "Held was too slow: 3 rows were dropped" in caplog.text


def test_an_observer_that_hangs_does_not_hold_the_end() -> None:
    """Closing gives up after its limit, with a full queue too."""
    for capacity in (1, 5):
        held = Held([], "a")
        queued = QueuedObserver(held, capacity=capacity)
        queued.observe(STEPS[0])
        assert held.entered.acquire(timeout=10)
        queued.observe(STEPS[1])
        queued.close(0.01)
        held.go.set()


def test_pictures_get_the_numbers_of_their_frames() -> None:
    """A picture is found by the number that the engine gave its frame."""
    ring = PictureRing(CaptureSettings())
    ring.put(5, b"jpeg")
    Observers(PictureNumbering(ring)).observe(
        [Tick(seq=1), Frame(seq=2, t_ns=5, monitor="", size=(9, 9), digest="", changed=())]
    )
    assert (ring.jpeg(1), ring.jpeg(2)) == (None, b"jpeg")
