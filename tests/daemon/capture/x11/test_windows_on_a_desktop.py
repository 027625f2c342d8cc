"""What the window table learns of windows that hide, are embedded, faded or oddly named, on a real X server."""

from collections.abc import Callable, Iterator

import pytest
from Xlib import X, Xatom
from Xlib.ext import shape

from daemon.capture.backend import open_backend
from daemon.capture.scene import DesktopWindow, Scene, intersection
from daemon.capture.x11.desktop import X11Backend
from daemon.capture.x11.windows import WindowTable
from demo.virtual_desktop.desktop import VirtualDesktop
from demo.virtual_desktop.windows import poll
from storage.clock import SystemClock
from storage.records import Box
from tests.fakes.desktop.conformance import check_backend
from tests.fakes.desktop.painter import Painter, own_pid

pytestmark = pytest.mark.display

PLACE = Box(50, 60, 500, 400)


class Watcher:
    """A backend, and the newest state that it saw."""

    def __init__(self) -> None:
        self.backend, self.scene = X11Backend(SystemClock()), Scene(t_ns=0)
        self.look()  # windows are known from the first look on

    def look(self) -> Scene:
        self.backend.sync()
        for scene in self.backend.take_scenes():
            self.scene = scene
        return self.scene

    def window(self, client: int) -> DesktopWindow:
        scene = self.look()
        return next(window for window in (*scene.windows, *scene.hidden) if window.client == client)

    def until(self, check: Callable[[Scene], object], what: str) -> None:
        poll(lambda: bool(check(self.look())), what=what)


@pytest.fixture
def watcher(bare_desktop: VirtualDesktop) -> Iterator[Watcher]:
    with bare_desktop.entered():
        watching = Watcher()
        yield watching
        watching.backend.close()


def test_it_keeps_to_what_every_backend_keeps_to(bare_desktop: VirtualDesktop) -> None:
    with bare_desktop.entered():
        opened = open_backend(SystemClock())
        assert isinstance(opened, X11Backend)
        assert opened.capabilities.limited == {}
        check_backend(opened)


def test_titles_are_read_whole_and_in_latin_1(watcher: Watcher, painter: Painter) -> None:
    """The older property has the type STRING; a title is not cut before the fence has seen it."""
    one = painter.window("Calc", PLACE)
    one.change_property(Xatom.WM_NAME, Xatom.STRING, 8, "Gehälter".encode("latin-1"))
    painter.fill(one, 0)
    watcher.until(lambda _: watcher.window(one.id).title == "Gehälter", "reading a title")
    one.change_property(Xatom.WM_NAME, Xatom.STRING, 8, b"x" * 5000 + b" salary")
    painter.fill(one, 0)
    watcher.until(lambda _: watcher.window(one.id).title.endswith("x salary"), "reading a long title")
    assert watcher.window(one.id).readable
    one.change_property(Xatom.WM_NAME, Xatom.STRING, 8, b"x" * 70000)
    painter.fill(one, 0)
    watcher.until(lambda _: not watcher.window(one.id).readable, "giving up on a title")


def test_what_stands_for_a_program(watcher: Watcher, painter: Painter) -> None:
    """Role, leading windows and process."""
    one = painter.window("Mail", PLACE, pid=own_pid())
    intern = painter.display.intern_atom
    one.change_property(intern("WM_WINDOW_ROLE"), Xatom.STRING, 8, b"browser")
    one.change_property(intern("WM_CLIENT_LEADER"), Xatom.WINDOW, 32, [one.id + 1])
    one.set_wm_hints(flags=1 << 6, window_group=one.id + 2)
    painter.fill(one, 0)
    watcher.until(lambda _: len(watcher.window(one.id).leaders) == 2, "reading the leaders")  # above
    seen = watcher.window(one.id)
    assert seen.role == "browser"
    assert seen.leaders == {one.id + 1, one.id + 2}
    assert any(name.startswith("python") for name in seen.program)


def test_a_window_that_names_no_process_is_known_by_who_drew_it(watcher: Watcher, painter: Painter) -> None:
    """The display server says; an exclusion of the program's file holds for it. It counts as no process of its own."""
    one = painter.window("Toplevel", PLACE, pid=0)
    watcher.until(lambda _: watcher.window(one.id).program, "reading the process")
    seen = watcher.window(one.id)
    assert any(name.startswith("python") for name in seen.program)
    assert seen.pid == 0


