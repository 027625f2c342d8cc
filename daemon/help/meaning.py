"""What English words mean, as vectors: texts about the same point the same way. No model runs, nothing is downloaded.

`data/meaning.npy` holds a vector for each of some 29,000 words and pieces of words, what the sentence model
all-MiniLM-L6-v2 makes of each alone; `lab.benchmarks.matching.vectors` made the file. A text is the sum of its words,
rare ones more. The file is mapped when the first word is asked for, so what is not asked for takes no memory.
"""

import mmap
import re
import sys
from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

FILE = Path(__file__).parent / "data" / "meaning.npy"
"""Rows in the order of their words: `word` (bytes; a piece inside a word begins with ##), `weight`, `vector`."""

_WORD = re.compile(r"[a-z0-9]+")
_MAX_WORDS, _MAX_PIECES, _LONGEST, _KEPT = 400, 8, 40, 512
_PACKED, _AT_ONCE = np.float32(127.0), 256


@cache
def _table() -> tuple[NDArray[np.bytes_], NDArray[np.void]]:
    rows = np.load(FILE, mmap_mode="r", allow_pickle=False)
    return np.ascontiguousarray(rows["word"]), rows


def dimensions() -> int:
    """Return how long a vector is."""
    return int(_table()[1].dtype["vector"].shape[0])


def total(text: str) -> NDArray[np.float32]:
    """Return the sum of the meanings of the words of a text, rare ones longer."""
    found = np.zeros(dimensions(), dtype=np.float32)
    for word in _WORD.findall(text.lower())[:_MAX_WORDS]:
        found += _word_vector(word)
    return found


def vector(text: str) -> NDArray[np.float32]:
    """Return the meaning of a text, of length 1; zeros where no word of it is known."""
    found = total(text)
    length = float(np.linalg.norm(found))
    return found / length if length else found


def vectors(texts: Sequence[str]) -> NDArray[np.float32]:
    """Return the meaning of each text, a row each."""
    found = np.zeros((len(texts), dimensions()), dtype=np.float32)
    for row, text in zip(found, texts, strict=True):
        row[:] = vector(text)
    return found


def word_vectors(words: Sequence[str]) -> NDArray[np.float32]:
    """Return the meaning of each word in lower case, a row each: what `vectors` returns, for thousands at a time."""
    known, rows = _table()
    asked = np.array([word.encode() for word in words])
    places = np.minimum(np.searchsorted(known, asked), len(known) - 1)
    is_known = known[places] == asked
    found = np.zeros((len(words), dimensions()), dtype=np.float32)
    whole = rows[places[is_known]]["vector"].astype(np.float32)
    found[is_known] = whole / np.linalg.norm(whole, axis=1, keepdims=True)
    for place in np.flatnonzero(~is_known).tolist():
        found[place] = vector(words[place])
    return found


def packed(texts: Sequence[str], vectors_of: Callable[[Sequence[str]], NDArray[np.float32]]) -> NDArray[np.int8]:
    """Return the vectors of texts in a quarter of the memory; cosines keep two places."""
    found = np.zeros((len(texts), dimensions()), dtype=np.int8)
    for start in range(0, len(texts), _AT_ONCE):
        some = slice(start, start + _AT_ONCE)
        found[some] = np.rint(vectors_of(texts[some]) * _PACKED)
    return found


def cosines(rows: NDArray[np.int8], asked: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return how near packed vectors are to one that is not packed.

    On one core, and some at a time: the threads of `@` take ten times the CPU, and all at once four times the memory.
    """
    asked = asked / _PACKED
    found = np.zeros(len(rows), dtype=np.float32)
    for start in range(0, len(rows), _AT_ONCE):
        some = slice(start, start + _AT_ONCE)
        np.einsum("rv,v->r", rows[some].astype(np.float32), asked, out=found[some])
    return found


def rarity(word: str) -> float:
    """Return how rare an English word is: near 0 for "the", near 1 for a rare one; 1 if it is not known."""
    row = _row_of(word.lower().encode())
    return 1.0 if row is None else float(_table()[1][row]["weight"])


def let_go() -> None:
    """Give the memory of rows back that were read from the file: what is asked for again is read again."""
    mapped = _table()[1].base
    if sys.platform != "win32" and isinstance(mapped, mmap.mmap):
        mapped.madvise(mmap.MADV_DONTNEED)


def forget_words() -> None:
    """Forget which words were looked at: some were typed."""
    _word_vector.cache_clear()


@lru_cache(maxsize=_KEPT)
def _word_vector(word: str) -> NDArray[np.float32]:
    """Return the vector of a word, as long as the word is rare; the mean of its pieces if it is not known whole."""
    rows = _rows_of(word)
    if not rows:
        return np.zeros(dimensions(), dtype=np.float32)
    found = _table()[1][rows]
    pieces = found["vector"].astype(np.float32)
    pieces *= (found["weight"].astype(np.float32) / np.linalg.norm(pieces, axis=1))[:, None]
    return np.asarray(pieces.mean(axis=0), dtype=np.float32)


def _rows_of(word: str) -> list[int]:
    """Return the rows of a word: its own, else those of the longest pieces; none where letters are left over."""
    if (row := _row_of(word.encode())) is not None:
        return [row]
    rows: list[int] = []
    rest, mark = word[:_LONGEST], b""
    while rest and len(rows) < _MAX_PIECES:
        for end in range(len(rest), 0, -1):
            if (row := _row_of(mark + rest[:end].encode())) is not None:
                rows.append(row)
                rest, mark = rest[end:], b"##"
                break
        else:
            return []
    return rows


def _row_of(word: bytes) -> int | None:
    words, _ = _table()
    row = int(np.searchsorted(words, word))
    return row if row < len(words) and words[row] == word else None
