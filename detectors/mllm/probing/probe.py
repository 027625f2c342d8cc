"""Finds out what a model at an endpoint can do, with generated pictures alone: the screen is never sent.

What a server reports of itself is not believed where it can be tried. A schema counts as obeyed only if the reply
follows one that the words of the request do not mention; pictures count as read only if the server counts tokens for
them. Unlike a live endpoint a probe neither retries nor repairs: how a server handles one request is the question.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, replace

import msgspec

from detectors.mllm.client.exchange import outcome_of
from detectors.mllm.client.keys import Secret, model_name
from detectors.mllm.client.retry import FAILURES
from detectors.mllm.client.spending import TokenEstimator, is_count, price_of, with_dollars
from detectors.mllm.client.transport import HttpFailure, HttpTransport
from detectors.mllm.presets import Preset, request_options
from detectors.mllm.probing.samples import reported_context, sample
from detectors.mllm.prompting import wording
from detectors.mllm.prompting.reply_parser import find_objects, parse_reply
from detectors.mllm.protocol import (
    CANCELLED,
    DONE,
    Body,
    DayBudget,
    Dialect,
    ModelCapabilities,
    Refusal,
    Reply,
    Request,
    RequestLog,
    RequestOptions,
    SchemaMode,
)
from detectors.mllm.questions import FailureReason, ModelQuery, QueryPicture, Usage
from storage.clock import NS_PER_S, Clock
from storage.settings import ModelSettings

FIRST_S = 300.0  # time limit of the first answer: a server may have to load its model
NEXT_S = 120.0
FACTS_S = 10.0
BUSY_RETRIES, BUSY_WAIT_S = 10, 3.0  # how often a server that is busy is tried again, and the wait before each
PICTURES = (32, 16, 8, 4, 2)
ALTERNATIVES = (300, 100, 20, 5)
"""Alternatives per token to request, from the most; the labels may not be among the likeliest."""

REPLY_BYTES = 8 << 20

_MODES = (SchemaMode.JSON_SCHEMA, SchemaMode.JSON_OBJECT_SCHEMA)
_COLOUR, _SHADE = "colour", "teal41"
_UNMENTIONED_SCHEMA = {
    "type": "object",
    "properties": {_COLOUR: {"type": "string", "enum": [_SHADE]}},
    "required": [_COLOUR],
    "additionalProperties": False,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbeResult:
    """What a probe found out."""

    capabilities: ModelCapabilities  # what is stored
    readable: bool  # whether the reply to a plain question could be used
    notes: tuple[str, ...]  # what a person should know
    usage: Usage  # what the probe cost


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbeFailure:
    """Why a server cannot be used at all: the reason, the server's refusal where there was one, and the cost so far."""

    reason: FailureReason
    refusal: Refusal | None
    usage: Usage


class _Unusable(Exception):  # noqa: N818  # reads better in an except clause
    """The server cannot be used, for the reason in `result`."""

    def __init__(self, result: Refusal | FailureReason) -> None:
        super().__init__()
        self.result = result


