"""Made trajectories whose truth is known: subtasks, which of them went wrong, and whether the task was reached.

Nobody did this work, and no program: every figure of it is *simulated*. Lengths fall into all groups of the paper, and
37 % are successes, as there. Some recover from a part that failed, some fail though every part went well, so that a
judge that only adds up verdicts is not right.
"""

import random
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import accumulate
from pathlib import Path

from daemon.diagnosis.model_diagnosis.case import LEAST_STEPS, parts_of
from daemon.diagnosis.model_diagnosis.findings import SegmentVerdict, TaskOutcome
from daemon.diagnosis.model_diagnosis.inquiries import SEGMENTS, SUBTASK, SUMMARY
from daemon.diagnosis.model_diagnosis.sources import TrajectorySource
from daemon.history.trajectory.loading import load_session
from daemon.history.trajectory.steps import KINDS, FoundStep, StepFolder
from daemon.history.trajectory.trajectory import PLAIN, Step, StepAction, Target, Trajectory, TrajectorySet
from detectors.mllm.questions import FailureReason, Model, ModelQuery, ModelResult, ParsedAnswer, Usage
from lab.benchmarks.diagnosis.judges import inquiries
from lab.simulation.recording.labels import read_labels
from storage.clock import NS_PER_S
from storage.errors import BadFile, UsageError
from storage.session.log import DATABASE, SessionReader

LENGTHS = ((3, 9), (10, 19), (20, 29), (30, 39), (40, 49), (50, 80), (81, 100))
SUCCESSES = 0.37
RECOVERS, FAILS_AT_THE_END = 0.25, 0.15
STEP_S, PAUSE_S = 1.5, 9.0
"""Between two steps of a subtask, and more between two subtasks, so that a boundary is not mistaken for another."""

PROGRAMS = ("writer", "calc", "browser")
VERBS = ("click", "type", "key", "scroll")
_LEAST, _MOST = 2, 9


@dataclass(frozen=True, slots=True, kw_only=True)
class TruePart:
    """A subtask as it really was."""

    first: int
    last: int
    verdict: SegmentVerdict


@dataclass(frozen=True, slots=True, kw_only=True)
class MadeWork:
    """A made trajectory with its truth."""

    source: TrajectorySource
    trajectory: Trajectory
    parts: tuple[TruePart, ...]
    outcome: TaskOutcome


class NoPictures:
    """The pictures of work that nobody saw."""

    def read(self, name: str) -> bytes:
        """There is none.

        Raises:
            BadFile: always.
        """
        raise BadFile(f"made work has no pictures, so none of {len(name)} letters")


def make_work(count: int, seed: int) -> list[MadeWork]:
    """Return so many trajectories; equal seeds give equal ones."""
    rng = random.Random(seed)  # noqa: S311  # nothing secret
    return [_make(rng, number, LENGTHS[number % len(LENGTHS)]) for number in range(count)]


def _make(rng: random.Random, number: int, lengths: tuple[int, int]) -> MadeWork:
    ends = list(accumulate(_part_lengths(rng, rng.randint(*lengths))))
    outcome = TaskOutcome.SUCCESS if rng.random() < SUCCESSES else TaskOutcome.FAILURE
    verdicts = _verdicts(rng, len(ends), outcome)
    parts = tuple(
        TruePart(first=first, last=last, verdict=verdict)
        for first, last, verdict in zip([1, *(end + 1 for end in ends[:-1])], ends, verdicts, strict=True)
    )
    trajectory = Trajectory(
        key=f"made-{number:03}",
        source="made work",
        whose="agent",
        app=PROGRAMS[0],
        goal=f"Carry out made task {number}",
        steps=tuple(_steps(rng, parts)),
        outcome=outcome is TaskOutcome.SUCCESS,
    )
    whole = TrajectorySet(layout=PLAIN, trajectories=(trajectory,), pictures=NoPictures())
    return MadeWork(
        source=TrajectorySource(name=trajectory.key, whole=whole), trajectory=trajectory, parts=parts, outcome=outcome
    )


