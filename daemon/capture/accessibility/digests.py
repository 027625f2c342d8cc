"""Digests of names and texts, keyed per session, and the words behind them, in memory for a minute.

The key is never stored. Numbers and quoted parts are masked, so that "line 12" and "line 14" are the same error, and so
are the same messages about two files.
"""

import hashlib
import re
import threading
from collections import OrderedDict

from storage.clock import NS_PER_S
from storage.plain_text import replace_numbers, replace_parts

MAX_AGE_NS = 60 * NS_PER_S
MAX_WORDS = 500
MAX_LENGTH = 300

_SPACE = re.compile(r"\s+")


class Digests:
    """Digests by the key of one session."""

    def __init__(self, key: bytes) -> None:
        self._key = key

    def of(self, text: str, *, with_names: bool = False) -> str:
        """Return the digest of a text, with the names in it or without; empty for an empty one."""
        shown = masked(text, with_names=with_names)
        if not shown:
            return ""
        return hashlib.blake2b(
            shown.encode(errors="replace"), key=self._key, digest_size=8, person=b"controls"
        ).hexdigest()


def masked(text: str, *, with_names: bool = False) -> str:
    """Return a text without quoted parts, numbers, spaces and case; `with_names` keeps quoted parts."""
    shown = replace_numbers(text, "#") if with_names else replace_parts(text, quoted='""', number="#")
    return _SPACE.sub(" ", shown).strip().casefold()


class ControlWords:
    """Words by digest. Written by the capture thread, read by any."""

    def __init__(self) -> None:
        self._words: OrderedDict[str, tuple[int, str]] = OrderedDict()
        self._lock = threading.Lock()

    def remember(self, digest: str, text: str, now_ns: int) -> None:
        """Keep the words of a digest for a minute from now."""
        if not digest:
            return
        with self._lock:
            self._words[digest] = (now_ns, text[:MAX_LENGTH])
            self._words.move_to_end(digest)
            while self._words and (
                len(self._words) > MAX_WORDS or next(iter(self._words.values()))[0] < now_ns - MAX_AGE_NS
            ):
                self._words.popitem(last=False)

    def lookup(self, digest: str, now_ns: int) -> str | None:
        """Return the words of a digest; None if they were not seen within the last minute."""
        with self._lock:
            seen_ns, text = self._words.get(digest, (0, None))
            return text if text is not None and seen_ns >= now_ns - MAX_AGE_NS else None

    def clear(self) -> None:
        """Forget everything: the gate was closed."""
        with self._lock:
            self._words.clear()
