"""Text for people from numbers and from outside: sentences filled in, hostile text made plain, local times."""

import unicodedata
from collections.abc import Mapping
from datetime import UTC, datetime


def local_time(wall_ns: int | None) -> datetime | None:
    """Turn wall-clock nanoseconds into the person's local time."""
    return None if wall_ns is None else datetime.fromtimestamp(wall_ns / 1e9, tz=UTC).astimezone()


def fill(template: str, numbers: Mapping[str, float]) -> str:
    """Put numbers into a sentence, whole ones without a fraction.

    Raises:
        KeyError: the sentence names a number that the evidence does not carry.
    """
    return template.format_map({name: int(n) if float(n).is_integer() else n for name, n in numbers.items()})


def plain(text: str, limit: int) -> str:
    """Reduce text from outside to plain characters in at most `limit` of them, keeping line breaks."""
    lines = (" ".join(_printable(line).split()) for line in text[: 4 * limit].splitlines())
    kept = "\n".join(line for line in lines if line)
    return kept if len(kept) <= limit else kept[: limit - 1].rstrip() + "…"


def _printable(line: str) -> str:
    """Drop format characters (direction marks, zero widths) and turn control characters into spaces."""
    kept = (c for c in line if unicodedata.category(c) not in ("Cf", "Cs", "Co", "Cn"))
    return "".join(" " if unicodedata.category(c) == "Cc" else c for c in kept)
