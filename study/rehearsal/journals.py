"""One sitting of a simulated person, watched by the engine of the daemon: the rows of one session.

Time is simulated: the engine is called at the moments at which it asked to be woken, and at those of input, replies and
changes of the desktop. Input is handed to it as merged events, the newest key before each step: so every decision sees
the same idle time and the same hands as with each key by itself, at a small part of the cost. Outside the stretches of
work there is no input, and so no window.
"""

import datetime as dt
import heapq
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import count
from pathlib import Path

from daemon.engine.engine import Engine
from daemon.engine.session_start import first_row
from daemon.runtime.study.enrolment import study_row, study_settings, with_study_seed
from daemon.runtime.study.tasks import MOST_SKILL, StudyTasks
from detectors.protocol import Images, make_estimate
from policies import registry
from storage.clock import NS_PER_S
from storage.enrolment import Enrolment, QuestionPlan
from storage.files import make_folder
from storage.records import (
    Answer,
    AnswerKind,
    Box,
    Environment,
    Estimate,
    EventKind,
    Evidence,
    Feedback,
    FeedbackKind,
    Focus,
    InputEvent,
    KeyClass,
    Offer,
    Prefix,
    QuestionOutcome,
    QuestionStep,
    Record,
    SessionEnd,
    SessionStart,
    State,
    StudyStart,
    Switch,
    SwitchName,
    TaskStep,
    Tick,
)
from storage.session.log import SessionWriter
from storage.settings import Settings, WindowSettings
from storage.state.store import StateStore
from study.rehearsal.person import INTERRUPTED, PAUSED, SimulatedPerson, Sitting, Stretch

IN_TROUBLE = (0.90, 0.99)
CALM = (0.005, 0.05)
"""What the stand-in estimates of help need, in trouble and out of it, from and to."""

_STUCK: Mapping[str, float] = {state: 0.6 if state is State.FRUSTRATION else 0.05 for state in State}
_AT_WORK: Mapping[str, float] = {state: 0.6 if state is State.PERFORMING_ACTIONS else 0.05 for state in State}
_COUNTS = {"count": 4.0, "tries": 3.0, "span_s": 20.0}
_SENSED = tuple(name for name in INTERRUPTED if name != PAUSED)
_WINDOW = Box(0, 0, 1600, 900)
DONE, GIVEN_UP = 0.6, 0.2
"""Chances that a task is done, or given up, at the end of a stretch of work."""


