"""Decides about what comes in: checks, stores, and answers with signed statements. Knows no network.

A batch is checked first and stored in one transaction; receipts are signed only after its commit. Whatever is wrong is
refused without an answer: whoever sent it honestly sends it again.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

import msgspec

from participant.documents.container import MAX_CONTAINER_BYTES, read_container, write_container
from participant.documents.names import FIRST, digest_of
from participant.documents.parcel import read_header
from participant.documents.signed import DocumentKind, read_claim
from participant.documents.statements import (
    MAX_NUMBER,
    MAX_RANGES,
    MAX_STATEMENT_BYTES,
    DeletionReceipt,
    Receipt,
    ResendRequest,
    StudyWithdrawal,
    read_statement,
    write_statement,
)
from storage.clock import DAY_NS, NS_PER_S, Clock
from storage.errors import BadFile
from storage.files import private_folder
from study.collector.store import FILE, CollectedParcel, CollectedParticipant, CollectorStore
from study.researcher.documents import Sender, missing_below, ranges_of, read_leaver, read_parcel
from study.researcher.folder import StudyFolder

HELD_NS = NS_PER_S
MAX_HELD = 500
"""How many parcels may wait for a parcel 0 that another collector is about to store."""

QUOTA_BYTES = 8_000_000
"""What one person may send in a day, refused parcels included. An hourly parcel is some 4 kB."""

ASK_AGAIN_NS = 3600 * NS_PER_S
"""How long after a request to send again the same person is not asked another time."""


@dataclass(frozen=True, slots=True)
class Incoming:
    """Something that came: from whom (the topic, which the broker guards, or the name in a file), and its bytes."""

    participant: str
    raw: bytes


@dataclass(frozen=True, slots=True)
class Outgoing:
    """A signed answer, and to whom; `retained` is for somebody who may not be there now."""

    participant: str
    raw: bytes
    retained: bool = False


class Refusal(StrEnum):
    """Why something was not taken."""

    STRANGER = "not invited"
    DAMAGED = "damaged, forged or too large"
    KEY_UNKNOWN = "before parcel 0"
    LEFT = "left the study"
    CONFLICT = "another parcel of that number is there"
    QUOTA = "more than one person may send in a day"


_Checked = tuple[CollectedParcel, bytes]
"""A parcel whose signature was checked, and the key that it was checked with."""


class Collector:
    """Takes batches in; one thread at a time.

    Attributes:
        refused: how many were refused, by reason, since the start.
        stored: how many parcels were stored since the start.
        repeated: how many parcels came that were there already.
    """

    def __init__(
        self, files: StudyFolder, data: Path, *, quota_bytes: int = QUOTA_BYTES, holds_early: bool = False
    ) -> None:
        """Open the folder of the study and the collector's data folder.

        `holds_early`: whether a parcel before parcel 0 waits in memory for `HELD_NS` before it is refused: another
        collector may have parcel 0 in hand. Give batches, be they empty, while `is_holding`.
        """
        self._files = files
        bundle, self.bundle = files.signed_bundle()
        self.plan = bundle.plan
        self._receipts = files.receipts_key(bundle.plan)
        self._invited = files.invited()
        self._store = CollectorStore(private_folder(data) / FILE)
        self._quota_bytes = quota_bytes
        self._holds_early = holds_early
        self._held: list[tuple[Incoming, int]] = []
        self._today: dict[str, tuple[int, int]] = {}
        self._asked: dict[str, int] = {}
        self._whole: dict[str, int] = {}
        self._lacking: dict[str, tuple[tuple[int, int], ...]] = {}
        self._passed_on: dict[str, tuple[int, int, int]] = {}
        self.refused: Counter[Refusal] = Counter()
        self.stored = 0
        self.repeated = 0

    def close(self) -> None:
        """Close the database."""
        self._store.close()

    @property
    def is_holding(self) -> bool:
        """Whether a parcel waits for its parcel 0."""
        return bool(self._held)

    def take(self, items: Sequence[Incoming], now_wall_ns: int) -> list[Outgoing]:
        """Store what is good of a batch and return the answers; what they say is on the disk before this returns."""
        parcels = [item for item in items if not _is_withdrawal(item)]
        answers: list[Outgoing] = []
        for start in range(0, max(len(parcels), bool(self._held)), MAX_RANGES):  # a receipt has room for so many runs
            answers += self._take_parcels(parcels[start : start + MAX_RANGES], now_wall_ns)
        for item in items:
            if _is_withdrawal(item):
                answers += self._take_withdrawal(item, now_wall_ns)
        return answers

    # ------------------------------------------------------------ parcels

    def _take_parcels(self, items: Sequence[Incoming], now_wall_ns: int) -> list[Outgoing]:
        checked = self._check(items, now_wall_ns)
        if not checked:
            return self._requests(now_wall_ns)
        there: defaultdict[str, dict[int, bytes]] = defaultdict(dict)
        left: set[str] = set()
        new: list[CollectedParcel] = []
        refused: list[tuple[CollectedParcel, Refusal]] = []
        repeated = 0
        people: dict[str, CollectedParticipant | None] = {}
        with self._store.writing():
            for parcel, key in checked:
                who = parcel.participant
                if who not in people:
                    people[who] = self._store.participant(who)
                known = people[who]
                if known is None:
                    self._store.join(who, key, now_wall_ns)
                    people[who] = self._store.participant(who)
                elif known.key != key:  # joined with another key at the other collector
                    refused.append((parcel, Refusal.DAMAGED))
                    continue
                elif known.withdrawal is not None:
                    refused.append((parcel, Refusal.LEFT))
                    left.add(who)
                    continue
                if self._store.add(parcel):
                    new.append(parcel)
                elif self._store.digest(who, parcel.n) != parcel.digest:
                    refused.append((parcel, Refusal.CONFLICT))
                    continue
                else:
                    repeated += 1
                there[who][parcel.n] = parcel.digest
            self._store.note_arrival({parcel.participant for parcel in new}, now_wall_ns)
        for parcel, why in refused:
            self._refuse(parcel, why, now_wall_ns)
        self.stored += len(new)
        self.repeated += repeated
        for parcel in new:
            self._count(parcel.participant, len(parcel.raw), now_wall_ns)
        answers = [
            self._sign(
                Receipt(
                    study=self.plan.name, participant=participant, ranges=ranges_of(digests), last=digests[max(digests)]
                )
            )
            for participant, digests in there.items()
        ]
        answers += [Outgoing(who, raw) for who in sorted(left) if (raw := self._answer_to(who)) is not None]
        for participant, digests in there.items():
            self._look_for_gaps(participant, digests)
        return answers + self._requests(now_wall_ns)

    def _check(self, items: Sequence[Incoming], now_wall_ns: int) -> list[_Checked]:
        """Return the parcels that are signed by whom they should be; those before their parcel 0 get a second look."""
        learned: dict[str, bytes | None] = {}
        checked: list[_Checked] = []
        early: list[Incoming] = []
        held, self._held = self._held, []
        for item in items:
            self._check_one(item, learned, checked, early, now_wall_ns)
        until_ns = now_wall_ns + HELD_NS if self._holds_early else now_wall_ns
        for item, end_ns in (*held, *((item, until_ns) for item in early)):
            if self._key_of(item.participant, learned) is not None:
                self._check_one(item, learned, checked, early=None, now_wall_ns=now_wall_ns)
            elif now_wall_ns < end_ns and len(self._held) < MAX_HELD:
                self._held.append((item, end_ns))
            else:
                self._refuse(item, Refusal.KEY_UNKNOWN, now_wall_ns)
                self._lacking[item.participant] = ((0, MAX_NUMBER),)
        return checked

    def _key_of(self, participant: str, learned: dict[str, bytes | None]) -> bytes | None:
        """Return the key that somebody joined with, looked up once a batch."""
        if participant not in learned:
            known = self._store.participant(participant)
            learned[participant] = None if known is None else known.key
        return learned[participant]

    def _check_one(
        self,
        item: Incoming,
        learned: dict[str, bytes | None],
        checked: list[_Checked],
        early: list[Incoming] | None,
        now_wall_ns: int,
    ) -> None:
        who = self._invited.find(item.participant)
        if who is None:
            self.refused[Refusal.STRANGER] += 1
            return
        if not self._within_quota(item, now_wall_ns):
            self.refused[Refusal.QUOTA] += 1
            return
        key = self._key_of(item.participant, learned)
        sender = Sender(study=self.plan.name, participant=item.participant, join_key=who.join_key, key=key)
        try:
            parcel, key = read_parcel(item.raw, sender)
        except BadFile:
            if early is not None and sender.key is None and item.raw.startswith(DocumentKind.PARCEL.line):
                early.append(item)
            else:
                self._refuse(item, Refusal.DAMAGED, now_wall_ns)
            return
        learned[item.participant] = key
        arrived = CollectedParcel(
            participant=item.participant,
            n=parcel.header.n,
            raw=item.raw,
            digest=digest_of(item.raw),
            arrived_wall_ns=now_wall_ns,
        )
        checked.append((arrived, key))

    # ------------------------------------------------------------ how much one person may send

    def _within_quota(self, item: Incoming, now_wall_ns: int) -> bool:
        """Whether somebody may send this much more today; what is stored counts, and so does what was refused."""
        day, used = self._today.get(item.participant, (-1, 0))
        if day != now_wall_ns // DAY_NS:
            day = now_wall_ns // DAY_NS
            used = self._store.bytes_since(item.participant, day * DAY_NS)
            self._today[item.participant] = (day, used)
        return used + len(item.raw) <= self._quota_bytes

    def _count(self, participant: str, size: int, now_wall_ns: int) -> None:
        day, used = self._today.get(participant, (now_wall_ns // DAY_NS, 0))
        self._today[participant] = (day, used + size)

    def _refuse(self, item: Incoming | CollectedParcel, why: Refusal, now_wall_ns: int) -> None:
        self.refused[why] += 1
        self._count(item.participant, len(item.raw), now_wall_ns)

    # ------------------------------------------------------------ what a restored collector lacks

    def _look_for_gaps(self, participant: str, arrived: Collection[int]) -> None:
        """Note what is missing below somebody's highest number; the file is looked at unless they come in order."""
        whole = self._whole.get(participant, -1)  # all up to this number are in the file
        for n in sorted(arrived):
            whole = n if n == whole + 1 else whole
        if max(arrived) > whole:
            numbers = self._store.numbers(participant) if self._store.lacks_parcels(participant) else None
            if numbers is None:
                whole = max(arrived)
            else:
                self._lacking[participant] = missing_below(numbers)[:MAX_RANGES]
        self._whole[participant] = whole

    def _requests(self, now_wall_ns: int) -> list[Outgoing]:
        """Return requests to send again, at most one an hour for each person: gaps are common for a moment."""
        due = [
            (who, ranges)
            for who, ranges in self._lacking.items()
            if now_wall_ns - self._asked.get(who, -ASK_AGAIN_NS) >= ASK_AGAIN_NS
        ]
        self._lacking.clear()
        return [self._request(who, ranges, now_wall_ns) for who, ranges in due]

    def request_everything(self, now_wall_ns: int) -> list[Outgoing]:
        """Return requests to everybody invited for all that is not here, for a collector restored from a backup."""
        answers = []
        for who in self._invited.ids():
            known = self._store.participant(who)
            if known is None or known.withdrawal is None:
                numbers = self._store.numbers(who)
                after = (numbers[-1] + 1 if numbers else 0, MAX_NUMBER)
                request = self._request(who, (*missing_below(numbers)[: MAX_RANGES - 1], after), now_wall_ns)
                answers.append(Outgoing(who, request.raw, retained=True))
        return answers

    def _request(self, who: str, ranges: tuple[tuple[int, int], ...], now_wall_ns: int) -> Outgoing:
        self._asked[who] = now_wall_ns
        return self._sign(
            ResendRequest(study=self.plan.name, participant=who, ranges=ranges, asked_wall_ns=now_wall_ns)
        )

    # ------------------------------------------------------------ leaving

    def _take_withdrawal(self, item: Incoming, now_wall_ns: int) -> list[Outgoing]:
        who = self._invited.find(item.participant)
        if who is None:
            self.refused[Refusal.STRANGER] += 1
            return []
        if not self._within_quota(item, now_wall_ns):
            self.refused[Refusal.QUOTA] += 1
            return []
        known = self._store.participant(item.participant)
        try:
            withdrawal, key = read_leaver(
                item.raw,
                study=self.plan.name,
                participant=item.participant,
                join_key=who.join_key,
                key=None if known is None else known.key,
            )
        except BadFile:
            self._refuse(item, Refusal.DAMAGED, now_wall_ns)
            return []
        if not _says_as_much(known, withdrawal):
            with self._store.writing():  # the tombstone, before anything is deleted
                self._store.join(item.participant, key, now_wall_ns)
                self._store.withdraw(item.participant, item.raw, now_wall_ns)
        if self._answer_to(item.participant) is None:
            self.finish_deletions(now_wall_ns)
        answer = self._answer_to(item.participant)
        return [] if answer is None else [self._answer_about(item, answer)]

    def _answer_about(self, item: Incoming, answer: bytes) -> Outgoing:
        """Return the answer for this withdrawal: somebody may write a second one that changes nothing."""
        key = self._receipts.public
        receipt = read_statement(answer, DeletionReceipt, study=self.plan.name, participant=item.participant, key=key)
        return self._sign(msgspec.structs.replace(receipt, withdrawal=digest_of(item.raw)))

    def _answer_to(self, participant: str) -> bytes | None:
        known = self._store.participant(participant)
        return None if known is None or known.deleted_wall_ns is None else known.deletion

    def finish_deletions(self, now_wall_ns: int) -> list[Outgoing]:
        """Delete what is due and return the signed answers; call it at the start, after withdrawals and now and then.

        A deletion that cannot be completed now, because a backup reads the file, say, stays due.
        """
        due = [person for person in self._store.undeleted() if self._delete(person)]
        if not due or not self._store.empty_log():
            return []
        answers = []
        for person in due:
            with self._store.writing():
                self._store.finish_deletion(person.participant, now_wall_ns)
            if (answer := self._answer_to(person.participant)) is not None:
                answers.append(Outgoing(person.participant, answer))
        return answers

    def _delete(self, one: CollectedParticipant) -> bool:
        """Delete somebody's key and parcels, unless they permitted keeping them, and store what the receipt says.

        The key goes first: should the rest be cut off, the parcels are noise already. False if the withdrawal cannot be
        read any more.
        """
        if one.withdrawal is None or one.key is None or one.deletion is not None:
            return one.deletion is not None
        who = self._invited.find(one.participant)
        about = {"study": self.plan.name, "participant": one.participant}
        withdrawal = read_statement(one.withdrawal, StudyWithdrawal, **about, key=one.key)
        destroyed = not withdrawal.keep and self._files.destroy_key(one.participant)
        with self._store.writing():
            numbers = [] if withdrawal.keep else self._store.numbers(one.participant)
            last = self._store.digest(one.participant, numbers[-1]) if numbers else None
            receipt = DeletionReceipt(
                study=self.plan.name,
                participant=one.participant,
                withdrawal=digest_of(one.withdrawal),
                ranges=ranges_of(numbers)[:MAX_RANGES],  # more only of somebody who left out numbers on purpose
                last=FIRST if last is None else last,
                destroyed_key=who.reader if who is not None and destroyed else None,
                exports=(),
            )
            if not withdrawal.keep:
                self._store.delete_parcels(one.participant)
            self._store.answer(one.participant, self._sign(receipt).raw)
        return True

    def pass_on_deletions(self) -> list[Outgoing]:
        """Return the receipts that `kairos study purge` signed since the last call; at the first call, all of them.

        Such a receipt names the destroyed key and the exports, where the keys do not lie on this machine. It takes the
        place of the collector's own, so that a withdrawal that comes again gets it, too. One that does not answer the
        stored withdrawal, or that says nothing new, is left out; a forged one counts as refused.
        """
        answers = []
        for deletion in self._files.deletions():
            if self._passed_on.get(deletion.participant) == deletion.state:
                continue
            known = self._store.participant(deletion.participant)
            if known is None or known.withdrawal is None or known.deleted_wall_ns is None or known.deletion is None:
                continue  # the collector's own part comes first
            self._passed_on[deletion.participant] = deletion.state
            about = {"study": self.plan.name, "participant": deletion.participant}
            try:
                raw = deletion.read()
                receipt = read_statement(raw, DeletionReceipt, **about, key=self._receipts.public)
            except BadFile:
                self.refused[Refusal.DAMAGED] += 1
                continue
            if receipt.withdrawal != digest_of(known.withdrawal):
                continue
            own = read_statement(known.deletion, DeletionReceipt, **about, key=self._receipts.public)
            if raw != known.deletion:
                if own.destroyed_key == receipt.destroyed_key and own.exports == receipt.exports:
                    continue
                with self._store.writing():
                    self._store.answer(deletion.participant, raw)
            answers.append(Outgoing(deletion.participant, raw, retained=True))
        return answers

    def closing(self) -> bytes | None:
        """Return the signed end of the study, once the researcher's statement lies in its folder."""
        return self._files.closing(self.plan)

    def _sign(self, statement: Receipt | ResendRequest | DeletionReceipt) -> Outgoing:
        return Outgoing(statement.participant, write_statement(statement, self._receipts))


