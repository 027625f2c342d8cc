"""What runs behind a window: the names of its program file, and whether it was begun as a private browser.

Read once for each process, from /proc. A process of another user or of another machine tells nothing.
"""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

PRIVATE_ARGUMENTS = frozenset({"--guest", "--incognito", "--inprivate", "--private", "-inprivate", "-private"})
"""A browser begun with one of these counts as private with all its windows."""

_INTERPRETERS = ("bash", "electron", "gjs", "java", "node", "perl", "python", "ruby", "sh", "tclsh", "wish")
_CODE = "-c"
_MAX_COMMAND = 65536


@dataclass(frozen=True, slots=True)
class Process:
    """The names by which a program may be known, the script among them, and whether its arguments ask for privacy."""

    names: frozenset[str] = frozenset()
    script: str = ""
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
    script = _script(arguments[1:]) if program.startswith(_INTERPRETERS) else ""
    names = frozenset({program, _base(arguments[0]), script} - {""})
    private = any(word.lower() in PRIVATE_ARGUMENTS for word in arguments[1:])
    return Process(names=names, script=script, private=private)


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
