"""Pages in HTML (LibreOffice, GIMP, folders of a person's own), Mallard and DocBook.

One scanner for all three, over tags and the text between. It knows no document types and no entities but the named
characters of HTML, follows nothing, and looks at each character once. No library that was tried does: `html.parser`
takes a quarter of a minute for 200 kB of comments that never end, lxml 6.1 over eight minutes for one tag of 120,000
attributes, and selectolax 1.0 over 45 s for a megabyte of nested lists.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum, auto
from html import unescape

from daemon.help.library.readers.parsed import VARIANTS_BETWEEN, BlockKind, PageBuilder, ParsedPage, UnreadablePage

MAX_DEPTH = 400
"""Elements within elements; a page of honest documentation has some thirty."""

_TAG = re.compile(r"""<((?>[^<>="']+|=\s*"[^"]{0,2000}"|=\s*'[^']{0,2000}'|[="']){0,200}+|[^<>]*)>""")
"""A tag: what is quoted in it may hold ">". Atomic, with bounds, so that no page makes it look at a character often."""

_ATTRIBUTE = re.compile(r"""([\w:-]{1,40})\s*=\s*(?:"([^"]*)"|'([^']*)')""")
_UNKNOWN_ENTITY = re.compile(r"&[\w.:-]{1,64};")
_NAME = re.compile(r"/?([A-Za-z][\w:.-]*)")


class _Role(Enum):
    """What an element means for the page."""

    SKIP = auto()  # nothing in it is text
    LINKS = auto()  # nothing in it is text, but it refers to other pages
    TITLE = auto()
    TAB_TITLE = auto()  # HTML's <title>: where there is no better one
    HEADING = auto()
    BLOCK = auto()
    ORDERED = auto()
    LIST = auto()
    ITEM = auto()
    CONTROL = auto()
    NEWLINE = auto()


_HTML: Mapping[str, _Role] = {
    **dict.fromkeys(
        ("script", "style", "noscript", "template", "iframe", "object", "svg", "math", "nav", "select", "textarea"),
        _Role.SKIP,
    ),
    **dict.fromkeys(("button", "audio", "video", "canvas", "footer", "aside", "header"), _Role.SKIP),
    "title": _Role.TAB_TITLE,
    "h1": _Role.TITLE,
    **dict.fromkeys(("h2", "h3", "h4", "h5", "h6"), _Role.HEADING),
    **dict.fromkeys(("p", "div", "dt", "dd", "tr", "pre", "blockquote", "section", "article", "table"), _Role.BLOCK),
    "ol": _Role.ORDERED,
    "ul": _Role.LIST,
    "li": _Role.ITEM,
    **dict.fromkeys(("b", "strong"), _Role.CONTROL),
    **dict.fromkeys(("br", "td", "th"), _Role.NEWLINE),
}
_MALLARD: Mapping[str, _Role] = {
    **dict.fromkeys(("info", "media", "comment", "script"), _Role.SKIP),
    "title": _Role.TITLE,
    **dict.fromkeys(("p", "td", "screen", "code"), _Role.BLOCK),
    "steps": _Role.ORDERED,
    "list": _Role.LIST,
    "terms": _Role.LIST,
    "item": _Role.ITEM,
    "gui": _Role.CONTROL,
}
_DOCBOOK: Mapping[str, _Role] = {
    **dict.fromkeys(("indexterm", "mediaobject", "inlinemediaobject", "legalnotice", "authorgroup"), _Role.SKIP),
    **dict.fromkeys(("revhistory", "copyright", "bookinfo", "articleinfo", "info", "remark", "script"), _Role.SKIP),
    "title": _Role.TITLE,
    **dict.fromkeys(("para", "simpara", "entry", "screen", "programlisting", "term"), _Role.BLOCK),
    **dict.fromkeys(("procedure", "orderedlist"), _Role.ORDERED),
    **dict.fromkeys(("itemizedlist", "variablelist"), _Role.LIST),
    **dict.fromkeys(("step", "listitem"), _Role.ITEM),
    **dict.fromkeys(("guimenu", "guisubmenu", "guimenuitem", "guibutton", "guilabel", "guiicon"), _Role.CONTROL),
}
_LINK_SIGNS = frozenset(
    ("headerlink", "hash-link", "header-anchor", "heading-anchor", "anchor", "anchor-link", "permalink", "direct-link")
)
"""Classes of links to the very place where they stand, a sign each."""

