"""All policies on the same sessions and the same estimates: our arms, simple baselines, and an oracle.

Each session begins anew, without the quiet minutes at its start, with a seed of its own, and nobody answers an offer.
There are two groups: as shipped, with manners and budget, where baselines are polite too; and without limits, where
they are bare.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from detectors import registry as detector_registry
from evaluation.benchmarks.policy.baselines import baselines, threshold_baseline
from evaluation.benchmarks.policy.costs import Rules
from evaluation.benchmarks.policy.episodes import OfBehavior, by_behavior
from evaluation.benchmarks.policy.figures import Figures, Sessions, figures_of, regrets, sessions_of
from evaluation.benchmarks.policy.off_policy import Estimated
from evaluation.benchmarks.policy.replay import Played, play
from evaluation.benchmarks.policy.speed import Speed, speed_of
from evaluation.benchmarks.policy.trace import Trace, trace, with_unwelcome
from evaluation.benchmarks.policy.truth import Judged, judge, truth_of, unwelcome, violations, with_true_need
from evaluation.measure.metrics import Interval
from evaluation.simulation.recording.pack import Packed
from evaluation.simulation.session_plan import Split
from policies import registry as policy_registry
from policies.protocol import Policy
from storage.clock import NS_PER_S, SystemClock
from storage.settings import DetectorSettings, PolicySettings

ARMS = ("silent", "random", "always", "threshold", "utility")
OURS = "utility"
SHIPPED, FREE = "as shipped", "without limits"
BASELINE = "baseline: "
CEILING = "ceiling: estimates always right"
_MANY = 1_000_000

SETTINGS = PolicySettings(quiet_start_s=0.0)
"""As shipped, but for the quiet minutes at a session's start: these sessions last ten minutes.

For the same reason the budget of an hour, which begins anew with each, hardly says anything; the cool-down does.
"""

UNLIMITED = replace(SETTINGS, offers_per_hour=_MANY, offers_per_day=_MANY, cooldown_s=0.0, novelty_s=0.0)
"""Without limits: no budget, no cool-down, and the same may be said again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One policy in one group, with its offers per session and its figures."""

    group: str
    name: str
    judged: Sequence[Sequence[Judged]]
    figures: Figures


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
class Unwelcome:
    """Offers on the screen while out of bounds, and how many the same policy makes in those minutes otherwise."""

    offers: int
    otherwise: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """All that is told.

    Attributes:
        most_covered: episodes one could cover who knows them all, within the shipped cool-down and budget.
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
    entries: Sequence[Entry]
    regret_against: Mapping[str, Mapping[str, Mapping[str, Interval]]]
    behaviors: Sequence[OfBehavior]
    curves: Mapping[str, Sequence[Point]]
    unwelcome: Mapping[str, Unwelcome]
    off_policy: Mapping[str, Estimated | str]
    speed: Speed


def compare(
    packed: Sequence[Packed],
    settings: DetectorSettings,
    rules: Rules,
    off: Mapping[str, Estimated | str],
    say: Callable[[str], None] = lambda _: None,
) -> Result:
    """Let a detector see all sessions, and judge every policy on them."""
    detector = detector_registry.load(settings)
    say(f"{detector.name} looks at {len(packed)} sessions")
    clock = SystemClock()
    begun_ns = clock.cpu_ns()
    traces = [trace(one.name, one.rows, one.labels, detector) for one in packed]
    estimates_s = (clock.cpu_ns() - begun_ns) / NS_PER_S
    truths = [truth_of(one, rules.episodes.merge_gap_s) for one in traces]
    sessions = sessions_of(truths, [one.hours for one in traces], rules)
    judging = _Judging(traces, sessions)
    ceiling = _Judging([with_true_need(*one) for one in zip(traces, truths, strict=True)], sessions)
    entries = []
    for group, limits in ((SHIPPED, SETTINGS), (FREE, UNLIMITED)):
        arms = [(name, arm(name, limits, settings.base_rate)) for name in ARMS]
        beside = baselines(rules.baselines, limits if group == SHIPPED else None)
        for name, policy in [*arms, *((f"{BASELINE}{one.name}", one) for one in beside)]:
            say(f"{name} ({group})")
            entries.append(judging.entry(group, name, policy))
        entries.append(ceiling.entry(group, CEILING, arm(OURS, limits, settings.base_rate)))
    ours = next(one for one in entries if (one.group, one.name) == (FREE, OURS)).judged
    open_ones = [at for at, one in enumerate(packed) if one.split is Split.TRAIN]
    return Result(
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
        behaviors=by_behavior([truths[at] for at in open_ones], [ours[at] for at in open_ones]),
        curves=_curves(judging, rules, settings.base_rate),
        unwelcome=_unwelcome(traces, settings.base_rate),
        off_policy=off,
        speed=speed_of(
            traces, [arm(name, SETTINGS, settings.base_rate) for name in ARMS], ARMS.index(OURS), estimates_s
        ),
    )


def arm(name: str, limits: PolicySettings, base_rate: float) -> Policy[Any]:
    """Return an arm that comes with the policies."""
    return policy_registry.load(replace(limits, name=name), base_rate)


class _Judging:
    """Plays policies on the same traces and judges what they say."""

    def __init__(self, traces: Sequence[Trace], sessions: Sessions) -> None:
        self._traces = traces
        self._sessions = sessions
        self._clock = SystemClock()

    def entry(self, group: str, name: str, policy: Policy[Any]) -> Entry:
        """Judge a policy."""
        begun_ns = self._clock.cpu_ns()
        played = play_all(self._traces, policy)
        seconds = (self._clock.cpu_ns() - begun_ns) / NS_PER_S
        judged = [judge(truth, one.shown) for truth, one in zip(self._sessions.truths, played, strict=True)]
        early = sum(violations(one.shown, SETTINGS.cooldown_s) for one in played)
        return Entry(group=group, name=name, judged=judged, figures=figures_of(self._sessions, judged, early, seconds))


def play_all(traces: Sequence[Trace], policy: Policy[Any]) -> list[Played]:
    """Replay all sessions through a policy; each begins anew, with a seed of its own."""
    return [play(one, policy, saved={"seed": number}) for number, one in enumerate(traces, start=1)]


def regret_against(sessions: Sessions, entries: Sequence[Entry]) -> dict[str, dict[str, dict[str, Interval]]]:
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


def _curves(judging: _Judging, rules: Rules, base_rate: float) -> dict[str, list[Point]]:
    """Return the figures over the threshold: of the bare baseline, and of our arm with and without limits."""

    def points(policy_at: Callable[[float], Policy[Any]]) -> list[Point]:
        found = []
        for threshold in rules.curve.thresholds:
            figures = judging.entry("", "", policy_at(threshold)).figures
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


def _unwelcome(traces: Sequence[Trace], base_rate: float) -> dict[str, Unwelcome]:
    """Put every other minute out of bounds, and count who speaks there; beside it who would have otherwise."""
    bounded = [with_unwelcome(one) for one in traces]
    found = {}
    for name in ARMS:
        policy = arm(name, UNLIMITED, base_rate)
        otherwise = [replace(calm, spans=one.spans) for calm, one in zip(traces, bounded, strict=True)]
        found[name] = Unwelcome(
            offers=sum(unwelcome(one, got.shown) for one, got in zip(bounded, play_all(bounded, policy), strict=True)),
            otherwise=sum(
                unwelcome(one, got.shown) for one, got in zip(otherwise, play_all(otherwise, policy), strict=True)
            ),
        )
    return found
