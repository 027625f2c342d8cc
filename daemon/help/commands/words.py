"""Words of a language: how a text is split, which words say nothing, which are forms of one another.

`data/LANGUAGE.toml` has the words of a language. A language without such a file is compared word by word.
"""

import re
import tomllib
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from importlib.resources import files

LANGUAGES = ("en", "de")
_WORD = re.compile(r"[^\W_]+(?:[+#]+(?!\w))?")
_SIGNS = re.compile(r"(?<!\w)([#$%@=])\1*(?!\w)")
_UMLAUTS = str.maketrans({"ä": "a", "ö": "o", "ü": "u"})
_SPELLED_OUT = re.compile(r"(?<![aeqä])([aou])e(?![aeiouy])")
"""Umlauts as who has no key for them writes them."""
_LEAST_STEM, _LEAST_DERIVED, _LEAST_PART = 3, 4, 3
_VOWEL = re.compile("[aeiouy]")
_ENGLISH = (
    *("ization", "isation", "ically", "ation", "ition", "ement", "ments", "ment", "ness", "izer", "iser", "able"),
    *("ible", "ator", "ally", "ance", "ence", "ity", "ion", "ize", "ise", "ate", "ful", "ive", "ly", "er", "or"),
    *("al", "ic"),
)
_GERMAN = (
    *("ierung", "heit", "keit", "lich", "isch", "iert", "ung", "ier", "ern", "en", "em", "er", "es", "e", "n", "s"),
)
_SPLIT_VERB = re.compile(
    "(ein|aus|auf|ab|an|um|vor|nach|her|hin|zusammen|durch|unter|wieder|zuruck|fest|los|weg|ver|)(?:ge|zu)(.{3,}?)"
    "(?:te?|en)(?:[emnrs]|e[mnrs])?"
)
"""Participles and infinitives with their prefix: "eingefügt", "einzufügen"."""
_STRONG = {
    "bund": "bind",
    "schnitt": "schneid",
    "schrieb": "schreib",
    "schloss": "schliess",
    "schob": "schieb",
    "fror": "frier",
    "hob": "heb",
    "broch": "brech",
    "strich": "streich",
    "nomm": "nehm",
    "zog": "zieh",
}
"""Other vowels of the same verb: "verbunden" is a form of "verbinden"."""
_LINKS = {"en": ("",), "de": ("", "s", "n", "en", "es", "er", "e")}
"""What stands between the parts of a compound."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedName:
    """What programs call one thing; `keys` are the stems of each name."""

    names: tuple[str, ...]
    keys: tuple[frozenset[str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LanguageWords:
    """What is known of a language.

    Attributes:
        code: ISO 639; empty for a language of which nothing is known.
        silent: words that ask ("how do I") or stand in any sentence; they are left out.
        acts: the stems of what menus do with what stands in them: "Delete", "Toolbars".
        weak: words that count little, and are never missed: "in", "all".
        same: for the stems of a word, or of several in a row, those of what programs call it.
        same_from: the keys of `same` by their first stem.
        asked: what programs can do.
        asked_by: places in `asked` by a stem of each of their keys, with the key.
    """

    code: str = ""
    silent: frozenset[str] = frozenset()
    weak: frozenset[str] = frozenset()
    acts: frozenset[str] = frozenset()
    same: Mapping[tuple[str, ...], tuple[tuple[str, ...], ...]]
    same_from: Mapping[str, Sequence[tuple[str, ...]]] = field(default_factory=dict)
    asked: Sequence[AskedName] = ()
    asked_by: Mapping[str, Sequence[tuple[frozenset[str], int]]] = field(default_factory=dict)

    def stem(self, word: str) -> str:
        """Return what is the same in all forms of a word; it need not be a word."""
        if len(word) <= _LEAST_STEM:
            return word
        if self.code == "en":
            return _english_stem(word)
        if self.code == "de":
            return _german_stem(word)
        return word

    def stems(self, text: str) -> tuple[str, ...]:
        """Return the stems of a text in order, without those that say nothing if others are left."""
        words = words_of(text)
        return tuple(self.stem(word) for word in words if word not in self.silent) or self.all_stems(text)

    def all_stems(self, text: str) -> tuple[str, ...]:
        """Return the stems of a text in order."""
        return tuple(map(self.stem, words_of(text)))

    def asked_of(self, path: Sequence[str]) -> Mapping[int, float]:
        """Return the places in `asked` of names that a command has, and what share of its own name each is.

        Words of such a name may stand in the menus above.
        """
        name = frozenset(self.stems(path[-1]))
        with_parents = name.union(*map(self.stems, path[:-1]))
        near = [pair for stem in with_parents for pair in self.asked_by.get(stem, ())]
        found: dict[int, float] = {}
        for key, place in near:
            if key <= with_parents:
                found[place] = max(found.get(place, 0.0), len(key & name) / len(name))
        return found

    def parts(self, word: str, known: Container[str]) -> tuple[str, ...]:
        """Return the stems that a compound is made of, where all of them are known; nothing for other words."""
        for cut in range(len(word) - _LEAST_PART, _LEAST_PART - 1, -1):
            first, last = word[:cut], self.stem(word[cut:])
            if last not in known:
                continue
            for link in _LINKS.get(self.code, ()):
                head = self.stem(first.removesuffix(link)) if link else self.stem(first)
                if first.endswith(link) and head in known:
                    return (head, last)
        return ()


def words_of(text: str) -> tuple[str, ...]:
    """Return the words of a text in lower case, numbers and signs at their end included."""
    return tuple(_WORD.findall(text.casefold().replace("'", "").replace("\u2019", "")))


def words_and_signs(text: str) -> tuple[str, ...]:
    """Return the words of a text, then the signs that stand alone, each once: "#" for "###"."""
    return (*words_of(text), *dict.fromkeys(_SIGNS.findall(text)))


def without_umlauts(word: str) -> str:
    """Return a German word as who has no key for them writes it, and who has: "hoehe" and "höhe" are "hohe"."""
    return _SPELLED_OUT.sub(r"\1", word.translate(_UMLAUTS))


_KEPT = 8192
"""Words whose stems are remembered: those of a program's commands, and those that are typed."""


