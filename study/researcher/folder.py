"""The folder of a study on the researcher's machine, and what is done in it.

    study.toml, consent.LL.md     written by the researcher
    keys/signing.key              signs the study and its invitations
    keys/receipts.key             signs receipts; the one private key that the collector gets
    keys/reader.key               opens the list of arms and the participants' reader keys
    keys/collector.password       the collector's login at the broker (`kairos study broker` makes it)
    keys/participants/ID.sealed   the private half of a participant's reader key, sealed for the readers; what is
                                  destroyed when somebody leaves
    signed/NAME-V.kairos-study    signed bundles, and the signed end of the study once it was closed
    invitations/NNN-ID.kairos-invitation
    participants.jsonl            public keys and hashed logins, for broker and collector; no arms
    allocation.sealed             seed and list of arms, sealed for the readers
    deletions/                    receipts that `kairos study purge` signed, for the collector to pass on

Folders are 0700 and private files 0600. Nothing is overwritten. On the collector's machine the folder needs signed/,
participants.jsonl, keys/receipts.key, keys/collector.password and deletions/. Where the researcher's keys lie there
too, those of participants who left are destroyed unread.
"""

import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Self

import msgspec

from participant.documents.bundle import MAX_BUNDLE_BYTES, MAX_CONSENT_BYTES, MAX_LANGUAGES, Bundle, read_bundle
from participant.documents.invitation import SUFFIX
from participant.documents.keys import (
    READING_KIND,
    SIGNING_KIND,
    ReaderKey,
    Sealed,
    SigningKey,
    format_public,
    key_words,
    open_sealed,
    read_reader_key,
    read_signing_key,
    seal,
    write_key,
)
from participant.documents.plan import MAX_FILE_BYTES, Plan, parse_plan, read_text
from participant.documents.private_files import destroy_file, replace_private, write_private
from participant.documents.signed import decode, encode
from participant.documents.statements import MAX_CLOSING_BYTES, MAX_STATEMENT_BYTES, read_closing
from storage.errors import BadFile, EnvironmentFault, UsageError
from storage.files import list_entries, lock, open_file, open_regular, private_folder, writing_remedy
from study.researcher.allocation import (
    MAX_INVITATIONS,
    Allocation,
    draw_arms,
    open_allocation,
    seal_allocation,
    start_allocation,
)
from study.researcher.documents import append_private, write_bundle, write_invitation
from study.researcher.participants import Invited, NewParticipant, Participant, read_participants

PLAN_FILE = "study.toml"
PARTICIPANTS_FILE = "participants.jsonl"
ALLOCATION_FILE = "allocation.sealed"
KEYS_OF_PARTICIPANTS = Path("keys", "participants")
RECEIPTS_KEY = Path("keys", "receipts.key")
DELETIONS = "deletions"
PAGE_FILE = "report.html"
BUNDLE_SUFFIX = ".kairos-study"
CLOSING_SUFFIX = ".kairos-closing"
UNFILLED = ("FILL-IN", "fill-in.example.org")
"""What a new study holds where the researcher is to write something."""

