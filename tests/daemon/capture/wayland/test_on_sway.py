"""Real windows of a real compositor: what is taken of them, what never is, and what costs nothing."""

import os
import random
import socket
from collections.abc import Iterator
from contextlib import ExitStack, closing, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from Xlib import Xatom

from daemon.capture.backend import CaptureBackend, open_backend
from daemon.capture.diff import Pixels
from daemon.capture.wayland.desktop import WaylandBackend
from daemon.capture.wayland.screencopy import ScreencopyFrames
from daemon.capture.wayland.sway import SwayWindows
from demo.virtual_desktop.hands import ScriptLog
from demo.virtual_desktop.input_devices import CLICK, KEYBOARD, MOUSE, input_devices, tapped
from demo.virtual_desktop.sway import SwayDesktop
from demo.virtual_desktop.sway_hands import SIZE, SwayHands
from demo.virtual_desktop.windows import open_display, poll
from storage.clock import NS_PER_S, SystemClock
from storage.ports import OwnPlaces
from storage.records import (
    Box,
    DesktopSenses,
    EventKind,
    Focus,
    Frame,
    InputEvent,
    KeyClass,
    Problem,
    Switch,
    SwitchName,
    WindowEvent,
)
from storage.settings import CaptureSettings, FenceSettings, Settings
from storage.wayland import WaylandConnection
from tests.fakes.desktop.conformance import check_backend
from tests.fakes.desktop.painter import RunningCapture, capturing, running

pytestmark = [pytest.mark.display]

