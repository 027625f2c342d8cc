"""Asks about sets of trajectories, and makes the constructed set whose answers are known.

Goals of that set are made of constraints, where one satisfies another if and only if it has all of its own. Nobody
worked there: figures of it show that counting is right. Predictions are planted in five kinds, in turn: as the true
goal, with a constraint more that the trajectory meets or does not meet, with one fewer, and with one in place of
another.
"""

import asyncio
import random
from collections.abc import Callable, Mapping, Sequence
from contextlib import AsyncExitStack, ExitStack
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path

from daemon.diagnosis.goals import wording
from daemon.diagnosis.goals.material import MAX_PICTURES, Material
from daemon.diagnosis.model_queries.answers import AnswerFile, session_answers
from daemon.diagnosis.model_queries.asking import Asker
from daemon.diagnosis.model_queries.models import open_counted
from daemon.history.trajectory.trajectory import PLAIN, Step, StepAction, Target, Trajectory, TrajectorySet, Verb
from daemon.models.tiers import endpoint_key
from detectors.mllm.questions import Usage
from lab.benchmarks.goals.judging import (
    GoalControl,
    GoalFindings,
    Plan,
    Verdict,
    WrittenGoal,
    controls_of,
    judge_one,
    volumes_of,
)
from lab.benchmarks.goals.label import GoalLabel
from lab.benchmarks.goals.questions import AskedJudge, GoalJudge
from lab.measure.benchmark import ProgressBar
from storage.errors import BadFile, KairosError
from storage.settings import ModelSettings

COUNT = 40
SEED = 5
WHOSE = "a constructed set: goals made of constraints (simulated; nobody worked here, no model was asked)"
CONSTRUCTED = "planted"
ORACLE = "oracle"
SIMULATED_PEOPLE = "simulated people"
FLIPPED = 0.1
"""How often the second of the two simulated people errs."""

_FIND, _BOOK = "find", "book"
_WORDS: Mapping[str, str] = {
    "place": "to Rome",
    "day": "on June 1, 2026",
    "people": "for two people",
    "hour": "in the morning",
    "stops": "without a stop",
    "seat": "with a window seat",
    "bag": "with one bag",
}
_NAVIGATE_EVERY = 10

Constraints = frozenset[str]


class PlantedKind(StrEnum):
    """How a planted prediction differs from the true goal."""

    EQUAL = "equal"
    MORE = "one more, met"
    MORE_UNMET = "one more, not met"
    FEWER = "one fewer"
    OTHER = "one in place of another"


