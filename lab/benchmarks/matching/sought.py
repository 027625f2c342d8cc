"""Makes `daemon/help/data/sought-en.npz`: which command somebody seems to look for, learned from moments.

    python -m lab.benchmarks.matching.sought daemon/help/data/sought-en.npz

A line of `data/commands/moments-en.jsonl` is a moment of somebody who does not know the way, and the commands that get
on from there. A command is a class by its own name, whatever the program and the menu; the first of a moment counts.
How sharp shares are is fitted on moments of one writer by what was learned from those of all others.
"""

import argparse
import json
from collections.abc import Sequence
from dataclasses import dataclass
from io import BytesIO
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar
from scipy.sparse import csr_matrix
from scipy.special import log_softmax, softmax

from daemon.help.commands.words import words_of
from daemon.help.context import HelpContext
from daemon.help.sought import LANGUAGE, Name, SoughtCommands, tokens_of_moment
from daemon.help.unasked import names_used
from lab.benchmarks.matching.gold import FOLDER
from lab.benchmarks.matching.intents import Floats, Learning, count_tokens, learn_vectors, normal, packed, packed_lines
from storage.plain_text import print_progress

FILE = FOLDER / f"moments-{LANGUAGE}.jsonl"
_HOW = Learning(dimensions=64, steps=60, left_out=0.6)
_SHARP = 1.0, 30.0


@dataclass(frozen=True, slots=True)
class SoughtMoment:
    """A moment, the names of the commands that get on from there, best first, and who wrote it."""

    context: HelpContext
    wanted: tuple[Name, ...]
    writer: str


def read_moments(path: Path = FILE) -> list[SoughtMoment]:
    """Read the moments."""
    return [
        SoughtMoment(
            HelpContext(
                app=row["app"],
                dialog=row["dialog"],
                controls=tuple(row["controls"]),
                undone=tuple(row["undone"]),
                messages=tuple(row["messages"]),
            ),
            tuple(words_of(path[-1]) for path in row["want"]),
            row["writer"],
        )
        for row in map(json.loads, path.read_text(encoding="utf-8").splitlines())
    ]


def learn(moments: Sequence[SoughtMoment]) -> bytes:
    """Return the file."""
    tokens = sorted({token for moment in moments for token, _ in tokens_of_moment(moment.context)})
    names = sorted({moment.wanted[0] for moment in moments})
    rows = count_tokens((tokens_of_moment(moment.context) for moment in moments), tokens)
    lines = np.array([names.index(moment.wanted[0]) for moment in moments], dtype=np.intp)
    print_progress(f"learning from {len(moments)} moments")
    vectors, of_lines = _learn(rows, lines, len(names))
    packed_vectors, scales = packed(vectors)
    file = BytesIO()
    np.savez_compressed(
        file,
        names=np.array([" ".join(name) for name in names]),
        apps=np.array(sorted({moment.context.app for moment in moments})),
        sharp=np.float32(_fit_sharp(rows, lines, moments)),
        stems=np.array([token.encode() for token in tokens]),
        vectors=packed_vectors,
        scales=scales,
        lines=packed_lines(of_lines),
    )
    return file.getvalue()


def _learn(rows: csr_matrix, lines: NDArray[np.intp], count: int) -> tuple[Floats, Floats]:
    vectors, _, of_lines = learn_vectors(rows, np.zeros((len(lines), 0), dtype=np.float32), lines, count, _HOW)
    return vectors, normal(of_lines)


def _fit_sharp(rows: csr_matrix, lines: NDArray[np.intp], moments: Sequence[SoughtMoment]) -> float:
    """Return what a cosine counts, by moments whose writer was not learned from.

    Commands of one writer alone do not count, nor those that were used just now, which are never offered.
    """
    writers = [moment.writer for moment in moments]
    can_be_told = np.array([moment.wanted[0] not in names_used(moment.context) for moment in moments])
    count = int(lines.max()) + 1
    near = np.zeros((len(lines), count), dtype=np.float32)
    told = np.zeros(len(lines), dtype=np.bool_)
    for writer in sorted(set(writers)):
        own = np.array([other == writer for other in writers])
        vectors, of_lines = _learn(rows[~own], lines[~own], count)
        near[own] = normal(rows[own] @ vectors) @ of_lines.T
        told[own] = can_be_told[own] & np.isin(lines[own], lines[~own])
    near, right = near[told], (np.arange(int(told.sum())), lines[told])
    if not len(near):
        return _SHARP[0]

    def surprise(sharp: float) -> float:
        return -float(log_softmax(sharp * near, axis=1)[right].mean())

    sharp = float(minimize_scalar(surprise, bounds=_SHARP, method="bounded").x)
    share, is_right = softmax(sharp * near, axis=1).max(axis=1), near.argmax(axis=1) == right[1]
    print_progress(
        f"{len(near)} of {len(moments)} moments can be told by another writer's, {is_right.mean():.2f} rightly"
    )
    for least, most in pairwise((0.0, 0.3, 0.5, 0.6, 0.8, 1.01)):
        within = (share >= least) & (share < most)
        if within.any():
            print_progress(f"with a share from {least:.1f}: {within.sum()}, right {is_right[within].mean():.2f}")
    return sharp


def main() -> None:
    """Make the file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path, metavar="FILE")
    arguments = parser.parse_args()
    raw = learn(read_moments())
    arguments.out.write_bytes(raw)
    SoughtCommands(raw)
    print_progress(f"{len(raw) / 1e6:.2f} MB")


if __name__ == "__main__":
    main()
