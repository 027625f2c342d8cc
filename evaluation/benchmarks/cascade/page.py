"""What `kairos bench cascade` tells, as lines of text and as one self-contained page."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape

from evaluation.benchmarks.cascade.score import CASCADE, STRONG, Scored
from evaluation.measure.criteria import AcceptanceCriterion
from evaluation.measure.policy_plots import Mark, scatter
from storage.records import ModelTier

LOUD = "Simulated sessions and scripted models: nothing here is about people or about any real model."
_STYLE = """
body { font: 15px/1.45 system-ui, sans-serif; margin: 2rem auto; max-width: 72rem; padding: 0 1rem; color: #1d2129 }
h1 { font-size: 1.5rem } h2 { font-size: 1.15rem; margin-top: 2.2rem } .loud { font-weight: 600; color: #9a3412 }
table { border-collapse: collapse; font-size: 13px } td, th { padding: .25rem .55rem; text-align: right }
th:first-child, td:first-child { text-align: left } tr + tr td { border-top: 1px solid #e3e6eb }
.ours td { background: #eff4ff; font-weight: 600 } svg text { font-size: 12px; fill: #4b5563 }
"""
_HEADS = ("F1 (95 %)", "recall", "false positives", "local asked", "strong asked", "$ an hour", "M tokens an hour")


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """All that is printed."""

    split: str
    sessions: int
    prefixes: int
    hours: float
    need: float
    variants: Mapping[str, Scored]


def told_result(result: Result) -> list[str]:
    """Return the figures as lines."""
    lines = [
        LOUD,
        f"{result.sessions} sessions ({result.split}), {result.prefixes} prefixes, need at {result.need:.0%} of them.",
    ]
    for name, one in result.variants.items():
        lines += ["", f"errors by {name}:", f"  {'':<25}" + " | ".join(_HEADS)]
        lines += [f"  {who:<25}" + " | ".join(cells) for who, cells in _rows(one)]
        curve = "  ".join(f"{share:.2f}: {value:.3f}" for share, value in one.curve)
        lines += [f"  F1 by share of strong calls: {curve}"]
        lines += ["  states named right: " + ", ".join(f"{who} {share:.3f}" for who, share in one.states.items())]
    return lines


def page(result: Result, bars: Sequence[AcceptanceCriterion]) -> str:
    """Return the page as HTML."""
    parts = [
        "<!doctype html><html lang=en><meta charset=utf-8><title>The cascade</title>",
        f"<style>{_STYLE}</style><h1>The cascade</h1><p class=loud>{escape(LOUD)}",
        f"<p>{result.sessions} sessions ({escape(result.split)}), {result.prefixes} prefixes in {result.hours:.1f} h,",
        f"need at {result.need:.0%} of them. Prices and tokens are what the scripts say.",
        "<ul>",
        *(
            f"<li>{bar.name}: {bar.value:.3f} ({escape(bar.unit)} {bar.limit:g}), {'held' if bar.ok else 'missed'}"
            for bar in bars
        ),
        "</ul>",
    ]
    for name, one in result.variants.items():
        heads = "".join(f"<th>{escape(head)}" for head in ("", *_HEADS))
        rows = "".join(
            f"<tr{' class=ours' if who == CASCADE else ''}><td>{escape(who)}" + "".join(f"<td>{cell}" for cell in cells)
            for who, cells in _rows(one)
        )
        ours, strong = one.figures[CASCADE], one.figures[STRONG]
        marks = (
            Mark(one.share.value, ours.f1.value, CASCADE, loud=True),
            Mark(1.0, strong.f1.value, STRONG, loud=False),
        )
        lines = {"cascade at other prices": one.curve}
        plot = scatter(f"Errors by {name}", lines, marks, "share of the strong model's calls", "F1 of help need")
        parts += [f"<h2>Errors by {escape(name)}</h2><table><tr>{heads}{rows}</table>{plot}"]
    return "\n".join((*parts, "</html>"))


def _rows(one: Scored) -> list[tuple[str, tuple[str, ...]]]:
    """Return the cells of each way to judge."""
    found = []
    for who, figure in one.figures.items():
        calls = [f"{figure.calls[rung].value:.1%}" if rung in figure.calls else "-" for rung in ModelTier]
        value = f"{figure.f1.value:.3f} ({figure.f1.low:.3f} to {figure.f1.high:.3f})"
        told = (f"{figure.recall:.2f}", f"{figure.false_positives:.3f}", *calls)
        spent = (f"{figure.dollars_an_hour:.3f}", f"{figure.tokens_an_hour / 1e6:.2f}")
        found.append((who, (value, *told, *spent)))
    return found
