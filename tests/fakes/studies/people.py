"""Simulated people in a study with questions: their days are drawn first and then run through the engine.

What a person does does not depend on the questions. Input is handed to the engine only where it can matter (while
something waits, and the newest before each step), which gives every decision the same context as all of it would.
"""

import random
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field

from daemon.engine.engine import Engine
from detectors.protocol import Images
from policies.registry import load
from storage.clock import DAY_NS, NS_PER_S
from storage.enrolment import QuestionPlan
from storage.records import (
    Anchor,
    Answer,
    AnswerKind,
    Environment,
    Estimate,
    Feedback,
    FeedbackKind,
    Offer,
    Prefix,
    QuestionOutcome,
    QuestionStep,
    Record,
    SessionEnd,
    StudyStart,
    Switch,
    SwitchName,
    Tick,
    is_derived,
)
from storage.settings import PolicySettings, Settings, WindowSettings
from tests.fakes.detectors.fake_detectors import FixedDetector, estimate_of, first_row, focus, key
from tests.fakes.detectors.questions import DATE

S = NS_PER_S
HOUR_NS = 3600 * S
PLAN = QuestionPlan(event_probability=0.5)
SETTINGS = Settings(
    policy=PolicySettings(
        name="random",
        arm_probability=0.5,
        quiet_start_s=60.0,
        offers_per_hour=4,
        offers_per_day=30,
        cooldown_s=300.0,
        novelty_s=300.0,
    ),
    window=WindowSettings(planned_s=1800.0),  # few estimates, for speed
)


class NeedyDetector(FixedDetector):
    """Sees need in every prefix, about something that an offer can be made of."""

    def estimate(self, prefix: Prefix, images: Images, now_ns: int) -> Estimate:
        return estimate_of(0.9, prefix_id=prefix.prefix_id, window_id=prefix.window_id, app=prefix.app)


@dataclass(frozen=True)
class Stretch:
    """Some minutes of one activity: typing, reading, call, full_screen, locked or paused; times are wall-clock ns."""

    start_ns: int
    end_ns: int
    kind: str
    keys_ns: tuple[int, ...] = ()


@dataclass
class Log:
    """One session: its rows, and what turns its time into true wall-clock time and that into local time."""

    rows: list[Record] = field(default_factory=list)
    true_offset_ns: int = 0
    utc_offset_s: int = 0


@dataclass
class Person:
    """One simulated person: what they really did, and the logs of their sessions."""

    number: int
    days: int
    stretches: list[Stretch] = field(default_factory=list)
    logs: list[Log] = field(default_factory=list)

    def doing(self, wall_ns: int) -> Stretch:
        return self.stretches[bisect_right(self.stretches, wall_ns, key=lambda one: one.start_ns) - 1]


def zone_s(day: int) -> int:
    """Return local time less UTC on a day of the study, from 0 on."""
    return 7200 if day < 3 else 3600


def _stretches(chance: random.Random, start_ns: int, end_ns: int) -> Iterator[Stretch]:
    at_ns = start_ns
    while at_ns < end_ns:
        kind = chance.choices(("typing", "reading", "call", "full_screen", "locked", "paused"), (50, 25, 8, 7, 7, 3))[0]
        until_ns = min(end_ns, at_ns + round(chance.uniform(20, 900) * S))
        keys: list[int] = []
        step_ns = at_ns
        while kind == "typing" and step_ns < until_ns:
            keys.append(step_ns)
            step_ns += round((chance.uniform(1.0, 5.0) if chance.random() < 0.04 else chance.uniform(0.1, 0.9)) * S)
        yield Stretch(at_ns, until_ns, kind, tuple(keys))
        at_ns = until_ns


