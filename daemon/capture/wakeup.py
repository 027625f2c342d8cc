"""Wakes the capture thread from any other thread."""

import os
import threading


class Wakeup:
    """An eventfd that may be set at any time, even after `close`, when its descriptor may be reused."""

    def __init__(self) -> None:
        """Create the eventfd."""
        self._fd = os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC)
        self._lock = threading.Lock()
        self._closed = False

    def fileno(self) -> int:
        """Return the descriptor to wait on."""
        return self._fd

    def wake(self) -> None:
        """Wake the waiting thread."""
        with self._lock:
            if not self._closed:
                os.eventfd_write(self._fd, 1)

    def clear(self) -> bool:
        """Reset it; return whether it was set since the last call."""
        try:
            os.eventfd_read(self._fd)
        except BlockingIOError:
            return False
        return True

    def close(self) -> None:
        """Close it; a second call changes nothing."""
        with self._lock:
            if not self._closed:
                self._closed = True
                os.close(self._fd)
