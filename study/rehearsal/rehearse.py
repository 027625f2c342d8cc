"""The rehearsal of a study: simulated people live through it, and what they sent is compared with their journals."""

import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from participant.delivery.outbox import Outbox, ParcelState
from participant.documents.plan import Sent, StudyOutcome
from participant.documents.rows import ConsentRow, LabelRow, Row, TaskRow
from storage.clock import NS_PER_S, SystemClock
from storage.errors import UsageError
from storage.plain_text import print_progress
from study.analysis.effect import EffectFit
from study.audit.sessions import audit_sessions
from study.opening.columns import read_points
from study.opening.parcels import data_files, open_people
from study.opening.report import fit_points
from study.opening.tables import open_study, read_tables
from study.rehearsal.compare import differing_assignments, differing_labels, differing_rows, differing_tasks
from study.rehearsal.people import RehearsedPerson, night_after
from study.rehearsal.person import effect_limits
from study.rehearsal.route import DirectRoute, Route
from study.rehearsal.study_copy import Rehearsed, copy_study, lots_anywhere, lots_by


class Progress:
    """Measures one stage at a time, and says now and then how far the rehearsal is."""

    def __init__(self) -> None:
        """Measure nothing yet."""
        self._clock = SystemClock()
        self._stage = ""
        self._began_ns = 0
        self.seconds: dict[str, float] = {}

    def begin(self, stage: str) -> None:
        """Begin a stage, or go on with one; the one before is over."""
        self.end()
        self._stage, self._began_ns = stage, self._clock.now_ns()

    def end(self) -> None:
        """Add the time of the stage to what it took before."""
        if self._stage:
            took_s = (self._clock.now_ns() - self._began_ns) / NS_PER_S
            self.seconds[self._stage] = self.seconds.get(self._stage, 0.0) + took_s
            self._stage = ""


LEAST_PEOPLE = 3
"""With fewer there is nothing to estimate an effect from."""

TOLD = 4
"""How often the day is told."""

LAST_NIGHTS = 2
"""Nights after the last day: then its rows are finished, and then they leave."""

