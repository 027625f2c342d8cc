"""People's words to the commands of a program: the likeliest first, with how likely each is what was meant.

Each word of a question is compared with each word of the list once, on three levels: the same word or a form of it, a
word that `data/LANGUAGE.toml` holds to mean the same, and, in English, a word near in meaning. What then counts is how
much of the question a command covers, rare words more, how much of the command's name the question covers, and how
near the question as a whole is to what people say for such a command (`intents`).
`kairos bench commands --fit` gave the weights.
"""

import json
import math
import re
import sys
from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from itertools import combinations_with_replacement
from typing import Any

import numpy as np
from numpy.typing import NDArray

from daemon.help import meaning
from daemon.help.commands.command import Command, CommandList, Meant
from daemon.help.commands.intents import Intents, intents_of
from daemon.help.commands.words import LanguageWords, guess_language, language_of, one_letter_apart, words_and_signs

Floats = NDArray[np.float32]

FEATURES = (
    *("same", "synonym", "meaning", "name_same", "name_synonym", "name_meaning", "whole_name", "keys"),
    *("sentence", "hinted", "near_the_bar", "length", "asked", "called"),
)
"""What speaks for a command; `Weights` says how much."""

PAIRS = tuple(combinations_with_replacement((name for name in FEATURES if name not in {"whole_name", "keys"}), 2))
"""Features that count more, or less, where both are there: what a menu above has in common with the words counts where
the name itself has something too."""

ANSWERED = (
    *(*FEATURES, "total", "before", "spread", "fitting", "known", "unknown", "here", "elsewhere", "elsewhere_total"),
    *(
        "elsewhere_name",
        "elsewhere_covered",
        "elsewhere_of_name",
        "elsewhere_sentence",
        "elsewhere_asked",
        "words_alone",
    ),
    "constant",
)
"""What speaks for an answer in the list: the features of the best command and their sum, how far it is before the next
and how many others are as likely, the share of the words, rare ones more, that fit it and that fit anything, and of
those that nothing in the list or the table knows; how far it is before or behind the best of what programs can do and
this one cannot, and how well that fits the question; and whether words alone were compared, as where no vectors
say what they mean."""

EVIDENCE = ("covered", "of_name", "sentence", "asked")
"""What speaks for a command in short: the share of the words and of its name that is the same, however it is said, how
near the whole is in meaning, and to what people say for it."""

