"""Anthropic's messages, with the answer's shape in `output_config.format`.

Read in the types of the `anthropic` package 2.12 and on platform.claude.com in November 2026; tried against a fake
server only. There are no log-probabilities. Newer models refuse `temperature`, some refuse `thinking: disabled`
(`still_thinks`: the field is left out and thinking kept short by `effort`), and answers begin with blocks of thought,
so blocks are told apart by their type. 529 means "overloaded". `input_tokens` counts only what no cache held; the three
counts are added up.

Nothing is marked for Anthropic's prompt cache: a mark on the last picture would move from prefix to prefix, and writing
to that cache costs extra. More than 20 pictures may be no larger than 2000 x 2000, and a body no larger than 32 MB.
"""

import msgspec

from detectors.mllm.dialects import base
from detectors.mllm.prompting import wording
from detectors.mllm.protocol import Reply, Request, RequestOptions, SchemaMode
from detectors.mllm.questions import ModelQuery

_VERSION = "2023-06-01"


class _Block(msgspec.Struct):
    type: str
    text: str | None = None
    thinking: str | None = None


class _Usage(msgspec.Struct):
    input_tokens: int | None = None
    output_tokens: int | None = None
    cache_creation_input_tokens: int | None = None
    cache_read_input_tokens: int | None = None


class _Message(msgspec.Struct):
    content: list[_Block]
    model: str | None = None
    stop_reason: str | None = None
    usage: _Usage | None = None


_DECODER = msgspec.json.Decoder(_Message)


class Anthropic(base.BaseDialect):
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
            "max_tokens": base.token_limit(options),
        }
        output: dict[str, object] = {"effort": "low"} if options.still_thinks else {}
        if options.schema_mode is not SchemaMode.PROMPTED:
            output["format"] = {"type": "json_schema", "schema": words.schema}
        if output:
            tree["output_config"] = output
        if not options.still_thinks:
            tree["thinking"] = {"type": "disabled"}
        return Request(
            path="/v1/messages", body=base.encode_body(tree, query.pictures), headers={"anthropic-version": _VERSION}
        )

    def reply(self, content: bytes, query: ModelQuery) -> Reply:  # noqa: ARG002  # parsed alike for every query
        """Parse a message."""
        message = base.decode(_DECODER, content)
        counts = message.usage or _Usage()
        read = (counts.input_tokens, counts.cache_creation_input_tokens, counts.cache_read_input_tokens)
        return Reply(
            text="".join(block.text or "" for block in message.content if block.type == "text"),
            reasoning="".join(block.thinking or "" for block in message.content if block.type == "thinking"),
            cut=message.stop_reason in {"max_tokens", "model_context_window_exceeded"},
            usage=base.usage(
                tokens_in=sum(max(count or 0, 0) for count in read),
                tokens_out=counts.output_tokens,
                cached=counts.cache_read_input_tokens,
            ),
            model=message.model or "",
        )