def _is_withdrawal(item: Incoming) -> bool:
    return item.raw.startswith(DocumentKind.WITHDRAWAL.line)


def _says_as_much(known: CollectedParticipant | None, new: StudyWithdrawal) -> bool:
    """Whether a withdrawal that is there already says at least what a new one does: a leave to keep can be revoked."""
    if known is None or known.withdrawal is None or known.key is None:
        return False
    before = read_statement(
        known.withdrawal, StudyWithdrawal, study=new.study, participant=new.participant, key=known.key
    )
    return new.keep or not before.keep


# ---------------------------------------------------------------- parcels in a file

_FILE_BATCH = 50
"""Items that are committed at once."""

FILE_QUOTA_BYTES = MAX_CONTAINER_BYTES
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

    `collector`: made with `FILE_QUOTA_BYTES`. `out`: the new file of answers, with the newest study and its end, if
    that was signed; none is written where there is no answer.

    Raises:
        BadFile: it is no such file, damaged, or of more than one person; nothing was stored.
        EnvironmentFault: something cannot be written.
    """
    items = [_from_file(raw) for raw in read_container(path)]
    people = {item.participant for item in items}
    if len(people) != 1:
        raise BadFile(f"{path} does not hold the parcels of one person", remedy="pack one file for each person")
    answers = [
        answer.raw
        for start in range(0, len(items), _FILE_BATCH)
        for answer in collector.take(items[start : start + _FILE_BATCH], clock.wall_ns())
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


def _from_file(raw: bytes) -> Incoming:
    """Return an item with whom it claims to be from; the collector checks the claim by its signature."""
    if raw.startswith(DocumentKind.WITHDRAWAL.line):
        claim = read_claim(raw, DocumentKind.WITHDRAWAL, StudyWithdrawal, limit=MAX_STATEMENT_BYTES)
        return Incoming(claim.body.participant, raw)
    return Incoming(read_header(raw).participant, raw)
