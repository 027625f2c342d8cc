"""Password fields of one program that had the keyboard: asked until nothing is to be seen in them any more.

They are asked when something happens in their program, and else every two seconds. One that does not answer is not
known to be empty. A field stays one when its text is shown, which changes its role, or puts another object there.
"""

import asyncio
import contextlib
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from daemon.capture.accessibility.atspi.connection import Refused, Unanswered
from daemon.capture.accessibility.atspi.program import GTK4, BusProgram
from daemon.capture.accessibility.atspi.protocol import ACCESSIBLE, DEFUNCT, FIELDS, TEXT, VISIBLE, has_state, role_of
from daemon.capture.control_source import Access, FieldSeen
from storage.clock import NS_PER_S
from storage.records import Box, ControlRole

PERIOD_S = 2.0
BEHIND_S = 10.0
"""The same in a program that is not the active one."""

UNANSWERED_S = 30.0
"""The same in one that did not answer."""

SOON_S = 0.1
"""How long it is waited for more to happen, and for the program to have laid out what did."""

MAX_FIELDS = 16
REPLACED_NS = 10 * NS_PER_S
"""For how long a field that is gone may come again as another object in its place, with its text shown."""

LOOK_AGAIN_S = (0.0, 0.2, 0.5)
"""Pauses before it is looked for in that place: Firefox has nothing there for a moment."""

NEAR = 8
"""By how many pixels that may be elsewhere, or of another size: buttons come and go in it."""


_SHOWS_TEXT = frozenset({*FIELDS, ControlRole.PASSWORD})


@dataclass(slots=True)
class _Held:
    """A field: where its program says that it is, whether it was ever visible, and since when it is empty or gone."""

    place: Box | None = None
    was_visible: bool = False
    holds: bool = True
    gone_ns: int | None = None


