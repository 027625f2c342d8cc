"""A new version of the study: nothing is sent until it is answered, and then what is agreed to."""

from pathlib import Path

import pytest

from participant.delivery.answers import take_bundle
from participant.delivery.outbox import Outbox, ParcelState
from participant.delivery.review import Mode, set_mode
from participant.documents.bundle import read_bundle
from participant.documents.rows import AnswerRow, ConsentRow, DayRow, PointRow
from participant.membership.consent import read_consent_file
from participant.membership.folder import ParticipantFolder
from participant.membership.joining import answer_again, pending_bundle
from participant.membership.leaving import leave
from participant.membership.status import all_statuses, enrolment_in_force
from participant.work import work
from storage.clock import DAY_NS
from storage.errors import UsageError
from study.researcher.documents import write_bundle
from tests.fakes.narrowing import present
from tests.fakes.sessions.killed import full_disk_at, killed_at
from tests.fakes.studies.documents import CONSENT, PLAN, SIGNING, bundle_bytes, rows
from tests.fakes.studies.participants import (
    ALL,
    JOINED_NS,
    join_study,
    newer_version,
    no_packing,
    noting,
    opened,
    pack_rows,
    receive_all,
    try_all,
)

LATER_NS = JOINED_NS + 10 * DAY_NS
SHORTER = PLAN.replace("days = 21", "days = 14").replace("days = 28", "days = 21")


def announce(folder: ParticipantFolder) -> None:
    with Outbox(folder.outbox) as outbox:
        assert take_bundle(newer_version(SHORTER, CONSENT + "\nIt is shorter now.\n"), outbox) is not None


def test_a_new_version_stops_sending_until_it_is_answered(tmp_path: Path) -> None:
    """Neither what the sender takes nor its start; the control: before, and after the answer, it is sent."""
    folder, _ = join_study()
    pack_rows(folder, state=ParcelState.READY)
    log = tmp_path / "log"
    assert work(LATER_NS, pack=no_packing, sender=noting(log)).sent == ["sheets"]
    with Outbox(folder.outbox) as outbox:
        assert len(outbox.due(LATER_NS)) == 2
    announce(folder)
    assert work(LATER_NS, pack=no_packing, sender=noting(log)).sent == []
    assert len(log.read_text().splitlines()) == 1
    with Outbox(folder.outbox) as outbox:
        assert (outbox.due(LATER_NS), outbox.next_due_wall_ns()) == ([], None)
    assert [status.asks_again for status in all_statuses(LATER_NS)] == [True]
    answer_again(pending_bundle(), ALL, "en", LATER_NS)
    assert [status.asks_again for status in all_statuses(LATER_NS)] == [False]
    with Outbox(folder.outbox) as outbox:
        outbox.release(10)
        assert len(outbox.due(LATER_NS)) == 3
    with pytest.raises(UsageError, match="no new version"):
        pending_bundle()


def test_the_answer_changes_the_study_and_neither_its_seed_nor_its_days() -> None:
    folder, before = join_study()
    announce(folder)
    answer_again(pending_bundle(), ("aggregates",), "en", LATER_NS)
    after = present(enrolment_in_force())
    assert (after.seed, after.first_day, after.participant) == (before.seed, before.first_day, before.participant)
    assert (before.days, after.days) == (28, 21)
    assert (before.questions is None, after.questions is None) == (False, True)
    assert read_bundle(folder.bundle.read_bytes()).plan.version == 2
    consent = read_consent_file(folder.consent)
    assert [(answer.study_version, len(answer.sends)) for answer in consent.answers] == [(1, 3), (2, 1)]
    assert consent.answers[0].text_sha256 != consent.answers[1].text_sha256
    *_, last = opened(folder)
    (row,) = last
    assert isinstance(row, ConsentRow)
    assert (row.study_version, row.day, row.text.hex()) == (2, 9, consent.current.text_sha256)


