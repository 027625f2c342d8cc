"""Deletes people who left from the researcher's machine: their reader key, their rows, and the page made with them.

The key goes first: without it every copy of their parcels is noise, those in backups of the collector too. Tables are
written anew without them, since DuckDB keeps the blocks of deleted rows, and then searched for their id; the files
before are overwritten. Only after all of it a line goes into `deletions.jsonl`, so a deletion that was cut off is
carried out again.

A file is overwritten before it is removed. On a file system or disk that writes elsewhere (btrfs, ZFS, most flash) the
old blocks may live on until they are reused; there the folder `keys` belongs on an encrypted disk.
"""

from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from participant.documents.bundle import Bundle
from participant.documents.invitation import SUFFIX as INVITATION_SUFFIX
from participant.documents.keys import READING_KIND, parse_public
from participant.documents.names import digest_of
from participant.documents.plan import Plan
from participant.documents.private_files import destroy_file, destroy_folder, replace_private, write_private
from participant.documents.statements import (
    Closing,
    DeletionReceipt,
    StudyWithdrawal,
    read_closing,
    read_statement,
    write_statement,
)
from storage.clock import DAY_NS
from storage.errors import BadFile, UsageError
from storage.files import partial_name, private_folder
from study.collector.store import CollectedParticipant, CollectorReader
from study.opening.ledger import DELETIONS, Deletion, exports_with, note, purged_participants
from study.opening.parcels import check_withdrawal, data_files
from study.opening.recordings import RECORDINGS
from study.opening.tables import FOLDER, read_tables, rewrite_without, tables_file
from study.researcher.documents import write_closing
from study.researcher.folder import ALLOCATION_FILE, PAGE_FILE, RECEIPTS_KEY, StudyFolder
from study.researcher.participants import Participant


@dataclass(frozen=True, slots=True, kw_only=True)
class Due:
    """A deletion to carry out: who left, when the collector learned of it, and until when it must be done.

    `collected` is what the collector signed for when it deleted their parcels; None if it did not yet.
    """

    listed: Participant
    withdrawal: StudyWithdrawal
    raw: bytes
    withdrawn_wall_ns: int
    until_wall_ns: int
    collected: DeletionReceipt | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Purged:
    """A deletion carried out.

    `late` says that it was done after the promised day, `receipt` where its signed receipt lies (None without
    `keys/receipts.key`), `exports` those that cannot be recalled.
    """

    participant: str
    late: bool
    receipt: Path | None
    exports: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class DueList:
    """What is to be deleted, and withdrawals that cannot be checked, in words."""

    due: tuple[Due, ...]
    refused: tuple[tuple[str, str], ...]


def find_due(folder: StudyFolder, plan: Plan, data: Sequence[Path]) -> DueList:
    """Return who left without permitting to keep what was sent, and is not deleted here yet.

    A withdrawal counts once its signature was checked: a collector that was broken into shall not make the researcher
    destroy keys. The key is the one that signs the rows in the tables, else the one that the withdrawal itself binds to
    the invitation; never one that the collector names.
    """
    listed = {participant.participant: participant for participant in folder.participants()}
    done = purged_participants(folder.path)
    keys = _keys_in_tables(folder.path)
    due: dict[str, Due] = {}
    refused: dict[str, str] = {}
    for known in _withdrawn(data_files(data)):
        who = known.participant
        if who not in listed or who in done or who in due or known.withdrawal is None:
            continue
        try:
            withdrawal = check_withdrawal(known.withdrawal, study=plan.name, listed=listed[who], key=keys.get(who))
        except BadFile as error:
            refused[who] = error.what
            continue
        if not withdrawal.keep:
            at = known.withdrawn_wall_ns or 0
            due[who] = Due(
                listed=listed[who],
                withdrawal=withdrawal,
                raw=known.withdrawal,
                withdrawn_wall_ns=at,
                until_wall_ns=at + plan.purge_days * DAY_NS,
                collected=_signed_for(known, plan),
            )
    found = tuple(sorted(due.values(), key=lambda one: one.withdrawn_wall_ns))
    return DueList(due=found, refused=tuple(sorted((who, why) for who, why in refused.items() if who not in due)))


def _withdrawn(paths: Iterable[Path]) -> list[CollectedParticipant]:
    found = []
    with ExitStack() as stack:
        for path in paths:
            reader = CollectorReader(path)
            stack.callback(reader.close)
            found += [participant for participant in reader.participants() if participant.withdrawal is not None]
    return found


def _signed_for(known: CollectedParticipant, plan: Plan) -> DeletionReceipt | None:
    """Return the receipt that the collector made of its part."""
    if known.deletion is None:
        return None
    try:
        return read_statement(
            known.deletion, DeletionReceipt, study=plan.name, participant=known.participant, key=plan.receipts_key
        )
    except BadFile:  # then the parcels that the person names are those that this key opened
        return None


def _keys_in_tables(study: Path) -> dict[str, bytes]:
    """Return the public keys by which people in the tables signed."""
    if not tables_file(study).is_file():
        return {}
    with read_tables(study) as tables:
        rows = tables.execute("SELECT participant, any_value(key) FROM consents GROUP BY participant").fetchall()
    return {who: bytes.fromhex(key) for who, key in rows}


