"""What the collector's file shows without opening a parcel: who joined, who is silent, gaps, and deletions due."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from daemon.text import format_count
from participant.documents.plan import Plan
from participant.documents.statements import Withdrawal, read_deletion, read_withdrawal
from storage.clock import NS_PER_S
from storage.errors import BadFile
from study.collector.invited import CollectorFiles
from study.collector.store import CollectedParticipant, CollectorReader
from study.opening.ledger import purged_participants
from study.opening.tables import tables_file

HOUR_NS = 3600 * NS_PER_S
DAY_NS = 24 * HOUR_NS
SILENT_HOURS = 26
"""A day, and two hours more for whoever starts later than yesterday."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Silence:
    """Somebody whose last parcel came this many hours ago, though their study is not over."""

    participant: str
    hours: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Gaps:
    """Numbers that are missing below somebody's highest; they were sent and never arrived, or a backup lacks them."""

    participant: str
    missing: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class DueDeletion:
    """Something of somebody who left that is still there; `hours_left` is negative once it is overdue."""

    participant: str
    what: str
    hours_left: float

    @property
    def overdue(self) -> bool:
        """Whether the time that the study gives itself is over."""
        return self.hours_left < 0


@dataclass(frozen=True, slots=True, kw_only=True)
class DeliveryStatus:
    """The state of a study by what has arrived; once it was closed nobody counts as silent."""

    invited: int
    joined: int
    left: int
    kept: int
    finished: int
    closed: bool
    parcels: int
    silent: tuple[Silence, ...]
    gaps: tuple[Gaps, ...]
    due: tuple[DueDeletion, ...]

    @property
    def overdue(self) -> int:
        """How many deletions are overdue."""
        return sum(one.overdue for one in self.due)


def delivery_status(
    reader: CollectorReader,
    files: CollectorFiles,
    plan: Plan,
    *,
    receipts_key: bytes,
    now_wall_ns: int,
    closed: bool = False,
) -> DeliveryStatus:
    """Return the state of a study.

    Args:
        reader: the collector's file.
        files: the study's folder, for who was invited and whether sealed keys are still there.
        plan: the study.
        receipts_key: the public key that receipts of deletions are signed with.
        now_wall_ns: the time.
        closed: whether the study was closed, which is the end for everybody.

    Raises:
        BadFile: file or list is damaged.
    """
    numbers: dict[str, list[int]] = {}
    for who, n in reader.numbers():
        numbers.setdefault(who, []).append(n)
    people, purged = reader.participants(), purged_participants(files.path)
    silent: list[Silence] = []
    due: list[DueDeletion] = []
    left = kept = finished = 0
    for one in people:
        if one.withdrawal is not None:
            left += 1
            if wants_deletion(one, plan):
                until_ns = (one.withdrawn_wall_ns or 0) + plan.purge_days * DAY_NS
                due += [
                    DueDeletion(participant=one.participant, what=what, hours_left=(until_ns - now_wall_ns) / HOUR_NS)
                    for what in _still_there(
                        one, files, plan, receipts_key, len(numbers.get(one.participant, ())), purged=purged
                    )
                ]
            else:
                kept += 1
        elif closed or (one.first_wall_ns is not None and now_wall_ns > one.first_wall_ns + (plan.days + 1) * DAY_NS):
            finished += 1
        elif now_wall_ns - (one.last_wall_ns or 0) >= SILENT_HOURS * HOUR_NS:
            hours = (now_wall_ns - (one.last_wall_ns or 0)) / HOUR_NS
            silent.append(Silence(participant=one.participant, hours=hours))
    known = {one.participant for one in people}
    due += _orphans(set(files.invited().ids()), numbers, {one.participant for one in people if one.withdrawal}, files)
    return DeliveryStatus(
        invited=len(files.invited()),
        joined=len(known),
        left=left,
        kept=kept,
        finished=finished,
        closed=closed,
        parcels=sum(map(len, numbers.values())),
        silent=tuple(silent),
        gaps=tuple(
            Gaps(participant=who, missing=missing) for who, found in numbers.items() if (missing := _missing(found))
        ),
        due=tuple(due),
    )


def wants_deletion(one: CollectedParticipant, plan: Plan) -> bool:
    """Whether somebody left without permitting to keep what they sent; in doubt they did not permit it."""
    withdrawal = _withdrawal_of(one, plan)
    return one.withdrawal is not None and (withdrawal is None or not withdrawal.keep)


def _withdrawal_of(one: CollectedParticipant, plan: Plan) -> Withdrawal | None:
    try:
        return read_withdrawal(one.withdrawal or b"", study=plan.name, participant=one.participant, key=one.key or b"")
    except BadFile:  # whoever left is treated as somebody who wants everything deleted
        return None


def _still_there(
    one: CollectedParticipant,
    files: CollectorFiles,
    plan: Plan,
    receipts_key: bytes,
    parcels: int,
    *,
    purged: Collection[str],
) -> Iterator[str]:
    """Yield what is left of somebody who wants everything deleted, as far as can be seen from here."""
    if parcels:
        yield f"{format_count(parcels, 'parcel')} in the collector's file"
    elif one.deleted_wall_ns is None:
        yield "the collector's log is not emptied, or its receipt not signed"
    if files.sealed_key(one.participant).exists():
        yield "the sealed reader key in this folder"
    elif not files.holds_reader_keys() and not _destroyed(one, plan, receipts_key):
        yield "the sealed reader key where the researcher's keys lie"
    if tables_file(files.path).exists() and one.participant not in purged:
        yield "the tables and the page here: run kairos study purge"


def _destroyed(one: CollectedParticipant, plan: Plan, receipts_key: bytes) -> bool:
    """Whether the receipt says that the key was destroyed."""
    try:
        receipt = read_deletion(one.deletion or b"", study=plan.name, participant=one.participant, key=receipts_key)
    except BadFile:
        return False
    return receipt.destroyed_key is not None


def _orphans(
    invited: set[str], numbers: dict[str, list[int]], left: set[str], files: CollectorFiles
) -> list[DueDeletion]:
    """Return parcels whose key was destroyed, with no withdrawal: an older backup has brought them back."""
    if not files.holds_reader_keys():
        return []
    return [
        DueDeletion(
            participant=who, what=f"{format_count(len(found), 'parcel')} brought back by a backup", hours_left=-1.0
        )
        for who, found in numbers.items()
        if who in invited and who not in left and not files.sealed_key(who).exists()
    ]


def _missing(numbers: Sequence[int]) -> tuple[tuple[int, int], ...]:
    found, expected = [], 0
    for number in numbers:
        if number > expected:
            found.append((expected, number - 1))
        expected = number + 1
    return tuple(found)
