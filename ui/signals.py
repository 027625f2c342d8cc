"""SIGINT and SIGTERM as an ordinary event of the Qt loop.

Qt's loop runs in C, where Python's own handlers do not get their turn; a byte written by the interpreter to a socket
wakes it.
"""

import signal
import socket
from collections.abc import Callable
from types import FrameType

from PySide6.QtCore import QSocketNotifier

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


class SignalWatch:
    """Calls back on the main thread for each signal, until closed."""

    def __init__(self, on_signal: Callable[[], None]) -> None:
        """Take the signals over."""
        self._on_signal = on_signal
        self._reader, self._writer = socket.socketpair()
        self._reader.setblocking(False)
        self._writer.setblocking(False)
        self._old_fd = signal.set_wakeup_fd(self._writer.fileno(), warn_on_full_buffer=False)
        self._old = {number: signal.signal(number, _ignore) for number in _SIGNALS}
        self._notifier = QSocketNotifier(self._reader.fileno(), QSocketNotifier.Type.Read)
        self._notifier.activated.connect(self._on_byte)

    def close(self) -> None:
        """Give the signals back. A second call changes nothing."""
        if not self._old:
            return
        self._notifier.setEnabled(False)
        for number, handler in self._old.items():
            signal.signal(number, handler)
        self._old = {}
        signal.set_wakeup_fd(self._old_fd)
        self._reader.close()
        self._writer.close()

    def _on_byte(self) -> None:
        """Take the bytes off and call back once for them, if one was ours."""
        if any(number in _SIGNALS for number in self._reader.recv(64)):
            self._on_signal()


def _ignore(_number: int, _frame: FrameType | None) -> None:
    """Do nothing: the byte on the socket is what counts."""
