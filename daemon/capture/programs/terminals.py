"""Whether a terminal shows what is typed into it: programs that ask for a password turn the echo off.

A terminal is a process, or what it started, that holds the master of a pseudo-terminal. Which of its tabs is in front
is not known, so one with the echo off counts for all. Nothing is kept open, or a terminal that is left would not end.
"""

import os
import termios
from collections.abc import Iterator
from pathlib import Path

from daemon.capture.programs.processes import PROC
from storage.clock import NS_PER_S, Clock

KNOWN_NS = NS_PER_S
"""How long it is known which terminals a process has."""

MAX_PROCESSES = 64
"""How many processes that a program started are looked at."""

_MASTERS = ("/dev/ptmx", "/dev/pts/ptmx")
_INDEX = "tty-index:"
_LFLAG = 3
_ASK_WITHOUT_LINES = frozenset({"gpg", "gpg2", "pass"})
"""Programs in front whose prompts take each key by itself, as editors and shells do, which never hide what is typed."""


class TerminalEcho:
    """Follows the program in front; `watch` and `is_off` may be called in different threads."""

    def __init__(self, clock: Clock, root: Path = PROC, devices: Path = Path("/dev/pts")) -> None:
        """Look up processes in `root` and terminals in `devices`."""
        self._clock = clock
        self._root = root
        self._devices = devices
        self._pid = 0
        self._known: tuple[int, int, tuple[int, ...]] = (0, 0, ())

    def watch(self, pid: int) -> None:
        """Note the process in front; 0 where there is none that may be looked at."""
        self._pid = pid

    def is_off(self) -> bool:
        """Return whether a terminal of the program in front hides what is typed now."""
        pid, now_ns = self._pid, self._clock.now_ns()
        known, until_ns, terminals = self._known
        if not pid:
            return False
        if known != pid or now_ns >= until_ns:
            terminals = tuple(self._terminals(pid))
            self._known = (pid, now_ns + KNOWN_NS, terminals)
        return any(self._hides(number) for number in terminals)

    def _hides(self, number: int) -> bool:
        device = self._devices / str(number)
        try:
            file = os.open(device, os.O_RDONLY | os.O_NOCTTY | os.O_NONBLOCK | os.O_CLOEXEC)
        except OSError:  # it has ended, or is another user's
            return False
        try:
            flags = termios.tcgetattr(file)[_LFLAG]
        except termios.error:
            return False
        finally:
            os.close(file)
        if flags & termios.ECHO:
            return False
        return bool(flags & termios.ICANON) or self._program_in_front(device) in _ASK_WITHOUT_LINES

    def _program_in_front(self, device: Path) -> str:
        """Return the name of the program that a terminal's keys go to."""
        try:
            number = device.stat().st_rdev
            for pid in self._family(self._pid):
                _, _, _, _, terminal, group, *_ = self._stat(pid)
                if int(terminal) == number and int(group) > 0:
                    return (self._root / group / "comm").read_text().strip()
        except (OSError, ValueError):
            return ""
        return ""

    def _stat(self, pid: int) -> list[str]:
        return (self._root / str(pid) / "stat").read_text(errors="replace").rpartition(")")[2].split()

    def _family(self, pid: int) -> Iterator[int]:
        """Yield a process and what it started."""
        found = [pid]
        for each in found:
            yield each
            try:
                children = (self._root / str(each) / "task" / str(each) / "children").read_text().split()
            except OSError:
                continue
            found += map(int, children[: MAX_PROCESSES - len(found)])

    def _terminals(self, pid: int) -> Iterator[int]:
        """Yield the numbers of the terminals of which a program holds the masters."""
        for each in self._family(pid):
            folder = self._root / str(each)
            try:
                for file in (folder / "fd").iterdir():
                    if str(file.readlink()) in _MASTERS:
                        lines = (folder / "fdinfo" / file.name).read_text().splitlines()
                        yield from (int(line.partition(":")[2]) for line in lines if line.startswith(_INDEX))
            except OSError:  # it has ended, or is not ours to look at
                continue
