"""What a collector reads of a study's folder: the signed study, who was invited, and the key that signs receipts.

Nothing else there: no reader key, no list of arms, no invitation. On the collector's machine the folder needs

    signed/               the newest bundle, and the signed end of the study once it was closed
    participants.jsonl    everybody invited, by public keys; read again when it has changed
    keys/receipts.key     signs receipts
    keys/collector.password   the login at the broker (`kairos study broker` makes it)
    deletions/            receipts that `kairos study purge` signed, to be passed on; looked at every minute

and, only where the researcher's keys lie on this machine, keys/participants, whose files are destroyed unread.
"""

import os
from dataclasses import dataclass
from pathlib import Path

import msgspec

from participant.documents.bundle import Bundle
from participant.documents.closing import MAX_CLOSING_BYTES, closing_file, read_closing
from participant.documents.keys import READING_KIND, SIGNING_KIND, SigningKey, is_public, parse_public, read_signing_key
from participant.documents.statements import MAX_STATEMENT_BYTES
from storage.errors import BadFile, EnvironmentFault, UsageError
from storage.plain_file import open_regular
from study.researcher.folder import Participant, StudyFolder

MAX_LIST_BYTES = 64 << 20
PASSWORD_FILE = "collector.password"  # noqa: S105  # the name of a file
LOGIN = "collector"
"""The collector's login at the broker; a participant's is their id, which is longer."""

DELETIONS = "deletions"
"""The folder of receipts of deletions that `kairos study purge` signs."""

DELETION_SUFFIX = ".kairos-deletion"

_MAX_PASSWORD = 128


@dataclass(frozen=True, slots=True, kw_only=True)
class Invitee:
    """Somebody invited, by public keys; that of their reader is checked when it is asked for, once in a study."""

    join_key: bytes
    reader_text: str

    @property
    def reader(self) -> bytes:
        """The public half of the key that opens their parcels.

        Raises:
            BadFile: it is none that anybody can have made.
        """
        return _key(READING_KIND, self.reader_text)


class Invited:
    """Everybody invited, by id."""

    def __init__(self, path: Path) -> None:
        """Take the path of `participants.jsonl`; it is read when somebody is asked for."""
        self._path = path
        self._seen: tuple[int, int, int] | None = None
        self._listed: dict[str, Participant] = {}
        self._by_id: dict[str, Invitee] = {}

    def __len__(self) -> int:
        """Return how many were invited."""
        self._reread()
        return len(self._listed)

    def ids(self) -> list[str]:
        """Return the ids of everybody invited, in order of invitation."""
        self._reread()
        return list(self._listed)

    def find(self, participant: str) -> Invitee | None:
        """Return somebody; None if they were not invited.

        Raises:
            BadFile: the list is damaged.
        """
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
        self._listed = {one.participant: one for one in read_participants(self._path)}
        self._by_id = {}
        self._seen = seen
        return True


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
        if size > MAX_LIST_BYTES:
            raise BadFile(f"{path} is larger than {MAX_LIST_BYTES >> 20} MB")
        raw = file.read(size)  # a larger number would take that much memory at once
    found = []
    for number, line in enumerate(raw.split(b"\n")[:-1], 1):
        try:
            one = msgspec.json.decode(line, type=Participant)
        except (msgspec.MsgspecError, UnicodeDecodeError):
            one = None
        # whether a key is one that somebody can have made takes 0.1 ms and is checked when it is used
        if one is None or not (is_public(SIGNING_KIND, one.join_key) and is_public(READING_KIND, one.reader)):
            raise BadFile(f"{path}, line {number}, is damaged", remedy="copy the file from the researcher")
        found.append(one)
    return found


def _key(kind: str, text: str) -> bytes:
    try:
        return parse_public(kind, text)
    except ValueError:
        raise BadFile(
            "a key in participants.jsonl is none that anybody can have made", remedy="copy the file from the researcher"
        ) from None


@dataclass(frozen=True, slots=True)
class SignedDeletion:
    """A receipt of a deletion that lies in the study's folder: whose, and when the file was last changed."""

    participant: str
    path: Path
    state: tuple[int, int, int]

    def read(self) -> bytes:
        """Return its bytes.

        Raises:
            BadFile: it is too large, gone, or no regular file.
        """
        with open_regular(self.path) as file:
            raw = file.read(MAX_STATEMENT_BYTES + 1)
        if len(raw) > MAX_STATEMENT_BYTES:
            raise BadFile(f"{self.path} is larger than {MAX_STATEMENT_BYTES} bytes")
        return raw


