"""One program on the bus, shared by all parts of its listener: who it is, whether and what it may be asked.

Children are counted before they are fetched, and never fetched from tables, lists and trees, which may hold millions.
Places are pixels of the desktop. GTK 4 counts from the corner of its window, so its boxes are moved to the active
window.
"""

import asyncio
import contextlib
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Self

from daemon.capture.accessibility.atspi.connection import Connection, Refused, Unanswered
from daemon.capture.accessibility.atspi.protocol import (
    ACCESSIBLE,
    ACTIVE,
    APPLICATION,
    COMPONENT,
    EDITABLE,
    FOCUSED,
    HOLDS_LABELS,
    MAX_WINDOWS,
    MULTI_LINE,
    PARAGRAPH,
    PASSWORD,
    PLAIN_TEXT,
    ROOT,
    SCREEN,
    TABLE,
    TEXT,
    box_from,
    has_state,
    label_in,
    object_path,
    role_of,
    state_of,
    without_type,
)
from daemon.capture.accessibility.atspi.recent import KnownControls
from daemon.capture.accessibility.atspi.signals import Subscriptions
from daemon.capture.control_source import Access, Control, Guard, Observation
from daemon.capture.message_texts import names_secret
from daemon.capture.programs.processes import program_process
from storage.clock import NS_PER_S, Clock
from storage.records import Box, ControlRole, ControlState

KNOWN_ROLES = 300
ROLE_NS = 60 * NS_PER_S
"""For how long the role of something that shows, changes or is a place counts."""

GTK2, GTK4, QT = "GAIL", "GTK", "Qt"
"""What toolkits call themselves; GTK 3 is "gtk"."""

AGAIN_NS = 10 * NS_PER_S
"""How much later it is asked again what it is built with."""

REFUSING_NS = 5 * NS_PER_S
"""A program that refuses for this long to say what it is built with counts as one that does not say so."""

STARTING_NS = 20 * NS_PER_S
"""For how long a program that has only refused so far counts as starting: GTK 4 refuses by itself while it is busy."""

ORIGIN_NS = 2 * NS_PER_S
"""For how long the origin of a window counts: the display server knows a new size before the program has followed."""

MAX_BORDER = 80
"""By how many pixels a window may be larger than its frame says, at scale 2."""

SCALES = (1, 2, 3)
LABELS_S = 0.3
MAX_CHILDREN = 40
MAX_QUESTIONS = 44
MAX_DEPTH = 8
MAX_NAME = 2000
EMBEDDED = "\N{OBJECT REPLACEMENT CHARACTER}"
"""Stands in a text for an object in it, such as a button."""


class Origin(NamedTuple):
    """Where a program counts from, in pixels of the desktop, and how many pixels one of its units is."""

    x: int = 0
    y: int = 0
    scale: int = 1

    def on_desktop(self, box: Box) -> Box:
        """Return a box of the program in pixels of the desktop."""
        scale = self.scale
        return Box(self.x + box.x * scale, self.y + box.y * scale, box.w * scale, box.h * scale)

    def in_program(self, x: int, y: int) -> tuple[int, int]:
        """Return a point of the desktop as the program counts."""
        return (x - self.x) // self.scale, (y - self.y) // self.scale


DESKTOP = Origin()


class _KnownOrigin(NamedTuple):
    """Where a window of a program counts from, while it is at that place of the desktop, until it is asked again."""

    window: str
    content: Box
    origin: Origin
    until_ns: int


def scale_of(frame: Box | None, window: Box) -> int | None:
    """Return how many pixels a unit of a program is, a whole number; None where its frame is of another window."""
    if frame is None:
        return None
    for scale in SCALES:
        if abs(window.w - frame.w * scale) <= MAX_BORDER and abs(window.h - frame.h * scale) <= MAX_BORDER:
            return scale
    return None


