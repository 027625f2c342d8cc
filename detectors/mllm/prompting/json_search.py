"""Finds JSON objects in what a model said, among thoughts, fences and remarks, in bounded time whatever it said."""

import json
import re
from collections.abc import Collection, Iterator
from typing import NamedTuple, NoReturn

_START = re.compile(r"\{\s*\"")
_THOUGHT = "</think>"
_TRIES = 40  # objects that are begun; a reply needs one, and each costs a look at the rest of the text


class Found(NamedTuple):
    """An object and where it stands."""

    facts: dict[str, object]
    start: int
    end: int


def objects(text: str, names: Collection[str]) -> Iterator[Found]:
    """Return the outermost objects that hold at least one of these names, in order.

    What is broken off, nested too deeply or no JSON (NaN, endless digits) is passed over, and so are thoughts that
    end with a mark: they may hold any number of drafts.
    """
    decoder = json.JSONDecoder(strict=False, parse_constant=_refuse)
    position = max(0, text.rfind(_THOUGHT))
    for _ in range(_TRIES):
        match = _START.search(text, position)
        if match is None:
            return
        position = match.end()
        try:
            facts, end = decoder.raw_decode(text, match.start())
        except (ValueError, RecursionError):
            continue
        if any(name in facts for name in names):
            position = end
            yield Found(facts, match.start(), end)


def _refuse(constant: str) -> NoReturn:
    """Refuse NaN and the infinities, which Python reads and JSON does not have."""
    raise ValueError(f"{len(constant)} letters in place of a number")
