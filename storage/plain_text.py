"""Text for people. Words from outside (screens, models, sessions) made plain, and times, sizes and counts in words.

Standard library only, so that every command may load it. Results go to stdout, progress to stderr; what the terminal,
a page or a log would act on is written out (`visible`), whoever prints it: `VisibleStream` stands before both.
"""

import json
import math
import re
import sys
import time
import unicodedata
from collections.abc import Iterable, Mapping

TYPE_CHECKING = False
if TYPE_CHECKING:  # `typing` is a sixth of `kairos status`
    from typing import Any, TextIO

MB = 1_000_000
MAX_PRINTED = 200
"""Characters of a text from elsewhere that are printed."""

_LAST_S = 4_102_444_800.0
"""The year 2100."""

MAX_TEXT = 2000
"""Characters of a text that are looked at; what matters stands at its beginning."""

_MAX_MARKS = 2  # on one letter: more would be painted over the lines around it
_QUOTED = (
    r"“[^”]*”|„[^“”]*[“”]|«[^»]*»|»[^«]*«|\u2018[^\u2019]*\u2019|「[^」]*」|\"[^\"]*\"|`[^`']*[`']|(?<!\w)'[^']*'(?!\w)"
)
_NUMBER = r"[+-]?(?:0[xX][0-9a-fA-F]+|\d+(?:[.,:]\d+)*)"
_OPENING = r"[“„«»「\"`\u2018]"
_OUR_QUOTES = str.maketrans(dict.fromkeys('“”„«»「」"', "'"))
_RIGHT_TO_LEFT = ("R", "AL", "AN")
_ACTED_ON = (
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff"
    "\U000e0000-\U000e007f]"
)
"""Control characters but for tab and line feed, direction marks, invisible letters, halves of characters: a pattern,
which is compiled where one may be there."""
_CUT = "…"


def plain(text: str, limit: int) -> str:
    """Reduce text from outside to plain characters in at most `limit` of them, keeping line breaks."""
    if text.isprintable():
        return _shortened(" ".join(text[: 4 * limit].split()), limit)
    lines = (" ".join(_visible(line).split()) for line in text[: 4 * limit].splitlines())
    return _shortened("\n".join(line for line in lines if line), limit)


def replace_parts(text: str, *, quoted: str, number: str) -> str:
    """Return a text with its quoted parts and its numbers replaced, in compatible characters (NFKC).

    What is left is equal for "line 12" and "line 14", and for the names of two files.
    """
    shown = unicodedata.normalize("NFKC", text[:MAX_TEXT])
    return re.sub(_NUMBER, number, re.sub(_QUOTED, quoted, shown))


def replace_numbers(text: str, number: str) -> str:
    """Return a text with its numbers replaced in the same way, but for those that are part of a word."""
    shown = unicodedata.normalize("NFKC", text[:MAX_TEXT])
    return re.sub(rf"(?<!\w){_NUMBER}(?!\w)", number, shown)


def quotable(text: str, limit: int) -> str:
    """Return a name or message as a sentence of ours can quote it: one line of at most `limit` visible characters.

    Numbers and quoted parts, which may differ between things that count as the same, become "…"; so does all from a
    quotation mark on that is not closed. There is no quotation mark of ours in it, so it cannot end the quotation. Text
    that runs from right to left is isolated, so that it cannot move our words.
    """
    shown = replace_parts(text, quoted=_CUT, number=_CUT)
    unclosed = re.search(_OPENING, shown)
    if unclosed is not None:
        shown = shown[: unclosed.start()] + _CUT
    shown = " ".join(_few_marks(_visible(shown.translate(_OUR_QUOTES))).split())
    shown = _shortened(re.sub(rf"{_CUT}(?:\s*{_CUT})+", _CUT, shown), limit)
    if not any(c.isalnum() for c in shown):
        return ""
    if any(unicodedata.bidirectional(c) in _RIGHT_TO_LEFT for c in shown):
        return f"\u2068{shown}\u2069"
    return shown


