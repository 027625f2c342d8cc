"""Makes `daemon/help/commands/data/intents-LANGUAGE.npz`: what words ask a program to do, learned from phrases.

    python -m lab.benchmarks.matching.intents en daemon/help/commands/data/intents-en.npz

`data/commands/phrases-LANGUAGE.jsonl` has for each line of the table of a language, by its first name, what somebody
types who does not know that name. Each line is a class. A text is the sum
of the vectors of its tokens (`daemon.help.commands.intents`); these and one vector for each line are learned together,
so that the line asked for has the largest cosine. Tokens are left out at random, so none decides alone.
"""

import argparse
import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from scipy.special import softmax

from daemon.help import meaning
from daemon.help.commands.intents import BUCKETS, WITH_PARTS, Intents, Tokens, digest_of, tokens_of
from daemon.help.commands.words import LANGUAGES, LanguageWords, language_of
from lab.benchmarks.matching.gold import FOLDER
from lab.measure.descent import descend
from storage.plain_text import print_progress

Floats = NDArray[np.float32]

_RATE, _SLOW_RATE, _SEED = 0.02, 0.005, 5
_SHARP = 12.0
"""What a cosine counts in the likelihood."""
_PULL = 0.02
_TINY = 1e-9
_FIRST = 0.02, 0.1
"""How long vectors of tokens begin, beside what words mean and alone."""


@dataclass(frozen=True, slots=True)
class Phrases:
    """What people say, and the number of the line of the table that it asks for."""

    texts: Sequence[str]
    lines: NDArray[np.intp]


def read_phrases(code: str, without: Collection[str] = ()) -> Phrases:
    """Return the names and phrases of a language, but for some."""
    language = language_of(code)
    more = written(code)
    texts: list[str] = []
    lines: list[int] = []
    for number, line in enumerate(language.asked):
        for text in dict.fromkeys((*line.names, *more[line.names[0]])):
            if text not in without:
                texts.append(text)
                lines.append(number)
    return Phrases(texts, np.array(lines, dtype=np.intp))


def written(code: str) -> Mapping[str, Sequence[str]]:
    """Return the phrases that were written to learn from, by the first name of their line."""
    rows = (FOLDER / f"phrases-{code}.jsonl").read_text(encoding="utf-8").splitlines()
    return {row["name"]: row["phrases"] for row in map(json.loads, rows)}


def learn(phrases: Phrases, language: LanguageWords) -> bytes:
    """Return the file of a language."""
    tokens = {token for text in phrases.texts for token, _ in tokens_of(text, language)}
    stems = sorted(token for token in tokens if isinstance(token, str))
    parts = range(BUCKETS if language.code in WITH_PARTS else 0)
    rows = count_tokens((tokens_of(text, language) for text in phrases.texts), (*stems, *parts))
    has_meaning = language.code == "en"
    width = meaning.dimensions() if has_meaning else 0
    meant = np.zeros((len(phrases.texts), width), dtype=np.float32)
    if has_meaning:
        meant[:] = list(map(meaning.total, phrases.texts))
    print_progress(f"learning from {len(phrases.texts)} phrases")
    vectors, meanings, of_lines = learn_vectors(rows, meant, phrases.lines, len(language.asked), Learning())
    packed_vectors, scales = packed(vectors)
    digests = np.array([digest_of(text, language) for text in phrases.texts], dtype=np.uint32)
    order = np.argsort(digests, kind="stable")
    file = BytesIO()
    np.savez_compressed(
        file,
        names=np.array([line.names[0] for line in language.asked]),
        stems=np.array([stem.encode() for stem in stems]),
        vectors=packed_vectors,
        scales=scales,
        lines=packed_lines(of_lines),
        meanings=meanings.astype(np.float16),
        digests=digests[order],
        digest_lines=phrases.lines[order].astype(np.uint16),
    )
    return file.getvalue()


