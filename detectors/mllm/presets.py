"""Known kinds of model servers, with the values that make them work without further settings.

To add a provider, add one `Preset` here; `tests/detectors/mllm/test_add_a_provider.py` is a worked example. `tried`
says how far a preset was tested, `note` what to watch out for. Prices are those published in November 2026 for the
model named here; a price that nobody published is None. A model named here is a suggestion: a local server answers with
the one it was started with.
"""

from dataclasses import dataclass

from detectors.mllm.protocol import SchemaMode
from storage.translation.sentences import translatable

REAL = "real server"
"""The real program answered our requests, and its replies were parsed."""

FAKE = "fake server only"
"""Requests and replies follow the vendor's types or source, and were tried against our own stand-in."""

READ = "documentation only"
"""Only the dialect that it shares with another was tried; the rest is from the documentation."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Preset:
    """One kind of server.

    Attributes:
        name: the value of `preset` in the settings.
        dialect: its wire format, a key of `dialects.DIALECTS`.
        url: the prefix of all paths; empty: the settings have to give one.
        key_name: the environment variable or keyring entry that holds the key; None: none is needed.
        model: the model used unless the settings name another; empty: they have to.
        remote: whether pictures are sent to somebody else's machine.
        schema_mode: how the answer's schema is enforced, until a probe finds out.
        log_probs: how many alternatives per token are requested, until a probe finds out.
        frames_max: the most pictures in one request.
        price_in: US dollars for a million tokens read; None: not known.
        price_out: US dollars for a million tokens written; None: not known.
        note: what to watch out for, shown to people.
        tried: how far this was tried: `REAL`, `FAKE` or `READ`.
    """

    name: str
    dialect: str
    url: str
    key_name: str | None = None
    model: str = ""
    remote: bool = False
    schema_mode: SchemaMode = SchemaMode.JSON_SCHEMA
    log_probs: int = 0
    frames_max: int = 32
    price_in: float | None = None
    price_out: float | None = None
    note: str
    tried: str


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
