"""From typed words to the pages that answer them, each measured by how much of the question it says, and where.

People's words differ from a documentation's: beside each word stand others for the same (`daemon.help.commands.words`,
`data/asked_words.txt`), and in English the meaning of the whole question (`daemon.help.meaning`). A page whose title
names what the words may ask a program to do (`daemon.help.commands.matching`) is likely. Rare words count more.
What the index holds for it is made by `facts_of`, page by page; a search looks at all pages of a program at once.
The weights in `data/asked.json` are fitted by `kairos bench questions --fit`.
"""

import json
import math
import re
import sqlite3
import zlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial, reduce
from importlib.resources import files
from typing import Any

import numpy as np
from numpy.typing import NDArray

from daemon.help import meaning
from daemon.help.commands.command import Meant
from daemon.help.commands.matching import best_first, meant_in
from daemon.help.commands.words import language_of, words_of
from daemon.help.library.pages import IndexedPage, PageKind

Floats = NDArray[np.float32]
Stems = tuple[str, ...]

FEATURES = (
    "words",
    "said_in_title",
    "said",
    "title_meaning",
    "meaning",
    "question",
    "named",
    "how_to",
    "overview",
    "sister",
)
"""What speaks for or against a page, in the order of the columns of `AskedPages.features`."""

MAX_WORDS = 40
"""Words of a question that are looked at."""

_CODE = re.compile(r"#\w+[!?/]\w*|\b\w+:\d+\b|(?<!\w)\.[a-z]{2,5}\b|[$&@#%^~|*{}=+\\]")
"""What is no word and still what somebody means: error values and numbers, endings of files, signs."""

_ENTRY = np.dtype([("stem", "<u4"), ("title", "u1"), ("near", "u1"), ("text", "u1")])
"""A stem of a page by its digest: how often it stands in the title, in headings and keywords, and in the text."""

_SAME = 0.8
"""What another word for the same counts beside the one that was typed."""

_WEAK = 0.4
"""What a word such as "change" counts beside others as rare."""

_SATURATED, _BY_LENGTH, _TITLE, _NEAR = 1.2, 0.5, 4.0, 2.0
"""BM25: when more of a word adds nothing, how much longer pages lose, and what titles and headings count."""

_LEAST_PAGES = 300
"""How rare a word is among a handful of pages is taken from as many as this: no word of them is common English."""

_MANY, _REACHED, _NOISE = 10, 0.9, 0.5
"""From so many pages on, half of what nine in ten of them do not exceed says nothing."""

_MEANING_UNKNOWN = 0.5
"""The meaning of a page without vectors, for all that it says of a question."""

_MEANS, _ALIKE = " = ", ","
QUESTIONS = "asked_pages.txt"
"""What people ask whom a page helps, by program and title; it becomes part of the index."""
_LOOKED_INTO = 100
"""Pages of which all parts are compared with the question; of the others the title is."""

_PASSAGE_CHARACTERS, _MAX_PASSAGES, _MAX_HEADINGS = 250, 6, 6


def tokens_of(text: str) -> tuple[str, ...]:
    """Return the words of a text and the codes and signs in it, in lower case."""
    return (*words_of(text), *_CODE.findall(text.casefold()))


@cache
def _said_as(code: str) -> Mapping[Stems, tuple[Stems, ...]]:
    """Return for the stems of what people say those of what programs and documentation call it."""
    language = language_of(code)
    found: dict[Stems, dict[Stems, None]] = {said: dict.fromkeys(others) for said, others in language.same.items()}
    if code == "en":
        text = (files("daemon.help.library") / "data" / "asked_words.txt").read_text(encoding="utf-8")
        for line in text.splitlines():
            said, means, called = line.partition(_MEANS)
            if means:
                names = [language.all_stems(name) for name in called.split(_ALIKE)]
                for phrase in map(language.all_stems, said.split(_ALIKE)):
                    found.setdefault(phrase, {}).update(dict.fromkeys(name for name in names if name != phrase))
    return {said: tuple(others) for said, others in found.items()}


