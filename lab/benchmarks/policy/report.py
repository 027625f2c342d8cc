"""What a run of `kairos bench policy` found: lines of text, the tables in markdown, and a page with plots.

The markdown goes into the documents, so it is readable without the plots.
"""

import math
from collections.abc import Callable, Sequence

from daemon.figures.intervals import Interval
from daemon.figures.off_policy import PolicyValue
from daemon.figures.resampling import DRAWS
from daemon.pages.page import heading, html_table, page, paragraph, plots
from daemon.pages.svg import PALETTE, Axis, Bar, Line, Mark, bar_plot, line_plot, rounded_up, share_plot
from lab.benchmarks.policy.comparison import (
    ARMS,
    BASELINE,
    CEILING,
    FREE,
    OURS,
    SETTINGS,
    SHIPPED,
    UNLIMITED,
    Point,
    PolicyComparison,
    PolicyEntry,
)
from lab.benchmarks.policy.costs import Rules
from lab.benchmarks.policy.figures import PolicyFigures
from lab.benchmarks.policy.truth import FALSE, Kind
from lab.measure.criteria import AcceptanceCriterion
from lab.measure.tables import criteria_table, markdown_table

LOUD = "Simulated sessions: scripted people in real programs, and offers that nobody saw or answered. Not people."

Columns = Sequence[tuple[str, Callable[[PolicyFigures], str]]]

_COLUMNS: Columns = (
    ("offers", lambda one: str(one.offers)),
    ("false an hour (95 %)", lambda one: interval(one.false_per_hour)),
    ("upper bound: Poisson, drawn", lambda one: f"{one.false_upper:.2f}, {one.false_upper_drawn:.2f}"),
    (
        "by labelled hours (Poisson bound)",
        lambda one: _with_bound(one.false_per_labelled_hour, one.false_upper_labelled),
    ),
    ("false, without early ones", lambda one: f"{one.false_but_early:.2f}"),
    ("episodes covered (95 %)", lambda one: interval(one.covered)),
    ("precision", lambda one: number(one.precision.value)),
    ("onset to offer, median s (of all)", lambda one: f"{interval(one.delay_s, 1)} ({number(one.delay_all_s, 1)})"),
    ("at a break", lambda one: interval(one.at_break)),
    ("waited s: median, p95", lambda one: ", ".join(number(value, 1) for value in one.waited_s)),
    ("an hour of fluent work", lambda one: interval(one.fluent_per_hour, 1)),
)
"""The columns of the text and of the page, after the policy's name."""

_MARKDOWN_COLUMNS: Columns = (
    ("offers", lambda one: str(one.offers)),
    ("false an hour (95 %)", lambda one: interval(one.false_per_hour)),
    ("at most (Poisson)", lambda one: number(one.false_upper)),
    ("false a labelled hour (95 %)", lambda one: interval(one.false_per_labelled_hour)),
    ("at most (Poisson)", lambda one: number(one.false_upper_labelled)),
    ("of these early or late", lambda one: str(one.kinds[Kind.EARLY] + one.kinds[Kind.LATE])),
    ("of these in calm or traps", lambda one: str(one.kinds[Kind.CALM] + one.kinds[Kind.TRAP])),
    ("episodes covered (95 %)", lambda one: interval(one.covered)),
    ("median delay, s (95 %)", lambda one: interval(one.delay_s, 0)),
    ("at a break", lambda one: number(one.at_break.value)),
    ("regret, s an hour (95 %)", lambda one: interval(one.regret_s["1"], 0)),
)