@pytest.mark.parametrize("managed", [True, False], ids=["managed", "unmanaged"])
def test_a_window_put_into_another_is_seen_in_it(watcher: Watcher, painter: Painter, *, managed: bool) -> None:
    """It does not take the place of the window that holds it, and is on its own again when taken out."""
    host = painter.window("KeePassXC", PLACE, popup=not managed)
    guest = painter.window("Guest", Box(600, 60, 200, 200), popup=not managed)
    watcher.until(lambda _: watcher.window(guest.id), "seeing the guest")
    painter.embed(guest, host)
    watcher.until(lambda _: watcher.window(host.id).embedded, "seeing the guest in its host")
    seen = watcher.window(host.id)
    assert (seen.app, [part.app for part in seen.embedded]) == ("KeePassXC", ["Guest"])
    assert not any(window.client == guest.id for window in watcher.scene.windows)
    painter.destroy(guest)
    watcher.until(lambda _: not watcher.window(host.id).embedded, "seeing the guest go")
    assert watcher.window(host.id).app == "KeePassXC"


@pytest.mark.parametrize("managed", [True, False], ids=["managed", "unmanaged"])
def test_a_window_put_into_another_before_is_seen_in_it(
    bare_desktop: VirtualDesktop, painter: Painter, *, managed: bool
) -> None:
    """A window that was in another one when watching began is there as well; what has no class is a part of it."""
    host = painter.window("Host", PLACE, popup=not managed)
    guest = painter.window("KeePassXC", Box(600, 60, 200, 200), popup=not managed)
    part = painter.window(None, Box(600, 360, 200, 200), popup=True)
    painter.embed(guest, host)
    part.reparent(host, 300, 0)
    part.get_geometry()
    with bare_desktop.entered():
        watching = Watcher()
        seen = watching.window(host.id)
        assert (seen.app, [inside.app for inside in seen.embedded]) == ("Host", ["KeePassXC"])
        painter.destroy(guest)
        watching.until(lambda _: not watching.window(host.id).embedded, "seeing the guest go")
        watching.backend.close()


def test_a_hidden_window_is_still_described(watcher: Watcher, painter: Painter) -> None:
    """Its title may close what its program shows beside it, also when it changes while hidden."""
    one = painter.window("Calc", PLACE, title="Budget")
    one.unmap()
    painter.fill(one, 0)
    watcher.until(lambda scene: any(hidden.client == one.id for hidden in scene.hidden), "seeing it hidden")
    one.set_wm_name("Salary")
    painter.fill(one, 0)
    watcher.until(lambda _: watcher.window(one.id).title == "Salary", "reading its new title")


def test_a_compositor_that_starts_or_ends_later_is_noticed(watcher: Watcher, painter: Painter) -> None:
    """Without any window that appears, and without trust in what it draws."""
    painter.window("Editor", PLACE)
    assert not watcher.look().compositor
    other = painter.program("compositor")
    owner = other.screen().root.create_window(0, 0, 1, 1, 0, X.CopyFromParent)
    owner.set_selection_owner(other.intern_atom("_NET_WM_CM_S0"), X.CurrentTime)
    other.sync()
    watcher.until(lambda scene: scene.compositor, "noticing a compositor")
    assert not watcher.scene.draws_active_whole
    painter.window("Editor", PLACE)
    watcher.until(lambda scene: len(scene.windows) > 1, "seeing a window")
    assert not watcher.scene.redirected, "it has only announced itself"
    other.composite_query_version()
    other.screen().root.composite_redirect_subwindows(1)  # manual
    other.sync()
    painter.window("Editor", PLACE)
    watcher.until(lambda scene: scene.redirected, "noticing that it draws")
    owner.destroy()
    other.sync()
    watcher.until(lambda scene: not scene.compositor, "noticing its end")
    assert not watcher.scene.redirected