def _shortened(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[: limit - 1].rstrip() + _CUT


def _visible(line: str) -> str:
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


def visible(text: str) -> str:
    """Return text in which each character that a terminal, page or log would act on is written out, as in JSON."""
    return text if text.replace("\n", "").isprintable() else re.sub(_ACTED_ON, _written_out, text)


def visible_line(text: str) -> str:
    """Return text as one line: a line break within a name must not begin a line that looks like ours."""
    return visible(text).replace("\n", "\\u000a")


def visible_html(text: str) -> str:
    """Return text for a page: escaped, and unable to turn the direction of what stands around it."""
    import html

    return html.escape(visible(text))


class VisibleStream:
    """A text stream that writes out what its terminal would act on; JSON stays the same by it."""

    def __init__(self, stream: "TextIO") -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        """Write a text."""
        self._stream.write(visible(text))
        return len(text)

    def __getattr__(self, name: str) -> "Any":
        """Return all else from the stream itself."""
        return getattr(self._stream, name)


def print_progress(*lines: str) -> None:
    """Print lines to stderr, at once."""
    for line in lines:
        print(visible_line(line), file=sys.stderr, flush=True)


def print_result(facts: Mapping[str, object], lines: str | Iterable[str], *, as_json: bool) -> None:
    """Print a command's result: one JSON object, or lines for a person."""
    if as_json:
        print(json.dumps(facts))
        return
    for line in [lines] if isinstance(lines, str) else lines:
        print(visible_line(line))


def without_nan(value: "Any") -> "Any":
    """Return plain values in which every figure that is not finite is None, as JSON has no NaN."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {key: without_nan(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [without_nan(item) for item in value]
    return value


def format_time(at_s: float) -> str:
    """Return date and time of day, in local time, of seconds since the epoch."""
    return time.strftime("%Y-%m-%d %H:%M:%S", _local(at_s))


def format_clock(at_s: float) -> str:
    """Return the time of day, in local time, of seconds since the epoch."""
    return time.strftime("%H:%M:%S", _local(at_s))


def local_day(at_s: float) -> tuple[str, float]:
    """Return the local date of seconds since the epoch, and how many seconds of that day's clock had passed."""
    local = _local(at_s)
    return time.strftime("%Y-%m-%d", local), local.tm_hour * 3600 + local.tm_min * 60 + local.tm_sec


def format_duration(seconds: float) -> str:
    """Return a length of time in its two largest units."""
    whole = round(seconds)
    if whole < 60:  # noqa: PLR2004  # seconds in a minute
        return f"{whole} s"
    minutes, rest = divmod(whole, 60)
    hours, minutes_left = divmod(minutes, 60)
    return f"{hours} h {minutes_left} min" if hours else f"{minutes} min {rest} s"


def format_short_duration(seconds: float) -> str:
    """Return a length of time with tenths below ten seconds, and without a second unit that is zero."""
    if seconds < 9.95:  # noqa: PLR2004  # tenths matter below ten
        return f"{seconds:.1f} s"
    return format_duration(seconds).removesuffix(" 0 s").removesuffix(" 0 min")


def format_percent(share: float) -> str:
    """Return a share as a percentage."""
    return f"{100 * share:.0f} %"


def format_probability(value: float) -> str:
    """Return a probability as a percentage; only a full 1 reads as 100 %."""
    return format_percent(value if value >= 1.0 else min(value, 0.99))


def format_mb(size: int, digits: int = 1) -> str:
    """Return bytes as megabytes."""
    return f"{size / MB:.{digits}f} MB"


def format_count(count: int, noun: str) -> str:
    """Return a count with its noun, which takes an "s" in the plural."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def format_times(count: int) -> str:
    """Return how often something happened."""
    return {1: "once", 2: "twice"}.get(count, f"{count} times")


def printable(text: str) -> str:
    """Return text from elsewhere with `?` for each control character, cut to `MAX_PRINTED` characters.

    A name in a foreign session must not be able to control the terminal.
    """
    return escape_controls(text[:MAX_PRINTED])


def escape_controls(text: str) -> str:
    """Return text with `?` for each character that a terminal might act on."""
    if text.isprintable():
        return text
    return "".join(character if character.isprintable() else "?" for character in text)


def _written_out(found: re.Match[str]) -> str:
    units = found[0].encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))


def _local(at_s: float) -> time.struct_time:
    """Return local time; a foreign session may hold any number, so it is limited to 1970 to 2100."""
    return time.localtime(min(max(0.0, at_s), _LAST_S))
