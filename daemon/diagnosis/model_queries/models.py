"""Which model is asked, what asking costs at most, who allowed it, and how it is opened.

A model is named "preset" or "preset:model" (`kairos models list`); address and key are those of the settings' tier of
the same preset. What is sent goes into the log of what is sent, like anything else that leaves. Costs are rather too
high than too low: which questions were answered before is known only once they are put.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from daemon.models.sent_writer import SentLogWriter
from daemon.models.tiers import OpenModel, capabilities_of, preset_of
from detectors.mllm.client.address import NetworkScope, parse_address
from detectors.mllm.client.endpoint import open_model
from detectors.mllm.client.spending import DailyBudget, MemoryLedger, price_of
from detectors.mllm.protocol import PICTURE_TOKENS
from detectors.mllm.questions import Usage
from storage.clock import SystemClock
from storage.errors import UsageError
from storage.settings import ModelSettings, Settings

_OVERRUN = 2.0
"""A run stops when it has used so many times what was estimated."""

_OVERRUN_HERE = 100.0
"""The same on this machine, where it costs time alone: a model that answers nothing of use is asked up to 22 times."""

_TEXT_TOKENS = 1600
"""A question's text beside its pictures; a guess that is rather too high."""

_ANSWER_TOKENS = 250
"""An answer with its notes; a guess that is rather too high."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Volume:
    """How much is asked at most: requests, and pictures in all of them together."""

    requests: int
    pictures: int
    text_tokens: int = _TEXT_TOKENS
    answer_tokens: int = _ANSWER_TOKENS

    def __add__(self, other: "Volume") -> "Volume":
        """Return both together; of words the longer."""
        return Volume(
            requests=self.requests + other.requests,
            pictures=self.pictures + other.pictures,
            text_tokens=max(self.text_tokens, other.text_tokens),
            answer_tokens=max(self.answer_tokens, other.answer_tokens),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class CostEstimate:
    """The tokens, money and time of asking at most, and whether the model is on another machine.

    `dollars` is None where no price is known, `seconds` where no probe has run.
    """

    remote: bool
    picture_tokens: int
    measured: bool
    tokens_in: int
    tokens_out: int
    dollars: float | None
    seconds: float | None


def named_model(name: str, settings: Settings) -> ModelSettings:
    """Return the settings of a model by its name.

    Raises:
        UsageError: there is no such preset, or nothing says where it is.
    """
    preset, _, model = name.partition(":")
    preset_of(preset)
    tiers = (settings.local_model, settings.strong_model)
    chosen = next((tier for tier in tiers if tier.preset == preset), ModelSettings(preset=preset))
    if not (chosen.url or preset_of(preset).url):
        raise UsageError(
            f"{preset} has no address of its own, and the settings name none",
            remedy=f"kairos config set local_model.preset {preset}, and local_model.url",
        )
    return replace(chosen, model=model or chosen.model or preset_of(preset).model)


def name_of(chosen: ModelSettings) -> str:
    """Return a model's name, as `named_model` takes it."""
    return f"{chosen.preset}:{chosen.model}" if chosen.model else chosen.preset


def estimate_cost(chosen: ModelSettings, volume: Volume) -> CostEstimate:
    """Return the cost of asking so much.

    Raises:
        UsageError: the model's address is none.
    """
    preset = preset_of(chosen.preset)
    verdict = capabilities_of(chosen)
    measured = verdict.tokens_per_picture if verdict is not None else 0
    picture_tokens = measured or PICTURE_TOKENS
    usage = Usage(
        tokens_in=volume.pictures * picture_tokens + volume.requests * volume.text_tokens,
        tokens_out=volume.requests * volume.answer_tokens,
    )
    price = price_of(preset, chosen.model or preset.model)
    return CostEstimate(
        remote=parse_address(chosen.url or preset.url, send_screens=True).scope is not NetworkScope.LOOPBACK,
        picture_tokens=picture_tokens,
        measured=bool(measured),
        tokens_in=usage.tokens_in,
        tokens_out=usage.tokens_out,
        dollars=None if price is None else price.of(usage),
        seconds=None if verdict is None else volume.requests * verdict.latency_s,
    )


