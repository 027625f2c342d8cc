"""Words of a search: what counts as one, which say nothing, and which mean the same.

Texts come from the screen. Only letters and digits of them reach the query, each word in quotation marks, so nothing in
them is syntax.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib.resources import files

MAX_TERMS = 40
"""Words of one part of a context; more would make a search slow and no better."""

_MAX_SAME = 24
_MAX_TEXT = 2000
"""Characters of one text."""

_WORD = re.compile(r"[^\W_]{2,40}")


@cache
def _stop_words() -> frozenset[str]:
    return frozenset(_data("stop_words.txt").split())


@cache
def _same_words() -> Mapping[str, tuple[str, ...]]:
    """Return for each word those that stand in a line with it: what people say, and what documentation calls it."""
    found: dict[str, dict[str, None]] = {}
    for line in _data("same_words.txt").splitlines():
        words = line.split()
        for word in words:
            found.setdefault(word, {}).update(dict.fromkeys(other for other in words if other != word))
    return {word: tuple(others) for word, others in found.items()}


def _data(name: str) -> str:
    return (files("daemon.help.library") / "data" / name).read_text(encoding="utf-8")


def terms_of(texts: Iterable[str]) -> tuple[str, ...]:
    """Return the words of texts that say something, in lower case, each once, in order."""
    found = dict.fromkeys(
        word
        for text in texts
        for word in _WORD.findall(text.lower())
        if word not in _stop_words() and not word.isdigit()
    )
    return tuple(found)[:MAX_TERMS]


def synonyms_of(terms: Sequence[str]) -> tuple[str, ...]:
    """Return words that mean the same as these, without these."""
    found: dict[str, None] = {}
    for term in terms:
        for form in (term, term.removesuffix("s"), term.removesuffix("es")):
            found.update(dict.fromkeys(_same_words().get(form, ())))
    return tuple(word for word in terms_of(found) if word not in terms)[:_MAX_SAME]


def any_of(terms: Sequence[str]) -> str:
    """Return the full-text expression that matches any of the words."""
    return " OR ".join(f'"{term}"' for term in terms)


def stem_of(word: str) -> str:
    """Return a rough stem, to compare words where the index does not."""
    for ending in ("ations", "ation", "ings", "ing", "ies", "ers", "es", "ed", "er", "s", "e", "y"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:  # noqa: PLR2004  # letters that make a stem
            return word[: -len(ending)]
    return word
