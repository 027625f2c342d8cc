"""What words may ask a program to do: how near they are to each line of the table of a language.

A linear classifier of texts, learned from phrases: a text is the sum of the vectors of its words, in German also of
their parts, and in English of what the words mean (`daemon.help.meaning`), so words that no phrase has still count.
The phrases themselves are known by the digest of their words alone: who says one of them asks for its line.
`python -m lab.benchmarks.matching.intents` makes the files. Nothing of them is read before the first list is.
"""

import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from io import BytesIO
from typing import Any

import numpy as np
from numpy.typing import NDArray

from daemon.help import meaning
from daemon.help.commands.words import LanguageWords, language_of, without_umlauts, words_and_signs

Floats = NDArray[np.float32]

BUCKETS = 8192
"""How many vectors parts of words share."""
WITH_PARTS = frozenset({"de"})
"""Languages of compounds, and of which no meaning of words is known."""

_PARTS, _LEAST_WORD, _LONGEST = (4, 5), 4, 40
_SILENT = 0.15
"""What a word counts that says nothing by itself."""
_MAX_WORDS = 40
_PACKED = np.float32(127.0)


def tokens_of(text: str, language: LanguageWords) -> Iterator[tuple[str | int, float]]:
    """Return the stems of a text and the numbers of the parts of its words, with what each counts."""
    for word in words_and_signs(text)[:_MAX_WORDS]:
        counts = _SILENT if word in language.silent else 1.0
        yield language.stem(word), counts
        if language.code in WITH_PARTS and len(word) >= _LEAST_WORD:
            framed = f"<{without_umlauts(word[:_LONGEST])}>"
            parts = {framed[at : at + length] for length in _PARTS for at in range(len(framed) - length + 1)}
            for part in sorted(parts):
                yield zlib.crc32(part.encode()) % BUCKETS, counts / len(parts)


def digest_of(text: str, language: LanguageWords) -> int:
    """Return a number that is the same for phrases of the same words in any order, but for those that say nothing."""
    words = set(words_and_signs(text))
    return zlib.crc32("\n".join(sorted(words - language.silent or words)).encode())


Tokens = Iterable[tuple[str | int, float]]
"""Stems, or numbers of parts of words, with what each counts."""


class TokenVectors:
    """The vectors of tokens, with a byte for each of their numbers: first of stems, in their order, then of parts."""

    def __init__(self, found: Mapping[str, NDArray[Any]]) -> None:
        """Take `stems` and `vectors` with a scale each, `scales`, from a file."""
        self._stems: NDArray[np.bytes_] = found["stems"]
        self._vectors: NDArray[np.int8] = found["vectors"]
        self._scales: NDArray[np.float16] = found["scales"]

    def total(self, tokens: Tokens, least: int = 0) -> Floats:
        """Return the sum of those that are known; zeros where fewer than `least` are."""
        rows, counts = [], []
        for token, count in tokens:
            row = self._row_of(token)
            if row is not None:
                rows.append(row)
                counts.append(count)
        if len(rows) < least:
            return np.zeros(self._vectors.shape[1], dtype=np.float32)
        scales = self._scales[rows].astype(np.float32) * np.array(counts, dtype=np.float32)
        return np.asarray(np.einsum("r,rv->v", scales, self._vectors[rows].astype(np.float32)))

    def _row_of(self, token: str | int) -> int | None:
        if isinstance(token, int):
            return len(self._stems) + token
        stem = token.encode()
        if len(stem) > self._stems.itemsize:  # searching would widen them all
            return None
        row = int(np.searchsorted(self._stems, stem))
        return row if row < len(self._stems) and self._stems[row] == stem else None


def of_length_one(total: Floats) -> Floats:
    """Return a vector of length 1 in the same direction; zeros as they are."""
    length = float(np.linalg.norm(total))
    return np.asarray(total / length if length else total, dtype=np.float32)


class Intents:
    """What was learned of a language.

    Attributes:
        names: the first name of each line of the table that was learned, in its order.
    """

    def __init__(self, raw: bytes, language: LanguageWords) -> None:
        """Read a file.

        Args:
            raw: `names` and `lines`, a name and a vector for each line of the table; `stems`, in their order, the
                `vectors` of these and then of the parts of words, with a scale each; and `meanings`, which takes what
                English words mean to the same space, empty in other languages; vectors are rounded to a byte. And
                `digests`, in their order, of phrases, with the numbers of their lines, `digest_lines`.
            language: of the table.
        """
        with np.load(BytesIO(raw), allow_pickle=False) as found:
            self.names: Sequence[str] = found["names"].tolist()
            self._lines: NDArray[np.int8] = found["lines"]
            self._vectors = TokenVectors(found)
            self._meanings = found["meanings"].astype(np.float32)
            self._digests: NDArray[np.uint32] = found["digests"]
            self._digest_lines: NDArray[np.uint16] = found["digest_lines"]
        self._language = language

    def vector(self, text: str) -> Floats:
        """Return a text as a vector of length 1; zeros where none of its words is known."""
        total = self._vectors.total(tokens_of(text, self._language))
        if len(self._meanings):
            total += np.einsum("m,mv->v", meaning.total(text), self._meanings)
        return of_length_one(total)

    def packed(self, texts: Sequence[str]) -> NDArray[np.int8]:
        """Return the vectors of texts in a quarter of the memory."""
        found = np.zeros((len(texts), self._lines.shape[1]), dtype=np.int8)
        for row, text in zip(found, texts, strict=True):
            row[:] = np.rint(self.vector(text) * _PACKED)
        return found

    def near_lines(self, asked: Floats) -> Floats:
        """Return how near the vector of a text is to each line of the table."""
        return meaning.cosines(self._lines, asked)

    def lines_of(self, text: str) -> NDArray[np.uint16]:
        """Return the numbers of the lines for which people say just this."""
        digest = np.uint32(digest_of(text, self._language))
        first, last = (int(np.searchsorted(self._digests, digest, side)) for side in ("left", "right"))
        return self._digest_lines[first:last]


@cache
def intents_of(code: str) -> Intents | None:
    """Return what was learned of a language; None where nothing was."""
    language = language_of(code)
    if not language.asked:
        return None
    return Intents((files("daemon.help.commands") / "data" / f"intents-{language.code}.npz").read_bytes(), language)
