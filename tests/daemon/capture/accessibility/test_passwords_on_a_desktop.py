"""A password typed into a real program is in no key, picture or count: one span stands for each field.

Forms of Qt, and others whose fields the keyboard leaves: `test_left_passwords_on_a_desktop.py`.
"""

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from daemon.capture.accessibility.protection import HOLD_NS
from daemon.capture.keys import GRID_NS
from demo.virtual_desktop.desktop import VirtualDesktop
from demo.virtual_desktop.windows import Windows, poll
from storage.clock import NS_PER_S, SystemClock
from storage.records import Box, EventKind, InputEvent, KeyClass, Sense
from tests.fakes.desktop.painter import MAGENTA, Painter, RunningCapture, capturing

pytestmark = [pytest.mark.display, pytest.mark.slow]

ROOT = Path(__file__).resolve().parents[4]
PERSON_S = 0.15
"""What a person takes at least between two keys that are no typing."""

PICTURE_S = 1.0
"""By then a picture of what was typed has been taken, on a machine that is not busy."""

START_S = 60.0
MANY = 10
"""Where processes are numbered anew there are not so many."""

ASK_AGAIN_S = 5
TYPED = "secret"
GTK_STYLE = "entry:focus { background: #ff00ff; color: #ff00ff; caret-color: #ff00ff }"
"""GTK paints the field with the keyboard magenta, as the Qt form does its password field."""

HANGS_S = 2.5
"""Longer than a program is given to answer."""

Reach = Callable[[Painter], None]
Way = Callable[[Painter, int], tuple[int, int]]
"""Types into LibreOffice's two fields, with its process; returns how many visits that were and how many letters."""


@pytest.fixture
def desktop(desktop: VirtualDesktop) -> VirtualDesktop:
    style = Path(desktop.env["XDG_CONFIG_HOME"]) / "gtk-3.0" / "gtk.css"
    style.parent.mkdir()
    style.write_text(GTK_STYLE)
    return desktop


def open_in_sandbox(desktop: VirtualDesktop, painter: Painter) -> Reach:
    """Open the form of Qt where processes have other numbers, one of which its window says."""
    new_numbers = ["unshare", "--map-root-user", "--pid", "--fork", "--mount-proc"]
    allowed = subprocess.run([*new_numbers, "true"], check=False)
    assert allowed.returncode == 0, "this system allows no process numbers of one's own; run this where it does"
    argv = [*new_numbers, sys.executable, "-m", "tests.fakes.desktop.password_form"]
    desktop.spawn(argv, "form", env={"PYTHONPATH": str(ROOT)}, cwd=ROOT)
    assert Windows(painter.display).wait("loginform").pid < MANY
    return next_field


def open_gtk(desktop: VirtualDesktop, painter: Painter) -> Reach:
    """Open a form of GTK; its second field asks a password."""
    desktop.spawn(["zenity", "--forms", "--add-entry=Name", "--add-password=Password"], "zenity")
    Windows(painter.display).wait("zenity")
    return next_field


def open_gtk4(desktop: VirtualDesktop, painter: Painter, kind: str) -> Reach:
    desktop.spawn(["/usr/bin/python3", str(ROOT / "tests/fakes/desktop/gtk4_form.py"), kind], "gtk4form")
    windows = Windows(painter.display)
    windows.place(windows.wait(title="Login"), Box(420, 260, 600, 400))
    return next_field


def open_writer(desktop: VirtualDesktop, painter: Painter) -> Reach:
    profile = (desktop.directory / "office").as_uri()
    argv = ["soffice", f"-env:UserInstallation={profile}", "--norestore", "--nologo", "--nofirststartwizard"]
    desktop.spawn([*argv, "--writer"], "soffice")
    Windows(painter.display).wait(title="LibreOffice Writer", timeout_s=START_S)
    return save_with_password


def next_field(painter: Painter) -> None:
    type_slowly(painter, "Tab")


def save_with_password(painter: Painter) -> None:
    """Save, with a tick at "Save with password" in the lower left corner."""
    windows = Windows(painter.display)
    asked_ns = 0

    def has_opened() -> bool:
        nonlocal asked_ns
        if SystemClock().now_ns() - asked_ns > ASK_AGAIN_S * NS_PER_S:  # a program that is just starting forgets some
            asked_ns = SystemClock().now_ns()
            painter.chord("Control_L", "s")
        return windows.find(title="Save") is not None

    poll(has_opened, what="opening the dialog", timeout_s=START_S)
    SystemClock().sleep_s(2.0)  # it is laid out anew a few times
    box = windows.wait(title="Save").box
    painter.click(box.x + 18, box.y + box.h - 68)
    SystemClock().sleep_s(PERSON_S)
    type_slowly(painter, "Return")
    windows.wait(title="Set Password")
    SystemClock().sleep_s(1.0)


def type_slowly(painter: Painter, *keys: str) -> None:
    for key in keys:
        painter.key(key)
        SystemClock().sleep_s(PERSON_S)


