"""Finds out what a model at an endpoint can do, with generated pictures alone: the screen is never sent.

Nothing a server says of itself is believed where it can be tried: a shape is "obeyed" only if the reply has one that
the words of the request do not mention; pictures count as read only if the server counts tokens for them.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, replace

from detectors.mllm.client import options as fitting
from detectors.mllm.client.ports import Budget, ModelCapabilities, SentLog
from detectors.mllm.client.prices import price_of
from detectors.mllm.client.transport import HttpTransport
from detectors.mllm.presets import Preset
from detectors.mllm.probing.samples import sample
from detectors.mllm.probing.schema_enforcement import has_unmentioned_shape, is_read, with_unmentioned_shape
from detectors.mllm.probing.server_facts import named_context
from detectors.mllm.probing.trial import Fails, Trial
from detectors.mllm.prompting.plain_text import plain_name
from detectors.mllm.questions import FailureReason, ModelQuery, Usage
from detectors.mllm.wire import Dialect, Refusal, Reply, RequestOptions, SchemaMode
from storage.clock import Clock
from storage.settings import ModelSettings

FIRST_S = 300.0
"""So long the first answer may take: a server may have to load its model."""

NEXT_S = 120.0
FACTS_S = 10.0
PATIENCE, WAIT_S = 10, 3.0
"""So often a server that says it is busy is asked again, after such a wait."""

PICTURES = (32, 16, 8, 4, 2)
ALTERNATIVES = (300, 100, 20, 5)
"""Alternatives per token that are asked for, from the most; the labels may not be among the likeliest."""

_MODES = (SchemaMode.JSON_SCHEMA, SchemaMode.JSON_OBJECT_SCHEMA)


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """What a probe found out.

    Attributes:
        verdict: what is remembered.
        readable: whether the reply to a plain question could be used.
        notes: what a person should know, in our words.
        usage: what the probe cost.
    """

    verdict: ModelCapabilities
    readable: bool
    notes: tuple[str, ...]
    usage: Usage


class Prober:
    """Tries one endpoint out."""

    def __init__(
        self,
        preset: Preset,
        settings: ModelSettings,
        *,
        line: HttpTransport,
        root: HttpTransport,
        dialect: Dialect,
        clock: Clock,
        budget: Budget,
        sent: SentLog,
        say: Callable[[str], None],
    ) -> None:
        """Prepare; `root` is a line to the server's root, `say` is told what is being tried."""
        self._preset = preset
        self._settings = settings
        self._line = line
        self._root = root
        self._dialect = dialect
        self._clock = clock
        self._say = say
        self._how = fitting.how_to_ask(preset, settings, None)
        self._seed = 0
        self._trial = Trial(
            preset=preset.name,
            line=line,
            dialect=dialect,
            clock=clock,
            budget=budget,
            sent=sent,
            price=price_of(preset, self._how.model),
        )

    async def run(self) -> Findings:
        """Return what was found out.

        Raises:
            Fails: the server cannot be used.
        """
        self._say("what the server says of itself")
        context = await self._context()
        how = replace(self._how, schema_mode=SchemaMode.PROMPTED, top_log_probs=0)
        await self._first(how)
        mode, thinks = await self._mode(how)
        how = replace(how, schema_mode=mode, still_thinks=thinks)
        self._say("one picture again, for the time it takes")
        ask = self._sample(1)
        single = await self._trial.must(ask, how, NEXT_S)
        took_s, readable = self._trial.took_s, is_read(ask, single)
        log_probs = 0 if self._dialect.decides else await self._log_probs(how)
        verdict = ModelCapabilities(
            schema_mode=mode,
            log_probs=log_probs,
            context_tokens=context,
            still_thinks=thinks,
            latency_s=round(took_s, 3),
            model=plain_name(single.model),
            at_wall_ns=self._clock.wall_ns(),
        )
        verdict = await self._pictures(verdict, single)
        return Findings(
            verdict=verdict, readable=readable, notes=self._notes(verdict, readable=readable), usage=self._trial.usage
        )

    # ------------------------------------------------------------ what is tried

    async def _first(self, how: RequestOptions) -> None:
        """Send the first request; a server that is busy loading its model is asked again for a while."""
        self._say("one picture, and whether anything answers at all")
        for patience in range(PATIENCE, -1, -1):
            try:
                await self._trial.must(self._sample(1), how, FIRST_S)
            except Fails as fails:
                if fails.trouble is not FailureReason.BUSY or not patience:
                    raise
                await asyncio.sleep(WAIT_S)
            else:
                return

    async def _context(self) -> int:
        """Return the context length that a server on this machine or near it names; 0 if it names none in time."""
        if self._preset.remote:
            return 0
        try:
            async with asyncio.timeout(FACTS_S):
                return await named_context(self._line, self._root, self._how.model)
        except TimeoutError:
            return 0

    async def _mode(self, how: RequestOptions) -> tuple[SchemaMode, bool]:
        """Return the first way to enforce a shape that was really obeyed, and whether the model thinks anyway."""
        if self._dialect.decides:
            return SchemaMode.NATIVE, False
        tried: list[bytes] = []
        thinks = False
        modes = [mode for mode in dict.fromkeys((self._preset.schema_mode, *_MODES)) if mode is not SchemaMode.PROMPTED]
        while modes:
            ask = self._sample(1)
            request = self._dialect.request(ask, replace(how, schema_mode=modes[0], still_thinks=thinks))
            body = bytes(request.body).replace(ask.pictures[0].base64, b"")
            if body in tried:  # another name for the same request
                modes.pop(0)
                continue
            tried.append(body)
            self._say(f"whether {modes[0].value} is obeyed")
            trap = with_unmentioned_shape(request, ask)
            came = await self._trial.send(trap or request, ask, how, NEXT_S)
            if isinstance(came, Reply):
                if has_unmentioned_shape(came) if trap is not None else is_read(ask, came):
                    return modes[0], thinks or bool(came.reasoning.strip())
                if came.reasoning.strip() and not thinks:  # once more, with room for thoughts before the answer
                    thinks = True
                    continue
            modes.pop(0)
        return SchemaMode.PROMPTED, thinks

    async def _log_probs(self, how: RequestOptions) -> int:
        """Return how many alternatives per token are given, of as many as are wanted."""
        most = self._preset.log_probs if self._preset.remote else max(ALTERNATIVES)
        for wanted in ALTERNATIVES:
            if wanted > most:
                continue
            self._say(f"log-probabilities of {wanted} alternatives")
            ask = self._sample(1)
            wants = replace(how, top_log_probs=wanted)
            came = await self._trial.send(self._dialect.request(ask, wants), ask, wants, NEXT_S)
            if isinstance(came, Reply):
                return min(wanted, max((len(token.others) for token in came.tokens), default=0))
        return 0

    async def _pictures(self, verdict: ModelCapabilities, single: Reply) -> ModelCapabilities:
        """Return the verdict with the largest number of pictures that are taken, and what one of them costs."""
        for count in PICTURES:
            if count > self._preset.frames_max:
                continue
            self._say(f"{count} pictures")
            how = fitting.how_to_ask(self._preset, self._settings, replace(verdict, pictures_max=count))
            ask = self._sample(count)
            came = await self._trial.send(self._dialect.request(ask, how), ask, how, NEXT_S)
            if isinstance(came, Refusal) and came.context_tokens and not verdict.context_tokens:
                verdict = replace(verdict, context_tokens=came.context_tokens)
            if not isinstance(came, Reply):
                continue
            each = (came.usage.tokens_in - single.usage.tokens_in) // (count - 1)
            counts = came.usage.tokens_in > 0 and single.usage.tokens_in > 0
            if counts and each < 1:  # it took them and dropped most without a word
                continue
            return replace(verdict, pictures_max=count, tokens_per_picture=each if counts else 0)
        return verdict

    def _notes(self, verdict: ModelCapabilities, *, readable: bool) -> tuple[str, ...]:
        notes = []
        if not readable:
            notes.append("its answer to a plain question could not be used: this model may be too small for the task")
        if verdict.latency_s > self._settings.deadline_s:
            notes.append(
                f"a single picture takes {verdict.latency_s:.1f} s, longer than deadline_s = "
                f"{self._settings.deadline_s:g}: live, its answers would come too late"
            )
        if verdict.still_thinks:
            notes.append("it thinks before it answers and cannot be told not to, which takes time")
        if not verdict.log_probs and not self._dialect.decides:
            notes.append("it gives no log-probabilities, so how sure it is rests on its own word")
        if not verdict.tokens_per_picture and verdict.pictures_max > 1:
            notes.append("it does not count tokens, so the limits of tokens and money rest on a guess")
        return tuple(notes)

    def _sample(self, count: int) -> ModelQuery:
        """Return pictures that were not sent before, so that no server can answer from its cache."""
        self._seed += 1
        return sample(count, seed=self._seed)
