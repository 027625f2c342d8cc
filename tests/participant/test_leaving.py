"""Leaving a study: at once, without a network, and whatever is damaged."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from participant.delivery.outbox import ADDRESS, DELETION, WITHDRAWAL, Outbox
from participant.documents.keys import read_signing_key
from participant.documents.names import digest_of
from participant.documents.rows import DayRow
from participant.documents.statements import DeletionReceipt, StudyWithdrawal, read_statement, write_statement
from participant.membership.folder import ParticipantFolder, studies_folder
from participant.membership.leaving import KEY_WAIT_NS, leave, tidy
from participant.membership.lock import BusyError, study_lock
from participant.membership.status import Membership, all_statuses, enrolment_in_force, joined_folders, membership_of
from participant.work import work
from storage.enrolment import Enrolment
from storage.errors import UsageError
from storage.files import state_file
from storage.state.store import Consent, StateStore, revoke_consent
from study.researcher.documents import read_leaver
from tests.fakes.sessions.killed import full_disk_at, killed_at
from tests.fakes.studies.documents import JOIN, PARTICIPANT, RECEIPTS
from tests.fakes.studies.participants import JOINED_NS, STUDY, join_study, noting, pack_rows, sign_for_leaving, try_all

MARKER = "marker_of_a_row"


def standing() -> list[Membership]:
    enrolment = enrolment_in_force()
    return [membership_of(folder, enrolment, JOINED_NS).standing for folder in joined_folders()]


def joined_and_sent() -> tuple[ParticipantFolder, Enrolment]:
    """Join, send parcel 0, and pack one that waits, with a marker in its rows."""
    folder, enrolment = join_study()
    with StateStore(state_file()) as state:
        state.save_sampling_state(STUDY, {"date": 1}, JOINED_NS)
    assert len(try_all(folder)) == 1
    pack_rows(folder, [DayRow(day=1, minutes=1, gates={MARKER: 1}, problems={}, left_out=0, version="0.1.0")])
    return folder, enrolment


def bytes_in(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file())


def test_where_nothing_was_sent_nothing_is_left() -> None:
    folder, _ = join_study()
    pack_rows(folder)
    left = leave(None, keep=False)
    assert (left.parcels, left.told) == (0, True)
    assert not folder.path.exists()
    assert enrolment_in_force() is None
    join_study()


@pytest.mark.parametrize("keep", [False, True])
def test_who_leaves_tells_it_signed_and_keeps_no_secret(keep: bool) -> None:  # a case
    folder, _ = joined_and_sent()
    key, seed_of = read_signing_key(folder.key), bytes_in(folder.path)
    assert MARKER.encode() in seed_of
    assert key.expose() in seed_of or b"kairos private key" in seed_of
    left = leave(STUDY, keep=keep)
    assert (left.parcels, left.told) == (1, True)
    assert enrolment_in_force() is None
    with StateStore(state_file()) as state:
        assert state.sampling_state(STUDY) == ({}, 0)
    rest = bytes_in(folder.path)
    assert MARKER.encode() not in rest
    assert b"kairos private key" not in rest
    assert not folder.invitation.exists()
    with Outbox(folder.outbox) as outbox:
        raw, answered = outbox.statement(WITHDRAWAL) or (b"", True)
        (sent,) = outbox.parcels()  # what was sent stays listed, sealed
        assert outbox.due(JOINED_NS + 10**15) == []
    assert not answered
    about = {"study": STUDY, "participant": PARTICIPANT}
    withdrawal = read_statement(raw, StudyWithdrawal, **about, key=key.public)
    assert (withdrawal.keep, withdrawal.parcels, withdrawal.last) == (keep, 1, digest_of(sent.raw))
    assert read_leaver(raw, study=STUDY, participant=PARTICIPANT, join_key=JOIN.public) == (withdrawal, key.public)
    assert standing() == [Membership.LEAVING]


def test_leaving_twice_is_said_plainly() -> None:
    joined_and_sent()
    leave(None, keep=False)
    assert leave(STUDY, keep=True).told
    sign_for_leaving(joined_folders()[0])
    with pytest.raises(UsageError, match="you take part in no study"):
        leave(None, keep=False)
    with pytest.raises(UsageError, match="no study 'other'"):
        leave("other", keep=False)


def test_once_it_is_signed_for_the_password_goes_too() -> None:
    """The daemon then has nothing more to start for it."""
    folder, _ = joined_and_sent()
    password = b"w" * 16
    leave(None, keep=False)
    assert password.hex().encode() in bytes_in(folder.path)
    sign_for_leaving(folder)
    tidy(folder)
    assert password.hex().encode() not in bytes_in(folder.path)
    assert standing() == [Membership.LEFT]


@pytest.mark.parametrize(
    ("keep", "destroyed", "waits"), [(False, False, True), (False, True, False), (True, False, False)]
)
def test_the_password_waits_for_the_receipt_of_the_key(keep: bool, destroyed: bool, waits: bool) -> None:  # cases
    folder, _ = joined_and_sent()
    leave(None, keep=keep)
    withdrawal, key = digest_of(sign_for_leaving(folder)), bytes(32) if destroyed else None
    about: dict[str, Any] = {"study": STUDY, "participant": PARTICIPANT}
    receipt = DeletionReceipt(**about, withdrawal=withdrawal, ranges=(), last=bytes(32), destroyed_key=key, exports=())
    with Outbox(folder.outbox) as outbox:
        outbox.save_statement(DELETION, write_statement(receipt, RECEIPTS), answered=True)
    for after_ns, there in ((0, waits), (KEY_WAIT_NS - 1, waits), (KEY_WAIT_NS, False)):
        tidy(folder, JOINED_NS + after_ns)
        with Outbox(folder.outbox) as outbox:
            assert (outbox.fact(ADDRESS) is not None) is there
    assert standing() == [Membership.LEFT]


def _spoil_enrolment(folder: ParticipantFolder) -> None:
    del folder
    with StateStore(state_file()) as state:
        state._database.execute("UPDATE facts SET body = '{' WHERE name = 'enrolment'")


def _take_away(*names: str, spoil: str | None = None) -> Callable[[ParticipantFolder], None]:
    def damage(folder: ParticipantFolder) -> None:
        for name in names:
            (folder.path / name).unlink()
        if spoil is not None:
            (folder.path / spoil).write_bytes(b"spoilt" * 2000)

    return damage


DAMAGES: dict[str, tuple[Callable[[ParticipantFolder], None], bool]] = {
    "outbox": (_take_away(spoil="outbox.db"), True),
    "no outbox": (_take_away("outbox.db"), True),
    "invitation": (_take_away(spoil="invitation"), True),
    "no invitation": (_take_away("invitation"), True),
    "consent": (_take_away(spoil="consent.json"), True),
    "bundle": (_take_away("bundle"), True),
    "enrolment": (_spoil_enrolment, True),
    "key": (_take_away(spoil="participant.key"), False),
    "no key": (_take_away("participant.key"), False),
    "key and outbox": (_take_away("participant.key", spoil="outbox.db"), False),
    "outbox and invitation": (_take_away("invitation", spoil="outbox.db"), False),
}


@pytest.mark.parametrize("what", DAMAGES)
def test_a_damaged_study_can_be_left(what: str) -> None:
    damage, told = DAMAGES[what]
    folder, _ = joined_and_sent()
    key = read_signing_key(folder.key)
    damage(folder)
    left = leave(None, keep=False)
    assert left.told == told
    assert enrolment_in_force() is None
    assert not folder.key.exists()
    assert not folder.invitation.exists()
    assert MARKER.encode() not in bytes_in(folder.path)
    with Outbox(folder.outbox) as outbox:
        assert outbox.due(JOINED_NS + 10**15) == []
        raw, answered = outbox.statement(WITHDRAWAL) or (b"", False)
    assert answered != told
    if told:
        read_statement(raw, StudyWithdrawal, study=STUDY, participant=PARTICIPANT, key=key.public)
        read_leaver(raw, study=STUDY, participant=PARTICIPANT, join_key=JOIN.public)
    else:
        assert (left.participant, left.contact) == (PARTICIPANT, "Ada Example <ada@example.org>")
    assert [status.told for status in all_statuses(JOINED_NS)] == [told]


def test_a_study_whose_folder_is_gone_can_be_left() -> None:
    """It is out of force, and that nobody could be told is said."""
    folder, _ = joined_and_sent()
    folder.path.rename(folder.path.with_name(".elsewhere"))
    assert [status.standing for status in all_statuses(JOINED_NS)] == [Membership.DAMAGED]
    assert not leave(None, keep=False).told
    assert enrolment_in_force() is None


def test_taking_back_the_consent_to_kairos_ends_the_study(tmp_path: Path) -> None:
    """Nothing is packed or sent from then on but the withdrawal, as if they had left; the control: before, it was."""
    folder, _ = joined_and_sent()
    key = read_signing_key(folder.key).public
    with StateStore(state_file()) as state:
        state.save_consent(Consent(journal=True, recording=False, given_at_wall_ns=JOINED_NS))
    log = tmp_path / "log"
    later = JOINED_NS + 10**13
    assert work(later, pack=_noting(log), sender=noting(log)).sent == [STUDY]
    before = log.read_text()
    sent = f"{folder.outbox}\n"
    assert before == f"packed\n{sent}"
    revoke_consent(state_file(), JOINED_NS)
    assert standing() == [Membership.OUT_OF_FORCE]
    done = work(later, pack=_noting(log), sender=noting(log))
    assert (done.left, done.packed, done.sent, done.faults) == ([STUDY], [], [STUDY], [])
    assert log.read_text() == before + sent
    assert standing() == [Membership.LEAVING]
    assert not folder.key.exists()
    with Outbox(folder.outbox) as outbox:
        assert outbox.due(later) == []  # the withdrawal alone
        raw, answered = outbox.statement(WITHDRAWAL) or (b"", True)
    withdrawal = read_statement(raw, StudyWithdrawal, study=STUDY, participant=PARTICIPANT, key=key)
    assert (withdrawal.keep, answered) == (False, False)
    assert work(later, pack=_noting(log), sender=noting(log)).left == []


def test_a_lost_state_is_no_wish_to_leave(tmp_path: Path) -> None:
    """Where nothing says that the consent was taken back, nothing is sent and nobody's data is deleted."""
    folder, _ = joined_and_sent()
    with StateStore(state_file()) as state:
        state.save_enrolment(None)
    log = tmp_path / "log"
    done = work(JOINED_NS + 10**13, pack=_noting(log), sender=noting(log))
    assert (done.left, done.sent, log.exists(), folder.key.exists()) == ([], [], False, True)
    assert standing() == [Membership.OUT_OF_FORCE]


