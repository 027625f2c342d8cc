"""A person's own days as a benchmark: how often offers were right, and what was missed, by what they said and did.

Truth is what the person said of a stretch (labels, reports), how they answered offers, and, weaker, when they asked for
help or turned to it themselves. Beside moments of need stand calm ones: those that they named, and for each moment of
need one drawn from work in the same program, well apart from any need. Sessions before a day are a set that no later
day changes. Reads only; nothing leaves the machine.
"""

import hashlib
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path

from daemon.figures.intervals import Interval, wilson
from daemon.history.summary import WallClock
from daemon.replay.replay import replay
from detectors.acts import is_help_app
from policies.calibration import NEEDED
from storage.clock import MINUTE_NS, NS_PER_S
from storage.errors import BadFile, UsageError
from storage.records import (
    ME,
    Anchor,
    EarlierReport,
    Feedback,
    Focus,
    NeedLabel,
    NeedReport,
    Offer,
    Record,
    ReportedBy,
    SessionStart,
    Window,
)
from storage.session.labels import read_labels
from storage.session.log import SessionReader, list_sessions

KINDS = tuple(kind.KIND for kind in (Anchor, EarlierReport, Feedback, Focus, NeedReport, Offer, Window))
LEAST = 20
"""Moments below which a share is not told: its interval would hold almost anything."""

NEAR_NS = MINUTE_NS
"""An offer this long before or after a stretch is one for it."""

APART_NS = 10 * MINUTE_NS
"""How far a calm moment that is drawn lies from any need."""

SAME_NS = 2 * MINUTE_NS
"""Signs of need within this time are one need."""


CHAT_APPS = ("chatgpt", "claude", "copilot", "gemini", "perplexity", "lmstudio", "lm-studio", "gpt4all", "alpaca")
"""Parts of the names of programs that answer in a chat; messengers are none: most talk there asks for nothing."""


class TruthSource(StrEnum):
    """How it is known whether help was needed, the surest first."""

    LABEL = "label"
    REPORT = "report"
    ANSWER = "answer"
    ASKED = "asked"
    TURNED = "turned"
    DRAWN = "drawn"


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownMoment:
    """A stretch of wall-clock time of which it is known whether help was needed."""

    begin_wall_ns: int
    end_wall_ns: int
    needed: bool
    source: TruthSource
    session: str
    app: str = ""

    def is_near(self, wall_ns: int) -> bool:
        """Tell whether an offer at a time is one for it."""
        return self.begin_wall_ns - NEAR_NS <= wall_ns <= self.end_wall_ns + NEAR_NS


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnOffer:
    """An offer that was shown unasked; `right` is whether help was needed, None for not known."""

    wall_ns: int
    app: str
    right: bool | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """A share of counted moments; without an `interval` there are too few to tell."""

    count: int
    total: int

    @property
    def interval(self) -> Interval | None:
        """The share with its 95 % interval."""
        return wilson(self.count, self.total) if self.total >= LEAST else None


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnDays:
    """What is known of some days; `folders` are the sessions, and `work_s` how long work was seen in them."""

    folders: tuple[Path, ...]
    work_s: float
    offers: tuple[OwnOffer, ...]
    moments: tuple[KnownMoment, ...]

    @property
    def right(self) -> Share:
        """Of offers of which it is known, those that were needed."""
        known = [offer.right for offer in self.offers if offer.right is not None]
        return Share(count=sum(known), total=len(known))

    def missed(self, source: TruthSource | None = None, offers: Iterable[int] | None = None) -> Share:
        """Of moments of need, those for which no offer came; of one source, or all, with these offers or its own."""
        needs = [moment for moment in self.moments if moment.needed and source in (None, moment.source)]
        return self._count(needs, offers, came=False)

    def disturbed(self, offers: Iterable[int] | None = None) -> Share:
        """Of calm moments, those in which an offer came."""
        return self._count([moment for moment in self.moments if not moment.needed], offers, came=True)

    def of_program(self, app: str) -> Share:
        """Of offers in a program of which it is known, those that were needed."""
        known = [offer.right for offer in self.offers if offer.app == app and offer.right is not None]
        return Share(count=sum(known), total=len(known))

    def _count(self, moments: Sequence[KnownMoment], offers: Iterable[int] | None, *, came: bool) -> Share:
        times = [offer.wall_ns for offer in self.offers] if offers is None else list(offers)
        counted = sum(any(map(moment.is_near, times)) is came for moment in moments)
        return Share(count=counted, total=len(moments))


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """What to change: how often help may be offered (None for nothing), and programs without any; and why."""

    how_often: str | None
    exclude: tuple[str, ...]
    why: str


CHOICES = ("rarely", "now and then", "often")
_HALF, _HARDLY = 0.5, 0.25


