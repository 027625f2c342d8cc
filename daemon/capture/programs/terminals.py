"""Whether a terminal shows what is typed into it: programs that ask for a password turn the echo off.

A terminal is a process, or what it started, that holds the master of a pseudo-terminal. Which of its tabs is in front
is not known, so one with the echo off counts for all. Nothing is kept open, or a terminal that is left would not end.
"""

import os
import sys
import termios
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from daemon.capture.programs.processes import PROC, facts_of, started_by
from storage.clock import NS_PER_S, Clock

KNOWN_NS = 3 * NS_PER_S
"""How long it is known which terminals a process has: finding out reads of every process, 1 to 4 ms."""

NONE_KNOWN_NS = 10 * NS_PER_S
"""The same of a process without any: browsers have dozens of processes, with hundreds of files each."""

MAX_PROCESSES = 64
"""How many processes that a program started are looked at."""

_MASTERS = ("/dev/ptmx", "/dev/pts/ptmx")
_INDEX = "tty-index:"
_LFLAG = 3
_SHOW_THEMSELVES = ("emacs",)
"""Beginnings of names of programs that show themselves what is typed into terminals of theirs, whose echo is off."""

_ASK_BY_KEYS = frozenset(
    {
        *("cryptsetup", "doas", "gpg", "gpg2", "login", "pass", "passwd", "pinentry-curses", "pinentry-tty", "run0"),
        *("ssh-add", "ssh-keygen", "su", "sudo", "sudo-rs", "systemd-tty-ask"),
    }
)
"""Programs whose prompts for a password may take each key by itself, as editors and shells do for all they get."""


@dataclass(frozen=True, slots=True)
class _Known:
    """The terminals of a program by their numbers, and for each a process that it belongs to (0: none found)."""

    pid: int = 0
    until_ns: int = 0
    terminals: Mapping[int, int] = field(default_factory=dict)


class TerminalEcho:
    """Follows the program in front; `is_off` may be called in another thread than `watch`."""

    def __init__(self, clock: Clock, root: Path = PROC, devices: Path = Path("/dev/pts")) -> None:
        """Look up processes in `root` and terminals in `devices`."""
        self._clock = clock
        self._root = root
        self._devices = devices
        self._known = _Known()
        self._asked = (0, 0, 0, 0)
        """The program that last asked for a password key by key, its terminal, a process there, and when it did."""

    def watch(self, pid: int, *, has_input: bool = True) -> None:
        """Note the process in front; 0 where there is none that may be looked at.

        Finds out what terminals it has: at once, and again after a while where there is input.
        """
        now_ns, known = self._clock.now_ns(), self._known
        if pid == known.pid and (not pid or not has_input or now_ns < known.until_ns):
            return
        terminals = self._terminals(pid) if pid else {}
        self._known = _Known(pid, now_ns + (KNOWN_NS if terminals else NONE_KNOWN_NS), terminals)

    def is_off(self) -> bool:
        """Return whether a terminal of the program in front hides what is typed now."""
        known = self._known
        return any(self._hides(known.pid, number, pid) for number, pid in known.terminals.items())

    def drawn_for(self, since_ns: int) -> int:
        """Return the program that asked for a password key by key since then, which may draw a star for each.

        It was in front then, and may have been left. Such prompts take their stars away at the end; 0: none has asked.
        """
        program, number, pid, _ = self._asked
        self.is_off()
        if program and self._asked[0] == program != self._known.pid:
            self._hides(program, number, pid)
        program, _, _, asked_ns = self._asked
        return program if asked_ns >= since_ns else 0

    def _hides(self, program: int, number: int, pid: int) -> bool:
        if sys.platform == "win32":  # nothing of this is built for Windows yet
            raise NotImplementedError
        try:
            file = os.open(self._devices / str(number), os.O_RDONLY | os.O_NOCTTY | os.O_NONBLOCK | os.O_CLOEXEC)
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
        if flags & termios.ICANON:
            return True
        asks = bool(flags & termios.ISIG) and not _ASK_BY_KEYS.isdisjoint(self._names_in_front(pid))
        if asks:
            self._asked = program, number, pid, self._clock.now_ns()
        return asks

    def _names_in_front(self, pid: int) -> Iterator[str]:
        """Yield the names of the program to which the keys of a process's terminal go, and of what it started."""
        try:
            leader = int(facts_of(pid, self._root)[5])
        except (OSError, IndexError):
            return
        for each in started_by(leader, MAX_PROCESSES, self._root):
            with suppress(OSError, IndexError):  # it has ended
                if int(facts_of(each, self._root)[2]) == leader:  # not what a shell runs in the background
                    yield self._name(each)

    def _name(self, pid: int) -> str:
        try:
            return (self._root / str(pid) / "comm").read_text(errors="replace").strip()
        except OSError:  # it has ended
            return ""

    def _family(self, pid: int) -> Mapping[int, int]:
        """Return a process and what it started, with the device number of the terminal of each."""
        devices = dict.fromkeys(started_by(pid, MAX_PROCESSES, self._root), 0)
        for each in devices:
            with suppress(OSError, IndexError):  # it has ended
                devices[each] = int(facts_of(each, self._root)[4])
        return devices

    def _terminals(self, pid: int) -> Mapping[int, int]:
        """Return the numbers of the terminals of which a program holds the masters, and a process of each."""
        family = self._family(pid)
        found: dict[int, int] = {}
        for each in family:
            if self._name(each).startswith(_SHOW_THEMSELVES):
                continue
            folder = self._root / str(each)
            try:
                for file in os.scandir(folder / "fd"):
                    if _target(file.path) in _MASTERS:
                        lines = (folder / "fdinfo" / file.name).read_text().splitlines()
                        for line in lines:
                            if line.startswith(_INDEX):
                                number = int(line.partition(":")[2])
                                found[number] = self._process_at(number, family)
            except OSError:  # it has ended, or is not ours to look at
                continue
        return found

    def _process_at(self, number: int, family: Mapping[int, int]) -> int:
        if sys.platform == "win32":  # nothing of this is built for Windows yet
            raise NotImplementedError
        try:
            device = (self._devices / str(number)).stat().st_rdev
        except OSError:
            return 0
        return next((pid for pid, terminal in family.items() if terminal == device), 0)


def _target(link: str) -> str:
    try:
        return os.readlink(link)  # noqa: PTH115  # hundreds of them
    except OSError:  # closed meanwhile
        return ""
