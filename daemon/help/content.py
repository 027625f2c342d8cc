"""Chooses the page that an offer brings, and says what of it fits the screen. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from daemon.help.context import GroundedStep, HelpMatch
from daemon.help.grounding import ground_page
from storage.ports import CandidateKind, HelpCandidate, HelpCandidates
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
    in_dialog: bool = False,
) -> FittingPage | None:
    """Return the best page that can be followed here; None if there is none.

    A page cannot be followed if it has no steps, or if nothing that its steps name can be there. Where the controls are
    not `complete`, one that was not seen may be there all the same. Of a page none of whose controls is in sight only
    the search says that it belongs here, so one that has a control in sight comes before it.

    Args:
        matches: what was found, best first.
        elements: the controls on the screen; empty where they are not known.
        complete: whether those are all.
        instead: general pages that fit, best first: for where none of `matches` has a control in sight.
        in_dialog: whether the controls are those of a dialog: what it does not have comes once it is closed.
    """
    found = (_fitting(match, elements, complete=complete, in_dialog=in_dialog) for match in (*matches, *instead))
    pages = [page for page in found if page is not None]
    return next((page for page in pages if page.is_in_sight), None) or next(iter(pages), None)


def fit_candidates(
    asked: HelpCandidates, chosen: str, elements: Sequence[Element], *, complete: bool, in_dialog: bool
) -> tuple[HelpCandidates, FittingPage | None]:
    """Return the candidates that can be followed here, and of these the chosen one or the best; None if there is none.

    Only a page that nobody chose cannot be: a program has the commands that it tells. The other arguments are as in
    `choose_page`.
    """
    kept: list[HelpCandidate] = []
    best: FittingPage | None = None
    for candidate in asked.candidates:
        match = HelpMatch(page=candidate.page, score=candidate.score)
        if candidate.kind is CandidateKind.COMMAND or candidate.page.page_id == chosen:
            fitting: FittingPage | None = fit_chosen(candidate, elements)
        else:
            fitting = _fitting(match, elements, complete=complete, in_dialog=in_dialog)
        if fitting is None:
            continue
        kept.append(candidate)
        if best is None or candidate.page.page_id == chosen:
            best = fitting
    return replace(asked, candidates=tuple(kept)), best


def fit_chosen(candidate: HelpCandidate, elements: Sequence[Element]) -> FittingPage:
    """Return a page that somebody chose, or a command: nothing that it names counts as missing."""
    steps = tuple(replace(step, missing=False) for step in ground_page(candidate.page, elements))
    return FittingPage(match=HelpMatch(page=candidate.page, score=candidate.score), steps=steps, checked=False)


def _fitting(match: HelpMatch, elements: Sequence[Element], *, complete: bool, in_dialog: bool) -> FittingPage | None:
    """Return a page with its steps checked; None if it cannot be followed."""
    steps = ground_page(match.page, elements)
    if not complete or in_dialog:
        steps = tuple(replace(step, missing=False) for step in steps)
    if all(step.missing for step in steps):
        return None
    return FittingPage(match=match, steps=steps, checked=bool(elements) and complete)
