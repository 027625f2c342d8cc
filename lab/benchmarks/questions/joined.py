"""Fits how commands and pages stand beside each other: `kairos bench questions PATH --fit`.

Learned from the questions, from the tuning half of the moments of `kairos bench content` (what the person wants, and
what they type) and from that of `kairos bench commands`, of which pages that name the command are left out. A softmax
over the likeliest of both, with the share of what helps as likelihood; folds are programs.

Whether anything answers is a logistic curve, of all of these and of what nothing answers: questions of people, those
that were written for this (`data/commands/unanswered.jsonl`), of the tuning half of the commands, and about other
things. The level is chosen in folds, on those written for it and those of the commands together: by the sum alone a few
more find nothing than should. A page that is sure says yes whatever the sum; what is printed counts that too.
"""

import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from daemon.figures.resampling import Floats
from daemon.help.candidates import (
    ANSWER_FEATURES,
    COMMAND_FEATURES,
    PAGE_FEATURES,
    WEIGHED,
    answer_features,
    features_of,
    names_in,
    says_yes,
    weighed,
)
from daemon.help.commands.matching import CommandMatcher
from daemon.help.context import HelpContext
from daemon.help.library import HelpLibrary
from daemon.help.library.pages import control_name
from lab.benchmarks.content.benchmark import ConstructedMoment, MomentPart, read_moments
from lab.benchmarks.matching.gold import FOLDER, OFF_TOPIC, AskKind, Half, read_lists
from lab.benchmarks.matching.gold import read_questions as read_commands
from lab.benchmarks.questions.benchmark import LIMIT, SILENT, Question, Wording
from lab.measure.descent import descend

PULL, COMMANDS_COUNT = 0.1, 0.2
"""What a question about a command counts beside one whose pages are known too."""
_STEPS, _RATE = 400, 0.05
_ANSWER_STEPS, _ANSWER_PULL, _HALF, _LITTLE, _RESERVE = 1500, 0.003, 0.5, 0.3, 0.12
_APPS = {"Gimp-2.10": "gimp"}
_PATH = " > "


@dataclass(frozen=True, slots=True, kw_only=True)
class JoinedSample:
    """A question as numbers: the likeliest commands, then pages, by features, and which of them help."""

    program: str
    asked: bool
    counts: float
    rows: Floats
    gold: NDArray[np.bool_]


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerSample:
    """A question as `ANSWER_FEATURES`, whether anything answers it, whether a person asked it, and what it counts."""

    program: str
    asked: bool
    counts: float
    row: Sequence[float]
    answered: bool


def joined_samples(
    library: HelpLibrary, questions: Sequence[Question], wordings: Sequence[Wording]
) -> Sequence[JoinedSample]:
    """Return what has an answer as numbers: the questions, then the moments about the same programs."""
    matchers = {app: CommandMatcher(found) for (app, code), found in read_lists().items() if code == "en"}
    programs = {question.program for question in questions}
    found = []
    for program, words, gold, source in (*_asked(questions, wordings), *_wanted(), *_commands()):
        if program not in programs or not gold:
            continue
        commands = matchers[program].match(words, WEIGHED)
        pages = library.search_words(HelpContext(app=program, words=words, meant=commands.meant), words, WEIGHED)
        names = [_PATH.join(match.command.path) for match in weighed(commands)]
        helps = np.array([name in gold for name in (*names, *(match.page.page_id for match in pages))])
        rows = features_of(commands, pages, words)
        if source is Half:
            called = {control_name(path.rpartition(_PATH)[2]) for path in gold}
            kept = [True] * len(names) + [called.isdisjoint(names_in(match)) for match in pages]
            rows, helps = rows[kept], helps[kept]
        counts = COMMANDS_COUNT if source is Half else 1.0
        found.append(JoinedSample(program=program, asked=source is Question, counts=counts, rows=rows, gold=helps))
    return found


def _asked(questions: Sequence[Question], wordings: Sequence[Wording]) -> Iterator[tuple[str, str, set[str], type]]:
    for question in questions:
        for wording in wordings:
            yield question.program, question.words(wording), {*question.gold, *question.commands}, Question


def _wanted() -> Iterator[tuple[str, str, set[str], type]]:
    for moment in read_moments():
        if moment.part is MomentPart.TUNING:
            app = _APPS.get(moment.context.app, moment.context.app)
            for words in filter(None, (moment.goal, moment.context.words)):
                yield app, words, {*moment.gold, *map(_PATH.join, moment.commands)}, ConstructedMoment


def _commands() -> Iterator[tuple[str, str, set[str], type]]:
    for question in read_commands(Half.TUNE):
        if question.gold and question.language == "en" and question.kind is not AskKind.EXACT:
            yield question.program, question.words, set(map(_PATH.join, question.gold)), Half


