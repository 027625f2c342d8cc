"""What a program can be told to do, as it says itself. Names are foreign text."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from storage.records import ControlRole, ControlState


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """One command of a program.

    Attributes:
        path: the names from the menu bar, or the bar of tools, down to the command, as the program shows them: without
            mnemonics, keys and dots at the end. One name alone for what stands in no menu.
        role: what it is: an item of a menu, a check box, a button.
        state: whether it takes clicks now and, if it can be, whether it is checked.
        keys: its keyboard shortcut as people write it, such as "Ctrl+Shift+B"; empty for none.
        hint: what else the program says of it in a few words, such as a tip; empty for none.
        in_menu: whether it can be reached by `path`; False for what the program can do and shows nowhere.
    """

    path: tuple[str, ...]
    role: ControlRole = ControlRole.MENU_ITEM
    state: ControlState = ControlState.PLAIN
    keys: str = ""
    hint: str = ""
    in_menu: bool = True

    @property
    def name(self) -> str:
        """The last name of its path."""
        return self.path[-1]


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandList:
    """The commands of one window of a program.

    Attributes:
        app: the program, as `Focus.app` names it.
        commands: in the order of the menus.
        complete: whether those are all; limits may have ended the look at them.
        unread: paths of submenus that are filled only when they are opened, so nobody knows what is in them.
        language: the language of the names as an ISO 639 code; empty where it is not known.
        read_ns: when they were read, in session time.
    """

    app: str
    commands: tuple[Command, ...]
    complete: bool = True
    unread: tuple[tuple[str, ...], ...] = ()
    language: str = ""
    read_ns: int = 0


class RequestCommands(Protocol):
    """Gives the commands of the window in front."""

    def __call__(self, take: Callable[[CommandList | None], None]) -> None:
        """Have `take` called once, from any thread; with None where they are not known, or may not be asked for."""
        ...
