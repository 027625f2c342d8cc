"""Joins commands of a program and pages of documentation to the candidates that answer typed words. Pure."""

import json
import math
import re
from collections.abc import Callable, Collection, Sequence
from functools import cache
from hashlib import blake2b
from importlib.resources import files
from itertools import combinations_with_replacement

import numpy as np
from numpy.typing import NDArray

from daemon.help.commands.matching import EVIDENCE, CommandMatch, CommandMatches
from daemon.help.commands.words import LANGUAGES, language_of, words_of
from daemon.help.context import HelpMatch
from daemon.help.library.asked import FEATURES
from daemon.help.library.pages import control_name
from daemon.help.programs import program_of
from storage.ports import CandidateKind, Command, HelpCandidate, HelpPage, HelpStep
from storage.records import ControlState

COMMAND_ID = "command/"
"""How ids of pages begin that stand for a command."""

_PAIRED = (*EVIDENCE, "odds")
COMMAND_FEATURES = (
    *("command", "likely", "explained", "unmatched", "share_unmatched", "odds", "first", "named_by_pages"),
    *("*".join(names) for names in combinations_with_replacement(_PAIRED, 2)),
)
PAGE_FEATURES = ("page_likely", "page_first", "names_commands", *FEATURES)
"""What speaks for a command beside pages, and for a page beside commands; the one may name the other."""

ANSWER_FEATURES = ("constant", "page_likely", "odds", "question", "words", "said")
"""What tells whether commands and pages together answer at all: the first page, how near it is, and the log-odds that
the list has an answer."""

SURE_PAGE = 0.8
"""From here on a page answers by itself, also what no command does: "remove duplicates" in Calc 7.4."""

LEAST_ALIKE, LEAST_SHOWN = 0.6, 0.15
"""A command that is no likelier than this is no answer: where many words have no part in the best one and none is in
its own name or path, as with "Find" (a text) for "make text bold"; and any command at all."""
_UNKNOWN = 4
"""One word in so many may have no part in what answers."""

MAX_COMMANDS, MAX_PAGES, WEIGHED = 5, 3, 8
LEAST_SHARE = 0.02
"""What is less likely than this beside the others is not shown."""
_MOST_ODDS, _MOST_LIKELY = 6.0, 1e-4
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
    if not (pages and pages[0].evidence):  # commands alone, or general pages
        found = [candidate_of(match, app, key) for match in _answers_of(commands, words)[:MAX_COMMANDS]]
        found += [_candidate(match) for match in pages[:MAX_PAGES]]
        return tuple(sorted(found, key=lambda candidate: -candidate.score * weight_of(candidate.page, app)))
    likeliest = weighed(commands)
    found = [*(candidate_of(match, app, key) for match in likeliest), *map(_candidate, pages[:WEIGHED])]
    totals = features_of(commands, pages, words) @ _weights()
    totals += np.log([weight_of(candidate.page, app) for candidate in found])
    if commands.odds == math.inf:  # in the order in which they match
        totals[: len(likeliest)] = totals.max() - np.arange(len(likeliest))
    shares = np.exp(totals - totals.max())
    shares /= shares.sum()
    left = {CandidateKind.COMMAND: MAX_COMMANDS, CandidateKind.PAGE: MAX_PAGES}
    shown = []
    for place in np.argsort(-shares, kind="stable").tolist():
        left[found[place].kind] -= 1
        if left[found[place].kind] >= 0 and shares[place] >= LEAST_SHARE:
            shown.append(found[place])
    return tuple(shown)


def _candidate(match: HelpMatch) -> HelpCandidate:
    return HelpCandidate(page=match.page, kind=CandidateKind.PAGE, score=match.score)


@cache
def _weights() -> NDArray[np.float64]:
    """Return what each feature counts, fitted by `kairos bench questions --fit`."""
    found = json.loads((files("daemon.help") / "data" / "joined.json").read_text(encoding="utf-8"))
    return np.array([found[name] for name in (*COMMAND_FEATURES, *PAGE_FEATURES)])


@cache
def _answer_weights() -> Sequence[float]:
    """Return what each of `ANSWER_FEATURES` counts, fitted by `kairos bench questions --fit`."""
    found = json.loads((files("daemon.help") / "data" / "answered.json").read_text(encoding="utf-8"))
    return [found[name] for name in ANSWER_FEATURES]


