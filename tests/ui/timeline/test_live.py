"""The timeline of the running Kairos on a desktop: opened by its command, followed, and labelled."""

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from demo.virtual_desktop.daemon_process import DaemonProcess
from demo.virtual_desktop.desktop import VirtualDesktop
from demo.virtual_desktop.hands import Hands, ScriptLog
from demo.virtual_desktop.windows import open_display, poll
from storage.clock import SystemClock
from storage.records import Estimate, InputEvent, NeedReport
from storage.session.log import SessionReader, list_sessions

pytestmark = [pytest.mark.display, pytest.mark.slow]

TITLE = "Kairos: What Kairos saw"


SETTINGS = {"window.planned_s": "4", "help.library": "false"}


@pytest.fixture
def kairos(desktop: VirtualDesktop, tmp_path: Path) -> Iterator[DaemonProcess]:
    """Yield Kairos with its tray, watching."""
    made = DaemonProcess(desktop, tmp_path, settings=SETTINGS, recording=True)
    made.start()
    yield made
    assert made.quit() == 0
    assert made.messages() == []


def rows_of(kairos: DaemonProcess, kind: type[Estimate] | type[NeedReport] | type[InputEvent]) -> list[object]:
    with SessionReader(list_sessions(kairos.sessions)[-1]) as reader:
        return [row for row in reader if isinstance(row, kind)]


def test_a_stretch_of_now_is_labelled_and_stored_in_the_running_session(
    desktop: VirtualDesktop, kairos: DaemonProcess, tmp_path: Path
) -> None:
    desktop.spawn(["mousepad"], "mousepad")
    clock, display = SystemClock(), open_display(desktop.env)
    log = ScriptLog(tmp_path / "script.jsonl", clock)
    try:
        window = desktop.windows.wait("mousepad")
        hands = Hands(display, log, random.Random(1), clock)
        hands.click(window.box.x + 200, window.box.y + 200)

        def type_on() -> list[object] | None:
            hands.text("some words ", rate=20)
            return rows_of(kairos, Estimate) or None

        poll(type_on, what="an estimate", timeout_s=40)
        assert kairos.command("seen")["state"] == "watching"
        desktop.windows.wait(title=TITLE)

        def label() -> list[object] | None:
            hands.chord("Up")
            hands.chord("alt+s")
            hands.wait(1.0)
            return rows_of(kairos, NeedReport) or None

        reports = poll(label, what="the report", timeout_s=40)
        report = reports[0]
        assert isinstance(report, NeedReport)
        assert report.needed
        assert report.end_ns > report.start_ns
        assert all(row.own for row in rows_of(kairos, InputEvent)[-2:] if isinstance(row, InputEvent))
        hands.chord("Escape")
        desktop.windows.wait_gone(title=TITLE)
        learned = kairos.command("why", "--learned")
        assert learned["need"]
    finally:
        log.close()
        display.close()
