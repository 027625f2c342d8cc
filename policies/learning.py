"""What answers teach: Beta posteriors of acceptance for application, state and topic, pooled when data are few.

The prior mean of the narrowest posterior is the mean of its neighbours: the same application and topic in other states;
theirs that of the topic elsewhere, then of everything, then the setting. At each step an answer counts half. Acceptance
scales the benefit of an offer, and with it the threshold, within limits. "Too early" and "too late" move the level of
evidence that calls for an offer instead, within a limit too. All counts fade, since a policy that has
fallen silent gets no answers that could call it back.

Whether help was needed at all is learned beside it (`policies.calibration`). So that no answer teaches the same thing
twice, acceptance is measured against need: somebody who accepts as often as help was likely to be needed accepts as
often as the setting says, and leaves the threshold where it is. Need, threshold and time are three things, and each is
learned in one place.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace

from policies.state import AnswerCounts, Learned, OfferSubject
from storage.clock import DAY_NS
from storage.records import Feedback, FeedbackKind, Offer
from storage.settings import PolicySettings

MAX_SUBJECTS = 64  # the one answered longest ago goes first
LEAST_THRESHOLD, MOST_THRESHOLD = 0.3, 0.95  # answers move the threshold of p at a break no further; guesses
TIMING_LIMIT = 1.1  # "too early" and "too late" raise or lower the level of evidence by at most this, in log-odds
TIMING_WEIGHT = 4.0  # complaints about time that the prior "neither early nor late" counts as; a guess

Weights = Mapping[FeedbackKind, tuple[float, float]]  # how much acceptance and refusal each kind of feedback counts as
WEIGHTS: Weights = {
    FeedbackKind.ACCEPTED: (0.5, 0.0),
    FeedbackKind.TOO_LATE: (0.5, 0.0),  # help was wanted, only before
    FeedbackKind.IGNORED: (0.0, 0.25),  # perhaps it was not even seen
    FeedbackKind.SNOOZED: (0.0, 0.25),  # the moment was wrong, maybe not the topic
    FeedbackKind.TOO_EARLY: (0.0, 0.0),  # says nothing against the offer, had there been need
    FeedbackKind.DISMISSED: (0.0, 0.5),
    FeedbackKind.WRONG: (0.0, 0.5),
    FeedbackKind.MUTED: (0.0, 1.5),
}
"""Guesses. Half of an answer is about the offer, half about need, so acceptance and refusal count alike."""


def learn_answer(
    learned: Learned,  # what was known before
    settings: PolicySettings,  # the prior, and how fast answers fade
    feedback: Feedback,  # the answer
    offer: Offer,  # what it is about
    now_ns: int,  # when it was given
    *,
    need: float,  # how likely help was needed, on the person's own scale: acceptance is measured against it
) -> Learned:
    """Return what is known after an answer."""
    faded = _faded(learned, settings, now_ns)
    subject = OfferSubject(app=offer.app, state=offer.state.value, topic=offer.topic)
    before = next((counts for counts in faded.counts if counts.subject == subject), None)
    accepted, refused = WEIGHTS[feedback.kind]
    expected = (accepted + refused) * need
    if before is not None:
        expected += before.expected
        accepted, refused = accepted + before.accepted, refused + before.refused
    counts = AnswerCounts(subject=subject, accepted=accepted, refused=refused, expected=expected)
    others = tuple(other for other in faded.counts if other is not before)
    return replace(
        faded,
        counts=(*others, counts)[-MAX_SUBJECTS:],
        early=faded.early + (feedback.kind is FeedbackKind.TOO_EARLY),
        late=faded.late + (feedback.kind is FeedbackKind.TOO_LATE),
    )


def acceptance(learned: Learned, settings: PolicySettings, subject: OfferSubject, now_ns: int) -> float:
    """Return the posterior mean of an offer's acceptance; with no answers at all it is the setting.

    Where need is known, it is the acceptance that an offer would have whose need is as likely as the setting.
    """
    if not learned.counts:
        return settings.acceptance
    sums = [[0.0, 0.0, 0.0] for _ in range(4)]  # by distance, from the very same to everything else
    for counts in learned.counts:
        app, state, topic = counts.subject
        distance = 3
        if topic == subject.topic:
            distance = (0 if state == subject.state else 1) if app == subject.app else 2
        sums[distance][0] += counts.accepted
        sums[distance][1] += counts.refused
        sums[distance][2] += counts.expected
    left = _left(learned, settings, now_ns)
    weight = settings.acceptance_weight
    mean = settings.acceptance
    for distance in (3, 2, 1, 0):
        accepted, refused, expected = sums[distance]
        share, answers = left * 0.5**distance, accepted + refused
        if expected > 0.0:
            accepted = min(accepted * settings.acceptance * answers / expected, answers)
        mean = (weight * mean + share * accepted) / (weight + share * answers)
    return mean


def benefit_of(accepted: float, settings: PolicySettings) -> float:
    """Return what an offer is worth that is accepted so often, so that the threshold at a break keeps its limits.

    Settings that lie beyond the limits by themselves are left alone.
    """
    set_s, cost_s = settings.benefit_s, settings.cost_false_s
    at_limit = [(cost_s + settings.interrupt_break_s) / limit - cost_s for limit in (MOST_THRESHOLD, LEAST_THRESHOLD)]
    least, most = min(*at_limit, set_s), max(*at_limit, set_s)
    return min(max(set_s * accepted / settings.acceptance, least), most)


def shift_of(learned: Learned, settings: PolicySettings, now_ns: int) -> float:
    """Return by how much the level of evidence is raised, in log-odds: nothing without complaints about time."""
    left = _left(learned, settings, now_ns)
    early, late = left * learned.early, left * learned.late
    mean = (TIMING_WEIGHT / 2 + early) / (TIMING_WEIGHT + early + late)
    return (2.0 * mean - 1.0) * TIMING_LIMIT


def save_learned(learned: Learned, now_ns: int) -> dict[str, object]:
    """Return what was learned as plain values, with its age."""
    return {
        "learned": {
            "age_ns": now_ns - learned.at_ns,
            "early": learned.early,
            "late": learned.late,
            "tallies": [
                {
                    **counts.subject._asdict(),
                    "accepted": counts.accepted,
                    "refused": counts.refused,
                    "expected": counts.expected,
                }
                for counts in learned.counts
            ],
        }
    }


def start_learned(saved: Mapping[str, object], elapsed_ns: int, now_ns: int) -> Learned:
    """Return what `save_learned` gave, `elapsed_ns` later; nothing if that was before anything could be learned.

    Raises:
        TypeError, ValueError, KeyError: `saved` has another shape.
    """
    if "learned" not in saved:
        return Learned(at_ns=now_ns)
    values = saved["learned"]
    if not isinstance(values, Mapping) or not isinstance(values["tallies"], Iterable):
        raise TypeError
    return Learned(
        counts=tuple(
            AnswerCounts(
                subject=OfferSubject(app=str(row["app"]), state=str(row["state"]), topic=str(row["topic"])),
                accepted=_count(row["accepted"]),
                refused=_count(row["refused"]),
                expected=_count(row["expected"]),
            )
            for row in values["tallies"]
        )[-MAX_SUBJECTS:],
        early=_count(values["early"]),
        late=_count(values["late"]),
        at_ns=now_ns - elapsed_ns - int(values["age_ns"]),
    )


def _count(value: object) -> float:
    if not isinstance(value, (int, float)) or not 0.0 <= value < math.inf:
        raise ValueError
    return float(value)


def answers_left(at_ns: int, settings: PolicySettings, now_ns: int) -> float:
    """Return how much is left of what answers taught by `at_ns`."""
    return math.exp2(-max(0, now_ns - at_ns) / (settings.learning_half_life_days * DAY_NS))


def _left(learned: Learned, settings: PolicySettings, now_ns: int) -> float:
    return answers_left(learned.at_ns, settings, now_ns)


def _faded(learned: Learned, settings: PolicySettings, now_ns: int) -> Learned:
    left = _left(learned, settings, now_ns)
    return Learned(
        counts=tuple(
            replace(
                counts,
                accepted=left * counts.accepted,
                refused=left * counts.refused,
                expected=left * counts.expected,
            )
            for counts in learned.counts
        ),
        early=left * learned.early,
        late=left * learned.late,
        at_ns=now_ns,
    )
