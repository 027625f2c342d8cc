"""A real GNOME Shell without a screen: with Kairos' extension, the portal and PipeWire, and without each of them.

Windows that move are of X11 programs: those of Wayland may not place themselves.
"""

import json
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from daemon.capture.backend import NotNow, open_backend
from daemon.capture.scene import Scene, WindowKind
from daemon.capture.surroundings.source import Condition
from daemon.capture.surroundings.streams import OWN_STREAM, StreamDump
from daemon.capture.wayland.desktop import WaylandBackend
from daemon.capture.wayland.gnome import windows
from daemon.capture.wayland.gnome.installation import UUID
from daemon.capture.wayland.gnome.pipewire import PictureStream
from daemon.capture.wayland.gnome.windows import GnomeWindows
from demo.virtual_desktop.daemon_process import DaemonProcess
from demo.virtual_desktop.gnome import MISSING, GnomeDesktop
from demo.virtual_desktop.windows import poll
from storage import wayland
from storage.capabilities import Level
from storage.clock import SystemClock
from storage.errors import EnvironmentFault
from storage.records import Box, EventKind, Focus, Frame, InputEvent, KeyClass, Problem, Switch, SwitchName
from storage.settings import CaptureSettings, Settings
from storage.state.pictures import PicturePermission
from tests.fakes.architecture.sources import ROOT
from tests.fakes.desktop.conformance import check_backend
from tests.fakes.desktop.painter import Painter, RunningCapture, capturing, running

pytestmark = [
    pytest.mark.display,
    pytest.mark.slow,
    pytest.mark.skipif(bool(MISSING), reason=f"not installed here: {MISSING}"),
]
TYPED = {KeyClass.CHARACTER, KeyClass.BACKSPACE}
SETTINGS = Settings(capture=CaptureSettings(active_fps=10.0, passive_fps=10.0))
MAGENTA, GREEN = 0xFF00FF, 0x20A040
ROUNDS = 12
RACES, LONG_RACE = 30, 1_500
"""Pictures of a window that moves: enough for no leak by chance, and for one where nothing prevents it."""


@pytest.fixture(scope="module")
def gnome() -> Iterator[GnomeDesktop]:
    with GnomeDesktop(extension=True, portal=True) as desktop:
        desktop.turn_accessibility_on()
        yield desktop


@pytest.fixture
def answered(gnome: GnomeDesktop) -> PicturePermission:
    """Return the answer, a yes."""
    permission = PicturePermission(gnome.directory / "state" / "kairos")
    permission.save(gnome.allow_pictures())
    return permission


