"""What the drawing programs share: the main window, menus, dialogs, undo, places in the view and their colours.

Menus are distinguished from tool tips by their height. A dialog is any other window of the same process.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from demo.virtual_desktop.desktop import VirtualDesktop
from demo.virtual_desktop.pixels import grab_pixels
from demo.virtual_desktop.windows import WindowInfo, poll
from lab.simulation.program import Point, inside
from lab.simulation.programs.main_window import MainWindow
from lab.simulation.programs.pictures import Colour
from lab.simulation.simulated_user import SimulatedUser
from storage.clock import NS_PER_S
from storage.records import Box

_MENU_HEIGHT = 90
_NEAR = 90
_ATTEMPTS = 8
_PIXEL = 4
_GLANCE_S = 0.12


@dataclass(frozen=True, slots=True)
class Look:
    """What a part of the screen showed."""

    box: Box
    pixels: bytes

    def colour(self, point: Point) -> Colour:
        """Return the colour at a point; beyond the edge, the one at the edge."""
        x = min(max(point[0] - self.box.x, 0), self.box.w - 1)
        y = min(max(point[1] - self.box.y, 0), self.box.h - 1)
        at = _PIXEL * (y * self.box.w + x)
        return self.pixels[at + 2], self.pixels[at + 1], self.pixels[at]


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialog:
    """A harmless dialog: how it is opened, its tabs, and sliders as a height and the range across in which to click."""

    title: str
    menu: str
    row: int
    keys: str | None = None
    tabs: tuple[Point, ...] = ()
    sliders: tuple[tuple[int, int, int], ...] = ()


class DrawingProgram:
    """A drawing program's main window, operated by one user; `_box` is where it is, without decorations."""

    name: str
    menus: ClassVar[Mapping[str, int]]
    menu_y: ClassVar[int]
    save_row: ClassVar[int]
    undo_row: ClassVar[int]
    redo_row: ClassVar[int]
    redo_keys: ClassVar[Sequence[str]]
    _dialog: Dialog
    _desktop: VirtualDesktop
    _main: MainWindow
    _box: Box

    def __init__(self, user: SimulatedUser) -> None:
        """Let `user` operate it."""
        self._user = user
        self._hands = user.hands
        self._rng = user.rng
        self._moved = self._undone = self._is_larger = False
        self._tab = 0

    def _take(self, desktop: VirtualDesktop, window: WindowInfo) -> None:
        """Make `window` the main window, once it is active."""
        self._desktop = desktop
        self._main = MainWindow(self._user, desktop, window)
        poll(self._main.is_front, what=f"activating {self.name}", timeout_s=30.0)
        self._measure()

    def _measure(self) -> None:
        self._box = self._main.box

    def _menus(self) -> list[WindowInfo]:
        return [popup for popup in self._user.windows.popups() if popup.box.h >= _MENU_HEIGHT]

    def _come_back(self) -> None:
        """Close menus and dialogs and be in front of everything."""
        for _ in range(_ATTEMPTS):
            if not self._menus():
                break
            self._hands.chord("Escape")
            self._hands.wait(0.3)
        self._main.leave_others()
        self._main.come_to_front()
        self._measure()

    def _at(self, x: int, y: int) -> Point:
        """Return a place in the window as a point of the desktop; negative values count from the far edges."""
        return inside(self._box, x, y)

    def menu_points(self) -> Sequence[Point]:
        """Return the menus' titles."""
        return [self._menu(name) for name in self.menus]

    def has_menu_windows(self) -> bool:
        """Return True: a menu is an X window of its own."""
        return True

    def _menu(self, name: str) -> Point:
        return self._at(self.menus[name], self.menu_y)

    def _choose(self, title: Point, row: int) -> None:
        """Open the menu under `title` and click on what is `row` pixels below its top edge."""
        menu = self._open_menu(title)
        self._hands.wait(self._hands.about(0.25))
        x = min(max(title[0] + self._rng.randint(-12, 12), menu.box.x + 12), menu.box.x + menu.box.w - 12)
        self._hands.click(x, menu.box.y + row + self._rng.randint(-4, 4))  # straight down: past no other title
        if self._user.wait_until(lambda: not self._menus(), times=20):
            return
        self._user.close_menus()
        raise LookupError("the menu did not take the click")

    def _choose_or(self, title: Point, row: int, keys: str) -> None:
        """Choose in a menu; where the entry is grey, press its keys, which then do nothing either."""
        try:
            self._choose(title, row)
        except LookupError:
            self._hands.chord(keys)

    def _open_menu(self, title: Point) -> WindowInfo:
        for _ in range(2):
            if self._menus():
                self._hands.chord("Escape")
                self._hands.wait(0.2)
        self._hands.click(*title)

        def opened() -> WindowInfo | None:
            menus = self._menus()
            return next((m for m in menus if abs(m.box.x - title[0]) < _NEAR and m.box.y > title[1] - _NEAR), None)

        if (menu := self._user.wait_until(opened, times=60)) is None:
            raise LookupError("no menu opened")
        return menu

    def save(self) -> None:
        """Save, by key or menu."""
        if self._user.by_key():
            self._hands.chord("ctrl+s")
        else:
            self._choose(self._menu("File"), self.save_row)

    def undo(self, times: int) -> None:
        """Take back by ctrl+z, a single one now and then by the menu."""
        self._step(times, self.undo_row, ("ctrl+z",))

    def redo(self, times: int) -> None:
        """Do again by key, a single one now and then by the menu."""
        self._step(times, self.redo_row, self.redo_keys)

    def _step(self, times: int, row: int, keys: Sequence[str]) -> None:
        self._undone = True
        if times == 1 and not self._user.by_key() and self._user.chance(0.4):
            self._choose_or(self._menu("Edit"), row, keys[0])
        else:
            self._hands.repeat(keys[0] if len(keys) == 1 else self._rng.choice(keys), times, gap_s=0.22)

    def open_dialog(self) -> None:
        """Open this session's dialog."""
        dialog = self._dialog
        if dialog.keys is not None and self._user.by_key():
            self._hands.chord(dialog.keys)
        else:
            self._choose(self._menu(dialog.menu), dialog.row)
        self._wait_dialog(dialog.title)
        self._tab = 0

    def _set_slider(self, box: Box) -> None:
        y, first, last = self._rng.choice(self._dialog.sliders)
        self._hands.click(box.x + self._rng.randint(first, last), box.y + y)

    def _dialogs(self, title: str) -> list[WindowInfo]:
        return [window for window in self._main.others() if title.lower() in window.title.lower()]

    def _dialog_box(self, title: str) -> Box:
        found = self._dialogs(title)
        if not found:
            raise LookupError("the dialog is not open")
        return found[0].box

    def _wait_dialog(self, title: str) -> None:
        """Wait until a dialog is there and keeps its size."""
        last: Box | None = None
        for _ in range(50):
            found = self._dialogs(title)
            if found and found[0].box == last:
                return
            last = found[0].box if found else None
            self._hands.wait(0.15)
        raise LookupError(f"no dialog {title!r} opened")

    def _wait_gone(self, title: str) -> None:
        if not self._user.wait_until(lambda: not self._dialogs(title), times=40, every_s=0.1):
            raise LookupError("the dialog did not close")

    def _view(self) -> Box:
        """Return the part of the canvas that things are done in."""
        raise NotImplementedError

    def _is_over_view(self) -> bool:
        box = self._view()
        x, y = self._hands.at
        return box.x <= x <= box.x + box.w and box.y <= y <= box.y + box.h

    def _somewhere(self) -> Point:
        box = self._view()
        return box.x + self._rng.randint(0, box.w), box.y + self._rng.randint(0, box.h)

    def _away(self, point: Point, nearest: int, farthest: int) -> Point:
        """Return another place in the view, about so far away."""
        box = self._view()
        across = self._rng.choice((-1, 1)) * self._rng.randint(nearest, farthest)
        down = self._rng.randint(-farthest // 2, farthest // 2)
        x, y = point[0] + across, point[1] + down
        if not box.x <= x <= box.x + box.w:
            x = point[0] - across
        return min(max(x, box.x), box.x + box.w), min(max(y, box.y), box.y + box.h)

    def content_points(self) -> Sequence[Point]:
        """Return places all over the view."""
        box = self._view()
        shares = ((0.2, 0.2), (0.5, 0.15), (0.8, 0.25), (0.3, 0.5), (0.65, 0.45), (0.4, 0.8), (0.75, 0.75))
        return [(box.x + int(box.w * across), box.y + int(box.h * down)) for across, down in shares]

    def toggle(self, *, anew: bool) -> None:
        """Make the picture larger, or as large as it was."""
        self._moved = True
        self._is_larger = anew or not self._is_larger
        self._hands.chord("plus" if self._is_larger else "minus")

    def _scroll(self, steps: int) -> None:
        """Turn the wheel over the view, and back if nothing moves: there the picture ends."""
        if not self._is_over_view():
            self._hands.move(*self._somewhere())
            self._hands.wait(0.1)
        before = self._look()
        self._hands.scroll(steps)
        self._hands.wait(0.2)
        if self._look() == before:
            self._hands.scroll(-steps)

    def _look(self) -> Look:
        """Look at the view. It takes a user a moment, which does not count as being late."""
        look = Look(self._view(), grab_pixels(self._desktop.display, self._view()))
        self._hands.wait(self._hands.about(_GLANCE_S))
        return look

    def _colours(self, point: Point, count: int, *, down: bool = False) -> list[Colour]:
        """Return the colours on the screen from a point to the right or down."""
        box = Box(*point, *((1, count) if down else (count, 1)))
        look = Look(box, grab_pixels(self._desktop.display, box))
        steps = range(count)
        return [look.colour((box.x, box.y + step) if down else (box.x + step, box.y)) for step in steps]

    def _until(self, seconds: float) -> int:
        return self._user.clock.now_ns() + int(seconds * NS_PER_S)

    def _is_before(self, moment_ns: int) -> bool:
        return self._user.clock.now_ns() < moment_ns


def run_of(colour: Colour, colours: Sequence[Colour], length: int) -> int:
    """Return where the first run of a colour begins that is at least so long.

    Raises:
        LookupError: there is none.
    """
    for start in range(len(colours) - length + 1):
        if all(one == colour for one in colours[start : start + length]):
            return start
    raise LookupError("a part of the window is not where it should be")


def distance(one: Colour, other: Colour) -> int:
    """Return how different two colours are: 0 to 765."""
    return sum(abs(a - b) for a, b in zip(one, other, strict=True))
