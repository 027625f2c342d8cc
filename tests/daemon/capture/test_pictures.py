"""When pictures are taken, the gate, the ring, periodic changes, battery and kinds of sessions."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from daemon.capture import backend
from daemon.capture.backend import BACKENDS, open_backend, session_type
from daemon.capture.diff import Tiles
from daemon.capture.gate import Gate
from daemon.capture.picture_ring import PictureRing, RingPicture
from daemon.capture.pictures import MIN_INTERVAL_NS, PAINT_NS, FrameScheduler
from daemon.capture.screen import FORGET_NS, LEARN, REFRESH_NS, PeriodicChangeFilter
from daemon.capture.surroundings.devices import on_battery
from daemon.capture.thread import CaptureSession, CaptureThread
from daemon.runtime.sensing import Reason, SensingControl
from demo.virtual_desktop.windows import poll
from storage.clock import NS_PER_S, SystemClock
from storage.errors import EnvironmentFault
from storage.records import Box
from storage.settings import CaptureSettings, Settings
from tests.fakes.desktop.scripted_backend import SCREEN, Paint, ScriptedBackend

HALF_NS, STILL_NS = NS_PER_S // 2, 2 * NS_PER_S


def test_the_gate_starts_closed_and_notifies_its_watchers() -> None:
    """It notifies once of each change, and a grab under way notices a closing even if it was opened again."""
    gate, states = Gate(), []
    gate.watch(lambda: states.append(gate.is_open))
    assert not gate.is_open
    gate.open()
    gate.open()
    epoch = gate.epoch
    assert gate.passed(epoch)
    gate.close()
    assert not gate.passed(epoch)
    gate.open()
    assert not gate.passed(epoch)
    assert states == [True, False, True]


def test_the_ring_is_bounded_in_time_and_bytes() -> None:
    """The oldest go first, whichever limit is met; a picture can be had by the number of its frame."""
    ring = PictureRing(CaptureSettings(ring_s=10.0), max_bytes=1000)
    for second in range(30):
        ring.put(second * NS_PER_S, bytes(50))
        ring.name(second + 100, second * NS_PER_S)
    assert ring.size_bytes == 11 * 50
    assert ring.jpeg(129) == bytes(50)
    assert ring.jpeg(118) is None
    assert ring.jpeg(1) is None
    ring.put(30 * NS_PER_S, bytes(900))
    assert ring.size_bytes <= 1000
    ring.put(31 * NS_PER_S, bytes(2000))
    assert ring.size_bytes == 0


def test_the_newest_picture_comes_with_what_it_shows() -> None:
    """Its time, its bytes and its rectangle of the desktop; none after a pause."""
    ring = PictureRing(CaptureSettings())
    assert ring.newest() is None
    ring.put(1, b"old", Box(0, 0, 10, 10))
    ring.put(2, b"new", Box(10, 0, 20, 10))
    assert ring.newest() == RingPicture(t_ns=2, jpeg=b"new", area=Box(10, 0, 20, 10))
    ring.clear()
    assert ring.newest() is None


def test_nothing_is_due_while_nothing_was_painted() -> None:
    """Input alone makes no picture due."""
    scheduler = FrameScheduler(CaptureSettings())
    scheduler.note_input(0)
    scheduler.expect_answer(0)
    assert scheduler.due_ns(0) is None


def test_rates_follow_input_and_battery() -> None:
    """Twice a second while input flows, every two seconds without, half of that on battery."""
    scheduler = FrameScheduler(CaptureSettings())
    scheduler.note_frame(0, changed=True)
    scheduler.note_paint(1)
    assert scheduler.due_ns(1) == STILL_NS
    scheduler.note_input(1)
    assert scheduler.due_ns(1) == HALF_NS
    assert scheduler.due_ns(1 + 3 * NS_PER_S) == STILL_NS
    scheduler.is_present = True
    assert scheduler.due_ns(1 + 3 * NS_PER_S) == HALF_NS, "somebody moves the pointer, and the desktop does not tell"
    scheduler.on_battery = True
    assert scheduler.due_ns(1) == NS_PER_S


def test_the_answer_to_a_click_does_not_wait_for_its_turn() -> None:
    """It comes as soon as it is painted, once; and not the paint that was there before the click."""
    scheduler = FrameScheduler(CaptureSettings())
    scheduler.note_frame(0, changed=True)
    scheduler.note_input(10_000_000)
    scheduler.expect_answer(10_000_000)
    scheduler.note_paint(20_000_000)
    assert scheduler.due_ns(20_000_000) == MIN_INTERVAL_NS
    scheduler.note_frame(MIN_INTERVAL_NS, changed=False)
    scheduler.note_paint(MIN_INTERVAL_NS + 1)
    assert scheduler.due_ns(MIN_INTERVAL_NS + 1) == 2 * MIN_INTERVAL_NS
    scheduler.note_frame(2 * MIN_INTERVAL_NS, changed=True)
    scheduler.note_paint(2 * MIN_INTERVAL_NS + 1)
    assert scheduler.due_ns(2 * MIN_INTERVAL_NS + 1) == 2 * MIN_INTERVAL_NS + HALF_NS


def _tiles(*places: tuple[int, int]) -> Tiles:
    tiles = np.zeros((10, 20), np.bool_)
    for place in places:
        tiles[place] = True
    return tiles


def test_periodic_changes_are_held_back_for_a_while() -> None:
    """After a few changes at the same small places they are held back, but for one frame now and then."""
    periodic = PeriodicChangeFilter()
    caret, clock = (1, 1), (0, 18)
    reported = [
        second
        for second in range(0, 90, 2)
        if not periodic.holds_back(_tiles(caret, clock), second * NS_PER_S, input_active=False)
    ]
    assert reported[:LEARN] == [0, 2, 4, 6]
    assert all(later - earlier >= REFRESH_NS / NS_PER_S for earlier, later in pairwise(reported[3:]))


def test_any_other_change_is_reported_at_once() -> None:
    """A change elsewhere, a large one, or one while input flows is never held back."""
    periodic = PeriodicChangeFilter()
    for second in range(10):
        periodic.holds_back(_tiles((1, 1)), second * NS_PER_S, input_active=False)
    assert periodic.holds_back(_tiles((1, 1)), 10 * NS_PER_S, input_active=False)
    assert not periodic.holds_back(_tiles((1, 1), (5, 5)), 11 * NS_PER_S, input_active=False)
    assert not periodic.holds_back(np.ones((10, 20), np.bool_), 12 * NS_PER_S, input_active=False)
    assert periodic.holds_back(_tiles((1, 1)), 13 * NS_PER_S, input_active=False)
    assert not periodic.holds_back(_tiles((1, 1)), 14 * NS_PER_S, input_active=True)
    assert not periodic.holds_back(_tiles((1, 1)), 15 * NS_PER_S, input_active=False)


def test_a_change_that_stopped_repeating_is_reported_again() -> None:
    """A place that was quiet for a while has to be learned anew."""
    periodic = PeriodicChangeFilter()
    for second in range(10):
        periodic.holds_back(_tiles((1, 1)), second * NS_PER_S, input_active=False)
    assert not periodic.holds_back(_tiles((1, 1)), 9 * NS_PER_S + FORGET_NS + 1, input_active=False)


@pytest.mark.parametrize(
    ("supplies", "expected"),
    [
        ({}, None),
        ({"AC": {"type": "Mains"}}, None),
        ({"BAT0": {"type": "Battery", "status": "Discharging"}}, True),
        ({"BAT0": {"type": "Battery", "status": "Charging"}}, False),
        ({"mouse": {"type": "Battery", "status": "Discharging", "scope": "Device"}}, None),
    ],
)
def test_battery(tmp_path: Path, supplies: dict[str, dict[str, str]], expected: bool | None) -> None:
    """Only a battery of the machine itself counts."""
    for name, files in supplies.items():
        (tmp_path / name).mkdir()
        for file, text in files.items():
            (tmp_path / name / file).write_text(text + "\n")
    assert on_battery(tmp_path) is expected
    assert on_battery(tmp_path / "missing") is None


@pytest.mark.parametrize(
    ("env", "platform", "expected"),
    [
        ({"DISPLAY": ":0", "XDG_SESSION_TYPE": "wayland"}, "linux", "wayland"),
        ({"DISPLAY": ":0", "WAYLAND_DISPLAY": "wayland-0"}, "linux", "wayland"),
        ({}, "linux", ""),
        ({"DISPLAY": ":0"}, "win32", "windows"),
        ({"DISPLAY": ":0"}, "darwin", "macos"),
        ({"DISPLAY": ":0", "XDG_SESSION_TYPE": "x11"}, "linux", "x11"),
        ({"DISPLAY": ":0", "XDG_SESSION_TYPE": "x11", "WAYLAND_DISPLAY": "w"}, "linux", "x11"),
        ({"DISPLAY": ":0"}, "linux", "x11"),
    ],
)
def test_the_session_type_follows_the_environment(env: dict[str, str], platform: str, expected: str) -> None:
    """XWayland's DISPLAY does not count: through it the screen is black."""
    assert session_type(env, platform) == expected


