"""Processes of a desktop: those with its home folder, and those that they began, whatever these made of it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from demo.virtual_desktop.windows import poll
from lab.measure.desktop_processes import DesktopProcess, processes_of

NO_PROGRAM = -1
"""Not 0: that is the parent of the first process, and in a namespace of its own that one can be looked at."""

_BEGIN = """import subprocess, time
while time.process_time() < 0.05:
    pass  # the system counts in hundredths of a second, and a start may take less
child = subprocess.Popen(["sleep", "600"], env={"HOME": "/elsewhere"})
input()
child.kill()
child.wait()"""


def test_processes_of_a_desktop_are_known_by_home_and_parent(tmp_path: Path) -> None:
    """A child with another home belongs to it; this process (the control) does not."""
    env = {**os.environ, "HOME": str(tmp_path)}
    process = subprocess.Popen([sys.executable, "-c", _BEGIN], env=env, stdin=subprocess.PIPE, text=True)
    try:
        poll(
            lambda: "sleep" in {one.name for one in processes_of(str(tmp_path), NO_PROGRAM).values()},
            what="starting the child",
        )
        found = processes_of(str(tmp_path), NO_PROGRAM)
        (child,) = (one for one in found.values() if one.name == "sleep")
        assert child.parent == process.pid
        assert found[process.pid].cpu_ms > 0
        assert os.getpid() not in found
        assert os.getpid() in processes_of("/nowhere", os.getpid())
    finally:
        process.communicate("end")


@pytest.mark.parametrize(("name", "is_bus"), [("at-spi2-registr", True), ("soffice.bin", False)])
def test_buses_are_known_by_name(name: str, is_bus: bool) -> None:
    """By the 15 characters that the system keeps."""
    assert DesktopProcess(name, 1, 0.0).is_bus is is_bus
