"""A page as its reader gives it, and the builder that all readers share."""

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum

MAX_BLOCKS = 4000
MAX_BLOCK_CHARACTERS = 2000
MAX_TITLE_CHARACTERS = 160
MAX_CONTROL_CHARACTERS = 60
MAX_PATH = 6
MAX_KEYWORDS = 100
MAX_LINKS = 200

Path = tuple[str, ...]
"""Controls in the order in which they are used: ("View", "Freeze Rows and Columns")."""

_ARROW = re.compile(r"\s*(?:[→▸➜>\u203a]|\s[-\N{EN DASH}]\s)\s*")
_BETWEEN = re.compile(r"\s*[→▸➜>\u203a\N{EN DASH}-]\s*\Z")
_BEGINS_BETWEEN = re.compile(r"\s*[→▸➜>\u203a\N{EN DASH}-]\s")
_LINK_SIGN = re.compile(r"\s*[¶\U0001f517]\s*\Z|\s+[#§]\s*\Z")
_SITE = re.compile(r"\s+[|\N{EM DASH}\N{EN DASH}·-]\s+.*\Z")
VARIANTS_BETWEEN = " / "
"""What parts words that different programs read."""

_NO_TITLES = frozenset(("untitled", "untitled document", "document", "index", "home", "title", "page", "new page"))
"""What programs write where nobody gave a page a title."""

_SPACE = re.compile(r"\s+")
_NUMBER = re.compile(r"\A(?:(?:Chapter|Part|Appendix)\s+)?(?:\d+|[IVXLC]+|[A-Z])(?:\.\d+)*\.\s+")


class UnreadablePage(Exception):  # noqa: N818  # reads as what it is in an except clause
    """A file cannot be read as a page. The message is a fixed sentence, without anything from the file."""


class BlockKind(StrEnum):
    """What a piece of text is on its page."""

    HEADING = "heading"
    TEXT = "text"
    STEP = "step"
    ITEM = "item"


@dataclass(frozen=True, slots=True)
class PageBlock:
    """A piece of text, with the controls that it names. `item` numbers the steps and items of a page from 1."""

    kind: BlockKind
    text: str
    paths: tuple[Path, ...] = ()
    item: int = 0
    list: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedPage:
    """A page in plain text. `links` are addresses as they stand in the file; `how_to`: the file says so itself."""

    title: str
    blocks: tuple[PageBlock, ...]
    keywords: tuple[str, ...] = ()
    links: tuple[str, ...] = ()
    how_to: bool = False


def plain(text: str, limit: int) -> str:
    """Return text on one line, without characters that control or hide, cut at a word."""
    kept = "".join(
        " " if char.isspace() else char for char in text if char.isspace() or unicodedata.category(char)[0] != "C"
    )
    return _cut(_SPACE.sub(" ", kept).strip(), limit)


def _cut(line: str, limit: int) -> str:
    if len(line) <= limit:
        return line
    return line[: limit - 1].rsplit(" ", 1)[0].rstrip(" ,;:") + "…"


def fast_plain(text: str, limit: int) -> str:
    """Return what `plain` returns, without looking at each character of text that is printable as it stands."""
    line = " ".join(text.split())
    return _cut(line, limit) if line.isprintable() else plain(text, limit)


def path_of(text: str) -> Path:
    """Return the controls that a piece of marked text names, split where it has arrows: "View - Zoom"."""
    names = (
        fast_plain(name, MAX_CONTROL_CHARACTERS).rstrip(".:…").strip(" -\N{EN DASH}") for name in _ARROW.split(text)
    )
    return tuple(name for name in names if name)[:MAX_PATH]


