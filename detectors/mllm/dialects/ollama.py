"""Ollama's own `/api/chat`, because its OpenAI-compatible API takes no context length and cuts prompts silently.

Read in Ollama's OpenAPI document, source and issues; tried against a fake server only. Pictures lie beside the text as
bare base64 and are put before it by the server, so everything that comes before them is in the system message.

Note: a prompt that is too long is cut at its front and answered with 200 (the only sign is `prompt_eval_count`);
`truncate: false` makes newer versions refuse instead, older ones ignore it. The refusal of the runner comes as JSON
inside a JSON string. Log-probabilities came with 0.12.11 and are limited to 20 alternatives. `think: false` broke
`format` for some models in 0.17.7 to 0.18.0, and some models answer in `thinking` with an empty `content`.
"""

from detectors.mllm.dialects import base, reading
from detectors.mllm.prompting import wording
from detectors.mllm.protocol import Request, RequestOptions, SchemaMode
from detectors.mllm.questions import ModelQuery

_ALTERNATIVES_MAX = 20


class Ollama(reading.TextDialect):
    """Ollama's native chat."""

    name = "ollama"

    def request(self, query: ModelQuery, options: RequestOptions, repair: str = "") -> Request:
        """Return the request; `images` is named before `content`, which changes from prefix to prefix."""
        words = wording.compose(query, options.schema_mode, repair)
        user: dict[str, object] = {"role": "user", "images": [base.BASE64 for _ in query.pictures]}
        settings = {"temperature": 0, "num_predict": options.room}
        if options.context_tokens:
            settings["num_ctx"] = options.context_tokens
        tree: dict[str, object] = {
            "model": options.model,
            "messages": [
                {"role": "system", "content": base.paragraphs(words.system, words.before)},
                {**user, "content": words.after},
            ],
            "stream": options.stream,
            "truncate": False,
            "options": settings,
        }
        if not options.still_thinks:
            tree["think"] = False
        if options.schema_mode is not SchemaMode.PROMPTED:
            tree["format"] = words.schema
        if options.top_log_probs:
            tree |= {"logprobs": True, "top_logprobs": min(options.top_log_probs, _ALTERNATIVES_MAX)}
        return Request(path="/api/chat", body=base.encode_body(tree, query.pictures))
