"""What asking a model will take, before anything is sent: tokens, money, time; more rather than less than it turns out.

Answers that were given before cost nothing, but which those are is known only once the pictures are decoded.
"""

from dataclasses import dataclass

from daemon.models.tiers import capabilities_of, preset_of
from detectors.mllm.client.address import NetworkScope, parse_address
from detectors.mllm.client.spending import PICTURE_TOKENS, price_of
from detectors.mllm.questions import Usage
from storage.settings import ModelSettings

WORDS_TOKENS = 1600
"""What a question's words take beside its pictures; a guess that is rather too high."""

ANSWER_TOKENS = 250
"""What an answer with its notes takes; a guess that is rather too high."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """What asking will take at most, and whether the model is on another machine.

    `dollars` is None where no price is known, `seconds` where no probe has run.
    """

    remote: bool
    picture_tokens: int
    measured: bool
    tokens_in: int
    tokens_out: int
    dollars: float | None
    seconds: float | None


def estimate(chosen: ModelSettings, questions: int, pictures: int) -> Estimate:
    """Return what so many questions, of so many pictures each, will take.

    Raises:
        UsageError: the model's address is none.
    """
    preset = preset_of(chosen.preset)
    verdict = capabilities_of(chosen)
    measured = verdict.tokens_per_picture if verdict is not None else 0
    picture_tokens = measured or PICTURE_TOKENS
    usage = Usage(
        tokens_in=questions * (pictures * picture_tokens + WORDS_TOKENS), tokens_out=questions * ANSWER_TOKENS
    )
    price = price_of(preset, chosen.model or preset.model)
    return Estimate(
        remote=parse_address(chosen.url or preset.url, send_screens=True).scope is not NetworkScope.LOOPBACK,
        picture_tokens=picture_tokens,
        measured=bool(measured),
        tokens_in=usage.tokens_in,
        tokens_out=usage.tokens_out,
        dollars=None if price is None else price.of(usage),
        seconds=None if verdict is None else questions * verdict.latency_s,
    )


def words(expected: Estimate, questions: int, pictures: int) -> str:
    """Say what asking will take at most; less if some of it was answered before."""
    source = "measured by kairos models probe" if expected.measured else "a guess; kairos models probe measures it"
    tokens = f"{(expected.tokens_in + expected.tokens_out) / 1e6:.2f} million tokens"
    each = f"{expected.picture_tokens} a picture: {source}"
    told = f"at most {questions} questions of {pictures} pictures, {tokens} ({each})"
    if expected.remote:
        cost = (
            "at a price that is not known" if expected.dollars is None else f"about {expected.dollars:.2f} US dollars"
        )
        return f"{told}, {cost}"
    return told if expected.seconds is None else f"{told}, some {expected.seconds / 60:.0f} minutes"