def live(number: int, days: int, plan: QuestionPlan = PLAN) -> Person:
    """Return a person after so many days: a session or several each day, one clock jump, and a change of local time."""
    chance = random.Random(number)
    person = Person(number, days)
    saved: dict[str, object] = {}
    policy: dict[str, object] = {"seed": 1000 + number}
    saved_wall_ns = 0
    for day in range(days):
        midnight_ns = (DATE + day) * DAY_NS - zone_s(day) * S
        begin_ns = midnight_ns + round(chance.uniform(7, 12) * HOUR_NS)
        end_ns = midnight_ns + round(chance.uniform(14, 23) * HOUR_NS)
        first = len(person.stretches)
        person.stretches += _stretches(chance, begin_ns, end_ns)
        today = person.stretches[first:]
        cuts = sorted(chance.sample(range(1, len(today)), chance.choice((0, 0, 1, 2))))
        for part, (left, right) in enumerate(zip((0, *cuts), (*cuts, len(today)), strict=True)):
            jump_ns = 2 * HOUR_NS if (day, part) == (1, 0) else 0
            study = StudyStart(
                study="s1",
                participant=f"p{number}",
                day=day + 1,
                phase="offers",
                first_date=DATE,
                days=days,
                utc_offset_s=zone_s(day),
                seed=1000 + number,
                questions=plan,
                sampling_state=saved,
                elapsed_ns=max(0, today[left].start_ns - saved_wall_ns) if saved else 0,
            )
            run = _Session(
                person=person, chance=chance, study=study, policy=policy, stretches=today[left:right], jump_ns=jump_ns
            )
            saved, policy = run.run(killed=chance.random() < 0.1)
            saved_wall_ns = today[right - 1].end_ns
    return person


class _Session:
    """One session of one person, by true wall-clock time; session time has an origin of its own."""

    def __init__(
        self,
        *,
        person: Person,
        chance: random.Random,
        study: StudyStart,
        policy: dict[str, object],
        stretches: list[Stretch],
        jump_ns: int,
    ) -> None:
        self._chance = chance
        self._stretches = stretches
        self._study = study
        self._policy = policy
        self._jump_ns = jump_ns
        self._origin_ns = stretches[0].start_ns - chance.randrange(10**12, 10**15)
        self._engine = new_engine()
        self._log = Log(true_offset_ns=self._origin_ns, utc_offset_s=study.utc_offset_s)
        self._replies: list[tuple[int, Record]] = []
        person.logs.append(self._log)

    def run(self, *, killed: bool) -> tuple[dict[str, object], dict[str, object]]:
        """Live through the stretches; return what was saved of questions and policy."""
        begin_ns = self._stretches[0].start_ns
        name = f"{self._study.participant}-{begin_ns}"
        self._take(first_row(SETTINGS, session_id=name, wall_ns=begin_ns, saved=self._policy), begin_ns)
        self._take(self._study, begin_ns)
        self._take(focus("editor", 0), begin_ns)
        for number, stretch in enumerate(self._stretches):
            if self._jump_ns and number == 3:
                self._take(Anchor(wall_ns=stretch.start_ns - self._jump_ns, reason="clock_jump"), stretch.start_ns)
            self._enter(stretch)
            self._live(stretch)
        if not killed:
            self._take(SessionEnd(reason="quit"), self._stretches[-1].end_ns)
        return self._engine.saved_questions() or {}, self._engine.saved_policy()

    def _enter(self, stretch: Stretch) -> None:
        sensed = {name: stretch.kind == name for name in ("call", "full_screen", "locked")}
        pause = Switch(name=SwitchName.PAUSED, on=stretch.kind == "paused", by="person")
        changes = [Environment(**sensed), pause]  # at one moment: what closes a gate comes before what opens another
        for change in reversed(changes) if pause.on else changes:
            self._take(change, stretch.start_ns)

    def _live(self, stretch: Stretch) -> None:
        """Carry out what is due in a stretch: ticks, replies, and the keys that can matter."""
        keys, next_key = stretch.keys_ns, 0
        while True:
            wake_ns = self._engine.next_wake_ns
            due = [] if wake_ns is None else [wake_ns + self._origin_ns]
            at_ns = min([*due, *(reply_ns for reply_ns, _ in self._replies), stretch.end_ns])
            newest = bisect_right(keys, at_ns) - 1
            if next_key <= newest:
                next_key = next_key if self._waits else newest
                self._take(key(0), keys[next_key])
                next_key += 1
            elif at_ns >= stretch.end_ns:
                return
            elif self._replies and self._replies[0][0] <= at_ns:
                self._take(self._replies.pop(0)[1], at_ns)
            else:
                self._take(Tick(), at_ns)

    @property
    def _waits(self) -> bool:
        return self._engine._questions._state is not None and self._engine._questions._state.waiting is not None

    def _take(self, record: Record, wall_ns: int) -> None:
        rows = self._engine.take(record, wall_ns - self._origin_ns)
        self._log.rows += rows
        for row in rows:
            if isinstance(row, QuestionOutcome) and row.step is QuestionStep.ASKED:
                self._reply_to_question(row, wall_ns)
            elif isinstance(row, Offer) and self._chance.random() < 0.7:
                kind = self._chance.choice((FeedbackKind.ACCEPTED, FeedbackKind.DISMISSED))
                reply = Feedback(offer_id=row.offer_id, kind=kind)
                self._reply(wall_ns + round(self._chance.uniform(2, 40) * S), reply)

    def _reply_to_question(self, asked: QuestionOutcome, wall_ns: int) -> None:
        kind = self._chance.choices((*AnswerKind, None), (60, 10, 1, 29))[0]
        if kind is not None:
            choices = {item.code: 1 for item in PLAN.items} if kind is AnswerKind.ANSWERED else {}
            reply = Answer(question_id=asked.question_id, kind=kind, choices=choices)
            self._reply(wall_ns + round(self._chance.uniform(3, 60) * S), reply)

    def _reply(self, wall_ns: int, record: Record) -> None:
        self._replies = sorted([*self._replies, (wall_ns, record)], key=lambda one: one[0])