EXPECTED: Mapping[PlantedKind, tuple[GoalLabel, GoalLabel]] = {
    PlantedKind.EQUAL: (GoalLabel.MATCH, GoalLabel.MATCH),
    PlantedKind.MORE: (GoalLabel.MORE_SPECIFIC, GoalLabel.MORE_SPECIFIC),
    PlantedKind.MORE_UNMET: (GoalLabel.MORE_SPECIFIC, GoalLabel.NON_MATCH),
    PlantedKind.FEWER: (GoalLabel.MORE_GENERAL, GoalLabel.MORE_GENERAL),
    PlantedKind.OTHER: (GoalLabel.NON_MATCH, GoalLabel.NON_MATCH),
}
"""The label by satisfaction alone, and with fulfilment."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Constructed:
    """The set, what was planted in it, and what simulated people say."""

    whole: TrajectorySet
    goals: tuple[WrittenGoal, ...]
    verdicts: tuple[Verdict, ...]
    kinds: Mapping[str, PlantedKind]


class OracleJudge:
    """Knows what sentences mean: satisfaction is inclusion."""

    async def goal(self, material: Material) -> str | None:
        """Return a goal of everything that was done."""
        return sentence(done_in(material))

    async def fulfils(self, material: Material, task: str) -> bool | None:
        """Return whether all that a task demands was done."""
        return constraints_of(task) <= done_in(material)

    async def satisfies(self, material: Material, a: str, b: str) -> bool | None:  # noqa: ARG002  # sentences say all
        """Return whether A demands all that B demands."""
        return constraints_of(b) <= constraints_of(a)


class AlwaysYesJudge:
    """The control: says yes to everything, so everything matches and nothing agrees."""

    async def goal(self, material: Material) -> str | None:  # noqa: ARG002  # it looks at nothing
        """Return no goal."""
        return None

    async def fulfils(self, material: Material, task: str) -> bool | None:  # noqa: ARG002  # it looks at nothing
        """Return yes."""
        return True

    async def satisfies(self, material: Material, a: str, b: str) -> bool | None:  # noqa: ARG002  # it looks at nothing
        """Return yes."""
        return True


def sentence(constraints: Constraints, *, wordy: bool = False) -> str:
    """Return a goal in words; `wordy` makes it a way instead of an end, as some models do."""
    verb = "Book" if _BOOK in constraints else "Find"
    if wordy:
        verb = f"Navigate to the page where to {verb.lower()}"
    return " ".join((verb, "a flight", *(words for name, words in _WORDS.items() if name in constraints)))


def constraints_of(text: str) -> Constraints:
    """Return what a sentence demands; whoever books has found.

    Raises:
        BadFile: it is no sentence of this set.
    """
    lower = text.casefold()
    if "a flight" not in lower or not (_BOOK in lower or _FIND in lower):
        raise BadFile("the oracle understands the constructed set alone", remedy="name a model with --judge")
    verbs = {_FIND, _BOOK} if _BOOK in lower else {_FIND}
    return frozenset(verbs | {name for name, words in _WORDS.items() if words.casefold() in lower})


def done_in(material: Material) -> Constraints:
    """Return what was done in a trajectory of this set."""
    text = " ".join(material.steps)
    return frozenset(
        {_FIND}
        | ({_BOOK} if f'"{_BOOK}"' in text else set())
        | {name for name, words in _WORDS.items() if f'"{words}"' in text}
    )


def construct(count: int = COUNT, seed: int = SEED) -> Constructed:
    """Return a set of so many trajectories."""
    rng = random.Random(seed)  # noqa: S311  # a made-up set is no secret
    trajectories, goals, verdicts = [], [], []
    kinds: dict[str, PlantedKind] = {}
    domains = {}
    for number in range(count):
        key = f"made-{number:02}"
        kind = kinds[key] = tuple(PlantedKind)[number % len(PlantedKind)]
        names = rng.sample(sorted(_WORDS), 5)
        gold = frozenset({_FIND, *names[:3], *([_BOOK] if rng.random() < 0.5 else [])})  # noqa: PLR2004  # a coin
        done = gold | {names[3]}
        met, unmet, dropped = names[3], names[4], names[0]
        guess = {
            PlantedKind.EQUAL: gold,
            PlantedKind.MORE: gold | {met},
            PlantedKind.MORE_UNMET: gold | {unmet},
            PlantedKind.FEWER: gold - {dropped},
            PlantedKind.OTHER: (gold - {dropped}) | {unmet},
        }[kind]
        trajectories.append(_trajectory(key, gold, done))
        domains[key] = "flights to Rome" if "place" in gold else "other flights"
        goals.append(WrittenGoal(key=key, by=CONSTRUCTED, goal=sentence(guess, wordy=number % _NAVIGATE_EVERY == 0)))
        truth = (guess <= done, gold <= guess, guess <= gold)
        for rater, flipped in (("simulated person 1", 0.0), ("simulated person 2", FLIPPED)):
            said = [is_true is not (rng.random() < flipped) for is_true in truth]
            verdicts.append(
                Verdict(
                    key=key,
                    by=CONSTRUCTED,
                    rater=rater,
                    fulfilled=said[0],
                    p_satisfies_g=said[1],
                    g_satisfies_p=said[2],
                )
            )
    whole = TrajectorySet(layout=PLAIN, trajectories=tuple(trajectories), pictures=_NoPictures(), domains=domains)
    return Constructed(whole=whole, goals=tuple(goals), verdicts=tuple(verdicts), kinds=kinds)


class _NoPictures:
    """There are none."""

    def read(self, name: str) -> bytes:
        """Refuse.

        Raises:
            BadFile: always.
        """
        raise BadFile(f"the constructed set has no picture {name}")


def _trajectory(key: str, gold: Constraints, done: Constraints) -> Trajectory:
    acts = [words for name, words in _WORDS.items() if name in done] + ([_BOOK] if _BOOK in done else [])
    steps = tuple(
        Step(
            number=number,
            at_s=0.0,
            app="flights",
            action=StepAction(verb=Verb.CLICK),
            target=Target(name=words, role="button"),
        )
        for number, words in enumerate(acts, start=1)
    )
    return Trajectory(key=key, source="constructed", whose="simulated", app="flights", goal=sentence(gold), steps=steps)


ALWAYS_YES = "always:yes"
PURPOSE = "bench goals"
_SHOWN = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Participant:
    """Who says goals or compares them; `chosen` are a model's settings, None for a stand-in without any model."""

    name: str
    chosen: ModelSettings | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TrajectoryPart:
    """One set with the trajectories of it that are asked about; `session` is its folder if it is a recorded one."""

    whole: TrajectorySet
    trajectories: tuple[Trajectory, ...]
    session: Path | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class GoalRun:
    """All there is to ask: of which sets, by whom, and where answers about files are stored."""

    parts: tuple[TrajectoryPart, ...]
    plan: Plan
    written: Mapping[str, Sequence[WrittenGoal]]
    model: Participant | None
    judge: Participant
    answers: Path
    retries: int


