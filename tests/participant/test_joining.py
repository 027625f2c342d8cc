"""Joining a study: whole or not at all, one at a time, and in force only with the last step."""

import datetime as dt
import stat
from pathlib import Path

import msgspec
import pytest

from participant.delivery.outbox import Outbox, ParcelState
from participant.delivery.review import Mode
from participant.documents.invitation import read_invitation
from participant.documents.keys import read_signing_key
from participant.documents.plan import Sent
from participant.documents.rows import ConsentRow
from participant.membership.consent import read_consent_file
from participant.membership.folder import joined_folder, studies_folder
from participant.membership.joining import join, open_invitation
from participant.membership.status import Membership, enrolment_in_force, joined_folders, membership_of
from participant.work import work
from storage.clock import DAY_NS
from storage.errors import BadFile, UsageError
from storage.files import state_file
from storage.state.store import Consent, StateStore, revoke_consent
from study.researcher.documents import open_parcel, read_parcel, write_bundle, write_invitation
from tests.fakes.sessions.killed import full_disk_at, killed_at
from tests.fakes.studies.documents import (
    CONSENT,
    PARTICIPANT,
    PERSON_READER,
    PLAN,
    SIGNING,
    invitation,
    invitation_bytes,
    sender,
)
from tests.fakes.studies.participants import ALL, no_packing, noting, receive_all, try_all
from tests.fakes.studies.participants import JOINED_NS as NOW


def test_who_joins_has_a_folder_a_parcel_and_a_study_in_force() -> None:
    enrolment = join(read_invitation(invitation_bytes()), ("aggregates", "questions"), "en", NOW)
    folder = joined_folder("sheets")
    assert {path.name: oct(stat.S_IMODE(path.stat().st_mode)) for path in folder.path.iterdir()} == dict.fromkeys(
        ("participant.key", "invitation", "bundle", "consent.json", "outbox.db"), "0o600"
    )
    assert stat.S_IMODE(folder.path.stat().st_mode) == 0o700
    assert enrolment_in_force() == enrolment
    assert (enrolment.study, enrolment.participant, enrolment.days) == ("sheets", PARTICIPANT, 28)
    assert enrolment.first_day == dt.date(2026, 5, 6)
    assert [dict(phase.settings) for phase in enrolment.phases] == [
        {"policy.name": "silent"},
        {"policy.name": "utility", "policy.exploration": 0.5, "policy.offers_per_hour": 3, "policy.offers_per_day": 10},
    ]
    assert enrolment.questions is not None
    assert (enrolment.questions.blocks, enrolment.questions.event_probability) == (4, 0.25)
    assert [item.code for item in enrolment.questions.items] == ["stuck", "bad_moment"]
    with Outbox(folder.outbox) as outbox:
        (parcel,) = outbox.parcels()
        assert outbox.address().password == (b"w" * 16).hex()
    assert parcel.state is ParcelState.READY
    opened, key = read_parcel(parcel.raw, sender())
    assert key == read_signing_key(folder.key).public
    (row,) = open_parcel(opened, PERSON_READER)
    assert isinstance(row, ConsentRow)
    assert (row.sends, row.seed, row.key) == ((Sent.AGGREGATES, Sent.QUESTIONS), enrolment.seed, key)
    consent = read_consent_file(folder.consent)
    assert consent.current.bundle_sha256 == row.bundle.hex()
    assert consent.current.text_sha256 == row.text.hex()


def test_the_arm_of_the_invitation_is_in_force() -> None:
    """Somebody in the control group gets its settings."""
    enrolment = join(read_invitation(write_invitation(invitation(arm=1), SIGNING)), ALL, "en", NOW)
    assert dict(enrolment.phases[1].settings) == {"policy.name": "silent"}


def test_nobody_is_asked_who_did_not_agree_to_questions() -> None:
    assert join(read_invitation(invitation_bytes()), ("aggregates",), "en", NOW).questions is None


@pytest.mark.parametrize("switches", [(), ("categories",), ("aggregates", "pictures")])
def test_who_agrees_to_nothing_or_to_what_is_not_asked_joins_nothing(switches: tuple[str, ...]) -> None:
    with pytest.raises(UsageError):
        join(read_invitation(invitation_bytes()), switches, "en", NOW)
    assert not studies_folder().exists()
    assert enrolment_in_force() is None


def test_a_damaged_invitation_is_named(tmp_path: Path) -> None:
    path = tmp_path / "mine"
    path.write_bytes(invitation_bytes()[:-1])
    with pytest.raises(BadFile, match="mine"):
        open_invitation(path)
    path.write_bytes(invitation_bytes())
    assert open_invitation(path).raw == invitation_bytes()


