"""A person with real hands on no display, a program with two tasks, and helpers, in which everything only takes time.

The hands are the real ones, so pauses and pointer times are those of a person; the clock moves when they sleep.
"""

import random
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from types import SimpleNamespace
from typing import Any, cast

from demo.virtual_desktop.desktop import VirtualDesktop
from demo.virtual_desktop.hands import Hands, ScriptLog
from demo.virtual_desktop.windows import Point
from lab.simulation.persona import Persona
from lab.simulation.simulated_user import SimulatedUser
from lab.simulation.tasks.task import Answer, Task, TaskScene, Way
from storage.clock import NS_PER_S, ManualClock, SystemClock

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


class SleepClock(ManualClock):
    """A clock on which sleeping is moving it."""

    def sleep_s(self, seconds: float) -> None:
        self.advance(max(1, round(seconds * NS_PER_S)))


class FakeLog:
    """Knows the time and keeps what was written."""

    def __init__(self, clock: ManualClock) -> None:
        self.clock = clock
        self.lines: list[dict[str, Any]] = []

    def write(self, kind: str, **facts: object) -> int:
        now_ns = self.clock.now_ns()
        self.lines.append({"kind": kind, "t_ns": now_ns, **facts})
        return now_ns


class FakeHands(Hands):
    """Real hands whose events go nowhere."""

    def __init__(self, log: FakeLog, rng: random.Random, clock: SleepClock) -> None:
        pointer = SimpleNamespace(root_x=960, root_y=540)
        screen = SimpleNamespace(root=SimpleNamespace(query_pointer=lambda: pointer))
        display = SimpleNamespace(
            screen=lambda: screen, sync=lambda: None, keysym_to_keycodes=lambda symbol: [(10, 0)] if symbol else []
        )
        super().__init__(cast("Any", display), cast("ScriptLog", log), rng, cast("SystemClock", clock))

    def _fake(self, kind: int, detail: int, x: int = 0, y: int = 0) -> None:
        return


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

    def take_note(self) -> None:
        self._take("take_note", 3.0, 6.0)

    def open_help(self) -> None:
        self._take("open_help", 0.5, 2.0)

    def search_help(self) -> None:
        self._take("search_help", 3.0, 7.0)

    def open_result(self) -> None:
        self._take("open_result", 1.0, 2.0)

    def back_to_work(self) -> None:
        self._take("back_to_work", 0.4, 1.5)

    def start_progress(self, seconds: float, *, kind: str) -> None:
        assert kind in {"dialog", "terminal"}
        self._take("start_progress", 0.3, 1.0)
        self._over_ns = self.user.clock.now_ns() + int(seconds * NS_PER_S)

    def progress_is_over(self) -> bool:
        return self.user.clock.now_ns() >= self._over_ns


class FakeTaskProgram:
    """Takes as long as its contract allows and nothing else happens."""

    name = "fake"
    packages = ""
    redo = "ctrl+y"

    def __init__(self, user: SimulatedUser) -> None:
        self.user = user
        self.calls: Counter[str] = Counter()
        self.order: list[str] = []
        self._tasks = tuple(self._task(name) for name in ("one", "two"))

    def take(self, what: str, seconds: float) -> None:
        self.calls[what] += 1
        self.order.append(what)
        self.user.hands.wait(seconds)

    def open(self, desktop: VirtualDesktop) -> None:
        self.take("open", 1.0)

    def settle(self) -> None:
        self.take("settle", 0.3)

    def work(self) -> None:
        self.take("work", 5.0)

    def look_over(self) -> None:
        self.take("look_over", 1.0)

    def places(self) -> Sequence[Point]:
        return [(100 + 30 * number, 300) for number in range(6)]

    def tasks(self) -> Sequence[Task]:
        return self._tasks

    def _task(self, name: str) -> Task:
        def act(what: str, seconds: float) -> Callable[[], None]:
            return partial(self.take, f"{name}.{what}", seconds)

        def way(what: str, answer: Answer, *, systematic: bool = False) -> Way:
            return Way(
                name=what,
                act=lambda _: self.take(f"{name}.{what}", 2.0),
                answer=answer,
                take_back=act("take_back", 0.5) if answer is Answer.OTHER else None,
                systematic=systematic,
            )

        return Task(
            name=name,
            intent=f"do {name}",
            help=f"this is how {name} is done",
            begin=act("begin", 3.0),
            succeed=act("succeed", 4.0),
            leave=act("leave", 1.0),
            again=act("again", 3.0),
            options=(act("left", 1.0), act("right", 1.0)),
            wrong=(
                way("dead", Answer.NOTHING),
                way("refused", Answer.REFUSED),
                way("other", Answer.OTHER),
                way("edit", Answer.ERROR, systematic=True),
            ),
        )


def fake_task_scene(seed: int, *, persona: Persona = MEDIAN) -> TaskScene:
    """Return a person in the fake program; the same seed is the same scene."""
    clock = SleepClock()
    log = FakeLog(clock)
    hands = FakeHands(log, random.Random(seed), clock)
    user = SimulatedUser(hands, cast("Any", None), cast("ScriptLog", log), clock=clock, persona=persona)
    return TaskScene(user, FakeTaskProgram(user), FakeHelpers(user))
