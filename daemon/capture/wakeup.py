"""Wakes the capture thread from any other, also while it ends: a late ring must not write into a reused descriptor."""

import os
import threading


class Wakeup:
    """An eventfd that may be rung at any time; after `close` a ring does nothing."""

    def __init__(self) -> None:
        """Make it."""
        self._fd = os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC)
        self._lock = threading.Lock()
        self._closed = False

    def fileno(self) -> int:
        """Return the descriptor to wait on."""
        return self._fd

    def ring(self) -> None:
        """Wake whoever waits."""
        with self._lock:
            if not self._closed:
                os.eventfd_write(self._fd, 1)

    def heard(self) -> bool:
        """Tell whether it was rung since the last call."""
        try:
            os.eventfd_read(self._fd)
        except BlockingIOError:
            return False
        return True

    def close(self) -> None:
        """End it; a second call changes nothing."""
        with self._lock:
            if not self._closed:
                self._closed = True
                os.close(self._fd)
