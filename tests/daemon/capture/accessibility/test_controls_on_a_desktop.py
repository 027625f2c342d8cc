"""Real programs on a virtual desktop: what is stored of their controls, what fails with them, and walks."""

import os
import signal
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from demo.virtual_desktop.daemon_process import DaemonProcess
from demo.virtual_desktop.desktop import VirtualDesktop
from demo.virtual_desktop.windows import WindowInfo, Windows, poll
from storage.clock import SystemClock
from storage.errors import EnvironmentFault
from storage.ports import CommandList
from storage.records import (
    ControlAct,
    ControlRole,
    DialogSeen,
    Elements,
    EventKind,
    InputEvent,
    MessageClass,
    Problem,
    Record,
    Sense,
)
from storage.session.log import SessionReader, list_sessions
from storage.settings import FenceSettings, Settings
from tests.fakes.desktop.desktop import WarmDesktop
from tests.fakes.desktop.painter import Painter, RunningCapture, running, walking

pytestmark = pytest.mark.display

PERSON_S = 0.5
"""What a person takes at least between two keys that are no typing."""


@pytest.fixture
def desktop() -> Iterator[VirtualDesktop]:
    with WarmDesktop((1280, 800), compositor=False, tray="none", a11y=True) as running:
        yield running


class Stage:
    """The real daemon, an editor, and hands."""

    def __init__(self, desktop: VirtualDesktop, folder: Path, *, recording: bool, understand: str = "on") -> None:
        settings = {"policy.quiet_start_s": "0", "capture.understand_controls": understand}
        self.desktop = desktop
        self.folder = folder
        self.kairos = DaemonProcess(desktop, folder, settings=settings, headless=True, recording=recording)
        self.kairos.start()
        self.painter = Painter(desktop)
        if understand == "on":
            self.until(lambda: self.of(Sense), "the sense")
        self.editor = desktop.spawn(["mousepad"], "mousepad")
        Windows(self.painter.display).wait("mousepad")

    def close(self) -> None:
        self.painter.close()
        self.kairos.quit()

    def until(self, check: object, what: str) -> None:
        assert callable(check)
        poll(lambda: check() or None, what=what)

    def of(self, kind: type[Record]) -> list[Record]:
        with SessionReader(list_sessions(self.kairos.sessions)[-1]) as reader:
            return [row for row in reader if isinstance(row, kind)]

    def clicked_after(self, count: int) -> bool:
        """Click, and return whether there is more input in the log than `count`."""
        self.painter.click(600, 400)
        return len(self.of(InputEvent)) > count

    def type_until_seen(self) -> None:
        """Type a letter until one of them is in the log: by then the editor has the keyboard."""

        def is_seen() -> bool:
            self.painter.key("a")
            return any(row.kind is EventKind.KEY for row in self.of(InputEvent) if isinstance(row, InputEvent))

        self.until(is_seen, "the first key")

    def pressed(self) -> list[ControlAct]:
        return [row for row in self.of(ControlAct) if isinstance(row, ControlAct) and row.what == "pressed"]

    def press_a_button_of_a_dialog(self) -> None:
        """Leave the editor, and take the second button of its dialog, "Cancel", by the keyboard.

        Up to three times: a busy machine may give the dialog the keyboard only after the key, or say so too late.
        """
        clock = SystemClock()
        for _ in range(3):
            dialogs = len(self.of(DialogSeen))
            self.painter.chord("Control_L", "q")
            self.until(lambda dialogs=dialogs: len(self.of(DialogSeen)) > dialogs, "the dialog")
            clock.sleep_s(PERSON_S)
            self.painter.key("Tab")
            clock.sleep_s(3 * PERSON_S)
            self.painter.key("Return")
            with suppress(EnvironmentFault):
                poll(lambda: self.pressed() or None, what="the button", timeout_s=8)
                return
            self.painter.key("Escape")
        raise AssertionError("no button was seen to be pressed, in three dialogs")


@pytest.mark.parametrize("recording", [False, True])
def test_no_word_of_a_control_is_in_the_journal(desktop: VirtualDesktop, tmp_path: Path, *, recording: bool) -> None:
    """A dialog and a pressed button leave kind and digest; with the recording their words are found (the control)."""
    stage = Stage(desktop, tmp_path, recording=recording)
    try:
        stage.type_until_seen()
        stage.press_a_button_of_a_dialog()
        dialog = next(row for row in stage.of(DialogSeen) if isinstance(row, DialogSeen))
        assert _is_on(desktop)
        pressed = stage.pressed()
    finally:
        stage.close()
    assert dialog.app == "Mousepad"
    assert dialog.about in (MessageClass.WARNING, MessageClass.QUESTION)
    assert all((dialog.title_digest, dialog.text_digest))
    assert {row.role for row in pressed} == {ControlRole.BUTTON}
    held = b"".join(path.read_bytes() for path in list_sessions(stage.kairos.sessions)[-1].iterdir())
    assert (b"save the changes" in held) is recording
    assert (pressed[0].name is not None) is recording


