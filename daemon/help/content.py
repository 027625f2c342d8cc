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
    def is_in_sight(self) -> bool:
        """Whether the screen has a control that the steps name."""
        return any(step.element is not None for step in self.steps)

    @property
    def steps_fit(self) -> tuple[int, ...]:
        """The numbers of the steps whose controls can be there."""
        return tuple(number for number, step in enumerate(self.steps) if not step.missing)


def choose_page(
    matches: Sequence[HelpMatch],
    elements: Sequence[Element],
    *,
    complete: bool = True,
    instead: Sequence[HelpMatch] = (),
    typed: bool = False,
    in_dialog: bool = False,
) -> FittingPage | None:
    """Return the best page that can be followed here; None if there is none.

    A page cannot be followed if it has no steps, or if nothing that its steps name can be there. Where the controls are
    not `complete`, one that was not seen may be there all the same. Of a page none of whose controls is in sight only
    the search says that it belongs here, so one that has a control in sight comes before it, unless the search goes by
    words that were typed.

    Args:
        matches: what was found, best first.
        elements: the controls on the screen; empty where they are not known.
        complete: whether those are all.
        instead: general pages that fit, best first: for where none of `matches` has a control in sight.
        typed: whether the search goes by words that a person typed.
        in_dialog: whether the controls are those of a dialog: what it does not have comes once it is closed.
    """
    found = (_fitting(match, elements, complete=complete, in_dialog=in_dialog) for match in (*matches, *instead))
    pages = [page for page in found if page is not None]
    if typed:
        return next(iter(pages), None)
    return next((page for page in pages if page.is_in_sight), None) or next(iter(pages), None)


def _fitting(match: HelpMatch, elements: Sequence[Element], *, complete: bool, in_dialog: bool) -> FittingPage | None:
    """Return a page with its steps checked; None if it cannot be followed."""
    steps = ground_page(match.page, elements)
    if not complete or in_dialog:
        steps = tuple(replace(step, missing=False) for step in steps)
    if all(step.missing for step in steps):
        return None
    return FittingPage(match=match, steps=steps, checked=bool(elements) and complete)
