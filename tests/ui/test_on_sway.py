"""The card under sway, over XWayland, and as a notification without it: it takes no key and no focus."""

import random
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from demo.virtual_desktop.sway import SwayDesktop
from demo.virtual_desktop.windows import poll
from tests.fakes.ui.interface_process import Puppet
from ui.views.notice import NO_TRAY

pytestmark = pytest.mark.display

SHOWINGS = 100
CORNER, NEAR = 16, 2
SIZE = (1280, 800)
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
def test_a_hundred_cards_take_no_key_and_no_focus(sway: SwayDesktop, tmp_path: Path) -> None:
    """Letters go on into a terminal all the while; who takes the focus is told by sway itself."""
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
            box = poll(sway.windows.card, what="a card").box
            corners.add((SIZE[0] - box.x - box.w, SIZE[1] - box.y - box.h))
            puppet.order("close", offer_id=f"o-{number}")
            poll(lambda: sway.windows.card() is None, what="the end of the card")
        poll(lambda: len(typed.read_text()) >= len(text), what="all keys")
        (front,) = [view["app_id"] for view in sway.views() if view["focused"]]
    sway.stop(listener)
    assert typed.read_text() == text
    assert (front, "focus" in told.read_text()) == ("foot", False)
    assert all(abs(edge - CORNER) <= NEAR for corner in corners for edge in corner), corners


def test_without_xwayland_a_notification_knocks_and_the_card_opens_when_it_is_clicked(
    sway: SwayDesktop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A real server of notifications shows it; until then no window of ours is there, and the terminal has the keys."""
    monkeypatch.delitem(sway.env, "DISPLAY")
    typed = tmp_path / "typed.txt"
    config, script, choice = (tmp_path / name for name in ("dunstrc", "choose", "choice"))
    config.write_text(DUNST.format(script=script))
    script.write_text(CHOOSE.format(folder=tmp_path))
    script.chmod(0o755)
    sway.spawn(["dunst", "-conf", str(config)], "dunst")
    poll(lambda: serves(sway), what="the server of notifications")
    sway.spawn(["foot", "sh", "-c", f"stty -echo -icanon; exec cat > {typed}"], "foot")
    sway.wait_for("foot")
    poll(typed.exists, what="the terminal")
    with Puppet(sway) as puppet:
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
