"""One endpoint: a model at a server, asked within a deadline, one request at a time, the newest question first.

A newer `ask` ends the one before at once, also on the wire: nobody wants an answer about an older picture any more.
What was learned of a server stays until the endpoint is closed: the schema mode it takes, how many pictures fit, how
many log-probabilities it gives, how much room its answers need, and until when it wants to be left alone.
"""

import asyncio
import logging
import random
from collections.abc import Callable
from dataclasses import replace

from detectors.mllm import dialects
from detectors.mllm.client import keys
from detectors.mllm.client.address import Reach, checked
from detectors.mllm.client.exchange import Exchange, Turn
from detectors.mllm.client.keys import Secret
from detectors.mllm.client.options import how_to_ask, key_name, pictures_at_most
from detectors.mllm.client.ports import Budget, ModelCapabilities, SentLog
from detectors.mllm.client.prices import FREE, Counts, price_of
from detectors.mllm.client.retry import ExchangeResult, RetryPlan, another_way, next_attempt
from detectors.mllm.client.transport import HttpTransport, Lookup
from detectors.mllm.pictures import thinned
from detectors.mllm.presets import PRESETS, Preset
from detectors.mllm.questions import FailureReason, Form, ModelQuery, ModelResult
from detectors.mllm.wire import RefusalKind, Request, RequestOptions
from storage.clock import NS_PER_S, Clock
from storage.errors import UsageError
from storage.settings import ModelSettings

LEAST_S = 0.1
"""With less time left than this no request is begun."""

_LOG = logging.getLogger(__name__)


class Endpoint:
    """A `Model` at a server."""

    def __init__(
        self,
        preset: Preset,
        settings: ModelSettings,
        *,
        clock: Clock,
        budget: Budget,
        sent: SentLog,
        key: Secret | None,
        how: RequestOptions,
        rng: random.Random | None = None,
        on_battery: Callable[[], bool | None] = lambda: None,
        counts: Counts | None = None,
        lookup: Lookup | None = None,
        may_leave: Callable[[], bool] = lambda: True,
    ) -> None:
        """Prepare an endpoint; nothing is connected yet.

        Args:
            preset: what is known of the kind of server.
            settings: what the person chose; what is empty there is the preset's.
            clock: the clock.
            budget: what may be spent in a day.
            sent: the log of what is sent.
            key: the key, where one is needed.
            how: how to ask.
            rng: varies the time before a retry.
            on_battery: tells whether the machine runs on battery.
            counts: what requests are known to take.
            lookup: returns the addresses of a name; by default the system's.
            may_leave: is asked right before each request; nothing leaves where it says no.

        Raises:
            UsageError: pictures may not be sent to the address, or the preset's dialect is unknown.
            EnvironmentFault: the proxy or the certificates that the environment names cannot be used.
        """
        self.name = f"{preset.name}/{how.model}"
        self.address = checked(settings.url or preset.url, send_screens=settings.send_screens)
        self.price = price_of(preset, how.model)
        self._settings = settings
        self._clock = clock
        self._rng = rng or random.Random(0)  # noqa: S311  # spreads retries, guards nothing
        self._on_battery = on_battery
        self._dialect = dialects.by_name(preset.dialect)
        self._course = RetryPlan(how=how, pictures=max(1, min(settings.frames, preset.frames_max)))
        self._keyless = key is None and key_name(preset, settings) is not None
        headers = self._dialect.authorization(key.reveal()) if key is not None else {}
        self._line = HttpTransport(self.address, headers, lookup=lookup)
        self._exchange = Exchange(
            self._dialect,
            self._line,
            preset=preset.name,
            clock=clock,
            budget=budget,
            sent=sent,
            counts=counts or Counts(),
            price=self.price,
            may_leave=may_leave,
        )
        self._one = asyncio.Lock()
        self._newest: Turn | None = None

    @property
    def how(self) -> RequestOptions:
        """How the server is asked by now."""
        return self._course.how

    @property
    def pictures_max(self) -> int:
        """How many pictures it is sent by now, at most."""
        return self._course.pictures

    async def ask(self, ask: ModelQuery, *, deadline_s: float) -> ModelResult:
        """Return the answers, or the trouble, within `deadline_s` seconds. Cancelling it ends the request at once."""
        began_ns = self._clock.now_ns()
        self.stop()
        turn = self._newest = Turn(scope=asyncio.timeout(deadline_s))
        try:
            async with turn.scope, self._one:
                heard = await self._heard(ask, turn)
        except TimeoutError:
            heard = ExchangeResult(trouble=FailureReason.SUPERSEDED if turn.superseded else FailureReason.DEADLINE)
        finally:
            if self._newest is turn:
                self._newest = None
        return self._answers(heard, turn, began_ns)

    def _answers(self, heard: ExchangeResult, turn: Turn, began_ns: int) -> ModelResult:
        latency_s = (self._clock.now_ns() - began_ns) / NS_PER_S
        if heard.trouble is not None:
            _LOG.info("%s: no answer after %.2f s: %s", self._dialect.name, latency_s, heard.trouble.value)
        return ModelResult(
            answers=heard.answers,
            trouble=heard.trouble,
            usage=turn.usage,
            latency_s=latency_s,
            model=heard.model,
            pictures=turn.pictures,
            sent=tuple(turn.sent),
        )

    def stop(self) -> None:
        """End the query under way at once; its `ask` returns `SUPERSEDED`, with what it has cost so far."""
        if self._newest is not None:
            self._newest.give_way()

    async def close(self) -> None:
        """End what is under way, and let go of connections."""
        self.stop()
        async with self._one:
            await self._line.close()

    async def _heard(self, ask: ModelQuery, turn: Turn) -> ExchangeResult:
        """Send requests until one is answered or nothing more can be done."""
        if (forbidden := self._forbidden()) is not None:
            return ExchangeResult(trouble=forbidden)
        if self._dialect.decides and all(question.form is Form.TEXT for question in ask.questions):
            return ExchangeResult(trouble=FailureReason.REFUSED)  # a decision endpoint writes nothing
        course: RetryPlan | None = self._course
        before: Request | None = None
        heard = ExchangeResult(trouble=FailureReason.REFUSED)
        while course is not None:
            shown = thinned(ask, course.pictures)
            request = self._dialect.request(shown, course.how, course.repair)
            if before is not None and request.body == before.body and not course.same:
                # Two ways to ask can come to the same request; anything else that changes nothing is the end.
                course = another_way(course, heard.kind)
                self._remember(course)
                continue
            if (stopped := await self._stopped(course, turn)) is not None:
                return ExchangeResult(trouble=stopped, model=heard.model)
            before, turn.pictures = request, len(shown.pictures)
            heard = await self._exchange.send(request, shown, course.how, turn)
            if heard.trouble is None:
                self._remember(course)
                break
            course = next_attempt(course, heard, pictures=turn.pictures, chance=self._rng.random())
            if heard.kind in (RefusalKind.OVERFLOW, RefusalKind.SCHEMA, RefusalKind.LOG_PROBS):
                self._remember(course)
        return heard

    def _forbidden(self) -> FailureReason | None:
        """Return why nothing may be sent at all."""
        if self._keyless:
            return FailureReason.NO_KEY
        if self.price is not None and self.price != FREE and self._settings.dollars_per_day <= 0:
            return FailureReason.OVER_BUDGET  # what was spent cannot tell: it is nothing before the first call
        here = self.address.reach is Reach.LOOPBACK
        return FailureReason.ON_BATTERY if here and not self._settings.on_battery and self._on_battery() else None

    async def _stopped(self, course: RetryPlan, turn: Turn) -> FailureReason | None:
        """Wait as long as must be; return why a request may not be sent now."""
        wait_s = max(course.wait_s, (self._exchange.not_before_ns - self._clock.now_ns()) / NS_PER_S)
        if wait_s > 0:
            if wait_s + LEAST_S > turn.left_s():
                return FailureReason.BUSY
            await asyncio.sleep(wait_s)
        return None if self._exchange.allowed() else FailureReason.OVER_BUDGET

    def _remember(self, course: RetryPlan | None) -> None:
        """Keep what was learned of the server for the asks to come."""
        if course is not None:
            self._course = replace(self._course, how=course.how, pictures=course.pictures)