class Prober:
    """Tries out one endpoint."""

    def __init__(
        self,
        preset: Preset,
        settings: ModelSettings,
        *,
        transport: HttpTransport,
        root: HttpTransport,
        dialect: Dialect,
        clock: Clock,
        budget: DayBudget,
        sent: RequestLog,
        report: Callable[[str], None],
        key: Secret | None = None,
    ) -> None:
        """Prepare; `root` is a transport to the server's root, `report` receives what is being tried.

        `key` is the one that the transports carry: no name that the server gives a model may hold it.
        """
        self._key = key
        self._preset = preset
        self._settings = settings
        self._transport = transport
        self._root = root
        self._dialect = dialect
        self._clock = clock
        self._budget = budget
        self._sent = sent
        self._report = report
        self._options = request_options(preset, settings, None)
        self._price = price_of(preset, self._options.model)
        self._usage = Usage()
        self._took_s = 0.0
        self._seed = 0
        self._odd: set[str] = set()

    async def run(self) -> ProbeResult | ProbeFailure:
        """Return what was found out, or why the server cannot be used."""
        try:
            return await self._probe()
        except _Unusable as unusable:
            refusal = unusable.result if isinstance(unusable.result, Refusal) else None
            reason = unusable.result if isinstance(unusable.result, FailureReason) else _reason_of(unusable.result)
        return ProbeFailure(reason=reason, refusal=refusal, usage=self._usage)

    # ------------------------------------------------------------ what is tried

    async def _probe(self) -> ProbeResult:
        self._report("what the server says of itself")
        context = await self._context()
        options = replace(self._options, schema_mode=SchemaMode.PROMPTED, top_log_probs=0)
        await self._first(options)
        mode, thinks = await self._schema_mode(options)
        options = replace(options, schema_mode=mode, still_thinks=thinks)
        self._report("one picture again, for the time it takes")
        query = self._sample(1)
        single = await self._require(query, options, NEXT_S)
        took_s, readable = self._took_s, _is_readable(query, single)
        capabilities = ModelCapabilities(
            schema_mode=mode,
            log_probs=0 if self._dialect.decides else await self._log_probs(options),
            context_tokens=context,
            still_thinks=thinks,
            latency_s=round(took_s, 3),
            model=model_name(single.model, self._key),
            at_wall_ns=self._clock.wall_ns(),
        )
        capabilities = await self._pictures(capabilities, single)
        notes = self._notes(capabilities, readable=readable)
        return ProbeResult(capabilities=capabilities, readable=readable, notes=notes, usage=self._usage)

    async def _first(self, options: RequestOptions) -> None:
        """Send the first request; a server that is busy loading its model is tried again for a while."""
        self._report("one picture, and whether anything answers at all")
        for retries in range(BUSY_RETRIES, -1, -1):
            query = self._sample(1)
            result = await self._send(self._dialect.request(query, options), query, options, FIRST_S)
            if isinstance(result, Reply):
                return
            busy = isinstance(result, Refusal) and _reason_of(result) is FailureReason.BUSY
            if not busy or not retries:
                raise _Unusable(result)
            await asyncio.sleep(BUSY_WAIT_S)

    async def _context(self) -> int:
        """Return the context length that a server on this machine or near it reports; 0 if it reports none in time."""
        if self._preset.remote:
            return 0
        try:
            async with asyncio.timeout(FACTS_S):
                return await reported_context(self._transport, self._root, self._options.model)
        except TimeoutError:
            return 0

    async def _schema_mode(self, options: RequestOptions) -> tuple[SchemaMode, bool]:
        """Return the first schema mode that was really obeyed, and whether the model thinks anyway."""
        if self._dialect.decides:
            return SchemaMode.NATIVE, False
        tried: list[bytes] = []
        thinks = False
        modes = [mode for mode in dict.fromkeys((self._preset.schema_mode, *_MODES)) if mode is not SchemaMode.PROMPTED]
        while modes:
            query = self._sample(1)
            request = self._dialect.request(query, replace(options, schema_mode=modes[0], still_thinks=thinks))
            body = bytes(request.body).replace(query.pictures[0].base64, b"")
            if body in tried:  # another name for the same request
                modes.pop(0)
                continue
            tried.append(body)
            self._report(f"whether {modes[0].value} is obeyed")
            altered = _with_unmentioned_schema(request, query)
            result = await self._send(altered or request, query, options, NEXT_S)
            if isinstance(result, Reply):
                if _follows_unmentioned_schema(result) if altered is not None else _is_readable(query, result):
                    return modes[0], thinks or bool(result.reasoning.strip())
                if result.reasoning.strip() and not thinks:  # once more, with room for thoughts before the answer
                    thinks = True
                    continue
            modes.pop(0)
        return SchemaMode.PROMPTED, thinks

    async def _log_probs(self, options: RequestOptions) -> int:
        most = self._preset.log_probs if self._preset.remote else max(ALTERNATIVES)
        for wanted in ALTERNATIVES:
            if wanted > most:
                continue
            self._report(f"log-probabilities of {wanted} alternatives")
            query = self._sample(1)
            requested = replace(options, top_log_probs=wanted)
            result = await self._send(self._dialect.request(query, requested), query, requested, NEXT_S)
            if isinstance(result, Reply):
                return min(wanted, max((len(token.others) for token in result.tokens), default=0))
        return 0

    async def _pictures(self, capabilities: ModelCapabilities, single: Reply) -> ModelCapabilities:
        """Return the capabilities with the largest number of pictures that are taken, and the cost of one."""
        for count in PICTURES:
            if count > self._preset.frames_max:
                continue
            self._report(f"{count} pictures")
            options = request_options(self._preset, self._settings, replace(capabilities, pictures_max=count))
            query = self._sample(count)
            result = await self._send(self._dialect.request(query, options), query, options, NEXT_S)
            if isinstance(result, Refusal) and result.context_tokens and not capabilities.context_tokens:
                capabilities = replace(capabilities, context_tokens=result.context_tokens)
            if not isinstance(result, Reply):
                continue
            each = (result.usage.tokens_in - single.usage.tokens_in) // (count - 1)
            counts = result.usage.tokens_in > 0 and single.usage.tokens_in > 0
            if counts and each < 1:  # it took them and dropped most silently
                continue
            return replace(capabilities, pictures_max=count, tokens_per_picture=each if counts else 0)
        return capabilities

    def _notes(self, capabilities: ModelCapabilities, *, readable: bool) -> tuple[str, ...]:
        notes = []
        if not readable:
            notes.append("its answer to a plain question could not be used: this model may be too small for the task")
        if capabilities.latency_s > self._settings.deadline_s:
            notes.append(
                f"a single picture takes {capabilities.latency_s:.1f} s, longer than deadline_s = "
                f"{self._settings.deadline_s:g}: live, its answers would come too late"
            )
        if capabilities.still_thinks:
            notes.append("it thinks before it answers and cannot be told not to, which takes time")
        if not capabilities.log_probs and not self._dialect.decides:
            notes.append("it gives no log-probabilities, so how sure it is rests on its own word")
        notes += [
            f"what it sends as {name} beside an answer cannot be read, and is left out" for name in sorted(self._odd)
        ]
        if not capabilities.tokens_per_picture and capabilities.pictures_max > 1:
            notes.append("it does not count tokens, so the limits of tokens and money rest on a guess")
        return tuple(notes)

    def _sample(self, count: int) -> ModelQuery:
        """Return pictures that were not sent before, so that no server can answer from its cache."""
        self._seed += 1
        return sample(count, seed=self._seed)

    # ------------------------------------------------------------ single requests

    async def _require(self, query: ModelQuery, options: RequestOptions, limit_s: float) -> Reply:
        """Send a request that the server has to answer if it is to be of any use."""
        result = await self._send(self._dialect.request(query, options), query, options, limit_s)
        if not isinstance(result, Reply):
            raise _Unusable(result)
        return result

    async def _send(
        self, request: Request, query: ModelQuery, options: RequestOptions, limit_s: float
    ) -> Reply | Refusal | FailureReason:
        if not self._budget.allows(self._clock.wall_ns()):
            raise _Unusable(FailureReason.OVER_BUDGET)
        address = self._transport.address.url
        entry = await self._sent.begin(request, endpoint=self._preset.name, address=address, model=options.model)
        self._count(Usage(calls=1))
        result: Reply | Refusal | HttpFailure | None = None
        began_ns = self._clock.now_ns()
        try:
            result = await self._exchange(request, query, limit_s)
        finally:
            self._took_s = (self._clock.now_ns() - began_ns) / NS_PER_S
            room = 0 if self._dialect.decides else options.room
            usage = with_dollars(TokenEstimator().charge(request, result, room=room), self._price)
            self._count(usage)
            self._sent.end(entry, _outcome(result), usage)
        if isinstance(result, Reply):
            self._odd.update(result.odd)
            if not is_count(request, result.usage.tokens_in):
                result = replace(result, usage=replace(result.usage, tokens_in=0))
        return result.reason if isinstance(result, HttpFailure) else result

    async def _exchange(self, request: Request, query: ModelQuery, limit_s: float) -> Reply | Refusal | HttpFailure:
        try:
            async with asyncio.timeout(limit_s):
                received = await self._transport.post(request, limit=REPLY_BYTES)
        except TimeoutError:
            return HttpFailure(reason=FailureReason.DEADLINE, delivered=True)
        return outcome_of(self._dialect, received, query)

    def _count(self, usage: Usage) -> None:
        self._usage += usage
        self._budget.spend(usage, self._clock.wall_ns())


