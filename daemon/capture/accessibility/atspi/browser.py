"""Whether a program is a browser, and what Chromium calls its windows: it marks a private one, and only there."""

import contextlib

from daemon.capture.accessibility.atspi.connection import Unanswered
from daemon.capture.accessibility.atspi.program import BusProgram
from daemon.capture.accessibility.atspi.protocol import ACCESSIBLE, ROOT
from daemon.capture.accessibility.atspi.signals import Signal, SignalKind
from daemon.capture.control_source import Access, BrowserWindowNamed
from storage.records import Box

CHROMIUM, FIREFOX = "Chromium", "Gecko"
BROWSER_WINDOW = "BrowserRootView"
"""The class by which Chromium marks the frame of a window with tabs; windows of its web applications have another."""

_ABOUT_WINDOWS = (SignalKind.WINDOW_CREATE, SignalKind.WINDOW_ACTIVATE, SignalKind.NAME)


class Browser:
    """The main windows of a program that is Chromium; none of any other."""

    def __init__(self, program: BusProgram) -> None:
        self._program = program
        self._is_chromium: bool | None = None
        self._has_pages = False
        self._windows: set[str] = set()

    @property
    def is_known(self) -> bool:
        """Whether the program has said what it is."""
        return self._is_chromium is not None

    @property
    def has_pages(self) -> bool:
        """Whether it is a browser."""
        return self._has_pages

    @property
    def may_have_pages(self) -> bool:
        """Whether it is a browser, or is not known yet not to be one."""
        return not self.is_known or self._has_pages

    def take(self, signal: Signal, now_ns: int, epoch: int) -> None:
        """Take in any signal; ask what it leaves open."""
        if signal.kind in _ABOUT_WINDOWS and self._may_name_window(signal):
            self._program.begin(self._on_window(signal, now_ns, epoch))

    def look(self) -> None:
        """Find out whether this is a browser with windows that were there before anybody listened."""
        epoch = self._program.guard.epoch
        if not self.is_known and epoch is not None:
            self._program.begin(self._find_windows(epoch))

    def forget(self, path: str, now_ns: int, epoch: int) -> None:
        """Report that a window is gone, if it was one of these."""
        if path in self._windows:
            self._windows.discard(path)
            self._report(path, "", None, now_ns, epoch)

    def _may_name_window(self, signal: Signal) -> bool:
        if self._is_chromium is None:
            return signal.kind is not SignalKind.NAME
        return self._is_chromium and (signal.kind is not SignalKind.NAME or signal.path in self._windows)

    async def _find_windows(self, epoch: int) -> None:
        program = self._program
        await program.wait_known()
        with contextlib.suppress(Unanswered):
            if not self.is_known and await self._is_asked_chromium(epoch):
                for path in await program.windows():
                    await self._know(path, "", program.clock.now_ns(), epoch)

    async def _on_window(self, signal: Signal, now_ns: int, epoch: int) -> None:
        await self._program.wait_known()
        with contextlib.suppress(Unanswered):
            if await self._is_asked_chromium(epoch):
                name = signal.text if signal.kind is SignalKind.NAME else ""
                await self._know(signal.path, name, now_ns, epoch)

    async def _is_asked_chromium(self, epoch: int) -> bool:
        """Return whether this is Chromium and may be asked: the first question makes its pages speak."""
        program = self._program
        if self._is_chromium is None and await program.may(epoch, Access.FIELDS):
            toolkit = await program.toolkit()
            if toolkit == CHROMIUM:
                await program.ask(ROOT, ACCESSIBLE, "GetAttributes")
            self._is_chromium = toolkit == CHROMIUM
            self._has_pages = toolkit in (CHROMIUM, FIREFOX)
        return bool(self._is_chromium) and await program.may(epoch, Access.FIELDS)

    async def _know(self, path: str, name: str, now_ns: int, epoch: int) -> None:
        if path not in self._windows:
            found = await self._program.ask(path, ACCESSIBLE, "GetAttributes")
            if not isinstance(found, dict) or found.get("class") != BROWSER_WINDOW:
                return
            self._windows.add(path)
        box = await self._program.box_of(path)
        name = name or await self._program.name_of(path)  # the other signals were waited for
        self._report(path, name, box, now_ns, epoch)

    def _report(self, path: str, name: str, box: Box | None, now_ns: int, epoch: int) -> None:
        key = self._program.name, path
        self._program.report(
            BrowserWindowNamed(t_ns=now_ns, pid=self._program.pid, epoch=epoch, key=key, name=name, box=box)
        )
