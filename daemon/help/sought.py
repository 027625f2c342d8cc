"""Which command or page somebody seems to look for, by the names that the last minute left on the screen.

A linear classifier, learned from moments that were written for it: what was touched, taken back, opened and said there
is a sum of vectors, nearest to the command that gets on from there, and to the page of help that says how.
`python -m lab.benchmarks.matching.sought` makes the file, commands of eight programs and pages of five, in English.
It is read when the library is first searched.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from io import BytesIO

import numpy as np
from numpy.typing import NDArray

from daemon.help import meaning
from daemon.help.commands.intents import TokenVectors, of_length_one
from daemon.help.commands.words import language_of, words_and_signs
from daemon.help.context import HelpContext
from daemon.help.programs import program_of, programs_read_for

LANGUAGE = "en"
Name = tuple[str, ...]

_MAX_WORDS = 30
_LEAST_TOKENS = 6
"""As many as the moments have that it was learned from: by one alone it would be sure of something."""


def tokens_of_moment(context: HelpContext) -> Iterator[tuple[str, float]]:
    """Return what tells of somebody's goal: whole names, and the words of names and messages, each with its kind."""
    stem = language_of(LANGUAGE).stem
    kinds = (("c", context.controls), ("d", (context.dialog,)), ("u", context.undone), ("m", context.messages))
    for kind, names in kinds:
        found = (dict.fromkeys(map(stem, words_and_signs(name)[:_MAX_WORDS])) for name in names)
        for stems in dict.fromkeys(map(tuple, found)):
            if stems and kind != "m":
                yield f"{kind}={' '.join(stems)}", 1.0
            for each in stems:
                yield f"{kind}:{each}", 1 / len(stems) ** 0.5


class SoughtHelp:
    """What was learned."""

    def __init__(self, raw: bytes) -> None:
        """Read a file.

        Args:
            raw: `names` of commands, and `titles` of pages with the documentation of each, `suites`; `lines`, a vector
                for each command and then each page; `sharp`, what a cosine counts for commands and for pages; `stems`
                and vectors of tokens; and `apps`, with the commands of each, `of_apps`.
        """
        with np.load(BytesIO(raw), allow_pickle=False) as found:
            self._names: Sequence[Name] = [tuple(name.split()) for name in found["names"].tolist()]
            self._titles: Sequence[str] = found["titles"].tolist()
            self._suites: NDArray[np.str_] = found["suites"]
            self._lines: NDArray[np.int8] = found["lines"]
            self._vectors = TokenVectors(found)
            self._commands_sharp, self._pages_sharp = found["sharp"].tolist()
            of_apps = map(np.flatnonzero, found["of_apps"])
            self._of_apps: Mapping[str, NDArray[np.intp]] = dict(zip(found["apps"].tolist(), of_apps, strict=True))

    def commands(self, context: HelpContext, among: Collection[Name]) -> Mapping[Name, float]:
        """Return how likely each of these is sought, of all commands that were learned of the program.

        Nothing where hardly anything tells, and in programs that were not learned from.
        """
        near = self._near(context)
        if near is None:
            return {}
        rows = self._of_apps[program_of(context.app)]
        shares = zip(rows.tolist(), _shares(self._commands_sharp * near[rows]), strict=True)
        return {self._names[row]: share for row, share in shares if self._names[row] in among}

    def pages(self, context: HelpContext) -> Mapping[str, float]:
        """Return how likely each page of the program's documentation is sought, by its title; nothing as above."""
        near, rows = self._near(context), np.flatnonzero(np.isin(self._suites, programs_read_for(context.app)))
        if near is None or not len(rows):
            return {}
        shares = zip(rows.tolist(), _shares(self._pages_sharp * near[len(self._names) + rows]), strict=True)
        return {self._titles[row]: share for row, share in shares}

    def _near(self, context: HelpContext) -> NDArray[np.float32] | None:
        if program_of(context.app) not in self._of_apps:
            return None
        asked = of_length_one(self._vectors.total(tokens_of_moment(context), _LEAST_TOKENS))
        return meaning.cosines(self._lines, asked) if asked.any() else None


def _shares(odds: NDArray[np.float32]) -> Sequence[float]:
    shares = np.exp(odds - odds.max())
    found: Sequence[float] = (shares / shares.sum()).tolist()
    return found


@cache
def sought_help() -> SoughtHelp:
    """Return what was learned."""
    return SoughtHelp((files("daemon.help") / "data" / f"sought-{LANGUAGE}.npz").read_bytes())
