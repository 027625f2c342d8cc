"""Answers of a model about the help of offers: asked when the settings say so, shown while they are written.

One answer at a time; the person's newest wish ends the one before. It observes the rows of every step in the core's
loop, sends what the fence released, and submits one `HelpAnswer` for each request, without words. A pause, private
time, an excluded window and the end of the session end a request at once and forget what came.
"""

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from daemon.capture.gate import Gate
from daemon.capture.picture_ring import RingPicture
from daemon.help.context import HelpMoment
from daemon.help.ports import RequestElements
from daemon.models.answers.query import KEY, EarlierAnswer, HelpQuery, build_query, marked_picture, numbered_elements
from daemon.models.answers.reply import HelpReply, ReplyText, first_box, reply_of, shown
from daemon.models.request import MAX_NAME
from detectors.mllm.protocol import AnswerStream
from detectors.mllm.questions import FailureReason, ModelQuery, ModelResult, Pictures
from storage.clock import NS_PER_S, Clock
from storage.ports import WHAT_FOR, AnswerPhase, HelpStep, ModelHelp
from storage.records import (
    Box,
    Element,
    Elements,
    Feedback,
    FeedbackKind,
    HelpAnswer,
    HelpFound,
    ModelTier,
    Offer,
    Record,
    SessionEnd,
    Switch,
    SwitchName,
    Wake,
    Withdrawal,
)
from storage.settings import ANSWERED, HelpSettings

logger = logging.getLogger(__name__)

PURPOSE = "help"
"""What the sent log says that such a request is for."""

STOPPED = "stopped"
"""`HelpAnswer.trouble` of an answer that somebody stopped, or that a pause ended."""

ELEMENTS_S = 0.6
"""How long it waits for the controls of a window; after that those of the search stand for them."""

SHOWN_NS = NS_PER_S // 25
"""Least time between two updates of the card: it is not laid out for each letter."""

AHEAD_NS = 60 * NS_PER_S
"""Least time between two requests ahead of an offer; an answer older than this is not shown."""

NOT_NOW = "model_not_now"
PROBLEMS: Mapping[FailureReason, str] = {
    FailureReason.DEADLINE: "model_silent",
    FailureReason.UNREACHABLE: "model_silent",
    FailureReason.BUSY: "model_silent",
    FailureReason.REFUSED: "model_unusable",
    FailureReason.NO_KEY: "model_unusable",
    FailureReason.NOT_ALLOWED: "model_unusable",
    FailureReason.OVER_BUDGET: "model_spent",
    FailureReason.ON_BATTERY: "model_on_battery",
    FailureReason.TOO_LONG: "model_no_answer",
    FailureReason.NONSENSE: "model_no_answer",
    FailureReason.SUPERSEDED: NOT_NOW,
}
"""Codes of `storage.messages.PROBLEMS`, by why there is no answer."""