def answer_rows(
    questions: Sequence[Question], wordings: Sequence[Wording]
) -> Sequence[tuple[str, str, bool, float, bool]]:
    """Return program, words, whether anything answers, what that counts, and whether a person asked."""
    programs = sorted({question.program for question in questions})
    lines = (FOLDER / "unanswered.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [(program, words, bool(gold), 1.0, True) for program, words, gold, _ in _asked(questions, wordings)]
    rows += [(row["program"], row[name], False, 1.0, False) for row in map(json.loads, lines) for name in wordings]
    rows += [(program, words, True, _HALF, False) for program, words, *_ in _wanted()]
    rows += [(program, words, True, 1.0, False) for program, words, *_ in _commands()]
    rows += [
        (question.program, question.words, False, 1.0, False)
        for question in read_commands(Half.TUNE)
        if question.language == "en" and question.kind is AskKind.NOTHING
    ]
    rows += [(programs[n % len(programs)], words, False, _LITTLE, False) for n, words in enumerate(OFF_TOPIC["en"])]
    return [row for row in rows if row[0] in programs]


def answer_samples(
    library: HelpLibrary, questions: Sequence[Question], wordings: Sequence[Wording]
) -> Sequence[AnswerSample]:
    """Return what has an answer and what has none as numbers."""
    matchers = {app: CommandMatcher(found) for (app, code), found in read_lists().items() if code == "en"}
    found = []
    for program, words, answered, counts, asked in answer_rows(questions, wordings):
        commands = matchers[program].match(words, WEIGHED)
        pages = library.search_words(HelpContext(app=program, words=words, meant=commands.meant), words, WEIGHED)
        if pages and commands.odds not in {None, math.inf}:
            row = answer_features(commands, pages)
            found.append(AnswerSample(program=program, asked=asked, counts=counts, row=row, answered=answered))
    return found


def fit_answered(samples: Sequence[AnswerSample]) -> Floats:
    """Return a weight for each of `ANSWER_FEATURES`: both sides count alike; zeros without samples."""
    if not samples:
        return np.zeros(len(ANSWER_FEATURES))
    rows = np.array([sample.row for sample in samples])
    answered = np.array([sample.answered for sample in samples])
    counts = np.array([sample.counts for sample in samples])
    for side in (answered, ~answered):
        counts[side] /= max(counts[side].sum(), 1e-9)
    scale = rows.std(axis=0)
    scale[scale == 0] = 1.0
    pull = np.array([0.0, *[_ANSWER_PULL] * (rows.shape[1] - 1)])

    def slope(weights: Floats) -> Floats:
        stated = 1 / (1 + np.exp(-(rows / scale) @ weights))
        return np.asarray((rows / scale).T @ (counts * (stated - answered)) + pull * weights)

    return np.asarray(descend(slope, np.zeros(len(scale)), steps=_ANSWER_STEPS, rate=_RATE) / scale)


def print_answered(samples: Sequence[AnswerSample]) -> None:
    """Print the weights as the file that holds them, and what those of other programs find nothing for."""
    programs = {sample.program for sample in samples}
    of_others = {name: fit_answered([sample for sample in samples if sample.program != name]) for name in programs}
    totals = np.array([np.dot(sample.row, of_others[sample.program]) for sample in samples])
    asked, answered = np.array([(sample.asked, sample.answered) for sample in samples]).T
    written = ~asked & ~answered & np.array([sample.counts == 1.0 for sample in samples])
    least = float(np.quantile(totals[written], SILENT + _RESERVE)) if written.any() else 0.0
    weights = fit_answered(samples)
    for each in (weights, *of_others.values()):
        each[0] -= least
    silent = np.array([not says_yes(sample.row, of_others[sample.program].tolist()) for sample in samples])
    print(json.dumps(dict(zip(ANSWER_FEATURES, weights.round(3).tolist(), strict=True)), indent=1))
    for what, of in {"asked": asked, "written": ~asked}.items():
        shares = [float(np.mean(silent[of & side])) for side in (~answered, answered)]
        print(f"nothing found, folds by program, {what}: rightly {shares[0]:.3f}, wrongly {shares[1]:.3f}")


def fit_joined(samples: Sequence[JoinedSample]) -> Floats:
    """Return a weight for each feature of commands and of pages; zeros without samples."""
    if not samples:
        return np.zeros(len(COMMAND_FEATURES) + len(PAGE_FEATURES))
    scale = np.vstack([sample.rows for sample in samples]).std(axis=0) + 1e-9
    usable = [(sample.rows / scale, sample.gold, sample.counts) for sample in samples if sample.gold.any()]
    whole = sum(counts for *_, counts in usable)

    def slope(weights: Floats) -> Floats:
        change: Floats = PULL * weights
        for rows, gold, counts in usable:
            totals = rows @ weights
            share = np.exp(totals - totals.max())
            share /= share.sum()
            wanted = share * gold
            change -= counts / whole * rows.T @ (wanted / wanted.sum() - share)
        return change

    return np.asarray(descend(slope, np.zeros(len(scale)), steps=_STEPS, rate=_RATE) / scale)


def print_joined(samples: Sequence[JoinedSample]) -> None:
    """Print the weights as the file that holds them, and what those of other programs reach in each."""
    names = (*COMMAND_FEATURES, *PAGE_FEATURES)
    weights = {name: round(float(weight), 3) for name, weight in zip(names, fit_joined(samples), strict=True)}
    print(json.dumps(weights, indent=1))
    places = []
    for program in sorted({sample.program for sample in samples}):
        weights_of_others = fit_joined([sample for sample in samples if sample.program != program])
        for sample in samples:
            if sample.program == program and sample.asked:
                gold = sample.gold[np.argsort(-(sample.rows @ weights_of_others), kind="stable")]
                places.append(int(np.argmax(gold)) if gold.any() else len(gold))
    shares = [float(np.mean(np.array(places) < among)) for among in (1, LIMIT)]
    print(f"with commands, folds by program: hit@1 {shares[0]:.3f}, hit@3 {shares[1]:.3f} of {len(places)}")
