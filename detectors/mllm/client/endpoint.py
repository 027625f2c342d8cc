"""One endpoint: a model at a server, queried within a deadline, one query at a time, the newest first.

A newer `ask` ends the previous one at once, also on the network: an answer about an older picture is of no use. What an
endpoint learns of its server is used until it is closed: the schema mode it takes, how many pictures fit, how many
log-probabilities it gives, how many tokens its answers need, and when it accepts the next request.
"""

import asyncio
import logging
import random
from collections.abc import Callable
from dataclasses import replace

from detectors.mllm import dialects
from detectors.mllm.client import keys
from detectors.mllm.client.address import NetworkScope, find_listener, parse_address
from detectors.mllm.client.exchange import QueryProgress, RequestExchange
from detectors.mllm.client.keys import Secret
from detectors.mllm.client.retry import ExchangeResult, RetryPlan, next_attempt, without_refused
from detectors.mllm.client.spending import FREE, TokenEstimator, price_of
from detectors.mllm.client.transport import FindListener, HttpTransport, Lookup
from detectors.mllm.presets import PRESETS, Preset, is_forwarded, key_name, max_pictures, request_options
from detectors.mllm.prompting.briefs import tokens_needed
from detectors.mllm.protocol import (
    AnswerStream,
    DayBudget,
    ModelCapabilities,
    RefusalKind,
    Request,
    RequestLog,
    RequestOptions,
)
from detectors.mllm.questions import WRITTEN, FailureReason, ModelQuery, ModelResult, with_fewer_pictures
from storage.clock import NS_PER_S, Clock
from storage.errors import UsageError
from storage.settings import ModelSettings
from storage.translation.sentences import translatable

MIN_REQUEST_S = 0.1  # with less time left than this no request is sent
_LOG = logging.getLogger(__name__)


