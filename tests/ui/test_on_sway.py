"""The card under sway, over XWayland, and on a layer or as a notification without it: it takes no key and no focus."""

import random
import subprocess
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from daemon.capture.diff import Pixels
from daemon.capture.wayland.screencopy import ScreencopyFrames
from demo.virtual_desktop.sway import SwayDesktop
from demo.virtual_desktop.windows import poll
from detectors.acts import is_inside
from storage.clock import SystemClock
from storage.records import Box
from storage.wayland import WaylandConnection
from tests.fakes.desktop.ring_process import Ring
from tests.fakes.ui.interface_process import Puppet, find_button
from ui.views.notice import NO_TRAY

pytestmark = pytest.mark.display

SHOWINGS = 100
CORNER, NEAR = 16, 2
SIZE = (1280, 800)
AWAY = (640, 600)
QUARTER, AROUND = Box(680, 400, 596, 396), Box(150, 60, 180, 120)
"""Parts of the screen that a terminal fills with one colour: around the card, around the control."""

CONTROL = Box(200, 100, 80, 24)
OTHER_HEIGHT = 1080
PANEL = "bar {\n  position bottom\n}"
LETTERS = "abcdefghijklmnopqrstuvwxyz"


DUNST = """\
[global]
dmenu = {script}
"""
CHOOSE = """\
#!/bin/sh
grep "$(cat "{folder}/choice")"
"""


@pytest.fixture
def sway() -> Iterator[SwayDesktop]:
    with SwayDesktop(SIZE) as desktop:
        yield desktop


@pytest.mark.slow
@pytest.mark.parametrize("is_layered", [False, True])
def test_a_hundred_cards_take_no_key_and_no_focus(
    sway: SwayDesktop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, is_layered: bool
) -> None:
    """Letters go on into a terminal all the while; who takes the focus is told by sway itself."""
    if is_layered:
        monkeypatch.delitem(sway.env, "DISPLAY")
    typed, told = tmp_path / "typed.txt", tmp_path / "told.json"
    sway.spawn(["foot", "sh", "-c", f"stty -echo -icanon; exec cat > {typed}"], "foot")
    sway.wait_for("foot")
    poll(typed.exists, what="the terminal")
    rng, text, corners = random.Random(7), "", set()
    listener = sway.spawn(["swaymsg", "-r", "-m", "-t", "subscribe", '["window"]'], "told", log=told)
    with Puppet(sway) as puppet:
        puppet.order("problem", code=NO_TRAY, over=True)  # whose notice would stand below
        for number in range(SHOWINGS):
            puppet.order("offer", offer_id=f"o-{number}")
            for word in ("".join(rng.choices(LETTERS, k=4)) for _ in range(2)):
                sway.type(word)
                text += word
            box = poll(partial(find_card, sway, puppet, is_layered=is_layered), what="a card")
            corners.add((SIZE[0] - box.x - box.w, SIZE[1] - box.y - box.h))
            puppet.order("close", offer_id=f"o-{number}")
            poll(lambda: find_card(sway, puppet, is_layered=is_layered) is None, what="the end of the card")
        poll(lambda: len(typed.read_text()) >= len(text), what="all keys")
        (front,) = [view["app_id"] for view in sway.views() if view["focused"]]
    sway.stop(listener)
    assert typed.read_text() == text
    assert (front, "focus" in told.read_text()) == ("foot", False)
    assert all(abs(edge - CORNER) <= NEAR for corner in corners for edge in corner), corners


class Mouse:
    """A mouse in a session of sway, and an eye on its screens."""

    def __init__(self, sway: SwayDesktop) -> None:
        self.connection = connection = WaylandConnection(sway.env, SystemClock())
        self._number = connection.create({})
        names = ("wl_seat", "zwlr_virtual_pointer_manager_v1")
        seat, mice = (connection.bind(connection.offers(name)[0], 1) for name in names)
        connection.request(mice, 0, seat, self._number)
        self._frames = ScreencopyFrames(connection)
        self._frames.follow_outputs()
        self.move(AWAY)

    def move(self, place: tuple[int, int]) -> None:
        self.connection.request(self._number, 1, 0, *place, *SIZE)
        self.connection.request(self._number, 4)
        self.connection.round_trip()

    def click(self, place: tuple[int, int]) -> None:
        self.move(place)
        for is_down in (1, 0):
            self.connection.request(self._number, 2, 0, 0x110, is_down)
            self.connection.request(self._number, 4)
        self.connection.round_trip()

    def look(self, part: Box) -> Pixels:
        """Return where a part of the first screen, which a terminal fills, is of another colour than its corner."""
        found = self._frames.grab(part)[..., :3]
        differs: Pixels = (found != found[0, 0]).any(axis=2)
        return differs

    def box(self, part: Box) -> Box | None:
        """Return what lies on a part of the first screen."""
        differs = self.look(part)
        rows, columns = (np.flatnonzero(differs.any(axis=axis)) for axis in (1, 0))
        if not len(rows):
            return None
        left, top, right, bottom = map(int, (columns[0], rows[0], columns[-1] + 1, rows[-1] + 1))
        return Box(part.x + left, part.y + top, right - left, bottom - top)