_FIRST, _SECOND = (np.array([FEATURES.index(name) for name in names]) for names in zip(*PAIRS, strict=True))
_STEM, _PREFIX, _TYPO, _PART, _INSIDE, _SYNONYM, _NEGATED = 0.95, 0.85, 0.8, 0.75, 0.6, 0.8, 0.8
_NEAR, _LEAST_COSINE, _SAME_COSINE = 0.65, 0.35, 0.75
"""What a word counts that is near in meaning, and from which cosine on, and from which on fully."""
_UNSAID = 0.5
"""What a name is worth whose menu says what is done with it, where nobody asked for that."""
_PARENT = 0.7
"""What a word counts that stands in the name of a menu above."""
_ON_BAR = 2
"""An entry of a menu of the bar is as near as a tool button, which says nothing of where it is."""
_NAMED, _SAID_WHOLE = slice(3, 5), 0.85
"""Features of what the words have of a name, and from how much of it on it is said whole, perhaps in other words."""
_WHOLE_NAME = 0.5
"""What of a name is said that is said whole, in other forms of its words or in compounds."""
_SAID, _ADDS = 0.3, 0.03
"""From here on a word alone is near to what people say for a command, and what it adds beside the others."""
_OTHER_NAME = 0.75
"""What a phrase counts for a command by another name than the first of its line."""
_WEAK, _MATCHED, _TINY = 0.25, 0.4, 1e-6
_LONG_WORD, _LONG_PART, _LEAST_PREFIX = 5, 4, 2
_MAX_WORDS, _MAX_TEXT, _MAX_KEPT, _MAX_GAP = 16, 200, 48, 4
_LEAST_SHARE = 0.5
"""People ask for a command as for what has at least so much of its name."""
_NO_LINE = 0.8
"""What the name of a command counts that the table does not know."""
_MENU_LEAD = 2.0
"""How much more must speak for a menu than for the best of its entries: who gets the entry has the menu too."""
_RIVALS = 8
_MEANT = 8
"""Names that words may ask for, all others together are unlikely."""
_MODIFIERS = {"ctrl": "ctrl", "control": "ctrl", "strg": "ctrl", "steuerung": "ctrl", "alt": "alt", "super": "super"}
_MODIFIERS |= {"shift": "shift", "umschalt": "shift", "meta": "super", "win": "super"}
_KEYS = {"delete": "del", "entf": "del", "escape": "esc", "einfg": "ins", "insert": "ins", "return": "enter"}
_KEYS |= {"eingabe": "enter", "leertaste": "space", "pos1": "home", "ende": "end", "rück": "backspace"}
_FUNCTION_KEY = re.compile(r"f\d{1,2}$")
_NAMED_KEYS = frozenset((*_KEYS.values(), "tab", "up", "down", "left", "right", "plus", "minus"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """How much each feature counts, and what a score is worth; fitted by `kairos bench commands --fit`.

    Attributes:
        features: by name, for the order.
        pairs: the same for `PAIRS`, in their order.
        odds: how much each adds to the log-odds that a command was meant.
        behind: what the distance to the best one adds, for those behind it.
        before: what the distance to the next one adds, for the best one.
        constant: the rest of the log-odds.
        answered: how much each of `ANSWERED` adds to the log-odds that the list has an answer at all.
        least: where that sum is less than this, nothing is told.
        least_other: what is less likely than this is not told beside the first.
    """

    features: Mapping[str, float]
    pairs: Sequence[float]
    odds: Mapping[str, float]
    behind: float
    before: float
    constant: float
    answered: Mapping[str, float]
    least: float
    least_other: float

    def totals(self, features: NDArray[Any]) -> NDArray[Any]:
        """Return how much speaks for each command."""
        single = np.array([self.features[name] for name in FEATURES], dtype=np.float32)
        return _product(features, single) + _product(in_pairs(features), np.array(self.pairs, dtype=np.float32))

    def answers(self, found: Sequence[float]) -> float:
        """Return the log-odds that the list has an answer, less those from which on any is told."""
        return sum(self.answered[name] * value for name, value in zip(ANSWERED, found, strict=True)) - self.least

    def probability(self, features: Sequence[float], lead: float) -> float:
        """Return how likely a command was meant."""
        odds = sum(self.odds[name] * value for name, value in zip(FEATURES, features, strict=True)) + self.constant
        odds += self.behind * min(lead, 0.0) + self.before * max(lead, 0.0)
        return 1 / (1 + math.exp(-max(min(odds, 50.0), -50.0)))


@cache
def default_weights() -> Weights:
    """Return the weights of the package."""
    found = json.loads((files("daemon.help.commands") / "data" / "matching.json").read_text(encoding="utf-8"))
    return Weights(**found)


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandMatch:
    """A command that may be what was meant, with the probability that it is, and the values of `EVIDENCE`.

    `share` is its part of what speaks for any command of the list.
    """

    command: Command
    score: float
    share: float = 0.0
    evidence: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandMatches:
    """The commands that fit, the likeliest first, and the words of the question that have no part in the first.

    Without matches nothing was found, and `unmatched` are the words that no command knows. `odds` are the log-odds that
    the list has an answer: None where they are not known, infinite where the words are the name of a command. `meant`
    is what the words may ask a program to do. `likeliest` are the commands that fit best, also where none is told.
    `language` is that of the program.
    """

    matches: tuple[CommandMatch, ...] = ()
    unmatched: tuple[str, ...] = ()
    odds: float | None = None
    meant: Meant = ()
    likeliest: tuple[CommandMatch, ...] = ()
    language: str = ""


@dataclass(frozen=True, slots=True)
class _Question:
    """The words of a question that are looked for, their stems, and keys that it names.

    `said` are the stems of all words, `places` where each of them stands among `words`: nowhere where it says nothing,
    at several places where it is a compound.
    """

    words: tuple[str, ...]
    stems: tuple[str, ...]
    keys: frozenset[str]
    unfinished: bool
    said: tuple[str, ...]
    places: tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class Scores:
    """What was found of one question.

    Attributes:
        features: what speaks for each command, as `FEATURES` names it.
        elsewhere: the same for what programs can do and this one, as far as is known, cannot.
        fits: for each level, how well each word of the question fits the best word of each command.
        words: those words.
        weights: what each of them counts.
        unknown: the share of them that fit nothing, here or elsewhere.
    """

    features: Floats
    elsewhere: Floats
    fits: Floats
    words: tuple[str, ...]
    weights: Floats
    unknown: float


class _Field:
    """The words of one part of all commands, so that one step of numpy finds the best or the sum of each command.

    Rows are of words here, or of lines of the table. Number 0 stands for nothing, and its value is 0.
    """

    def __init__(self, rows: Sequence[Sequence[int]]) -> None:
        lengths = [len(row) for row in rows]
        self._ids = np.array([word for row in rows for word in row], dtype=np.int32)
        self._bounds = np.cumsum([0, *lengths], dtype=np.int32)
        by_word = np.argsort(self._ids, kind="stable")
        self._texts = np.repeat(np.arange(len(rows), dtype=np.int32), lengths)[by_word]  # word by word
        self._of_word = np.cumsum([0, *np.bincount(self._ids, minlength=1)], dtype=np.int32)

    def best(self, values: Floats) -> Floats:
        """Return the best value of the words of each text; the last axis of values is the words of the list."""
        return self._reduced(np.maximum, values)

    def total(self, values: Floats) -> Floats:
        """Return the sum of the values of the words of each text."""
        return self._reduced(np.add, values)

    def _reduced(self, how: np.ufunc, values: Floats) -> Floats:
        """Reduce along the words of the texts that have one with a value, which are few.

        Words are rows here: numpy is several times faster so.
        """
        by_word = values.reshape(-1, values.shape[-1]).T
        found = np.zeros((len(self._bounds) - 1, by_word.shape[1]), dtype=np.float32)
        is_reached = np.zeros(len(found), dtype=bool)
        words = np.flatnonzero(by_word[: len(self._of_word) - 1].any(axis=1))
        is_reached[self._texts[_ranges(self._of_word, words)[0]]] = True
        texts = np.flatnonzero(is_reached)
        if len(texts):
            places, starts = _ranges(self._bounds, texts)
            found[texts] = how.reduceat(by_word[self._ids[places]], starts, axis=0)
        return np.ascontiguousarray(found.T).reshape(*values.shape[:-1], len(found))


def _ranges(bounds: NDArray[Any], wanted: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the numbers of several ranges, one after the other, and where in these each begins."""
    lengths = bounds[wanted + 1] - bounds[wanted]
    ends = np.cumsum(lengths)
    starts = ends - lengths
    return np.repeat(bounds[wanted] - starts, lengths) + np.arange(ends[-1] if len(ends) else 0), starts


class KnownNames:
    """What the table of a language says, made once for all lists: the first words that a list knows are its words.

    Attributes:
        known: the numbers of its words.
        first_names: for each line, the words of its first name.
        vectors: what its words mean; in English.
        meanings: what the first names mean; in English.
    """

    def __init__(self, language: LanguageWords) -> None:
        self.known: dict[str, int] = {"": 0}
        self.first_names = [_numbered(line.names[0], language, self.known) for line in language.asked]
        if language.code == "en":
            self.vectors = meaning.packed(tuple(self.known), meaning.word_vectors)
            self.meanings = meaning.packed([line.names[0] for line in language.asked], meaning.vectors)


@cache
def told_in(code: str) -> KnownNames:
    """Return the table of a language."""
    return KnownNames(language_of(code))


def _numbered(text: str, language: LanguageWords, known: dict[str, int]) -> tuple[int, ...]:
    """Return the numbers of the words of a text, which are given out here."""
    words = words_and_signs(text[:_MAX_TEXT])
    kept = [word for word in words if word not in language.silent] or words
    return tuple(known.setdefault(word, len(known)) for word in kept)


class _Meaning:
    """What the names of commands mean, their paths and hints, and the names of what other programs can do."""

    def __init__(
        self, commands: Sequence[Command], known: Sequence[str], told: KnownNames, absent: Sequence[int]
    ) -> None:
        self._known = (told.vectors, meaning.packed(known[len(told.known) :], meaning.word_vectors))
        self._near: dict[str, Floats] = {}
        texts = [
            (command.name, " ".join(command.path), *([command.hint[:_MAX_TEXT]] if command.hint else ()))
            for command in commands
        ]
        numbers: dict[str, int] = {}
        self._ids = np.array([numbers.setdefault(text, len(numbers)) for some in texts for text in some], dtype=np.intp)
        self._vectors = meaning.packed(tuple(numbers), meaning.vectors)
        self._starts = np.cumsum([0, *map(len, texts)])[:-1]
        self._absent = told.meanings[absent]

    def near(self, word: str) -> Floats:
        """Return how near in meaning each word of the list is."""
        if len(self._near) > _MAX_KEPT:
            self._near.clear()
        if word not in self._near:
            asked = meaning.vector(word)
            cosines = np.concatenate(tuple(meaning.cosines(rows, asked) for rows in self._known))
            scale = (cosines - _LEAST_COSINE) / (_SAME_COSINE - _LEAST_COSINE)
            self._near[word] = _NEAR * np.clip(scale, 0.0, 1.0)
        return self._near[word]

    def sentences(self, words: str) -> Floats:
        """Return how near each command is as a whole: the cosine of the nearest of its texts."""
        asked = meaning.vector(words[:_MAX_TEXT])
        ours = np.maximum.reduceat(meaning.cosines(self._vectors, asked)[self._ids], self._starts)
        return np.asarray(np.maximum(np.concatenate((ours, meaning.cosines(self._absent, asked))), 0.0))


class _AskedFor:
    """What words may ask for: the lines of the table that commands stand in, and what their own names would ask for."""

    def __init__(
        self,
        commands: Sequence[Command],
        intents: Intents | None,
        lines: Sequence[Sequence[int]],
        shares: Sequence[float],
        absent: Sequence[int],
    ) -> None:
        self._intents = intents
        self._count = len(commands) + len(absent)
        if self._intents is None:
            return
        self._lines = _Field([[place + 1 for place in places] for places in (*lines, *([place] for place in absent))])
        names = {name: number + 1 for number, name in enumerate(self._intents.names)}
        firsts = [[names[command.name]] if command.name in names else [] for command in commands]
        self._first = _Field([*firsts, *([place + 1] for place in absent)])
        self._share = np.array([*((1 + share) / 2 for share in shares), *(1.0 for _ in absent)], dtype=np.float32)
        self._has_line = np.array([*map(bool, lines), *(True for _ in absent)])
        numbers: dict[str, int] = {}
        self._ids = np.array([numbers.setdefault(command.name, len(numbers)) for command in commands], dtype=np.intp)
        self._names = self._intents.packed(tuple(numbers))
        self._absent = np.array(absent, dtype=np.intp)

    def said(self, words: str) -> Floats:
        """Return for each command whether people say just this for it: less for the other names of its line."""
        if self._intents is None:
            return np.zeros(self._count, dtype=np.float32)
        said = np.zeros(len(self._intents.names) + 1, dtype=np.float32)
        said[self._intents.lines_of(words[:_MAX_TEXT]) + 1] = 1.0
        other = np.where(self._share >= 1.0, _OTHER_NAME * self._lines.best(said), 0.0)
        return np.asarray(np.maximum(other, self._first.best(said)), dtype=np.float32)

    def near(self, words: str) -> Floats:
        """Return how near the words are to each command's lines, and to its name."""
        found = np.zeros((self._count, 2), dtype=np.float32)
        if self._intents is None:
            return found
        asked = self._intents.vector(words[:_MAX_TEXT])
        near = np.maximum(self._intents.near_lines(asked), 0.0)
        called = np.maximum(meaning.cosines(self._names, asked), 0.0)[self._ids]
        found[:, 1] = np.concatenate((called, near[self._absent]))
        of_lines = self._share * self._lines.best(np.concatenate((np.zeros(1, dtype=np.float32), near)))
        found[:, 0] = np.where(self._has_line, of_lines, _NO_LINE * found[:, 1])
        return found


class _Menus:
    """The menus among commands, which are the last ones, and what each of them holds.

    They answer where no entry in them fits as well: "change the colours" is View > Color Scheme.
    """

    def __init__(self, commands: Sequence[Command], first: int) -> None:
        self._first = first
        numbers: dict[tuple[str, ...], list[int]] = {command.path: [] for command in commands[first:]}
        for number, command in enumerate(commands[:first]):
            for end in range(2, len(command.path)):
                numbers.get(command.path[:end], []).append(number)
        self._held = [np.array(held, dtype=np.intp) for held in numbers.values()]
        ends = np.cumsum([len(held) for held in self._held])
        self._entries = np.concatenate([np.array([], dtype=np.intp), *self._held])
        self._filled = np.flatnonzero([len(held) for held in self._held])
        self._starts = ends[self._filled] - [len(self._held[menu]) for menu in self._filled]

    def settle(self, totals: NDArray[Any], features: Floats) -> tuple[NDArray[Any], Floats]:
        """Return totals and features with each menu or its entries left out.

        A menu goes where an entry fits nearly as well; one with more of the very words takes its place. Entries go that
        fit no better than their menu.
        """
        found, speaks = totals.copy(), features.copy()
        best = np.full(len(self._held), -np.inf)
        if len(self._filled):
            best[self._filled] = np.maximum.reduceat(totals[self._entries], self._starts)
        is_behind = best > totals[self._first :] - _MENU_LEAD
        found[self._first :][is_behind] = -np.inf
        for number in np.flatnonzero(~is_behind).tolist():
            menu, held = self._first + number, self._held[number]
            fullest = held[features[held, 0].argmax()] if len(held) else menu
            if features[fullest, 0] > features[menu, 0] + _TINY:
                found[menu], found[fullest], speaks[fullest] = -np.inf, totals[menu], features[menu]
            else:
                found[held[features[held, 3:6].sum(axis=1) < _TINY]] = -np.inf
        return found, speaks


class CommandMatcher:
    """Finds commands of one list by people's words. Made once for a list; `match` is for each key that is typed."""

    def __init__(self, commands: CommandList, weights: Weights | None = None, intents: Intents | None = None) -> None:
        """Take a list, and weights and what was learned of its language in place of those of the package."""
        self._commands = (*commands.commands, *commands.menus)
        self._weights = weights or default_weights()
        code = commands.language or guess_language(name for command in self._commands for name in command.path)
        self._language = language_of(code)
        told = told_in(self._language.code)
        self._known = dict(told.known)
        self._rows: dict[tuple[str, str, bool], Floats] = {}
        self._with_stem: dict[str, Floats] = {}
        self._of_names: Sequence[str] = ()
        asked = self._language.asked
        if not (self._commands or asked):
            return
        found = [self._language.asked_of(command.path) for command in self._commands]
        absent = sorted(set(range(len(asked))).difference(*found))
        shares = [max(places.values(), default=0.0) for places in found]
        best = [
            sorted(place for place, share in places.items() if share == most and most >= _LEAST_SHARE)
            for places, most in zip(found, shares, strict=True)
        ]
        others = (Command(path=asked[place].names[:1], keys="", hint="", in_menu=False) for place in absent)
        rows = (*self._commands, *others)
        names = [self._ids(command.name) for command in self._commands]
        self._fields = (
            _Field([*names, *(told.first_names[place] for place in absent)]),
            _Field([self._ids(" ".join(row.path[:-1])) for row in rows]),
            _Field([self._ids(row.hint) for row in rows]),
        )
        self._near_the_bar = np.array([1 / max(len(row.path), _ON_BAR) for row in rows], dtype=np.float32)
        self._of_names = [row.name for row in rows]
        self._all_names = [
            *(
                (command.name, *(name for place in places for name in asked[place].names))
                for command, places in zip(self._commands, best, strict=True)
            ),
            *(asked[place].names for place in absent),
        ]
        self._names: dict[tuple[str, ...], list[int]] = {}
        self._keys: dict[frozenset[str], list[int]] = {}
        for number, row in enumerate(rows):
            self._names.setdefault(self._language.stems(row.name), []).append(number)
            self._keys.setdefault(_keys_of(row.keys), []).append(number)
        self._index_words()
        self._of_acts = self._rows_of_acts()
        self._menus = _Menus(self._commands, len(commands.commands))
        self._asked_for = _AskedFor(self._commands, intents or intents_of(code), best, shares, absent)
        self._meaning = None
        if self._language.code == "en":
            self._meaning = _Meaning(self._commands, tuple(self._known), told, absent)
            meaning.let_go()

    def match(self, words: str, limit: int = 5) -> CommandMatches:
        """Return the commands that the words may mean, at most so many; the last word may be unfinished."""
        found = self.score(words) if self._commands else None
        if found is None:
            return CommandMatches()
        totals, features = self._menus.settle(self._weights.totals(found.features), found.features)
        found = replace(found, features=features)
        order = best_first(totals, min(max(limit, 1) + _RIVALS, int(np.isfinite(totals).sum())))
        leads = leads_of(totals, order, self._of_names)
        shares = np.exp(totals - totals.max())
        shares /= shares.sum()
        likeliest: list[CommandMatch] = []
        score = 1.0
        best = int(order[0])
        is_named = bool(found.features[best, FEATURES.index("whole_name")])
        odds = math.inf if is_named else None
        if self._language.asked and not is_named:
            odds = self._weights.answers(answered_by(found, self._weights.totals, totals, leads[0]))
            if self._is_spelled_out(found, best):
                odds = max(odds, 0.0)
        for number, lead in zip(order[:limit].tolist(), leads, strict=False):
            values = found.features[number].tolist()
            score = min(score, self._weights.probability(values, lead))
            if score >= self._weights.least_other:
                evidence = (sum(values[:3]), sum(values[3:6]), values[8], values[12])
                command, share = self._commands[number], float(shares[number])
                likeliest.append(CommandMatch(command=command, score=score, share=share, evidence=evidence))
        matches = likeliest if is_named or self._is_answer(found, best, odds) else []
        fits = found.fits[-1, :, best] if matches else found.fits[-1].max(axis=1)
        missed = [word for word, fit in zip(found.words, fits, strict=True) if fit < _MATCHED]
        missed = [word for word in missed if word not in self._language.weak]
        near = float(found.features[best, FEATURES.index("asked") :].max())
        unmatched = dict.fromkeys(word for word in missed if not (matches and self._has_part(word, words, best, near)))
        return CommandMatches(
            matches=tuple(matches),
            unmatched=tuple(unmatched),
            odds=odds,
            meant=self.meant(found, totals),
            likeliest=tuple(likeliest),
            language=self._language.code,
        )

    def _has_part(self, word: str, words: str, number: int, near: float) -> bool:
        """Tell whether people who ask for a command say this word, alone or with the others; all are so near to it."""
        if self._asked_for.near(word)[number].max() >= _SAID:
            return True
        others = " ".join(other for other in words_and_signs(words[:_MAX_TEXT]) if other != word)
        return bool(near - self._asked_for.near(others)[number].max() >= _ADDS)

    def meant(self, found: Scores, totals: NDArray[Any]) -> Meant:
        """Return what the words may ask a program to do, whether this one can or not; `totals` are of its commands."""
        totals = np.concatenate((totals, self._weights.totals(found.elsewhere)))
        shares = np.exp(totals - totals.max())
        shares /= shares.sum()
        order = best_first(totals, _MEANT)
        return tuple((self._all_names[number], float(shares[number])) for number in order.tolist())

    @staticmethod
    def _is_spelled_out(found: Scores, best: int) -> bool:
        """Tell whether the words say the whole name of a command, and nothing that is not in its path."""
        all_of_name = found.features[best, FEATURES.index("name_same")] >= _WHOLE_NAME
        return bool(all_of_name and found.fits[0, :, best].min(initial=1.0) >= _MATCHED)

    def _is_answer(self, found: Scores, best: int, odds: float | None) -> bool:
        """Tell whether the best command answers at all. Without a table any common word is all that there can be."""
        if odds is None:
            has_keys = found.features[best, FEATURES.index("keys")] > 0
            return bool(has_keys or found.fits[-1, :, best].max(initial=0.0) >= _MATCHED)
        return odds >= 0

    def score(self, words: str) -> Scores | None:
        """Return what speaks for each command; None where nothing was asked, or there is nothing to compare with."""
        if not self._of_names:
            return None
        question = self._read(words)
        if not (question.words or question.keys):
            return None
        count = len(question.words)
        levels = np.zeros((3, count, len(self._known)), dtype=np.float32)
        for place, (word, stem) in enumerate(zip(question.words, question.stems, strict=True)):
            levels[0, place] = self._row(word, stem, question.unfinished and place == count - 1)
        self._join_words(question, levels[0])
        levels[1] = levels[0]
        phrases = self._add_synonyms(question, levels[1])
        levels[2] = levels[1]
        if self._meaning is not None:
            for place, word in enumerate(question.words):
                if word not in self._language.weak:
                    levels[2, place] = np.maximum(levels[2, place], self._meaning.near(word))
        weights = np.array(list(map(self._weight, question.words, question.stems)), dtype=np.float32)
        name, parent, hint = (field.best(levels) for field in self._fields)
        best = np.maximum(name, _PARENT * parent)
        for places, stems in phrases:
            together = _SYNONYM * np.minimum.reduce([self._having(stem) for stem in stems])
            best[1:, places] = np.maximum(best[1:, places], together)
            for stem in stems:
                at = np.ix_((1, 2), places, self._numbers(stem))
                levels[at] = np.maximum(levels[at], _SYNONYM)
        fits = np.maximum.reduce([name, parent, hint, best])
        with_hint = np.maximum(best[2], hint[1])
        covered = np.stack((*best, with_hint))
        covered = np.einsum("lwc,w->lc", covered, weights) / np.float32(max(weights.sum(), 1e-6))
        of_name = self._fields[0].total(levels.max(axis=1, initial=0.0) * self._word_weights) / self._name_weights
        features = np.zeros((len(self._of_names), len(FEATURES)), dtype=np.float32)
        features[:, :3], features[:, 3:6] = _gains(covered[:3]), _gains(of_name)
        features[self._names.get(question.stems, []), 6] = 1.0
        features[:, 6] = np.maximum(features[:, 6], self._asked_for.said(words))
        self._prefer_names(features, self._names.get(question.stems, []))
        for numbers, rows in self._of_acts:
            if levels[1][:, numbers].max(initial=0.0) < _MATCHED:  # "table" is no order to delete one
                features[rows, 3:6] *= _UNSAID
                features[rows, 6] = 0.0
        if question.keys:
            features[self._keys.get(question.keys, []), 7] = 1.0
        features[:, 9] = covered[3] - covered[2]
        if self._meaning is not None and question.words:
            features[:, 8] = self._meaning.sentences(words)
        features[:, 10], features[:, 11] = self._near_the_bar, math.log1p(count)
        features[:, 12:14] = self._asked_for.near(words)
        count = len(self._commands)
        unknown = float(np.mean(fits[-1].max(axis=1) < _MATCHED)) if question.words else 0.0
        return Scores(features[:count], features[count:], fits[:, :, :count], question.words, weights, unknown)

    @staticmethod
    def _prefer_names(features: Floats, named: Sequence[int]) -> None:
        """Let a name that is said whole, in other words too, count more than a phrase that is said for another."""
        is_said = (features[:, :2].sum(axis=1) >= _SAID_WHOLE) & (features[:, _NAMED].sum(axis=1) >= _SAID_WHOLE)
        if is_said.any():
            by_phrase = ~is_said & (features[:, 6] > 0)
            by_phrase[named] = False
            features[by_phrase, 6] *= _UNSAID

    def _ids(self, text: str) -> tuple[int, ...]:
        return _numbered(text, self._language, self._known)

    def _index_words(self) -> None:
        """Count how rare each word is, a menu once, and note what finds it."""
        self._word_stems = stems = [self._language.stem(word) for word in self._known]
        counts: dict[str, int] = {}
        for path in {command.path[:end] for command in self._commands for end in range(1, len(command.path) + 1)}:
            for stem in set(self._language.stems(path[-1])):
                counts[stem] = counts.get(stem, 0) + 1
        most = math.log(1 + len(self._commands))
        self._rarity = {stem: math.log(1 + len(self._commands) / count) / most for stem, count in counts.items()}
        weights = [self._weight(word, stem) for word, stem in zip(self._known, stems, strict=True)]
        self._word_weights = np.array([0.0, *weights[1:]], dtype=np.float32)
        self._name_weights = np.maximum(self._fields[0].total(self._word_weights), 1e-6)
        self._by_stem: dict[str, list[int]] = {}
        self._by_part: dict[str, list[int]] = {}
        for number, stem in enumerate(stems):
            self._by_stem.setdefault(stem, []).append(number)
        same = self._language.same
        self._stems = self._by_stem.keys() | {stem for key in same for stem in key}
        self._stems |= {stem for others in same.values() for other in others for stem in other}
        self._sorted = sorted(self._known)
        self._by_length: dict[int, list[tuple[int, str]]] = {}
        for number, word in enumerate(self._known):
            if len(word) >= _LONG_WORD:
                self._by_length.setdefault(len(word), []).append((number, word))
            for part in self._language.parts(word, self._stems):
                self._by_part.setdefault(part, []).append(number)

    def _rows_of_acts(self) -> Sequence[tuple[list[int], list[int]]]:
        """Return for menus that say what is done the words of each, and its commands whose name does not say it."""
        rows: dict[str, list[int]] = {}
        for number, command in enumerate(self._commands):
            parents = command.path[1:-1]  # a menu of the bar names a subject: "Select" is all about selections
            for stem in self._language.acts.intersection(self._language.stems(parents[-1]) if parents else ()):
                if stem not in self._language.stems(command.name):
                    rows.setdefault(stem, []).append(number)
        return [(self._numbers(stem), commands) for stem, commands in rows.items()]

    def _weight(self, word: str, stem: str) -> float:
        return self._rarity.get(stem, 1.0) * (_WEAK if word in self._language.weak else 1.0)

    def _read(self, words: str) -> _Question:
        """Return the words of a question that are looked for; compounds that no command knows in their parts."""
        text = words[:_MAX_TEXT]
        said, keys = _without_keys(words_and_signs(text))
        said = said[-_MAX_WORDS:]
        silent = self._language.silent if keys or not self._language.silent.issuperset(said) else frozenset()
        found: list[tuple[str, str]] = []
        places: list[tuple[int, ...]] = []
        for word in said:
            stem = self._language.stem(word)
            parts = self._language.parts(word, self._stems) if stem not in self._stems else ()
            pieces = () if word in silent else parts or (stem,)
            places.append(tuple(range(len(found), len(found) + len(pieces))))
            found += [(word, piece) for piece in pieces]
        return _Question(
            words=tuple(word for word, _ in found),
            stems=tuple(stem for _, stem in found),
            keys=keys,
            unfinished=bool(text) and text[-1].isalnum(),
            said=tuple(map(self._language.stem, said)),
            places=tuple(places),
        )

    def _row(self, word: str, stem: str, unfinished: bool) -> Floats:
        """Return how far each word of the list is this word, or this part of a compound."""
        if len(self._rows) > _MAX_KEPT:
            self._rows.clear()
        if (word, stem, unfinished) not in self._rows:
            self._rows[word, stem, unfinished] = self._compare(word, stem, unfinished)
        return self._rows[word, stem, unfinished]

    def _compare(self, word: str, stem: str, unfinished: bool) -> Floats:
        found = np.zeros(len(self._known), dtype=np.float32)
        found[self._by_part.get(stem, [])] = _PART
        found[self._by_stem.get(stem, [])] = _STEM
        if stem != self._language.stem(word):
            return np.minimum(found, _STEM)
        begun = self._begun_with(word) if unfinished and len(word) >= _LEAST_PREFIX else []
        found[begun] = np.maximum(found[begun], _PREFIX)
        if stem not in self._by_stem and len(word) >= _LONG_WORD and not begun:
            near = [other for length in (-1, 0, 1) for other in self._by_length.get(len(word) + length, ())]
            found[[number for number, other in near if one_letter_apart(word, other)]] = _TYPO
        if self._language.code == "en" and word.startswith("un") and len(word) > _LONG_WORD and not found.any():
            found[self._by_stem.get(self._language.stem(word[2:]), [])] = _NEGATED
        if self._language.code == "de":
            inside = [number for number, other in enumerate(self._word_stems) if _is_inside(stem, other)]
            found[inside] = np.maximum(found[inside], _INSIDE)
        if word in self._known:
            found[self._known[word]] = 1.0
        return found

    def _begun_with(self, word: str) -> list[int]:
        """Return the words of the list that begin so."""
        first = bisect_left(self._sorted, word)
        last = bisect_left(self._sorted, word + chr(sys.maxunicode))
        return [self._known[other] for other in self._sorted[first:last]]

    def _join_words(self, question: _Question, levels: Floats) -> None:
        """Let "full screen" be "fullscreen"."""
        for place in range(len(question.words) - 1):
            joined = self._language.stem(question.words[place] + question.words[place + 1])
            is_word = len(joined) > len(question.words[place])  # "sort table" is no form of "sortable"
            for number in self._by_stem.get(joined, ()) if is_word else ():
                levels[place : place + 2, number] = np.maximum(levels[place : place + 2, number], _STEM)

    def _add_synonyms(self, question: _Question, levels: Floats) -> list[tuple[list[int], tuple[str, ...]]]:
        """Add what the table holds for words that stand in this order in the question.

        Returned is what fits only together: places in the question, and the stems that a command must have all.
        """
        phrases = []
        keys = [key for stem in dict.fromkeys(question.said) for key in self._language.same_from.get(stem, ())]
        for key in keys:
            others = self._language.same[key]
            places = [place for at in _places(key, question.said) for place in question.places[at]]
            for stems in others if places else ():
                if len(stems) > 1 and all(self._numbers(stem) for stem in stems):
                    phrases.append((places, stems))
                elif len(stems) == 1:
                    at = np.ix_(places, self._numbers(stems[0]))
                    levels[at] = np.maximum(levels[at], _SYNONYM)
        return phrases

    def _numbers(self, stem: str) -> list[int]:
        """Return the words of the list of this stem, or with such a part."""
        return [*self._by_stem.get(stem, ()), *self._by_part.get(stem, ())]

    def _having(self, stem: str) -> Floats:
        """Return for each command whether a word of this stem is in its path or hint."""
        if stem not in self._with_stem:
            words = np.zeros(len(self._known), dtype=np.float32)
            words[self._numbers(stem)] = 1.0
            self._with_stem[stem] = np.maximum.reduce([field.best(words) for field in self._fields])
        return self._with_stem[stem]


def meant_in(words: str, code: str) -> Meant:
    """Return what words may ask any program to do, in a language."""
    matcher = _names_in(code)
    found = matcher.score(words)
    return () if found is None else matcher.meant(found, np.zeros(0, dtype=np.float32))


@cache
def _names_in(code: str) -> CommandMatcher:
    return CommandMatcher(CommandList(app="", commands=(), language=code))


def forget_names() -> None:
    """Forget which words were compared with names: some were typed."""
    _names_in.cache_clear()


def _product(rows: Floats, values: Floats) -> Floats:
    """Return rows times values on one core: the threads of `@` take more CPU than they save here."""
    return np.asarray(np.einsum("rv,v->r", rows, values), dtype=np.float32)


def best_first(totals: NDArray[Any], limit: int) -> NDArray[np.intp]:
    """Return the places of the highest values, at most so many; of equal ones the first."""
    likely = np.arange(len(totals))
    if limit < len(totals):
        likely = np.flatnonzero(totals >= np.partition(totals, -limit)[-limit])
    return likely[np.argsort(-totals[likely], kind="stable")[:limit]]


def _gains(levels: NDArray[Any]) -> Floats:
    """Return the first level, and what each further one adds to that before it."""
    return np.asarray(np.diff(levels, axis=0, prepend=np.float32(0.0)).T)


def in_pairs(features: NDArray[Any]) -> NDArray[Any]:
    """Return the products of the features of `PAIRS`."""
    return np.asarray(features[:, _FIRST] * features[:, _SECOND])


def answered_by(
    found: Scores, totals_of: Callable[[NDArray[Any]], NDArray[Any]], totals: NDArray[Any], lead: float
) -> Sequence[float]:
    """Return the values of `ANSWERED`.

    Args:
        found: of the question.
        totals_of: gives how much speaks for each command.
        totals: that, for the commands of the list.
        lead: how far the best one is before the next.
    """
    best = int(totals.argmax())
    total = float(totals[best])
    ours, other, elsewhere = found.features[best], np.zeros(len(FEATURES), dtype=np.float32), 0.0
    if len(found.elsewhere):
        others = totals_of(found.elsewhere)
        elsewhere, other = float(others.max()), found.elsewhere[int(others.argmax())]
    gap = total - elsewhere if len(found.elsewhere) else 0.0
    shares = np.exp(totals - total)
    shares /= shares.sum()
    spread = -float(np.sum(shares * np.log(shares + _TINY)))
    weights = found.weights / max(float(found.weights.sum()), _TINY)
    fits = found.fits[-1]
    fitting, known = (float(weights @ fit) for fit in (fits[:, best], fits.max(axis=1)))
    sentence, asked = FEATURES.index("sentence"), FEATURES.index("asked")
    return (
        *(*map(float, ours), total, lead, spread, fitting, known, found.unknown),
        *(max(gap, 0.0), max(-gap, 0.0), elsewhere, float(other[FEATURES.index("whole_name")])),
        *(float(other[:3].sum()), float(other[3:6].sum()), float(other[sentence]), float(other[asked])),
        *(float(not found.features[:, sentence].any()), 1.0),
    )


def leads_of(totals: NDArray[Any], order: NDArray[np.intp], names: Sequence[str]) -> list[float]:
    """Return how far each of the best is before the best other one; the same one at another place is no other."""
    found = []
    for number in order:
        others = (totals[other] for other in order if names[other] != names[number])
        found.append(float(totals[number] - next(others, 0.0)))
    return found


def _is_inside(stem: str, other: str) -> bool:
    """Return whether one stem begins or ends the other, as the parts of a compound do."""
    short, long = sorted((stem, other), key=len)
    return len(short) >= _LONG_PART and len(long) > len(short) and (long.startswith(short) or long.endswith(short))


def _places(key: tuple[str, ...], stems: Sequence[str]) -> list[int]:
    """Return where the stems of a key stand in the question, in their order and near; nothing if one is missing."""
    if key[0] not in stems:
        return []
    if len(key) == 1:
        return [place for place, stem in enumerate(stems) if stem == key[0]]
    places: list[int] = []
    for wanted in key:
        start = places[-1] + 1 if places else 0
        if wanted not in stems[start : start + _MAX_GAP if places else None]:
            return []
        places.append(stems.index(wanted, start))
    return places


def _keys_of(text: str) -> frozenset[str]:
    """Return the keys of a shortcut, by one name each; nothing for none."""
    return frozenset(_key(part) for part in text.casefold().replace("++", "+plus").replace(" ", "").split("+") if part)


def _key(word: str) -> str:
    return _MODIFIERS.get(word) or _KEYS.get(word, word)


def _without_keys(words: Sequence[str]) -> tuple[tuple[str, ...], frozenset[str]]:
    """Return the words without a shortcut that is named among them, and its keys."""
    start = next(
        (at for at, word in enumerate(words) if word.rstrip("+") in _MODIFIERS or _FUNCTION_KEY.match(word)), None
    )
    if start is None:
        return tuple(words), frozenset()
    end = start
    while end < len(words) - 1 and words[end].rstrip("+") in _MODIFIERS:
        end += 1
    last = words[end]
    if not (
        len(last.rstrip("+")) == 1 or _key(last) in _NAMED_KEYS or _FUNCTION_KEY.match(last) or last.endswith("++")
    ):
        return tuple(words), frozenset()
    keys = frozenset(_key(word.rstrip("+")) for word in words[start : end + 1])
    return (*words[:start], *words[end + 1 :]), keys | ({"plus"} if last.endswith("++") else set())
