"""Work in Mousepad, a plain text editor: writing notes fluently, and five ways of getting stuck in it.

Places are relative to the window's top left corner, as the program draws them at 96 dpi. As root Mousepad shows a
banner that pushes the text down; nothing here points at a line more exactly than that.
"""

from collections.abc import Sequence
from typing import ClassVar

from demo.user import DemoUser, Task
from demo.virtual_desktop.desktop import VirtualDesktop
from demo.virtual_desktop.sample_text import heading, item, sentence
from demo.virtual_desktop.windows import poll
from demo.work import TextWork
from storage.clock import SystemClock
from storage.records import Box

_MENUS = {"File": 19, "Edit": 60, "Search": 110, "View": 160, "Document": 210, "Help": 290}
_EDIT_REDO = 45
_EDIT_DUPLICATE = 283
_VIEW_LINE_NUMBERS = 67
_DOCUMENT_WORD_WRAP = 17
_DIALOGS = {"Find and Replace": "ctrl+r", "Go To": "ctrl+l"}


class MousepadWork(TextWork):
    """Notes in a text file."""

    app = "mousepad"
    menus = _MENUS
    searched_menus = ("Edit", "Search", "View", "Document")
    first_menus, first_rows = 2, 3
    stays_in_menu = True
    dialogs: ClassVar = _DIALOGS
    dialog_places: ClassVar = dict.fromkeys(_DIALOGS, ((0.2, 0.52), (0.2, 0.6), (0.2, 0.68), (0.5, 0.3)))

    def __init__(self, user: DemoUser) -> None:
        """Let `user` do it; which dialog, words and places they get stuck at is chosen once."""
        super().__init__(user)
        self._dialog = self._rng.choice(sorted(_DIALOGS))
        self._toggle = self._rng.choice(("line numbers", "word wrap", "word"))
        self._target = self._rng.choice(("empty page", "grey entry"))
        self._words = self._rng.sample(("begin", "start", "open", "launch", "found"), 2)

    def open(self, desktop: VirtualDesktop) -> None:
        """Start Mousepad with a file of two lines, at a size and place of the seed's choice."""
        self.path = desktop.directory / "home" / "notes.txt"
        self.path.write_text(f"{heading(self._rng)}\n{sentence(self._rng)}\n")
        desktop.spawn(["mousepad", str(self.path)], "mousepad")
        window = desktop.windows.wait("mousepad", "notes.txt", timeout_s=60)
        wanted = Box(
            self._rng.randint(420, 600),
            self._rng.randint(90, 190),
            self._rng.randint(1180, 1260),
            self._rng.randint(740, 820),
        )
        self._box = desktop.windows.place(window, wanted).box
        poll(lambda: desktop.windows.is_active(window), what="activating Mousepad")
        SystemClock().sleep_s(0.5)  # the first layout after a resize is not announced by anything

    def begin(self) -> None:
        """Click into the page and go to its end."""
        self._hands.click(*self._at(self._rng.randint(300, 700), self._rng.randint(300, 500)))
        self._hands.chord("ctrl+End")

    def tasks(self) -> Sequence[Task]:
        """Return writing, correcting, saving, looking things up: what fills an ordinary minute."""
        return (
            Task("paragraph", self._write_paragraph, 4.0),
            Task("list", self._write_list, 2.0),
            Task("save", lambda: self._hands.chord("ctrl+s"), 1.0),
            Task("copy a line", self._copy_line, 0.8),
            Task("replace a word", self._replace_word, 0.8),
            Task("single undo", self._undo_once, 0.4, hard_negative=True),
            Task("read over", self._read_over, 0.6, hard_negative=True),
            Task("menu", self._duplicate_line, 0.5, hard_negative=True),
            Task("dialog", self._go_to_line, 0.5, hard_negative=True),
        )

    def recover(self) -> None:
        """Close what is open, go to the end, write a last line and save."""
        self._user.close_menus()
        if self._user.windows.find(title=self._dialog) is not None:
            self._user.close_dialog(self._dialog)
        self._hands.chord("ctrl+End")
        self._user.write("\n" + sentence(self._rng) + "\n")
        self._hands.chord("ctrl+s")

    def _write_list(self) -> None:
        self._user.write(heading(self._rng) + "\n")
        for _ in range(self._rng.randint(2, 3)):
            self._user.write(f"- {item(self._rng)}\n")

    def _undo_once(self) -> None:
        self._user.write(f"{item(self._rng)}")
        self._user.read(0.8, 1.6)
        self._hands.repeat("ctrl+z", self._rng.randint(1, 2), gap_s=0.5)
        self._user.write(f" {item(self._rng)}\n")

    def _read_over(self) -> None:
        self._hands.move(*self._at(self._rng.randint(300, 700), self._rng.randint(250, 450)))
        self._hands.scroll(self._rng.randint(2, 4))
        self._user.read(4.0, 9.0)
        self._hands.scroll(-self._rng.randint(2, 4))

    def _duplicate_line(self) -> None:
        self._hands.chord("Up")
        menu = self._open("Edit")
        self._hands.click(menu.box.x + 90, menu.box.y + _EDIT_DUPLICATE)
        self._hands.chord("ctrl+End")

    def _go_to_line(self) -> None:
        self._hands.chord("ctrl+l")
        self._user.wait_dialog("Go To")
        self._hands.chord("ctrl+a")
        self._hands.text("2\n")
        self._user.wait_title_gone("Go To")
        self._user.read(1.0, 2.0)
        self._hands.chord("ctrl+End")

    def _try_undo(self) -> None:
        """Indent or rewrite something, find it wrong, take it all back; sometimes too much."""
        self._user.write(self._rng.choice(("    - ", "\t", f"* {item(self._rng)}", f"  {item(self._rng)} ")))
        self._undo_too_much()

    def _try_clicks(self) -> None:
        """Click, and click again, on something that does not respond."""
        if self._target == "grey entry":
            menu = self._open("Edit")
            x, y = menu.box.x + 60, menu.box.y + _EDIT_REDO
        else:
            x, y = self._at(self._rng.randint(500, 640), self._box.h - self._rng.randint(90, 130))
        for _ in range(self._rng.randint(3, 6)):
            self._hands.click(
                x + self._rng.randint(-6, 6), y + self._rng.randint(-3, 3), count=self._rng.choice((1, 1, 2))
            )
            self._hands.wait(self._rng.uniform(0.25, 0.7))
        self._user.close_menus()

    def _try_toggle(self) -> None:
        """Change something, change it back, change it again."""
        for _ in range(2):
            if self._toggle == "word":
                self._hands.chord("ctrl+shift+Left")
                self._words.reverse()
                self._user.write(self._words[0])
            else:
                name, row = (
                    ("View", _VIEW_LINE_NUMBERS)
                    if self._toggle == "line numbers"
                    else ("Document", _DOCUMENT_WORD_WRAP)
                )
                menu = self._open(name)
                self._hands.click(menu.box.x + 60, menu.box.y + row)
            self._hands.wait(self._rng.uniform(0.5, 0.9))
