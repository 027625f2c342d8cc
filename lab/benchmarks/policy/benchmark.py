"""Compares every policy on the same sessions and the same estimates: our arms, simple baselines, and an oracle.

A detector estimates each session once; then one policy after the other decides (`trace`). Nobody answers there, so
nothing is learned, and each session of ten minutes begins anew, budget, cool-down
and novelty too, without the quiet minutes at its start and with a seed of its own. Two groups: as shipped, with
availability and these limits, which baselines keep too; and without limits, because these sessions hold some two dozen
episodes of need an hour, of which a cool-down of two minutes leaves four fifths. The cost of an offer is fixed in
`data/costs.toml`. Everything is simulated.

By default the sessions are held out from training. Nothing may be chosen on them, so errors by behavior are reported
for sessions of the training split alone.
"""

import math
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

import numpy as np

from daemon.figures.intervals import Interval
from daemon.figures.resampling import DRAWS
from daemon.figures.svg import (
    PALETTE,
    ROW,
    Axis,
    Bar,
    Line,
    Mark,
    bar_plot,
    drawing,
    line_plot,
    rectangle,
    rounded_up,
    text_at,
)
from detectors import registry as detector_registry
from lab.benchmarks.policy.figures import (
    BehaviorFigures,
    PolicyFigures,
    Sessions,
    by_behavior,
    figures_of,
    regrets,
    sessions_of,
)
from lab.benchmarks.policy.trace import (
    Played,
    Rules,
    Trace,
    baselines,
    load_rules,
    play,
    threshold_baseline,
    trace,
    with_unwelcome,
)
from lab.benchmarks.policy.truth import (
    FALSE,
    JudgedOffer,
    OfferKind,
    judge,
    truth_of,
    unwelcome,
    violations,
    with_true_need,
)
from lab.measure.benchmark import AcceptanceCriterion, Report, at_least, at_most
from lab.measure.report import Heading, Paragraph, Part, Plots, Table, markdown_of, page_of, text_of
from lab.simulation.persona import Split
from lab.simulation.recording.pack import MANIFEST, SUFFIX, Packed, read_manifest, read_packed
from policies import registry as policy_registry
from policies.protocol import Policy
from storage.clock import NS_PER_S, SystemClock
from storage.errors import BadFile
from storage.plain_text import print_progress
from storage.settings import DetectorSettings, PolicySettings

ARMS = ("silent", "random", "always", "threshold", "utility")
OURS = "utility"
SHIPPED, FREE = "as shipped", "without limits"
BASELINE = "baseline: "
CEILING = "ceiling: estimates always right"
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
    """CPU time: p99 of one decision of ours, in all and per pass, and of all estimates."""

    decide_p99_us: float
    passes_p99_us: Sequence[float]
    estimates_s: float
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
    speed: DecisionSpeed


