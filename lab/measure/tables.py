"""Tables of the benchmarks: acceptance criteria and confusion as HTML, any as markdown."""

from collections.abc import Iterable, Sequence
from html import escape

from daemon.figures.resampling import Ints
from daemon.pages.page import html_table
from lab.measure.criteria import AcceptanceCriterion
from lab.measure.metrics import balanced

_DARK = 0.5
"""From this share on a cell is dark enough for white letters."""


def criteria_table(criteria: Sequence[AcceptanceCriterion]) -> str:
    """Return the acceptance criteria as a table."""
    rows = [
        ["held" if one.ok else "missed", one.name, f"{one.value:g}", f"{one.limit:g}", one.unit] for one in criteria
    ]
    return html_table(("", "bar", "value", "limit", ""), rows)


def confusion_table(names: Sequence[str], counts: Ints) -> str:
    """Return shares of each row of a confusion table, darker where greater: truth down, guess across."""
    rows = []
    for name, shares, total in zip(names, balanced(counts).tolist(), counts.sum(axis=1).tolist(), strict=False):
        cells = "".join(
            f"<td style='background:rgba(37,99,235,{share:.2f});color:{'#fff' if share > _DARK else 'inherit'}'>"
            f"{f'{share:.2f}' if share else ''}</td>"
            for share in shares
        )
        rows.append(f"<tr><td>{escape(name)} ({total})</td>{cells}</tr>")
    return html_table(("", *names), rows)


def markdown_table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """Return a table as lines of markdown."""
    return [f"| {' | '.join(heads)} |", f"|{'---|' * len(heads)}", *(f"| {' | '.join(cells)} |" for cells in rows)]