@dataclass(slots=True, kw_only=True)
class AskedCounts:
    """What was sent now, what all answers cost, and how many were sent again when asked a second time."""

    sent: int = 0
    sent_again: int = 0
    usage: Usage = field(default_factory=Usage)


class Askers:
    """Opens each model once, and closes all of them."""

    def __init__(self, run: GoalRun, part: TrajectoryPart, answers: AnswerFile, stack: AsyncExitStack) -> None:
        said, compared = volumes_of(part.trajectories, run.plan, run.written)
        self._volume = said + compared
        self._part = part
        self._answers = answers
        self._retries = run.retries
        self._stack = stack
        self._by_model: dict[str, Asker] = {}

    @property
    def sent(self) -> int:
        """How many questions were sent."""
        return sum(asker.counts.sent for asker in self._by_model.values())

    @property
    def usage(self) -> Usage:
        """What all answers cost."""
        return sum((asker.counts.usage for asker in self._by_model.values()), Usage())

    def judge(self, one: Participant) -> GoalJudge:
        """Return who says goals or compares them under this name."""
        if one.chosen is None:
            return OracleJudge() if one.name == ORACLE else AlwaysYesJudge()
        key = endpoint_key(one.chosen)
        if key not in self._by_model:
            model = open_counted(
                one.chosen,
                self._volume,
                pictures_max=MAX_PICTURES + 1,
                purpose=PURPOSE,
                session=self._part.session,
            )
            self._stack.push_async_callback(model.close)
            self._by_model[key] = Asker(
                model,
                self._answers,
                identity=key,
                version=wording.VERSION,
                retries=self._retries,
                stores_late=True,
            )
        return AskedJudge(self._by_model[key])


def ask_all(run: GoalRun, counts: AskedCounts) -> GoalFindings:
    """Ask everything, set by set; about the first trajectory twice: then nothing may be sent.

    Raises:
        EnvironmentFault: a model cannot be used any further; nothing that was answered is lost.
    """
    progress = ProgressBar(sum(len(part.trajectories) for part in run.parts), of="trajectories")
    try:
        each = [
            found
            for part, controls in zip(run.parts, part_controls(run), strict=True)
            for found in ask_part(run, part, controls, counts, step=lambda key: progress.add(1, key[:_SHOWN]))
        ]
    except (KeyboardInterrupt, KairosError):
        progress.stop()
        raise
    findings = GoalFindings()
    for part in each:
        findings.add(part)
    if findings.used:
        counts.sent_again += _sent_again(run, findings.used[0])
    return findings


def part_controls(run: GoalRun) -> list[list[GoalControl | None]]:
    """Return the controls of each part; the first trajectories of all are controls."""
    left = run.plan.controls
    found = []
    for part in run.parts:
        found.append(controls_of(part.trajectories, left))
        left = max(0, left - len(part.trajectories))
    return found


def ask_part(
    run: GoalRun,
    part: TrajectoryPart,
    controls: Sequence[GoalControl | None],
    counts: AskedCounts,
    *,
    step: Callable[[str], None] = lambda _: None,
) -> list[GoalFindings]:
    """Ask everything about the trajectories of one set, and return what was found of each."""
    if not part.trajectories:
        return []
    with ExitStack() as stack:
        stored = AnswerFile(run.answers) if part.session is None else session_answers(part.session)
        answers = stack.enter_context(stored)
        return asyncio.run(_ask(run, part, controls, answers, counts, step=step))


async def _ask(
    run: GoalRun,
    part: TrajectoryPart,
    controls: Sequence[GoalControl | None],
    answers: AnswerFile,
    counts: AskedCounts,
    *,
    step: Callable[[str], None],
) -> list[GoalFindings]:
    found = []
    async with AsyncExitStack() as stack:
        askers = Askers(run, part, answers, stack)
        model = None if run.model is None else askers.judge(run.model)
        judge = askers.judge(run.judge)
        for one, control in zip(part.trajectories, controls, strict=True):
            written = run.written.get(one.key, ())
            found.append(await judge_one(part.whole, one, run.plan, written, control, model=model, judge=judge))
            step(one.key)
        counts.sent += askers.sent
        counts.usage += askers.usage
    return found


def _sent_again(run: GoalRun, key: str) -> int:
    """Ask once more about a trajectory; return how many questions were sent."""
    part = next(part for part in run.parts if any(trajectory.key == key for trajectory in part.trajectories))
    first = replace(part, trajectories=tuple(trajectory for trajectory in part.trajectories if trajectory.key == key))
    counts = AskedCounts()
    ask_part(run, first, [None] * len(first.trajectories), counts)
    return counts.sent
