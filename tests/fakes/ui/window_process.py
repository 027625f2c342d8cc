"""A window of ours in a process of its own on a virtual desktop: ordered by lines, read by its accessible names."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

import pytest

from demo.virtual_desktop.desktop import VirtualDesktop
from demo.virtual_desktop.windows import WindowInfo, poll
from lab.benchmarks.grounding import reader
from lab.benchmarks.grounding.reader import Reader
from storage.records import Box, Element
from tests.fakes.ui.interface_process import TIMEOUT_S, DrivenProcess, click, press

WALK_S = 4.0
"""Less than a reader waits for the answer."""

FOLDERS = ("XDG_STATE_HOME", "XDG_CONFIG_HOME")


class WindowProcess(DrivenProcess):
    """A program of this folder, over the folders of this test; its window is open."""

    def __init__(self, desktop: VirtualDesktop, program: str) -> None:
        super().__init__(desktop, program, **{name: os.environ[name] for name in FOLDERS if name in os.environ})
        self.order("open")

    def until(self, word: str) -> object:
        while word not in (said := self.hear()):
            pass
        return said[word]

    def click(self, box: Box) -> None:
        click(self.desktop, (box.x + box.w // 2, box.y + box.h // 2))

    def press(self, *names: str) -> None:
        press(self.desktop, *names)

    def type(self, text: str) -> None:
        for letter in text:
            self.press("space" if letter == " " else letter)


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
