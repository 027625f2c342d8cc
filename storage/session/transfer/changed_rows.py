"""Changes source rows on their way in or out without breaking the replay of what was derived from them.

Every prefix holds a digest of the source rows so far, by which a replay notices rows that were altered. A row that is
changed here on purpose takes the digests along; a digest that did not fit before stays.
"""

import hashlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from storage.db.codec import encode
from storage.records import Prefix, Record, is_derived

DIGEST_BYTES = 8


def change_sources(rows: Iterable[Record], change: Callable[[Record], Record]) -> Iterator[Record]:
    """Yield rows with `change` applied to the source rows, and with the digests that belong to those."""
    before, after = (hashlib.blake2b(digest_size=DIGEST_BYTES) for _ in range(2))
    for row in rows:
        if not is_derived(row):
            changed = change(row)
            body = encode(row)
            before.update(body)
            after.update(body if changed is row else encode(changed))
            yield changed
        elif isinstance(row, Prefix) and row.sources == before.hexdigest():
            yield replace(row, sources=after.hexdigest())
        else:
            yield row