@pytest.mark.parametrize("on_frame", [True, False], ids=["frame", "client"])
def test_a_window_made_see_through_is_not_opaque(watcher: Watcher, painter: Painter, *, on_frame: bool) -> None:
    """The property counts on the program's window and on the frame around it."""
    one = painter.window("Editor", PLACE)
    seen = watcher.window(one.id)
    assert seen.opaque
    assert seen.xid != one.id
    target = painter.display.create_resource_object("window", seen.xid if on_frame else one.id)
    target.change_property(painter.display.intern_atom("_NET_WM_WINDOW_OPACITY"), Xatom.CARDINAL, 32, [0x80000000])
    painter.display.sync()
    watcher.until(lambda _: not watcher.window(one.id).opaque, "seeing that it is see-through")


def test_what_a_shape_leaves_of_a_window_hides_what_is_below(watcher: Watcher, painter: Painter) -> None:
    """As far as it is known for the size that the window has: its round corners hide nothing."""
    one = painter.window("Editor", PLACE, popup=True)
    box = watcher.window(one.id).box
    parts = [Box(0, 4, box.w, box.h - 4), Box(4, 0, box.w - 8, 4)]
    cut = [{"x": x, "y": y, "width": w, "height": h} for x, y, w, h in parts]
    one.shape_rectangles(shape.SO.Set, shape.SK.Bounding, X.Unsorted, 0, 0, cut)
    one.display.flush()
    watcher.until(lambda _: not watcher.window(one.id).opaque, "seeing that it has a shape")
    assert watcher.window(one.id).hiding == Box(box.x, box.y + 4, box.w, box.h - 4)
    one.configure(height=box.h + 50)
    one.display.flush()
    watcher.until(lambda _: watcher.window(one.id).box.h == box.h + 50, "seeing that it grew")
    assert watcher.window(one.id).hiding is None


@pytest.mark.parametrize(("thick", "outline"), [(6, True), (7, False)])
def test_a_window_of_an_edge_alone_is_an_outline(
    watcher: Watcher, painter: Painter, thick: int, *, outline: bool
) -> None:
    one = painter.window("Editor", PLACE, popup=True)
    box = watcher.window(one.id).box
    cut = [{"x": x, "y": 0, "width": thick, "height": box.h} for x in (0, box.w - thick)]
    cut += [{"x": 0, "y": y, "width": box.w, "height": thick} for y in (0, box.h - thick)]
    one.shape_rectangles(shape.SO.Set, shape.SK.Bounding, X.Unsorted, 0, 0, cut)
    one.display.flush()
    watcher.until(lambda _: not watcher.window(one.id).opaque, "seeing that it has a shape")
    assert watcher.window(one.id).outline is outline


def test_a_frame_stays_what_it_was_until_it_goes(bare_desktop: VirtualDesktop, painter: Painter) -> None:
    """A window that is closed goes before its frame; in between nothing nameless is on the screen."""
    one = painter.window("Editor", PLACE)
    with bare_desktop.entered():
        watching = Watcher()
        watching.look()
        painter.destroy(one)
        seen: list[Scene] = []

        def gone() -> bool:
            watching.backend.sync()
            seen.extend(watching.backend.take_scenes())
            return bool(seen) and not seen[-1].windows

        poll(gone, what="seeing it go")
        watching.backend.close()
    assert {window.app for scene in seen for window in scene.windows} <= {"Editor"}


def _painted_inside(watcher: Watcher) -> list[tuple[int, Box]]:
    watcher.backend.sync()
    return [item for scene in watcher.backend.take_scenes() for item in scene.painted_inside]


