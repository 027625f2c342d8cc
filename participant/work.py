"""The work of an hour: pack what happened, let go what is due, send it, and finish a leave that was cut off.

The daemon starts `kairos study work` about once an hour. Packing knows no network; sending is a process of its own that
opens one outbox and nothing else. A study that is not in force sends nothing but its withdrawal. Faults are logged by
their code alone: nothing of a journal, an address or an answer is in a log.
"""

import json
import logging
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from subprocess import DEVNULL, PIPE, Popen, TimeoutExpired

from daemon.runtime.study.enrolment import end_wall_ns, is_over
from participant.delivery.outbox import AGREED, BUNDLE, IDLE_FROM, LAST_RECEIPT, ON_HOLD, Outbox, ParcelState
from participant.delivery.review import Mode, correct_clock, mode_of, release_daily
from participant.membership.folder import ParticipantFolder, studies_folder
from participant.membership.leaving import awaits_key, end_closed_study, leave_revoked, tidy
from participant.membership.lock import BusyError, Lock, study_lock
from participant.membership.status import (
    JoinedStudy,
    Membership,
    consent_was_taken_back,
    enrolment_in_force,
    joined_folders,
    membership_of,
)
from storage.clock import NS_PER_S, SystemClock
from storage.errors import BadFile, EnvironmentFault, KairosError
from storage.plain_text import format_count, format_time

logger = logging.getLogger(__name__)

SENDER = (sys.executable, "-P", "-m", "participant.delivery.sender")
SENDER_S = 400
"""After which a sender is ended; it ends itself before."""

LOOKS_ON_NS = 7 * 24 * 3600 * NS_PER_S
"""How long after the end the sender still asks whether a collector that was restored lacks anything."""

NOT_YET = 1
"""With this status a sender says that not all was received, which then goes again."""

ASKS_FOR_KEY_NS = 20 * 3600 * NS_PER_S
"""How often it is looked, after a leave, whether the researchers' key was destroyed: about once a day."""

_ASKED_FOR_KEY = "asked_for_key"

_WORKS = (Membership.IN_FORCE, Membership.OVER)
_NOT_IN_FORCE = (Membership.OUT_OF_FORCE, Membership.NOTHING_SENT)

Pack = Callable[[ParticipantFolder, int], object]


@dataclass(slots=True)
class WorkDone:
    """What was done: studies packed, sent, ended since they were closed, left since the consent was taken back.

    `faults` are by code, `damaged` are studies whose folder cannot be read. `said` is what senders say of their
    deliveries, for the person alone. `busy`: another process does the work.
    """

    busy: bool = False
    packed: list[str] = field(default_factory=list)
    sent: list[str] = field(default_factory=list)
    ended: list[str] = field(default_factory=list)
    left: list[str] = field(default_factory=list)
    damaged: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    said: list[str] = field(default_factory=list)


def work(
    now_wall_ns: int, *, pack: Pack | None = None, sender: tuple[str, ...] = SENDER, everything: bool = False
) -> WorkDone:
    """Do the work of all studies of this machine; quick where there is none.

    `sender`: the command to which the path of an outbox is added. `everything`: send everything that was let go, not
    only what is due by the clock of repetitions.
    """
    done = WorkDone()
    if not studies_folder().is_dir():
        return done
    try:
        with study_lock(wait_s=0, end_sender=False) as lock:
            for folder in joined_folders():
                _work_on(folder, now_wall_ns, done, pack=pack, sender=sender, lock=lock, everything=everything)
    except BusyError:
        done.busy = True
    return done


def take_out() -> None:
    """Take what was deleted here out of what waits, in all studies, as a purge wants it at once.

    Raises:
        EnvironmentFault: another process works on a study for longer than one waits, or something cannot be written.
        BadFile: a study, or a file of labels or words, is damaged.
    """
    from participant.pack import take_out_deleted

    with study_lock():
        for folder in joined_folders():
            take_out_deleted(folder)


