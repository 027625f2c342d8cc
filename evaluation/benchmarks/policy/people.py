"""What answers are worth to people whose threshold of need is another than the model's; the people are simulated.

Each person works through sessions, answers offers, and asks for help where a need is not met, until so many answers were
given. Then nothing is learned any more, and the policy is judged on the other sessions by what this person needs. Beside
the policy that learns need stand its controls: nobody answers; the answers teach what an offer is worth but not need; the
same answers in random order; and answers that are all wrong, with and without right ones after them.
"""

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from evaluation.benchmarks.policy.costs import Rules
from evaluation.benchmarks.policy.figures import Draws
from evaluation.benchmarks.policy.replay import play
from evaluation.benchmarks.policy.trace import Trace
from evaluation.benchmarks.policy.truth import FALSE, Episode, Kind, Truth, judge, oracle_s, utility_s
from evaluation.measure.metrics import Interval
from policies.protocol import Policy
from storage.clock import NS_PER_S
from storage.records import FeedbackKind

ANSWERS = 20
RIGHT_AFTERWARDS = 40
ROUNDS = 3
"""How often each person begins anew, with the sessions in another order."""

PATIENCE_NS = 20 * NS_PER_S
REQUEST_NS = 25 * NS_PER_S
"""So long after the onset of a need that nothing meets somebody asks for help."""

REQUESTS = 0.25
"""The share of such needs in which somebody really asks."""

_PASSES = 6
_LEARNED = ("learned", "calibration")

Need = Callable[[Truth, str], tuple[Episode, ...]]
"""When a person needs help in a session, by its truth and its program."""


def _as_labelled(truth: Truth, program: str) -> tuple[Episode, ...]:  # noqa: ARG001  # the shape of any need
    return truth.episodes


def _patient(truth: Truth, program: str) -> tuple[Episode, ...]:  # noqa: ARG001  # same
    later = (replace(one, start_ns=one.start_ns + PATIENCE_NS) for one in truth.episodes)
    return tuple(one for one in later if one.start_ns < one.end_ns)


def _early(truth: Truth, program: str) -> tuple[Episode, ...]:  # noqa: ARG001  # same
    found: list[Episode] = []
    for label in truth.labels:
        if label.need_from_ns is None and not label.hard_negative:
            continue
        if found and label.start_ns - found[-1].end_ns <= 8 * NS_PER_S:
            found[-1] = Episode(found[-1].start_ns, label.end_ns)
        else:
            found.append(Episode(label.start_ns, label.end_ns))
    return tuple(found)


def _expert(truth: Truth, program: str) -> tuple[Episode, ...]:
    return () if sum(map(ord, program)) % 2 else truth.episodes


