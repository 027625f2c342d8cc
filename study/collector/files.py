"""Parcels that come in a file instead of through the broker, and the receipts that go back in one."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from participant.documents.parcel import read_header
from participant.documents.signed import Kind, read_claim
from participant.documents.statements import MAX_STATEMENT_BYTES, Withdrawal
from participant.files.container import MAX_CONTAINER_BYTES, read_container, write_container
from storage.clock import Clock
from storage.errors import BadFile
from study.collector.collector import Collector, Incoming

BATCH = 50
"""Items that are committed at once."""

QUOTA_BYTES = MAX_CONTAINER_BYTES
"""A file may hold the parcels of a whole study, and somebody chose to take it in."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """What a file brought: whose it is, parcels stored, there already and refused by reason, and answers written."""

    participant: str
    stored: int
    repeated: int
    refused: Mapping[str, int]
    answers: int


def take_file(collector: Collector, path: Path, out: Path, *, clock: Clock) -> Taken:
    """Take in what one person packed, as if the broker had brought it, and write the signed answers into a new file.

    Args:
        collector: made with `QUOTA_BYTES` of this module.
        path: what the person packed.
        out: the new file of answers, with the newest study and its end, if that was signed; none is written where
            there is no answer.
        clock: for the time of arrival.

    Raises:
        BadFile: it is no such file, damaged, or of more than one person; nothing was stored.
        EnvironmentFault: something cannot be written.
    """
    items = [_incoming(raw) for raw in read_container(path)]
    people = {item.participant for item in items}
    if len(people) != 1:
        raise BadFile(f"{path} does not hold the parcels of one person", remedy="pack one file for each person")
    answers = [
        answer.raw
        for start in range(0, len(items), BATCH)
        for answer in collector.take(items[start : start + BATCH], clock.wall_ns())
        if answer.participant in people
    ]
    if answers:
        closing = collector.closing()
        write_container(out, [collector.bundle, *answers, *([] if closing is None else [closing])])
    return Taken(
        participant=people.pop(),
        stored=collector.stored,
        repeated=collector.repeated,
        refused={str(why): count for why, count in collector.refused.items()},
        answers=len(answers),
    )


def _incoming(raw: bytes) -> Incoming:
    """Return an item with whom it claims to be from; the collector checks the claim by its signature.

    Raises:
        BadFile: it is neither a parcel nor a withdrawal.
    """
    if raw.startswith(Kind.WITHDRAWAL.line):
        claim = read_claim(raw, Kind.WITHDRAWAL, Withdrawal, limit=MAX_STATEMENT_BYTES)
        return Incoming(claim.body.participant, raw)
    return Incoming(read_header(raw).participant, raw)
