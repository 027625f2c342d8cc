"""Runs all policies on the same sessions and the same estimates: our arms, simple baselines, and an oracle.

Each session begins anew, without the quiet minutes at its start, with a seed of its own, and nobody answers an offer.
There are two groups: as shipped, with availability and budget, which baselines keep too; and without limits, where
baselines keep nothing but consent.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from daemon.figures.intervals import Interval
from daemon.figures.off_policy import PolicyValue
from detectors import registry as detector_registry
from lab.benchmarks.policy.baselines import baselines, threshold_baseline
from lab.benchmarks.policy.costs import Rules
from lab.benchmarks.policy.figures import (
    BehaviorFigures,
    PolicyFigures,
    Sessions,
    by_behavior,
    figures_of,
    regrets,
    sessions_of,
)
from lab.benchmarks.policy.replay import Played, play
from lab.benchmarks.policy.trace import Trace, one_long, trace, with_unwelcome
from lab.benchmarks.policy.truth import JudgedOffer, judge, truth_of, unwelcome, violations, with_true_need
from lab.simulation.persona import Split
from lab.simulation.recording.pack import Packed
from policies import registry as policy_registry
from policies.protocol import Policy
from storage.clock import NS_PER_S, SystemClock
from storage.settings import DetectorSettings, PolicySettings

ARMS = ("silent", "random", "always", "threshold", "utility")
OURS = "utility"
SHIPPED, FREE = "as shipped", "without limits"
BASELINE = "baseline: "
CEILING = "ceiling: estimates always right"
LONG_HOURS = 10.0
"""Length of the session on which speed is measured."""

_NO_LIMIT = 1_000_000
_PASSES = 3

SETTINGS = PolicySettings(quiet_start_s=0.0)
"""As shipped, but for the quiet minutes at a session's start: these sessions last ten minutes.

For the same reason the budget of an hour, which begins anew with each, hardly matters; the cool-down does.
"""

UNLIMITED = replace(SETTINGS, offers_per_hour=_NO_LIMIT, offers_per_day=_NO_LIMIT, cooldown_s=0.0, novelty_s=0.0)
"""Without limits: no budget, no cool-down, no novelty."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyEntry:
    """One policy in one group, with its offers per session and its figures."""

    group: str
    name: str
    judged: Sequence[Sequence[JudgedOffer]]
    figures: PolicyFigures


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """One threshold of the curve."""

    threshold: float
    false_per_hour: float
    covered: float
    delay_s: float
    at_break: float
    regret_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class OutOfBoundsOffers:
    """Offers on the screen while out of bounds, and those of the same policy in these minutes otherwise."""

    offers: int
    otherwise: int


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionSpeed:
    """CPU time: p99 of one decision, in all and per pass; of all estimates; of ten hours through all arms."""

    decide_p99_us: float
    passes_p99_us: Sequence[float]
    estimates_s: float
    long_s: float
    long_hours: float
    decisions: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyComparison:
    """All figures of a run.

    Attributes:
        most_covered: episodes that an oracle could cover within the shipped cool-down and budget.
        most_covered_in_budget: the same within the budget alone.
    """

    detector: str
    sessions: int
    held_out: bool
    hours: float
    labelled_hours: float
    episodes: int
    most_covered: int
    most_covered_in_budget: int
    entries: Sequence[PolicyEntry]
    regret_against: Mapping[str, Mapping[str, Mapping[str, Interval]]]
    behaviors: Sequence[BehaviorFigures]
    curves: Mapping[str, Sequence[Point]]
    unwelcome: Mapping[str, OutOfBoundsOffers]
    off_policy: Mapping[str, PolicyValue | str]
    speed: DecisionSpeed


def compare(
    packed: Sequence[Packed],
    settings: DetectorSettings,
    rules: Rules,
    off_policy: Mapping[str, PolicyValue | str],
    progress: Callable[[str], None],
) -> PolicyComparison:
    """Estimate all sessions with a detector, and judge every policy on them."""
    detector = detector_registry.load(settings)
    progress(f"{detector.name} estimates {len(packed)} sessions")
    clock = SystemClock()
    begun_ns = clock.cpu_ns()
    traces = [trace(one.name, one.rows, one.labels, detector) for one in packed]
    estimates_s = (clock.cpu_ns() - begun_ns) / NS_PER_S
    truths = [truth_of(one, rules.episodes.merge_gap_s) for one in traces]
    sessions = sessions_of(truths, [one.hours for one in traces], rules)
    runner = _Runner(traces, sessions)
    ceiling = _Runner([with_true_need(*one) for one in zip(traces, truths, strict=True)], sessions)
    entries = []
    for group, limits in ((SHIPPED, SETTINGS), (FREE, UNLIMITED)):
        arms = [(name, arm(name, limits, settings.base_rate)) for name in ARMS]
        simple = baselines(rules.baselines, limits if group == SHIPPED else None)
        for name, policy in [*arms, *((f"{BASELINE}{one.name}", one) for one in simple)]:
            progress(f"{name} ({group})")
            entries.append(runner.entry(group, name, policy))
        entries.append(ceiling.entry(group, CEILING, arm(OURS, limits, settings.base_rate)))
    ours = next(one for one in entries if (one.group, one.name) == (FREE, OURS)).judged
    in_training = [at for at, one in enumerate(packed) if one.split is Split.TRAIN]
    return PolicyComparison(
        detector=detector.name,
        sessions=len(packed),
        held_out=all(one.split is Split.TEST for one in packed),
        hours=sum(sessions.hours),
        episodes=sessions.episodes,
        labelled_hours=sum(sessions.labelled_hours),
        most_covered=sessions.most_covered(SETTINGS.cooldown_s, SETTINGS.offers_per_hour),
        most_covered_in_budget=sessions.most_covered(0.0, SETTINGS.offers_per_hour),
        entries=entries,
        regret_against=regret_against(sessions, entries),
        behaviors=by_behavior([truths[at] for at in in_training], [ours[at] for at in in_training]),
        curves=_curves(runner, rules, settings.base_rate),
        unwelcome=_unwelcome(traces, settings.base_rate),
        off_policy=off_policy,
        speed=_speed(traces, [arm(name, SETTINGS, settings.base_rate) for name in ARMS], ARMS.index(OURS), estimates_s),
    )