def test_of_a_study_of_which_nothing_was_sent_nothing_stays_either(tmp_path: Path) -> None:
    """After the consent was taken back its folder goes, and nobody needs to be told."""
    folder, _ = join_study()
    revoke_consent(state_file(), JOINED_NS)
    done = work(JOINED_NS, pack=_noting(tmp_path / "log"), sender=noting(tmp_path / "log"))
    assert (done.left, done.sent, folder.path.exists(), done.faults) == ([STUDY], [], False, [])


def _noting(log: Path) -> Callable[[ParticipantFolder, int], None]:
    def pack(folder: ParticipantFolder, now_wall_ns: int) -> None:
        log.write_text(f"{log.read_text() if log.exists() else ''}packed\n")

    return pack


def test_a_sender_that_runs_is_ended_by_leaving(tmp_path: Path) -> None:
    """It waits for a network for a minute, and what it has taken up must not go out after leaving."""
    folder, _ = join_study()
    begun, ended = tmp_path / "begun", tmp_path / "ended"
    sender = f"import time; open({str(begun)!r}, 'w').close(); time.sleep(60); open({str(ended)!r}, 'w').close()"
    program = (
        "import sys; from participant.work import work;"
        f"work({JOINED_NS}, pack=lambda folder, now: None, sender=(sys.executable, '-c', {sender!r}))"
    )
    with subprocess.Popen([sys.executable, "-c", program], stderr=subprocess.PIPE) as worker:
        while not begun.exists():
            assert worker.poll() is None, worker.stderr and worker.stderr.read()
        leave(None, keep=False)
        assert worker.wait(10) == 0
    assert not ended.exists()
    assert not folder.path.exists()


