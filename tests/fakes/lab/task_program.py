"""A program with two tasks in which everything only takes time, and counts what was done."""

from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial

from demo.virtual_desktop.desktop import VirtualDesktop
from lab.simulation.program import Point
from lab.simulation.simulated_user import SimulatedUser
from lab.simulation.tasks.task import Answer, Task, TaskScene, Way
from tests.fakes.lab.program import fake_scene


class FakeTaskProgram:
    """Takes as long as its contract allows and nothing else happens."""

    name = "fake"
    packages = ""

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


def fake_task_scene(seed: int) -> TaskScene:
    """Return a scene with the fake program and helpers that only take time."""
    scene = fake_scene(seed)
    return TaskScene(scene.user, FakeTaskProgram(scene.user), scene.helpers)
