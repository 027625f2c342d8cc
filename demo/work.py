"""What the demo's programs share: the five ways of getting stuck, menus looked through, places in the window."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import ClassVar

from demo.user import DemoUser
from demo.virtual_desktop.sample_text import item, sentence
from demo.virtual_desktop.windows import WindowInfo
from storage.records import Box

_MENU_Y = 12
_ENTRY_PITCH = 25


class ScriptedWork(ABC):
    """Work in one program by `user`; places are relative to the window's top left corner."""

    stuck_kinds: Sequence[str] = ("undo_loop", "menu_wandering", "dialog_loop", "dead_clicks", "flip_flop")
    menus: ClassVar[Mapping[str, int]]
    searched_menus: ClassVar[Sequence[str]]
    first_menus: ClassVar[int]
    """In which of the first menus, and below in which of the first rows, looking may begin."""
    first_rows: ClassVar[int]
    stays_in_menu: ClassVar[bool]

    def __init__(self, user: DemoUser) -> None:
        """Let `user` do it."""
        self._user = user
        self._hands = user.hands
        self._rng = user.rng
        self._box = Box(0, 0, 1, 1)

    def attempt(self, kind: str) -> str:
        """Try once in vain."""
        tries = {
            "undo_loop": self._try_undo,
            "menu_wandering": self._try_menus,
            "dialog_loop": self._try_dialog,
            "dead_clicks": self._try_clicks,
            "flip_flop": self._try_toggle,
        }
        tries[kind]()
        return kind

    @abstractmethod
    def _try_undo(self) -> None: ...

    @abstractmethod
    def _try_dialog(self) -> None: ...

    @abstractmethod
    def _try_clicks(self) -> None: ...

    @abstractmethod
    def _try_toggle(self) -> None: ...

    def _try_menus(self) -> None:
        """Go through menu after menu, looking at the entries, and choose none."""
        names = self.searched_menus
        first = self._rng.randint(0, self.first_menus - 1)
        menu = self._open(names[first])
        for name in names[first + 1 : first + 1 + self._rng.randint(1, 3)]:
            self._hover(menu.box)
            menu = self._user.next_menu(*self._at(self.menus[name], _MENU_Y))
        self._hover(menu.box)
        self._user.close_menus()

    def _undo_too_much(self) -> None:
        self._hands.wait(self._rng.uniform(0.4, 0.9))
        self._hands.repeat("ctrl+z", self._rng.randint(3, 6), gap_s=0.25)
        if self._user.chance(0.4):
            self._hands.wait(self._rng.uniform(0.3, 0.7))
            self._hands.repeat("ctrl+y", self._rng.randint(1, 2))

    def _at(self, x: int, y: int) -> tuple[int, int]:
        return self._box.x + x, self._box.y + y

    def _open(self, name: str) -> WindowInfo:
        return self._user.open_menu(*self._at(self.menus[name], _MENU_Y))

    def _hover(self, menu: Box) -> None:
        """Go down some entries, resting on each; submenus open and close on the way."""
        row = self._rng.randint(0, self.first_rows - 1)
        for _ in range(self._rng.randint(2, 4)):
            y = menu.y + 14 + row * _ENTRY_PITCH
            if self.stays_in_menu and y > menu.y + menu.h - 8:
                break
            self._hands.move(menu.x + self._rng.randint(30, 90), y)
            self._hands.wait(self._rng.uniform(0.2, 0.5))
            row += self._rng.randint(1, 2)


class TextWork(ScriptedWork):
    """Work on a text: what editors have in common. Places in a dialog are parts of its width and height."""

    dialogs: ClassVar[Mapping[str, str]]
    """Titles of dialogs to get stuck in, with the keys that open them."""
    dialog_places: ClassVar[Mapping[str, Sequence[tuple[float, float]]]]
    _dialog: str

    def _write_paragraph(self) -> None:
        for _ in range(self._rng.randint(1, 2)):
            self._user.write(sentence(self._rng) + " ")
        self._user.write("\n")

    def _copy_line(self) -> None:
        self._hands.chord("Up")
        self._hands.chord("shift+End")
        self._hands.chord("ctrl+c")
        self._hands.chord("ctrl+End")
        self._hands.chord("ctrl+v")
        self._user.write("\n")

    def _replace_word(self) -> None:
        self._hands.chord("Up")
        self._hands.repeat("ctrl+Right", self._rng.randint(1, 3))
        self._hands.chord("ctrl+shift+Right")
        self._user.read(0.5, 1.2)
        self._user.write(item(self._rng))
        self._hands.chord("ctrl+End")

    def _try_dialog(self) -> None:
        """Open the same dialog, poke about in it, leave it without having done anything."""
        self._hands.chord(self.dialogs[self._dialog])
        dialog = self._user.wait_dialog(self._dialog)
        for _ in range(self._rng.randint(1, 3)):
            across, down = self._rng.choice(self.dialog_places[self._dialog])
            self._hands.click(dialog.box.x + int(across * dialog.box.w), dialog.box.y + int(down * dialog.box.h))
            self._hands.wait(self._rng.uniform(0.4, 1.0))
        self._user.close_dialog(self._dialog)
