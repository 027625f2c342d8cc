"""Pictures as requests hold them: base64 once per picture, whichever prefixes it is in; and fewer of them, evenly."""

import base64
import hashlib
from collections import OrderedDict
from dataclasses import replace

from detectors.mllm.questions import ModelQuery, Picture

KEPT = 64
"""So many pictures are remembered: those of the window at hand, and of the one before."""


class Pictures:
    """Makes pictures, and hands out the same one for the same bytes while it is remembered."""

    def __init__(self, kept: int = KEPT) -> None:
        """Remember up to `kept` pictures, the last used ones."""
        self._kept = kept
        self._by_digest: OrderedDict[str, Picture] = OrderedDict()

    def picture_of(self, jpeg: bytes) -> Picture:
        """Return the picture with these bytes, encoded at most once."""
        digest = hashlib.sha256(jpeg).hexdigest()
        known = self._by_digest.get(digest)
        if known is not None:
            self._by_digest.move_to_end(digest)
            return known
        picture = Picture(digest=digest, jpeg=jpeg, base64=base64.b64encode(jpeg))
        self._by_digest[digest] = picture
        if len(self._by_digest) > self._kept:
            self._by_digest.popitem(last=False)
        return picture

    def clear(self) -> None:
        """Forget all of them, as at a pause."""
        self._by_digest.clear()


def thinned(ask: ModelQuery, most: int) -> ModelQuery:
    """Return an ask with at most `most` pictures, evenly chosen; the first and the last stay (of one, the last)."""
    count = len(ask.pictures)
    if count <= most:
        return ask
    kept = [count - 1] if most == 1 else [round(place * (count - 1) / (most - 1)) for place in range(most)]
    return replace(
        ask,
        pictures=tuple(ask.pictures[index] for index in kept),
        at_s=tuple(ask.at_s[index] for index in kept),
    )
