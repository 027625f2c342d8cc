"""What answers are worth to simulated people whose threshold of need is another than the estimate's.

A person meets one moment after the other: a program and an estimate. Help is needed with the chance of this person's
own curve over the estimate. The real policy decides; the person answers most offers, and sometimes asks for help where
a need was not met. After so many answers nothing more is learned, and the policy is judged on other moments.

What is judged: the seconds lost against somebody who knows when help is needed, at the costs of `data/costs.toml`.
Beside right answers stand the controls: none; answers drawn without regard to need; wrong answers, alone and with right
ones after them. All are judged on the same moments.

The curves say nothing about real people, and estimates here are right on average by construction.
"""

import math
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from daemon.figures.intervals import Interval
from daemon.figures.resampling import Draws
from lab.benchmarks.policy.trace import Costs
from lab.measure.benchmark import AcceptanceCriterion, at_least, at_most
from lab.measure.report import Heading, Part, Table
from policies.protocol import LearnsReports, Policy
from policies.registry import load
from storage.clock import NS_PER_S
from storage.records import (
    Context,
    Estimate,
    Evidence,
    Feedback,
    FeedbackKind,
    NeedReport,
    Offer,
    ReportedBy,
    State,
    Verdict,
)
from storage.settings import PolicySettings

ANSWERS = 20
RIGHT_AFTERWARDS = 100
MOMENTS = 150
"""Moments on which a person is judged."""

REQUESTS = 0.1
"""The share of needs without an offer in which the person asks for help."""

_MOST_MOMENTS = 5000
_EVEN = 0.5
_TROUBLE = 0.25  # share of moments in which something shows
_APART_NS = 60 * NS_PER_S
_TOPIC = "undo_bursts"
_PROGRAMS = ("editor", "sheet", "browser")
_STATES = {state.value: float(state is State.FRUSTRATION) for state in State}
_IF_NEEDED = ((FeedbackKind.ACCEPTED, 0.85), (None, 0.15))
_IF_NOT = (
    (FeedbackKind.DISMISSED, 0.5),
    (FeedbackKind.TOO_EARLY, 0.2),
    (FeedbackKind.WRONG, 0.15),
    (None, 0.15),
)
"""How offers are answered; None is no answer. Guesses."""

Need = Callable[[str, float], float]
"""The chance that a person needs help, by the program and the estimated log-odds."""


def _curve(shift: float, scale: float = 1.0, **by_program: float) -> Need:
    return lambda app, log_odds: _sigmoid(scale * log_odds + by_program.get(app, shift))


PEOPLE: Mapping[str, Need] = {
    "as estimated": _curve(0.0),
    "manages alone": _curve(-1.0),
    "wants help soon": _curve(1.0),
    "differs by program": _curve(0.0, editor=1.0, sheet=-1.5),
    "all or nothing, late": _curve(-6.0, 4.0),
}
OTHERS = tuple(PEOPLE)[1:]
"""Those whose threshold is another than the estimate's."""

ALL_OTHERS = "all but as estimated"

NONE, RIGHT, RANDOM = "no answers", "right", "at random"
WRONG, RECOVERED = "wrong", "wrong, then right"
ARMS = (NONE, RIGHT, RANDOM, WRONG, RECOVERED)


@dataclass(frozen=True, slots=True, kw_only=True)
class PeopleFigures:
    """People of one kind under one kind of answers, over all their moments.

    Attributes:
        false: offers that were not needed, in a hundred moments.
        covered: share of needs with an offer.
        regret_s: seconds lost in a hundred moments against who knows when help is needed.
        against_none: by how much that is more than without any answers.
    """

    person: str
    answers: str
    false: float
    covered: float
    regret_s: float
    against_none: Interval


@dataclass(frozen=True, slots=True)
class _Moment:
    app: str
    log_odds: float
    needed: bool
    drawn: float


@dataclass(slots=True)
class _Tally:
    """What one person got on the moments of judgement."""

    false: int = 0
    met: int = 0
    needs: int = 0
    lost_s: float = 0.0


def compare_people(costs: Costs, limits: PolicySettings, base_rate: float, count: int) -> list[PeopleFigures]:
    """Judge every kind of answers on every kind of person, `count` each; `limits` are the policy's settings."""
    settings = replace(limits, backoff_s=0.0)  # back-off hides the very offers that a person would answer next
    figures: list[PeopleFigures] = []
    others: dict[str, list[_Tally]] = {arm: [] for arm in ARMS}
    for person, need in PEOPLE.items():
        found: dict[str, list[_Tally]] = {arm: [] for arm in ARMS}
        for number in range(count):
            for arm, tally in _one_person(f"{person} {number}", need, costs, settings, base_rate).items():
                found[arm].append(tally)
        figures += _figures(person, found)
        if person in OTHERS:
            for arm, tallies in found.items():
                others[arm] += tallies
    return [*figures, *_figures(ALL_OTHERS, others)]