def render_cost(expected: CostEstimate, what: str) -> str:
    """Return the cost of asking `what` in words."""
    source = "measured by kairos models probe" if expected.measured else "a guess; kairos models probe measures it"
    tokens = f"{(expected.tokens_in + expected.tokens_out) / 1e6:.2f} million tokens"
    text = f"{what}, {tokens} ({expected.picture_tokens} a picture: {source})"
    if expected.remote:
        cost = (
            "at a price that is not known" if expected.dollars is None else f"about {expected.dollars:.2f} US dollars"
        )
        return f"{text}, {cost}"
    return text if expected.seconds is None else f"{text}, some {expected.seconds / 60:.0f} minutes"


def permitted(
    chosen: ModelSettings,
    volume: Volume,
    *,
    what: str,
    of_person: bool,
    yes: bool,
    fewer: str,
    report: Callable[[str], None],
) -> ModelSettings:
    """Say what asking costs, and return the settings with which it is allowed.

    Args:
        chosen: the model's settings.
        volume: how much is asked at most.
        what: the same in words.
        of_person: whether it is about sessions of a person, which leave this machine only with `send_screens` set.
        yes: whether the person at the command line goes ahead whatever it costs.
        fewer: how to ask less.
        report: prints a line.

    Raises:
        UsageError: it would leave this machine, or cost money, and that was not allowed.
    """
    expected = estimate_cost(chosen, volume)
    if expected.remote and of_person and not chosen.send_screens:
        raise UsageError(
            f"{name_of(chosen)} is on another machine, and recorded sessions may not leave this one",
            remedy="choose a model that runs here, or set send_screens = true in the model's settings",
        )
    cost = render_cost(expected, what)
    if expected.remote and not yes:
        raise UsageError(
            f"{name_of(chosen)} is on another machine: {cost}, and it gets to see the pictures",
            remedy=f"give --yes to go ahead, or {fewer}",
        )
    report(f"{name_of(chosen)}: {cost}")
    return replace(chosen, send_screens=True) if expected.remote else chosen


def open_counted(
    chosen: ModelSettings, volume: Volume, *, pictures_max: int, purpose: str, session: Path | None = None
) -> OpenModel:
    """Return a model, ready to be asked so much; whoever opened it closes it.

    The daily limits of the settings are for watching: this has its own, which stop it when its estimate was far too
    low, and on this machine only when it would never end.

    Args:
        chosen: the model's settings.
        volume: how much is asked at most.
        pictures_max: how many pictures a request may hold, as far as the server takes them.
        purpose: who asks, for the log of what is sent.
        session: the folder of the session that is asked about; what is sent is deleted with it.

    Raises:
        UsageError: nothing may be sent there.
        EnvironmentFault: the keyring, or the log of what is sent, cannot be used.
    """
    expected = estimate_cost(chosen, volume)
    overrun = _OVERRUN if expected.remote else _OVERRUN_HERE
    limited = replace(
        chosen,
        frames=pictures_max,
        calls_per_day=round(overrun * volume.requests) + 10,
        tokens_per_day=round(overrun * (expected.tokens_in + expected.tokens_out)),
        dollars_per_day=overrun * (expected.dollars or 0.0),
    )
    clock = SystemClock()
    sent_log = SentLogWriter(clock=clock, settings=Settings().storage, tier=purpose, purpose=purpose, session=session)
    try:
        budget = DailyBudget(purpose, limited, MemoryLedger())
        endpoint = open_model(limited, clock=clock, budget=budget, sent=sent_log, capabilities=capabilities_of(limited))
    except BaseException:
        sent_log.close()
        raise
    return OpenModel(endpoint, sent_log)
