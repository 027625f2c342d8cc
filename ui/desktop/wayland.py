"""What a Wayland desktop has beside windows: shortcuts, and notifications, which knock before a window takes the keys.

A notification has a thread and a connection of its own until it is over. Its server may keep what it was shown, so it
is asked to keep nothing.
"""

import asyncio
import contextlib
import html
import json
import socket
import subprocess
import sys
import threading
from collections.abc import Iterable, Sequence

from dbus_fast import Message, MessageType, Variant
from dbus_fast.aio import MessageBus
from PySide6.QtCore import QObject, QSocketNotifier

from storage.settings import InterfaceSettings
from ui.desktop.protocol import Knock, Shortcuts
from ui.desktop.session_bus import FAULTS, call, follow, session_bus
from ui.views.settings import label_of
from ui.views.shortcuts import Modifier, Shortcut, ShortcutCommand

_NAME, _PATH = "org.freedesktop.Notifications", "/org/freedesktop/Notifications"
_SERVER = (_NAME, _PATH, _NAME)
_ANSWER_S, _END_S = 5.0, 1.0
_NEVER, _DISMISSED = 0, 2
_MODIFIERS = {Modifier.CTRL: "CTRL", Modifier.ALT: "ALT", Modifier.SHIFT: "SHIFT", Modifier.SUPER: "LOGO"}
"""As the specification of shortcuts of freedesktop.org writes them, before the key's name in X."""

_MAX_NAME = 64


class Notification(Knock):
    """One notification, by the session's message bus."""

    def __init__(self, title: str, text: str, buttons: Sequence[tuple[str, str]], parent: QObject) -> None:
        """Have it shown; `buttons` are their keys and words."""
        super().__init__(parent)
        self._title, self._text, self._buttons = title, text, buttons
        self._loop = asyncio.new_event_loop()
        self._over = asyncio.Event()
        self._number = 0
        self._early: list[Message] = []
        self._thread = threading.Thread(target=self._run, name="notification", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Take it away. A second call changes nothing."""
        with contextlib.suppress(RuntimeError):  # it is over
            self._loop.call_soon_threadsafe(self._over.set)
        self._thread.join(2 * _END_S)  # a server that hangs is left to itself

    def _run(self) -> None:
        try:
            self._loop.run_until_complete(self._serve())
        except FAULTS:
            with contextlib.suppress(RuntimeError):  # its window is gone, so nobody needs to know
                self.failed.emit()
        finally:
            self._loop.close()

    async def _serve(self) -> None:
        bus = session_bus()
        try:
            async with asyncio.timeout(_ANSWER_S):
                await bus.connect()
                bus.add_message_handler(self._take)
                await follow(bus, _NAME, _NAME)
                self._number = await self._show(bus)
            for message in self._early:
                self._take(message)
            await self._over.wait()
            async with asyncio.timeout(_END_S):
                await call(bus, _SERVER, "CloseNotification", "u", self._number)
        finally:
            bus.disconnect()

    async def _show(self, bus: MessageBus) -> int:
        told = await call(bus, _SERVER, "GetCapabilities")
        text = html.escape(self._text, quote=False) if "body-markup" in told else self._text
        buttons = [word for button in self._buttons for word in button]
        hints = {name: Variant("b", True) for name in ("transient", "suppress-sound")}
        body = ("Kairos", 0, "kairos", self._title, text, buttons, hints, _NEVER)
        return int(await call(bus, _SERVER, "Notify", "susssasa{sv}i", *body))

    def _take(self, message: Message) -> None:
        if message.message_type is not MessageType.SIGNAL or message.path != _PATH:
            return
        if not self._number:  # it may be answered before its number is known here
            self._early.append(message)
        elif message.body[:1] == [self._number]:
            if message.member == "ActionInvoked":
                self.chosen.emit(str(message.body[1]))
            elif message.member == "NotificationClosed" and message.body[1] == _DISMISSED:
                self.dismissed.emit()


class PortalShortcuts(Shortcuts):
    """The shortcuts that are set, by the desktop's portal if it offers any; people may choose other keys there."""

    def __init__(self, settings: InterfaceSettings) -> None:
        """Read the settings; nothing is asked for yet."""
        super().__init__(settings)
        self._commands: frozenset[ShortcutCommand] = frozenset()
        self._link: socket.socket | None = None
        self._process: subprocess.Popen[bytes]
        self._notifier: QSocketNotifier

    def start(self) -> tuple[ShortcutCommand, ...]:
        """Have the portal ask. Nobody is told here which keys somebody else has."""
        if not self._wanted or self._link is not None:
            return ()
        if sys.platform == "win32":  # nothing of this is built for Windows
            raise NotImplementedError
        self._link, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", "ui.desktop.key_portal"], stdin=theirs.fileno(), start_new_session=True
            )
        wanted = {
            command: (label_of(f"interface.shortcut_{command}"), _trigger(shortcut))
            for command, shortcut in self._wanted.items()
        }
        with contextlib.suppress(OSError):  # where it has ended already, `_read` says so
            self._link.send(json.dumps(wanted).encode())
        self._notifier = QSocketNotifier(self._link.fileno(), QSocketNotifier.Type.Read, self)
        self._notifier.activated.connect(self._read)
        return ()

    def hold(self, commands: Iterable[ShortcutCommand]) -> None:
        """Take these commands to count, and no others."""
        self._commands = frozenset(commands)

    def close(self) -> None:
        """End the process that asked, and with it the shortcuts. A second call changes nothing."""
        link, self._link = self._link, None
        if link is not None:
            self._notifier.setEnabled(False)
            link.close()
            self._process.kill()
            self._process.wait()

    def _read(self) -> None:
        told = ""
        with contextlib.suppress(OSError):  # it ended without reading
            told = self._link.recv(_MAX_NAME).decode() if self._link is not None else ""
        if not told:
            self.close()  # the desktop has no such portal, or somebody said no
        elif told in self._commands:
            self.pressed.emit(ShortcutCommand(told))


def _trigger(shortcut: Shortcut) -> str:
    held = [name for modifier, name in _MODIFIERS.items() if modifier in shortcut.modifiers]
    return "+".join((*held, shortcut.key))
