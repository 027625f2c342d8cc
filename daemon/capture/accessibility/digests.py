"""Digests of names and texts: keyed per session, with numbers and quoted parts masked. Pure.

The key is never stored, so that nobody can render a text and look for its digest. Masking makes "line 12" and "line 14"
the same error, and keeps the name of a file, which differs between two attempts at the same thing, out of it.
"""

import hashlib
import re

from storage.plain_text import replace_parts

_SPACE = re.compile(r"\s+")


class Digests:
    """Digests by the key of one session."""

    def __init__(self, key: bytes) -> None:
        """Take the session's key."""
        self._key = key

    def of(self, text: str) -> str:
        """Return the digest of a text; empty for an empty one."""
        shown = masked(text)
        if not shown:
            return ""
        return hashlib.blake2b(
            shown.encode(errors="replace"), key=self._key, digest_size=8, person=b"controls"
        ).hexdigest()


def masked(text: str) -> str:
    """Return a text without what differs from one time to the next: quoted parts, numbers, spaces, case."""
    shown = replace_parts(text, quoted='""', number="#")
    return _SPACE.sub(" ", shown).strip().casefold()
