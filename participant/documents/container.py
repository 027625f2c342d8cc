"""A file that carries parcels or answers instead of a broker: a line, then a msgpack list of what a broker would carry.

Not signed: each item in it is. It comes from outside, so its size, the number of items and their length are bounded
before anything in it is looked at.
"""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

from msgspec import Meta

from participant.documents.private_files import write_private
from participant.documents.signed import decode, encode
from storage.errors import BadFile
from storage.files import open_regular

LINE = b"KAIROS-FILES-1\n"
MAX_ITEMS = 4096
MAX_ITEM_BYTES = 512 << 10
"""More than a parcel or a signed study may have."""

MAX_CONTAINER_BYTES = 64 << 20

_Item = Annotated[bytes, Meta(min_length=1, max_length=MAX_ITEM_BYTES)]
_Items = Annotated[tuple[_Item, ...], Meta(max_length=MAX_ITEMS)]


def fitting(items: Sequence[bytes]) -> int:
    """Return how many of these items, from the first on, one file can carry."""
    size = 0
    for count, item in enumerate(items[:MAX_ITEMS]):
        size += len(item) + 8
        if size > MAX_CONTAINER_BYTES - 64:
            return count
    return min(len(items), MAX_ITEMS)


def write_container(path: Path, items: Sequence[bytes]) -> None:
    """Write a new file with these items.

    Raises:
        EnvironmentFault: there is such a file already, or it cannot be written.
        ValueError: they are more than one file can carry.
    """
    if fitting(items) < len(items):
        raise ValueError("one file cannot carry so many")
    write_private(path, LINE + encode(tuple(items)))


def read_container(path: Path) -> tuple[bytes, ...]:
    """Return the items of a file; none was checked.

    Raises:
        BadFile: it is no such file, too large, or damaged.
    """
    with open_regular(path, follow_links=True) as file:
        size = os.fstat(file.fileno()).st_size  # reading sets aside as much memory as it is asked for
        raw = file.read(min(size, MAX_CONTAINER_BYTES) + 1)
    if len(raw) > MAX_CONTAINER_BYTES:
        raise BadFile(f"{path} is larger than {MAX_CONTAINER_BYTES >> 20} MB", remedy="pack it again")
    if not raw.startswith(LINE):
        raise BadFile(f"{path} holds neither parcels nor receipts of a study", remedy="take the file that was packed")
    try:
        items: tuple[bytes, ...] = decode(raw[len(LINE) :], _Items, what="file of parcels or receipts")
    except BadFile:
        raise BadFile(f"{path} is damaged, or of another version of Kairos", remedy="copy it again") from None
    return items
