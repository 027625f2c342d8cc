"""A command of ours that runs as a child behind everything else: one at a time, with a time limit, killed with Kairos.

The child has a session of its own, the lowest priority, no descriptor of ours and a small environment. Its output goes
nowhere: what it did stands in its files, and its exit code is logged. Nothing here takes a thread.
"""

import asyncio
import errno
import logging
import os
import signal
import subprocess
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress

logger = logging.getLogger(__name__)

END_S = 0.3
"""How long a child may take to end when Kairos stops, before it is killed."""

_LOWEST_PRIORITY = ("nice", "-n", "19")
_ONLY_WHEN_IDLE = ("chrt", "--idle", "0")  # Linux gives what it reads and writes the idle class too
_KEPT = ("HOME", "LANG", "LOGNAME", "PATH", "PYTHONPATH", "SSL_CERT_DIR", "SSL_CERT_FILE", "TMPDIR", "TZ", "USER")
_KEPT_PREFIXES = ("LC_", "XDG_")


def child_environment(env: Mapping[str, str]) -> dict[str, str]:
    """Return what a child needs of an environment: paths, language and zone; no key and no display."""
    return {name: value for name, value in env.items() if name in _KEPT or name.startswith(_KEPT_PREFIXES)}


class BackgroundCommand:
    """The child. Everything runs in the thread of the loop."""

    def __init__(
        self,
        name: str,
        command: Sequence[str],
        *,
        limit_s: float,
        idle: bool = False,
        on_end: Callable[[int], object] = lambda _: None,
    ) -> None:
        """Prepare; nothing is started.

        The log calls it `name`. After `limit_s` a child is killed with all that it started; with `idle` it gets
        processor and disk only while nothing else needs them. `on_end` takes the exit code of each child.
        """
        self._name = name
        self._command = tuple(command)
        self._limit_s = limit_s
        self._idle = idle
        self._on_end = on_end
        self._loop: asyncio.AbstractEventLoop | None = None
        self._child: subprocess.Popen[bytes] | None = None
        self._limit: asyncio.TimerHandle | None = None
        self._ended_fd = -1

    @property
    def is_running(self) -> bool:
        """Whether a child is at work."""
        return self._child is not None

    def start(self, loop: asyncio.AbstractEventLoop) -> None:
        """Start a child, unless one is at work; a failure is logged."""
        if self._child is not None:
            return
        try:
            self._child = self.spawn()
        except OSError as error:
            logger.error("%s cannot be started: %s", self._name, error.strerror)  # noqa: TRY400  # expected
            return
        self._loop = loop
        try:
            if sys.platform != "linux":
                raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))  # noqa: TRY301  # as a system without it says
            self._ended_fd = os.pidfd_open(self._child.pid)
        except OSError as error:  # before Linux 5.3, or out of descriptors: nobody would see it end
            logger.error("%s cannot be watched: %s", self._name, error.strerror)  # noqa: TRY400  # expected
            self.kill()
            self._finish()
            return
        loop.add_reader(self._ended_fd, self._finish)
        self._limit = loop.call_later(self._limit_s, self.kill)

    def spawn(self) -> "subprocess.Popen[bytes]":
        """Start the command as a child that nothing here watches, limits or ends.

        Two standard programs lower its priority and then become the command, in the same process. Lowered from here,
        it would run at ours for a while, and so would what it starts in that time.

        Raises:
            OSError: it cannot be started.
        """
        return subprocess.Popen(
            (*(_ONLY_WHEN_IDLE if self._idle else ()), *_LOWEST_PRIORITY, *self._command),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd="/",
            env=child_environment(os.environ),
            start_new_session=True,
        )

    def kill(self) -> None:
        """Kill the child with all that it started."""
        if sys.platform == "win32":  # nothing of this is built for Windows yet
            raise NotImplementedError
        self._signal(signal.SIGKILL)

    def stop(self) -> None:
        """End the child with all that it started; once this has returned there is none."""
        if self._child is None:
            return
        self._signal(signal.SIGTERM)
        try:
            self._child.wait(END_S)
        except subprocess.TimeoutExpired:
            self.kill()
        self._finish()

    def _signal(self, number: signal.Signals) -> None:
        if sys.platform == "win32":  # nothing of this is built for Windows yet
            raise NotImplementedError
        if self._child is not None:
            with suppress(ProcessLookupError):
                os.killpg(self._child.pid, number)

    def _finish(self) -> None:
        """Take note that the child has ended, or is about to: it was killed."""
        if self._limit is not None:
            self._limit.cancel()
            self._limit = None
        if self._ended_fd >= 0:
            assert self._loop is not None  # noqa: S101  # the descriptor comes after it
            self._loop.remove_reader(self._ended_fd)
            os.close(self._ended_fd)
            self._ended_fd = -1
        if self._child is not None:
            child, self._child = self._child, None
            status = child.wait()
            logger.info("%s ended: %d", self._name, status)
            self._on_end(status)


class TimedCommand(ABC):
    """A child that a timer starts. Everything runs in the core's thread."""

    def __init__(self, background: BackgroundCommand) -> None:
        """Take the child; nothing is looked at before `start`."""
        self._background = background
        self._loop: asyncio.AbstractEventLoop | None = None
        self._timer: asyncio.TimerHandle | None = None

    def start(self, loop: asyncio.AbstractEventLoop) -> None:
        """Begin to wait for what is due."""
        self._loop = loop
        self.resume()

    @abstractmethod
    def resume(self) -> None:
        """Set the timer anew: it has stood still while the machine was suspended, or the clock was changed. Quick."""

    def stop(self) -> None:
        """End: no timer is left, and no child."""
        self._cancel()
        self._loop = None
        self._background.stop()

    def _wait(self, seconds: float) -> None:
        """Have `_wake` called, in place of what was waited for."""
        assert self._loop is not None  # noqa: S101  # the callers have looked
        self._cancel()
        self._timer = self._loop.call_later(seconds, self._wake)

    def _cancel(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    @abstractmethod
    def _wake(self) -> None:
        """Start the child if it is due, and set the next timer."""
