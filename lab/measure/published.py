"""Figures of papers, as they are printed there: a file of tables and notes beside the benchmark of other data."""

from collections.abc import Iterator, Mapping
from pathlib import Path

import msgspec

from lab.measure.report import Heading, Paragraph, Part, Table


class PublishedTable(msgspec.Struct, frozen=True):
    """A table in the digits of the paper; a row may end before the last column."""

    data: str
    columns: tuple[str, ...]
    rows: Mapping[str, tuple[str, ...]]


class Published(msgspec.Struct, frozen=True):
    """What a paper says; `notes` also say what in it does not agree."""

    source: str
    tables: tuple[PublishedTable, ...]
    notes: tuple[str, ...]


def load_published(module: str) -> Published:
    """Return the figures that lie beside a module of a benchmark, given its file."""
    return msgspec.json.decode((Path(module).parent / "data" / "published.json").read_bytes(), type=Published)


def published_parts(published: Published, remark: str = "") -> Iterator[Part]:
    """Yield the published figures, in a block of their own."""
    yield Heading("Published, not run here")
    yield f"{published.source}.{remark}"
    for table in published.tables:
        if table.data:
            yield table.data
        yield Table(("", *table.columns), [(name, *cells) for name, cells in table.rows.items()])
    yield from (Paragraph(note, "small") for note in published.notes)
