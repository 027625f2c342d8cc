"""A program that makes a desktop look used: it types, scrolls, switches pages, shows photos, and numbers its changes.

Run as `python -m lab.benchmarks.capture.screen_activity MODE --seconds N [--log FILE]`.
It draws with python-xlib alone,
full-screen on the display it is given, and acts by XTEST as a person would. Modes: `static` (nothing moves), `ticking`
(a blinking caret and a clock, no input), `mix` (work, with input). Numbered changes are blocks that a reader of pixels
can decode; the log says when and where each was on the screen, so that a recording can be compared with it.
"""

import argparse
import json
import random
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray
from Xlib import XK, X, Xatom
from Xlib.display import Display
from Xlib.ext import xtest

from storage.clock import NS_PER_S, SystemClock
from storage.records import Box

CELL = 24
"""Side of a cell of a number, in pixels: still twelve where the picture is stored at half size."""

BITS = 12
NUMBER_S = 3.2
PANEL = 360
BAR = 28
_TICK_S = 0.03
_CARET_S = 0.53
_LINE = 16
_STRIP = 32
_DARK, _LIGHT, _PAPER = 0x1E1E1E, 0xD4D4D4, 0xFFFFFF
_PHASES = (
    *(("type", 8.5), ("read", 5.0), ("scroll", 2.5), ("photos", 1.0), ("scroll", 2.5)),
    *(("read", 5.5), ("sheet", 6.5), ("canvas", 5.0), ("editor", 3.5)),
)
"""What is done for how many seconds, over and over."""

_WORDS = (
    *("state", "window", "result", "update", "value", "check", "total", "name", "index", "list", "return", "with"),
    *("open", "the", "figure", "sum", "part"),
)


def bits_of(number: int) -> list[bool]:
    """Return a number as `BITS` bits, lowest first."""
    return [bool(number >> bit & 1) for bit in range(BITS)]


def number_in(luma: NDArray[np.uint8], box: Box, scale: float = 1.0) -> int:
    """Read the number shown in `box` from the brightness of a picture stored at `scale` of the screen's size."""
    number = 0
    for bit in range(BITS):
        x = round((box.x + CELL * (bit + 1.5)) * scale)
        y = round((box.y + CELL * 1.5) * scale)
        number |= int(luma[y, x] > 127) << bit  # noqa: PLR2004  # half of white
    return number


def _smooth(coarse: NDArray[np.float64], height: int, width: int) -> NDArray[np.float64]:
    """Stretch a coarse grid of colours to a picture, with straight transitions."""
    rows = np.linspace(0, coarse.shape[0] - 1.001, height)
    columns = np.linspace(0, coarse.shape[1] - 1.001, width)
    y, x = rows.astype(int), columns.astype(int)
    down, right = (rows - y)[:, None, None], (columns - x)[None, :, None]
    above = coarse[y][:, x] * (1 - right) + coarse[y][:, x + 1] * right
    below = coarse[y + 1][:, x] * (1 - right) + coarse[y + 1][:, x + 1] * right
    stretched: NDArray[np.float64] = above * (1 - down) + below * down
    return stretched


def _phase_at(t: float) -> str:
    """Return what is done at a second of the work."""
    left = t % sum(seconds for _, seconds in _PHASES)
    for name, seconds in _PHASES:
        left -= seconds
        if left < 0:
            return name
    return _PHASES[-1][0]


