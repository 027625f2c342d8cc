"""How goals of one trajectory are said and compared, and the goals and verdicts of people as JSON lines from outside.

A goal: `{"key": ..., "by": ..., "goal": ...}`. A verdict: `{"key": ..., "by": ..., "rater": ..., "fulfilled": ...,
"p_satisfies_g": ..., "g_satisfies_p": ...}`, where `by` is whose goal p it is about and null stands for "unsure"; or
`{"key": ..., "gold_fulfilled": false}` for a trajectory that does not fulfil its own goal.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from hashlib import sha256
from pathlib import Path

import msgspec

from daemon.diagnosis.goals.material import Material, material_of, picture_count, text_tokens
from daemon.diagnosis.model_queries.models import Volume
from daemon.history.trajectory.trajectory import SESSION, Step, Trajectory, TrajectorySet, Verb
from lab.benchmarks.goals.questions import GoalJudge
from lab.measure.json_lines import decoded_lines
from lab.trajectories import mind2web
from storage.errors import BadFile


class WrittenGoal(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The goal of a trajectory as somebody wrote it."""

    key: str
    by: str
    goal: str


class Verdict(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How somebody compared the goal p that `by` wrote with the gold goal g; None is unsure or not asked."""

    key: str
    by: str = ""
    rater: str = "people"
    fulfilled: bool | None = None
    p_satisfies_g: bool | None = None
    g_satisfies_p: bool | None = None
    gold_fulfilled: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class People:
    """What people contributed."""

    goals: tuple[WrittenGoal, ...] = ()
    verdicts: tuple[Verdict, ...] = ()

    @property
    def rejected(self) -> frozenset[str]:
        """The trajectories that do not fulfil their own goal, as people say."""
        return frozenset(verdict.key for verdict in self.verdicts if verdict.gold_fulfilled is False)


def read_goals(path: Path) -> tuple[WrittenGoal, ...]:
    """Return the goals in a file.

    Raises:
        BadFile: a line does not fit, or somebody wrote two goals for one trajectory; says which.
    """
    found: dict[tuple[str, str], WrittenGoal] = {}
    for number, one in decoded_lines(path, msgspec.json.Decoder(WrittenGoal), "a goal"):
        if (one.key, one.by) in found:
            raise BadFile(f"{path}: line {number} is a second goal of the same writer for the same trajectory")
        if not one.goal.strip() or not one.by.strip():
            raise BadFile(f"{path}: line {number} has no goal, or does not say by whom")
        found[one.key, one.by] = one
    return tuple(found.values())


def read_verdicts(path: Path) -> tuple[Verdict, ...]:
    """Return the verdicts in a file.

    Raises:
        BadFile: a line does not fit, or somebody judged the same goal twice; says which.
    """
    seen: set[tuple[str, str, str]] = set()
    found = []
    for number, one in decoded_lines(path, msgspec.json.Decoder(Verdict), "a verdict"):
        if (one.key, one.by, one.rater) in seen:
            raise BadFile(f"{path}: line {number} is a second verdict of the same person about the same goal")
        seen.add((one.key, one.by, one.rater))
        found.append(one)
    return tuple(found)


GOLD = "gold"
REJECTED = "it does not fulfil its goal, as people say"
NOT_VALID = "it does not fulfil its goal, as the judge says"
NOT_DRAWN = "not drawn (--limit)"

ANSWER_TOKENS = 1500
"""Of an answer; a guess that is rather too high."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedGoal:
    """A prediction p beside another goal g, gold unless `against` names who else wrote it."""

    key: str
    by: str
    against: str
    prediction: str
    fulfilled: bool | None
    p_satisfies_g: bool | None
    g_satisfies_p: bool | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Controls:
    """How the judge behaves where the answer is known.

    Attributes:
        reflexive: for each goal whether it satisfies itself, as the judge says.
        swapped: for each goal and that of another trajectory, worded differently, whether each satisfies the other.
    """

    reflexive: tuple[bool | None, ...] = ()
    swapped: tuple[tuple[bool | None, bool | None], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What is asked."""

    pictures: bool = True
    validate: bool = False
    predicts: str | None = None
    controls: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class GoalControl:
    """That the judge is tried on a trajectory; `other` is the goal of another one, if one is worded differently."""

    other: str | None


@dataclass(slots=True, kw_only=True)
class GoalFindings:
    """All that was found."""

    judged: list[ComparedGoal] = field(default_factory=list)
    controls: Controls = field(default_factory=Controls)
    left_out: dict[str, int] = field(default_factory=dict)
    used: list[str] = field(default_factory=list)
    questions: int = 0
    unanswered: int = 0

    def leave_out(self, reasons: Mapping[str, int]) -> None:
        """Count trajectories that are left out."""
        for why, count in reasons.items():
            self.left_out[why] = self.left_out.get(why, 0) + count

    def add(self, other: "GoalFindings") -> None:
        """Add what was found elsewhere, behind what is here."""
        self.judged += other.judged
        self.controls = Controls(
            reflexive=self.controls.reflexive + other.controls.reflexive,
            swapped=self.controls.swapped + other.controls.swapped,
        )
        self.leave_out(other.left_out)
        self.used += other.used
        self.questions += other.questions
        self.unanswered += other.unanswered


_POINTED = (Verb.CLICK, Verb.TYPE, Verb.SELECT)


class Flaw(StrEnum):
    """Why a trajectory is left out (Identifying User Goals, B.2)."""

    NO_GOAL = "without a goal"
    PICTURE_MISSING = "a picture is missing or unreadable"
    BOX_EMPTY = "the box of a control is empty"


def flaw_of(whole: TrajectorySet, trajectory: Trajectory, *, pictures: bool = True) -> Flaw | None:
    """Return why a trajectory cannot be asked about; None if it can. Pictures are not decoded, but must be named."""
    if not (trajectory.goal or "").strip():
        return Flaw.NO_GOAL
    if whole.layout == mind2web.LAYOUT and any(_without_box(step) for step in trajectory.steps):
        return Flaw.BOX_EMPTY
    if pictures and whole.layout != SESSION and any(step.before is None for step in trajectory.steps):
        return Flaw.PICTURE_MISSING
    return None


def _without_box(step: Step) -> bool:
    return step.action.verb in _POINTED and (step.target is None or step.target.box is None)


def readable_material(whole: TrajectorySet, trajectory: Trajectory, *, pictures: bool = True) -> Material | Flaw:
    """Return what questions show of a trajectory, or why it has to be left out; a recording may lack pictures."""
    flaw = flaw_of(whole, trajectory, pictures=pictures)
    if flaw is not None:
        return flaw
    if not pictures:
        steps = tuple(replace(step, before=None) for step in trajectory.steps)
        trajectory = replace(trajectory, steps=steps, last_picture=None)
    try:
        return material_of(whole, trajectory, skip_lost=whole.layout == SESSION)
    except BadFile:
        return Flaw.PICTURE_MISSING


def usable(
    trajectories: Iterable[Trajectory], rejected: frozenset[str], limit: int | None
) -> tuple[list[Trajectory], Counter[str]]:
    """Return the trajectories to ask about, in the order of their files, and why others are left out."""
    left_out: Counter[str] = Counter()
    found = []
    for trajectory in trajectories:
        if trajectory.key in rejected:
            left_out[REJECTED] += 1
        else:
            found.append(trajectory)
    if limit is not None and limit < len(found):
        drawn = {
            drawn_trajectory.key
            for drawn_trajectory in sorted(found, key=lambda one: sha256(one.key.encode()).digest())[:limit]
        }
        left_out[NOT_DRAWN] += len(found) - limit
        found = [drawn_trajectory for drawn_trajectory in found if drawn_trajectory.key in drawn]
    return found, left_out


def volumes_of(
    trajectories: Sequence[Trajectory], plan: Plan, goals: Mapping[str, Sequence[WrittenGoal]]
) -> tuple[Volume, Volume]:
    """Return how much is asked at most: of the model that says goals, and of the judge."""
    said = compared = said_pictures = compared_pictures = 0
    for place, one in enumerate(trajectories):
        written = len(goals.get(one.key, ()))
        predicts = plan.predicts is not None
        count = (
            plan.validate + 3 * (written + predicts) + (2 if written > 1 else 0) + (3 if place < plan.controls else 0)
        )
        pictures = picture_count(one) if plan.pictures else 0
        said, said_pictures = said + predicts, said_pictures + predicts * pictures
        compared, compared_pictures = compared + count, compared_pictures + count * pictures
    text = text_tokens(trajectories)
    return (
        Volume(requests=said, pictures=said_pictures, text_tokens=text, answer_tokens=ANSWER_TOKENS),
        Volume(requests=compared, pictures=compared_pictures, text_tokens=text, answer_tokens=ANSWER_TOKENS),
    )


async def judge_all(
    whole: TrajectorySet,
    trajectories: Sequence[Trajectory],
    plan: Plan,
    goals: Mapping[str, Sequence[WrittenGoal]],
    *,
    model: GoalJudge | None,
    judge: GoalJudge,
    step: Callable[[str], None] = lambda _: None,
) -> GoalFindings:
    """Ask everything; `step` is called with the key of each trajectory that is done.

    Raises:
        EnvironmentFault: a model cannot be used any further; nothing that was answered is lost.
    """
    findings = GoalFindings()
    for one, control in zip(trajectories, controls_of(trajectories, plan.controls), strict=True):
        findings.add(await judge_one(whole, one, plan, goals.get(one.key, ()), control, model=model, judge=judge))
        step(one.key)
    return findings


async def judge_one(
    whole: TrajectorySet,
    one: Trajectory,
    plan: Plan,
    written: Sequence[WrittenGoal],
    control: GoalControl | None,
    *,
    model: GoalJudge | None,
    judge: GoalJudge,
) -> GoalFindings:
    """Ask everything about one trajectory, and what is tried on it if it is a control.

    Raises:
        EnvironmentFault: a model cannot be used any further; nothing that was answered is lost.
    """
    findings = GoalFindings()
    material = readable_material(whole, one, pictures=plan.pictures)
    gold = (one.goal or "").strip()
    if isinstance(material, Flaw):
        findings.leave_out({material.value: 1})
        return findings
    if plan.validate and not await _yes(findings, judge, material, gold):
        findings.leave_out({NOT_VALID: 1})
        return findings
    findings.used.append(one.key)
    predicted = await _predicted(findings, plan, model, material)
    await _judge_predictions(findings, judge, material, gold, [*predicted, *written])
    await _judge_writers(findings, judge, material, written)
    if control is not None:
        reflexive = (_counted(findings, await judge.satisfies(material, gold, gold)),)
        swapped = () if control.other is None else (await _both_ways(findings, judge, material, control.other, gold),)
        findings.controls = Controls(reflexive=reflexive, swapped=swapped)
    return findings


def controls_of(trajectories: Sequence[Trajectory], count: int) -> list[GoalControl | None]:
    """Return for each trajectory whether it is one of the first so many, the controls."""
    return [
        GoalControl(other=_other_goal(trajectories, place, count)) if place < count else None
        for place in range(len(trajectories))
    ]


async def _predicted(
    findings: GoalFindings, plan: Plan, model: GoalJudge | None, material: Material
) -> list[WrittenGoal]:
    """Return what the model says; nothing where none is asked, or has no answer, which then counts as no match."""
    if model is None or plan.predicts is None:
        return []
    said = await model.goal(material)
    findings.questions += 1
    if said is not None:
        return [WrittenGoal(key=material.key, by=plan.predicts, goal=said)]
    findings.unanswered += 1
    findings.judged.append(
        ComparedGoal(
            key=material.key,
            by=plan.predicts,
            against=GOLD,
            prediction="",
            fulfilled=None,
            p_satisfies_g=None,
            g_satisfies_p=None,
        )
    )
    return []


async def _judge_predictions(
    findings: GoalFindings, judge: GoalJudge, material: Material, gold: str, predictions: Sequence[WrittenGoal]
) -> None:
    """Judge every prediction beside gold."""
    for prediction in predictions:
        fulfilled = _counted(findings, await judge.fulfils(material, prediction.goal))
        p_g, g_p = await _both_ways(findings, judge, material, prediction.goal, gold)
        findings.judged.append(
            ComparedGoal(
                key=material.key,
                by=prediction.by,
                against=GOLD,
                prediction=prediction.goal,
                fulfilled=fulfilled,
                p_satisfies_g=p_g,
                g_satisfies_p=g_p,
            )
        )


async def _judge_writers(
    findings: GoalFindings, judge: GoalJudge, material: Material, written: Sequence[WrittenGoal]
) -> None:
    """Judge the first two written goals beside each other, for how ambiguous a trajectory is."""
    if len(written) < 2:  # noqa: PLR2004  # a pair
        return
    first, second = written[:2]
    p_g, g_p = await _both_ways(findings, judge, material, first.goal, second.goal)
    findings.judged.append(
        ComparedGoal(
            key=material.key,
            by=first.by,
            against=second.by,
            prediction=first.goal,
            fulfilled=None,
            p_satisfies_g=p_g,
            g_satisfies_p=g_p,
        )
    )


async def _both_ways(
    findings: GoalFindings, judge: GoalJudge, material: Material, p: str, g: str
) -> tuple[bool | None, bool | None]:
    return (
        _counted(findings, await judge.satisfies(material, p, g)),
        _counted(findings, await judge.satisfies(material, g, p)),
    )


async def _yes(findings: GoalFindings, judge: GoalJudge, material: Material, task: str) -> bool:
    return _counted(findings, await judge.fulfils(material, task)) is True


def _counted(findings: GoalFindings, answer: bool | None) -> bool | None:
    findings.questions += 1
    findings.unanswered += answer is None
    return answer


def _other_goal(trajectories: Sequence[Trajectory], place: int, count: int) -> str | None:
    """Return the goal of the next trajectory among those of the controls, if it is worded differently."""
    among = trajectories[:count]
    gold = (among[place].goal or "").strip()
    others = (among[(place + step) % len(among)].goal or "" for step in range(1, len(among)))
    return next(
        (other.strip() for other in others if other.strip() and other.strip().casefold() != gold.casefold()), None
    )
