"""From joining to a signed deletion, with the real sender, a real broker and a collector."""

import datetime as dt
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from participant.delivery.outbox import ADDRESS, DELETION, Outbox, ParcelState
from participant.delivery.review import Mode, release_shown, set_mode
from participant.documents.signed import DocumentKind, read_claim
from participant.documents.statements import MAX_STATEMENT_BYTES, DeletionReceipt
from participant.membership.folder import ParticipantFolder, joined_folder
from participant.membership.joining import join
from participant.membership.leaving import leave
from participant.membership.status import all_statuses
from participant.work import work
from storage.clock import DAY_NS, SystemClock
from storage.enrolment import EPOCH
from study.opening.deletion import close_study, purge
from tests.fakes.studies.delivery.people import Person
from tests.fakes.studies.delivery.stage import Stage, running, whole_chain
from tests.fakes.studies.documents import point
from tests.fakes.studies.participants import ALL, no_packing, pack_rows

_QUICKLY = """
import sys
from participant.delivery import sender
sender.NOTICE_S = 0.5
sys.exit(sender.main())
"""
QUICK = (sys.executable, "-P", "-c", _QUICKLY)
"""The sender; where nothing is to be sent it listens half a second to a broker on this machine, and not two."""


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    with running(Stage(tmp_path_factory.mktemp("stage"), people=6)) as stage:
        yield stage


def work_now() -> list[str]:
    return work(SystemClock().wall_ns(), pack=no_packing, sender=QUICK, everything=True).faults


def joined(person: Person, *, mode: Mode | None = None) -> ParticipantFolder:
    join(person.invited, ALL, "en", SystemClock().wall_ns(), mode=mode)
    return joined_folder(person.invited.invitation.study)


def test_bytes_shown_are_bytes_received_and_nothing_else_ever_is(stage: Stage) -> None:
    """Nothing before joining, on hold or after leaving; in between exactly what was shown."""
    person = stage.people[0]
    assert work_now() == []
    assert stage.collected(person) == []
    folder = joined(person, mode=Mode.HOLD)
    pack_rows(folder, [point(1)], [point(2)])
    assert work_now() == []
    assert stage.collected(person) == []  # on hold
    with Outbox(folder.outbox) as outbox:
        shown = outbox.parcels(ParcelState.HELD)
        release_shown(outbox, shown)
    assert work_now() == []
    assert [raw for _, raw in stage.collected(person)] == [parcel.raw for parcel in shown]
    assert whole_chain(stage.collected(person))
    (status,) = all_statuses(SystemClock().wall_ns())
    assert (status.received, status.ready, status.held) == (3, 0, 0)
    assert status.last_receipt_wall_ns is not None
    pack_rows(folder, [point(3)], state=ParcelState.READY)  # let go, and not yet sent
    assert leave(None, keep=False).parcels == 3
    assert work_now() == []
    assert stage.collected(person) == []  # deleted, and number 3 never came
    with Outbox(folder.outbox) as outbox:
        assert outbox.statement(DELETION) is not None
    (status,) = all_statuses(SystemClock().wall_ns())
    assert (status.deleted, str(status.standing)) == (True, "left")


def test_without_holding_it_would_have_been_received(stage: Stage) -> None:
    """The control: the same parcels, let go when they were packed, all arrive."""
    person = stage.people[1]
    folder = joined(person)
    pack_rows(folder, [point(1)], [point(2)], state=ParcelState.READY)
    with Outbox(folder.outbox) as outbox:
        set_mode(outbox, Mode.DAILY)
    assert work_now() == []
    assert [n for n, _ in stage.collected(person)] == [0, 1, 2]


@pytest.mark.slow
def test_who_leaves_without_a_network_is_told_of_the_deletion_later(stage: Stage) -> None:
    person = stage.people[2]
    folder = joined(person)
    assert work_now() == []
    stage.broker.kill()
    assert leave(None, keep=True).told
    assert work_now() == []  # no network is no fault
    assert str(all_statuses(SystemClock().wall_ns())[0].standing) == "leaving"
    stage.broker.start()
    tries = 0
    while str(all_statuses(SystemClock().wall_ns())[0].standing) != "left":
        assert (work_now(), tries < 20) == ([], True)
        tries += 1
    assert not folder.key.exists()
    assert len(stage.collected(person)) == 1  # kept


def test_the_receipt_of_a_key_that_was_destroyed_later_arrives(stage: Stage, tmp_path: Path) -> None:
    """The keys lie elsewhere, so the first receipt names none; after `purge` a later look finds the second one."""
    now_ns = SystemClock().wall_ns()
    keys = stage.study.path / "keys" / "participants"
    folder = joined(stage.people[3])
    assert work_now() == []
    keys.rename(tmp_path / "participants")
    try:
        leave(None, keep=False)
        assert work_now() == []
    finally:
        (tmp_path / "participants").rename(keys)

    def look_for_it(after_days: int) -> tuple[list[str], bool, bool]:
        """Do the work of a later day: what was sent from, whether the key is said to be destroyed, and the address."""
        done = work(now_ns + after_days * DAY_NS, pack=no_packing, sender=QUICK)
        assert done.faults == []
        with Outbox(folder.outbox) as outbox:
            raw, _ = outbox.statement(DELETION) or (b"", False)
            receipt = read_claim(raw, DocumentKind.DELETION, DeletionReceipt, limit=MAX_STATEMENT_BYTES).body
            return done.sent, receipt.destroyed_key is not None, outbox.fact(ADDRESS) is not None

    name = folder.study
    assert look_for_it(1) == ([name], False, True)
    assert look_for_it(1) == ([], False, True)  # once a day
    done, refused = purge(stage.study.path, [stage.data], wall_ns=now_ns)  # of those in other tests, too
    assert stage.people[3].id in {purged.participant for purged in done}
    assert refused == ()
    stage.kill_collector()
    stage.start_collector()
    assert look_for_it(2) == ([name], True, False)
    assert look_for_it(3) == ([], True, False)


def test_a_study_that_is_closed_ends_for_whoever_takes_part(stage: Stage) -> None:
    now_ns, person = SystemClock().wall_ns(), stage.people[4]
    folder = joined(person, mode=Mode.ASK)
    assert work_now() == []
    assert all_statuses(now_ns)[0].closed_on is None
    close_study(stage.study, wall_ns=now_ns)
    stage.kill_collector()
    stage.start_collector()  # a running one looks once a minute
    done = work(now_ns, pack=no_packing, sender=QUICK, everything=True)
    assert (done.ended, done.faults) == ([folder.study], [])
    pack_rows(folder, [point(1)], state=ParcelState.READY)
    later_ns = now_ns + 3 * DAY_NS
    (status,) = all_statuses(later_ns)
    today = f"{EPOCH + dt.timedelta(days=now_ns // DAY_NS):%Y-%m-%d}"
    assert (str(status.standing), status.closed_on) == ("over", today)
    assert work(later_ns, pack=no_packing, sender=QUICK, everything=True).faults == []
    assert [n for n, _ in stage.collected(person)] == [0, 1]


def test_the_control_without_its_end_the_study_goes_on(stage: Stage) -> None:
    joined(stage.people[5])
    (status,) = all_statuses(SystemClock().wall_ns() + 3 * DAY_NS)
    assert (str(status.standing), status.closed_on) == ("in force", None)