def open_model(
    settings: ModelSettings,
    *,
    clock: Clock,
    budget: Budget,
    sent: SentLog,
    verdict: ModelCapabilities | None = None,
    rng: random.Random | None = None,
    on_battery: Callable[[], bool | None] = lambda: None,
    may_leave: Callable[[], bool] = lambda: True,
) -> Endpoint:
    """Return the endpoint that settings name. May ask the keyring, so it is called before anything runs.

    Args:
        settings: one rung's; its preset is not empty.
        clock: the clock.
        budget: what may be spent in a day.
        sent: the log of what is sent.
        verdict: what was found out about the endpoint, if it was probed.
        rng: varies the time before a retry.
        on_battery: tells whether the machine runs on battery.
        may_leave: is asked right before each request.

    Raises:
        UsageError: the preset is unknown, a name is missing, or pictures may not be sent there.
        EnvironmentFault: the keyring cannot be asked, or the environment's proxy or certificates cannot be used.
    """
    preset = PRESETS.get(settings.preset)
    if preset is None:
        raise UsageError(f"There is no preset {settings.preset!r}.", remedy="see: kairos models list")
    if not (settings.url or preset.url):
        raise UsageError(f"{preset.name} has no address of its own", remedy="set url in the model's settings")
    return Endpoint(
        preset,
        replace(settings, frames=pictures_at_most(preset, settings, verdict)),
        clock=clock,
        budget=budget,
        sent=sent,
        key=keys.find(key_name(preset, settings)),
        how=how_to_ask(preset, settings, verdict),
        rng=rng,
        on_battery=on_battery,
        may_leave=may_leave,
        counts=Counts(verdict.tokens_per_picture if verdict is not None else 0),
    )
