"""Builds the query about a prefix, the threshold that matters there, and the record of the answer: pure functions."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

from daemon.help.goal import ModelGoal
from detectors.mllm.cascade import EVIDENCE_ABOVE, DecisionThreshold, log_odds
from detectors.mllm.prompting.prompts import STATE_OPTIONS
from detectors.mllm.prompting.wording import observations
from detectors.mllm.questions import AnswerForm, ModelQuery, ModelQuestion, ModelResult, Pictures, QuestionContext, Task
from detectors.protocol import Images
from policies.arms import Call, arm_of
from policies.gates import CLOSED_GATES
from policies.gates.utility import NEED_AT_LEVEL, utility_of
from policies.need_levels import ABSOLUTE_LEVEL
from storage.clock import NS_PER_S
from storage.records import Decision, Estimate, ModelAnswer, ModelTier, Prefix, State
from storage.settings import PolicySettings, Settings

NEED = ModelQuestion(key="need", task=Task.NEED, form=AnswerForm.YES_NO)
INTENT = ModelQuestion(key="intent", task=Task.INTENT, form=AnswerForm.TEXT)
CONTENT = ModelQuestion(key="help", task=Task.CONTENT, form=AnswerForm.TEXT)
BEHAVIOR = ModelQuestion(key="behavior", task=Task.BEHAVIOR, form=AnswerForm.CHOICE, options=STATE_OPTIONS)

NEEDS_SUBJECT = ("nothing_to_say", "no_estimate")
"""Reasons why an offer was not made that evidence from a model could remove, whatever the arm."""

MAX_NAME = 100
"""Characters of a model's name that are logged."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PendingQuery:
    """A query under way."""

    prefix: Prefix
    tier: ModelTier
    model: str
    asked_at_ns: int


def build_query(
    prefix: Prefix,
    images: Images,
    pictures: Pictures,
    taken_ns: Mapping[int, int],
    *,
    app: str = "",
    previous: State | None = None,
) -> ModelQuery | None:
    """Return the query about a prefix; None if none of its pictures is in memory.

    State and goal are asked before need and help: a model judges need better once it has named the state, and help
    once it has named both (GUIDE, section 5).

    Args:
        prefix: what is asked about.
        images: the released frames.
        pictures: encodes each of them once.
        taken_ns: their session times.
        app: the program in front.
        previous: the state in the window before, where that is known.
    """
    shown = [(seq, jpeg) for seq in prefix.slots if (jpeg := images.jpeg(seq)) is not None]
    if not shown:
        return None
    given = QuestionContext(previous=previous)
    return ModelQuery(
        pictures=tuple(pictures.picture_of(jpeg) for _, jpeg in shown),
        at_s=tuple(max(0, taken_ns.get(seq, 0) - prefix.start_ns) / NS_PER_S for seq, _ in shown),
        questions=tuple(replace(question, given=given) for question in (BEHAVIOR, INTENT, NEED, CONTENT)),
        observations=observations(prefix.features, app),
    )


def goal_in(result: ModelResult, app: str, now_ns: int) -> ModelGoal | None:
    """Return what a model wrote of goal and help; None where it wrote neither."""
    goal, advice = (
        answer.text or "" if (answer := result.answers.get(key)) else "" for key in (INTENT.key, CONTENT.key)
    )
    return ModelGoal(app=app, goal=goal, help=advice, at_ns=now_ns) if goal or advice else None


def answer_record(pending: PendingQuery, result: ModelResult, now_ns: int) -> ModelAnswer:
    """Return the record of a result: numbers, codes and a name; no other text from a server is logged."""
    need, behavior = result.answers.get(NEED.key), result.answers.get(BEHAVIOR.key)
    return ModelAnswer(
        prefix_id=pending.prefix.prefix_id,
        window_id=pending.prefix.window_id,
        tier=pending.tier,
        model=(result.model or pending.model)[:MAX_NAME],
        asked_at_ns=pending.asked_at_ns,
        latency_ns=now_ns - pending.asked_at_ns,
        state_probs={} if behavior is None else _state_probs(behavior.distribution),
        help_need=None if need is None else _probability(need.distribution.get("yes")),
        confidence_source="none" if need is None else need.confidence.value,
        trouble=None if result.failure is None else result.failure.value,
        pictures=result.pictures,
        tokens_in=result.usage.tokens_in,
        tokens_out=result.usage.tokens_out,
        dollars=result.usage.dollars if math.isfinite(result.usage.dollars) else 0.0,
        sent=result.sent,
    )


def decision_threshold(decision: Decision, estimate: Estimate, settings: Settings) -> DecisionThreshold:
    """Return from which probability of need on the policy would offer help at this prefix, with what it carries over.

    A decision of our policy holds its bounds, with what was learned; for an external policy the settings decide.
    """
    base_rate = settings.detector.base_rate
    arm = arm_of(settings.policy)
    if arm is not None and arm.call is Call.ANY:  # what an answer can add is a subject, by evidence that need is likely
        return DecisionThreshold(threshold=EVIDENCE_ABOVE, base_rate=base_rate)
    if settings.policy.name == "threshold":
        return DecisionThreshold(threshold=settings.policy.threshold, base_rate=base_rate)
    numbers, base = decision.numbers, log_odds(base_rate)
    ratio = log_odds(estimate.help_need) - base
    ours = {"sum", "upper"} <= numbers.keys()
    carried = max(0.0, numbers["sum"] - ratio) if ours and not estimate.abstained else 0.0
    level = numbers["upper"] if ours else ABSOLUTE_LEVEL
    utility = utility_of(0.0, 0.0, numbers.get("acceptance", settings.policy.acceptance), settings.policy)
    estimated = (log_odds(utility.threshold_at_break) - numbers.get("shift", 0.0)) / numbers.get("scale", 1.0)
    needed = level + max(0.0, estimated - log_odds(NEED_AT_LEVEL)) - carried
    return DecisionThreshold(
        threshold=1.0 / (1.0 + math.exp(-min(max(needed + base, -30.0), 30.0))), base_rate=base_rate
    )


def can_change(decision: Decision, settings: PolicySettings) -> bool:
    """Return whether another estimate could have led to another decision; an offer on the screen can be withdrawn.

    Where any estimate calls for an offer, an answer matters only if there is nothing to say without it.
    """
    arm = arm_of(settings)
    if arm is not None and arm.call is Call.ANY:
        return arm.chance > 0.0 and decision.reason in NEEDS_SUBJECT
    return decision.gate not in CLOSED_GATES or decision.reason == "showing"


def _probability(value: float | None) -> float | None:
    """Return a probability, or None for any other number."""
    return value if value is not None and 0.0 <= value <= 1.0 else None


def _state_probs(distribution: Mapping[str, float]) -> dict[str, float]:
    """Return the distribution if it holds a probability for every state, else an empty one."""
    complete = set(distribution) == {state.value for state in State}
    return dict(distribution) if complete and all(0.0 <= p <= 1.0 for p in distribution.values()) else {}
