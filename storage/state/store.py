"""What outlives sessions, in one small database: consent, the policy's state, and what was told about deletion.

Every function reads or writes one JSON value, or raises whose fault it is. A damaged value is told, never guessed,
because a guess could be a consent that nobody gave.
"""

import os
import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import msgspec

from storage.consent_text import CONSENT_VERSION
from storage.db import is_full, open_writable
from storage.errors import BadFile, EnvironmentFault
from storage.migrations import STATE
from storage.paths import PRIVATE_FILE

MAX_CONSENT_BYTES = 4096


@dataclass(frozen=True, slots=True, kw_only=True)
class Consent:
    """What a person agreed to, and when: the journal, and the recording, which needs the journal.

    With `quiet_first_day` nothing is shown in the 24 hours after it (`daemon.runtime.quiet_day`).
    """

    journal: bool
    recording: bool
    given_at_wall_ns: int
    version: int = CONSENT_VERSION
    quiet_first_day: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class _SavedPolicy:
    policy: str
    saved: dict[str, object] = field(default_factory=dict)
    wall_ns: int = 0


class StateStore:
    """The database of what outlives sessions; open it for a moment, in one thread."""

    def __init__(self, path: Path) -> None:
        """Open (or make) it.

        Raises:
            BadFile: it is damaged.
            EnvironmentFault: it cannot be written.
        """
        self._path = path
        try:
            self._database = open_writable(path, STATE, wal=False)
        except EnvironmentFault as fault:
            cause = fault.__cause__
            if isinstance(cause, sqlite3.DatabaseError) and not isinstance(cause, sqlite3.OperationalError):
                raise _damaged(path, cause) from fault
            raise

    def __enter__(self) -> Self:
        """Return the state, which closes at the end of the block."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close."""
        self.close()

    def close(self) -> None:
        """Close the database."""
        self._database.close()

    def consent(self) -> Consent | None:
        """Return what the person agreed to; None if nobody was asked, or was told something else then.

        Raises:
            BadFile: the record is damaged.
        """
        found: Consent | None = self._get("consent", Consent)
        return found if found is not None and found.version == CONSENT_VERSION else None

    def save_consent(self, consent: Consent) -> None:
        """Remember what the person agreed to, or no longer agrees to."""
        self._put("consent", consent)

    def policy_state(self, policy: str) -> tuple[Mapping[str, object], int]:
        """Return what a policy saved last, and the wall-clock time of that; empty and 0 if it is not from this policy.

        Raises:
            BadFile: the record is damaged.
        """
        found: _SavedPolicy | None = self._get("policy", _SavedPolicy)
        return (found.saved, found.wall_ns) if found is not None and found.policy == policy else ({}, 0)

    def save_policy_state(self, policy: str, saved: Mapping[str, object], wall_ns: int) -> None:
        """Remember plain JSON values of a policy."""
        self._put("policy", _SavedPolicy(policy=policy, saved=dict(saved), wall_ns=wall_ns))

    def told_deletions(self) -> dict[str, int]:
        """Return the sessions that people were told will be deleted, and the wall-clock time of the first telling.

        Raises:
            BadFile: the record is damaged.
        """
        return self._get("told_deletions", dict[str, int]) or {}

    def save_told_deletions(self, told: Mapping[str, int]) -> None:
        """Remember which deletions were told, and when."""
        self._put("told_deletions", dict(told))

    def told_first_day(self) -> int:
        """Return when the consent was given whose quiet first day was summed up last; 0 if none was.

        Raises:
            BadFile: the record is damaged.
        """
        return self._get("told_first_day", int) or 0

    def save_told_first_day(self, given_at_wall_ns: int) -> None:
        """Remember whose quiet first day was summed up."""
        self._put("told_first_day", given_at_wall_ns)

    def _get(self, name: str, kind: Any) -> Any:
        try:
            row = self._database.execute("SELECT body FROM facts WHERE name = ?", [name]).fetchone()
        except sqlite3.OperationalError as error:
            raise EnvironmentFault(f"{self._path} cannot be read: {error}", remedy="check the disk") from error
        except sqlite3.DatabaseError as error:
            raise _damaged(self._path, error) from error
        if row is None:
            return None
        try:
            return msgspec.json.decode(row[0], type=kind)
        except msgspec.MsgspecError:
            raise BadFile(f"{self._path}: the entry {name!r} is damaged", remedy=f"remove {self._path}") from None

    def _put(self, name: str, value: object) -> None:
        body = msgspec.json.encode(value).decode()
        try:
            self._database.execute("INSERT OR REPLACE INTO facts VALUES (?, ?)", [name, body])
        except sqlite3.OperationalError as error:
            raise EnvironmentFault(
                f"{self._path} cannot be written: {error}",
                remedy="free some disk space" if is_full(error) else "check who owns it and its file system",
                code="disk_full" if is_full(error) else "storage_failed",
            ) from error
        except sqlite3.DatabaseError as error:
            raise _damaged(self._path, error) from error


def _damaged(path: Path, error: Exception) -> BadFile:
    return BadFile(f"{path} is damaged: {error}", remedy=f"remove {path}; Kairos then asks for consent again")


def write_consent(consent: Consent, path: Path) -> None:
    """Write a consent record as a JSON file only this user can read.

    Raises:
        EnvironmentFault: it cannot be written.
    """
    try:
        fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, PRIVATE_FILE)
        with os.fdopen(fd, "wb") as file:
            file.write(msgspec.json.format(msgspec.json.encode(consent)) + b"\n")
    except OSError as error:
        raise EnvironmentFault(f"{path} cannot be written: {error.strerror}", remedy="choose another file") from error


def read_consent(path: Path) -> Consent:
    """Read a consent record.

    Raises:
        BadFile: there is none, it is damaged, or it agrees to something else than is asked today.
    """
    remedy = "write a new one with: kairos consent --journal --out FILE"
    try:
        with path.open("rb") as file:
            raw = file.read(MAX_CONSENT_BYTES + 1)
        consent = msgspec.json.decode(raw, type=Consent)
    except OSError as error:
        raise BadFile(f"{path} cannot be read: {error.strerror}", remedy=remedy) from error
    except msgspec.MsgspecError:
        raise BadFile(f"{path} is not a consent record", remedy=remedy) from None
    if consent.version != CONSENT_VERSION:
        raise BadFile(f"{path} is a consent to what an other version of Kairos asked", remedy=remedy)
    if consent.recording and not consent.journal:
        raise BadFile(f"{path} agrees to the recording without the journal", remedy=remedy)
    return consent