def begin_typing(sway: SwayDesktop, typed: Path) -> None:
    sway.spawn(["foot", "sh", "-c", f"stty -echo -icanon; exec cat > {typed}"], "foot")
    sway.wait_for("foot")
    poll(typed.exists, what="the terminal")


def begin_notifying(sway: SwayDesktop, folder: Path) -> None:
    config, script = folder / "dunstrc", folder / "choose"
    config.write_text(DUNST.format(script=script))
    script.write_text(CHOOSE.format(folder=folder))
    script.chmod(0o755)
    sway.spawn(["dunst", "-conf", str(config)], "dunst")
    poll(lambda: serves(sway), what="the server of notifications")


def find_card(sway: SwayDesktop, puppet: Puppet, *, is_layered: bool) -> Box | None:
    if is_layered:
        return next(iter(boxes(puppet)), None)
    found = sway.windows.card()
    return found.box if found is not None else None


def boxes(puppet: Puppet) -> list[Box]:
    return [Box(*box) for box in puppet.ask("places")["boxes"]]


def test_without_xwayland_the_card_stands_on_a_layer_takes_clicks_and_neither_keys_nor_focus(
    sway: SwayDesktop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is in its corner and nowhere else, as capture is told, answers by its buttons, and leaves nothing behind."""
    monkeypatch.delitem(sway.env, "DISPLAY")
    typed, told = tmp_path / "typed.txt", tmp_path / "told.json"
    begin_typing(sway, typed)
    listener = sway.spawn(["swaymsg", "-r", "-m", "-t", "subscribe", '["window"]'], "told", log=told)
    mouse = Mouse(sway)
    poll(lambda: mouse.box(QUARTER) is None, what="a terminal that is painted")
    with closing(mouse.connection), Puppet(sway) as puppet:
        poll(lambda: mouse.box(QUARTER), what="the notice that there is no tray")
        puppet.order("problem", code=NO_TRAY, over=True)
        for number, button in enumerate(("dismissed", "accepted")):
            poll(lambda: mouse.box(QUARTER) is None, what="an empty screen")
            assert boxes(puppet) == []
            puppet.order("offer", offer_id=f"o-{number}")
            place = find_button(puppet, button)
            box = poll(lambda: mouse.box(QUARTER), what="a card")
            assert abs(SIZE[0] - box.x - box.w - CORNER) <= NEAR
            assert abs(SIZE[1] - box.y - box.h - CORNER) <= NEAR
            assert boxes(puppet) == [box]
            sway.type("a")
            mouse.click(place)
            assert puppet.hear() == {"call": "answer", "offer_id": f"o-{number}", "kind": button}
            assert puppet.ask("places")["pointer"] == (list(place) if button == "accepted" else None)
            mouse.move(AWAY)
        mouse.click(find_button(puppet, "close"))  # the advice stays until somebody has read it
        mouse.move(AWAY)  # the arrow that was over the card stays where nobody moves it
        poll(lambda: mouse.box(QUARTER) is None, what="its end")
    sway.stop(listener)
    assert (typed.read_text(), "focus" in told.read_text(), ours(sway)) == ("aa", False, [])


def test_the_card_stands_on_the_screen_in_use_clear_of_its_panel(monkeypatch: pytest.MonkeyPatch) -> None:
    """The panel is on the lower edge, and reaches as far as the window above it."""
    with SwayDesktop(SIZE, config=PANEL) as sway:
        monkeypatch.delitem(sway.env, "DISPLAY")
        sway.command("create_output")
        sway.command("focus output HEADLESS-2")
        sway.spawn(["foot"], "foot")
        poll(lambda: sway.wait_for("foot")["rect"]["height"] < OTHER_HEIGHT, what="the panel")
        tile = sway.wait_for("foot")["rect"]
        right, bottom = tile["x"] + tile["width"], tile["y"] + tile["height"]
        assert tile["x"] >= SIZE[0]
        with Puppet(sway) as puppet:
            puppet.order("problem", code=NO_TRAY, over=True)
            puppet.order("offer", offer_id="o-1")
            poll(lambda: bool(boxes(puppet)), what="a card")
            (box,) = boxes(puppet)
            assert (right - box.x - box.w, bottom - box.y - box.h) == (CORNER, CORNER)


def test_a_card_whose_layer_ends_goes_on_as_a_notification(
    sway: SwayDesktop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(sway.env, "DISPLAY")
    begin_notifying(sway, tmp_path)
    with Puppet(sway) as puppet:
        puppet.order("problem", code=NO_TRAY, over=True)
        puppet.order("offer", offer_id="o-1")
        poll(lambda: (len(boxes(puppet)), shown(sway)) == (1, 0), what="a card")
        puppet.order("hang_up")
        poll(lambda: (len(boxes(puppet)), shown(sway)) == (0, 1), what="a notification")
        (tmp_path / "choice").write_text("Not now")
        poll(lambda: puppet.ask("look")["armed"], what="a card that can be answered")
        dunst(sway, "context")
        assert puppet.hear()["kind"] == "dismissed"


def test_a_ring_without_xwayland_lies_over_nothing_and_lets_clicks_through(
    sway: SwayDesktop, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It surrounds the control in a window that is not in front, which a click on the ring brings there."""
    monkeypatch.delitem(sway.env, "DISPLAY")
    for name in ("below", "front"):
        sway.spawn(["foot", "-a", name], name)
        sway.wait_for(name)
    mouse = Mouse(sway)

    def around() -> Box | None:
        box = mouse.box(AROUND)
        return box if box is not None and is_inside(CONTROL, box, -1) else None

    with closing(mouse.connection), closing(Ring(sway, {})) as ring:
        poll(lambda: mouse.box(AROUND) is None, what="a terminal that is painted")
        ring.order("show", *CONTROL)
        box = poll(around, what="a ring with all its sides")
        x, y = CONTROL.x - AROUND.x, CONTROL.y - AROUND.y
        assert not mouse.look(AROUND)[y : y + CONTROL.h, x : x + CONTROL.w].any()
        mouse.click((box.x + 3, CONTROL.y))
        poll(lambda: [view["app_id"] for view in sway.views() if view["focused"]] == ["below"], what="the click")
        mouse.move(AWAY)
        ring.order("hide")
        poll(lambda: mouse.box(AROUND) is None, what="its end")


def test_without_layers_a_notification_knocks_and_the_card_opens_when_it_is_clicked(
    sway: SwayDesktop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A real server of notifications shows it; until then no window of ours is there, and the terminal has the keys."""
    monkeypatch.delitem(sway.env, "DISPLAY")
    typed, choice = tmp_path / "typed.txt", tmp_path / "choice"
    begin_notifying(sway, tmp_path)
    begin_typing(sway, typed)
    with Puppet(sway, layers=False) as puppet:
        poll(lambda: shown(sway) == 1, what="the notice that there is no tray")
        puppet.order("problem", code=NO_TRAY, over=True)
        poll(lambda: shown(sway) == 0, what="its end")
        answers = []
        for number, button in enumerate(("Not now", "Show me")):
            puppet.order("offer", offer_id=f"o-{number}")
            poll(lambda: shown(sway) == 1, what="a notification")
            sway.type("a")
            assert ours(sway) == []
            poll(lambda: puppet.ask("look")["armed"], what="a card that can be answered")
            choice.write_text(button)
            dunst(sway, "context")
            answers.append(puppet.hear())
        assert [(told["offer_id"], told["kind"]) for told in answers] == [("o-0", "dismissed"), ("o-1", "accepted")]
        poll(lambda: (shown(sway), ours(sway)) == (0, ["Kairos offer"]), what="the card")
        puppet.order("offer", offer_id="o-2")
        poll(lambda: (shown(sway), ours(sway)) == (1, []), what="the next one in its place")
        puppet.order("close", offer_id="o-2")
        poll(lambda: shown(sway) == 0, what="its end")
    assert typed.read_text() == "aa"


def serves(sway: SwayDesktop) -> bool:
    """Return whether it has its name; to ask the server itself would have the bus start another, set up otherwise."""
    ask = ["dbus-send", "--print-reply", "--dest=org.freedesktop.DBus", "/", "org.freedesktop.DBus.NameHasOwner"]
    words = [*ask, "string:org.freedesktop.Notifications"]
    done = subprocess.run(words, env=sway.env, capture_output=True, text=True, check=True)
    return "true" in done.stdout


def dunst(sway: SwayDesktop, *words: str) -> str:
    return subprocess.run(["dunstctl", *words], env=sway.env, capture_output=True, text=True, check=True).stdout


def shown(sway: SwayDesktop) -> int:
    return int(dunst(sway, "count", "displayed"))


def ours(sway: SwayDesktop) -> list[str]:
    return [view["name"] for view in sway.views() if view["app_id"] == "kairos"]