def people_criteria(figures: Sequence[PeopleFigures]) -> list[AcceptanceCriterion]:
    """Return what right answers must bring and wrong ones may leave behind, and the controls of both."""
    against_none = {(figure.person, figure.answers): figure.against_none for figure in figures}
    back = max(against_none[person, RECOVERED].low for person in PEOPLE)
    return [
        at_most(
            "people_right",
            against_none[ALL_OTHERS, RIGHT].high,
            0.0,
            f"s in 100 moments above no answers, after {ANSWERS} right ones, upper end; simulated people",
        ),
        at_most("people_as_estimated", against_none[next(iter(PEOPLE)), RIGHT].low, 0.0, "the same, lower end"),
        at_least("people_wrong_control", against_none[ALL_OTHERS, WRONG].low, 0.0, f"{ANSWERS} wrong ones, lower end"),
        at_most(
            "people_recovered",
            back,
            0.0,
            f"{ANSWERS} wrong ones and {RIGHT_AFTERWARDS} right ones after them, lower end, the worst kind of person",
        ),
    ]


def people_parts(figures: Sequence[PeopleFigures]) -> list[Part]:
    """Return the figures as a table; nothing where there are none."""
    if not figures:
        return []
    return [
        Heading("Simulated people with thresholds of their own"),
        (
            f"{ANSWERS} answers (and {RIGHT_AFTERWARDS} right ones after wrong ones), then judged on other moments, "
            "in a hundred of them:"
        ),
        Table(
            ("person", "answers", "false", "covered", "regret s", "against no answers"),
            [
                (
                    figure.person,
                    figure.answers,
                    f"{figure.false:.1f}",
                    f"{figure.covered:.2f}",
                    f"{figure.regret_s:.0f}",
                    _signed(figure.against_none),
                )
                for figure in figures
            ],
        ),
    ]


def _signed(one: Interval) -> str:
    return f"{one.value:+.0f} ({one.low:+.0f}..{one.high:+.0f})"


def _one_person(seed: str, need: Need, costs: Costs, settings: PolicySettings, base_rate: float) -> dict[str, _Tally]:
    learns = load(settings, base_rate)

    def saved(policy: Policy[Any], kind: str, answers: int, start: Mapping[str, object]) -> Mapping[str, object]:
        rng = random.Random(f"{seed} {kind}")  # noqa: S311  # not for secrets
        return _Learning(policy, rng, kind, start).run(_moments(rng, need), answers)

    right = saved(learns, RIGHT, ANSWERS, {})
    wrong = saved(learns, WRONG, ANSWERS, {})
    states: dict[str, tuple[Policy[Any], Mapping[str, object]]] = {
        NONE: (learns, {}),
        RIGHT: (learns, right),
        RANDOM: (learns, saved(learns, RANDOM, ANSWERS, {})),
        WRONG: (learns, wrong),
        RECOVERED: (learns, saved(learns, RIGHT, RIGHT_AFTERWARDS, wrong)),
    }
    rng = random.Random(f"{seed} judged")  # noqa: S311  # same
    moments = [moment for moment, _ in zip(_moments(rng, need), range(MOMENTS), strict=False)]
    return {arm: _judge(policy, state, moments, costs) for arm, (policy, state) in states.items()}


def _moments(rng: random.Random, need: Need) -> Iterator[_Moment]:
    """Yield moments of this person without an end: mostly calm, some in which something shows."""
    while True:
        app = rng.choice(_PROGRAMS)
        log_odds = rng.gauss(0.8, 1.5) if rng.random() < _TROUBLE else rng.gauss(-3.0, 1.0)
        yield _Moment(app, log_odds, rng.random() < need(app, log_odds), rng.random())


