"""The truth of a simulated session: episodes of need, natural breaks, and what each offer brings and costs.

Nothing here depends on a policy. Episodes come from the script's labels, breaks from the times of input (`t_ns`, not
when the core received it). An offer outside every episode is false, also one before the second failure (`EARLY`) and
one just after trouble (`LATE`). Costs are in a file that was committed before anything was scored by it, and that names
the source of each number.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import pairwise

from demo.judge import BREAK_NS
from lab.benchmarks.policy.trace import Costs, PolicyCall, ShownOffer, Trace
from lab.simulation.recording.labels import Label, label_at
from policies.gates.content import PRAISE
from storage.clock import HOUR_NS, NS_PER_S
from storage.messages import EVIDENCE
from storage.records import Estimate, EventKind, Evidence, Focus, InputEvent, Record, State

LATE_NS = 10 * NS_PER_S
"""So soon after an episode a false offer is called late."""

_SURE = 0.99
_TOPICS = tuple(code for code in EVIDENCE if code not in PRAISE)


class OfferKind(StrEnum):
    """What an offer was."""

    HIT = "hit"
    REPEAT = "repeat"
    EARLY = "early"
    LATE = "late"
    TRAP = "trap"
    CALM = "calm"


FALSE = (OfferKind.EARLY, OfferKind.LATE, OfferKind.TRAP, OfferKind.CALM)


@dataclass(frozen=True, slots=True)
class Episode:
    """A stretch of time in which help is needed."""

    start_ns: int
    end_ns: int


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedOffer:
    """One offer, judged; `episode` is the place of the one it fell into."""

    shown: ShownOffer
    kind: OfferKind
    at_break: bool
    fluent: bool
    episode: int | None
    delay_ns: int


class InputTimes:
    """The times of input, and of another application coming to the front."""

    def __init__(self, rows: Iterable[Record]) -> None:
        """Collect them from a session, without what Kairos itself did."""
        self._inputs_ns: list[int] = []
        self._pressed_ns: list[tuple[int, int]] = []
        self._arrivals_ns: list[int] = []
        down_ns: int | None = None
        app = ""
        for row in rows:
            if isinstance(row, InputEvent) and not row.own:
                self._inputs_ns.append(row.t_ns)
                if row.kind is EventKind.BUTTON_DOWN and down_ns is None:
                    down_ns = row.t_ns
                elif row.kind is EventKind.BUTTON_UP and down_ns is not None:
                    self._pressed_ns.append((down_ns, row.t_ns))
                    down_ns = None
            elif isinstance(row, Focus) and row.app and not row.own and not (row.dialog and app):
                if row.app != app:
                    self._arrivals_ns.append(row.at_ns)
                app = row.app
        self._inputs_ns.sort()

    def at_break(self, now_ns: int) -> bool:
        """Return whether now is a natural break: about a second without input and no button held, or an arrival."""
        at = bisect_right(self._pressed_ns, (now_ns, now_ns)) - 1
        if at >= 0 and self._pressed_ns[at][0] <= now_ns < self._pressed_ns[at][1]:
            return False
        at = bisect_left(self._arrivals_ns, now_ns)
        if at < len(self._arrivals_ns) and self._arrivals_ns[at] == now_ns:
            return True
        at = bisect_right(self._inputs_ns, now_ns)
        return at == 0 or self._inputs_ns[at - 1] <= now_ns - BREAK_NS

    def first_break(self, start_ns: int, end_ns: int) -> int | None:
        """Return the first natural break of a stretch of time, or None."""
        first, last = bisect_left(self._inputs_ns, start_ns - BREAK_NS), bisect_right(self._inputs_ns, end_ns)
        after = [act + BREAK_NS for act in self._inputs_ns[first:last]]
        moments = sorted([start_ns, *after, *self._arrivals_ns])
        return next((now for now in moments if start_ns <= now <= end_ns and self.at_break(now)), None)


@dataclass(frozen=True, slots=True)
class Truth:
    """The truth of one session."""

    labels: tuple[Label, ...]
    episodes: tuple[Episode, ...]
    inputs: InputTimes


def truth_of(trace: Trace, merge_gap_s: float) -> Truth:
    """Return the truth of the session of a trace."""
    rows = (step.row for step in trace.steps if step.row is not None)
    return Truth(trace.labels, episodes_of(trace.labels, merge_gap_s), InputTimes(rows))


def episodes_of(labels: Sequence[Label], merge_gap_s: float) -> tuple[Episode, ...]:
    """Return the episodes of need: stretches with at most so long between them are one."""
    found: list[Episode] = []
    for label in labels:
        if label.need_from_ns is None:
            continue
        if found and label.need_from_ns - found[-1].end_ns <= merge_gap_s * NS_PER_S:
            found[-1] = Episode(found[-1].start_ns, label.end_ns)
        else:
            found.append(Episode(label.need_from_ns, label.end_ns))
    return tuple(found)


def with_true_need(trace: Trace, truth: Truth) -> Trace:
    """Return the session with estimates that are always right, so that what is missed is the policy's fault.

    Each episode has a topic of its own, or else novelty would allow an offer in one of them alone.
    """

    def right(call: PolicyCall, at_ns: int) -> PolicyCall:
        if not isinstance(call.trigger, Estimate):
            return call
        at = next((n for n, one in enumerate(truth.episodes) if one.start_ns <= at_ns <= one.end_ns), None)
        known = replace(
            call.trigger,
            help_need=1.0 - _SURE if at is None else _SURE,
            evidence=() if at is None else (Evidence(_TOPICS[at % len(_TOPICS)], {}),),
            abstained=False,
            error=None,
        )
        return replace(call, trigger=known)

    steps = (
        replace(step, calls=tuple(right(policy_call, step.at_ns) for policy_call in step.calls)) for step in trace.steps
    )
    return replace(trace, steps=tuple(steps))


def most_covered(episodes: Sequence[Episode], cooldown_s: float, offers_per_hour: int) -> int:
    """Return how many episodes of a session can be covered within a budget by somebody who knows them all."""
    offers_ns: list[int] = []
    for episode in episodes:
        earliest_ns = episode.start_ns
        if offers_ns:
            earliest_ns = max(earliest_ns, offers_ns[-1] + round(cooldown_s * NS_PER_S))
        if len(offers_ns) >= offers_per_hour:
            earliest_ns = max(earliest_ns, offers_ns[-offers_per_hour] + HOUR_NS)
        if earliest_ns <= episode.end_ns:
            offers_ns.append(earliest_ns)
    return len(offers_ns)


def judge(truth: Truth, shown: Iterable[ShownOffer]) -> list[JudgedOffer]:
    """Judge the offers of a session, in order of time."""
    met: set[int] = set()
    found = []
    for offer in shown:
        at = next((n for n, one in enumerate(truth.episodes) if one.start_ns <= offer.at_ns <= one.end_ns), None)
        label = label_at(truth.labels, offer.at_ns)
        if at is None:
            kind = _false_kind(truth, label, offer.at_ns)
        else:
            kind = OfferKind.REPEAT if at in met else OfferKind.HIT
            met.add(at)
        found.append(
            JudgedOffer(
                shown=offer,
                kind=kind,
                at_break=truth.inputs.at_break(offer.at_ns),
                fluent=at is None and label is not None and is_fluent(label),
                episode=at,
                delay_ns=0 if at is None else offer.at_ns - truth.episodes[at].start_ns,
            )
        )
    return found


def is_fluent(label: Label) -> bool:
    """Return whether somebody works fluently: performs actions and at no time needs help."""
    return label.state is State.PERFORMING_ACTIONS and label.need_from_ns is None


def hours_of(labels: Iterable[Label]) -> float:
    """Return how long behaviors took in all."""
    return sum(label.end_ns - label.start_ns for label in labels) / NS_PER_S / 3600


def utility_s(judged: Iterable[JudgedOffer], costs: Costs) -> float:
    """Return the utility of all offers of a session."""
    return sum(_utility_s(offer, costs) for offer in judged)


def oracle_s(truth: Truth, costs: Costs) -> float:
    """Return the utility of offers by an oracle that knows every episode and has no budget."""
    total = 0.0
    for episode in truth.episodes:
        first = truth.inputs.first_break(episode.start_ns, episode.end_ns)
        at_onset = costs.benefit_s - costs.interrupt_s(at_break=first == episode.start_ns)
        waiting = 0.0
        if first is not None:
            waiting = costs.benefit_after_s(first - episode.start_ns) - costs.interrupt_s(at_break=True)
        total += max(0.0, at_onset, waiting)
    return total


def _utility_s(one: JudgedOffer, costs: Costs) -> float:
    brings = costs.benefit_after_s(one.delay_ns) if one.kind is OfferKind.HIT else 0.0
    lost = costs.false_s if one.kind in FALSE else 0.0
    return brings - lost - costs.interrupt_s(at_break=one.at_break)


def _false_kind(truth: Truth, label: Label | None, at_ns: int) -> OfferKind:
    if label is not None and label.need_from_ns is not None:
        return OfferKind.EARLY
    if any(0 < at_ns - episode.end_ns <= LATE_NS for episode in truth.episodes):
        return OfferKind.LATE
    return OfferKind.TRAP if label is not None and label.hard_negative else OfferKind.CALM


def violations(shown: Sequence[ShownOffer], cooldown_s: float) -> int:
    """Count offers that were made within the cool-down of another."""
    return sum(later.at_ns - before.at_ns < cooldown_s * NS_PER_S for before, later in pairwise(shown))


def unwelcome(trace: Trace, shown: Iterable[ShownOffer]) -> int:
    """Count offers that were on the screen while the session was out of bounds."""
    return sum(
        any(offer.at_ns < span.end_ns and offer.gone_ns > span.start_ns for span in trace.spans) for offer in shown
    )
