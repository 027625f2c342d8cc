"""What an export of labelled sessions looks like: its names, and its list of videos."""

import csv
import io
from collections.abc import Mapping, Sequence

MARK = "kairos-export"
"""Lies in what may be written anew."""

VIDEOS, LISTED = "videos", "video_urls.csv"

Wrong = Mapping[tuple[str, str], Sequence[str]]
"""Wrong answers of a session, by kind ("goal" or "help") and right answer."""


def table_of(rows: list[list[str]]) -> bytes:
    """Return the list of videos as a file has it."""
    table = io.StringIO()
    csv.writer(table).writerows(rows)
    return table.getvalue().encode()