@dataclass(frozen=True, slots=True)
class CollectorFiles:
    """The study's folder, as far as a collector reads it."""

    path: Path

    def bundle(self) -> tuple[Bundle, bytes]:
        """Return the newest signed study with its bytes.

        Raises:
            UsageError: nothing was signed yet, or this is no folder of a study.
            BadFile: a bundle is damaged.
        """
        return StudyFolder(self.path).signed_bundle()

    def closing(self, bundle: Bundle) -> bytes | None:
        """Return the signed end of the study; None if it was not closed.

        Raises:
            BadFile: it is damaged, or not signed by the study's key.
        """
        path = closing_file(self.path, bundle.plan.name)
        if not path.exists():
            return None
        with open_regular(path) as file:
            raw = file.read(MAX_CLOSING_BYTES + 1)
        read_closing(raw, study=bundle.plan.name, key=bundle.plan.signing_key)
        return raw

    def receipts_key(self, bundle: Bundle) -> SigningKey:
        """Return the key that signs receipts.

        Raises:
            BadFile: there is none, or it is not the one that the study names.
            EnvironmentFault: other users may read it.
        """
        path = self.path / "keys" / "receipts.key"
        key = read_signing_key(path)
        if key.public != bundle.plan.receipts_key:
            raise BadFile(f"{path} is not the key that the study names", remedy="copy it from the researcher")
        return key

    def invited(self) -> Invited:
        """Return everybody invited."""
        return Invited(self.path / "participants.jsonl")

    def deletions(self) -> list[SignedDeletion]:
        """Return the receipts of deletions that `kairos study purge` signed, by id; none are read."""
        found = []
        for path in sorted((self.path / DELETIONS).glob(f"*{DELETION_SUFFIX}")):
            try:
                state = path.stat()
            except OSError:
                continue  # being replaced
            seen = (state.st_ino, state.st_size, state.st_mtime_ns)
            found.append(SignedDeletion(path.name.removesuffix(DELETION_SUFFIX), path, seen))
        return found

    @property
    def password_file(self) -> Path:
        """The collector's password at the broker."""
        return self.path / "keys" / PASSWORD_FILE

    def password(self) -> str:
        """Return the collector's password at the broker.

        Raises:
            UsageError: there is none yet.
        """
        if not self.password_file.exists():
            raise UsageError(
                f"there is no {self.password_file}",
                remedy=f"first: kairos study broker {self.path} --out FOLDER; then copy the file here",
            )
        with open_regular(self.password_file) as file:
            return file.read(_MAX_PASSWORD).decode("ascii", "replace").strip()

    def holds_reader_keys(self) -> bool:
        """Whether the participants' sealed reader keys lie here, so that they can be destroyed here."""
        return (self.path / "keys" / "participants").is_dir()

    def sealed_key(self, participant: str) -> Path:
        """Return the file of a participant's sealed reader key, which may not exist."""
        return self.path / "keys" / "participants" / f"{participant}.sealed"

    def destroy_key(self, participant: str) -> bool:
        """Overwrite and remove a participant's sealed reader key; return whether it is gone from this folder.

        False where the keys do not lie on this machine. Overwriting says nothing about copies that a file system or a
        disk keeps by itself, and none of backups.

        Raises:
            EnvironmentFault: it cannot be written.
        """
        if not self.holds_reader_keys():
            return False
        path = self.sealed_key(participant)
        try:
            descriptor = os.open(path, os.O_WRONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
        except FileNotFoundError:
            return True
        except OSError as error:
            raise _undestroyed(path, error) from error
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(os.urandom(os.fstat(descriptor).st_size))
                file.flush()
                os.fsync(descriptor)
            path.unlink()
            folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            try:
                os.fsync(folder)  # or a power cut could bring the name back
            finally:
                os.close(folder)
        except OSError as error:
            raise _undestroyed(path, error) from error
        return True


def _undestroyed(path: Path, error: OSError) -> EnvironmentFault:
    return EnvironmentFault(f"{path} cannot be destroyed: {error.strerror}", remedy="see who may write there")
