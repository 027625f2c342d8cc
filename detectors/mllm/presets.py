"""Known kinds of model servers (`data/presets.toml`), and the options that one of them makes for an endpoint.

To add a provider, add a table to that file; `tests/detectors/mllm/test_add_a_provider.py` is a worked example.

Of a preset, the person's settings and probed capabilities an endpoint's options are made here; the settings take
precedence. A preset's key belongs to the preset's server: it is not used with an address from the settings. Note:
Ollama, on this machine, forwards requests for models whose tag ends in "cloud" to its makers' servers.
"""

import tomllib
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import msgspec

from detectors.mllm.protocol import PICTURE_TOKENS, THOUGHTS_TOKENS, ModelCapabilities, RequestOptions, SchemaMode
from storage.errors import UsageError
from storage.settings import ModelSettings
from storage.translation.sentences import translatable

REAL = "real server"  # the real program answered our requests, and its replies were parsed
FAKE = "fake server only"
"""Requests and replies follow the vendor's types or source, and were tried against our own stand-in."""

READ = "documentation only"
"""Only the dialect that it shares with another was tried; the rest is from the documentation."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Preset:
    """One kind of server."""

    name: str  # the value of `preset` in the settings
    dialect: str  # its wire format, a key of `dialects.DIALECTS`
    url: str  # the prefix of all paths; empty: the settings have to give one
    key_name: str | None = None  # the environment variable or keyring entry that holds the key; None: none is needed
    model: str = ""  # the model used unless the settings name another; empty: they have to
    remote: bool = False  # whether pictures are sent to somebody else's machine
    schema_mode: SchemaMode = SchemaMode.JSON_SCHEMA  # how the answer's schema is enforced, until a probe finds out
    log_probs: int = 0  # how many alternatives per token are requested, until a probe finds out
    frames_max: int = 32  # the most pictures in one request
    price_in: float | None = None  # US dollars for a million tokens read; None: not known
    price_out: float | None = None  # US dollars for a million tokens written; None: not known
    note: str  # what to watch out for, shown to people
    tried: str  # how far this was tried: `REAL`, `FAKE` or `READ`


_FILE = Path(__file__).parent / "data" / "presets.toml"
PRESETS: dict[str, Preset] = {
    name: msgspec.convert({"name": name, **facts}, Preset)
    for name, facts in tomllib.loads(_FILE.read_text(encoding="utf-8")).items()
}
"""All presets by name; local ones first."""


WORDS_TOKENS = 2048  # tokens of the context reserved for words and answer. A generous guess.


def request_options(preset: Preset, settings: ModelSettings, capabilities: ModelCapabilities | None) -> RequestOptions:
    """Return the options of an endpoint's first request.

    Raises:
        UsageError: no model is named, or it is one that pictures may not be sent to.
    """
    model = settings.model or preset.model
    if not model:
        raise UsageError(
            translatable("{preset} has no model of its own", preset=preset.name),
            remedy=translatable("set model in the model's settings"),
        )
    if is_forwarded(preset, model) and not settings.send_screens:
        raise UsageError(
            translatable(
                "{model} runs in Ollama's cloud, and pictures of the screen may not leave this machine", model=model
            ),
            remedy=translatable("choose a model that runs here, or set send_screens = true in the model's settings"),
        )
    return RequestOptions(
        model=model,
        schema_mode=capabilities.schema_mode if capabilities is not None else preset.schema_mode,
        top_log_probs=capabilities.log_probs if capabilities is not None else preset.log_probs,
        still_thinks=capabilities is not None and capabilities.still_thinks,
        context_tokens=_context_tokens(preset, settings, capabilities),
    )


def is_forwarded(preset: Preset, model: str) -> bool:
    """Tell whether a server on this machine sends requests for a model on to its makers."""
    return preset.name.startswith("ollama") and model.endswith("cloud")


def max_pictures(preset: Preset, settings: ModelSettings, capabilities: ModelCapabilities | None) -> int:
    """Return how many pictures to send at most: at least one."""
    limit = min(settings.frames, preset.frames_max)
    if capabilities is not None:
        limit = min(limit, capabilities.pictures_max)
        if capabilities.context_tokens and capabilities.tokens_per_picture:
            free = capabilities.context_tokens - _reserved_tokens(capabilities)
            limit = min(limit, free // capabilities.tokens_per_picture)
    return max(limit, 1)


def key_name(preset: Preset, settings: ModelSettings) -> str | None:
    """Return the name of the key that goes to the endpoint; None if none does."""
    if settings.key_name:
        return settings.key_name
    elsewhere = settings.url and urlsplit(settings.url)[:2] != urlsplit(preset.url)[:2]
    return None if elsewhere else preset.key_name


def _context_tokens(preset: Preset, settings: ModelSettings, capabilities: ModelCapabilities | None) -> int:
    """Return the context length: what all pictures need where requests set it, else the server's own."""
    available = capabilities.context_tokens if capabilities is not None else 0
    if preset.dialect != "ollama":
        return available
    picture_tokens = (capabilities.tokens_per_picture if capabilities is not None else 0) or PICTURE_TOKENS
    needed = max_pictures(preset, settings, capabilities) * picture_tokens + _reserved_tokens(capabilities)
    return min(needed, available) if available else needed


def _reserved_tokens(capabilities: ModelCapabilities | None) -> int:
    return WORDS_TOKENS + (THOUGHTS_TOKENS if capabilities is not None and capabilities.still_thinks else 0)