@pytest.fixture(autouse=True)
def _patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A shell that paints in software on a busy machine may take seconds to answer."""
    for module in (wayland, windows):
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


def asks(capture: RunningCapture) -> bool:
    """Return whether the window is there by which GNOME asks."""
    return any(window.app == "xdg-desktop-portal-gnome" for window in capture.observer._fence.scene.windows)


@pytest.fixture
def painter(gnome: GnomeDesktop) -> Iterator[Painter]:
    painting = Painter(gnome)
    yield painting
    painting.close()


def test_the_first_start_asks_and_the_second_does_not(gnome: GnomeDesktop, answered: PicturePermission) -> None:
    """Nothing is seen before the yes; what stands for it is kept, and used at the next start."""
    answered.forget()
    for turn in range(2):
        with running(RunningCapture(SETTINGS), gnome) as capture:
            if turn == 0:
                capture.until(lambda: asks(capture), "the question")
                SystemClock().sleep_s(5.0)  # it takes the keyboard some time after it is there
                assert all(len(np.unique(picture.planes[: picture.height])) == 1 for picture in capture.pictures)
                gnome.say_yes()
            capture.until(lambda: has_seen(capture), "a picture")
            assert not (turn and asks(capture))
        assert answered.token


def test_a_still_screen_costs_no_picture_and_our_own_stream_is_no_call(
    gnome: GnomeDesktop, answered: PicturePermission
) -> None:
    """The pointer is in none, so it costs none either; a pause ends the session, and with it the sign in the panel."""
    with running(RunningCapture(SETTINGS), gnome) as capture:
        capture.until(lambda: has_seen(capture), "a picture")
        frames = capture.observer._backend._frames  # type: ignore[attr-defined]  # of this backend
        (stream,) = frames._streams.values()
        capture.until(lambda: still(stream), "a still screen")
        gnome.move(40, 30)
        capture.until(lambda: still(stream), "a still screen with another pointer")
        dumped = subprocess.run(["pw-dump"], env=gnome.env, capture_output=True, check=True).stdout.decode()
        ours = StreamDump()
        others = StreamDump()
        for line in dumped.splitlines(keepends=True):
            ours.feed(line)
            others.feed(line.replace(OWN_STREAM, "another"))
        assert (ours.running, others.running) == (set(), {Condition.VIDEO})
        capture.gate.close()
        capture.until(lambda: not frames._streams, "the end of the session")
    assert answered.token


def has_seen(capture: RunningCapture) -> bool:
    """Return whether a picture shows more than one grey: that of what is covered."""
    return any(len(np.unique(picture.planes[: picture.height])) > 1 for picture in list(capture.pictures))


def still(stream: PictureStream) -> bool:
    """Return whether no picture came for a second."""
    before = stream.arrived
    SystemClock().sleep_s(1.0)
    return stream.arrived == before


@pytest.mark.usefixtures("answered")
@pytest.mark.parametrize(("app", "is_kept"), [("KeePassXC", False), ("harmless", True)])
def test_no_pixel_of_an_excluded_window_is_kept(
    gnome: GnomeDesktop, painter: Painter, app: str, *, is_kept: bool
) -> None:
    """It opens, moves, has a menu beyond its edge, and closes, beside a program that always paints; another is kept."""
    colours = ["-o", f"colors.background={GREEN:06x}", "-o", "pad=0x0"]
    notes = gnome.spawn(["foot", "-a", "notes", *colours, "sh", "-c", "while sleep .1; do date +%N; done"], "foot")
    with capturing(gnome, SETTINGS) as capture:
        capture.until(lambda: capture.shows(GREEN), "the notes")
        for at in range(ROUNDS if not is_kept else 1):
            other = painter.window(app, Box(450 + 20 * at, 80 + 10 * at, 240, 160), colour=MAGENTA)
            menu = painter.window(app, Box(400, 180, 120, 300), colour=MAGENTA, popup=True)
            for step in range(6):
                other.configure(x=300 + 60 * step, y=60 + 40 * step)
                SystemClock().sleep_s(0.1)
            painter.destroy(menu)
            if is_kept:
                capture.until(lambda: capture.shows(MAGENTA), "the other window")
            painter.destroy(other)
            gone_ns = capture.clock.now_ns()
            capture.until(lambda: capture.shows(GREEN, since_ns=gone_ns), "the notes")  # noqa: B023  # at once
    gnome.stop(notes)
    assert bool(capture.shows(MAGENTA)) is is_kept
    assert {focus.app for focus in capture.of(Focus)} <= {"", "notes", *([app] if is_kept else [])}


@pytest.mark.usefixtures("answered")
@pytest.mark.parametrize("has_rule", [True, False])
def test_what_is_looked_at_is_where_the_list_says(
    gnome: GnomeDesktop, painter: Painter, backend: WaylandBackend, monkeypatch: pytest.MonkeyPatch, *, has_rule: bool
) -> None:
    """A window that moves without rest is never seen elsewhere; it is where any picture counts (the control)."""
    if not has_rule:
        monkeypatch.setattr(GnomeWindows, "changed_ns", property(lambda _: 0, lambda *_: None), raising=False)
        backend._windows.__dict__.pop("changed_ns")  # it is the property's now
    seen, leaked = race(painter, backend, RACES if has_rule else LONG_RACE)
    assert leaked or seen >= RACES
    assert bool(leaked) is not has_rule


def race(painter: Painter, backend: WaylandBackend, wanted: int) -> tuple[int, int]:
    """Return of how many pictures with a window that moves, and in how many it was elsewhere: the first ends it."""
    (monitor,) = backend.monitors()
    window = painter.window("mover", Box(100, 100, 120, 90), colour=MAGENTA)
    stopping = threading.Event()
    thread = threading.Thread(target=move_about, args=(window, stopping))
    thread.start()
    seen = leaked = 0
    try:
        while seen < wanted and not leaked:
            backend.read()
            backend.follow_damage(on=True)
            backend.take_damage()
            scene = (backend.take_scenes() or (backend._newest,))[-1]
            try:
                pixels = backend.grab(monitor.box)
            except NotNow:
                continue
            outside = (pixels[..., 0] > 240) & (pixels[..., 1] < 16) & (pixels[..., 2] > 240)
            for known in scene.windows:
                if known.app == "mover":
                    x, y, width, height = known.box
                    outside[max(0, y) : y + height, max(0, x) : x + width] = False
            seen += 1
            leaked += bool(outside.any())
    finally:
        stopping.set()
        thread.join()
        painter.destroy(window)
    return seen, leaked


def move_about(window: Any, stopping: threading.Event) -> None:
    """Move a window every now and then, so that pictures come between."""
    at = 0
    while not stopping.wait(0.5 if at % 3 else 0.15):
        at += 1
        window.configure(x=100 + 97 * at % 900, y=100 + 61 * at % 500)
        window.get_geometry()


@pytest.mark.parametrize("answer", ["no", "taken back"])
def test_without_a_yes_there_are_no_pictures_and_nobody_is_asked(
    gnome: GnomeDesktop, answered: PicturePermission, answer: str
) -> None:
    answered.save("" if answer == "no" else "another")
    with running(RunningCapture(SETTINGS), gnome) as capture:
        gnome.type("Escape")
        capture.until(lambda: kinds(capture)[-1:] == [EventKind.IDLE], "being idle")
        assert not capture.observer.has_frames
        assert not asks(capture)
    assert capture.of(Frame) == []


def test_a_list_that_ends_in_the_middle_ends_the_pictures(gnome: GnomeDesktop, answered: PicturePermission) -> None:
    """No picture is later than the list; without an extension there are none, and no session with the portal."""
    with running(RunningCapture(SETTINGS), gnome) as capture:
        capture.until(lambda: has_seen(capture), "a picture")
        enable(gnome, on=False)
        capture.until(lambda: [p.over for p in capture.of(Problem)][-1:] == [True], "going on without")
        count, ended_ns = len(capture.of(Frame)), capture.clock.now_ns()
        gnome.type("Super", "Escape")
        SystemClock().sleep_s(2.0)
        assert len(capture.of(Frame)) == count
        assert all(frame.t_ns < ended_ns for frame in capture.of(Frame))
        assert not capture.observer.has_frames
    enable(gnome, on=True)
    with gnome.entered():
        poll(lists_windows, what="the extension")
    assert answered.token


@pytest.mark.usefixtures("answered")
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
    states: list[Scene] = []

    def passed(check: Callable[[Scene], bool]) -> bool:
        """Return whether this was so at any time since; effects last for a second, and may be over by now."""
        backend.sync()
        states.extend(backend.take_scenes())
        return any(map(check, states))

    gnome.type("Super")
    poll(lambda: passed(lambda now: now.windows[-1].box == scene.screen), what="the overview")
    assert (
        next(now for now in states if now.windows[-1].box == scene.screen).windows[-1].kind is WindowKind.NOTIFICATION
    )
    poll(lambda: passed(lambda now: now.outputs == (scene.screen,)), what="its effects")
    gnome.type("Escape")
    poll(lambda: not seen(backend).outputs, what="the end of all effects")
    gnome.stop(editor)
    poll(lambda: all(w.app != "mousepad" for w in seen(backend).windows), what="closing a window")


def test_the_focus_and_private_windows_are_told_and_presence_and_typing(
    gnome: GnomeDesktop, answered: PicturePermission
) -> None:
    """As without the extension, but windows have places, and none of it needs the choice for controls, nor pictures."""
    answered.save("")
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
        assert "kairos desktop install" in bare.capabilities.frames.remedy
        check_backend(bare)
        enable(gnome, on=True)
        poll(lists_windows, what="the extension")


@pytest.mark.parametrize(
    ("broken", "name", "says"),
    [
        pytest.param("", "pictures", "answer GNOME when it asks", id="nothing (the control)"),
        pytest.param("no", "pictures", "to be asked again: kairos desktop install", id="pictures refused"),
        pytest.param("another", "pictures", "to be asked again: kairos desktop install", id="pictures taken back"),
        pytest.param("portal", "pictures", "xdg-desktop-portal-gnome", id="no portal"),
        pytest.param("extension", "windows", "kairos desktop install", id="extension off"),
        pytest.param("DISPLAY", "screen and input", "install XWayland", id="no XWayland"),
        pytest.param("bus", "presence", "", id="no bus"),
    ],
)
def test_doctor_says_what_is_broken_and_what_mends_it(
    gnome: GnomeDesktop, answered: PicturePermission, broken: str, name: str, says: str
) -> None:
    env = dict(gnome.env)
    if broken in {"no", "another"}:
        answered.save("" if broken == "no" else broken)
    elif broken == "portal":
        env["DBUS_SESSION_BUS_ADDRESS"] = f"unix:path={gnome.directory / 'run' / 'system-bus'}"
    elif broken == "extension":
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
    assert ("presence" in checks) is (broken in {"bus", "portal"})
    assert ("windows" in checks) is (broken == "extension")
    assert ("extension" in checks["locked screen"]["says"]) is (broken != "extension")


def test_who_asks_gets_a_card_that_takes_no_key(
    gnome: GnomeDesktop, answered: PicturePermission, tmp_path: Path
) -> None:
    """As in X11 sessions, but nothing of it was seen in pictures: where a window is and what it says are enough."""
    for permission in (answered, PicturePermission(tmp_path / "state" / "kairos")):
        permission.save("")  # else GNOME's window asks, and has the keyboard
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
