"""What the index holds of a page: its kind, its steps in plain words, the names of controls, and text by weight."""

import itertools
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from daemon.help.library.readers.parsed import BlockKind, PageBlock, ParsedPage, Path, UnreadablePage, fast_plain
from storage.ports import HelpStep

MAX_STEPS = 7
MAX_STEP_CHARACTERS = 280
MAX_BODY_CHARACTERS = 40_000
_ONE_OF = re.compile(
    r"\A(?:then,? |next,? )?(?:do|try|use|choose|perform) (?:any|either|one)(?: or more)? of (?:the following|these)"
    r"(?: actions| steps| ways| methods| options)?\s*(?:[:.]\s*|\Z)",
    re.IGNORECASE,
)
"""What only says that a choice follows."""

_NO_ADVICE = re.compile(
    r"(?:name|synopsis|.*options?|arguments|parameters|.*files|environment.*|see also|authors?|bugs)\Z", re.IGNORECASE
)
"""Sections of manual pages in which nothing is to be done."""

_LICENCE = re.compile(
    r"(?:gnu|creative commons|apache|mozilla|mit|bsd)\b.*licen[cs]e.*|licen[cs]es?|licen[cs]e agreement"
    r"|copyright(?: .*)?|copying|legal(?: notices?| information)?|licen[cs]es? and legal information"
    r"|verbatim copying|copying in quantity|(?:addendum: )?how to use this license.*|future revisions of this license",
    re.IGNORECASE,
)
"""Titles of pages about what may be done with the documentation."""

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
    """Return what the index stores of a page.

    Raises:
        UnreadablePage: it is a licence, which is no help.
    """
    if _LICENCE.fullmatch(page.title):
        raise UnreadablePage("it is a licence")
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
        steps=steps_of(_advice(blocks) if manual else blocks),
        keywords="\n".join(page.keywords),
        control_text="\n".join(" ".join(path) for path in dict.fromkeys(paths)),
        headings="\n".join(block.text for block in blocks if block.kind is BlockKind.HEADING),
        body=body,
        controls=tuple(sorted((name, place) for name, place in places.items() if name)),
    )


def _advice(blocks: Sequence[PageBlock]) -> list[PageBlock]:
    """Return the blocks of a manual page without its name, which comes first in any language, usage and options."""
    found: list[PageBlock] = []
    headings = 0
    is_advice = False
    for block in blocks:
        if block.kind is BlockKind.HEADING:
            headings += 1
            is_advice = headings > 1 and _NO_ADVICE.match(block.text) is None
        if is_advice and not block.text.startswith("-"):
            found.append(block)
    return found


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
        found = tuple(step for step in map(_step, items) if step.text)
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
    steps = dict.fromkeys(step for block in texts if id(block) in chosen and (step := _step([block])).text)
    return tuple(sorted(steps, key=lambda step: not step.controls))[:MAX_STEPS]


def _step(blocks: Sequence[PageBlock]) -> HelpStep:
    text = fast_plain(_ONE_OF.sub("", " ".join(block.text for block in blocks), count=1), MAX_STEP_CHARACTERS)
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
