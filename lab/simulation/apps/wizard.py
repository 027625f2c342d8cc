"""A set-up in four steps: the third refuses to go on until a choice of the first is another."""

import random
from collections.abc import Callable, Sequence
from functools import partial

from demo.virtual_desktop.sample_text import item
from lab.simulation.apps.app_program import AppProgram, Toolkit
from lab.simulation.apps.model import (
    AppDescription,
    Control,
    Effect,
    Event,
    Kind,
    Op,
    Page,
    Refusals,
    look_of,
)
from lab.simulation.simulated_user import SimulatedUser
from lab.simulation.tasks.task import Answer, Task, Way

PAGES = ("kind", "folder", "parts", "ready")
KINDS = ("Quick", "Complete", "Custom")


class Wizard:
    """Next and Back, and one condition between two pages that nothing explains."""

    def __init__(self, rng: random.Random) -> None:
        """Draw title, look and how a refusal is said."""
        self.succeeded = self.refused = 0
        self.page = 0
        self._refusals = Refusals(rng)
        self._needed = rng.choice(KINDS[1:])
        title = rng.choice(("Set-up", "New project", "Import of photos", "Backup plan"))

        def bar(number: int) -> tuple[Control, ...]:
            return (
                Control(name=f"back_{number}", kind=Kind.BUTTON, text="Back"),
                Control(name=f"next_{number}", kind=Kind.BUTTON, text="Finish" if number == 3 else "Next"),  # noqa: PLR2004  # the last page
            )

        self.description = AppDescription(
            title=title,
            pages=(
                Page(
                    name="kind",
                    controls=(
                        Control(name="t0", kind=Kind.HEADING, text=f"{title}: kind"),
                        Control(name="kind", kind=Kind.CHOICE, text="Kind", rows=KINDS, value=KINDS[0]),
                        Control(name="hint", kind=Kind.LABEL, text="You can change this later."),
                    ),
                    bar=bar(0),
                ),
                Page(
                    name="folder",
                    controls=(
                        Control(name="t1", kind=Kind.HEADING, text=f"{title}: name"),
                        Control(name="label", kind=Kind.ENTRY, text="Name", value="Plan 1"),
                        Control(name="hidden", kind=Kind.CHECK, text="Hidden"),
                    ),
                    bar=bar(1),
                ),
                Page(
                    name="parts",
                    controls=(
                        Control(name="t2", kind=Kind.HEADING, text=f"{title}: parts"),
                        Control(name="docs", kind=Kind.CHECK, text="Documents", value="on"),
                        Control(name="pictures", kind=Kind.CHECK, text="Pictures"),
                        Control(name="mail", kind=Kind.CHECK, text="Mail"),
                    ),
                    bar=bar(2),
                ),
                Page(
                    name="ready",
                    controls=(
                        Control(name="t3", kind=Kind.HEADING, text=f"{title}: ready"),
                        Control(name="summary", kind=Kind.LABEL, text="Everything is chosen."),
                        Control(name="open", kind=Kind.CHECK, text="Open it afterwards"),
                    ),
                    bar=bar(3),
                ),
            ),
            look=look_of(rng),
        )

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
