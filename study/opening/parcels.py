"""Checks what a collector holds once more, and opens it with the participants' reader keys.

The collector is not trusted: every signature and every link of a chain is checked again from the keys in the study's
folder. Whoever left without permitting to keep anything is refused before a parcel of theirs is opened. What cannot be
opened is named and left out; it stops nothing.
"""

import heapq
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from enum import StrEnum
from itertools import groupby
from operator import attrgetter
from pathlib import Path

import msgspec

from participant.documents.keys import READING_KIND, SIGNING_KIND, ReaderKey, parse_public
from participant.documents.names import digest_of
from participant.documents.plan import Plan
from participant.documents.rows import ConsentRow, PointRow, Row
from participant.documents.statements import StudyWithdrawal
from storage.errors import BadFile, UsageError
from study.collector.store import FILE, CollectedParcel, CollectedParticipant, CollectorReader
from study.opening.ledger import purged_participants
from study.researcher.documents import Sender, missing_below, open_parcel, read_leaver, read_parcel
from study.researcher.folder import StudyFolder
from study.researcher.participants import Participant

MAX_PERSON_ROWS = 300_000
"""Rows of one person that are opened; an honest person sends some hundred a day."""


class Status(StrEnum):
    """What became of somebody invited: their rows are there, or why not."""

    OPENED = "opened"
    LEFT_KEPT = "left_kept"
    """They left and permitted keeping what was sent until then."""
    LEFT = "left"
    """They left; nothing of theirs is opened."""
    DELETED = "deleted"
    """They left, and `kairos study purge` destroyed their key; the tables do not even name them."""
    NOTHING = "nothing_sent"
    UNREADABLE = "unreadable"
    """Something came and none of it could be opened."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """Something that does not fit, in words of ours: whose, in which parcel (None: in none alone), and what."""

    participant: str
    n: int | None
    what: str


@dataclass(frozen=True, slots=True)
class PlacedRow:
    """A row with the number of its parcel and its place there."""

    n: int
    place: int
    row: Row


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """Somebody invited, and what they sent.

    Attributes:
        listed: their line of `participants.jsonl`.
        arm: by the sealed list of arms, whatever their rows say.
        status: whether their rows are here.
        parcels: how many came, opened or not.
        unopened: how many of them could not be opened.
        missing: numbers of parcels that are not there, as runs.
        rows: in the order of their chain.
        problems: what does not fit.
        withdrawn_wall_ns: when the collector learned that they left; None if they did not.
        keep: whether they permitted keeping what was sent; None if they did not leave.
    """

    listed: Participant
    arm: str
    status: Status
    parcels: int = 0
    unopened: int = 0
    missing: tuple[tuple[int, int], ...] = ()
    rows: tuple[PlacedRow, ...] = ()
    problems: tuple[Problem, ...] = ()
    withdrawn_wall_ns: int | None = None
    keep: bool | None = None

    @property
    def participant(self) -> str:
        """Their id."""
        return self.listed.participant


def data_files(paths: Sequence[Path]) -> list[Path]:
    """Return the collectors' files, each given as itself or by its folder.

    Raises:
        UsageError: there is none.
    """
    found = [path / FILE if path.is_dir() else path for path in paths]
    for path in found:
        if not path.is_file():
            raise UsageError(f"{path} is not there", remedy="name the collector's folder or its file with --data")
    return found


def open_people(folder: StudyFolder, plan: Plan, data: Sequence[Path]) -> Iterator[Person]:
    """Yield everybody invited, in the order of their invitations' ids, with the rows of those that may be opened.

    Raises:
        BadFile: a file is damaged, or a key is not the study's.
        EnvironmentFault: other users may read a key.
        UsageError: nobody was invited.
    """
    listed = {participant.participant: participant for participant in folder.participants()}
    if not listed:
        raise UsageError(f"nobody was invited to {folder.path}", remedy=f"first: kairos study invite {folder.path}")
    key = folder.reader_key()
    arms = folder.arms(plan)
    if listed.keys() - arms.keys():
        raise BadFile(
            f"{folder.path / 'allocation.sealed'} lacks people who were invited, or was destroyed with all data",
            remedy="take it from where it was kept, unless everything was to be destroyed",
        )
    purged = purged_participants(folder.path)
    with ExitStack() as stack:
        readers = []
        for path in data:
            reader = CollectorReader(path)
            stack.callback(reader.close)
            readers.append(reader)
        known = _known([reader.participants() for reader in readers])
        parcels = heapq.merge(*(reader.parcels() for reader in readers), key=attrgetter("participant", "n"))

        def opening(participant: str) -> _Opening:
            return _Opening(
                folder,
                plan,
                key,
                listed=listed[participant],
                arm=arms[participant],
                known=known.get(participant),
                purged=participant in purged,
            )

        groups = groupby(parcels, key=attrgetter("participant"))
        waiting = iter(sorted(listed))
        for participant, group in groups:
            if participant not in listed:  # of another study, or invented
                continue
            for before in waiting:
                yield opening(before).open(group if before == participant else ())
                if before == participant:
                    break
        for participant in waiting:
            yield opening(participant).open(())


def _known(lists: Iterable[list[CollectedParticipant]]) -> dict[str, CollectedParticipant]:
    """Return what collectors know of people; one who knows that somebody left counts."""
    found: dict[str, CollectedParticipant] = {}
    for people in lists:
        for person in people:
            before = found.get(person.participant)
            if before is None or before.withdrawal is None:
                found[person.participant] = person
    return found


class _Opening:
    """One person's parcels on their way to rows."""

    def __init__(
        self,
        folder: StudyFolder,
        plan: Plan,
        key: ReaderKey,
        *,
        listed: Participant,
        arm: str,
        known: CollectedParticipant | None,
        purged: bool,
    ) -> None:
        self._folder = folder
        self._plan = plan
        self._listed = listed
        self._arm = arm
        self._key = key
        self._known = known
        self._purged = purged
        self._problems: list[Problem] = []
        self._unopened = 0

    def open(self, group: Iterable[CollectedParcel]) -> Person:
        """Return the person with all rows that can and may be opened."""
        parcels = self._once(group)
        if self._purged:
            return self._person(Status.DELETED, parcels)
        if self._known is not None and self._known.withdrawal is not None and not self._may_keep(parcels):
            return self._person(Status.LEFT, parcels)
        if not parcels:
            return self._person(Status.NOTHING, parcels)
        rows = self._rows(parcels)
        left = self._known is not None and self._known.withdrawal is not None
        status = Status.LEFT_KEPT if left else Status.OPENED
        return self._person(status if rows else Status.UNREADABLE, parcels, rows)

    def _note(self, n: int | None, what: str) -> None:
        self._problems.append(Problem(participant=self._listed.participant, n=n, what=what))

    def _once(self, group: Iterable[CollectedParcel]) -> list[CollectedParcel]:
        """Return parcels of all collectors, each number once."""
        found: dict[int, CollectedParcel] = {}
        for parcel in group:
            before = found.setdefault(parcel.n, parcel)
            if before.raw != parcel.raw:
                self._note(parcel.n, "two different parcels have this number; the first is used")
        return list(found.values())

    def _sender(self) -> Sender:
        return Sender(
            study=self._plan.name,
            participant=self._listed.participant,
            join_key=parse_public(SIGNING_KIND, self._listed.join_key),
        )

    def _may_keep(self, parcels: Sequence[CollectedParcel]) -> bool:
        """Whether the person permitted keeping what was sent; in doubt they did not."""
        known = self._known
        assert known is not None and known.withdrawal is not None  # noqa: S101, PT018  # checked by the caller
        try:
            first = parcels[0] if parcels and parcels[0].n == 0 else None
            key = read_parcel(first.raw, self._sender())[1] if first is not None else None
            withdrawal = check_withdrawal(known.withdrawal, study=self._plan.name, listed=self._listed, key=key)
        except BadFile:
            self._note(None, "the signature of their withdrawal cannot be checked; nothing of theirs is opened")
            return False
        if withdrawal.keep and parcels:
            last = max(parcels, key=attrgetter("n"))
            if last.n + 1 != withdrawal.parcels or digest_of(last.raw) != withdrawal.last:
                self._note(None, f"their withdrawal names {withdrawal.parcels} parcels; the last one is not here")
        return withdrawal.keep

    def _rows(self, parcels: Sequence[CollectedParcel]) -> tuple[PlacedRow, ...]:
        """Return the rows of all parcels that can be opened."""
        key = self._reader_key()
        if key is None:
            self._unopened = len(parcels)
            return ()
        sender, found = self._sender(), list[PlacedRow]()
        before: tuple[int, bytes] | None = None
        for parcel in parcels:
            follows = before[1] if before is not None and before[0] == parcel.n - 1 else None
            before = (parcel.n, digest_of(parcel.raw))
            try:
                opened, signer = read_parcel(parcel.raw, sender)
                rows = open_parcel(opened, key)
            except BadFile as error:
                self._note(parcel.n, error.what)
                self._unopened += 1
                continue
            if opened.header.n != parcel.n:
                self._note(parcel.n, f"it says that it is parcel {opened.header.n}")
                continue
            if follows is not None and opened.header.previous != follows:
                self._note(parcel.n, "it does not follow from the one before: the chain is broken")
            if sender.key is None:
                sender = msgspec.structs.replace(sender, key=signer)
            if len(found) + len(rows) > MAX_PERSON_ROWS:
                self._note(
                    parcel.n, f"more than {MAX_PERSON_ROWS:,} rows of one person; these and later ones are left out"
                )
                break
            found += [PlacedRow(parcel.n, place, row) for place, row in enumerate(rows)]
        self._check_rows(found, sender.key)
        return tuple(found)

    def _reader_key(self) -> ReaderKey | None:
        try:
            key = self._folder.participant_key(self._plan, self._listed.participant, self._key)
        except BadFile:
            self._note(None, "their reader key is not in keys/participants, or cannot be opened with keys/reader.key")
            return None
        if key.public != parse_public(READING_KIND, self._listed.reader):
            self._note(None, "their reader key is not the one that participants.jsonl names")
            return None
        return key

    def _check_rows(self, rows: Sequence[PlacedRow], key: bytes | None) -> None:
        """Note what rows say that the study's folder knows better."""
        strange: Counter[str] = Counter()
        for row in rows:
            arm = getattr(row.row, "arm", self._arm)
            if arm != self._arm:
                strange["rows that name another arm than the list of arms"] += 1
            if isinstance(row.row, ConsentRow) and row.row.key != key:
                strange["consents that name another key than the one that signs"] += 1
            if isinstance(row.row, PointRow) and row.row.arm not in self._plan.arms:
                strange["rows that name an arm the study does not have"] += 1
        for what, count in strange.items():
            self._note(None, f"{what}: {count:,}")

    def _person(self, status: Status, parcels: Sequence[CollectedParcel], rows: tuple[PlacedRow, ...] = ()) -> Person:
        missing: tuple[tuple[int, int], ...] = ()
        if parcels and status in {Status.OPENED, Status.LEFT_KEPT, Status.UNREADABLE}:
            missing = missing_below(sorted({parcel.n for parcel in parcels}))
            for first, last in missing:
                self._note(
                    None, f"parcel {first} is missing" if first == last else f"parcels {first}-{last} are missing"
                )
        known = self._known
        left = known is not None and known.withdrawal is not None
        return Person(
            listed=self._listed,
            arm=self._arm,
            status=status,
            parcels=len(parcels),
            unopened=self._unopened,
            missing=missing,
            rows=rows,
            problems=tuple(self._problems),
            withdrawn_wall_ns=known.withdrawn_wall_ns if known is not None and left else None,
            keep=status is Status.LEFT_KEPT if left else None,
        )


def check_withdrawal(raw: bytes, *, study: str, listed: Participant, key: bytes | None) -> StudyWithdrawal:
    """Return a withdrawal, once it was checked without taking the collector's word for anybody's key.

    `key`: the public key that signs their parcels; None if none of these is here.
    """
    join_key = parse_public(SIGNING_KIND, listed.join_key)
    return read_leaver(raw, study=study, participant=listed.participant, join_key=join_key, key=key)[0]