_CLASSES: Mapping[str, _Role] = {
    **dict.fromkeys(("menuitem", "emph", "widget"), _Role.CONTROL),
    **dict.fromkeys(("guimenu", "guisubmenu", "guimenuitem", "guibutton", "guilabel", "guiicon"), _Role.CONTROL),
    **dict.fromkeys(("relatedtopics", "toc", "index"), _Role.LINKS),
    **dict.fromkeys(("navheader", "navfooter", "howtogetheader", "noteicon", "shortcut"), _Role.SKIP),
    "procedure": _Role.ORDERED,
}
"""Roles that a class gives to an element of HTML: those of LibreOffice's help and of DocBook's style sheets."""

_OTHER_SYSTEMS = frozenset(("MAC", "WIN"))
_VARIANTS = frozenset(("WRITER", "CALC", "IMPRESS", "DRAW", "MATH", "CHART", "BASIC", "BASE"))
"""Classes of LibreOffice's help for what holds on one system or in one of its programs."""

_INFO = frozenset(("info", "articleinfo", "bookinfo"))
"""What stands before a document of DocBook."""

_ALONE = frozenset(
    ("br", "hr", "img", "input", "link", "meta", "base", "col", "area", "source", "wbr", "embed", "param")
)
_HTML_LINKS, _XML_LINKS = frozenset(("a", "meta")), frozenset(("link", "xref"))
_MENU_SEQUENCE = frozenset(("guiseq", "menuchoice"))
_CONTENT = '<div id="DisplayArea"'
_CONTENT_END = '<div id="SearchFrame"'


def read_html(text: str, variant: str = "") -> ParsedPage:
    """Read a page of HTML. Of what LibreOffice writes for each of its programs, that of `variant` is kept, else all.

    Raises:
        UnreadablePage: nothing in it is a page.
    """
    begin, end = text.find(_CONTENT), text.find(_CONTENT_END)
    title = _first_title(text) if begin >= 0 else ""
    if begin >= 0:
        text = text[begin : end if end > begin else len(text)]
    skipped = _OTHER_SYSTEMS | (_VARIANTS - {variant} if variant in _VARIANTS else frozenset())
    return _Scanner(_HTML, is_html=True, skipped_classes=skipped).read(text, title)


def read_mallard(text: str) -> ParsedPage:
    """Read a Mallard page.

    Raises:
        UnreadablePage: nothing in it is a page.
    """
    return _Scanner(_MALLARD).read(_from_root(text))


def read_docbook(text: str) -> ParsedPage:
    """Read a DocBook document as one page.

    Raises:
        UnreadablePage: nothing in it is a page.
    """
    return _Scanner(_DOCBOOK).read(_from_root(text))


def _first_title(text: str) -> str:
    begin = text.find("<title>", 0, 20_000)
    end = text.find("</title>", begin, begin + 2_000)
    return unescape(text[begin + 7 : end]) if 0 <= begin < end else ""


def _from_root(text: str) -> str:
    """Return what follows declarations: whatever a document type declares is dropped unread."""
    at = 0
    for match in _TAG.finditer(text):
        if match[1][:1] not in {"!", "?"}:
            at = match.start()
            break
    return text[at:]


def _without(text: str, begin: str, end: str) -> str:
    """Return the text without spans between two marks; one that never ends takes the rest."""
    if begin not in text:
        return text
    kept, rest = [], text
    at = 0
    while (opening := rest.find(begin, at)) >= 0:
        kept.append(rest[at:opening])
        closing = rest.find(end, opening + len(begin))
        if closing < 0:
            return "".join(kept)
        at = closing + len(end)
    kept.append(rest[at:])
    return " ".join(kept)


