"""Formats what the daemon's commands print: times, lengths of time, counts, sizes, and text from elsewhere.

Standard library only, so that every command may load it. Results go to stdout, progress to stderr.
"""

import json
import math
import sys
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

MB = 1_000_000
MAX_PRINTED = 200
"""Characters of a text from elsewhere that are printed."""

_LAST_S = 4_102_444_800.0
"""The year 2100."""


def print_progress(text: str) -> None:
    """Print a line to stderr, at once."""
    print(text, file=sys.stderr, flush=True)


def print_result(facts: Mapping[str, object], lines: str | Iterable[str], *, as_json: bool) -> None:
    """Print a command's result: one JSON object, or lines for a person."""
    if as_json:
        print(json.dumps(facts))
        return
    for line in [lines] if isinstance(lines, str) else lines:
        print(line)


def without_nan(value: Any) -> Any:
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
    return f"{_local(at_s):%Y-%m-%d %H:%M:%S}"


def format_clock(at_s: float) -> str:
    """Return the time of day, in local time, of seconds since the epoch."""
    return f"{_local(at_s):%H:%M:%S}"


def local_day(at_s: float) -> tuple[str, float]:
    """Return the local date of seconds since the epoch, and how many seconds of that day's clock had passed."""
    local = _local(at_s)
    return f"{local:%Y-%m-%d}", local.hour * 3600 + local.minute * 60 + local.second


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
    return "".join(character if character.isprintable() else "?" for character in text)


def _local(at_s: float) -> datetime:
    """Return local time; a foreign session may hold any number, so it is limited to 1970 to 2100."""
    return datetime.fromtimestamp(min(max(0.0, at_s), _LAST_S), tz=UTC).astimezone()
