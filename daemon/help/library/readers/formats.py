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
_ENCODING = re.compile(rb"""(?:charset|encoding)=["']?([A-Za-z0-9_.:-]{1,40})""")


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
    text = _decoded(content)
    return read_html(text, variant) if reader is read_html else reader(text)


def _unpacked(content: bytes) -> bytes:
    """Unpack no more than a page may be long."""
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(content)) as file:
            unpacked = file.read(MAX_BYTES + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise UnreadablePage("it is damaged") from error
    if len(unpacked) > MAX_BYTES:
        raise UnreadablePage("it is too large")
    return unpacked


def _decoded(content: bytes) -> str:
    """Return the text: UTF-8, what the file says itself, or at last Latin-1, with replacements where it is damaged."""
    if b"\0" in content[:4096]:
        if content[:2] not in {b"\xff\xfe", b"\xfe\xff"}:
            raise UnreadablePage("it is no text")
        return content.decode("utf-16", errors="replace")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        declared = _ENCODING.search(content[:2048])
        encoding = declared[1].decode("ascii") if declared else "latin-1"
        if encoding.lower().replace("_", "-") in {"utf-8", "utf8"}:
            return content.decode("utf-8", errors="replace")
        try:
            return content.decode(encoding, errors="replace")
        except (LookupError, ValueError):
            return content.decode("latin-1")
