"""People at the stock table: the edit mode is off, or the count is above a limit that nobody told them."""

from collections.abc import Sequence
from functools import partial

from lab.simulation.simulated_user import SimulatedUser
from lab.simulation.tasks.apps.stock import LIMIT, Stock
from lab.simulation.tasks.programs.app_program import AppProgram, Toolkit
from lab.simulation.tasks.task import Answer, Task, Way
from lab.simulation.tasks.ways import repeated

_SPELLINGS = ("{n}", "{n}.0", "{n},5", "1.{n}", "{n} pcs", "{n}+")


class StockProgram(AppProgram):
    """The stock table in a toolkit."""

    controls = ("rows", "count", "edit", "sort", "apply", "plus", "minus")

    def __init__(self, user: SimulatedUser, toolkit: Toolkit) -> None:
        """Let `user` keep a stock."""
        super().__init__(user, toolkit, Stock)
        self.name = f"stock-{toolkit}"
        self._editing = False

    def make_tasks(self) -> Sequence[Task]:
        """Return what can go wrong: buttons that are dead outside the edit mode, and a count beyond the limit."""
        shared = {"succeed": self._succeed, "again": self._set_count}
        sorts = tuple(partial(self.desk.choose, "sort", step) for step in (1, -1))
        return (
            Task(
                name="edit_mode",
                intent="change a count",
                help="turn the edit mode on",
                begin=partial(self._edit, on=False),
                leave=partial(self._edit, on=True),
                options=sorts,
                wrong=(
                    Way(name="apply", act=self._dead_apply, answer=Answer.NOTHING),
                    Way(name="plus", act=self._dead_plus, answer=Answer.NOTHING),
                    Way(name="rows", act=self._other_row, answer=Answer.NOTHING, systematic=True),
                ),
                **shared,
            ),
            Task(
                name="limit",
                intent="enter a delivery",
                help=f"enter it in parts: no count may be above {LIMIT}",
                begin=partial(self._edit, on=True),
                leave=partial(self._edit, on=True),
                options=sorts,
                wrong=(
                    Way(name="spellings", act=self._spell, answer=Answer.REFUSED, systematic=True),
                    repeated(self._enter, "1200", Answer.REFUSED),
                    Way(name="press", act=self._press_apply, answer=Answer.REFUSED),
                ),
                **shared,
            ),
        )

    def work(self) -> None:
        """Set a count or two, or count one up by steps."""
        self._edit(on=True)
        if self.user.chance(0.4):
            self._pick()
            self.user.several(self.user.count(3, 7), lambda: self.desk.press(self._step), 0.3)
        else:
            self._set_count()

    @property
    def _step(self) -> str:
        return "plus" if self.rng.random() < 0.8 else "minus"  # noqa: PLR2004  # mostly up

    def _edit(self, *, on: bool) -> None:
        if self._editing != on:
            self.desk.press("edit")
            self._editing = on

    def _pick(self) -> None:
        self.desk.row("rows", self.rng.randint(0, 5))

    def _set_count(self) -> None:
        self._edit(on=True)
        before = self.logic.succeeded
        self._pick()
        self.desk.fill("count", str(self.rng.randint(3, LIMIT - 1)))
        self._press_apply(0)
        self.expect_success(before, "the count was refused")

    def _succeed(self) -> None:
        self._set_count()

    def _press_apply(self, _number: int) -> None:
        self.desk.press("apply")
        self.desk.dismiss()

    def _dead_apply(self, number: int) -> None:
        if number == 0 or self.user.chance(0.3):
            self._pick()
            self.desk.fill("count", str(self.rng.randint(3, 90)))
        for _ in range(self.user.count(1, 3)):
            self.desk.press("apply")

    def _dead_plus(self, _number: int) -> None:
        for _ in range(self.user.count(1, 4)):
            self.desk.press("plus")
            self.desk.hands.wait(self.desk.hands.about(0.5))

    def _other_row(self, _number: int) -> None:
        self._pick()
        self.desk.press(self.rng.choice(("plus", "apply")))

    def _spell(self, number: int) -> None:
        self._enter(_SPELLINGS[(number + 1) % len(_SPELLINGS)].format(n=self.rng.randint(510, 990)))

    def _enter(self, text: str) -> None:
        self._pick()
        self.desk.fill("count", text)
        self._press_apply(0)