def render(result: PolicyComparison, rules: Rules) -> list[str]:
    """Return the figures as lines of text."""
    lines = [LOUD, *facts(result, rules), _cpu_time(result), ""]
    width = max(len(one.name) for one in result.entries)
    for group in (SHIPPED, FREE):
        entries = _of(result, group)
        lines += [f"{group}:", f"  {'':<{width}}  " + " | ".join(_heads(_COLUMNS)[1:])]
        lines += [f"  {name:<{width}}  " + " | ".join(cells) for name, *cells in map(_cells, entries)]
        for factor, against in result.regret_against[group].items():
            ours = next(one for one in entries if one.name == OURS).figures.regret_s[factor]
            lines.append(f"  costs x{factor}: regret {interval(ours, 0)} s an hour; less (-) or more than")
            lines += [f"    {name:<{width}}  {interval(one, 0)}" for name, one in against.items()]
        lines.append("")
    bounds = ", ".join(f"{name} {one.offers} (else {one.otherwise})" for name, one in result.unwelcome.items())
    values = "; ".join(f"{name}: {_value(one)}" for name, one in result.off_policy.items())
    return [*lines, f"offers in minutes that were put out of bounds: {bounds}", f"off-policy estimates: {values}"]


def facts(result: PolicyComparison, rules: Rules) -> list[str]:
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


def render_markdown(result: PolicyComparison, criteria: Sequence[AcceptanceCriterion], rules: Rules) -> str:
    """Return the tables in markdown."""
    lines = ["# Policies on simulated sessions", "", f"**{LOUD}**", ""]
    lines += ["`kairos bench policy --out DIR` writes this page.", ""]
    lines += [line for fact in facts(result, rules) for line in (fact, "")]
    for group in (SHIPPED, FREE):
        heads = (f"`{OURS}` against", *(f"costs x{factor} (95 %)" for factor in result.regret_against[group]))
        regrets = sorted(_regret_rows(result, group), key=lambda row: not row[0].startswith(BASELINE))
        lines += [f"## {group.capitalize()} (simulated)", ""]
        rows = (
            [f"**{name}**" if name == OURS else name, *cells]
            for name, *cells in (_cells(one, _MARKDOWN_COLUMNS) for one in _of(result, group))
        )
        lines += [*markdown_table(_heads(_MARKDOWN_COLUMNS), rows), ""]
        lines += [
            f"By how much the regret of `{OURS}` is above that of another, in seconds an hour; below 0 it does better:",
            "",
            *markdown_table(heads, regrets),
            "",
        ]
    reached = [
        [one.name, f"{one.value:g}", f"{one.unit} {one.limit:g}", "" if one.ok else "missed"] for one in criteria
    ]
    lines += ["## Bars (simulated)", "", *markdown_table(("bar", "reached", "limit", ""), reached)]
    return "\n".join(lines) + "\n"


def render_page(result: PolicyComparison, criteria: Sequence[AcceptanceCriterion], rules: Rules) -> str:
    """Return the page as HTML."""
    parts = [paragraph(LOUD, "loud"), *map(paragraph, facts(result, rules)), paragraph(_cpu_time(result))]
    for group in (SHIPPED, FREE):
        parts += [heading(group.capitalize()), html_table(_heads(_COLUMNS), map(_cells, _of(result, group)), ours=OURS)]
    parts += [
        heading("Curves over the threshold"),
        plots((_coverage_plot(result), _threshold_plot(result))),
        heading("What the offers were"),
        plots((_kinds_plot(result),)),
        heading(f"Behavior by behavior, {OURS}, {FREE}"),
        *_behavior_table(result),
    ]
    for group in (SHIPPED, FREE):
        factors = list(result.regret_against[group])
        heads = ("difference of regret (95 %), negative is better", *(f"costs x{factor}" for factor in factors))
        rows = ([f"{OURS} against {name}", *cells] for name, *cells in _regret_rows(result, group))
        parts += [
            heading(f"Regret against an oracle, seconds an hour, {group}"),
            plots(_regret_plot(result, group, factor) for factor in factors),
            html_table(heads, rows),
        ]
    parts += [
        heading("Out of bounds"),
        paragraph(
            "Every other minute of all sessions is put into full screen, lock, do-not-disturb, a call or a pause, one "
            "after the other, while estimates go on. Counted is every offer on the screen there, of arms without "
            "limits."
        ),
        html_table(
            ("arm", "offers out of bounds", "in the same minutes, were they free"),
            ([name, str(one.offers), str(one.otherwise)] for name, one in result.unwelcome.items()),
        ),
        heading("Off-policy estimates"),
        paragraph(
            "Only from logs of an arm that chose by chance; the sessions judged above are no such logs. "
            f"What {OURS} says while evidence falls from its upper bound to the lower counts as held: that leans to 0."
        ),
        html_table(("arm", "value"), ([name, _value(one)] for name, one in result.off_policy.items())),
        heading("Bars"),
        criteria_table(criteria),
    ]
    return page("When to speak: policies on the same sessions and the same estimates", parts)


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
    return [one for one in result.entries if one.group == group]


