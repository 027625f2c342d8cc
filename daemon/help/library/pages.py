"""What the index holds of a page: its kind, its steps in plain words, the names of controls, and text by weight."""

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from daemon.help.library.readers.parsed import BlockKind, PageBlock, ParsedPage, Path, fast_plain
from storage.ports import HelpStep

MAX_STEPS = 7
MAX_STEP_CHARACTERS = 280
MAX_BODY_CHARACTERS = 40_000
_OVERVIEW_LINKS = 6
_OVERVIEW_CHARACTERS = 110
"""A page with at least so many links, and no more text than this for each, leads to pages and is none itself."""


class PageKind(StrEnum):
    """What a page is for."""

    HOW_TO = "how_to"
    REFERENCE = "reference"
    OVERVIEW = "overview"
    MANUAL = "manual"


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexedPage:
    """A page as the index stores it; `controls` are names in lower case with their first place in a path, from 0."""

    title: str
    kind: PageKind
    steps: tuple[HelpStep, ...]
    keywords: str
    control_text: str
    headings: str
    body: str
    controls: tuple[tuple[str, int], ...]


def index_page(page: ParsedPage, *, manual: bool = False) -> IndexedPage:
    """Return what the index stores of a page."""
    blocks = page.blocks
    paths = [path for block in blocks for path in block.paths]
    places: dict[str, int] = {}
    for path in paths:
        for place, name in enumerate(map(control_name, path)):
            places[name] = min(place, places.get(name, place))
    body = "\n".join(block.text for block in blocks if block.kind is not BlockKind.HEADING)[:MAX_BODY_CHARACTERS]
    return IndexedPage(
        title=page.title,
        kind=PageKind.MANUAL if manual else _kind(page, body),
        steps=steps_of(blocks),
        keywords="\n".join(page.keywords),
        control_text="\n".join(" ".join(path) for path in dict.fromkeys(paths)),
        headings="\n".join(block.text for block in blocks if block.kind is BlockKind.HEADING),
        body=body,
        controls=tuple(sorted((name, place) for name, place in places.items() if name)),
    )


def control_name(name: str) -> str:
    """Return the name of a control as it is compared: without case, dots, mnemonics and keys."""
    name = name.partition("\t")[0].replace("_", "").replace("~", "").replace("&", "and")
    return " ".join(name.lower().rstrip(".…: ").split())


def steps_of(blocks: Sequence[PageBlock]) -> tuple[HelpStep, ...]:
    """Return what to do, in order: the items of the first list of steps, else the sentences that name controls.

    A list that does not say where to go, as that of options in a dialog, comes behind the sentence before it that does.
    """
    numbered: dict[int, dict[int, list[PageBlock]]] = {}
    for block in blocks:
        if block.kind is BlockKind.STEP:
            numbered.setdefault(block.list, {}).setdefault(block.item, []).append(block)
    lists = sorted(numbered.values(), key=lambda items: len(items) < 2)  # noqa: PLR2004  # one step is no list; stable
    if lists:
        items = list(lists[0].values())
        found = tuple(_step(item) for item in items)
        if not any(len(step.controls) > 1 for step in found):
            before = blocks[: blocks.index(items[0][0])]
            way = (
                block for block in before if block.kind is BlockKind.TEXT and any(len(path) > 1 for path in block.paths)
            )
            found = (*(_step([block]) for block in itertools.islice(way, 1)), *found)
        return found[:MAX_STEPS]
    texts = [block for block in blocks if block.kind is not BlockKind.HEADING]
    naming = [block for block in texts if any(len(path) > 1 for path in block.paths)]
    naming = naming or [block for block in texts if block.paths]
    chosen = {id(block) for block in (*naming[:4], *texts[:1])} if naming else {id(block) for block in texts[:3]}
    steps = dict.fromkeys(_step([block]) for block in texts if id(block) in chosen)
    return tuple(sorted(steps, key=lambda step: not step.controls))[:MAX_STEPS]


def _step(blocks: Sequence[PageBlock]) -> HelpStep:
    text = fast_plain(" ".join(block.text for block in blocks), MAX_STEP_CHARACTERS)
    return HelpStep(text=text, controls=_first_path(path for block in blocks for path in block.paths))


def _first_path(paths: Iterable[Path]) -> Path:
    """Return the first path that says where to go, else the first name."""
    found = list(paths)
    return next((path for path in found if len(path) > 1), found[0] if found else ())


def _kind(page: ParsedPage, body: str) -> PageKind:
    if len(page.links) >= _OVERVIEW_LINKS and len(body) < _OVERVIEW_CHARACTERS * len(page.links):
        return PageKind.OVERVIEW
    steps = {(block.list, block.item) for block in page.blocks if block.kind is BlockKind.STEP}
    return PageKind.HOW_TO if page.how_to or len(steps) > 1 else PageKind.REFERENCE
