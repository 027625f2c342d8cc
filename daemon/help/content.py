"""Chooses the page that an offer brings, and says what of it fits the screen. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from daemon.help.context import GroundedStep, HelpMatch
from daemon.help.grounding import ground_page
from storage.records import Element


@dataclass(frozen=True, slots=True, kw_only=True)
class FittingPage:
    """A page with its steps checked against the screen; `checked` is whether there was anything to check against."""

    match: HelpMatch
    steps: tuple[GroundedStep, ...]
    checked: bool

    @property
    def missing(self) -> tuple[int, ...]:
        """The numbers of the steps whose controls cannot be there."""
        return tuple(number for number, step in enumerate(self.steps) if step.missing)

    @property
    def steps_fit(self) -> tuple[int, ...]:
        """The numbers of the steps whose controls can be there."""
        return tuple(number for number, step in enumerate(self.steps) if not step.missing)


def choose_page(
    matches: Sequence[HelpMatch], elements: Sequence[Element], *, complete: bool = True
) -> FittingPage | None:
    """Return the best page that can be followed here; None if there is none.

    A page cannot be followed if it has no steps, or if nothing that its steps name can be there. Where the controls are
    not `complete`, one that was not seen may be there all the same.
    """
    for match in matches:
        steps = ground_page(match.page, elements)
        if not complete:
            steps = tuple(replace(step, missing=False) for step in steps)
        if any(not step.missing for step in steps):
            return FittingPage(match=match, steps=steps, checked=bool(elements) and complete)
    return None
