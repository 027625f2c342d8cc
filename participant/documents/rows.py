"""The rows that travel from a participant to the researchers, and all that can be in them.

No pixels, titles, names of programs, keys or clock times: numbers in ranges, and codes. Free text is in labels alone,
by a switch of its own. A day counts from the first of the study, a minute from local midnight. Rows travel as msgpack;
reading is strict, because whoever sends may have changed their Kairos.
"""

from collections.abc import Sequence
from enum import StrEnum
from typing import Annotated, Literal, TypeAlias

import msgspec
from msgspec import Meta

from participant.documents.keys import PublicBytes
from participant.documents.names import Code, Digest, Name
from participant.documents.plan import MAX_DAYS, MAX_QUESTIONS, Sent, Share
from participant.documents.signed import decode, encode
from storage.errors import BadFile
from storage.records import MAX_WORDS, NeedLabel, State

MAX_ROWS_BYTES = 1_000_000
"""Bytes of the rows of one parcel, unpacked."""

MAX_ROWS = 10_000
MAX_SAID = 4_000
"""Characters of what was said aloud in one labelled stretch."""

OUTCOME_S = 300
"""Seconds after a decision point in which its outcomes lie."""

_INT64 = 2**63 - 1

Day = Annotated[int, Meta(ge=0, le=MAX_DAYS)]
"""A day of participation, from 1; 0 is the quiet time before."""

Minute = Annotated[int, Meta(ge=0, le=1439)]
Count = Annotated[int, Meta(ge=0, le=10_000_000)]
Counts = Annotated[dict[Code, Count], Meta(max_length=64)]
Response = Literal[
    "accepted", "dismissed", "ignored", "snoozed", "muted", "too_early", "too_late", "wrong", "withdrawn"
]
"""How an offer ended: what the person said (`storage.records.FeedbackKind`), or that it was taken back before."""

Version = Annotated[str, Meta(pattern=r"^[0-9][0-9a-z.+-]{0,31}\Z")]


class TooManyRowsError(ValueError):
    """The rows do not fit into one parcel; divide them."""


class Category(StrEnum):
    """What kind of program was in front. Programs themselves are never named."""

    WRITING = "writing"
    SHEETS = "sheets"
    SLIDES = "slides"
    GRAPHICS = "graphics"
    AUDIO_VIDEO = "audio_video"
    CODE = "code"
    TERMINAL = "terminal"
    BROWSER = "browser"
    MAIL_CHAT = "mail_chat"
    FILES = "files"
    OTHER = "other"


class _Row(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="row"):
    """The base of rows: whatever is not declared is refused."""


