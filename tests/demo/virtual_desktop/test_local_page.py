"""Places of a page on the screen, without a browser."""

import random
from typing import Any, cast

from demo.virtual_desktop.hands import Hands
from demo.virtual_desktop.local_page import LocalPage, PagePlan

PLAN = PagePlan(
    file="a.html", title="A", header="#24506b", places={"save": (100, 50), "notes": (300, 200)}, miss=(8, 4)
)


class FakeHands:
    """Hands that only remember where they were."""

    def __init__(self) -> None:
        self.clicks: list[tuple[int, int]] = []
        self.moves: list[tuple[int, int]] = []

    def click(self, x: int, y: int) -> None:
        self.clicks.append((x, y))

    def move(self, x: int, y: int) -> None:
        self.moves.append((x, y))


def test_controls_are_pressed_from_the_corner_on_and_never_missed_by_more_than_planned() -> None:
    """Fifty clicks on a control lie around its middle, not all on one pixel; the pointer goes to the middle."""
    hands = FakeHands()
    page = LocalPage(PLAN, cast("Hands", cast("Any", hands)), random.Random(1))
    page.corner = (40, 90)
    for _ in range(50):
        page.press("save")
    page.move_to("notes")
    assert hands.moves == [(340, 290)]
    assert len(set(hands.clicks)) > 10
    assert all(abs(x - 140) <= 8 and abs(y - 140) <= 4 for x, y in hands.clicks)
    assert max(x for x, _ in hands.clicks) > 140 > min(x for x, _ in hands.clicks)