def purge(path: Path, data: Sequence[Path], *, wall_ns: int) -> tuple[list[Purged], tuple[tuple[str, str], ...]]:
    """Delete everybody who is due; return what was done, and withdrawals that cannot be checked with the reason."""
    folder = StudyFolder(path)
    with folder.locked():
        bundle, _ = folder.signed_bundle()
        found = find_due(folder, bundle.plan, data)
        for due in found.due:
            _destroy_secrets(folder, due.listed.participant)
        if found.due:
            _delete_rows(path, [due.listed.participant for due in found.due])
        return [_finish(folder, bundle, due, wall_ns) for due in found.due], found.refused


def _destroy_secrets(folder: StudyFolder, participant: str) -> None:
    """Destroy somebody's reader key and recordings, then their invitation, which holds their arm and their password."""
    folder.destroy_key(participant)
    destroy_folder(folder.path / RECORDINGS / participant, must_overwrite=True)
    for path in (folder.path / "invitations").glob(f"*-{participant}{INVITATION_SUFFIX}"):
        destroy_file(path, must_overwrite=True)


def _destroy_page(path: Path) -> None:
    """Destroy the page, and what a report that was cut off left of it."""
    for name in (PAGE_FILE, partial_name(PAGE_FILE)):
        destroy_file(path / name, must_overwrite=True)


def _delete_rows(path: Path, people: Sequence[str]) -> None:
    """Write tables without people, remove the page made with them, and search what is left."""
    if (path / FOLDER).exists():
        rewrite_without(path, people)
    _destroy_page(path)
    left = [file for who in people for file in files_with(path / FOLDER, who.encode())]
    if left:
        raise BadFile(
            f"{left[0]} still holds somebody who was to be deleted",
            remedy=f"remove the folder {path / FOLDER}, then run this again",
        )


def _finish(folder: StudyFolder, bundle: Bundle, due: Due, wall_ns: int) -> Purged:
    who = due.listed.participant
    exports = exports_with(folder.path, who)
    key = folder.receipts_key(bundle.plan) if (folder.path / RECEIPTS_KEY).exists() else None
    receipt = None
    if key is not None:
        sent = ((0, due.withdrawal.parcels - 1),) if due.withdrawal.parcels else ()
        statement = DeletionReceipt(
            study=bundle.plan.name,
            participant=who,
            withdrawal=digest_of(due.raw),
            ranges=due.collected.ranges if due.collected is not None else sent,
            last=due.collected.last if due.collected is not None else due.withdrawal.last,
            destroyed_key=parse_public(READING_KIND, due.listed.reader),
            exports=exports,
        )
        receipt = folder.deletion_file(who)
        private_folder(receipt.parent)
        replace_private(receipt, write_statement(statement, key))
    note(folder.path / DELETIONS, Deletion(participant=who, wall_ns=wall_ns, destroyed_key=due.listed.reader))
    return Purged(participant=who, late=wall_ns > due.until_wall_ns, receipt=receipt, exports=exports)


def purge_everything(path: Path, *, wall_ns: int) -> int:
    """Destroy everybody's key and invitation, tables, page and list of arms of a closed study; return how many people.

    Raises:
        UsageError: the study was not closed.
        EnvironmentFault: something cannot be removed.
    """
    folder = StudyFolder(path)
    with folder.locked():
        bundle, _ = folder.signed_bundle()
        if folder.closing(bundle.plan) is None:
            raise UsageError("the study was not closed", remedy=f"first: kairos study close {path}")
        done = purged_participants(path)
        listed = folder.participants()
        for person in listed:
            _destroy_secrets(folder, person.participant)
        destroy_file(path / ALLOCATION_FILE, must_overwrite=True)
        destroy_folder(path / FOLDER, must_overwrite=True)
        _destroy_page(path)
        new = [person for person in listed if person.participant not in done]
        for person in new:
            gone = Deletion(participant=person.participant, wall_ns=wall_ns, destroyed_key=person.reader)
            note(path / DELETIONS, gone)
        return len(new)


def close_study(folder: StudyFolder, *, wall_ns: int) -> tuple[Path, bool]:
    """Sign the end of a study; return the file, and whether it is new."""
    with folder.locked():
        bundle, _ = folder.signed_bundle()
        plan = bundle.plan
        path = folder.closing_file(plan)
        if folder.closing(plan) is not None:
            return path, False
        closing = Closing(study=plan.name, study_version=plan.version, bundle=bundle.digest, date=wall_ns // DAY_NS)
        raw = write_closing(closing, folder.signing_key())
        read_closing(raw, study=plan.name, key=plan.signing_key)
        write_private(path, raw)
        return path, True


_CHUNK = 1 << 20


def files_with(folder: Path, marker: bytes) -> list[Path]:
    """Return files of a folder whose bytes hold a marker."""
    found = []
    for path in sorted(folder.rglob("*")) if folder.exists() else []:
        if path.is_file():
            with path.open("rb") as file:
                before = b""
                while chunk := file.read(_CHUNK):
                    if marker in before + chunk:
                        found.append(path)
                        break
                    before = chunk[-len(marker) :]
    return found
