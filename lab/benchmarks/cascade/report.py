"""What a run of `kairos bench cascade` found, as lines of text and as a page."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from daemon.pages.page import heading, html_table, page, paragraph
from daemon.pages.svg import PALETTE, Axis, Line, Mark, line_plot, rounded_up
from lab.benchmarks.cascade.score import CASCADE, STRONG, Scored
from lab.measure.criteria import AcceptanceCriterion
from lab.measure.tables import criteria_table
from storage.records import ModelTier

LOUD = "Simulated sessions and scripted models: nothing here is about people or about any real model."
_HEADS = ("F1 (95 %)", "recall", "false positives", "local asked", "strong asked", "$ an hour", "M tokens an hour")


@dataclass(frozen=True, slots=True, kw_only=True)
class CascadeResult:
    """All figures of a run, as they are in the JSON object."""

    split: str
    sessions: int
    prefixes: int
    hours: float
    need: float
    variants: Mapping[str, Scored]


def render(result: CascadeResult) -> list[str]:
    """Return the figures as lines of text."""
    lines = [
        LOUD,
        f"{result.sessions} sessions ({result.split}), {result.prefixes} prefixes, need at {result.need:.0%} of them.",
    ]
    for name, one in result.variants.items():
        lines += ["", f"errors by {name}:", f"  {'':<25}" + " | ".join(_HEADS)]
        lines += [f"  {who:<25}" + " | ".join(cells) for who, *cells in _rows(one)]
        curve = "  ".join(f"{share:.2f}: {value:.3f}" for share, value in one.curve)
        lines += [f"  F1 by share of strong calls: {curve}"]
        lines += ["  states named right: " + ", ".join(f"{who} {share:.3f}" for who, share in one.states.items())]
    return lines


def render_page(result: CascadeResult, criteria: Sequence[AcceptanceCriterion]) -> str:
    """Return the page as HTML."""
    parts = [
        paragraph(LOUD, "loud"),
        paragraph(
            f"{result.sessions} sessions ({result.split}), {result.prefixes} prefixes in {result.hours:.1f} h, "
            f"need at {result.need:.0%} of them. Prices and tokens are what the scripts say."
        ),
        criteria_table(criteria),
    ]
    for name, one in result.variants.items():
        parts += [heading(f"Errors by {name}"), html_table(("", *_HEADS), _rows(one), ours=CASCADE), _plot(name, one)]
    return page("The cascade", parts)


def _plot(name: str, one: Scored) -> str:
    marks = (
        Mark(one.share.value, one.figures[CASCADE].f1.value, CASCADE, highlighted=True),
        Mark(1.0, one.figures[STRONG].f1.value, STRONG, highlighted=False),
    )
    line = Line(name="cascade at other prices", points=one.curve, colour=PALETTE[0])
    x = Axis(label="share of the strong model's calls", high=rounded_up(max(share for share, _ in one.curve)))
    y = Axis(label="F1 of help need", high=rounded_up(max(*(f1 for _, f1 in one.curve), *(mark.y for mark in marks))))
    return line_plot(f"Errors by {name}", (line,), x, y, marks=marks, legend=True)


def _rows(one: Scored) -> list[tuple[str, ...]]:
    """Return the cells of each strategy, its name first."""
    found = []
    for who, figure in one.figures.items():
        calls = [f"{figure.calls[tier].value:.1%}" if tier in figure.calls else "-" for tier in ModelTier]
        f1 = f"{figure.f1.value:.3f} ({figure.f1.low:.3f} to {figure.f1.high:.3f})"
        rates = (f"{figure.recall:.2f}", f"{figure.false_positives:.3f}")
        costs = (f"{figure.dollars_an_hour:.3f}", f"{figure.tokens_an_hour / 1e6:.2f}")
        found.append((who, f1, *rates, *calls, *costs))
    return found
