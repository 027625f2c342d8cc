"""What is asked about a prefix, where its decision falls, and the record that an answer becomes: pure functions."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

from detectors.mllm.cascade import DecisionThreshold, log_odds
from detectors.mllm.pictures import Pictures
from detectors.mllm.prompting.observations import observations
from detectors.mllm.prompting.prompts import STATE_OPTIONS
from detectors.mllm.questions import AnswerForm, ModelQuery, ModelResult, Question, Task
from detectors.protocol import Images
from policies.gates.evidence import bounds_of
from policies.gates.utility import worth_of
from storage.clock import NS_PER_S
from storage.records import Decision, Estimate, ModelAnswer, ModelTier, Prefix, State
from storage.settings import Settings

NEED = Question(key="need", task=Task.NEED, form=AnswerForm.YES_NO)
BEHAVIOR = Question(key="behavior", task=Task.BEHAVIOR, form=AnswerForm.CHOICE, options=STATE_OPTIONS)

CLOSED_GATES = ("consent", "manners", "budget")
"""Gates of the policy behind which no answer opens anything."""

MAX_NAME = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Pending:
    """What is being asked."""

    prefix: Prefix
    rung: ModelTier
    model: str
    asked_at_ns: int


def ask_about(prefix: Prefix, images: Images, pictures: Pictures, taken_ns: Mapping[int, int]) -> ModelQuery | None:
    """Return the question about a prefix; None where no picture of it is at hand.

    Args:
        prefix: what the question is about; its slots name the frames, oldest first.
        images: pictures of released frames.
        pictures: makes each of them once.
        taken_ns: when frames were taken, by number.
    """
    shown = [(seq, jpeg) for seq in prefix.slots if (jpeg := images.jpeg(seq)) is not None]
    if not shown:
        return None
    return ModelQuery(
        pictures=tuple(pictures.picture_of(jpeg) for _, jpeg in shown),
        at_s=tuple(max(0, taken_ns.get(seq, 0) - prefix.start_ns) / NS_PER_S for seq, _ in shown),
        questions=(NEED, BEHAVIOR),
        observations=observations(prefix.features),
    )


def record_of(pending: Pending, answers: ModelResult, now_ns: int) -> ModelAnswer:
    """Return the record of an answer: numbers, codes and a name, nothing else that a server said."""
    need, behavior = answers.answers.get(NEED.key), answers.answers.get(BEHAVIOR.key)
    return ModelAnswer(
        prefix_id=pending.prefix.prefix_id,
        window_id=pending.prefix.window_id,
        rung=pending.rung,
        model=(answers.model or pending.model)[:MAX_NAME],
        asked_at_ns=pending.asked_at_ns,
        latency_ns=now_ns - pending.asked_at_ns,
        state_probs={} if behavior is None else _states(behavior.distribution),
        help_need=None if need is None else _share(need.distribution.get("yes")),
        confidence_source="none" if need is None else need.confidence.value,
        trouble=None if answers.failure is None else answers.failure.value,
        pictures=answers.pictures,
        tokens_in=answers.usage.tokens_in,
        tokens_out=answers.usage.tokens_out,
        dollars=answers.usage.dollars if math.isfinite(answers.usage.dollars) else 0.0,
        sent=answers.sent,
    )


def bound_at(decision: Decision, estimate: Estimate, settings: Settings) -> DecisionThreshold:
    """Return from which probability of need on the policy would speak at this prefix, with what it carries over.

    A decision of ours says where its bounds lie, whatever was learned; of a policy brought along the settings tell.
    """
    base_rate = settings.detector.base_rate
    if settings.policy.name == "threshold":
        return DecisionThreshold(threshold=settings.policy.threshold, base_rate=base_rate)
    numbers, base = decision.numbers, log_odds(base_rate)
    ratio = log_odds(estimate.help_need) - base
    known = {"sum", "upper"} <= numbers.keys()
    carried = max(0.0, numbers["sum"] - ratio) if known and not estimate.abstained else 0.0
    upper = numbers["upper"] if known else bounds_of(settings.policy).upper
    worth = worth_of(0.0, 0.0, numbers.get("acceptance", settings.policy.acceptance), settings.policy)
    needed = max(upper, log_odds(worth.threshold_at_break) - base) - carried
    return DecisionThreshold(
        threshold=1.0 / (1.0 + math.exp(-min(max(needed + base, -30.0), 30.0))), base_rate=base_rate
    )


def may_change(decision: Decision) -> bool:
    """Tell whether another estimate could have led to another decision; an offer on the screen can be taken back."""
    return decision.gate not in CLOSED_GATES or decision.reason == "showing"


def _share(value: float | None) -> float | None:
    """Return a probability, or None for what is none."""
    return value if value is not None and 0.0 <= value <= 1.0 else None


def _states(distribution: Mapping[str, float]) -> dict[str, float]:
    """Return probabilities of all states, or none at all."""
    whole = set(distribution) == {state.value for state in State}
    return dict(distribution) if whole and all(0.0 <= one <= 1.0 for one in distribution.values()) else {}
