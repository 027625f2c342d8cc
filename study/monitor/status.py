"""What the collector's file shows without opening a parcel: who joined, who is silent, gaps, and deletions due."""

import math
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

from participant.documents.plan import Measure, Plan
from participant.documents.rows import AnswerRow, PointRow
from participant.documents.statements import DeletionReceipt, StudyWithdrawal, read_statement
from storage.clock import DAY_NS, HOUR_NS
from storage.errors import BadFile
from storage.plain_text import format_count
from study.collector.store import CollectedParticipant, CollectorReader
from study.opening.ledger import purged_participants
from study.opening.parcels import open_people
from study.opening.tables import tables_file
from study.researcher.documents import missing_below
from study.researcher.folder import StudyFolder

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
        return sum(deletion.overdue for deletion in self.due)


def delivery_status(
    reader: CollectorReader, files: StudyFolder, plan: Plan, *, now_wall_ns: int, closed: bool = False
) -> DeliveryStatus:
    """Return the state of a study."""
    numbers: dict[str, list[int]] = {}
    for who, n in reader.numbers():
        numbers.setdefault(who, []).append(n)
    people, purged = reader.participants(), purged_participants(files.path)
    silent: list[Silence] = []
    due: list[DueDeletion] = []
    left = kept = finished = 0
    for person in people:
        who, last_ns, first_ns = person.participant, person.last_wall_ns or 0, person.first_wall_ns
        if person.withdrawal is not None:
            left += 1
            if wants_deletion(person, plan):
                hours_left = ((person.withdrawn_wall_ns or 0) + plan.purge_days * DAY_NS - now_wall_ns) / HOUR_NS
                there = _still_there(person, files, plan, len(numbers.get(who, ())), purged=purged)
                due += [DueDeletion(participant=who, what=what, hours_left=hours_left) for what in there]
            else:
                kept += 1
        elif closed or (first_ns is not None and now_wall_ns > first_ns + (plan.days + 1) * DAY_NS):
            finished += 1
        elif now_wall_ns - last_ns >= SILENT_HOURS * HOUR_NS:
            silent.append(Silence(participant=who, hours=(now_wall_ns - last_ns) / HOUR_NS))
    known = {person.participant for person in people}
    due += _orphans(
        set(files.invited().ids()), numbers, {person.participant for person in people if person.withdrawal}, files
    )
    return DeliveryStatus(
        invited=len(files.invited().ids()),
        joined=len(known),
        left=left,
        kept=kept,
        finished=finished,
        closed=closed,
        parcels=sum(map(len, numbers.values())),
        silent=tuple(silent),
        gaps=tuple(
            Gaps(participant=who, missing=missing)
            for who, found in numbers.items()
            if (missing := missing_below(found))
        ),
        due=tuple(due),
    )


def wants_deletion(one: CollectedParticipant, plan: Plan) -> bool:
    """Whether somebody left without permitting to keep what they sent; in doubt they did not permit it."""
    if one.withdrawal is None:
        return False
    who = {"study": plan.name, "participant": one.participant}
    try:
        return not read_statement(one.withdrawal, StudyWithdrawal, **who, key=one.key or b"").keep
    except BadFile:
        return True


def _still_there(
    one: CollectedParticipant, files: StudyFolder, plan: Plan, parcels: int, *, purged: Collection[str]
) -> Iterator[str]:
    """Yield what is left of somebody who wants everything deleted, as far as can be seen from here."""
    if parcels:
        yield f"{format_count(parcels, 'parcel')} in the collector's file"
    elif one.deleted_wall_ns is None:
        yield "the collector's log is not emptied, or its receipt not signed"
    if files.sealed_key(one.participant).exists():
        yield "the sealed reader key in this folder"
    elif not files.holds_reader_keys() and not _destroyed(one, plan):
        yield "the sealed reader key where the researcher's keys lie"
    if tables_file(files.path).exists() and one.participant not in purged:
        yield "the tables and the page here: run kairos study purge"


