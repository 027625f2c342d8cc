"""What `kairos bench policy` says in words, and the page in markdown: every policy with its intervals, in plain tables.

It goes into the documents, so it is to be read without the plots; `policy_page` has those.
"""

import math
from collections.abc import Iterator, Sequence

from evaluation.benchmarks.policy.contest import (
    BASELINE,
    CEILING,
    FREE,
    OURS,
    SETTINGS,
    SHIPPED,
    UNLIMITED,
    Entry,
    Result,
)
from evaluation.benchmarks.policy.costs import Rules
from evaluation.benchmarks.policy.figures import DRAWS
from evaluation.benchmarks.policy.truth import Kind
from evaluation.measure.criteria import AcceptanceCriterion
from evaluation.measure.metrics import Interval

LOUD = "Simulated sessions: scripted people in real programs, and offers that nobody saw or answered. Not people."

_HEADS = (
    "policy",
    "offers",
    "false an hour (95 %)",
    "at most (Poisson)",
    "false a labelled hour (95 %)",
    "at most (Poisson)",
    "of these early or late",
    "of these in calm or traps",
    "episodes covered (95 %)",
    "median delay, s (95 %)",
    "at a break",
    "regret, s an hour (95 %)",
)


def facts(result: Result, rules: Rules) -> list[str]:
    """Return what was judged, how, and what stands in the way of more, one paragraph each."""
    costs = rules.costs
    where = "held out from training" if result.held_out else "NOT held out from training: no claim rests on them"
    return [
        (
            f"{result.sessions} sessions, {result.hours:.2f} hours, {result.labelled_hours:.2f} of them labelled, "
            f"{where}. Detector: {result.detector}."
        ),
        (
            f"{result.episodes} episodes of need: from the second failed try (or from turning to help) to the end, "
            f"stretches at most {rules.episodes.merge_gap_s:g} s apart joined. An offer outside all of them is false. "
            "It is judged here by the moment at which it is shown; `kairos bench detector` judges by where the prefix "
            "ended that it rests on."
        ),
        (
            "False offers are counted by all hours, and by labelled hours alone, which is stricter and what the bars "
            "hold: also those between two labels count. Bounds of false offers are one-sided, of 95 %, as of a Poisson "
            f"process; intervals come from {DRAWS} draws of whole sessions, the same for all."
        ),
        (
            f'"{SHIPPED.capitalize()}" is not quite as shipped: quiet_start_s is {SETTINGS.quiet_start_s:g}, each '
            f"session of some {60 * result.hours / result.sessions:.0f} minutes begins anew, with budget, cool-down, "
            f'novelty and all that is learned, and nobody answers. "{FREE.capitalize()}" means no budget, cooldown_s = '
            f"{UNLIMITED.cooldown_s:g} and novelty_s = {UNLIMITED.novelty_s:g}. Baselines are polite as shipped, and "
            "bare without limits."
        ),
        (
            f"That is {result.episodes / result.hours:.0f} episodes an hour, many times what a desk sees. As shipped, "
            f"who knew them all could cover {_share(result.most_covered, result)}: of the limits that is the "
            f"cool-down of {SETTINGS.cooldown_s:g} s, for {SETTINGS.offers_per_hour} offers an hour alone, anew each "
            f"session, leave {_share(result.most_covered_in_budget, result)}. Novelty (nothing twice within "
            f"{SETTINGS.novelty_s:g} s) comes on top. So coverage is held against its bar without limits. The "
            f"{CEILING.replace(': ', ' (')}) is our policy, told the truth, each episode with a topic of its own."
        ),
        (
            f"Costs, committed before the first scoring, in seconds of a person's time: a first offer brings "
            f"{costs.benefit_s:g} at the onset and half after {costs.benefit_half_life_s:g} s; a false one costs "
            f"{costs.false_s:g}; each costs {costs.interrupt_at_break_s:g} at a break and "
            f"{costs.interrupt_in_action_s:g} in action (published interruption lags). Regret is what is lost against "
            "an oracle that knows every episode and has no limits."
        ),
    ]


def policy_text(result: Result, bars: Sequence[AcceptanceCriterion], rules: Rules) -> str:
    """Return the page in markdown."""
    lines = ["# Policies on simulated sessions", "", f"**{LOUD}**", ""]
    lines += ["`kairos bench policy --out DIR` writes this page.", ""]
    lines += [line for fact in facts(result, rules) for line in (fact, "")]
    for group in (SHIPPED, FREE):
        entries = [one for one in result.entries if one.group == group]
        lines += [f"## {group.capitalize()} (simulated)", "", *_rows(_HEADS, [_cells(one) for one in entries]), ""]
        lines += [
            f"By how much the regret of `{OURS}` is above that of another, in seconds an hour; below 0 it does better:",
            "",
            *_regrets(result, group),
            "",
        ]
    held = [[bar.name, f"{bar.value:g}", f"{bar.unit} {bar.limit:g}", "" if bar.ok else "missed"] for bar in bars]
    lines += ["## Bars (simulated)", "", *_rows(("bar", "reached", "limit", ""), held)]
    return "\n".join(lines) + "\n"


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


def _share(count: int, result: Result) -> str:
    return f"{count} of {result.episodes} ({count / max(1, result.episodes):.2f})"


def _cells(one: Entry) -> list[str]:
    told = one.figures
    return [
        f"**{one.name}**" if one.name == OURS else one.name,
        str(told.offers),
        interval(told.false_per_hour),
        number(told.false_upper),
        interval(told.false_per_labelled_hour),
        number(told.false_upper_labelled),
        str(told.kinds[Kind.EARLY] + told.kinds[Kind.LATE]),
        str(told.kinds[Kind.CALM] + told.kinds[Kind.TRAP]),
        interval(told.covered),
        interval(told.delay_s, 0),
        number(told.at_break.value),
        interval(told.regret_s["1"], 0),
    ]


def _regrets(result: Result, group: str) -> Iterator[str]:
    against = result.regret_against[group]
    names = next(iter(against.values()))
    rows = [[name, *(interval(found[name], 0) for found in against.values())] for name in names]
    rows.sort(key=lambda row: not row[0].startswith(BASELINE))
    return _rows((f"`{OURS}` against", *(f"costs x{factor} (95 %)" for factor in against)), rows)


def _rows(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    yield f"| {' | '.join(heads)} |"
    yield f"|{'---|' * len(heads)}"
    for row in rows:
        yield f"| {' | '.join(row)} |"
