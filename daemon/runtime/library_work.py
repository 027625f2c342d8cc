"""Starts `kairos library add` as a child once a day, so that the help library knows the programs that are installed.

It reads documentation and no screen, so it goes on during a pause. When it was last done stands in the index itself: a
child that was killed or failed has not written it. Killing the child loses nothing; the next one goes on where it was.
"""

import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from daemon.help.library import checked_wall_ns
from daemon.runtime.background_command import BackgroundCommand, TimedCommand
from storage.clock import NS_PER_S

COMMAND = (sys.executable, "-P", "-m", "daemon.cli.main", "library", "add", "--json")

FIRST_S = 60.0
"""The least wait after a start: programs that begin with the desktop come first."""

DAY_S = 86_400.0
"""How often the index is brought up to date; what failed is tried again after the same time."""

LIMIT_S = 3600.0
"""A child that takes longer is killed. It needs seconds of processor time, and gets those that nothing else needs."""


class LibraryWork(TimedCommand):
    """The timer and the child: where there is no index, or one older than a day, it is made in a minute."""

    def __init__(self, data_folder: Path, wall_ns: Callable[[], int], *, command: Sequence[str] = COMMAND) -> None:
        """Take the data folder; nothing is looked at before `start`."""
        super().__init__(BackgroundCommand("indexing documentation", command, limit_s=LIMIT_S, idle=True))
        self._data_folder = data_folder
        self._wall_ns = wall_ns
        self._tried_wall_ns: int | None = None

    def resume(self) -> None:
        """Set the timer anew."""
        if self._loop is not None:
            self._wait(max(FIRST_S, self._due_in_s()))

    def _due_in_s(self) -> float:
        """Return how long the index is still fresh, or too early to be tried again.

        A time that is ahead of the clock does not count: the clock was set back.
        """
        now_wall_ns = self._wall_ns()
        times = (checked_wall_ns(self._data_folder), self._tried_wall_ns)
        latest = max((at_ns for at_ns in times if at_ns is not None and at_ns <= now_wall_ns), default=None)
        return 0.0 if latest is None else max(0.0, DAY_S - (now_wall_ns - latest) / NS_PER_S)

    def _wake(self) -> None:
        """Start the child if the index is due; somebody may have run the command meanwhile."""
        self._timer = None
        if self._loop is not None and self._due_in_s() == 0.0:
            self._tried_wall_ns = self._wall_ns()
            self._background.start(self._loop)
        self.resume()
