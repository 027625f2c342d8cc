"""Which command somebody seems to look for, by the names that the last minute left on the screen.

A linear classifier, learned from moments that were written for it: what was touched, taken back, opened and said there
is a sum of vectors, nearest to the command that gets on from there. `python -m lab.benchmarks.matching.sought` makes
the file, for five programs in English. It is read when the first offer looks for a command.
"""

from collections.abc import Collection, Iterator, Mapping
from functools import cache
from importlib.resources import files
from io import BytesIO

import numpy as np
from numpy.typing import NDArray

from daemon.help import meaning
from daemon.help.commands.intents import TokenVectors, of_length_one
from daemon.help.commands.words import language_of, words_and_signs
from daemon.help.context import HelpContext

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


class SoughtCommands:
    """What was learned."""

    def __init__(self, raw: bytes) -> None:
        """Read a file: `names` of commands with a vector each, `lines`, those of tokens, `sharp` and `apps`."""
        with np.load(BytesIO(raw), allow_pickle=False) as found:
            self._names: list[Name] = [tuple(name.split()) for name in found["names"].tolist()]
            self._lines: NDArray[np.int8] = found["lines"]
            self._vectors = TokenVectors(found)
            self._sharp = float(found["sharp"])
            self._apps = frozenset(found["apps"].tolist())

    def shares(self, context: HelpContext, among: Collection[Name]) -> Mapping[Name, float]:
        """Return how likely each of these is sought, of all commands that were learned.

        Nothing where hardly anything tells, and in programs that were not learned from.
        """
        if context.app not in self._apps:
            return {}
        asked = of_length_one(self._vectors.total(tokens_of_moment(context), _LEAST_TOKENS))
        if not asked.any():
            return {}
        odds = self._sharp * meaning.cosines(self._lines, asked)
        shares = np.exp(odds - odds.max())
        found = zip(self._names, (shares / shares.sum()).tolist(), strict=True)
        return {name: share for name, share in found if name in among}


@cache
def sought_commands() -> SoughtCommands:
    """Return what was learned."""
    return SoughtCommands((files("daemon.help") / "data" / f"sought-{LANGUAGE}.npz").read_bytes())
