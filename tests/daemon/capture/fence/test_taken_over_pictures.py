"""What a starting compositor takes over from the screen, against a small server that knows whose pixels are where.

The daemon of this test looks now and then: what happens between two looks it learns in order, at the second.
"""

from dataclasses import dataclass, field, replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from daemon.capture.fence.rules import LINGER_NS, Fence
from daemon.capture.scene import DesktopWindow, Scene, contains, intersection, remainder
from storage.clock import NS_PER_S
from storage.records import Box
from storage.settings import FenceSettings
from tests.fakes.desktop.windows import OWN_PID, window

SCREEN = Box(0, 0, 24, 24)
VAULT = 1
BOXES = {VAULT: Box(4, 4, 8, 8), 2: Box(1, 2, 14, 12), 3: Box(6, 5, 12, 13)}

Pixels = NDArray[np.int64]


@dataclass
class Server:
    """Windows, bottom first, that paint when they are told to; with a compositor each has a picture of its own."""

    fence: Fence = field(default_factory=lambda: Fence(FenceSettings(), OWN_PID))
    windows: list[DesktopWindow] = field(default_factory=list)
    announced: bool = False
    begun: bool = False
    known: bool = False
    now_ns: int = NS_PER_S
    events: list[Scene | Box | tuple[int, Box]] = field(default_factory=list)
    reported: frozenset[int] = frozenset()
    pictures: dict[int, Pixels] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.pixels: Pixels = np.zeros((SCREEN.h, SCREEN.w), np.int64)
        self.note_state()
        self.look()

    def note_state(self) -> None:
        self.events.append(Scene(t_ns=0, windows=tuple(self.windows), screen=SCREEN, compositor=self.announced))

    def box(self, client: int) -> Box:
        return next(window.box for window in self.windows if window.client == client)

    def is_there(self, client: int) -> bool:
        return any(window.client == client for window in self.windows)

    def visible(self, client: int) -> list[Box]:
        number = next(number for number, one in enumerate(self.windows) if one.client == client)
        return remainder(self.windows[number].box, [window.box for window in self.windows[number + 1 :]])

    # ------------------------------------------------------------ what happens

    def toggle(self, client: int, place: Box) -> None:
        if self.is_there(client):
            self.windows = [item for item in self.windows if item.client != client]
            self.pictures.pop(client, None)
            self.note_state()
            return
        app = "KeePassXC" if client == VAULT else "editor"
        box = place._replace(w=BOXES[client].w, h=BOXES[client].h)
        self.windows = [*self.windows, window(client, app, box)]
        self.note_state()
        if self.begun:
            self.pictures[client] = np.full((box.h, box.w), client)
        else:
            self.paint(client, SCREEN)

    def paint(self, client: int, part: Box) -> None:
        if not self.is_there(client):
            return
        box = self.box(client)
        for seen in [box] if self.begun else self.visible(client):
            painted = intersection(seen, part)
            if painted is None:
                continue
            inside = painted._replace(x=painted.x - box.x, y=painted.y - box.y)
            if self.begun:
                _fill(self.pictures[client], inside, client)
            else:
                _fill(self.pixels, painted, client)
                self.events.append(painted)
            if client + 1000 in self.reported:
                self.events.append((client + 1000, inside))

    def lift(self, client: int) -> None:
        """Bring a window to the front; without a compositor it paints itself."""
        if not self.is_there(client):
            return
        lifted = next(window for window in self.windows if window.client == client)
        self.windows = [*(item for item in self.windows if item is not lifted), lifted]
        self.note_state()
        if not self.begun and client == VAULT:
            self.paint(client, SCREEN)

    def begin(self) -> None:
        """Announce the compositor, or begin: each window gets a picture of what the screen shows."""
        if self.announced and not self.begun:
            self.begun = True
            for window in self.windows:
                x, y, width, height = window.box
                self.pictures[window.client] = self.pixels[y : y + height, x : x + width].copy()
            if self.is_there(VAULT):
                self.pictures[VAULT][...] = VAULT
        elif not self.announced:
            self.announced = True
            self.note_state()

    def draw(self) -> None:
        if not self.begun:
            return
        self.pixels[...] = 0
        for top in self.windows:
            x, y, width, height = top.box
            self.pixels[y : y + height, x : x + width] = self.pictures[top.client]
        self.events.append(SCREEN)

    def look(self) -> None:
        """Let the fence take in what happened, with the states that the table of windows makes of it."""
        scenes: list[Scene] = []
        found = self.known
        for event in [*self.events, None]:
            newest = replace(
                scenes[-1] if scenes else self.fence.scene, t_ns=self.now_ns, painted=(), painted_inside=()
            )
            if isinstance(event, Scene) or (event is None and self.begun and not self.known):
                state = event or newest
                self.known = self.begun and state.compositor
                later = self.known and not found
                state = replace(state, redirected=self.known, was_redirected_later=later, repeats=False)
                scenes.append(replace(state, t_ns=self.now_ns))
            elif isinstance(event, Box):
                if found or not self.begun:  # what came before it is found is not told
                    scenes.append(replace(newest, painted=(event,), repeats=True))
            elif event is not None:
                scenes.append(replace(newest, painted_inside=(event,), repeats=True))
        self.events = []
        self.fence.update(scenes, self.now_ns)
        self.reported = self.fence.needs_painting_inside

    def open_secrets(self) -> list[tuple[int, int]]:
        self.now_ns += 2 * LINGER_NS
        self.fence.update([], self.now_ns)
        places = ((int(x), int(y)) for y, x in np.argwhere(self.pixels == VAULT))
        return [place for place in places if not contains(self.fence.zones.hidden, *place)]


