"""Parcels as a file, where there is no network: out to the researchers, and their receipts back in.

What is in a file that was packed counts as sent. Nobody but the collector can say that it arrived.
"""

import random
from dataclasses import dataclass
from pathlib import Path

from participant.delivery.answers import Answers
from participant.delivery.outbox import WITHDRAWAL, Outbox, ParcelState
from participant.documents.container import MAX_ITEMS, fitting, read_container, write_container
from participant.documents.signed import DocumentKind
from participant.documents.statements import MAX_CLOSING_BYTES
from storage.clock import Clock
from storage.errors import EnvironmentFault, UsageError
from storage.files import open_regular


@dataclass(frozen=True, slots=True, kw_only=True)
class Packed:
    """What a file holds: parcels, or the withdrawal; `left` parcels did not fit."""

    parcels: int
    left: int
    withdrawal: bool


def pack_file(outbox: Outbox, path: Path, *, clock: Clock, rng: random.Random) -> Packed:
    """Write everything that is ready into a new file; of somebody who left, the withdrawal alone.

    Raises:
        UsageError: nothing is ready to be sent.
        EnvironmentFault: there is such a file already, or it or the outbox cannot be written.
    """
    left = outbox.statement(WITHDRAWAL)
    if left is not None and not left[1]:
        write_container(path, [left[0]])
        return Packed(parcels=0, left=0, withdrawal=True)
    outbox.send_now()
    now = clock.wall_ns()
    due = outbox.due(now, most=MAX_ITEMS)
    if not due:
        raise UsageError("nothing is ready to be sent", remedy="see: kairos study status")
    if path.exists():
        raise EnvironmentFault(f"{path} exists already", remedy="nothing is overwritten; choose another name")
    count = fitting([parcel.raw for parcel in due])
    outbox.mark_tried([parcel.n for parcel in due[:count]], now, rng)  # before: none goes out that counts as unsent
    write_container(path, [parcel.raw for parcel in due[:count]])
    return Packed(parcels=count, left=len(outbox.parcels(ParcelState.READY)) - count, withdrawal=False)


def receive_file(outbox: Outbox, path: Path) -> Answers:
    """Take in a file that the collector wrote; every answer in it is checked as if a broker had brought it.

    The signed end of a study is taken in such a file, or alone, as it lies in the researcher's folder.
    """
    address, result = outbox.address(), Answers()
    for raw in _read_answers(path):
        result.take(raw, outbox, address)
    return result


def _read_answers(path: Path) -> tuple[bytes, ...]:
    with open_regular(path, follow_links=True) as file:
        raw = file.read(MAX_CLOSING_BYTES + 1)
    return (raw,) if raw.startswith(DocumentKind.CLOSING.line) else read_container(path)
