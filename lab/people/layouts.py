"""Finds the recordings of the three published data sets in a folder, and reads one by its job.

The folder holds one or several of `balabit/USER/SESSION.csv`, `essays/NAME.json` (one submission a line) and
`miniwob/TASK/ASSIGNMENT.json`, each file also as `.gz`, and beside the last `miniwob/alaska_trouble.jsonl`.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

import msgspec

from lab.people import balabit, essays, miniwob
from lab.people.desk import Demo, Recording, read_text
from storage.clock import NS_PER_S
from storage.errors import BadFile

TROUBLE = "alaska_trouble.jsonl"
TROUBLE_TASK = "flight.Alaska-auto"
"""The one task whose trouble is marked."""

REMEDY = "give the folder that holds balabit, essays or miniwob, as lab/docs/measured.md describes them"

APPS = ("program", "firefox")
"""Each recording is read under a neutral program's name and under a browser's: a name alone must change nothing."""

UNANSWERED = 0.05
"""Share of presses without an answer that is invented for recordings without a screen."""


class Layout(StrEnum):
    """A published data set."""

    BALABIT = "balabit"
    ESSAYS = "essays"
    MINIWOB = "miniwob"


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Where one recording is: a file, and which of its submissions."""

    layout: Layout
    path: Path
    number: int = 0

    def read(self, app: str, unanswered: float) -> Recording:
        """Read it, under the name of a program.

        Raises:
            BadFile: it is not what its place says.
        """
        if self.layout is Layout.BALABIT:
            return balabit.read(self.path, app, unanswered=unanswered)
        if self.layout is Layout.MINIWOB:
            return miniwob.read(self.path, app)
        submission = essays.read_submissions(self.path)[self.number]
        return essays.read(submission, f"{self.path.name.split('.')[0]}-{self.number}", app)


class TroubleMoment(msgspec.Struct, frozen=True):
    """A moment of trouble in the flight form: which file, which rule marked it, and seconds from the file's begin."""

    file: str
    rule: str
    at_s: float


def sources_in(folder: Path) -> list[Source]:
    """Return all recordings in a folder.

    Raises:
        BadFile: there is none, or a file of essays is none.
    """
    if not folder.is_dir():
        raise BadFile(f"{folder} is no folder", remedy=REMEDY)
    found = [*_files(folder, Layout.BALABIT, "*/*.csv*"), *_files(folder, Layout.MINIWOB, "*/*.json*")]
    for source in _files(folder, Layout.ESSAYS, "*.json*"):
        count = len(essays.read_submissions(source.path))
        found += [Source(layout=Layout.ESSAYS, path=source.path, number=number) for number in range(count)]
    if not found:
        raise BadFile(f"{folder} holds no recording of people", remedy=REMEDY)
    return found


def limited(sources: Sequence[Source], limit: int | None) -> list[Source]:
    """Return so many recordings of each data set, spread evenly over it."""
    found: list[Source] = []
    for layout in Layout:
        of_it = [source for source in sources if source.layout is layout]
        step = 1 if limit is None else max(1, -(-len(of_it) // limit))
        found += of_it[::step]
    return found


def moments_in(folder: Path) -> Mapping[str, tuple[TroubleMoment, ...]]:
    """Return the marked moments by file; empty where none are there.

    Raises:
        BadFile: a line is no moment.
    """
    path = folder / Layout.MINIWOB / TROUBLE
    if not path.exists():
        return {}
    moments: dict[str, tuple[TroubleMoment, ...]] = {}
    for number, line in enumerate(read_text(path).splitlines(), 1):
        try:
            one = msgspec.json.decode(line.encode(), type=TroubleMoment)
        except msgspec.MsgspecError as error:
            raise BadFile(f"line {number} of {path} is no moment of trouble") from error
        moments[one.file] = (*moments.get(one.file, ()), one)
    return moments


def marked_times(demos: Sequence[Demo], moments: Mapping[str, Sequence[TroubleMoment]]) -> list[int]:
    """Return the marked moments of a recording's demos, in its own nanoseconds."""
    return [demo.start_ns + round(moment.at_s * NS_PER_S) for demo in demos for moment in moments.get(demo.file, ())]


def _files(folder: Path, layout: Layout, pattern: str) -> Iterator[Source]:
    for path in sorted((folder / layout).glob(pattern)):
        yield Source(layout=layout, path=path)
