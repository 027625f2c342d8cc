"""What a search for help starts from, and what it gives. In memory only, never stored."""

from dataclasses import dataclass

from daemon.help.commands.command import Meant
from storage.ports import HelpPage, HelpStep
from storage.records import ControlRole, Element, Focus, GoalKind, State

CAME_BACK = "came_back"
"""Stands first among the evidence where an error has come back after somebody had acted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HelpContext:
    """What a search for help starts from: a moment of work in one program.

    All names and texts come from the screen: untrusted data. Lists are oldest first.

    Attributes:
        app: the program, as `Focus.app` names it.
        seen: whether a window of it was in front since watching began.
        title: the title of its window.
        dialog: the title of the dialog or menu that stands open.
        controls: names of the controls touched lately, and titles of the dialogs left.
        undone: labels of what was undone lately.
        messages: texts of errors, warnings and questions that stand there or came lately.
        errors: those of errors alone.
        typed_in: what was typed into last; None where that is not known.
        state: the estimated behavior state.
        evidence: evidence codes of the estimate, weightiest first.
        words: what the person typed when they asked for help themselves.
        goal: what they seem to be about, in words; a guess.
        wanted: what a model wrote of what would help now, and of the goal.
        meant: what the words may ask the program to do, with the share of each; empty where no commands are known.
    """

    app: str
    seen: bool = True
    title: str = ""
    dialog: str = ""
    controls: tuple[str, ...] = ()
    undone: tuple[str, ...] = ()
    messages: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()
    typed_in: ControlRole | None = None
    state: State | None = None
    evidence: tuple[str, ...] = ()
    words: str = ""
    goal: str = ""
    wanted: tuple[str, ...] = ()
    meant: Meant = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class GoalClue:
    """What names on the screen say somebody is about: the digest of the name, and a phrase that quotes it."""

    kind: GoalKind
    digest: str
    words: str


@dataclass(frozen=True, slots=True, kw_only=True)
class HelpMatch:
    """A page that was found; `score` is the estimated probability that it would help.

    `evidence`: what speaks for it where words were typed, as `library.asked.FEATURES` names it.
    """

    page: HelpPage
    score: float
    evidence: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class GroundedStep:
    """A step checked against the screen: the element of its first control that is there now; None if none is.

    `missing`: none of its controls can be there as the program stands, so the step does not fit. `greyed`: it is there,
    and takes no click now; then there is no element to point at.
    """

    step: HelpStep
    element: Element | None = None
    missing: bool = False
    greyed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class HelpMoment:
    """What a model may know of the moment that help was searched for, beside a picture.

    Attributes:
        context: what the search started from.
        pages: those that were found, best first; also ones that do not fit the screen.
        elements: the controls of the window then; empty where they could not be had.
        window: the window in front then.
    """

    context: HelpContext
    pages: tuple[HelpPage, ...] = ()
    elements: tuple[Element, ...] = ()
    window: Focus | None = None
