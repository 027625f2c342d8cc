"""The skeleton of a page: one HTML file without scripts or anything from outside. Cells are escaped."""

import re
from collections.abc import Iterable, Sequence

from storage.plain_text import visible_html

_CODE = re.compile("`([^`<>]+)`")
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
_STYLE = """
:root { color-scheme: light dark; --ink: #1d2129; --muted: #4b5563; --faint: #6b7280; --line: #e3e6eb; --soft: #f3f4f6;
  --ours: #eff4ff; --loud: #9a3412; --ground: #ffffff }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e9ef; --muted: #b3bac6; --faint: #949cab; --line: #353b47;
  --soft: #232833; --ours: #1d2a44; --loud: #fdba74; --ground: #14171d } }
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 86rem; padding: 0 1rem; color: var(--ink);
  background: var(--ground) }
h1 { font-size: 1.5rem; margin-bottom: .3rem } h2 { font-size: 1.15rem; margin-top: 2.3rem }
h3 { font-size: 1rem; margin-top: 1.7rem }
.loud { font-weight: 600; color: var(--loud) } .small { color: var(--muted); font-size: 13px; max-width: 60rem }
table { border-collapse: collapse; font-size: 13px } td, th { padding: .27rem .45rem; text-align: right }
th { vertical-align: bottom; font-weight: 600 }
th:first-child, td:first-child { text-align: left } td:first-child { min-width: 9rem }
tr + tr td { border-top: 1px solid var(--line) }
.group td { background: var(--soft); font-weight: 600; text-align: left } .ours td { background: var(--ours) }
.ours td:first-child { font-weight: 600 }
td.text { text-align: left }
.plots { display: flex; flex-wrap: wrap; gap: .8rem 1.6rem } .wide { overflow-x: auto }
svg text { font-size: 12px; fill: var(--muted) } svg .title { font-weight: 600; fill: var(--ink) }
"""


def page(title: str, parts: Iterable[str], *, style: str = "") -> str:
    """Return a page with a title and parts, which are HTML; `style` comes behind the styles of all pages."""
    head = (
        "<!doctype html><html lang=en><head><meta charset=utf-8>"
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{visible_html(title)}</title><style>{_STYLE}{style}</style></head><body>"
    )
    return "\n".join((head, f"<h1>{visible_html(title)}</h1>", *parts, "</body></html>\n"))


def paragraph(text: str, kind: str = "") -> str:
    """Return a paragraph of plain text; `kind` is "loud" or "small"."""
    return f"<p{f' class={kind}' if kind else ''}>{marked(text)}</p>"


def marked(text: str) -> str:
    """Return plain text as HTML, with what stands between backticks as code."""
    return _CODE.sub(r"<code>\1</code>", visible_html(text))


def heading(text: str) -> str:
    """Return a heading of plain text."""
    return f"<h2>{visible_html(text)}</h2>"


def plots(drawings: Iterable[str]) -> str:
    """Return SVG drawings side by side."""
    return f"<div class=plots>{''.join(drawings)}</div>"


def html_row(cells: Sequence[str], kind: str = "") -> str:
    """Return a table row of plain text; `kind` is "ours" or nothing."""
    return raw_row([marked(cell) for cell in cells], kind)


def raw_row(cells: Sequence[str], kind: str = "") -> str:
    """Return a table row of HTML cells, which the caller has escaped."""
    return f"<tr{f' class={kind}' if kind else ''}>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>"


def html_table(heads: Sequence[str], rows: Iterable[Sequence[str] | str], *, ours: str | None = None) -> str:
    """Return a table; rows are cells of plain text, or HTML; the row whose first cell is `ours` is highlighted."""
    lines = (row if isinstance(row, str) else html_row(row, "ours" if row[0] == ours else "") for row in rows)
    head = "".join(f"<th>{visible_html(head)}</th>" for head in heads)
    return f"<div class=wide><table><tr>{head}</tr>{''.join(lines)}</table></div>"