def origin_in(content: Box, frame: Box) -> Origin | None:
    """Return where GTK 4 counts from in a window's content: it may leave the same margin on all sides."""
    scale = scale_of(frame, content)
    if scale is None:
        return None
    width, height = frame.w * scale, frame.h * scale
    return Origin(content.x + (content.w - width) // 2, content.y + (content.h - height) // 2, scale)


@dataclass(frozen=True, slots=True)
class Labels:
    """What a dialog says in reading order, if it holds a password field, if all was read, and by how many questions."""

    text: str = ""
    asks_password: bool = False
    complete: bool = True
    questions: int = 0


@dataclass(frozen=True, slots=True)
class Means:
    """What all programs share: whom to ask, whether that may be, the time, where tasks and observations go."""

    connection: Connection
    guard: Guard
    clock: Clock
    begin: Callable[[Coroutine[Any, Any, None]], asyncio.Task[None] | None]
    """Does some work beside the rest; drops it where the connection is just ending."""

    report: Callable[[Observation], None]
    subscriptions: Subscriptions

    @classmethod
    def of(
        cls,
        connection: Connection,
        guard: Guard,
        clock: Clock,
        tasks: asyncio.TaskGroup,
        report: Callable[[Observation], None],
    ) -> Self:
        """Run what is done beside the rest in a group of tasks."""

        def begin(work: Coroutine[Any, Any, None]) -> asyncio.Task[None] | None:
            try:
                return tasks.create_task(work)
            except RuntimeError:
                work.close()
                return None

        return cls(connection, guard, clock, begin, report, Subscriptions(connection, begin))


class BusProgram:
    """A program on the bus, until it is gone.

    Every method that asks it raises `Unanswered` where it does not answer in time, refuses, or may not be asked now.
    """

    def __init__(self, name: str, means: Means) -> None:
        """Take its name on the bus; its process is looked up by `introduce`."""
        self.name = name
        self.pid = 0
        self.connection = means.connection
        self.guard = means.guard
        self.clock = means.clock
        self.begin = means.begin
        self.report = means.report
        self.window: str | None = None
        """The window that was last activated, while it is there."""

        self.created_ns = -NS_PER_S
        """When it last made a window."""

        self.known_controls = KnownControls()
        self._toolkit: str | None = None
        self._refused_ns: int | None = None
        self._toolkit_again_ns = 0
        """When it first refused to say so."""
        self._origin: _KnownOrigin | None = None
        self._is_gone = self._has_answered = False
        self._since_ns = means.clock.now_ns()
        self._known = asyncio.Event()
        self._roles: OrderedDict[str, tuple[int, int]] = OrderedDict()

    async def introduce(self) -> None:
        """Find out which process it is."""
        process = await self.connection.process(self.name)
        self.pid = program_process(process)
        if not self._is_gone and self.pid == process:  # what a process in between ran is not what the program did
            self.connection.know_process(self.name, process)
        self._known.set()

    async def wait_known(self) -> None:
        """Wait until its process is known, which the bus says."""
        await self._known.wait()

    async def wait_ready(self) -> None:
        """Wait while it has yet to answer what it should have answered already."""
        await self.connection.wait_ready(self.name)

    def end(self) -> None:
        """Note that it is gone."""
        self._is_gone = True

    @property
    def is_active(self) -> bool:
        """Whether its window is the active one."""
        return self.guard.permit.active == self.pid

    @property
    def is_starting(self) -> bool:
        """Whether its refusals say nothing: it has answered nothing yet, and may only now begin to work."""
        return not self._has_answered and self.clock.now_ns() - self._since_ns < STARTING_NS

    async def may(self, epoch: int, access: Access = Access.ALL) -> bool:
        """Return whether it may be asked, for as long as the gate has not been closed."""
        if self._is_gone or self.pid == 0 or self.guard.epoch != epoch:
            return False
        return await self.guard.access(self.pid) >= access and self.guard.epoch == epoch

    # ------------------------------------------------------------ questions about one object

    async def ask(
        self, path: str, interface: str, member: str, signature: str = "", *body: object, urgent: bool = False
    ) -> object:
        """Return the first value that it answers about an object (`Connection.ask`)."""
        found = await self.connection.ask(self.name, path, interface, member, signature, *body, urgent=urgent)
        self._has_answered = True
        return found

    async def property(self, path: str, interface: str, member: str, *, urgent: bool = False) -> object:
        """Return a property of an object."""
        found = await self.connection.property(self.name, path, interface, member, urgent=urgent)
        self._has_answered = True
        return found

    async def role_number(self, path: str, *, urgent: bool = False) -> int:
        """Return the number of a control's role."""
        found = await self.ask(path, ACCESSIBLE, "GetRole", urgent=urgent)
        if not isinstance(found, int):
            raise Unanswered
        return found

    async def role(self, path: str) -> int:
        """Return the number of a role, asked once in a while: a status line changes its words, not what it is."""
        known = self.known_role(path)
        if known is not None:
            return known
        number = await self.role_number(path)
        self.note_role(path, number)
        return number

    def known_role(self, path: str) -> int | None:
        """Return the number of a role that was asked a while ago; None if it was not."""
        number, known_ns = self._roles.get(path, (0, 0))
        return number if path in self._roles and self.clock.now_ns() - known_ns < ROLE_NS else None

    def note_role(self, path: str, number: int) -> None:
        """Note the number of a role that was just asked."""
        self._roles[path] = number, self.clock.now_ns()
        self._roles.move_to_end(path)
        if len(self._roles) > KNOWN_ROLES:
            self._roles.popitem(last=False)

    async def name_of(self, path: str, *, urgent: bool = False) -> str:
        """Return a control's name."""
        found = await self.property(path, ACCESSIBLE, "Name", urgent=urgent)
        return found[:MAX_NAME] if isinstance(found, str) else ""

    async def above(self, path: str) -> str | None:
        """Return what holds a control."""
        return object_path(await self.property(path, ACCESSIBLE, "Parent"))

    async def has(self, path: str, state: int) -> bool:
        """Return whether a control is in a state."""
        return has_state(await self.ask(path, ACCESSIBLE, "GetState"), state)

    async def label_of(self, path: str) -> str:
        """Return the words of what labels a control; none if nothing does, or the program does not say."""
        with contextlib.suppress(Unanswered):
            label = label_in(await self.ask(path, ACCESSIBLE, "GetRelationSet"))
            if label is not None:
                return await self.name_of(label)
        return ""

    async def is_called_secret(self, path: str) -> bool:
        """Return whether a field is called a password, itself or, where it has no name, by its label. Neither is kept.

        In GTK 4 that tells a password field: libadwaita's have the role of any entry. A field counts as one where the
        program is late to say so.
        """
        try:
            own = await self.name_of(path, urgent=True)
            if without_type(own, ControlRole.ENTRY):
                return names_secret(own)
            label = label_in(await self.ask(path, ACCESSIBLE, "GetRelationSet", urgent=True))
            return label is not None and names_secret(await self.name_of(label, urgent=True))
        except Refused:
            return False
        except Unanswered:
            return True

    async def text_of(self, path: str) -> str:
        """Return the text that a part of a page shows itself, which has no object in Firefox. Never of an entry."""
        if await self.has(path, EDITABLE):
            return ""
        length = await self.property(path, TEXT, "CharacterCount")
        if not isinstance(length, int) or length <= 0:
            return ""
        found = await self.ask(path, TEXT, "GetText", "ii", 0, min(length, MAX_NAME))
        return found.replace(EMBEDDED, " ").strip() if isinstance(found, str) else ""

    async def written_in(self, path: str, span: tuple[int, int], may: Callable[[], Awaitable[bool]]) -> str:
        """Return what stands between two places of a text of many lines; nothing of any other control.

        A paragraph of a document is none, nor is what has the keyboard, or a field of one line. `may` is asked before
        each question.
        """
        if not await may() or await self.role_number(path) != PLAIN_TEXT or not await may():
            return ""
        states = await self.ask(path, ACCESSIBLE, "GetState")
        if has_state(states, FOCUSED) or not has_state(states, MULTI_LINE) or not await may():
            return ""
        found = await self.ask(path, TEXT, "GetText", "ii", *span)
        return found if isinstance(found, str) else ""

    async def lacks_result(self, path: str) -> bool:
        """Return whether a cell has a formula and shows nothing, as one with an error in LibreOffice."""
        if await self.property(path, TEXT, "CharacterCount") != 0:
            return False
        found = await self.ask(path, ACCESSIBLE, "GetAttributes")
        return isinstance(found, Mapping) and bool(found.get("Formula"))

    async def cell_name(self, path: str, row: int, column: int) -> str:
        """Return what a cell of a list says."""
        cell = object_path(await self.ask(path, TABLE, "GetAccessibleAt", "ii", row, column))
        return await self.name_of(cell) if cell is not None else ""

    async def box_of(self, path: str, *, urgent: bool = False) -> Box | None:
        """Return where a control is, as the program counts; None if it has no place."""
        return box_from(await self.ask(path, COMPONENT, "GetExtents", "u", SCREEN, urgent=urgent))

    async def children(self, path: str, most: int) -> list[str]:
        """Return what a control holds; nothing where that is more than `most`."""
        count = await self.property(path, ACCESSIBLE, "ChildCount")
        if not isinstance(count, int) or not 0 < count <= most:
            return []
        found = await self.ask(path, ACCESSIBLE, "GetChildren")
        paths = [object_path(child) for child in found[:most]] if isinstance(found, Sequence) else []
        return [path for path in paths if path is not None]

    async def windows(self) -> list[str]:
        """Return the objects of its windows; none where it has too many."""
        return await self.children(ROOT, MAX_WINDOWS)

    async def active_window(self) -> str | None:
        """Return the object of its active window."""
        for path in await self.windows():
            if await self.has(path, ACTIVE):
                return path
        return None

    async def labels(self, path: str) -> Labels:
        """Return what a dialog says, as far as the program does so in time; raises nothing."""
        texts: list[str] = []
        asks_password, complete = False, True
        left = MAX_QUESTIONS

        async def look(path: str, depth: int) -> None:
            nonlocal asks_password, left
            if depth > MAX_DEPTH or left <= 0:
                return
            for child in await self.children(path, MAX_CHILDREN):
                left -= 2
                if left <= 0:
                    return
                number = await self.role_number(child)
                if number == PASSWORD:
                    asks_password = True
                elif number in HOLDS_LABELS:
                    await look(child, depth + 1)
                elif role_of(number) in (ControlRole.LABEL, ControlRole.NOTIFICATION) or number == PARAGRAPH:
                    text = await self.name_of(child)
                    if text:
                        texts.append(text)
                    elif number == PARAGRAPH:  # of a page: its words are below it, or in it
                        before = len(texts)
                        await look(child, depth + 1)
                        if len(texts) == before and (text := await self.text_of(child)):
                            texts.append(text)

        try:
            async with asyncio.timeout(LABELS_S):
                await look(path, 0)
                if not texts:
                    with contextlib.suppress(Refused):  # few dialogs have a text of their own
                        texts += filter(None, [await self.text_of(path)])
        except (TimeoutError, Unanswered):
            complete = False  # what was read until then is better than nothing
        return Labels("\n".join(texts)[:MAX_NAME], asks_password, complete, MAX_QUESTIONS - left)

    # ------------------------------------------------------------ what it is built with, and where it counts from

    async def toolkit(self, *, urgent: bool = False) -> str:
        """Return what it is built with, asked until it answers; nothing if it goes on refusing.

        One that starts slowly refuses for long, and then does answer, so it is asked again now and then.
        """
        now_ns = self.clock.now_ns()
        if self._toolkit is None or (not self._toolkit and now_ns >= self._toolkit_again_ns):
            try:
                found = await self.property(ROOT, APPLICATION, "ToolkitName", urgent=urgent)
                self._toolkit = found if isinstance(found, str) else ""
            except Unanswered as error:
                self._refused_ns = now_ns if self._refused_ns is None else self._refused_ns
                may_say_so = self.is_starting or now_ns - self._refused_ns < REFUSING_NS
                if self._toolkit is None and (not isinstance(error, Refused) or may_say_so):
                    raise
                self._toolkit = ""
            self._toolkit_again_ns = now_ns + AGAIN_NS
        return self._toolkit

    async def is_gtk4(self) -> bool:
        """Return whether it is built with GTK 4; it is not if it does not say so."""
        return await self.is_of(GTK4)

    async def is_of(self, toolkit: str) -> bool:
        """Return whether it is built with a toolkit; it is not if it does not say so."""
        with contextlib.suppress(Unanswered):
            return await self.toolkit() == toolkit
        return False

    async def box(self, path: str) -> Box | None:
        """Return where a control is on the desktop; None if it has no place there, or that cannot be told."""
        return await self._on_desktop(await self.box_of(path))

    async def describe(self, path: str, role: ControlRole | None = None, *, is_plain: bool = False) -> Control:
        """Return what a control is: role, if it is not known, name, state and place.

        With `is_plain` its state is known to be plain, and not asked. A list to choose from is called by its label in
        Qt, which names it by what is chosen or typed in it.
        """
        if role is None:
            role = role_of(await self.role_number(path))
        state = ControlState.PLAIN
        if is_plain:
            name = await self.name_of(path)
        else:
            name, states = await asyncio.gather(self.name_of(path), self.ask(path, ACCESSIBLE, "GetState"))
            state = state_of(role, states)
        box: Box | None = None
        with contextlib.suppress(Unanswered):
            box = await self.box_of(path)
        shown = "" if role is ControlRole.PASSWORD else name
        found = Control(key=path, role=role, name=shown, state=state, box=box)
        try:
            toolkit = await self.toolkit()
        except Unanswered:
            return replace(found, box=None)
        if toolkit == QT and role is ControlRole.COMBO_BOX:
            return replace(found, name=await self.label_of(path))
        if toolkit == GTK4:
            return replace(found, name=without_type(shown, role), box=await self._on_desktop(box))
        return found if self.guard.permit.corner is None else replace(found, box=await self._on_desktop(box))

    async def origin(self) -> Origin | None:
        """Return where it counts from; None while that cannot be told, as with no window of it active."""
        permit = self.guard.permit
        if await self.toolkit() != GTK4:
            return Origin(*permit.corner) if permit.corner is not None and permit.active == self.pid else DESKTOP
        content = permit.content if permit.active == self.pid else None
        if content is None:
            return None
        if self.window is None:
            self.window = await self.active_window()
        window, now_ns = self.window, self.clock.now_ns()
        if window is None:
            return None
        known = self._origin
        if known is not None and known.window == window and known.content == content and now_ns < known.until_ns:
            return known.origin
        frame = await self.box_of(window)
        origin = origin_in(content, frame) if frame is not None else None
        if origin is not None:  # where it is none the program may not have followed its window yet
            self._origin = _KnownOrigin(window, content, origin, now_ns + ORIGIN_NS)
        return origin

    async def _on_desktop(self, box: Box | None) -> Box | None:
        if box is None:
            return None
        try:
            origin = await self.origin()
        except Unanswered:
            return None
        return origin.on_desktop(box) if origin is not None else None
