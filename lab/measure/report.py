"""What a benchmark tells, once, and how that is shown: as lines of text, as Markdown, and as a page of HTML.

A benchmark hands over parts in their order; a plain string is a paragraph. Plots are on the page alone. All text is
escaped here.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from daemon.figures import page as pages
from daemon.figures.resampling import Ints
from lab.measure.benchmark import AcceptanceCriterion
from lab.measure.metrics import balanced
from storage.plain_text import visible_html

_DARK = 0.5
"""From this share on a cell is dark enough for white letters."""


@dataclass(frozen=True, slots=True)
class Heading:
    """What the parts below it are about."""

    text: str


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph that stands out ("loud"), or is in small letters ("small")."""

    text: str
    kind: str


@dataclass(frozen=True, slots=True)
class Table:
    """A table of plain text; a row of one cell names the group of rows below it, and that of `ours` is highlighted."""

    heads: Sequence[str]
    rows: Sequence[Sequence[str]]
    ours: str | None = None


@dataclass(frozen=True, slots=True)
class Confusion:
    """Counts of what was taken for what: truth down, guess across; shown are the shares of each row."""

    names: Sequence[str]
    counts: Ints


@dataclass(frozen=True, slots=True)
class Plots:
    """Drawings side by side, as SVG."""

    drawings: Sequence[str]


Part = str | Heading | Paragraph | Table | Confusion | Plots


def text_of(parts: Iterable[Part]) -> Iterator[str]:
    """Yield the parts as lines of text, without what only a page can show."""
    for part in parts:
        match part:
            case str():
                yield part
            case Paragraph():
                yield part.text
            case Heading():
                yield from ("", f"{part.text}:")
            case Table():
                yield from _text_table(part)
            case Confusion() | Plots():
                pass


def _text_table(table: Table) -> Iterator[str]:
    grid = [list(table.heads), *(list(row) for row in table.rows if len(row) > 1)]
    widths = [max(map(len, column)) for column in zip_longest(*grid, fillvalue="")]
    for row in (table.heads, *table.rows):
        first, *others = row
        line = f"  {first:<{widths[0]}}" if others else f"  -- {first}"
        yield (line + "".join(f"  {cell:>{width}}" for cell, width in zip(others, widths[1:], strict=False))).rstrip()


def markdown_of(title: str, parts: Iterable[Part], criteria: Sequence[AcceptanceCriterion] = ()) -> str:
    """Return the parts, and the criteria below them, as Markdown."""
    every = [*parts, *((Heading("Bars"), _criteria(criteria)) if criteria else ())]
    return "\n".join([f"# {title}", "", *markdown_lines(every)]).rstrip() + "\n"


def markdown_lines(parts: Iterable[Part]) -> Iterator[str]:
    """Yield the parts as lines of Markdown, each with an empty one below."""
    for part in parts:
        match part:
            case str():
                yield part
            case Paragraph():
                yield f"**{part.text}**" if part.kind == "loud" else part.text
            case Heading():
                yield f"## {part.text}"
            case Table():
                yield from _markdown_table(part)
            case Confusion():
                yield from _markdown_table(Table(("", *part.names), _shares(part)))
            case Plots():
                continue
        yield ""


def _markdown_table(table: Table) -> Iterator[str]:
    yield f"| {' | '.join(table.heads)} |"
    yield f"|{'---|' * len(table.heads)}"
    for first, *others in table.rows:
        name = f"**{first}**" if first == table.ours else first
        yield f"| {' | '.join((name, *others))} |"


def page_of(title: str, parts: Iterable[Part], criteria: Sequence[AcceptanceCriterion] = ()) -> str:
    """Return the parts, and the criteria below them, as a page of HTML."""
    every = [*parts, *((Heading("Bars"), _criteria(criteria)) if criteria else ())]
    return pages.page(title, [_html(part) for part in every])


def _html(part: Part) -> str:
    match part:
        case str():
            return pages.paragraph(part)
        case Paragraph():
            return pages.paragraph(part.text, part.kind)
        case Heading():
            return pages.heading(part.text)
        case Plots():
            return pages.plots(part.drawings)
        case Confusion():
            return pages.html_table(("", *part.names), [_dark_row(row) for row in _shares(part)])
        case Table():
            width = len(part.heads)
            rows = [row if len(row) > 1 else pages.html_row([*row, *[""] * (width - 1)], "group") for row in part.rows]
            return pages.html_table(part.heads, rows, ours=part.ours)


def _dark_row(row: Sequence[str]) -> str:
    """Return a row whose cells are the darker, the greater the share in them."""
    cells = "".join(
        f"<td style='background:rgba(37,99,235,{share or 0});"
        f"color:{'#fff' if float(share or 0) > _DARK else 'inherit'}'>{share}</td>"
        for share in row[1:]
    )
    return f"<tr><td>{visible_html(row[0])}</td>{cells}</tr>"


def _shares(part: Confusion) -> list[list[str]]:
    rows = zip(part.names, balanced(part.counts).tolist(), part.counts.sum(axis=1).tolist(), strict=False)
    return [
        [f"{name} ({total})", *(f"{share:.2f}" if share else "" for share in shares)] for name, shares, total in rows
    ]


def _criteria(criteria: Sequence[AcceptanceCriterion]) -> Table:
    return Table(
        ("bar", "reached", "limit", ""),
        [
            (
                criterion.name,
                f"{criterion.value:g}",
                f"{criterion.unit} {criterion.limit:g}",
                "" if criterion.ok else "missed",
            )
            for criterion in criteria
        ],
    )
