"""Mousepad with tasks: words that the text does not have, replacing what is not found, folders that are not there."""

from collections.abc import Sequence
from functools import partial

from demo.virtual_desktop.pixels import differing_pixels, grab_pixels
from lab.simulation.program import Point
from lab.simulation.programs.mousepad import Mousepad
from lab.simulation.simulated_user import SimulatedUser
from lab.simulation.tasks.programs.debian.debian_program import PACE
from lab.simulation.tasks.task import Answer, Task, Way
from lab.simulation.tasks.ways import repeated, varied

_THERE = ("the", "for", "and", "is", "as")
_MISSING = ("gardenn", "comittee", "libary", "the  hall", "quire", "Bakkery")
_NO_FOLDERS = ("archive/notes.txt", "Archive/notes.txt", "old/notes.txt", "archiv/notes.txt")
_REPLACE, _SAVE_AS = "Find and Replace", "Save As"
_CARET_PIXELS = 250
_CASE, _WHOLE, _WORDS, _OTHERS, _BUTTON = (20, 132), (20, 158), (257, 23), (257, 63), (297, 256)
"""Two check boxes of the dialog, both fields and the button that replaces, from its top left corner."""


class MousepadProgram(Mousepad):
    """Notes in a text file."""

    name = "mousepad-tasks"

    def __init__(self, user: SimulatedUser) -> None:
        """Let `user` write."""
        super().__init__(user)
        self._tasks = self._make_tasks()

    def tasks(self) -> Sequence[Task]:
        """Return the tasks there are."""
        return self._tasks

    def work(self) -> None:
        """Write something, or change a word."""
        if self._user.chance(0.6):
            self.compose()
        else:
            self.adjust()

    def look_over(self) -> None:
        """Move through the text."""
        self.page(self._rng.choice((-1, 1)))

    def places(self) -> Sequence[Point]:
        """Return words and buttons."""
        return [*self.content_points(), *self.tool_points()[:3]]

    def state(self) -> bytes:
        """Return the pixels of the text, for tests."""
        return grab_pixels(self._desktop.display, self._text_box())

    def has_changed(self, before: bytes) -> bool:
        """Return whether the text looks different, a caret left out."""
        now = self.state()
        return len(now) != len(before) or differing_pixels(before, now) > _CARET_PIXELS

    def _make_tasks(self) -> Sequence[Task]:
        views = tuple(partial(self._choose, name) for name in ("line numbers", "word wrap", "line numbers"))
        word, wrong = self._rng.choice(_THERE), self._rng.choice(_MISSING)
        return (
            Task(
                name="find",
                intent="find the place about the garden",
                help="the word is spelled differently in the text",
                begin=self._open_bar,
                succeed=lambda: self._find(self._rng.choice(_THERE)),
                leave=self._close_bar,
                again=lambda: self._find(self._rng.choice(_THERE)),
                options=views,
                wrong=(
                    repeated(self._find, wrong, Answer.REFUSED),
                    varied(self._find, _MISSING, Answer.REFUSED),
                    Way(name="on", act=partial(self._find_on, wrong), answer=Answer.REFUSED),
                ),
            ),
            Task(
                name="replace",
                intent="replace a word everywhere",
                help="the word has to be as it stands in the text",
                begin=self._open_replace,
                succeed=partial(self._replace_well, word),
                leave=self._leave_replace,
                again=lambda: self._replace_well(self._rng.choice(_THERE)),
                options=views,
                wrong=(
                    repeated(self._replace_in_vain, wrong, Answer.NOTHING),
                    varied(self._replace_in_vain, _MISSING, Answer.NOTHING),
                    Way(name="options", act=self._tick, answer=Answer.NOTHING, systematic=True),
                ),
            ),
            Task(
                name="save_as",
                intent="save a copy for the archive",
                help="the folder has to be there before a file can be saved in it",
                begin=partial(self._hands.chord, "ctrl+Home"),
                succeed=self._save_well,
                again=self._save_well,
                options=views,
                leave=self._leave_dialogs,
                wrong=(
                    repeated(self._save_in_vain, _NO_FOLDERS[0], Answer.REFUSED),
                    varied(self._save_in_vain, _NO_FOLDERS, Answer.REFUSED, "names"),
                ),
            ),
        )

    def _enter(self, text: str) -> None:
        self._hands.chord("ctrl+a")
        self._user.write(text, rate=max(PACE, self._user.rate))

    def _open_bar(self) -> None:
        self._hands.chord("ctrl+f")
        self._bar_open = True
        self._hands.wait(0.3)

    def _find_on(self, words: str, number: int) -> None:
        if number == 0 or not self._bar_open:
            self._find(words)
        self._hands.repeat("Return", self._user.count(1, 4))

    def _open_replace(self) -> None:
        if self._user.windows.find(title=_REPLACE) is None:
            self._close_bar()
            self._hands.chord("ctrl+r")
            self._user.wait_dialog(_REPLACE)

    def _leave_replace(self) -> None:
        if self._user.windows.find(title=_REPLACE) is not None:
            self._hands.chord("Escape")
            self._user.wait_title_gone(_REPLACE)

    def _in_dialog(self, place: Point) -> Point:
        box = self._user.wait_dialog(_REPLACE).box
        return box.x + place[0], box.y + place[1]

    def _search_for(self, word: str, other: str) -> None:
        """Fill in both fields; Enter goes on to the next find."""
        self._open_replace()
        self._hands.click(*self._in_dialog(_WORDS))
        self._enter(word)
        self._hands.click(*self._in_dialog(_OTHERS))
        self._enter(other)

    def _replace_in_vain(self, word: str) -> None:
        self._search_for(word, "path")
        self._press_replace(self._user.count(1, 2))

    def _press_replace(self, times: int) -> None:
        """Press the button; the first time it goes to the next find, then it replaces."""
        x, y = self._in_dialog(_BUTTON)
        for _ in range(times):
            self._hands.click(x + self._rng.randint(-8, 8), y)
            self._hands.wait(0.3)

    def _tick(self, number: int) -> None:
        """Look for the same with another option on or off."""
        if number == 0:
            self._search_for(_MISSING[0], "path")
        else:
            self._open_replace()
        self._hands.click(*self._in_dialog(self._rng.choice((_CASE, _WHOLE))))
        self._press_replace(1)

    def _replace_well(self, word: str) -> None:
        self._search_for(word, word.upper())
        self._press_replace(self._rng.randint(2, 3))
        self._leave_replace()

    def _name_file(self, name: str) -> None:
        if self._user.windows.find(title=_SAVE_AS) is None:
            self._hands.chord("ctrl+shift+s")
            self._user.wait_dialog(_SAVE_AS)
        self._enter(name)
        self._hands.chord("Return")

    def _save_in_vain(self, name: str) -> None:
        """Name a folder that is not there, and read the message; the dialog stays."""
        self._name_file(name)
        if self._user.wait_until(lambda: len(self._main.others()) > 1, times=60) is None:
            raise LookupError("no message came")
        self._user.think(0.8)
        self._hands.chord(self._rng.choice(("Return", "Escape")))
        self._hands.wait(0.4)

    def _leave_dialogs(self) -> None:
        self._user.think(0.3)
        self._main.leave_others()

    def _save_well(self) -> None:
        self._name_file(f"copy-{self._rng.randint(100, 999)}.txt")
        self._user.wait_title_gone(_SAVE_AS)
