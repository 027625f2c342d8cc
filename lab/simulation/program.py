"""What a simulated user can do in any program, and beside it. Behaviors are written against this and nothing else.

One file per program in `lab.simulation.programs`. Every method acts through the user's hands (XTEST), in the
user's pace, and returns within about eight seconds, so that a behavior can end on time. What cannot be done (a menu
did not open) raises LookupError; `settle` then brings the program back. Points are desktop pixels.
"""

from collections.abc import Sequence
from typing import Protocol

from demo.virtual_desktop.desktop import VirtualDesktop
from lab.simulation.simulated_user import SimulatedUser
from storage.records import Box

Point = tuple[int, int]


def inside(box: Box, x: int, y: int) -> Point:
    """Return the desktop pixel of a place in a box; negative numbers count from its right or bottom edge."""
    return box.x + (x if x >= 0 else box.w + x), box.y + (y if y >= 0 else box.h + y)


class Program(Protocol):
    """A real program on a virtual desktop, operated by one user."""

    name: str
    packages: str
    """Debian packages that bring it."""

    def __init__(self, user: SimulatedUser) -> None:
        """Let `user` operate it; what is written and where is drawn from the user's random numbers."""

    def open(self, desktop: VirtualDesktop) -> None:
        """Start it with a document that already holds some content, and wait until it takes input."""

    def settle(self) -> None:
        """Get out of menus and dialogs, in front of all others, with the document ready for input."""

    def compose(self) -> None:
        """Do 3-8 s of steady new work: a sentence, three cells, a shape, a form's field."""

    def adjust(self) -> None:
        """Change one thing that is there, deliberately, and keep it: a word, a cell, a colour (2-6 s)."""

    def expert(self) -> None:
        """Do 3-6 s of fast work by shortcuts (select, copy, paste, bold, duplicate, save), each with an effect."""

    def repeat_useful(self) -> None:
        """Click the same useful control three to eight times, each with a visible effect: next, zoom, a spin box."""

    def save(self) -> None:
        """Save, by key or menu."""

    def page(self, direction: int) -> None:
        """Move on (1) or back (-1) through the document so that the view changes, by wheel or key (under 2 s)."""

    def overview(self) -> None:
        """Change the view and nothing else: zoom out or in, a panel, another sheet or tab (1-4 s)."""

    def content_points(self) -> Sequence[Point]:
        """Return six or more places in the document to point at; moving there is harmless, clicking maybe not."""

    def tool_points(self) -> Sequence[Point]:
        """Return six or more buttons of tool bars or panels; hovering is harmless."""

    def menu_points(self) -> Sequence[Point]:
        """Return the titles of the menu bar (or what opens a menu), left to right; at least two."""

    def has_menu_windows(self) -> bool:
        """Return whether a menu is an X window, so that `ScriptedUser.open_menu` works; else click and press Escape."""

    def dead_points(self) -> Sequence[Point]:
        """Return two or more places where a click changes nothing on the screen: a label, a grey button, a margin."""

    def change(self) -> int:
        """Do one visible change that undo takes back (format, fill, move, words); return how many undos it takes."""

    def toggle(self, *, anew: bool) -> None:
        """Put one thing on, or off again: bold letters, line numbers, a zoom; `anew` picks it first (under 3 s)."""

    def undo(self, times: int) -> None:
        """Take back, by key or (now and then) menu, about two a second."""

    def redo(self, times: int) -> None:
        """Do again what was taken back."""

    def enter_value(self) -> None:
        """Enter a short value at one place and commit it; the screen shows a result: a formula, a size, a search."""

    def revise_value(self) -> None:
        """Go back to the place of the last `enter_value`, change a part of the value and commit it again."""

    def drag(self) -> None:
        """Drag something (an object, a column's edge, a selection) so that the screen changes."""

    def open_dialog(self) -> None:
        """Open one harmless dialog (the same one each time in this session) and wait until it is there."""

    def use_dialog(self) -> None:
        """Change one control of the open dialog: a field, a check box, another tab (1-4 s)."""

    def leave_dialog(self, *, apply: bool) -> None:
        """Leave it: by OK or Enter (where that is harmless), else Escape or Cancel; wait until it is gone."""


class Helpers(Protocol):
    """The rest of the desktop that behaviors use beside the program; `scenery.desktop` implements them."""

    def open_brief(self) -> None:
        """Bring the task's brief (a page of text) to the front; the first time this starts its viewer."""

    def open_help(self) -> None:
        """Bring the help pages to the front, in a browser of their own."""

    def search_help(self) -> None:
        """Click into the help pages' search field, type a few words, press Enter and wait for the results."""

    def open_result(self) -> None:
        """Click on one of the results or links on the help page."""

    def back_to_work(self) -> None:
        """Bring the program's window to the front, by alt+Tab, the task bar or a click on it."""

    def start_progress(self, seconds: float, *, kind: str) -> None:
        """Start something that takes `seconds` and ends by itself.

        `kind` is "dialog" (a progress bar over the program), "page" (an upload in the browser), "terminal" (lines
        that appear) or "frozen" (the program does not answer).
        """

    def progress_is_over(self) -> bool:
        """Return whether the last `start_progress` has ended and nothing of it is left on the screen."""