class StandIn:
    """Stands in for the detector: reads from the simulated person whether they are in trouble, and is never wrong."""

    name = "simulated"
    version = "1"
    uses_images = False

    def __init__(self, seed: str) -> None:
        """Watch nobody's stretch yet; `seed` is of what differs from one estimate to the next."""
        self._chance = random.Random(seed)  # noqa: S311  # simulation
        self.stretch: Stretch | None = None

    def estimate(self, prefix: Prefix, images: Images, now_ns: int) -> Estimate:  # noqa: ARG002  # the Protocol
        """Return a high or a low need, as the person is in trouble or not at the end of the prefix."""
        stretch = self.stretch
        if stretch is None or stretch.trouble is None or not stretch.trouble.holds(prefix.end_ns):
            need = self._chance.uniform(*CALM)
            return make_estimate(
                self, prefix, now_ns, state_probs=_AT_WORK, help_need=need, confidence_source="simulated"
            )
        return make_estimate(
            self,
            prefix,
            now_ns,
            state_probs=_STUCK,
            help_need=self._chance.uniform(*IN_TROUBLE),
            evidence=(Evidence(stretch.trouble.topic, _COUNTS),),
            confidence_source="simulated",
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Watched:
    """A session that is over: its rows, and what outlives it of policy and questions; `end_ns` is session time."""

    rows: tuple[Record, ...]
    policy: Mapping[str, object]
    questions: Mapping[str, object]
    end_ns: int


def watch(
    person: SimulatedPerson,
    sitting: Sitting,
    engine: Engine,
    detector: StandIn,
    *,
    first: SessionStart,
    study: StudyStart,
    start_ns: int,
    tasks: "TaskPlayer",
) -> Watched:
    """Run one session."""
    return _Session(person, engine, detector, study.questions, tasks).run(sitting, first, study, start_ns)


class TaskPlayer:
    """How a person goes through the tasks of their study, begun and ended where the daemon lets them."""

    def __init__(self, seed: str) -> None:
        """Have no tasks before `take`."""
        self._chance = random.Random(f"{seed} tasks")  # noqa: S311  # simulation
        self._tasks = StudyTasks()

    def take(self, enrolment: Enrolment, state: StateStore) -> None:
        """Go by the tasks of a study from where the person was."""
        self._tasks.take(enrolment, state)

    def again(self) -> Sequence[Record]:
        """Return the row of a task that a session before has left open."""
        return self._tasks.again()

    def begin(self) -> Sequence[Record]:
        """Begin the next task, if none is under way."""
        mark = self._tasks.mark(TaskStep.BEGUN, self._chance.randint(0, MOST_SKILL))
        return [mark] if mark is not None else []

    def end(self) -> Sequence[Record]:
        """Be done, give up, or leave it open."""
        lot = self._chance.random()
        step = TaskStep.DONE if lot < DONE else TaskStep.GIVEN_UP if lot < DONE + GIVEN_UP else None
        mark = self._tasks.mark(step) if step is not None else None
        return [mark] if mark is not None else []


class _Session:
    """Hands the engine what happens, in the order of time."""

    def __init__(
        self,
        person: SimulatedPerson,
        engine: Engine,
        detector: StandIn,
        questions: QuestionPlan | None,
        tasks: TaskPlayer,
    ) -> None:
        self._person = person
        self._tasks = tasks
        self._engine = engine
        self._detector = detector
        self._questions = questions
        self._rows: list[Record] = []
        self._coming: list[tuple[int, int, Callable[[int], None]]] = []
        self._order = count()
        self._stretch: Stretch | None = None
        self._burst = 0
        self._handed = 0
        self._asked = ""

    def run(self, sitting: Sitting, first: SessionStart, study: StudyStart, start_ns: int) -> Watched:
        end_ns = start_ns + round(sitting.length_s * NS_PER_S)
        self._take(first, start_ns)
        self._take(study, start_ns)
        self._take_all(self._tasks.again(), start_ns)
        for stretch in sitting.stretches:
            self._at(stretch.start_ns, partial(self._enter, stretch))
            self._at(stretch.end_ns, self._leave)
        self._live(end_ns)
        self._take(SessionEnd(reason="quit"), end_ns)
        return Watched(
            rows=tuple(self._rows),
            policy=self._engine.saved_policy(),
            questions=self._engine.saved_questions() or {},
            end_ns=end_ns,
        )

    def _at(self, at_ns: int, action: Callable[[int], None]) -> None:
        heapq.heappush(self._coming, (at_ns, next(self._order), action))

    def _live(self, end_ns: int) -> None:
        """Carry out what is due until the end: what happens, and ticks; before each the newest key."""
        while True:
            wake_ns = self._engine.next_wake_ns
            coming_ns = self._coming[0][0] if self._coming else end_ns
            at_ns = coming_ns if wake_ns is None else min(wake_ns, coming_ns)
            if at_ns >= end_ns:
                return
            if self._type(at_ns):
                continue  # the key may have changed when the engine is to be woken
            if wake_ns is not None and wake_ns == at_ns:
                self._take(Tick(), at_ns)
            else:
                heapq.heappop(self._coming)[2](at_ns)

    # ------------------------------------------------------------ work

    def _enter(self, stretch: Stretch, at_ns: int) -> None:
        self._stretch = self._detector.stretch = stretch
        self._burst = self._handed = 0
        self._take(Environment(**{stretch.spent_in: True} if stretch.spent_in in _SENSED else {}), at_ns)
        if stretch.spent_in == PAUSED:
            self._take(Switch(name=SwitchName.PAUSED, on=True, by="person"), at_ns)
        self._take(Focus(t_ns=at_ns, app=stretch.app, window=1, title_digest="", geometry=_WINDOW), at_ns)
        self._type(at_ns)  # the first key opens a window
        self._take_all(self._tasks.begin(), at_ns)

    def _leave(self, at_ns: int) -> None:
        """Lock the screen and go: nobody is there to be spoken to."""
        self._take_all(self._tasks.end(), at_ns)
        if self._stretch is not None and self._stretch.spent_in == PAUSED:
            self._take(Switch(name=SwitchName.PAUSED, on=False, by="person"), at_ns)
        self._stretch = None
        self._take(Environment(locked=True), at_ns)

    def _type(self, at_ns: int) -> bool:
        """Hand over the newest key before a moment, with those before it that were not; tell whether there was one."""
        stretch = self._stretch
        if stretch is None:
            return False
        keys, key_ns = 0, 0
        while self._burst < len(stretch.bursts):
            burst = stretch.bursts[self._burst]
            there = burst.keys_by(at_ns)
            if there > self._handed:
                keys, key_ns, self._handed = keys + there - self._handed, burst.key_ns(there), there
            if burst.end_ns > at_ns:
                break
            self._burst, self._handed = self._burst + 1, 0
        if not keys:
            return False
        undo = stretch.in_trouble(key_ns) and self._person.undoes()
        key_class = KeyClass.UNDO if undo else KeyClass.CHARACTER
        event = InputEvent(t_ns=key_ns, kind=EventKind.KEY, key_class=key_class, count=1 if undo else keys)
        self._take(event, key_ns)
        return True

    # ------------------------------------------------------------ the engine, and replies to what it shows

    def _take_all(self, records: Sequence[Record], at_ns: int) -> None:
        for record in records:
            self._take(record, at_ns)

    def _take(self, record: Record, at_ns: int) -> None:
        rows = self._engine.take(record, at_ns)
        self._rows += rows
        for row in rows:
            if isinstance(row, Offer):
                self._see_offer(row, at_ns)
            elif isinstance(row, QuestionOutcome):
                self._asked = row.question_id if row.step is QuestionStep.ASKED else ""
                if self._asked:
                    self._see_question(self._asked, at_ns)

    def _see_offer(self, offer: Offer, at_ns: int) -> None:
        if self._stretch is not None and self._stretch.trouble is not None:
            self._person.see_offer(self._stretch.trouble, at_ns)
        reply = self._person.reply_to_offer()
        if reply is not None:
            after_s, kind = reply
            self._at(at_ns + round(after_s * NS_PER_S), partial(self._answer_offer, offer, kind))

    def _answer_offer(self, offer: Offer, kind: FeedbackKind, now_ns: int) -> None:
        showing = self._engine.showing
        if showing is not None and showing.offer_id == offer.offer_id:
            self._take(Feedback(offer_id=offer.offer_id, kind=kind), now_ns)

    def _see_question(self, question_id: str, at_ns: int) -> None:
        reply = self._person.reply_to_question()
        if reply is not None:
            after_s, answers = reply
            self._at(at_ns + round(after_s * NS_PER_S), partial(self._answer_question, question_id, answers))

    def _answer_question(self, question_id: str, answers: bool, now_ns: int) -> None:
        if self._asked != question_id or self._questions is None:
            return
        stretch = self._stretch
        in_trouble = stretch is not None and stretch.in_trouble(now_ns)
        choices = {
            item.code: self._person.choose(len(item.choices), in_trouble=in_trouble) for item in self._questions.items
        }
        kind = AnswerKind.ANSWERED if answers else AnswerKind.NOT_NOW
        self._take(Answer(question_id=question_id, kind=kind, choices=choices if answers else {}), now_ns)


WINDOW_S = 240.0
"""Length of a simulated person's windows, a setting of theirs: four estimates each keep a rehearsal short."""

SETTINGS = Settings(window=WindowSettings(planned_s=WINDOW_S, away_s=30.0))
"""What simulated people have set; all but the windows is as Kairos comes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """A session that was watched: its name, its first and last moment (wall clock), its rows, and what was behind them.

    `sitting` is in session time, as the rows are.
    """

    name: str
    start_wall_ns: int
    end_wall_ns: int
    rows: Sequence[Record]
    sitting: Sitting


class Life:
    """One person's days in a study, in their order."""

    def __init__(self, person: SimulatedPerson, enrolment: Enrolment, seed: str) -> None:
        """Begin before day 1; `seed` gives what is neither the person's nor the study's, such as names of sessions."""
        self._person = person
        self._enrolment = enrolment
        self._seed = seed
        self._tasks = TaskPlayer(seed)
        self._chance = random.Random(f"{seed} sessions")  # noqa: S311  # simulation
        self._policy: Mapping[str, object] = {}
        self._questions: Mapping[str, object] = {}
        self._saved_wall_ns = 0

    def sessions(self, days: int) -> Iterator[Session]:
        """Yield the sessions of the first so many days; none on a day off."""
        for day in range(days):
            found = self.session_on(self._enrolment.first_day + dt.timedelta(days=day))
            if found is not None:
                yield found

    def session_on(self, date: dt.date, state: StateStore | None = None) -> Session | None:
        """Return the session of a date, each later than the one before; None on a day off.

        Tasks are played where there is a `state` to remember them.
        """
        start_ns = self._chance.randrange(10**12, 10**15)
        sitting = self._person.sit_down(date, start_ns, SETTINGS.policy.quiet_start_s)
        if sitting is None:
            return None
        began = dt.datetime.combine(date, dt.time()).astimezone() + dt.timedelta(seconds=sitting.start_s)
        wall_ns = round(began.timestamp() * NS_PER_S)
        name = f"{began:%Y%m%d-%H%M%S}-{self._chance.randrange(2**16):04x}"
        if state is not None:
            self._tasks.take(self._enrolment, state)
        settings = study_settings(SETTINGS, self._enrolment, date)
        detector = StandIn(f"{self._seed} {date}")
        policy = registry.load(settings.policy, settings.detector.base_rate)
        elapsed_ns = wall_ns - self._saved_wall_ns if self._policy else 0
        saved = with_study_seed(self._policy, self._enrolment)
        first = replace(
            _first_row(settings),
            session_id=name,
            wall_ns=wall_ns,
            policy_state={"saved": saved, "elapsed_ns": elapsed_ns},
        )
        watched = watch(
            self._person,
            sitting,
            Engine(detector=detector, policy=policy, settings=settings),
            detector,
            first=first,
            study=study_row(self._enrolment, wall_ns, self._questions, self._saved_wall_ns),
            start_ns=start_ns,
            tasks=self._tasks,
        )
        self._save(watched, wall_ns + watched.end_ns - start_ns)
        return Session(
            name=name, start_wall_ns=wall_ns, end_wall_ns=self._saved_wall_ns, rows=watched.rows, sitting=sitting
        )

    def _save(self, watched: Watched, wall_ns: int) -> None:
        self._policy, self._questions, self._saved_wall_ns = watched.policy, watched.questions, wall_ns


@cache  # most of what it holds is the same in every session of a phase, and it takes milliseconds
def _first_row(settings: Settings) -> SessionStart:
    policy = registry.load(settings.policy, settings.detector.base_rate)
    return first_row(settings=settings, detector=StandIn(""), policy=policy, session_id="", wall_ns=0, recording=False)


def write_journal(session: Session, sessions: Path) -> Path:
    """Write a session as the daemon does, but all rows at once; return its folder."""
    folder = make_folder(sessions / session.name)
    writer = SessionWriter(folder)
    try:
        writer.append(session.rows)
    finally:
        writer.close()
    return folder