MAGENTA, GREEN = 0xFF00FF, 0x00C000
SETTINGS = Settings(capture=CaptureSettings(active_fps=10.0, passive_fps=10.0))
ROUNDS = 8
TYPED = {KeyClass.CHARACTER, KeyClass.BACKSPACE}
CLOCK = SystemClock()
EDIT = (60, 14)
EDIT_FOR_HANDS = (EDIT[0] * SIZE[0] // 640, EDIT[1] * SIZE[1] // 480)


@pytest.fixture(scope="module")
def sway() -> Iterator[SwayDesktop]:
    with SwayDesktop((640, 480), config="for_window [app_id=KeePassXC] floating enable") as desktop:
        desktop.turn_accessibility_on()
        yield desktop


@pytest.fixture
def backend(sway: SwayDesktop) -> Iterator[WaylandBackend]:
    with sway.entered():
        opened: CaptureBackend = open_backend(SystemClock())
        assert isinstance(opened, WaylandBackend)
        yield opened
        opened.close()


class Terminal:
    """A terminal filled with one colour, as the program of any name."""

    def __init__(self, sway: SwayDesktop, app: str, colour: int) -> None:
        self._sway = sway
        argv = ["foot", "-a", app, "-o", f"colors.background={colour:06x}", "-o", "pad=0x0", "sh", "-c", "cat"]
        self._process = sway.spawn(argv, "foot")
        self.number: int = sway.wait_for(app)["id"]

    def close(self) -> None:
        self._sway.stop(self._process)
        poll(lambda: all(view["id"] != self.number for view in self._sway.views()), what="closing a terminal")


def test_what_the_compositor_offers_decides(sway: SwayDesktop, backend: WaylandBackend) -> None:
    """Sway with its socket has pixels and windows, whatever the environment says of it; input is what is missing."""
    assert backend.capabilities.desktop == "sway"
    assert [monitor.box[2:] for monitor in backend.monitors()] == [(640, 480)]
    assert backend.capabilities.levels.keys() == {
        *("popups", "keys", "clicks", "scrolls", "pointer", "tray", "shortcuts", "offers")
    }
    assert sway.env["DISPLAY"]


@pytest.mark.parametrize("has_list", [True, False])
def test_it_keeps_to_what_every_backend_keeps_to(
    sway: SwayDesktop, monkeypatch: pytest.MonkeyPatch, *, has_list: bool
) -> None:
    if not has_list:
        monkeypatch.setitem(sway.env, "SWAYSOCK", "/nowhere")
    with sway.entered():
        opened = open_backend(CLOCK)
    assert (opened.capabilities.desktop == "sway") is has_list
    check_backend(opened)


@pytest.mark.parametrize("variable", ["SWAYSOCK", "XDG_SESSION_TYPE"])
def test_a_variable_alone_decides_nothing(sway: SwayDesktop, monkeypatch: pytest.MonkeyPatch, variable: str) -> None:
    """Without the list of windows there are no pixels; a session that is said to be X11 is Wayland all the same."""
    with sway.entered():
        monkeypatch.setenv(variable, "/nowhere" if variable == "SWAYSOCK" else "x11")
        opened = open_backend(SystemClock())
    assert isinstance(opened, WaylandBackend)
    assert (opened.monitors() == ()) is (variable == "SWAYSOCK")
    assert ("SWAYSOCK" in opened.capabilities.frames.remedy) is (variable == "SWAYSOCK")
    opened.close()


def test_a_still_screen_costs_no_copy(sway: SwayDesktop, backend: WaylandBackend) -> None:
    """Nor does a screen that changes while nobody takes what was painted, or while it is hidden."""
    frames = backend._frames
    assert isinstance(frames, ScreencopyFrames)
    backend.follow_damage(on=True)
    backend.take_damage()
    settle(backend)
    backend.take_damage()
    settle(backend)
    copies = frames.copies
    settle(backend)
    assert (frames.copies, backend.damaged) == (copies, False)
    terminal = Terminal(sway, "notes", GREEN)
    poll(lambda: is_damaged(backend), what="damage")
    sway.type("words")
    settle(backend)
    assert frames.copies == copies
    (monitor,) = backend.monitors()
    backend.follow_damage(on=True, hidden=(monitor.box,))
    backend.take_damage()
    sway.type("words")
    settle(backend)
    assert (frames.copies, backend.damaged) == (copies, False)
    terminal.close()


def test_painting_is_told_where_it_happens(sway: SwayDesktop, backend: WaylandBackend) -> None:
    """A letter is a line high at most, and its pixels are there when they are asked for."""
    terminal = Terminal(sway, "notes", GREEN)
    backend.follow_damage(on=True)
    before = quiet(backend)
    sway.type("x")
    poll(lambda: is_damaged(backend), what="damage")
    painted = backend.take_damage()
    assert all(0 < box.h < 60 for box in painted)  # a line of a terminal
    (monitor,) = backend.monitors()
    now = backend.grab(monitor.box)
    changed = (now != before).any(axis=2).nonzero()
    assert painted[0].y <= changed[0].min() <= changed[0].max() < painted[0].y + painted[0].h
    assert (now[200, 300, :3] == (GREEN & 255, GREEN >> 8 & 255, GREEN >> 16)).all()
    terminal.close()


def test_a_screen_that_is_turned_or_mirrored_is_read_as_it_is_seen(sway: SwayDesktop, backend: WaylandBackend) -> None:
    """And again once it is turned back: what is on the left, and above, is that in the picture."""
    colours = (GREEN, MAGENTA, 0x0000FF)
    terminals = [Terminal(sway, "notes", GREEN)]
    sway.command("splith")
    terminals.append(Terminal(sway, "other", MAGENTA))
    sway.command("splitv")
    terminals.append(Terminal(sway, "third", 0x0000FF))
    for turned in ("90", "180", "270", "flipped", "flipped-90", "flipped-180", "flipped-270", "normal"):
        sway.command(f"output HEADLESS-1 transform {turned}")
        poll(lambda: painted(backend) == colours, what=f"a screen that is {turned}")
        seen = quiet(backend)
        height, width = seen.shape[:2]
        assert (width < height) is turned.endswith(("90", "270"))
        assert (backend.grab(Box(5, height - 9, 3, 4)) == seen[height - 9 : height - 5, 5:8]).all()
    for terminal in terminals:
        terminal.close()


@pytest.mark.parametrize(("app", "is_kept"), [("KeePassXC", False), ("harmless", True)])
def test_no_pixel_of_an_excluded_window_is_kept(sway: SwayDesktop, app: str, *, is_kept: bool) -> None:
    """It opens, moves, is typed into, stands behind a tab and closes; another one is kept (the control)."""
    notes = Terminal(sway, "notes", GREEN)
    with capturing(sway, SETTINGS) as capture:
        capture.frame_after(0)
        for at in range(ROUNDS if not is_kept else 1):
            frames = len(capture.of(Frame))
            other = Terminal(sway, app, MAGENTA)
            sway.command(f"[app_id={app}] floating enable, move position {40 * at} {20 * at}")
            sway.type("abc")
            sway.command(f"[app_id={app}] floating disable, layout tabbed")
            sway.command("[app_id=notes] focus")
            sway.type("abc")
            if is_kept:
                sway.command(f"[app_id={app}] focus")
                capture.until(lambda: capture.shows(MAGENTA), "the other window")
            other.close()
            sway.type("abc")
            capture.frame_after(frames)
            capture.until(lambda: not capture.observer._fence.zones.hidden, "opening the screen")
        capture.until(lambda: capture.shows(GREEN), "the harmless window")
    notes.close()
    assert bool(capture.shows(MAGENTA)) is is_kept
    excluded = [switch.on for switch in capture.of(Switch) if switch.name is SwitchName.EXCLUDED]
    assert any(excluded) is not is_kept
    assert {focus.app for focus in capture.of(Focus)} <= {"", "notes", *([app] if is_kept else [])}


def test_of_a_monitor_that_is_turned_off_nothing_is_copied(backend: WaylandBackend) -> None:
    """It shows nothing and ends no connection; once it is on again all of it counts as painted (the control)."""
    frames = backend._frames
    assert isinstance(frames, ScreencopyFrames)
    (monitor,) = backend.monitors()
    backend.take_damage()
    copies = frames.copies
    frames.note_dark(frozenset({monitor.box}))
    frames.watch(())
    assert (frames.take_damage(), bool(frames.grab(monitor.box).any()), frames.copies) == (
        (monitor.box,),
        False,
        copies,
    )
    frames.note_dark(frozenset())
    assert frames.damaged
    frames.watch(())
    assert frames.take_damage()[-1] == monitor.box
    assert frames.grab(monitor.box).any()


def test_where_somebody_is_at_work_is_told_and_what_is_missing_stands_in_the_session(sway: SwayDesktop) -> None:
    with capturing(sway, SETTINGS, pictures=False) as capture:
        capture.until(lambda: kinds(capture)[-1:] == [EventKind.IDLE], "being idle")
        sway.type("a")
        capture.until(lambda: kinds(capture)[-2:] == [EventKind.ACTIVE, EventKind.IDLE], "being active, and idle again")
    (senses,) = capture.of(DesktopSenses)
    assert (senses.desktop, senses.levels["pointer"], "frames" in senses.levels) == ("sway", "none", False)
    assert capture.keys() == 0


@pytest.fixture
def hands(sway: SwayDesktop, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[SwayHands]:
    """Yield hands whose keys and buttons the service for input tells."""
    with ExitStack() as stack:
        devices = stack.enter_context(input_devices(tmp_path / "input"))
        monkeypatch.setattr("daemon.capture.wayland.input_service.SOCKET", devices.socket)
        log = stack.enter_context(closing(ScriptLog(tmp_path / "script.jsonl", CLOCK)))
        yield stack.enter_context(closing(SwayHands(sway.env, devices, log, random.Random(1), CLOCK)))


def test_a_pointer_that_stands_in_the_list_of_windows_is_followed_and_is_where_clicks_are(
    sway: SwayDesktop, hands: SwayHands, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As GNOME and KWin tell it: moves while somebody is active, a click where the pointer is when it comes."""
    at = [100, 80]
    monkeypatch.setattr(SwayWindows, "pointer", property(lambda _: tuple(at), lambda *_: None), raising=False)
    terminal = Terminal(sway, "notes", GREEN)
    with running(RunningCapture(SETTINGS), sway) as capture:
        hands.move(*SIZE)
        capture.until(lambda: (100, 80) in moves(capture), "the pointer")
        at[:] = 300, 200
        hands.click(0, 0)
        capture.until(lambda: clicks(capture), "the click")
    terminal.close()
    assert {(click.x, click.y) for click in clicks(capture)} == {(300, 200)}


def moves(capture: RunningCapture) -> list[tuple[int | None, int | None]]:
    return [(event.x, event.y) for event in capture.of(InputEvent) if event.kind is EventKind.MOTION]


def test_with_the_input_service_keys_have_classes_and_clicks_no_place(
    sway: SwayDesktop, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with input_devices(tmp_path) as devices:
        devices.plug("event0", KEYBOARD)
        devices.plug("event1", MOUSE)
        monkeypatch.setattr("daemon.capture.wayland.input_service.SOCKET", devices.socket)

        def is_undone() -> bool:
            devices.send("event1", *CLICK)
            devices.send("event0", *tapped("a"), *tapped("ctrl", "z"))
            return KeyClass.UNDO in classes(capture)

        terminal = Terminal(sway, "notes", GREEN)
        with running(RunningCapture(SETTINGS), sway) as capture:
            capture.until(is_undone, "a key of the service")
        terminal.close()
        levels = capture.of(DesktopSenses)[0].levels
    assert ("keys" in levels, levels["clicks"], levels["pointer"]) == (False, "part", "none")
    assert classes(capture) == {KeyClass.CHARACTER, KeyClass.MODIFIER, KeyClass.UNDO}
    assert {(click.x, click.y) for click in clicks(capture)} == {(None, None)}


def test_a_window_of_ours_over_xwayland_is_known_though_no_list_has_it(sway: SwayDesktop) -> None:
    """A card is placed past the window manager, so sway does not know it: its place comes from XWayland."""
    with sway.entered():
        opened = open_backend(SystemClock())
    card = sway.display.screen().root.create_window(100, 80, 200, 60, 0, 24, override_redirect=True, background_pixel=1)
    card.set_wm_class("kairos", "kairos")
    card.map()
    sway.display.sync()
    opened.sync()
    found = [window for window in opened.take_scenes()[-1].windows if window.app == "kairos"]
    assert [(window.popup, window.box[:2], window.box[2:]) for window in found] == [(True, (100, 80), (200, 60))]
    card.destroy()
    sway.display.sync()
    opened.sync()
    assert all(window.app != "kairos" for window in opened.take_scenes()[-1].windows)
    opened.close()


def test_a_click_on_a_window_of_ours_counts_nowhere(sway: SwayDesktop, hands: SwayHands) -> None:
    """XWayland tells where the pointer is while it is over a card; over a native window nobody does."""
    terminal = Terminal(sway, "notes", GREEN)
    with closing(open_display(sway.env)) as display, running(RunningCapture(SETTINGS), sway) as capture:
        root = display.screen().root
        card = root.create_window(100, 80, 200, 60, 0, 24, override_redirect=True, background_pixel=1)
        card.set_wm_class("kairos", "kairos")
        card.change_property(display.intern_atom("_NET_WM_PID"), Xatom.CARDINAL, 32, [os.getpid()])
        card.map()
        display.sync()
        capture.until(lambda: capture.observer._fence.zones.own, "the card")
        for x, y in ((150, 100), (400, 400)):
            hands.move(x * SIZE[0] // 640, y * SIZE[1] // 480)
            hands.wait(0.5)  # buttons take a shorter way than the pointer
            hands.click(x * SIZE[0] // 640, y * SIZE[1] // 480)
        capture.until(lambda: len(clicks(capture)) == 2, "both clicks")
    terminal.close()
    assert [(click.x is not None, click.own) for click in clicks(capture)] == [(True, True), (False, False)]


class LayerCard:
    """A window above all others that no list has, as the interface shows cards."""

    def __init__(self, sway: SwayDesktop, box: Box, colour: int) -> None:
        self._connection = connection = WaylandConnection(sway.env, CLOCK)
        names = ("wl_compositor", "wl_shm", "zwlr_layer_shell_v1")
        compositor, shm, shell = (connection.bind(connection.offers(name)[0], 1) for name in names)
        surface = connection.create({})
        connection.request(compositor, 0, surface)
        layer = connection.create({0: ("uuu", lambda serial, *_: connection.request(layer, 6, serial))})
        connection.request(shell, 0, layer, surface, 0, 3, "card")
        for opcode, arguments in ((0, box[2:]), (1, [5]), (2, [-1]), (3, [box.y, 0, 0, box.x])):
            connection.request(layer, opcode, *arguments)
        connection.request(surface, 6)
        connection.round_trip()
        file = os.memfd_create("card")
        os.write(file, colour.to_bytes(4, "little") * (box.w * box.h))
        buffer = connection.buffer(shm, file, (1, box.w, box.h, 4 * box.w))
        os.close(file)
        connection.request(surface, 1, buffer, 0, 0)
        connection.request(surface, 6)
        connection.round_trip()

    def close(self) -> None:
        self._connection.close()


@pytest.mark.parametrize("is_told", [True, False])
def test_no_pixel_of_a_window_of_ours_on_a_layer_is_kept_and_no_click_on_it_counts(
    sway: SwayDesktop, hands: SwayHands, monkeypatch: pytest.MonkeyPatch, *, is_told: bool
) -> None:
    """No list has it, so the interface tells where it is; one that is not told is taken for work (the control)."""
    own, box = OwnPlaces({}), Box(380, 300, 200, 120)
    monkeypatch.setattr("daemon.capture.wayland.desktop.OWN_PLACES", own)
    notes = Terminal(sway, "notes", GREEN)
    with closing(WaylandConnection(sway.env, CLOCK)) as connection, capturing(sway, SETTINGS) as capture:
        screen = ScreencopyFrames(connection)
        screen.follow_outputs()
        capture.frame_after(0)
        own.boxes = {1: box} if is_told else {}
        card = LayerCard(sway, box, MAGENTA)
        poll(lambda: screen.grab(Box(570, 305, 1, 1))[0, 0, :3].tolist() == [255, 0, 255], what="a card on the screen")
        frames = len(capture.of(Frame))
        sway.type("abc")
        capture.frame_after(frames)
        for count, place in enumerate([(450, 350), None], 1):
            own.pointer = place if is_told else None
            hands.click(450 * SIZE[0] // 640, 350 * SIZE[1] // 480)
            capture.until(partial(has_clicks, capture, count), "a click")
        if not is_told:
            capture.until(lambda: capture.shows(MAGENTA), "the window")
        card.close()
        own.boxes = {}
        frames = len(capture.of(Frame))
        sway.type("abc")
        capture.frame_after(frames)
    notes.close()
    assert bool(capture.shows(MAGENTA)) is not is_told
    assert [(click.x is not None, click.own) for click in clicks(capture)] == [(is_told, is_told), (False, False)]


@pytest.mark.parametrize("agreed", [False, True])
def test_without_a_window_list_programs_say_what_they_have(
    sway: SwayDesktop, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, *, agreed: bool
) -> None:
    """Windows, titles and typing come by the accessibility bus, and no pictures; without the choice nothing does."""
    monkeypatch.setitem(sway.env, "SWAYSOCK", "/nowhere")
    editor = sway.spawn(["mousepad"], "mousepad", env={"XDG_CONFIG_HOME": str(tmp_path)})
    with running(RunningCapture(SETTINGS, controls=agreed), sway) as capture:
        capture.until(lambda: kinds(capture), "presence")
        if agreed:
            capture.until(lambda: [f.title for f in capture.of(Focus)][-1:] == ["Untitled 1 - Mousepad"], "a title")
            capture.until(lambda: classes_after_typing(sway, capture) == TYPED, "typing", 60)
    sway.stop(editor)
    assert bool([focus for focus in capture.of(Focus) if focus.app]) is agreed
    assert (capture.of(Frame), capture.pictures) == ([], [])
    assert capture.of(DesktopSenses)[0].levels["frames"] == "none"
    assert classes(capture) == (TYPED if agreed else set())


def test_a_program_that_is_excluded_is_not_even_asked_for_its_title(
    sway: SwayDesktop, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its name is enough; the same program is asked where it is not excluded (the test before)."""
    monkeypatch.setitem(sway.env, "SWAYSOCK", "/nowhere")
    editor = sway.spawn(["mousepad"], "mousepad")
    settings = replace(SETTINGS, fence=FenceSettings(excluded_apps=("mousepad",)))
    with running(RunningCapture(settings, controls=True), sway) as capture:
        capture.until(lambda: titles_known(capture) == {""} and kinds(capture), "the window, and nobody at work")
        sway.type("ab")
        capture.until(lambda: kinds(capture)[-2:] == [EventKind.ACTIVE, EventKind.IDLE], "being active, and idle again")
    sway.stop(editor)
    assert capture.characters() == 0
    assert {focus.app for focus in capture.of(Focus)} <= {""}


def test_a_list_that_ends_in_the_middle_ends_the_pictures(sway: SwayDesktop, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its socket breaks while the screen goes on changing; what is told from then on is that there are no pictures."""
    busy = sway.spawn(["foot", "-a", "notes", "sh", "-c", "while :; do date +%N; sleep 0.1; done"], "foot")
    with running(RunningCapture(SETTINGS), sway) as capture:
        capture.frame_after(3)
        backend = capture.observer._backend
        assert isinstance(backend, WaylandBackend)
        assert isinstance(backend._windows, SwayWindows)
        monkeypatch.setenv("SWAYSOCK", "/nowhere")
        listed_ns = CLOCK.now_ns()
        with suppress(OSError):  # the end of the first may already have closed the second
            for connection in (backend._windows._events, backend._windows._queries):
                connection.shutdown(socket.SHUT_RDWR)
        capture.until(lambda: [p.over for p in capture.of(Problem)] == [False, True], "going on without")
        CLOCK.sleep_s(1.0)
        assert not capture.observer.has_frames
    sway.stop(busy)
    assert all(frame.t_ns < listed_ns + NS_PER_S for frame in capture.of(Frame))
    assert [senses.levels.get("frames", "full") for senses in capture.of(DesktopSenses)] == ["full", "none"]


def test_menus_of_programs_that_tell_of_them_are_known_though_no_list_has_them(
    sway: SwayDesktop, hands: SwayHands, tmp_path: Path
) -> None:
    """By the items that appear in one: where it is, a submenu too, and that it is gone; without the choice none is."""
    own = {"XDG_CONFIG_HOME": str(tmp_path / "config")}  # one that was ended may ask what to open again
    editor = sway.spawn(["mousepad"], "mousepad", env=own)
    with running(RunningCapture(SETTINGS, controls=True), sway) as capture:
        capture.until(lambda: [focus.app for focus in capture.of(Focus)][-1:] == ["mousepad"], "the editor")
        poll(lambda: opens_menu(hands, capture), what="a menu")
        (menu,) = [event.geometry for event in capture.of(WindowEvent) if event.popup and not event.gone][-1:]
        hands.chord("Escape")
        capture.until(lambda: [e.gone for e in capture.of(WindowEvent) if e.popup][-1:] == [True], "its end")
    sway.stop(editor)
    assert abs(menu.x - EDIT[0]) < 60
    assert 10 < menu.y - EDIT[1] < 90, "items that are grey may not be told"
    assert menu.w > 150
    assert menu.h > 200


def opens_menu(hands: SwayHands, capture: RunningCapture) -> bool:
    """Click on the title of a menu, which a program that is just starting may miss; return whether it is there."""
    hands.chord("Escape")
    hands.click(*EDIT_FOR_HANDS)
    hands.wait(1.0)
    return any(event.popup for event in capture.of(WindowEvent))


def clicks(capture: RunningCapture) -> list[InputEvent]:
    return [event for event in capture.of(InputEvent) if event.kind is EventKind.BUTTON_DOWN]


def has_clicks(capture: RunningCapture, count: int) -> bool:
    return len(clicks(capture)) == count


def classes(capture: RunningCapture) -> set[KeyClass]:
    return {event.key_class for event in capture.of(InputEvent) if event.key_class is not None}


def classes_after_typing(sway: SwayDesktop, capture: RunningCapture) -> set[KeyClass]:
    sway.type("ab", "-k", "BackSpace")
    return classes(capture)


def titles_known(capture: RunningCapture) -> set[str]:
    """Return the titles of the windows that the fence knows."""
    return {window.title for window in capture.observer._fence.scene.windows}


def kinds(capture: RunningCapture) -> list[EventKind]:
    return [event.kind for event in capture.of(InputEvent) if event.kind in (EventKind.ACTIVE, EventKind.IDLE)]


def settle(backend: CaptureBackend) -> None:
    """Let a few frames of the compositor pass, and read what came of them."""
    for _ in range(4):
        CLOCK.sleep_s(0.05)
        backend.read()


def painted(backend: CaptureBackend) -> tuple[int, ...]:
    """Return the colours on the left, and on the right above and below."""
    seen = quiet(backend)
    height, width = seen.shape[:2]
    places = ((height // 2, width // 4), (height // 4, width * 3 // 4), (height * 3 // 4, width * 3 // 4))
    return tuple(int.from_bytes(seen[place][2::-1].tobytes()) for place in places)


def is_damaged(backend: CaptureBackend) -> bool:
    settle(backend)
    return backend.damaged


def quiet(backend: CaptureBackend) -> Pixels:
    """Return the picture of the screen once nothing more is painted."""
    while True:
        backend.take_damage()
        settle(backend)
        if not backend.damaged:
            return backend.grab(backend.monitors()[0].box).copy()
