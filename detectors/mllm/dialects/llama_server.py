"""llama-server's chat completions as a stream, so that it drops a request as soon as we do.

Read in llama.cpp's source and observed. Without a stream llama-server checks once a second whether the client is still
connected, and not even that while it answers others. With one it checks whenever it sends something, which with
`return_progress` is after every picture it has read and every token it has written. Pieces are not used before the last
one is there: the reply is put together and parsed like any other.
"""

from collections.abc import Iterator, Mapping, Sequence

import msgspec

from detectors.mllm.dialects import base
from detectors.mllm.dialects.openai_chat import (
    Choice,
    Completion,
    LogProbs,
    Message,
    OpenAIChat,
    TokenCounts,
    parse_completion,
)
from detectors.mllm.protocol import InvalidReply, Reply, RequestOptions
from detectors.mllm.questions import ModelQuery

_EVENT = b"data:"
_END = b"[DONE]"


class _Piece(msgspec.Struct):
    delta: Message
    finish_reason: str | None = None
    logprobs: LogProbs | None = None


class _Chunk(msgspec.Struct):
    choices: list[_Piece] = []
    model: str | None = None
    usage: TokenCounts | None = None
    error: object = None


_DECODER = msgspec.json.Decoder(_Chunk)


class LlamaServer(OpenAIChat):
    """Chat completions, streamed."""

    name = "llama_server"

    def reply(self, content: bytes, query: ModelQuery) -> Reply:
        """Parse a stream, or a completion in one piece."""
        if content.lstrip().startswith(b"{"):
            return super().reply(content, query)
        return parse_completion(_joined(list(_chunks(content))))

    def _settings(self, options: RequestOptions) -> Mapping[str, object]:
        streamed = {"stream": True, "stream_options": {"include_usage": True}, "return_progress": True}
        return {**super()._settings(options), **streamed}


def _chunks(content: bytes) -> Iterator[_Chunk]:
    """Return the pieces; a stream without an end mark was broken off."""
    for line in content.splitlines():
        if not line.startswith(_EVENT):
            continue  # an empty line, or a comment that keeps the connection alive
        event = line[len(_EVENT) :].strip()
        if event == _END:
            return
        chunk = base.decode(_DECODER, event)
        yield chunk
        if chunk.error is not None:
            return
    raise InvalidReply("a stream without an end")


def _joined(chunks: Sequence[_Chunk]) -> Completion:
    """Return a completion made of pieces. An error within an answer means that it was cut off."""
    pieces = [piece for chunk in chunks for piece in chunk.choices]
    text = "".join(_text(piece.delta) for piece in pieces)
    broken = any(chunk.error is not None for chunk in chunks)
    if broken and not text:
        raise InvalidReply("a stream that is an error")
    ends = [piece.finish_reason for piece in pieces if piece.finish_reason]
    positions: list[base.Position] = [at for piece in pieces if piece.logprobs for at in piece.logprobs.content or ()]
    message = Message(content=text, reasoning_content="".join(piece.delta.reasoning_content or "" for piece in pieces))
    return Completion(
        choices=[
            Choice(
                message=message,
                finish_reason="length" if broken else ends[-1] if ends else None,
                logprobs=LogProbs(content=positions),
            )
        ],
        model=next((chunk.model for chunk in chunks if chunk.model), None),
        usage=next((chunk.usage for chunk in reversed(chunks) if chunk.usage), None),
    )


def _text(delta: Message) -> str:
    return delta.content if isinstance(delta.content, str) else ""
