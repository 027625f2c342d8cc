"""Fits how much each feature of a match counts, and what a score is worth as a probability; on the tuning half alone.

The weights are a softmax over the commands of each list, with the share of the right ones as likelihood, a pull to
small positive values and nothing negative. The curve is a logistic of the score of the first three and of their lead.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from daemon.help.commands.command import CommandList
from daemon.help.commands.matching import FEATURES, CommandMatcher, Weights, leads_of
from lab.benchmarks.matching.gold import AskedCommand, Half, read_lists, read_questions
from storage.plain_text import print_progress

Floats = NDArray[np.float64]

PULL, PRIOR = 0.02, 1.0
NOTHING_FOUND = 0.85
"""The share of questions of the tuning half that nothing answers which find nothing at the fitted level."""
_STEPS, _RATE, _FIRST = 800, 0.05, 3
_LEAST_OTHER = 0.05


def fit(lists: Mapping[tuple[str, str], CommandList], questions: Sequence[AskedCommand]) -> Weights:
    """Return what fits the questions best."""
    matchers = {key: CommandMatcher(commands) for key, commands in lists.items()}
    samples: list[tuple[Floats, NDArray[np.bool_]]] = []
    names = []
    for question in questions:
        commands = lists[question.program, question.language].commands
        found = matchers[question.program, question.language].score(question.words)
        if found is not None:
            gold = np.array([command.path in question.gold for command in commands])
            samples.append((found.features.astype(float), gold))
            names.append([command.name for command in commands])
    counts = _fit_weights([sample for sample in samples if sample[1].any()])
    rows, right, firsts = [], [], []
    for (features, gold), of_commands in zip(samples, names, strict=True):
        totals = features @ counts
        order = np.argsort(-totals, kind="stable")[: _FIRST + 8]
        leads = leads_of(totals, order, of_commands)
        for place, number in enumerate(order[:_FIRST]):
            rows.append((totals[number], min(leads[place], 0.0), max(leads[place], 0.0), 1.0))
            right.append(bool(gold[number]))
        firsts.append((len(rows) - len(order[:_FIRST]), bool(gold.any())))
    curve = _fit_curve(np.array(rows), np.array(right, dtype=float))
    stated = 1 / (1 + np.exp(-np.array(rows) @ curve))
    nothing = [stated[row] for row, has_gold in firsts if not has_gold]
    least = float(np.quantile(nothing, NOTHING_FOUND)) if nothing else 0.0
    return Weights(
        features={name: round(float(count), 3) for name, count in zip(FEATURES, counts, strict=True)},
        curve=tuple(round(float(value), 3) for value in curve),
        least=round(least, 3),
        least_other=min(_LEAST_OTHER, round(least, 3)),
    )


def _fit_weights(samples: Sequence[tuple[Floats, NDArray[np.bool_]]]) -> Floats:
    def slope(weights: Floats) -> Floats:
        found: Floats = PULL * (weights - PRIOR)
        for features, gold in samples:
            totals = features @ weights
            share = np.exp(totals - totals.max())
            share /= share.sum()
            wanted = share * gold
            found -= features.T @ (wanted / wanted.sum() - share) / len(samples)
        return found

    return _descend(slope, np.full(len(FEATURES), PRIOR), lambda weights: np.maximum(weights, 0.0))


def _fit_curve(rows: Floats, right: Floats) -> Floats:
    scale = np.maximum(np.abs(rows).mean(axis=0), 1e-6)

    def slope(weights: Floats) -> Floats:
        stated = 1 / (1 + np.exp(-(rows / scale) @ weights))
        return np.asarray((rows / scale).T @ (stated - right) / len(right) + 0.001 * weights)

    return np.asarray(_descend(slope, np.zeros(rows.shape[1]), lambda weights: weights) / scale)


def _descend(slope: Callable[[Floats], Floats], start: Floats, allowed: Callable[[Floats], Floats]) -> Floats:
    """Return the minimum, by Adam with fixed steps: the same on every machine."""
    weights: Floats = start
    first, second = np.zeros_like(start), np.zeros_like(start)
    for step in range(1, _STEPS + 1):
        change = slope(weights)
        first, second = 0.9 * first + 0.1 * change, 0.99 * second + 0.01 * change**2
        move = (first / (1 - 0.9**step)) / (np.sqrt(second / (1 - 0.99**step)) + 1e-8)
        weights = allowed(weights - _RATE * move)
    return weights


def write(path: Path, found: Weights) -> None:
    """Write the weights as the package holds them."""
    facts = {"features": found.features, "curve": found.curve, "least": found.least, "least_other": found.least_other}
    path.write_text(json.dumps(facts, indent=1) + "\n", encoding="utf-8")


def tune(path: Path) -> None:
    """Fit on the tuning half and write the weights."""
    found = fit(read_lists(), read_questions(Half.TUNE))
    write(path, found)
    print_progress(f"written to {path}: nothing is told below a probability of {found.least}")
