"""A real GNOME Shell without a screen: with Kairos' extension and without, and what goes away in the middle."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from daemon.capture.backend import open_backend
from daemon.capture.scene import Scene, WindowKind
from daemon.capture.wayland import connection
from daemon.capture.wayland.desktop import WaylandBackend
from daemon.capture.wayland.gnome import windows
from daemon.capture.wayland.gnome.installation import UUID
from demo.virtual_desktop.daemon_process import DaemonProcess
from demo.virtual_desktop.windows import poll
from storage.capabilities import Level
from storage.clock import SystemClock
from storage.errors import EnvironmentFault
from storage.records import EventKind, Focus, Frame, InputEvent, KeyClass, Switch, SwitchName
from tests.fakes.architecture.sources import ROOT
from tests.fakes.desktop.conformance import check_backend
from tests.fakes.desktop.gnome_desktop import MISSING, GnomeDesktop
from tests.fakes.desktop.painter import RunningCapture, running

pytestmark = [
    pytest.mark.display,
    pytest.mark.slow,
    pytest.mark.skipif(bool(MISSING), reason=f"not installed here: {MISSING}"),
]
TYPED = {KeyClass.CHARACTER, KeyClass.BACKSPACE}


@pytest.fixture(scope="module")
def gnome() -> Iterator[GnomeDesktop]:
    with GnomeDesktop(extension=True) as desktop:
        desktop.turn_accessibility_on()
        yield desktop


@pytest.fixture(autouse=True)
def _patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A shell that paints in software on a busy machine may take seconds to answer."""
    for module in (connection, windows):
        monkeypatch.setattr(module, "ANSWER_S", 15.0)


@pytest.fixture
def backend(gnome: GnomeDesktop) -> Iterator[WaylandBackend]:
    with gnome.entered():
        opened = open_backend(SystemClock())
    assert isinstance(opened, WaylandBackend)
    yield opened
    opened.close()


def enable(gnome: GnomeDesktop, *, on: bool) -> None:
    """Turn the extension on or off, as its switch does."""
    shell = "org.gnome.Shell"
    member = "EnableExtension" if on else "DisableExtension"
    gnome.call(shell, "/org/gnome/Shell", f"{shell}.Extensions", member, "s", UUID)


def seen(backend: WaylandBackend) -> Scene:
    backend.sync()
    return (backend.take_scenes() or (backend._newest,))[-1]


def test_it_keeps_to_what_every_backend_keeps_to(gnome: GnomeDesktop) -> None:
    with gnome.entered():
        opened = open_backend(SystemClock())
    assert opened.capabilities.desktop == "GNOME"
    assert opened.capabilities.windows.level is Level.FULL
    assert "idle" not in opened.capabilities.levels
    check_backend(opened)


def test_windows_menus_and_the_overview_are_told(gnome: GnomeDesktop, backend: WaylandBackend) -> None:
    """A menu stands in the list with its parent; over everything that the overview shows there is a veil."""
    editor = gnome.spawn(["mousepad"], "mousepad")
    poll(
        lambda: any(w.app == "mousepad" and w.client == seen(backend).active for w in seen(backend).windows), what="it"
    )
    poll(lambda: not seen(backend).outputs, what="the end of all effects")
    scene = seen(backend)
    (window,) = [w for w in scene.windows if w.app == "mousepad"]
    assert (window.pid, "mousepad" in window.program, window.title) == (
        *(editor.pid, True),
        "Untitled 1 - Mousepad",
    )
    assert window.content is not None
    assert window.box.w > window.content.w > 300  # its shadow is its own
    assert scene.screen[2:] == (1280, 800)
    gnome.hold("Alt", down=True)
    gnome.type("f")
    gnome.hold("Alt", down=False)
    poll(lambda: any(w.transient_for == window.client for w in seen(backend).windows if w.popup), what="a menu")
    gnome.type("Escape", "Escape")
    poll(lambda: not any(w.popup for w in seen(backend).windows), what="closing the menu")
    gnome.type("Super")
    poll(lambda: seen(backend).windows[-1].box == scene.screen, what="the overview")
    assert seen(backend).windows[-1].kind is WindowKind.NOTIFICATION
    poll(lambda: seen(backend).outputs == (scene.screen,), what="its effects")
    gnome.type("Escape")
    poll(lambda: not seen(backend).outputs, what="the end of all effects")
    gnome.stop(editor)
    poll(lambda: all(w.app != "mousepad" for w in seen(backend).windows), what="closing a window")


