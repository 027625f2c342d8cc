"""What the benchmark prints and draws: rates, groups, boundaries, and the published figures in a block of their own."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape

from daemon.figures.intervals import Interval
from daemon.pages.page import heading, html_table, page, paragraph
from lab.benchmarks.diagnosis.judged.boundaries import BoundaryRates
from lab.benchmarks.diagnosis.judged.rates import Rates, Spread
from lab.benchmarks.diagnosis.judged.references import Published, published_lines
from lab.measure.agreement import Agreement

TITLE = "Verdicts and subtasks"
NO_FIGURE = "-"
_NAME = 40
_HEADS = ("", "trajectories", "accuracy (95 %)", "precision", "recall", "F1", "no answer")
_CUT_HEADS = ("", "true", "found", "precision", "recall", "F1")


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedResult:
    """The figures of a run.

    Attributes:
        scripted: whether stand-ins answered, and no model.
        judged_by: the model, or the stand-in.
        judge: and what is left out of it.
        repeats: how often each trajectory was judged.
        rows: rates by the name of judge or stand-in.
        by_length: and `by_benchmark`, those of the first row in groups.
        spreads: over the repetitions.
        boundaries: rates of boundaries, by who cut.
        boundary_data: what they are of.
        quality: how many subtasks got which rating.
        usable: the share rated 4 or 5.
        agreements: how far each pair of the model and people agrees on ratings.
        ratings_elsewhere: ratings of people about subtasks that this model did not make.
        to_fill_in: a file of subtasks for people to rate.
        asked: how many questions of each kind; `unanswered` by reason; `pictures_most` in one of them.
        left_out: trajectories, by reason.
    """

    scripted: bool
    judged_by: str
    judge: str
    repeats: int = 1
    rows: Mapping[str, Rates] = field(default_factory=dict)
    by_length: Mapping[str, Rates] = field(default_factory=dict)
    by_benchmark: Mapping[str, Rates] = field(default_factory=dict)
    spreads: Mapping[str, Spread] = field(default_factory=dict)
    boundaries: Mapping[str, BoundaryRates] = field(default_factory=dict)
    boundary_data: str = ""
    quality: Mapping[str, int] = field(default_factory=dict)
    usable: float | None = None
    agreements: Mapping[str, Agreement] = field(default_factory=dict)
    ratings_elsewhere: int = 0
    to_fill_in: str = ""
    asked: Mapping[str, int] = field(default_factory=dict)
    unanswered: Mapping[str, int] = field(default_factory=dict)
    pictures_most: int = 0
    left_out: Mapping[str, int] = field(default_factory=dict)


def render(result: JudgedResult, published: Published) -> Iterator[str]:
    """Yield lines of text."""
    yield f"Judged by {result.judged_by}, {result.judge}."
    for title, rows in _tables(result):
        yield ""
        yield f"{title}: trajectories, accuracy, precision, recall, F1, no answer"
        yield from (_line(_rate_cells(name, one)) for name, one in rows.items())
    if result.boundaries:
        yield ""
        yield f"Boundaries within 3 s, of {result.boundary_data}: true, found, precision, recall, F1"
        yield from (_line(_cut_cells(name, one)) for name, one in result.boundaries.items())
    yield ""
    yield from _facts(result)
    yield ""
    yield from published_lines(published)


def render_page(result: JudgedResult, published: Published, notes: Sequence[str]) -> str:
    """Return the page."""
    return page(TITLE, _parts(result, published, notes))


def _parts(result: JudgedResult, published: Published, notes: Sequence[str]) -> Iterator[str]:
    yield from (paragraph(note, "loud") for note in notes)
    yield paragraph(f"Judged by {result.judged_by}, {result.judge}.")
    for title, rows in _tables(result):
        yield heading(title)
        yield html_table(_HEADS, [_rate_cells(name, one) for name, one in rows.items()])
    if result.boundaries:
        yield heading("Boundaries of subtasks")
        yield paragraph(f"Matched one to one within 3 s; of {result.boundary_data}.", "small")
        yield html_table(_CUT_HEADS, [_cut_cells(name, one) for name, one in result.boundaries.items()])
    yield heading("What was asked")
    yield f"<ul>{''.join(f'<li>{escape(fact)}</li>' for fact in _facts(result))}</ul>"
    yield heading("Published")
    yield f"<pre>{escape(chr(10).join(published_lines(published)))}</pre>"


def _tables(result: JudgedResult) -> Iterator[tuple[str, Mapping[str, Rates]]]:
    named = (("Verdicts", result.rows), ("By length", result.by_length), ("By benchmark", result.by_benchmark))
    yield from ((title, rows) for title, rows in named if rows)


def _facts(result: JudgedResult) -> Iterator[str]:
    asked = ", ".join(f"{count} {kind}" for kind, count in result.asked.items())
    yield f"Asked: {asked or 'nothing'}; at most {result.pictures_most} pictures in one request."
    if result.unanswered:
        why = ", ".join(f"{count} {reason}" for reason, count in result.unanswered.items())
        yield f"Without an answer, which counts as the wrong class: {why}."
    for name, one in result.spreads.items():
        deviation = "" if one.deviation is None else f" ± {100 * one.deviation:.1f}"
        yield f"{name} over {result.repeats} repetitions: {100 * one.mean:.1f}{deviation} %"
    if result.quality:
        counts = ", ".join(f"{score}: {count}" for score, count in result.quality.items())
        yield f"Subtasks by rating, {counts}; {_percent(result.usable)} rated 4 or 5."
    for pair, found in result.agreements.items():
        kappas = f"{_kappa('kappa', found.kappa)}, {_kappa('weighted by squared distance', found.weighted)}"
        equal = f"{found.items} subtasks, equal {_percent(found.observed)} %"
        yield f"Ratings of {pair}: {equal}; {kappas}; {found.left_out} not rated by both."
    if result.ratings_elsewhere:
        yield f"Ratings about subtasks that this model did not make, and not counted: {result.ratings_elsewhere}."
    for reason, count in result.left_out.items():
        yield f"Left out: {count}, {reason}."


def _rate_cells(name: str, one: Rates) -> tuple[str, ...]:
    accuracy = one.accuracy
    shown = (
        NO_FIGURE
        if accuracy is None
        else f"{100 * accuracy.value:.1f} ({100 * accuracy.low:.0f} to {100 * accuracy.high:.0f})"
    )
    figures = (_percent(one.precision), _percent(one.recall), _percent(one.f1))
    return (name, str(one.count), shown, *figures, str(one.unanswered))


def _cut_cells(name: str, one: BoundaryRates) -> tuple[str, ...]:
    return (name, str(one.true), str(one.found), _percent(one.precision), _percent(one.recall), _percent(one.f1))


def _kappa(name: str, one: Interval | None) -> str:
    """Return a kappa with its interval, as far as there are any."""
    if one is None or math.isnan(one.value):
        return f"{name} not defined"
    interval = "" if math.isnan(one.low) else f" ({one.low:.2f} to {one.high:.2f})"
    return f"{name} {one.value:.2f}{interval}"


def _percent(share: float | None) -> str:
    return NO_FIGURE if share is None or math.isnan(share) else f"{100 * share:.1f}"


def _line(cells: Sequence[str]) -> str:
    name, *figures = cells
    return f"  {name:<{_NAME}}" + "  ".join(f"{cell:>8}" for cell in figures)
