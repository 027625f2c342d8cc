"""What closed windows leave on the screen, against a small display server that knows whose pixels are where."""

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from daemon.capture.fence.rules import LINGER_NS, Fence, Zones
from daemon.capture.fence.stale import DRAWN_NS, MAX_PIECES, MOVED_NS
from daemon.capture.scene import DesktopWindow, Scene, contains, intersection, remainder
from storage.clock import NS_PER_S
from storage.records import Box
from storage.settings import FenceSettings
from tests.fakes.desktop.windows import BIG, LEFT, OWN_PID, RIGHT, fence_over, look, scene, window

SCREEN = Box(0, 0, 24, 24)
VAULT = 1
EDITOR = window(2, "editor", BIG)
SECRET = window(VAULT, "KeePassXC", LEFT)
BEGUN = {"compositor": True, "redirected": True}
"""A compositor that draws."""


@dataclass
class Server:
    """Windows with pixels, bottom first; those in `hung` neither have a background nor paint what is exposed."""

    hung: frozenset[int]
    fence: Fence = field(default_factory=lambda: Fence(FenceSettings(), OWN_PID))
    windows: list[DesktopWindow] = field(default_factory=list)
    now_ns: int = NS_PER_S
    reported: list[Box] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.pixels = np.zeros((SCREEN.h, SCREEN.w), np.int64)

    def visible(self, client: int, box: Box | None = None) -> list[Box]:
        number = next(number for number, one in enumerate(self.windows) if one.client == client)
        whole = intersection(box or self.windows[number].box, SCREEN)
        return remainder(whole, [window.box for window in self.windows[number + 1 :]]) if whole is not None else []

    def paint(self, client: int, parts: list[Box], *, reported: list[Box] | None = None) -> None:
        for part in parts:
            self.pixels[part.y : part.y + part.h, part.x : part.x + part.w] = client
        self.reported += parts if reported is None else reported

    def change(self, windows: list[DesktopWindow], moved: int = 0) -> None:
        """Change the windows as a server does: report the change, copy what moved, then paint what is exposed."""
        before = {item.client: (item.box, self.visible(item.client)) for item in self.windows}
        old = self.pixels.copy()
        self.windows = windows
        self.fence.update(
            [Scene(t_ns=self.now_ns, windows=tuple(windows), screen=SCREEN, painted=tuple(self.reported))], self.now_ns
        )
        self.reported = []
        if moved:
            box, parts = before[moved]
            place = next(entry.box for entry in windows if entry.client == moved)
            right, down = place.x - box.x, place.y - box.y
            there = self.visible(moved)
            for part in parts:
                arrived = part._replace(x=part.x + right, y=part.y + down)
                for seen in there:
                    shared = intersection(arrived, seen)
                    if shared is not None:
                        x, y, width, height = shared
                        self.pixels[y : y + height, x : x + width] = old[
                            y - down : y - down + height, x - right : x - right + width
                        ]
                whole = intersection(arrived, SCREEN)
                self.reported += [whole] if whole is not None else []
        for top in windows:
            shown = before.get(top.client, (top.box, []))[1] if top.client != moved else None
            if top.client not in self.hung and shown is not None:
                self.paint(top.client, [p for part in self.visible(top.client) for p in remainder(part, shown)])

    def look(self, after_ns: int) -> Zones:
        self.now_ns += after_ns
        newest = Scene(t_ns=self.now_ns, windows=tuple(self.windows), screen=SCREEN)
        painted, self.reported = tuple(self.reported), []
        self.fence.update([replace(newest, painted=painted, repeats=True)], self.now_ns)
        return self.fence.zones

    def open_secrets(self) -> list[tuple[int, int]]:
        places = ((int(x), int(y)) for y, x in np.argwhere(self.pixels == VAULT))
        return [place for place in places if not contains(self.fence.zones.hidden, *place)]


