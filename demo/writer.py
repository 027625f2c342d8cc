"""Work in LibreOffice Writer: writing a text fluently, and five ways of getting stuck in it.

Places are relative to the maximised window's top left corner, as version 7 draws them at 96 dpi with the GTK 3 look.
"""

from collections.abc import Sequence
from typing import ClassVar

from demo.user import DemoUser, Task
from demo.virtual_desktop.desktop import VirtualDesktop
from demo.virtual_desktop.sample_text import heading, item, sentence
from demo.virtual_desktop.windows import poll
from demo.work import TextWork
from storage.clock import SystemClock

_MENUS = {"Edit": 58, "View": 103, "Insert": 154, "Format": 211, "Styles": 270, "Table": 323, "Tools": 422}
_PAGE = (900, 420)
_SAVE_DIALOG = "Save"
_DIALOGS = {"Page Style": "alt+shift+p", "Find and Replace": "ctrl+h"}
_DIALOG_PLACES = {
    "Page Style": ((0.18, 0.05), (0.3, 0.05), (0.42, 0.05), (0.55, 0.05)),
    "Find and Replace": ((0.2, 0.2), (0.4, 0.2), (0.08, 0.67), (0.08, 0.74)),
}
_DEAD = {"grey cut button": (268, 44), "grey copy button": (300, 44)}


class WriterWork(TextWork):
    """A letter or a note of a club."""

    app = "writer"
    menus = _MENUS
    searched_menus = tuple(_MENUS)
    first_menus = first_rows = 4
    stays_in_menu = False
    dialogs: ClassVar = _DIALOGS
    dialog_places: ClassVar = _DIALOG_PLACES

    def __init__(self, user: DemoUser) -> None:
        """Let `user` do it; which dialog, words and places they get stuck at is chosen once."""
        super().__init__(user)
        self._saved = False
        self._dialog = self._rng.choice(sorted(_DIALOGS))
        self._dead = self._rng.choice(sorted(_DEAD))
        self._toggle = self._rng.choice(("word", "bold", "centre"))
        self._words = self._rng.sample(("begin", "start", "open", "launch", "found"), 2)

    def open(self, desktop: VirtualDesktop) -> None:
        """Start Writer with an empty text and wait until a key reaches it."""
        desktop.spawn(["soffice", "--writer", "--norestore", "--nologo", "--nofirststartwizard"], "writer")
        window = desktop.windows.wait(title="LibreOffice Writer", timeout_s=120)
        desktop.windows.maximise(window)
        poll(lambda: desktop.windows.is_active(window), what="activating Writer")
        SystemClock().sleep_s(2.0)  # its toolbars are laid out after the window is there; nothing announces the end
        self._box = desktop.windows.wait(title="LibreOffice Writer").box

    def begin(self) -> None:
        """Write the heading and a first sentence."""
        self._hands.click(*self._at(*_PAGE))
        self._hands.chord("ctrl+End")
        self._user.write(f"{heading(self._rng)}\n{sentence(self._rng)}\n")

    def tasks(self) -> Sequence[Task]:
        """Return paragraphs, lists, corrections, saving, formats: what fills an ordinary minute."""
        return (
            Task("paragraph", self._write_paragraph, 4.0),
            Task("list", self._write_list, 1.5),
            Task("save", self._save, 0.8),
            Task("copy a line", self._copy_line, 0.8),
            Task("bold", self._make_bold, 0.6),
            Task("replace a word", self._replace_word, 0.7),
            Task("single undo", self._undo_once, 0.4, hard_negative=True),
            Task("read over", self._read_over, 0.6, hard_negative=True),
            Task("dialog", self._find_a_word, 0.5, hard_negative=True),
        )

    def recover(self) -> None:
        """Close what is open, go to the end, and write a last line."""
        self._user.close_menus()
        if self._user.windows.find(title=self._dialog) is not None:
            self._user.close_dialog(self._dialog)
        self._hands.chord("Escape")
        self._hands.chord("ctrl+End")
        self._user.write(f"\n{sentence(self._rng)}\n")

    def _write_list(self) -> None:
        for _ in range(self._rng.randint(2, 3)):
            self._user.write(f"{item(self._rng)}\n")

    def _save(self) -> None:
        self._hands.chord("ctrl+s")
        if not self._saved:
            self._user.wait_dialog(_SAVE_DIALOG)
            self._hands.chord("ctrl+a")
            self._user.write("letter")
            self._hands.chord("Return")
            self._user.wait_title_gone(_SAVE_DIALOG)
            self._saved = True

    def _make_bold(self) -> None:
        self._hands.chord("Up")
        self._hands.chord("ctrl+shift+Right")
        self._hands.chord("ctrl+b")
        self._hands.chord("ctrl+End")

    def _undo_once(self) -> None:
        self._user.write(item(self._rng))
        self._user.read(0.8, 1.6)
        self._hands.repeat("ctrl+z", 1)
        self._hands.chord("ctrl+End")
        self._user.write(f" {item(self._rng)}\n")

    def _read_over(self) -> None:
        self._hands.move(*self._at(_PAGE[0] + self._rng.randint(-150, 150), _PAGE[1]))
        self._hands.scroll(self._rng.randint(1, 2))
        self._user.read(4.0, 9.0)
        self._hands.scroll(-2)

    def _find_a_word(self) -> None:
        self._hands.chord("ctrl+h")
        self._user.wait_dialog("Find and Replace")
        self._user.write("the")
        self._user.read(0.8, 1.5)
        self._user.close_dialog("Find and Replace")
        self._hands.chord("ctrl+End")

    def _try_undo(self) -> None:
        """Indent or rewrite something, find it wrong, take it all back; sometimes too much."""
        self._user.write(self._rng.choice((f"    {item(self._rng)}", f"{item(self._rng)} {item(self._rng)}", "\t\t- ")))
        self._undo_too_much()

    def _try_clicks(self) -> None:
        """Click, and click again, on something that does not respond."""
        x, y = self._at(*_DEAD[self._dead])
        for _ in range(self._rng.randint(3, 6)):
            self._hands.click(x + self._rng.randint(-3, 3), y + self._rng.randint(-3, 3))
            self._hands.wait(self._rng.uniform(0.25, 0.7))

    def _try_toggle(self) -> None:
        """Change something, change it back, change it again."""
        for _ in range(2):
            if self._toggle == "word":
                self._hands.chord("ctrl+shift+Left")
                self._words.reverse()
                self._user.write(self._words[0])
            else:
                self._hands.chord("ctrl+b" if self._toggle == "bold" else self._rng.choice(("ctrl+e", "ctrl+l")))
            self._hands.wait(self._rng.uniform(0.5, 0.9))
