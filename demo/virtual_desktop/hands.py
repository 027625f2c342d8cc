"""Scripted hands: keys, pointer and scroll wheel by XTEST, with human timing and a log of everything done.

The log is the reference against which the assistant is judged; it knows nothing of the assistant. Each line is one JSON
object with `t_ns` (session clock), `wall_ns`, `kind` and what belongs to it. Each action has a moment at which it is
due; how late it really came is in `late_ms`, so that a loaded machine shows in the figures. Hands that are late do not
hurry afterwards.
"""

import json
import math
import random
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

from Xlib import XK, X
from Xlib.ext import xtest

from storage.clock import NS_PER_S, SystemClock

BREAK_S = 1.0  # an own pause of at least this length is a break
_MODIFIERS = {"ctrl": "Control_L", "shift": "Shift_L", "alt": "Alt_L"}
_SLICE_S = 0.1
_STEP_S = 0.012
_LEFT, _UP, _DOWN = 1, 4, 5


class ScriptLog:
    """The script's own account, written line by line as things happen."""

    def __init__(self, path: Path, clock: SystemClock) -> None:
        """Begin a new log at `path`."""
        self._file: IO[str] = path.open("w", encoding="utf-8", buffering=1)
        self._clock = clock

    def write(self, kind: str, **facts: object) -> int:
        """Add a line and return its session time."""
        now_ns = self._clock.now_ns()
        line = {"t_ns": now_ns, "wall_ns": self._clock.wall_ns(), "kind": kind, **facts}
        self._file.write(json.dumps(line) + "\n")
        return now_ns

    def close(self) -> None:
        """End the log."""
        self._file.close()


