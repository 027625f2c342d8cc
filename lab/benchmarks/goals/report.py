"""What a run found: the result with all figures, as lines of text and as a page.

Our figures and the published ones stand in blocks of their own: they are of different data.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from daemon.figures.intervals import Interval
from daemon.pages.page import heading, html_row, html_table, page, paragraph
from detectors.mllm.questions import Usage
from lab.benchmarks.goals.figures import GoalFigures, LabelShares, WithPeople
from lab.benchmarks.goals.references import Published, Shares
from lab.measure.agreement import Agreement, PairwiseAgreement
from lab.measure.criteria import AcceptanceCriterion
from lab.measure.tables import criteria_table

COLUMNS = ("non-match", "partial", "match")
AS_PUBLISHED = "By satisfaction alone, as the published tables"
WITH_FULFILMENT = "With fulfilment: what the trajectory does not fulfil is no match"
NOTHING_ASKED = "No model was asked: the figures are people's verdicts alone, or show that the counting is right."
NOT_COMPARED = "Published figures are of other data and other words: they say how hard the task is, not who is better."
ALWAYS_YES = "always yes (control)"
NO_VERDICTS = "kappa, judge and people: nobody compared the same goals (--verdicts FILE)"

_LEVELS: Mapping[str, str] = {
    "directions": "satisfaction, each direction",
    "fulfilment": "fulfilment",
    "labels": "labels by satisfaction alone",
    "labels_with_fulfilment": "labels with fulfilment",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class GoalResult:
    """All figures of a run, as in the JSON object.

    `model` is empty where none says goals, `writers` are those whose goals came from a file. `sent` counts this run
    alone; `usage` is that of all answers, whenever they were given.
    """

    whose: str
    simulated: bool
    stand_in: bool
    model: str
    writers: tuple[str, ...]
    judge: str
    people: str
    pictures: bool
    trajectories: int
    questions: int
    unanswered: int
    sent: int
    usage: Usage
    left_out: Mapping[str, int]
    figures: GoalFigures
    bars: tuple[AcceptanceCriterion, ...]


def names_of(result: GoalResult) -> str:
    """Return whose goals are compared."""
    return ", ".join([*([result.model] if result.model else []), *result.writers]) or "nobody"


def facts(result: GoalResult) -> list[str]:
    """Return what the figures are of."""
    shown = "with pictures" if result.pictures else "without pictures"
    tokens = result.usage.tokens_in + result.usage.tokens_out
    cost = "" if result.stand_in else f" All answers together: {tokens} tokens, {result.usage.dollars:.2f} US dollars."
    left = ", ".join(f"{count} ({why})" for why, count in result.left_out.items()) or "none"
    return [
        f"Data: {result.whose}. {result.trajectories} trajectories, {shown}.",
        f"Goals by {names_of(result)}; compared by {result.judge}.",
        f"{result.questions} questions, {result.unanswered} without an answer (a no); {result.sent} sent now.{cost}",
        f"Left out: {left}.",
        *([NOTHING_ASKED] if result.stand_in else []),
    ]


def render(result: GoalResult, published: Published) -> list[str]:
    """Return everything as lines of text."""
    figures = result.figures
    lines = [*facts(result), ""]
    for title, table in tables_of(figures):
        lines += [f"{title} (shares, with the middle 95 % of draws of whole trajectories)", *_text_table(table), ""]
    lines += [*(f"{name}: {value}" for name, value in controls_of(figures, result.people)), ""]
    for one in agreements_of(figures, result.people):
        lines.append(f"kappa, {one.who}, {one.over}: {one.kappa}; {one.items} items")
        lines += [f"  shares: {one.shares}"] if one.shares else []
    if figures.judge_and_people == WithPeople():
        lines.append(NO_VERDICTS)
    lines += [f"{name}: {value}" for name, value in others_of(figures)]
    lines += ["", f"Published, not run here: {published.source}. {NOT_COMPARED}"]
    lines += [f"  {name:<{_WIDTH + _ITEMS}}{_plain_cells(shares)}" for name, shares in published_rows(published)]
    lines += [f"  {text}" for text in published_facts(published)]
    return lines


def tables_of(figures: GoalFigures) -> list[tuple[str, Sequence[LabelShares]]]:
    """Return both tables with their titles."""
    return [(AS_PUBLISHED, figures.as_published), (WITH_FULFILMENT, figures.with_fulfilment)]


def controls_of(figures: GoalFigures, people: str) -> Iterator[tuple[str, str]]:
    """Yield how the judge behaves where the answer is known, beside somebody who always says yes."""
    found = figures.controls
    if found.reflexive_asked:
        yield "reflexive: a goal satisfies itself", f"{share(found.reflexive)} of {found.reflexive_asked}; should be 1"
    if found.swapped_asked:
        yield (
            "swapped: the goal of another trajectory matches",
            f"{share(found.swapped_match)} of {found.swapped_asked}; should be about 0",
        )
    kappa = figures.always_yes_and_people.value
    beside = "there are no verdicts of people" if math.isnan(kappa) else f"{kappa:.2f}"
    yield ALWAYS_YES, f"match 1.00, reflexive 1.00, swapped 1.00; kappa with {people}: {beside}"


@dataclass(frozen=True, slots=True, kw_only=True)
class AgreementRow:
    """One kappa in words: between whom, over what, of how many items; for two raters the share of each label."""

    who: str
    over: str
    kappa: str
    items: str
    shares: str = ""


def agreements_of(figures: GoalFigures, people: str) -> Iterator[AgreementRow]:
    """Yield kappa between judge and people, and among people."""
    for who, found in ((f"judge and {people}", figures.judge_and_people), (f"among {people}", figures.people)):
        for name, level in _LEVELS.items():
            one: Agreement | PairwiseAgreement | None = getattr(found, name)
            if one is not None:
                yield _agreement_row(who, level, one)


def _agreement_row(who: str, over: str, one: Agreement | PairwiseAgreement) -> AgreementRow:
    if isinstance(one, PairwiseAgreement):
        pairs = list(one.pairs.values())
        items = f"{min(pair.items for pair in pairs)}" + (f" or more, {len(pairs)} pairs" if len(pairs) > 1 else "")
        return AgreementRow(who=who, over=over, kappa=kappa_text(one.kappa), items=items)
    first, second = one.shares
    return AgreementRow(
        who=who,
        over=over,
        kappa=kappa_text(one.kappa),
        items=f"{one.items}" + (f", {one.left_out} left out" if one.left_out else ""),
        shares="; ".join(f"{label} {share(first[label])} and {share(second[label])}" for label in one.labels),
    )


def kappa_text(kappa: Interval) -> str:
    """Return a kappa, or that there is none."""
    if math.isnan(kappa.value):
        return "not defined"
    return f"{kappa.value:.2f}" if math.isnan(kappa.low) else f"{kappa.value:.2f} ({kappa.low:.2f} to {kappa.high:.2f})"


def others_of(figures: GoalFigures) -> Iterator[tuple[str, str]]:
    """Yield matches by domain, ambiguity, and style."""
    for domain, of_domain in figures.domains.items():
        matches = ", ".join(f"{name} {interval(one)}" for name, one in of_domain.items())
        yield f"match in {domain} ({figures.in_domain.get(domain, 0)} trajectories)", matches
    if figures.ambiguity is not None:
        one = figures.ambiguity
        yield (
            f"ambiguity of {one.trajectories} trajectories with three goals",
            f"all match {share(one.all_match)}, some {share(one.some_match)}, none {share(one.none_match)}",
        )
    for by, begins in figures.navigate.items():
        yield f'goals of {by} that begin with "navigate"', share(begins)


def published_rows(published: Published) -> Iterator[tuple[str, Shares]]:
    """Yield the rows of both published tables."""
    for written in published.written_by_people:
        yield f"{written.data}: {written.who}", written
    for one in published.predicted_by_models:
        yield f"{one.data}: {one.model}, by hand (fulfilment {one.fulfilment:.2f})", one.by_hand
        yield f"{one.data}: {one.model}, automatic", one.automatic


def published_facts(published: Published) -> Iterator[str]:
    """Yield what else was published."""
    for data, kappa in published.kappa_of_people.items():
        fulfilment, satisfaction = kappa["fulfilment"], kappa["satisfaction"]
        yield f"{data}: kappa of people {fulfilment:.2f} (fulfilment), {satisfaction:.2f} (satisfaction)"
    yield f"kappa of judge and people {published.kappa_of_judge:.2f}"
    yield "rejected: " + ", ".join(f"{data} {share(value)}" for data, value in published.rejected.items())
    yield "ambiguity of Mind2Web: " + ", ".join(f"{name} {share(value)}" for name, value in published.ambiguity.items())
    yield 'begin with "navigate": ' + ", ".join(f"{name} {share(value)}" for name, value in published.navigate.items())
    yield from published.notes


def share(value: float) -> str:
    """Return a share; of nothing there is none."""
    return "no figure" if math.isnan(value) else f"{value:.2f}"


def interval(one: Interval) -> str:
    """Return a share with its interval."""
    return share(one.value) if math.isnan(one.low) else f"{share(one.value)} ({one.low:.2f}..{one.high:.2f})"


_WIDTH = 46
_CELL = 19
_ITEMS = 8


def _text_table(rows: Sequence[LabelShares]) -> Iterator[str]:
    yield f"  {'goals by (compared by)':<{_WIDTH}}{'items':>{_ITEMS}}" + "".join(f"{name:>{_CELL}}" for name in COLUMNS)
    for one in rows:
        name = f"{one.by} ({one.compared_by})"
        cells = "".join(f"{interval(value):>{_CELL}}" for value in (one.non_match, one.partial, one.match))
        yield f"  {name:<{_WIDTH}}{one.items:>{_ITEMS}}{cells}"
        yield f"  {'':<{_WIDTH}}{'':>{_ITEMS}}{_partial_text(one):>{2 * _CELL}}"


def _partial_text(one: LabelShares) -> str:
    more = f"more specific {share(one.more_specific)}, more general {share(one.more_general)}"
    return more if one.fulfilment is None else f"{more}, fulfilled {interval(one.fulfilment)}"


def _plain_cells(shares: Shares) -> str:
    return "".join(f"{value:>{_CELL}.2f}" for value in (shares.non_match, shares.partial, shares.match))


# ---------------------------------------------------------------- page


def render_page(result: GoalResult, published: Published) -> str:
    """Return the page as HTML."""
    figures = result.figures
    first, *more = facts(result)
    return page(
        f"Goals of trajectories by {names_of(result)}, compared by {result.judge}",
        (
            paragraph(first, "loud" if result.simulated else ""),
            *(paragraph(text) for text in more),
            heading("What predicted goals are beside the true ones"),
            *(part for title, rows in tables_of(figures) for part in (paragraph(title), _html_table(rows))),
            paragraph("Ranges: the middle 95 % of 1000 draws of whole trajectories. No answer is a no.", "small"),
            heading("Can the judge be believed"),
            html_table(("control", ""), list(controls_of(figures, result.people))),
            *_agreement_parts(result),
            heading("Where, and in which style"),
            html_table(("", ""), list(others_of(figures))),
            heading("Published, not run here"),
            paragraph(f"{published.source}. {NOT_COMPARED}"),
            html_table(
                ("", *COLUMNS),
                (
                    [name, *(f"{value:.2f}" for value in (shares.non_match, shares.partial, shares.match))]
                    for name, shares in published_rows(published)
                ),
            ),
            *(paragraph(text, "small") for text in published_facts(published)),
            heading("This run"),
            criteria_table(result.bars),
        ),
    )


def _agreement_parts(result: GoalResult) -> Iterator[str]:
    """Yield the table of kappas, and the shares of labels below it."""
    rows = list(agreements_of(result.figures, result.people))
    if not rows:
        yield paragraph(NO_VERDICTS)
        return
    yield "<p></p>"
    yield html_table(
        ("kappa", "over", "with its interval", "items"), ([one.who, one.over, one.kappa, one.items] for one in rows)
    )
    for one in rows:
        if one.shares:
            yield paragraph(f"Shares of labels, {one.over} ({one.who}): {one.shares}.", "small")


def _html_table(rows: Sequence[LabelShares]) -> str:
    return html_table(
        ("goals by", "compared by", "items", *COLUMNS, "more specific", "more general", "fulfilled", "no answer"),
        (
            html_row(
                [
                    one.by,
                    one.compared_by,
                    str(one.items),
                    *(interval(value) for value in (one.non_match, one.partial, one.match)),
                    share(one.more_specific),
                    share(one.more_general),
                    "" if one.fulfilment is None else interval(one.fulfilment),
                    str(one.unanswered),
                ]
            )
            for one in rows
        ),
    )
