"""What the researcher's machine keeps in writing about a study: deletions, exports, and arms looked at early.

Files of JSON lines in the study's folder, appended to and waited for.
"""

import getpass
import os
from pathlib import Path
from typing import Literal, TypeVar

import msgspec

from storage.errors import BadFile, EnvironmentFault
from storage.plain_file import read_lines
from studies.plan import Name, ParticipantId

DELETIONS = "deletions.jsonl"
EXPORTS = "exports.jsonl"
UNBLINDED = "unblinded.jsonl"
_MAX_LINE = 4 << 20

L = TypeVar("L", bound=msgspec.Struct)


class Deletion(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Somebody's data was deleted here: who, when, and the public half of the destroyed key as text."""

    participant: str
    wall_ns: int
    destroyed_key: str


class Export(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Data was given away and cannot be recalled: under which name, when, and whose."""

    name: Name
    wall_ns: int
    participants: tuple[ParticipantId, ...]


class Unblinding(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Somebody looked at results by arm before the study was over: when, which user, and with which command."""

    wall_ns: int
    user: str
    command: Literal["monitor", "report"]


def note(path: Path, entry: msgspec.Struct) -> None:
    """Append a line and wait until it is on the disk.

    Raises:
        EnvironmentFault: it cannot be written.
    """
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        with os.fdopen(os.open(path, flags, 0o600), "ab") as file:
            file.write(msgspec.json.encode(entry) + b"\n")
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise EnvironmentFault(
            f"{path} cannot be written: {error.strerror}", remedy="see who may write there, and the free space"
        ) from error


def note_unblinding(folder: Path, command: Literal["monitor", "report"], *, wall_ns: int) -> None:
    """Write down that arms are about to be shown, before anything is.

    Raises:
        EnvironmentFault: it cannot be written; then nothing may be shown.
    """
    try:
        user = getpass.getuser()
    except (KeyError, OSError):  # a user id without a name, as in some containers
        user = str(os.getuid())
    note(folder / UNBLINDED, Unblinding(wall_ns=wall_ns, user=user, command=command))


def purged_participants(folder: Path) -> dict[str, int]:
    """Return who was deleted here, with the time (nanoseconds since the epoch).

    Raises:
        BadFile: the file is damaged.
    """
    return {one.participant: one.wall_ns for one in _read(folder / DELETIONS, Deletion)}


def exports_with(folder: Path, participant: str) -> tuple[str, ...]:
    """Return the names of exports that hold somebody, each once.

    Raises:
        BadFile: the file is damaged.
    """
    found = (one.name for one in _read(folder / EXPORTS, Export) if participant in one.participants)
    return tuple(dict.fromkeys(found))


def _read(path: Path, kind: type[L]) -> list[L]:
    if not path.exists():
        return []
    try:
        return [msgspec.json.decode(line, type=kind) for line in read_lines(path, longest=_MAX_LINE)]
    except (msgspec.MsgspecError, UnicodeDecodeError):
        raise BadFile(f"{path} is damaged", remedy="take it from where it was kept") from None