def _cpu_time(result: PolicyComparison) -> str:
    speed = result.speed
    return (
        f"CPU: a decision takes {speed.decide_p99_us:g} us (p99 of {speed.decisions}), a session of "
        f"{speed.long_hours:g} hours takes {speed.long_s:g} s through all arms; the estimates of all sessions, "
        f"made once before, took {speed.estimates_s:g} s."
    )


def _heads(columns: Columns) -> list[str]:
    return ["policy", *(head for head, _ in columns)]


def _cells(one: PolicyEntry, columns: Columns = _COLUMNS) -> list[str]:
    return [one.name, *(cell(one.figures) for _, cell in columns)]


def _with_bound(figure: Interval, bound: float) -> str:
    return f"{figure.value:.2f} ({bound:.2f})"


def _regret_rows(result: PolicyComparison, group: str) -> list[list[str]]:
    """Return the name of each other policy, and by how much our regret is greater at each factor of the costs."""
    against = result.regret_against[group]
    names = next(iter(against.values()))
    return [[name, *(interval(found[name], 0) for found in against.values())] for name in names]


def _behavior_table(result: PolicyComparison) -> tuple[str, str]:
    heads = ("behavior", "minutes", "false offers", "episodes begun", "covered", "median delay s")
    rows = [
        [
            one.behavior.replace("_", " "),
            f"{one.minutes:.1f}",
            str(one.false),
            str(one.episodes or "-"),
            str(one.covered if one.episodes else "-"),
            "-" if one.delay_s is None else f"{one.delay_s:.1f}",
        ]
        for one in result.behaviors
        if one.false or one.episodes
    ]
    why = "Of sessions of the training split alone: such a list of held-out ones would invite choosing by them."
    return paragraph(why), html_table(heads, rows)


def _value(one: PolicyValue | str) -> str:
    if isinstance(one, str):
        return one
    return (
        f"{interval(one.dr_s, 1)} s a decision (doubly robust), {interval(one.ips_s, 1)} (inverse propensity), "
        f"of {one.decisions} drawn decisions"
    )


# ---------------------------------------------------------------- plots


def _coverage_plot(result: PolicyComparison) -> str:
    marks = [
        Mark(one.figures.false_per_hour.value, one.figures.covered.value, _short(one.name), one.name == OURS)
        for one in _of(result, FREE)
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
    curves = {name: [point(one) for one in points] for name, points in result.curves.items()}
    ends = [one for points in curves.values() for one in points]
    x = Axis(label=labels[0], high=rounded_up(max(x for x, _ in ends)))
    y = Axis(label=labels[1], high=rounded_up(max([y for _, y in ends] + [one.y for one in marks])))
    lines = [
        Line(name=name, points=points, colour=colour)
        for (name, points), colour in zip(curves.items(), PALETTE, strict=False)
    ]
    return line_plot(title, lines, x, y, marks=marks, legend=True)


def _short(name: str) -> str:
    bare = name.removeprefix(BASELINE)
    return name if bare == name else f"{bare} (bare)"


def _kinds_plot(result: PolicyComparison) -> str:
    order = (Kind.HIT, Kind.REPEAT, *FALSE)
    rows = [
        (f"{one.name} ({group})", [one.figures.kinds[kind] for kind in order])
        for group in (SHIPPED, FREE)
        for one in _of(result, group)
        if one.name in ARMS
    ]
    return share_plot(rows, [kind.value for kind in order])


def _regret_plot(result: PolicyComparison, group: str, factor: str) -> str:
    bars = [
        Bar(name=one.name, figure=one.figures.regret_s[factor], highlighted=one.name == OURS)
        for one in _of(result, group)
    ]
    return bar_plot(bars, title=f"costs x{factor}")
