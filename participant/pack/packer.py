"""Packs what happened since the last time: reads journals, seals rows in parcels, and stores both ends in one step.

Parcels and how far the journals were read are one transaction, so that every row is packed exactly once, wherever the
process is killed. All parcels are held: the person's mode of looking at them decides when they go. The lock of the
studies is held by whoever calls.
"""

from collections import deque
from pathlib import Path

import msgspec

from participant.delivery.outbox import AGREED, BUNDLE, PACKED, WITHDRAWAL, NewParcel, Outbox, ParcelState
from participant.delivery.review import rows_left_out
from participant.delivery.writer import Writer
from participant.documents.invitation import Invited
from participant.documents.names import digest_of
from participant.documents.plan import Sent
from participant.documents.rows import DayRow, Row, TooManyRowsError
from participant.membership.consent import ConsentFile, open_writer, read_consent_file
from participant.membership.folder import ParticipantFolder
from participant.pack.journals import JournalReader, Progress
from participant.pack.state import FoldState, Participation
from storage.clock import NS_PER_S
from storage.errors import BadFile
from storage.files import sessions_folder
from storage.settings_file import load_settings

EVERY_S = 3600
"""Packing more often tells more exactly when somebody worked."""

MAX_LEFT_OUT = 10_000_000


class _Packed(msgspec.Struct, kw_only=True):
    """The fact `PACKED`: when, how far, and how many rows left out in review day rows have told of so far."""

    version: int = 1
    at_wall_ns: int
    progress: Progress
    left_out: int = 0


def pack(
    folder: ParticipantFolder, now_wall_ns: int, sessions_dir: Path | None = None, *, at_once: bool = False
) -> int:
    """Pack the rows of a joined study that are finished; they are held. Return how many, 0 where none may be packed.

    Nothing is packed before parcel 0, after leaving, and while a newer version of the study waits for an answer.

    `sessions_dir`: the folder of all sessions; None: the one in the settings. `at_once`: pack although the last time
    was less than an hour ago.
    """
    if not folder.outbox.exists():
        return 0
    with Outbox(folder.outbox) as outbox:
        first, previous = outbox.chain()  # before what was packed: if another process packs in between, adding fails
        packed = _packed(outbox)
        since_ns = EVERY_S * NS_PER_S if packed is None else now_wall_ns - packed.at_wall_ns
        if (0 <= since_ns < EVERY_S * NS_PER_S and not at_once) or not _may_pack(folder, outbox, first):
            return 0
        consent = read_consent_file(folder.consent)
        if sessions_dir is None:
            sessions_dir = sessions_folder(load_settings().storage.sessions_dir)
        writer = open_writer(folder)
        progress = Progress(fold=FoldState()) if packed is None else packed.progress
        reader = JournalReader(
            sessions_dir,
            _participation(writer.invited, consent),
            lambda start_wall_ns: sends_since(consent, start_wall_ns),
            progress,
            joined_wall_ns=consent.answers[0].at_wall_ns,
        )
        rows = [timed.row for timed in reader.read(now_wall_ns)]
        told = 0 if packed is None else packed.left_out
        rows, told = _with_left_out(rows, told, rows_left_out(outbox))
        parcels = _write(writer, rows, first=first, previous=previous)
        after = _Packed(at_wall_ns=now_wall_ns, progress=progress, left_out=told)
        outbox.add(
            parcels, first=first, state=ParcelState.HELD, now_wall_ns=now_wall_ns, packed=msgspec.msgpack.encode(after)
        )
    return len(rows)


def sends_since(consent: ConsentFile, start_wall_ns: int) -> frozenset[Sent]:
    """Return what may be sent of a session that began at a time: what every answer in force since then permits."""
    before = [answer for answer in consent.answers if answer.at_wall_ns <= start_wall_ns]
    if not before:
        return frozenset()
    later = [answer for answer in consent.answers if answer.at_wall_ns > start_wall_ns]
    return frozenset.intersection(*(frozenset(answer.sends) for answer in (before[-1], *later)))


def _packed(outbox: Outbox) -> _Packed | None:
    raw = outbox.fact(PACKED)
    if not raw:
        return None
    try:
        return msgspec.msgpack.decode(raw, type=_Packed)
    except msgspec.MsgspecError:
        raise BadFile(
            "how far the journals of a study were packed is damaged", remedy="leave the study: kairos study leave"
        ) from None


def _may_pack(folder: ParticipantFolder, outbox: Outbox, first: int) -> bool:
    left = outbox.statement(WITHDRAWAL) is not None or not folder.key.exists()
    joined = first > 0 and folder.consent.exists()
    return joined and not left and outbox.fact(BUNDLE) == outbox.fact(AGREED)


def _participation(invited: Invited, consent: ConsentFile) -> Participation:
    return Participation(
        study=invited.invitation.study,
        participant=invited.invitation.participant,
        arm=invited.arm,
        sends=frozenset(consent.current.sends),
    )


def _write(writer: Writer, rows: list[Row], *, first: int, previous: bytes) -> list[NewParcel]:
    """Return parcels of all rows in their order; rows that are too many for one are halved."""
    made: list[NewParcel] = []
    waiting = deque([rows] if rows else [])
    while waiting:
        part = waiting.popleft()
        try:
            made.append(writer.write(part, n=first + len(made), previous=previous))
        except TooManyRowsError:
            half = len(part) // 2
            waiting.extendleft((part[half:], part[:half]))
            continue
        previous = digest_of(made[-1].raw)
    return made


def _with_left_out(rows: list[Row], told: int, total: int) -> tuple[list[Row], int]:
    """Let the first day row tell how many rows were left out since the last one that told; return how many in all."""
    for at, row in enumerate(rows):
        if isinstance(row, DayRow) and total > told:
            row_with = msgspec.structs.replace(row, left_out=min(total - told, MAX_LEFT_OUT))
            return [*rows[:at], row_with, *rows[at + 1 :]], total
    return rows, told
