"""Programs in a sandbox: which process a window and a connection to the accessibility bus are really of.

A sandbox may number its processes anew, and a window says the number that it knows. The display server knows the real
one. Flatpak also puts a process of its own between the program and the bus; both are in one control group, whose name
ends in the number of the process that began it. That number stands for the whole program here.
"""

import re
from pathlib import Path

PROC = Path("/proc")
_FLATPAK = re.compile(r"/app-flatpak-[^/]+-(\d+)\.scope(?:/|$)", re.MULTILINE)


def local_process(claimed: int, connected: int, root: Path = PROC) -> int:
    """Return the process of a window.

    Args:
        claimed: what the window says.
        connected: what the display server says of the connection, 0 if it does not.
        root: where the system says what runs.

    Returns:
        `connected` where `claimed` is the number of that process in its sandbox; else `claimed`, which may be right
        where the connection is another process's, as over a network.
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
