"""Compares every policy on the same sessions and the same estimates, beside simple ones and an oracle.

A detector estimates each session once; then one policy after the other decides (`replay`). Nobody answers there, so
nothing is learned (`people` has what answers are worth), and each session of ten minutes begins anew, budget, cool-down
and novelty too, without the quiet minutes at its start. Two groups: as shipped, with availability and these limits; and
without limits, because these sessions hold some two dozen episodes of need an hour, of which a cool-down of five
minutes leaves about half. The cost of an offer is fixed in `data/costs.toml`. Everything is simulated.

By default the sessions are held out from training. Nothing may be chosen on them, so errors by behavior are reported
for sessions of the training split alone.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from daemon.figures.off_policy import LoggedDecision, PolicyValue, estimate
from daemon.text import print_progress
from lab.benchmarks.policy.comparison import (
    BASELINE,
    FREE,
    OURS,
    SETTINGS,
    SHIPPED,
    UNLIMITED,
    PolicyComparison,
    compare,
)
from lab.benchmarks.policy.costs import Rules, load_rules
from lab.benchmarks.policy.off_policy import NO_OVERLAP, logged_in, target_policies
from lab.benchmarks.policy.people import compare_people, people_criteria, render_people
from lab.benchmarks.policy.report import render, render_markdown, render_page
from lab.measure.benchmark import Report
from lab.measure.criteria import AcceptanceCriterion, at_least, at_most
from lab.simulation.recording.pack import MANIFEST, SUFFIX, Packed, read_manifest, read_packed
from storage.errors import BadFile, UsageError
from storage.records import Record
from storage.session.log import DATABASE, SessionReader
from storage.settings import DetectorSettings

LOGS = Path(__file__).parents[2] / "logs" / "test"
"""The sessions that come with Kairos, held out from training."""

PAGE, TEXT = "policy.html", "POLICY.md"

_NAME_SESSIONS = f"Name packed sessions (NAME{SUFFIX}), what kairos simulate wrote, or a session's folder."


def measure(paths: Sequence[Path], detector: str | None, people: int = 0) -> Report:
    """Compare all policies on packed sessions, those that come with Kairos if none are named.

    `people` is how many simulated people of each kind answer offers, to see what answers are worth; 0: nobody does.
    """
    packed, recorded = read_all(paths or [LOGS])
    settings = DetectorSettings() if detector is None else DetectorSettings(name=detector)
    rules = load_rules()
    result = compare(packed, settings, rules, off_policy(recorded, rules), print_progress)
    print_progress(f"{people} simulated people of each kind answer" if people else "nobody answers")
    figures = compare_people(rules.costs, UNLIMITED, settings.base_rate, people) if people else []
    criteria = [*criteria_of(result), *(people_criteria(figures) if people else ())]
    return Report(
        criteria=criteria,
        rounds=[{"pass": at, "decide_p99_us": one} for at, one in enumerate(result.speed.passes_p99_us, start=1)],
        fields=json_fields(result, rules) | {"people": [asdict(one) for one in figures]},
        text=[*render(result, rules), *(["", *render_people(figures)] if people else ())],
        pages={PAGE: render_page(result, criteria, rules), TEXT: render_markdown(result, criteria, rules)},
    )


def read_all(paths: Iterable[Path]) -> tuple[list[Packed], list[list[Record]]]:
    """Return packed sessions, and the rows of recorded ones, which have no labels but may hold drawn decisions.

    Raises:
        BadFile: a path does not exist, or a session cannot be read.
        UsageError: there is no packed session among them.
    """
    packed: list[Packed] = []
    recorded: list[list[Record]] = []
    for path in paths:
        if not path.exists():
            raise BadFile(f"{path} does not exist.", remedy=_NAME_SESSIONS)
        if path.name.endswith(SUFFIX):
            packed.append(read_packed(path))
        elif (path / MANIFEST).exists():
            packed += [read_packed(entry.path(path)) for entry in read_manifest(path).sessions]
        elif (path / DATABASE).exists():
            with SessionReader(path) as reader:
                recorded.append(list(reader))
        else:
            raise BadFile(f"{path} holds no session.", remedy=_NAME_SESSIONS)
    if not packed:
        raise UsageError(
            "A policy is judged on labelled sessions, and none is among those given.",
            remedy=f"Name packed sessions (NAME{SUFFIX}) or a folder that kairos simulate wrote.",
        )
    return packed, recorded


def off_policy(recorded: Sequence[Sequence[Record]], rules: Rules) -> dict[str, PolicyValue | str]:
    """Return the estimated value of each arm in recorded sessions, or the words "no overlap"."""
    logged: list[LoggedDecision] = [
        one for number, rows in enumerate(recorded) for one in logged_in(rows, number, rules.costs)
    ]
    arms = target_policies(SETTINGS.arm_probability, SETTINGS.threshold)
    return {name: estimate(logged, target) or NO_OVERLAP for name, target in arms.items()}


def criteria_of(result: PolicyComparison) -> list[AcceptanceCriterion]:
    """Compare our policy with its limits; a figure that is NaN counts as missed."""
    ours = {one.group: one.figures for one in result.entries if one.name == OURS}
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
        at_most("ten_hours_all_arms", result.speed.long_s, 60.0, "s of CPU, estimates made before"),
    ]


def _or(value: float, otherwise: float) -> float:
    return otherwise if math.isnan(value) else value


def json_fields(result: PolicyComparison, rules: Rules) -> dict[str, Any]:
    """Return the fields of the JSON object: those of the result, with policies by group and without single offers."""
    fields = {
        name: getattr(result, name)
        for name in (
            *("detector", "sessions", "held_out", "hours", "labelled_hours", "episodes"),
            *("most_covered", "most_covered_in_budget"),
        )
    }
    return {
        **fields,
        "simulated": True,
        "rules": asdict(rules),
        "policies": [{"group": one.group, "policy": one.name, **asdict(one.figures)} for one in result.entries],
        "regret_against": {
            group: {factor: {name: asdict(one) for name, one in against.items()} for factor, against in factors.items()}
            for group, factors in result.regret_against.items()
        },
        "behaviors": [asdict(one) for one in result.behaviors],
        "curves": {name: [asdict(point) for point in points] for name, points in result.curves.items()},
        "unwelcome": {name: asdict(one) for name, one in result.unwelcome.items()},
        "off_policy": {name: one if isinstance(one, str) else asdict(one) for name, one in result.off_policy.items()},
        "speed": asdict(result.speed),
    }
