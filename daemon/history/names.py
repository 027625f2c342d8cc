"""The words of controls and messages that a session holds: only with the recording consent are there any."""

from collections import OrderedDict
from collections.abc import Iterator, Mapping

from storage.records import ControlAct, DialogSeen, DocumentLoaded, MessageSeen, Offer, Record, UndoLabel

KINDS = tuple(kind.KIND for kind in (ControlAct, DialogSeen, MessageSeen, DocumentLoaded, UndoLabel))
MAX_NAMES = 2000


class RecordedNames:
    """Words by digest, folded from the rows of a session in their order; the newest of them stay."""

    def __init__(self) -> None:
        """Start without any."""
        self._words: OrderedDict[str, str] = OrderedDict()

    def add(self, row: Record) -> None:
        """Note the words of a row, if it has any."""
        for digest, words in _words_of(row):
            if digest and words:
                self._words[digest] = words
                self._words.move_to_end(digest)
                if len(self._words) > MAX_NAMES:
                    self._words.popitem(last=False)

    def of(self, offer: Offer) -> Mapping[str, str]:
        """Return the words that an offer can quote, by their place in its sentences."""
        digests = offer.seen.digests if offer.seen is not None else {}
        return {place: self._words[digest] for place, digest in digests.items() if digest in self._words}


def _words_of(row: Record) -> Iterator[tuple[str, str | None]]:
    match row:
        case ControlAct():
            yield row.name_digest, row.name
        case DialogSeen():
            yield row.title_digest, row.title
            yield row.text_digest, row.text
        case MessageSeen():
            yield row.text_digest, row.text
        case DocumentLoaded():
            yield row.title_digest, row.title
        case UndoLabel():
            yield row.label_digest, row.label
        case _:
            pass