@pytest.mark.parametrize(
    ("session", "word"), [("wayland", "Wayland"), ("windows", "Windows"), ("macos", "macOS"), ("", "DISPLAY")]
)
def test_sessions_that_cannot_be_captured_say_why(session: str, word: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each kind of session without a backend has a sentence of its own, and a compositor that does not answer."""
    monkeypatch.setattr(backend, "session_type", lambda _: session)
    monkeypatch.setenv("XDG_RUNTIME_DIR", "/nowhere")
    assert session == "wayland" or session not in BACKENDS
    with pytest.raises(EnvironmentFault, match=word):
        open_backend(env={})


def test_where_nothing_can_be_captured_the_remedy_names_what_works(monkeypatch: pytest.MonkeyPatch) -> None:
    """The fault names the commands that need no desktop."""
    monkeypatch.setenv("XDG_RUNTIME_DIR", "/nowhere")
    with pytest.raises(EnvironmentFault, match="kairos demo") as fault:
        open_backend(env={"DISPLAY": ":0", "XDG_SESSION_TYPE": "wayland"})
    assert fault.value.exit_code == 3


SETTINGS = Settings(capture=CaptureSettings(active_fps=10.0, passive_fps=10.0, store_width=SCREEN.w))


@contextmanager
def capturing(gate: Gate, ring: PictureRing) -> Iterator[ScriptedBackend]:
    backend = ScriptedBackend(SystemClock())
    capture = CaptureThread(
        clock=SystemClock(),
        settings=SETTINGS,
        gate=gate,
        session=CaptureSession(key=b"k" * 32, record_titles=False),
        on_records=lambda records: None,
        ring=ring,
        open_backend=lambda _: backend,
    )
    capture.start()
    try:
        yield backend
    finally:
        assert capture.stop(5.0)


def test_an_emptied_ring_holds_no_picture_and_no_number() -> None:
    """It takes new pictures as before."""
    ring = PictureRing(CaptureSettings())
    ring.put(1, b"old")
    ring.name(100, 1)
    ring.clear()
    assert (ring.jpeg(100), ring.size_bytes) == (None, 0)
    ring.put(2, b"new")
    ring.name(101, 2)
    assert (ring.jpeg(100), ring.jpeg(101), ring.size_bytes) == (None, b"new", 3)


@pytest.mark.parametrize("begin", [lambda sensing: sensing.pause(None), lambda sensing: sensing.set_private(True)])
def test_a_pause_and_private_time_empty_the_ring(begin: Callable[[SensingControl], None], tmp_path: Path) -> None:
    """Once the call has returned no picture is left; afterwards only new ones come in."""
    sensing = SensingControl(SystemClock(), folder=tmp_path, call=lambda action: None, submit=lambda switch: None)
    ring = PictureRing(SETTINGS.capture)
    with capturing(sensing.gate, ring) as backend:
        sensing.open(Reason.STARTING)
        poll(lambda: ring.size_bytes > 0, what="the first picture")
        begin(sensing)
        assert ring.size_bytes == 0
        sensing.open(Reason.PAUSED)
        sensing.open(Reason.PRIVATE)
        backend.play(Paint(Box(0, 0, 64, 64), 200))
        poll(lambda: ring.size_bytes > 0, what="the first picture afterwards")


def test_a_picture_that_was_on_its_way_is_not_kept_either() -> None:
    """The gate closes in the midst of putting a picture in: capture empties the ring once more."""
    gate, late = Gate(), []

    class SlowRing(PictureRing):
        def put(self, t_ns: int, jpeg: bytes, area: Box | None = None) -> None:
            gate.close()
            super().put(t_ns, jpeg, area)
            late.append(self.size_bytes)

    ring = SlowRing(SETTINGS.capture)
    with capturing(gate, ring) as backend:
        gate.open()
        backend.play(Paint(Box(0, 0, 64, 64), 200))
        poll(lambda: late != [] and ring.size_bytes == 0, what="the end of the late picture")
    assert late[0] > 0


def test_after_stillness_the_first_paint_is_taken_soon() -> None:
    """A change after a long still time waits only until the paint is whole."""
    scheduler = FrameScheduler(CaptureSettings())
    scheduler.note_frame(0, changed=True)
    scheduler.note_paint(60 * NS_PER_S)
    assert scheduler.due_ns(60 * NS_PER_S) == 60 * NS_PER_S + PAINT_NS
