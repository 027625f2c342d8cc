"""A guess at what a person is about: a short imperative goal from the names of what they touched. In memory only."""

from daemon.help.context import HelpContext
from storage.plain_text import quotable

MAX_NAME = 32
_CUT = "…"
AGAIN = 2
"""So often a control must have been used to be more than one among others."""


def guess_goal(context: HelpContext) -> str:
    """Return a goal such as "Use “Freeze Rows”"; empty where too little is known, or the person said it themselves.

    The names come from the screen: they are quoted, and cut. What is done again and again says most about what
    somebody wants; of equals the newest counts.
    """
    names = [name for name in (quotable(one, MAX_NAME) for one in context.controls) if name and _CUT not in name]
    if context.words:
        return ""
    if context.dialog:
        return _goal("Fill in", context.dialog)
    if context.undone and context.undone.count(context.undone[-1]) > 1:
        return _goal("Get right", context.undone[-1])
    most = max((names.count(name) for name in names), default=0)
    if most < AGAIN:
        return ""
    return _goal("Use", next(name for name in reversed(names) if names.count(name) == most))


def _goal(verb: str, name: str) -> str:
    quoted = quotable(name, MAX_NAME)
    return f"{verb} “{quoted}”" if quoted else ""
