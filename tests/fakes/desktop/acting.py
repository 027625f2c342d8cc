"""A scripted user whose hands only keep what they did, at windows in which whatever is asked for opens and closes."""

import random
from typing import Any, cast

from demo.virtual_desktop.hands import Hands, ScriptLog
from demo.virtual_desktop.user import ScriptedUser
from demo.virtual_desktop.windows import WindowInfo, Windows
from storage.clock import NS_PER_S, ManualClock
from storage.records import Box

OPENED = Box(300, 200, 250, 320)


class KeptHands:
    """Hands on no display; `done` is what they did, and time passes as they say."""

    def __init__(self, seed: int, clock: ManualClock) -> None:
        self.rng = random.Random(seed)
        self.done: list[tuple[Any, ...]] = []
        self.at = (0, 0)
        self._clock = clock

    def about(self, median: float, spread: float = 0.35) -> float:
        return median

    def wait(self, seconds: float) -> None:
        self._clock.advance(max(1, int(seconds * NS_PER_S)))

    def pause(self, seconds: float, why: str) -> None:
        self.wait(seconds)

    def chord(self, keys: str) -> None:
        self.done.append(("chord", keys))

    def repeat(self, keys: str, count: int, *, gap_s: float = 0.25) -> None:
        self.done.append(("repeat", keys, count))

    def text(self, text: str, *, rate: float = 6.0) -> None:
        self.done.append(("text", text))

    def click(self, x: int, y: int, *, count: int = 1) -> None:
        self.done.append(("click", x, y, count))

    def move(self, x: int, y: int) -> None:
        self.done.append(("move", x, y))

    def drag(self, start: tuple[int, int], end: tuple[int, int]) -> None:
        self.done.append(("drag", start, end))

    def scroll(self, steps: int) -> None:
        self.done.append(("scroll", steps))


class OpenUser(ScriptedUser):
    """Finds every menu and dialog open, and gone."""

    def write(self, text: str, *, rate: float | None = None) -> None:
        self.hands.text(text)

    def open_menu(self, x: int, y: int) -> WindowInfo:
        self.hands.click(x, y)
        return self.next_menu(x, y)

    def next_menu(self, x: int, y: int) -> WindowInfo:
        return WindowInfo(xid=1, app="fake", title="", pid=1, box=OPENED, popup=True)

    def wait_dialog(self, title: str) -> WindowInfo:
        return WindowInfo(xid=2, app="fake", title=title, pid=1, box=OPENED, popup=False)

    def close_menus(self) -> None:
        return

    def close_dialog(self, title: str) -> None:
        return

    def wait_title_gone(self, title: str) -> None:
        return


class NoWindows:
    """Windows of which none is there."""

    def find(self, app: str = "", title: str = "") -> None:
        return None

    def active(self) -> None:
        return None


def acting_user(seed: int) -> OpenUser:
    clock = ManualClock()
    hands = cast("Hands", KeptHands(seed, clock))
    return OpenUser(hands, cast("Windows", NoWindows()), cast("ScriptLog", None), clock=clock)
