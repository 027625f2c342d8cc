"""An user with real hands on no display, a program that only takes time, and helpers whose progress ends by itself.

The hands are the real ones, so pauses and pointer times are those of a person; the clock moves when they sleep.
"""

import random
from collections import Counter
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any, cast

from demo.virtual_desktop.desktop import VirtualDesktop
from demo.virtual_desktop.hands import Hands, ScriptLog
from demo.virtual_desktop.windows import WindowInfo, Windows
from lab.simulation.behaviors.behavior import Scene
from lab.simulation.persona import Persona
from lab.simulation.program import Helpers, Point, Program
from lab.simulation.simulated_user import SimulatedUser
from storage.clock import NS_PER_S, ManualClock, SystemClock
from storage.records import Box

MEDIAN = Persona(
    person=0,
    keys_per_s=5.0,
    slips=0.02,
    pause=1.0,
    hand=1.0,
    keyboard=0.5,
    patience=1.0,
    temper=0.5,
    fidget=0.3,
    checks=0.4,
    erases=0.4,
)
_MENU_BAR = 60
_MENU = Box(100, _MENU_BAR, 200, 300)


class SleepClock(ManualClock):
    """A clock on which sleeping is moving it."""

    def sleep_s(self, seconds: float) -> None:
        self.advance(max(1, round(seconds * NS_PER_S)))


class FakeLog:
    """Knows the time and keeps what was written."""

    def __init__(self, clock: ManualClock) -> None:
        self.clock = clock
        self.lines: list[tuple[int, str]] = []

    def write(self, kind: str, **facts: object) -> int:
        self.lines.append((self.clock.now_ns(), kind))
        return self.clock.now_ns()


class FakeWindows:
    """One window in front, and a menu while one is open."""

    def __init__(self) -> None:
        self.menus = 0
        self.open = False

    def active(self) -> WindowInfo:
        return WindowInfo(xid=1, app="fake", title="fake", pid=1, box=Box(100, 60, 1600, 900), popup=False)

    def popups(self) -> list[WindowInfo]:
        menu = WindowInfo(xid=10 + self.menus, app="fake", title="", pid=1, box=_MENU, popup=True)
        return [menu] if self.open else []


class FakeHands(Hands):
    """Real hands whose events go without_folder but to the menus of `FakeWindows`."""

    def __init__(self, log: FakeLog, rng: random.Random, clock: SleepClock, windows: FakeWindows) -> None:
        pointer = SimpleNamespace(root_x=960, root_y=540)
        screen = SimpleNamespace(root=SimpleNamespace(query_pointer=lambda: pointer))
        display = SimpleNamespace(
            screen=lambda: screen, sync=lambda: None, keysym_to_keycodes=lambda symbol: [(10, 0)] if symbol else []
        )
        super().__init__(cast("Any", display), cast("ScriptLog", log), rng, cast("SystemClock", clock))
        self._shown = windows

    def _fake(self, kind: int, detail: int, x: int = 0, y: int = 0) -> None:
        return

    def click(self, x: int, y: int, *, count: int = 1) -> None:
        super().click(x, y, count=count)
        self._menu_at(y, opens=True)

    def move(self, x: int, y: int) -> None:
        super().move(x, y)
        self._menu_at(y, opens=self._shown.open)

    def chord(self, keys: str) -> None:
        super().chord(keys)
        if keys == "Escape":
            self._shown.open = False

    def _menu_at(self, y: int, *, opens: bool) -> None:
        if y < _MENU_BAR:
            self._shown.open = opens
            self._shown.menus += 1


