"""What parcels show where the researcher's keys lie: answers by hour, balance of lots, stopping rules.

Pooled over arms. Nothing here names an arm but `balance_by_arm`, which is asked for on purpose and logged.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from participant.documents.keys import ReaderKey, Sealed, open_sealed
from participant.documents.parcel import Parcel, Sender, open_parcel, read_parcel
from participant.documents.plan import Measure, Plan
from participant.documents.rows import AnswerRow, PointRow, Row
from participant.documents.signed import decode
from storage.errors import BadFile
from study.collector.invited import CollectorFiles
from study.collector.store import CollectorReader
from study.monitor.delivery import DeliveryStatus, wants_deletion
from study.researcher.folder import reader_context

_MAX_SEALED = 4096
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
    reader: CollectorReader,
    files: CollectorFiles,
    plan: Plan,
    key: ReaderKey,
    delivery: DeliveryStatus,
    *,
    by_arm: bool = False,
) -> ContentStatus:
    """Open all parcels and return what they show; `by_arm` names arms.

    Raises:
        BadFile: the collector's file is damaged.
    """
    unreadable: Counter[str] = Counter()
    count = 0
    hours: dict[int, list[int]] = defaultdict(lambda: [0, 0])
    lots: dict[tuple[str, str | None], list[float]] = defaultdict(lambda: [0.0, 0.0, 0.0, 0.0])
    answered = bad = offers = 0
    responses: Counter[str] = Counter()
    for row in _rows(reader, files, plan, key, unreadable):
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
        unreadable=unreadable.total(),
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


def _rows(
    reader: CollectorReader, files: CollectorFiles, plan: Plan, key: ReaderKey, unreadable: Counter[str]
) -> Iterator[Row]:
    invited = files.invited()
    people = reader.participants()
    keys = {one.participant: one.key for one in people}
    closed = {one.participant for one in people if wants_deletion(one, plan)}
    opened: dict[str, ReaderKey | None] = {}
    for stored in reader.parcels():
        if stored.participant in closed:  # their deletion is still under way
            continue
        who = invited.find(stored.participant)
        if stored.participant not in opened:
            opened[stored.participant] = _reader_key(files, plan, key, stored.participant)
        own = opened[stored.participant]
        if who is None or own is None:
            unreadable["key"] += 1
            continue
        sender = Sender(
            study=plan.name, participant=stored.participant, join_key=who.join_key, key=keys.get(stored.participant)
        )
        try:
            parcel: Parcel = read_parcel(stored.raw, sender)[0]
            rows: Iterable[Row] = open_parcel(parcel, own)
        except BadFile:
            unreadable["parcel"] += 1
            continue
        yield from rows


def _reader_key(files: CollectorFiles, plan: Plan, key: ReaderKey, participant: str) -> ReaderKey | None:
    """Return the private half of a participant's reader key; None if it was destroyed or is damaged."""
    try:
        with files.sealed_key(participant).open("rb") as file:
            raw = file.read(_MAX_SEALED)
        sealed: Sealed = decode(raw, Sealed, what="sealed reader key")
        return ReaderKey(open_sealed(sealed, key, bound_to=reader_context(plan.name, participant)))
    except (OSError, BadFile, ValueError):
        return None
