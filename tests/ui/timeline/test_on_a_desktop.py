"""The timeline window on a real desktop: clicked and typed at, and read back through the accessibility bus."""

import datetime as dt
from collections.abc import Iterator

import pytest

from demo.virtual_desktop.desktop import VirtualDesktop
from demo.virtual_desktop.windows import poll
from lab.benchmarks.grounding.reader import Reader
from storage.files import sessions_folder, state_file
from storage.records import ControlState
from storage.session.log import list_sessions
from tests.fakes.accessibility.remembered import MARKERS, Remembered, files_with, marked_pictures, remember
from tests.fakes.ui.window_process import WindowProcess, named, reading

pytestmark = pytest.mark.display

TITLE = "Kairos: What Kairos saw"
STUCK, FINE = "I was stuck here", "I was fine here"
TIP_PX = 60
"""No tool tip is as high; one may be open where the pointer stands."""


@pytest.fixture
def remembered() -> Remembered:
    return remember(cut_off=False)


@pytest.fixture
def window(bare_desktop: VirtualDesktop, remembered: Remembered) -> Iterator[WindowProcess]:
    assert remembered.inside.is_dir()
    bare_desktop.turn_accessibility_on()
    made = WindowProcess(bare_desktop, "timeline_puppet.py")
    yield made
    assert made.end() == 0


def look_at(window: WindowProcess, reader: Reader) -> int:
    """Go from today, on which nothing happened, to the day of the sessions; return how many rows it has."""
    assert window.hear()["moments"] == 0
    window.click(named(reader, "Earlier day").box)
    rows: int = window.hear()["moments"]
    return rows


def test_a_person_looks_at_a_day_and_says_how_it_was(bare_desktop: VirtualDesktop, window: WindowProcess) -> None:
    """By pointer and by keyboard: the list has the keys, and every control has a name that says what it does."""
    info = bare_desktop.windows.wait(title=TITLE)
    with reading(bare_desktop, info) as reader:
        assert look_at(window, reader) > 10
        wanted = {"Earlier day", "Later day", "Forget…", "Only offers, and what you said", STUCK, FINE}
        wanted |= {"Timeline", "Time", "Sent", "Stored", "Learned"}
        wanted |= {"Search this day", "Every moment", "Zoom in", "Zoom out", "Look at it"}
        for name in wanted:
            named(reader, name)
        window.press("Alt_L", "v")
        poll(lambda: named(reader, "Every moment").state is ControlState.ON, what="the tick, a moment later")
        window.press("Tab")  # from the tick to the list
        window.press("Home")
        poll(lambda: named(reader, STUCK).state is ControlState.PLAIN, what="a row that can be reported")
        window.press("Alt_L", "s")
        stuck = window.hear()["report"]
        assert stuck["needed"] is True
        window.press("Shift_L", "Down")
        poll(lambda: named(reader, "Look at it").state is ControlState.DISABLED, what="a second row")
        window.click(named(reader, FINE).box)
        fine = window.hear()["report"]
        assert fine["needed"] is False
        assert fine["end_ns"] > stuck["end_ns"]
        assert fine["start_ns"] == stuck["start_ns"]
        assert fine["session"] == stuck["session"]
        window.press("Escape")
        assert window.hear() == {"closed": True}


def test_a_day_is_forgotten_after_one_question_and_really_gone(
    bare_desktop: VirtualDesktop, window: WindowProcess, remembered: Remembered
) -> None:
    assert all(files_with(marker) for marker in MARKERS.values())
    assert marked_pictures(sessions_folder())
    day = dt.datetime.strptime(remembered.inside.name[:8], "%Y%m%d").replace(tzinfo=dt.UTC).date()
    name = f"{day:%A} {day.day} {day:%B %Y}"
    info = bare_desktop.windows.wait(title=TITLE)
    with reading(bare_desktop, info) as reader:
        look_at(window, reader)
        window.click(named(reader, "Forget").box)  # keys wait for the screen reader, and a late Alt closes a menu
    popups = bare_desktop.windows.popups
    poll(lambda: any(popup.pid == info.pid and popup.box.h > TIP_PX for popup in popups()), what="the menu")
    for key in ("Down", "Down", "Down", "Return"):
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