def arm(name: str, limits: PolicySettings, base_rate: float) -> Policy[Any]:
    """Return an arm that comes with the policies."""
    return policy_registry.load(replace(limits, name=name), base_rate)


class _Runner:
    """Runs policies on the same traces and judges their offers."""

    def __init__(self, traces: Sequence[Trace], sessions: Sessions) -> None:
        self._traces = traces
        self._sessions = sessions
        self._clock = SystemClock()

    def entry(self, group: str, name: str, policy: Policy[Any]) -> PolicyEntry:
        """Judge a policy."""
        begun_ns = self._clock.cpu_ns()
        played = play_all(self._traces, policy)
        seconds = (self._clock.cpu_ns() - begun_ns) / NS_PER_S
        judged = [judge(truth, one.shown) for truth, one in zip(self._sessions.truths, played, strict=True)]
        early = sum(violations(one.shown, SETTINGS.cooldown_s) for one in played)
        return PolicyEntry(
            group=group, name=name, judged=judged, figures=figures_of(self._sessions, judged, early, seconds)
        )


def play_all(traces: Sequence[Trace], policy: Policy[Any]) -> list[Played]:
    """Replay all sessions through a policy; each begins anew, with a seed of its own."""
    return [play(one, policy, saved={"seed": number}) for number, one in enumerate(traces, start=1)]


def regret_against(sessions: Sessions, entries: Sequence[PolicyEntry]) -> dict[str, dict[str, dict[str, Interval]]]:
    """Return by how many seconds an hour our regret is greater than that of each baseline: group, factor, baseline."""
    found: dict[str, dict[str, dict[str, Interval]]] = {}
    for group in (SHIPPED, FREE):
        ours = next(one for one in entries if (one.group, one.name) == (group, OURS))
        found[group] = {}
        for factor in sessions.oracle_s:
            mine = regrets(sessions, ours.judged, factor)
            found[group][factor] = {
                one.name: sessions.draws.ratio(
                    [a - b for a, b in zip(mine, regrets(sessions, one.judged, factor), strict=True)], sessions.hours
                )
                for one in entries
                if one.group == group and one is not ours and one.name != CEILING
            }
    return found


def _curves(runner: _Runner, rules: Rules, base_rate: float) -> dict[str, list[Point]]:
    """Return the figures over the threshold: of the bare baseline, and of our arm with and without limits."""

    def points(policy_at: Callable[[float], Policy[Any]]) -> list[Point]:
        found = []
        for threshold in rules.curve.thresholds:
            figures = runner.entry("", "", policy_at(threshold)).figures
            found.append(
                Point(
                    threshold=threshold,
                    false_per_hour=figures.false_per_hour.value,
                    covered=figures.covered.value,
                    delay_s=figures.delay_s.value,
                    at_break=figures.at_break.value,
                    regret_s=figures.regret_s["1"].value,
                )
            )
        return found

    return {
        "bare threshold": points(threshold_baseline),
        "arm, without limits": points(lambda at: arm("threshold", replace(UNLIMITED, threshold=at), base_rate)),
        "arm, as shipped": points(lambda at: arm("threshold", replace(SETTINGS, threshold=at), base_rate)),
    }


def _unwelcome(traces: Sequence[Trace], base_rate: float) -> dict[str, OutOfBoundsOffers]:
    """Put every other minute out of bounds, and count offers there; beside it those in the same minutes otherwise."""
    bounded = [with_unwelcome(one) for one in traces]
    found = {}
    for name in ARMS:
        policy = arm(name, UNLIMITED, base_rate)
        otherwise = [replace(calm, spans=one.spans) for calm, one in zip(traces, bounded, strict=True)]
        found[name] = OutOfBoundsOffers(
            offers=sum(unwelcome(one, got.shown) for one, got in zip(bounded, play_all(bounded, policy), strict=True)),
            otherwise=sum(
                unwelcome(one, got.shown) for one, got in zip(otherwise, play_all(otherwise, policy), strict=True)
            ),
        )
    return found


def _speed(traces: Sequence[Trace], arms: Sequence[Policy[Any]], ours: int, estimates_s: float) -> DecisionSpeed:
    """Time every decision of our policy, the shortest of a few passes, and all arms on one session of ten hours."""
    clock = SystemClock()
    long = one_long(traces, LONG_HOURS)
    passes = [play(long, arms[ours], cpu_ns=clock.cpu_ns).decide_ns for _ in range(_PASSES)]
    begun_ns = clock.cpu_ns()
    for arm in arms:
        play(long, arm)
    return DecisionSpeed(
        decide_p99_us=_p99_us(list(map(min, *passes))),
        passes_p99_us=[_p99_us(one) for one in passes],
        estimates_s=round(estimates_s, 1),
        long_s=round((clock.cpu_ns() - begun_ns) / NS_PER_S, 2),
        long_hours=round(long.hours, 2),
        decisions=len(passes[0]),
    )


def _p99_us(times_ns: Sequence[int]) -> float:
    return round(float(np.quantile(times_ns, 0.99)) / 1000.0, 1)
