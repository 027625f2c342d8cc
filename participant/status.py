"""How a study stands, for `kairos study status` and the tray; without lots, arms and, while masked, the phase."""

from dataclasses import dataclass, replace

from daemon.runtime.enrolment import is_over, study_day
from participant.consent import read_consent_file
from participant.folder import ParticipantFolder
from participant.leaving import UNTOLD
from participant.outbox import AGREED, BUNDLE, DELETION, WITHDRAWAL, Outbox, ParcelState
from participant.review import Mode, leaves_wall_ns, mode_of
from participant.standing import Joined, Standing, enrolment_in_force, joined_folders, look
from participant.work import LAST_RECEIPT
from storage.clock import local_time
from storage.errors import BadFile, KairosError


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
    standing: Standing
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
    """Return how each study of this machine stands; one in force whose folder is gone comes first.

    Raises:
        BadFile: the study in force is damaged.
        EnvironmentFault: something cannot be read.
    """
    enrolment = enrolment_in_force()
    folders = joined_folders()
    found = [status_of(look(folder, enrolment, now_wall_ns), now_wall_ns) for folder in folders]
    if enrolment is not None and enrolment.study not in {folder.study for folder in folders}:
        found.insert(0, StudyStatus(study=enrolment.study, title=enrolment.title, standing=Standing.DAMAGED))
    return found


def status_of(joined: Joined, now_wall_ns: int) -> StudyStatus:
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
    if joined.standing is Standing.DAMAGED or not folder.outbox.exists():
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
    return consent.title, tuple(str(one) for one in consent.current.sends)


def _with_parcels(status: StudyStatus, outbox: Outbox, now_wall_ns: int) -> StudyStatus:
    parcels = outbox.parcels()
    count = {state: sum(parcel.state is state for parcel in parcels) for state in ParcelState}
    left = outbox.statement(WITHDRAWAL)
    active = status.standing in (Standing.IN_FORCE, Standing.OVER)
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
