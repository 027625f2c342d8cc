"""Local web pages for simulated users: the task's brief, and help pages with a search.

One file (`data/handbook.html`), no network, no animation.
Controls stand at the places that `Handbook` holds, in pixels from the page's top left corner (negative ones from its
right), so that no script has to guess. The header has a colour of its own in the middle, by which the page's top is
found on the screen.
"""

import html
import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from demo.virtual_desktop.browser import pixel_of
from demo.virtual_desktop.sample_text import heading, item, sentence
from demo.virtual_desktop.windows import Point

_PAGE = Path(__file__).parent / "data" / "handbook.html"
_HEADERS = ("#24506b", "#5b3a29", "#2f5d3a", "#4a3c6e", "#6b2433", "#33414e")
_PAPERS = ("#ffffff", "#fbfaf5", "#f4f7fa")
_FONTS = ("sans-serif", "serif", "DejaVu Sans Mono, monospace")
_VERBS = ("Move", "Change", "Copy", "Find", "Number", "Sort", "Colour", "Align", "Print", "Undo", "Share", "Export")
_THINGS = ("a line", "a table", "a heading", "pages", "a picture", "cells", "a list", "words", "a chart", "margins")
_ARTICLES = 24


@dataclass(frozen=True, slots=True, kw_only=True)
class Handbook:
    """Where the pages are and where things are on them."""

    path: Path
    header: bytes
    brief: Point
    help: Point
    search: Point
    results: Sequence[Point]
    related: Sequence[Point]


def write_handbook(folder: Path, rng: random.Random) -> Handbook:
    """Write the pages into `folder`; content, colours and fonts are drawn from `rng`."""
    folder.mkdir(parents=True, exist_ok=True)
    colour = rng.choice(_HEADERS)
    names = rng.sample([f"{verb} {thing}" for verb in _VERBS for thing in _THINGS], _ARTICLES)
    facts = {
        "HEADER": colour,
        "PAPER": rng.choice(_PAPERS),
        "FONT": rng.choice(_FONTS),
        "SIZE": str(rng.randint(15, 18)),
        "BRIEF": _brief(rng),
        "ARTICLES": "".join(_article(rng, name) for name in names),
    }
    path = folder / "handbook.html"
    page = _PAGE.read_text()
    for name, value in facts.items():
        page = page.replace(f"@{name}@", value)
    path.write_text(page)
    return Handbook(
        path=path,
        header=pixel_of(colour),
        brief=(64, 23),
        help=(164, 23),
        search=(220, 73),
        results=[(150, 131 + 84 * number) for number in range(5)],
        related=[(-140, 175 + 36 * number) for number in range(5)],
    )


def brief_text(rng: random.Random) -> str:
    """Return the brief as plain text for viewers of text files."""
    parts = []
    for _ in range(rng.randint(7, 9)):
        parts.append(heading(rng).upper())
        parts.append("\n".join(sentence(rng) for _ in range(rng.randint(3, 5))))
        parts.append("\n".join(f"  * {item(rng)}" for _ in range(rng.randint(2, 4))))
    return "\n\n".join(parts) + "\n"


def _brief(rng: random.Random) -> str:
    parts = [f"<h1>{html.escape(heading(rng))}</h1>"]
    for _ in range(rng.randint(6, 9)):
        parts.append(f"<h2>{html.escape(heading(rng))}</h2><p>{_sentences(rng, 3, 6)}</p>")
        parts.append("<ul>" + "".join(f"<li>{item(rng)}</li>" for _ in range(rng.randint(2, 5))) + "</ul>")
        parts.append(f"<p>{_sentences(rng, 2, 4)}</p>")
    return "".join(parts)


def _article(rng: random.Random, name: str) -> str:
    steps = "".join(f"<li>{sentence(rng)}</li>" for _ in range(rng.randint(4, 8)))
    notes = "".join(f"<h3>{heading(rng)}</h3><p>{_sentences(rng, 4, 8)}</p>" for _ in range(rng.randint(4, 6)))
    return f"<article><h2>{name}</h2><p>{_sentences(rng, 2, 3)}</p><ol>{steps}</ol>{notes}</article>"


def _sentences(rng: random.Random, fewest: int, most: int) -> str:
    return " ".join(sentence(rng) for _ in range(rng.randint(fewest, most)))