def count_tokens(texts: Iterable[Tokens], columns: Sequence[str | int]) -> csr_matrix:
    """Return how much of each token each text has."""
    numbers = {token: number for number, token in enumerate(columns)}
    cells = [(row, numbers[token], count) for row, tokens in enumerate(texts) for token, count in tokens]
    at, places, counts = zip(*cells, strict=True)
    return csr_matrix((np.array(counts, dtype=np.float32), (at, places)), shape=(at[-1] + 1, len(columns)))


@dataclass(frozen=True, slots=True)
class Learning:
    """How many numbers a vector has, how many steps there are, and the share of tokens left out in each of them."""

    dimensions: int = 128
    steps: int = 45
    left_out: float = 0.3


def learn_vectors(
    rows: csr_matrix, meant: Floats, lines: NDArray[np.intp], count: int, how: Learning
) -> tuple[Floats, Floats, Floats]:
    """Return vectors of tokens, what takes meanings to them, and vectors of lines; lines of few phrases count more."""
    random = np.random.default_rng(_SEED)
    counts = (1 / np.sqrt(np.bincount(lines, minlength=count)[lines])).astype(np.float32)
    counts /= counts.sum()
    at = np.arange(len(lines))
    vectors = random.normal(0, _FIRST[not meant.shape[1]], (rows.shape[1], how.dimensions)).astype(np.float32)
    meanings = np.eye(meant.shape[1], how.dimensions, dtype=np.float32)
    of_lines = np.zeros((count, how.dimensions), dtype=np.float32)
    np.add.at(of_lines, lines, normal(meant @ meanings + rows @ vectors))
    start = np.concatenate((vectors, meanings, normal(of_lines)))
    ends = np.cumsum((len(vectors), len(meanings)))
    rates = np.full((len(start), 1), _SLOW_RATE, dtype=np.float32)
    rates[: len(vectors)] = _RATE

    def slope(weights: Floats) -> Floats:
        vectors, meanings, of_lines = np.split(weights, ends)
        kept = np.where(random.random(rows.nnz) > how.left_out, rows.data, 0)
        some = csr_matrix((kept, rows.indices, rows.indptr), shape=rows.shape)
        texts = meant @ meanings + some @ vectors
        lengths = np.maximum(np.linalg.norm(texts, axis=1, keepdims=True), _TINY)
        texts /= lengths
        wrong = softmax(_SHARP * (texts @ of_lines.T), axis=1)
        wrong[at, lines] -= 1
        wrong *= (counts * _SHARP)[:, None]
        back = wrong @ of_lines
        back = (back - (back * texts).sum(axis=1, keepdims=True) * texts) / lengths
        return np.concatenate((some.T @ back + _PULL * vectors / len(vectors), meant.T @ back, wrong.T @ texts))

    vectors, meanings, of_lines = np.split(descend(slope, start, steps=how.steps, rate=rates, tiny=_TINY), ends)
    return vectors, meanings, of_lines


def packed(vectors: Floats) -> tuple[NDArray[np.int8], NDArray[np.float16]]:
    """Return vectors as a file has them: rounded to bytes, and a scale for each."""
    scales = np.maximum(np.abs(vectors).max(axis=1), _TINY) / 127
    return np.rint(vectors / scales[:, None]).astype(np.int8), scales.astype(np.float16)


def packed_lines(vectors: Floats) -> NDArray[np.int8]:
    """Return vectors of lines as a file has them, of length 1."""
    return np.rint(normal(vectors) * 127).astype(np.int8)


def normal(rows: Floats) -> Floats:
    """Return vectors of length 1; zeros as they are."""
    return np.asarray(rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), _TINY), dtype=np.float32)


def main() -> None:
    """Make the file of a language."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("language", choices=LANGUAGES)
    parser.add_argument("out", type=Path, metavar="FILE")
    arguments = parser.parse_args()
    language = language_of(arguments.language)
    raw = learn(read_phrases(language.code), language)
    arguments.out.write_bytes(raw)
    print_progress(f"{len(Intents(raw, language).names)} lines, {len(raw) / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
