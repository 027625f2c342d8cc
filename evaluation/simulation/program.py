"""What a scripted person can do in any program. Behaviors are written against this and nothing else.

One file per program in `evaluation.simulation.programs`. Every method acts through the actor's hands (XTEST), in the
actor's pace, and returns within about eight seconds, so that a behavior can end on time. What cannot be done (a menu
did not open) raises LookupError; `settle` then brings the program back. Points are desktop pixels.
"""

from collections.abc import Sequence
from typing import Protocol

from evaluation.simulation.actor import Actor
from evaluation.stage.desktop import VirtualDesktop

Point = tuple[int, int]


class Program(Protocol):
    """A real program on a virtual desktop, in the hands of one actor."""

    name: str
    packages: str
    """Debian packages that bring it."""

    def __init__(self, actor: Actor) -> None:
        """Let `actor` work in it; what is written and where is drawn from the actor's random numbers."""
        ...

    def open(self, desktop: VirtualDesktop) -> None:
        """Start it with a document that already holds some content, and wait until it takes input."""
        ...

    def settle(self) -> None:
        """Get out of menus and dialogs, in front of all others, with the document ready for input."""
        ...

    # ---------------------------------------------------------------- work that succeeds

    def compose(self) -> None:
        """Do 3-8 s of steady new work: a sentence, three cells, a shape, a form's field."""
        ...

    def adjust(self) -> None:
        """Change one thing that is there, deliberately, and keep it: a word, a cell, a colour (2-6 s)."""
        ...

    def expert(self) -> None:
        """Do 3-6 s of fast work by shortcuts (select, copy, paste, bold, duplicate, save), each with an effect."""
        ...

    def repeat_useful(self) -> None:
        """Click the same useful control three to eight times, each with a visible effect: next, zoom, a spin box."""
        ...

    def save(self) -> None:
        """Save, by key or menu."""
        ...

    # ---------------------------------------------------------------- looking

    def page(self, direction: int) -> None:
        """Move on (1) or back (-1) through the document so that the view changes, by wheel or key (under 2 s)."""
        ...

    def overview(self) -> None:
        """Change the view and nothing else: zoom out or in, a panel, another sheet or tab (1-4 s)."""
        ...

    def content_points(self) -> Sequence[Point]:
        """Return six or more places in the document worth pointing at; moving there is harmless, clicking maybe not."""
        ...

    def tool_points(self) -> Sequence[Point]:
        """Return six or more buttons of tool bars or panels; hovering is harmless."""
        ...

    def menu_points(self) -> Sequence[Point]:
        """Return the titles of the menu bar (or what opens a menu), left to right; at least two."""
        ...

    def has_menu_windows(self) -> bool:
        """Tell whether a menu is an X window of its own (`Person.open_menu` works); else clicks and Escape must do."""
        ...

    # ---------------------------------------------------------------- trying, in vain or not

    def dead_points(self) -> Sequence[Point]:
        """Return two or more places where a click changes nothing on the screen: a label, a grey button, a margin."""
        ...

    def change(self) -> int:
        """Do one visible change that undo takes back (format, fill, move, words); return how many undos it takes."""
        ...

    def toggle(self, *, anew: bool) -> None:
        """Put one thing on, or off again: bold letters, line numbers, a zoom; `anew` picks it first (under 3 s)."""
        ...

    def undo(self, times: int) -> None:
        """Take back, by key or (now and then) menu, about two a second."""
        ...

    def redo(self, times: int) -> None:
        """Do again what was taken back."""
        ...

    def enter_value(self) -> None:
        """Enter a short value at one place and commit it; the screen shows a result: a formula, a size, a search."""
        ...

    def revise_value(self) -> None:
        """Go back to the place of the last `enter_value`, change a part of the value and commit it again."""
        ...

    def drag(self) -> None:
        """Drag something (an object, a column's edge, a selection) so that the screen changes."""
        ...

    def open_dialog(self) -> None:
        """Open one harmless dialog (the same one each time in this session) and wait until it is there."""
        ...

    def use_dialog(self) -> None:
        """Change one control of the open dialog: a field, a check box, another tab (1-4 s)."""
        ...

    def leave_dialog(self, *, apply: bool) -> None:
        """Leave it: by OK or Enter (where that is harmless), else Escape or Cancel; wait until it is gone."""
        ...
