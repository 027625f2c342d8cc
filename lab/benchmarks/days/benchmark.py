"""How often help is offered in hours of calm work, and how much trouble in it is found, for each choice of a person.

Days are joined from recorded sessions (`chain`). Beside the level of evidence that is rare in a person's own time
stands an absolute scale of need: the same policy with one level for all, in hindsight about the lowest with no more
false offers. Sessions that a detector learned from are judged by a model of `kairos train --folds` that had neither
their program nor their people. Everything is simulated.
"""

import json
import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from daemon.figures.intervals import Interval, poisson_upper
from daemon.figures.resampling import Draws
from detectors import registry as detectors
from detectors.embedded import EmbeddedDetector
from detectors.protocol import Detector
from lab.benchmarks.days.answers import PEOPLE, RIGHT, WRONG, MonthFigures, found_after_answers, live_months
from lab.benchmarks.days.chain import Day, DayResult, Stretch, days_of, live_through, stretches_of
from lab.benchmarks.detector.benchmark import LOGS
from lab.benchmarks.policy.trace import load_rules, play, trace
from lab.benchmarks.policy.truth import truth_of, with_true_need
from lab.measure.benchmark import AcceptanceCriterion, Report, at_least, at_most
from lab.measure.report import Heading, Part, Table, text_of
from lab.simulation.persona import Split
from lab.simulation.recording.pack import Packed, read_manifest, read_packed
from lab.training.detector_metrics import hidden_from
from lab.training.extract import Variant
from policies.arms import Arm, Call
from policies.chain import ChainPolicy
from policies.gates.evidence import has_rare_sign
from policies.need_levels import APART_NS, GRID, OFFERS_AN_HOUR, start_need_history
from policies.state import ChainState
from storage.capabilities import Level
from storage.errors import BadFile, UsageError
from storage.plain_text import print_progress
from storage.records import Estimate, Record, Sense, TileDigests
from storage.settings import PolicySettings, Settings

SETTINGS = PolicySettings(quiet_start_s=0.0)
"""As shipped, but for the quiet minutes at each session's start: a stretch is none."""

ARM = Arm(name=SETTINGS.name, call=Call.UTILITY, chance=1.0)

ABSOLUTE, CEILING = "absolute scale", "estimates always right"
SENSES: Mapping[str, Variant] = {
    "controls+tiles": Variant(),
    "controls": Variant(tiles=False),
    "tiles": Variant(controls=False),
    "neither": Variant(controls=False, tiles=False),
    "sway+input": Variant(pointer=False),
    "input": Variant(pointer=False, frames=False, tiles=False),
    "sway": Variant(keys=Level.PART, clicks=False),
    "programs": Variant(keys=Level.PART, clicks=False, frames=False, tiles=False),
}
"""What is sensed; the last four are Wayland: with the service for input or without, with pictures or without."""

LEAST_HOURS = 20.0
LEVEL_STEP = 0.15
SEEDS = range(12)
"""Orders of the same stretches: which days they make is chance."""


class AbsoluteScale(ChainPolicy):
    """The same policy with one level of evidence for every program and person."""

    def __init__(self, settings: Settings, one_level: float) -> None:
        """Take over the settings of "now and then"."""
        super().__init__(ARM, SETTINGS, settings.detector.base_rate)
        self._one_level = one_level

    def level(self, state: ChainState, app: str, senses: str, now_ns: int) -> float:  # noqa: ARG002  # one for all
        """Return the level that calls for an offer."""
        return self._one_level