def _destroyed(one: CollectedParticipant, plan: Plan) -> bool:
    """Whether the receipt says that the key was destroyed."""
    try:
        receipt = read_statement(
            one.deletion or b"", DeletionReceipt, study=plan.name, participant=one.participant, key=plan.receipts_key
        )
    except BadFile:
        return False
    return receipt.destroyed_key is not None


def _orphans(invited: set[str], numbers: dict[str, list[int]], left: set[str], files: StudyFolder) -> list[DueDeletion]:
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


_BAD_MOMENT = "bad_moment"


@dataclass(frozen=True, slots=True, kw_only=True)
class HourRow:
    """Questions that were due in an hour of the day, and how many of them were answered."""

    hour: int
    due: int
    answered: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LotsRow:
    """Lots of a phase: how many, offers made and expected, and z of their difference. `arm` is None while masked."""

    phase: str
    arm: str | None
    lots: int
    offers: int
    expected: float
    z: float


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleRow:
    """A stopping rule: the share and from how many cases; None without any."""

    measure: str
    above: float
    after: int
    share: float | None
    cases: int

    @property
    def reached(self) -> bool:
        """Whether the study is to stop."""
        return self.share is not None and self.cases >= self.after and self.share > self.above


@dataclass(frozen=True, slots=True, kw_only=True)
class ContentStatus:
    """What parcels show. `unreadable` are those that could not be opened or read."""

    rows: int
    unreadable: int
    hours: tuple[HourRow, ...]
    lots: tuple[LotsRow, ...]
    rules: tuple[RuleRow, ...]


def content_status(
    data: Path, files: StudyFolder, plan: Plan, delivery: DeliveryStatus, *, by_arm: bool = False
) -> ContentStatus:
    """Open all parcels of a collector's file and return what they show; `by_arm` names arms."""
    people = list(open_people(files, plan, [data]))
    count = 0
    hours: dict[int, list[int]] = defaultdict(lambda: [0, 0])
    lots: dict[tuple[str, str | None], list[float]] = defaultdict(lambda: [0.0, 0.0, 0.0, 0.0])
    answered = bad = offers = 0
    responses: Counter[str] = Counter()
    for row in (placed.row for person in people for placed in person.rows):
        count += 1
        if isinstance(row, AnswerRow) and row.step != "not_drawn":
            hours[row.minute // 60][0] += 1
            hours[row.minute // 60][1] += row.step == "answered"
            if row.step == "answered" and _BAD_MOMENT in row.choices:
                answered += 1
                bad += row.choices[_BAD_MOMENT] > 0
        elif isinstance(row, PointRow):
            offered = row.action == "offer"
            if offered and row.response is not None:
                offers += 1
                responses[row.response] += 1
            if row.gate is not None or not 0 < row.propensity < 1 or row.action == "none":
                continue  # no lot
            chance = row.propensity if offered else 1 - row.propensity
            for at, value in enumerate((1.0, float(offered), chance, chance * (1 - chance))):
                lots[(row.phase, row.arm if by_arm else None)][at] += value
    left = delivery.left / delivery.joined if delivery.joined else None
    shares = {
        Measure.BAD_MOMENTS: (bad / answered if answered else None, answered),
        Measure.DISMISSED: (responses["dismissed"] / offers if offers else None, offers),
        Measure.WRONG: (responses["wrong"] / offers if offers else None, offers),
        Measure.LEFT: (left, delivery.joined),
    }
    return ContentStatus(
        rows=count,
        unreadable=sum(person.unopened for person in people),
        hours=tuple(HourRow(hour=hour, due=due, answered=got) for hour, (due, got) in sorted(hours.items())),
        lots=tuple(_lots_row(phase, arm, sums) for (phase, arm), sums in sorted(lots.items(), key=str)),
        rules=tuple(
            RuleRow(measure=rule.measure, above=rule.above, after=rule.after, share=share, cases=cases)
            for rule in plan.stopping
            for share, cases in [shares.get(rule.measure, (None, 0))]
        ),
    )


def _lots_row(phase: str, arm: str | None, sums: list[float]) -> LotsRow:
    lots, offers, expected, variance = sums
    z = (offers - expected) / math.sqrt(variance)
    return LotsRow(phase=phase, arm=arm, lots=round(lots), offers=round(offers), expected=expected, z=z)
