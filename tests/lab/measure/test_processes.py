"""What a process has used is read from the system, and grows with its work."""

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from demo.virtual_desktop.windows import poll
from lab.measure.processes import DesktopProcess, cpu_ms, processes_of


def test_cpu_time_grows_with_work_and_a_thread_has_its_part_of_it() -> None:
    """The scheduler counts at its ticks, so work goes on until it has; the process has used what its thread has."""
    me, thread = os.getpid(), threading.get_native_id()
    before = cpu_ms(me, thread)
    for _ in range(200):
        sum(number * number for number in range(100_000))
        if (own := cpu_ms(me, thread)) > before:
            break
    else:
        raise AssertionError("no CPU time was counted")
    assert cpu_ms(me) >= own


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
            lambda: (
                "sleep"
                in {desktop_process.name for desktop_process in processes_of(str(tmp_path), NO_PROGRAM).values()}
            ),
            what="starting the child",
        )
        found = processes_of(str(tmp_path), NO_PROGRAM)
        (child,) = (desktop_process for desktop_process in found.values() if desktop_process.name == "sleep")
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
