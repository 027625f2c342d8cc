"""The folder of a study on the researcher's machine, and what is done in it.

    study.toml, consent.LL.md     written by the researcher
    keys/signing.key              signs the study and its invitations
    keys/receipts.key             signs receipts; the one private key that the collector gets
    keys/reader.key               opens the list of arms and the participants' reader keys
    keys/participants/ID.sealed   the private half of a participant's reader key, sealed for the readers; what is
                                  destroyed when somebody leaves
    signed/NAME-V.kairos-study    signed bundles
    invitations/NNN-ID.kairos-invitation
    participants.jsonl            public keys and hashed logins, for broker and collector; no arms
    allocation.sealed             seed and list of arms, sealed for the readers

Folders are 0700 and private files 0600. Nothing is overwritten.
"""

import base64
import fcntl
import hashlib
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Self

import msgspec

from participant.documents.bundle import (
    MAX_BUNDLE_BYTES,
    MAX_CONSENT_BYTES,
    MAX_LANGUAGES,
    Bundle,
    read_bundle,
    write_bundle,
)
from participant.documents.closing import closing_file
from participant.documents.invitation import PASSWORD_BYTES, SUFFIX, Invitation, write_invitation
from participant.documents.keys import (
    READING_KIND,
    SIGNING_KIND,
    ReaderKey,
    SigningKey,
    format_public,
    key_words,
    read_reader_key,
    read_signing_key,
    seal,
    write_key,
    write_private,
)
from participant.documents.plan import MAX_FILE_BYTES, Plan, parse_plan, read_text
from participant.documents.signed import encode
from storage.errors import BadFile, EnvironmentFault, UsageError
from storage.paths import private_folder
from storage.plain_file import list_entries, open_regular, read_lines
from study.researcher.allocation import (
    MAX_INVITATIONS,
    Allocation,
    draw_arms,
    open_allocation,
    seal_allocation,
    start_allocation,
)

PLAN_FILE = "study.toml"
BUNDLE_SUFFIX = ".kairos-study"
UNFILLED = ("FILL-IN", "fill-in.example.org")
"""What a new study holds where the researcher is to write something."""

