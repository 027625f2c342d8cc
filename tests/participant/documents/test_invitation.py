"""An invitation: whole and signed by its study, it lets one person join; changed or mixed it is refused."""

import random

import msgspec
import pytest

from participant.documents.invitation import read_invitation
from participant.documents.keys import SIGNING_KIND, BadSignatureError, format_public
from participant.documents.statements import Joining, read_statement
from storage.errors import BadFile
from study.researcher.documents import write_bundle, write_invitation
from tests.fakes.studies.documents import (
    CONSENT,
    JOIN,
    PARTICIPANT,
    PERSON,
    PERSON_READER,
    PLAN,
    SIGNING,
    STRANGER,
    invitation,
    invitation_bytes,
)


def test_an_invitation_holds_what_joining_takes() -> None:
    invited = read_invitation(invitation_bytes())
    assert invited.bundle.plan.title == "Help in spreadsheets"
    assert invited.arm == "help"
    assert read_invitation(write_invitation(invitation(arm=1), SIGNING)).arm == "control"
    assert invited.password == (b"w" * 16).hex()
    assert invited.invitation.readers == (PERSON_READER.public,)


def test_a_person_joins_with_a_key_of_their_own() -> None:
    """The joining binds it to the invitation; without the invitation nobody can make one."""
    raw = invitation().join(PERSON)
    joining = read_statement(raw, Joining, study="sheets", participant=PARTICIPANT, key=JOIN.public)
    assert joining.key == PERSON.public
    forged = msgspec.structs.replace(invitation(), join_key=STRANGER.expose()).join(STRANGER)
    with pytest.raises(BadSignatureError):
        read_statement(forged, Joining, study="sheets", participant=PARTICIPANT, key=JOIN.public)


def test_any_changed_byte_is_refused() -> None:
    raw = invitation_bytes()
    rng = random.Random(7)
    for at in (*range(100), *rng.sample(range(100, len(raw)), 100)):
        with pytest.raises(BadFile):
            read_invitation(bytes([*raw[:at], raw[at] ^ 1 << rng.randrange(8), *raw[at + 1 :]]))


def test_an_invitation_belongs_to_the_study_in_it() -> None:
    """Another study's bundle, an arm that it does not have, or somebody else's signature is refused."""
    slides = write_bundle(PLAN.replace('"sheets"', '"slides"'), {"en": CONSENT}, SIGNING)
    changes: tuple[dict[str, object], ...] = ({"bundle": slides}, {"arm": 2}, {"bundle": b""}, {"participant": "a/#"})
    for change in changes:
        with pytest.raises(BadFile):
            read_invitation(write_invitation(msgspec.structs.replace(invitation(), **change), SIGNING))
    with pytest.raises(BadSignatureError):
        read_invitation(write_invitation(invitation(), STRANGER))


def test_a_forged_study_in_an_invitation_has_other_words() -> None:
    """Whoever forges both signs with a key of their own, which is all that a person can see and compare."""
    ours, theirs = (format_public(SIGNING_KIND, key.public) for key in (SIGNING, STRANGER))
    bundle = write_bundle(PLAN.replace(ours, theirs), {"en": CONSENT}, STRANGER)
    forged = read_invitation(write_invitation(msgspec.structs.replace(invitation(), bundle=bundle), STRANGER))
    assert forged.bundle.plan.signing_key == STRANGER.public != SIGNING.public


def test_an_invitation_shows_no_secret() -> None:
    assert repr(invitation()) == f"<invitation of {PARTICIPANT}>"
    assert "wwww" not in repr(read_invitation(invitation_bytes()))
    assert b"control" not in invitation_bytes().replace(PLAN.encode(), b"")
