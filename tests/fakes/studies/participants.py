"""Somebody who joined the small study of `tests.fakes.studies.documents`, and what happens to them."""

import datetime as dt
import random
from collections.abc import Sequence

from participant.delivery.outbox import Outbox, ParcelState
from participant.delivery.review import Mode
from participant.documents.invitation import read_invitation
from participant.documents.names import digest_of
from participant.documents.rows import Row
from participant.documents.statements import Receipt
from participant.membership.consent import open_writer
from participant.membership.folder import ParticipantFolder, joined_folder
from participant.membership.joining import join
from storage.clock import NS_PER_S
from storage.enrolment import Enrolment
from study.researcher.documents import ranges_of
from tests.fakes.studies.documents import PARTICIPANT, invitation_bytes, point

JOINED_NS = round(dt.datetime(2026, 5, 4, 10, 0).astimezone().timestamp()) * NS_PER_S
ALL = ("aggregates", "categories", "questions")
STUDY = "sheets"


def join_study(*, mode: Mode | None = None, now_wall_ns: int = JOINED_NS) -> tuple[ParticipantFolder, Enrolment]:
    """Join it with all switches on."""
    enrolment = join(read_invitation(invitation_bytes()), ALL, "en", now_wall_ns, mode=mode)
    return joined_folder(STUDY), enrolment


def pack_rows(
    folder: ParticipantFolder,
    *parcels: Sequence[Row],
    state: ParcelState = ParcelState.HELD,
    now_wall_ns: int = JOINED_NS,
) -> None:
    """Put parcels into the outbox, as the packer does; without rows one with a decision point."""
    writer = open_writer(folder)
    with Outbox(folder.outbox) as outbox:
        for rows in parcels or ((point(),),):
            n, previous = outbox.chain()
            new = writer.write(rows, n=n, previous=previous)
            outbox.add([new], first=n, state=state, now_wall_ns=now_wall_ns, packed=b"far")


def try_all(folder: ParticipantFolder, now_wall_ns: int = JOINED_NS) -> list[bytes]:
    """Take what the sender would send now, and note that it did."""
    with Outbox(folder.outbox) as outbox:
        due = outbox.due(now_wall_ns)
        outbox.mark_tried([parcel.n for parcel in due], now_wall_ns, random.Random(1))
    return [parcel.raw for parcel in due]


def receive_all(folder: ParticipantFolder) -> None:
    """Let the collector sign for all that was sent."""
    with Outbox(folder.outbox) as outbox:
        sent = [parcel for parcel in outbox.parcels() if parcel.tries]
        ranges = ranges_of(parcel.n for parcel in sent)
        last = digest_of(sent[-1].raw)
        outbox.receive(Receipt(study=STUDY, participant=PARTICIPANT, ranges=ranges, last=last))
