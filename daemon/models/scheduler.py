"""Asks models about the newest prefix, where that could change a decision, and submits their answers to the core.

It observes the rows of every step in the core's loop and submits `ModelAnswer` records like any other source, so a
replay needs no model. One query runs at a time, about the newest prefix alone. It is stopped at once by a newer prefix,
a pause, private time, an excluded window, another application, or the end of the session. Only frames that the fence
released are sent.

Whether a query is worthwhile is decided by `detectors.mllm.cascade`; a decision that no answer can change asks nobody.
"""

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from daemon.capture.gate import Gate
from daemon.help.goal import ModelGoal
from daemon.models.request import (
    PendingQuery,
    answer_record,
    build_query,
    can_change,
    decision_threshold,
    goal_in,
)
from daemon.models.tiers import settings_of
from detectors.mllm.cascade import DecisionThreshold, next_tier, shipped_weights
from detectors.mllm.questions import FailureReason, Model, Pictures
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
    State,
    Switch,
    SwitchName,
    Wake,
    Window,
)
from storage.settings import Settings

logger = logging.getLogger(__name__)

PROBLEMS: Mapping[FailureReason, str] = {
    FailureReason.OVER_BUDGET: "model_spent",
    FailureReason.NO_KEY: "model_unusable",
    FailureReason.NOT_ALLOWED: "model_unusable",
}
"""Failures after which a model is not asked again in this session, and the problem that is reported."""

FRAMES_KNOWN = 4096
"""How many frames' times are remembered: several windows' worth."""


class StoppableModel(Model, Protocol):
    """A model whose query can be stopped."""

    def stop(self) -> None:
        """End the query under way at once; its `ask` returns, with what it has cost so far."""


@dataclass(slots=True, eq=False)
class _Inquiry:
    """The queries about one prefix: what is asked about, their task, and the model that is answering, if one is."""

    prefix: Prefix
    estimate: Estimate
    threshold: DecisionThreshold
    epoch: int
    task: asyncio.Task[None] | None = None
    model: StoppableModel | None = None
    stopped: bool = False

    def stop(self) -> None:
        self.stopped = True
        if self.model is not None:
            self.model.stop()
        elif self.task is not None:
            self.task.cancel()


