"""A small honest study with fixed keys, and one person who takes part in it."""

import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import msgspec

from participant.documents.bundle import Bundle, read_bundle
from participant.documents.invitation import Invitation
from participant.documents.keys import READING_KIND, SIGNING_KIND, ReaderKey, SigningKey, format_public
from participant.documents.names import FIRST, digest_of
from participant.documents.parcel import Header, write_parcel
from participant.documents.plan import Sent
from participant.documents.rows import (
    AnswerRow,
    Category,
    ConsentRow,
    DayRow,
    LabelRow,
    Outcomes,
    PointRow,
    Row,
    TaskRow,
)
from storage.records import NeedLabel, State
from study.researcher.documents import Sender, write_bundle, write_invitation

SIGNING = SigningKey(b"s" * 32)
RECEIPTS = SigningKey(b"r" * 32)
RESEARCHER = ReaderKey(b"R" * 32)
COLLEAGUE = ReaderKey(b"C" * 32)
STRANGER = SigningKey(b"x" * 32)

PARTICIPANT = "abcdefghij234567"
JOIN = SigningKey(b"j" * 32)
PERSON = SigningKey(b"p" * 32)
PERSON_READER = ReaderKey(b"P" * 32)

_KEYS = {
    "SIGNING": format_public(SIGNING_KIND, SIGNING.public),
    "RECEIPTS": format_public(SIGNING_KIND, RECEIPTS.public),
    "RESEARCHER": format_public(READING_KIND, RESEARCHER.public),
    "COLLEAGUE": format_public(READING_KIND, COLLEAGUE.public),
}
PLAN = re.sub("|".join(_KEYS), lambda name: _KEYS[name[0]], Path(__file__).with_name("study.toml").read_text())
"""The plan of the study; in the file each key is named where it goes."""

CONSENT = "# Help in spreadsheets\n\nWhat is sent, and how to leave.\n"


@cache
def bundle_bytes() -> bytes:
    return write_bundle(PLAN, {"en": CONSENT}, SIGNING)


@cache
def bundle() -> Bundle:
    return read_bundle(bundle_bytes())


@cache
def invitation(*, arm: int = 0) -> Invitation:
    return Invitation(
        study="sheets",
        participant=PARTICIPANT,
        password=b"w" * 16,
        join_key=JOIN.expose(),
        readers=(PERSON_READER.public,),
        arm=arm,
        bundle=bundle_bytes(),
    )


@cache
def invitation_bytes() -> bytes:
    return write_invitation(invitation(), SIGNING)


def point(minute: int = 600) -> PointRow:
    return PointRow(
        day=9,
        minute=minute,
        phase="trial",
        arm="help",
        gate=None,
        propensity=0.5,
        assignment_number=17,
        action="withheld",
        response=None,
        category=Category.SHEETS,
        need=0.75,
        states={State.FRUSTRATION: 0.75, State.DEBUGGING: 0.25},
        evidence=("undo_bursts", "dead_clicks"),
        wait_s=2.5,
        outcomes=Outcomes(watched_s=300, need=0.25, recovered=True, active_s=120, undos=3),
    )


def consent(seed: int = 2**63 - 1, key: SigningKey = PERSON) -> ConsentRow:
    return ConsentRow(
        day=0,
        study_version=1,
        bundle=bytes(32),
        language="en",
        text=bytes(32),
        sends=(Sent.AGGREGATES, Sent.QUESTIONS),
        seed=seed,
        key=key.public,
        version="0.1.0",
    )


def answer() -> AnswerRow:
    return AnswerRow(
        day=9,
        minute=605,
        phase="trial",
        arm="help",
        moment="no_offer",
        probability=0.25,
        step="answered",
        reason=None,
        delay_s=1.5,
        choices={"stuck": 2, "bad_moment": 0},
    )


def rows() -> tuple[Row, ...]:
    return (
        consent(),
        point(),
        answer(),
        TaskRow(day=9, minute=601, phase="trial", arm="help", task="sort", seconds=240, end="done", skill=2),
        LabelRow(
            label="00000000000000aa",
            day=9,
            minute=602,
            phase="trial",
            arm="help",
            task="sort",
            seconds=40,
            states=(State.FRUSTRATION,),
            need=NeedLabel.YES,
        ),
        DayRow(day=9, minutes=480, gates={"budget": 3}, problems={}, left_out=1, version="0.1.0"),
    )


def header(n: int = 0, previous: bytes = FIRST) -> Header:
    return Header(
        study="sheets",
        participant=PARTICIPANT,
        n=n,
        previous=previous,
        joining=invitation().join(PERSON) if n == 0 else None,
    )


def parcels(count: int) -> list[bytes]:
    return chain_of(*([point(n)] for n in range(count)))


def chain_of(*batches: Sequence[Row]) -> list[bytes]:
    made: list[bytes] = []
    for n, batch in enumerate(batches):
        previous = digest_of(made[-1]) if made else FIRST
        made.append(write_parcel(batch, header(n, previous), PERSON, [PERSON_READER.public]))
    return made


def sender(*, joined: bool = False) -> Sender:
    known = Sender(study="sheets", participant=PARTICIPANT, join_key=JOIN.public)
    return msgspec.structs.replace(known, key=PERSON.public) if joined else known
