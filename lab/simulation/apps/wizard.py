"""A set-up in four steps: the third refuses to go on until a choice of the first is another."""

import random
from collections.abc import Sequence
from dataclasses import replace

from demo.virtual_desktop.sample_text import item
from lab.simulation.apps.app_program import AppProgram
from lab.simulation.apps.model import Effect, Event, Op, Refusals, described
from lab.simulation.tasks.task import Task

PAGES = ("kind", "folder", "parts", "ready")
KINDS = ("Quick", "Complete", "Custom")


class Wizard:
    """Next and Back, and one condition between two pages that nothing explains."""

    def __init__(self, rng: random.Random) -> None:
        self.succeeded = self.refused = 0
        self.page = 0
        self._refusals = Refusals(rng)
        self._needed = rng.choice(KINDS[1:])
        self.description = described("wizard", rng)

    @property
    def needed(self) -> int:
        """The number of the kind that lets one pass."""
        return KINDS.index(self._needed)

    def handle(self, event: Event) -> Sequence[Effect]:
        """Go on or back; the third page lets pass only one kind."""
        name, _, _ = event.control.partition("_")
        if name == "back":
            self.page = max(0, self.page - 1)
            return [Effect(op=Op.PAGE, control=PAGES[self.page])]
        if name != "next":
            return []
        if self.page == 2 and event.values.get("kind") != self._needed:  # noqa: PLR2004  # the third page
            self.refused += 1
            return [self._refusals.say("docs", "These parts are not available")]
        done = self.page == len(PAGES) - 1
        self.page = 0 if done else self.page + 1
        self.succeeded += done
        status = f"Done: {self.succeeded}" if done else ""
        return [
            *self._refusals.clear(("docs",)),
            Effect(op=Op.PAGE, control=PAGES[self.page]),
            Effect(op=Op.STATUS, text=status),
        ]


_PARTS = ("docs", "pictures", "mail")
_THIRD = 2


class WizardProgram(AppProgram):
    """The set-up in a toolkit."""

    app = "wizard"
    made = Wizard
    controls = ("kind", "hint", "label", "hidden", *_PARTS, "summary", "open", "next_0", "next_1", "next_2", "next_3")
    logic: Wizard

    _kind = 0

    def make_tasks(self) -> Sequence[Task]:
        """Return the tasks, whose help names the kind that lets one pass."""
        needed = KINDS[self.logic.needed]
        return tuple(replace(task, help=task.help.format(needed=needed)) for task in super().make_tasks())

    def work(self) -> None:
        """Set one thing up, from the first page to the last."""
        self._finish()

    def _press(self, name: str) -> None:
        self.desk.press(f"{name}_{self.logic.page}")
        self.desk.dismiss()

    def _to_first(self) -> None:
        while self.logic.page:
            self._press("back")

    def _choose_kind(self, kind: str) -> None:
        number = int(kind)
        self._to_first()
        if number != self._kind:
            self.desk.choose("kind", number - self._kind)
            self._kind = number

    def _to_third(self) -> None:
        """Come to the page that lets nobody pass, with a kind of which that is so."""
        if self._kind == self.logic.needed or self.logic.page > _THIRD:
            self._choose_kind("0")
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
        self._choose_kind(str(self.logic.needed))
        before = self.logic.succeeded
        for _ in range(4):
            self._press("next")
        self.expect_success(before, "the set-up was not finished")