def weighed(commands: CommandMatches) -> Sequence[CommandMatch]:
    """Return the commands that are weighed against pages."""
    return _in_menus_once(commands.likeliest)[:WEIGHED]


def features_of(commands: CommandMatches, pages: Sequence[HelpMatch], words: str) -> NDArray[np.float64]:
    """Return what speaks for the likeliest commands, then for the first pages: a row each."""
    likeliest, pages = weighed(commands), pages[:WEIGHED]
    named_in = list(map(names_in, pages))
    names = [control_name(match.command.name) for match in likeliest]
    explained, missed = float(asks_for_explanation(words)), len(commands.unmatched)
    odds = _odds(commands)
    rows = np.zeros((len(likeliest) + len(pages), len(COMMAND_FEATURES) + len(PAGE_FEATURES)))
    for row, match, name in zip(rows, likeliest, names, strict=False):
        named = sum(page.score for page, others in zip(pages, named_in, strict=True) if name in others)
        missed_share = missed / max(len(words_of(words)), 1)
        is_first = float(match is likeliest[0])
        paired = combinations_with_replacement((*match.evidence, odds / _MOST_ODDS), 2)
        row[: len(COMMAND_FEATURES)] = (
            *(1.0, _log_odds(match.score), explained, float(missed > 0), missed_share, odds, is_first, named),
            *(first * second for first, second in paired),
        )
    for row, page, others in zip(rows[len(likeliest) :], pages, named_in, strict=True):
        is_first = float(page is pages[0])
        row[len(COMMAND_FEATURES) :] = (_log_odds(page.score), is_first, _named(likeliest, others), *page.evidence)
    return rows


def is_answered(commands: CommandMatches, pages: Sequence[HelpMatch]) -> bool:
    """Tell whether commands and pages together are likely enough to answer: each was found for itself."""
    if not (pages and pages[0].evidence) or commands.odds in {None, math.inf}:
        return bool(pages or commands.matches)
    return says_yes(answer_features(commands, pages), _answer_weights())


def says_yes(row: Sequence[float], weights: Sequence[float]) -> bool:
    """Tell whether values of `ANSWER_FEATURES` are those of an answer."""
    by_itself = row[ANSWER_FEATURES.index("page_likely")] >= _log_odds(SURE_PAGE)
    return by_itself or float(np.dot(row, weights)) >= 0


def answer_features(commands: CommandMatches, pages: Sequence[HelpMatch]) -> Sequence[float]:
    """Return the values of `ANSWER_FEATURES`."""
    first = dict(zip(FEATURES, pages[0].evidence, strict=True))
    return (1.0, _log_odds(pages[0].score), _odds(commands), *(first[name] for name in ANSWER_FEATURES[3:]))


def names_in(match: HelpMatch) -> Collection[str]:
    """Return the names of the controls that the steps of a page name."""
    return {control_name(name) for step in match.page.steps for name in step.controls}


def _named(likeliest: Sequence[CommandMatch], names: Collection[str]) -> float:
    """Return the share that commands with these names have, each name once."""
    found: dict[str, float] = {}
    for match in likeliest:
        found.setdefault(control_name(match.command.name), match.share)
    return sum(score for name, score in found.items() if name in names)


def _odds(commands: CommandMatches) -> float:
    return _MOST_ODDS if commands.odds is None else max(min(commands.odds, _MOST_ODDS), -_MOST_ODDS)


def _log_odds(score: float) -> float:
    score = min(max(score, _MOST_LIKELY), 1 - _MOST_LIKELY)
    return math.log(score / (1 - score))


def _answers_of(commands: CommandMatches, words: str) -> list[CommandMatch]:
    """Return the matches that answer by themselves."""
    is_known = _UNKNOWN * len(commands.unmatched) <= len(words_of(words))
    return _in_menus_once(
        [
            match
            for match in commands.matches
            if match.score > LEAST_ALIKE or (match.score > LEAST_SHOWN and (is_known or _is_named(match, words)))
        ]
    )


def _in_menus_once(matches: Sequence[CommandMatch]) -> list[CommandMatch]:
    """Return commands without the tool buttons of those that are in a menu too."""
    in_menus = {match.command.name.casefold() for match in matches if len(match.command.path) > 1}
    return [match for match in matches if len(match.command.path) > 1 or match.command.name.casefold() not in in_menus]


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
