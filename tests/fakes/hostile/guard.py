"""Watches a variant: how long it takes, how much memory, and whether it changes anything outside its folder.

What a child process does is not seen here; those that decode videos limit themselves.
"""

import contextlib
import faulthandler
import os
import resource
import signal
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import FrameType
from typing import Any

LIMIT_S = 10
"""A variant that computes longer hangs; seconds of this process, since others may keep the machine busy."""

WAIT_S = 60
"""A variant that takes longer by the clock hangs too: it waits for something."""

END_S = 120
"""A variant that cannot be interrupted within this time ends the process."""

_CLEAR_PEAK = "5"  # see proc(5), clear_refs


class HangError(BaseException):
    """A variant took too long. No `except Exception` on the way may swallow it."""


class Outside(BaseException):  # where it wrote
    """A variant wrote outside its folder."""


_watched: list[Path] = []
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_CHANGED: Mapping[str, tuple[tuple[int, int | None], ...]] = {
    "sqlite3.connect": ((0, None),),
    "os.mkdir": ((0, 2),),
    "os.remove": ((0, 1),),
    "os.rmdir": ((0, 1),),
    "os.rename": ((0, 2), (1, 3)),
    "os.link": ((1, 3),),
    "os.symlink": ((1, 2),),
    "os.truncate": ((0, None),),
    "os.chmod": ((0, 2),),
}
"""For each event which arguments are the changed path and the folder that it is relative to."""


def _audit(event: str, arguments: tuple[Any, ...]) -> None:
    if not _watched or (event not in _CHANGED and event != "open"):
        return
    if event == "open" and not arguments[2] & _WRITING:
        return
    for at, folder_at in _CHANGED.get(event, ((0, None),)):
        path, folder = arguments[at], -1 if folder_at is None else arguments[folder_at]
        if isinstance(path, int):
            continue
        text = os.fsdecode(path).removeprefix("file://").partition("?")[0]
        text = os.path.realpath(text if folder == -1 else f"/proc/self/fd/{folder}/{text}")
        inside = Path(text).is_relative_to(_watched[0])
        if not inside and "__pycache__" not in text and text != os.devnull:
            raise Outside(text)


sys.addaudithook(_audit)


@contextlib.contextmanager
def limited(folder: Path) -> Iterator[None]:
    """Interrupt what hangs, and stop what writes outside `folder`.

    What hangs in a library's own code cannot be interrupted: it ends the process, and the last folder names its seed.
    """

    def interrupt(_number: int, _frame: FrameType | None) -> None:
        raise HangError

    before = {number: signal.signal(number, interrupt) for number in (signal.SIGALRM, signal.SIGPROF)}
    signal.setitimer(signal.ITIMER_PROF, LIMIT_S)
    signal.setitimer(signal.ITIMER_REAL, WAIT_S)
    faulthandler.dump_traceback_later(END_S, exit=True)
    _watched.append(folder.resolve())
    try:
        yield
    finally:
        _watched.clear()
        faulthandler.cancel_dump_traceback_later()
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.setitimer(signal.ITIMER_REAL, 0)
        for number, handler in before.items():
            signal.signal(number, handler)


class MemoryMeter:
    """Measures how much memory this process took at its peak beyond what it had before.

    Where Linux cannot forget a peak, only what exceeds all peaks before counts.
    """

    def __init__(self) -> None:
        with contextlib.suppress(OSError):
            Path("/proc/self/clear_refs").write_text(_CLEAR_PEAK)
        self._before_kb = _peak_kb()

    def grown_kb(self) -> int:
        return max(0, _peak_kb() - self._before_kb)


def _peak_kb() -> int:
    with contextlib.suppress(OSError):
        for line in Path("/proc/self/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1])
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
