"""What LibreOffice's programs with tasks share: the window, tool bars, zoom, a word to find in the document.

The program has a profile of its own. Places are pixels from the document window's top left corner, or from its right or
bottom edge where they are negative, as version 7 draws them at 96 dpi with the GTK 3 look.
"""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import ClassVar

from demo.virtual_desktop.desktop import VirtualDesktop
from demo.virtual_desktop.pixels import differing_pixels, grab_pixels
from demo.virtual_desktop.sample_text import sentence
from demo.virtual_desktop.windows import Point, poll
from lab.simulation.programs.debian_program import DebianProgram
from lab.simulation.programs.main_window import MainWindow
from lab.simulation.programs.office.files import write_profile
from lab.simulation.simulated_user import SimulatedUser
from storage.records import Box

_CARET_PIXELS, _TURNED_PIXELS = 60, 800
_LAYOUT_S = 1.5
_GLANCE_S = 0.03
_ZOOM_OUT, _ZOOM_IN = (-182, -11), (-65, -11)
_FIND_CLOSE = (20, -42)
_MOST_ZOOM = 3


class OfficeProgram(DebianProgram):
    """One document in Writer, Calc or Impress."""

    office: ClassVar[str]
    """The suite's name of the program."""
    margins = (0, 125, 75, 70)
    tools: ClassVar[Mapping[str, Point]]
    looks: ClassVar[Sequence[tuple[str, str]]] = ()
    """Ways to change how the selection looks: shortcut and tool, or one of them."""

    def __init__(self, user: SimulatedUser) -> None:
        """Let `user` operate it; the size of the window is drawn here."""
        self.at_caret = False
        self.path = Path()
        self._words_left = ""
        self._zoom = 0
        self._searching = False
        self._sought = ""
        super().__init__(user)
        self._wanted = self._some_box()

    @abstractmethod
    def write_document(self, folder: Path) -> tuple[Path, Sequence[str]]:
        """Write a document of several pages; return its path and what the command line needs beside it."""

    @abstractmethod
    def content_points(self) -> Sequence[Point]:
        """Return places in the document."""

    def open(self, desktop: VirtualDesktop) -> None:
        """Write the document and start the program with it, at a size and place of the seed's choice."""
        self.desktop = desktop
        self.path, switches = self.write_document(desktop.directory / "home")
        profile = desktop.directory / f"office-{self.office}"
        write_profile(profile)
        quiet = ("--norestore", "--nologo", "--nofirststartwizard", f"-env:UserInstallation=file://{profile}")
        desktop.spawn(["soffice", *quiet, f"--{self.office}", *switches, str(self.path)], self.office)
        window = desktop.windows.wait(title=f"{self.path.name} - LibreOffice", timeout_s=120)
        self.hands.wait(_LAYOUT_S)  # the tool bars are laid out after the window is there; nothing announces the end
        if self._wanted is not None:
            desktop.windows.unmaximise(window)
            self.hands.wait(0.5)
            window = desktop.windows.place(window, self._wanted)
            self.hands.wait(_LAYOUT_S)
        self._main = MainWindow(self.user, desktop, window)
        poll(self.main.is_front, what=f"activating {self.office}", timeout_s=20)
        self.settle()

    def _some_box(self) -> Box | None:
        if self.user.chance(0.3):
            return None
        width, height = self.rng.randint(1180, 1840), self.rng.randint(760, 980)
        return Box(self.rng.randint(0, 1910 - width), self.rng.randint(24, min(160, 1036 - height)), width, height)

    def settle(self) -> None:
        """Leave menus, dialogs and the search bar, with the document ready for input."""
        self.at_caret = False
        super().settle()
        self.leave_search()
        self.ready()

    def ready(self) -> None:
        """Put the keyboard into the document, after settling."""
        if self.user.chance(0.5):
            self.hands.chord("Escape")
        else:
            self.hands.click(*self.rng.choice(self.content_points()))

    def places(self) -> Sequence[Point]:
        """Return places in the document, and buttons."""
        return [*self.content_points(), *(self.main.at(*point) for point in list(self.tools.values())[:3])]

    def state(self) -> bytes:
        """Return the pixels of the document; the time that this takes is taken, so that the next act is not late."""
        shown = grab_pixels(self.desktop.display, self.content_box())
        self.hands.wait(_GLANCE_S)
        return shown

    def has_changed(self, before: bytes, *, pixels: int = _CARET_PIXELS) -> bool:
        """Return whether more of the document soon looks different than a caret that blinks; a busy machine is slow."""

        def differs() -> bool:
            now = self.state()
            return len(now) != len(before) or differing_pixels(before, now) > pixels

        return self.user.wait_until(differs, times=12, every_s=0.1) is True

    def words(self, seconds: float) -> str:
        """Return the next words of an endless text: as many as this user types in about so long."""
        count = max(5, int(seconds * self.user.rate / 1.6))
        while len(self._words_left) <= count:
            self._words_left += sentence(self.rng) + " "
        cut = self._words_left.find(" ", count) + 1 or len(self._words_left)
        text, self._words_left = self._words_left[:cut], self._words_left[cut:]
        return text

    def by_key_or_tool(self, keys: str, tool: str) -> None:
        """Do one thing by shortcut or by its button, as this user prefers, or as it can be done."""
        if keys and (not tool or self.user.by_key()):
            self.hands.chord(keys)
        else:
            self.hands.click(*self.main.at(*self.tools[tool]))

    def change_look(self) -> None:
        """Change how the selection looks."""
        self.by_key_or_tool(*self.rng.choice(self.looks))

    def zoom(self, steps: int) -> None:
        """Zoom by the status bar: in (positive) or out; turns round at the ends of a narrow range."""
        for _ in range(abs(steps)):
            direction = 1 if steps > 0 else -1
            if abs(self._zoom + direction) > _MOST_ZOOM:
                direction = -direction
            self._zoom += direction
            self.hands.click(*self.main.at(*(_ZOOM_IN if direction > 0 else _ZOOM_OUT)))
            self.hands.wait(self.hands.about(0.25))

    def _zoom_by(self, way: str) -> None:
        self.zoom(1 if way == "in" else -1)

    def look_over(self) -> None:
        """Move through the document, by wheel or key; where it ends, turn round."""
        self.at_caret = False
        before, direction = self.state(), self.rng.choice((-1, 1))
        self.page(direction)
        if not self.has_changed(before, pixels=_TURNED_PIXELS):
            self.page(-direction)

    def page(self, direction: int) -> None:
        """Move on (1) or back (-1)."""
        if self.user.by_key():
            self.leave_search()  # its field takes the keys
            self.hands.chord("Next" if direction > 0 else "Prior")
        else:
            self.hands.move(*self.rng.choice(self.content_points()))
            self.hands.scroll(-direction * self.rng.randint(3, 6))

    def search(self, word: str) -> None:
        """Open the search bar, which stays, and go to the next place of a word."""
        self.at_caret = False
        closed = None if self._searching else self._search_bar()
        self.hands.chord("ctrl+f")
        self.user.wait_until(lambda: self._search_bar() != closed, times=60)  # or words would go into the document
        self._searching = True
        self.hands.wait(0.3)
        self.hands.chord("ctrl+a")
        self.hands.text(f"{word}\n", rate=self.user.rate)
        self._sought = word
        self.hands.wait(self.hands.about(0.4))

    def _search_bar(self) -> bytes:
        """Return the pixels of the search bar's left end, or of what is there while it is closed."""
        x, y = self.main.at(*_FIND_CLOSE)
        return grab_pixels(self.desktop.display, Box(x - 10, y - 10, 20, 20))

    def leave_search(self) -> None:
        """Close the search bar if it is there: it takes away a piece of the document's place."""
        if self._searching:
            self.hands.click(*self.main.at(*_FIND_CLOSE))
            self._searching = False

    def _find_on(self, word: str, number: int) -> None:
        """Look for a word, and go on with it."""
        if number == 0 or not self._searching or self._sought != word:
            self.search(word)
        self.hands.repeat("Return", self.user.count(1, 3))