@cache
def _asked_of_titles() -> Mapping[tuple[str, str], tuple[str, ...]]:
    """Return the questions that English pages answer, by program and title in lower case."""
    found: dict[tuple[str, str], tuple[str, ...]] = {}
    app = ""
    text = (files("daemon.help.library") / "data" / QUESTIONS).read_text(encoding="utf-8")
    for line in text.splitlines():
        title, means, asked = line.partition(_MEANS)
        if means and app:
            found[app, title.casefold()] = tuple(asked.split("; "))
        elif line.startswith("["):
            app = line.strip("[]")
    return found


def facts_of(page: IndexedPage, code: str, app: str) -> tuple[bytes, bytes]:
    """Return what the index holds of a program's page for typed words: its stems, and vectors of its meaning."""
    language = language_of(code)
    asked = _asked_of_titles().get((app, page.title.casefold()), ()) if code == "en" else ()
    near = "\n".join((page.headings, page.keywords, *asked))
    counts = [
        Counter(map(language.stem, tokens_of(text))) for text in (page.title, near, f"{page.body}\n{page.control_text}")
    ]
    stems = sorted({stem for count in counts for stem in count})
    entries = np.zeros(len(stems), _ENTRY)
    entries["stem"] = [zlib.crc32(stem.encode()) for stem in stems]
    for name, count in zip(("title", "near", "text"), counts, strict=True):
        entries[name] = [min(count[stem], 255) for stem in stems]
    vectors = (
        np.round(meaning.vectors(_texts(page, asked)) * 127).astype(np.int8) if code == "en" else np.zeros(0, np.int8)
    )
    return entries.tobytes(), vectors.tobytes()


def _texts(page: IndexedPage, asked: Sequence[str]) -> list[str]:
    """Return the title, what people ask as they would a title, nothing, headings, and the text in parts."""
    parts, part = [], page.title
    for line in page.body.split("\n"):
        part = f"{part} {line}"
        if len(part) > _PASSAGE_CHARACTERS:
            parts.append(part)
            part = page.title
            if len(parts) == _MAX_PASSAGES:
                break
    if part != page.title:
        parts.append(part)
    return [page.title, *asked, "", *page.headings.split("\n")[:_MAX_HEADINGS], *parts[:_MAX_PASSAGES]]


@dataclass(frozen=True, slots=True)
class _Part:
    """A word of a question with its weight, and the stems that stand for it, with what each way of saying it counts."""

    weight: float
    ways: Mapping[Stems, float]