def _reason_of(refusal: Refusal) -> FailureReason:
    return FAILURES[refusal.kind]


def _outcome(result: Reply | Refusal | HttpFailure | None) -> str:
    if isinstance(result, Reply):
        return DONE
    if isinstance(result, Refusal):
        return _reason_of(result).value
    return CANCELLED if result is None else result.reason.value


def _is_readable(query: ModelQuery, reply: Reply) -> bool:
    return not parse_reply(query, reply).problem


def _with_unmentioned_schema(request: Request, query: ModelQuery) -> Request | None:
    """Return the request with a schema that its words do not mention; None where the dialect rewrites schemas."""
    schema, other = msgspec.json.encode(wording.schema(query)), msgspec.json.encode(_UNMENTIONED_SCHEMA)
    parts = request.body.parts
    if not any(schema in part for part in parts if not isinstance(part, QueryPicture)):
        return None
    changed = (part if isinstance(part, QueryPicture) else part.replace(schema, other) for part in parts)
    return replace(request, body=Body(parts=tuple(changed)))


def _follows_unmentioned_schema(reply: Reply) -> bool:
    text = f"{reply.reasoning}\n{reply.text}"
    return any(found.fields.get(_COLOUR) == _SHADE for found in find_objects(text, [_COLOUR]))
