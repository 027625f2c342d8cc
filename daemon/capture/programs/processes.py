"""What the system says of a process: its program, who it is outside of a sandbox, how long its main thread ran.

A window says the number that its sandbox knows; the display server knows the real one. Flatpak also puts a process
between the program and the accessibility bus; the number in the name of their control group stands for both here.
"""

import contextlib
import os
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from daemon.capture.programs.gecko_profile import has_ordinary_profile
from storage.clock import NS_PER_S

PROC = Path("/proc")
_FLATPAK = re.compile(r"/app-flatpak-[^/]+-(\d+)\.scope(?:/|$)", re.MULTILINE)


def local_process(claimed: int, connected: int, root: Path = PROC) -> int:
    """Return the process of a window that says it is `claimed`, over a connection `connected` (0: unknown).

    That is `connected` where `claimed` is the number of that process in its sandbox; else `claimed`, which may be
    right where the connection is another process's, as over a network.
    """
    if connected in (0, claimed):
        return claimed
    try:
        status = (root / str(connected) / "status").read_text(errors="replace")
    except OSError:
        return claimed
    line = next((line for line in status.splitlines() if line.startswith("NSpid:")), "")
    _, *inside = line.split()[1:] or [""]
    return connected if str(claimed) in inside else claimed


def program_process(pid: int, root: Path = PROC) -> int:
    """Return the process that stands for the program of a process: itself, but for what Flatpak began."""
    try:
        found = _FLATPAK.search((root / str(pid) / "cgroup").read_text(errors="replace"))
    except OSError:
        return pid
    return int(found[1]) if found is not None else pid


_READ_BYTES = 4096
_MAX_PARENTS = 8
_SCOPE = re.compile(r"/app-[^/]+-(\d+)\.scope(?:/|$)", re.MULTILINE)


def parents_of(pid: int, root: Path = PROC) -> tuple[int, ...]:
    """Return the processes that started a process, the nearest first, without the first of the system.

    Those whose parents are gone still name the leaders of their group and session, and the process that a desktop began
    in a control group of its own.
    """
    found: list[int] = []
    for _ in range(_MAX_PARENTS):
        try:
            status = (root / str(found[-1] if found else pid) / "status").read_text(errors="replace")
        except OSError:
            break
        line = next((line for line in status.splitlines() if line.startswith("PPid:")), "")
        parent = int(line.partition(":")[2] or 0)
        if parent <= 1:
            break
        found.append(parent)
    with contextlib.suppress(OSError, IndexError, ValueError):
        facts = (root / str(pid) / "stat").read_text(errors="replace").rpartition(")")[2].split()
        scopes = _SCOPE.findall((root / str(pid) / "cgroup").read_text(errors="replace"))
        found += [int(leader) for leader in (*facts[2:4], *scopes) if int(leader) > 1 and int(leader) != pid]
    return tuple(dict.fromkeys(found))


def started_by(pid: int, most: int, root: Path = PROC) -> list[int]:
    """Return a process and those that it and they have started, from the top down, at most so many."""
    found = [pid]
    by_parent = None if os.path.lexists(f"{root}/{pid}/task/{pid}/children") else _children(root)
    for each in found:  # grows
        if by_parent is not None:
            found += by_parent.get(each, [])[: most - len(found)]
            continue
        with contextlib.suppress(OSError):  # it has ended
            for thread in os.scandir(f"{root}/{each}/task"):
                with contextlib.suppress(OSError):
                    found += map(int, read_bytes(f"{thread.path}/children").split()[: most - len(found)])
    return found


def _children(root: Path) -> Mapping[int, list[int]]:
    found: dict[int, list[int]] = {}
    for folder in os.scandir(root):
        with contextlib.suppress(OSError, IndexError, ValueError):
            found.setdefault(int(facts_of(folder.name, root)[1]), []).append(int(folder.name))
    return found


def facts_of(pid: int | str, root: Path = PROC) -> list[bytes]:
    """Return what stands in `stat` behind the name: state, parent, group, session, terminal, group in front."""
    return read_bytes(f"{root}/{pid}/stat").rpartition(b")")[2].split()


def read_bytes(path: str) -> bytes:
    """Return how a small file begins; without what `Path` costs, since there are hundreds of them."""
    if sys.platform == "win32":  # nothing of this is built for Windows yet
        raise NotImplementedError
    file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        return os.read(file, _READ_BYTES)
    finally:
        os.close(file)


PRIVATE_ARGUMENTS = frozenset({"--guest", "--incognito", "--inprivate", "--private", "-inprivate", "-private"})
"""A browser begun with one of these counts as private with all its windows."""

_INTERPRETERS = ("bash", "electron", "gjs", "java", "node", "perl", "python", "ruby", "sh", "tclsh", "wish")
_CODE = "-c"
_MAX_COMMAND = 65536