def _part_lengths(rng: random.Random, count: int) -> list[int]:
    found: list[int] = []
    while (left := count - sum(found)) > 0:
        found.append(left if left <= _LEAST + 1 else min(left, rng.randint(_LEAST, _MOST)))
    return found


def _verdicts(rng: random.Random, count: int, outcome: TaskOutcome) -> list[SegmentVerdict]:
    """Return verdicts that go with an outcome, and not with it alone."""
    found = [SegmentVerdict.SUCCESS] * count
    bad = rng.randrange(count)
    if outcome is TaskOutcome.SUCCESS:
        if rng.random() < RECOVERS and count > 1:
            found[min(bad, count - 2)] = SegmentVerdict.PARTIAL
    elif rng.random() >= FAILS_AT_THE_END:
        found[bad] = SegmentVerdict.FAIL
    return found


def _steps(rng: random.Random, parts: tuple[TruePart, ...]) -> list[Step]:
    at_s, found = 0.0, []
    app = PROGRAMS[0]
    for part in parts:
        if part.first > 1:
            at_s += PAUSE_S
            app = rng.choice(PROGRAMS)
        for number in range(part.first, part.last + 1):
            verb = rng.choice(VERBS)
            found.append(
                Step(
                    number=number,
                    at_s=at_s,
                    app=app,
                    action=StepAction(verb=verb, args={"way": "down"} if verb == "scroll" else {}),
                    target=Target(name=f"Control {rng.randrange(50)}", role="button"),
                )
            )
            at_s += STEP_S
    return found


