"""Somebody who joined the small study of `tests.fakes.studies.documents`, and what happens to them."""

import datetime as dt
import random
from collections.abc import Sequence
from pathlib import Path

import msgspec

from participant.delivery.outbox import WITHDRAWAL, Outbox, ParcelState
from participant.delivery.review import Mode
from participant.documents.invitation import read_invitation
from participant.documents.names import FIRST, digest_of
from participant.documents.rows import Row, decode_rows
from participant.documents.statements import Receipt
from participant.membership.consent import open_writer
from participant.membership.folder import ParticipantFolder, joined_folder
from participant.membership.joining import join
from storage.clock import NS_PER_S
from storage.enrolment import Enrolment
from study.researcher.documents import open_parcel, ranges_of, read_parcel, write_bundle
from tests.fakes.studies.documents import (
    CONSENT,
    PARTICIPANT,
    PERSON_READER,
    PLAN,
    SIGNING,
    invitation_bytes,
    point,
    sender,
)

JOINED_NS = round(dt.datetime(2026, 5, 4, 10, 0).astimezone().timestamp()) * NS_PER_S
ALL = ("aggregates", "categories", "questions")
STUDY = "sheets"


def join_study(*, mode: Mode | None = None, now_wall_ns: int = JOINED_NS) -> tuple[ParticipantFolder, Enrolment]:
    enrolment = join(read_invitation(invitation_bytes()), ALL, "en", now_wall_ns, mode=mode)
    return joined_folder(STUDY), enrolment


def pack_rows(
    folder: ParticipantFolder,
    *parcels: Sequence[Row],
    state: ParcelState = ParcelState.HELD,
    now_wall_ns: int = JOINED_NS,
) -> None:
    writer = open_writer(folder)
    with Outbox(folder.outbox) as outbox:
        for rows in parcels or ((point(),),):
            n, previous = outbox.chain()
            new = writer.write(rows, n=n, previous=previous)
            outbox.add([new], first=n, state=state, now_wall_ns=now_wall_ns, packed=b"far")


def try_all(folder: ParticipantFolder, now_wall_ns: int = JOINED_NS) -> list[bytes]:
    with Outbox(folder.outbox) as outbox:
        due = outbox.due(now_wall_ns)
        outbox.mark_tried([parcel.n for parcel in due], now_wall_ns, random.Random(1))
    return [parcel.raw for parcel in due]


def opened(folder: ParticipantFolder) -> list[tuple[Row, ...]]:
    with Outbox(folder.outbox) as outbox:
        parcels = outbox.parcels()
    found, known, previous = [], sender(), FIRST
    for parcel in parcels:
        checked, key = read_parcel(parcel.raw, known)
        assert (checked.header.n, checked.header.previous) == (parcel.n, previous)
        known, previous = msgspec.structs.replace(known, key=key), digest_of(parcel.raw)
        found.append(open_parcel(checked, PERSON_READER))
    return found


def rows_shown(folder: ParticipantFolder) -> list[Row]:
    with Outbox(folder.outbox) as outbox:
        return [row for parcel in outbox.parcels() for row in decode_rows(parcel.rows)]


def sign_for_leaving(folder: ParticipantFolder) -> bytes:
    with Outbox(folder.outbox) as outbox:
        raw, _ = outbox.statement(WITHDRAWAL) or (b"", True)
        outbox.save_statement(WITHDRAWAL, raw, answered=True)
    return raw


def newer_version(plan: str = PLAN, consent: str = CONSENT) -> bytes:
    return write_bundle(plan.replace("version = 1", "version = 2", 1), {"en": consent}, SIGNING)


def no_packing(folder: ParticipantFolder, now_wall_ns: int) -> None:
    """Stand for the packer where nothing is to be packed."""


def noting(log: Path, code: int = 0) -> tuple[str, ...]:
    return ("/bin/sh", "-c", f'echo "$0" "$@" >> {log}; exit {code}')


def receive_all(folder: ParticipantFolder) -> None:
    with Outbox(folder.outbox) as outbox:
        sent = [parcel for parcel in outbox.parcels() if parcel.tries]
        ranges = ranges_of(parcel.n for parcel in sent)
        last = digest_of(sent[-1].raw)
        outbox.receive(Receipt(study=STUDY, participant=PARTICIPANT, ranges=ranges, last=last))
