"""Where a person stands in a study whose folder is on this machine, from the folder and from what is in force."""

from dataclasses import dataclass, replace
from enum import StrEnum

from daemon.runtime.study.enrolment import is_over, study_day
from participant.delivery.outbox import AGREED, BUNDLE, DELETION, LAST_RECEIPT, UNTOLD, WITHDRAWAL, Outbox, ParcelState
from participant.delivery.review import Mode, leaves_wall_ns, mode_of
from participant.membership.consent import read_consent_file
from participant.membership.folder import ParticipantFolder, joined_folder, studies_folder
from storage.clock import local_time
from storage.enrolment import Enrolment
from storage.errors import BadFile, KairosError, UsageError
from storage.files import state_file
from storage.state.markers import REVOKED
from storage.state.store import StateStore
from storage.translation import translatable

ENDED = "ended"
"""The fact that the study was over, and all of it received, when the person joined another one."""


class Membership(StrEnum):
    """How far a person is in a study.

    `NOTHING_SENT` and `OUT_OF_FORCE`: it is not in force, because joining was cut off, or the consent to Kairos was
    taken back (then the work of the study leaves it); in the second case something may have been sent. `LEAVING`: they
    left, and the researchers have not signed for it yet. `ENDED`: it was over, and they have joined another one since.
    """

    IN_FORCE = "in force"
    OVER = "over"
    ENDED = "ended"
    NOTHING_SENT = "nothing sent"
    OUT_OF_FORCE = "out of force"
    LEAVING = "leaving"
    LEFT = "left"
    DAMAGED = "damaged"