PEOPLE: Mapping[str, Need] = {
    "needs help as the model was taught": _as_labelled,
    "helps himself for 20 s": _patient,
    "wants help at the first failure": _early,
    "needs none in some programs": _expert,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonFigures:
    """One kind of person under one kind of answers; regret in seconds an hour, also above that without any answers."""

    person: str
    answers: str
    false_per_hour: float
    covered: float
    regret_s: float
    regret_gain: Interval
    scalings: int = 0


class _Answers:
    """Answers one session's offers; counts them, so that the learning can end."""

    def __init__(self, episodes: Sequence[Episode], rng: random.Random, give: Callable[[bool], FeedbackKind], most: int):
        self._episodes, self._rng, self._give, self._most = episodes, rng, give, most
        self.given = 0
        self.requests_ns = tuple(one.start_ns + REQUEST_NS for one in episodes if one.start_ns + REQUEST_NS < one.end_ns)
        self._met: set[int] = set()

    def _at(self, at_ns: int) -> int | None:
        return next((n for n, one in enumerate(self._episodes) if one.start_ns <= at_ns <= one.end_ns), None)

    def answer(self, at_ns: int) -> FeedbackKind | None:
        at = self._at(at_ns)
        if at is not None:
            self._met.add(at)
        if self.given >= self._most:
            return None
        self.given += 1
        return self._give(at is not None)

    def asks(self, at_ns: int) -> bool:
        if self.given >= self._most or self._at(at_ns) in self._met or self._rng.random() >= REQUESTS:
            return False
        self.given += 1
        return True


@dataclass(slots=True)
class _Desk:
    """The sessions as one person lives through them."""

    traces: Sequence[Trace]
    needs: Sequence[tuple[Episode, ...]]
    truths: Sequence[Truth]
    rules: Rules

    def learn(
        self,
        policy: Policy[Any],
        order: Sequence[int],
        give: Callable[[bool], FeedbackKind],
        answers: int,
        rng: random.Random,
        saved: Mapping[str, object],
    ) -> Mapping[str, object]:
        """Return what the policy has learned after so many answers, or after all sessions were worked through."""
        given = 0
        for at in [*order] * _PASSES:
            person = _Answers(self.needs[at], rng, give, answers - given)
            after = play(self.traces[at], policy, saved=saved, person=person).saved
            saved = {name: after[name] for name in _LEARNED if name in after}
            given += person.given
            if given >= answers:
                break
        return saved

    def judge(self, policy: Policy[Any], order: Sequence[int], saved: Mapping[str, object]) -> dict[int, Any]:
        """Return by session: false offers, episodes met and seconds lost against the oracle."""
        found = {}
        for at in order:
            truth = replace(self.truths[at], episodes=self.needs[at])
            judged = judge(truth, play(self.traces[at], policy, saved=saved).shown)
            lost = oracle_s(truth, self.rules.costs) - utility_s(judged, self.rules.costs)
            false = sum(one.kind in FALSE for one in judged)
            found[at] = (false, sum(one.kind is Kind.HIT for one in judged), lost)
        return found


def right(rng: random.Random) -> Callable[[bool], FeedbackKind]:
    refusals = (FeedbackKind.DISMISSED, FeedbackKind.DISMISSED, FeedbackKind.TOO_EARLY, FeedbackKind.WRONG)
    return lambda needed: FeedbackKind.ACCEPTED if needed else rng.choice(refusals)


def compare_people(
    traces: Sequence[Trace], truths: Sequence[Truth], programs: Sequence[str], rules: Rules, policies: Mapping[str, Policy[Any]]
) -> list[PersonFigures]:
    figures = []
    draws = Draws(len(traces))
    for name, need in PEOPLE.items():
        desk = _Desk(traces, [need(t, p) for t, p in zip(truths, programs, strict=True)], truths, rules)
        episodes = [len(one) for one in desk.needs]
        sums: dict[str, dict[int, list]] = {}
        scal = {}
        for round_ in range(ROUNDS):
            rng = random.Random(f"{name} {round_}")
            order = rng.sample(range(len(traces)), len(traces))
            third = len(order) // 3
            learns, rest = order[:third], order[third:]
            kinds: list[FeedbackKind] = []
            say = right(rng)
            def truly(needed: bool) -> FeedbackKind:
                kinds.append(say(needed)); return kinds[-1]
            def wrongly(needed: bool) -> FeedbackKind:
                return say(not needed)
            new = policies["new"]
            runs: dict[str, tuple[Policy[Any], Mapping[str, object]]] = {"none": (new, {})}
            after = desk.learn(new, learns, truly, ANSWERS, rng, {})
            runs["20 right"] = (new, after)
            shuffled = rng.sample(kinds, len(kinds)) or [FeedbackKind.DISMISSED]
            def anyhow(needed: bool) -> FeedbackKind:
                return rng.choice(shuffled)
            runs["20 right, acceptance alone"] = (new, {k: v for k, v in after.items() if k == "learned"})
            runs["20 right, need alone"] = (new, {k: v for k, v in after.items() if k != "learned"})
            runs["20 right, version 2"] = (policies["old"], desk.learn(policies["old"], learns, truly, ANSWERS, rng, {}))
            runs["20 shuffled"] = (new, desk.learn(new, learns, anyhow, ANSWERS, rng, {}))
            wrong = desk.learn(new, learns, wrongly, ANSWERS, rng, {})
            runs["20 wrong"] = (new, wrong)
            runs["20 wrong, 20 right"] = (new, desk.learn(new, learns, truly, 20, rng, wrong))
            runs["20 wrong, 40 right"] = (new, desk.learn(new, learns, truly, 40, rng, wrong))
            runs["60 right"] = (new, desk.learn(new, learns, truly, 40, rng, after))
            for label, (policy, saved) in runs.items():
                for at, one in desk.judge(policy, rest, saved).items():
                    sums.setdefault(label, {}).setdefault(at, []).append(one)
                c = policies["new"].start(saved, 0, 0).calibration if label != "20 right, version 2" else None
                if c: 
                    from policies.calibration import _scaling
                    scal.setdefault(label, []).append((tuple(round(v,2) for v in _scaling(c.overall, c.programs[-1] if c.programs else c.overall, 1.0)), round(c.overall.answers,1)))
        for label, by in sums.items():
            total = {k: sum(v[k] for vs in by.values() for v in vs) for k in range(3)}
            hours = sum(len(vs) * traces[at].hours for at, vs in by.items())
            eps = sum(len(vs) * episodes[at] for at, vs in by.items())
            diff = [sum(a[2] - b[2] for a, b in zip(by.get(at, ()), sums["none"].get(at, ()))) for at in range(len(traces))]
            hrs = [len(by.get(at, ())) * traces[at].hours for at in range(len(traces))]
            figures.append(PersonFigures(person=name, answers=label, false_per_hour=total[0]/hours, covered=total[1]/max(1,eps), regret_s=total[2]/hours, regret_gain=draws.ratio(diff, hrs)))
            print(f"{name:36} {label:28} false {total[0]/hours:5.2f} covered {total[1]/max(1,eps):.2f} regret {total[2]/hours:6.0f}  {draws.ratio(diff, hrs).value:6.0f} ({draws.ratio(diff,hrs).low:.0f}..{draws.ratio(diff,hrs).high:.0f}) {scal.get(label)}", flush=True)
    return figures
