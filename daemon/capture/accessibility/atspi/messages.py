"""What one program says by itself: dialogs, alerts, status lines, errors beside a field or in a row, loaded pages."""

import asyncio
import contextlib
from collections.abc import Callable

from daemon.capture.accessibility.atspi.browser import Browser
from daemon.capture.accessibility.atspi.connection import Unanswered
from daemon.capture.accessibility.atspi.outputs import Outputs
from daemon.capture.accessibility.atspi.program import BusProgram, Labels
from daemon.capture.accessibility.atspi.protocol import (
    INTERNAL_FRAME,
    PANEL,
    PASSWORD,
    SHOWS_MESSAGES,
    TABLE,
    role_of,
)
from daemon.capture.accessibility.atspi.recent import APPEARING_NS, Echoes, Restless
from daemon.capture.accessibility.atspi.signals import Signal, SignalKind
from daemon.capture.control_source import DialogOpened, MessageShown, PageLoaded, UndoNamed
from daemon.capture.message_texts import class_of_message, has_failed, undo_label
from storage.clock import NS_PER_S
from storage.records import Box, ControlRole, MessageClass

_ECHO_NS = 2 * NS_PER_S
DIALOG_STEPS = 7
"""How far above the control with the focus the dialog of a page may be; an alert() of Chromium is the fifth."""

FORM_QUESTIONS = 24
"""A dialog that takes more questions to read is a form, with a title of its own, and not a message."""

FORM_NS = 60 * NS_PER_S
"""How long what was read of a form counts for those of its title and size."""

ASK_AGAIN_S = 1.0
"""When a program may be asked as much again (`budget.CALLS_PER_S`)."""

_DIALOGS = (ControlRole.DIALOG, ControlRole.ALERT)

MAX_COLUMNS = 4
ROWS_ABOVE = 8
_TROUBLE = (MessageClass.ERROR, MessageClass.WARNING)


class DialogReader:
    """Reports each dialog of a program once it opens."""

    def __init__(self, program: BusProgram) -> None:
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
        """Report a window that was made or activated, if it is a dialog."""
        if signal.kind is SignalKind.WINDOW_ACTIVATE and signal.path in self._open:
            return
        is_being_made = signal.kind is SignalKind.WINDOW_CREATE  # one that is activated again is asked once in a while
        ask = self._program.role_number if is_being_made else self._program.role
        role = role_of(await ask(signal.path))
        if role in _DIALOGS:
            await self.report(signal.path, role, signal.text, now_ns, epoch)

    async def report(self, path: str, role: ControlRole, title: str, now_ns: int, epoch: int) -> None:
        """Report a dialog with what it says, unless that was done a moment ago."""
        if self._echoes.is_echo(path, now_ns):
            return
        self._open.add(path)
        try:
            title = title or await self._program.name_of(path)
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
            await self._program.wait_ready()
            if has_focus() and await self._program.may(epoch):
                with contextlib.suppress(Unanswered):
                    await self._look_above(path, now_ns, epoch)

    async def _look_above(self, path: str, now_ns: int, epoch: int) -> None:
        below = 0
        for _ in range(DIALOG_STEPS):
            above = await self._program.above(path)
            if above is None or above == path or above in self._open:  # the root is its own parent in Firefox
                return
            number = await self._program.role_number(above)
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
        said = await self._program.labels(path)
        if said.text or said.complete:
            return said
        await asyncio.sleep(ASK_AGAIN_S)
        await self._program.wait_ready()
        return await self._program.labels(path) if await self._program.may(epoch) else said


