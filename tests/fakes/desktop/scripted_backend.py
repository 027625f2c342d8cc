"""A capture backend without a display: a test plays windows, paint and input, and the real capture thread sees them.

It is also the example of a backend: this file, and one line in `daemon.capture.backend.BACKENDS`.
"""

from collections import deque
from collections.abc import Collection
from dataclasses import dataclass, replace

import numpy as np

from daemon.capture.backend import CaptureBackend, NotNow, Wakeup
from daemon.capture.diff import Pixels
from daemon.capture.input import InputQueue
from daemon.capture.keys import KeyPress
from daemon.capture.scene import DesktopWindow, Monitor, Scene
from storage.capabilities import Capabilities
from storage.clock import Clock
from storage.records import Box

SCREEN = Box(0, 0, 640, 320)


@dataclass(frozen=True)
class Show:
    """These windows are on the screen now, bottom first."""

    windows: tuple[DesktopWindow, ...]
    active: int = 0


@dataclass(frozen=True)
class Paint:
    """A rectangle has one grey value now."""

    box: Box
    value: int


@dataclass(frozen=True)
class Press:
    """A letter key is pressed and released."""

    letter: str


@dataclass(frozen=True)
class Click:
    """The left button is pressed and released."""

    x: int
    y: int


Step = Show | Paint | Press | Click


class ScriptedBackend(CaptureBackend):
    """One monitor of plain pixels; `play` changes it as the programs and the user of a real desktop would."""

    capabilities = Capabilities(desktop="scripted")
    is_closed = False
    refusals = 0
    """How often from now on there is no picture when one is wanted."""

    def __init__(self, clock: Clock) -> None:
        self.damaged, self.resized, self.locked, self.behind = True, False, None, False
        self._clock = clock
        self._wakeup = Wakeup()
        self._arrived: deque[Show | Paint] = deque()
        self._newest = Scene(t_ns=clock.now_ns())
        self._scenes = [self._newest]
        self._damage = [SCREEN]
        self._pixels: Pixels = np.zeros((SCREEN.h, SCREEN.w, 4), np.uint8)
        self._queue: InputQueue | None = None
        self._event_ms = 0

    def play(self, *steps: Step) -> None:
        for step in steps:
            if isinstance(step, Show | Paint):
                self._arrived.append(step)
                self._wakeup.wake()
            else:
                self._send_input(step)

    def _send_input(self, step: Press | Click) -> None:
        self._event_ms += 1
        if self._queue is None or not self._queue.accepts(self._event_ms):
            return
        if isinstance(step, Press):
            self._queue.press(KeyPress(ord(step.letter), step.letter))
        else:
            for pressed in (True, False):
                self._queue.click(step.x, step.y, "left", pressed)

    @property
    def has_steps(self) -> bool:
        """Whether windows or painting were played that the capture thread has not taken in."""
        return bool(self._arrived or self._scenes)

    # ------------------------------------------------------------ called by the capture thread

    def fileno(self) -> int:
        return self._wakeup.fileno()

    def has_unread(self) -> bool:
        return False

    def read(self) -> None:
        self._wakeup.clear()
        while self._arrived:
            step = self._arrived.popleft()
            if isinstance(step, Show):
                self._newest = Scene(t_ns=self._clock.now_ns(), windows=step.windows, active=step.active)
                self._scenes.append(self._newest)
            else:
                self._scenes.append(replace(self._newest, t_ns=self._clock.now_ns(), painted=(step.box,), repeats=True))
                x, y, width, height = step.box
                self._pixels[y : y + height, x : x + width, :3] = step.value
                self._damage.append(step.box)
                self.damaged = True

    def sync(self) -> None:
        self.read()

    def event_time_ms(self) -> int:
        self.read()
        return self._event_ms

    def take_scenes(self) -> tuple[Scene, ...]:
        scenes, self._scenes = tuple(self._scenes), []
        return scenes

    def watch_painting(self, *, on: bool, inside: frozenset[int] = frozenset()) -> None:
        """Painting is always said."""

    def follow_damage(self, *, on: bool, hidden: Collection[Box] = ()) -> None:
        """Damage is always said."""

    def take_damage(self) -> tuple[Box, ...]:
        boxes, self._damage, self.damaged = tuple(self._damage), [], self.refusals > 1
        return boxes

    def monitors(self) -> tuple[Monitor, ...]:
        return (Monitor(name="scripted", box=SCREEN),)

    def pointer(self) -> tuple[int, int]:
        return 0, 0

    def grab(self, box: Box) -> Pixels:
        if self.refusals:
            self.refusals -= 1
            raise NotNow
        return self._pixels[box.y : box.y + box.h, box.x : box.x + box.w].copy()

    def start_input(self, queue: InputQueue) -> None:
        self._queue = queue

    def close(self) -> None:
        self.is_closed = True
        self._wakeup.close()
