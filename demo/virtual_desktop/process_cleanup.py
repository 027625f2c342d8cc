"""Ends everything that carries a virtual desktop's token, also when the process that started it was killed outright.

Standard library only: the keeper process runs this file alone, outside the desktop's process groups and without the
token. It waits on a pipe; the parent says "done" after an orderly end, and an end of file without it means that the
parent is gone. Processes are found by the token in their environment, which survives double forks and `setsid`, and
are ended by process id, never by name.
"""

import os
import shutil
import signal
import sys
import time
from collections.abc import Iterable

TOKEN_NAME = "KAIROS_DESKTOP_TOKEN"  # noqa: S105  # an environment variable's name, not a secret
DONE = b"done"
_GRACE_S = 2.0


def token_processes(token: str, among: Iterable[int] | None = None) -> list[int]:
    """Return the ids of live processes, of all there are or `among` some, whose environment carries the token."""
    mark = f"{TOKEN_NAME}={token}".encode()
    if among is None:
        among = [int(name) for name in os.listdir("/proc") if name.isdigit()]  # noqa: PTH208  # half the time
    found = []
    for pid in among:
        try:
            with open(f"/proc/{pid}/environ", "rb", buffering=0) as file:  # noqa: PTH123  # same
                environment = file.read()
        except OSError:
            continue
        if mark in environment and mark in environment.split(b"\0") and pid != os.getpid():
            found.append(pid)
    return found


def signal_all(pids: Iterable[int], number: int) -> None:
    """Send a signal to each process that is still there."""
    for pid in pids:
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            continue


def end_token_processes(token: str, *, last: int = 0, grace_s: float = _GRACE_S) -> None:
    """End every process that carries the token: TERM, then KILL after `grace_s`; process `last` goes last.

    `last` is the X server: programs that lose it in the middle of their own end write needless crash reports.
    """
    if sys.platform == "win32":  # nothing of this is built for Windows yet
        raise NotImplementedError
    for wanted, spared in ((signal.SIGTERM, {last}), (signal.SIGKILL, {last}), (signal.SIGTERM, set[int]())):
        pids = set(token_processes(token)) - spared
        signal_all(pids, wanted)
        deadline = time.monotonic() + grace_s  # noqa: TID251  # no imports of ours here, see above
        while pids and time.monotonic() < deadline:  # noqa: TID251
            time.sleep(0.02)  # noqa: TID251
            pids = set(token_processes(token, pids))  # any that came since are found in the next round
    signal_all(token_processes(token), signal.SIGKILL)


def watch_parent(pipe: int, token: str, directory: str) -> None:
    """Wait for the parent's word, or its end; in the latter case clean up for it.

    The server's process id, once known, arrives through the pipe as decimal digits and a newline.
    """
    received = b""
    while chunk := os.read(pipe, 64):
        received += chunk
        if received.endswith(DONE):
            return
    lines = [line for line in received.split(b"\n") if line.isdigit()]
    end_token_processes(token, last=int(lines[0]) if lines else 0)
    shutil.rmtree(directory, ignore_errors=True)


if __name__ == "__main__":
    watch_parent(int(sys.argv[1]), sys.argv[2], sys.argv[3])
