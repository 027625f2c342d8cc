"""Anthropic's messages, with the answer's shape in `output_config.format`.

Read in the types of the `anthropic` package 2.12 and on platform.claude.com in November 2026; tried against a fake
server only. There are no log-probabilities. Newer models refuse `temperature`, some refuse `thinking: disabled`
(`still_thinks`: the field is left out and thinking kept short by `effort`), and answers begin with blocks of thought,
so blocks are told apart by their type. 529 means "overloaded". `input_tokens` counts only what no cache held; the three
counts are added up.

Nothing is marked for Anthropic's prompt cache: a mark on the last picture would move from prefix to prefix, and writing
to that cache costs extra. More than 20 pictures may be no larger than 2000 x 2000, and a body no larger than 32 MB.
"""

from detectors.mllm.dialects import base, reading
from detectors.mllm.prompting import wording
from detectors.mllm.protocol import Request, RequestOptions, SchemaMode
from detectors.mllm.questions import ModelQuery

_VERSION = "2023-06-01"


class Anthropic(reading.TextDialect):
    """The Messages API."""

    name = "anthropic"
    key_header, key_prefix = "x-api-key", ""

    def request(self, query: ModelQuery, options: RequestOptions, repair: str = "") -> Request:
        """Return the request, with the pictures before the text, as their guide advises."""
        words = wording.compose(query, options.schema_mode, repair)
        image = {"type": "image", "source": {"type": "base64", "media_type": "image/jpeg", "data": base.BASE64}}
        content = [
            *([{"type": "text", "text": words.before}] if words.before else []),
            *(image for _ in query.pictures),
            {"type": "text", "text": words.after},
        ]
        tree: dict[str, object] = {
            "model": options.model,
            "system": words.system,
            "messages": [{"role": "user", "content": content}],
            "max_tokens": options.room,
        }
        output: dict[str, object] = {"effort": "low"} if options.still_thinks else {}
        if options.schema_mode is not SchemaMode.PROMPTED:
            output["format"] = {"type": "json_schema", "schema": words.schema}
        if output:
            tree["output_config"] = output
        if not options.still_thinks:
            tree["thinking"] = {"type": "disabled"}
        if options.stream:
            tree["stream"] = True
        return Request(
            path="/v1/messages", body=base.encode_body(tree, query.pictures), headers={"anthropic-version": _VERSION}
        )