@pytest.mark.slow
def test_without_the_choice_the_switch_stays_off_and_nothing_is_heard(desktop: VirtualDesktop, tmp_path: Path) -> None:
    """The same work leaves no record of a control; with the choice it does, as the other tests show."""
    stage = Stage(desktop, tmp_path, recording=True, understand="as-agreed")
    try:
        stage.type_until_seen()
        assert not _is_on(desktop)
        assert not stage.of(ControlAct)
        assert "controls" not in [getattr(row, "name", "") for row in stage.of(Sense)]
        assert stage.kairos.command("status")["controls"] is None
    finally:
        stage.close()


def test_a_program_that_stops_and_a_bus_that_ends_cost_that_sense_alone(
    desktop: VirtualDesktop, tmp_path: Path
) -> None:
    """The daemon watches on, the loss is reported once, and input and frames arrive as before."""
    stage = Stage(desktop, tmp_path, recording=False)
    try:
        stage.type_until_seen()
        os.kill(stage.editor.pid, signal.SIGSTOP)
        stage.painter.click(600, 400)
        stage.painter.key("b")
        before = len(stage.of(InputEvent))
        stage.until(lambda: stage.clicked_after(before), "input")
        assert stage.kairos.state() == "watching"
        os.kill(stage.editor.pid, signal.SIGCONT)
        _end_bus(desktop)
        stage.until(
            lambda: [row for row in stage.of(Problem) if getattr(row, "code", "") == "controls_gone"], "the loss"
        )
        before = len(stage.of(InputEvent))
        stage.until(lambda: stage.clicked_after(before), "input without it")
        assert stage.kairos.state() == "watching"
        assert len(stage.of(Problem)) == 1
    finally:
        stage.close()


def _is_on(desktop: VirtualDesktop) -> bool:
    return "boolean true" in desktop._send(
        *("--dest=org.a11y.Bus", "/org/a11y/bus", "org.freedesktop.DBus.Properties.Get"),
        *("string:org.a11y.Status", "string:IsEnabled"),
    )


def _end_bus(desktop: VirtualDesktop) -> None:
    """End the accessibility bus of this desktop, which its launcher starts as a child of its own."""
    launcher = next(p for p in desktop._infrastructure if "at-spi-bus-launcher" in str(p.args))
    children = Path(f"/proc/{launcher.pid}/task/{launcher.pid}/children").read_text().split()
    for pid in children:
        os.kill(int(pid), signal.SIGKILL)
    assert children


MENUS = ["File", "Edit", "Search", "View", "Document", "Help"]


def opened(desktop: VirtualDesktop, capture: RunningCapture) -> WindowInfo:
    capture.until(lambda: capture.of(Sense), "the sense")
    desktop.spawn(["mousepad"], "mousepad")
    window = desktop.windows.wait("mousepad")
    desktop.windows.activate(window)
    return window


def names(found: Elements) -> list[str | None]:
    return [element.name for element in found.elements]


def test_a_real_window_is_walked_and_a_program_that_hangs_costs_only_its_result(desktop: VirtualDesktop) -> None:
    """Its menus are there, where they are on the screen; a record does not have their names without the recording.

    Stopped it gives nothing, in time; the capture goes on, and when the program does, it is walked again.
    """
    with running(walking(recording=False), desktop) as capture:
        window = opened(desktop, capture)
        capture.until(capture.elements, "the walk")
        capture.until(lambda: capture.of(Elements), "a record")
        found = capture.elements()
        os.kill(window.pid, signal.SIGSTOP)
        try:
            began_ns = capture.clock.now_ns()
            assert capture.elements() is None
            assert capture.clock.now_ns() - began_ns < 5_000_000_000
        finally:
            os.kill(window.pid, signal.SIGCONT)
        capture.until(capture.elements, "the walk afterwards")
    assert found is not None
    assert found.app == "Mousepad"
    assert names(found)[: len(MENUS)] == MENUS
    for element in found.elements:
        assert window.box.x <= element.box.x < window.box.x + window.box.w
    assert names(capture.of(Elements)[0])[: len(MENUS)] == [None] * len(MENUS)


def test_an_excluded_window_is_never_walked_and_tells_no_commands(desktop: VirtualDesktop) -> None:
    """Nor asked anything: whoever requests its controls gets none, and no record is made."""
    settings = Settings(fence=FenceSettings(excluded_apps=("mousepad",)))
    told: list[CommandList | None] = []
    with running(walking(settings), desktop) as capture:
        opened(desktop, capture)
        capture.until(capture.is_excluding, "the fence")
        assert [capture.elements() for _ in range(3)] == [None] * 3
        for count in (1, 2, 3):
            capture.thread.request_commands(told.append)
            capture.until(lambda: len(told) == count, "the answer")  # noqa: B023  # awaited here
    assert told == [None] * 3
    assert capture.of(Elements) == []
