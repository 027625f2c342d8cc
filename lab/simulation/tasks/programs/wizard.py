"""People at the set-up: Next is refused on the third page, and the reason lies on the first."""

from collections.abc import Callable, Sequence
from functools import partial

from demo.virtual_desktop.sample_text import item
from lab.simulation.simulated_user import SimulatedUser
from lab.simulation.tasks.apps.wizard import KINDS, Wizard
from lab.simulation.tasks.programs.app_program import AppProgram, Toolkit
from lab.simulation.tasks.task import Answer, Task, Way

_PARTS = ("docs", "pictures", "mail")
_THIRD = 2


class WizardProgram(AppProgram):
    """The set-up in a toolkit."""

    controls = ("kind", "hint", "label", "hidden", *_PARTS, "summary", "open", "next_0", "next_1", "next_2", "next_3")
    logic: Wizard

    def __init__(self, user: SimulatedUser, toolkit: Toolkit) -> None:
        """Let `user` set something up."""
        super().__init__(user, toolkit, Wizard)
        self.name = f"wizard-{toolkit}"
        self._kind = 0

    def make_tasks(self) -> Sequence[Task]:
        """Return the two ideas that people have of the refusal: the parts, or the name."""
        return (self._task("parts", self._other_parts), self._task("label", self._other_label))

    def _task(self, name: str, idea: Callable[[int], None]) -> Task:
        return Task(
            name=name,
            intent="finish the set-up",
            help=f"go back to the first page and choose {KINDS[self.logic.needed]}",
            begin=self._to_third,
            succeed=self._finish,
            leave=self._to_first,
            again=self._finish,
            options=tuple(partial(self._choose_kind, number) for number in range(len(KINDS))),
            wrong=(
                Way(name=name, act=idea, answer=Answer.REFUSED, systematic=True),
                Way(name="next", act=self._next_again, answer=Answer.REFUSED),
                Way(name="round", act=self._back_and_forth, answer=Answer.REFUSED),
            ),
        )

    def work(self) -> None:
        """Set one thing up, from the first page to the last."""
        self._finish()

    def _press(self, name: str) -> None:
        self.desk.press(f"{name}_{self.logic.page}")
        self.desk.dismiss()

    def _to_first(self) -> None:
        while self.logic.page:
            self._press("back")

    def _choose_kind(self, number: int) -> None:
        self._to_first()
        if number != self._kind:
            self.desk.choose("kind", number - self._kind)
            self._kind = number

    def _to_third(self) -> None:
        if self._kind == self.logic.needed or self.logic.page > _THIRD:
            self._choose_kind(0)
        while self.logic.page < _THIRD:
            self._press("next")

    def _next_again(self, _number: int) -> None:
        self._press("next")

    def _back_and_forth(self, _number: int) -> None:
        self._press("back")
        self.desk.hands.wait(0.4)
        self._press("next")
        self._press("next")

    def _other_parts(self, number: int) -> None:
        self.desk.press(_PARTS[number % len(_PARTS)])
        self._press("next")

    def _other_label(self, _number: int) -> None:
        self._press("back")
        self.desk.fill("label", item(self.rng))
        self._press("next")
        self._press("next")

    def _finish(self) -> None:
        self._choose_kind(self.logic.needed)
        before = self.logic.succeeded
        for _ in range(4):
            self._press("next")
        self.expect_success(before, "the set-up was not finished")