def test_what_a_window_paints_is_told_from_what_it_shows(watcher: Watcher, painter: Painter) -> None:
    """What is there when reports begin, the server's copies and what is hidden by other windows is no painting."""
    one = painter.window("Calc", PLACE, colour=None, popup=True)
    painter.fill(one, 1)
    inside, part = frozenset({one.id}), Box(5, 6, 70, 80)
    watcher.look()
    watcher.backend.watch_painting(on=False, inside=inside)
    assert _painted_inside(watcher) == []
    painter.fill(one, 2, part)
    assert _painted_inside(watcher) == [(one.id, part)]
    one.configure(stack_mode=X.Below)
    painter.fill(one, 3, part)
    assert _painted_inside(watcher) == [(one.id, part)]
    one.configure(x=PLACE.x + 40, border_width=3)
    painter.fill(one, 3)
    assert _painted_inside(watcher) == []  # it came with the copies
    painter.fill(one, 4, part)
    assert _painted_inside(watcher) == [(one.id, part._replace(x=8, y=9))]
    above = painter.window("Notes", Box(0, 0, 800, 600), popup=True)
    for wanted in (frozenset[int](), inside):
        watcher.backend.watch_painting(on=False, inside=wanted)
    painter.fill(one, 5)
    assert _painted_inside(watcher) == []
    painter.destroy(above)
    painter.program("Notes").sync()
    painter.fill(one, 6, part)
    *border, painted = _painted_inside(watcher)  # the server painted what was exposed of the border
    assert painted == (one.id, part._replace(x=8, y=9))
    assert border
    assert not any(intersection(box, Box(3, 3, PLACE.w, PLACE.h)) for _, box in border)
    watcher.backend.watch_painting(on=False)
    painter.fill(one, 7)
    assert _painted_inside(watcher) == []


def test_states_from_before_a_compositor_began_are_told_from_later_ones(watcher: Watcher, painter: Painter) -> None:
    """Events that were on their way when it was found to draw may be older than that; the next one is not."""
    one = painter.window("Calc", PLACE, popup=True)
    watcher.backend.watch_painting(on=True)
    owner = painter.root.create_window(0, 0, 1, 1, 0, X.CopyFromParent)
    owner.set_selection_owner(painter.display.intern_atom("_NET_WM_CM_S0"), X.CurrentTime)
    painter.display.sync()
    watcher.until(lambda scene: scene.compositor and not scene.redirected, "an announced compositor")
    for x in (60, 70):
        one.configure(x=x)
        one.get_geometry()
    painter.fill(one, 1)
    painter.display.composite_query_version()
    painter.root.composite_redirect_subwindows(1)
    painter.display.sync()
    flags: dict[int, tuple[bool, bool]] = {}
    painted: list[Box] = []
    for x in (70, 80):
        one.configure(x=x)
        one.get_geometry()
        watcher.backend.sync()
        for scene in watcher.backend.take_scenes():
            place = next(window.box.x for window in scene.windows if window.client == one.id)
            flags.setdefault(place, (scene.redirected, scene.was_redirected_later))  # what else happens adds states
            painted += scene.painted
    assert flags == {60: (True, True), 70: (True, True), 80: (True, False)}
    assert not painted, "a program painted on the screen, and no compositor"


def burst(painter: Painter, count: int) -> None:
    """Open and close windows that all have one number, as python-xlib gives them, in two places and in turns."""
    root = painter.root
    for at in range(count):
        passing = root.create_window(10 + at // (count // 2), 20, 30, 40, 0, X.CopyFromParent, override_redirect=True)
        passing.map()
        passing.destroy()
    painter.display.sync()


@pytest.mark.parametrize("asks", [False, True])
def test_windows_that_have_gone_again_are_not_asked_about_and_were_all_on_the_screen(
    watcher: Watcher, painter: Painter, monkeypatch: pytest.MonkeyPatch, asks: bool
) -> None:
    """A query for each is what capture fell behind with (the control); of what lay below nothing counts as hidden."""
    if asks:
        monkeypatch.setattr(WindowTable, "expect", lambda _, events: list(events))
    below = painter.window("KeePassXC", Box(10, 20, 30, 40), popup=True)
    watcher.until(lambda scene: below.id in {window.client for window in scene.windows}, "a window")
    wire = watcher.backend._wire
    asked = wire.request_serial
    burst(painter, 400)
    after = painter.window("Calc", PLACE, popup=True)
    watcher.backend.sync()
    while watcher.backend.has_unread():
        watcher.backend.sync()
    scenes = watcher.backend.take_scenes()
    seen = [window for scene in scenes for window in scene.windows if window.client not in (below.id, after.id)]
    assert {window.box for window in seen} == {Box(10, 20, 30, 40), Box(11, 20, 30, 40)}
    assert [window.client for window in scenes[-1].windows] == [below.id, after.id]
    assert scenes[-1].windows[-1].app == "Calc"
    asked = wire.request_serial - asked
    assert (asked > 400, len(scenes) > 400, any(window.hiding for window in seen)) == (asks,) * 3, (asked, len(scenes))
