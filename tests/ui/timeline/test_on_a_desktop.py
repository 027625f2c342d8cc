"""The timeline window on a real desktop: clicked and typed at, and read back through the accessibility bus."""

import datetime as dt
import json
import os
import select
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from demo.virtual_desktop.desktop import VirtualDesktop
from demo.virtual_desktop.windows import poll
from lab.benchmarks.grounding.reader import Reader, reading
from storage.files import sessions_folder, state_file
from storage.records import Box, ControlState, Element
from storage.session.log import list_sessions
from tests.fakes.accessibility.remembered import MARKERS, Remembered, files_with, marked_pictures, remember
from tests.fakes.ui.interface_process import TIMEOUT_S, click, press

pytestmark = pytest.mark.display

PUPPET = Path(__file__).parents[2] / "fakes" / "ui" / "timeline_puppet.py"
TITLE = "Kairos: What Kairos saw"
STUCK, FINE = "I was stuck here", "I was fine here"


class Window:
    """The window in a process of its own, over the sessions of this test's data folder."""

    def __init__(self, desktop: VirtualDesktop) -> None:
        self._desktop = desktop
        self.process = subprocess.Popen(
            [sys.executable, str(PUPPET)],
            env=desktop.env | {"PYTHONPATH": os.pathsep.join(sys.path), "XDG_STATE_HOME": os.environ["XDG_STATE_HOME"]},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            bufsize=0,
        )
        assert self.hear() == {"ready": True}
        self.order("open")

    def order(self, word: str) -> None:
        """Have something done."""
        assert self.process.stdin is not None
        self.process.stdin.write(f"{word}\n".encode())

    def hear(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        ready, _, _ = select.select([self.process.stdout], [], [], TIMEOUT_S)
        assert ready, "nothing was said"
        said: dict[str, Any] = json.loads(self.process.stdout.readline())
        return said

    def click(self, box: Box) -> None:
        """Click into the middle of a box."""
        click(self._desktop, (box.x + box.w // 2, box.y + box.h // 2))

    def press(self, *names: str) -> None:
        """Press keys, the last one while the others are held."""
        press(self._desktop, *names)

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


@pytest.fixture
def remembered() -> Remembered:
    """Return a data folder with sessions, pictures, requests and lessons of one day."""
    return remember(cut_off=False)


@pytest.fixture
def window(bare_desktop: VirtualDesktop, remembered: Remembered) -> Iterator[Window]:
    """Yield the window, open; the switch of accessibility is on."""
    assert remembered.inside.is_dir()
    bare_desktop.turn_accessibility_on()
    made = Window(bare_desktop)
    yield made
    assert made.end() == 0


def named(reader: Reader, name: str) -> Element:
    """Return the control whose name begins so, as soon as it is there."""

    def look() -> Element | None:
        return next((control for control in reader.elements() if (control.name or "").startswith(name)), None)

    return poll(look, what=f"the control {name!r}", timeout_s=TIMEOUT_S)


def look_at(window: Window, reader: Reader) -> int:
    """Go from today, on which nothing happened, to the day of the sessions; return how many rows it has."""
    assert window.hear()["moments"] == 0
    window.click(named(reader, "Earlier day").box)
    rows: int = window.hear()["moments"]
    return rows


def test_a_person_looks_at_a_day_and_says_how_it_was(bare_desktop: VirtualDesktop, window: Window) -> None:
    """By pointer and by keyboard: the list has the keys, and every control has a name that says what it does."""
    info = bare_desktop.windows.wait(title=TITLE)
    with reading(bare_desktop, info) as reader:
        assert look_at(window, reader) > 10
        wanted = {"Earlier day", "Later day", "Forget…", "Only offers, and what you said", STUCK, FINE}
        wanted |= {"Timeline", "Sent", "Stored", "Learned"}
        for name in wanted:
            named(reader, name)
        window.click(bare_desktop.windows.wait(title=TITLE).box)  # where it is by now: it was placed after it was there
        poll(lambda: named(reader, STUCK).state is not ControlState.DISABLED, what="a row that can be reported")
        window.press("Home")  # which row is in the middle depends on fonts; the first two are of one session
        window.press("Alt_L", "s")
        stuck = window.hear()["report"]
        assert stuck["needed"] is True
        window.press("Shift_L", "Down")
        window.click(named(reader, FINE).box)
        fine = window.hear()["report"]
        assert fine["needed"] is False
        assert fine["end_ns"] > stuck["end_ns"]
        assert fine["start_ns"] == stuck["start_ns"]
        assert fine["session"] == stuck["session"]
        window.press("Escape")
        assert window.hear() == {"closed": True}


def test_a_day_is_forgotten_after_one_question_and_really_gone(
    bare_desktop: VirtualDesktop, window: Window, remembered: Remembered
) -> None:
    assert all(files_with(marker) for marker in MARKERS.values())
    assert marked_pictures(sessions_folder())
    day = dt.datetime.strptime(remembered.inside.name[:8], "%Y%m%d").replace(tzinfo=dt.UTC).date()
    name = f"{day:%A} {day.day} {day:%B %Y}"
    info = bare_desktop.windows.wait(title=TITLE)
    with reading(bare_desktop, info) as reader:
        look_at(window, reader)
    window.press("Alt_L", "f")
    windows = bare_desktop.windows
    poll(
        lambda: any(window_info.popup and window_info.pid == info.pid for window_info in windows.list_all()),
        what="the menu",
    )
    for key in ("Down", "Down", "Return"):
        window.press(key)
    question = bare_desktop.windows.wait(title=f"Kairos: Forget {name}?")
    assert len(list_sessions(sessions_folder())) == 3
    with reading(bare_desktop, question) as reader:
        assert named(reader, "Keep it").name == "Keep it"
        window.click(named(reader, "Forget it").box)
    assert window.hear()["purge"]["sessions_deleted"] == 3
    bare_desktop.windows.wait(title=f"Kairos: Forgotten: {name}")
    assert window.hear() == {"day": day.isoformat(), "moments": 0}
    assert list_sessions(sessions_folder()) == []
    assert {mark: len(files_with(marker)) for mark, marker in MARKERS.items()} == dict.fromkeys(MARKERS, 0)
    assert state_file().exists()