class Hands:
    """Two hands on one display, over a connection of their own. One thread at a time.

    `glance` is called between actions and during pauses, at most every 100 ms; what it raises ends the action under
    way. It never interrupts a key or button that is down.
    """

    def __init__(self, display: Any, log: ScriptLog, rng: random.Random, clock: SystemClock) -> None:
        """Use `display`, which the caller closes; all variation comes from `rng`. None: hands of another kind."""
        self.rng = rng
        self.log = log
        self.glance: Callable[[], None] = lambda: None
        self.tempo = 1.0  # factor on pointer times; above 1 is slower
        self._display = display
        self._clock = clock
        self._due_ns = clock.now_ns()
        pointer = display.screen().root.query_pointer() if display is not None else None
        self._at = (pointer.root_x, pointer.root_y) if pointer is not None else (0, 0)

    @property
    def at(self) -> tuple[int, int]:
        """Where the pointer is."""
        return self._at

    def wait(self, seconds: float) -> None:
        """Let time pass between two actions, glancing at the screen."""
        self._plan(seconds)
        while (left_ns := self._due_ns - self._clock.now_ns()) > 0:
            self.glance()
            self._clock.sleep_s(min(left_ns / NS_PER_S, _SLICE_S))
        self.glance()

    def _hold(self, seconds: float) -> None:
        """Let time pass within a click; nothing interrupts it."""
        self._plan(seconds)
        self._clock.sleep_s(seconds)

    def _plan(self, seconds: float) -> None:
        """Say when the next action is due: so long after the last one was, or nearly so long from now."""
        self._due_ns = max(self._due_ns, self._clock.now_ns() - NS_PER_S // 20) + int(seconds * NS_PER_S)

    def pause(self, seconds: float, why: str) -> None:
        """Rest, read or think; a break if it is long enough. A break cut short by a glance ends there."""
        start_ns = self._clock.now_ns()
        try:
            self.wait(seconds)
        finally:
            end_ns = self._clock.now_ns()
            if end_ns - start_ns >= BREAK_S * NS_PER_S:
                self.log.write("break", start_ns=start_ns, end_ns=end_ns, why=why)

    def about(self, median: float, spread: float = 0.35) -> float:
        """Return a human delay: log-normal around `median` seconds."""
        return self.rng.lognormvariate(math.log(median), spread)

    def text(self, text: str, *, rate: float = 6.0) -> None:
        """Type text at about `rate` characters a second; newline, tab and backspace are the keys of that name."""
        for character in text:
            pace = 1.0 / rate * (1.6 if character in " \n\t" else 1.0)
            self.wait(min(self.about(pace), 4 * pace))
            self._stroke({"\n": "Return", "\t": "Tab", "\b": "BackSpace"}.get(character, character), ())

    def chord(self, keys: str) -> None:
        """Press a key or a combination: "Return", "ctrl+z", "ctrl+shift+s"."""
        *modifiers, key = keys.split("+") if keys != "+" else ["+"]
        self.wait(self.about(0.22))
        self._stroke(key, tuple(_MODIFIERS[name] for name in modifiers))

    def repeat(self, keys: str, count: int, *, gap_s: float = 0.25) -> None:
        """Press the same combination several times in a row."""
        for _ in range(count):
            self.wait(self.about(gap_s, 0.25))
            self.chord(keys)

    def switch(self, times: int) -> None:
        """Go to the window that was in front `times` windows ago: Tab while alt is held, for long enough to be seen.

        Some window managers miss an alt that is let go of at once, and go on waiting for it.
        """
        alt, tab = self._code(_MODIFIERS["alt"])[0], self._code("Tab")[0]
        self.wait(self.about(0.22))
        glance, self.glance = self.glance, lambda: None
        self._note("key", keys="Alt_L+Tab", times=times)
        try:
            self._fake(X.KeyPress, alt)
            for _ in range(times):
                self._sync()
                self.wait(self.about(0.18))
                self._fake(X.KeyPress, tab)
                self._fake(X.KeyRelease, tab)
            self._sync()
            self.wait(self.about(0.2))
        finally:
            self._fake(X.KeyRelease, alt)
            self._sync()
            self.glance = glance

    def _stroke(self, key: str, modifiers: tuple[str, ...]) -> None:
        code, shifted = self._code(key)
        held = [self._code(name)[0] for name in modifiers]
        if shifted and "Shift_L" not in modifiers:
            held.append(self._code("Shift_L")[0])
        self._note("key", keys="+".join((*modifiers, key)))
        for modifier in held:
            self._fake(X.KeyPress, modifier)
        self._fake(X.KeyPress, code)
        self._fake(X.KeyRelease, code)
        for modifier in reversed(held):
            self._fake(X.KeyRelease, modifier)
        self._sync()

    def _code(self, key: str) -> tuple[int, bool]:
        symbol = ord(key) if len(key) == 1 else XK.string_to_keysym(key)
        for code, index in sorted(self._display.keysym_to_keycodes(symbol), key=lambda pair: pair[1]):
            if index in {0, 1}:
                return code, index == 1
        raise ValueError(f"no key for {key!r} on this keyboard layout")

    def move(self, x: int, y: int) -> None:
        """Move the pointer along a slightly bent path; the time follows Fitts' law for a 20 pixel target."""
        start_x, start_y = self._at
        distance = math.hypot(x - start_x, y - start_y)
        if distance < 1:
            return
        duration = (0.08 + 0.09 * math.log2(distance / 20 + 1)) * self.rng.uniform(0.9, 1.3) * self.tempo
        bend = self.rng.uniform(-0.08, 0.08) * distance
        steps = max(2, int(duration / _STEP_S))
        self._note("move", x=x, y=y)
        for step in range(1, steps + 1):
            part = step / steps
            eased = part * part * (3 - 2 * part)
            sway = bend * math.sin(math.pi * eased) / distance
            at_x = start_x + (x - start_x) * eased - (y - start_y) * sway
            at_y = start_y + (y - start_y) * eased + (x - start_x) * sway
            self._fake(X.MotionNotify, 0, round(at_x), round(at_y))
            self._sync()
            self._at = (round(at_x), round(at_y))
            self.wait(_STEP_S)
        self.log.write("moved", x=x, y=y)

    def click(self, x: int, y: int, *, count: int = 1) -> None:
        """Go to a point and click there; `count` 2 is a double click."""
        self.move(x, y)
        self.wait(self.about(0.12))
        for number in range(count):
            if number:
                self._hold(0.09)
            self._note("button", x=x, y=y, button="left")
            self._fake(X.ButtonPress, _LEFT)
            self._sync()
            self._hold(self.rng.uniform(0.05, 0.09))
            self._fake(X.ButtonRelease, _LEFT)
            self._sync()

    def drag(self, start: tuple[int, int], end: tuple[int, int]) -> None:
        """Press at one point and release at another; nothing interrupts it."""
        self.move(*start)
        self.wait(self.about(0.15))
        glance, self.glance = self.glance, lambda: None
        try:
            self._note("button", x=start[0], y=start[1], button="left")
            self._fake(X.ButtonPress, _LEFT)
            self.move(*end)
            self._note("release", x=end[0], y=end[1], button="left")
            self._fake(X.ButtonRelease, _LEFT)
            self._sync()
        finally:
            self.glance = glance

    def scroll(self, steps: int) -> None:
        """Turn the wheel: positive is up."""
        for _ in range(abs(steps)):
            self.wait(self.about(0.16))
            self._note("scroll", dy=1 if steps > 0 else -1)
            self._fake(X.ButtonPress, _UP if steps > 0 else _DOWN)
            self._fake(X.ButtonRelease, _UP if steps > 0 else _DOWN)
            self._sync()

    def _sync(self) -> None:
        self._display.sync()

    def _fake(self, kind: int, detail: int, x: int = 0, y: int = 0) -> None:
        xtest.fake_input(self._display, kind, detail, x=x, y=y)

    def _note(self, kind: str, **facts: Any) -> None:
        late_ms = max(0.0, (self._clock.now_ns() - self._due_ns) / 1e6)
        self.log.write(kind, late_ms=round(late_ms, 1), **facts)
