"""What one program says by itself: alerts, status lines, errors beside a field, rows of errors, pages that loaded.

How a run went, in a part for outputs, is followed in `outputs`.
"""

from daemon.capture.accessibility.atspi.browser_windows import BrowserWindows
from daemon.capture.accessibility.atspi.dialogs import Dialogs
from daemon.capture.accessibility.atspi.events import Signal
from daemon.capture.accessibility.atspi.outputs import Outputs
from daemon.capture.accessibility.atspi.program import Program
from daemon.capture.accessibility.atspi.queries import (
    cell_name,
    labels,
    lacks_result,
    lines_of,
    name_of,
    role_number,
)
from daemon.capture.accessibility.atspi.roles import PASSWORD, SHOWS_MESSAGES, role_of
from daemon.capture.accessibility.source import MessageShown, PageLoaded, UndoNamed
from daemon.capture.accessibility.storms import APPEARING_NS, Echoes, Restless
from daemon.capture.accessibility.words import class_of_message, undo_label
from storage.records import ControlRole, MessageClass

_TROUBLE = (MessageClass.ERROR, MessageClass.WARNING)


class Messages:
    """Reads and reports the messages of a program. Every method that asks raises `Unanswered` where it does not say."""

    def __init__(self, program: Program, browser: BrowserWindows, dialogs: Dialogs) -> None:
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
            title = await name_of(self._program.connection, self._program.name, signal.path)
            said = await labels(self._program.connection, self._program.name, signal.path)
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
            number = await role_number(self._program.connection, self._program.name, signal.path)
            is_password = number == PASSWORD
            text = "" if is_password else await name_of(self._program.connection, self._program.name, signal.path)
            self.report(role_of(number), text, now_ns, epoch, about=MessageClass.ERROR)

    async def on_cell_left(self, path: str, now_ns: int, epoch: int) -> None:
        """Report a cell whose formula has no result: there is an error in it, which has no words."""
        if await lacks_result(self._program.connection, self._program.name, path):
            self.report(ControlRole.CELL, "", now_ns, epoch, about=MessageClass.ERROR)

    async def on_row(self, signal: Signal, now_ns: int, epoch: int) -> None:
        """Report a new row of a list, if it is an error, or says how a run went."""
        if now_ns - self._program.created_ns < APPEARING_NS:
            return  # the lists of a window that appears are filled
        connection, name = self._program.connection, self._program.name
        if self.outputs.is_expected and self._program.is_active:
            first = self.outputs.first_row(signal.path, signal.detail)
            lines = await lines_of(connection, name, signal.path, first, signal.detail)
            if self.outputs.take_lines(signal.path, lines, now_ns, epoch):
                return
        text = await cell_name(connection, name, signal.path, signal.detail, 0)
        if class_of_message(text) in _TROUBLE:
            self.report(ControlRole.CELL, text, now_ns, epoch)

    async def on_written(self, signal: Signal, now_ns: int, epoch: int) -> None:
        """Read what a page writes into a part of it that is there for messages; other text is nobody's business."""
        if self._restless.is_restless(signal.path, now_ns):
            return
        role = role_of(await self._program.role(signal.path))
        if role in (ControlRole.ALERT, ControlRole.NOTIFICATION, ControlRole.STATUS):
            said = await labels(self._program.connection, self._program.name, signal.path)
            text = said.text or await name_of(self._program.connection, self._program.name, signal.path)
            if text:
                self.report(role, text, now_ns, epoch)

    async def on_text(self, signal: Signal, now_ns: int, epoch: int) -> None:
        """Report an announcement or a notification, which has its text with it."""
        if signal.text:
            self.report(ControlRole.NOTIFICATION, signal.text, now_ns, epoch)

    async def on_loaded(self, signal: Signal, now_ns: int, epoch: int) -> None:
        """Report a page that has loaded."""
        title = await name_of(self._program.connection, self._program.name, signal.path)
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
