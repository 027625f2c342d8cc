"""Makes `daemon/help/data/sought-en.npz`: which command or page somebody seems to look for, learned from moments.

    python -m lab.benchmarks.matching.sought daemon/help/data/sought-en.npz

A line of `data/commands/moments-en.jsonl` is a moment of somebody who does not know the way, with the commands that get
on from there, the page of help that says how, or both. A command is a class by its own name, whatever the program and
the menu, a page by its title in the documentation of its program; the first command of a moment counts. How sharp
shares are is fitted on moments of a fifth of the writers by what was learned from those of the others.
"""

import argparse
import json
from collections.abc import Mapping, Sequence
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
from daemon.help.programs import program_of, programs_read_for
from daemon.help.sought import LANGUAGE, Name, SoughtHelp, tokens_of_moment
from daemon.help.unasked import names_used
from lab.benchmarks.matching.gold import FOLDER
from lab.benchmarks.matching.intents import Floats, Learning, count_tokens, learn_vectors, normal, packed, packed_lines
from storage.plain_text import print_progress

FILE = FOLDER / f"moments-{LANGUAGE}.jsonl"
_HOW = Learning(dimensions=96, steps=60, left_out=0.7)
_SHARP = 1.0, 30.0
_PARTS = 5
"""Into so many the writers are divided to fit how sharp shares are."""

Rows = NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class SoughtMoment:
    """A moment, the names of the commands that get on from there, best first, the page's title, and who wrote it."""

    context: HelpContext
    wanted: tuple[Name, ...]
    page: str
    writer: str

    @property
    def suite(self) -> str:
        """The documentation that its page is in."""
        return programs_read_for(self.context.app)[-1]


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
            row.get("page", ""),
            row["writer"],
        )
        for row in map(json.loads, path.read_text(encoding="utf-8").splitlines())
    ]


@dataclass(frozen=True, slots=True)
class _Examples:
    """Tokens of moments, and which moment is an example of which line: of names first, then of pages."""

    tokens: csr_matrix
    at: Rows
    lines: Rows
    names: Sequence[Name]
    pages: Sequence[tuple[str, str]]

    def learn(self, some: NDArray[np.bool_]) -> tuple[Floats, Floats]:
        """Return vectors of tokens and lines, learned from the examples of some moments."""
        chosen = some[self.at]
        at, lines = self.at[chosen], self.lines[chosen]
        nothing = np.zeros((len(at), 0), dtype=np.float32)
        vectors, _, of_lines = learn_vectors(self.tokens[at], nothing, lines, len(self.names) + len(self.pages), _HOW)
        return vectors, normal(of_lines)


def learn(moments: Sequence[SoughtMoment]) -> bytes:
    """Return the file."""
    tokens = sorted({token for moment in moments for token, _ in tokens_of_moment(moment.context)})
    names = sorted({moment.wanted[0] for moment in moments if moment.wanted})
    pages = sorted({(moment.suite, moment.page) for moment in moments if moment.page})
    numbers = {key: number for number, key in enumerate((*names, *pages))}
    examples = [
        (at, numbers[key])
        for at, moment in enumerate(moments)
        for key in (*moment.wanted[:1], *([(moment.suite, moment.page)] if moment.page else ()))
    ]
    at, lines = np.array(examples, dtype=np.intp).T
    rows = count_tokens((tokens_of_moment(moment.context) for moment in moments), tokens)
    apps = sorted({program_of(moment.context.app) for moment in moments})
    of_apps = np.zeros((len(apps), len(names)), dtype=np.bool_)
    for moment in moments:
        if moment.wanted:
            of_apps[apps.index(program_of(moment.context.app)), numbers[moment.wanted[0]]] = True
    found = _Examples(rows, at, lines, names, pages)
    print_progress(f"learning {len(names)} commands and {len(pages)} pages from {len(moments)} moments")
    vectors, of_lines = found.learn(np.ones(len(moments), dtype=np.bool_))
    packed_vectors, scales = packed(vectors)
    file = BytesIO()
    np.savez_compressed(
        file,
        names=np.array([" ".join(name) for name in names]),
        titles=np.array([title for _, title in pages], dtype=np.str_),
        suites=np.array([suite for suite, _ in pages], dtype=np.str_),
        apps=np.array(apps),
        of_apps=of_apps,
        sharp=np.array(_fit_sharp(found, moments, dict(zip(apps, of_apps, strict=True))), dtype=np.float32),
        stems=np.array([token.encode() for token in tokens]),
        vectors=packed_vectors,
        scales=scales,
        lines=packed_lines(of_lines),
    )
    return file.getvalue()


def _fit_sharp(
    found: _Examples, moments: Sequence[SoughtMoment], of_apps: Mapping[str, NDArray[np.bool_]]
) -> tuple[float, float]:
    """Return what a cosine counts for commands and for pages, by moments whose writer was not learned from.

    What one part alone has does not count, nor commands that were used just now, which are never offered.
    """
    writers = sorted({moment.writer for moment in moments})
    part = np.array([writers.index(moment.writer) % _PARTS for moment in moments])
    used = [names_used(moment.context) for moment in moments]
    suites = np.array([suite for suite, _ in found.pages], dtype=np.str_)
    near: tuple[list[Floats], list[Floats]] = [], []
    right: tuple[list[int], list[int]] = [], []
    for number in range(_PARTS):
        own = part == number
        if not own.any() or own.all():
            continue
        vectors, of_lines = found.learn(~own)
        known = set(found.lines[~own[found.at]].tolist())
        for at, line in zip(found.at[own[found.at]].tolist(), found.lines[own[found.at]].tolist(), strict=True):
            is_page = line >= len(found.names)
            if line not in known or (not is_page and found.names[line] in used[at]):
                continue
            cosines = of_lines @ normal(found.tokens[at] @ vectors)[0]
            first = len(found.names)
            if is_page:
                among = first + np.flatnonzero(suites == suites[line - first])
            else:
                among = np.flatnonzero(of_apps[program_of(moments[at].context.app)])
            near[is_page].append(cosines[among])
            right[is_page].append(int(np.searchsorted(among, line)))
    return _sharp_of("commands", near[0], right[0]), _sharp_of("pages", near[1], right[1])


def _sharp_of(what: str, near: Sequence[Floats], right: Sequence[int]) -> float:
    if not near:
        return _SHARP[0]

    def surprise(sharp: float) -> float:
        return -sum(float(log_softmax(sharp * cosines)[place]) for cosines, place in zip(near, right, strict=True))

    sharp = float(minimize_scalar(surprise, bounds=_SHARP, method="bounded").x)
    share = np.array([softmax(sharp * cosines).max() for cosines in near])
    is_right = np.array([cosines.argmax() == place for cosines, place in zip(near, right, strict=True)])
    print_progress(f"{what}: {len(near)} moments can be told by other writers', {is_right.mean():.2f} rightly")
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
    SoughtHelp(raw)
    print_progress(f"{len(raw) / 1e6:.2f} MB")


if __name__ == "__main__":
    main()
