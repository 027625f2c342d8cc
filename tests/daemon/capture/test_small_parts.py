"""Gate, ring, pace, ticking and battery: the small decisions of the capture thread."""

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from daemon.capture.backend import open_desk, why_not
from daemon.capture.diff import Tiles
from daemon.capture.frame_scheduler import LEAST_NS, PAINT_NS, FrameScheduler
from daemon.capture.picture_ring import PictureRing
from daemon.capture.surroundings.battery import on_battery
from daemon.capture.ticking import FORGET_NS, LEARN, REFRESH_NS, Ticking
from daemon.gate import Gate
from storage.clock import NS_PER_S
from storage.errors import EnvironmentFault
from storage.settings import CaptureSettings

HALF_NS, STILL_NS = NS_PER_S // 2, 2 * NS_PER_S


def test_the_gate_starts_closed_and_tells_who_watches() -> None:
    """It tells each change once, and a grab under way notices a closing even if it was opened again."""
    gate, told = Gate(), []
    gate.watch(lambda: told.append(gate.is_open))
    assert not gate.is_open
    gate.open()
    gate.open()
    epoch = gate.epoch
    assert gate.passed(epoch)
    gate.close()
    assert not gate.passed(epoch)
    gate.open()
    assert not gate.passed(epoch)
    assert told == [True, False, True]


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


def test_nothing_is_due_while_nothing_was_painted() -> None:
    """Input alone asks for no picture."""
    pace = FrameScheduler(CaptureSettings())
    pace.input(0)
    pace.prompt(0)
    assert pace.due_ns(0) is None


def test_rates_follow_input_and_battery() -> None:
    """Twice a second while input flows, every two seconds without, half of that on battery."""
    pace = FrameScheduler(CaptureSettings())
    pace.taken(0, changed=True)
    pace.painted(1)
    assert pace.due_ns(1) == STILL_NS
    pace.input(1)
    assert pace.due_ns(1) == HALF_NS
    assert pace.due_ns(1 + 3 * NS_PER_S) == STILL_NS
    pace.on_battery = True
    assert pace.due_ns(1) == NS_PER_S


def test_after_stillness_the_first_paint_is_taken_soon() -> None:
    """A change after a long still time waits only until the paint is whole."""
    pace = FrameScheduler(CaptureSettings())
    pace.taken(0, changed=True)
    pace.painted(60 * NS_PER_S)
    assert pace.due_ns(60 * NS_PER_S) == 60 * NS_PER_S + PAINT_NS


def test_the_answer_to_a_click_does_not_wait_for_its_turn() -> None:
    """It comes as soon as it is painted, once; and not the paint that was there before the click."""
    pace = FrameScheduler(CaptureSettings())
    pace.taken(0, changed=True)
    pace.input(10_000_000)
    pace.prompt(10_000_000)
    pace.painted(20_000_000)
    assert pace.due_ns(20_000_000) == LEAST_NS
    pace.taken(LEAST_NS, changed=False)
    pace.painted(LEAST_NS + 1)
    assert pace.due_ns(LEAST_NS + 1) == 2 * LEAST_NS
    pace.taken(2 * LEAST_NS, changed=True)
    pace.painted(2 * LEAST_NS + 1)
    assert pace.due_ns(2 * LEAST_NS + 1) == 2 * LEAST_NS + HALF_NS


def _tiles(*places: tuple[int, int]) -> Tiles:
    tiles = np.zeros((10, 20), np.bool_)
    for place in places:
        tiles[place] = True
    return tiles


def test_what_only_ticks_is_held_back_for_a_while() -> None:
    """After a few changes at the same small places nothing is told of them, but for one frame now and then."""
    ticking = Ticking()
    caret, clock = (1, 1), (0, 18)
    told = [
        second for second in range(0, 90, 2) if not ticking.is_all(_tiles(caret, clock), second * NS_PER_S, flows=False)
    ]
    assert told[:LEARN] == [0, 2, 4, 6]
    assert all(later - earlier >= REFRESH_NS / NS_PER_S for earlier, later in pairwise(told[3:]))


def test_anything_else_is_told_at_once() -> None:
    """A change elsewhere, a large one, or one while input flows is never held back."""
    ticking = Ticking()
    for second in range(10):
        ticking.is_all(_tiles((1, 1)), second * NS_PER_S, flows=False)
    assert ticking.is_all(_tiles((1, 1)), 10 * NS_PER_S, flows=False)
    assert not ticking.is_all(_tiles((1, 1), (5, 5)), 11 * NS_PER_S, flows=False)
    assert not ticking.is_all(np.ones((10, 20), np.bool_), 12 * NS_PER_S, flows=False)
    assert ticking.is_all(_tiles((1, 1)), 13 * NS_PER_S, flows=False)
    assert not ticking.is_all(_tiles((1, 1)), 14 * NS_PER_S, flows=True)
    assert not ticking.is_all(_tiles((1, 1)), 15 * NS_PER_S, flows=False)


def test_what_stopped_ticking_is_news_again() -> None:
    """A place that was quiet for a while has to be learned anew."""
    ticking = Ticking()
    for second in range(10):
        ticking.is_all(_tiles((1, 1)), second * NS_PER_S, flows=False)
    assert not ticking.is_all(_tiles((1, 1)), 9 * NS_PER_S + FORGET_NS + 1, flows=False)


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
    ("env", "platform", "word"),
    [
        ({"DISPLAY": ":0", "XDG_SESSION_TYPE": "wayland"}, "linux", "Wayland"),
        ({"DISPLAY": ":0", "WAYLAND_DISPLAY": "wayland-0"}, "linux", "Wayland"),
        ({}, "linux", "DISPLAY"),
        ({"DISPLAY": ":0"}, "win32", "Windows"),
        ({"DISPLAY": ":0"}, "darwin", "macOS"),
        ({"DISPLAY": ":0", "XDG_SESSION_TYPE": "x11"}, "linux", ""),
        ({"DISPLAY": ":0", "XDG_SESSION_TYPE": "x11", "WAYLAND_DISPLAY": "w"}, "linux", ""),
        ({"DISPLAY": ":0"}, "linux", ""),
    ],
)
def test_sessions_that_cannot_be_watched_say_why(env: dict[str, str], platform: str, word: str) -> None:
    """XWayland's DISPLAY does not count: through it the screen is black."""
    assert word in why_not(env, platform)
    assert bool(why_not(env, platform)) is bool(word)


def test_where_nothing_can_be_watched_it_says_what_works() -> None:
    """The fault names what works all the same."""
    with pytest.raises(EnvironmentFault, match="kairos demo") as fault:
        open_desk(env={"DISPLAY": ":0", "XDG_SESSION_TYPE": "wayland"})
    assert fault.value.exit_code == 3
