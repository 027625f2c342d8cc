"""What the researcher's machine keeps in writing about a study: deletions carried out, and arms looked at early.

Two files of JSON lines in the study's folder, appended to and waited for: `deletions.jsonl` and `unblinded.jsonl`.
"""

import os
from pathlib import Path

import msgspec

from storage.errors import BadFile, EnvironmentFault
from storage.plain_file import read_lines

DELETIONS = "deletions.jsonl"
UNBLINDED = "unblinded.jsonl"
_MAX_LINE = 64 << 10


class Deletion(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Somebody's data was deleted here: who, when, and the public half of the destroyed key as text."""

    participant: str
    wall_ns: int
    destroyed_key: str


class Unblinding(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Somebody looked at results by arm before the study was over: when, and with which command."""

    wall_ns: int
    command: str


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


def purged_participants(folder: Path) -> dict[str, int]:
    """Return who was deleted here, with the time (nanoseconds since the epoch).

    Raises:
        BadFile: the file is damaged.
    """
    path = folder / DELETIONS
    if not path.exists():
        return {}
    try:
        found = [msgspec.json.decode(line, type=Deletion) for line in read_lines(path, longest=_MAX_LINE)]
    except (msgspec.MsgspecError, UnicodeDecodeError):
        raise BadFile(f"{path} is damaged", remedy="take it from where it was kept") from None
    return {one.participant: one.wall_ns for one in found}
