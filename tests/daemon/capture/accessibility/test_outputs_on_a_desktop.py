"""A real program that says below the text how a run went: the error is known, then that there is none any more."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TypeVar

import pytest

from demo.virtual_desktop.daemon_process import DaemonProcess
from demo.virtual_desktop.desktop import VirtualDesktop
from demo.virtual_desktop.windows import Windows, poll
from storage.clock import SystemClock
from storage.records import ControlAct, ControlRole, Focus, MessageClass, MessageSeen, Record, Sense
from storage.session.log import SessionReader, list_sessions
from tests.fakes.desktop.desktop import WarmDesktop
from tests.fakes.desktop.painter import Painter

pytestmark = pytest.mark.display

T = TypeVar("T", bound=Record)

ROOT = Path(__file__).resolve().parents[4]
READ_S = 1.0
"""Longer than an output is quiet before it is read."""


@pytest.fixture
def desktop() -> Iterator[VirtualDesktop]:
    with WarmDesktop((1280, 800), compositor=False, tray="none", a11y=True) as running:
        yield running


@pytest.mark.parametrize("recording", [False, True])
def test_how_a_run_went_is_known_and_no_word_of_it_is_in_the_journal(
    desktop: VirtualDesktop, tmp_path: Path, *, recording: bool
) -> None:
    """Twice the same error, then none; with the recording its words are found (the control)."""
    settings = {"policy.quiet_start_s": "0", "capture.understand_controls": "on", "capture.read_outputs": "on"}
    kairos = DaemonProcess(desktop, tmp_path, settings=settings, headless=True, recording=recording)
    kairos.start()
    painter = Painter(desktop)
    clock = SystemClock()

    def rows(kind: type[T]) -> list[T]:
        with SessionReader(list_sessions(kairos.sessions)[-1]) as reader:
            return [row for row in reader if isinstance(row, kind)]

    def is_heard() -> bool:
        painter.key("a")
        return any(row.what == "entered" for row in rows(ControlAct))

    def run(key: str) -> int:
        painter.key("a")
        clock.sleep_s(0.3)
        painter.key(key)
        clock.sleep_s(READ_S)
        painter.key("a")
        clock.sleep_s(READ_S)
        return len(rows(MessageSeen))

    try:  # a program that begins before the sense works says nothing
        poll(lambda: any(row.name == "controls" for row in rows(Sense)), what="the sense", timeout_s=40)
        desktop.spawn([sys.executable, "-m", "tests.fakes.desktop.output_form"], "output_form", cwd=ROOT)
        box = Windows(painter.display).wait(title="Output form").box
        poll(lambda: any(row.app == "outputform" for row in rows(Focus)), what="the window", timeout_s=40)
        for share in (3, 1):  # the output and back to the text: where the keyboard was at the start may not be known
            painter.click(box.x + share * box.w // 4, box.y + box.h // 2)
            clock.sleep_s(READ_S)
        poll(is_heard, what="the first letter", timeout_s=40)
        poll(lambda: run("F5") or None, what="a first error", timeout_s=40)  # it may answer before it is listened to
        before = len(rows(MessageSeen))
        poll(lambda: run("F5") > before, what="the same error", timeout_s=40)
        poll(lambda: rows(MessageSeen)[-1].about is MessageClass.SUCCESS or not run("F6"), what="none", timeout_s=40)
        *failed, well = rows(MessageSeen)
    finally:
        painter.close()
        kairos.quit()
    assert {(item.role, item.about) for item in failed} == {(ControlRole.OUTPUT, MessageClass.ERROR)}
    assert len({each.text_digest for each in failed}) == 1
    assert len(failed) > 1
    assert all(entry.text_digest for entry in failed)
    assert (well.role, well.text_digest) == (ControlRole.OUTPUT, "")
    held = b"".join(path.read_bytes() for path in list_sessions(kairos.sessions)[-1].iterdir())
    assert (b"marker-output" in held) is recording
    assert b"total 9.75" not in held
