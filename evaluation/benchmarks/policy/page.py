"""What `kairos bench policy` tells, as text and as one self-contained page: a table, intervals and curves as SVG."""

from collections.abc import Sequence
from html import escape

from evaluation.benchmarks.policy.contest import ARMS, BASELINE, FREE, OURS, SHIPPED, Entry, Point, Result
from evaluation.benchmarks.policy.costs import Rules
from evaluation.benchmarks.policy.off_policy import Estimated
from evaluation.benchmarks.policy.text import LOUD, facts, interval, number
from evaluation.benchmarks.policy.truth import FALSE, Kind
from evaluation.measure.criteria import AcceptanceCriterion
from evaluation.measure.policy_plots import Mark, bars_plot, scatter, share_plot

_STYLE = """
body { font: 15px/1.45 system-ui, sans-serif; margin: 2rem auto; max-width: 92rem; padding: 0 1rem; color: #1d2129 }
h1 { font-size: 1.5rem } h2 { font-size: 1.15rem; margin-top: 2.2rem } .loud { font-weight: 600; color: #9a3412 }
table { border-collapse: collapse; font-size: 13px } td, th { padding: .25rem .55rem; text-align: right }
th { vertical-align: bottom } td { white-space: nowrap } th:first-child, td:first-child { text-align: left }
tr + tr td { border-top: 1px solid #e3e6eb } .ours td { background: #eff4ff; font-weight: 600 }
.plots { display: flex; flex-wrap: wrap; gap: 1.5rem } svg text { font-size: 12px; fill: #4b5563 }
"""
_HEADS = (
    "policy",
    "offers",
    "false an hour (95 %)",
    "upper bound: Poisson, drawn",
    "by labelled hours (Poisson bound)",
    "false, without early ones",
    "episodes covered (95 %)",
    "precision",
    "onset to offer, median s (of all)",
    "at a break",
    "waited s: median, p95",
    "an hour of fluent work",
)


def table(result: Result, rules: Rules) -> list[str]:
    """Return the figures as lines of text."""
    lines = [LOUD, *_said(result, rules), ""]
    wide = max(len(one.name) for one in result.entries)
    for group in (SHIPPED, FREE):
        lines += [f"{group}:", f"  {'':<{wide}}  " + " | ".join(_HEADS[1:])]
        lines += [f"  {one.name:<{wide}}  " + " | ".join(_cells(one)) for one in _of(result, group)]
        for factor, against in result.regret_against[group].items():
            ours = next(one for one in _of(result, group) if one.name == OURS).figures.regret_s[factor]
            lines.append(f"  costs x{factor}: regret {interval(ours, 0)} s an hour; less (-) or more than")
            lines += [f"    {name:<{wide}}  {interval(one, 0)}" for name, one in against.items()]
        lines.append("")
    bounds = ", ".join(f"{name} {one.offers} (else {one.otherwise})" for name, one in result.unwelcome.items())
    lines.append(f"offers in minutes that were put out of bounds: {bounds}")
    lines.append(
        "off-policy estimates: " + "; ".join(f"{name}: {_off(one)}" for name, one in result.off_policy.items())
    )
    return lines


def page(result: Result, bars: Sequence[AcceptanceCriterion], rules: Rules) -> str:
    """Return the page as HTML."""
    parts = [
        "<!doctype html><html lang=en><meta charset=utf-8><title>Policies compared</title>",
        f"<style>{_STYLE}</style><h1>When to speak: policies on the same sessions and the same estimates</h1>",
        f"<p class=loud>{LOUD}",
        *(f"<p>{escape(line)}" for line in _said(result, rules)),
    ]
    for group in (SHIPPED, FREE):
        parts += [f"<h2>{escape(group.capitalize())}</h2>", _figure_table(_of(result, group))]
    parts += ["<h2>Curves over the threshold</h2><div class=plots>", _curve_plot(result), _delay_plot(result), "</div>"]
    parts += ["<h2>What the offers were</h2><div class=plots>", _kinds_plot(result), "</div>"]
    parts += [f"<h2>Behavior by behavior, {OURS}, {FREE}</h2>", _behavior_table(result)]
    for group in (SHIPPED, FREE):
        parts.append(f"<h2>Regret against an oracle, seconds an hour, {escape(group)}</h2><div class=plots>")
        parts += [_regret_plot(result, group, factor) for factor in result.regret_against[group]]
        parts.append("</div>")
        parts += [_regret_table(result, group)]
    parts += ["<h2>Out of bounds</h2>", _unwelcome_table(result)]
    parts += ["<h2>Off-policy estimates</h2>", _off_table(result)]
    parts += ["<h2>Bars</h2>", _bar_table(bars), "</html>"]
    return "\n".join(parts)


def _said(result: Result, rules: Rules) -> list[str]:
    speed = result.speed
    return [
        *facts(result, rules),
        (
            f"CPU: a decision takes {speed.decide_p99_us:g} us (p99 of {speed.decisions}), a session of "
            f"{speed.long_hours:g} hours takes {speed.long_s:g} s through all arms; the estimates of all sessions, "
            f"made once before, took {speed.estimates_s:g} s."
        ),
    ]


