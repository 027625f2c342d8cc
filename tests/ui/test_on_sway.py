"""The card under sway, where it comes over XWayland: it takes no key and no focus, and stands in its corner."""

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from demo.virtual_desktop.sway import SwayDesktop
from demo.virtual_desktop.windows import poll
from tests.fakes.ui.interface_process import Puppet
from ui.views.notice import NO_TRAY

pytestmark = [pytest.mark.display, pytest.mark.slow]

SHOWINGS = 100
CORNER, NEAR = 16, 2
SIZE = (1280, 800)
LETTERS = "abcdefghijklmnopqrstuvwxyz"


@pytest.fixture
def sway() -> Iterator[SwayDesktop]:
    with SwayDesktop(SIZE) as desktop:
        yield desktop


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
