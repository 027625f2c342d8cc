"""Fits how much each feature of a match counts, and what a score is worth as a probability; on the tuning half alone.

The weights are a softmax over the commands of each list, with the share of the right ones as likelihood: first those of
single features, pulled to small positive values and none negative, then those of pairs beside them, pulled to nothing.
The curve is a logistic of the score of the first three and of their lead.

The tuning half alone would flatter what was learned from phrases (`intents`), some of which were written for it. So all
is asked of what was learned without one phrase in ten, and these are asked too: of programs that have the command, and,
to tell whether a list has an answer at all, of programs that have not. So is the tuning half, of lists without the
commands that it asks for.
"""

import json
import zlib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import cycle
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from daemon.figures.resampling import Floats
from daemon.help.commands.command import CommandList
from daemon.help.commands.intents import Intents
from daemon.help.commands.matching import (
    ANSWERED,
    FEATURES,
    PAIRS,
    CommandMatcher,
    Scores,
    Weights,
    answered_by,
    in_pairs,
    leads_of,
)
from daemon.help.commands.words import language_of
from lab.benchmarks.matching.gold import OFF_TOPIC, AskedCommand, AskKind, Half, read_lists, read_questions
from lab.benchmarks.matching.intents import learn, read_phrases, written
from lab.measure.descent import descend
from storage.plain_text import print_progress

PULL, PAIRS_PULL, PRIOR, _CURVE_PULL = 0.01, 0.001, 1.0, 0.001
_LIKELIEST = 150
"""Commands of each question that pairs are fitted with."""
NOTHING_FOUND = 0.9
"""The share of questions of the tuning half that nothing answers which find nothing at the fitted level."""
_STEPS, _RATE, _FIRST = 800, 0.05, 3
_NAMED, _PHRASES, _SEED, _WRITTEN = 0.99, 80, 5, 3.0
"""How much of a command's name a line of the table is that asks for it, how many phrases of each kind a program is
asked for, and what a question counts that was written for this beside one that was made here."""
LEAST_OTHER = 0.05
_KEYS = 8.0
"""No question of the gold names keys, and none is a phrase that was learned; who says them means them."""


_Phrase = tuple[str, Collection[tuple[str, ...]]]
"""A phrase, and the commands that it asks for."""

_EVERY = 10
"""One phrase in so many is not learned from."""
_LONG_WORD = 6
_LEAST = 0.3
"""What each feature counts at least: misspelled words, which no phrase has, find by their letters alone."""


@dataclass(frozen=True, slots=True)
class _Sample:
    """A question: what was found, which commands are right, their names, whether nothing answers, what it counts."""

    found: Scores
    features: Floats
    right: NDArray[np.bool_]
    names: Sequence[str]
    is_nothing: bool = False
    counts: float = 1.0


def strangers(
    lists: Mapping[tuple[str, str], CommandList], questions: Sequence[AskedCommand]
) -> Sequence[AskedCommand]:
    """Return questions about commands of one program, asked of others of which no name has a stem of theirs.

    Behind them stand questions that no program answers; they were written for this.
    """
    stems = {
        (program, code): {stem for command in found.commands for stem in language_of(code).stems(command.name)}
        for (program, code), found in lists.items()
    }
    programs = sorted({question.program for question in questions})
    found = []
    for number, question in enumerate(question for question in questions if question.gold):
        other = programs[number % len(programs)], question.language
        names = {stem for path in question.gold for stem in language_of(other[1]).stems(path[-1])}
        if other in lists and names.isdisjoint(stems[other]):
            found.append(replace(question, program=other[0], kind=AskKind.NOTHING, gold=()))
    for code, off_topic in OFF_TOPIC.items():
        known = [program for program in programs if (program, code) in lists]
        found += [
            AskedCommand(
                program=program,
                language=code,
                half=Half.TUNE,
                kind=AskKind.NOTHING,
                words=words,
                gold=(),
                shares_stem=False,
            )
            for words, program in zip(off_topic, cycle(known), strict=False)
        ]
    return found


