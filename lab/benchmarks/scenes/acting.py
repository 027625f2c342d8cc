"""What the programs of the scenes share: pieces of calm work, and attempts in vain, by name."""

from collections.abc import Callable, Mapping
from typing import Protocol

from demo.user import DemoUser
from demo.virtual_desktop.desktop import VirtualDesktop

Act = Callable[[], None]


class SceneProgram(Protocol):
    """A program in which scenes are played."""

    in_vain: Mapping[str, Act]
    """One attempt in vain, for each kind of trouble."""
    calm: Mapping[str, Act]
    """One piece of calm work, for each kind of look-alike."""

    def open(self, desktop: VirtualDesktop) -> None:
        """Start it and wait until it takes input."""

    def begin(self, seconds: float) -> None:
        """Work fluently for so long, before trouble begins."""


def scroll_up_and_down(user: DemoUser) -> None:
    """Look for a passage further down, a view at a time, and on the same views on the way back up."""
    steps = [user.rng.randint(2, 4) for _ in range(user.rng.randint(2, 3))]
    for step in [*(-step for step in steps), *reversed(steps)]:
        user.hands.scroll(step)
        user.read(1.0, 2.5)


def look_back_once(user: DemoUser) -> None:
    """Read on for some views, and look at the one before once more."""
    for step in [-3] * user.rng.randint(2, 4):
        user.hands.scroll(step)
        user.read(3.0, 6.0)
    user.hands.scroll(3)
    user.read(1.5, 3.5)
    user.hands.scroll(-3)


def read_twice(user: DemoUser) -> None:
    """Read some views, go back to where they began, read them once more, and go on."""
    views = user.rng.randint(3, 5)
    for _ in range(2):
        for _ in range(views):
            user.read(2.0, 4.0)
            user.hands.scroll(-3)
        user.hands.scroll(3 * views)
    user.hands.scroll(-3 * views)