class Outcomes(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What came in the `OUTCOME_S` after a decision point, from estimates and input alone.

    Never from the policy's state, which an accepted offer resets. `watched_s` is how long Kairos watched; `need` the
    mean estimate of help need and `recovered` whether the last one was below one half, both None without an estimate;
    `active_s` seconds with input, `undos` undo keys.
    """

    watched_s: Annotated[int, Meta(ge=0, le=OUTCOME_S)]
    need: Share | None
    recovered: bool | None
    active_s: Annotated[int, Meta(ge=0, le=OUTCOME_S)]
    undos: Count


class PointRow(_Row, frozen=True, kw_only=True, tag="point"):
    """A decision point: where an offer could have been made, or was stopped by a gate.

    `gate` is None where the person was available. `propensity` is the probability with which `action` was taken, and
    `assignment_number` counts the person's assignments from 0 on, None where none was drawn: with the seed in the
    consent each can be drawn again. `category` is None unless categories are sent. `wait_s` is how long the offer
    waited for a break. `response` is how the offer ended; None where none was made, or where the session was cut off
    before it ended.
    """

    day: Day
    minute: Minute
    phase: Name
    arm: Name
    gate: Code | None
    propensity: Annotated[float, Meta(gt=0, le=1)]
    assignment_number: Count | None = None
    action: Literal["offer", "withheld", "none"]
    response: Response | None = None
    category: Category | None
    need: Share | None
    states: dict[State, Share]
    evidence: Annotated[tuple[Code, ...], Meta(max_length=32)]
    wait_s: Annotated[float, Meta(ge=0, le=3600)]
    outcomes: Outcomes


class AnswerRow(_Row, frozen=True, tag="answer"):
    """A question that was due, and what became of it; whatever became of it, there is a row.

    Day and minute are those at which it was due. `moment` is what made it due, with its `probability`. `delay_s` is how
    long it waited for a break, None where it was not asked. `reason` says why it was skipped, declined or taken back.
    `choices` are the numbers of the choices, by the codes of the questions.
    """

    day: Day
    minute: Minute
    phase: Name
    arm: Name
    moment: Literal["random", "offer", "no_offer"]
    probability: Share
    step: Literal["not_drawn", "skipped", "answered", "declined", "expired", "withdrawn"]
    reason: Code | None
    delay_s: Annotated[float, Meta(ge=0, le=3600)] | None
    choices: Annotated[dict[Code, Annotated[int, Meta(ge=0, le=4)]], Meta(max_length=MAX_QUESTIONS)]


class DayRow(_Row, frozen=True, tag="day"):
    """A day in figures: minutes watched, decisions by the gate that stopped them, problems, rows left out in review.

    A day on which the wall clock was changed may have several, and so may day 0; they add up.
    """

    day: Day
    minutes: Annotated[int, Meta(ge=0, le=1500)]  # a day of 25 hours has that many
    gates: Counts
    problems: Counts
    left_out: Count
    version: Version


class TaskRow(_Row, frozen=True, tag="task"):
    """A task that was begun: for how long, how it ended, and how well the person knows its program (1 to 5).

    `cut_off`: the session ended before it. `skill` is None where nobody was asked.
    """

    day: Day
    minute: Minute
    phase: Name
    arm: Name
    task: Code
    seconds: Annotated[int, Meta(ge=0, le=90_000)]
    end: Literal["done", "given_up", "cut_off"]
    skill: Annotated[int, Meta(ge=1, le=5)] | None


States = Annotated[tuple[State, ...], Meta(max_length=len(State))]


class LabelRow(_Row, frozen=True, tag="label"):
    """What a person says of a stretch of their work; the newest row of a `label` counts.

    `task` is the one under way then. `first_` is what they had said before `shown_` was shown to them; without states
    where nothing was. `wanted`, `would_help` and what was `said` aloud in that stretch are "" unless words are sent.
    `taken_back`: the label was deleted after it had been sent, and nothing else of the row counts.
    """

    label: Annotated[str, Meta(pattern=r"^[0-9a-f]{16}\Z")]
    day: Day
    minute: Minute
    phase: Name
    arm: Name
    task: Code | None = None
    seconds: Annotated[int, Meta(ge=0, le=90_000)] = 0
    states: States = ()
    need: NeedLabel | None = None
    blind: bool = True
    first_states: States = ()
    first_need: NeedLabel | None = None
    shown_states: States = ()
    shown_need: NeedLabel | None = None
    wanted: Annotated[str, Meta(max_length=MAX_WORDS)] = ""
    would_help: Annotated[str, Meta(max_length=MAX_WORDS)] = ""
    said: Annotated[str, Meta(max_length=MAX_SAID)] = ""
    taken_back: bool = False

    def without_words(self) -> "LabelRow":
        """Return it without free text."""
        return msgspec.structs.replace(self, wanted="", would_help="", said="")


class ConsentRow(_Row, frozen=True, tag="consent"):
    """What the person agreed to: the bundle by its digest, its consent text, and the switches they turned on.

    `seed` gives every lot, so that all can be recomputed; `key` is the public key that signs this person's parcels.
    """

    day: Day
    study_version: Annotated[int, Meta(ge=1, le=9_999)]
    bundle: Digest
    language: Annotated[str, Meta(pattern=r"^[a-z]{2}\Z")]
    text: Digest
    sends: Annotated[tuple[Sent, ...], Meta(max_length=len(Sent))]
    seed: Annotated[int, Meta(ge=0, le=_INT64)]
    key: PublicBytes
    version: Version


Row: TypeAlias = PointRow | AnswerRow | TaskRow | LabelRow | DayRow | ConsentRow


def encode_rows(rows: Sequence[Row]) -> bytes:
    """Return rows as bytes.

    Raises:
        TooManyRowsError: they are too many or too long for one parcel.
        ValueError: a row could not be read again: a number out of its range, say.
    """
    raw = encode(list(rows))
    if len(rows) > MAX_ROWS or len(raw) > MAX_ROWS_BYTES:
        raise TooManyRowsError("these rows are too many for one parcel")
    try:
        decode_rows(raw)
    except BadFile as error:
        raise ValueError(f"{error.what}; it was not packed") from None
    return raw


def decode_rows(raw: bytes) -> tuple[Row, ...]:
    """Return the rows.

    Raises:
        BadFile: they are too long or too many, or one is not of a kind above with exactly its fields.
    """
    if len(raw) > MAX_ROWS_BYTES:
        raise BadFile(f"these rows are longer than {MAX_ROWS_BYTES} bytes")
    rows: list[Row] = decode(raw, _ROWS, what="list of rows")
    return tuple(rows)


_ROWS = Annotated[list[Row], Meta(max_length=MAX_ROWS)]
