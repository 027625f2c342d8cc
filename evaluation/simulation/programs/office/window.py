"""The window of a LibreOffice program: started with a profile of its own, and found again whatever covers it.

Places are pixels from the document window's top left corner, or from its right or bottom edge where they are negative,
as version 7 draws them at 96 dpi with the GTK 3 look. Menus are found as windows, their entries by height alone.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from evaluation.simulation.actor import Actor
from evaluation.simulation.program import Point
from evaluation.simulation.programs.office.files import write_profile
from evaluation.simulation.scenery.screen import differing, picture
from evaluation.stage.desktop import VirtualDesktop
from evaluation.stage.prose import sentence
from evaluation.stage.windows import WindowInfo
from storage.records import Box

_MENU_Y = 12
_MENU_HEIGHT = 50  # tool tips are 45 high
_UNDER_TITLE, _STEEP = 22, 0.35  # the way to an entry must not lead over the next title: that opens its menu
_TRAY = "trayer"
_TOP, _RIGHT, _BOTTOM = 125, 75, 70  # what surrounds the document
_CARET_PIXELS = 60
_LAYOUT_S = 1.5
_GLANCE_S = 0.03


class OfficeWindow(ABC):
    """One document in a LibreOffice program, its menus and tool bars, in the hands of one actor."""

    name: str
    packages: str
    menus: ClassVar[Mapping[str, int]]
    keyed_menus: ClassVar[Mapping[str, str]]
    tools: ClassVar[Mapping[str, Point]]

    def __init__(self, actor: Actor) -> None:
        """Let `actor` work in it; the size of the window is drawn here."""
        self.actor = actor
        self.hands = actor.hands
        self.rng = actor.rng
        self.windows = actor.windows
        self.at_caret = False
        self.stream = ""
        self.path = Path()
        self.box = Box(0, 0, 1, 1)
        self._wanted = self._some_box()

    # ------------------------------------------------------------------ starting

    @abstractmethod
    def write_document(self, folder: Path) -> tuple[Path, Sequence[str]]:
        """Write a document of several pages; return its path and what the command line needs beside it."""

    def ready(self) -> None:
        """Put the keyboard into the document, after settling."""
        if self.actor.chance(0.5):
            self.hands.chord("Escape")
        else:
            self.hands.click(*self.rng.choice(self.content_points()))

    @abstractmethod
    def content_points(self) -> Sequence[Point]:
        """Return places in the document."""

    def open(self, desktop: VirtualDesktop) -> None:
        """Write the document and start the program with it, at a size and place of the seed's choice."""
        self._desktop = desktop
        self.path, self._switches = self.write_document(desktop.directory / "home")
        self._profile = desktop.directory / f"office-{self.name}"
        write_profile(self._profile)
        self._start()

    def _start(self) -> None:
        quiet = ("--norestore", "--nologo", "--nofirststartwizard", f"-env:UserInstallation=file://{self._profile}")
        self._desktop.spawn(["soffice", *quiet, f"--{self.name}", *self._switches, str(self.path)], self.name)
        window = self.windows.wait(title=f"{self.path.name} - LibreOffice", timeout_s=120)
        self.hands.wait(_LAYOUT_S)  # the tool bars are laid out after the window is there; nothing announces the end
        if self._wanted is not None:
            self.windows.unmaximise(window)
            self.hands.wait(0.5)
            window = self.windows.place(window, self._wanted)
            self.hands.wait(_LAYOUT_S)
        self.document = window
        self.settle()

    def _some_box(self) -> Box | None:
        if self.actor.chance(0.3):
            return None
        width, height = self.rng.randint(1180, 1840), self.rng.randint(760, 980)
        return Box(self.rng.randint(0, 1910 - width), self.rng.randint(24, min(160, 1036 - height)), width, height)

    # ------------------------------------------------------------------ the way back

    def settle(self) -> None:
        """Get out of menus and dialogs, in front of all others, with the document ready for input."""
        self.at_caret = False
        for attempt in range(12):
            if self.open_menus():
                self.hands.chord("Escape")
                self.hands.wait(0.2)
            elif (document := self._find_document()) is None:
                self._bring_back(attempt)
            elif (other := self._other_window()) is not None:
                self._get_rid_of(other, attempt)
            elif not self._in_front(document):
                self.windows.activate(document)
                self.hands.wait(0.4)
            else:
                self.document, self.box = document, document.box
                self.ready()
                return
        raise LookupError(f"{self.name} does not come back to its document")

    def _find_document(self) -> WindowInfo | None:
        return self.windows.find(title=f"{self.path.name} - LibreOffice")

    def _bring_back(self, attempt: int) -> None:
        """Show a document window that was minimised; open the document again if it was closed."""
        if attempt % 4 != 3:  # noqa: PLR2004  # every fourth time
            self.windows.activate(self.document)
            self.hands.wait(0.7)
        else:
            self._start()

    def _other_window(self) -> WindowInfo | None:
        """Return the topmost window of the program beside its document."""
        for window in reversed(self.windows.listed()):
            is_office = window.app.lower().startswith(("soffice", "libreoffice"))
            if is_office and not window.popup and self.path.name not in window.title:
                return window
        return None

    def _get_rid_of(self, window: WindowInfo, attempt: int) -> None:
        """Leave a dialog by Escape, then by its title bar's button, then by Return."""
        self.windows.activate(window)
        self.hands.wait(0.2)
        if attempt % 4 == 2:  # noqa: PLR2004
            self.windows.close(window)
        elif attempt % 4 == 3:  # noqa: PLR2004
            self.hands.chord("Return")
        else:
            self.hands.chord("Escape")
        self.hands.wait(0.5)

    def _in_front(self, document: WindowInfo) -> bool:
        managed = [window for window in self.windows.listed() if not window.popup and window.app != _TRAY]
        active = self.windows.active()
        return active is not None and active.xid == document.xid and managed[-1].xid == document.xid

    # ------------------------------------------------------------------ places and pictures

    def at(self, point: Point) -> Point:
        """Return the desktop pixel of a place in the window; negative is from the right or the bottom."""
        x, y = point
        box = self.box
        return box.x + (x if x >= 0 else box.w + x), box.y + (y if y >= 0 else box.h + y)

    def view(self) -> bytes:
        """Return the pixels of the document's part of the window."""
        return self._look(self.view_box())

    def view_box(self) -> Box:
        """Return what `view` shows."""
        box = self.box
        return Box(box.x, box.y + _TOP, box.w - _RIGHT, box.h - _TOP - _BOTTOM)

    def pixels(self, box: Box) -> Any:
        """Return what is on the screen in a box, one number a pixel."""
        shown = np.frombuffer(self._look(box), np.uint32)
        if shown.size != box.w * box.h:
            raise LookupError("the window reaches beyond the screen")
        return shown.reshape(box.h, box.w)

    def _look(self, box: Box) -> bytes:
        """Return a picture; the time that this takes is taken, so that the next act is not late."""
        shown = picture(self._desktop.display, box)
        self.hands.wait(_GLANCE_S)
        return shown

    def has_changed(self, before: bytes, *, pixels: int = _CARET_PIXELS) -> bool:
        """Tell whether more of the document soon looks different than a caret that blinks; a busy machine is slow."""
        for _ in range(12):
            now = self.view()
            if len(now) != len(before) or differing(before, now) > pixels:
                return True
            self.hands.wait(0.1)
        return False

    def words(self, seconds: float) -> str:
        """Return the next words of an endless text: as many as this person types in about so long."""
        count = max(5, int(seconds * self.actor.rate / 1.6))
        while len(self.stream) <= count:
            self.stream += sentence(self.rng) + " "
        cut = self.stream.find(" ", count) + 1 or len(self.stream)
        text, self.stream = self.stream[:cut], self.stream[cut:]
        return text

    # ------------------------------------------------------------------ menus and tool bars

    def menu_points(self) -> Sequence[Point]:
        """Return the titles of the menu bar, left to right."""
        return [self.at((x, _MENU_Y)) for x in self.menus.values()]

    def has_menu_windows(self) -> bool:
        """Tell that a menu is an X window of its own."""
        return True

    def tool_points(self) -> Sequence[Point]:
        """Return the buttons of the tool bars that fit into the window."""
        return [self.at(point) for point in self.tools.values() if point[0] < self.box.w - 60]

    def tool(self, name: str) -> None:
        """Click on a button of a tool bar."""
        self.hands.click(*self.at(self.tools[name]))

    def choose(self, menu: str, entry: int) -> None:
        """Open a menu and click on the entry at a height; once more if all entries were still grey."""
        for attempt in range(2):
            opened = self._open(menu)
            if attempt or self.actor.chance(0.3):
                self.hands.wait(self.hands.about(0.4))
            across = _UNDER_TITLE + self.rng.randint(-8, min(85, int(_STEEP * entry)))
            self.hands.click(opened.box.x + across, opened.box.y + entry + self.rng.randint(-4, 4))
            for _ in range(20):
                if not self.open_menus():
                    return
                self.hands.wait(0.05)
            self.actor.close_menus()
        raise LookupError("the menu's entry did not respond")

    def _open(self, menu: str) -> WindowInfo:
        """Open a menu by key or click; a first click now and then only ends what the pointer was doing."""
        by_key = menu in self.keyed_menus and self.actor.chance(self.actor.temperament.keyboard * 0.5)
        for again in (False, True):
            if by_key and not again:
                self.hands.chord(f"alt+{self.keyed_menus[menu]}")
            else:
                self.hands.click(*self.at((self.menus[menu], _MENU_Y)))
            for _ in range(45):
                if menus := self.open_menus():
                    return menus[-1]
                self.hands.wait(0.05)
        raise LookupError("no menu opened")

    def open_menus(self) -> list[WindowInfo]:
        """Return the menus that are open, without tool tips."""
        return [popup for popup in self.windows.popups() if popup.box.h >= _MENU_HEIGHT and popup.app]

    def wait_for(self, check: Callable[[], bool], failure: str, *, timeout_s: float = 2.0) -> None:
        """Look until something is so; raises LookupError with `failure` if it does not come."""
        for _ in range(int(timeout_s / 0.05)):
            if check():
                return
            self.hands.wait(0.05)
        raise LookupError(failure)