STEPS = (
    "participant.membership.leaving._take_out_of_force",
    "participant.membership.leaving.was_sent",
    "participant.delivery.outbox.Outbox.withdraw",
    "participant.membership.leaving.tidy",
    "participant.membership.leaving.destroy_file",
)


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("step", STEPS)
def test_a_leave_that_is_killed_sends_no_parcel_and_can_be_finished(step: str, when: str, tmp_path: Path) -> None:
    folder, _ = joined_and_sent()
    assert killed_at(step, when, lambda: leave(None, keep=False))
    first = step == STEPS[0] and when == "before"
    assert (enrolment_in_force() is None) != first
    log = tmp_path / "log"
    if not first:
        work(JOINED_NS + 10**15, pack=_noting(log), sender=noting(log))
        with Outbox(folder.outbox) as outbox:
            withdrawn = outbox.statement(WITHDRAWAL) is not None
        assert (log.read_text().split() if log.exists() else []) == ([str(folder.outbox)] if withdrawn else [])
    assert leave(None, keep=False).told
    assert standing() == [Membership.LEAVING]
    assert not folder.key.exists()
    assert not folder.invitation.exists()


def test_a_full_disk_keeps_nobody_in_a_study() -> None:
    """Where the withdrawal cannot be stored the study is out of force all the same, and leaving again works."""
    joined_and_sent()
    with full_disk_at("participant.delivery.outbox.Outbox.withdraw"):
        leave(None, keep=False)
    assert enrolment_in_force() is None
    assert standing() == [Membership.OUT_OF_FORCE]
    assert leave(None, keep=False).told
    assert sorted(path.name for path in studies_folder().iterdir()) == ["lock", STUDY]


def test_offers_and_questions_end_before_anything_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """The daemon is told once the study is out of force, and before the lock, which somebody else may hold."""
    joined_and_sent()
    told: list[bool] = []
    monkeypatch.setattr("participant.membership.leaving.tell_daemon", lambda: told.append(enrolment_in_force() is None))
    monkeypatch.setattr("participant.membership.leaving.study_lock", lambda: study_lock(wait_s=0.1))
    with study_lock(), pytest.raises(BusyError):
        leave(None, keep=False)
    assert told == [True]
    monkeypatch.setattr("participant.membership.leaving.study_lock", study_lock)
    assert leave(None, keep=False).told
