"""The one switch that every grab and every input callback asks first: open means that something may be taken.

Closing takes effect at once for input and before the next grab for the screen; `epoch` lets a grab that was under way
when the gate closed notice it, so that this frame is thrown away as well. Neither waits for anybody.
"""

from collections.abc import Callable


class Gate:
    """Shared by the interface, the core and the capture threads; starts closed, so that nothing is taken unasked."""

    def __init__(self) -> None:
        """Start closed."""
        self._open = False
        self._epoch = 0
        self._watchers: list[Callable[[], None]] = []

    @property
    def is_open(self) -> bool:
        """Whether anything may be taken."""
        return self._open

    @property
    def epoch(self) -> int:
        """A number that grows with every closing."""
        return self._epoch

    def passed(self, epoch: int) -> bool:
        """Tell whether the gate has stayed open since `epoch` was read."""
        return self._open and self._epoch == epoch

    def open(self) -> None:
        """Let things be taken."""
        if not self._open:
            self._open = True
            self._tell()

    def close(self) -> None:
        """Stop everything: nothing is taken once this has returned."""
        if self._open:
            self._open = False
            self._epoch += 1
            self._tell()

    def watch(self, told: Callable[[], None]) -> None:
        """Have `told` called, on the thread that switches, after every change; it must not block."""
        self._watchers.append(told)

    def unwatch(self, told: Callable[[], None]) -> None:
        """End a `watch`."""
        self._watchers.remove(told)

    def _tell(self) -> None:
        for told in tuple(self._watchers):
            told()
