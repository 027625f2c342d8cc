"""How long a key takes to the screen while the commands of its program are read, beside the same without reading."""

import select
import threading
from dataclasses import dataclass, field
from typing import Any
from unittest.mock import patch

import numpy as np
from Xlib import XK, X
from Xlib.display import Display
from Xlib.ext import damage, xtest

from daemon.capture.accessibility import sense
from daemon.capture.accessibility.command_store import FRESH_NS
from daemon.capture.accessibility.walk_rate import WalkRate
from daemon.capture.thread import CaptureThread
from lab.measure.benchmark import AcceptanceCriterion, at_most
from storage.clock import MINUTE_NS, NS_PER_S, SystemClock

GENEROUS = (0, 60, 10 * MINUTE_NS)
"""Reading as often as it is measured: time between readings, readings a minute, and their CPU time."""

MOST_SLOWER = 1.15
LEAST_KEYS = 100
_CARET = 4
"""A change as wide as this is more than a caret that blinks."""

_GAP_S, _SHOWN_S, _READ_S = 0.05, 1.0, 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyTimes:
    """Milliseconds from keys to the screen in a program, while it is read and while it is not."""

    program: str
    reading: list[float] = field(default_factory=list)
    resting: list[float] = field(default_factory=list)

    @property
    def slower(self) -> float:
        """How much longer the slowest twentieth takes at least while the program is read."""
        return p95(self.reading) / p95(self.resting)

    def __str__(self) -> str:
        """Return a line for people."""
        return (
            f"{self.program}: {len(self.reading)} keys, p95 {p95(self.reading):.1f} ms while it is read, "
            f"{p95(self.resting):.1f} ms else ({self.slower - 1:+.0%})"
        )


def p95(times: list[float]) -> float:
    """Return what one in twenty exceeds."""
    return float(np.quantile(times, 0.95))


def criteria_of(found: list[KeyTimes]) -> list[AcceptanceCriterion]:
    """Return the bar for each program in which enough keys fell into a reading."""
    return [
        at_most(f"{times.program}_keys_while_read", times.slower, MOST_SLOWER, "of the time without")
        for times in found
        if len(times.reading) >= LEAST_KEYS
    ]


def generous() -> Any:
    """Have a sense read as often as it is asked."""
    return patch.object(sense, "WalkRate", lambda *_, **kept: WalkRate(*GENEROUS, **kept))


def type_while_reading(name: str, display: Display, thread: CaptureThread, clock: SystemClock, rounds: int) -> KeyTimes:
    """Type while the program in front is read, and as many keys while it is not, by turns."""
    found, typist = KeyTimes(program=name), _Typist(display, clock)
    for _ in range(rounds):
        began_ns, answered = clock.now_ns(), threading.Event()
        thread.request_commands(lambda _, answered=answered: answered.set())  # type: ignore[misc]
        while not answered.is_set() and clock.now_ns() < began_ns + _READ_S * NS_PER_S:
            found.reading.append(typist.press())
        while len(found.resting) < len(found.reading):
            found.resting.append(typist.press())
        clock.sleep_s(max(0.0, (began_ns + FRESH_NS - clock.now_ns()) / NS_PER_S))
    return found


class _Typist:
    """Types a letter and takes it back, over and over."""

    def __init__(self, display: Any, clock: SystemClock) -> None:
        self._display = display
        self._clock = clock
        self._keys = [display.keysym_to_keycode(XK.string_to_keysym(name)) for name in ("x", "BackSpace")]
        display.damage_query_version()
        display.screen().root.damage_create(damage.DamageReportRawRectangles)
        display.sync()

    def press(self) -> float:
        """Press a key, and return how many milliseconds later the screen shows it."""
        while self._display.pending_events():
            self._display.next_event()
        self._keys.reverse()
        began_ns = self._clock.now_ns()
        for kind in (X.KeyPress, X.KeyRelease):
            xtest.fake_input(self._display, kind, self._keys[0])
        self._display.flush()
        took_ns = self._wait(began_ns + int(_SHOWN_S * NS_PER_S)) - began_ns
        self._clock.sleep_s(max(0.0, _GAP_S - took_ns / NS_PER_S))
        return took_ns / 1e6

    def _wait(self, until_ns: int) -> int:
        """Return when more than a caret was painted, or the end."""
        while (now_ns := self._clock.now_ns()) < until_ns:
            while self._display.pending_events():
                event = self._display.next_event()
                if event.type == self._display.extension_event.DamageNotify and event.area.width > _CARET:
                    return self._clock.now_ns()
            select.select([self._display.fileno()], [], [], (until_ns - now_ns) / NS_PER_S)
        return until_ns