class _Learning:
    """One person who answers until so many answers were given."""

    def __init__(self, policy: Policy[Any], rng: random.Random, kind: str, saved: Mapping[str, object]) -> None:
        self._policy = policy
        self._rng = rng
        self._kind = kind
        self._state = policy.start(saved, 0, 0)

    def run(self, moments: Iterator[_Moment], answers: int) -> Mapping[str, object]:
        """Return what the policy saves after the last answer."""
        now_ns = given = 0
        for number, moment in enumerate(moments):
            if given >= answers or number >= _MOST_MOMENTS:
                break
            now_ns = number * _APART_NS
            given += self._live(moment, number, now_ns)
        saved = self._policy.save(self._state, now_ns)
        return {name: value for name, value in saved.items() if name in {"learned", "calibration"}}

    def _live(self, moment: _Moment, number: int, now_ns: int) -> bool:
        estimate = _estimate(moment, number)
        self._state, decision = self._policy.decide(self._state, estimate, _context(moment, now_ns), now_ns)
        said = {RIGHT: moment.needed, WRONG: not moment.needed, RANDOM: self._rng.random() < _EVEN}[self._kind]
        if decision.verdict is Verdict.OFFER:
            kind = _drawn(_IF_NEEDED if said else _IF_NOT, moment.drawn)
            if kind is None:
                return False
            offer = _offer(estimate, now_ns)
            self._state = self._policy.learn(self._state, Feedback(offer_id=offer.offer_id, kind=kind), offer, now_ns)
            return True
        if said and moment.drawn < REQUESTS and isinstance(self._policy, LearnsReports):
            report = NeedReport(start_ns=now_ns, end_ns=now_ns, needed=True, by=ReportedBy.ASKED)
            needs = {moment.app: estimate.help_need}
            self._state = self._policy.learn_report(self._state, report, needs, now_ns)
        return False


def _judge(policy: Policy[Any], saved: Mapping[str, object], moments: Sequence[_Moment], costs: Costs) -> _Tally:
    """Return what a policy that learns nothing more gets on these moments."""
    tally, state = _Tally(), policy.start(saved, 0, 0)
    interrupt_s = costs.interrupt_s(at_break=True)
    for number, moment in enumerate(moments):
        now_ns = number * _APART_NS
        state, decision = policy.decide(state, _estimate(moment, number), _context(moment, now_ns), now_ns)
        offered = decision.verdict is Verdict.OFFER
        tally.needs += moment.needed
        tally.met += moment.needed and offered
        tally.false += offered and not moment.needed
        if moment.needed and not offered:
            tally.lost_s += costs.benefit_s - interrupt_s
        elif offered and not moment.needed:
            tally.lost_s += costs.false_s + interrupt_s
    return tally


def _figures(person: str, found: Mapping[str, Sequence[_Tally]]) -> list[PeopleFigures]:
    count = len(found[NONE])
    draws = Draws(count)
    hundreds = [MOMENTS / 100.0] * count

    def above(arm: str, other: str) -> Interval:
        return draws.ratio([a.lost_s - b.lost_s for a, b in zip(found[arm], found[other], strict=True)], hundreds)

    return [
        PeopleFigures(
            person=person,
            answers=arm,
            false=sum(tally.false for tally in tallies) / sum(hundreds),
            covered=sum(tally.met for tally in tallies) / max(1, sum(tally.needs for tally in tallies)),
            regret_s=sum(tally.lost_s for tally in tallies) / sum(hundreds),
            against_none=above(arm, NONE),
        )
        for arm, tallies in found.items()
    ]


def _drawn(chances: Sequence[tuple[FeedbackKind | None, float]], drawn: float) -> FeedbackKind | None:
    for kind, chance in chances:
        if drawn < chance:
            return kind
        drawn -= chance
    return None


def _sigmoid(log_odds: float) -> float:
    return 1.0 / (1.0 + math.exp(-log_odds))


def _estimate(moment: _Moment, number: int) -> Estimate:
    return Estimate(
        prefix_id=f"w{number}/100",
        window_id=number,
        fraction=1.0,
        detector="simulated",
        detector_version="1",
        state_probs=_STATES,
        help_need=_sigmoid(moment.log_odds),
        evidence=(Evidence(_TOPIC, {"count": 4.0, "tries": 2.0, "span_s": 20.0}),),
        made_at_ns=0,
        ready_at_ns=0,
        confidence_source="simulated",
        app=moment.app,
    )


def _context(moment: _Moment, now_ns: int) -> Context:
    return Context(
        consent=True,
        paused=False,
        excluded=False,
        app=moment.app,
        focus_since_ns=0,
        session_start_ns=-_APART_NS,
        last_input_ns=now_ns - 5 * NS_PER_S,
        buttons_down=False,
        in_word=False,
        dragging=False,
        full_screen=False,
        locked=False,
        do_not_disturb=False,
        call=False,
        showing=None,
    )


def _offer(estimate: Estimate, now_ns: int) -> Offer:
    return Offer(
        offer_id="o1",
        decision_seq=0,
        prefix_id=estimate.prefix_id,
        app=estimate.app,
        topic=_TOPIC,
        state=State.FRUSTRATION,
        help_need=estimate.help_need,
        evidence=estimate.evidence,
        help=None,
        shown_at_ns=now_ns,
        expires_at_ns=now_ns + 45 * NS_PER_S,
    )