def _work_on(
    folder: ParticipantFolder,
    now_wall_ns: int,
    done: WorkDone,
    *,
    pack: Pack | None,
    sender: tuple[str, ...],
    lock: Lock,
    everything: bool,
) -> None:
    """Do the work of one study; a fault ends neither that of others nor what can be done without."""
    with _step("close", done):  # found by a sender behind which the work was cut off
        _end_if_closed(folder, done)
    joined = None
    with _step("look", done):
        joined = membership_of(folder, enrolment_in_force(), now_wall_ns)
        if joined.standing in _NOT_IN_FORCE and consent_was_taken_back():
            leave_revoked(folder)
            done.left.append(folder.study)
            joined = membership_of(folder, None, now_wall_ns)
    if joined is None:
        return
    if joined.standing is Membership.DAMAGED:
        _note_damaged(folder, done)
    if joined.standing in _WORKS:
        from participant.pack import pack as pack_study
        from participant.pack import take_out_deleted

        pack = pack or pack_study
        with _step("pack", done):
            pack(folder, now_wall_ns)
            done.packed.append(folder.study)
        is_in_step = False
        with _step("labels", done):  # or what was deleted here could go
            take_out_deleted(folder)
            is_in_step = True
        if not is_in_step:
            return
        with _step("review", done), Outbox(folder.outbox) as outbox:
            correct_clock(outbox, now_wall_ns)
            release_daily(outbox, now_wall_ns)
    with _step("send", done):
        left = joined.standing in (Membership.LEAVING, Membership.LEFT)
        if left:
            tidy(folder, now_wall_ns)
        if may_send(joined) and _waits(joined, now_wall_ns, everything=everything):
            _send(folder, done, sender=sender, lock=lock, everything=everything)
        if left:
            tidy(folder, now_wall_ns)
    with _step("close", done):
        _end_if_closed(folder, done)
    if not done.faults:
        with _step("end", done):
            _note_idle(joined, now_wall_ns)


@contextmanager
def _step(step: str, done: WorkDone) -> Iterator[None]:
    try:
        yield
    except KairosError as error:
        code = error.code if isinstance(error, EnvironmentFault) and error.code else type(error).__name__
        done.faults.append(f"{step}: {code}")
        logger.warning("a step of the work of a study failed: %s, %s", step, code)


def _note_damaged(folder: ParticipantFolder, done: WorkDone) -> None:
    if folder.study not in done.damaged:
        done.damaged.append(folder.study)
        logger.warning("the folder of a study is damaged")


def _note_idle(joined: JoinedStudy, now_wall_ns: int) -> None:
    """Store from when on there is nothing to do for a study any more, so that Kairos starts no work for it."""
    if joined.standing is Membership.ENDED:
        idle_from_ns = 0
    elif joined.standing is Membership.OVER and joined.enrolment is not None:
        idle_from_ns = end_wall_ns(joined.enrolment) + LOOKS_ON_NS
    else:
        return
    with Outbox(joined.folder.outbox) as outbox:
        leaves = outbox.parcels(ParcelState.HELD) and mode_of(outbox, now_wall_ns) is Mode.DAILY
        if idle_from_ns <= now_wall_ns and not leaves and not outbox.parcels(ParcelState.READY):
            outbox.save_fact(IDLE_FROM, str(idle_from_ns).encode())


def _end_if_closed(folder: ParticipantFolder, done: WorkDone) -> None:
    if end_closed_study(folder):
        done.ended.append(folder.study)


def may_send(joined: JoinedStudy) -> bool:
    """Tell whether the sender may run: the study is in force or over and agreed to as it is, or was left.

    After a leave that was signed for it only looks whether the researchers' key was destroyed.
    """
    if joined.standing is Membership.LEAVING:
        return True
    if joined.standing is Membership.LEFT:
        with Outbox(joined.folder.outbox) as outbox:
            return awaits_key(outbox)
    if joined.standing not in _WORKS:
        return False
    with Outbox(joined.folder.outbox) as outbox:
        return outbox.fact(BUNDLE) == outbox.fact(AGREED)


