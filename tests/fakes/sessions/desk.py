"""A small simulated desk: a program on a screen, as the records Kairos would take in (simulated, not recorded).

It keeps just enough state for frames to be honest: a document that undo brings back, a caret that blinks, a clock
that ticks, menus and dialogs that open and vanish, and frames at most every half second.
"""

import random

from storage.records import Box, EventKind, Focus, Frame, InputEvent, KeyClass, Record, WindowEvent

S = 1_000_000_000
MAIN = Box(100, 60, 1400, 900)


def _on_tiles(boxes: list[Box]) -> tuple[Box, ...]:
    """Return boxes on the grid of 64 x 32 tiles in which the screen is compared."""
    tiled = []
    for box in boxes:
        left, top = box.x // 64 * 64, box.y // 32 * 32
        right, bottom = -(-(box.x + box.w) // 64) * 64, -(-(box.y + box.h) // 32) * 32
        tiled.append(Box(left, top, right - left, bottom - top))
    return tuple(dict.fromkeys(tiled))


class Desk:
    """Produces records by acting; `now` is in seconds."""

    def __init__(self, seed: int, *, caret: bool = True, clock: bool = False) -> None:
        self.rng = random.Random(seed)
        self.now = 10.0
        self.records: list[Record] = []
        self.caret_on = caret
        self.clock_on = clock
        self.caret = (300, 300)
        self.document: list[int] = [0]
        self.undone: list[int] = []
        self.fresh = 0
        self.surfaces: tuple[object, ...] = ()
        self._boxes: list[Box] = []
        self._due: float | None = None
        self._last_frame = 0.0
        self._last_blink = 0.0
        self.blinks = 0
        self._last_tick = 0.0
        self._last_input = 0.0
        self.focus("editor")

    # -------------------------------------------------- time and frames

    def wait(self, seconds: float) -> None:
        end = self.now + seconds
        while True:
            moments = [end]
            if self._due is not None:
                moments.append(max(self._due, self.now))
            if self.caret_on:
                moments.append(max(self._last_blink + (0.6 if self._active else 2.0), self.now))
            if self.clock_on:
                moments.append(max(self._last_tick + (1.0 if self._active else 2.0), self.now))
            moment = min(moments)
            self.now = moment
            if self._due is not None and moment >= self._due:
                self._flush()
            elif self.caret_on and moment >= self._last_blink + (0.6 if self._active else 2.0):
                self._last_blink = moment
                self.blinks += 1
                self._boxes.append(Box(*self.caret, 2, 18))
                self._plan()
            elif self.clock_on and moment >= self._last_tick + (1.0 if self._active else 2.0):
                self._last_tick = moment
                self._boxes.append(Box(1840, 4, 60, 18))
                self._plan()
            if moment >= end:
                return

    def about(self, seconds: float, spread: float = 0.35) -> None:
        self.wait(seconds * self.rng.lognormvariate(0.0, spread))

    def paint(self, *boxes: Box) -> None:
        self._boxes.extend(boxes)
        self._plan(soon=True)

    @property
    def _active(self) -> bool:
        return self.now - self._last_input < 2.0

    def _plan(self, *, soon: bool = False) -> None:
        if self._due is None:
            gap = 0.5 if self._active else 2.0
            self._due = max(self.now + (0.06 if soon else 0.02), self._last_frame + (gap if not soon else 0.5))

    def _flush(self) -> None:
        self._due = None
        self._last_frame = self.now
        digest = f"{self.document[-1]}/{self.surfaces}/{int(self._last_tick)}/{self.blinks % 2}/{self.caret}"
        if not (self.caret_on or self.clock_on):
            digest = f"{self.document[-1]}/{self.surfaces}"
        boxes, self._boxes = _on_tiles(self._boxes), []
        self._put(Frame(t_ns=round(self.now * S), monitor="m", size=(1920, 1080), digest=digest, changed=boxes))

    def _put(self, record: Record) -> None:
        self.records.append(record)

    # -------------------------------------------------- acts

    def focus(self, app: str, *, dialog: bool = False, title: str = "main", box: Box = MAIN) -> None:
        self._put(
            Focus(
                t_ns=round(self.now * S), app=app, window=hash((app, title)) & 255, title_digest=title, geometry=box,
                dialog=dialog,
            )
        )  # fmt: skip

    def event(self, kind: EventKind, **fields: object) -> None:
        self._last_input = self.now
        self._put(InputEvent(t_ns=round(self.now * S), kind=kind, **fields))  # type: ignore[arg-type]

    def key(self, key_class: KeyClass) -> None:
        if key_class in {KeyClass.UNDO, KeyClass.REDO, KeyClass.COPY, KeyClass.PASTE, KeyClass.SAVE, KeyClass.SHORTCUT}:
            self.event(EventKind.KEY, key_class=KeyClass.MODIFIER)
            self.wait(0.05)
        self.event(EventKind.KEY, key_class=key_class)

    def change(self, *boxes: Box) -> None:
        self.fresh += 1
        self.document.append(self.fresh)
        self.undone.clear()
        self.paint(*(boxes or (Box(self.caret[0] - 60, self.caret[1], 90, 20),)))

    def type(self, count: int, pace: float = 0.16) -> None:
        for _ in range(count):
            self.key(KeyClass.CHARACTER)
            self.caret = (min(self.caret[0] + 9, 1400), self.caret[1])
            self.change()
            self.about(pace)

    def erase(self, count: int, pace: float = 0.14) -> None:
        for _ in range(count):
            self.key(KeyClass.BACKSPACE)
            self.caret = (max(self.caret[0] - 9, 300), self.caret[1])
            self.change()
            self.about(pace)

    def undo(self, count: int = 1, pace: float = 0.45) -> None:
        for _ in range(count):
            self.key(KeyClass.UNDO)
            if len(self.document) > 1:
                self.undone.append(self.document.pop())
                self.paint(Box(300, self.caret[1], 400, 20))
            self.about(pace)

    def redo(self) -> None:
        self.key(KeyClass.REDO)
        if self.undone:
            self.document.append(self.undone.pop())
            self.paint(Box(300, self.caret[1], 400, 20))

    def move(self, x: int, y: int, steps: int = 5) -> None:
        for step in range(steps):
            self.event(EventKind.MOTION, x=x - 40 * (steps - step), y=y - 5 * (steps - step), path=40)
            self.wait(0.1)

    def press(self, x: int, y: int, button: str = "left") -> None:
        self.event(EventKind.BUTTON_DOWN, button=button, x=x, y=y)
        self.wait(self.rng.uniform(0.05, 0.11))
        self.event(EventKind.BUTTON_UP, button=button, x=x, y=y)

    def jitter(self, x: int, y: int) -> tuple[int, int]:
        return x + self.rng.randint(-3, 3), y + self.rng.randint(-3, 3)

    def open_popup(self, box: Box) -> None:
        self.wait(self.rng.uniform(0.05, 0.4))
        self._put(WindowEvent(t_ns=round(self.now * S), app="editor", popup=True, gone=False, geometry=box))
        self.surfaces = (*self.surfaces, box)
        self.paint(box)

    def close_popup(self, box: Box) -> None:
        self.wait(self.rng.uniform(0.02, 0.1))
        self._put(WindowEvent(t_ns=round(self.now * S), app="editor", popup=True, gone=True, geometry=box))
        self.surfaces = tuple(surface for surface in self.surfaces if surface != box)
        self.paint(box)

    def open_dialog(self, title: str) -> Box:
        box = Box(500, 300, 600, 400)
        self.wait(self.rng.uniform(0.15, 0.8))
        self.surfaces = (*self.surfaces, title)
        self.focus("editor", dialog=True, title=title, box=box)
        self.paint(box)
        return box

    def close_dialog(self, title: str) -> None:
        self.wait(self.rng.uniform(0.05, 0.2))
        self.surfaces = tuple(surface for surface in self.surfaces if surface != title)
        self.focus("editor")
        self.paint(Box(500, 300, 600, 400))
