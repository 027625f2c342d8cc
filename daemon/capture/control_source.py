"""The vocabulary of the accessibility sense, and the Protocol that adapters of a platform fill.

Observations hold names and texts and live in memory only. What may be stored of them is decided in
`accessibility.observer`, by fence and consent.
"""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from enum import IntEnum, StrEnum
from typing import Protocol

from daemon.capture.scene import ExportedMenus
from storage.ports import CommandList
from storage.records import Box, ControlRole, ControlState, MessageClass


class Access(IntEnum):
    """What may be asked of a program."""

    NOTHING = 0
    FIELDS = 1
    """Only whether the control with the keyboard is a password field: its role, in GTK 4 also its name or label; of
    such a field also where it is, whether it can be seen, how long its text is, and what else is in its place."""
    ALL = 2


class ActKind(StrEnum):
    """What was done with a control."""

    PRESSED = "pressed"
    TOGGLED = "toggled"
    CHOSEN = "chosen"
    ENTERED = "entered"


@dataclass(frozen=True, slots=True, kw_only=True)
class Control:
    """One control: its name, place and state. `key` tells it from others of its program."""

    key: Hashable
    role: ControlRole
    name: str = ""
    state: ControlState = ControlState.PLAIN
    box: Box | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ControlList:
    """The controls of a window that can be acted upon, in reading order; `complete` unless a limit ended the walk."""

    controls: tuple[Control, ...] = ()
    complete: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation:
    """What an adapter has seen: when, and in which process. `epoch` is that of the gate at that moment."""

    t_ns: int
    pid: int
    epoch: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Acted(Observation):
    """A control was pressed, toggled, chosen or typed into."""

    control: Control
    what: ActKind


@dataclass(frozen=True, slots=True, kw_only=True)
class DialogOpened(Observation):
    """A dialog appeared; `text` are its labels, `asks_password` whether a password field is in it."""

    role: ControlRole
    title: str
    text: str
    asks_password: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageShown(Observation):
    """A message appeared; `about` is given where its words do not say it: an entry is marked as wrong, a run failed."""

    role: ControlRole
    text: str
    about: MessageClass | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PageLoaded(Observation):
    """A page or a document was loaded."""

    title: str


