"""What an offer brings that nobody asked for, where the commands of the program are known. Pure."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import cached_property

from daemon.help.commands.command import Command, CommandList
from daemon.help.commands.matching import CommandMatch, CommandMatcher
from daemon.help.commands.words import guess_language, language_of, words_of
from daemon.help.content import FittingPage
from daemon.help.context import HelpContext, HelpMatch
from daemon.help.library.general import FIND_COMMAND, WHAT_FOR_PAGE
from daemon.help.sought import LANGUAGE, Name, sought_help
from storage.ports import HelpPage
from storage.records import ControlRole

CANDIDATES, LEAST_BEHIND = 8, 0.18
"""Pages that are weighed: so many, and behind the first such that help with this probability."""

USED, NOT_THERE = 0.6, 0.95
"""What a page counts all of whose commands have been used just now, and one that names none of this program: chosen on
the tuning half of `kairos bench content` (first page 0.52 to 0.57); on the other half nothing changed (0.42)."""

LEAST, ABOVE_PAGE, LEAST_SOUGHT = 0.4, 0.1, 0.5
"""A command is taken where it is likelier than this to be what a model's words mean, and so much likelier than the best
page is to help; or likelier than this to be sought, and than the page. The first two were chosen on the tuning half."""

NOT_KNOWING = frozenset({"menu_wandering", "dialog_loop", "hover_without_act", "help_resource"})
"""Topics of somebody who does not know the way, rather than one who fails: without a page or command they are asked."""

_TAKEN_BACK = frozenset({"value_flip_flop", "undo_bursts"})
"""Topics of somebody who makes a thing again and again: only the name of what they took back tells what is sought."""

_REFUSING = frozenset({ControlRole.ENTRY, ControlRole.CELL, ControlRole.SPIN_BUTTON, ControlRole.COMBO_BOX})
"""What may refuse an entry, or change it; a text takes all."""

QUESTION = FittingPage(match=HelpMatch(page=WHAT_FOR_PAGE, score=0.0), steps=(), checked=False)
"""What stands in place of a page where somebody is asked."""


class KnownCommands:
    """The commands of the program in front, what finds them by words, and each by its name."""

    def __init__(self, commands: CommandList) -> None:
        """Prepare; once for a list."""
        self.commands = commands
        self.named: dict[Name, list[Command]] = {}
        for command in commands.commands:
            self.named.setdefault(words_of(command.name), []).append(command)

    @cached_property
    def language(self) -> str:
        """The language of its names."""
        names = (name for command in self.commands.commands for name in command.path)
        return language_of(self.commands.language or guess_language(names)).code

    @cached_property
    def matcher(self) -> CommandMatcher:
        """What finds them, made once words are looked for: that takes a second on a busy machine."""
        return CommandMatcher(self.commands)

    def names_in(self, page: HelpPage) -> list[Name]:
        """Return the names of the commands that the steps of a page name by their path; what follows is in a dialog."""
        steps = (tuple(map(words_of, step.controls)) for step in page.steps if len(step.controls) > 1)
        return [name for name in map(self._last_of, steps) if name]

    def _last_of(self, names: Sequence[Name]) -> Name:
        """Return the name of the command that a path begins with, as deep as one is there; empty where none is."""
        for end in range(len(names), 1, -1):
            for command in self.named.get(names[end - 1], ()):
                left = map(words_of, command.path)
                if all(name in left for name in names[:end]):
                    return names[end - 1]
        return ()


def weigh(matches: Sequence[HelpMatch], context: HelpContext, known: KnownCommands, limit: int) -> list[HelpMatch]:
    """Return pages in the order in which they help in this program, with its commands known."""
    used = names_used(context)
    weighed = [replace(match, score=match.score * _weight(match.page, known, used)) for match in matches]
    return sorted(weighed, key=lambda match: -match.score)[:limit]


def wanted_command(context: HelpContext, known: KnownCommands, pages: Sequence[HelpMatch]) -> CommandMatch | None:
    """Return the command that a model's words mean, or else the one that seems to be sought.

    None where no other than those used just now is likely enough. `pages` are those that may help, best first.
    """
    used = names_used(context)
    page = pages[0].score if pages else 0.0
    for words in context.wanted:
        for match in known.matcher.match(words).matches:
            if match.score >= max(LEAST, page + ABOVE_PAGE) and words_of(match.command.name) not in used:
                return match
    tells = bool(context.undone) or _TAKEN_BACK.isdisjoint(context.evidence[:1])
    shares = sought_help().commands(context, known.named) if tells and known.language == LANGUAGE else {}
    name = max(shares.keys() - used, key=shares.__getitem__, default=None)
    if name is None or shares[name] < max(LEAST_SOUGHT, page):
        return None
    found = known.named[name]
    if len(found) > 1:  # of one name: the one in a menu that was used
        found = [command for command in found if not used.isdisjoint(map(words_of, command.path[:-1]))]
    return CommandMatch(command=found[0], score=shares[name]) if len(found) == 1 else None


def asks_what_for(context: HelpContext) -> bool:
    """Return whether somebody does not know the way, or tries things out in a text, and nothing says what is wrong."""
    tries = context.evidence[:1] == ("value_flip_flop",) and context.typed_in not in _REFUSING
    return (tries or not NOT_KNOWING.isdisjoint(context.evidence[:1])) and not context.messages


def is_question_better(fitting: FittingPage | None, context: HelpContext) -> bool:
    """Tell whether to ask what somebody looks for: no page fits, or only one on finding commands, as the field does."""
    if fitting is None:
        return asks_what_for(context)
    return fitting.match.page.page_id == FIND_COMMAND and not context.messages


def names_used(context: HelpContext) -> frozenset[Name]:
    """Return the names of what was used, undone or left just now."""
    return frozenset(words_of(name) for name in (*context.controls, *context.undone, context.dialog) if name)


def _weight(page: HelpPage, known: KnownCommands, used: Collection[Name]) -> float:
    names = known.names_in(page)
    if names:
        return USED if all(name in used for name in names) else 1.0
    return NOT_THERE if any(len(step.controls) > 1 for step in page.steps) else 1.0