def compare(
    packed: Sequence[Packed],
    settings: DetectorSettings,
    rules: Rules,
    progress: Callable[[str], None],
) -> PolicyComparison:
    """Estimate all sessions with a detector, and judge every policy on them."""
    detector = detector_registry.load(settings)
    progress(f"{detector.name} estimates {len(packed)} sessions")
    clock = SystemClock()
    begun_ns = clock.cpu_ns()
    traces = [trace(recording.name, recording.rows, recording.labels, detector) for recording in packed]
    estimates_s = (clock.cpu_ns() - begun_ns) / NS_PER_S
    truths = [truth_of(played, rules.episodes["merge_gap_s"]) for played in traces]
    sessions = sessions_of(truths, [played.hours for played in traces], rules)
    runner = _Runner(traces, sessions)
    ceiling = _Runner([with_true_need(*pair) for pair in zip(traces, truths, strict=True)], sessions)
    entries = []
    for group, limits in ((SHIPPED, SETTINGS), (FREE, UNLIMITED)):
        arms = [(name, arm(name, limits, settings.base_rate)) for name in ARMS]
        simple = baselines(rules.baselines, limits if group == SHIPPED else None)
        for name, policy in [*arms, *((f"{BASELINE}{baseline.name}", baseline) for baseline in simple)]:
            progress(f"{name} ({group})")
            entries.append(runner.entry(group, name, policy))
        entries.append(ceiling.entry(group, CEILING, arm(OURS, limits, settings.base_rate)))
    ours = next(entry for entry in entries if (entry.group, entry.name) == (FREE, OURS)).judged
    in_training = [at for at, one in enumerate(packed) if one.split is Split.TRAIN]
    return PolicyComparison(
        detector=detector.name,
        sessions=len(packed),
        held_out=all(recording.split is Split.TEST for recording in packed),
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
        speed=_speed(traces, arm(OURS, SETTINGS, settings.base_rate), estimates_s),
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
        early = sum(violations(run.shown, SETTINGS.cooldown_s) for run in played)
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
        ours = next(entry for entry in entries if (entry.group, entry.name) == (group, OURS))
        found[group] = {}
        for factor in sessions.oracle_s:
            mine = regrets(sessions, ours.judged, factor)
            found[group][factor] = {
                entry.name: sessions.draws.ratio(
                    [a - b for a, b in zip(mine, regrets(sessions, entry.judged, factor), strict=True)], sessions.hours
                )
                for entry in entries
                if entry.group == group and entry is not ours and entry.name != CEILING
            }
    return found


def _curves(runner: _Runner, rules: Rules, base_rate: float) -> dict[str, list[Point]]:
    """Return the figures over the threshold: of the bare baseline, and of our arm with and without limits."""

    def points(policy_at: Callable[[float], Policy[Any]]) -> list[Point]:
        found = []
        for threshold in rules.curve["thresholds"]:
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
    bounded = [with_unwelcome(played) for played in traces]
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


def _speed(traces: Sequence[Trace], policy: Policy[Any], estimates_s: float) -> DecisionSpeed:
    """Time every decision of a policy in all sessions, and take the shortest of a few passes."""
    cpu_ns = SystemClock().cpu_ns
    passes = [[ns for trace in traces for ns in play(trace, policy, cpu_ns=cpu_ns).decide_ns] for _ in range(_PASSES)]
    return DecisionSpeed(
        decide_p99_us=_p99_us(list(map(min, *passes))),
        passes_p99_us=[_p99_us(times) for times in passes],
        estimates_s=round(estimates_s, 1),
        decisions=len(passes[0]),
    )


def _p99_us(times_ns: Sequence[int]) -> float:
    return round(float(np.quantile(times_ns, 0.99)) / 1000.0, 1)


LOUD = "Simulated sessions: scripted people in real programs, and offers that nobody saw or answered. Not people."

_COLUMNS: Sequence[tuple[str, Callable[[PolicyFigures], str]]] = (
    ("offers", lambda one: str(one.offers)),
    ("false an hour (95 %)", lambda one: interval(one.false_per_hour)),
    ("at most (Poisson)", lambda one: number(one.false_upper)),
    ("at most (drawn)", lambda one: number(one.false_upper_drawn)),
    ("false a labelled hour (95 %)", lambda one: interval(one.false_per_labelled_hour)),
    ("at most (Poisson)", lambda one: number(one.false_upper_labelled)),
    ("false an hour, without early ones", lambda one: number(one.false_but_early)),
    ("early or late", lambda one: str(one.kinds[OfferKind.EARLY] + one.kinds[OfferKind.LATE])),
    ("in calm or traps", lambda one: str(one.kinds[OfferKind.CALM] + one.kinds[OfferKind.TRAP])),
    ("episodes covered (95 %)", lambda one: interval(one.covered)),
    ("precision", lambda one: number(one.precision.value)),
    ("onset to offer, median s (of all)", lambda one: f"{interval(one.delay_s, 1)} ({number(one.delay_all_s, 1)})"),
    ("at a break", lambda one: interval(one.at_break)),
    ("waited s: median, p95", lambda one: ", ".join(number(value, 1) for value in one.waited_s)),
    ("an hour of fluent work", lambda one: interval(one.fluent_per_hour, 1)),
)
"""The columns of the table, between the policy's name and its regret."""


def facts(result: PolicyComparison, rules: Rules) -> list[str]:
    """Return what was judged, how, and what stands in the way of more, one paragraph each."""
    words = {
        **{member.name: getattr(result, member.name) for member in fields(result)},
        "where": "held out from training" if result.held_out else "NOT held out from training: no claim rests on them",
        "merge_gap_s": rules.episodes["merge_gap_s"],
        "draws": DRAWS,
        "shipped": SHIPPED.capitalize(),
        "free": FREE.capitalize(),
        "settings": SETTINGS,
        "unlimited": UNLIMITED,
        "costs": rules.costs,
        "session_minutes": 60 * result.hours / result.sessions,
        "episodes_an_hour": result.episodes / result.hours,
        "most": _share(result.most_covered, result),
        "most_in_budget": _share(result.most_covered_in_budget, result),
        "ceiling": CEILING.replace(": ", " ("),
    }
    return [text.format(**words) for text in tomllib.loads(WORDS.read_text(encoding="utf-8"))["paragraphs"]]


def parts_of(result: PolicyComparison, rules: Rules) -> list[Part]:
    """Return what was judged and what was found."""
    parts: list[Part] = [Paragraph(LOUD, "loud"), *facts(result, rules), _cpu_time(result)]
    for group in (SHIPPED, FREE):
        against = result.regret_against[group]
        factors = [f"costs x{factor}" for factor in against]
        names = sorted(next(iter(against.values())), key=lambda name: not name.startswith(BASELINE))
        parts += [
            Heading(group.capitalize()),
            Table(
                ("policy", *(head for head, _ in _COLUMNS), *(f"regret, {factor}" for factor in factors)),
                [
                    (
                        entry.name,
                        *(cell(entry.figures) for _, cell in _COLUMNS),
                        *(interval(value, 0) for value in entry.figures.regret_s.values()),
                    )
                    for entry in _of(result, group)
                ],
                OURS,
            ),
            f"By how much the regret of {OURS} is above that of another, in seconds an hour; below 0 it does better:",
            Table(
                (f"{OURS} against", *factors),
                [(name, *(interval(found[name], 0) for found in against.values())) for name in names],
            ),
        ]
    behaviors = [behavior for behavior in result.behaviors if behavior.false or behavior.episodes]
    if behaviors:
        parts += [
            Heading(f"Behavior by behavior, {OURS}, {FREE}"),
            "Of sessions of the training split alone: such a list of held-out ones would invite choosing by them.",
            Table(
                ("behavior", "minutes", "false offers", "episodes begun", "covered", "median delay s"),
                [
                    (
                        behavior.behavior.replace("_", " "),
                        f"{behavior.minutes:.1f}",
                        str(behavior.false),
                        str(behavior.episodes or "-"),
                        str(behavior.covered if behavior.episodes else "-"),
                        "-" if behavior.delay_s is None else f"{behavior.delay_s:.1f}",
                    )
                    for behavior in behaviors
                ],
            ),
        ]
    return [
        *parts,
        Heading("Out of bounds"),
        (
            "Every other minute of all sessions is put into full screen, lock, do-not-disturb, a call or a pause, "
            "one after the other, while estimates go on. Counted is every offer on the screen there, of arms without "
            "limits."
        ),
        Table(
            ("arm", "offers out of bounds", "in the same minutes, were they free"),
            [(name, str(one.offers), str(one.otherwise)) for name, one in result.unwelcome.items()],
        ),
    ]


def plots_of(result: PolicyComparison) -> list[Part]:
    """Return what only a page shows."""
    order = (OfferKind.HIT, OfferKind.REPEAT, *FALSE)
    kinds = [
        (f"{entry.name} ({group})", [entry.figures.kinds[kind] for kind in order])
        for group in (SHIPPED, FREE)
        for entry in _of(result, group)
        if entry.name in ARMS
    ]
    return [
        Heading("Curves over the threshold"),
        Plots((_coverage_plot(result), _threshold_plot(result))),
        Heading("What the offers were"),
        Plots((share_plot(kinds, [kind.value for kind in order]),)),
        *(
            part
            for group in (SHIPPED, FREE)
            for part in (
                Heading(f"Regret against an oracle, seconds an hour, {group}"),
                Plots([_regret_plot(result, group, factor) for factor in result.regret_against[group]]),
            )
        ),
    ]


# ---------------------------------------------------------------- cells and words


def interval(one: Interval, places: int = 2) -> str:
    """Return a figure with its interval."""
    if math.isnan(one.value):
        return "-"
    return f"{one.value:.{places}f} ({number(one.low, places)}..{number(one.high, places)})"


def number(value: float, places: int = 2) -> str:
    """Return a figure; infinite is never, and there may be none."""
    if math.isinf(value):
        return "never" if value > 0 else "-"
    return "-" if math.isnan(value) else f"{value:.{places}f}"


def _share(count: int, result: PolicyComparison) -> str:
    return f"{count} of {result.episodes} ({count / max(1, result.episodes):.2f})"


def _of(result: PolicyComparison, group: str) -> list[PolicyEntry]:
    return [entry for entry in result.entries if entry.group == group]


def _cpu_time(result: PolicyComparison) -> str:
    speed = result.speed
    return (
        f"CPU: a decision takes {speed.decide_p99_us:g} us (p99 of {speed.decisions}); the estimates of all sessions, "
        f"made once before, took {speed.estimates_s:g} s."
    )


# ---------------------------------------------------------------- plots


def _coverage_plot(result: PolicyComparison) -> str:
    marks = [
        Mark(entry.figures.false_per_hour.value, entry.figures.covered.value, _short(entry.name), entry.name == OURS)
        for entry in _of(result, FREE)
    ]
    title = "Episodes covered over false offers (without limits)"
    labels = ("false offers an hour", "covered")
    return _curve_plot(title, result, lambda one: (one.false_per_hour, one.covered), labels, marks)


def _threshold_plot(result: PolicyComparison) -> str:
    title, labels = "False offers over the threshold", ("threshold of help need", "false an hour")
    return _curve_plot(title, result, lambda one: (one.threshold, one.false_per_hour), labels)


def _curve_plot(
    title: str,
    result: PolicyComparison,
    point: Callable[[Point], tuple[float, float]],
    labels: tuple[str, str],
    marks: Sequence[Mark] = (),
) -> str:
    """Return the curves over the threshold; the far right is cut where only marks lie."""
    curves = {name: [point(mark) for mark in points] for name, points in result.curves.items()}
    ends = [mark for points in curves.values() for mark in points]
    x = Axis(label=labels[0], high=rounded_up(max(x for x, _ in ends)))
    y = Axis(label=labels[1], high=rounded_up(max([y for _, y in ends] + [mark.y for mark in marks])))
    lines = [
        Line(name=name, points=points, colour=colour)
        for (name, points), colour in zip(curves.items(), PALETTE, strict=False)
    ]
    return line_plot(title, lines, x, y, marks=marks, legend=True)


def _short(name: str) -> str:
    bare = name.removeprefix(BASELINE)
    return name if bare == name else f"{bare} (bare)"


def _regret_plot(result: PolicyComparison, group: str, factor: str) -> str:
    bars = [
        Bar(name=entry.name, figure=entry.figures.regret_s[factor], highlighted=entry.name == OURS)
        for entry in _of(result, group)
    ]
    return bar_plot(bars, title=f"costs x{factor}")


LOGS = Path(__file__).parents[2] / "logs" / "test"
"""The sessions that come with Kairos, held out from training."""

WORDS = Path(__file__).parent / "data" / "page.toml"
PAGE, TEXT = "policy.html", "POLICY.md"
TITLE = "When to speak: policies on the same sessions and the same estimates"

_NAME_SESSIONS = f"Name packed sessions (NAME{SUFFIX}), or what kairos simulate wrote."


def measure(paths: Sequence[Path], detector: str | None) -> Report:
    """Compare all policies on packed sessions, those that come with Kairos if none are named."""
    settings = DetectorSettings() if detector is None else DetectorSettings(name=detector)
    rules = load_rules()
    result = compare(read_all(paths or [LOGS]), settings, rules, print_progress)
    criteria = criteria_of(result)
    parts = parts_of(result, rules)
    return Report(
        criteria=criteria,
        rounds=[{"pass": at, "decide_p99_us": one} for at, one in enumerate(result.speed.passes_p99_us, start=1)],
        fields=json_fields(result, rules),
        text=list(text_of(parts)),
        pages={
            PAGE: page_of(TITLE, [*parts, *plots_of(result)], criteria),
            TEXT: markdown_of("Policies on simulated sessions", parts, criteria),
        },
    )


def read_all(paths: Iterable[Path]) -> list[Packed]:
    """Return packed sessions.

    Raises:
        BadFile: a path does not exist, or holds none.
    """
    packed: list[Packed] = []
    for path in paths:
        if not path.exists():
            raise BadFile(f"{path} does not exist.", remedy=_NAME_SESSIONS)
        if path.name.endswith(SUFFIX):
            packed.append(read_packed(path))
        elif (path / MANIFEST).exists():
            packed += [read_packed(entry.path(path)) for entry in read_manifest(path).sessions]
        else:
            raise BadFile(f"{path} holds no packed session.", remedy=_NAME_SESSIONS)
    return packed


def criteria_of(result: PolicyComparison) -> list[AcceptanceCriterion]:
    """Compare our policy with its limits; a figure that is NaN counts as missed."""
    ours = {entry.group: entry.figures for entry in result.entries if entry.name == OURS}
    shipped, free = ours[SHIPPED], ours[FREE]
    bounds = result.unwelcome[OURS]
    baseline_regrets = {
        (group, factor): max(one.high for name, one in against.items() if name.startswith(BASELINE))
        for group, factors in result.regret_against.items()
        for factor, against in factors.items()
    }
    return [
        at_least(
            "hours_held_out",
            result.labelled_hours if result.held_out else 0.0,
            10.0,
            "labelled hours not used in training",
        ),
        *(
            at_most(
                name,
                one.false_per_labelled_hour.value,
                0.5,
                f"a labelled hour, {group}; bound {one.false_upper_labelled:.2f} Poisson",
            )
            for name, group, one in (
                ("false_per_labelled_hour", FREE, free),
                ("false_per_labelled_hour_shipped", SHIPPED, shipped),
            )
        ),
        at_least("covered", free.covered.value, 0.80, f"of {result.episodes} episodes, without limits"),
        at_most("delay", _or(free.delay_s.value, math.inf), 20.0, "s from onset, median, without limits"),
        at_least("at_break", _or(free.at_break.value, 0.0), 0.95, "of offers without limits"),
        at_least("at_break_shipped", _or(shipped.at_break.value, 0.0), 0.95, "of offers as shipped"),
        at_most("offers_out_of_bounds", bounds.offers, 0, "in full screen, lock, call, do-not-disturb or pause"),
        at_least("out_of_bounds_control", bounds.otherwise, 1, "offers in those minutes where nothing forbids them"),
        at_most("offers_in_cooldown", shipped.cooldown_violations, 0, "as shipped"),
        at_least("cooldown_control", free.cooldown_violations, 1, "offers so close without limits"),
        *(
            at_most(
                f"regret_x{factor}_{'shipped' if group == SHIPPED else 'free'}",
                value,
                0.0,
                "s an hour above the best baseline, upper end",
            )
            for (group, factor), value in baseline_regrets.items()
        ),
        at_most("decide_p99", result.speed.decide_p99_us, 100.0, "us of CPU"),
    ]


def _or(value: float, otherwise: float) -> float:
    return otherwise if math.isnan(value) else value


def json_fields(result: PolicyComparison, rules: Rules) -> dict[str, Any]:
    """Return the fields of the JSON object: those of the result, with policies by group and without single offers."""
    plain = {
        name: getattr(result, name)
        for name in (
            *("detector", "sessions", "held_out", "hours", "labelled_hours", "episodes"),
            *("most_covered", "most_covered_in_budget"),
        )
    }
    return {
        **plain,
        "simulated": True,
        "rules": asdict(rules),
        "policies": [{"group": entry.group, "policy": entry.name, **asdict(entry.figures)} for entry in result.entries],
        "regret_against": {
            group: {factor: {name: asdict(one) for name, one in against.items()} for factor, against in factors.items()}
            for group, factors in result.regret_against.items()
        },
        "behaviors": [asdict(behavior) for behavior in result.behaviors],
        "curves": {name: [asdict(point) for point in points] for name, points in result.curves.items()},
        "unwelcome": {name: asdict(one) for name, one in result.unwelcome.items()},
        "speed": asdict(result.speed),
    }


SHARE_COLOURS = ("#15803d", "#86efac", "#fde68a", "#fdba74", "#f87171", "#b91c1c")


def share_plot(rows: Sequence[tuple[str, Sequence[int]]], kinds: Sequence[str]) -> str:
    """Return one stacked bar a row, all of the same length, each with its total beside."""
    names, width = 240, 560
    coloured = list(zip(SHARE_COLOURS, kinds, strict=True))
    parts = []
    for number, (colour, kind) in enumerate(coloured):
        left = names + 90 * number
        parts += [rectangle(left, 8, 12, 12, colour), text_at(left + 17, 18, kind)]
    for number, (name, counts) in enumerate(rows):
        y, total, x = 34 + number * ROW, sum(counts), float(names)
        for count, (colour, kind) in zip(counts, coloured, strict=True):
            part = width * count / max(1, total)
            parts.append(rectangle(x, y, part, 16, colour, hint=f"{kind}: {count}"))
            x += part
        parts += [text_at(names - 6, y + 13, name, anchor="end"), text_at(names + width + 6, y + 13, str(total))]
    return drawing((names + width + 60, 40 + len(rows) * ROW), parts)
