"""Fits how much each feature of a match counts, and what a score is worth as a probability; on the tuning half alone.

The weights are a softmax over the commands of each list, with the share of the right ones as likelihood: first those of
single features, pulled to small positive values and none negative, then those of pairs beside them, pulled to nothing.
The curve is a logistic of the score of the first three and of their lead.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from daemon.figures.resampling import Floats
from daemon.help.commands.command import CommandList
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
from lab.benchmarks.matching.gold import FOLDER, AskedCommand, AskKind, Half, read_lists, read_questions
from lab.measure.descent import descend
from storage.plain_text import print_progress

PULL, PAIRS_PULL, PRIOR, _CURVE_PULL = 0.01, 0.0003, 1.0, 0.001
OFF_TOPIC = (FOLDER / "off_topic.txt").read_text(encoding="utf-8").splitlines()
_LIKELIEST = 150
"""Commands of each question that pairs are fitted with."""
NOTHING_FOUND = 0.77
"""The share of questions of the tuning half that nothing answers which find nothing at the fitted level."""
_STEPS, _RATE, _FIRST = 800, 0.05, 3
LEAST_OTHER = 0.05
_KEYS = 8.0
"""No question of the gold names keys; who names them means them."""


@dataclass(frozen=True, slots=True)
class _Sample:
    """A question: what was found, which commands are right, their names, whether nothing answers."""

    found: Scores
    features: Floats
    right: NDArray[np.bool_]
    names: Sequence[str]
    is_nothing: bool


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
    english = [program for program in programs if (program, "en") in lists]
    return [*found, *(_off_topic(words, english[n % len(english)]) for n, words in enumerate(OFF_TOPIC))]


def _off_topic(words: str, program: str) -> AskedCommand:
    return AskedCommand(
        program=program, language="en", half=Half.TUNE, kind=AskKind.NOTHING, words=words, gold=(), shares_stem=False
    )


def fit(lists: Mapping[tuple[str, str], CommandList], questions: Sequence[AskedCommand]) -> Weights:
    """Return what fits the questions best."""
    matchers = {key: CommandMatcher(commands) for key, commands in lists.items()}
    samples = []
    strange = strangers(lists, questions)
    for question in (*questions, *strange):
        commands = lists[question.program, question.language].commands
        scores = matchers[question.program, question.language].score(question.words)
        if scores is not None:
            right = np.array([command.path in question.gold for command in commands])
            names = [command.name for command in commands]
            is_nothing = question.kind is AskKind.NOTHING and question not in strange
            samples.append(_Sample(scores, scores.features.astype(float), right, names, is_nothing))
    weights = _fit_weights([sample for sample in samples if sample.right.any()])
    counts, pairs = weights[: len(FEATURES)], weights[len(FEATURES) :]

    def totals_of(features: NDArray[Any]) -> NDArray[Any]:
        return np.asarray(features @ counts + in_pairs(features) @ pairs)

    rows, labels, bests, answered = [], [], [], []
    for sample in samples:
        totals = totals_of(sample.features)
        order = np.argsort(-totals, kind="stable")[: _FIRST + 8]
        leads = leads_of(totals, order, sample.names)
        for place, number in enumerate(order[:_FIRST] if sample.right.any() else ()):
            rows.append((*sample.features[number], min(leads[place], 0.0), max(leads[place], 0.0), 1.0))
            labels.append(bool(sample.right[number]))
        bests.append(answered_by(sample.found, totals_of, int(order[0]), leads[0]))
        answered.append(bool(sample.right[order[:_FIRST]].any()))
    curve = _fit_curve(np.array(rows), np.array(labels, dtype=float))
    answers = _fit_curve(np.array(bests), np.array(answered, dtype=float))
    sums = np.array(bests) @ answers
    nothing = [value for value, sample in zip(sums.tolist(), samples, strict=True) if sample.is_nothing]
    return Weights(
        features=_by_name(FEATURES, counts),
        pairs=[round(float(weight), 3) for weight in pairs],
        odds=_by_name(FEATURES, curve[:-3]),
        behind=round(float(curve[-3]), 3),
        before=round(float(curve[-2]), 3),
        constant=round(float(curve[-1]), 3),
        answered=_by_name(ANSWERED, answers),
        least=round(float(np.quantile(nothing, NOTHING_FOUND)), 3),
        least_other=LEAST_OTHER,
    )


def _by_name(names: Sequence[str], values: Floats) -> dict[str, float]:
    return {name: round(float(value), 3) for name, value in zip(names, values, strict=True)}


def _fit_weights(samples: Sequence[_Sample]) -> Floats:
    """Return the weights of the features, then those of their pairs."""
    prior = np.array([_KEYS if name == "keys" else PRIOR for name in FEATURES])
    rows = [(sample.features, sample.right) for sample in samples]
    single = _fit_softmax(rows, prior, PULL, lambda weights: np.maximum(weights, 0.0))
    both: list[tuple[Floats, NDArray[np.bool_]]] = []
    for features, right in rows:
        kept = np.argsort(-(features @ single) - 1e6 * right, kind="stable")[:_LIKELIEST]
        both.append((np.hstack((features[kept], in_pairs(features[kept]))), right[kept]))
    return _fit_softmax(both, np.concatenate((single, np.zeros(len(PAIRS)))), PAIRS_PULL)


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


def _fit_curve(rows: Floats, right: Floats) -> Floats:
    """Fit a logistic curve; the last column is the constant, and the first ones are the features."""
    prior = np.zeros(rows.shape[1])
    prior[FEATURES.index("keys")] = _KEYS
    pull = np.array([*[_CURVE_PULL] * (len(prior) - 1), 0.0])

    def slope(weights: Floats) -> Floats:
        stated = 1 / (1 + np.exp(-rows @ weights))
        return np.asarray(rows.T @ (stated - right) / len(right) + pull * (weights - prior))

    return descend(slope, prior, steps=_STEPS, rate=_RATE)


def write(path: Path, found: Weights) -> None:
    """Write the weights as the package holds them."""
    path.write_text(json.dumps(asdict(found), indent=1) + "\n", encoding="utf-8")


def tune(path: Path) -> None:
    """Fit on the tuning half and write the weights."""
    found = fit(read_lists(), read_questions(Half.TUNE))
    write(path, found)
    print_progress(f"written to {path}: {NOTHING_FOUND:.0%} of what nothing answers finds nothing")
