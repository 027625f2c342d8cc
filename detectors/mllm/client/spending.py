"""What calls cost: prices, estimates where a server does not count tokens, and daily budgets lifted at local midnight.

A price belongs to the model it was published for. For another model of the same preset none is known: its calls and
tokens are limited, its money cannot be. Limits are checked before a call, so the last call of a day may exceed the
limits of tokens and money by its own usage. Usage is counted whether or not it led to an answer, and where a server may
charge for what it did not count, an estimate is.
"""

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Protocol

from detectors.mllm.client.transport import HttpFailure
from detectors.mllm.presets import Preset
from detectors.mllm.protocol import PICTURE_TOKENS, Refusal, Reply, Request, RequestOptions
from detectors.mllm.questions import QueryPicture, Usage
from storage.clock import NS_PER_S
from storage.settings import ModelSettings

_BYTES_PER_TOKEN = 4
_BYTES_PER_TOKEN_MAX = 16  # the body also holds a schema that may never reach the model
_COUNT_LEAST = 128  # no context is shorter, so a lower count of a longer prompt counts something else
_MILLION = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """US dollars per million tokens; cached tokens are priced as others, which is never too little."""

    tokens_in: float
    tokens_out: float

    def of(self, usage: Usage) -> float:
        """Return what this usage costs."""
        return (usage.tokens_in * self.tokens_in + usage.tokens_out * self.tokens_out) / _MILLION


FREE = Price(tokens_in=0.0, tokens_out=0.0)


def price_of(preset: Preset, model: str) -> Price | None:
    """Return the price of a preset's model; None if it is not known. What is not remote costs nothing."""
    if not preset.remote:
        return FREE
    if model != preset.model or preset.price_in is None or preset.price_out is None:
        return None
    return Price(tokens_in=preset.price_in, tokens_out=preset.price_out)


def with_dollars(usage: Usage, price: Price | None) -> Usage:
    """Return a usage with its dollars; 0 where no price is known."""
    return usage if price is None else replace(usage, dollars=price.of(usage))


class TokenEstimator:
    """Estimates the tokens of requests to one endpoint, from those that it counted before."""

    def __init__(self, picture_tokens: int = 0) -> None:
        self.picture_tokens = picture_tokens or PICTURE_TOKENS
        self._last = (0, 0)

    def estimate(self, request: Request) -> Usage:
        """Return the likely usage of a request whose reply never came."""
        text, pictures = _sizes(request)
        return Usage(tokens_in=text // _BYTES_PER_TOKEN + pictures * self.picture_tokens)

    def charge(self, request: Request, result: Reply | Refusal | HttpFailure | None, *, room: int) -> Usage:
        """Return what a request has cost or may have: as its reply counts, else by estimate; 0 where it was not read.

        `room` is how many tokens the answer could have; a reply that did not come to its end may have used all of them.
        """
        if isinstance(result, Reply):
            counted = replace(result.usage, calls=0)
            written = counted.tokens_out or -(-len(result.text + result.reasoning) // _BYTES_PER_TOKEN)
            if not is_count(request, counted.tokens_in):
                counted = self.estimate(request)
            return replace(counted, tokens_out=written)
        if (isinstance(result, Refusal) and not result.billed) or (
            isinstance(result, HttpFailure) and not result.delivered
        ):
            return Usage()
        return replace(self.estimate(request), tokens_out=room)

    def was_truncated(self, request: Request, options: RequestOptions, usage: Usage) -> bool:
        """Tell whether a server read less than it was sent, without saying so.

        Some fill the context to its last token and drop the rest: then the count is the whole context, or equal for
        another number of pictures. Others keep fewer tokens than the text alone can be.
        """
        read = usage.tokens_in
        if not is_count(request, read):
            return False  # it does not count
        text, pictures = _sizes(request)
        last_pictures, last_read = self._last
        return (
            0 < options.context_tokens <= read
            or (read == last_read and pictures != last_pictures)
            or read < text // _BYTES_PER_TOKEN_MAX + pictures
        )

    def observe(self, request: Request, usage: Usage) -> None:
        """Learn from a request that was read as a whole."""
        text, pictures = _sizes(request)
        if not is_count(request, usage.tokens_in) or not pictures:
            return
        self._last = (pictures, usage.tokens_in)
        self.picture_tokens = max(1, round((usage.tokens_in - text / _BYTES_PER_TOKEN) / pictures))


def is_count(request: Request, read: int) -> bool:
    """Tell whether these can be the tokens of a request, all of it or what a context had room for."""
    text, pictures = _sizes(request)
    return read > 0 and read >= min(_COUNT_LEAST, text // _BYTES_PER_TOKEN_MAX + pictures)


def _sizes(request: Request) -> tuple[int, int]:
    parts = request.body.parts
    text = sum(len(part) for part in parts if not isinstance(part, QueryPicture))
    return text, sum(isinstance(part, QueryPicture) for part in parts)


class SpendingLedger(Protocol):
    """Spending of each tier on each local day; `tier` is the name of the tier's table in the settings."""

    def spent(self, tier: str, day: str) -> tuple[int, int, float]:
        """Return calls, tokens and US dollars of a day, "2026-11-21"."""
        ...

    def spend(self, tier: str, day: str, *, calls: int, tokens: int, dollars: float) -> None:
        """Add to the spending of a day. Returns at once, without waiting for a disk."""
        ...


class DailyBudget:
    """A `Budget`: the limits of one tier's settings, checked against a ledger."""

    def __init__(self, tier: str, settings: ModelSettings, ledger: SpendingLedger) -> None:
        self._tier = tier
        self._settings = settings
        self._ledger = ledger

    def allows(self, now_wall_ns: int) -> bool:
        """Tell whether calls, tokens and money of the day are all left; a limit of 0 allows nothing."""
        calls, tokens, dollars = self._ledger.spent(self._tier, local_day(now_wall_ns))
        limits = self._settings
        # Models that cost nothing are not stopped by a budget of no money.
        return (
            calls < limits.calls_per_day
            and tokens < limits.tokens_per_day
            and (dollars < limits.dollars_per_day or dollars == 0)
        )

    def spend(self, usage: Usage, now_wall_ns: int) -> None:
        """Count the usage of a call."""
        tokens = usage.tokens_in + usage.tokens_out
        day = local_day(now_wall_ns)
        self._ledger.spend(self._tier, day, calls=usage.calls, tokens=tokens, dollars=usage.dollars)


class MemoryLedger:
    """A ledger in memory alone: for tests, and for benchmarks, which have limits of their own."""

    def __init__(self) -> None:
        self._spent: dict[tuple[str, str], tuple[int, int, float]] = {}

    def spent(self, tier: str, day: str) -> tuple[int, int, float]:
        """Return calls, tokens and US dollars of a day."""
        return self._spent.get((tier, day), (0, 0, 0.0))

    def spend(self, tier: str, day: str, *, calls: int, tokens: int, dollars: float) -> None:
        """Add to the spending of a day."""
        before = self.spent(tier, day)
        self._spent[tier, day] = (before[0] + calls, before[1] + tokens, before[2] + dollars)


def local_day(wall_ns: int) -> str:
    """Return the local date of a time, "2026-11-21"."""
    return datetime.fromtimestamp(wall_ns // NS_PER_S, tz=UTC).astimezone().date().isoformat()
