"""What runs behind a window: the names of its program file, and whether it was begun as a private browser.

Read once for each process, from /proc. A process of another user or of another machine tells nothing.
"""

import os
from dataclasses import dataclass
from pathlib import Path

PRIVATE_ARGUMENTS = frozenset({"--guest", "--incognito", "--inprivate", "--private", "-inprivate", "-private"})
"""A browser begun with one of these counts as private with all its windows."""

_INTERPRETERS = ("bash", "electron", "gjs", "java", "node", "perl", "python", "ruby", "sh")
_MAX_COMMAND = 65536


@dataclass(frozen=True, slots=True)
class Process:
    """The names by which a program may be known, and whether its arguments ask for private windows."""

    names: frozenset[str] = frozenset()
    private: bool = False


NO_PROCESS = Process()


def read_process(pid: int, root: Path = Path("/proc")) -> Process:
    """Return what runs as `pid`; nothing where that cannot be told."""
    folder = root / str(pid)
    try:
        target = (folder / "exe").readlink()
        program = target.name.removesuffix(" (deleted)")
        with (folder / "cmdline").open("rb") as file:
            arguments = _arguments(os.fsdecode(file.read(_MAX_COMMAND)), os.fsdecode(target))
    except OSError:
        return NO_PROCESS
    found = {program, _base(arguments[0])}
    if program.startswith(_INTERPRETERS):
        script = next((word for word in arguments[1:] if word and not word.startswith("-")), "")
        found.add(_base(script).partition(".")[0])
    private = any(word.lower() in PRIVATE_ARGUMENTS for word in arguments[1:])
    return Process(names=frozenset(found - {""}), private=private)


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
