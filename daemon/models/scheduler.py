"""Asks models about the newest prefix, where that could change a decision, and hands their answers to the core.

It stands beside the engine, in the core's loop: it sees the rows of every step and submits `ModelAnswer` records like
any other source, so a replay needs no model. One thing is asked at a time and about the newest prefix alone. Whatever
ends the situation ends the request at once: a newer prefix, a pause, private time, an excluded window, another
application, the end of the session. Pictures are frames that the fence released, and nothing else.

Whether asking is worth it is `detectors.mllm.cascade`'s to say; a decision that no answer can change asks nobody.
"""

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Callable, Collection, Mapping, Sequence

from daemon.gate import Gate
from daemon.models.request import Pending, ask_about, bound_at, may_change, record_of
from detectors.mllm.cascade import DecisionThreshold, next_tier, shipped_weights
from detectors.mllm.pictures import Pictures
from detectors.mllm.questions import FailureReason, Model, ModelResult
from detectors.protocol import Images
from storage.clock import Clock
from storage.records import (
    ClosedBy,
    Decision,
    Estimate,
    Frame,
    ModelAnswer,
    ModelTier,
    Prefix,
    Problem,
    Record,
    SessionEnd,
    Switch,
    SwitchName,
    Wake,
    Window,
)
from storage.settings import ModelSettings, Settings

logger = logging.getLogger(__name__)

OUT: Mapping[FailureReason, str] = {
    FailureReason.OVER_BUDGET: "model_spent",
    FailureReason.NO_KEY: "model_unusable",
    FailureReason.NOT_ALLOWED: "model_unusable",
}
"""Trouble after which a model is asked no more in this session, and the problem that is told of it."""

FRAMES_KNOWN = 4096
"""Times of so many frames are remembered: several windows' worth."""


class ModelScheduler:
    """Asks the rungs that are on, one after the other, for the session it belongs to. Used in the core's thread."""

    def __init__(
        self,
        models: Mapping[ModelTier, Model],
        *,
        settings: Settings,
        images: Images,
        gate: Gate,
        clock: Clock,
        submit: Callable[[Sequence[Record]], None],
    ) -> None:
        """Take the models over; `close` closes them.

        Args:
            models: those that are on.
            settings: the session's.
            images: pictures of released frames.
            gate: while it is closed nobody is asked; when it closes, what is under way ends.
            clock: session time.
            submit: hands answers to the core.
        """
        self._models = dict(models)
        self._settings = settings
        self._images = images
        self._gate = gate
        self._clock = clock
        self._submit = submit
        self._weights = shipped_weights()
        self._pictures = Pictures()
        self._times: OrderedDict[int, int] = OrderedDict()
        self._out: set[ModelTier] = set()
        self._running: set[asyncio.Task[None]] = set()
        self._closed = False
        self._loop = asyncio.get_running_loop()
        gate.watch(self._gate_changed)

    def saw(self, rows: Sequence[Record]) -> None:
        """Look at the rows of one step: break off what is out of date, and ask about a new prefix."""
        prefix: Prefix | None = None
        estimate: Estimate | None = None
        decision: Decision | None = None
        over = False
        for row in rows:
            match row:
                case Frame():
                    self._note(row)
                case Prefix():
                    prefix, estimate, decision = row, None, None
                case Estimate() if estimate is None:
                    estimate = row
                case Decision():
                    decision = row
                case Switch():
                    over = over or row.on is (row.name is not SwitchName.CONSENT)
                case Window():
                    over = over or row.closed_by is not ClosedBy.FULL
                case Wake() | SessionEnd():
                    over = True
                case _:
                    pass
        if over:
            self.stop()
        elif prefix is not None:
            self.stop()
            if estimate is not None and decision is not None and may_change(decision):
                self._begin(prefix, estimate, decision)

    def stop(self) -> None:
        """Break off what is being asked; its answer would be of no use."""
        for task in self._running:
            task.cancel()

    async def close(self) -> None:
        """End: nothing is asked any more, and the models' connections go."""
        self._closed = True
        self._gate.unwatch(self._gate_changed)
        self.stop()
        if self._running:
            await asyncio.wait(self._running)
        await asyncio.gather(*(model.close() for model in self._models.values()))
        self._pictures.clear()

    # ------------------------------------------------------------ asking

    @property
    def _on(self) -> Collection[ModelTier]:
        """The rungs that may still be asked."""
        return self._models.keys() - self._out

    def _gate_changed(self) -> None:
        """On whichever thread closed it: end what is under way without waiting for the row that says so."""
        if not self._gate.is_open:
            try:
                self._loop.call_soon_threadsafe(self._shut)
            except RuntimeError:
                logger.debug("the core has already stopped")

    def _shut(self) -> None:
        """End it also where the gate is open again by now: nothing goes on behind a pause that began before it."""
        self.stop()
        self._pictures.clear()

    def _begin(self, prefix: Prefix, estimate: Estimate, decision: Decision) -> None:
        if self._closed or not self._gate.is_open:
            return
        bound = bound_at(decision, estimate, self._settings)
        if next_tier(estimate, (), enabled=self._on, decision=bound, weights=self._weights) is None:
            return
        task = self._loop.create_task(self._pursue(prefix, estimate, bound, frozenset(self._running), self._gate.epoch))
        self._running.add(task)
        task.add_done_callback(self._ended)

    async def _pursue(
        self,
        prefix: Prefix,
        estimate: Estimate,
        bound: DecisionThreshold,
        before: Collection[asyncio.Task[None]],
        epoch: int,
    ) -> None:
        """Ask one rung after the other for as long as it is worth it and the gate stays open."""
        if before:
            await asyncio.wait(before)  # one request at a time, also while the one before is being broken off
        ask = ask_about(prefix, self._images, self._pictures, self._times)
        if ask is None:
            return
        said: list[ModelAnswer] = []
        while self._gate.passed(epoch):
            rung = next_tier(estimate, said, enabled=self._on, decision=bound, weights=self._weights)
            if rung is None:
                return
            model = self._models[rung]
            pending = Pending(prefix=prefix, rung=rung, model=model.name, asked_at_ns=self._clock.now_ns())
            try:
                answers = await model.ask(ask, deadline_s=_settings_of(rung, self._settings).deadline_s)
            except asyncio.CancelledError as cancelled:
                cost = (one for one in cancelled.args if isinstance(one, ModelResult))
                self._submit([self._record(pending, next(cost, ModelResult(failure=FailureReason.SUPERSEDED)))])
                raise
            answer = self._record(pending, answers)
            said.append(answer)
            self._submit([answer])
            if answers.failure is not None and answers.failure in OUT:
                self._out.add(rung)
                self._submit([Problem(code=OUT[answers.failure])])

    def _record(self, pending: Pending, answers: ModelResult) -> ModelAnswer:
        return record_of(pending, answers, self._clock.now_ns())

    def _ended(self, task: asyncio.Task[None]) -> None:
        """Write down what a task raised: nobody awaits it, and a model's bug must not end the session."""
        self._running.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            logger.error("asking a model failed", exc_info=error)

    def _note(self, frame: Frame) -> None:
        self._times[frame.seq] = frame.t_ns
        if len(self._times) > FRAMES_KNOWN:
            self._times.popitem(last=False)


def _settings_of(rung: ModelTier, settings: Settings) -> ModelSettings:
    return settings.local_model if rung is ModelTier.LOCAL else settings.strong_model
