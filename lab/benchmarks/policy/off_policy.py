"""Off-policy estimates: the value of a policy from the log of another that chose at random.

Means are over decisions that were drawn, with the probability they were logged with. Holds by the logging arm's own
gates count as certain: where another policy might offer there, or where drawn decisions hardly cover what it would do,
there is no overlap, and nothing is estimated. What the gates do not name as an arm's own (`HELD_BY_ARM`) is taken to
hold in every arm. That is not quite so: a break at which an offer is not worth it reads as waiting for one, and budget
and novelty depend on earlier offers of an arm.

Two estimators: by inverse propensity (IPS), and doubly robust (DR), which adds a model of the reward fitted on the
other sessions. Holding has the value 0, unless decisions are logged that held and have a reward of their own, as the
outcomes of a study.
"""

from collections.abc import Mapping, Sequence

from daemon.figures.off_policy import LoggedDecision, Target
from lab.benchmarks.policy.costs import Costs
from lab.benchmarks.policy.truth import InputTimes
from policies.gates import HELD_BY_ARM
from storage.records import Decision, Feedback, FeedbackKind, Offer, Record, Verdict

NO_OVERLAP = "no overlap"


def target_policies(random_probability: float, threshold: float) -> dict[str, Target]:
    """Return the arms as functions of a decision's numbers, for moments that all other gates let pass.

    What a policy remembers of earlier offers is not in them: hysteresis, and the number drawn for a prefix.
    """
    return {
        "silent": lambda numbers: 0.0,  # noqa: ARG005  # whatever is known
        "random": lambda numbers: random_probability,  # noqa: ARG005  # same
        "always": lambda numbers: 1.0,  # noqa: ARG005  # same
        "threshold": lambda numbers: float(numbers["help_need"] >= threshold),
        "utility": _utility_offers,
    }


def _utility_offers(numbers: Mapping[str, float]) -> float:
    """Return 1 where our default arm would speak; where its evidence gate held, no `p` was logged.

    Evidence counts here from the upper bound on. The arm itself, once above it, speaks down to the lower one, which a
    decision does not tell. So an offer between the bounds counts as held, with value 0: estimates lean towards 0,
    and a sure hold there is not taken for a lack of overlap.
    """
    enough = numbers["sum"] >= numbers["upper"]
    return float(enough and numbers.get("p", 0.0) > numbers.get("threshold", 0.0))


def logged_in(rows: Sequence[Record], session: int, costs: Costs) -> list[LoggedDecision]:
    """Return drawn decisions and sure holds of a recorded session; a reward follows from how an offer was answered."""
    inputs = InputTimes(rows)
    offers = {row.decision_seq: row for row in rows if isinstance(row, Offer) and not row.counterfactual}
    answers = {row.offer_id: row for row in rows if isinstance(row, Feedback)}
    found = []
    for row in rows:
        if not (isinstance(row, Decision) and (0.0 < row.propensity < 1.0 or _is_certain_hold(row))):
            continue
        offer = offers.get(row.seq)
        reward_s = 0.0
        if offer is not None:
            answer = answers.get(offer.offer_id)
            reward_s = _reward_s(answer.kind if answer else None, costs, at_break=inputs.at_break(offer.shown_at_ns))
        found.append(
            LoggedDecision(
                session=session,
                numbers=row.numbers,
                offered=row.verdict is Verdict.OFFER,
                propensity=row.propensity,
                reward_s=reward_s,
            )
        )
    return found


def _is_certain_hold(row: Decision) -> bool:
    """Return whether only the arm's own judgement held; a card on the screen would hold every arm."""
    return row.verdict is Verdict.HOLD and not row.withdraw and (row.gate, row.reason) in HELD_BY_ARM


def _reward_s(kind: FeedbackKind | None, costs: Costs, *, at_break: bool) -> float:
    interrupt_s = costs.interrupt_s(at_break=at_break)
    if kind is FeedbackKind.ACCEPTED:
        return costs.benefit_s - interrupt_s
    unanswered = kind in (None, FeedbackKind.IGNORED, FeedbackKind.SNOOZED, FeedbackKind.TOO_LATE)
    return -interrupt_s if unanswered else -interrupt_s - costs.false_s