class ScreenActivity:
    """The full-screen window and what is drawn in it."""

    def __init__(self, mode: str, log: IO[str] | None) -> None:
        self._clock = SystemClock()
        self._mode = mode
        self._log = log
        self._random = random.Random(7)  # noqa: S311  # the same work every time
        self._display = Display()
        screen = self._display.screen()
        self._root = screen.root
        self._width, self._height = screen.width_in_pixels, screen.height_in_pixels
        self._window = self._root.create_window(
            *(0, 0, self._width, self._height, 0, screen.root_depth), background_pixel=_DARK, event_mask=X.ExposureMask
        )
        self._gc = self._window.create_gc(foreground=_LIGHT, background=_DARK, font=self._display.open_font("fixed"))
        self._present()
        self._pages = {name: self._page(name) for name in ("editor", "photos", "sheet", "canvas")}
        self._shown = ""
        self._column, self._row, self._stroke = 0, 4, 0.0
        self._number: tuple[int, Box] | None = None
        self._count = 0
        self._caret = False

    def run(self, seconds: float) -> None:
        """Do the mode's work for so long."""
        start_ns = self._clock.now_ns()
        self._show("editor")
        last_s = last_number = last_caret = -1
        phase = ""
        while (t := (self._clock.now_ns() - start_ns) / NS_PER_S) < seconds:
            if self._mode != "static" and int(t) != last_s:
                last_s = int(t)
                self._draw_clock(last_s)
            if self._mode != "static" and int(t / _CARET_S) != last_caret:
                last_caret = int(t / _CARET_S)
                self._blink()
            if self._mode == "mix":
                if int(t / NUMBER_S) != last_number:
                    last_number = int(t / NUMBER_S)
                    self._next_number()
                wanted = _phase_at(t)
                if wanted != phase:
                    phase = wanted
                    self._enter(phase)
                self._work(phase)
            if self._mode == "mix":
                self._display.sync()
            else:
                self._display.flush()
            while self._display.pending_events():
                self._display.next_event()
            self._clock.sleep_s(_TICK_S)
        self._erase_number()
        self._display.close()

    def _present(self) -> None:
        atom = self._display.intern_atom
        self._window.set_wm_class("kairoscontent", "KairosContent")
        self._window.set_wm_name("content")
        self._window.change_property(atom("_NET_WM_STATE"), Xatom.ATOM, 32, [atom("_NET_WM_STATE_FULLSCREEN")])
        self._window.map()
        while self._window.get_attributes().map_state != X.IsViewable:
            self._clock.sleep_s(0.02)

    def _page(self, name: str) -> Any:
        page = self._window.create_pixmap(self._width, self._height, self._display.screen().root_depth)
        paper = {"editor": _DARK, "canvas": 0x3C3C3C}.get(name, _PAPER)
        ink = _LIGHT if name == "editor" else 0x222222
        self._fill(page, paper, Box(0, 0, self._width, self._height))
        self._gc.change(foreground=ink, background=paper)
        if name in ("editor", "photos"):
            for row in range(BAR + _LINE, self._height, _LINE):
                page.draw_text(self._gc, 40, row, " ".join(self._random.choices(_WORDS, k=14)))
        if name == "sheet":
            for row in range(BAR + _LINE, self._height, _LINE + 6):
                for column in range(12):
                    page.draw_text(self._gc, 40 + 110 * column, row, f"{self._random.random() * 1000:.2f}")
        if name == "photos":
            for place in range(2):
                self._photo(page, Box(60, 120 + 500 * place, 700, 420), place)
        if name == "canvas":
            width = min(1300, self._width - PANEL - 200)
            self._photo(page, Box(160, 80, width, self._height - 200), 9)
        return page

    def _photo(self, page: Any, box: Box, seed: int) -> None:
        """Draw something as rough as a photo: smooth shapes of many sizes, and noise."""
        x, y, width, height = box
        rng = np.random.default_rng(seed)
        image = np.full((height, width, 4), 128.0)
        for size in (256, 128, 64, 32, 16):
            image += _smooth(rng.uniform(-1, 1, (height // size + 2, width // size + 2, 4)), height, width) * size / 3
        image = np.clip(image + rng.normal(0, 4, image.shape), 0, 255).astype(np.uint8)
        depth = self._display.screen().root_depth
        for top in range(0, height, _STRIP):
            rows = image[top : top + _STRIP]
            page.put_image(self._gc, x, y + top, width, rows.shape[0], X.ZPixmap, depth, 0, rows.tobytes())

    def _fill(self, target: Any, colour: int, box: Box) -> None:
        self._gc.change(foreground=colour)
        target.fill_rectangle(self._gc, *box)

    def _text(self, x: int, y: int, text: str, ink: int, paper: int) -> None:
        self._gc.change(foreground=ink, background=paper)
        self._window.image_text(self._gc, x, y, text)

    def _show(self, page: str) -> None:
        if page != self._shown:
            self._shown = page
            width = self._width - PANEL
            self._window.copy_area(self._gc, self._pages[page], 0, BAR, width, self._height - BAR, 0, BAR)

    def _draw_clock(self, second: int) -> None:
        text = f"{self._shown:<10} {second // 60:02}:{second % 60:02}"
        self._text(self._width - PANEL + 20, 18, text, _LIGHT, _DARK)

    def _blink(self) -> None:
        self._caret = not self._caret
        self._fill(self._window, _LIGHT if self._caret else _DARK, Box(30, BAR + 8, 2, 14))

    def _erase_number(self) -> None:
        if self._number is not None:
            number, box = self._number
            self._fill(self._window, _DARK, box)
            self._display.sync()
            self._note({"number": number, "erased_ns": self._clock.now_ns()})
            self._number = None

    def _next_number(self) -> None:
        """Replace the number on the side panel by the next one, somewhere else."""
        self._erase_number()
        self._count += 1
        rows = (self._height - BAR - 4 * CELL) // (3 * CELL)
        row = self._count * 5 % rows
        box = Box(self._width - PANEL + 8, BAR + CELL + row * 3 * CELL, CELL * (BITS + 2), 3 * CELL)
        begun_ns = self._clock.now_ns()
        self._fill(self._window, 0x808080, box)
        for bit, on in enumerate(bits_of(self._count)):
            cell = Box(box.x + CELL * (bit + 1), box.y + CELL, CELL, CELL)
            self._fill(self._window, 0xFFFFFF if on else 0x000000, cell)
        self._display.sync()
        self._number = (self._count, box)
        self._note({"number": self._count, "box": box, "begun_ns": begun_ns, "drawn_ns": self._clock.now_ns()})

    def _note(self, line: dict[str, object]) -> None:
        if self._log is not None:
            self._log.write(json.dumps(line) + "\n")
            self._log.flush()

    def _enter(self, phase: str) -> None:
        page = {"type": "editor", "editor": "editor", "photos": "photos", "sheet": "sheet", "canvas": "canvas"}.get(
            phase
        )
        if page is not None:
            self._point(self._random.randrange(100, self._width - PANEL), 60)
            self._press(X.ButtonPress, X.ButtonRelease, 1)
            self._show(page)

    def _work(self, phase: str) -> None:
        chance = self._random.random()
        if phase == "type" and chance < 0.2:  # noqa: PLR2004  # about seven keys a second
            self._press(X.KeyPress, X.KeyRelease, self._display.keysym_to_keycode(XK.XK_a))
            self._column = (self._column + 1) % 100
            self._text(40 + 7 * self._column, BAR + 20 + _LINE * self._row, chr(97 + self._column % 26), _LIGHT, _DARK)
            self._row = (self._row + (self._column == 0)) % 40
        elif phase == "scroll" and chance < 0.3:  # noqa: PLR2004  # about ten steps a second
            self._press(X.ButtonPress, X.ButtonRelease, 5)
            width, height = self._width - PANEL, self._height - BAR - _LINE
            self._window.copy_area(self._gc, self._window, 0, BAR + _LINE, width, height, 0, BAR)
            ink, paper = (_LIGHT, _DARK) if self._shown == "editor" else (0x222222, _PAPER)
            self._fill(self._window, paper, Box(0, self._height - _LINE, width, _LINE))
            self._text(40, self._height - 4, " ".join(self._random.choices(_WORDS, k=14)), ink, paper)
        elif phase == "sheet" and chance < 0.05:  # noqa: PLR2004  # a cell every half second
            self._press(X.KeyPress, X.KeyRelease, self._display.keysym_to_keycode(XK.XK_a))
            x, y = 40 + 110 * self._random.randrange(12), BAR + _LINE + 22 * self._random.randrange(30)
            self._text(x, y, f"{self._random.random() * 1000:7.2f}", 0x222222, _PAPER)
        elif phase == "canvas" and chance < 0.5:  # noqa: PLR2004  # a stroke of the brush
            self._stroke += 0.05
            x, y = int(700 + 400 * np.sin(self._stroke * 2.1)), int(450 + 250 * np.sin(self._stroke * 3.3))
            self._point(x, y)
            self._fill(self._window, 0xE04020, Box(x, y, 9, 9))

    def _point(self, x: int, y: int) -> None:
        xtest.fake_input(self._display, X.MotionNotify, x=x, y=y)

    def _press(self, down: int, up: int, detail: int) -> None:
        xtest.fake_input(self._display, down, detail)
        xtest.fake_input(self._display, up, detail)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the program."""
    parser = argparse.ArgumentParser(
        prog="python -m lab.benchmarks.capture.screen_activity", description=__doc__.splitlines()[0]
    )
    parser.add_argument("mode", choices=("static", "ticking", "mix"))
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--log", type=Path)
    options = parser.parse_args(arguments)
    if options.log is None:
        ScreenActivity(options.mode, None).run(options.seconds)
        return 0
    with options.log.open("w", encoding="ascii") as log:
        ScreenActivity(options.mode, log).run(options.seconds)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