@dataclass(frozen=True, slots=True, kw_only=True)
class ChoiceFigures:
    """What one choice came to: false offers an hour of calm work, with the exact upper bound (95 %, one-sided)."""

    false: int
    hours: float
    false_an_hour: float
    bound: float
    found: Interval
    delay_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class DayFigures:
    """All figures with one set of senses; `gain` is what "now and then" finds more than one level for all.

    `one_level` is about the lowest that brings no more false offers.
    `missed` says by which gate "now and then" was withheld in the episodes it did not find, and `false_in` in which
    programs its false offers were, over all orders of the days.
    `rare_signs` is how often calm work showed a sign that calls for an offer at any level (`policies.gates.evidence`).
    `months` and `answers` (the share found without any, and after wrong and right ones) are there where asked for.
    """

    senses: str
    hours: float
    days: int
    episodes: int
    rare_signs: int
    choices: Mapping[str, ChoiceFigures]
    gain: Interval
    one_level: float
    missed: Mapping[str, int]
    false_in: Mapping[str, int]
    months: Mapping[str, MonthFigures]
    answers: tuple[float, float] | None


def measure(
    folders: Sequence[Path],
    detector: str | None,
    senses: Sequence[str],
    *,
    rates: Path | None = None,
    folds: Path | None = None,
    months: bool = False,
) -> Report:
    """Play the days of packed sessions.

    Args:
        folders: packed sessions in programs that the detector was not trained on.
        detector: who estimates; None: the default one.
        senses: names of `SENSES`.
        rates: where to write how often calm work reaches each level of evidence, or None.
        folds: models that judge the training sessions in programs that each does not know.
        months: whether people also live for a month, and answer.

    Raises:
        UsageError: there are no such senses.
        BadFile: there is no session with such senses, or one cannot be read.
    """
    unknown = set(senses) - set(SENSES)
    if unknown:
        raise UsageError(f"--senses takes {', '.join(SENSES)}, separated by commas")
    folders = folders or LOGS
    packed = [read_packed(entry.path(folder)) for folder in folders for entry in read_manifest(folder).sessions]
    if not packed:
        raise BadFile("there is no packed session in these folders", remedy="name folders of kairos simulate")
    settings = Settings()
    name = settings.detector.name if detector is None else detector
    settings = replace(settings, detector=replace(settings.detector, name=name))
    found: list[DayFigures] = []
    measured: dict[str, list[float]] = {}
    for sensed in senses:
        stretches = _stretches(packed, settings, SENSES[sensed], folds)
        if not stretches:
            raise BadFile(f"no session has the senses {sensed}", remedy="name others with --senses, or other folders")
        found.append(figures_of(sensed, stretches, settings, months=months))
        measured |= calm_rates(stretches, settings)
    if rates is not None:
        rates.write_text(json.dumps(measured, indent=1) + "\n", encoding="utf-8")
    parts = [part for figures in found for part in _parts(figures)]
    return Report(
        criteria=_criteria(found[0]),
        fields={"simulated": True, "figures": [asdict(figures) for figures in found], "calm_rates": measured},
        text=["Simulated: scripted people, and days joined from what they did.", *text_of(parts)],
    )


def _stretches(packed: Sequence[Packed], settings: Settings, variant: Variant, folds: Path | None) -> list[Stretch]:
    detector, gap_s = detectors.load(settings.detector), load_rules().episodes["merge_gap_s"]
    judges = {} if folds is None else _judges(folds, settings, detector.version)
    found: list[Stretch] = []
    for number, session in enumerate(packed):
        rows = variant.sensed(session.rows)
        judge = judges.get(session.program) if folds is not None and session.split is Split.TRAIN else detector
        if judge is None or not has_senses(rows, variant):
            continue
        found += stretches_of(trace(session.name, rows, session.labels, judge), gap_s)
        if number % 20 == 0:
            print_progress(f"{number} of {len(packed)} sessions")
    return found


def _judges(folder: Path, settings: Settings, version: str) -> dict[str, Detector]:
    """Return the detector that does not know a program, by program; all count as one, as a person has one."""
    found: dict[str, Detector] = {}
    for path in sorted(folder.glob("*.onnx")):
        judge = EmbeddedDetector(settings.detector, path)
        judge.version = version
        found |= dict.fromkeys(hidden_from(path), judge)
    return found


def has_senses(rows: Sequence[Record], variant: Variant) -> bool:
    """Return whether a session was recorded with the senses that a variant has; older ones had neither."""
    controls = any(isinstance(row, Sense) and row.on for row in rows)
    tiles = any(isinstance(row, TileDigests) for row in rows)
    return controls == variant.controls and tiles == variant.tiles