class HeldFields:
    """The fields of one program."""

    def __init__(self, program: BusProgram) -> None:
        self._program = program
        self._fields: OrderedDict[str, _Held] = OrderedDict()
        self._stirred = asyncio.Event()
        self._watcher: asyncio.Task[None] | None = None
        self._is_answered = True
        self.find_at: Callable[[int, int], Awaitable[str | None]] = _find_nothing
        """Finds the object under a point of the active window."""

    def knows(self, path: str) -> bool:
        """Return whether an object is a password field, or was one and is there still."""
        return path in self._fields and self._fields[path].gone_ns is None

    async def enter(self, path: str) -> Box | None:
        """Note that the keyboard is in a field; return where that is.

        None where that may be wrong, as in GTK 4 and under Wayland: then all windows are covered.
        """
        field = self._fields.setdefault(path, _Held())
        field.holds, field.gone_ns = True, None
        self._fields.move_to_end(path)
        if len(self._fields) > MAX_FIELDS:
            self._fields.popitem(last=False)  # it stays covered until its window closes
        self._watch()
        with contextlib.suppress(Unanswered):
            field.place = await self._program.box_of(path, urgent=True)
            if await self._is_on_desktop(urgent=True):
                return field.place
        return None

    async def has_at_place_of(self, path: str) -> bool:
        """Return whether a text stands where a password field is, or was until a moment ago."""
        now_ns = self._program.clock.now_ns()
        places = [
            field.place
            for field in self._fields.values()
            if field.place is not None and (field.gone_ns is None or field.gone_ns > now_ns - REPLACED_NS)
        ]
        if not places:
            return False
        with contextlib.suppress(Refused):
            box = await self._program.box_of(path, urgent=True)
            return box is not None and any(_are_near(box, place) for place in places)
        return False

    def stir(self) -> None:
        """Take in that something happened: ask soon."""
        if self._fields:
            self._stirred.set()
            self._watch()

    def end(self) -> None:
        """The program is gone, and its fields with it."""
        epoch, now_ns, pid = self._program.guard.epoch, self._program.clock.now_ns(), self._program.pid
        for path in self._fields if epoch is not None else ():
            self._program.report(FieldSeen(t_ns=now_ns, pid=pid, epoch=epoch or 0, key=path, holds=False))
        self._fields.clear()

    def _watch(self) -> None:
        if self._watcher is None or self._watcher.done():
            self._watcher = self._program.begin(self._ask_all())

    async def _ask_all(self) -> None:
        """Ask what is held now and then; what is empty may be filled again, and is asked when something happens."""
        is_over = False
        while not is_over:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(self._pause_s):
                    await self._stirred.wait()
            await asyncio.sleep(SOON_S)
            self._stirred.clear()
            epoch = self._program.guard.epoch
            if epoch is None:
                return  # it is looked at again when the gate opens
            self._forget_gone()
            for path in list(self._fields):
                with contextlib.suppress(Unanswered):
                    await self._ask(path, epoch)
            is_over = not any(field.holds for field in self._fields.values()) and not self._stirred.is_set()

    @property
    def _pause_s(self) -> float:
        if not self._is_answered:
            return UNANSWERED_S
        return PERIOD_S if self._program.is_active else BEHIND_S

    async def _ask(self, path: str, epoch: int) -> None:
        program, field = self._program, self._fields.get(path)
        if field is None or field.gone_ns is not None or not await program.may(epoch, Access.FIELDS):
            return
        asked_ns = program.clock.now_ns()
        self._is_answered = False
        is_visible, is_gone, length = True, False, None
        try:
            states = await program.ask(path, ACCESSIBLE, "GetState")
            is_visible, is_gone = has_state(states, VISIBLE), has_state(states, DEFUNCT)
        except Refused:
            is_gone = True
        if not is_gone:
            field.was_visible = field.was_visible or is_visible
            with contextlib.suppress(Refused):
                length = await program.property(path, TEXT, "CharacterCount")
            with contextlib.suppress(Refused):
                field.place = await program.box_of(path) or field.place
        box = field.place if await self._is_on_desktop() else None
        if is_gone and box is not None and await self._find_in_place_of(box, epoch):
            field.place = None
        self._is_answered = True
        is_hidden = field.was_visible and not is_visible
        field.holds = not is_gone and length != 0 and not is_hidden
        field.gone_ns = asked_ns if is_gone else None
        pid, holds = program.pid, field.holds
        program.report(FieldSeen(t_ns=asked_ns, pid=pid, epoch=epoch, key=path, holds=holds, box=box))

    async def _find_in_place_of(self, place: Box, epoch: int) -> bool:
        """Take in another object in the place of a field that is gone, as some programs make one to show its text.

        Raises `Unanswered` where that cannot be told, as in a window behind others: it is asked again then.
        """
        for pause_s in LOOK_AGAIN_S:
            await asyncio.sleep(pause_s)
            if await self._is_in_place(place, epoch):
                return True
        return False

    async def _is_in_place(self, place: Box, epoch: int) -> bool:
        program = self._program
        found = await self.find_at(place.x + place.w // 2, place.y + place.h // 2)
        for path in (found, await program.above(found)) if found is not None else ():
            if path is None or path in self._fields:
                continue
            with contextlib.suppress(Refused):
                box = await program.box_of(path)
                if (
                    role_of(await program.role_number(path)) in _SHOWS_TEXT
                    and box is not None
                    and _are_near(box, place)
                ):
                    self._fields[path] = _Held(box)
                    await self._ask(path, epoch)
                    return True
        return False

    def _forget_gone(self) -> None:
        since_ns = self._program.clock.now_ns() - REPLACED_NS
        for path, field in list(self._fields.items()):
            if field.gone_ns is not None and field.gone_ns < since_ns:
                del self._fields[path]

    async def _is_on_desktop(self, *, urgent: bool = False) -> bool:
        """Return whether what the program says of places can be relied on: under Wayland none knows where it is."""
        return self._program.guard.permit.knows_places and await self._program.toolkit(urgent=urgent) != GTK4


async def _find_nothing(_x: int, _y: int) -> None:
    raise Unanswered


def _are_near(box: Box, place: Box) -> bool:
    return all(abs(one - other) <= NEAR for one, other in zip(box, place, strict=True))
