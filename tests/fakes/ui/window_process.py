"""A window of ours in a process of its own on a virtual desktop: ordered by lines, read by its accessible names."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from queue import Queue
from threading import Thread
from typing import Any

import pytest

from demo.virtual_desktop.desktop import VirtualDesktop
from demo.virtual_desktop.windows import WindowInfo, poll
from lab.benchmarks.grounding import reader
from lab.benchmarks.grounding.reader import Reader
from storage.records import Box, Element
from tests.fakes.ui.interface_process import TIMEOUT_S, click, press
from tests.fakes.warm_python import WarmPython

WALK_S = 4.0
"""Less than a reader waits for the answer."""

FOLDERS = ("XDG_STATE_HOME", "XDG_CONFIG_HOME")


class WindowProcess:
    """A program of this folder, over the folders of this test; its window is open."""

    def __init__(self, desktop: VirtualDesktop, program: str) -> None:
        self.desktop = desktop
        own = {name: os.environ[name] for name in FOLDERS if name in os.environ}
        self.process = WarmPython(
            [sys.executable, str(Path(__file__).with_name(program))],
            env=desktop.env | {"PYTHONPATH": os.pathsep.join(sys.path)} | own,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.heard: Queue[dict[str, Any]] = Queue()
        Thread(target=self._listen, daemon=True).start()
        assert self.hear() == {"ready": True}
        self.order("open")

    def _listen(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.heard.put(json.loads(line))

    def order(self, word: str) -> None:
        """Have something done."""
        assert self.process.stdin is not None
        self.process.stdin.write(f"{word}\n")
        self.process.stdin.flush()

    def hear(self) -> dict[str, Any]:
        return self.heard.get(timeout=TIMEOUT_S)

    def until(self, word: str) -> object:
        """Return what it says of one kind, past everything else."""
        while word not in (said := self.hear()):
            pass
        return said[word]

    def click(self, box: Box) -> None:
        click(self.desktop, (box.x + box.w // 2, box.y + box.h // 2))

    def press(self, *names: str) -> None:
        """Press keys, the last one while the others are held."""
        press(self.desktop, *names)

    def type(self, text: str) -> None:
        for letter in text:
            self.press("space" if letter == " " else letter)

    def end(self) -> int:
        """End it, and return the exit status."""
        if self.process.poll() is None:
            self.order("end")
        try:
            return self.process.wait(TIMEOUT_S)
        finally:
            self.process.kill()
            for pipe in (self.process.stdin, self.process.stdout):
                assert pipe is not None
                pipe.close()


@contextmanager
def reading(desktop: VirtualDesktop, window: WindowInfo) -> Iterator[Reader]:
    """Run a reader for a window, with time for all of it: the daemon's ends after a second with what it has.

    The window has the keyboard by then: it is on the screen a while before, and keys would go elsewhere.
    """
    poll(partial(desktop.windows.is_active, window), what="a window with the keyboard")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("daemon.capture.accessibility.atspi.walk.WALK_S", WALK_S)
        with reader.reading(desktop, window) as found:
            yield found


def named(found: Reader, name: str, timeout_s: float = TIMEOUT_S) -> Element:
    """Return the control whose name begins so, as soon as it is there."""

    def look() -> Element | None:
        return next((element for element in found.elements() if (element.name or "").startswith(name)), None)

    return poll(look, what=f"the control {name!r}", timeout_s=timeout_s)
