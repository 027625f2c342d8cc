"""Wire formats of model servers, one small module each; a module is imported when its dialect is first wanted."""

from importlib import import_module
from typing import cast

from detectors.mllm.wire import Dialect
from storage.errors import UsageError

_WHERE = {
    "llama_server": ("llama_server", "LlamaServer"),
    "openai_chat": ("openai_chat", "OpenAIChat"),
    "openai_plain": ("openai_chat", "OpenAIPlain"),
    "openai": ("openai_chat", "OpenAI"),
    "ollama": ("ollama", "Ollama"),
    "anthropic": ("anthropic", "Anthropic"),
    "gemini": ("gemini", "Gemini"),
    "openai_decisions": ("openai_decisions", "OpenAIDecisions"),
    "gemini_decisions": ("gemini_decisions", "GeminiDecisions"),
    "systemone": ("systemone", "SystemOne"),
}

NAMES = tuple(_WHERE)


def by_name(name: str) -> Dialect:
    """Return a dialect.

    Raises:
        UsageError: there is none of this name.
    """
    if name not in _WHERE:
        raise UsageError(f"There is no dialect {name!r}.", remedy=f"Known are {', '.join(NAMES)}.")
    module, kind = _WHERE[name]
    return cast("Dialect", getattr(import_module(f"{__name__}.{module}"), kind)())
