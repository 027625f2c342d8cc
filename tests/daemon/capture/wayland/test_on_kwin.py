"""A real KWin without a screen: its windows by our script, no pictures, and a script that is taken away."""

import subprocess
import sys
from collections.abc import Iterator

import pytest

from daemon.capture.backend import open_backend
from daemon.capture.scene import Scene
from daemon.capture.wayland.desktop import WaylandBackend
from daemon.capture.wayland.kwin import KwinWindows
from daemon.cli import doctor
from demo.virtual_desktop.kwin import MISSING, KwinDesktop
from demo.virtual_desktop.windows import poll
from storage.clock import SystemClock
from storage.errors import EnvironmentFault
from storage.records import EventKind, Focus, InputEvent, Switch, SwitchName
from storage.settings import FenceSettings, Settings
from tests.fakes.architecture.sources import ROOT
from tests.fakes.desktop.conformance import check_backend
from tests.fakes.desktop.painter import RunningCapture, running

pytestmark = [
    pytest.mark.display,
    pytest.mark.slow,
    pytest.mark.skipif(bool(MISSING), reason=f"not installed here: {MISSING}"),
]


SETTINGS = Settings(fence=FenceSettings(excluded_apps=("zenity",)))


@pytest.fixture(scope="module")
def kwin() -> Iterator[KwinDesktop]:
    with KwinDesktop() as desktop:
        desktop.turn_accessibility_on()
        yield desktop


@pytest.fixture
def backend(kwin: KwinDesktop) -> Iterator[WaylandBackend]:
    with kwin.entered():
        opened = open_backend(SystemClock())
    assert isinstance(opened, WaylandBackend)
    yield opened
    opened.close()


def seen(backend: WaylandBackend) -> Scene:
    backend.sync()
    return (backend.take_scenes() or (backend._newest,))[-1]


def test_it_keeps_to_what_every_backend_keeps_to(kwin: KwinDesktop) -> None:
    with kwin.entered():
        opened = open_backend(SystemClock())
    assert opened.capabilities.desktop == "KDE"
    assert opened.capabilities.levels.keys() == {
        *("frames", "keys", "clicks", "scrolls", "pointer", "controls", "tray", "shortcuts", "offers")
    }
    check_backend(opened)


def test_windows_come_and_go(kwin: KwinDesktop, backend: WaylandBackend) -> None:
    editor = kwin.spawn(["mousepad"], "mousepad")
    poll(
        lambda: any(w.app == "mousepad" and w.client == seen(backend).active for w in seen(backend).windows), what="it"
    )
    (window,) = seen(backend).windows
    assert (window.pid, window.title) == (editor.pid, "Untitled 1 - Mousepad")
    assert "mousepad" in window.program
    assert window.box.w > 300
    kwin.stop(editor)
    poll(lambda: not seen(backend).windows, what="closing it")


def test_an_excluded_window_is_known_and_nothing_of_it_kept(kwin: KwinDesktop) -> None:
    """The focus, and whether somebody is there, are told as elsewhere."""
    with running(RunningCapture(SETTINGS, controls=True, pictures=False), kwin) as capture:
        editor = kwin.spawn(["mousepad"], "mousepad")
        capture.until(lambda: [f.title for f in capture.of(Focus)][-1:] == ["Untitled 1 - Mousepad"], "a title")
        other = kwin.spawn(["zenity", "--info"], "zenity")
        capture.until(capture.is_excluding, "excluding a window")
        kwin.stop(other)
        kwin.stop(editor)
    assert {f.app for f in capture.of(Focus)} <= {"", "mousepad"}
    assert [s.on for s in capture.of(Switch) if s.name is SwitchName.EXCLUDED][:1] == [True]
    assert [e.kind for e in capture.of(InputEvent) if e.kind is not EventKind.MOTION][:1] == [EventKind.IDLE]


def test_a_killed_kairos_leaves_one_script_which_the_next_replaces(kwin: KwinDesktop, backend: WaylandBackend) -> None:
    """The one of a Kairos that runs beside it is left alone."""
    code = (
        "import time; from daemon.capture.backend import open_backend; from storage.clock import SystemClock; "
        "print(open_backend(SystemClock()).capabilities.desktop, flush=True); time.sleep(60)"
    )
    assert isinstance(backend._windows, KwinWindows)
    own = int(backend._windows._names[-1][-1])
    for _ in range(3):
        with subprocess.Popen([sys.executable, "-c", code], env=kwin.env, stdout=subprocess.PIPE, cwd=ROOT) as killed:
            assert killed.stdout is not None
            assert killed.stdout.readline() == b"KDE\n"
            killed.kill()
        loaded = [number for number in range(8) if is_loaded(kwin, f"kairos.assistant.windows{number}")]
        assert loaded == [own, own + 1]
    seen(backend)


def is_loaded(kwin: KwinDesktop, name: str) -> bool:
    member = "org.kde.kwin.Scripting.isScriptLoaded"
    return "true" in kwin._send("--dest=org.kde.KWin", "/Scripting", member, f"string:{name}")


def test_a_script_that_is_unloaded_ends_the_list_and_the_next_connection_has_one(kwin: KwinDesktop) -> None:
    with kwin.entered():
        opened = open_backend(SystemClock())
        assert isinstance(opened, WaylandBackend)
        assert isinstance(opened._windows, KwinWindows)
        kwin._send(
            *("--dest=org.kde.KWin", "/Scripting", "org.kde.kwin.Scripting.unloadScript"),
            f"string:{opened._windows._names[-1]}",
        )
        with pytest.raises(EnvironmentFault):
            poll(opened.sync, what="the end")
        opened.close()
        again = open_backend(SystemClock())
        assert again.capabilities.desktop == "KDE"
        again.close()


@pytest.mark.parametrize("broken", [False, True])
def test_doctor_says_where_no_script_runs_and_what_mends_it(
    kwin: KwinDesktop, monkeypatch: pytest.MonkeyPatch, *, broken: bool
) -> None:
    """On another bus there is no KWin to be asked; on its own the windows are known (the control)."""
    if broken:
        monkeypatch.setitem(kwin.env, "DBUS_SESSION_BUS_ADDRESS", "unix:path=/nowhere")
    with kwin.entered():
        found = {check.name: check for check in doctor._Desktop().capabilities()}
    assert ("windows" in found) is broken
    if broken:
        assert "KWin does not run Kairos' script" in found["windows"].says
        assert "asks KWin anew at each start" in found["windows"].remedy
