"""Writer with tasks: words that the text does not have, formulas it cannot read, and fields that are not there.

Pages stand in the middle of the window and are full of text, so that a place around the middle is nearly always on a
word. The far left of a page is left alone: at the top margin a click there inserts a header.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

from demo.virtual_desktop.sample_text import item
from demo.virtual_desktop.windows import Point
from lab.simulation.programs.office.document import OfficeProgram
from lab.simulation.programs.office.files import File, write_text
from lab.simulation.simulated_user import SimulatedUser

_PACE = 5.0


class WriterProgram(OfficeProgram):
    """A text of several pages."""

    name = "writer-tasks"
    office = "writer"
    packages = "libreoffice-writer libreoffice-gtk3 fonts-dejavu-core"
    tools: ClassVar = {
        "save": (106, 44), "undo": (424, 44), "find": (523, 44), "marks": (588, 44), "bold": (607, 83),
        "italic": (641, 83), "underline": (672, 83), "strike": (718, 83), "super": (759, 83), "colour": (872, 83),
        "highlight": (915, 83), "centre": (1003, 83), "right": (1036, 83), "bullets": (1108, 83),
    }  # fmt: skip
    looks = (
        ("ctrl+b", "bold"),
        ("ctrl+i", "italic"),
        ("ctrl+u", "underline"),
        ("", "strike"),
        ("", "colour"),
        ("", "highlight"),
        ("ctrl+shift+p", "super"),
        ("ctrl+e", "centre"),
        ("ctrl+r", "right"),
        ("shift+F12", "bullets"),
        *((f"ctrl+{level}", "") for level in (1, 2, 3)),
    )

    def __init__(self, user: SimulatedUser) -> None:
        super().__init__(user)
        self._in_line = False

    def write_document(self, folder: Path) -> File:
        """Write a text to work on."""
        return write_text(folder, self.rng)

    def settle(self) -> None:
        """Leave what is open, the search bar and the line for formulas too."""
        self._leave_line()
        super().settle()

    def content_points(self) -> Sequence[Point]:
        """Return places around the middle of the page."""
        return [self._text_point() for _ in range(10)]

    def work(self) -> None:
        """Write on, or change a word."""
        if self.user.chance(0.7):
            self._compose()
        else:
            self._adjust()

    def _show_marks(self) -> None:
        self.by_key_or_tool("ctrl+F10", "marks")

    def _text_point(self) -> Point:
        box = self.main.box
        return self.main.at((box.w - 76) // 2 + self.rng.randint(-140, 140), self.rng.randint(240, box.h - 110))

    def _select_word(self) -> None:
        """Double-click on a word in sight."""
        self.leave_search()
        self.at_caret = False
        self.hands.click(*self._text_point(), count=2)
        self.hands.wait(self.hands.about(0.2))

    def _compose(self) -> None:
        """Write on, or begin to write at the end of the text or of a line in sight."""
        self.leave_search()
        if not self.at_caret:
            if self.user.chance(0.4):
                self.hands.chord("ctrl+End")
                if self.user.chance(0.6):
                    self.hands.chord("Return")
            else:
                self.hands.click(*self._text_point())
                self.hands.chord("End")
                self.hands.text(" ", rate=self.user.rate)
        self.user.write(self.words(self.rng.uniform(2.5, 5.0)))
        self.at_caret = True

    def _adjust(self) -> None:
        """Replace a word, or give a word, line or paragraph another look."""
        self._select_word()
        self.hands.wait(self.hands.about(0.5))
        if self.user.chance(0.5):
            self.user.write(self.rng.choice(item(self.rng).split()))
        else:
            self.change_look()

    def _into_text(self) -> None:
        self._leave_line()
        self.leave_search()
        self.at_caret = False
        self.hands.click(*self._text_point())
        self.hands.wait(0.2)

    def _to_end(self) -> None:
        """Go to the end of a line."""
        self._into_text()
        self.hands.chord("End")
        self.hands.text(" ", rate=self.user.rate)

    def _work_out(self, formula: str) -> None:
        """Open the line for formulas, and put what comes of one into the text."""
        self._in_line = True
        self.hands.chord("F2")
        self.hands.wait(0.4)
        self.user.write(formula, rate=max(_PACE, self.user.rate))
        self.hands.chord("Return")
        self._in_line = False
        self.hands.wait(0.4)
        self.hands.text(" ", rate=self.user.rate)

    def _leave_line(self) -> None:
        if self._in_line:
            self.hands.chord("Escape")
            self._in_line = False

    def _work_out_well(self) -> None:
        self._work_out(f"{self.rng.randint(2, 99)}{self.rng.choice('+-*')}{self.rng.randint(2, 99)}")

    def _refresh(self, keys: str) -> None:
        self.hands.repeat(keys, self.user.count(1, 2))
        self.hands.wait(0.4)

    def _type_number(self) -> None:
        """Type a number in the place of a word."""
        self._into_text()
        self._select_word()
        self.hands.wait(self.hands.about(0.4))
        self.user.write(str(self.rng.randint(10, 9999)), rate=max(_PACE, self.user.rate))
        self.hands.wait(0.3)