def figures_of(senses: str, stretches: Sequence[Stretch], settings: Settings, *, months: bool = False) -> DayFigures:
    """Play every choice on the same days, and for months if asked to."""
    days = _orders(stretches)
    policies = {choice: partial(_policy, settings, choice) for choice in OFFERS_AN_HOUR}
    gap_s = load_rules().episodes["merge_gap_s"]
    results = {name: [live_through(day, make(), gap_s) for day in days] for name, make in policies.items()}
    told = [replace(s, trace=with_true_need(s.trace, truth_of(s.trace, gap_s))) for s in stretches]
    results[CEILING] = [live_through(day, policies["now and then"](), gap_s) for day in _orders(told)]
    now = results["now and then"]
    one_level, results[ABSOLUTE] = _with_one_level(days, settings, most_false=sum(len(day.false) for day in now))
    more = [len(ours.delays_s) - len(theirs.delays_s) for ours, theirs in zip(now, results[ABSOLUTE], strict=True)]
    return DayFigures(
        senses=senses,
        hours=sum(stretch.calm for stretch in stretches),
        days=len(days) // len(SEEDS),
        episodes=sum(day.episodes for day in days) // len(SEEDS),
        rare_signs=sum(count_rare_signs(stretch) for stretch in stretches),
        choices={name: _choice(own, days) for name, own in results.items()},
        gain=Draws(len(days)).ratio(more, [day.episodes for day in days]),
        one_level=one_level,
        missed=dict(Counter(gate for result in now for gate in result.missed).most_common()),
        false_in=dict(Counter(offer.shown.app for result in now for offer in result.false).most_common()),
        months={how: live_months(stretches, policies[how], gap_s) for how in OFFERS_AN_HOUR} if months else {},
        answers=found_after_answers(days, policies["now and then"], gap_s) if months else None,
    )


def _with_one_level(days: Sequence[Day], settings: Settings, most_false: int) -> tuple[float, list[DayResult]]:
    """Return about the lowest level for all with no more false offers, and what comes of it."""
    gap_s = load_rules().episodes["merge_gap_s"]

    def live(level: float) -> list[DayResult]:
        return [live_through(day, AbsoluteScale(settings, level), gap_s) for day in days]

    low, high = GRID[0], GRID[-1]
    best = live(high)
    while high - low > LEVEL_STEP:
        middle = (low + high) / 2
        results = live(middle)
        if sum(len(result.false) for result in results) > most_false:
            low = middle
        else:
            high, best = middle, results
    return high, best


def _orders(stretches: Sequence[Stretch]) -> list[Day]:
    kept: Counter[int] = Counter()
    return [day for seed in SEEDS for day in days_of(stretches, seed, kept)]


def _policy(settings: Settings, how_often: str = SETTINGS.how_often) -> ChainPolicy:
    return ChainPolicy(ARM, replace(SETTINGS, how_often=how_often), settings.detector.base_rate)


def _choice(results: Sequence[DayResult], days: Sequence[Day]) -> ChoiceFigures:
    many = len(SEEDS)
    false, hours = sum(len(result.false) for result in results), sum(day.calm for day in days)
    delays = [delay for result in results for delay in result.delays_s]
    hits, episodes = zip(*((len(result.delays_s), result.episodes) for result in results), strict=True)
    return ChoiceFigures(
        false=false,
        hours=hours,
        false_an_hour=false / hours,
        bound=poisson_upper(round(false / many), 0.05) / (hours / many),  # the orders are of the same hours
        found=Draws(len(results)).ratio(hits, episodes),
        delay_s=float(np.median(delays)) if delays else math.nan,
    )


def count_rare_signs(stretch: Stretch) -> int:
    """Return how often the calm part of a stretch shows a rare sign; what comes again within a cool-down is one."""
    shown_ns: list[int] = []
    for step in stretch.without_episode().trace.steps:
        for call in step.calls:
            is_new = not shown_ns or step.at_ns - shown_ns[-1] >= APART_NS
            if isinstance(call.trigger, Estimate) and is_new and has_rare_sign(call.trigger):
                shown_ns.append(step.at_ns)
    return len(shown_ns)