def forget_words() -> None:
    """Forget which words were looked at: some were typed."""
    _english_stem.cache_clear()
    _german_stem.cache_clear()


@cache
def language_of(code: str) -> LanguageWords:
    """Return the language of a code such as `de` or `de_AT`."""
    code = code.replace("-", "_").partition("_")[0].casefold()
    if code not in LANGUAGES:
        return LanguageWords(same={})
    found = tomllib.loads((files("daemon.help.commands") / "data" / f"{code}.toml").read_text(encoding="utf-8"))
    silent, weak = frozenset(found["silent"].split()), frozenset(found["weak"].split())
    bare = LanguageWords(code=code, same={})
    same: dict[tuple[str, ...], dict[tuple[str, ...], None]] = {}
    for line in found["alike"].strip().split("\n"):
        group = [bare.all_stems(text) for text in line.split(",")]
        for said in group:
            same.setdefault(said, {}).update(dict.fromkeys(meant for meant in group if meant != said))
    for said, others in found["means"].items():
        meant = dict.fromkeys(bare.all_stems(text) for text in others.split(","))
        same.setdefault(bare.all_stems(said), {}).update(meant)
    kept = {key: tuple(others) for key, others in same.items()}
    bare = replace(bare, silent=silent)
    asked: list[AskedName] = []
    asked_by: dict[str, list[tuple[frozenset[str], int]]] = {}
    for line in found["told"].strip().split("\n"):
        names = tuple(line.split("/"))
        keys = tuple(dict.fromkeys(frozenset(bare.stems(name)) for name in names))
        for key in keys:
            asked_by.setdefault(min(key), []).append((key, len(asked)))
        asked.append(AskedName(names=names, keys=keys))
    same_from: dict[str, list[tuple[str, ...]]] = {}
    for said in filter(None, kept):
        same_from.setdefault(said[0], []).append(said)
    return replace(
        bare,
        acts=frozenset(bare.all_stems(found["acts"])),
        weak=weak,
        same=kept,
        same_from=same_from,
        asked=asked,
        asked_by=asked_by,
    )


def guess_language(names: Iterable[str]) -> str:
    """Return the language whose common words stand most often in names; English if none does."""
    words = [word for name in names for word in words_of(name)]
    counts = {code: sum(word in language_of(code).silent for word in words) for code in LANGUAGES}
    return max(LANGUAGES, key=lambda code: counts[code])


def one_letter_apart(first: str, second: str) -> bool:
    """Return whether a letter more, less, other or swapped makes one word of the other."""
    if abs(len(first) - len(second)) > 1 or first == second:
        return False
    start = next(
        (at for at, (a, b) in enumerate(zip(first, second, strict=False)) if a != b), min(len(first), len(second))
    )
    rest, other = first[start:], second[start:]
    return (
        rest[1:] == other[1:]
        or rest[1:] == other
        or rest == other[1:]
        or (rest[:2] == other[1::-1] and len(other) > 1 and rest[2:] == other[2:])
    )


@lru_cache(maxsize=_KEPT)
def _english_stem(word: str) -> str:
    stem = _without_inflection(word)
    for ending in _ENGLISH:
        if stem.endswith(ending) and len(stem) - len(ending) >= _LEAST_DERIVED:
            stem = _without_double(stem[: -len(ending)])
            break
    return stem[:-1] if stem[-1] in "ey" and len(stem) > _LEAST_STEM else stem


def _without_inflection(word: str) -> str:
    if word.endswith("ies") and len(word) > _LEAST_DERIVED:
        return word[:-3] + "y"
    if word.endswith(("xes", "ches", "shes", "sses")):
        return word[:-2]
    if word.endswith("s") and not word.endswith(("ss", "us", "is")) and len(word) > _LEAST_STEM:
        word = word[:-1]
    for ending in ("ing", "ed"):
        stem = word.removesuffix(ending)
        if stem != word and len(stem) >= _LEAST_STEM and _VOWEL.search(stem):
            return _without_double(stem)
    return word


def _without_double(stem: str) -> str:
    """Make "formatt" of "formatting" the stem of "format"; "spell" and "pass" keep their letters."""
    return stem[:-1] if stem[-1] == stem[-2] and stem[-1] not in "aeioulsz" else stem


@lru_cache(maxsize=_KEPT)
def _german_stem(word: str) -> str:
    word = without_umlauts(word)
    if found := _SPLIT_VERB.fullmatch(word):
        word = found[1] + found[2]
    while ending := next((ending for ending in _GERMAN if word.endswith(ending) and _may_go(word, ending)), ""):
        word = word[: -len(ending)]
    strong = next((form for form in _STRONG if word.endswith(form)), "")
    return word.removesuffix(strong) + _STRONG.get(strong, "")


def _may_go(word: str, ending: str) -> bool:
    return len(word) - len(ending) >= (_LEAST_DERIVED if ending in "ns" else _LEAST_STEM)
