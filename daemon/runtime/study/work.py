"""Starts `kairos study work` as a child about once an hour, while a joined study has something to pack or to send.

The daemon knows of studies only that each has an outbox with an address in it (`participant.outbox`); where
there is none, no timer is set. Killing the child loses nothing.
"""

import random
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from pathlib import Path

from daemon.runtime.background_command import BackgroundCommand, TimedCommand
from storage.errors import BadFile

OUTBOXES = "studies/[!.]*/outbox.db"
"""Where joined studies keep their outboxes, in the data folder; a name with a dot is of a join that was cut off."""

_ADDRESS = "address"
"""The fact that an outbox loses once nothing is left to send."""

_IDLE_FROM = "idle_from"
"""The fact that says from when on nothing is left to do: nanoseconds since the epoch, in decimal digits."""

_ON_HOLD = "on_hold"
"""The fact that an outbox has while the person has stopped its sending."""

_BESIDE = ("-wal", "-shm", "-journal")
"""What SQLite opens beside a database. Opening a pipe would stop Kairos for ever."""

COMMAND = (sys.executable, "-P", "-m", "daemon.cli.main", "study", "work")
FIRST_S = (60.0, 900.0)
EVERY_S = (3600.0, 4500.0)
"""Shortest and longest wait, drawn evenly: that something is sent must not tell when the person began or was there."""

SOON_S = 2.0
"""The wait after somebody has joined, left or released something."""

APART_S = 60.0
"""No two children start closer together, however often something is requested."""

LIMIT_S = 600.0
"""A child that takes longer is killed with all that it started."""


def has_study(data_folder: Path, now_wall_ns: int = 0) -> bool:
    """Tell whether a joined study has, or may have, something to do; one that nobody can read counts.

    One that is over, with nothing left to send, is known by the time from which on that is so: it counts again if the
    clock is set back.
    """
    return any(
        _has_fact(outbox, _ADDRESS) is not False and not _is_idle(outbox, now_wall_ns)
        for outbox in data_folder.glob(OUTBOXES)
    )


def is_on_hold(data_folder: Path, study: str) -> bool | None:
    """Tell whether the person has stopped the sending of a study; None if that cannot be read."""
    outbox = next((found for found in data_folder.glob(OUTBOXES) if found.parent.name == study), None)
    return None if outbox is None else _has_fact(outbox, _ON_HOLD)


def _is_idle(outbox: Path, now_wall_ns: int) -> bool:
    idle_from = _fact(outbox, _IDLE_FROM)
    return isinstance(idle_from, bytes) and idle_from.isdigit() and int(idle_from) <= now_wall_ns


def _has_fact(outbox: Path, name: str) -> bool | None:
    """Tell whether an outbox holds a fact; None if it cannot be read, and False if no outbox of ours is there."""
    found = _fact(outbox, name)
    return None if found is None else found is not False


def _fact(outbox: Path, name: str) -> bytes | bool | None:
    """Return a fact of an outbox; None if it cannot be read, and False if it is not there, or no outbox of ours is."""
    files = (outbox, *(outbox.with_name(outbox.name + ending) for ending in _BESIDE))
    try:
        if not outbox.is_file() or any(file.is_symlink() or (file.exists() and not file.is_file()) for file in files):
            return False
    except OSError:
        return None
    try:
        with closing(sqlite3.connect(f"{outbox.absolute().as_uri()}?mode=ro", uri=True, timeout=0.1)) as database:
            row = database.execute("SELECT body FROM facts WHERE name = ?", (name,)).fetchone()
            return False if row is None else bytes(row[0]) if isinstance(row[0], bytes) else True
    except sqlite3.Error:
        return None


class StudyWork(TimedCommand):
    """The timer and the child: if a study is joined, its work starts within a quarter of an hour."""

    def __init__(
        self,
        data_folder: Path,
        *,
        command: Sequence[str] = COMMAND,
        chance: random.Random | None = None,
        wall_ns: Callable[[], int] = lambda: 0,
        on_damaged: Callable[[], object] = lambda: None,
    ) -> None:
        """Take the data folder; nothing is looked at before `start`.

        `chance` draws the waits; `on_damaged` is called where the child says that the folder of a study is damaged.
        """
        super().__init__(BackgroundCommand("the work of the study", command, limit_s=LIMIT_S, on_end=self._on_end))
        self._data_folder = data_folder
        self._wall_ns = wall_ns
        self._on_damaged = on_damaged
        self._last: subprocess.Popen[bytes] | None = None
        self._chance = chance if chance is not None else random.SystemRandom()
        self._started_s: float | None = None

    def resume(self) -> None:
        """Wait for the work again if there is any and nobody does: the clock may have been set back. Quick."""
        if self._loop is not None and self._timer is None and not self._background.is_running and self._has_study():
            self._wait(self._chance.uniform(*FIRST_S))

    def _has_study(self) -> bool:
        return has_study(self._data_folder, self._wall_ns())

    def look_again(self) -> None:
        """Start the work soon, if there is any: somebody has joined, left or answered anew."""
        if self._loop is None or not self._has_study():
            return
        since_s = APART_S if self._started_s is None else self._loop.time() - self._started_s
        self._wait(max(SOON_S, APART_S - since_s))

    def end_child(self) -> None:
        """Kill a child that is working, with its sender: no study is in force any more. What it had not done waits."""
        self._background.kill()

    def leave(self) -> None:
        """Have every study left, since the consent was taken back: a last child, which Kairos does not end.

        It stores the signed withdrawal, which takes no network, and tries once to send it.
        """
        self.end_child()
        self._cancel()
        if has_study(self._data_folder):
            with suppress(OSError):  # then the next child does it, or `kairos study leave`
                self._last = self._background.spawn()

    def _wake(self) -> None:
        """Start the child, unless there is nothing to do any more: then no timer follows either."""
        self._timer = None
        if self._loop is None or not self._has_study():
            return
        if self._background.is_running:  # requested while it works: it may have missed what is new
            self._wait(APART_S)
            return
        self._wait(self._chance.uniform(*EVERY_S))
        self._started_s = self._loop.time()
        self._background.start(self._loop)

    def _on_end(self, status: int) -> None:
        if status == BadFile.exit_code:
            self._on_damaged()
