"""The ring in a process of its own, on a virtual desktop."""

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from demo.virtual_desktop.desktop import VirtualDesktop
from demo.virtual_desktop.windows import WindowInfo, poll
from storage.ports import SPOTLIGHT_TITLE
from storage.records import Box
from tests.fakes.warm_python import WarmPython

PUPPET = Path(__file__).parents[1] / "ui" / "spotlight_puppet.py"
SIDES = 4
"""Windows that make a ring, without its label."""


class Ring:
    """Starts the process and moves the ring by lines."""

    def __init__(self, desktop: VirtualDesktop, scales: Mapping[str, str]) -> None:
        self._desktop = desktop
        env = desktop.env | {"PYTHONPATH": os.pathsep.join(sys.path), **scales}
        self._process = WarmPython([sys.executable, str(PUPPET)], env=env, stdin=subprocess.PIPE, text=True)

    def order(self, *words: object) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(" ".join(map(str, words)) + "\n")
        self._process.stdin.flush()

    def windows(self) -> list[WindowInfo]:
        return [window for window in self._desktop.windows.list_all() if window.title == SPOTLIGHT_TITLE]

    def wait(self, count: int) -> list[WindowInfo]:
        return poll(lambda: found if len(found := self.windows()) == count else None, what=f"{count} windows") or []

    def close(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(10)


def overlap(first: Box, second: Box) -> bool:
    apart_x = first.x + first.w <= second.x or second.x + second.w <= first.x
    apart_y = first.y + first.h <= second.y or second.y + second.h <= first.y
    return not (apart_x or apart_y)
