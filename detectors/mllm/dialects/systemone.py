"""System One, an open format for typed questions, which `transformers serve` speaks at `/v1/systemone`.

Read in the source of transformers 5.23 and tried against it with a model of random weights. Pictures lie in `assets`
and are put where their placeholders stand in `state`. Limits: 4 pictures, 64 questions, unknown fields are refused
(422), options of one token each (it letters them itself). Note: with models of the Idefics3 kind it fails on pictures
unless its decision config turns `sanitize_control_tokens` off.

TypeSafe's own service wants a header for pictures and may send them elsewhere; it is not among the presets.
"""

import msgspec

from detectors.mllm.dialects import base, decisions
from detectors.mllm.protocol import Reply, Request, RequestOptions
from detectors.mllm.questions import ModelQuery


class _Usage(msgspec.Struct):
    input_tokens: int | None = None
    output_tokens: int | None = None


class _Reply(msgspec.Struct):
    answers: dict[str, decisions.TypedAnswer]
    model: str | None = None
    usage: _Usage | None = None


_DECODER = msgspec.json.Decoder(_Reply)


class SystemOne(base.BaseDialect):
    """System One's questions about a state."""

    name = "systemone"
    decides = True

    def request(self, query: ModelQuery, options: RequestOptions, repair: str = "") -> Request:  # noqa: ARG002  # distributions need no repair
        """Return the request; pictures come first in it, and are named in the order of the state."""
        before, after = decisions.surrounding_text(query)
        names = [f"<picture-{number}>" for number in range(1, len(query.pictures) + 1)]
        asset = {"type": "image", "format": "jpeg", "data_base64": base.BASE64}
        tree: dict[str, object] = {"model": options.model}
        if names:
            tree["assets"] = dict.fromkeys(names, asset)
        tree["state"] = base.paragraphs(before, "\n".join(names), after)
        tree["questions"] = {
            question.key: decisions.typed_question(question) for question in decisions.closed_questions(query)
        }
        return Request(path="/systemone", body=base.encode_body(tree, query.pictures))

    def reply(self, content: bytes, query: ModelQuery) -> Reply:
        """Return the distributions."""
        decoded = base.decode(_DECODER, content)
        counts = decoded.usage or _Usage()
        return Reply(
            distributions=decisions.typed_distributions(query, decoded.answers),
            usage=base.usage(tokens_in=counts.input_tokens, tokens_out=counts.output_tokens),
            model=decoded.model or "",
        )