def program_name(pid: int) -> str:
    """Return what a process is called; its number if it is gone."""
    try:
        return Path(f"/proc/{pid}/comm").read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return f"process {pid}"


@dataclass(frozen=True, slots=True)
class Process:
    """The names by which a program may be known, the script among them.

    `private`: its arguments ask for privacy. `ordinary_profile`: a browser that is known not to be always private.
    """

    names: frozenset[str] = frozenset()
    script: str = ""
    private: bool = False
    ordinary_profile: bool = False


NO_PROCESS = Process()


def read_process(pid: int, root: Path = PROC) -> Process:
    """Return what runs as `pid`; nothing where that cannot be told."""
    folder = root / str(pid)
    try:
        target = (folder / "exe").readlink()
        program = target.name.removesuffix(" (deleted)")
        with (folder / "cmdline").open("rb") as file:
            arguments = _arguments(os.fsdecode(file.read(_MAX_COMMAND)), os.fsdecode(target))
    except OSError:
        return NO_PROCESS
    script = _script(arguments[1:]) if program.startswith(_INTERPRETERS) else ""
    names = frozenset({program, _base(arguments[0]), script} - {""})
    private = any(word.lower() in PRIVATE_ARGUMENTS for word in arguments[1:])
    ordinary_profile = has_ordinary_profile(pid, root)
    return Process(names=names, script=script, private=private, ordinary_profile=ordinary_profile)


def _script(arguments: Sequence[str]) -> str:
    """Return the name of the script that an interpreter runs; none where it is given code."""
    for word in arguments:
        if word == _CODE:
            return ""
        if word and not word.startswith("-"):
            return _base(word).partition(".")[0]
    return ""


def _arguments(command: str, program: str) -> list[str]:
    """Return the arguments of a process; Chromium puts its own down anew, after its path and joined with spaces."""
    arguments = command.rstrip("\0").split("\0")
    begin = f"{program.removesuffix(' (deleted)')} "
    if len(arguments) == 1 and command.startswith(begin):
        return [begin[:-1], *command[len(begin) :].rstrip("\0").split()]
    return arguments


def _base(path: str) -> str:
    """Return the last part of a path, of Wine's too."""
    return path.replace("\\", "/").rpartition("/")[2]


_PAGES = (b"\0--type=renderer\0", b"\0-contentproc\0")
_MAX_CHILDREN = 256
LONGEST_HANG_NS = 30 * NS_PER_S
"""A page that works for longer without a break is one that works, such as a game in another tab."""

_BUSY = 0.8


def page_times(pid: int, root: Path = PROC) -> dict[int, int | None]:
    """Return how long the main thread of each process of a browser's pages ran or waited to; None if it is stopped."""
    times: dict[int, int | None] = {}
    for process in started_by(pid, _MAX_CHILDREN, root)[1:]:
        folder = root / str(process)
        with contextlib.suppress(OSError, ValueError):
            if any(mark in (folder / "cmdline").read_bytes().replace(b" ", b"\0") for mark in _PAGES):
                state = (folder / "stat").read_text(errors="replace").rpartition(")")[2].split()[0]
                ran, waited, *_ = map(int, (folder / "schedstat").read_text().split())
                times[process] = None if state in "Tt" else ran + waited
    return times


def is_any_hung(
    before: Mapping[int, int | None], after: Mapping[int, int | None], passed_ns: int, *, waited_ns: int
) -> bool:
    """Tell whether any of these processes is stopped, or ran without a break meanwhile and not for long already."""
    for process, ran_ns in after.items():
        before_ns = before.get(process, ran_ns)
        if ran_ns is None or (
            waited_ns < LONGEST_HANG_NS and before_ns is not None and ran_ns - before_ns > _BUSY * passed_ns
        ):
            return True
    return False


class MainThread:
    """The main thread of a process; holds a file open until `close`."""

    def __init__(self, pid: int) -> None:
        """Open what the system says of a process; where it says nothing, `times` has nothing."""
        self._file = -1
        if sys.platform != "win32" and pid > 0:
            with contextlib.suppress(OSError):
                self._file = os.open(f"/proc/{pid}/schedstat", os.O_RDONLY | os.O_CLOEXEC)

    def times(self) -> tuple[int, int] | None:
        """Return for how many nanoseconds it has run, and how many it could have but waited; None if nobody says."""
        if sys.platform == "win32" or self._file < 0:
            return None
        try:
            ran, waited, *_ = os.pread(self._file, 96, 0).split()
            return int(ran), int(waited)
        except (OSError, ValueError):  # the process is gone
            return None

    def close(self) -> None:
        """Close the file; a second call changes nothing."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1
