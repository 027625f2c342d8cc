"""Asks a model one question at a time, and never the same one twice.

The client makes one repair (`detectors.mllm.client.retry`); an answer that is still unusable, and a server that is
busy, are tried again here with growing pauses, and then count as "no answer". That is stored with its reason, so that
the same command ends in the same result; more retries than before ask again, and so a missed deadline is stored only
where a caller offers them. A server that takes no pictures is asked without them, and they count as left out.
"""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Protocol

from daemon.diagnosis.model_queries.answers import AnswerFile, StoredAnswer, answer_key
from detectors.mllm.prompting import briefs
from detectors.mllm.protocol import RefusalKind
from detectors.mllm.questions import (
    AnswerForm,
    Brief,
    FailureReason,
    Model,
    ModelQuery,
    ModelQuestion,
    QueryPicture,
    Usage,
)
from storage.errors import EnvironmentFault

DEADLINE_S = 180.0
"""Nobody waits in front of the screen; only a server that hangs may not stop a run."""

RETRIES = 2
BACKOFF_S = 1.0
"""Doubles with each retry."""

_STOPPING: Mapping[FailureReason, str] = {
    FailureReason.UNREACHABLE: "start the server, then give the same command again: stored answers are not asked again",
    FailureReason.NO_KEY: "store its key (see: kairos models list), then give the same command again",
    FailureReason.NOT_ALLOWED: "see: kairos models list",
    FailureReason.OVER_BUDGET: "it took twice what was estimated; the same command again goes on from here",
    FailureReason.ON_BATTERY: "plug it in, then give the same command again",
}
"""Failures that every further question would meet too, each with its remedy."""

_PASSING = frozenset({FailureReason.NONSENSE, FailureReason.BUSY, FailureReason.DEADLINE, FailureReason.UNREACHABLE})
"""Failures that another try may not meet."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Inquiry:
    """What is asked: `kind` names it in counts, and a scripted model tells by it what it is asked.

    `captions` say what each picture is. `repeat` tells equal inquiries apart that are asked several times.
    """

    kind: str
    brief: Brief
    pictures: tuple[QueryPicture, ...] = ()
    captions: tuple[str, ...] = ()
    repeat: int = 0

    @property
    def query(self) -> ModelQuery:
        """The query of the model."""
        question = ModelQuestion(key=self.kind, form=AnswerForm.OBJECT, brief=self.brief)
        return ModelQuery(pictures=self.pictures, at_s=(), questions=(question,), captions=self.captions)


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryReply:
    """An answer, or why there is none: `facts` are empty then. Of the `given` pictures `shown` were sent."""

    facts: Mapping[str, object] = field(default_factory=dict)
    trouble: FailureReason | None = None
    shown: int = 0
    given: int = 0


class Asks(Protocol):
    """Whoever puts inquiries to a model (an `Asker`)."""

    async def ask(self, inquiry: Inquiry) -> QueryReply:
        """Return the answer."""
        ...


@dataclass(slots=True, kw_only=True)
class AskingCounts:
    """What was asked in a run.

    Attributes:
        asked: questions by kind, answered from the store or not.
        unanswered: those without an answer, by reason.
        unanswered_kinds: the same, by kind.
        sent: asked of the model now, the others were stored.
        pictures_most: the most pictures that one request held.
        pictures_left_out: pictures that did not fit, over all requests.
        usage: what the answers cost, whenever they were given.
    """

    asked: Counter[str] = field(default_factory=Counter)
    unanswered: Counter[str] = field(default_factory=Counter)
    unanswered_kinds: Counter[str] = field(default_factory=Counter)
    sent: int = 0
    pictures_most: int = 0
    pictures_left_out: int = 0
    usage: Usage = field(default_factory=Usage)

    def count(self, inquiry: Inquiry, stored: StoredAnswer) -> None:
        """Count an answer."""
        self.asked[inquiry.kind] += 1
        if stored.trouble is not None:
            self.unanswered[stored.trouble.value] += 1
            self.unanswered_kinds[inquiry.kind] += 1
        self.pictures_most = max(self.pictures_most, stored.pictures)
        if stored.trouble is None:
            self.pictures_left_out += len(inquiry.pictures) - stored.pictures
        self.usage += stored.usage


class Asker:
    """Asks one model, in the wording of one room."""

    def __init__(
        self,
        model: Model,
        answers: AnswerFile | None,
        *,
        identity: str,
        version: str,
        retries: int = RETRIES,
        stores_late: bool = False,
        counts: AskingCounts | None = None,
        step: Callable[[str], None] = lambda _: None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        """Prepare; whoever made model and file closes them.

        Args:
            model: who is asked.
            answers: where answers are stored and looked up; None for nowhere.
            identity: the model and its address, as answers are filed under.
            version: that of the wording of the room that asks.
            retries: how often an unusable answer, or none, is asked for again.
            stores_late: whether a missed deadline is stored, too.
            counts: where it counts what it asks; by default counts of its own.
            step: is called with the kind of each inquiry that is sent, before it is.
            sleep: waits for so many seconds.
        """
        self.counts = counts if counts is not None else AskingCounts()
        self._model = model
        self._answers = answers
        self._identity = identity
        self._version = f"{version}/{briefs.VERSION}"
        self._retries = retries
        self._stores_late = stores_late
        self._step = step
        self._sleep = sleep

    async def ask(self, inquiry: Inquiry) -> QueryReply:
        """Return the answer to an inquiry, stored or new.

        Raises:
            EnvironmentFault: the model cannot be used any further; nothing that was answered is lost.
            BadFile: the file of answers is damaged.
        """
        query = inquiry.query
        again = f" repeat {inquiry.repeat}" if inquiry.repeat else ""
        key = answer_key(self._identity + again, self._version, query)
        stored = None if self._answers is None else self._answers.get(key)
        if stored is None or (stored.trouble in _PASSING and stored.attempts <= self._retries):
            stored = await self._send(inquiry, stored)
            is_late = stored.trouble is FailureReason.DEADLINE and self._stores_late
            if self._answers is not None and (stored.is_final or is_late):
                self._answers.put(key, stored)
        self.counts.count(inquiry, stored)
        return QueryReply(
            facts=stored.facts, trouble=stored.trouble, shown=stored.pictures, given=len(inquiry.pictures)
        )

    async def _send(self, inquiry: Inquiry, before: StoredAnswer | None) -> StoredAnswer:
        attempts, usage = (0, Usage()) if before is None else (before.attempts, before.usage)
        self._step(inquiry.kind)
        self.counts.sent += 1
        query = inquiry.query
        while True:
            result = await self._model.ask(query, deadline_s=DEADLINE_S)
            if result.refused == RefusalKind.PICTURE and query.pictures:
                usage += result.usage
                query = replace(query, pictures=(), captions=())
                continue
            stored = StoredAnswer.of(result, inquiry.kind)
            attempts, usage = attempts + 1, usage + stored.usage
            if stored.trouble not in _PASSING or attempts > self._retries:
                break
            await self._sleep(BACKOFF_S * 2 ** (attempts - 1))
        raise_if_over(stored, self._model.name)
        return replace(stored, attempts=attempts, usage=usage)


def raise_if_over(answer: StoredAnswer, model: str) -> None:
    """Stop a run at a failure that every further question would meet too.

    Raises:
        EnvironmentFault: it is one; says what to do.
    """
    if answer.trouble is not None and answer.trouble in _STOPPING:
        raise EnvironmentFault(f"{model} does not answer: {answer.trouble}", remedy=_STOPPING[answer.trouble])
