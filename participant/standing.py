"""Where a person stands in a study whose folder is on this machine, from the folder and from what is in force."""

from dataclasses import dataclass
from enum import StrEnum

from daemon.runtime.enrolment import is_over
from participant.folder import ParticipantFolder, joined_folder, studies_folder
from participant.outbox import WITHDRAWAL, Outbox, ParcelState
from storage.enrolment import Enrolment
from storage.errors import BadFile, UsageError
from storage.paths import state_file
from storage.state.markers import REVOKED
from storage.state.store import StateStore
from storage.translation import translatable

ENDED = "ended"
"""The fact that the study was over, and all of it received, when the person joined another one."""


class Standing(StrEnum):
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
    Standing.IN_FORCE: "in force",
    Standing.OVER: "over; what was packed is still sent",
    Standing.ENDED: "over, and all of it received",
    Standing.NOTHING_SENT: "not in force, and nothing was ever sent",
    Standing.OUT_OF_FORCE: (
        "not in force: nothing is collected, and nobody was told that you left;"
        " to have deleted what was sent: kairos study leave"
    ),
    Standing.LEAVING: "left; the researchers have not signed for it yet",
    Standing.LEFT: "left",
    Standing.DAMAGED: "its folder is damaged; leave it: kairos study leave",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Joined:
    """A folder of a study and where the person stands in it; `enrolment` while it is in force or over."""

    folder: ParticipantFolder
    standing: Standing
    enrolment: Enrolment | None = None


def enrolment_in_force() -> Enrolment | None:
    """Return the study in force; None if there is none.

    Raises:
        BadFile: it is damaged, so nobody knows.
        EnvironmentFault: it cannot be read.
    """
    if not state_file().exists():
        return None
    with StateStore(state_file()) as state:
        return state.enrolment()


def consent_was_taken_back() -> bool:
    """Tell whether the person's last answer takes the consent to Kairos back; that a file is lost does not say so.

    Raises:
        BadFile: what was stored is damaged, so nobody knows.
        EnvironmentFault: it cannot be read.
    """
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
            translatable("there are several studies on this machine"), remedy=", ".join(one.study for one in found)
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
    joined = look(joined_folder(enrolment.study), enrolment, now_wall_ns)
    if joined.standing is Standing.IN_FORCE:
        return joined.folder, enrolment.masked
    if joined.standing is Standing.OVER:
        return joined.folder, False
    raise BadFile(
        translatable("{path} is damaged", path=joined.folder.path),
        remedy=translatable("leave the study: kairos study leave"),
    )


def look(folder: ParticipantFolder, enrolment: Enrolment | None, now_wall_ns: int) -> Joined:
    """Return where the person stands in one study.

    Args:
        folder: of the study.
        enrolment: the study in force, this one or another.
        now_wall_ns: the time.

    Raises:
        EnvironmentFault: the outbox cannot be read.
    """
    try:
        return _look(folder, enrolment, now_wall_ns)
    except BadFile:
        return Joined(folder=folder, standing=Standing.DAMAGED, enrolment=_own(folder, enrolment))


def _own(folder: ParticipantFolder, enrolment: Enrolment | None) -> Enrolment | None:
    return enrolment if enrolment is not None and enrolment.study == folder.study else None


def _look(folder: ParticipantFolder, enrolment: Enrolment | None, now_wall_ns: int) -> Joined:
    own = _own(folder, enrolment)
    if not folder.outbox.exists():
        standing = Standing.DAMAGED if own is not None else Standing.NOTHING_SENT
        return Joined(folder=folder, standing=standing, enrolment=own)
    with Outbox(folder.outbox) as outbox:
        left = outbox.statement(WITHDRAWAL)
        if left is not None:
            return Joined(folder=folder, standing=Standing.LEFT if left[1] else Standing.LEAVING)
        if own is not None and own.participant == outbox.address().participant:
            over = is_over(own, now_wall_ns)
            return Joined(folder=folder, standing=Standing.OVER if over else Standing.IN_FORCE, enrolment=own)
        if outbox.fact(ENDED) is not None:
            return Joined(folder=folder, standing=Standing.ENDED)
        return Joined(folder=folder, standing=Standing.OUT_OF_FORCE if was_sent(outbox) else Standing.NOTHING_SENT)


def was_sent(outbox: Outbox) -> bool:
    """Tell whether anything may have left this machine."""
    return any(parcel.tries or parcel.state is ParcelState.RECEIVED for parcel in outbox.parcels())
