"""Fits what speaks for a page to questions: `kairos bench questions PATH --fit` prints the coefficients.

A softmax over all pages of a program, with the share of the pages that help as likelihood and a pull of each weight to
zero. The other words for the same are those of the programs' commands alone: `asked_words.txt` was written with
questions in sight, and would look better than it is. Folds are programs: what was fitted on some is scored on others.
"""

import math
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from daemon.figures.resampling import Floats
from daemon.help.commands.words import language_of
from daemon.help.library import HelpLibrary
from daemon.help.library.asked import FEATURES, AskedPages, above_noise
from daemon.help.programs import programs_read_for
from lab.benchmarks.questions.benchmark import SILENT_WRONGLY, Question, Wording, documentation_of, read_questions
from lab.benchmarks.questions.joined import answer_samples, joined_samples, print_answered, print_joined
from lab.measure.descent import descend
from storage.db.connection import open_readonly
from storage.files import library_file

PULL = 0.3
_STEPS, _RATE = 300, 0.1
_SCORED = 3


@dataclass(frozen=True, slots=True)
class QuestionSample:
    """A question as numbers: the pages by features, and which of them help."""

    program: str
    rows: Floats
    gold: NDArray[np.bool_]


def print_fit(path: Path, wordings: Sequence[Wording], data: Path) -> None:
    """Fit on all questions, score in folds, and print both.

    Raises:
        UsageError: there are no questions.
        EnvironmentFault: the documentation is missing.
    """
    with documentation_of(read_questions(path), data) as (folder, questions):
        connection = open_readonly(library_file(folder)).conn
        try:
            samples = samples_of(connection, questions, wordings)
        finally:
            connection.close()
        with HelpLibrary.open(folder) as library:
            joined = joined_samples(library, questions, wordings)
            answers = answer_samples(library, questions, wordings)
    places = [
        place
        for program in sorted({sample.program for sample in samples})
        for place in places_of(
            fit([sample for sample in samples if sample.program != program]),
            [sample for sample in samples if sample.program == program],
        )
    ]
    weights = fit(samples)
    slope, offset, least = curve(weights, samples)
    for name, weight in zip(FEATURES, weights, strict=True):
        print(f"{name:<16}{weight:>8.3f}")
    print(f"{'slope':<16}{slope:>8.3f}\n{'offset':<16}{offset:>8.3f}\n{'least':<16}{least:>8.3f}")
    shares = [float(np.mean(np.array(places) < among)) for among in (1, _SCORED)]
    print(f"folds by program: hit@1 {shares[0]:.3f}, hit@3 {shares[1]:.3f} of {len(places)}")
    print_joined(joined)
    print_answered(answers)


def samples_of(
    connection: sqlite3.Connection, questions: Sequence[Question], wordings: Sequence[Wording]
) -> list[QuestionSample]:
    """Return the questions in each wording as numbers."""
    ids: dict[int, str] = dict(connection.execute("SELECT id, page_id FROM pages").fetchall())
    programs = {question.program: programs_read_for(question.program) for question in questions}
    pages = {names: AskedPages(connection, names) for names in programs.values()}
    found = []
    for question in questions:
        asked = pages[programs[question.program]]
        gold = np.array([ids[page] in question.gold for page in asked.pages])
        same = language_of(asked.language).same
        found += [
            QuestionSample(question.program, asked.features(question.words(wording), same).astype(np.float64), gold)
            for wording in wordings
        ]
    return found


def fit(samples: Sequence[QuestionSample]) -> Floats:
    """Return a weight for each feature."""
    usable = [sample for sample in samples if sample.gold.any()]

    def slope(weights: Floats) -> Floats:
        change: Floats = PULL * weights / max(len(usable), 1)
        for sample in usable:
            share = _softmax(sample.rows @ weights)
            wanted = share * sample.gold
            change -= sample.rows.T @ (wanted / wanted.sum() - share) / len(usable)
        return change

    return descend(slope, np.ones(len(FEATURES)), steps=_STEPS, rate=_RATE)


def places_of(weights: Floats, samples: Sequence[QuestionSample]) -> list[int]:
    """Return how many pages come before the first that helps, for each question that has one."""
    found = []
    for sample in samples:
        if sample.gold.any():
            order = np.argsort(-(sample.rows @ weights), kind="stable")
            found.append(int(np.flatnonzero(sample.gold[order])[0]))
    return found


def curve(weights: Floats, samples: Sequence[QuestionSample]) -> tuple[float, float, float]:
    """Return slope and offset of the log-odds that one of the first pages helps, and the least probability of a page.

    Below it are the first pages of as many questions with an answer as may be left without.
    """
    totals, helps, tops = [], [], []
    for sample in samples:
        total = above_noise(sample.rows @ weights)
        order = np.argsort(-total, kind="stable")[:_SCORED]
        totals += total[order].tolist()
        helps += sample.gold[order].tolist()
        if sample.gold.any():
            tops.append(float(total.max()))
    at, wanted = np.column_stack((totals, np.ones(len(totals)))), np.array(helps, dtype=float)
    found = np.zeros(2)
    for _ in range(50):  # Newton's method
        stated = 1 / (1 + np.exp(-at @ found))
        bend = (at * (stated * (1 - stated))[:, None]).T @ at + 1e-3 * np.eye(2)
        found -= np.linalg.solve(bend, at.T @ (stated - wanted) + 1e-3 * found)
    slope, offset = map(float, found)
    least = float(np.quantile(tops, SILENT_WRONGLY / 4)) if tops else 0.0
    return slope, offset, 1 / (1 + math.exp(-(slope * least + offset)))


def _softmax(totals: Floats) -> Floats:
    shares = np.exp(totals - totals.max())
    return np.asarray(shares / shares.sum(), dtype=np.float64)