_NAME = re.compile(r"[a-z][a-z0-9-]{0,31}")
_CONSENT = re.compile(r"consent\.([a-z]{2})\.md")
_MAX_ALLOCATION = 16 << 20
_MAX_PARTICIPANT = 4096
_SALT_BYTES = 12
_ITERATIONS = 101  # mosquitto's own; the password has 128 random bits, so guessing is hopeless with one


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What `kairos study check` found: the plan, what keeps it from being signed, and advice."""

    plan: Plan
    words: tuple[str, ...]
    missing: tuple[str, ...]
    advice: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class StudyFolder:
    """One study's folder."""

    path: Path

    @classmethod
    def create(cls, path: Path) -> Self:
        """Make a folder with a study file, a consent text and keys; all of it appears at once.

        Raises:
            UsageError: the name cannot be that of a study, or there is something of that name.
            EnvironmentFault: the folder cannot be made.
        """
        name = path.name
        if not _NAME.fullmatch(name):
            raise UsageError(
                f"{name!r} cannot be the name of a study",
                remedy="small letters, digits and hyphens, beginning with a letter, at most 32; example: first-study",
            )
        if path.exists() or path.is_symlink():
            raise UsageError(f"{path} exists already", remedy="nothing is overwritten; choose another name")
        new: Path | None = None
        try:
            new = Path(tempfile.mkdtemp(prefix=f".{name}-", dir=path.parent))
            _fill(new, name)
            new.rename(path)
        except OSError as error:
            raise EnvironmentFault(
                f"{path} cannot be created: {error.strerror}", remedy="see who may write there, and the free space"
            ) from error
        finally:
            if new is not None:
                shutil.rmtree(new, ignore_errors=True)
        return cls(path)

    # ------------------------------------------------------------ reading

    def plan_text(self) -> str:
        """Return the study file.

        Raises:
            UsageError: this is no folder of a study.
            BadFile: the file is larger than a study file, or not UTF-8.
        """
        if not (self.path / PLAN_FILE).exists():
            raise UsageError(f"{self.path} holds no {PLAN_FILE}", remedy="make a study with: kairos study create NAME")
        return read_text(self.path / PLAN_FILE, limit=MAX_FILE_BYTES)

    def consent_texts(self) -> dict[str, str]:
        """Return the consent texts by language.

        Raises:
            BadFile: there is none, there are too many, or one is too long or not UTF-8.
        """
        found = {
            match[1]: read_text(path, limit=MAX_CONSENT_BYTES)
            for path in list_entries(self.path, most=1000)
            if (match := _CONSENT.fullmatch(path.name))
        }
        if not 1 <= len(found) <= MAX_LANGUAGES:
            raise BadFile(
                f"{self.path} holds {len(found)} consent texts",
                remedy=f"write 1 to {MAX_LANGUAGES}, by language: consent.en.md",
            )
        return found

    def signing_key(self) -> SigningKey:
        """Return the key that signs the study."""
        return read_signing_key(self.path / "keys" / "signing.key")

    def reader_key(self) -> ReaderKey:
        """Return the reader key."""
        return read_reader_key(self.path / "keys" / "reader.key")

    def check(self) -> Report:
        """Read everything and say what is missing.

        Raises:
            UsageError: this is no folder of a study.
            BadFile: the study file is not valid; names the setting.
        """
        text = self.plan_text()
        plan = parse_plan(text, where=str(self.path / PLAN_FILE))
        consent = self.consent_texts()
        missing = list(_unfilled(PLAN_FILE, _without_comments(text)))
        for language, words in consent.items():
            missing += _unfilled(f"consent.{language}.md", words)
        missing += self._foreign_keys(plan)
        return Report(plan=plan, words=key_words(plan.signing_key), missing=tuple(missing), advice=tuple(_advice(plan)))

    def _foreign_keys(self, plan: Plan) -> Iterator[str]:
        """Yield public keys of the study file that belong to no key in the folder; some may be kept elsewhere."""
        if self.signing_key().public != plan.signing_key:
            yield "keys.signing is not the public half of keys/signing.key"
        receipts, reader = (self.path / "keys" / f"{name}.key" for name in ("receipts", "reader"))
        if receipts.exists() and read_signing_key(receipts).public != plan.receipts_key:
            yield "keys.receipts is not the public half of keys/receipts.key"
        if reader.exists() and read_reader_key(reader).public not in plan.reader_keys:
            yield "keys.readers does not name the public half of keys/reader.key"

    def participants(self) -> tuple[Participant, ...]:
        """Return everybody invited, in the order of their invitations.

        Raises:
            BadFile: the list is damaged.
        """
        path = self.path / "participants.jsonl"
        if not path.exists():
            return ()
        try:
            return tuple(
                msgspec.json.decode(line, type=Participant) for line in read_lines(path, longest=_MAX_PARTICIPANT)
            )
        except (msgspec.MsgspecError, UnicodeDecodeError):
            raise BadFile(f"{path} is damaged", remedy="take it from where it was kept") from None

    def arms(self, plan: Plan) -> dict[str, str]:
        """Return the arm of everybody invited, from the sealed list.

        Raises:
            BadFile: the list is damaged, or not sealed for `keys/reader.key`.
        """
        return self._allocation(plan).arms_by_participant()

    def bundles(self) -> list[tuple[Bundle, bytes]]:
        """Return all signed bundles with their bytes, by version.

        Raises:
            BadFile: one is damaged.
        """
        folder = self.path / "signed"
        found = []
        for path in list_entries(folder, most=10_000) if folder.exists() else []:
            if path.suffix == BUNDLE_SUFFIX:
                with open_regular(path) as file:
                    raw = file.read(MAX_BUNDLE_BYTES + 1)
                found.append((read_bundle(raw), raw))
        return sorted(found, key=lambda one: one[0].plan.version)

    def newest_bundle(self) -> tuple[Bundle, bytes] | None:
        """Return the signed bundle of the highest version with its bytes; None if nothing was signed yet.

        Raises:
            BadFile: one is damaged.
        """
        found = self.bundles()
        return found[-1] if found else None

    def signed_bundle(self) -> tuple[Bundle, bytes]:
        """Return the same.

        Raises:
            UsageError: nothing was signed yet, or this is no folder of a study.
            BadFile: one is damaged.
        """
        found = self.newest_bundle()
        if found is not None:
            return found
        if not (self.path / PLAN_FILE).exists():
            raise UsageError(
                f"{self.path} is no folder of a study", remedy="name the folder that `kairos study create` made"
            )
        raise UsageError(f"{self.path} was not signed yet", remedy=f"first: kairos study sign {self.path}")

    # ------------------------------------------------------------ writing

    def sign(self) -> tuple[Path, Bundle, bool]:
        """Sign study file and consent texts; return the file, its contents, and whether it is new.

        Raises:
            UsageError: the study was closed.
            BadFile: something is missing or not valid, or changed without a new version.
            EnvironmentFault: the file cannot be written.
        """
        with self._locked():
            report = self.check()
            if report.missing:
                raise BadFile(
                    f"{self.path} is not ready to be signed: {report.missing[0]}",
                    remedy=f"see all that is missing: kairos study check {self.path}",
                )
            raw = write_bundle(self.plan_text(), self.consent_texts(), self.signing_key())
            bundle, before = read_bundle(raw), self.newest_bundle()
            path = self.path / "signed" / f"{bundle.plan.name}-{bundle.plan.version}{BUNDLE_SUFFIX}"
            if before is not None and before[1] == raw:
                return path, bundle, False
            if closing_file(self.path, bundle.plan.name).exists():
                raise UsageError(f"{bundle.plan.name} was closed, which is final", remedy="make a new study")
            if before is not None and bundle.plan.version <= before[0].plan.version:
                raise BadFile(
                    f"{self.path} has changed since version {before[0].plan.version} was signed",
                    remedy="raise version in study.toml; participants are then asked for their consent again",
                )
            if before is not None:
                read_bundle(raw, after=before[0])
            private_folder(path.parent)
            write_private(path, raw)
            return path, bundle, True

    def invite(self, count: int) -> tuple[Path, ...]:
        """Write invitations to the version signed last; return their files, in the order to hand them out.

        Raises:
            UsageError: nothing was signed yet, this is no folder of a study, or the arms changed since the first
                invitation.
            BadFile: bundle, list of arms or a key is damaged.
            EnvironmentFault: a file cannot be written.
        """
        with self._locked():
            bundle, raw_bundle = self.signed_bundle()
            if bundle.plan.signing_key != self.signing_key().public:
                raise BadFile(
                    f"the study signed last in {self.path} is signed by another key than keys/signing.key",
                    remedy="put the right key, or the right file in signed/, back",
                )
            before = self._allocation(bundle.plan)
            if before.arms != bundle.plan.arms:
                raise UsageError("the arms have changed since the first invitation", remedy="make a new study for them")
            start = len(before.participants)
            if start + count > MAX_INVITATIONS:
                raise UsageError(f"a study has at most {MAX_INVITATIONS:,} invitations")
            made = [_Made.make() for _ in range(count)]
            after = msgspec.structs.replace(
                before, participants=(*before.participants, *(one.participant for one in made))
            )
            arms = draw_arms(after.seed, len(after.arms), len(after.participants))[start:]
            return self._write(bundle.plan, raw_bundle, made, after, arms)

    def _write(
        self, plan: Plan, raw_bundle: bytes, made: "list[_Made]", allocation: Allocation, arms: tuple[int, ...]
    ) -> tuple[Path, ...]:
        """Write keys first and invitations last: what nobody can join with yet does no harm if this is cut off."""
        signing, readers = self.signing_key(), plan.reader_keys
        keys, invitations = self.path / "keys" / "participants", private_folder(self.path / "invitations")
        private_folder(keys)
        for one in made:
            sealed = seal(one.reader.expose(), readers, bound_to=reader_context(plan.name, one.participant))
            write_private(keys / f"{one.participant}.sealed", encode(sealed))
        new = self.path / "allocation.sealed.new"
        new.unlink(missing_ok=True)
        write_private(new, seal_allocation(allocation, readers))
        new.replace(self.path / "allocation.sealed")
        first = len(allocation.participants) - len(made) + 1
        self._append([one.listed(number, plan.version) for number, one in enumerate(made, first)])
        paths = []
        for number, (one, arm) in enumerate(zip(made, arms, strict=True), first):
            path = invitations / f"{number:03d}-{one.participant}{SUFFIX}"
            write_private(path, write_invitation(one.invitation(plan.name, arm, raw_bundle), signing))
            paths.append(path)
        return tuple(paths)

    def _append(self, participants: list[Participant]) -> None:
        lines = b"".join(msgspec.json.encode(one) + b"\n" for one in participants)
        path = self.path / "participants.jsonl"
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC
        with os.fdopen(os.open(path, flags, 0o600), "ab") as file:
            file.write(lines)
            file.flush()
            os.fsync(file.fileno())

    def _allocation(self, plan: Plan) -> Allocation:
        path = self.path / "allocation.sealed"
        if not path.exists():
            return start_allocation(plan)
        with open_regular(path) as file:
            raw = file.read(_MAX_ALLOCATION)
        return open_allocation(raw, self.reader_key(), study=plan.name)

    def locked(self) -> AbstractContextManager[None]:
        """Let one command at a time change the folder.

        Raises:
            UsageError: this is no folder.
            EnvironmentFault: another command is changing it.
        """
        return self._locked()

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """Let one command at a time change the folder.

        Raises:
            UsageError: this is no folder.
            EnvironmentFault: another command is changing it.
        """
        try:
            descriptor = os.open(self.path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        except OSError as error:
            raise UsageError(
                f"{self.path} is no folder of a study: {error.strerror}",
                remedy="name the folder that `kairos study create` made",
            ) from error
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise EnvironmentFault(
                f"another command is changing {self.path}", remedy="try again when it is done"
            ) from error
        else:
            yield
        finally:
            os.close(descriptor)


def reader_context(study: str, participant: str) -> bytes:
    """Return what the sealed private half of a participant's reader key is bound to."""
    return f"{study} {participant}".encode()


def hash_login(password: str, salt: bytes) -> str:
    """Return a password as mosquitto's password file keeps it (`$7$`: PBKDF2 with SHA-512)."""
    digest = hashlib.pbkdf2_hmac("sha512", password.encode(), salt, _ITERATIONS)
    return f"$7${_ITERATIONS}${base64.b64encode(salt).decode()}${base64.b64encode(digest).decode()}"


@dataclass(frozen=True, slots=True, repr=False)
class _Made:
    """What is new for one invitation."""

    participant: str
    password: bytes
    join_key: SigningKey
    reader: ReaderKey

    @classmethod
    def make(cls) -> Self:
        participant = base64.b32encode(os.urandom(10)).decode().lower()
        return cls(participant, os.urandom(PASSWORD_BYTES), SigningKey.generate(), ReaderKey.generate())

    def listed(self, number: int, version: int) -> Participant:
        return Participant(
            number=number,
            participant=self.participant,
            login=hash_login(self.password.hex(), os.urandom(_SALT_BYTES)),
            join_key=format_public(SIGNING_KIND, self.join_key.public),
            reader=format_public(READING_KIND, self.reader.public),
            study_version=version,
        )

    def invitation(self, study: str, arm: int, bundle: bytes) -> Invitation:
        return Invitation(
            study=study,
            participant=self.participant,
            password=self.password,
            join_key=self.join_key.expose(),
            readers=(self.reader.public,),
            arm=arm,
            bundle=bundle,
        )


def _fill(folder: Path, name: str) -> None:
    signing, receipts, reader = SigningKey.generate(), SigningKey.generate(), ReaderKey.generate()
    private_folder(folder / "keys" / "participants")
    private_folder(folder / "keys")
    for file, key in (("signing", signing), ("receipts", receipts), ("reader", reader)):
        write_key(folder / "keys" / f"{file}.key", key)
    values = {
        "@NAME@": name,
        "@SIGNING@": format_public(SIGNING_KIND, signing.public),
        "@RECEIPTS@": format_public(SIGNING_KIND, receipts.public),
        "@READER@": format_public(READING_KIND, reader.public),
        "@WORDS@": " ".join(key_words(signing.public)),
    }
    for file in (PLAN_FILE, "consent.en.md"):
        text = (files("study.researcher") / "data" / file).read_text(encoding="utf-8")
        for mark, value in values.items():
            text = text.replace(mark, value)
        (folder / file).write_text(text, encoding="utf-8")


def _without_comments(text: str) -> str:
    """Return TOML without what stands behind `#`; the numbers of its lines stay."""
    return "\n".join(line.partition("#")[0] for line in text.split("\n"))


def _unfilled(name: str, text: str) -> Iterator[str]:
    for number, line in enumerate(text.split("\n"), 1):
        if any(mark in line for mark in UNFILLED):
            yield f"{name}, line {number}: still to be filled in"


def _advice(plan: Plan) -> Iterator[str]:
    """Yield what is allowed and probably not meant."""
    policies = [phase.policy_in(arm) for phase in plan.phases for arm in plan.arms]
    chances = [chance for one in policies for chance in (one.exploration, one.arm_probability) if chance]
    if not chances and len(plan.arms) == 1:
        yield "nothing is left to chance: no effect can be estimated without a control"
    if any(not 0.1 <= chance <= 0.9 for chance in chances):  # noqa: PLR2004  # a rule of thumb
        yield "a chance below 0.1 or above 0.9 makes estimates unsteady"
    if plan.phases[0].policy.name != "silent":
        yield "no silent phase comes first, so there is no baseline"
