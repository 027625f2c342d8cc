"""Ordinary sentences and figures for scripted users to type: harmless, invented, varied by seed."""

import random
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path

_WORDS: Mapping[str, list[str]] = tomllib.loads(
    (Path(__file__).parent / "data" / "sample_text.toml").read_text(encoding="utf-8")
)
_TAIL_SHARE, _WHOLE_SHARE = 0.6, 0.7


def sentence(rng: random.Random) -> str:
    """Return one sentence with a full stop."""
    words = " ".join(rng.choice(_WORDS[part]) for part in ("subjects", "verbs", "objects"))
    if rng.random() < _TAIL_SHARE:
        words = f"{words} {rng.choice(_WORDS['tails'])}"
    return words[0].upper() + words[1:] + "."


def item(rng: random.Random) -> str:
    """Return a few words, as for a list."""
    return rng.choice(_WORDS["objects"])


def heading(rng: random.Random) -> str:
    """Return a short heading."""
    return rng.choice(_WORDS["headings"])


def labels(rng: random.Random) -> list[str]:
    """Return row labels in random order, none the beginning of another (a sheet completes those by itself)."""
    return rng.sample(_WORDS["labels"], len(_WORDS["labels"]))


def figure(rng: random.Random) -> str:
    """Return a number as people enter it."""
    return f"{rng.randint(3, 900)}" if rng.random() < _WHOLE_SHARE else f"{rng.randint(3, 90)}.5"


SAMPLES: Mapping[str, Callable[[random.Random], str]] = {
    "sentence": sentence,
    "item": item,
    "heading": heading,
    "figure": figure,
    "label": lambda rng: rng.choice(_WORDS["labels"]),
}