class FakeProgram:
    """A program in which everything takes as long as its contract allows and nothing else happens."""

    name = "fake"
    packages = ""

    def __init__(self, user: SimulatedUser, *, menu_windows: bool = True) -> None:
        self.user = user
        self.calls: Counter[str] = Counter()
        self.dialog_open = False
        self._menu_windows = menu_windows

    def _take(self, name: str, shortest: float, longest: float) -> None:
        assert not self.dialog_open or name.endswith("dialog"), f"{name} under an open dialog"
        self.calls[name] += 1
        self.user.hands.wait(self.user.rng.uniform(shortest, longest))

    def open(self, desktop: VirtualDesktop) -> None:
        self._take("open", 1.0, 2.0)

    def settle(self) -> None:
        self.dialog_open = False
        self._take("settle", 0.2, 1.0)

    def compose(self) -> None:
        self._take("compose", 3.0, 8.0)

    def adjust(self) -> None:
        self._take("adjust", 2.0, 6.0)

    def expert(self) -> None:
        self._take("expert", 3.0, 6.0)

    def repeat_useful(self) -> None:
        self._take("repeat_useful", 2.0, 5.0)

    def save(self) -> None:
        self._take("save", 0.3, 3.0)

    def page(self, direction: int) -> None:
        assert direction in {1, -1}
        self._take("page", 0.3, 2.0)

    def overview(self) -> None:
        self._take("overview", 1.0, 4.0)

    def content_points(self) -> Sequence[Point]:
        return [(300 + 120 * number, 300 + 60 * number) for number in range(8)]

    def tool_points(self) -> Sequence[Point]:
        return [(200 + 40 * number, 100) for number in range(8)]

    def menu_points(self) -> Sequence[Point]:
        return [(120 + 60 * number, 40) for number in range(6)]

    def has_menu_windows(self) -> bool:
        return self._menu_windows

    def dead_points(self) -> Sequence[Point]:
        return [(500, 980), (1500, 100)]

    def change(self) -> int:
        self._take("change", 1.0, 4.0)
        return self.user.rng.randint(1, 3)

    def toggle(self, *, anew: bool) -> None:
        self._take("toggle", 0.4 + anew, 1.0 + 2.0 * anew)

    def undo(self, times: int) -> None:
        assert times > 0
        self._take("undo", 0.5 * times, 0.6 * times)

    def redo(self, times: int) -> None:
        assert times > 0
        self._take("redo", 0.5 * times, 0.6 * times)

    def enter_value(self) -> None:
        self._take("enter_value", 1.5, 4.0)

    def revise_value(self) -> None:
        self._take("revise_value", 1.5, 4.0)

    def drag(self) -> None:
        self._take("drag", 1.0, 3.0)

    def open_dialog(self) -> None:
        assert not self.dialog_open
        self._take("open_dialog", 0.7, 2.0)
        self.dialog_open = True

    def use_dialog(self) -> None:
        assert self.dialog_open
        self._take("use_dialog", 1.0, 4.0)

    def leave_dialog(self, *, apply: bool) -> None:
        assert self.dialog_open
        self._take("leave_dialog", 0.3, 1.0)
        self.dialog_open = False


class FakeHelpers:
    """Pages that take time to come, and progress that ends when its time is over."""

    def __init__(self, user: SimulatedUser) -> None:
        self.user = user
        self.calls: Counter[str] = Counter()
        self._over_ns = 0

    def _take(self, name: str, shortest: float, longest: float) -> None:
        self.calls[name] += 1
        self.user.hands.wait(self.user.rng.uniform(shortest, longest))

    def open_brief(self) -> None:
        self._take("open_brief", 0.5, 2.0)

    def open_help(self) -> None:
        self._take("open_help", 0.5, 2.0)

    def search_help(self) -> None:
        self._take("search_help", 3.0, 7.0)

    def open_result(self) -> None:
        self._take("open_result", 1.0, 2.0)

    def back_to_work(self) -> None:
        self._take("back_to_work", 0.4, 1.5)

    def start_progress(self, seconds: float, *, kind: str) -> None:
        assert kind in {"dialog", "page", "terminal", "frozen"}
        self._take("start_progress", 0.3, 1.0)
        self._over_ns = self.user.clock.now_ns() + int(seconds * NS_PER_S)

    def progress_is_over(self) -> bool:
        return self.user.clock.now_ns() >= self._over_ns


def fake_scene(seed: int, *, persona: Persona = MEDIAN, menu_windows: bool = True) -> Scene:
    """Return an user in a fake program; the same seed is the same scene."""
    clock = SleepClock()
    log = FakeLog(clock)
    windows = FakeWindows()
    hands = FakeHands(log, random.Random(seed), clock, windows)
    user = SimulatedUser(hands, cast("Windows", windows), cast("ScriptLog", log), clock=clock, persona=persona)
    program: Program = cast("Program", FakeProgram(user, menu_windows=menu_windows))
    helpers: Helpers = FakeHelpers(user)
    return Scene(user=user, program=program, helpers=helpers)
