"""What LibreOffice's programs have in common: windows, menus, tool bars, dialogs, search, undo.

The program has a profile of its own and is found again whatever covers it. Places are pixels from the document window's
top left corner, or from its right or bottom edge where they are negative, as version 7 draws them at 96 dpi with the
GTK 3 look. Menus are found as windows, their entries by height alone. Dialogs are known by their title; a tab that was
shown last is shown again when the same dialog opens, so the tab is remembered over the whole session.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from demo.virtual_desktop.desktop import VirtualDesktop
from demo.virtual_desktop.pixels import differing_pixels, grab_pixels
from demo.virtual_desktop.sample_text import item, sentence
from demo.virtual_desktop.windows import WindowInfo
from lab.simulation.program import Point, inside
from lab.simulation.programs.office_files import write_profile
from lab.simulation.simulated_user import SimulatedUser
from storage.records import Box

_MENU_Y = 12
_MENU_HEIGHT = 50  # tool tips are 45 high
_UNDER_TITLE, _STEEP = 22, 0.35  # the way to an entry must not lead over the next title: that opens its menu
_TRAY = "trayer"
_TOP, _RIGHT, _BOTTOM = 125, 75, 70  # what surrounds the document
_CARET_PIXELS = 60
_LAYOUT_S = 1.5
_GLANCE_S = 0.03
_EDIT_UNDO, _EDIT_REDO = 12, 37
_ZOOM_OUT, _ZOOM_IN = (-182, -11), (-65, -11)
_FIND_NEXT, _FIND_CLOSE = (336, -42), (20, -42)
_MOST_ZOOM = 3
_SIDE_X = -28
_KEEP_FORMAT = "Confirm File Format"
_KEEP_BUTTON = (-100, -18)
_OTHER_FORMATS = (".csv", ".txt")


@dataclass(frozen=True, slots=True, kw_only=True)
class Control:
    """Something in a dialog to click on and, with `value`, to overwrite ("number" or "word")."""

    at: Point
    value: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialog:
    """A dialog: how it is opened, its tabs (the first one shows `controls`), and where it is left."""

    title: str
    menu: str
    entry: int
    keys: str = ""
    tabs: tuple[Point, ...] = ()
    controls: tuple[Control, ...] = ()
    accept: Point = (-52, -25)
    cancel: Point | None = (-142, -25)


class Office(ABC):
    """One document in Writer, Calc or Impress: its window, menus, tool bars and dialogs."""

    name: str
    packages: str
    office: ClassVar[str] = ""
    """The suite's name of it, "calc", where `name` is another."""
    menus: ClassVar[Mapping[str, int]]
    keyed_menus: ClassVar[Mapping[str, str]]
    tools: ClassVar[Mapping[str, Point]]
    dialogs: ClassVar[Sequence[Dialog]]
    looks: ClassVar[Sequence[tuple[str, str]]]
    """Ways to change how the selection looks, each one step to undo: shortcut and tool, or one of them."""
    save_entry: ClassVar[int] = 241

    def __init__(self, user: SimulatedUser) -> None:
        """Let `user` operate it; the size of the window and the dialog of this session are drawn here."""
        self.user = user
        self.hands = user.hands
        self.rng = user.rng
        self.windows = user.windows
        self.at_caret = False
        self.stream = ""
        self.path = Path()
        self.box = Box(0, 0, 1, 1)
        self._wanted = self._some_box()
        self.dialog = self.rng.choice(self.dialogs)
        self._tab = 0
        self._zoom = 0
        self._searching = False

    @abstractmethod
    def write_document(self, folder: Path) -> tuple[Path, Sequence[str]]:
        """Write a document of several pages; return its path and what the command line needs beside it."""

    def ready(self) -> None:
        """Put the keyboard into the document, after settling."""
        if self.user.chance(0.5):
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
        self._desktop.spawn(
            ["soffice", *quiet, f"--{self.office or self.name}", *self._switches, str(self.path)], self.name
        )
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
        if self.user.chance(0.3):
            return None
        width, height = self.rng.randint(1180, 1840), self.rng.randint(760, 980)
        return Box(self.rng.randint(0, 1910 - width), self.rng.randint(24, min(160, 1036 - height)), width, height)

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
        for window in reversed(self.windows.list_all()):
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
        managed = [window for window in self.windows.list_all() if not window.popup and window.app != _TRAY]
        active = self.windows.active()
        return active is not None and active.xid == document.xid and managed[-1].xid == document.xid

    def at(self, point: Point) -> Point:
        """Return the desktop pixel of a place in the window; negative is from the right or the bottom."""
        return inside(self.box, *point)

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
        shown = grab_pixels(self._desktop.display, box)
        self.hands.wait(_GLANCE_S)
        return shown

    def has_changed(self, before: bytes, *, pixels: int = _CARET_PIXELS) -> bool:
        """Return whether more of the document soon looks different than a caret that blinks; a busy machine is slow."""

        def differs() -> bool:
            now = self.view()
            return len(now) != len(before) or differing_pixels(before, now) > pixels

        return self.user.wait_until(differs, times=12, every_s=0.1) is True

    def words(self, seconds: float) -> str:
        """Return the next words of an endless text: as many as this user types in about so long."""
        count = max(5, int(seconds * self.user.rate / 1.6))
        while len(self.stream) <= count:
            self.stream += sentence(self.rng) + " "
        cut = self.stream.find(" ", count) + 1 or len(self.stream)
        text, self.stream = self.stream[:cut], self.stream[cut:]
        return text

    def menu_points(self) -> Sequence[Point]:
        """Return the titles of the menu bar, left to right."""
        return [self.at((x, _MENU_Y)) for x in self.menus.values()]

    def has_menu_windows(self) -> bool:
        """Return True: a menu is an X window of its own."""
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
            if attempt or self.user.chance(0.3):
                self.hands.wait(self.hands.about(0.4))
            across = _UNDER_TITLE + self.rng.randint(-8, min(85, int(_STEEP * entry)))
            self.hands.click(opened.box.x + across, opened.box.y + entry + self.rng.randint(-4, 4))
            if self.user.wait_until(lambda: not self.open_menus(), times=20):
                return
            self.user.close_menus()
        raise LookupError("the menu's entry did not respond")

    def _open(self, menu: str) -> WindowInfo:
        """Open a menu by key or click; a first click now and then only ends what the pointer was doing."""
        by_key = menu in self.keyed_menus and self.user.chance(self.user.persona.keyboard * 0.5)
        for again in (False, True):
            if by_key and not again:
                self.hands.chord(f"alt+{self.keyed_menus[menu]}")
            else:
                self.hands.click(*self.at((self.menus[menu], _MENU_Y)))
            if menus := self.user.wait_until(self.open_menus, times=45):
                return menus[-1]
        raise LookupError("no menu opened")

    def open_menus(self) -> list[WindowInfo]:
        """Return the menus that are open, without tool tips."""
        return [popup for popup in self.windows.popups() if popup.box.h >= _MENU_HEIGHT and popup.app]

    def save(self) -> None:
        """Save by key, by the tool bar's button or by menu, and keep the format if the program asks."""
        if self.user.by_key():
            self.hands.chord("ctrl+s")
        elif self.user.chance(0.6):
            self.tool("save")
        else:
            self.choose("File", self.save_entry)
        if self.path.suffix in _OTHER_FORMATS:
            self._keep_format()

    def press(self, chords: Sequence[str]) -> None:
        """Press some shortcuts one after another."""
        for keys in chords:
            self.hands.chord(keys)
            if keys == "ctrl+s" and self.path.suffix in _OTHER_FORMATS:
                self._keep_format()

    def _keep_format(self) -> None:
        """Answer the question that comes with every format but the suite's own; none comes if nothing was changed."""
        if self.user.wait_until(lambda: self.windows.find(title=_KEEP_FORMAT), times=30) is None:
            return
        self.hands.wait(self.hands.about(0.5))
        if self.user.by_key():
            self.hands.chord("Return")
        elif (window := self.windows.find(title=_KEEP_FORMAT)) is not None:
            self.hands.click(*_inside(window, _KEEP_BUTTON))
        self.user.wait_title_gone(_KEEP_FORMAT)

    def undo(self, times: int) -> None:
        """Take back, by key, tool bar or (now and then) menu, about two a second."""
        self._step("ctrl+z", "undo", _EDIT_UNDO, times)

    def redo(self, times: int) -> None:
        """Do again what was taken back."""
        self._step("ctrl+y", "redo", _EDIT_REDO, times)

    def _step(self, keys: str, tool: str, entry: int, times: int) -> None:
        self.at_caret = False
        if self.user.by_key() or self.user.chance(0.3):
            self.hands.repeat(keys, times)
        elif times <= 2 and self.user.chance(0.3):  # noqa: PLR2004
            try:
                for _ in range(times):
                    self.choose("Edit", entry)
            except LookupError:  # the entry may be grey: then the keys do no harm either
                self.hands.repeat(keys, times)
        else:
            for _ in range(times):
                self.tool(tool)
                self.hands.wait(self.hands.about(0.25, 0.25))

    def enter_into(self, place: Point, text: str) -> None:
        """Put something else into a field and commit it."""
        self.hands.click(*self.at(place))
        self.hands.chord("ctrl+a")
        self.hands.text(f"{text}\n", rate=self.user.rate)
        self.hands.wait(self.hands.about(0.3))

    def change_look(self) -> None:
        """Change how the selection looks."""
        keys, tool = self.rng.choice(self.looks)
        if keys and tool:
            self.by_key_or_tool(keys, tool)
        elif tool:
            self.tool(tool)
        else:
            chords = keys.split()
            self.hands.chord(chords[0] if len(chords) == 1 else self.rng.choice(chords))

    def unresponsive(
        self, menu_bar: int, side_bar: int, bars: Sequence[tuple[int, int]], grey: Sequence[Point] = ()
    ) -> Sequence[Point]:
        """Return places that do not respond: empty places right of and below what is given, and a grey button.

        `bars` are the tool bars' ends and heights; a bar counts where the window leaves room behind its end.
        """
        width, height = self.box.w, self.box.h
        points = [(self.rng.randint(menu_bar, width - 80), 12), (-28, self.rng.randint(side_bar, height - 90))]
        if grey:
            points.append(self.rng.choice(grey))
        points += [(self.rng.randint(end, width - 40), y) for end, y in bars if width > end + 100]
        return [self.at(point) for point in points]

    def by_key_or_tool(self, keys: str, tool: str) -> None:
        """Do one thing by shortcut or by its button, as this user prefers."""
        if self.user.by_key():
            self.hands.chord(keys)
        else:
            self.tool(tool)

    def zoom(self, steps: int) -> None:
        """Zoom by the status bar: in (positive) or out; turns round at the ends of a narrow range."""
        for _ in range(abs(steps)):
            direction = 1 if steps > 0 else -1
            if abs(self._zoom + direction) > _MOST_ZOOM:
                direction = -direction
            self._zoom += direction
            self.hands.click(*self.at(_ZOOM_IN if direction > 0 else _ZOOM_OUT))
            self.hands.wait(self.hands.about(0.25))

    def peek(self, panels: Sequence[int], *, home: int | None = None) -> None:
        """Look at a panel of the side bar for a moment, then close it or go back to the one that was open."""
        panel = self.rng.choice(panels)
        self.hands.click(*self.at((_SIDE_X, panel)))
        self.hands.wait(self.hands.about(1.2))
        self.hands.click(*self.at((_SIDE_X, panel if home is None else home)))

    def page(self, direction: int) -> None:
        """Move through the document, by wheel or key; where it ends, turn round."""
        self.at_caret = False
        before = self.view()
        self._page(direction)
        if not self.has_changed(before, pixels=800):
            self._page(-direction)

    def _page(self, direction: int) -> None:
        if self.user.by_key():
            self.leave_search()  # its field takes the keys
            self.hands.chord("Next" if direction > 0 else "Prior")
        else:
            x, y = self.hands.at
            left, top = self.at((80, 200))
            right, bottom = self.at((-140, -140))
            if not (left < x < right and top < y < bottom):
                self.hands.move(*self.rng.choice(self.content_points()))
            self.hands.scroll(-direction * self.rng.randint(3, 6))

    def search(self, word: str) -> None:
        """Open the search bar, which stays, and go to the next place of a word."""
        self.at_caret = False
        self.hands.chord("ctrl+f")
        self._searching = True
        self.hands.wait(0.3)
        self.hands.chord("ctrl+a")
        self.hands.text(f"{word}\n", rate=self.user.rate)
        self.hands.wait(self.hands.about(0.4))

    def search_on(self, times: int) -> None:
        """Click on "find next" again and again."""
        self.user.several(times, lambda: self.hands.click(*self.at(_FIND_NEXT)), 0.35)

    def leave_search(self) -> None:
        """Close the search bar if it is there: it takes away a piece of the document's place."""
        if self._searching:
            self.hands.click(*self.at(_FIND_CLOSE))
            self._searching = False

    def open_dialog(self) -> None:
        """Open this session's dialog, by key or menu, and wait until it is there."""
        self.at_caret = False
        if self.dialog.keys and self.user.by_key():
            self.hands.chord(self.dialog.keys)
        else:
            self.choose(self.dialog.menu, self.dialog.entry)
        self.user.wait_dialog(self.dialog.title)

    def use_dialog(self) -> None:
        """Change one control of the dialog, or look at another tab."""
        window = self._dialog_window()
        tabs = self.dialog.tabs
        if tabs and (not self.dialog.controls or self.user.chance(0.5)):
            self._show_tab(self.rng.choice([number for number in range(len(tabs)) if number != self._tab]))
            return
        if tabs and self._tab:
            self._show_tab(0)
        control = self.rng.choice(self.dialog.controls)
        self.hands.click(*_inside(window, control.at))
        if control.value:
            self.hands.chord("ctrl+a")
            word = self.rng.choice(item(self.rng).split())
            self.hands.text(word if control.value == "word" else str(self.rng.randint(1, 24)), rate=self.user.rate)
        self.hands.wait(self.hands.about(0.4))

    def _show_tab(self, number: int) -> None:
        self.hands.click(*_inside(self._dialog_window(), self.dialog.tabs[number]))
        self._tab = number
        self.hands.wait(self.hands.about(0.4))

    def leave_dialog(self, *, apply: bool) -> None:
        """Leave the dialog by its button or by key, and wait until it is gone."""
        window = self._dialog_window()
        if apply:
            self.hands.click(*_inside(window, self.dialog.accept))
        elif self.dialog.cancel is not None and not self.user.by_key():
            self.hands.click(*_inside(window, self.dialog.cancel))
        else:
            self.hands.chord("Escape")
        if not self.user.is_gone(self.dialog.title, timeout_s=2.0):
            self.user.close_dialog(self.dialog.title)

    def _dialog_window(self) -> WindowInfo:
        window = self.windows.find(title=self.dialog.title)
        if window is None:
            raise LookupError("the dialog is not open")
        return window


def _inside(window: WindowInfo, point: Point) -> Point:
    """Return the desktop pixel of a place in a dialog; negative is from the right or the bottom."""
    return inside(window.box, *point)
