"""What calm people do in the applications has an effect each time: nothing is refused, and nobody goes back a page."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, cast

import pytest

from lab.simulation.apps.app_program import AppProgram
from lab.simulation.apps.model import AppLogic, Event, Kind, Op
from lab.simulation.simulated_user import SimulatedUser
from lab.simulation.tasks.plan import COURSES, is_trouble
from lab.simulation.tasks.registry import load_task_program
from lab.simulation.tasks.task import TaskScene
from tests.fakes.lab.task_program import fake_task_scene

CALM = sorted(name for name in COURSES if not is_trouble(name) and name != "one_slip")


class ShownDesk:
    """Shows an application to nobody: holds what its controls hold, and counts acts that changed none of it."""

    def __init__(self, user: SimulatedUser, logic: AppLogic) -> None:
        self.user, self.hands, self._logic = user, user.hands, logic
        pages = logic.description.pages
        self._controls = {
            control.name: (page.name, control) for page in pages for control in (*page.controls, *page.bar)
        }
        self._values = {name: control.value or control.text for name, (_, control) in self._controls.items()}
        self._page = pages[0].name
        self.main = cast("Any", None)
        self.in_vain = 0
        self.pressed: list[str] = []

    def press(self, name: str) -> None:
        """Press a control of the page that is shown."""
        assert self.shows(name), f"{name} is not on the page {self._page}"
        self.pressed.append(name)
        self.hands.wait(0.5)
        before = (self._page, dict(self._values))
        if self._controls[name][1].kind is Kind.CHECK:
            self._values[name] = "" if self._values[name] == "on" else "on"
        self._handle(name)
        self.in_vain += before == (self._page, self._values)

    def choose(self, name: str, steps: int) -> None:
        """Move a choice, which stops at its ends."""
        rows = self._controls[name][1].rows
        at = rows.index(self._values[name])
        now = rows[min(max(at + steps, 0), len(rows) - 1)]
        self.in_vain += now == self._values[name]
        self._values[name] = now
        self.hands.wait(0.8)
        self._handle(name)

    def fill(self, name: str, text: str) -> None:
        """Enter a text and confirm it."""
        assert self.shows(name)
        self._values[name] = text
        self.hands.wait(1.5)
        self._handle(name)

    def shows(self, name: str) -> bool:
        """Return whether a control is on the page that is shown."""
        return name in self._controls and self._controls[name][0] == self._page

    def box(self, name: str) -> None:
        """Look for a control."""
        assert self.shows(name)

    def points(self, names: Sequence[str]) -> Sequence[tuple[int, int]]:
        """Return as many places as anybody wants."""
        return [(100, 100)] * max(len(names), 6)

    def dismiss(self) -> None:
        """Nothing stands over the window."""

    def _handle(self, name: str) -> None:
        values: Mapping[str, str] = dict(self._values)
        for effect in self._logic.handle(Event(control=name, values=values)):
            if effect.op is Op.PAGE:
                self._page = effect.control
            elif effect.op in {Op.SET, Op.NOTE, Op.STATUS, Op.DIALOG}:
                self._values[effect.control or effect.op] = effect.text


@pytest.mark.parametrize("app", ["settings-qt", "wizard-qt"])
@pytest.mark.parametrize("course", CALM)
def test_what_calm_people_do_has_an_effect(app: str, course: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Some were turned down as often as who is stuck, and labelled calm."""
    for seed in range(8):
        scene = fake_task_scene(seed)
        program = load_task_program(app)(scene.user)
        assert isinstance(program, AppProgram)
        desk = ShownDesk(scene.user, program.logic)
        program.desk = cast("Any", desk)
        monkeypatch.setattr(program, "look_over", partial(scene.user.hands.wait, 1.0))  # no window
        tasks = program.tasks()
        calm = TaskScene(scene.user, program, scene.helpers)
        for number, name in enumerate((course, "works", course)):
            task = tasks[number % len(tasks)]
            scene.user.begin(60.0)
            task.begin()
            COURSES[name](calm, task)
        assert program.logic.refused == 0
        assert desk.in_vain == 0
        assert not any(name.startswith("back") for name in desk.pressed)


@pytest.mark.parametrize("app", ["settings-qt", "wizard-qt"])
def test_a_wrong_way_stays_wrong_after_a_success(app: str) -> None:
    """What was got right before does not help who is stuck later."""
    scene = fake_task_scene(3)
    program = load_task_program(app)(scene.user)
    assert isinstance(program, AppProgram)
    program.desk = cast("Any", ShownDesk(scene.user, program.logic))
    for task in program.tasks():
        task.succeed()
        done = program.logic.succeeded
        task.leave()
        task.begin()
        for way in task.wrong:
            for number in range(2):
                way.act(number)
        assert program.logic.refused > 0
        assert program.logic.succeeded == done