def new_engine() -> Engine:
    """Return the engine of one session, before its first row."""
    return Engine(detector=NeedyDetector(), policy=load(SETTINGS.policy, 0.05), settings=SETTINGS)


def replayed(log: Log) -> list[Record]:
    """Return the rows of a session derived again from its source rows."""
    engine, rows = new_engine(), list[Record]()
    for row in log.rows:
        if not is_derived(row):
            rows += engine.take(row, row.at_ns)
    return rows


def violations(person: Person) -> list[str]:
    """Return what questions asked did wrong, by what the person really did: kind of fault and the question's id."""
    found: list[str] = []
    asked_ns: list[int] = []
    by_date: dict[tuple[int, int], int] = {}
    for log in person.logs:
        on_card = 0
        local_offset_ns = log.true_offset_ns + log.utc_offset_s * S
        for row in log.rows:
            if isinstance(row, Anchor):
                local_offset_ns = row.wall_ns - row.at_ns + log.utc_offset_s * S
            if isinstance(row, Offer):
                on_card = row.expires_at_ns
            elif isinstance(row, Feedback) or row.KIND == "withdrawal":
                accepted = isinstance(row, Feedback) and row.kind is FeedbackKind.ACCEPTED
                on_card = row.at_ns + 120 * S if accepted else 0
            if not (isinstance(row, QuestionOutcome) and row.step is QuestionStep.ASKED):
                continue
            wall_ns = row.at_ns + log.true_offset_ns
            stretch = person.doing(wall_ns)
            if stretch.kind in ("call", "full_screen", "locked", "paused"):
                found.append(f"{stretch.kind} {row.question_id}")
            if any(0 < wall_ns - key_ns < S for key_ns in stretch.keys_ns):
                found.append(f"typing {row.question_id}")
            if row.at_ns < on_card:
                found.append(f"card {row.question_id}")
            if asked_ns and wall_ns - asked_ns[-1] < 45 * 60 * S:
                found.append(f"close {row.question_id}")
            if row.delay_ns > 60 * S:
                found.append(f"late {row.question_id}")
            asked_ns.append(wall_ns)
            date = (row.at_ns + local_offset_ns) // DAY_NS
            by_date[person.number, date] = by_date.get((person.number, date), 0) + 1
    return found + [f"many on day {date}" for (_, date), count in by_date.items() if count > 6]
