"""What calls cost: tokens as the server counts them, in US dollars, and what a call may have cost that nobody counted.

A price belongs to the model it was published for. For another model of the same preset none is known: its calls and
tokens are limited, its money cannot be.
"""

from dataclasses import dataclass, replace

from detectors.mllm.presets import Preset
from detectors.mllm.questions import Picture, Usage
from detectors.mllm.wire import Request, RequestOptions

PICTURE_TOKENS = 600
"""What a picture is taken to cost before any server has counted one. A guess."""

_BYTES_PER_TOKEN = 4
_BYTES_PER_TOKEN_MOST = 16  # a schema goes along in the body that may never reach the model
_MILLION = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """US dollars per million tokens; tokens from a server's cache are counted as others, which is never too little."""

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


def priced(usage: Usage, price: Price | None) -> Usage:
    """Return a usage with its dollars; 0 where no price is known."""
    return usage if price is None else replace(usage, dollars=price.of(usage))


class Counts:
    """What requests to one endpoint were found to take."""

    def __init__(self, picture_tokens: int = 0) -> None:
        """Begin with what a picture is known to take; 0: not known."""
        self.picture_tokens = picture_tokens or PICTURE_TOKENS
        self._last = (0, 0)

    def guess(self, request: Request) -> Usage:
        """Return what a request may have taken whose reply never came."""
        text, pictures = _sizes(request)
        return Usage(tokens_in=text // _BYTES_PER_TOKEN + pictures * self.picture_tokens)

    def cut_short(self, request: Request, how: RequestOptions, usage: Usage) -> bool:
        """Tell whether a server has read less than it was sent, without saying so.

        Some fill the context to its last token and drop the rest: then the count is the whole context, or the very
        same for another number of pictures. Others keep fewer tokens than the text alone can be.
        """
        read = usage.tokens_in
        if not read:
            return False  # it does not count
        text, pictures = _sizes(request)
        last_pictures, last_read = self._last
        return (
            0 < how.context_tokens <= read
            or (read == last_read and pictures != last_pictures)
            or read < text // _BYTES_PER_TOKEN_MOST + pictures
        )

    def learn(self, request: Request, usage: Usage) -> None:
        """Remember what a request took that was read as a whole."""
        text, pictures = _sizes(request)
        if not usage.tokens_in or not pictures:
            return
        self._last = (pictures, usage.tokens_in)
        self.picture_tokens = max(1, round((usage.tokens_in - text / _BYTES_PER_TOKEN) / pictures))


def _sizes(request: Request) -> tuple[int, int]:
    """Return the bytes of text and the number of pictures."""
    parts = request.body.parts
    text = sum(len(part) for part in parts if not isinstance(part, Picture))
    return text, sum(isinstance(part, Picture) for part in parts)