class ModelScheduler:
    """Asks the tiers that are on, one after the other, for one session. Used in the core's thread."""

    def __init__(
        self,
        models: Mapping[ModelTier, StoppableModel],
        *,
        settings: Settings,
        images: Images,
        gate: Gate,
        clock: Clock,
        submit: Callable[[Sequence[Record]], None],
        may_ask: Callable[[ModelTier], bool] = lambda _: True,
        take_goal: Callable[[ModelGoal], None] = lambda _: None,
    ) -> None:
        """Own the models; `close` closes them.

        While `gate` is closed nobody is asked; when it closes, a query under way is stopped. `may_ask` is called before
        each query: whether the person still lets a tier be asked. `take_goal` takes what a
        model wrote of goal and help.
        """
        self._take_goal = take_goal
        self._states: tuple[int, State | None, State | None] = (-1, None, None)
        """The newest window, the state in it so far, and that in the window before."""

        self._may_ask = may_ask
        self._models = dict(models)
        self._settings = settings
        self._images = images
        self._gate = gate
        self._clock = clock
        self._submit = submit
        self._weights = shipped_weights()
        self._pictures = Pictures()
        self._times: OrderedDict[int, int] = OrderedDict()
        self._excluded: set[ModelTier] = set()
        self._gone: set[ModelTier] = set()
        self._running: set[_Inquiry] = set()
        self._closed = False
        self._busy = False
        self._loop = asyncio.get_running_loop()
        self._unwatch = gate.watch_closing(self._loop, self._gate_closed)

    def observe(self, rows: Sequence[Record]) -> None:
        """Look at the rows of one step: stop what is out of date, and ask about a new prefix."""
        prefix: Prefix | None = None
        estimate: Estimate | None = None
        decision: Decision | None = None
        over = False
        for row in rows:
            match row:
                case Frame():
                    self._remember_time(row)
                case Prefix():
                    prefix, estimate, decision = row, None, None
                case Estimate() if estimate is None:
                    estimate = row
                    self._note_state(row)
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
            self._states = (-1, None, None)
            self.stop()
        elif prefix is not None:
            self.stop()
            if estimate is not None and decision is not None and can_change(decision, self._settings.policy):
                self._begin(prefix, estimate, decision)

    @property
    def available(self) -> Mapping[ModelTier, StoppableModel]:
        """The models that may still be asked in this session."""
        return {
            tier: model for tier, model in self._models.items() if tier not in self._excluded and self._may_ask(tier)
        }

    def set_busy(self, busy: bool) -> None:
        """Ask nobody while a model writes an answer for a person, who waits for it; stop the query under way."""
        self._busy = busy
        if busy:
            self.stop()

    def stop(self) -> None:
        """Stop the query under way; its answer would be of no use."""
        for inquiry in self._running:
            inquiry.stop()

    async def close(self) -> None:
        """Stop asking, and close the models."""
        self._closed = True
        self._unwatch()
        self.stop()
        await self._wait(self._running)
        await asyncio.gather(*(model.close() for model in self._models.values()))
        self._pictures.clear()

    # ------------------------------------------------------------ queries

    def _note_state(self, estimate: Estimate) -> None:
        """Remember the state in the newest window, and that in the one before."""
        window, state, previous = self._states
        probs = {} if estimate.abstained else estimate.state_probs
        newest = State(max(probs, key=probs.__getitem__)) if probs else None
        is_new = estimate.window_id != window
        self._states = (estimate.window_id, newest, state if is_new and window >= 0 else previous)

    def _gate_closed(self) -> None:
        """Stop, before the row that says so: no query continues after a pause that began before it."""
        self.stop()
        self._pictures.clear()

    def _begin(self, prefix: Prefix, estimate: Estimate, decision: Decision) -> None:
        if self._closed or self._busy or not self._gate.is_open:
            return
        threshold = decision_threshold(decision, estimate, self._settings)
        if self._next_tier(estimate, (), threshold) is None:
            return
        inquiry = _Inquiry(prefix, estimate, threshold, self._gate.epoch)
        inquiry.task = self._loop.create_task(self._run(inquiry, frozenset(self._running)))
        self._running.add(inquiry)
        inquiry.task.add_done_callback(lambda task: self._ended(inquiry, task))

    def _next_tier(
        self, estimate: Estimate, answers: Sequence[ModelAnswer], threshold: DecisionThreshold
    ) -> ModelTier | None:
        return next_tier(estimate, answers, enabled=self.available.keys(), decision=threshold, weights=self._weights)

    async def _run(self, inquiry: _Inquiry, previous: Collection[_Inquiry]) -> None:
        """Ask one tier after the other while it is worthwhile and the gate stays open."""
        await self._wait(previous)  # one query at a time, also while the previous one is being stopped
        app = inquiry.estimate.app
        query = build_query(
            inquiry.prefix, self._images, self._pictures, self._times, app=app, previous=self._states[2]
        )
        if query is None:
            return
        answers: list[ModelAnswer] = []
        while self._gate.passed(inquiry.epoch):
            tier = self._next_tier(inquiry.estimate, answers, inquiry.threshold)
            if tier is None:
                return
            model = inquiry.model = self._models[tier]
            pending = PendingQuery(prefix=inquiry.prefix, tier=tier, model=model.name, asked_at_ns=self._clock.now_ns())
            result = await model.ask(query, deadline_s=settings_of(self._settings, tier).deadline_s)
            inquiry.model = None
            if inquiry.stopped:
                result = replace(result, answers={}, failure=FailureReason.SUPERSEDED)
            answers.append(answer_record(pending, result, self._clock.now_ns()))
            self._submit(answers[-1:])
            if inquiry.stopped or not self._gate.passed(inquiry.epoch):
                return
            if (goal := goal_in(result, app, self._clock.now_ns())) is not None:
                self._take_goal(goal)
            self._note_reachability(tier, result.failure)
            if result.failure is not None and result.failure in PROBLEMS:
                self._excluded.add(tier)
                self._submit([Problem(code=PROBLEMS[result.failure])])

    def _note_reachability(self, tier: ModelTier, failure: FailureReason | None) -> None:
        """Report once that a model's server is gone, and once that all of them answer again."""
        before = bool(self._gone)
        if failure is FailureReason.UNREACHABLE:
            self._gone.add(tier)
        elif failure is None:
            self._gone.discard(tier)
        if bool(self._gone) != before:
            self._submit([Problem(code="model_gone", over=before)])

    @staticmethod
    async def _wait(inquiries: Collection[_Inquiry]) -> None:
        if tasks := [inquiry.task for inquiry in inquiries if inquiry.task is not None]:
            await asyncio.wait(tasks)

    def _ended(self, inquiry: _Inquiry, task: asyncio.Task[None]) -> None:
        """Log what a task raised: nobody awaits it, and a bug of a model must not end the session."""
        self._running.discard(inquiry)
        if not task.cancelled() and (error := task.exception()) is not None:
            logger.error("asking a model failed", exc_info=error)

    def _remember_time(self, frame: Frame) -> None:
        self._times[frame.seq] = frame.t_ns
        if len(self._times) > FRAMES_KNOWN:
            self._times.popitem(last=False)