def propose(days: OwnDays, now: str) -> Proposal:
    """Return what these days speak for; `now` is the choice in force."""
    right, missed = days.right.interval, days.missed().interval
    apps = sorted({offer.app for offer in days.offers})
    found = {app: days.of_program(app).interval for app in apps}
    exclude = tuple(app for app, share in found.items() if share is not None and share.high < _HARDLY)
    place = CHOICES.index(now) if now in CHOICES else 1
    if right is None:
        return Proposal(how_often=None, exclude=exclude, why="too few to tell whether offers were right")
    if right.high < _HALF and place > 0:
        return Proposal(how_often=CHOICES[place - 1], exclude=exclude, why="most offers were not needed")
    if right.low > _HALF and missed is not None and missed.low > _HALF and place < len(CHOICES) - 1:
        return Proposal(
            how_often=CHOICES[place + 1], exclude=exclude, why="most offers were needed, and most need was missed"
        )
    return Proposal(how_often=None, exclude=exclude, why="these days do not speak for another choice")


@dataclass(slots=True)
class _Session:
    """What one session holds, in wall-clock time."""

    name: str
    clock: WallClock
    offers: dict[str, tuple[int, str]] = field(default_factory=dict)
    answers: dict[str, bool] = field(default_factory=dict)
    moments: list[KnownMoment] = field(default_factory=list)
    earlier: list[EarlierReport] = field(default_factory=list)
    work: list[KnownMoment] = field(default_factory=list)
    front: list[tuple[int, str]] = field(default_factory=list)
    """Which programs came to the front, and when."""

    def app_at(self, at_ns: int) -> str:
        place = bisect_right(self.front, at_ns, key=lambda came: came[0])
        return self.front[place - 1][1] if place else ""

    def wall_ns(self, at_ns: int) -> int:
        return round(self.clock.seconds(at_ns) * NS_PER_S)

    def add(self, row: Record) -> None:
        match row:
            case Anchor():
                self.clock.add(row)
            case Offer() if row.asked:
                self.note(row.at_ns, row.at_ns, needed=True, source=TruthSource.ASKED)
            case Offer() if not row.counterfactual:
                self.offers[row.offer_id] = self.wall_ns(row.at_ns), row.app
            case Feedback() if row.kind in NEEDED:
                self.answers[row.offer_id] = NEEDED[row.kind]
            case NeedReport():
                source = TruthSource.REPORT if row.by is ReportedBy.SAID else TruthSource.ASKED
                self.note(row.start_ns, row.end_ns, needed=row.needed, source=source)
            case EarlierReport():
                self.earlier.append(row)
            case Focus():
                before = self.app_at(row.at_ns)
                if _helps(row.app) and before and not _helps(before):
                    self.note(row.at_ns, row.at_ns, needed=True, source=TruthSource.TURNED)
                self.front.append((row.at_ns, row.app))
            case Window():
                moment = self._moment(row.start_ns, row.end_ns, needed=False, source=TruthSource.DRAWN)
                self.work.append(replace(moment, app=row.app))
            case _:
                pass

    def note(self, start_ns: int, end_ns: int, *, needed: bool, source: TruthSource) -> None:
        """Note what was said or done, of the program that was in front then."""
        self.moments.append(self._moment(start_ns, end_ns, needed=needed, source=source))

    def _moment(self, start_ns: int, end_ns: int, *, needed: bool, source: TruthSource) -> KnownMoment:
        return KnownMoment(
            begin_wall_ns=self.wall_ns(start_ns),
            end_wall_ns=self.wall_ns(end_ns),
            needed=needed,
            source=source,
            session=self.name,
            app=self.app_at(start_ns),
        )


def read_own_days(base: Path, begin_wall_ns: int, end_wall_ns: int) -> OwnDays:
    """Read the sessions that began in a span of time; imported ones and those that cannot be read are left out."""
    sessions: dict[str, _Session] = {}
    folders = []
    for folder in list_sessions(base):
        try:
            session = _read(folder, begin_wall_ns, end_wall_ns)
        except BadFile:
            continue
        if session is not None:
            sessions[folder.name] = session
            folders.append(folder)
    for session in list(sessions.values()):
        for row in session.earlier:
            if row.session in sessions:
                sessions[row.session].note(row.start_ns, row.end_ns, needed=row.needed, source=TruthSource.REPORT)
    said = [moment for session in sessions.values() for moment in session.moments]
    offers = tuple(offer for session in sessions.values() for offer in _offers(session, said))
    needs = _merged(moment for moment in said if moment.needed)
    calm = [moment for moment in said if not moment.needed]
    work = [stretch for session in sessions.values() for stretch in session.work]
    near = [*needs, *(_at(offer) for offer in offers if offer.right)]
    return OwnDays(
        folders=tuple(folders),
        work_s=sum(moment.end_wall_ns - moment.begin_wall_ns for moment in work) / NS_PER_S,
        offers=offers,
        moments=(*needs, *calm, *_drawn(needs, near, work)),
    )


