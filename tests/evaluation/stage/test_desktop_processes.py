"""Processes of a desktop: those with its home folder, and those that they began, whatever these made of it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from evaluation.stage.desktop_processes import DesktopProcess, processes_of

_CHILD = "import subprocess, sys; subprocess.run(['sleep', '60'], env={'HOME': '/elsewhere'})"


def test_processes_of_a_desktop_are_known_by_home_and_parent(tmp_path: Path) -> None:
    """A child with another home belongs to it; this process (the control) does not."""
    process = subprocess.Popen([sys.executable, "-c", _CHILD], env={**os.environ, "HOME": str(tmp_path)})
    try:
        while True:
            found = processes_of(str(tmp_path), 0)
            if {one.name for one in found.values()} >= {"sleep"} and process.pid in found:
                break
        (child,) = (one for one in found.values() if one.name == "sleep")
        assert child.parent == process.pid
        assert found[process.pid].cpu_ms > 0
        assert os.getpid() not in found
        assert os.getpid() in processes_of("/nowhere", os.getpid())
    finally:
        subprocess.run(["pkill", "-P", str(process.pid)], check=False)
        process.wait()


@pytest.mark.parametrize(("name", "is_bus"), [("at-spi2-registr", True), ("soffice.bin", False)])
def test_buses_are_known_by_name(name: str, is_bus: bool) -> None:
    """By the 15 characters that the system keeps."""
    assert DesktopProcess(name, 1, 0.0).is_bus is is_bus
