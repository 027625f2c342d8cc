"""Text from outside (screens, models, sessions) made plain: visible characters, of limited length, never mark-up. Pure.

Standard library only.
"""

import re
import unicodedata

MAX_TEXT = 2000
"""So much of a text is looked at; what matters stands at its beginning."""

_MAX_MARKS = 2  # on one letter: more would be painted over the lines around it
_QUOTED = re.compile(
    r"“[^”]*”|„[^“”]*[“”]|«[^»]*»|»[^«]*«|\u2018[^\u2019]*\u2019|「[^」]*」|\"[^\"]*\"|`[^`']*[`']|(?<!\w)'[^']*'(?!\w)"
)
_NUMBER = re.compile(r"[+-]?(?:0[xX][0-9a-fA-F]+|\d+(?:[.,:]\d+)*)")
_NUMBER_ALONE = re.compile(rf"(?<!\w){_NUMBER.pattern}(?!\w)")
_OPENING = re.compile(r"[“„«»「\"`\u2018]")
_OUR_QUOTES = str.maketrans(dict.fromkeys('“”„«»「」"', "'"))
_RIGHT_TO_LEFT = ("R", "AL", "AN")
_CUT = "…"


def plain(text: str, limit: int) -> str:
    """Reduce text from outside to plain characters in at most `limit` of them, keeping line breaks."""
    lines = (" ".join(_printable(line).split()) for line in text[: 4 * limit].splitlines())
    return _shortened("\n".join(line for line in lines if line), limit)


def replace_parts(text: str, *, quoted: str, number: str) -> str:
    """Return a text with its quoted parts and its numbers replaced, in compatible characters (NFKC).

    What is left is equal for "line 12" and "line 14", and for the names of two files.
    """
    shown = unicodedata.normalize("NFKC", text[:MAX_TEXT])
    return _NUMBER.sub(number, _QUOTED.sub(quoted, shown))


def replace_numbers(text: str, number: str) -> str:
    """Return a text with its numbers replaced, likewise, but for those that are part of a word."""
    shown = unicodedata.normalize("NFKC", text[:MAX_TEXT])
    return _NUMBER_ALONE.sub(number, shown)


def quotable(text: str, limit: int) -> str:
    """Return a name or message as a sentence of ours can quote it: one line of at most `limit` visible characters.

    Numbers and quoted parts, which may differ between things that count as the same, become "…"; so does all from a
    quotation mark on that is not closed. There is no quotation mark of ours in it, so it cannot end the quotation. Text
    that runs from right to left is isolated, so that it cannot move our words.
    """
    shown = replace_parts(text, quoted=_CUT, number=_CUT)
    unclosed = _OPENING.search(shown)
    if unclosed is not None:
        shown = shown[: unclosed.start()] + _CUT
    shown = " ".join(_few_marks(_printable(shown.translate(_OUR_QUOTES))).split())
    shown = _shortened(re.sub(rf"{_CUT}(?:\s*{_CUT})+", _CUT, shown), limit)
    if not any(c.isalnum() for c in shown):
        return ""
    if any(unicodedata.bidirectional(c) in _RIGHT_TO_LEFT for c in shown):
        return f"\u2068{shown}\u2069"
    return shown


def _shortened(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[: limit - 1].rstrip() + _CUT


def _printable(line: str) -> str:
    """Drop format characters (direction marks, zero widths) and turn control characters and separators into spaces."""
    kept = (c for c in line if unicodedata.category(c) not in ("Cf", "Cs", "Co", "Cn"))
    return "".join(" " if unicodedata.category(c) in ("Cc", "Zl", "Zp") else c for c in kept)


def _few_marks(text: str) -> str:
    """Return a text with at most two combining marks on a letter."""
    kept: list[str] = []
    marks = 0
    for c in text:
        marks = marks + 1 if unicodedata.category(c) in ("Mn", "Me") else 0
        if marks <= _MAX_MARKS:
            kept.append(c)
    return "".join(kept)
