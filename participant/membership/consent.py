"""What a person agreed to in a study, `consent.json`: every answer, the newest last, with digests.

Printable, and without a secret in it. The same stands in the consent row that was sent with each answer.
"""

from pathlib import Path
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from participant.delivery.writer import Writer
from participant.documents.bundle import Bundle, Language
from participant.documents.invitation import MAX_INVITATION_BYTES, read_invitation
from participant.documents.keys import key_words, read_signing_key
from participant.documents.names import Name, ParticipantId
from participant.documents.plan import Sent
from participant.documents.rows import AnswerRow, ConsentRow, DayRow, LabelRow, PointRow, Row, TaskRow
from participant.membership.folder import ParticipantFolder
from storage.errors import BadFile
from storage.files import open_regular
from storage.study_text import CHOICES

MAX_CONSENT_BYTES = 64 << 10

_TODAY = {Sent(choice.code): choice.sha256 for choice in CHOICES}
_BEFORE_WORDS = (Sent.AGGREGATES, Sent.CATEGORIES, Sent.QUESTIONS)

_Hex = Annotated[str, Meta(pattern=r"^[0-9a-f]{64}\Z")]


class Agreement(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One answer: when, to which version of study and text (SHA-256), and the switches that were on.

    `words` holds the digests of what these switches said. Answers from before they were kept have none.
    """

    at_wall_ns: Annotated[int, Meta(ge=0)]
    study_version: Annotated[int, Meta(ge=1, le=9_999)]
    bundle_sha256: _Hex
    language: Language
    text_sha256: _Hex
    sends: Annotated[tuple[Sent, ...], Meta(min_length=1, max_length=len(Sent))]
    words: dict[Sent, _Hex] = {}

    @property
    def in_force(self) -> frozenset[Sent]:
        """The switches that say today what they said when they were turned on: a yes to other words is none."""
        agreed = self.words or {sent: _TODAY[sent] for sent in self.sends if sent in _BEFORE_WORDS}
        return frozenset(sent for sent in self.sends if agreed.get(sent) == _TODAY[sent])


class ConsentFile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The file. `words` are the eight of the study's key, `key` the public key that signs this person's parcels."""

    format: Literal[1] = 1
    study: Name
    participant: ParticipantId
    title: str
    contact: str
    ethics: str
    words: str
    key: str
    answers: Annotated[tuple[Agreement, ...], Meta(min_length=1)]

    @property
    def current(self) -> Agreement:
        """The newest answer."""
        return self.answers[-1]


def agreement(bundle: Bundle, switches: tuple[Sent, ...], language: str, now_wall_ns: int) -> Agreement:
    """Return an answer to a bundle whose consent text was shown in a language."""
    return Agreement(
        at_wall_ns=now_wall_ns,
        study_version=bundle.plan.version,
        bundle_sha256=bundle.digest.hex(),
        language=language,
        text_sha256=bundle.consent[language].sha256.hex(),
        sends=switches,
        words={sent: _TODAY[sent] for sent in switches},
    )


def consent_file(bundle: Bundle, participant: str, key: str, answers: tuple[Agreement, ...]) -> ConsentFile:
    """Return the file of somebody with these answers, the last one to this version; `key` is their public key."""
    plan = bundle.plan
    return ConsentFile(
        study=plan.name,
        participant=participant,
        title=plan.title,
        contact=plan.contact,
        ethics=plan.ethics,
        words=" ".join(key_words(plan.signing_key)),
        key=key,
        answers=answers,
    )


def answered_again(before: ConsentFile, bundle: Bundle, answer: Agreement) -> ConsentFile:
    """Return the file with an answer to a newer version."""
    return consent_file(bundle, before.participant, before.key, (*before.answers, answer))


def consent_row(answer: Agreement, *, day: int, seed: int, key: bytes, version: str) -> ConsentRow:
    """Return the row that tells the researchers what was agreed to."""
    return ConsentRow(
        day=day,
        study_version=answer.study_version,
        bundle=bytes.fromhex(answer.bundle_sha256),
        language=answer.language,
        text=bytes.fromhex(answer.text_sha256),
        sends=answer.sends,
        seed=seed,
        key=key,
        version=version,
    )


def permitted_row(row: Row, sends: tuple[Sent, ...]) -> Row | None:
    """Return as much of a row as the switches permit; None if nothing.

    Points and days are aggregates, answers belong to the questions, words in labels to the narration; what was agreed
    to is told in any case.
    """
    match row:
        case PointRow():
            if Sent.AGGREGATES not in sends:
                return None
            return row if Sent.CATEGORIES in sends else msgspec.structs.replace(row, category=None)
        case DayRow():
            return row if Sent.AGGREGATES in sends else None
        case AnswerRow():
            return row if Sent.QUESTIONS in sends else None
        case TaskRow():
            return row if Sent.TASKS in sends else None
        case LabelRow():
            if Sent.LABELS not in sends:
                return None
            return row if Sent.NARRATION in sends else row.without_words()
    return row


def encode_consent(consent: ConsentFile) -> bytes:
    """Return the bytes of the file, indented for people."""
    return msgspec.json.format(msgspec.json.encode(consent)) + b"\n"


def read_consent_file(path: Path) -> ConsentFile:
    """Return what was agreed to.

    Raises:
        BadFile: there is no such file, or it is damaged.
    """
    with open_regular(path) as file:
        raw = file.read(MAX_CONSENT_BYTES + 1)
    try:
        return msgspec.json.decode(raw, type=ConsentFile)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        raise BadFile(f"{path} is damaged", remedy="leave the study: kairos study leave") from None


def open_writer(folder: ParticipantFolder) -> Writer:
    """Return what it takes to write parcels of a joined study."""
    with open_regular(folder.invitation) as file:
        invited = read_invitation(file.read(MAX_INVITATION_BYTES + 1))
    return Writer(invited=invited, key=read_signing_key(folder.key))
