"""Joins commands of a program and pages of documentation to the candidates that answer typed words. Pure."""

import math
import re
from collections.abc import Callable, Sequence
from hashlib import blake2b

from daemon.help.commands.matching import CommandMatch, CommandMatches
from daemon.help.commands.words import LANGUAGES, language_of
from daemon.help.context import HelpMatch
from daemon.help.library.programs import program_of
from storage.ports import CandidateKind, Command, HelpCandidate, HelpPage, HelpStep
from storage.records import ControlState

COMMAND_ID = "command/"
"""How ids of pages begin that stand for a command."""

PAGE_WEIGHT, UNMATCHED_WEIGHT, EXPLAINING = 0.5, 2.5, 4.0
"""What the probability of a page counts for beside that of a command: a page comes first only where it is twice as
likely. Where words have no part in the best command it is the other way round; and so it is where somebody asks why,
what something means or about what fails, and wants to be told."""

COMMANDS_COUNT, LEAST_TOGETHER = 0.36, -1.5
"""What the log-odds that the list has an answer count beside those of the first page, and the least sum of both. Chosen
on people's questions, of which 13 have no answer: `kairos bench questions` counts how often nothing is found."""

LEAST_ALIKE, LEAST_SHOWN = 0.6, 0.15
"""A command that is no likelier than this is no answer: where words have no part in the best one and none is in its own
name or path, as with "Find" (a text) for "make text bold"; and any command at all."""

MAX_COMMANDS, MAX_PAGES = 5, 3
_DIGEST_SIZE = 8

Weight = Callable[[HelpPage, str], float]
"""Returns what an answer in a program counts for beside the others."""


def all_alike(page: HelpPage, app: str) -> float:  # noqa: ARG001  # whatever the page
    """Prefer no answer."""
    return 1.0


_WHY = re.compile(
    r"\b(why|what (is|are|does|do)|how (does|is|come)|means|errors?(?! bars?))\b"
    r"|\b(crash\w*|fail(s|ed|ing|ure)?|(is|are|looks?|seems?) broken|gr[ea]yed( out)?|hangs|stopped|cannot)\b"
    r"|\b((wo|ca|does|did|is|are)n[\u2019']?t|(will|can|does|did) not|not (work|print|open|sav|allow)\w*)\b"
    r"|\b(warum|wieso|weshalb|was (ist|sind|bedeutet)|fehler|fehlgeschlagen|ausgegraut|abgestürzt|stürzt|kaputt)\b"
    r"|\b(geht|gehen|funktionier\w+|klapp\w+|lässt|lassen|kann|druckt|öffnet|speichert)\b.{0,20}\bnicht\b"
    r"|#[A-Z]+[!?/]|\b(Err|E|HTTP)[ :-]?\d{2,}|\b0x[0-9a-fA-F]+",
    re.IGNORECASE,
)
_NAMES = {"libreoffice": "LibreOffice", "gimp": "GIMP"}


def join(  # noqa: PLR0917  # read like a sentence
    commands: CommandMatches,
    pages: Sequence[HelpMatch],
    words: str,
    app: str,
    key: bytes,
    weight_of: Weight = all_alike,
) -> tuple[HelpCandidate, ...]:
    """Return the candidates, best first: ordered by probability, that of a page weighted.

    Args:
        commands: what of the program matches, best first.
        pages: what of its documentation does, best first.
        words: what was typed.
        app: the program.
        key: of the session; ids of commands say nothing without it.
        weight_of: what else counts.
    """
    weight = UNMATCHED_WEIGHT if commands.unmatched else PAGE_WEIGHT
    weight = EXPLAINING if asks_for_explanation(words) else weight
    found = [(match.score, candidate_of(match, app, key)) for match in _answers_of(commands, words)[:MAX_COMMANDS]]
    found += [
        (match.score * weight, HelpCandidate(page=match.page, kind=CandidateKind.PAGE, score=match.score))
        for match in pages[:MAX_PAGES]
    ]
    order = sorted(found, key=lambda pair: -pair[0] * weight_of(pair[1].page, app))
    return tuple(candidate for _, candidate in order)


def is_answered(commands: CommandMatches, pages: Sequence[HelpMatch]) -> bool:
    """Tell whether commands and pages together are likely enough to answer: each was found for itself."""
    if not pages or commands.odds is None:
        return bool(pages or commands.matches)
    page = min(max(pages[0].score, 1e-6), 1 - 1e-6)
    return math.log(page / (1 - page)) + COMMANDS_COUNT * commands.odds >= LEAST_TOGETHER


def _answers_of(commands: CommandMatches, words: str) -> list[CommandMatch]:
    """Return the matches that answer, without the tool buttons of commands that are in a menu too."""
    answers = [
        match
        for match in commands.matches
        if match.score > LEAST_ALIKE
        or (match.score > LEAST_SHOWN and (not commands.unmatched or _is_named(match, words)))
    ]
    in_menus = {match.command.name.casefold() for match in commands.matches if len(match.command.path) > 1}
    return [match for match in answers if len(match.command.path) > 1 or match.command.name.casefold() not in in_menus]


def _is_named(match: CommandMatch, words: str) -> bool:
    """Return whether a word that was typed, or a form of it, is in the name or the path of a command."""
    path = " ".join(match.command.path)
    return any({*language_of(code).stems(words)} & {*language_of(code).stems(path)} for code in LANGUAGES)


def asks_for_explanation(words: str) -> bool:
    """Return whether somebody wants something explained rather than done."""
    return _WHY.search(words) is not None


def page_of(command: Command, app: str, key: bytes) -> HelpPage:
    """Return a command as a page of one step."""
    path = " > ".join(command.path)
    step = HelpStep(
        text=f"{path} ({command.keys})" if command.keys else path, controls=command.path if command.in_menu else ()
    )
    digest = blake2b("\n".join((app, *command.path)).encode(), key=key, digest_size=_DIGEST_SIZE)
    return HelpPage(
        page_id=f"{COMMAND_ID}{digest.hexdigest()}",
        title=command.name,
        steps=(step,),
        source=name_for_people(app),
        app=app,
    )


def name_for_people(app: str) -> str:
    """Return a program by a name that people know: "LibreOffice Calc" for "libreoffice-calc"."""
    words = program_of(app).replace("-", " ").replace("_", " ").split()
    return " ".join(_NAMES.get(word, word[:1].upper() + word[1:]) for word in words)


def candidate_of(match: CommandMatch, app: str, key: bytes) -> HelpCandidate:
    """Return a command as a candidate."""
    command = match.command
    return HelpCandidate(
        page=page_of(command, app, key),
        kind=CandidateKind.COMMAND,
        score=match.score,
        keys=command.keys,
        greyed=command.state is ControlState.DISABLED,
        on=command.state is ControlState.ON,
    )
