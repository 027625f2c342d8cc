"""Everybody invited to a study, `participants.jsonl`: public keys and hashed logins, for broker and collector."""

import base64
import hashlib
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import msgspec

from participant.documents.invitation import PASSWORD_BYTES, Invitation
from participant.documents.keys import (
    READING_KIND,
    SIGNING_KIND,
    ReaderKey,
    SigningKey,
    format_public,
    is_public,
    parse_public,
)
from storage.errors import BadFile
from storage.files import open_regular

_MAX_LIST_BYTES = 64 << 20
_ITERATIONS = 101  # mosquitto's own; the password has 128 random bits, so guessing is hopeless with one
SALT_BYTES = 12


class Participant(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A line of `participants.jsonl`: what broker and collector may know of somebody invited.

    `login` is the hash of the password as mosquitto keeps it; `join_key` and `reader` are public keys as text.
    """

    number: int
    participant: str
    login: str
    join_key: str
    reader: str
    study_version: int


def read_participants(path: Path) -> list[Participant]:
    """Return the lines of `participants.jsonl`; empty where nobody was invited yet.

    A last line without its end is left out: another command is writing it.

    Raises:
        BadFile: it is too large, or a line is damaged; names the line.
    """
    if not path.exists():
        return []
    with open_regular(path) as file:
        size = os.fstat(file.fileno()).st_size
        if size > _MAX_LIST_BYTES:
            raise BadFile(f"{path} is larger than {_MAX_LIST_BYTES >> 20} MB")
        raw = file.read(size)  # a larger number would take that much memory at once
    found = []
    for number, line in enumerate(raw.split(b"\n")[:-1], 1):
        try:
            listed = msgspec.json.decode(line, type=Participant)
        except (msgspec.MsgspecError, UnicodeDecodeError):
            listed = None
        # whether a key is one that somebody can have made takes 0.1 ms and is checked when it is used
        if listed is None or not (is_public(SIGNING_KIND, listed.join_key) and is_public(READING_KIND, listed.reader)):
            raise BadFile(f"{path}, line {number}, is damaged", remedy="take the file from where it was kept")
        found.append(listed)
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Invitee:
    """Somebody invited, by public keys; that of their reader is checked when it is asked for, once in a study."""

    join_key: bytes
    reader_text: str

    @property
    def reader(self) -> bytes:
        """The public half of the key that opens their parcels."""
        return _key(READING_KIND, self.reader_text)


class Invited:
    """Everybody invited, by id; the list is read again when it has changed."""

    def __init__(self, path: Path) -> None:
        """Take the path of `participants.jsonl`; it is read when somebody is asked for."""
        self._path = path
        self._seen: tuple[int, int, int] | None = None
        self._listed: dict[str, Participant] = {}
        self._by_id: dict[str, Invitee] = {}

    def ids(self) -> list[str]:
        """Return the ids of everybody invited, in order of invitation."""
        self._reread()
        return list(self._listed)

    def find(self, participant: str) -> Invitee | None:
        """Return somebody; None if they were not invited."""
        found = self._by_id.get(participant)
        if found is not None:
            return found
        if participant not in self._listed and not self._reread():
            return None
        listed = self._listed.get(participant)
        if listed is None:
            return None
        found = Invitee(join_key=_key(SIGNING_KIND, listed.join_key), reader_text=listed.reader)
        self._by_id[participant] = found
        return found

    def _reread(self) -> bool:
        """Read the list if it has changed; a stranger costs one look at the file's size."""
        try:
            state = self._path.stat()
        except OSError:
            return False  # nobody was invited yet
        seen = (state.st_ino, state.st_size, state.st_mtime_ns)
        if seen == self._seen:
            return False
        self._listed = {listed.participant: listed for listed in read_participants(self._path)}
        self._by_id = {}
        self._seen = seen
        return True


def _key(kind: str, text: str) -> bytes:
    try:
        return parse_public(kind, text)
    except ValueError:
        raise BadFile(
            "a key in participants.jsonl is not one that anybody can have made",
            remedy="copy the file from the researcher",
        ) from None


def hash_login(password: str, salt: bytes) -> str:
    """Return a password as mosquitto's password file keeps it (`$7$`: PBKDF2 with SHA-512)."""
    digest = hashlib.pbkdf2_hmac("sha512", password.encode(), salt, _ITERATIONS)
    return f"$7${_ITERATIONS}${base64.b64encode(salt).decode()}${base64.b64encode(digest).decode()}"


@dataclass(frozen=True, slots=True, repr=False)
class NewParticipant:
    """What is new for one invitation."""

    participant: str
    password: bytes
    join_key: SigningKey
    reader: ReaderKey

    @classmethod
    def make(cls) -> Self:
        """Return somebody with a new id, password and keys."""
        participant = base64.b32encode(os.urandom(10)).decode().lower()
        return cls(participant, os.urandom(PASSWORD_BYTES), SigningKey.generate(), ReaderKey.generate())

    def listed(self, number: int, version: int) -> Participant:
        """Return their line of the list."""
        return Participant(
            number=number,
            participant=self.participant,
            login=hash_login(self.password.hex(), os.urandom(SALT_BYTES)),
            join_key=format_public(SIGNING_KIND, self.join_key.public),
            reader=format_public(READING_KIND, self.reader.public),
            study_version=version,
        )

    def invitation(self, study: str, arm: int, bundle: bytes) -> Invitation:
        """Return their invitation, not signed yet."""
        return Invitation(
            study=study,
            participant=self.participant,
            password=self.password,
            join_key=self.join_key.expose(),
            readers=(self.reader.public,),
            arm=arm,
            bundle=bundle,
        )
