"""A scripted user at a desktop: types with slips, opens and closes menus and dialogs, all by `Hands`."""

import random
from collections.abc import Callable, Mapping
from typing import TypeVar

from demo.virtual_desktop.hands import Hands, ScriptLog
from demo.virtual_desktop.windows import WindowInfo, Windows
from storage.clock import Clock
from storage.records import Box

Found = TypeVar("Found")

_MENU_HEIGHT = 50  # tool tips of two programs are 45 high
_LOOKS = 600  # for a dialog: Calc's took 10 s to open on a busy machine, under sway
_TYPO_SHARE = 0.012
_NEIGHBOURS = dict(zip("abcdefghijklmnopqrstuvwxyz", "svfdrgjhokjlmnipetrdyibcxa", strict=True))


class ScriptedUser:
    """What every scripted user does alike; all variation comes from the random numbers of the hands."""

    def __init__(self, hands: Hands, windows: Windows, log: ScriptLog, *, clock: Clock) -> None:
        """Use `hands` on the display whose windows are `windows`; what is done is written to `log`."""
        self.hands = hands
        self.windows = windows
        self.rng: random.Random = hands.rng
        self.rate = self.rng.uniform(4.5, 7.5)
        self.slips = _TYPO_SHARE
        self.log = log
        self.clock = clock

    def write(self, text: str, *, rate: float | None = None) -> None:
        """Type text, with a slip and its correction now and then."""
        pace = rate or self.rate
        for character in text:
            if character in _NEIGHBOURS and self.chance(self.slips):
                self.hands.text(_NEIGHBOURS[character], rate=pace)
                self.hands.wait(self.hands.about(0.3))
                self.hands.chord("BackSpace")
            self.hands.text(character, rate=pace)

    def chance(self, share: float) -> bool:
        """Return True in `share` of the cases."""
        return self.rng.random() < share

    def read(self, shortest: float, longest: float) -> None:
        """Do nothing but look."""
        self.hands.pause(self.rng.uniform(shortest, longest), "reading")

    def open_menu(self, x: int, y: int) -> WindowInfo:
        """Click on a menu's title and return the menu that opened."""
        before = {menu.xid: menu.box for menu in self._menus()}
        self.hands.click(x, y)
        return self._new_menu(before)

    def next_menu(self, x: int, y: int) -> WindowInfo:
        """Go to another menu's title while one is open, which opens it; return the menu."""
        before = {menu.xid: menu.box for menu in self._menus()}
        self.hands.move(x, y)
        return self._new_menu(before)

    def _new_menu(self, before: Mapping[int, Box]) -> WindowInfo:
        """Wait for a menu that was not there before, or not there in this place: some programs use one window.

        On the way to a title the pointer may have opened its menu already; then that one stays.
        """
        menus: list[WindowInfo] = []

        def new_menu() -> WindowInfo | None:
            menus[:] = self._menus()
            return next((menu for menu in menus if before.get(menu.xid) != menu.box), None)

        if (menu := self.wait_until(new_menu, times=100)) is not None:
            return menu
        if menus:
            return menus[-1]
        raise LookupError("no menu opened")

    def close_menus(self) -> None:
        """Press Escape until no menu is open."""
        for _ in range(4):
            if not self._menus():
                return
            self.hands.chord("Escape")
            self.hands.wait(0.15)

    def wait_dialog(self, title: str) -> WindowInfo:
        """Wait for a dialog, look at it for a moment (it may still change its size), and return it."""
        for _ in range(_LOOKS):
            if self.windows.find(title=title) is not None:
                self.hands.wait(self.rng.uniform(0.5, 0.9))
                if (window := self.windows.find(title=title)) is not None:
                    return window
            self.hands.wait(0.05)
        raise LookupError(f"no dialog {title!r} opened")

    def close_dialog(self, title: str) -> None:
        """Leave a dialog with Escape and wait until it is gone."""
        for _ in range(3):
            self.hands.chord("Escape")
            if self.is_gone(title, timeout_s=5.0):
                return
        raise LookupError(f"the dialog {title!r} did not close")

    def wait_title_gone(self, title: str) -> None:
        """Wait until a dialog that was answered is gone."""
        if not self.is_gone(title, timeout_s=30.0):
            raise LookupError(f"the dialog {title!r} did not close")

    def is_gone(self, title: str, *, timeout_s: float) -> bool:
        """Wait until no window has a title; return whether that came in time."""
        return (
            self.wait_until(lambda: self.windows.find(title=title) is None, times=int(timeout_s / 0.1), every_s=0.1)
            is True
        )

    def wait_until(self, check: Callable[[], Found | None], *, times: int, every_s: float = 0.05) -> Found | None:
        """Return what `check` finds as soon as that is true, else None; wait `every_s` after each of `times` looks."""
        for _ in range(times):
            if found := check():
                return found
            self.hands.wait(every_s)
        return None

    def several(self, times: int, act: Callable[[], object], rest_s: float) -> None:
        """Do something several times, with a rest of about `rest_s` after each."""
        for _ in range(times):
            act()
            self.hands.wait(self.hands.about(rest_s))

    def _menus(self) -> list[WindowInfo]:
        return [popup for popup in self.windows.popups() if popup.box.h >= _MENU_HEIGHT]
