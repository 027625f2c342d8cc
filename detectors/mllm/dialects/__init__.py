"""Wire formats of model servers, imported when a dialect is first used.

To add a dialect, write a module with a subclass of `base.BaseDialect` and add one line to `DIALECTS`; then name it in a
preset (`detectors.mllm.presets`). `tests/detectors/mllm/test_add_a_provider.py` is a worked example. How replies are
read stands once, for all that write text: fields and shapes in `reading.TextDialect`, what wraps them in `events`, and
what errors mean in `base`. A dialect may import `detectors.mllm.protocol`, `questions` and `prompting`, and knows
nothing of the client. Begin reading in `openai_chat`.
"""

from importlib import import_module
from typing import cast

from detectors.mllm.protocol import Dialect
from storage.errors import UsageError
from storage.translation.sentences import translatable

DIALECTS: dict[str, str] = {
    "llama_server": "detectors.mllm.dialects.openai_chat:LlamaServer",
    "openai_chat": "detectors.mllm.dialects.openai_chat:OpenAIChat",
    "openai_plain": "detectors.mllm.dialects.openai_chat:OpenAIPlain",
    "openai": "detectors.mllm.dialects.openai_chat:OpenAI",
    "ollama": "detectors.mllm.dialects.ollama:Ollama",
    "anthropic": "detectors.mllm.dialects.anthropic:Anthropic",
    "gemini": "detectors.mllm.dialects.gemini:Gemini",
    "openai_decisions": "detectors.mllm.dialects.decisions:OpenAIDecisions",
    "gemini_decisions": "detectors.mllm.dialects.decisions:GeminiDecisions",
    "systemone": "detectors.mllm.dialects.decisions:SystemOne",
}
"""Module and class of each dialect, by the name that presets use."""


def by_name(name: str) -> Dialect:
    """Return a dialect.

    Raises:
        UsageError: there is none of this name.
    """
    if name not in DIALECTS:
        raise UsageError(
            translatable("There is no dialect {name}.", name=repr(name)),
            remedy=translatable("Known are {dialects}.", dialects=", ".join(DIALECTS)),
        )
    module, _, kind = DIALECTS[name].partition(":")
    return cast("Dialect", getattr(import_module(module), kind)())