def _waits(joined: JoinedStudy, now_wall_ns: int, *, everything: bool) -> bool:
    """Tell whether anything is to be sent, or to be looked for: a new version, or a collector that was restored."""
    with Outbox(joined.folder.outbox) as outbox:
        if outbox.fact(ON_HOLD) is not None and outbox.next_send_wall_ns(now_wall_ns) is None:
            return False  # on hold the broker is not even called
        if everything:
            return True
        if joined.standing is Membership.LEFT:
            asked_ns = int(outbox.fact(_ASKED_FOR_KEY) or 0)
            if 0 <= now_wall_ns - asked_ns < ASKS_FOR_KEY_NS:
                return False
            outbox.save_fact(_ASKED_FOR_KEY, str(now_wall_ns).encode())
            return True
        at = outbox.next_send_wall_ns(now_wall_ns)
        if at is None:
            long_over = joined.enrolment is None or is_over(joined.enrolment, now_wall_ns - LOOKS_ON_NS)
            return not long_over
        return at <= now_wall_ns


def _send(folder: ParticipantFolder, done: WorkDone, *, sender: tuple[str, ...], lock: Lock, everything: bool) -> None:
    """Run the sender, which whoever cannot wait may end (`membership.lock`)."""
    with Outbox(folder.outbox) as outbox:
        received = len(outbox.parcels(ParcelState.RECEIVED))
    with Popen(  # our own interpreter, and a path of our own
        [*sender, str(folder.outbox), *(["--all"] if everything else [])],
        stdin=DEVNULL,
        stdout=PIPE,
        stderr=PIPE,
        text=True,
        pass_fds=(lock.descriptor,),  # the lock holds as long as the sender lives
        cwd="/",
    ) as child:
        try:
            lock.name_sender(child.pid)
            if not may_send(membership_of(folder, enrolment_in_force(), 0)):  # left since we looked
                child.terminate()
            out, fault = child.communicate(timeout=SENDER_S)
        except TimeoutExpired:
            done.faults.append("send: it took too long")
            return
        finally:
            if child.poll() is None:
                child.kill()
                child.wait()
            lock.name_sender(None)
    with Outbox(folder.outbox) as outbox:
        if len(outbox.parcels(ParcelState.RECEIVED)) > received:
            outbox.save_fact(LAST_RECEIPT, str(SystemClock().wall_ns()).encode())
    facts = json.loads(out) if out else {}
    if child.returncode <= NOT_YET and (facts.get("unreachable") is None or facts["sent"]):
        done.sent.append(folder.study)
    done.said += [f"{folder.study}: {line}" for line in (*_delivery_lines(out), *fault.splitlines())]
    if child.returncode == BadFile.exit_code:
        _note_damaged(folder, done)
    if child.returncode > NOT_YET:
        done.faults.append(f"send: status {child.returncode}")
        logger.warning("sending parcels of a study ended with status %d", child.returncode)


def _delivery_lines(out: str) -> list[str]:
    """Return in words what a sender has printed; nothing if it was ended before."""
    if not out:
        return []
    facts = json.loads(out)
    lines = [f"{format_count(facts['sent'], 'parcel')} sent, {facts['received']} received"]
    if facts["deleted"]:
        lines.append("the researchers have signed for the deletion")
    if facts["bundle"] is not None:
        lines.append(f"there is a version {facts['bundle']} of the study; answer it with: kairos study join --again")
    if facts["unreachable"] is not None:
        lines.append(facts["unreachable"])
        if facts["next_wall_ns"] is not None:
            lines.append(f"nothing is lost; tried again from {format_time(facts['next_wall_ns'] / NS_PER_S)} on")
    return lines
