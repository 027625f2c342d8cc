"""Runs one of our modules as a child that limits itself before it opens a file from outside. Standard library alone."""

import os
import resource
import subprocess
import sys
from collections.abc import Sequence
from typing import BinaryIO

from storage.errors import BadFile

MEMORY_BYTES = 3 << 30
"""Address space that a child may claim: enough for pictures of the largest desktops; more would starve a desktop."""

OPEN_FILES = 64
"""Files that a child may have open: its libraries, and the one file it is given."""

REFUSED = 4
"""Exit status of a child that refused its file; standard error has the reason."""


def run_limited(module: str, arguments: Sequence[str], *, file: BinaryIO, name: str, cpu_s: int) -> str:
    """Run one of our modules as a child with `file` as its standard input; return what it printed.

    The child limits itself by `limit_self` before it opens the file. Its environment is only what Python needs.

    Raises:
        BadFile: the child refused the file, was stopped by a limit, or crashed over it.
    """
    environment = {key: os.environ[key] for key in ("PATH", "LANG", "HOME", "SYSTEMROOT") if key in os.environ}
    # -P: a folder called `storage` or a file `av.py` in the current directory is not ours
    command = [sys.executable, "-P", "-m", module, *arguments]
    try:
        done = subprocess.run(command, stdin=file, capture_output=True, env=environment, timeout=cpu_s * 3, check=False)
    except subprocess.TimeoutExpired as error:
        raise BadFile(f"{name} took too long to read") from error
    if done.returncode == 0:
        return done.stdout.decode(errors="replace")
    if done.returncode == REFUSED:
        raise BadFile(done.stderr.decode(errors="replace").strip()[:500] or f"{name} was refused")
    cause = f"signal {-done.returncode}" if done.returncode < 0 else f"status {done.returncode}"
    raise BadFile(f"{name} cannot be read as a video: reading it was stopped ({cause})")


def limit_self(cpu_s: int, *, memory_bytes: int = MEMORY_BYTES, file_bytes: int = 0) -> None:
    """Limit this process's CPU time, memory, and the size of files it may write, no further than the system does."""
    if sys.platform == "win32":  # nothing of this is built for Windows yet
        raise NotImplementedError
    limits = (
        (resource.RLIMIT_CPU, cpu_s),
        (resource.RLIMIT_AS, memory_bytes),
        (resource.RLIMIT_NOFILE, OPEN_FILES),
        (resource.RLIMIT_FSIZE, file_bytes),
        (resource.RLIMIT_CORE, 0),
    )
    for which, limit in limits:
        _, hard = resource.getrlimit(which)
        if hard != resource.RLIM_INFINITY:
            limit = min(limit, hard)  # noqa: PLW2901  # what the system allows is the tighter limit
        resource.setrlimit(which, (limit, limit))


def report_refusal(error: BadFile) -> int:
    """Print to standard error why a file was refused; return the exit status."""
    print(error.what, file=sys.stderr)
    return REFUSED