@dataclass(slots=True)
class _Scanner:
    """Reads one page: gives what the tags mean to the builder."""

    roles: Mapping[str, _Role]
    is_html: bool = False
    skipped_classes: frozenset[str] = frozenset()
    builder: PageBuilder = field(default_factory=PageBuilder)
    _skipping: str = ""
    _skip_depth: int = 0
    _links_only: bool = False
    _depth: int = 0
    _controls: list[tuple[str, bool]] = field(default_factory=list)
    _in_sequence: int = 0
    _tab_title: bool = False
    _variant_seen: bool = False
    _in_article: bool = False
    _passes: bool = False
    _is_first: bool = False

    def read(self, text: str, title: str = "") -> ParsedPage:
        """Read the page; `title` is used where it has none."""
        self.builder.fallback_title = title
        text = _without(_without(text, "<!--", "-->"), "<![CDATA[", "]]>")
        for piece, tag in _pieces(text):
            if piece and (self._passes or not self._skipping):
                self._text(piece)
            if tag:
                self._tag(tag)
        return self.builder.page()

    def _text(self, piece: str) -> None:
        if "&" in piece:
            piece = _UNKNOWN_ENTITY.sub("", unescape(piece))
        piece = piece.replace("<", " ").replace(">", " > ") if "<" in piece else piece
        if self._tab_title:
            self.builder.fallback_title += piece
        else:
            self.builder.text(piece)

    def _tag(self, tag: str) -> None:
        found = _NAME.match(tag)
        if found is None:
            return
        name = found[1]
        if self.is_html:
            name = name.lower()
        if tag[0] == "/":
            self._close(name)
        else:
            self._open(name, tag, alone=tag[-1] == "/" or (self.is_html and name in _ALONE))

    def _open(self, name: str, tag: str, *, alone: bool) -> None:
        if not alone:
            self._depth += 1
            if self._depth > MAX_DEPTH:
                raise UnreadablePage("its elements are nested too deep")
        if self._skipping:
            if self._links_only and name == "a":
                self._link(tag)
            self._begin_title_of_head(name)
            if name == self._skipping and not alone:
                self._skip_depth += 1
            return
        self._in_article = self._in_article or name in {"article", "main"}
        if name in (_HTML_LINKS if self.is_html else _XML_LINKS):
            self._link(tag)
        role = self._role_in_html(name, tag) if self.is_html else self.roles.get(name)
        if name in _MENU_SEQUENCE:
            self._in_sequence += 1
            self._is_first = True
        if self._controls and not alone and role is not _Role.CONTROL and name == self._controls[-1][0]:
            self._controls.append((name, False))
        if role is not None:
            self._begin(role, name, alone=alone)

    def _begin_title_of_head(self, name: str) -> None:
        """Take a title in what is skipped before a page or a section: the first for where there is no other one."""
        is_document = self.roles is _DOCBOOK and name == "title" and self._skipping in _INFO
        if is_document and self.builder.fallback_title:
            self.builder.begin(BlockKind.HEADING)
            self._passes = True
        elif is_document or (
            (name, self._skipping) == ("h1", "header") and (self._in_article or not self.builder.fallback_title)
        ):
            self.builder.fallback_title = ""
            self._tab_title = self._passes = True

    def _role_in_html(self, name: str, tag: str) -> _Role | None:
        role = self.roles.get(name)
        if name == "button" and self.builder.in_item:
            return _Role.CONTROL
        if name == "a" and "class=" in tag and not _LINK_SIGNS.isdisjoint(_classes_of(tag)):
            return _Role.SKIP
        if self.skipped_classes & _VARIANTS:
            if self._is_other_variant(tag):
                return _Role.SKIP
        elif name == "span":
            self._part_variants(tag)
        if "class=" in tag and (of_class := self._role_of_class(tag)) is not None:
            role = of_class
        if name == "ol" and "HowTo" in tag:
            self.builder.how_to = True
        if role is _Role.HEADING and "title" in tag and not self.builder.title:
            return _Role.TITLE
        return role

    def _begin(self, role: _Role, name: str, *, alone: bool) -> None:
        builder = self.builder
        match role:
            case _Role.SKIP | _Role.LINKS:
                if not alone:
                    if name not in {"span", "a"}:  # which stand within a sentence
                        builder.end()
                    self._skipping, self._skip_depth, self._links_only = name, 1, role is _Role.LINKS
            case _Role.TAB_TITLE:
                builder.end()
                self._tab_title = not alone
            case _Role.TITLE:
                builder.begin(BlockKind.HEADING, title=True)
            case _Role.HEADING:
                builder.begin(BlockKind.HEADING)
            case _Role.BLOCK:
                builder.begin()
            case _Role.ORDERED | _Role.LIST if not alone:
                builder.begin_list(ordered=role is _Role.ORDERED)
            case _Role.ITEM:
                builder.begin_item()
            case _Role.CONTROL if not alone:
                if self._in_sequence and not self._controls:
                    builder.text("" if self._is_first else " → ")
                    self._is_first = False
                builder.begin_control()
                self._controls.append((name, True))
            case _:
                builder.text(" ")

    def _close(self, name: str) -> None:
        self._depth = max(0, self._depth - 1)
        if self._skipping:
            if self._passes:
                self._tab_title = self._passes = False
                self.builder.end()
            if name == self._skipping:
                self._skip_depth -= 1
                if self._skip_depth == 0:
                    self._skipping = ""
            return
        if self._controls and name == self._controls[-1][0]:
            if self._controls.pop()[1]:
                self.builder.end_control()
            return
        self._in_sequence = max(0, self._in_sequence - (name in _MENU_SEQUENCE))
        match self.roles.get(name):
            case _Role.TAB_TITLE:
                self._tab_title = False
            case _Role.TITLE | _Role.HEADING | _Role.BLOCK | _Role.ITEM:
                self._controls.clear()
                self.builder.end()
            case _Role.ORDERED | _Role.LIST:
                self._controls.clear()
                self.builder.end_list()
            case _:
                pass

    def _link(self, tag: str) -> None:
        attributes = _attributes(tag)
        if attributes.get("itemprop") == "keywords":
            self.builder.add_keywords((attributes.get("content", ""),))
        address = attributes.get("href") or attributes.get("xref") or attributes.get("linkend") or ""
        if address and "://" not in address:
            self.builder.add_link(address)

    def _is_other_variant(self, tag: str) -> bool:
        """Return whether an element holds the text for all other programs, behind one for the program wanted."""
        if 'class="switch' in tag:
            self._variant_seen = False
        elif any(f'class="{name}"' in tag for name in _VARIANTS - self.skipped_classes):
            self._variant_seen = True
        return self._variant_seen and ' id="default' in tag

    def _part_variants(self, tag: str) -> None:
        """Keep words that different programs read apart, where all of them are read: "Up / Move Up"."""
        if 'class="switch' in tag:
            self._variant_seen = False
        elif ' id="default' in tag or any(f'class="{name}"' in tag for name in _VARIANTS):
            if self._variant_seen:
                self._text(VARIANTS_BETWEEN)
            self._variant_seen = True

    def _role_of_class(self, tag: str) -> _Role | None:
        for name in _classes_of(tag):
            if name in self.skipped_classes:
                return _Role.SKIP
            if (role := _CLASSES.get(name)) is not None:
                return role
        return None


def _classes_of(tag: str) -> list[str]:
    begin = tag.find('class="') + 7
    return tag[begin : tag.find('"', begin)].split()


def _pieces(text: str) -> Iterator[tuple[str, str]]:
    """Yield text and the inside of the tag behind it, in order."""
    pieces = _TAG.split(text)
    for index in range(0, len(pieces) - 1, 2):
        yield pieces[index], pieces[index + 1]
    yield pieces[-1], ""


def _attributes(tag: str) -> dict[str, str]:
    return {name.lower(): unescape(first or second) for name, first, second in _ATTRIBUTE.findall(tag)}
