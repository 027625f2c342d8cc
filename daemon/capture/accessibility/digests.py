"""Digests of names and texts: keyed per session, with numbers and quoted parts masked. Pure.

The key is never stored, so that nobody can render a text and look for its digest. Masking makes "line 12" and "line 14"
the same error, and keeps the name of a file, which differs between two attempts at the same thing, out of it.
"""

import hashlib
import re

from storage.plain_text import replace_numbers, replace_parts

_SPACE = re.compile(r"\s+")


class Digests:
    """Digests by the key of one session."""

    def __init__(self, key: bytes) -> None:
        """Take the session's key."""
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
    """Return a text without what differs from one time to the next: quoted parts, numbers, spaces, case.

    Names are what is quoted, and words with numbers in them.
    """
    shown = replace_numbers(text, "#") if with_names else replace_parts(text, quoted='""', number="#")
    return _SPACE.sub(" ", shown).strip().casefold()
