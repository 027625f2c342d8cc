"""What an endpoint is asked with: preset, settings and what a probe found out, together; the person's word goes first.

A preset's key never follows an address that the person put in place of the preset's: it belongs to the preset's server.
What surprised us: Ollama, on this machine, passes models whose tag ends in "cloud" on to its makers' servers.
"""

from urllib.parse import urlsplit

from detectors.mllm.client.ports import ModelCapabilities
from detectors.mllm.client.prices import PICTURE_TOKENS
from detectors.mllm.presets import Preset
from detectors.mllm.wire import THOUGHTS_TOKENS, RequestOptions
from storage.errors import UsageError
from storage.settings import ModelSettings

WORDS_TOKENS = 2048
"""Room in the context for words and answer. A guess, with plenty to spare."""


def how_to_ask(preset: Preset, settings: ModelSettings, verdict: ModelCapabilities | None) -> RequestOptions:
    """Return how to ask.

    Raises:
        UsageError: no model is named, or it is one that pictures may not be sent to.
    """
    model = settings.model or preset.model
    if not model:
        raise UsageError(f"{preset.name} has no model of its own", remedy="set model in the model's settings")
    if preset.name.startswith("ollama") and model.endswith("cloud") and not settings.send_screens:
        raise UsageError(
            f"{model} runs in Ollama's cloud, and pictures of the screen may not leave this machine",
            remedy="choose a model that runs here, or set send_screens = true in the model's settings",
        )
    return RequestOptions(
        model=model,
        schema_mode=verdict.schema_mode if verdict is not None else preset.schema_mode,
        top_log_probs=verdict.log_probs if verdict is not None else preset.log_probs,
        still_thinks=verdict is not None and verdict.still_thinks,
        context_tokens=_context(preset, settings, verdict),
    )


def pictures_at_most(preset: Preset, settings: ModelSettings, verdict: ModelCapabilities | None) -> int:
    """Return how many pictures to send at most: at least one."""
    most = min(settings.frames, preset.frames_max)
    if verdict is not None:
        most = min(most, verdict.pictures_max)
        if verdict.context_tokens and verdict.tokens_per_picture:
            most = min(most, (verdict.context_tokens - _reserve(verdict)) // verdict.tokens_per_picture)
    return max(most, 1)


def key_name(preset: Preset, settings: ModelSettings) -> str | None:
    """Return the name of the key that goes to the endpoint; None if none does."""
    if settings.key_name:
        return settings.key_name
    elsewhere = settings.url and urlsplit(settings.url)[:2] != urlsplit(preset.url)[:2]
    return None if elsewhere else preset.key_name


def _context(preset: Preset, settings: ModelSettings, verdict: ModelCapabilities | None) -> int:
    """Return the context length: what all pictures need where a server wants to be told, else what it has."""
    has = verdict.context_tokens if verdict is not None else 0
    if preset.dialect != "ollama":
        return has
    a_picture = verdict.tokens_per_picture if verdict is not None else 0
    needs = pictures_at_most(preset, settings, verdict) * (a_picture or PICTURE_TOKENS) + _reserve(verdict)
    return min(needs, has) if has else needs


def _reserve(verdict: ModelCapabilities | None) -> int:
    return WORDS_TOKENS + (THOUGHTS_TOKENS if verdict is not None and verdict.still_thinks else 0)
