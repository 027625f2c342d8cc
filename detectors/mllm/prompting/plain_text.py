"""Reduces what a model wrote, which the screen may have dictated, to plain text of limited length.

Nothing runs or opens these words; they are shown as plain text, marked as a model's. Even so everything that looks like
a link, an address, mark-up or a command line is removed: a card must not lend it credit. The lists are by nature
incomplete; that nothing is run does not rest on them.
"""

import html
import re
import unicodedata
from collections.abc import Callable

ELLIPSIS = "..."
_READ_TIMES = 8  # input beyond this multiple of the limit is dropped unread
_PASSES = 8  # removing one thing can make another appear; what has not settled by then is no plain text
_MARKS = 2  # combining marks on one letter; more than that cover the lines around them

_INVISIBLE = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
"""Characters that Unicode counts as letters, marks or symbols and that are displayed as nothing or as a blank."""

_ESCAPES = re.compile(r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?|(?:\x1b\]|\x9d)[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)?|\x1b.?")

_DOT = r"(?:\.|\s?[\[(]\s?(?:\.|dot)\s?[\])]\s?)"
_LABEL = r"[\w-]{1,63}"
_ENDINGS = (
    "ai|app|biz|cc|click|club|cn|co|com|de|dev|edu|eu|fr|gov|info|io|mil|net|nl|online|org|pl|ru|sh|shop|store|tv|uk|"
    "vip|xyz|(?-i:it|link|live|me|site|to|top|us)"  # in capitals these rather begin a sentence
)
_LINKS = re.compile(
    r"(?:\b[a-z][a-z0-9+.-]{0,20})?:[\\/]{2}\S*"  # any scheme with its two slashes, and these alone
    r"|\b(?:javascript|vbscript|data|mailto|tel|sms|file|about|blob|view-source):\S+"
    rf"|\bwww{_DOT}\S+"
    rf"|[^\s@]{{1,64}}@{_LABEL}{_DOT}\S+"
    rf"|[\\/]{{2}}{_LABEL}(?:\.{_LABEL}){{0,6}}[\\/]\S*"  # \\server\share, //host/path
    rf"|\b(?:{_LABEL}{_DOT}){{1,6}}(?:{_ENDINGS})\b(?:[:/?#]\S*)?"
    r"|\b\d{1,3}(?:\.\d{1,3}){3}\b(?:[:/]\S*)?"
    r"|\+\d[\d ()-]{7,20}\d",  # a telephone number
    re.IGNORECASE,
)
_PROGRAMS = "apt-get|apt|bash|chmod|chown|cmd|cp|del|dnf|git|kill|mv|nc|npm|pip3|pip|rm|rmdir|scp|sh|ssh|tar"
_COMMANDS = re.compile(
    r"\b(?:sudo|doas|pkexec|mkfs\S*|powershell|pwsh|mshta|certutil|regsvr32|rundll32)\b"
    r"|\b(?:" + _PROGRAMS + r")(?:\.exe)?\s+(?:-{1,2}[a-z]|/[a-z]\b|install\b)"
    r"|\b(?:curl|wget|iwr|invoke-\w+)\s+\S"
    r"|\bdd\s+if="
    r"|\|\s*(?:ba|z|da)?sh\b"
    r"|\$\(|\$\{|&&|\|\||;\s*(?:rm|curl|wget|sh|bash)\b"
    r"|\b(?:eval|exec|system|popen|__import__)\s*\(",
    re.IGNORECASE,
)
_TAGS = re.compile(r"</?[a-z!?][^<>]*>|<!--.*?-->", re.IGNORECASE)
_PICTURE_OR_LINK = re.compile(r"!?\[([^\[\]]*)\]\s?\([^()]*\)")
_LINE_MARKS = re.compile(r"^[ \t]*(?:#{1,6}|>+|[-*+]|\d{1,3}\.)[ \t]+(?=\S)", re.MULTILINE)
_MARK_UP = re.compile(r"\*\*|__|~~|`+")
_UP = re.compile(r"(?<!\.)\.{2,}[\\/]+|[\\/]\.{2,}")
_SWAPPED = str.maketrans({"<": "\u2039", ">": "\u203a", "{": "(", "}": ")"})  # quotation marks that look like them


def plain_text(text: str, limit: int) -> str:
    """Return one line of plain words in at most `limit` characters; empty if nothing harmless is left.

    It is idempotent.
    """
    result = text[: _READ_TIMES * limit]
    for _ in range(_PASSES):
        before, result = result, _cut(_cleaned(result), limit)
        if result == before:
            return "" if _COMMANDS.search(result) else result
    return ""


def plain_name(text: str, limit: int = 80) -> str:
    """Return a model's name as a server gave it, reduced to the characters of names; not for use as a path."""
    result = re.sub(r"\.{2,}", "", re.sub(r"[^A-Za-z0-9._:/@+ -]", "", text[:limit]))
    return result.strip("./ -")


def one_line(text: str, limit: int) -> str:
    """Return text from a data set or from us as one line without control or invisible signs, cut to `limit`.

    This leaves words as they are; it is for what models read, not for what they wrote.
    """
    return _cut(" ".join(_visible(text[: _READ_TIMES * limit]).split()), limit)


def _cleaned(text: str) -> str:
    """Remove, once, everything but words."""
    steps: tuple[Callable[[str], str], ...] = (
        html.unescape,
        lambda words: _ESCAPES.sub(" ", words),
        lambda words: _LINE_MARKS.sub(" ", words),
        lambda words: _visible(unicodedata.normalize("NFKC", words)),
        lambda words: _PICTURE_OR_LINK.sub(r"\1", words),
        lambda words: _TAGS.sub(" ", words),
        lambda words: _LINKS.sub(" ", words),
        lambda words: _UP.sub(" ", words),
        lambda words: _MARK_UP.sub("", words),
        lambda words: words.translate(_SWAPPED),
    )
    for step in steps:
        text = step(text)
    return " ".join(text.split())


def _visible(text: str) -> str:
    """Drop invisible and direction-changing characters and excess marks; replace control characters by spaces."""
    if text.isascii() and text.isprintable():
        return text
    result: list[str] = []
    marks = 0
    for character in text:
        category = unicodedata.category(character)
        if category in ("Cf", "Cs", "Co", "Cn") or character in _INVISIBLE:
            continue
        marks = marks + 1 if category in ("Mn", "Me") else 0
        if marks <= _MARKS:
            result.append(" " if category in ("Cc", "Zl", "Zp", "Zs") else character)
    return "".join(result)


def _cut(text: str, limit: int) -> str:
    """Cut to `limit` with an ellipsis, behind a word if that leaves at least half of it."""
    if len(text) <= limit:
        return text
    short = text[: limit - len(ELLIPSIS)]
    space = short.rfind(" ")
    return short[: space if space > limit // 2 else limit].rstrip() + ELLIPSIS
