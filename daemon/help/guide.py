"""Follows a person through the steps of a page: which control comes next, and when a step is done. Pure."""

from collections.abc import Collection, Iterator
from dataclasses import replace

from daemon.help.grounding import LEAST, likeness
from storage.ports import HelpPage, HelpStep

AHEAD = 2
"""How many steps ahead an act still counts: somebody may know a step, or a shorter way."""


class Guide:
    """Where somebody is in a page. Steps without controls are theirs to judge, and are passed over."""

    def __init__(self, page: HelpPage, missing: Collection[int] = ()) -> None:
        """Begin at the first step that names a control; those `missing` are passed over too: theirs are not there."""
        self._steps = page.steps
        self._missing = missing
        self._step = -1
        self._control = 0
        self._next_step()

    @property
    def is_done(self) -> bool:
        """Whether there is nothing left to point at."""
        return self._step >= len(self._steps)

    @property
    def step(self) -> int:
        """The number of the step that is next; behind the last one once all are done."""
        return self._step

    @property
    def wanted(self) -> HelpStep | None:
        """What is left of that step, as a step of its own."""
        if self.is_done:
            return None
        step = self._steps[self._step]
        return replace(step, controls=step.controls[self._control :])

    @property
    def opened(self) -> str:
        """The control of that step that was used last, such as a menu; empty if none was."""
        return "" if self.is_done or not self._control else self._steps[self._step].controls[self._control - 1]

    def later(self) -> Iterator[tuple[int, HelpStep]]:
        """Yield the steps behind the one that is next, with their numbers, as far as they name controls."""
        for number in range(self._step + 1, len(self._steps)):
            if number not in self._missing and self._steps[number].controls:
                yield number, self._steps[number]

    def act(self, name: str) -> bool:
        """Note that a control was used; return whether that was what came next, or a little later."""
        for number in range(self._step, min(self._step + AHEAD, len(self._steps))):
            first = self._control if number == self._step else 0
            controls = self._steps[number].controls
            for at in range(first, len(controls)):
                if likeness(controls[at], name) >= LEAST:
                    self._step, self._control = number, at + 1
                    if self._control >= len(controls):
                        self._next_step()
                    return True
        return False

    def finish(self, number: int) -> None:
        """Note that a step is done without a use of its controls: by a click on a tab that only its text names."""
        self._step = number
        self._next_step()

    def _next_step(self) -> None:
        self._control = 0
        self._step += 1
        while self._step < len(self._steps) and (self._step in self._missing or not self._steps[self._step].controls):
            self._step += 1