def test_the_focus_and_private_windows_are_told_and_presence_and_typing(gnome: GnomeDesktop) -> None:
    """As without the extension, but windows have places, and none of it needs the choice for controls."""
    with running(RunningCapture(controls=True, pictures=False), gnome) as capture:
        editor = gnome.spawn(["mousepad"], "mousepad")
        capture.until(lambda: [f.title for f in capture.of(Focus)][-1:] == ["Untitled 1 - Mousepad"], "a title")
        capture.until(lambda: typed(gnome, capture) == TYPED, "typing")
        assert capture.of(Focus)[-1].geometry.x > 0
        capture.until(lambda: kinds(capture)[-1:] == [EventKind.IDLE], "being idle")
        gnome.type("a")
        capture.until(lambda: kinds(capture)[-2:] == [EventKind.ACTIVE, EventKind.IDLE], "being active, and idle")
        other = gnome.spawn(["foot", "-a", "KeePassXC"], "foot")
        capture.until(capture.is_excluding, "excluding a window")
        gnome.stop(other)
        gnome.stop(editor)
    assert {f.app for f in capture.of(Focus)} <= {"", "mousepad"}
    assert [s.on for s in capture.of(Switch) if s.name is SwitchName.EXCLUDED][:1] == [True]
    assert capture.of(Frame) == []


def test_an_extension_that_is_turned_off_ends_its_list_and_nothing_else(gnome: GnomeDesktop) -> None:
    """The connection breaks; the next one says that there is none, and what puts it there. It comes back at once."""
    with gnome.entered():
        opened = open_backend(SystemClock())
        enable(gnome, on=False)
        with pytest.raises(EnvironmentFault):
            poll(opened.sync, what="the end")
        opened.close()
        bare = open_backend(SystemClock())
        assert bare.capabilities.windows.level is Level.PART
        assert "kairos desktop install" in bare.capabilities.windows.remedy
        assert "kairos desktop install" not in bare.capabilities.frames.remedy  # it brings no pictures
        check_backend(bare)
        enable(gnome, on=True)
        poll(lists_windows, what="the extension")


@pytest.mark.parametrize(
    ("broken", "name", "says"),
    [
        pytest.param("", "pictures", "under sway, and in X11 sessions", id="nothing (the control)"),
        pytest.param("extension", "windows", "kairos desktop install", id="extension off"),
        pytest.param("DISPLAY", "screen and input", "install XWayland", id="no XWayland"),
        pytest.param("bus", "presence", "", id="no bus"),
    ],
)
def test_doctor_says_what_is_broken_and_what_mends_it(gnome: GnomeDesktop, broken: str, name: str, says: str) -> None:
    env = dict(gnome.env)
    if broken == "extension":
        enable(gnome, on=False)
    elif broken == "bus":
        env["DBUS_SESSION_BUS_ADDRESS"] = "unix:path=/nowhere"
    elif broken:
        del env[broken]
    argv = [sys.executable, "-m", "daemon.cli.main", "doctor", "--json"]
    done = subprocess.run(argv, env=env, cwd=ROOT, capture_output=True, check=False)
    if broken == "extension":
        enable(gnome, on=True)
        with gnome.entered():
            poll(lists_windows, what="the extension")
    checks = {check["name"]: check for check in json.loads(done.stdout)["checks"]}
    assert (done.returncode == 3) is (broken == "DISPLAY")
    assert not checks[name]["ok"]
    assert says in checks[name]["remedy"]
    assert ("presence" in checks) is (broken == "bus")
    assert ("windows" in checks) is (broken == "extension")
    assert ("extension" in checks["locked screen"]["says"]) is (broken != "extension")


def test_who_asks_gets_a_card_that_takes_no_key(gnome: GnomeDesktop, tmp_path: Path) -> None:
    """As in X11 sessions, but nothing of it was seen in pictures: where a window is and what it says are enough."""
    editor = gnome.spawn(["mousepad"], "mousepad")
    kairos = DaemonProcess(gnome, tmp_path, settings={"capture.understand_controls": "on"}, recording=False)
    kairos.start()
    gnome.type("some words")
    kairos.command("ask", "undo")
    poll(lambda: any(window.title == "Kairos offer" for window in gnome.windows.list_all()), what="a card")
    with running(RunningCapture(controls=True, pictures=False), gnome) as capture:
        capture.until(lambda: typed(gnome, capture) == TYPED, "typing")
        assert {f.app for f in capture.of(Focus)} <= {"", "mousepad"}
    assert kairos.quit() == 0
    gnome.stop(editor)


def lists_windows() -> bool:
    opened = open_backend(SystemClock())
    opened.close()
    return opened.capabilities.windows.level is Level.FULL


def typed(gnome: GnomeDesktop, capture: RunningCapture) -> set[KeyClass]:
    gnome.type("ab", "BackSpace")
    return {event.key_class for event in capture.of(InputEvent) if event.key_class is not None}


def kinds(capture: RunningCapture) -> list[EventKind]:
    return [event.kind for event in capture.of(InputEvent) if event.kind in (EventKind.ACTIVE, EventKind.IDLE)]