@dataclass(frozen=True, slots=True, kw_only=True)
class UndoNamed(Observation):
    """The program says what its next undo would take back."""

    label: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FocusMoving(Observation):
    """The keyboard went to a control that is not known yet; a `FocusMoved` with the same `number` follows."""

    number: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FocusMoved(Observation):
    """The keyboard went to a control; `control` is None where the program did not say to which."""

    number: int
    control: Control | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldSeen(Observation):
    """What a password field that had the keyboard said when it was asked at `t_ns`; `key` is its control's.

    `holds`: whether a password may be seen in it; not where it is empty, hidden or gone. `box` is None where nobody
    says where it is.
    """

    key: Hashable
    holds: bool
    box: Box | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerAwaited(Observation):
    """A program takes long to say that it has taken in what may have moved its keyboard; an `AnswerGiven` follows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerGiven(Observation):
    """It has taken that in, and what was typed until now."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ControlsListed(Observation):
    """What a walk, or by OCR its picture, found for a `request` in the active window; None where nobody said."""

    request: int
    found: ControlList | None = None
    by_ocr: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandsListed(Observation):
    """The commands that were found for a `request` in a window; None where nobody said."""

    request: int
    found: CommandList | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PictureWanted(Observation):
    """A program says nothing of its active window: its picture is wanted, to read the texts in these `areas` off it."""

    request: int
    areas: tuple[Box, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class BrowserWindowNamed(Observation):
    """What a browser calls one of its main windows; `key` tells it from others. Without a `name` it is gone."""

    key: Hashable
    name: str
    box: Box | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Lost(Observation):
    """Signals that were not looked at because there were too many."""

    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgramQuiet(Observation):
    """A program is asked nothing for a while (`on`), or is asked again: it does not answer, or answered too much."""

    on: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Working(Observation):
    """The adapter began to work, or no longer does; `pid` is 0. `chosen`: it ended because the person turned it off."""

    on: bool
    chosen: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceState:
    """How an adapter is doing.

    Whether it is connected, which programs it leaves alone because they did not answer, and which it asks nothing more
    in this minute because their answers have taken so long. `walks_refused`: how many walks of a window did not take
    place because those before had cost too much.
    """

    connected: bool = False
    left_alone: tuple[str, ...] = ()
    spent: tuple[str, ...] = ()
    walks_refused: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class FrontWindow:
    """The window of a program that somebody works in: process, its own window, program, title, and its menus."""

    pid: int
    client: int
    app: str = ""
    title: str = ""
    exported: ExportedMenus | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Permit:
    """What the fence allows now, published by the capture thread.

    `programs` says by process id what may be asked of a program; one that is not in it may not have been seen yet.
    `active` is the process of the active window (0: none), `window` that window with its decorations, `content` the
    part of it that holds controls, `settling` are the processes with a window that is not known yet. `popups` are menus
    on the screen, in which the window below must not be asked, and `menus` those of them that belong to the active
    program. `front` is the active window, unless it may not be seen, `corner` where its program counts from if that
    is not the corner of the desktop. `knows_places`: programs know their places; `is_ours`: a window of ours is active.
    """

    programs: dict[int, Access] = field(default_factory=dict)
    active: int = 0
    window: Box | None = None
    content: Box | None = None
    settling: frozenset[int] = frozenset()
    popups: tuple[Box, ...] = ()
    menus: tuple[Box, ...] = ()
    front: FrontWindow | None = None
    corner: tuple[int, int] | None = None
    knows_places: bool = True
    is_ours: bool = False


class Guard(Protocol):
    """What an adapter asks before it looks at anything."""

    @property
    def epoch(self) -> int | None:
        """The gate's epoch; None while nothing may be looked at."""

    @property
    def permit(self) -> Permit:
        """What the fence allows now."""

    @property
    def reads_outputs(self) -> bool:
        """Whether what programs write after a command may be looked through."""

    @property
    def typing_s(self) -> float:
        """For how long the menus of the active program are still left alone, since somebody types."""

    async def access(self, pid: int) -> Access:
        """Return what may be asked of a program; waits a moment for one whose windows are not known yet."""


class ControlSource(Protocol):
    """An adapter. Used in one thread, with a running asyncio loop."""

    @property
    def state(self) -> SourceState:
        """How it is doing; read from any thread."""

    async def watch(self, report: Callable[[Observation], None]) -> None:
        """Report observations until cancelled; raises `SourceGone` where nobody answers, or the interface went away."""

    def begin_anew(self) -> None:
        """Forget where the keyboard was and listen to all again: for a while nothing might be looked at."""

    def note_active(self) -> None:
        """Listen to what is typed: another program is active, and may say in no other way where the keyboard is."""

    def note_command(self, pid: int, *, is_enter: bool) -> None:
        """Take in that the person gave a program a command by keys: what it writes now may say how that went."""

    def note_writing(self, pid: int) -> None:
        """Take in that the person writes in a program: what it writes from now on answers no command."""

    def note_typing(self, pid: int) -> None:
        """Take in the first letter after an act that may have moved the keyboard: does the program answer at all?"""

    async def element_at(self, pid: int, x: int, y: int) -> Control | None:
        """Return the control of a program under a point of the desktop; None if it does not say so in time."""

    async def focused_at(self, pid: int, x: int, y: int) -> Control | None:
        """Return the control under a point of a menu: it has the keyboard, or gets it in a moment; else None."""

    @property
    def walked_ns(self) -> int:
        """How long programs have run for walks of their windows, all together."""

    @property
    def read_ns(self) -> int:
        """How long programs have run for questions about their commands, all together."""

    async def commands(self, window: FrontWindow, earlier: CommandList | None) -> CommandList | None:
        """Return the commands of a window, of which `earlier` were read before; None if nobody says in time."""

    async def controls(self, pid: int, window: Box, menus: Sequence[Box]) -> ControlList | None:
        """Return the controls of a program's active window and its menus; None if it does not say in time."""
