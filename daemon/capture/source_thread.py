"""A thread with an asyncio loop for what may hang or go away: buses, programs, sound servers. Nobody waits for it."""

import asyncio
import contextlib
import logging
import threading
from collections.abc import Callable, Coroutine
from typing import Any

logger = logging.getLogger(__name__)


class SourceGone(Exception):  # noqa: N818  # a state of the world, not a fault of ours
    """A source does not answer, or not any more; it may come back."""


class SourceThread:
    """Runs one coroutine from `start` to `stop`."""

    def __init__(
        self, name: str, main: Callable[[], Coroutine[Any, Any, None]], on_end: Callable[[bool], None], *, failure: str
    ) -> None:
        """Take what it runs, what it calls at its end with whether that was a bug, and what is logged then."""
        self._main = main
        self._failure = failure
        self._on_end = on_end
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stopping = False
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    def start(self) -> None:
        """Begin; returns at once."""
        self._thread.start()

    def stop(self, timeout_s: float = 1.0) -> bool:
        """End; return whether the thread ended in time. A second call only waits."""
        with self._lock:
            if self._loop is not None and not self._stopping:
                with contextlib.suppress(RuntimeError):  # it has just ended by itself
                    self._loop.call_soon_threadsafe(self._cancel)
            self._stopping = True
        if self._thread.ident is not None:
            self._thread.join(timeout_s)
        return not self._thread.is_alive()

    @property
    def is_running(self) -> bool:
        """Whether its coroutine runs and is not to end."""
        return self._loop is not None and not self._stopping

    def call(self, action: Callable[[], object]) -> None:
        """Call `action` in the thread; not at all if it has ended."""
        loop = self._loop
        if loop is not None:
            with contextlib.suppress(RuntimeError):  # it has just ended
                loop.call_soon_threadsafe(action)

    def call_later(self, seconds: float, action: Callable[[], object]) -> bool:
        """Call `action` in the thread, which calls this, after a while; return False if its loop has ended."""
        loop = self._loop
        if loop is not None:
            loop.call_later(seconds, action)
        return loop is not None

    def _run(self) -> None:
        failed = False
        try:
            asyncio.run(self._enter())
        except asyncio.CancelledError:
            pass
        except Exception:  # a stage boundary: capture works without this source
            logger.exception(self._failure)
            failed = True
        finally:
            with self._lock:
                self._loop = None
            self._on_end(failed)

    async def _enter(self) -> None:
        with self._lock:
            if self._stopping:
                return
            self._loop = asyncio.get_running_loop()
        await self._main()

    def _cancel(self) -> None:
        for task in asyncio.all_tasks(self._loop):
            task.cancel()
