"""What the researcher's machine keeps in writing about a study: deletions, exports, and arms looked at early.

Files of JSON lines in the study's folder, appended to and waited for.
"""

import datetime as dt
import getpass
import os
from collections.abc import Collection
from pathlib import Path
from typing import Literal, TypeVar

import msgspec

from participant.documents.names import Name, ParticipantId
from participant.documents.statements import MAX_EXPORTS
from storage.clock import DAY_NS
from storage.enrolment import EPOCH
from storage.errors import BadFile
from storage.files import read_lines
from study.researcher.documents import append_private

DELETIONS = "deletions.jsonl"
EXPORTS = "exports.jsonl"
UNBLINDED = "unblinded.jsonl"
AND_MORE = "and-more"
_MAX_LINE = 4 << 20

L = TypeVar("L", bound=msgspec.Struct)


class Deletion(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Somebody's data was deleted here: who, when, and the public half of the destroyed key as text."""

    participant: str
    wall_ns: int
    destroyed_key: str


class Export(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Data was written where no deletion reaches it: under which name, when, whose, and into which file or folder."""

    name: Name
    wall_ns: int
    participants: tuple[ParticipantId, ...]
    path: str = ""


class Unblinding(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Somebody looked at results by arm before the study was over: when, which user, and with which command."""

    wall_ns: int
    user: str
    command: Literal["monitor", "report"]


def note(path: Path, entry: msgspec.Struct) -> None:
    """Append a line and wait until it is on the disk."""
    append_private(path, msgspec.json.encode(entry) + b"\n")


def note_unblinding(folder: Path, command: Literal["monitor", "report"], *, wall_ns: int) -> None:
    """Write down that arms are about to be shown, before anything is."""
    try:
        user = getpass.getuser()
    except (KeyError, OSError):  # a user id without a name, as in some containers
        user = str(os.getuid())
    note(folder / UNBLINDED, Unblinding(wall_ns=wall_ns, user=user, command=command))


def purged_participants(folder: Path) -> dict[str, int]:
    """Return who was deleted here, with the time (nanoseconds since the epoch)."""
    return {entry.participant: entry.wall_ns for entry in _read(folder / DELETIONS, Deletion)}


def note_export(folder: Path, what: str, path: Path, participants: Collection[str], *, wall_ns: int) -> str:
    """Write down that data of people is about to be written outside of the study; return the export's name.

    `what`: is exported: a page or tables, say; with the day (UTC) the name in receipts of deletions. `path`: where it
    is written; no receipt tells it.
    """
    name = f"{what}-{EPOCH + dt.timedelta(days=wall_ns // DAY_NS):%Y-%m-%d}"
    people = tuple(sorted(participants))
    note(folder / EXPORTS, Export(name=name, wall_ns=wall_ns, participants=people, path=str(path.absolute())))
    return name


def exports_with(folder: Path, participant: str) -> tuple[str, ...]:
    """Return the names of exports that hold somebody, each once; beyond what a receipt has room for, `and-more`."""
    found = (entry.name for entry in _read(folder / EXPORTS, Export) if participant in entry.participants)
    names = tuple(dict.fromkeys(found))
    return names if len(names) <= MAX_EXPORTS else (*names[: MAX_EXPORTS - 1], AND_MORE)


def _read(path: Path, kind: type[L]) -> list[L]:
    if not path.exists():
        return []
    try:
        return [msgspec.json.decode(line, type=kind) for line in read_lines(path, longest=_MAX_LINE)]
    except (msgspec.MsgspecError, UnicodeDecodeError):
        raise BadFile(f"{path} is damaged", remedy="take it from where it was kept") from None