@dataclass(slots=True)
class PageBuilder:
    """Takes a page piece by piece. Whatever order the pieces come in, the result is a page."""

    title: str = ""
    fallback_title: str = ""
    how_to: bool = False
    _blocks: list[PageBlock] = field(default_factory=list)
    _keywords: dict[str, None] = field(default_factory=dict)
    _links: dict[str, None] = field(default_factory=dict)
    _kind: BlockKind = BlockKind.TEXT
    _parts: list[str] = field(default_factory=list)
    _paths: list[Path] = field(default_factory=list)
    _control_at: int = -1
    _after_control: int = -1
    _is_title: bool = False
    _lists: list[tuple[bool, int]] = field(default_factory=list)
    _list_count: int = 0
    _item: int = 0

    @property
    def in_item(self) -> bool:
        """Whether a step or an item of a list is under way."""
        return bool(self._lists and self._item)

    def text(self, text: str) -> None:
        """Add text to the block under way."""
        self._parts.append(text)

    def begin(self, kind: BlockKind | None = None, *, title: bool = False) -> None:
        """End the block under way and begin one; without a kind it is text, or a step or item if in a list."""
        self.end()
        if kind is None:
            kind = BlockKind.TEXT
            if self.in_item:
                kind = self._list_kind()
        self._kind, self._is_title = kind, title

    def end(self) -> None:
        """End the block under way."""
        if self._control_at >= 0:
            self.end_control()
        if self._parts:
            text = "".join(self._parts)
            if self._is_title:
                self._set_title(text)
            else:
                line = fast_plain(text, MAX_BLOCK_CHARACTERS)
                if self._kind is BlockKind.HEADING:
                    line = _LINK_SIGN.sub("", line)
                if line and len(self._blocks) < MAX_BLOCKS:
                    in_list = self._kind in {BlockKind.STEP, BlockKind.ITEM}
                    number = self._lists[-1][1] if in_list and self._lists else 0
                    item = self._item if in_list else 0
                    self._blocks.append(PageBlock(self._kind, line, tuple(self._paths), item, number))
            self._parts, self._paths = [], []
        self._after_control = -1
        self._kind, self._is_title = self._list_kind(), False

    def begin_list(self, *, ordered: bool) -> None:
        """Begin a list; `ordered` makes steps of its items."""
        self.end()
        self._list_count += 1
        if len(self._lists) < MAX_PATH * 4:
            self._lists.append((ordered, self._list_count))

    def end_list(self) -> None:
        """End the innermost list."""
        self.end()
        if self._lists:
            self._lists.pop()
        self._kind = self._list_kind()

    def begin_item(self) -> None:
        """Begin a step or item of the innermost list; of an inner list it belongs to the outer item."""
        self.end()
        if len(self._lists) <= 1 or self._item == 0:
            self._item += 1
        self._kind = self._list_kind()

    def begin_control(self) -> None:
        """Begin the name of a control."""
        if self._control_at >= 0:
            self.end_control()
        self._control_at = len(self._parts)

    def end_control(self) -> None:
        """End the name of a control; with an arrow alone between them, two names are one path."""
        at, self._control_at = self._control_at, -1
        if at < 0:
            return
        name = "".join(self._parts[at:])
        path = path_of(name)
        if not path or (len(path) == 1 and path[0][0].islower()):  # a word that is only stressed
            return
        lead, trail = (" " if edge.isspace() else "" for edge in (name[:1], name[-1:]))
        self._parts[at:] = [f"{lead}{' > '.join(path)}{trail}" if len(path) > 1 else name]
        between = "".join(self._parts[self._after_control : at]) if self._after_control >= 0 else ""
        follows = self._after_control >= 0 and not between.strip() and _BEGINS_BETWEEN.match(name) is not None
        if follows:  # the arrow is part of the second name
            self._parts[at:] = [" > ".join(path)]
        if self._paths and (follows or (between and _BETWEEN.match(between))):
            self._parts[self._after_control : at] = [" > "]
            self._paths[-1] = (*self._paths[-1], *path)[:MAX_PATH]
        elif len(self._paths) < MAX_KEYWORDS:
            self._paths.append(path)
        self._after_control = len(self._parts)

    def add_keywords(self, words: Iterable[str]) -> None:
        """Add words under which the page is found."""
        for word in words:
            line = fast_plain(word, MAX_TITLE_CHARACTERS)
            if line and len(self._keywords) < MAX_KEYWORDS:
                self._keywords[line] = None

    def add_link(self, address: str) -> None:
        """Add the address of a page that this one refers to."""
        if address and len(self._links) < MAX_LINKS:
            self._links[address[:300]] = None

    def page(self) -> ParsedPage:
        """Return the page.

        Raises:
            UnreadablePage: it has no title or no text.
        """
        self.end()
        fallback = _title_of(_SITE.sub("", self.fallback_title.strip()))
        title = self.title or ("" if fallback.casefold() in _NO_TITLES else fallback)
        if not title:
            raise UnreadablePage("it has no title")
        if not self._blocks:
            raise UnreadablePage("it holds no text")
        return ParsedPage(
            title=title,
            blocks=tuple(self._blocks),
            keywords=tuple(self._keywords),
            links=tuple(self._links),
            how_to=self.how_to,
        )

    def _list_kind(self) -> BlockKind:
        if not self.in_item:
            return BlockKind.TEXT
        return BlockKind.STEP if self._lists[-1][0] else BlockKind.ITEM

    def _set_title(self, text: str) -> None:
        if not self.title:
            self.title = _title_of(text)
        elif (line := fast_plain(text, MAX_TITLE_CHARACTERS)) and len(self._blocks) < MAX_BLOCKS:
            self._blocks.append(PageBlock(BlockKind.HEADING, line))


def _title_of(text: str) -> str:
    """Return a title without the number of its chapter, the sign of a link, and what several programs read alike."""
    line = _LINK_SIGN.sub("", fast_plain(text, MAX_TITLE_CHARACTERS))
    line = VARIANTS_BETWEEN.join(dict.fromkeys(line.split(VARIANTS_BETWEEN)))
    return _NUMBER.sub("", line) or line
