"""Ordinary sentences and figures for scripted users to type: harmless, invented, varied by seed."""

import random
from collections.abc import Callable, Mapping

_SUBJECTS = (
    "the garden", "our committee", "the lower path", "the old shed", "a volunteer", "the library", "the river walk",
    "the choir", "the morning group", "the market stall", "the bus route", "the bakery", "the small hall",
)  # fmt: skip
_VERBS = (
    "needs", "has", "gets", "asks for", "can share", "will see", "could use", "still lacks", "keeps", "brings",
)  # fmt: skip
_OBJECTS = (
    "fresh paint", "two more benches", "a better sign", "new seedlings", "some help on Sunday", "a second key",
    "a longer table", "twenty chairs", "a rain barrel", "clean windows", "a short report", "warm light",
)  # fmt: skip
_TAILS = (
    "before the spring", "as agreed last week", "if the weather holds", "for the summer fair", "within the month",
    "when the school is closed", "at no extra cost", "as soon as possible", "and that is fine",
)  # fmt: skip
_LABELS = (
    "Rent", "Heating", "Water", "Phone", "Insurance", "Paper", "Travel", "Food", "Cleaning", "Garden", "Books",
    "Repairs", "Postage", "Licences", "Music", "Chairs", "Lamps", "Keys", "Tools", "Ink", "Bread", "Wood", "Glass",
    "Quilts", "Yarn", "Jars", "Vases", "Honey", "Olives", "Umbrellas",
)  # fmt: skip
_TAIL_SHARE, _WHOLE_SHARE = 0.6, 0.7
_HEADINGS = ("To do", "Next steps", "Open points", "For the meeting", "Ideas", "Questions")


def sentence(rng: random.Random) -> str:
    """Return one sentence with a full stop."""
    words = f"{rng.choice(_SUBJECTS)} {rng.choice(_VERBS)} {rng.choice(_OBJECTS)}"
    if rng.random() < _TAIL_SHARE:
        words += f" {rng.choice(_TAILS)}"
    return words[0].upper() + words[1:] + "."


def item(rng: random.Random) -> str:
    """Return a few words, as for a list."""
    return rng.choice(_OBJECTS)


def heading(rng: random.Random) -> str:
    """Return a short heading."""
    return rng.choice(_HEADINGS)


def labels(rng: random.Random) -> list[str]:
    """Return row labels in random order, none the beginning of another (a sheet completes those by itself)."""
    return rng.sample(_LABELS, len(_LABELS))


def figure(rng: random.Random) -> str:
    """Return a number as people enter it."""
    return f"{rng.randint(3, 900)}" if rng.random() < _WHOLE_SHARE else f"{rng.randint(3, 90)}.5"


SAMPLES: Mapping[str, Callable[[random.Random], str]] = {
    "sentence": sentence,
    "item": item,
    "heading": heading,
    "figure": figure,
    "label": lambda rng: rng.choice(_LABELS),
}
