"""Known kinds of model servers, with the values that make them work without further settings.

To add a provider, add one `Preset` here; `tests/detectors/mllm/test_add_a_provider.py` is a worked example. `tried`
says how far a preset was tested, `note` what to watch out for. Prices are those published in November 2026 for the
model named here; a price that nobody published is None. A model named here is a suggestion: a local server answers with
the one it was started with.

Of a preset, the person's settings and probed capabilities an endpoint's options are made here; the settings take
precedence. A preset's key belongs to the preset's server: it is not used with an address from the settings. Note:
Ollama, on this machine, forwards requests for models whose tag ends in "cloud" to its makers' servers.
"""

from dataclasses import dataclass
from urllib.parse import urlsplit

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


_LOCAL = (
    Preset(
        name="llama-server",
        dialect="llama_server",
        url="http://127.0.0.1:8080/v1",
        model="default",
        log_probs=100,
        note=translatable("llama.cpp's server, started with --mmproj; the best known choice on this machine"),
        tried=REAL,
    ),
    Preset(
        name="ollama",
        dialect="ollama",
        url="http://127.0.0.1:11434",
        model="qwen3-vl:4b-instruct",
        schema_mode=SchemaMode.NATIVE,
        log_probs=20,
        note=translatable("pull the model first; versions before 0.12.11 give no log-probabilities"),
        tried=FAKE,
    ),
    Preset(
        name="ollama-openai",
        dialect="openai_chat",
        url="http://127.0.0.1:11434/v1",
        model="qwen3-vl:4b-instruct",
        log_probs=20,
        frames_max=4,
        note=translatable(
            "takes no context length and cuts long prompts without a word, so few pictures; rather use ollama"
        ),
        tried=READ,
    ),
    Preset(
        name="lmstudio",
        dialect="openai_chat",
        url="http://127.0.0.1:1234/v1",
        model="qwen/qwen3-vl-4b",
        note=translatable(
            "gives no log-probabilities; reads a prompt to its end although nobody waits for it; also for MLX"
        ),
        tried=READ,
    ),
    Preset(
        name="vllm",
        dialect="openai_chat",
        url="http://127.0.0.1:8000/v1",
        model="Qwen/Qwen3-VL-4B-Instruct",
        log_probs=20,
        note=translatable("may have to be started with a higher --limit-mm-per-prompt"),
        tried=READ,
    ),
    Preset(
        name="llama-cpp-python",
        dialect="openai_chat",
        url="http://127.0.0.1:8000/v1",
        model="default",
        schema_mode=SchemaMode.JSON_OBJECT_SCHEMA,
        note=translatable("python -m llama_cpp.server with --chat_format mtmd; answers json_schema with an error"),
        tried=READ,
    ),
    Preset(
        name="transformers-serve",
        dialect="openai_chat",
        url="http://127.0.0.1:8000/v1",
        model="Qwen/Qwen3-VL-4B-Instruct",
        schema_mode=SchemaMode.PROMPTED,
        note=translatable(
            "ignores the shape that is asked for, so it is told in words; transformers-systemone is its other door"
        ),
        tried=REAL,
    ),
    Preset(
        name="transformers-systemone",
        dialect="systemone",
        url="http://127.0.0.1:8000/v1",
        model="Qwen/Qwen3-VL-4B-Instruct",
        schema_mode=SchemaMode.NATIVE,
        frames_max=4,
        note=translatable(
            "typed questions of transformers serve: probabilities without text, four pictures, no free questions"
        ),
        tried=REAL,
    ),
    Preset(
        name="mlx",
        dialect="openai_chat",
        url="",
        schema_mode=SchemaMode.PROMPTED,
        note=translatable("servers for MLX differ, so give url and model and run the probe; LM Studio is the easy way"),
        tried=READ,
    ),
)

_REMOTE = (
    Preset(
        name="openai",
        dialect="openai",
        url="https://api.openai.com/v1",
        key_name="OPENAI_API_KEY",
        model="gpt-6-luna",
        remote=True,
        log_probs=20,
        price_in=0.10,
        price_out=0.50,
        note=translatable(
            "asked not to store anything; run the probe: not every model gives log-probabilities or stops reasoning"
        ),
        tried=FAKE,
    ),
    Preset(
        name="openai-decisions",
        dialect="openai_decisions",
        url="https://api.openai.com/v1",
        key_name="OPENAI_API_KEY",
        model="gpt-6-luna",
        remote=True,
        schema_mode=SchemaMode.NATIVE,
        frames_max=128,
        price_in=0.10,
        price_out=0.0,
        note=translatable("probabilities without text; no free questions"),
        tried=FAKE,
    ),
    Preset(
        name="anthropic",
        dialect="anthropic",
        url="https://api.anthropic.com",
        key_name="ANTHROPIC_API_KEY",
        model="claude-haiku-5-5",
        remote=True,
        schema_mode=SchemaMode.NATIVE,
        frames_max=100,
        price_in=0.10,
        price_out=0.50,
        note=translatable("gives no log-probabilities; the price is that of prompts up to 100,000 tokens"),
        tried=FAKE,
    ),
    Preset(
        name="gemini",
        dialect="gemini",
        url="https://generativelanguage.googleapis.com/v1beta",
        key_name="GEMINI_API_KEY",
        model="gemini-3.5-flash-lite",
        remote=True,
        schema_mode=SchemaMode.NATIVE,
        frames_max=128,
        price_in=0.30,
        price_out=2.50,
        note=translatable("without billing Google may use what is sent to improve its products; no log-probabilities"),
        tried=FAKE,
    ),
    Preset(
        name="gemini-decisions",
        dialect="gemini_decisions",
        url="https://generativelanguage.googleapis.com/v1beta",
        key_name="GEMINI_API_KEY",
        model="gemini-decision-1",
        remote=True,
        schema_mode=SchemaMode.NATIVE,
        price_in=0.10,
        price_out=0.0,
        note=translatable(
            "a beta; probabilities without text; without billing Google may use what is sent to improve its products"
        ),
        tried=FAKE,
    ),
    Preset(
        name="ollama-cloud",
        dialect="openai_plain",
        url="https://ollama.com/v1",
        key_name="OLLAMA_API_KEY",
        model="qwen3-vl:235b-instruct",
        remote=True,
        note=translatable("paid by subscription, so no price per token is known"),
        tried=READ,
    ),
    Preset(
        name="openrouter",
        dialect="openai_plain",
        url="https://openrouter.ai/api/v1",
        key_name="OPENROUTER_API_KEY",
        remote=True,
        note=translatable(
            "name a model; who reads what is sent depends on it, and so does everything else: run the probe"
        ),
        tried=READ,
    ),
    Preset(
        name="openai-compatible",
        dialect="openai_plain",
        url="",
        remote=True,
        note=translatable(
            "any other server of this kind: give url, model and, where it wants one, key_name, and run the probe"
        ),
        tried=READ,
    ),
)

PRESETS: dict[str, Preset] = {preset.name: preset for preset in (*_LOCAL, *_REMOTE)}
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