_DELETION_SUFFIX = ".kairos-deletion"
_NAME = re.compile(r"[a-z][a-z0-9-]{0,31}")
_CONSENT = re.compile(r"consent\.([a-z]{2})\.md")
_MAX_ALLOCATION = 16 << 20
_MAX_SEALED = 4096
_MAX_PASSWORD = 128


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What `kairos study check` found: the plan, what keeps it from being signed, and advice."""

    plan: Plan
    words: tuple[str, ...]
    missing: tuple[str, ...]
    advice: tuple[str, ...]


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
class StudyFolder:
    """One study's folder, on the researcher's machine or, in part, on the collector's."""

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
                f"{path} cannot be created: {error.strerror}", remedy=writing_remedy(error)
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

    def receipts_key(self, plan: Plan) -> SigningKey:
        """Return the key that signs receipts.

        Raises:
            BadFile: there is none, or it is not the one that the study names.
            EnvironmentFault: other users may read it.
        """
        path = self.path / RECEIPTS_KEY
        key = read_signing_key(path)
        if key.public != plan.receipts_key:
            raise BadFile(f"{path} is not the key that the study names", remedy="put the right key back")
        return key

    def sealed_key(self, participant: str) -> Path:
        """Return the file of a participant's sealed reader key, which may not exist."""
        return self.path / KEYS_OF_PARTICIPANTS / f"{participant}.sealed"

    def holds_reader_keys(self) -> bool:
        """Whether the participants' sealed reader keys lie here, so that they can be destroyed here."""
        return (self.path / KEYS_OF_PARTICIPANTS).is_dir()

    def participant_key(self, plan: Plan, participant: str, key: ReaderKey) -> ReaderKey:
        """Return the private half of a participant's reader key; `key` is the study's.

        Raises:
            BadFile: it was destroyed, is damaged, or not sealed for this key.
        """
        with open_regular(self.sealed_key(participant)) as file:
            sealed: Sealed = decode(file.read(_MAX_SEALED), Sealed, what="sealed reader key")
        try:
            return ReaderKey(open_sealed(sealed, key, bound_to=reader_context(plan.name, participant)))
        except ValueError:
            raise BadFile("a sealed reader key is damaged") from None

    def destroy_key(self, participant: str) -> bool:
        """Destroy a participant's sealed reader key; return whether it is gone from this folder.

        False where the keys do not lie on this machine.
        """
        if self.holds_reader_keys():
            destroy_file(self.sealed_key(participant), must_overwrite=True)
            return True
        return False

    def check(self) -> Report:
        """Read everything and say what is missing."""
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
        """Return everybody invited, in the order of their invitations."""
        return tuple(read_participants(self.path / PARTICIPANTS_FILE))

    def invited(self) -> Invited:
        """Return everybody invited, for looking them up while the list grows."""
        return Invited(self.path / PARTICIPANTS_FILE)

    def arms(self, plan: Plan) -> dict[str, str]:
        """Return the arm of everybody invited, from the sealed list."""
        return self._allocation(plan).arms_by_participant()

    def bundles(self) -> list[tuple[Bundle, bytes]]:
        """Return all signed bundles with their bytes, by version."""
        folder = self.path / "signed"
        found = []
        for path in list_entries(folder, most=10_000) if folder.exists() else []:
            if path.suffix == BUNDLE_SUFFIX:
                with open_regular(path) as file:
                    raw = file.read(MAX_BUNDLE_BYTES + 1)
                found.append((read_bundle(raw), raw))
        return sorted(found, key=lambda one: one[0].plan.version)

    def newest_bundle(self) -> tuple[Bundle, bytes] | None:
        """Return the signed bundle of the highest version with its bytes; None if nothing was signed yet."""
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

    def closing_file(self, plan: Plan) -> Path:
        """Return where the signed end of a study lies; there is none before it is closed."""
        return self.path / "signed" / f"{plan.name}{CLOSING_SUFFIX}"

    def closing(self, plan: Plan) -> bytes | None:
        """Return the signed end of the study; None if it was not closed."""
        path = self.closing_file(plan)
        if not path.exists():
            return None
        with open_regular(path) as file:
            raw = file.read(MAX_CLOSING_BYTES + 1)
        read_closing(raw, study=plan.name, key=plan.signing_key)
        return raw

    def deletion_file(self, participant: str) -> Path:
        """Return where `kairos study purge` puts the signed receipt of somebody's deletion."""
        return self.path / DELETIONS / f"{participant}{_DELETION_SUFFIX}"

    def deletions(self) -> list[SignedDeletion]:
        """Return the receipts of deletions that `kairos study purge` signed, by id; none are read."""
        found = []
        for path in sorted((self.path / DELETIONS).glob(f"*{_DELETION_SUFFIX}")):
            try:
                state = path.stat()
            except OSError:
                continue  # being replaced
            seen = (state.st_ino, state.st_size, state.st_mtime_ns)
            found.append(SignedDeletion(path.name.removesuffix(_DELETION_SUFFIX), path, seen))
        return found

    @property
    def password_file(self) -> Path:
        """The collector's password at the broker."""
        return self.path / "keys" / "collector.password"

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

    # ------------------------------------------------------------ writing

    def sign(self) -> tuple[Path, Bundle, bool]:
        """Sign study file and consent texts; return the file, its contents, and whether it is new.

        Raises:
            UsageError: the study was closed.
            BadFile: something is missing or not valid, or changed without a new version.
            EnvironmentFault: the file cannot be written.
        """
        with self.locked():
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
            if self.closing_file(bundle.plan).exists():
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
        with self.locked():
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
            made = [NewParticipant.make() for _ in range(count)]
            after = msgspec.structs.replace(
                before, participants=(*before.participants, *(new.participant for new in made))
            )
            arms = draw_arms(after.seed, len(after.arms), len(after.participants))[start:]
            return self._write(bundle.plan, raw_bundle, made, after, arms)

    def _write(
        self, plan: Plan, raw_bundle: bytes, made: list[NewParticipant], allocation: Allocation, arms: tuple[int, ...]
    ) -> tuple[Path, ...]:
        """Write keys first and invitations last: what nobody can join with yet does no harm if this is cut off."""
        signing, readers = self.signing_key(), plan.reader_keys
        keys, invitations = self.path / KEYS_OF_PARTICIPANTS, private_folder(self.path / "invitations")
        private_folder(keys)
        for person in made:
            sealed = seal(person.reader.expose(), readers, bound_to=reader_context(plan.name, person.participant))
            write_private(keys / f"{person.participant}.sealed", encode(sealed))
        replace_private(self.path / ALLOCATION_FILE, seal_allocation(allocation, readers))
        first = len(allocation.participants) - len(made) + 1
        listed = [msgspec.json.encode(one.listed(number, plan.version)) for number, one in enumerate(made, first)]
        append_private(self.path / PARTICIPANTS_FILE, b"".join(line + b"\n" for line in listed))
        paths = []
        for number, (one, arm) in enumerate(zip(made, arms, strict=True), first):
            path = invitations / f"{number:03d}-{one.participant}{SUFFIX}"
            write_private(path, write_invitation(one.invitation(plan.name, arm, raw_bundle), signing))
            paths.append(path)
        return tuple(paths)

    def _allocation(self, plan: Plan) -> Allocation:
        path = self.path / ALLOCATION_FILE
        if not path.exists():
            return start_allocation(plan)
        with open_regular(path) as file:
            raw = file.read(_MAX_ALLOCATION)
        return open_allocation(raw, self.reader_key(), study=plan.name)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Let one command at a time change the folder.

        Raises:
            UsageError: this is no folder.
            EnvironmentFault: another command is changing it.
        """
        try:
            descriptor = open_file(self.path.resolve(), os.O_RDONLY | os.O_DIRECTORY)
        except OSError as error:
            raise UsageError(
                f"{self.path} is no folder of a study: {error.strerror}",
                remedy="name the folder that `kairos study create` made",
            ) from error
        try:
            if not lock(descriptor):
                raise EnvironmentFault(f"another command is changing {self.path}", remedy="try again when it is done")
            yield
        finally:
            os.close(descriptor)


def reader_context(study: str, participant: str) -> bytes:
    """Return what the sealed private half of a participant's reader key is bound to."""
    return f"{study} {participant}".encode()


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
    chances = [chance for policy in policies for chance in (policy.exploration, policy.arm_probability) if chance]
    if not chances and len(plan.arms) == 1:
        yield "nothing is left to chance: no effect can be estimated without a control"
    if any(not 0.1 <= chance <= 0.9 for chance in chances):  # noqa: PLR2004  # a rule of thumb
        yield "a chance below 0.1 or above 0.9 makes estimates unsteady"
    if plan.phases[0].policy.name != "silent":
        yield "no silent phase comes first, so there is no baseline"