def is_held_out(phrase: str) -> bool:
    """Return whether a phrase is not learned from, so that it is as new as what people type."""
    return " " in phrase and zlib.crc32(phrase.encode()) % _EVERY == 0


def learned_without(code: str) -> Intents:
    """Return what the phrases of a language teach but for those that are held out."""
    language = language_of(code)
    held_out = {phrase for phrases in written(code).values() for phrase in phrases if is_held_out(phrase)}
    return Intents(learn(read_phrases(code, held_out), language), language)


def fit(lists: Mapping[tuple[str, str], CommandList], questions: Sequence[AskedCommand]) -> Weights:
    """Return what fits the questions best. Menus are left out: one that holds the answer is no rival of it."""
    lists = {key: replace(commands, menus=()) for key, commands in lists.items()}
    intents = {code: learned_without(code) for code in sorted({language for _, language in lists})}
    matchers = {key: CommandMatcher(commands, intents=intents[key[1]]) for key, commands in lists.items()}
    samples = []
    strange = strangers(lists, questions)
    for question in (*questions, *strange):
        matcher = matchers[question.program, question.language]
        commands = lists[question.program, question.language]
        is_made = question.kind is AskKind.EXACT or (
            question in strange and question.words not in OFF_TOPIC[question.language]
        )
        samples += _sample(
            matcher,
            commands,
            question.words,
            question.gold,
            is_nothing=question.kind is AskKind.NOTHING and question not in strange,
            counts=1.0 if is_made else _WRITTEN,
        )
    asked = sorted({(question.program, question.language) for question in questions})
    phrases = [each for key in asked for each in unknown_phrases(matchers[key], lists[key])]
    phrases += [each for key in asked for each in nearly_named(matchers[key], lists[key])]
    answered = [sample for sample in (*samples, *phrases) if sample.right.any()]
    weights = _fit_weights([sample for sample in answered for _ in range(round(sample.counts))])
    counts, pairs = weights[: len(FEATURES)], weights[len(FEATURES) :]

    def totals_of(features: NDArray[Any]) -> NDArray[Any]:
        return np.asarray(features @ counts + in_pairs(features) @ pairs)

    rows, labels = [], []
    samples += phrases
    for sample in samples:
        if sample.right.any():
            _, order, leads = _best(sample, totals_of)
            for place, number in enumerate(order[:_FIRST]):
                rows.append((*sample.features[number], min(leads[place], 0.0), max(leads[place], 0.0), 1.0))
                labels.append(bool(sample.right[number]))
    curve = _fit_curve(np.array(rows), np.array(labels, dtype=float), np.ones(len(rows)))
    samples += _without_answer(lists, questions, intents)
    answers, least = fit_answers(samples, totals_of)
    return Weights(
        features=_by_name(FEATURES, counts),
        pairs=[round(float(weight), 3) for weight in pairs],
        odds=_by_name(FEATURES, curve[:-3]),
        behind=round(float(curve[-3]), 3),
        before=round(float(curve[-2]), 3),
        constant=round(float(curve[-1]), 3),
        answered=answers,
        least=least,
        least_other=LEAST_OTHER,
    )


def fit_answers(
    samples: Sequence[_Sample], totals_of: Callable[[NDArray[Any]], NDArray[Any]]
) -> tuple[dict[str, float], float]:
    """Return what tells whether a list has an answer, and from which sum on it is told."""
    found, answered = [], []
    for sample in samples:
        totals, order, leads = _best(sample, totals_of)
        found.append(answered_by(sample.found, totals_of, totals, leads[0]))
        answered.append(bool(sample.right[order[:_FIRST]].any()))
    rows, counts = np.array(found), np.array([sample.counts for sample in samples])
    answers = _fit_curve(rows, np.array(answered, dtype=float), counts)
    nothing = [value for value, sample in zip((rows @ answers).tolist(), samples, strict=True) if sample.is_nothing]
    return _by_name(ANSWERED, answers), round(float(np.quantile(nothing, NOTHING_FOUND)), 3)