WORDS = {
    Membership.IN_FORCE: "in force",
    Membership.OVER: "over; what was packed is still sent",
    Membership.ENDED: "over, and all of it received",
    Membership.NOTHING_SENT: "not in force, and nothing was ever sent",
    Membership.OUT_OF_FORCE: (
        "not in force: nothing is collected, and nobody was told that you left;"
        " to have deleted what was sent: kairos study leave"
    ),
    Membership.LEAVING: "left; the researchers have not signed for it yet",
    Membership.LEFT: "left",
    Membership.DAMAGED: "its folder is damaged; leave it: kairos study leave",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class JoinedStudy:
    """A folder of a study and where the person stands in it; `enrolment` while it is in force or over."""

    folder: ParticipantFolder
    standing: Membership
    enrolment: Enrolment | None = None


def enrolment_in_force() -> Enrolment | None:
    """Return the study in force; None if there is none."""
    if not state_file().exists():
        return None
    with StateStore(state_file()) as state:
        return state.enrolment()


def consent_was_taken_back() -> bool:
    """Tell whether the person's last answer takes the consent to Kairos back; that a file is lost does not say so."""
    if not state_file().exists() and not state_file().with_name(REVOKED).exists():
        return False
    with StateStore(state_file()) as state:
        last = state.last_answer()
    return last is not None and not last.journal


def joined_folders() -> list[ParticipantFolder]:
    """Return the folders of studies on this machine, by name; one that is being made is none."""
    base = studies_folder()
    if not base.is_dir():
        return []
    found = (path for path in base.iterdir() if path.is_dir() and not path.is_symlink())
    return [ParticipantFolder(path) for path in sorted(found) if not path.name.startswith(".")]


def named_folder(study: str | None) -> ParticipantFolder:
    """Return the folder of a study by its name; None: of the one in force, or the only one there is.

    Raises:
        UsageError: there is none, or more than one.
    """
    folders = joined_folders()
    if study is None:
        enrolment = enrolment_in_force()
        study = enrolment.study if enrolment is not None else None
    found = [folder for folder in folders if study in (None, folder.study)]
    if len(found) == 1:
        return found[0]
    if found:
        raise UsageError(
            translatable("there are several studies on this machine"),
            remedy=", ".join(folder.study for folder in found),
        )
    what = "you take part in no study" if study is None else "there is no such study on this machine"
    raise UsageError(what, remedy=translatable("see: kairos study status"))


def folder_in_force(now_wall_ns: int) -> tuple[ParticipantFolder, bool]:
    """Return the folder of the study in force, or over, and whether lots are hidden.

    Raises:
        UsageError: none is in force.
        BadFile: it is damaged.
    """
    enrolment = enrolment_in_force()
    if enrolment is None:
        raise UsageError(translatable("you take part in no study"), remedy=translatable("see: kairos study status"))
    joined = membership_of(joined_folder(enrolment.study), enrolment, now_wall_ns)
    if joined.standing is Membership.IN_FORCE:
        return joined.folder, enrolment.masked
    if joined.standing is Membership.OVER:
        return joined.folder, False
    raise BadFile(
        translatable("{path} is damaged", path=joined.folder.path),
        remedy=translatable("leave the study: kairos study leave"),
    )


def membership_of(folder: ParticipantFolder, enrolment: Enrolment | None, now_wall_ns: int) -> JoinedStudy:
    """Return where the person stands in one study."""
    try:
        return _membership_of(folder, enrolment, now_wall_ns)
    except BadFile:
        return JoinedStudy(folder=folder, standing=Membership.DAMAGED, enrolment=_own(folder, enrolment))


def _own(folder: ParticipantFolder, enrolment: Enrolment | None) -> Enrolment | None:
    return enrolment if enrolment is not None and enrolment.study == folder.study else None


def _membership_of(folder: ParticipantFolder, enrolment: Enrolment | None, now_wall_ns: int) -> JoinedStudy:
    own = _own(folder, enrolment)
    if not folder.outbox.exists():
        standing = Membership.DAMAGED if own is not None else Membership.NOTHING_SENT
        return JoinedStudy(folder=folder, standing=standing, enrolment=own)
    with Outbox(folder.outbox) as outbox:
        left = outbox.statement(WITHDRAWAL)
        if left is not None:
            return JoinedStudy(folder=folder, standing=Membership.LEFT if left[1] else Membership.LEAVING)
        if own is not None and own.participant == outbox.address().participant:
            over = is_over(own, now_wall_ns)
            return JoinedStudy(folder=folder, standing=Membership.OVER if over else Membership.IN_FORCE, enrolment=own)
        if outbox.fact(ENDED) is not None:
            return JoinedStudy(folder=folder, standing=Membership.ENDED)
        return JoinedStudy(
            folder=folder, standing=Membership.OUT_OF_FORCE if was_sent(outbox) else Membership.NOTHING_SENT
        )


def was_sent(outbox: Outbox) -> bool:
    """Tell whether anything may have left this machine."""
    return any(parcel.tries or parcel.state is ParcelState.RECEIVED for parcel in outbox.parcels())


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyStatus:
    """One study. `day` is 0 before day 1; `phase` None while it is hidden, before and after the study.

    `closed_on` is the date on which the researchers closed it before its time, the person's last day.
    `next_wall_ns` is when the next parcel leaves by itself, None if none does. `asks_again`: a new version waits for an
    answer, and nothing is sent. `told`: after leaving, whether the researchers could be told; `deleted`: whether they
    have signed for it.
    """

    study: str
    title: str
    standing: Membership
    day: int | None = None
    days: int | None = None
    phase: str | None = None
    closed_on: str | None = None
    switches: tuple[str, ...] = ()
    mode: Mode | None = None
    held: int = 0
    ready: int = 0
    received: int = 0
    next_wall_ns: int | None = None
    last_receipt_wall_ns: int | None = None
    asks_again: bool = False
    told: bool = True
    deleted: bool = False


def all_statuses(now_wall_ns: int) -> list[StudyStatus]:
    """Return how each study of this machine stands; one in force whose folder is gone comes first."""
    enrolment = enrolment_in_force()
    folders = joined_folders()
    found = [status_of(membership_of(folder, enrolment, now_wall_ns), now_wall_ns) for folder in folders]
    if enrolment is not None and enrolment.study not in {folder.study for folder in folders}:
        found.insert(0, StudyStatus(study=enrolment.study, title=enrolment.title, standing=Membership.DAMAGED))
    return found


def status_of(joined: JoinedStudy, now_wall_ns: int) -> StudyStatus:
    """Return how one study stands."""
    folder, enrolment = joined.folder, joined.enrolment
    title, switches = _agreed(folder)
    day = phase = None
    if enrolment is not None:
        today = study_day(enrolment, local_time(now_wall_ns).date())
        day = min(today.day, enrolment.days)
        hidden = enrolment.masked and not is_over(enrolment, now_wall_ns)
        phase = today.phase.name if today.phase is not None and not hidden else None
        title = enrolment.title
    status = StudyStatus(
        study=folder.study,
        title=title or folder.study,
        standing=joined.standing,
        day=day,
        days=enrolment.days if enrolment is not None else None,
        closed_on=f"{enrolment.closed_on:%Y-%m-%d}" if enrolment is not None and enrolment.closed_on else None,
        phase=phase,
        switches=switches,
    )
    if joined.standing is Membership.DAMAGED or not folder.outbox.exists():
        return status
    try:
        with Outbox(folder.outbox) as outbox:
            return _with_parcels(status, outbox, now_wall_ns)
    except KairosError:
        return status


def _agreed(folder: ParticipantFolder) -> tuple[str, tuple[str, ...]]:
    try:
        consent = read_consent_file(folder.consent)
    except BadFile:
        return "", ()
    return consent.title, tuple(str(switch) for switch in consent.current.sends)


def _with_parcels(status: StudyStatus, outbox: Outbox, now_wall_ns: int) -> StudyStatus:
    parcels = outbox.parcels()
    count = {state: sum(parcel.state is state for parcel in parcels) for state in ParcelState}
    left = outbox.statement(WITHDRAWAL)
    active = status.standing in (Membership.IN_FORCE, Membership.OVER)
    asks_again = active and outbox.fact(BUNDLE) != outbox.fact(AGREED)
    mode = mode_of(outbox, now_wall_ns) if active else None
    next_wall_ns = outbox.next_due_wall_ns() if active else None
    held = [parcel for parcel in parcels if parcel.state is ParcelState.HELD]
    if next_wall_ns is None and mode is Mode.DAILY and held and not asks_again:
        next_wall_ns = leaves_wall_ns(held[0].made_wall_ns)
    return replace(
        status,
        mode=mode,
        held=count[ParcelState.HELD],
        ready=count[ParcelState.READY],
        received=count[ParcelState.RECEIVED],
        next_wall_ns=next_wall_ns,
        last_receipt_wall_ns=int(outbox.fact(LAST_RECEIPT) or 0) or None,
        asks_again=asks_again,
        told=left is None or left[0] != UNTOLD,
        deleted=outbox.statement(DELETION) is not None,
    )