def calm_rates(stretches: Iterable[Stretch], settings: Settings) -> dict[str, list[float]]:
    """Return for each set of senses how often an hour calm work reaches each level of `policies.need_levels.GRID`."""
    hours: dict[str, float] = defaultdict(float)
    counts: dict[str, np.ndarray[Any, Any]] = defaultdict(lambda: np.zeros(len(GRID)))
    for stretch in stretches:
        history = start_need_history(play(stretch.without_episode().trace, _policy(settings)).saved)
        for counted in history.programs:
            if not counted.app:
                hours[counted.senses] += counted.hours
                counts[counted.senses] += counted.counts
    return {senses: [round(float(rate), 3) for rate in counts[senses] / hours[senses]] for senses in sorted(counts)}


def _parts(figures: DayFigures) -> list[Part]:
    rows = [
        (
            name,
            f"{own.false_an_hour:.2f}",
            f"{own.bound:.2f}",
            f"{own.found.value:.2f} ({own.found.low:.2f}..{own.found.high:.2f})",
            f"{own.delay_s:.0f}",
        )
        for name, own in figures.choices.items()
    ]
    head = ("choice", "false an hour", "at most (Poisson)", "episodes found (95 %)", "median delay, s")
    gain, level = figures.gain, figures.one_level
    bound = poisson_upper(figures.rare_signs, 0.05) / figures.hours
    return [
        Heading(f"Senses: {figures.senses}"),
        f"{figures.hours:.1f} hours of calm work in {figures.days} days with {figures.episodes} episodes.",
        f"Signs that call for an offer at any level, in calm work: {figures.rare_signs} (at most {bound:.2f} an hour).",
        Table(head, rows),
        f'"Now and then" withheld help by: {_counted(figures.missed)}. Its false offers: {_counted(figures.false_in)}.',
        f'"Now and then" finds {gain.value:+.2f} ({gain.low:+.2f}..{gain.high:+.2f}) beside one level of {level:.1f}.',
        *(
            f"Months of {PEOPLE} people, {how}: {own.false_an_hour:.2f} false an hour for {OFFERS_AN_HOUR[how]:g} "
            f"chosen, by person {own.least:.2f} to {own.most:.2f}; found {own.found:.2f}."
            for how, own in figures.months.items()
        ),
    ]


def _counted(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {many}" for name, many in counts.items()) or "none"


def _criteria(figures: DayFigures) -> list[AcceptanceCriterion]:
    choices = figures.choices
    now, often, rarely = choices["now and then"], choices["often"], choices["rarely"]
    found = [
        at_least("hours", figures.hours, LEAST_HOURS, "hours of calm work in programs left out"),
        at_most("false", now.false_an_hour, 0.7, "false offers an hour, now and then"),
        at_most("false_bound", now.bound, 1.2, "their upper bound"),
        at_least("found", now.found.value, 0.6, "share of episodes, now and then"),
        at_most("delay", now.delay_s, 25.0, "s, median, now and then"),
        at_least("found_often", often.found.value, 0.75, "share of episodes, often"),
        at_most("false_rarely", rarely.false_an_hour, 0.2, "false offers an hour, rarely"),
        at_most("false_rarely_bound", rarely.bound, 0.5, "their upper bound"),
        at_least("gain", figures.gain.low, 0.0, "found more than with one level for all, lower end"),
    ]
    for how, own in figures.months.items():
        off = abs(own.false_an_hour / OFFERS_AN_HOUR[how] - 1.0)
        words = "of the chosen rate: how far a month is off"
        found.append(at_most(f"month_{how.replace(' ', '_')}", off, 0.2, words))
    if figures.answers is not None:
        before, after = figures.answers
        words = f"found less after {WRONG} wrong answers and {RIGHT} right ones"
        found.append(at_most("answers", before - after, 0.05, words))
    return found
