"""Replies in each dialect: an answer, thoughts without one, a cut one.

Written by hand after the providers' documents, not with the code that parses them.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

YES = '{"need": {"answer": "yes", "sure": 80}}'
"""The text of a good answer to the one question of these tests."""

WRONG = '{"need": {"answer": "perhaps", "sure": 80}}'


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplyBuilder:
    """Builds replies of one dialect.

    Attributes:
        dialect: its name.
        reply: the body of a 200: text, thoughts, whether it was cut, and counted prompt tokens.
        decides: it answers with distributions; `reply` takes the probability of "yes" as its text.
        key_header: the header in which a key goes, lower case.
        stream: a reply with this text, in pieces, each as the bytes that a server would flush; the last is its end.
    """

    dialect: str
    reply: Callable[[str, str, bool, int], bytes]
    key_header: str = "authorization"
    decides: bool = False
    stream: Callable[[Sequence[str]], list[bytes]] = field(default=lambda _: [])

    def good(self, tokens_in: int = 5000) -> bytes:
        """Return a reply that says yes."""
        return self.reply("0.8" if self.decides else YES, "", False, tokens_in)

    def text(self, text: str) -> bytes:
        return self.reply(text, "", False, 5000)

    def thoughts(self, text: str) -> bytes:
        """Return a reply whose answer lies among the thoughts."""
        return self.reply("", text, False, 5000)

    def cut(self, text: str) -> bytes:
        """Return a reply that ran out of room."""
        return self.reply(text, "", True, 5000)


def _written(*, cut: bool) -> int:
    """Return how many tokens were written: more than any room that is given, where that ended the answer."""
    return 4096 if cut else 12


def _openai(text: str, thoughts: str, cut: bool, tokens_in: int) -> bytes:
    message = {"role": "assistant", "content": text, "reasoning_content": thoughts or None}
    return _json(
        object="chat.completion",
        model="tiny",
        choices=[{"index": 0, "message": message, "finish_reason": "length" if cut else "stop"}],
        usage={"prompt_tokens": tokens_in, "completion_tokens": _written(cut=cut)},
    )


def _ollama(text: str, thoughts: str, cut: bool, tokens_in: int) -> bytes:
    return _json(
        model="tiny",
        message={"role": "assistant", "content": text, "thinking": thoughts},
        done=True,
        done_reason="length" if cut else "stop",
        prompt_eval_count=tokens_in,
        eval_count=_written(cut=cut),
    )


def _anthropic(text: str, thoughts: str, cut: bool, tokens_in: int) -> bytes:
    blocks = [{"type": "thinking", "thinking": thoughts}] if thoughts else []
    return _json(
        type="message",
        model="tiny",
        content=[*blocks, {"type": "text", "text": text}],
        stop_reason="max_tokens" if cut else "end_turn",
        usage={"input_tokens": tokens_in, "output_tokens": _written(cut=cut)},
    )


def _gemini(text: str, thoughts: str, cut: bool, tokens_in: int) -> bytes:
    parts = [*([{"text": thoughts, "thought": True}] if thoughts else []), {"text": text}]
    return _json(
        candidates=[{"content": {"parts": parts}, "finishReason": "MAX_TOKENS" if cut else "STOP"}],
        usageMetadata={"promptTokenCount": tokens_in, "candidatesTokenCount": _written(cut=cut)},
        modelVersion="tiny",
    )


def _openai_decisions(text: str, thoughts: str, cut: bool, tokens_in: int) -> bytes:
    answers = [{"type": "predicate", "name": "need", "probability": float(text)}]
    return _json(answers=answers, model="tiny", usage={"input_tokens": tokens_in, "output_tokens": 0})


def _gemini_decisions(text: str, thoughts: str, cut: bool, tokens_in: int) -> bytes:
    answers = {"need": {"type": "noul", "noul": float(text)}}
    return _json(answers=answers, usage={"total_input_tokens": tokens_in, "total_output_tokens": 0})


def _systemone(text: str, thoughts: str, cut: bool, tokens_in: int) -> bytes:
    answers = {"need": {"type": "noul", "noul": float(text)}}
    return _json(answers=answers, model="tiny", usage={"input_tokens": tokens_in, "output_tokens": 0})


def _openai_stream(texts: Sequence[str]) -> list[bytes]:
    """Return what a chat server sends: a role, pieces, the reason of the end, counts, and the mark."""
    deltas = [{"role": "assistant", "content": None}, *({"content": text} for text in texts)]
    chunks = [_event(choices=[{"index": 0, "delta": delta, "finish_reason": None}], model="tiny") for delta in deltas]
    end = _event(choices=[{"index": 0, "delta": {}, "finish_reason": "stop"}], model="tiny")
    counts = _event(choices=[], model="tiny", usage={"prompt_tokens": 5000, "completion_tokens": 12})
    return [b": a comment\n\n" + chunks[0], *chunks[1:], end + counts + b"data: [DONE]\n\n"]


def _ollama_stream(texts: Sequence[str]) -> list[bytes]:
    pieces = [_json(model="tiny", message={"role": "assistant", "content": text}, done=False) for text in texts]
    counts = {"prompt_eval_count": 5000, "eval_count": 12}
    end = _json(model="tiny", message={"role": "assistant", "content": ""}, done=True, done_reason="stop", **counts)
    return [piece + b"\n" for piece in (*pieces, end)]


def _anthropic_stream(texts: Sequence[str]) -> list[bytes]:
    def named(kind: str, **facts: object) -> bytes:
        return f"event: {kind}\n".encode() + _event(type=kind, **facts)

    message: dict[str, object] = {"type": "message", "model": "tiny", "content": [], "stop_reason": None}
    begin = named("message_start", message={**message, "usage": {"input_tokens": 5000, "output_tokens": 1}})
    block = named("content_block_start", index=0, content_block={"type": "text", "text": ""}) + named("ping")
    pieces = [named("content_block_delta", index=0, delta={"type": "text_delta", "text": text}) for text in texts]
    end = named("message_delta", delta={"stop_reason": "end_turn"}, usage={"output_tokens": 12})
    return [begin + block, *pieces, named("content_block_stop", index=0) + end + named("message_stop")]


def _gemini_stream(texts: Sequence[str]) -> list[bytes]:
    pieces = [_event(candidates=[{"content": {"parts": [{"text": text}]}}], modelVersion="tiny") for text in texts]
    counts = {"promptTokenCount": 5000, "candidatesTokenCount": 12}
    end = _event(candidates=[{"content": {"parts": [{"text": ""}]}, "finishReason": "STOP"}], usageMetadata=counts)
    return [*pieces, end]


def _event(**facts: object) -> bytes:
    return b"data: " + _json(**facts) + b"\n\n"


def _json(**facts: object) -> bytes:
    return json.dumps(facts).encode()


REPLY_BUILDERS = (
    ReplyBuilder(dialect="openai_chat", reply=_openai, stream=_openai_stream),
    ReplyBuilder(dialect="openai", reply=_openai, stream=_openai_stream),
    ReplyBuilder(dialect="ollama", reply=_ollama, stream=_ollama_stream),
    ReplyBuilder(dialect="anthropic", reply=_anthropic, key_header="x-api-key", stream=_anthropic_stream),
    ReplyBuilder(dialect="gemini", reply=_gemini, key_header="x-goog-api-key", stream=_gemini_stream),
    ReplyBuilder(dialect="openai_decisions", reply=_openai_decisions, decides=True),
    ReplyBuilder(dialect="gemini_decisions", reply=_gemini_decisions, key_header="x-goog-api-key", decides=True),
    ReplyBuilder(dialect="systemone", reply=_systemone, decides=True),
)
TEXT_REPLY_BUILDERS = tuple(replies for replies in REPLY_BUILDERS if not replies.decides)