_boxes = st.builds(Box, st.integers(-4, 20), st.integers(-4, 20), st.integers(4, 14), st.integers(4, 14))
_actions = st.lists(
    st.tuples(st.sampled_from(["move", "resize", "raise", "lower", "toggle", "paint"]), st.integers(1, 4), _boxes),
    min_size=1,
    max_size=10,
)


def _play(server: Server, actions: list[tuple[str, int, Box]]) -> bool:
    """Do things to windows; return whether every place that shows the excluded one was covered all the time."""
    boxes = {client: Box(2 * client, 3 * client, 10, 9) for client in range(1, 5)}
    closed = True
    for what, client, box in actions:
        one = next((entry for entry in server.windows if entry.client == client), None)
        others = [item for item in server.windows if item.client != client]
        if what == "toggle" or one is None:
            app = "KeePassXC" if client == VAULT else "editor"
            server.change(others if one is not None else [*others, window(client, app, boxes[client])])
            server.paint(client, server.visible(client) if one is None else [])
        elif what in ("move", "resize"):
            place = box if what == "resize" else Box(box.x, box.y, one.box.w, one.box.h)
            boxes[client] = place
            places = [replace(other, box=place) if other is one else other for other in server.windows]
            server.change(places, moved=client if place[:2] != one.box[:2] else 0)
        elif what in ("raise", "lower"):
            server.change([*others, one] if what == "raise" else [one, *others])
        else:
            seen = [part for whole in server.visible(client) if (part := intersection(whole, box)) is not None]
            server.paint(client, seen)
        server.look(MOVED_NS // 4)
        server.look(LINGER_NS)
        closed &= not server.open_secrets()
    return closed


@settings(max_examples=60)
@given(_actions, st.frozensets(st.integers(2, 4)))
def test_no_place_opens_while_it_shows_an_excluded_window(
    actions: list[tuple[str, int, Box]], hung: frozenset[int]
) -> None:
    """Whatever moves over what; and when everything was painted, everything but the window itself is open."""
    server = Server(hung)
    assert _play(server, actions)
    server.change([item for item in server.windows if item.client != VAULT])
    server.look(NS_PER_S)
    for top in server.windows:
        server.paint(top.client, server.visible(top.client))
    server.paint(0, remainder(SCREEN, [entry.box for entry in server.windows]))
    server.look(NS_PER_S)
    assert not server.fence.zones.hidden
    assert not server.fence.needs_painting


def test_with_time_alone_such_places_open(monkeypatch: pytest.MonkeyPatch) -> None:
    """The control of the test above: without what is remembered, the search for open places finds them."""
    actions = [("toggle", 2, LEFT), ("toggle", VAULT, LEFT), ("toggle", VAULT, LEFT)]
    assert _play(Server(frozenset({2})), actions)
    monkeypatch.setattr("daemon.capture.fence.stale.StaleAreas.show", lambda *_args, **_more: None)
    assert not _play(Server(frozenset({2})), actions)


def _gone_from(*windows: DesktopWindow, **more: Any) -> Fence:
    """Return a fence after an excluded window over others is gone, and after the time that it lingers."""
    fence = fence_over(*windows, SECRET, **more)
    look(fence, 1, *windows, **more)
    fence.update([], 1 + LINGER_NS)
    return fence


def test_what_it_painted_itself_does_not_open_its_place() -> None:
    """Painting counts in the order in which it happened: before it went it is its own."""
    fence = Fence(FenceSettings(), OWN_PID)
    fence.update([scene(EDITOR, SECRET), scene(EDITOR, t_ns=1, painted=(LEFT,))], 1)
    fence.update([], 2 * LINGER_NS)
    assert fence.zones.hidden == {LEFT}
    look(fence, 3 * LINGER_NS, EDITOR, painted=(LEFT,), repeats=True)
    assert not fence.zones.hidden


def test_only_what_was_painted_opens_and_its_input_counts_again() -> None:
    """The rest stays covered, however long; clicks there belong to the window below."""
    fence = _gone_from(EDITOR)
    top, bottom = Box(0, 0, 100, 40), Box(0, 40, 100, 60)
    fence.update([scene(EDITOR, painted=(top, RIGHT), repeats=True)], 10 * NS_PER_S)
    fence.update([], 1000 * NS_PER_S)
    assert fence.zones.hidden == fence.zones.veiled == {bottom}


def test_with_a_compositor_anything_painted_opens_everything() -> None:
    """It draws all that changed at once, so whatever it paints shows that it drew without the window."""
    fence = _gone_from(EDITOR, **BEGUN)
    assert fence.zones.hidden == {LEFT}
    fence.update([scene(EDITOR, painted=(RIGHT,), repeats=True)], 10 * NS_PER_S)
    assert not fence.zones.hidden


def test_painting_is_needed_only_where_it_decides() -> None:
    """On a desktop without closed windows nothing is followed, with a compositor nothing while they are there."""
    fence = Fence(FenceSettings(), OWN_PID)
    needs = []
    for shown in (scene(EDITOR), scene(EDITOR, SECRET), scene(EDITOR, SECRET, **BEGUN)):
        fence.update([shown], 0)
        needs.append(fence.needs_painting)
    assert needs == [False, True, False]
    assert _gone_from(EDITOR, **BEGUN).needs_painting


def test_a_window_that_turns_out_to_be_harmless_leaves_nothing() -> None:
    """A new program's window that moved while it was not known yet."""
    fence = Fence(FenceSettings(), OWN_PID)
    new = window(3, "other", RIGHT, since_ns=NS_PER_S)
    fence.update([scene(EDITOR), scene(EDITOR, new), scene(EDITOR, replace(new, box=LEFT))], NS_PER_S)
    assert fence.zones.hidden == {LEFT, RIGHT}
    fence.update([], 2 * NS_PER_S)
    assert not fence.zones.hidden


def test_an_unknown_window_that_moved_leaves_its_old_place_covered() -> None:
    """A browser's window that may be private."""
    page = window(3, "Chromium", RIGHT, title="x - Chromium", role="browser")
    fence = Fence(FenceSettings(), OWN_PID)
    fence.update([scene(EDITOR, page), scene(EDITOR, replace(page, box=LEFT), t_ns=1)], 20 * NS_PER_S)
    assert fence.zones.hidden == fence.zones.veiled == {LEFT, RIGHT}


def test_what_is_remembered_is_bounded() -> None:
    """Where painting leaves many parts they become one around them, which opens when it is painted as a whole."""
    fence = _gone_from(EDITOR)
    dots = tuple(Box(x, y, 1, 1) for x in range(1, 99, 7) for y in range(1, 99, 7))
    fence.update([scene(EDITOR, painted=dots, repeats=True)], 10 * NS_PER_S)
    assert 1 <= len(fence.zones.hidden) <= 2 * MAX_PIECES
    fence.update([scene(EDITOR, painted=(LEFT,), repeats=True)], 11 * NS_PER_S)
    assert not fence.zones.hidden


def test_slivers_at_round_corners_do_not_close_what_was_painted_between_them() -> None:
    """Windows of a desk without a background of its own leave some in each corner."""
    screen = Box(0, 0, 1280, 720)
    vault = window(7, "KeePassXC", screen, popup=True)
    frames = [Box(20 + 250 * (n % 5), 15 + 175 * (n // 5), 220, 150) for n in range(20)]
    bands = [
        part
        for x, y, w, h in frames
        for part in (Box(x + 3, y, w - 6, 1), Box(x + 1, y + 1, w - 2, 2), Box(x, y + 3, w, h - 6))
    ]
    fence = Fence(FenceSettings(), OWN_PID)
    look(fence, 1, EDITOR, vault, screen=screen)
    look(fence, NS_PER_S, EDITOR, screen=screen)
    look(fence, 10 * NS_PER_S, EDITOR, painted=tuple(bands), repeats=True, screen=screen)
    fence.update([], 20 * NS_PER_S)
    hidden = fence.zones.hidden
    assert contains(tuple(hidden), 5, 5)
    assert not any(contains(tuple(hidden), x + w // 2, y + h // 2) for x, y, w, h in frames)


def _hung_below(fence: Fence, *windows: DesktopWindow, t_ns: int, **more: bool) -> Zones:
    """Let the fence know of windows, then of time and of something painted everywhere; return what is closed then."""
    look(fence, t_ns, *windows, **more)
    now_ns = t_ns + 2 * LINGER_NS
    look(fence, now_ns, *windows, painted=(BIG,), repeats=True, **more)
    fence.update([], now_ns + 2 * LINGER_NS)
    return fence.zones


def _announced(*windows: DesktopWindow) -> Fence:
    """Return a fence that saw windows, and then a compositor announce itself, which draws nothing yet."""
    fence = Fence(FenceSettings(), OWN_PID)
    fence.update([scene(*windows), scene(*windows, t_ns=NS_PER_S, compositor=True)], NS_PER_S)
    return fence


def test_a_compositor_that_has_only_announced_itself_paints_nothing_over() -> None:
    """What another program paints elsewhere opens nothing, however long the compositor takes."""
    fence = _announced(EDITOR)
    look(fence, 2 * NS_PER_S, EDITOR, SECRET, compositor=True)
    look(fence, 3 * NS_PER_S, EDITOR, compositor=True)
    look(fence, 90 * NS_PER_S, EDITOR, compositor=True, painted=(RIGHT,), repeats=True)
    assert fence.zones.hidden == {LEFT}
    look(fence, 91 * NS_PER_S, EDITOR, compositor=True, painted=(LEFT,), repeats=True)
    assert not fence.zones.hidden


@pytest.mark.parametrize("gone", ["before", "in the same state", "just after", "long after"])
def test_what_a_compositor_took_over_stays_closed_whatever_it_paints(gone: str) -> None:
    """The pictures it begins with hold what was on the screen; one ends when its window leaves the screen."""
    fence = _announced(EDITOR, SECRET)
    if gone == "before":
        look(fence, 2 * NS_PER_S, EDITOR, compositor=True)
    elif gone in ("just after", "long after"):
        later_ns = (3 if gone == "just after" else 60) * NS_PER_S
        begun = scene(EDITOR, SECRET, t_ns=3 * NS_PER_S, **BEGUN)
        fence.update([begun, replace(begun, t_ns=later_ns)], later_ns)
    assert _hung_below(fence, EDITOR, t_ns=70 * NS_PER_S, **BEGUN).hidden == {LEFT}
    moved = replace(EDITOR, box=EDITOR.box._replace(x=30, y=40))
    there = LEFT._replace(x=30, y=40)
    assert _hung_below(fence, moved, t_ns=80 * NS_PER_S, **BEGUN).hidden == {there}
    wider = replace(moved, box=moved.box._replace(w=700))
    assert _hung_below(fence, wider, t_ns=90 * NS_PER_S, **BEGUN).hidden == {wider.box}
    assert not _hung_below(fence, t_ns=100 * NS_PER_S, **BEGUN).hidden
    assert not _hung_below(fence, wider, t_ns=110 * NS_PER_S, **BEGUN).hidden


def test_a_compositor_that_leaves_gives_the_pixels_back_to_the_screen() -> None:
    """Then only what is painted over them opens their place, or they are taken over by the next one."""
    fence = _announced(EDITOR, SECRET)
    _hung_below(fence, EDITOR, t_ns=3 * NS_PER_S, **BEGUN)
    look(fence, 20 * NS_PER_S, EDITOR)
    look(fence, 30 * NS_PER_S, EDITOR, painted=(RIGHT,), repeats=True)
    assert fence.zones.hidden == {LEFT}
    assert _hung_below(fence, EDITOR, t_ns=40 * NS_PER_S, **BEGUN).hidden == {LEFT}
    assert not _hung_below(fence, EDITOR, t_ns=60 * NS_PER_S).hidden


def test_a_window_opened_once_a_compositor_draws_leaves_nothing_in_others() -> None:
    """Neither one opened later, nor one below the others, nor one that was there when Kairos started."""
    fence = _announced(SECRET, EDITOR)
    look(fence, 2 * NS_PER_S, SECRET, EDITOR, **BEGUN)
    assert not _hung_below(fence, EDITOR, t_ns=10 * NS_PER_S, **BEGUN).hidden
    look(fence, 20 * NS_PER_S, EDITOR, SECRET, **BEGUN)
    assert not _hung_below(fence, EDITOR, t_ns=30 * NS_PER_S, **BEGUN).hidden
    fence = _gone_from(EDITOR, **BEGUN)
    assert not _hung_below(fence, EDITOR, t_ns=30 * NS_PER_S, **BEGUN).hidden


def test_a_window_keeps_its_picture_off_the_screen() -> None:
    """It counts as hidden there, and comes back with what it held; one that was unmapped gets a new picture."""
    small = Box(0, 0, 600, 600)
    fence = _announced(EDITOR, SECRET)
    _hung_below(fence, EDITOR, t_ns=3 * NS_PER_S, **BEGUN)
    for hidden, closed in ((replace(EDITOR, box=BIG._replace(x=-700)), {LEFT}), (EDITOR, set())):
        away = scene(t_ns=20 * NS_PER_S, hidden=(hidden,), screen=small, **BEGUN)
        fence.update([away], 20 * NS_PER_S)
        assert _hung_below(fence, EDITOR, t_ns=30 * NS_PER_S, **BEGUN).hidden == closed


def test_what_pictures_hold_is_bounded() -> None:
    """Where it would be too many parts, the windows are closed as a whole."""
    secrets = [window(10 + n, "KeePassXC", Box(7 * n, 5 * n, 3, 3)) for n in range(MAX_PIECES + 1)]
    fence = _announced(EDITOR, *secrets)
    assert BIG in _hung_below(fence, EDITOR, t_ns=3 * NS_PER_S, **BEGUN).hidden
    assert len(fence.zones.hidden) < MAX_PIECES


def _begun(*painted: Box, gone_ns: int = 5 * NS_PER_S) -> Fence:
    """Return a fence with a compositor that began below an excluded window, which is gone since `gone_ns`.

    The editor below it painted these rectangles into itself, after the compositor began and before that was known.
    """
    fence = _announced(EDITOR, SECRET)
    inside = tuple((EDITOR.xid, box) for box in painted)
    begun = scene(EDITOR, SECRET, t_ns=2 * NS_PER_S, was_redirected_later=True, painted_inside=inside, **BEGUN)
    fence.update([begun, scene(EDITOR, t_ns=gone_ns, **BEGUN)], gone_ns)
    return fence


def _compositor_paints(fence: Fence, t_ns: int) -> frozenset[Box]:
    fence.update([replace(fence.scene, t_ns=t_ns, painted=(RIGHT,), painted_inside=(), repeats=True)], t_ns)
    fence.update([], t_ns + 2 * LINGER_NS)
    return fence.zones.hidden


def test_what_a_window_painted_into_its_picture_opens_once_the_compositor_drew_it() -> None:
    """It need not leave the screen; what it did not paint stays closed, and what it painted opens piece by piece."""
    top, bottom = Box(0, 0, 100, 40), Box(0, 40, 100, 60)
    assert _compositor_paints(_begun(), 9 * NS_PER_S) == {LEFT}
    assert not _compositor_paints(_begun(BIG), 9 * NS_PER_S)
    fence = _begun(top)
    assert _compositor_paints(fence, 9 * NS_PER_S) == {bottom}
    assert fence.needs_painting_inside == {EDITOR.xid}
    painted = replace(fence.scene, t_ns=20 * NS_PER_S, painted_inside=((EDITOR.xid, bottom),), repeats=True)
    fence.update([painted], 20 * NS_PER_S)
    assert not fence.needs_painting_inside
    assert fence.needs_painting
    assert _compositor_paints(fence, 20 * NS_PER_S + DRAWN_NS - 1) == {bottom}
    assert not _compositor_paints(fence, 20 * NS_PER_S + DRAWN_NS)
    assert not fence.needs_painting


def test_what_another_window_or_place_painted_opens_nothing() -> None:
    """Neither what is above, nor what is next to the place."""
    fence = _begun(RIGHT)
    other = (SECRET.xid, BIG)
    fence.update([replace(fence.scene, t_ns=6 * NS_PER_S, painted_inside=(other,), repeats=True)], 6 * NS_PER_S)
    assert _compositor_paints(fence, 9 * NS_PER_S) == {LEFT}


def test_what_a_window_painted_before_is_taken_over_with_what_is_above_it_then() -> None:
    """What it painted while the compositor had only announced itself is on the screen, not below the excluded one."""
    fence = _announced(EDITOR, SECRET)
    inside = ((EDITOR.xid, BIG),)
    look(fence, 2 * NS_PER_S, EDITOR, SECRET, compositor=True, painted_inside=inside)
    look(fence, 3 * NS_PER_S, EDITOR, SECRET, **BEGUN)
    look(fence, 4 * NS_PER_S, EDITOR, **BEGUN)
    assert _compositor_paints(fence, 9 * NS_PER_S) == {LEFT}


@pytest.mark.parametrize("later", [True, False])
def test_what_was_above_before_the_compositor_began_counts(*, later: bool) -> None:
    """States that are reported after it was found to draw, and may have begun before it did; no others."""
    fence = _announced(EDITOR)
    look(fence, 2 * NS_PER_S, EDITOR, was_redirected_later=True, **BEGUN)
    opened = scene(EDITOR, SECRET, t_ns=2 * NS_PER_S + 1, was_redirected_later=later, **BEGUN)
    fence.update([opened, scene(EDITOR, t_ns=4 * NS_PER_S, **BEGUN)], 4 * NS_PER_S)
    assert _compositor_paints(fence, 9 * NS_PER_S) == ({LEFT} if later else set())


def test_what_was_painted_below_another_window_shows_that_the_compositor_had_begun() -> None:
    """States after that cannot be older than it, whatever else is not known."""
    for painted, closed in ((LEFT, set()), (RIGHT, {LEFT})):
        fence = _announced(EDITOR, SECRET)
        inside = ((EDITOR.xid, BIG if painted == LEFT else RIGHT),)
        begun = scene(EDITOR, SECRET, t_ns=2 * NS_PER_S, was_redirected_later=True, painted_inside=inside, **BEGUN)
        fence.update([begun, replace(begun, t_ns=2 * NS_PER_S + 1, painted_inside=())], 2 * NS_PER_S + 1)
        look(fence, 4 * NS_PER_S, EDITOR, **BEGUN)
        assert _compositor_paints(fence, 9 * NS_PER_S) == closed


def test_what_was_painted_in_many_steps_opens_as_well() -> None:
    """As programs paint that draw line by line; and where two do, neither is closed as a whole."""
    lines = [Box(0, y, 100, 2) for y in range(0, 100, 2)]
    assert _compositor_paints(_begun(*lines[::2]), 9 * NS_PER_S) == set(lines[1::2])
    assert not _compositor_paints(_begun(*lines[::2], *lines[1::2]), 9 * NS_PER_S)
    dots = [Box(x, y, 1, 1) for x in range(1, 99, 7) for y in range(1, 99, 7)]
    left = _compositor_paints(_begun(*dots), 9 * NS_PER_S)
    assert contains(left, 99, 99)
    assert len(left) <= 2 * MAX_PIECES
    assert not _compositor_paints(_begun(*dots, LEFT), 9 * NS_PER_S)