def _best(
    sample: _Sample, totals_of: Callable[[NDArray[Any]], NDArray[Any]]
) -> tuple[NDArray[Any], NDArray[np.intp], list[float]]:
    """Return how much speaks for each command, the places of the best, and how far each is before the next."""
    totals = totals_of(sample.features)
    order = np.argsort(-totals, kind="stable")[: _FIRST + 8]
    return totals, order, leads_of(totals, order, sample.names)


def _sample(
    matcher: CommandMatcher,
    commands: CommandList,
    words: str,
    gold: Collection[tuple[str, ...]],
    *,
    is_nothing: bool = False,
    counts: float = 1.0,
) -> list[_Sample]:
    """Return a question as numbers; nothing where no word of it can be compared."""
    found = matcher.score(words)
    if found is None:
        return []
    right = np.array([command.path in gold for command in commands.commands])
    names = [command.name for command in commands.commands]
    return [_Sample(found, found.features.astype(float), right, names, is_nothing, counts)]


def unknown_phrases(matcher: CommandMatcher, commands: CommandList) -> Iterator[_Sample]:
    """Ask for what a program can do and for what it cannot, by phrases not learned from, and a few that were."""
    language = language_of(commands.language)
    called = [(command.path, language.asked_of(command.path)) for command in commands.commands]
    phrases = written(language.code)
    has, lacks, known, names = list[_Phrase](), list[_Phrase](), list[_Phrase](), list[_Phrase]()
    for place, line in enumerate(language.asked):
        gold = frozenset(path for path, lines in called if lines.get(place, 0.0) >= max(_NAMED, *lines.values(), 0.0))
        is_lacked = not any(place in lines for _, lines in called)
        for phrase in phrases[line.names[0]]:
            if is_held_out(phrase) and (gold or is_lacked):
                (has if gold else lacks).append((phrase, gold))
            elif is_lacked and " " in phrase:
                known.append((phrase, gold))
        names += [(name, gold) for name in line.names if is_lacked and " " in name]
    for kind in (has, lacks, known, names):
        Random(_SEED).shuffle(kind)  # noqa: S311  # an order, no secret
    for phrase, answers in (*has[:_PHRASES], *lacks[:_PHRASES], *known[: _PHRASES // 2], *names[: _PHRASES // 2]):
        yield from _sample(matcher, commands, phrase, answers)


def nearly_named(matcher: CommandMatcher, commands: CommandList) -> Iterator[_Sample]:
    """Ask for commands by their names with two letters swapped, which no phrase has, and with the menu above.

    That stands behind the name, and in German, where both are one word, in the same word with it.
    """
    random = Random(_SEED)  # noqa: S311  # places of letters, no secret
    paths: dict[str, list[tuple[str, ...]]] = {}
    for command in commands.commands:
        paths.setdefault(command.name.casefold(), []).append(command.path)
    names = sorted(paths)
    random.shuffle(names)
    for name in names[:_PHRASES]:
        words = name.split()
        longest = max(words, key=len)
        if len(longest) >= _LONG_WORD:
            at = random.randrange(1, len(longest) - 1)
            swapped = longest[:at] + longest[at + 1] + longest[at] + longest[at + 2 :]
            asked = " ".join(swapped if word is longest else word for word in words)
            yield from _sample(matcher, commands, asked, paths[name])
        if len(paths[name][0]) > 1:
            above = paths[name][0][-2].casefold()
            gold = [path for path in paths[name] if path[-2:-1] == paths[name][0][-2:-1]]
            is_compound = commands.language == "de" and " " not in name + above
            yield from _sample(matcher, commands, above + name if is_compound else f"{name} {above}", gold)


def _without_answer(
    lists: Mapping[tuple[str, str], CommandList], questions: Sequence[AskedCommand], intents: Mapping[str, Intents]
) -> Iterator[_Sample]:
    """Ask of each list what one of its commands answers, which is taken out."""
    by_gold: dict[tuple[tuple[str, str], tuple[tuple[str, ...], ...]], list[str]] = {}
    for question in questions:
        if question.kind in {AskKind.SAID, AskKind.PARAPHRASE}:
            by_gold.setdefault(((question.program, question.language), question.gold), []).append(question.words)
    for (key, gold), asked in by_gold.items():
        names = {path[-1].casefold() for path in gold}
        kept = tuple(command for command in lists[key].commands if command.name.casefold() not in names)
        commands = replace(lists[key], commands=kept)
        matcher = CommandMatcher(commands, intents=intents[key[1]])
        for words in asked:
            yield from _sample(matcher, commands, words, ())


def _by_name(names: Sequence[str], values: Floats) -> dict[str, float]:
    return {name: round(float(value), 3) for name, value in zip(names, values, strict=True)}


def _fit_weights(samples: Sequence[_Sample]) -> Floats:
    """Return the weights of the features, then those of their pairs."""
    prior = np.array([_KEYS if name in {"keys", "whole_name"} else PRIOR for name in FEATURES])
    rows = [(sample.features, sample.right) for sample in samples]
    single = _fit_softmax(rows, prior, PULL, lambda weights: np.maximum(weights, _LEAST))
    both: list[tuple[Floats, NDArray[np.bool_]]] = []
    for features, right in rows:
        kept = np.argsort(-(features @ single) - 1e6 * right, kind="stable")[:_LIKELIEST]
        both.append((np.hstack((features[kept], in_pairs(features[kept]))), right[kept]))
    singles = np.where(np.array(FEATURES) == "whole_name", _KEYS, _LEAST)
    least = np.concatenate((singles, np.full(len(PAIRS), -np.inf)))
    start = np.concatenate((single, np.zeros(len(PAIRS))))
    return _fit_softmax(both, start, PAIRS_PULL, lambda weights: np.maximum(weights, least))


def _fit_softmax(
    samples: Sequence[tuple[Floats, NDArray[np.bool_]]],
    prior: Floats,
    pull: float,
    allowed: Callable[[Floats], Floats] = lambda weights: weights,
) -> Floats:
    def slope(weights: Floats) -> Floats:
        found: Floats = pull * (weights - prior)
        for features, right in samples:
            totals = features @ weights
            share = np.exp(totals - totals.max())
            share /= share.sum()
            wanted = share * right
            found -= features.T @ (wanted / wanted.sum() - share) / len(samples)
        return found

    return descend(slope, prior, allowed=allowed, steps=_STEPS, rate=_RATE)


def _fit_curve(rows: Floats, right: Floats, counts: Floats) -> Floats:
    """Fit a logistic curve; the last column is the constant, and the first ones are the features."""
    prior = np.zeros(rows.shape[1])
    prior[FEATURES.index("keys")] = _KEYS
    pull = np.array([*[_CURVE_PULL] * (len(prior) - 1), 0.0])
    shares = counts / counts.sum()

    def slope(weights: Floats) -> Floats:
        stated = 1 / (1 + np.exp(-rows @ weights))
        return np.asarray(rows.T @ (shares * (stated - right)) + pull * (weights - prior))

    return descend(slope, prior, steps=_STEPS, rate=_RATE)


def write(path: Path, found: Weights) -> None:
    """Write the weights as the package holds them."""
    path.write_text(json.dumps(asdict(found), indent=1) + "\n", encoding="utf-8")


def tune(path: Path) -> None:
    """Fit on the tuning half and write the weights."""
    found = fit(read_lists(), read_questions(Half.TUNE))
    write(path, found)
    print_progress(f"written to {path}: {NOTHING_FOUND:.0%} of what nothing answers finds nothing")
