"""Leaving a study, at once and without a network: nothing is collected or sent from here on but the withdrawal.

First the study is taken out of force, which ends offers, questions and packing. Then what was never sent is deleted,
with the rows of all the rest, and a signed withdrawal is stored, which the sender sends until the collector signs for
the deletion. Key and invitation are destroyed at once: the withdrawal carries all that it takes to check it. A leave
that is cut off is finished by the next one, or by the hourly work. Where nothing was ever sent, the folder goes too.
"""

import datetime as dt
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from participant.delivery.answers import check_closing
from participant.delivery.outbox import ADDRESS, BUNDLE, CLOSED, DELETION, UNTOLD, WITHDRAWAL, BrokerAddress, Outbox
from participant.documents.invitation import MAX_INVITATION_BYTES, Invited, read_invitation
from participant.documents.keys import SigningKey, read_signing_key
from participant.documents.names import FIRST
from participant.documents.parcel import read_header
from participant.documents.private_files import destroy_file, destroy_folder
from participant.documents.signed import DocumentKind, read_claim
from participant.documents.statements import MAX_STATEMENT_BYTES, DeletionReceipt, StudyWithdrawal, write_statement
from participant.membership.consent import read_consent_file
from participant.membership.folder import ParticipantFolder, joined_folder
from participant.membership.joining import address_of, tell_daemon
from participant.membership.lock import study_lock
from participant.membership.status import Membership, joined_folders, membership_of, was_sent
from storage.clock import NS_PER_S, SystemClock
from storage.enrolment import EPOCH
from storage.errors import BadFile, EnvironmentFault, UsageError
from storage.files import open_regular, state_file
from storage.state.store import StateStore
from storage.translation import translatable

KEY_WAIT_NS = 14 * 24 * 3600 * NS_PER_S
"""How long to wait for the receipt of the destroyed key: twice the seven days that a study may take to delete."""

_ANSWERED = "answered"
"""The fact that says when the collector's answer to the withdrawal was found, as nanoseconds since the epoch."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Left:
    """What came of leaving.

    `parcels` is how many may have been sent; None: nobody knows, since the outbox was damaged. `told`: a withdrawal
    waits to be sent, or nothing was ever sent; otherwise the person has to write to `contact` that `participant` left.
    `answered`: they had left before, and the collector has signed for it.
    """

    study: str
    parcels: int | None
    told: bool
    answered: bool = False
    participant: str = ""
    contact: str = ""


def leave(study: str | None, *, keep: bool) -> Left:
    """Leave a study; one that was left already is tidied up.

    Args:
        study: its name; None: the one in force, or the only one that can be left.
        keep: permit keeping what was sent until now; otherwise all of it is to be deleted.
    """
    folder, in_force = _which(study)
    if in_force:
        _take_out_of_force()  # before waiting for the lock
        tell_daemon()  # offers and questions of the study end now
    with study_lock():
        if in_force:
            _take_out_of_force()  # of a study that was answered anew meanwhile
        return _leave_folder(folder, keep=keep)


def leave_revoked(folder: ParticipantFolder) -> None:
    """Leave a study whose person took the consent to Kairos back; what was sent is to be deleted. The lock is held."""
    _leave_folder(folder, keep=False)


def _which(study: str | None) -> tuple[ParticipantFolder, bool]:
    """Return the study to leave, and whether it is in force or nobody knows."""
    with StateStore(state_file()) as state:
        try:
            enrolment = state.enrolment()
            damaged = False
        except BadFile:
            enrolment, damaged = None, True
    if enrolment is not None and study in (None, enrolment.study):
        return joined_folder(enrolment.study), True
    folders = joined_folders()
    candidates = [
        folder
        for folder in folders
        if (study == folder.study)
        or (study is None and membership_of(folder, None, 0).standing not in (Membership.LEFT, Membership.ENDED))
    ]
    if len(candidates) == 1:
        return candidates[0], damaged
    if not candidates and damaged:
        return joined_folder(study or "unknown"), True
    if candidates:
        names = ", ".join(folder.study for folder in candidates)
        raise UsageError(
            translatable("several studies can be left: {names}", names=names),
            remedy=translatable("name one: kairos study leave NAME"),
        )
    what = "you take part in no study" if study is None else f"there is no study {study!r} on this machine"
    raise UsageError(what, remedy=translatable("see: kairos study status"))


def _take_out_of_force() -> None:
    with StateStore(state_file()) as state:
        state.save_enrolment(None)


def _leave_folder(folder: ParticipantFolder, *, keep: bool) -> Left:
    if not folder.path.is_dir():
        return Left(study=folder.study, parcels=None, told=False)
    found = _open_outbox(folder)
    if found is not None and found.statement(WITHDRAWAL) is None and not was_sent(found):
        found.close()
        destroy_folder(folder.path)
        return Left(study=folder.study, parcels=0, told=True)
    if found is None:  # a new one takes its place
        for ending in ("", "-wal", "-shm", "-journal"):
            destroy_file(folder.outbox.with_name(folder.outbox.name + ending))
    with found or Outbox(folder.outbox) as outbox:
        before = outbox.statement(WITHDRAWAL)
        if before is None:
            left = _withdraw(folder, outbox, keep=keep, lost=found is None)
        else:
            raw, answered = before
            told = raw != UNTOLD
            left = Left(study=folder.study, parcels=None, told=told, answered=told and answered)
    tidy(folder)
    return left


def _open_outbox(folder: ParticipantFolder) -> Outbox | None:
    if not folder.outbox.is_file():
        return None
    outbox = None
    try:
        outbox = Outbox(folder.outbox)
        outbox.parcels()
        outbox.address()
        outbox.statement(WITHDRAWAL)
    except BadFile:
        if outbox is not None:
            outbox.close()
        return None
    return outbox


def _withdraw(folder: ParticipantFolder, outbox: Outbox, *, keep: bool, lost: bool) -> Left:
    """Store the withdrawal; where it cannot be signed, store that nobody can be told."""
    invited, key = _invitation(folder.invitation), _key(folder.key)
    address = _address(outbox) or (address_of(invited) if invited is not None else None)
    if key is None or address is None:
        participant, contact = _whom(folder, invited, address)
        count = outbox.withdraw(lambda count, last: UNTOLD)  # noqa: ARG005  # nothing to sign
        outbox.save_statement(WITHDRAWAL, UNTOLD, answered=True)
        return Left(
            study=folder.study, parcels=None if lost else count, told=False, participant=participant, contact=contact
        )
    joining = invited.invitation.join(key) if invited is not None else _joining_sent(outbox)
    signing = key

    def sign(count: int, last: bytes) -> bytes:
        return write_statement(
            StudyWithdrawal(
                study=address.study,
                participant=address.participant,
                keep=keep,
                parcels=count,
                last=last if count else FIRST,
                joining=joining,
            ),
            signing,
        )

    outbox.save_address(address)
    count = outbox.withdraw(sign)
    return Left(study=folder.study, parcels=None if lost else count, told=True)


def _invitation(path: Path) -> Invited | None:
    with suppress(BadFile, OSError), open_regular(path) as file:
        return read_invitation(file.read(MAX_INVITATION_BYTES + 1))
    return None


def _key(path: Path) -> SigningKey | None:
    with suppress(BadFile, EnvironmentFault, OSError):
        return read_signing_key(path)
    return None


def _address(outbox: Outbox) -> BrokerAddress | None:
    with suppress(BadFile):
        return outbox.address()
    return None


def _joining_sent(outbox: Outbox) -> bytes | None:
    """Return the joining in parcel 0, if it is there and whole."""
    first = next((parcel for parcel in outbox.parcels() if parcel.n == 0), None)
    with suppress(BadFile):
        return None if first is None else read_header(first.raw).joining
    return None


def _whom(folder: ParticipantFolder, invited: Invited | None, address: BrokerAddress | None) -> tuple[str, str]:
    """Return the participant's id and who runs the study, as far as anything says so."""
    if invited is not None:
        return invited.invitation.participant, invited.bundle.plan.contact
    with suppress(BadFile, OSError):
        consent = read_consent_file(folder.consent)
        return consent.participant, consent.contact
    return (address.participant if address is not None else "", "")


