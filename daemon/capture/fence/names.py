"""Compares names of programs and titles of windows with the lists of the fence.

Texts are compared without case, as composed Unicode, without characters that cannot be seen. A program is found by a
run of whole words, "firefox" in "org.mozilla.firefox" and "Firefox-esr", whatever edition of it is installed.
"""

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache

_WORD = re.compile(r"[^\W_]+")
_EDITION = re.compile(
    r"(alpha|beta|bin|desktop|dev|devel|developer|developeredition|edition|esr|nightly|stable|unstable|\d+)*"
)


@lru_cache(maxsize=4096)
def comparable(text: str) -> str:
    """Return a text as it is compared: composed, without case, spaces as one, nothing that cannot be seen."""
    folded = unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold())
    if folded.isascii() and folded.isprintable():
        return " ".join(folded.split())
    visible = "".join(letter for letter in folded if unicodedata.category(letter) != "Cf")
    return " ".join(visible.split())


@lru_cache(maxsize=4096)
def _words(name: str) -> tuple[str, ...]:
    return tuple(_WORD.findall(comparable(name)))


class NameList:
    """Names of programs; tells whether a window's names are among them."""

    def __init__(self, names: Iterable[str]) -> None:
        """Take the names as people write them."""
        self._by_first: dict[str, list[tuple[str, ...]]] = {}
        for words in {_words(name) for name in names} - {()}:
            self._by_first.setdefault(words[0], []).append(words)

    def holds(self, name: str) -> bool:
        """Return whether one of the list is a run of words in `name`; its last word may name an edition as well."""
        words = _words(name)
        return any(
            _matches(words[at : at + len(wanted)], wanted)
            for at, word in enumerate(words)
            for first, runs in self._by_first.items()
            if word.startswith(first)
            for wanted in runs
        )


def _matches(words: tuple[str, ...], wanted: tuple[str, ...]) -> bool:
    """Compare word by word; what follows in the last one must be the name of an edition: "keepass2"."""
    if len(words) != len(wanted) or words[:-1] != wanted[:-1] or not words[-1].startswith(wanted[-1]):
        return False
    return _EDITION.fullmatch(words[-1][len(wanted[-1]) :]) is not None