def test_one_study_at_a_time_and_each_once() -> None:
    """The same again, somebody else's invitation, another study, one that is over: each has its own words."""
    invited = read_invitation(invitation_bytes())
    join(invited, ALL, "en", NOW)
    before = enrolment_in_force()
    other = write_bundle(PLAN.replace('"sheets"', '"slides"'), {"en": CONSENT}, SIGNING)
    cases: list[tuple[dict[str, object], int, str]] = [
        ({}, NOW, "you take part in sheets already"),
        ({"participant": "zzzzzzzzzz234567"}, NOW, "with another invitation"),
        ({"bundle": other, "study": "slides"}, NOW, "one study at a time"),
        ({}, NOW + 40 * DAY_NS, "is over for you"),
        ({"bundle": other, "study": "slides"}, NOW + 40 * DAY_NS, "not everything of it has arrived"),
    ]
    for changes, now_wall_ns, words in cases:
        again = read_invitation(write_invitation(msgspec.structs.replace(invitation(), **changes), SIGNING))
        with pytest.raises(UsageError, match=words):
            join(again, ALL, "en", now_wall_ns)
    assert enrolment_in_force() == before
    assert [folder.study for folder in joined_folders()] == ["sheets"]


def test_after_a_study_that_is_over_and_received_another_can_be_joined() -> None:
    """The first stays listed; nobody joins it twice."""
    join(read_invitation(invitation_bytes()), ALL, "en", NOW)
    assert len(try_all(joined_folder("sheets"))) == 1
    receive_all(joined_folder("sheets"))
    other = write_bundle(PLAN.replace('"sheets"', '"slides"'), {"en": CONSENT}, SIGNING)
    slides = msgspec.structs.replace(invitation(), bundle=other, study="slides")
    join(read_invitation(write_invitation(slides, SIGNING)), ALL, "en", NOW + 40 * DAY_NS)
    found = [membership_of(folder, enrolment_in_force(), NOW + 40 * DAY_NS).standing for folder in joined_folders()]
    assert found == [Membership.ENDED, Membership.IN_FORCE]
    with StateStore(state_file()) as state:
        state.save_enrolment(None)
    with pytest.raises(UsageError, match="twice"):
        join(read_invitation(invitation_bytes()), ALL, "en", NOW + 41 * DAY_NS)


def test_without_the_consent_to_kairos_nothing_is_joined() -> None:
    with StateStore(state_file()) as state:
        state.save_consent(Consent(journal=True, recording=False, given_at_wall_ns=NOW))
    revoke_consent(state_file(), NOW)
    with pytest.raises(UsageError, match="took your consent back"):
        join(read_invitation(invitation_bytes()), ALL, "en", NOW)


def test_on_hold_what_was_agreed_to_stays_here_too() -> None:
    join(read_invitation(invitation_bytes()), ALL, "en", NOW, mode=Mode.HOLD)
    with Outbox(joined_folder("sheets").outbox) as outbox:
        assert outbox.due(NOW) == []


STEPS = (
    "participant.membership.joining.write_key",
    "participant.membership.joining.write_private",
    "participant.membership.joining.Outbox",
    "participant.membership.joining.start_review",
    "participant.delivery.writer.write_parcel",
    "participant.membership.joining.sync_folder",
    "storage.state.store.StateStore.save_enrolment",
)


@pytest.mark.parametrize("step", STEPS)
def test_a_join_that_fails_leaves_nothing(step: str) -> None:
    with full_disk_at(step):
        join(read_invitation(invitation_bytes()), ALL, "en", NOW)
    assert enrolment_in_force() is None
    assert [path.name for path in studies_folder().iterdir()] == ["lock"]
    join(read_invitation(invitation_bytes()), ALL, "en", NOW)


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("step", STEPS)
def test_a_join_that_is_killed_counts_or_leaves_nothing_that_sends(step: str, when: str, tmp_path: Path) -> None:
    invited = read_invitation(invitation_bytes())
    assert killed_at(step, when, lambda: join(invited, ALL, "en", NOW))
    joined = step == STEPS[-1] and when == "after"
    assert (enrolment_in_force() is not None) == joined
    sent = tmp_path / "sent"
    work(NOW, pack=no_packing, sender=noting(sent))
    assert sent.exists() == joined
    if joined:
        with pytest.raises(UsageError, match="already"):
            join(read_invitation(invitation_bytes()), ALL, "en", NOW)
        return
    join(read_invitation(invitation_bytes()), ALL, "en", NOW)
    assert sorted(path.name for path in studies_folder().iterdir()) == ["lock", "sheets"]
