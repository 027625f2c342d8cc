"""The switch that every screen grab and input callback checks first: nothing is captured while it is closed.

A grab that was under way when the gate closed sees it by `epoch` and drops its frame. Nothing here blocks.
"""

import asyncio
import contextlib
from collections.abc import Callable


class Gate:
    """Shared by the interface, the core and the capture threads. Why it is closed is `daemon.runtime.sensing`'s."""

    def __init__(self) -> None:
        self._open = False
        self._epoch = 0
        self._watchers: list[Callable[[], None]] = []

    @property
    def is_open(self) -> bool:
        """Whether anything may be captured."""
        return self._open

    @property
    def epoch(self) -> int:
        """The number of times that the gate was closed."""
        return self._epoch

    def passed(self, epoch: int) -> bool:
        """Tell whether the gate has stayed open since `epoch` was read."""
        return self._open and self._epoch == epoch

    def open(self) -> None:
        """Allow capture."""
        if not self._open:
            self._open = True
            self._notify()

    def close(self) -> None:
        """Stop capture: nothing is captured once this has returned."""
        if self._open:
            self._open = False
            self._epoch += 1
            self._notify()

    def watch(self, on_change: Callable[[], None]) -> None:
        """Call `on_change` after every change, on the thread that switches; it must not block."""
        self._watchers.append(on_change)

    def watch_closing(self, loop: asyncio.AbstractEventLoop, on_close: Callable[[], None]) -> Callable[[], None]:
        """Call `on_close` in a loop after each closing, even if it is open again by then; return what ends that."""

        def on_change() -> None:
            if not self._open:
                with contextlib.suppress(RuntimeError):  # the loop has ended
                    loop.call_soon_threadsafe(on_close)

        self.watch(on_change)
        return lambda: self.unwatch(on_change)

    def unwatch(self, on_change: Callable[[], None]) -> None:
        """End a `watch`."""
        self._watchers.remove(on_change)

    def _notify(self) -> None:
        for on_change in tuple(self._watchers):
            on_change()


class Ear(Gate):
    """The gate of what somebody says. What was said is released once all that may close it has looked again."""

    def __init__(self, look: Callable[[int], None] | None = None) -> None:
        """Take what has everybody look, given the present time: first beside the desktop, then at it; by default none.

        It returns at once; in the end `looked_ns` is that time, after the gate was closed by what had come before it.
        """
        super().__init__()
        self.look = look or self._looked
        self.screen_due_ns = 0
        """Up to when all beside the desktop has looked: the turn of who looks at the desktop, and opens this."""
        self.looked_ns = 0
        """Up to when everybody has looked."""

    def _looked(self, now_ns: int) -> None:
        self.looked_ns = now_ns
