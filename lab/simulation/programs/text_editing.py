"""What Mousepad and the web application share: typing for a while, marking a word, coming back to the front."""

from collections.abc import Callable

from demo.virtual_desktop.desktop import VirtualDesktop
from demo.virtual_desktop.pixels import differing_pixels, grab_pixels
from demo.virtual_desktop.sample_text import item
from lab.simulation.program import Point
from lab.simulation.programs.main_window import MainWindow
from lab.simulation.simulated_user import SimulatedUser
from storage.clock import NS_PER_S
from storage.records import Box

_SHORT_WORDS = ("and", "new", "green", "small", "before", "again", "perhaps", "together", "tomorrow", "carefully")
_LINE_TOP = 9


class TextEditing:
    """A window with text in it, operated by one user."""

    _desktop: VirtualDesktop
    _main: MainWindow

    def __init__(self, user: SimulatedUser) -> None:
        """Let `user` operate it."""
        self._user, self._hands, self._rng = user, user.hands, user.rng

    def _come_back(self) -> bool:
        """Close menus and dialogs and come to the front; return whether anything was in the way."""
        self._user.close_menus()
        met = self._main.leave_others()
        if self._main.is_front():
            return met
        self._main.come_to_front()
        return True

    def _move_into(self, box: Box, left: int, right: int) -> None:
        """Move the pointer into a box unless it is there, between `left` and `right` pixels across."""
        x, y = self._hands.at
        if not (box.x <= x < box.x + box.w and box.y <= y < box.y + box.h):
            self._hands.move(box.x + self._rng.randint(left, right), box.y + self._rng.randint(20, box.h - 20))

    def _short_word(self) -> str:
        """Return a word that takes this user about two seconds."""
        return self._rng.choice([word for word in _SHORT_WORDS if len(word) <= 2.5 * self._user.rate])

    def _write_for(self, seconds: float, text: str) -> None:
        """Write `text` and more words for about so long, and end the sentence."""
        end_ns = self._user.clock.now_ns() + int(seconds * NS_PER_S)
        words = text.removesuffix(".").split()
        space = ""
        while self._user.clock.now_ns() < end_ns:
            words = words or ["and", *item(self._rng).split()]
            self._user.write(space + words.pop(0))
            space = " "
        self._user.write(".")

    def _mark_word(
        self, place: Callable[[int], Point], reaches: tuple[int, ...], *, width: int, rest_s: float, least: int
    ) -> Point:
        """Mark a word by a double click and return where; where nothing gets marked, try elsewhere.

        `place` returns a place in a line within a reach; a mark changes at least `least` pixels of a part of the line
        of `width`. `rest_s` keeps the double click apart from the click before it.
        """
        for reach in reaches:
            x, y = place(reach)
            line = Box(x - 60, y - _LINE_TOP, width, 2 * _LINE_TOP)
            self._hands.click(x, y)
            self._hands.wait(rest_s)
            before = grab_pixels(self._desktop.display, line)
            self._hands.click(x, y, count=2)
            self._hands.wait(0.15)
            if differing_pixels(before, grab_pixels(self._desktop.display, line)) > least:
                return x, y
        raise LookupError("no word to mark")