LABELS = "labels.jsonl"
SESSION = "session"
SAMPLE = Path(__file__).parents[2] / "sample"
"""The simulated sessions that come with the source; an installed Kairos has none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledWork:
    """A piece of work and where its true subtasks begin, in seconds from its first step."""

    source: TrajectorySource
    trajectory: Trajectory
    boundaries_s: tuple[float, ...]


def is_simulated(folder: Path) -> bool:
    """Tell whether a folder holds sessions of `kairos simulate`."""
    return folder.is_dir() and any(folder.glob(f"*/{LABELS}"))


def labelled_work(folder: Path) -> Iterator[LabelledWork]:
    """Yield the pieces of work in the sessions of `kairos simulate`, one after the other.

    Raises:
        BadFile: one cannot be read.
    """
    for labels_file in sorted(folder.glob(f"*/{LABELS}")):
        session = labels_file.parent / SESSION
        if not (session / DATABASE).exists():
            raise BadFile(f"{labels_file.parent} holds no session", remedy="simulate it again")
        starts_ns = [label.start_ns for label in read_labels(labels_file)]
        whole = load_session(session)
        for trajectory, first_ns in zip(whole.trajectories, _first_steps_ns(session), strict=True):
            for part in parts_of(trajectory) if len(trajectory.steps) >= LEAST_STEPS else ():
                inside = [(start_ns - first_ns) / NS_PER_S for start_ns in starts_ns]
                begin_s, end_s = part.steps[0].at_s, part.steps[-1].at_s
                yield LabelledWork(
                    source=TrajectorySource(name=part.key, whole=replace(whole, trajectories=(part,))),
                    trajectory=part,
                    boundaries_s=tuple(moment for moment in inside if begin_s < moment <= end_s),
                )


def _first_steps_ns(session: Path) -> list[int]:
    """Return when each trajectory of a session began, in session time."""
    folder = StepFolder()
    found: list[FoundStep] = []
    with SessionReader(session) as reader:
        for row in reader.rows(KINDS):
            found += folder.add(row)
    found += folder.cut()
    return [step.first_ns for step in found if step.step.number == 1]


ORACLE = "scripted:oracle"
ALWAYS_SUCCESS, ALWAYS_FAILURE = "always:success", "always:failure"
STAND_INS = (ORACLE, ALWAYS_SUCCESS, ALWAYS_FAILURE)

GOAL = "goal"
_WORDS = "scripted"
_COUNT = re.compile(r"^(\d+)\. ", re.MULTILINE)
_MARKED = re.compile(r"^-> \d+\. steps (\d+) to (\d+):", re.MULTILINE)


class StandIn:
    """Answers every question of a diagnosis from what it takes for true."""

    def __init__(self, name: str, outcome: TaskOutcome, parts: tuple[TruePart, ...] | None = None) -> None:
        """Say this outcome, and of each part its verdict; without parts the work is one, which ends like the whole."""
        self.name = name
        self._outcome = outcome
        self._parts = parts

    async def ask(self, query: ModelQuery, *, deadline_s: float) -> ModelResult:  # noqa: ARG002  # it is always in time
        """Return the facts that the question asks for."""
        kind = query.questions[0].key
        facts = self._facts(query.brief.words if query.brief is not None else "").get(kind)
        if facts is None:
            return ModelResult(failure=FailureReason.NONSENSE, usage=Usage(calls=1), model=self.name)
        answers = {kind: ParsedAnswer(facts=facts)}
        return ModelResult(answers=answers, usage=Usage(calls=1), model=self.name, pictures=len(query.pictures))

    async def close(self) -> None:
        """Nothing is open."""

    def _facts(self, words: str) -> Mapping[str, Mapping[str, object]]:
        """Return what is answered to each kind of question."""
        reached = self._outcome is TaskOutcome.SUCCESS
        judged = {"reasoning": _WORDS, "verdict": self._outcome.value}
        rated = {"reasoning": _WORDS, "score": inquiries.MOST_SCORE}
        verdict, first = self._verdict_of_part(words)
        bad = verdict is not SegmentVerdict.SUCCESS
        spans = [(part.first, part.last) for part in self._parts or ()] or [(1, len(_COUNT.findall(words)))]
        return {
            SEGMENTS: {"segments": [{"first": first, "last": last, "goal": _WORDS} for first, last in spans]},
            SUBTASK: {
                "reasoning": _WORDS,
                "verdict": verdict.value,
                "root_cause": _WORDS if bad else "",
                "problems": [{"step": first, "cause": _WORDS, "fix": _WORDS}] if bad else [],
            },
            **dict.fromkeys((SUMMARY, inquiries.WHOLE, inquiries.FINAL, inquiries.KEY_FRAMES), judged),
            **dict.fromkeys((inquiries.RELEVANCE, inquiries.QUALITY), rated),
            inquiries.DECISION: {"reached": not bad},
            inquiries.POINTS: {"points": [_WORDS]},
            inquiries.PLAN: {"subtasks": [_WORDS]},
            inquiries.ALIGNMENT: {**judged, "subtasks": [{"subtask": 1, "reached": reached}]},
            inquiries.CRITERIA: {"reasoning": _WORDS, "criteria": [{"text": _WORDS, "steps": [], "met": reached}]},
            GOAL: {"steps": [_WORDS], "goal": _WORDS},
        }

    def _verdict_of_part(self, words: str) -> tuple[SegmentVerdict, int]:
        """Return the verdict on the marked part, and its first step."""
        marked = _MARKED.search(words)
        first, last = (int(marked[1]), int(marked[2])) if marked else (1, 1)
        whole = SegmentVerdict.SUCCESS if self._outcome is TaskOutcome.SUCCESS else SegmentVerdict.FAIL
        parts = {(part.first, part.last): part.verdict for part in self._parts or ()}
        return parts.get((first, last), whole), first


def stand_in(name: str, work: MadeWork | None = None) -> Model:
    """Return a stand-in; the one that knows the truth needs the work.

    Raises:
        UsageError: there is none of this name, or it knows nothing of this work.
    """
    if name == ORACLE and work is not None:
        return StandIn(name, work.outcome, work.parts)
    if name == ALWAYS_SUCCESS:
        return StandIn(name, TaskOutcome.SUCCESS)
    if name == ALWAYS_FAILURE:
        return StandIn(name, TaskOutcome.FAILURE)
    raise UsageError(f"{name} cannot answer about this work", remedy=f"there are: {', '.join(STAND_INS)}")
