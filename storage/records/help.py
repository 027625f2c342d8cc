"""What was found to help, and what a model answered."""

from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar

from storage.records.base import Record
from storage.records.estimates import ModelTier


@dataclass(frozen=True, slots=True, kw_only=True)
class HelpFound(Record):
    """What a search for help found for a moment of work, or that nothing fits (`page_id` is empty); no words.

    `prefix_id` and `window_id` are of the newest prefix then, empty and -1 before the first. `steps` is how many the
    page has, `steps_fit` the numbers, from 0 on, of those whose controls can be there; `checked` tells whether they
    were compared with the controls on the screen. `latency_ns` is how long it all took. `trouble` is a code where
    nothing could be searched. `asked`: the person asked for it.
    """

    KIND: ClassVar[str] = "help_found"
    prefix_id: str
    window_id: int
    app: str
    page_id: str = ""
    score: float = 0.0
    general: bool = False
    steps: int = 0
    steps_fit: tuple[int, ...] = ()
    checked: bool = False
    latency_ns: int = 0
    trouble: str | None = None
    asked: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class HelpAnswer(Record):
    """How a model's answer about the help of an offer ended; none of its words, nor of the question.

    `tier`, `model`, `pictures`, `tokens_in`, `tokens_out`, `dollars` and `sent` are as in `ModelAnswer`. `first_ns` is
    how long after `asked_at_ns` the first words could be shown (0: there were none), `latency_ns` how long until the
    end. `steps` is how many it has, `tied` how many of them name a control that was there. `followup`: the person had
    typed a question on the card; `ahead`: the model was asked before the offer was made, and `offer_id` is empty if
    none came of it. `trouble` is a code: why there is no answer, or "stopped".
    """

    KIND: ClassVar[str] = "help_answer"
    offer_id: str
    tier: ModelTier
    model: str
    asked_at_ns: int
    latency_ns: int
    first_ns: int = 0
    steps: int = 0
    tied: int = 0
    followup: bool = False
    ahead: bool = False
    trouble: str | None = None
    pictures: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    dollars: float = 0.0
    sent: tuple[str, ...] = ()


class GoalKind(StrEnum):
    """What tells what somebody is about: names of what they touch, the title of the window, or a model."""

    UNKNOWN = "unknown"
    CONTROL = "control"
    DIALOG = "dialog"
    UNDONE = "undone"
    DOCUMENT = "document"
    MODEL = "model"


@dataclass(frozen=True, slots=True, kw_only=True)
class Goal(Record):
    """What somebody seems to be about in a program changed; no words.

    `digest` is that of the name it was read from, as in the rows about controls and windows. That of a model's words is
    keyed by itself. It is empty where nothing is known any more.
    """

    KIND: ClassVar[str] = "goal"
    app: str
    kind: GoalKind
    digest: str