def tidy(folder: ParticipantFolder, now_wall_ns: int | None = None) -> None:
    """Destroy the secrets of a study that was left; once that was signed for, the password at the broker too.

    Where the researchers have not destroyed their key to what was sent yet, the password stays for up to `KEY_WAIT_NS`,
    so that their receipt for it is found.
    """
    now_wall_ns = SystemClock().wall_ns() if now_wall_ns is None else now_wall_ns
    with Outbox(folder.outbox) as outbox:
        left = outbox.statement(WITHDRAWAL)
        if left is None:
            return
        destroy_file(folder.key)
        destroy_file(folder.invitation)
        if not left[1]:
            return
        if awaits_key(outbox):
            answered = outbox.fact(_ANSWERED)
            if answered is None:
                outbox.save_fact(_ANSWERED, str(now_wall_ns).encode())
                return
            if 0 <= now_wall_ns - int(answered) < KEY_WAIT_NS:
                return
        outbox.delete_fact(ADDRESS)


def awaits_key(outbox: Outbox) -> bool:
    """Tell whether the researchers signed for a deletion but not yet for having destroyed their key, and may still.

    Both statements were checked when they were stored.
    """
    left, answer = outbox.statement(WITHDRAWAL), outbox.statement(DELETION)
    if left is None or not left[1] or answer is None or outbox.fact(ADDRESS) is None:
        return False
    withdrawal = read_claim(left[0], DocumentKind.WITHDRAWAL, StudyWithdrawal, limit=MAX_STATEMENT_BYTES).body
    receipt = read_claim(answer[0], DocumentKind.DELETION, DeletionReceipt, limit=MAX_STATEMENT_BYTES).body
    return not withdrawal.keep and receipt.destroyed_key is None


def end_closed_study(folder: ParticipantFolder) -> bool:
    """Put the signed end of a study into force; return whether it was not before. The caller holds the lock.

    Raises:
        BadFile: what is stored is damaged, or not what the researchers signed.
    """
    if not folder.outbox.exists() or not state_file().exists():
        return False
    with Outbox(folder.outbox) as outbox:
        raw, known = outbox.fact(CLOSED), outbox.fact(BUNDLE)
    if raw is None:
        return False
    try:
        last_day = EPOCH + dt.timedelta(days=check_closing(raw, known).date)
    except BadFile as error:
        raise BadFile(error.what, remedy=translatable("leave the study: kairos study leave")) from None
    with StateStore(state_file()) as state:
        return state.close_enrolment(folder.study, last_day)