class HelpModel(Protocol):
    """A model that can write an answer."""

    @property
    def name(self) -> str:
        """Its name in logs."""

    @property
    def model(self) -> str:
        """Its name at the server, for people."""

    @property
    def remote(self) -> bool:
        """Whether what is sent leaves this machine."""

    async def ask(
        self, query: ModelQuery, *, deadline_s: float, stream: AnswerStream | None = None, purpose: str = ""
    ) -> ModelResult:
        """Return the result within `deadline_s` seconds; `stream` takes the text as it comes."""

    def stop(self) -> None:
        """End the request under way at once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerContext:
    """What answers need of the session around them.

    Attributes:
        moment_of: what is known of help that was searched for, by page id and program.
        newest_picture: the newest one that the fence released.
        request_elements: has the controls of the active window read.
        show: shows an answer on the card of an offer.
        follow: points at the controls of an answer's steps; the last value is where the first of them is.
        busy: told when a request for a person begins and ends, so that nothing else is asked meanwhile.
    """

    moment_of: Callable[[str, str], HelpMoment | None]
    newest_picture: Callable[[], RingPicture | None]
    request_elements: RequestElements
    show: Callable[[str, ModelHelp], None]
    follow: Callable[[Offer, tuple[HelpStep, ...], Box | None], None]
    busy: Callable[[bool], None] = field(default=lambda _: None)


@dataclass(slots=True, eq=False)
class _Answer:
    """One answer: for which offer (none yet, if asked ahead), from which model, and what has come of it."""

    tier: ModelTier
    model: HelpModel
    moment: HelpMoment
    epoch: int
    asked_ns: int
    offer: Offer | None
    page_id: str
    evidence: tuple[str, ...]
    question: str = ""
    before: EarlierAnswer | None = None
    ahead: bool = False
    accepted: bool = True
    stopped: bool = False
    forgotten: bool = False
    task: asyncio.Task[None] | None = None
    asked: HelpQuery | None = None
    text: ReplyText = field(default_factory=ReplyText)
    reply: HelpReply | None = None
    view: ModelHelp = field(default_factory=lambda: ModelHelp(phase=AnswerPhase.WAITING))
    first_ns: int = 0
    shown_ns: int = 0
    calling: bool = False
    ended: bool = False

    def is_for(self, offer_id: str) -> bool:
        """Tell whether it is about this offer."""
        return self.offer is not None and self.offer.offer_id == offer_id


class HelpAnswers:
    """The model's answers of one session. Used in the core's thread."""

    def __init__(
        self,
        *,
        available: Callable[[], Mapping[ModelTier, HelpModel]],
        settings: HelpSettings,
        gate: Gate,
        clock: Clock,
        submit: Callable[[Sequence[Record]], None],
        around: AnswerContext,
    ) -> None:
        """Ask nobody yet.

        `available` gives the models that may be asked now. While `gate` is closed nobody is asked; when it closes, what
        is under way ends and is forgotten.
        """
        self._available = available
        self._settings = settings
        self._gate = gate
        self._clock = clock
        self._submit = submit
        self._around = around
        self._pictures = Pictures(size=4)
        self._loop = asyncio.get_running_loop()
        self._offer: Offer | None = None
        self._moment: HelpMoment | None = None
        self._current: _Answer | None = None
        self._ahead_ns: int | None = None
        self._excluded = False
        self._closed = False
        self._running: set[asyncio.Task[None]] = set()
        self._unwatch = gate.watch_closing(self._loop, self.stop)

    # ------------------------------------------------------------ for the card

    def offered(self) -> HelpModel | None:
        """Return the model that can be asked about help now: one on this machine before any other."""
        found = self._chosen()
        return found[1] if found is not None else None

    def goal_for(self, offer: Offer) -> str:
        """Return what the person may be about, where a model has said so before the offer was made."""
        current = self._current
        matches = current is not None and (current.offer is offer or self._belongs(current, offer))
        return current.view.goal if current is not None and matches else ""

    def ask(self, offer_id: str, question: str = "") -> None:
        """Ask about the help of an offer; a question follows what was answered about it before."""
        chosen = self._chosen()
        if chosen is None:
            return
        offer = self._offer
        current = self._current if self._current is not None and self._current.is_for(offer_id) else None
        moment = None
        if offer is not None and offer.offer_id == offer_id and self._may_ask:
            moment = current.moment if current is not None else self._moment
        if offer is None or moment is None:
            view = ModelHelp(phase=AnswerPhase.FAILED, question=question, problem=NOT_NOW)
            self._around.show(offer_id, replace(view, model=chosen[1].model, remote=chosen[1].remote))
            return
        before: EarlierAnswer | None = None
        if question and current is not None and current.reply is not None:
            before = EarlierAnswer(question=current.question, answer=current.reply.words)
        self._begin(chosen, moment, offer, question=question, before=before)

    def stop_answer(self, offer_id: str) -> None:
        """End the request about an offer; what has come stays."""
        if self._current is not None and self._current.is_for(offer_id):
            self._stop(self._current)

    def close_card(self, offer_id: str) -> None:
        """End and forget the answer about an offer, and its moment: its card was closed."""
        self._forget_moment(offer_id)
        if self._current is not None and self._current.is_for(offer_id):
            self._forget(self._current)

    # ------------------------------------------------------------ rows

    def observe(self, rows: Sequence[Record]) -> None:
        """Look at the rows of one step: ask where the settings say so, and end what a pause has made out of date."""
        for row in rows:
            match row:
                case Switch():
                    if row.name is SwitchName.EXCLUDED:
                        self._excluded = row.on
                    if row.on is (row.name is not SwitchName.CONSENT):
                        self.stop()
                case Wake() | SessionEnd():
                    self.stop()
                case HelpFound(asked=False) if row.page_id not in ("", WHAT_FOR):
                    self._ask_ahead(row)
                case Offer():
                    self._take_offer(row)
                case Feedback(kind=FeedbackKind.ACCEPTED) if self._offer and row.offer_id == self._offer.offer_id:
                    if self._offer.page_id != WHAT_FOR:  # then the person says what it is about
                        self._accept_soon(self._offer)
                case Feedback() | Withdrawal():
                    self._end_unaccepted(row.offer_id)
                case _:
                    pass

    def restrict(self, settings: HelpSettings) -> None:
        """Go by stricter settings from now on, and end what is under way."""
        self._settings = settings
        self.stop()

    def stop(self) -> None:
        """End what is under way, say so on the card, and forget it."""
        self._moment = None
        current = self._current
        if current is not None:
            self._forget(current)
            if not current.ended:
                current.view = replace(current.view, phase=AnswerPhase.STOPPED)
                self._show(current)
        self._pictures.clear()

    async def close(self) -> None:
        """End, wait until it has ended, and ask nobody from then on."""
        if not self._closed:
            self._closed = True
            self._unwatch()
        self.stop()
        if self._running:
            await asyncio.wait(self._running)

    def _take_offer(self, offer: Offer) -> None:
        self._offer = offer
        self._moment = self._around.moment_of(offer.page_id, offer.app)
        current = self._current
        if current is not None and self._belongs(current, offer):
            current.offer = offer
        elif current is not None:
            self._forget(current)
        if offer.asked:
            self._accept_soon(offer)

    def _belongs(self, answer: _Answer, offer: Offer) -> bool:
        """Tell whether an answer that was asked for ahead is about this offer."""
        is_fresh = self._clock.now_ns() - answer.asked_ns <= AHEAD_NS
        is_about = (answer.page_id, answer.moment.context.app) == (offer.page_id, offer.app)
        return answer.offer is None and is_fresh and is_about

    def _accept_soon(self, offer: Offer) -> None:
        """Accept an offer once its card is there: observers see a row before it is shown."""
        self._loop.call_soon(self._accept, offer)

    def _accept(self, offer: Offer) -> None:
        """Show what was asked ahead, or ask where the settings say so."""
        if offer is not self._offer or not self._may_ask:
            return
        current = self._current
        if current is not None and current.offer is offer and current.ahead:
            current.accepted = True
            if current.view.phase is not AnswerPhase.FAILED:
                self._show(current)
                if current.view.phase is AnswerPhase.DONE:
                    self._follow(current)
                return
        chosen = self._chosen()
        if chosen is not None and self._mode(chosen[1]) >= _MODES["on-acceptance"]:
            self.ask(offer.offer_id)

    def _end_unaccepted(self, offer_id: str) -> None:
        """End what was asked ahead of an offer that nobody took."""
        self._forget_moment(offer_id)
        current = self._current
        if current is not None and not current.accepted and current.is_for(offer_id):
            self._forget(current)

    def _ask_ahead(self, found: HelpFound) -> None:
        chosen = self._chosen()
        now_ns = self._clock.now_ns()
        if chosen is None or self._mode(chosen[1]) < _MODES["ahead"] or not self._may_ask:
            return
        if self._current is not None and (self._current.accepted or not self._current.ended):
            return
        if self._ahead_ns is not None and now_ns < self._ahead_ns + AHEAD_NS:
            return
        moment = self._around.moment_of(found.page_id, found.app)
        if moment is not None:
            self._ahead_ns = now_ns
            self._begin(chosen, moment, None, page_id=found.page_id)

    # ------------------------------------------------------------ asking

    @property
    def _may_ask(self) -> bool:
        return self._gate.is_open and not self._excluded and not self._closed

    def _mode(self, model: HelpModel) -> int:
        """Return when this model is asked, as a place in `ANSWERED`; a word that is none of them means never."""
        return _MODES.get(self._settings.remote_model if model.remote else self._settings.model, 0)

    def _chosen(self) -> tuple[ModelTier, HelpModel] | None:
        """Return the model to ask and its tier: the first that is on this machine, else the first elsewhere."""
        allowed = [(tier, model) for tier, model in self._available().items() if self._mode(model)]
        allowed.sort(key=lambda choice: (choice[1].remote, list(ModelTier).index(choice[0])))
        return allowed[0] if allowed else None

    def _begin(
        self,
        chosen: tuple[ModelTier, HelpModel],
        moment: HelpMoment,
        offer: Offer | None,
        *,
        page_id: str = "",
        question: str = "",
        before: EarlierAnswer | None = None,
    ) -> None:
        if self._current is not None:
            self._forget(self._current)
        tier, model = chosen
        answer = _Answer(
            tier=tier,
            model=model,
            moment=moment,
            epoch=self._gate.epoch,
            asked_ns=self._clock.now_ns(),
            offer=offer,
            page_id=offer.page_id if offer is not None else page_id,
            evidence=tuple(item.code for item in offer.evidence) if offer is not None else (),
            question=question,
            before=before,
            ahead=offer is None,
            accepted=offer is not None,
            view=ModelHelp(phase=AnswerPhase.WAITING, question=question, model=model.model, remote=model.remote),
        )
        answer.text.came = lambda: self._came(answer)
        self._current = answer
        self._show(answer)
        answer.task = self._loop.create_task(self._run(answer, frozenset(self._running)))
        self._running.add(answer.task)
        answer.task.add_done_callback(lambda task: self._ended(answer, task))

    async def _run(self, answer: _Answer, previous: frozenset["asyncio.Task[None]"]) -> None:
        """Ask the model, with a picture and, if it takes none, without one."""
        if previous:
            await asyncio.wait(previous)
        self._around.busy(True)
        try:
            result = await self._ask(answer)
        finally:
            self._around.busy(False)
        self._finish(answer, result)

    async def _ask(self, answer: _Answer) -> ModelResult:
        elements = numbered_elements(await self._elements(answer.moment, asked=not answer.ahead))
        newest = self._around.newest_picture() if self._settings.model_pictures else None
        picture = await asyncio.to_thread(marked_picture, newest, elements, self._pictures)
        result = ModelResult(failure=FailureReason.SUPERSEDED)
        for shown_picture in (picture, None) if picture is not None else (None,):
            if answer.stopped or not self._gate.passed(answer.epoch):
                return replace(result, answers={}, failure=FailureReason.SUPERSEDED)
            answer.asked = build_query(
                answer.moment,
                elements,
                shown_picture,
                evidence=answer.evidence,
                question=answer.question,
                before=answer.before,
            )
            answer.calling = True
            latest = await answer.model.ask(
                answer.asked.query,
                deadline_s=self._settings.model_deadline_s,
                stream=answer.text,
                purpose=PURPOSE,
            )
            answer.calling = False
            result = replace(latest, usage=result.usage + latest.usage, sent=(*result.sent, *latest.sent))
            if result.failure is not FailureReason.REFUSED:
                break
        return result

    async def _elements(self, moment: HelpMoment, *, asked: bool) -> tuple[Element, ...]:
        """Return the controls of the window now, or those of the search where they cannot be had so soon."""
        taken: asyncio.Future[Elements | None] = self._loop.create_future()

        def take(elements: Elements | None) -> None:
            self._loop.call_soon_threadsafe(lambda: None if taken.done() else taken.set_result(elements))

        self._around.request_elements(take, asked=asked)
        try:
            async with asyncio.timeout(ELEMENTS_S):
                elements = await taken
        except TimeoutError:
            elements = None
        return elements.elements if elements is not None else moment.elements

    def _came(self, answer: _Answer) -> None:
        """Show what has come of an answer; not after a pause, nor sooner than people can see."""
        now_ns = self._clock.now_ns()
        if answer.shown_ns and now_ns < answer.shown_ns + SHOWN_NS:
            return
        reply = answer.text.reply() if self._gate.passed(answer.epoch) and not answer.stopped else None
        if reply is None or answer.asked is None or not (reply.text or reply.steps):
            return
        answer.first_ns = answer.first_ns or max(1, now_ns - answer.asked_ns)
        answer.shown_ns = now_ns
        answer.view = shown(answer.view, reply, answer.asked, AnswerPhase.STREAMING)
        self._show(answer)

    def _finish(self, answer: _Answer, result: ModelResult) -> None:
        """Show how an answer ended, log that, and point at its controls."""
        answer.ended = True
        facts = result.answers[KEY].facts if result.failure is None and KEY in result.answers else None
        stopped = answer.stopped or not self._gate.passed(answer.epoch)
        if stopped and not answer.forgotten:
            answer.reply = answer.text.reply()
        if stopped and answer.reply is not None and answer.asked is not None:
            answer.view = shown(answer.view, answer.reply, answer.asked, AnswerPhase.STOPPED)
        elif stopped:
            answer.view = replace(answer.view, phase=AnswerPhase.STOPPED)
        elif facts is not None and answer.asked is not None:
            answer.reply = reply_of(facts)
            answer.first_ns = answer.first_ns or max(1, self._clock.now_ns() - answer.asked_ns)
            answer.view = shown(answer.view, answer.reply, answer.asked, AnswerPhase.DONE)
        else:
            problem = PROBLEMS.get(result.failure or FailureReason.NONSENSE, "model_no_answer")
            empty = ModelHelp(phase=AnswerPhase.FAILED, question=answer.question, problem=problem)
            answer.view = replace(empty, model=answer.view.model, remote=answer.view.remote)
        answer.view = replace(answer.view, dollars=result.usage.dollars)
        self._submit([_record(answer, result, stopped=stopped, now_ns=self._clock.now_ns())])
        if not answer.forgotten:
            self._show(answer)
            if answer.view.phase is AnswerPhase.DONE and answer.accepted:
                self._follow(answer)

    def _show(self, answer: _Answer) -> None:
        if answer.accepted and answer.offer is not None:
            self._around.show(answer.offer.offer_id, answer.view)

    def _follow(self, answer: _Answer) -> None:
        if answer.offer is not None and answer.reply is not None and answer.asked is not None:
            self._around.follow(answer.offer, answer.view.steps, first_box(answer.reply, answer.asked))

    # ------------------------------------------------------------ ending

    def _stop(self, answer: _Answer) -> None:
        if not answer.ended and not answer.stopped:
            answer.stopped = True
            if answer.calling:
                answer.model.stop()

    def _forget_moment(self, offer_id: str) -> None:
        if self._offer is not None and self._offer.offer_id == offer_id:
            self._moment = None

    def _forget(self, answer: _Answer) -> None:
        """End an answer and drop its words."""
        if self._current is answer:
            self._current = None
        self._stop(answer)
        answer.forgotten = True
        answer.reply = None
        answer.text.begin()

    def _ended(self, answer: _Answer, task: "asyncio.Task[None]") -> None:
        """Log what a task raised: nobody awaits it, and a bug of a model must not end the session."""
        self._running.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            logger.error("a model's answer failed with %s", type(error).__name__)
            answer.view = replace(answer.view, phase=AnswerPhase.FAILED, text="", steps=(), problem="model_no_answer")
            if not answer.forgotten:
                self._show(answer)


_MODES: Mapping[str, int] = {word: number for number, word in enumerate(ANSWERED)}


def _record(answer: _Answer, result: ModelResult, *, stopped: bool, now_ns: int) -> HelpAnswer:
    failure = result.failure.value if result.failure is not None else None
    steps = answer.view.steps if answer.view.phase is AnswerPhase.DONE else ()
    return HelpAnswer(
        offer_id=answer.offer.offer_id if answer.offer is not None else "",
        tier=answer.tier,
        model=(result.model or answer.model.name)[:MAX_NAME],
        asked_at_ns=answer.asked_ns,
        latency_ns=now_ns - answer.asked_ns,
        first_ns=answer.first_ns,
        steps=len(steps),
        tied=sum(bool(step.controls) for step in steps),
        followup=bool(answer.question),
        ahead=answer.ahead,
        trouble=STOPPED if stopped else failure,
        pictures=result.pictures,
        tokens_in=result.usage.tokens_in,
        tokens_out=result.usage.tokens_out,
        dollars=result.usage.dollars,
        sent=result.sent,
    )