# ---------------------------------------------------------------------- tables


def _of(result: Result, group: str) -> list[Entry]:
    return [one for one in result.entries if one.group == group]


def _cells(one: Entry) -> list[str]:
    told = one.figures
    median, late = told.waited_s
    return [
        str(told.offers),
        interval(told.false_per_hour),
        f"{told.false_upper:.2f}, {told.false_upper_drawn:.2f}",
        f"{told.false_per_labelled_hour.value:.2f} ({told.false_upper_labelled:.2f})",
        f"{told.false_but_early:.2f}",
        interval(told.covered),
        number(told.precision.value),
        f"{interval(told.delay_s, 1)} ({number(told.delay_all_s, 1)})",
        interval(told.at_break),
        f"{number(median, 1)}, {number(late, 1)}",
        interval(told.fluent_per_hour, 1),
    ]


def _figure_table(entries: Sequence[Entry]) -> str:
    rows = [[one.name, *_cells(one)] for one in entries]
    return _table(_HEADS, rows, ours=[one.name == OURS for one in entries])


def _regret_table(result: Result, group: str) -> str:
    factors = list(result.regret_against[group])
    rows = [
        [f"{OURS} against {name}", *(interval(result.regret_against[group][factor][name], 0) for factor in factors)]
        for name in result.regret_against[group][factors[0]]
    ]
    heads = ["difference of regret (95 %), negative is better", *(f"costs x{factor}" for factor in factors)]
    return _table(heads, rows)


def _behavior_table(result: Result) -> str:
    text = "<p>Of sessions of the training split alone: such a list of held-out ones would invite choosing by them."
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
    return text + _table(heads, rows)


def _unwelcome_table(result: Result) -> str:
    text = (
        "<p>Every other minute of all sessions is put into full screen, lock, do-not-disturb, a call or a pause, one "
        "after the other, while estimates go on. Counted is every offer on the screen there, of arms without limits."
    )
    rows = [[name, str(one.offers), str(one.otherwise)] for name, one in result.unwelcome.items()]
    return text + _table(("arm", "offers out of bounds", "in the same minutes, were they free"), rows)


def _off_table(result: Result) -> str:
    text = (
        "<p>Only from logs of an arm that chose by chance; the sessions judged above are no such logs. "
        f"What {OURS} says while evidence falls from its upper bound to the lower counts as held: that leans to 0."
    )
    return text + _table(("arm", "value"), [[name, _off(one)] for name, one in result.off_policy.items()])


def _bar_table(bars: Sequence[AcceptanceCriterion]) -> str:
    rows = [["held" if bar.ok else "missed", bar.name, f"{bar.value:g}", f"{bar.limit:g}", bar.unit] for bar in bars]
    return _table(("", "bar", "value", "limit", ""), rows)


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]], *, ours: Sequence[bool] = ()) -> str:
    marked = ours or [False] * len(rows)
    lines = (
        f"<tr{' class=ours' if mine else ''}>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>"
        for row, mine in zip(rows, marked, strict=True)
    )
    return f"<table><tr>{''.join(f'<th>{escape(head)}</th>' for head in heads)}</tr>{''.join(lines)}</table>"


def _off(one: Estimated | str) -> str:
    if isinstance(one, str):
        return one
    return (
        f"{interval(one.dr_s, 1)} s a decision (doubly robust), {interval(one.ips_s, 1)} (inverse propensity), "
        f"of {one.decisions} drawn decisions"
    )


# ---------------------------------------------------------------------- plots


def _curve_plot(result: Result) -> str:
    lines = {name: [(one.false_per_hour, one.covered) for one in points] for name, points in result.curves.items()}
    marks = [
        Mark(one.figures.false_per_hour.value, one.figures.covered.value, _short(one.name), one.name == OURS)
        for one in _of(result, FREE)
    ]
    return scatter(
        "Episodes covered over false offers (without limits)", lines, marks, "false offers an hour", "covered"
    )


def _short(name: str) -> str:
    bare = name.removeprefix(BASELINE)
    return name if bare == name else f"{bare} (bare)"


def _delay_plot(result: Result) -> str:
    def points(found: Sequence[Point]) -> list[tuple[float, float]]:
        return [(one.threshold, one.false_per_hour) for one in found]

    lines = {name: points(found) for name, found in result.curves.items()}
    return scatter("False offers over the threshold", lines, [], "threshold of help need", "false an hour")


def _kinds_plot(result: Result) -> str:
    order = (Kind.HIT, Kind.REPEAT, *FALSE)
    rows = [
        (f"{one.name} ({group})", [one.figures.kinds[kind] for kind in order])
        for group in (SHIPPED, FREE)
        for one in _of(result, group)
        if one.name in ARMS
    ]
    return share_plot(rows, [kind.value for kind in order])


def _regret_plot(result: Result, group: str, factor: str) -> str:
    rows = [(one.name, one.figures.regret_s[factor], one.name == OURS) for one in _of(result, group)]
    return bars_plot(f"costs x{factor}", rows)