def test_what_is_no_longer_agreed_to_is_taken_out_of_what_was_not_sent() -> None:
    folder, _ = join_study()
    pack_rows(folder, rows(), state=ParcelState.READY)
    sent = try_all(folder)
    receive_all(folder)
    pack_rows(folder, rows()[1:], now_wall_ns=LATER_NS)
    pack_rows(folder, rows()[1:], state=ParcelState.READY, now_wall_ns=LATER_NS)
    announce(folder)
    answer_again(pending_bundle(), ("aggregates",), "en", LATER_NS)
    with Outbox(folder.outbox) as outbox:
        parcels = outbox.parcels()
    assert [parcel.raw for parcel in parcels[:2]] == sent
    assert [parcel.state for parcel in parcels] == ["received", "received", "held", "held", "held"]
    _, whole, *narrowed, _ = opened(folder)
    assert any(isinstance(row, AnswerRow) for row in whole)
    for found in narrowed:
        assert [type(row).__name__ for row in found] == ["PointRow", "DayRow"]
        assert all(row.category is None for row in found if isinstance(row, PointRow))
        assert any(isinstance(row, DayRow) for row in found)


@pytest.mark.parametrize(("mode", "due"), [(Mode.HOLD, 0), (None, 1)])
def test_on_hold_not_even_the_answer_leaves(mode: Mode | None, due: int) -> None:
    """It waits until it is let go; the control: otherwise it goes at once."""
    folder, _ = join_study()
    try_all(folder)
    receive_all(folder)
    if mode is not None:
        with Outbox(folder.outbox) as outbox:
            set_mode(outbox, mode)
    announce(folder)
    answer_again(pending_bundle(), ALL, "en", LATER_NS)
    assert len(try_all(folder, LATER_NS)) == due


def test_parcels_go_where_the_version_says_that_was_agreed_to() -> None:
    folder, _ = join_study()
    moved = SHORTER.replace("broker.example.org", "moved.example.org").replace("port = 8883", "port = 9883")
    with Outbox(folder.outbox) as outbox:
        before = outbox.address()
        assert take_bundle(newer_version(moved), outbox) == 2
        assert outbox.address() == before
    answer_again(pending_bundle(), ALL, "en", LATER_NS)
    with Outbox(folder.outbox) as outbox:
        after = outbox.address()
    assert (after.host, after.port) == ("moved.example.org", 9883)
    assert (after.password, after.participant, after.study) == (before.password, before.participant, before.study)


def test_who_does_not_answer_can_leave() -> None:
    """Nothing was sent, so nothing is left."""
    folder, _ = join_study(mode=Mode.HOLD)
    announce(folder)
    assert leave(None, keep=False).parcels == 0
    assert not folder.path.exists()


def test_only_the_version_that_was_shown_is_agreed_to() -> None:
    folder, _ = join_study()
    announce(folder)
    shown = pending_bundle()
    third = write_bundle(SHORTER.replace("version = 1", "version = 3", 1), {"en": CONSENT}, SIGNING)
    with Outbox(folder.outbox) as outbox:
        take_bundle(third, outbox)
    with pytest.raises(UsageError, match="still newer"):
        answer_again(shown, ALL, "en", LATER_NS)
    assert read_bundle(folder.bundle.read_bytes()).plan.version == 1


def test_without_a_switch_there_is_no_answer() -> None:
    folder, _ = join_study()
    announce(folder)
    with pytest.raises(UsageError, match="leave"):
        answer_again(pending_bundle(), (), "en", LATER_NS)


STEPS = (
    "participant.membership.joining._narrow",
    "storage.state.store.StateStore.save_enrolment",
    "participant.membership.joining.replace_private",
    "participant.membership.joining._add_row",
    "participant.delivery.outbox.Outbox.save_fact",
)


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("step", STEPS)
def test_an_answer_that_is_killed_counts_or_is_asked_again(step: str, when: str) -> None:
    """Until all of it is stored nothing is sent, and answering again works; the answer is told at least once."""
    folder, _ = join_study()
    announce(folder)
    assert killed_at(step, when, lambda: answer_again(pending_bundle(), ALL, "en", LATER_NS))
    counted = step == STEPS[-1] and when == "after"
    with Outbox(folder.outbox) as outbox:
        assert bool(outbox.due(LATER_NS)) == counted
    if not counted:
        answer_again(pending_bundle(), ALL, "en", LATER_NS)
    told = [row for found in opened(folder) for row in found if isinstance(row, ConsentRow) and row.study_version == 2]
    assert 1 <= len(told) <= 2
    assert present(enrolment_in_force()).days == 21


def test_a_full_disk_leaves_it_unanswered() -> None:
    folder, _ = join_study()
    announce(folder)
    with full_disk_at("participant.membership.joining.replace_private"):
        answer_again(pending_bundle(), ALL, "en", LATER_NS)
    with Outbox(folder.outbox) as outbox:
        assert outbox.due(LATER_NS) == []
    assert folder.bundle.read_bytes() == bundle_bytes()
