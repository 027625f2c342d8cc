"""Which reader reads which file."""

import gzip
import io
import re
import zlib
from collections.abc import Callable, Mapping
from pathlib import PurePath

from daemon.help.library.readers.manual import read_manual
from daemon.help.library.readers.markdown import read_markdown
from daemon.help.library.readers.markup import read_docbook, read_html, read_mallard
from daemon.help.library.readers.parsed import ParsedPage, UnreadablePage
from storage.files import decode_text

MAX_BYTES = 2_000_000
"""The largest page, packed or not; the largest of real documentation is a quarter of it."""

_BY_SUFFIX: Mapping[str, Callable[[str], ParsedPage]] = {
    ".html": read_html,
    ".htm": read_html,
    ".xhtml": read_html,
    ".md": read_markdown,
    ".markdown": read_markdown,
    ".page": read_mallard,
    ".docbook": read_docbook,
}
_MANUAL = re.compile(r"\.[1-8][a-z]{0,6}(\.gz)?\Z")
_ENCODING = re.compile(
    rb"""(?:charset\s*=|\bencoding\s*=|\A['.]\\"[^\n]*-\*-[^\n]*\bcoding:)\s*["']?([A-Za-z0-9_.:-]{1,40})"""
)
"""What a page of HTML or XML says of its encoding, or the first line of a manual page, as `man` takes it."""

_MEANT = {
    **dict.fromkeys(("iso-8859-1", "iso8859-1", "latin1", "latin-1", "l1", "ascii", "us-ascii", "ansi"), "cp1252"),
    **dict.fromkeys(("iso-8859-9", "iso8859-9", "latin5"), "cp1254"),
    **dict.fromkeys(("iso-8859-11", "tis-620", "dos-874"), "cp874"),
    **dict.fromkeys(("shift-jis", "shift_jis", "x-sjis", "sjis", "ms-kanji", "windows-31j"), "cp932"),
    **dict.fromkeys(("gb2312", "gbk", "x-gbk", "chinese", "gb-2312-80", "euc-cn"), "gb18030"),
    **dict.fromkeys(("euc-kr", "ks-c-5601-1987", "ksc5601", "korean"), "cp949"),
    **dict.fromkeys(("big5", "x-x-big5", "big5-hkscs"), "big5hkscs"),
    **dict.fromkeys(("x-mac-roman", "macintosh"), "mac_roman"),
    **dict.fromkeys(("utf-8", "utf8", "utf-16", "utf-16le", "utf-16be"), "utf-8"),
}
"""What browsers understand by a label: what Windows made of it. A page that says so in ASCII is no UTF-16."""

_USUAL = "cp1252"
_MANUALS = re.compile(r"(?:\A|/)(([a-z]{2,3})(?:_[A-Z]{2})?)(?:\.([A-Za-z0-9-]+))?(?:@\w+)?/man\d")
_OF_LANGUAGE = {
    **dict.fromkeys(("cs", "hr", "hu", "pl", "ro", "sk", "sl"), "iso-8859-2"),
    **dict.fromkeys(("lt", "lv"), "iso-8859-13"),
    **dict.fromkeys(("mk", "sr"), "iso-8859-5"),
    "be": "cp1251", "bg": "cp1251", "el": "iso-8859-7", "ja": "euc-jp", "ko": "cp949", "ru": "koi8-r", "tr": "cp1254",
    "uk": "koi8-u", "zh_CN": "gb18030", "zh_SG": "gb18030", "zh_TW": "big5", "zh_HK": "big5hkscs",
}  # fmt: skip
"""By the folder of manual pages: what is not UTF-8 there, as `man` takes it."""


def is_page(name: str) -> bool:
    """Return whether a file of this name may be a page."""
    return PurePath(name).suffix.lower() in _BY_SUFFIX or _MANUAL.search(name) is not None


def read_page(name: str, content: bytes, variant: str = "") -> ParsedPage:
    """Read the content of a file as a page; `variant` is the program whose variants of the text are wanted.

    Raises:
        UnreadablePage: it is no page, damaged or too large.
    """
    if len(content) > MAX_BYTES:
        raise UnreadablePage("it is too large")
    if name.endswith(".gz"):
        content, name = _unpacked(content), name[:-3]
    reader = _BY_SUFFIX.get(PurePath(name).suffix.lower())
    if reader is None and _MANUAL.search(name):
        reader = read_manual
    if reader is None:
        raise UnreadablePage("no reader knows its format")
    text = _decoded(content, name)
    return read_html(text, variant) if reader is read_html else reader(text)


def _by_folder(name: str) -> str:
    """Return the encoding of what is not UTF-8 and declares none: by its folder of manual pages, else the usual one."""
    found = _MANUALS.search(name)
    if found is None:
        return _USUAL
    return (found[3] or _OF_LANGUAGE.get(found[1]) or _OF_LANGUAGE.get(found[2], _USUAL)).lower()


def _unpacked(content: bytes) -> bytes:
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(content)) as file:
            unpacked = file.read(MAX_BYTES + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise UnreadablePage("it is damaged") from error
    if len(unpacked) > MAX_BYTES:
        raise UnreadablePage("it is too large")
    return unpacked


def _decoded(content: bytes, name: str) -> str:
    """Return the text: UTF-8, what the file says itself, or at last what browsers take it for; damage is replaced."""
    if b"\0" in content[:4096]:
        if content[:2] not in {b"\xff\xfe", b"\xfe\xff"}:
            raise UnreadablePage("it is no text")
        return decode_text(content, errors="replace")
    declared = _ENCODING.search(content[:2048])
    label = declared[1].decode("ascii").lower().replace("_", "-") if declared else _by_folder(name)
    try:
        if label == "iso-2022-jp":
            return content.decode(label, errors="replace")
        return decode_text(content)
    except UnicodeDecodeError:
        try:
            return content.decode(_MEANT.get(label, label), errors="replace")
        except (LookupError, ValueError):
            return content.decode(_USUAL, errors="replace")