INVITING, LIVING, PACKING, DELIVERING, OPENING, COMPARING = (
    "inviting",
    "days at the desk",
    "packing",
    "delivering",
    "opening",
    "comparing",
)
"""Stages, as they are timed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """How a study is rehearsed: how many people, for how many days, with which effect, from which seed."""

    people: int
    days: int
    effect: float
    seed: int
    whole_path: bool = False

    def check(self, study: Rehearsed) -> None:
        """Refuse what cannot be rehearsed.

        Raises:
            UsageError: it cannot; says why.
        """
        low, high = effect_limits()
        if self.people < LEAST_PEOPLE:
            raise UsageError(f"{self.people} are too few people", remedy=f"take {LEAST_PEOPLE} or more")
        if not low <= self.effect <= high:
            raise UsageError(
                f"an effect of {self.effect:g} cannot be planted in everybody",
                remedy=f"take one between {low:g} and {high:g}",
            )
        if not 1 <= self.days <= study.plan.days:
            raise UsageError(f"this study has {study.plan.days} days", remedy=f"take 1 to {study.plan.days}")
        if always := lots_anywhere(study.plan, self.days):
            raise UsageError(
                f"the phase {always} draws assignments also where nobody is in trouble, and no effect is planted there",
                remedy="rehearse phases with the policy utility and exploration",
            )
        if self.effect and not lots_by(study.plan, self.days):
            more = f"rehearse more of its {study.plan.days} days; " if self.days < study.plan.days else ""
            raise UsageError(
                f"in the first {self.days} days of this study no offer is left to chance, so no effect can be found",
                remedy=f"{more}give a phase exploration = 0.5; or leave --effect out, and rehearse the rows' way alone",
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class Rehearsal:
    """What came of a rehearsal; all of it simulated.

    Attributes:
        fit: the effect of offers on `recovered`, estimated as in a real study; None if no offer is left to chance.
        lots: decision points at which an offer was made or withheld by lot.
        rows: rows that arrived and were compared.
        parcels: parcels that were collected.
        tasks: tasks that were begun, labels that arrived, and of these rows that change or take back an earlier one.
        problems: what does not fit: rows that differ from the journals, parcels that did not arrive or open.
        seconds: by stage.
    """

    options: Options
    fit: EffectFit | None
    lots: int
    rows: int
    parcels: int
    tasks: int
    labels: int
    changed: int
    problems: Sequence[str]
    seconds: Mapping[str, float]

    @property
    def covered(self) -> bool:
        """Whether the interval of the estimate holds the planted effect."""
        if self.fit is None:
            return False
        effect = self.fit.effects[0]
        return effect.low <= self.options.effect <= effect.high

    @property
    def found(self) -> bool:
        """Whether the interval of the estimate excludes zero."""
        if self.fit is None:
            return False
        effect = self.fit.effects[0]
        return not effect.low <= 0.0 <= effect.high


def rehearse(
    study: Rehearsed, options: Options, where: Path, *, progress: Progress, route: Route | None = None
) -> Rehearsal:
    """Rehearse a study."""
    options.check(study)
    progress.begin(INVITING)
    chance = random.Random(f"{options.seed} arms")  # noqa: S311  # simulation
    route = route or DirectRoute()
    copy = copy_study(study.plan, where, people=options.people, chance=chance, broker=route.prepare(where))
    people = [
        RehearsedPerson(
            invited, where / "people" / f"{number:04d}", number=number, seed=options.seed, effect=options.effect
        )
        for number, invited in enumerate(copy.invited, 1)
    ]
    for person in people:
        person.join()
    print_progress(f"simulated: {len(people)} people have joined")
    data = where / "collector"
    with route.open(copy, data):
        for day in range(1, options.days + LAST_NIGHTS + 1):
            _one_day(people, day, options.days, route, progress)
            if day <= options.days and day * TOLD // options.days > (day - 1) * TOLD // options.days:
                print_progress(f"simulated: day {day} of {options.days} is over")
        progress.begin(OPENING)
        print_progress("simulated: everything was delivered; opening it")
    end_wall_ns = night_after(options.days + LAST_NIGHTS)
    opened = open_study(copy.folder.path, [data], wall_ns=end_wall_ns)
    with read_tables(copy.folder.path) as tables:
        points = read_points(tables, StudyOutcome.RECOVERED)
        fit = fit_points(points) if lots_by(study.plan, options.days) else None
    progress.begin(COMPARING)
    problems = [f"{problem.participant}: {problem.what}" for problem in opened.problems]
    rows = parcels = tasks = labels = changed = 0
    arrived = {person.participant: person for person in open_people(copy.folder, copy.plan, data_files([data]))}
    for person in people:
        found = arrived[person.id]
        got = [row.row for row in found.rows]
        rows, parcels = rows + len(got), parcels + found.parcels
        said = [row.label for row in got if isinstance(row, LabelRow)]
        tasks += sum(isinstance(row, TaskRow) for row in got)
        labels, changed = labels + len(set(said)), changed + len(said) - len(set(said))
        problems += [f"person {person.number}, {what}" for what in _problems(person, got, end_wall_ns)]
    progress.end()
    return Rehearsal(
        options=options,
        fit=fit,
        lots=int(points.points.drawn.sum()),
        rows=rows,
        parcels=parcels,
        tasks=tasks,
        labels=labels,
        changed=changed,
        problems=problems,
        seconds=progress.seconds,
    )


def _one_day(people: Sequence[RehearsedPerson], day: int, days: int, route: Route, progress: Progress) -> None:
    """Let everybody live through a day, and the night after pack, release and deliver."""
    now_wall_ns = night_after(day)
    if day <= days:
        progress.begin(LIVING)
        for person in people:
            person.live(day)
    progress.begin(PACKING)
    for person in people:
        person.pack(now_wall_ns)
    progress.begin(DELIVERING)
    route.deliver(people, now_wall_ns)


def _problems(person: RehearsedPerson, arrived: Sequence[Row], now_wall_ns: int) -> Iterator[str]:
    """Yield what of a person did not arrive, or is not what their journals say."""
    with Outbox(person.folder.outbox) as outbox:
        states = Counter(parcel.state for parcel in outbox.parcels())
    for state in (ParcelState.HELD, ParcelState.READY):
        if states[state]:
            yield f"{states[state]} parcels are {state.value} and not received"
    consents = [row for row in arrived if isinstance(row, ConsentRow)]
    if [row.seed for row in consents] != [person.enrolment.seed if person.enrolment is not None else None]:
        yield "the consent is not the one that was given"
    journals = list(person.journals())
    yield from differing_rows(arrived, person.rows_of(journals, now_wall_ns))
    yield from differing_assignments(arrived, journals)
    sends = person.invited.bundle.plan.sends
    if Sent.TASKS in sends:
        yield from differing_tasks(arrived, journals)
    yield from differing_labels(arrived, person.words.said, journals, words=Sent.NARRATION in sends)
    yield from (
        f"assignments: {finding.kind} {finding.seq}: {finding.what}" for finding in audit_sessions(journals).findings
    )