def spans(capture: RunningCapture, since_ns: int) -> list[InputEvent]:
    """Return the spans since the program was ready: letters for one that says nothing yet may be in one, too."""
    events = capture.of(InputEvent)
    return [event for event in events if event.kind is EventKind.PROTECTED and event.t_ns >= since_ns]


@pytest.mark.parametrize("controls", [True, False])
@pytest.mark.parametrize(
    "open_program",
    [
        pytest.param(open_in_sandbox, id="sandbox"),
        pytest.param(open_gtk, id="gtk"),
        pytest.param(partial(open_gtk4, kind="hidden"), id="gtk4-hidden"),
        pytest.param(partial(open_gtk4, kind="shown"), id="gtk4-shown"),
    ],
)
def test_a_password_in_a_program_is_one_span(
    desktop: VirtualDesktop,
    painter: Painter,
    open_program: Callable[[VirtualDesktop, Painter], Reach],
    *,
    controls: bool,
) -> None:
    """With protection off its keys and its field are found (the control)."""
    with capturing(desktop, controls=controls) as capture:
        capture.until(lambda: capture.of(Sense) or not controls, "the sense")
        reach = open_program(desktop, painter)
        capture.type_until_seen(painter, START_S)
        ready_ns = capture.clock.now_ns() - GRID_NS - HOLD_NS  # a span begins that much before its field is told
        reach(painter)
        SystemClock().sleep_s(PERSON_S)
        reached_ns = capture.clock.now_ns() - GRID_NS  # the times of keys are rounded down
        type_slowly(painter, *TYPED)
        if controls:
            SystemClock().sleep_s(PICTURE_S)
        else:
            capture.until(lambda: capture.shows(MAGENTA, since_ns=reached_ns), "a picture of the field")
        type_slowly(painter, "Tab")
        painter.key("Escape")
        capture.until(
            lambda: any(event.key_class is KeyClass.ESCAPE for event in capture.of(InputEvent)), "the last key"
        )
    assert len(spans(capture, ready_ns)) == (1 if controls else 0)
    assert capture.characters(reached_ns) == (0 if controls else len(TYPED))
    assert (capture.shows(MAGENTA, since_ns=reached_ns) > 0) is not controls


def return_to_first(painter: Painter, _pid: int) -> tuple[int, int]:
    type_slowly(painter, *"sec", "Tab", "x")  # what only leads on may be in the span of where it leads
    painter.chord("Shift_L", "Tab")
    SystemClock().sleep_s(PERSON_S)
    type_slowly(painter, "End", *"ret", "Tab", "y", "Tab")
    return 4, 8


def paste(painter: Painter, _pid: int) -> tuple[int, int]:
    for _ in range(2):
        painter.chord("Control_L", "v")
        SystemClock().sleep_s(HANGS_S)  # a picture of it is taken meanwhile
        type_slowly(painter, "Tab")
    return 2, 0


def type_ahead(painter: Painter, pid: int) -> tuple[int, int]:
    os.kill(pid, signal.SIGSTOP)
    try:
        type_slowly(painter, *"secretly", "Tab", "Tab")
        SystemClock().sleep_s(HANGS_S)
    finally:
        os.kill(pid, signal.SIGCONT)
    return 1, 8


def busy(painter: Painter, pid: int) -> tuple[int, int]:
    for letter in "secretly":
        os.kill(pid, signal.SIGSTOP)
        type_slowly(painter, letter)
        SystemClock().sleep_s(0.5)
        os.kill(pid, signal.SIGCONT)
    SystemClock().sleep_s(HANGS_S)
    type_slowly(painter, "Tab", "Tab")
    return 2, 8


@pytest.mark.parametrize("controls", [True, False])
@pytest.mark.parametrize("way", [return_to_first, paste, type_ahead, busy])
def test_in_no_way_more_is_kept_of_a_password_in_libreoffice(
    desktop: VirtualDesktop, painter: Painter, way: Way, *, controls: bool
) -> None:
    """A span for each visit to a field; with protection off each letter is found."""
    with capturing(desktop, controls=controls) as capture:
        capture.until(lambda: capture.of(Sense) or not controls, "the sense")
        reach = open_writer(desktop, painter)
        capture.type_until_seen(painter, START_S)
        ready_ns = capture.clock.now_ns() - GRID_NS - HOLD_NS
        painter.chord("Control_L", "a")
        painter.chord("Control_L", "c")
        reach(painter)
        since_ns = capture.clock.now_ns() - GRID_NS
        visits, letters = way(painter, Windows(painter.display).wait(title="Set Password").pid)
        SystemClock().sleep_s(HANGS_S)
        painter.key("Escape")
        capture.until(
            lambda: any(event.key_class is KeyClass.ESCAPE for event in capture.of(InputEvent)), "the last key"
        )
    assert len(spans(capture, ready_ns)) == (visits if controls else 0)
    assert capture.characters(since_ns) == (0 if controls else letters)
    assert (capture.shows(MAGENTA, since_ns=since_ns) > 0) is not controls