def _fill(pixels: Pixels, box: Box, value: int) -> None:
    pixels[box.y : box.y + box.h, box.x : box.x + box.w] = value


_places = st.builds(Box, st.integers(0, 8), st.integers(0, 7), st.integers(3, 14), st.integers(3, 14))
_actions = st.lists(
    st.tuples(
        st.sampled_from(["secret", "paint", "paint", "draw", "look", "look", "toggle", "lift"]),
        st.sampled_from([2, 3]),
        _places,
    ),
    max_size=8,
)


def _play(*parts: list[tuple[str, int, Box]]) -> bool:
    """Do things over an excluded window above others; return whether no place was open that shows it.

    Between the first and the second part a compositor announces itself, before the third it begins.
    """
    server = Server()
    for client in (2, 3, VAULT):
        server.toggle(client, BOXES[client])
    server.look()
    closed = True
    for number, actions in enumerate(parts):
        if number:
            server.begin()
        for what, client, place in actions:
            if what in ("secret", "toggle"):
                server.toggle(VAULT if what == "secret" else client, place)
            elif what == "paint":
                server.paint(client, place)
            elif what == "lift":
                server.lift(client)
            elif what == "draw":
                server.draw()
            else:
                server.look()
                closed &= not server.open_secrets()
    server.look()
    return closed and not server.open_secrets()


@settings(max_examples=150)
@given(_actions, _actions, _actions)
def test_no_place_opens_that_shows_what_was_taken_over(
    first: list[tuple[str, int, Box]], second: list[tuple[str, int, Box]], third: list[tuple[str, int, Box]]
) -> None:
    """Whatever is painted before and after the compositor began, and whenever that is learned."""
    assert _play(first, second, third)


_CLOSED = [("look", 2, SCREEN), ("secret", 2, SCREEN), ("draw", 2, SCREEN), ("look", 2, SCREEN)]


def test_places_open_once_all_is_painted_and_drawn() -> None:
    """It is no test of a fence that closes everything for good."""
    server = Server()
    for client in (2, 3, VAULT):
        server.toggle(client, BOXES[client])
    server.begin()
    server.look()
    server.begin()
    for client in (2, 3):
        server.paint(client, SCREEN)
    server.toggle(VAULT, SCREEN)
    for _ in range(2):
        server.look()
        assert not server.open_secrets()
        server.draw()
    server.look()
    assert not server.open_secrets()
    assert not server.fence.zones.hidden


def test_without_what_is_remembered_such_places_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The controls: nothing is remembered, or a window counts as painted as soon as a part of it is."""
    paint = [("paint", 2, Box(1, 2, 5, 5)), ("paint", 3, Box(6, 5, 2, 2))]
    assert _play([], _CLOSED[:1], [*paint, *_CLOSED])
    with monkeypatch.context() as patch:
        patch.setattr("daemon.capture.fence.stale._taken", lambda *_: iter(()))
        assert not _play([], _CLOSED[:1], [*paint, *_CLOSED])
    monkeypatch.setattr("daemon.capture.fence.stale._unpainted", lambda box, boxes: [] if boxes else [box])
    assert not _play([], _CLOSED[:1], [*paint, *_CLOSED, *_CLOSED[2:], *_CLOSED[2:]])
