"""Manual pages: troff source with the macros of man and mdoc. No program is run on it, no request is obeyed."""

import re

from daemon.help.library.readers.parsed import BlockKind, PageBuilder, ParsedPage

_ESCAPE = re.compile(r"\\(?:f(?:\[[^\]]*\]|\(..|.)|s[+-]?\d+|\((..)|\[([^\]]*)\]|\*(?:\[[^\]]*\]|\(..|.)|[|^&%)/,]|.)")
_CHARACTERS = {"em": "-", "en": "-", "hy": "-", "aq": "'", "dq": '"', "lq": '"', "rq": '"', "bu": "", "co": "(c)"}
_LITERAL = {"\\-": "-", "\\ ": " ", "\\~": " ", "\\e": "\\", "\\0": " "}
_FONTS = frozenset((".B", ".I", ".BR", ".BI", ".IR", ".RB", ".RI", ".IB", ".SM", ".SB", ".Nm", ".Ar", ".Pa", ".Fl"))
_PARAGRAPHS = frozenset((".PP", ".P", ".LP", ".TP", ".IP", ".HP", ".Pp", ".It", ".br", ".sp"))


def read_manual(text: str) -> ParsedPage:
    """Read a manual page.

    Raises:
        UnreadablePage: it has no title or no text.
    """
    builder = PageBuilder()
    name = False
    for raw in text.splitlines():
        if not raw.startswith((".", "'")):
            if name:
                builder.add_keywords(re.split(r"\s*(?:,|\\-|-)\s+", _unescaped(raw)))
            builder.text(_unescaped(raw) + " ")
            continue
        macro, _, rest = raw.partition(" ")
        if macro in {".TH", ".Dt"}:
            words = _unescaped(rest).replace('"', "").split()
            builder.fallback_title = f"{words[0].lower()} manual" if words else ""
        elif macro in {".SH", ".Sh", ".SS", ".Ss"}:
            builder.begin(BlockKind.HEADING)
            heading = _unescaped(rest).strip().strip('"')
            name = heading.upper() == "NAME"
            builder.text(heading.capitalize())
            builder.begin()
        elif macro in _PARAGRAPHS:
            builder.begin()
        elif macro in _FONTS:
            builder.text(_unescaped(rest).replace('"', "") + " ")
    return builder.page()


def _unescaped(line: str) -> str:
    def character(match: re.Match[str]) -> str:
        if match[0] in _LITERAL:
            return _LITERAL[match[0]]
        return _CHARACTERS.get(match[1] or match[2] or "", "")

    return _ESCAPE.sub(character, line)