class Messages:
    """Reads and reports the messages of a program. Every method that asks raises `Unanswered` where it does not say."""

    def __init__(self, program: BusProgram, browser: Browser, dialogs: DialogReader) -> None:
        """Take the program, and who knows its pages and dialogs: some are shown or named as messages are."""
        self._program = program
        self._browser = browser
        self._dialogs = dialogs
        self._echoes = Echoes()
        self._restless = Restless()
        self.outputs = Outputs(program, self._on_run)
        """What it writes after a command."""

    async def on_showing(self, signal: Signal, now_ns: int, epoch: int) -> None:
        """Report an alert, a notification or a dialog that began to show."""
        if self._dialogs.is_open(signal.path):
            return
        role = role_of(await self._program.role(signal.path))
        if role is ControlRole.DIALOG:
            await self._dialogs.report(signal.path, role, "", now_ns, epoch)
        elif role in (ControlRole.ALERT, ControlRole.NOTIFICATION):
            title = await self._program.name_of(signal.path)
            said = await self._program.labels(signal.path)
            self.report(role, "\n".join(part for part in (title, said.text) if part), now_ns, epoch)

    async def on_name(self, signal: Signal, now_ns: int, epoch: int) -> None:
        """Report what a new name says: what can be undone, a dialog of a page, an error in a status line."""
        label = undo_label(signal.text)
        if label is not None:
            if not self._echoes.is_echo(("undo", label), now_ns):
                self._program.report(UndoNamed(t_ns=now_ns, pid=self._program.pid, epoch=epoch, label=label))
            return
        is_window = signal.path == self._program.window
        if is_window or not signal.text or self._restless.is_restless(signal.path, now_ns):
            return
        is_trouble = class_of_message(signal.text) in _TROUBLE
        if not is_trouble and not self._browser.may_have_pages:
            return  # the dialogs of a page get their names late; others come with a window
        number = await self._program.role(signal.path)
        if role_of(number) is ControlRole.DIALOG:
            await self._dialogs.report(signal.path, ControlRole.DIALOG, signal.text, now_ns, epoch)
        elif is_trouble and number in SHOWS_MESSAGES:
            self.report(role_of(number), signal.text, now_ns, epoch)

    async def on_invalid(self, signal: Signal, now_ns: int, epoch: int) -> None:
        """Report an entry that the program marks as wrong."""
        if signal.detail and self._program.is_active:
            number = await self._program.role_number(signal.path)
            is_password = number == PASSWORD
            text = "" if is_password else await self._program.name_of(signal.path)
            self.report(role_of(number), text, now_ns, epoch, about=MessageClass.ERROR)

    async def on_cell_left(self, path: str, now_ns: int, epoch: int) -> None:
        """Report a cell whose formula has no result: there is an error in it, which has no words."""
        if await self._program.lacks_result(path):
            self.report(ControlRole.CELL, "", now_ns, epoch, about=MessageClass.ERROR)

    async def on_row(self, signal: Signal, now_ns: int, epoch: int) -> None:
        """Report a new row of a list, if it is an error, or says how a run went."""
        if now_ns - self._program.created_ns < APPEARING_NS:
            return  # the lists of a window that appears are filled
        if self.outputs.is_expected and self._program.is_active:
            first = self.outputs.first_row(signal.path, signal.detail)
            lines = await self._lines_of(signal.path, first, signal.detail)
            if self.outputs.take_lines(signal.path, lines, now_ns, epoch):
                return
        text = await self._program.cell_name(signal.path, signal.detail, 0)
        if class_of_message(text) in _TROUBLE:
            self.report(ControlRole.CELL, text, now_ns, epoch)

    async def _lines_of(self, path: str, first: int, row: int) -> list[str]:
        """Return what rows of a list say down to one that was added; those above only where it tells of a failure."""
        columns = await self._program.property(path, TABLE, "NColumns")
        many = min(columns, MAX_COLUMNS) if isinstance(columns, int) else 1

        async def line(number: int) -> str:
            cells = [await self._program.cell_name(path, number, column) for column in range(many)]
            return " ".join(filter(None, cells))

        added = await line(row)
        above = range(max(first, row - ROWS_ABOVE), row) if has_failed(added) else ()
        return [*[await line(number) for number in above], added]

    async def on_written(self, signal: Signal, now_ns: int, epoch: int) -> None:
        """Read what a page writes into a part of it that is there for messages; other text is nobody's business."""
        if self._restless.is_restless(signal.path, now_ns):
            return
        role = role_of(await self._program.role(signal.path))
        if role in (ControlRole.ALERT, ControlRole.NOTIFICATION, ControlRole.STATUS):
            said = await self._program.labels(signal.path)
            text = said.text or await self._program.name_of(signal.path)
            if text:
                self.report(role, text, now_ns, epoch)

    async def on_text(self, signal: Signal, now_ns: int, epoch: int) -> None:
        """Report an announcement or a notification, which has its text with it."""
        if signal.text:
            self.report(ControlRole.NOTIFICATION, signal.text, now_ns, epoch)

    async def on_loaded(self, signal: Signal, now_ns: int, epoch: int) -> None:
        """Report a page that has loaded."""
        title = await self._program.name_of(signal.path)
        if not self._echoes.is_echo(("loaded", title), now_ns):
            self._program.report(PageLoaded(t_ns=now_ns, pid=self._program.pid, epoch=epoch, title=title))

    def _on_run(self, error: str | None, now_ns: int, epoch: int) -> None:
        about = MessageClass.SUCCESS if error is None else MessageClass.ERROR
        self.report(ControlRole.OUTPUT, error or "", now_ns, epoch, about=about)

    def report(
        self, role: ControlRole, text: str, now_ns: int, epoch: int, *, about: MessageClass | None = None
    ) -> None:
        """Report a message, unless it was just reported; `about` where that does not follow from its words."""
        if not self._echoes.is_echo((role, text, about), now_ns):
            self._program.report(
                MessageShown(t_ns=now_ns, pid=self._program.pid, epoch=epoch, role=role, text=text, about=about)
            )
