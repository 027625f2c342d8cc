"""Words of a search: what counts as one, which say nothing, and which mean the same.

Texts come from the screen. Only letters and digits of them reach the query, each word in quotation marks, so nothing in
them is syntax.
"""

import re
from collections.abc import Iterable, Sequence

MAX_TERMS = 40
"""Words of one part of a context; more would make a search slow and no better."""

_WORD = re.compile(r"[^\W_]{2,40}")
_STOP = frozenset(
    [
        "a",
        "about",
        "all",
        "also",
        "am",
        "an",
        "and",
        "any",
        "are",
        "as",
        "at",
        "be",
        "been",
        "but",
        "by",
        "can",
        "cannot",
        "could",
        "did",
        "do",
        "does",
        "doesn",
        "don",
        "for",
        "from",
        "get",
        "gets",
        "go",
        "had",
        "has",
        "have",
        "he",
        "her",
        "here",
        "him",
        "his",
        "how",
        "i",
        "if",
        "in",
        "into",
        "is",
        "isn",
        "it",
        "its",
        "just",
        "like",
        "may",
        "me",
        "more",
        "my",
        "no",
        "not",
        "of",
        "off",
        "on",
        "once",
        "one",
        "only",
        "or",
        "other",
        "our",
        "out",
        "over",
        "own",
        "please",
        "she",
        "should",
        "so",
        "some",
        "such",
        "than",
        "that",
        "the",
        "their",
        "them",
        "then",
        "there",
        "these",
        "they",
        "this",
        "those",
        "to",
        "too",
        "under",
        "up",
        "us",
        "use",
        "used",
        "using",
        "very",
        "was",
        "we",
        "were",
        "what",
        "when",
        "where",
        "which",
        "while",
        "who",
        "why",
        "will",
        "with",
        "won",
        "would",
        "yes",
        "you",
        "your",
        "ok",
        "cancel",
        "apply",
        "close",
        "help",
        "edit",
        "file",
        "view",
        "tools",
        "window",
        "untitled",
    ]
)
_SAME = (
    "picture image photo graphic photograph",
    "delete remove erase clear",
    "colour color",
    "centre center middle",
    "grey gray grayscale",
    "letter character",
    "letters characters capital uppercase case",
    "box frame rectangle",
    "text word",
    "line row",
    "chapter heading outline",
    "contents index toc",
    "copy duplicate paste",
    "sum total subtotal add",
    "lock protect protected unprotect unlock",
    "turn rotate tilt rotation",
    "bigger larger enlarge scale size",
    "smaller reduce shrink scale size",
    "join merge combine",
    "split divide separate",
    "hidden hide invisible show",
    "begin start",
    "mistake error wrong",
    "transparent transparency see-through alpha opacity",
    "talk presentation slideshow show",
    "film video movie media",
    "note footnote comment",
    "twice duplicate double repeated",
    "order sort arrange",
    "choose select pick",
    "whole entire all",
    "folder directory",
    "shape object",
    "link hyperlink connect connector",
    "names naming name",
    "blank empty",
    "side orientation landscape",
    "blurry blur sharpen sharp",
    "outline stroke border",
    "spelling spellcheck dictionary",
    "mail email letter",
    "font typeface",
    "equal even distribute",
    "save export store",
    "dark brightness shadows exposure",
    "number numbering",
    "refer reference cross-reference",
    "scroll freeze fixed",
    "ignore filter skip",
)


def _same_words() -> dict[str, tuple[str, ...]]:
    found: dict[str, dict[str, None]] = {}
    for line in _SAME:
        words = line.split()
        for word in words:
            found.setdefault(word, {}).update(dict.fromkeys(other for other in words if other != word))
    return {word: tuple(others) for word, others in found.items()}


_SYNONYMS = _same_words()


def terms_of(texts: Iterable[str]) -> tuple[str, ...]:
    """Return the words of texts that say something, in lower case, each once, in order."""
    found = dict.fromkeys(
        word for text in texts for word in _WORD.findall(text.lower()) if word not in _STOP and not word.isdigit()
    )
    return tuple(found)[:MAX_TERMS]


def synonyms_of(terms: Sequence[str]) -> tuple[str, ...]:
    """Return words that mean the same as these, without these."""
    found: dict[str, None] = {}
    for term in terms:
        for form in (term, term.removesuffix("s"), term.removesuffix("es")):
            found.update(dict.fromkeys(_SYNONYMS.get(form, ())))
    return tuple(word for word in terms_of(found) if word not in terms)[:MAX_TERMS]


def any_of(terms: Sequence[str]) -> str:
    """Return the full-text expression that matches any of the words."""
    return " OR ".join(f'"{term}"' for term in terms)
