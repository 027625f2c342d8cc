"""The models of one session: opened at its start, shown its rows, closed at its end.

Imported only where a model is on, because it loads `detectors.mllm`. Models are opened while the session starts: a
locked keyring waits for a person, and the session must not.
"""

import asyncio
import contextlib
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from daemon.capture.gate import Gate
from daemon.help.goal import ModelGoal
from daemon.models.answers.service import AnswerContext, HelpAnswers, HelpModel
from daemon.models.restrictions import Restrictions
from daemon.models.scheduler import ModelScheduler
from daemon.models.tiers import OpenModel, open_tier
from daemon.models.usage import ModelUsage, UsageTally
from detectors.mllm.cascade import Combiner
from detectors.protocol import Images
from storage.clock import Clock
from storage.errors import KairosError
from storage.records import Environment, HelpAnswer, ModelAnswer, ModelTier, Problem, Record
from storage.settings import Settings

logger = logging.getLogger(__name__)


class SessionModels:
    """Opens models, gives them to a `ModelScheduler`, and adds up what they cost."""

    def __init__(
        self,
        *,
        settings: Settings,
        folder: Path,
        recording: bool,
        clock: Clock,
        gate: Gate,
        images: Images,
        submit: Callable[[Sequence[Record]], None],
        around: AnswerContext,
        take_goal: Callable[[ModelGoal], None] = lambda _: None,
        restrictions: Restrictions | None = None,
    ) -> None:
        """Open nothing before `start`. The arguments are those of the session, of `ModelScheduler` and `HelpAnswers`.

        Without `recording` nobody agreed to pictures and words being stored: the log of what is sent has their digests.
        What `restrictions` turn off is asked nothing from then on; a query under way ends.
        """
        self._settings = settings
        self._restrictions = restrictions or Restrictions(settings)
        self._gate = gate
        self._unwatch: Callable[[], None] = lambda: None
        self._open_tier = partial(
            open_tier,
            settings,
            clock=clock,
            session=folder,
            keeps_content=recording,
            on_battery=lambda: self._on_battery,
        )
        self._schedule = partial(
            ModelScheduler,
            settings=settings,
            images=images,
            gate=gate,
            clock=clock,
            submit=submit,
            may_ask=self._restrictions.may_ask,
            take_goal=take_goal,
        )
        self._submit = submit
        self._scheduler: ModelScheduler | None = None
        self._opening: asyncio.Task[None] | None = None
        self._closed = False
        self._on_battery: bool | None = None
        self._models: dict[ModelTier, OpenModel] = {}
        self._answers: HelpAnswers | None = None
        self._prepare_answers = partial(
            HelpAnswers,
            available=self._available,
            gate=gate,
            clock=clock,
            submit=submit,
            around=replace(around, busy=self._set_busy),
        )
        self._tally = UsageTally()
        self.combiner = Combiner(settings.detector.base_rate)

    @property
    def answers(self) -> HelpAnswers | None:
        """What asks models about the help of offers; None before `start`."""
        return self._answers

    @property
    def usage(self) -> list[ModelUsage]:
        """What models have cost in this session, by tier; empty before the first query."""
        return self._tally.usage()

    def start(self) -> None:
        """Begin to open the models that are on; one that cannot be opened is reported and left out."""
        loop = asyncio.get_running_loop()
        self._unwatch = self._restrictions.watch(partial(_call_soon, loop, self._restrict))
        self._answers = self._prepare_answers(settings=self._restrictions.apply(self._settings).help)
        self._opening = loop.create_task(self._start())
        self._opening.add_done_callback(_log_bug)

    async def opened(self) -> None:
        """Wait until all are open."""
        if self._opening is not None:
            await asyncio.wait([self._opening])

    async def _start(self) -> None:
        models, faults = await asyncio.to_thread(self._open)
        if self._closed:  # the session ended meanwhile
            await asyncio.gather(*(model.close() for model in models.values()))
            return
        self._submit([Problem(code="model_unusable")] * bool(faults))
        if models:
            self._models = models
            self._scheduler = self._schedule(models)

    def _available(self) -> Mapping[ModelTier, HelpModel]:
        scheduler = self._scheduler
        usable = scheduler.available if scheduler is not None else {}
        return {tier: model for tier, model in self._models.items() if tier in usable}

    def _may_leave(self, tier: ModelTier) -> bool:
        """Tell, right before a request, whether it may be sent; called in any thread."""
        return self._gate.is_open and self._restrictions.may_ask(tier)

    def _restrict(self) -> None:
        """Go on without what was turned off; a query under way ends, also one of a model that stays."""
        if self._answers is not None:
            self._answers.restrict(self._restrictions.apply(self._settings).help)
        if self._scheduler is not None:
            self._scheduler.stop()

    def _set_busy(self, busy: bool) -> None:
        if self._scheduler is not None:
            self._scheduler.set_busy(busy)

    def _open(self) -> tuple[dict[ModelTier, OpenModel], int]:
        """Open the models that are on; return them, and how many could not be opened."""
        models: dict[ModelTier, OpenModel] = {}
        faults = 0
        for tier in filter(self._restrictions.may_ask, ModelTier):
            try:
                model = self._open_tier(tier, may_leave=partial(self._may_leave, tier))
            except KairosError as error:
                faults += 1
                logger.warning("the %s model is not asked: %s %s", tier.value, error.what, error.remedy)
            else:
                if model is not None:
                    models[tier] = model
        return models, faults

    def observe(self, rows: Sequence[Record]) -> None:
        """Look at the rows of one step."""
        for row in rows:
            if isinstance(row, Environment):
                self._on_battery = row.on_battery
            elif isinstance(row, ModelAnswer | HelpAnswer):
                self._tally.add(row)
        if self._answers is not None:
            self._answers.observe(rows)
        if self._scheduler is not None:
            self._scheduler.observe(rows)

    def stop(self) -> None:
        """Stop the query under way, and the answer."""
        if self._answers is not None:
            self._answers.stop()
        if self._scheduler is not None:
            self._scheduler.stop()

    async def close(self, limit_s: float) -> None:
        """Stop asking, and close the models; those that are still being opened are closed afterwards."""
        self._closed = True
        self._unwatch()
        try:
            async with asyncio.timeout(limit_s):
                if self._answers is not None:
                    await self._answers.close()
                await self.opened()
                if self._scheduler is not None:
                    await self._scheduler.close()
        except TimeoutError:
            logger.exception("stopping: models are late and were left behind")


def _call_soon(loop: asyncio.AbstractEventLoop, action: Callable[[], None]) -> None:
    """Have a loop call an action; one that has ended needs it no more."""
    with contextlib.suppress(RuntimeError):
        loop.call_soon_threadsafe(action)


def _log_bug(opening: asyncio.Task[None]) -> None:
    if not opening.cancelled() and (error := opening.exception()) is not None:
        logger.error("opening models failed", exc_info=error)