def _read(folder: Path, begin_wall_ns: int, end_wall_ns: int) -> _Session | None:
    with SessionReader(folder) as reader:
        start = reader.first()
        if start.imported_from is not None or not begin_wall_ns <= start.wall_ns < end_wall_ns:
            return None
        session = _Session(folder.name, WallClock(start))
        for row in reader.rows(KINDS):
            session.add(row)
    for label in read_labels(folder):
        if label.rater == ME and label.need in (NeedLabel.YES, NeedLabel.NO):
            needed = label.need is NeedLabel.YES
            session.note(label.start_ns, label.end_ns, needed=needed, source=TruthSource.LABEL)
    return session


def _offers(session: _Session, said: Sequence[KnownMoment]) -> Iterator[OwnOffer]:
    """Yield the offers of a session; what was said of a stretch counts before how it was answered."""
    for offer_id, (wall_ns, app) in session.offers.items():
        over = [
            moment
            for moment in said
            if moment.source in (TruthSource.LABEL, TruthSource.REPORT)
            and moment.begin_wall_ns <= wall_ns <= moment.end_wall_ns
        ]
        surest = min(over, key=lambda moment: list(TruthSource).index(moment.source), default=None)
        right = surest.needed if surest is not None else session.answers.get(offer_id)
        yield OwnOffer(wall_ns=wall_ns, app=app, right=right)


def _helps(app: str) -> bool:
    return is_help_app(app) or any(name in app.lower() for name in CHAT_APPS)


def _at(offer: OwnOffer) -> KnownMoment:
    source = TruthSource.ANSWER
    return KnownMoment(begin_wall_ns=offer.wall_ns, end_wall_ns=offer.wall_ns, needed=True, source=source, session="")


def _merged(moments: Iterable[KnownMoment]) -> list[KnownMoment]:
    """Return moments of need well apart, the surest of those that are one."""
    order = list(TruthSource)
    kept: list[KnownMoment] = []
    for moment in sorted(moments, key=lambda one: (order.index(one.source), one.begin_wall_ns)):
        if all(_gap_ns(moment, other) > SAME_NS for other in kept):
            kept.append(moment)
    return sorted(kept, key=lambda one: one.begin_wall_ns)


def _gap_ns(moment: KnownMoment, other: KnownMoment) -> int:
    return max(other.begin_wall_ns - moment.end_wall_ns, moment.begin_wall_ns - other.end_wall_ns)


def _drawn(
    needs: Sequence[KnownMoment], near: Sequence[KnownMoment], work: Sequence[KnownMoment]
) -> Iterator[KnownMoment]:
    """Yield for each moment of need one of calm work in the same program, each once, by a lot that stays the same."""
    pool: dict[str, list[KnownMoment]] = {}
    for moment in work:
        if all(_gap_ns(moment, other) > APART_NS for other in near):
            pool.setdefault(moment.app, []).append(moment)
    for moments in pool.values():
        moments.sort(key=_lot)
    for need in needs:
        if pool.get(need.app):
            yield pool[need.app].pop()


def _lot(moment: KnownMoment) -> bytes:
    return hashlib.blake2b(f"calm {moment.begin_wall_ns}".encode(), digest_size=8).digest()


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """What a choice would have come to on these days; `left_out` are sessions that cannot be replayed."""

    how_often: str
    offers: int
    missed: Share
    disturbed: Share
    left_out: int = 0


def try_choices(days: OwnDays, exclude: Sequence[str]) -> Iterator[Trial]:
    """Replay the days with each choice, and yield what it would have come to; nothing is offered in some programs.

    Estimates are those that were recorded. Sessions that cannot be replayed are left out of all choices, with all that
    is known of them.
    """
    tried = {folder: [_replayed(folder, choice) for choice in CHOICES] for folder in days.folders}
    whole = {folder: [each for each in found if each is not None] for folder, found in tried.items()}
    whole = {folder: found for folder, found in whole.items() if len(found) == len(CHOICES)}
    names = {folder.name for folder in whole}
    left = replace(days, moments=tuple(moment for moment in days.moments if moment.session in names))
    for number, choice in enumerate(CHOICES):
        times = [wall_ns for found in whole.values() for wall_ns, app in found[number] if app not in exclude]
        yield Trial(
            how_often=choice,
            offers=len(times),
            missed=left.missed(offers=times),
            disturbed=left.disturbed(times),
            left_out=len(tried) - len(whole),
        )


def _replayed(folder: Path, how_often: str) -> list[tuple[int, str]] | None:
    """Return when offers would have come in a session, and in which program; None where it cannot be replayed."""
    try:
        rows = replay(folder, how_often=how_often, with_recorded_estimates=True).rows
    except (BadFile, UsageError):
        return None
    session = None
    found = []
    for row in rows:
        if isinstance(row, SessionStart):
            session = _Session(folder.name, WallClock(row))
        elif session is not None and isinstance(row, Anchor):
            session.clock.add(row)
        elif session is not None and isinstance(row, Offer) and not row.asked:
            found.append((session.wall_ns(row.at_ns), row.app))
    return found
