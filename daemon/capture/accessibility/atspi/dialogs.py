"""The dialogs of one program, those of a page among them: when one opens, and what it says.

A form with many controls is read once in a while, a message each time.
"""

import asyncio
import contextlib
from collections.abc import Callable

from daemon.capture.accessibility.atspi.connection import Unanswered
from daemon.capture.accessibility.atspi.events import Kind, Signal
from daemon.capture.accessibility.atspi.program import Program
from daemon.capture.accessibility.atspi.queries import (
    ACCESSIBLE,
    Labels,
    labels,
    name_of,
    object_path,
    role_number,
)
from daemon.capture.accessibility.atspi.roles import INTERNAL_FRAME, PANEL, role_of
from daemon.capture.accessibility.source import Access, DialogOpened
from daemon.capture.accessibility.storms import Echoes
from storage.clock import NS_PER_S
from storage.records import Box, ControlRole

_ECHO_NS = 2 * NS_PER_S
DIALOG_STEPS = 7
"""So many controls above the one with the focus may be the dialog of a page; an alert() of Chromium is the fifth."""

FORM_QUESTIONS = 24
"""A dialog that takes more questions to read is a form, with a title of its own, and not a message."""

FORM_NS = 60 * NS_PER_S
"""So long what was read of a form counts for those of its title and size: it is not read each time that it opens."""

ASK_AGAIN_S = 1.0
"""After so long a program may be asked as much again (`budget.CALLS_PER_S`)."""

_DIALOGS = (ControlRole.DIALOG, ControlRole.ALERT)


class Dialogs:
    """Reports each dialog of a program once it opens."""

    def __init__(self, program: Program) -> None:
        """Know of none that is open."""
        self._program = program
        self._echoes = Echoes(_ECHO_NS)
        self._open: set[str] = set()
        self._forms: dict[tuple[str, tuple[int, int] | None], tuple[Labels, int]] = {}

    def is_open(self, path: str) -> bool:
        """Return whether a dialog was reported and is still there."""
        return path in self._open

    def forget(self, path: str) -> None:
        """Note that a window is gone."""
        self._open.discard(path)

    def forget_forms(self) -> None:
        """Forget what forms said."""
        self._forms.clear()

    async def on_window(self, signal: Signal, now_ns: int, epoch: int) -> None:
        """Report a window that was made or activated, if it is a dialog.

        Raises:
            Unanswered: the program does not say what it is.
        """
        if signal.kind is Kind.WINDOW_ACTIVATE and signal.path in self._open:
            return
        role = role_of(await self._role_of_window(signal))
        if role in _DIALOGS:
            await self.report(signal.path, role, signal.text, now_ns, epoch)

    async def _role_of_window(self, signal: Signal) -> int:
        """Return the number of a window's role; one that is activated again and again is asked once in a while.

        Raises:
            Unanswered: the program does not say.
        """
        if signal.kind is Kind.WINDOW_ACTIVATE:
            return await self._program.role(signal.path)
        return await role_number(self._program.connection, self._program.name, signal.path)  # it is just being made

    async def report(self, path: str, role: ControlRole, title: str, now_ns: int, epoch: int) -> None:
        """Report a dialog with what it says, unless that was done a moment ago.

        Raises:
            Unanswered: the program does not say what it is called; it may be reported later.
        """
        if self._echoes.is_echo(path, now_ns):
            return
        self._open.add(path)
        try:
            title = title or await name_of(self._program.connection, self._program.name, path)
        except Unanswered:
            self._open.discard(path)
            self._echoes.forget(path)
            raise
        said = await self._read(path, title, now_ns, epoch)
        self._program.report(
            DialogOpened(
                t_ns=now_ns,
                pid=self._program.pid,
                epoch=epoch,
                role=role,
                title=title,
                text=said.text,
                asks_password=said.asks_password,
            )
        )

    async def find_in_page(self, path: str, now_ns: int, epoch: int, has_focus: Callable[[], bool]) -> None:
        """Report the dialog of a page that the focus went into: it opens no window, and says nothing else."""
        try:
            await self._look_above(path, now_ns, epoch)
        except Unanswered:  # the click has used up the questions of a second, or the page is busy with its dialog
            await asyncio.sleep(ASK_AGAIN_S)
            await self._program.connection.wait_ready(self._program.name)
            if has_focus() and await self._program.may(epoch, Access.ALL):
                with contextlib.suppress(Unanswered):
                    await self._look_above(path, now_ns, epoch)

    async def _look_above(self, path: str, now_ns: int, epoch: int) -> None:
        connection, name = self._program.connection, self._program.name
        below = 0
        for _ in range(DIALOG_STEPS):
            above = object_path(await connection.property(name, path, ACCESSIBLE, "Parent"))
            if above is None or above == path or above in self._open:  # the root is its own parent in Firefox
                return
            number = await role_number(connection, name, above)
            role = role_of(number)
            if role in _DIALOGS:
                await self.report(above, role, "", now_ns, epoch)
                return
            if (below, number) == (PANEL, INTERNAL_FRAME):  # a dialog of Firefox, in some runs; a page is a document
                await self.report(path, ControlRole.DIALOG, "", now_ns, epoch)
                return
            if role is ControlRole.DOCUMENT:
                return
            path, below = above, number

    async def _read(self, path: str, title: str, now_ns: int, epoch: int) -> Labels:
        """Return what a dialog says; of a form that was read a moment ago what it said then."""
        box = await self._place(path) if self._forms else None
        known, known_ns = self._forms.get((title, box and box[2:]), (None, 0))
        if known is not None and now_ns - known_ns < FORM_NS:
            return known
        said = await self._labels(path, epoch)
        if said.questions > FORM_QUESTIONS and (said.text or said.complete):
            self._forms.clear()  # one is enough
            box = box or await self._place(path)
            self._forms[title, box and box[2:]] = (said, now_ns)
        return said

    async def _place(self, path: str) -> Box | None:
        """Return where a dialog is; None if it does not say: what it says matters more."""
        with contextlib.suppress(Unanswered):
            return await self._program.box(path)
        return None

    async def _labels(self, path: str, epoch: int) -> Labels:
        """Return what a dialog says; one of which nothing could be read is asked once more.

        A page puts its words deep below, and the click and the focus before may have used up the questions of a second.
        """
        connection, name = self._program.connection, self._program.name
        said = await labels(connection, name, path)
        if said.text or said.complete:
            return said
        await asyncio.sleep(ASK_AGAIN_S)
        await connection.wait_ready(name)
        return await labels(connection, name, path) if await self._program.may(epoch, Access.ALL) else said