class Endpoint:
    """A `Model` at a server."""

    def __init__(
        self,
        preset: Preset,  # the kind of server
        settings: ModelSettings,  # the person's choices; the preset's values replace those that are empty
        *,
        clock: Clock,
        budget: DayBudget,  # what may be spent in a day
        sent: RequestLog,  # the log of sent requests
        key: Secret | None,  # the key, where one is needed
        options: RequestOptions,  # those of the first request
        rng: random.Random | None = None,  # varies the wait before a retry
        on_battery: Callable[[], bool | None] = lambda: None,  # whether the machine runs on battery; None: not known
        estimator: TokenEstimator | None = None,  # what requests are known to cost
        lookup: Lookup | None = None,  # resolves a name; by default the system's resolver
        # tells who listens on this machine; a stranger is sent nothing without `send_screens`
        find_listener: FindListener = find_listener,
        may_send: Callable[[], bool] = lambda: True,  # checked right before each request
    ) -> None:
        """Prepare an endpoint; nothing is connected yet.

        Raises:
            UsageError: pictures may not be sent to the address, or the preset's dialect is unknown.
            EnvironmentFault: the proxy or the certificates that the environment names cannot be used.
        """
        self.name = f"{preset.name}/{options.model}"
        self.address = parse_address(settings.url or preset.url, send_screens=settings.send_screens)
        self.price = price_of(preset, options.model)
        self.remote = self.address.scope is not NetworkScope.LOOPBACK or is_forwarded(preset, options.model)
        self._settings = settings
        self._clock = clock
        self._rng = rng or random.Random(0)  # noqa: S311  # spreads retries, guards nothing
        self._on_battery = on_battery
        self._dialect = dialects.by_name(preset.dialect)
        self._plan = RetryPlan(options=options, pictures=max(1, min(settings.frames, preset.frames_max)))
        self._key_missing = key is None and key_name(preset, settings) is not None
        headers = self._dialect.authorization(key.reveal()) if key is not None else {}
        self._transport = HttpTransport(
            self.address, headers, lookup=lookup, find_listener=None if settings.send_screens else find_listener
        )
        self._exchange = RequestExchange(
            self._dialect,
            self._transport,
            preset=preset.name,
            clock=clock,
            budget=budget,
            sent=sent,
            estimator=estimator or TokenEstimator(),
            price=self.price,
            may_send=may_send,
            key=key,
        )
        self._lock = asyncio.Lock()
        self._newest: QueryProgress | None = None

    @property
    def options(self) -> RequestOptions:
        """The options of the next request, with what was learned of the server."""
        return self._plan.options

    @property
    def pictures_max(self) -> int:
        """How many pictures the next request may hold."""
        return self._plan.pictures

    async def ask(
        self, query: ModelQuery, *, deadline_s: float, stream: AnswerStream | None = None, purpose: str = ""
    ) -> ModelResult:
        """Return the result within `deadline_s` seconds. Cancelling it ends the request at once.

        `stream` takes the answer's text while it is written, unchecked; a server that does not stream brings none.
        `purpose` says in the sent log what the query is for.
        """
        began_ns = self._clock.now_ns()
        self.stop()
        progress = QueryProgress(deadline=asyncio.timeout(deadline_s), stream=stream, purpose=purpose)
        self._newest = progress
        try:
            async with progress.deadline, self._lock:
                result = await self._exchange_until_done(query, progress)
        except TimeoutError:
            reason = FailureReason.SUPERSEDED if progress.superseded else FailureReason.DEADLINE
            result = ExchangeResult(failure=reason)
        finally:
            if self._newest is progress:
                self._newest = None
        return self._model_result(result, progress, began_ns)

    def _model_result(self, result: ExchangeResult, progress: QueryProgress, began_ns: int) -> ModelResult:
        latency_s = (self._clock.now_ns() - began_ns) / NS_PER_S
        if result.failure is not None:
            _LOG.info("%s: no answer after %.2f s: %s", self._dialect.name, latency_s, result.failure.value)
        return ModelResult(
            answers=result.answers,
            failure=result.failure,
            usage=progress.usage,
            latency_s=latency_s,
            model=result.model,
            pictures=progress.pictures,
            sent=tuple(progress.sent),
            refused=result.kind.value if result.kind is not None else "",
            status=result.refusal.status if result.refusal is not None else 0,
        )

    def stop(self) -> None:
        """End the query under way at once; its `ask` returns `SUPERSEDED`, with what it has cost so far."""
        if self._newest is not None:
            self._newest.supersede()

    async def close(self) -> None:
        """End a query under way, and close connections."""
        self.stop()
        async with self._lock:
            await self._transport.close()

    async def _exchange_until_done(self, query: ModelQuery, progress: QueryProgress) -> ExchangeResult:
        if (forbidden := self._forbidden(query)) is not None:
            return ExchangeResult(failure=forbidden)
        plan: RetryPlan | None = self._plan_for(query)
        previous: Request | None = None
        result = ExchangeResult(failure=FailureReason.REFUSED)
        while plan is not None:
            shown = with_fewer_pictures(query, plan.pictures)
            options = replace(plan.options, stream=progress.stream is not None)
            if query.brief is not None:
                options = replace(options, top_log_probs=0)
            request = self._dialect.request(shown, options, plan.repair)
            if previous is not None and request.body == previous.body and not plan.same:
                # Two schema modes can give the same request; any other plan that changes nothing is the end.
                plan = without_refused(plan, result.kind)
                self._remember(plan, query)
                continue
            if (failure := await self._wait(plan, progress)) is not None:
                return ExchangeResult(failure=failure, model=result.model)
            previous, progress.pictures = request, len(shown.pictures)
            result = await self._exchange.send(request, shown, options, progress)
            if result.failure is None:
                self._remember(plan, query)
                break
            plan = next_attempt(plan, result, pictures=progress.pictures, jitter=self._rng.random())
            if result.kind in (RefusalKind.OVERFLOW, RefusalKind.SCHEMA, RefusalKind.LOG_PROBS):
                self._remember(plan, query)
        return result

    def _plan_for(self, query: ModelQuery) -> RetryPlan:
        """Return how the first request of a query is made: with room for the answer that a brief needs."""
        if query.brief is None:
            return self._plan
        room = max(self._plan.options.max_tokens, tokens_needed(query.brief))
        return replace(self._plan, options=replace(self._plan.options, max_tokens=room))

    def _forbidden(self, query: ModelQuery) -> FailureReason | None:
        if self._key_missing:
            return FailureReason.NO_KEY
        if self.price is not None and self.price != FREE and self._settings.dollars_per_day <= 0:
            return FailureReason.OVER_BUDGET  # before the first call nothing is spent, so the budget would allow it
        local = self.address.scope is NetworkScope.LOOPBACK
        if local and not self._settings.on_battery and self._on_battery():
            return FailureReason.ON_BATTERY
        free_alone = all(question.form in WRITTEN for question in query.questions)
        return FailureReason.REFUSED if self._dialect.decides and free_alone else None

    async def _wait(self, plan: RetryPlan, progress: QueryProgress) -> FailureReason | None:
        wait_s = max(plan.wait_s, (self._exchange.not_before_ns - self._clock.now_ns()) / NS_PER_S)
        if wait_s > 0:
            if wait_s + MIN_REQUEST_S > progress.left_s():
                return FailureReason.BUSY
            await asyncio.sleep(wait_s)
        return None if self._exchange.within_budget() else FailureReason.OVER_BUDGET

    def _remember(self, plan: RetryPlan | None, query: ModelQuery) -> None:
        """Use what was learned of the server for later queries; how long an answer may be, each brief says itself."""
        if plan is None:
            return
        room = plan.options.max_tokens if query.brief is None else self._plan.options.max_tokens
        self._plan = replace(self._plan, options=replace(plan.options, max_tokens=room), pictures=plan.pictures)


def open_model(
    settings: ModelSettings,
    *,
    clock: Clock,
    budget: DayBudget,
    sent: RequestLog,
    capabilities: ModelCapabilities | None = None,
    rng: random.Random | None = None,
    on_battery: Callable[[], bool | None] = lambda: None,
    may_send: Callable[[], bool] = lambda: True,
) -> Endpoint:
    """Return the endpoint that settings name. May wait for the keyring, so it is called before anything runs.

    `settings` are one tier's, with a preset; `capabilities` those that a probe found. The rest is as in `Endpoint`.

    Raises:
        UsageError: the preset is unknown, a name is missing, or pictures may not be sent there.
        EnvironmentFault: the keyring cannot be read, or the environment's proxy or certificates cannot be used.
    """
    preset = PRESETS.get(settings.preset)
    if preset is None:
        raise UsageError(
            translatable("There is no preset {preset}.", preset=repr(settings.preset)),
            remedy=translatable("see: kairos models list"),
        )
    if not (settings.url or preset.url):
        raise UsageError(
            translatable("{preset} has no address of its own", preset=preset.name),
            remedy=translatable("set url in the model's settings"),
        )
    return Endpoint(
        preset,
        replace(settings, frames=max_pictures(preset, settings, capabilities)),
        clock=clock,
        budget=budget,
        sent=sent,
        key=keys.find(key_name(preset, settings)),
        options=request_options(preset, settings, capabilities),
        rng=rng,
        on_battery=on_battery,
        may_send=may_send,
        estimator=TokenEstimator(capabilities.tokens_per_picture if capabilities is not None else 0),
    )
