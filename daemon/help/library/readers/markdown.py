"""Markdown: headings, lists, emphasis and links, line by line. HTML within it is dropped with its marks."""

import re

from daemon.help.library.readers.parsed import BlockKind, PageBuilder, ParsedPage

_HEADING = re.compile(r"(#{1,6})\s+(.*?)\s*#*\s*\Z")
_ORDERED = re.compile(r"\s{0,8}\d{1,4}[.)]\s+(.*)\Z")
_BULLET = re.compile(r"\s{0,8}[-*+]\s+(.*)\Z")
_LINK = re.compile(r"!?\[([^\[\]]{0,300})\]\(([^()\s]{0,300})[^()]{0,200}\)")
_BOLD = re.compile(r"\*\*([^*]{1,200})\*\*")
_MARKS = re.compile(r"[*_`]{1,3}")
_TAG = re.compile(r"<[^<>]*>")
_KEYWORDS = re.compile(r"keywords:\s*(.*)\Z", re.IGNORECASE)
_UNDERLINE = re.compile(r"(?:=+|-+)\s*\Z")
_FENCE = ("```", "~~~")


def read_markdown(text: str) -> ParsedPage:
    """Read a page of Markdown; a line `keywords: a, b` gives words under which it is found.

    Raises:
        UnreadablePage: it has no title or no text.
    """
    builder = PageBuilder()
    in_list: bool | None = None
    fenced = False
    lines = text.splitlines()
    for number, line in enumerate(lines):
        if line.lstrip().startswith(_FENCE):
            fenced = not fenced
            continue
        following = lines[number + 1] if number + 1 < len(lines) else ""
        heading = _HEADING.match(line)
        if not fenced and line.strip() and following.strip() and _UNDERLINE.match(following) and len(following) > 2:  # noqa: PLR2004  # a shorter one is a list
            heading = _HEADING.match(f"# {line}")
        item = None if fenced or heading else (_ORDERED.match(line) or _BULLET.match(line))
        if item is None and in_list is not None and line.strip() and not line.startswith((" ", "\t")):
            builder.end_list()
            in_list = None
        if heading:
            builder.begin(BlockKind.HEADING, title=len(heading[1]) == 1)
            _add(builder, heading[2])
            builder.end()
        elif item:
            ordered = _ORDERED.match(line) is not None
            if in_list is not ordered:
                if in_list is not None:
                    builder.end_list()
                builder.begin_list(ordered=ordered)
                in_list = ordered
            builder.begin_item()
            _add(builder, item[1])
        elif not line.strip():
            builder.end()
        elif keywords := _KEYWORDS.match(line):
            builder.add_keywords(keywords[1].split(","))
        elif not _UNDERLINE.match(line):
            _add(builder, line)
    return builder.page()


def _add(builder: PageBuilder, line: str) -> None:
    line = _TAG.sub(" ", line)
    for _, address in _LINK.findall(line):
        if "://" not in address:
            builder.add_link(address)
    line = _LINK.sub(r"\1", line)
    at = 0
    for match in _BOLD.finditer(line):
        builder.text(_MARKS.sub("", line[at : match.start()]))
        builder.begin_control()
        builder.text(match[1])
        builder.end_control()
        at = match.end()
    builder.text(_MARKS.sub("", line[at:]).replace("<", " ").replace("\\", "") + " ")
