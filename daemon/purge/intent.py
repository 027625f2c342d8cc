"""The file that says which purge has begun and what it deletes; a start finishes what it names before anything else.

It is written before the first byte is deleted and removed after the last one. It holds names of sessions, numbers of
rows and what was learned before the span, nothing of the span itself. Each change replaces it in one step.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import msgspec

from storage.db.connection import disk_fault
from storage.errors import BadFile, EnvironmentFault, os_words
from storage.files import open_regular, partial_name, private_folder, sync_folder, write_whole
from storage.translation import Sentence, translatable

PURGE = "purge"
"""Name of the file in the data folder."""

ALL = "all"

MAX_BYTES = 64 << 20


class StoredRow(NamedTuple):
    """A row of a session as its database holds it."""

    seq: int
    at_ns: int
    kind: str
    body: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionCut:
    """What is left of a session: rows before number `first_gone`, then the rows that end it.

    `pictures` gives for each video that is left the millisecond of its last picture. `requests` are numbers of entries
    in the sent log that its rows name: they go whatever the clock said.
    """

    first_gone: int
    ending: tuple[StoredRow, ...]
    pictures: Mapping[str, int] = field(default_factory=dict)
    requests: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedState:
    """What a policy, or the questions of a study, had saved, and when."""

    saved: Mapping[str, object]
    wall_ns: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PurgePlan:
    """What goes, and what takes its place.

    Attributes:
        deleted: names of sessions that go whole.
        cut: sessions that lose their end, by name.
        began_after: sessions that stay whole, but began with what was learned in the span; that goes from their first
            row.
        policies: what is put back, by the memory of a policy.
        study: the study whose questions are put back; empty for none.
        questions: how far they were.
        shown: from when to before when the wall clock showed while what goes was recorded: it may have been wrong
            then, and lines of the log and requests have no other time.
        problems: what could not be read and stays, for the person.
    """

    deleted: tuple[str, ...] = ()
    cut: Mapping[str, SessionCut] = field(default_factory=dict)
    began_after: tuple[str, ...] = ()
    policies: Mapping[str, SavedState] = field(default_factory=dict)
    study: str = ""
    questions: SavedState | None = None
    shown: tuple[tuple[int, int], ...] = ()
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PurgeIntent:
    """A purge that has begun: its span in wall-clock time, from the first to before the second.

    `scope` is "last", "day" or "all". Without an end everything from the beginning on goes. `plan` is None until the
    sessions have been looked at.
    """

    scope: str
    begin_wall_ns: int
    end_wall_ns: int | None
    sessions_dir: str
    plan: PurgePlan | None = None


def write_intent(folder: Path, intent: PurgeIntent) -> None:
    """Write or replace the file in one step; it is on the disk once this has returned.

    Raises:
        EnvironmentFault: it cannot be written; then nothing may be deleted yet.
    """
    path = folder / PURGE
    private_folder(folder)
    try:
        write_whole(path, msgspec.json.encode(intent, enc_hook=str))  # of a `Sentence` the text
        sync_folder(folder)
    except OSError as error:
        raise _fault(path, translatable("{path} cannot be written: {why}"), error) from error


def read_intent(folder: Path) -> PurgeIntent | None:
    """Return the purge that has begun; None if there is none.

    Raises:
        BadFile: the file is damaged.
    """
    path = folder / PURGE
    if not os.path.lexists(path):
        return None
    with open_regular(path) as file:
        raw = file.read(MAX_BYTES + 1)
    try:
        return msgspec.json.decode(raw, type=PurgeIntent)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        raise BadFile(
            translatable("{path} is damaged: what was to be deleted is not known", path=path),
            remedy=translatable("remove it, then delete again: kairos forget"),
        ) from None


def clear_intent(folder: Path) -> None:
    """Remove the file; it is gone from the disk once this has returned.

    Raises:
        EnvironmentFault: it cannot be removed.
    """
    path = folder / PURGE
    try:
        path.with_name(partial_name(PURGE)).unlink(missing_ok=True)
        path.unlink(missing_ok=True)
        sync_folder(folder)
    except OSError as error:
        raise _fault(path, translatable("{path} cannot be removed: {why}"), error) from error


def _fault(path: Path, what: str, error: OSError) -> EnvironmentFault:
    said = Sentence(what, {"path": path, "why": os_words(error)})
    return disk_fault(said, error, remedy=translatable("check who owns the folder and its file system"))