class AskedPages:
    """The pages that are read for a program, as numbers. They do not change; vectors of all but titles stay on disk."""

    def __init__(self, connection: sqlite3.Connection, programs: Sequence[str]) -> None:
        """Read them; the connection is used as long as this is."""
        self._connection = connection
        marks = ",".join("?" * len(programs))
        rows = connection.execute(
            "SELECT pages.id, pages.app, pages.kind, pages.language, asked.stems, substr(asked.vectors, 1, ?)"  # noqa: S608  # marks alone
            f" FROM pages JOIN asked ON asked.page = pages.id WHERE pages.app IN ({marks}) ORDER BY pages.id",
            (meaning.dimensions(), *programs),
        )
        pages: list[int] = []
        kinds: list[tuple[bool, bool, bool]] = []
        languages: Counter[str] = Counter()
        sizes: list[int] = []
        stems, titles = bytearray(), bytearray()
        for page, app, kind, language, packed, title in rows:  # one by one: together they are much larger
            pages.append(page)
            is_sister = app not in (programs[0], programs[-1])
            kinds.append((kind == PageKind.HOW_TO, kind == PageKind.OVERVIEW, is_sister))
            languages[language] += 1
            sizes.append(len(packed) // _ENTRY.itemsize)
            stems += packed
            titles += title or bytes(meaning.dimensions())
        self.pages = tuple(pages)
        self._kinds = np.array(kinds, dtype=np.float32).reshape(len(pages), 3)
        self.language = max(sorted(languages), key=lambda code: languages[code], default="")
        self._titles = np.frombuffer(titles, np.int8).reshape(-1, meaning.dimensions())
        self._has_vectors: NDArray[np.bool_] = np.any(self._titles, axis=1)
        self._read_stems(stems, sizes)

    def _read_stems(self, packed: bytearray, sizes: Sequence[int]) -> None:
        entries = np.frombuffer(packed, _ENTRY)
        count = len(sizes)
        pages = np.repeat(np.arange(count, dtype=np.min_scalar_type(count)), sizes)
        order = np.argsort(entries["stem"], kind="stable")
        entries, self._page = entries[order], pages[order]
        self._stem, begin = np.unique(entries["stem"], return_index=True)
        self._begin = np.append(begin, len(entries)).astype(np.int32)
        self._title = entries["title"] > 0
        length = np.bincount(self._page, entries["text"], count) + 20
        inverse = 1 - _BY_LENGTH + _BY_LENGTH * length / max(float(length.mean()), 1.0) if count else length
        often = _TITLE * entries["title"] + _NEAR * entries["near"] + entries["text"].astype(np.float32)
        often /= inverse.astype(np.float32)[self._page]
        self._strength = ((_SATURATED + 1) * often / (often + _SATURATED)).astype(np.float16)

    def _find(self, stem: str) -> tuple[slice, float]:
        digest = zlib.crc32(stem.encode())
        row = int(np.searchsorted(self._stem, np.uint32(digest)))
        is_known = row < len(self._stem) and int(self._stem[row]) == digest
        begin, end = (int(self._begin[row]), int(self._begin[row + 1])) if is_known else (0, 0)
        count = end - begin
        return slice(begin, end), math.log(1 + (max(len(self.pages), _LEAST_PAGES) - count + 0.5) / (count + 0.5))

    def _parts(self, words: str, said_as: Mapping[Stems, tuple[Stems, ...]]) -> list[_Part]:
        """Return the words of a question that say something, with what else stands for each of them."""
        language = language_of(self.language)
        tokens = tokens_of(words)[:MAX_WORDS]
        spoken = [token for token in tokens if token not in language.silent] or list(tokens)
        stems = dict.fromkeys(map(language.stem, spoken))
        ways: dict[str, dict[Stems, float]] = {stem: {(stem,): 1.0} for stem in stems}
        longest = max(map(len, said_as), default=0)
        for run in (list(map(language.stem, tokens)), list(map(language.stem, spoken))):
            for begin in range(len(run)):
                for end in range(begin + 1, min(begin + longest, len(run)) + 1):
                    for name in said_as.get(tuple(run[begin:end]), ()):
                        for stem in run[begin:end]:
                            if stem in ways:
                                ways[stem].setdefault(name, _SAME)
        found = []
        for stem, others in ways.items():
            _, rarity = self._find(stem)
            found.append(_Part(rarity * (_WEAK if stem in language.weak else 1.0), others))
        return found

    def features(
        self, words: str, said_as: Mapping[Stems, tuple[Stems, ...]] | None = None, meant: Meant = ()
    ) -> Floats:
        """Return what speaks for and against each page: a row each, a column for each of `FEATURES`.

        Args:
            words: the question.
            said_as: other words for the same; those of the package by default.
            meant: what the words may ask the program to do; what they may ask any by default.
        """
        count = len(self.pages)
        matched, said_in_title, said = np.zeros((3, count), np.float32)
        parts = self._parts(words, said_as or _said_as(self.language))
        whole = sum(part.weight for part in parts) or 1.0
        for part in parts:
            best, best_title, best_said = np.zeros((3, count), np.float32)
            for stems, counts in part.ways.items():
                pages, strength, title = self._match(stems)
                best[pages] = np.maximum(best[pages], counts * strength)
                best_title[pages] = np.maximum(best_title[pages], counts * title)
                best_said[pages] = np.maximum(best_said[pages], counts)
            matched += best
            said_in_title += part.weight / whole * best_title
            said += part.weight / whole * best_said
        title_meaning, means, question = self._meaning(words, said, np.log1p(matched))
        named = self._named(meant or meant_in(words, self.language))
        columns = (np.log1p(matched), said_in_title, said, title_meaning, means, question, named, self._kinds)
        return np.column_stack(columns).astype(np.float32)

    def _named(self, meant: Meant) -> Floats:
        """Return for each page the share of the likeliest that its title names."""
        named = np.zeros(len(self.pages), np.float32)
        language = language_of(self.language)
        for names, share in meant:
            for stems in {language.stems(name) for name in names} - {()}:
                places = [self._find(stem)[0] for stem in stems]
                titles = [self._page[place][self._title[place]] for place in places]
                pages = reduce(partial(np.intersect1d, assume_unique=True), titles)
                named[pages] = np.maximum(named[pages], share)
        return named

    def _match(self, stems: Stems) -> tuple[NDArray[np.unsignedinteger], Floats, NDArray[np.bool_]]:
        """Return the pages that say all of these, how strongly each does, and whether its title does."""
        place, rarity = self._find(stems[0])
        pages, title = self._page[place], self._title[place]
        strength = rarity * self._strength[place].astype(np.float32)
        for stem in stems[1:]:
            place, rarity = self._find(stem)
            pages, first, second = np.intersect1d(pages, self._page[place], assume_unique=True, return_indices=True)
            strength = np.minimum(strength[first], rarity * self._strength[place][second])
            title = title[first] & self._title[place][second]
        return pages, strength, title

    def _meaning(self, words: str, said: Floats, matched: Floats) -> tuple[Floats, Floats, Floats]:
        """Return how near a question is to each page's title, to the nearest part of it, and to what people ask."""
        nearest = np.where(self._has_vectors, 0, _MEANING_UNKNOWN * said).astype(np.float32)
        if not self._has_vectors.any():  # in no language of which vectors are known
            return nearest, nearest, nearest
        asked = meaning.vector(words)
        title = np.where(self._has_vectors, meaning.cosines(self._titles, asked), nearest)
        np.maximum(nearest, title, out=nearest)
        likely = np.argpartition(-(matched + _TITLE * title), min(_LOOKED_INTO, len(title) - 1))[:_LOOKED_INTO]
        likely = np.sort(likely[self._has_vectors[likely]])
        wanted = [self.pages[place] for place in likely]
        packed = self._connection.execute(
            f"SELECT vectors FROM asked WHERE page IN ({','.join('?' * len(wanted))}) ORDER BY page",  # noqa: S608  # marks alone
            wanted,
        ).fetchall()
        counts = np.array([len(vectors) // len(asked) for (vectors,) in packed])
        vectors = np.frombuffer(b"".join(vectors for (vectors,) in packed), np.int8).reshape(-1, len(asked))
        near = meaning.cosines(vectors, asked)
        starts = np.cumsum(counts) - counts
        parts = np.maximum.reduceat(near, starts)
        nearest[likely] = np.maximum(nearest[likely], parts)
        blank = np.cumsum(~vectors.any(axis=1))
        is_question = blank == np.repeat(blank[starts], counts)
        question = title.copy()
        question[likely] = np.maximum.reduceat(np.where(is_question, near, -1), starts)
        return title, nearest, question

    def rank(self, words: str, limit: int, meant: Meant = ()) -> list[tuple[int, float, tuple[float, ...]]]:
        """Return the rows of the pages that answer typed words, best first, how likely each does, and its features.

        Where the program's commands are known, `meant` says what the words may ask of it: unlikely pages are told too,
        since command and page may speak for each other.
        """
        if not self.pages or not tokens_of(words):
            return []
        weights = default_weights()
        features = self.features(words, meant=meant)
        counts = np.array([weights.features[name] for name in FEATURES], np.float32)
        totals = above_noise(np.einsum("rv,v->r", features, counts))
        found = [
            (self.pages[row], weights.probability(float(totals[row])), tuple(features[row].tolist()))
            for row in best_first(totals, limit)
        ]
        return [each for each in found if meant or each[1] >= weights.least]


def above_noise(totals: NDArray[Any]) -> NDArray[Any]:
    """Return sums by which pages of small and large documentations compare: less a part of what many pages reach."""
    if len(totals) < _MANY:
        return totals
    return totals - _NOISE * max(0.0, float(np.quantile(totals, _REACHED)))


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedWeights:
    """How much each feature counts; `slope` and `offset` turn the sum into the probability that a page answers.

    A page below `least` is no answer.
    """

    features: Mapping[str, float]
    slope: float
    offset: float
    least: float

    def probability(self, total: float) -> float:
        """Return how likely a page with this sum answers the question."""
        return 1 / (1 + math.exp(-(self.slope * total + self.offset)))


@cache
def default_weights() -> AskedWeights:
    """Return the weights of the package."""
    return AskedWeights(
        **json.loads((files("daemon.help.library") / "data" / "asked.json").read_text(encoding="utf-8"))
    )
