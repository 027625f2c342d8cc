"""Reads the replies of servers that write text, in one piece or streamed; the tables below list every field of them.

The text is the answer, and it alone decides. What stands beside it (counts, names, ends, log-probabilities, errors that
follow a whole answer) is checked field by field: one that is missing, or not what it should be, is left out, and named
in `Reply.odd` where it was there. Servers speak each other's formats in part, and proxies mix them, so there is one
table for all dialects.
"""

import math
from collections.abc import Iterable, Mapping, Sequence

from detectors.mllm.dialects import base, events
from detectors.mllm.dialects.events import Tree, at
from detectors.mllm.protocol import InvalidReply, RefusalKind, Reply, Token
from detectors.mllm.questions import ModelQuery, Usage

_MESSAGES = ("choices.0.message", "choices.0.delta", "candidates.0")
_ROOTS = ("message", "delta", "content_block")  # in other formats something else may have these names
_TEXTS = ("choices.0.text", "content", "output", "response.output")
_INNER = ("content", "parts", "text")
_THOUGHTS = ("reasoning_content", "reasoning", "thinking")
_THOUGHT_TYPES = ("thinking", "reasoning")
_BLOCKED = "promptFeedback.blockReason"  # an empty answer
_REASONS = (
    "choices.0.finish_reason",
    "done_reason",
    "stop_reason",
    "delta.stop_reason",
    "candidates.0.finishReason",
    "incomplete_details.reason",
    "response.incomplete_details.reason",
)
_CUT = ("length", "max_tokens", "max_output_tokens", "model_length", "model_context_window_exceeded", "continuation")
_NO_END = ("", "null", "none", "error")  # reasons that do not say that an answer has ended
_END_TYPES = ("message_stop", "response.completed", "response.incomplete")
_NAMES = ("model", "modelVersion", "message.model", "response.model")
_HOLDERS = ("message", "response", "x_groq")  # of counts, besides the object itself
# The first group of which a count is there counts, as the sum of its fields.
_READ = (
    ("usage.prompt_tokens",),
    ("usage.input_tokens", "usage.cache_creation_input_tokens", "usage.cache_read_input_tokens"),
    ("usage.total_input_tokens",),
    ("usageMetadata.promptTokenCount",),
    ("prompt_eval_count",),
    ("timings.prompt_n", "timings.cache_n"),
)
_WRITTEN = (
    ("usage.completion_tokens",),
    ("usage.output_tokens",),
    ("usage.total_output_tokens",),
    ("usageMetadata.candidatesTokenCount", "usageMetadata.thoughtsTokenCount"),
    ("eval_count",),
    ("timings.predicted_n",),
)
_CACHED = (
    ("usage.prompt_tokens_details.cached_tokens",),
    ("usage.input_tokens_details.cached_tokens",),
    ("usage.cache_read_input_tokens",),
    ("usage.total_cached_tokens",),
    ("usageMetadata.cachedContentTokenCount",),
)
_MOST_TOKENS = 10**8
"""More than any model reads or writes: a count beyond that would use up the limits of a day."""

_TOTAL = (("usage.total_tokens",), ("usageMetadata.totalTokenCount",))  # some count thoughts in nothing else
_POSITIONS = ("choices.0.logprobs.content", "logprobs")
_GEMINI_POSITIONS = "candidates.0.logprobsResult"
_DEPTH = 6


class TextDialect(base.BaseDialect):
    """What dialects of models that write have in common: how their replies are read."""

    def reply(self, content: bytes, query: ModelQuery) -> Reply:  # noqa: ARG002  # parsed alike for every query
        """Return what a reply says, in one piece or as a stream."""
        return read(content)

    def piece(self, line: bytes) -> str:
        """Return the text that a line of a stream adds."""
        return "".join(text for text, _ in _answers(events.event(line), set()))


def read(content: bytes) -> Reply:
    """Return what a reply says.

    Raises:
        InvalidReply: it has no answer, an error instead of one, or it came in pieces and not to its end.
    """
    found = events.split(content)
    odd: set[str] = set()
    text = thoughts = reason = ""
    answered = ended = cut = False
    for tree in found.objects:
        answers = list(_answers(tree, odd))
        answered = answered or bool(answers)
        text += "".join(words for words, _ in answers)
        thoughts += "".join(words for _, words in answers)
        reason = _reason(tree, odd) or reason
        ended = ended or bool(reason) or _is_end(tree)
        if (error := events.error_in(tree)) is None:
            continue
        if not ended:
            kind = base.error_kind(error)
            if not text or kind not in (RefusalKind.ANSWER, RefusalKind.OTHER):
                raise InvalidReply("an error instead of an answer")
            cut = ended = True
        odd.add("error")
        break
    in_pieces = found.streamed or any(tree.get("done") is False for tree in found.objects)
    if not answered or (in_pieces and not ended):
        raise InvalidReply("no answer, or not to its end")
    if found.damaged:
        odd.add("end")
    return Reply(
        text=text,
        reasoning=thoughts,
        cut=cut or reason in _CUT,
        tokens=_tokens(found.objects, odd),
        usage=usage(found.objects, odd),
        model=model(found.objects, odd),
        odd=tuple(sorted(odd)),
    )


def usage(trees: Sequence[Tree], odd: set[str]) -> Usage:
    """Return what was counted; of several counts in a stream the highest, since they grow."""
    holders = [held for tree in trees for held in (tree, *(tree.get(name) for name in _HOLDERS))]
    read_, written, cached, total = (
        max((_count(held, groups, odd) for held in holders), default=0) for groups in (_READ, _WRITTEN, _CACHED, _TOTAL)
    )
    return base.usage(tokens_in=read_, tokens_out=max(written, total - read_) if read_ else written, cached=cached)


def model(trees: Sequence[Tree], odd: set[str]) -> str:
    """Return the name that a server gives its model."""
    found = [name for tree in trees for path in _NAMES if (name := at(tree, path)) is not None]
    if any(not isinstance(name, str) for name in found):
        odd.add("model")
    return next((name for name in found if isinstance(name, str) and name), "")


def _answers(tree: Tree, odd: set[str]) -> Iterable[tuple[str, str]]:
    """Yield text and thoughts of each part of an answer in an object."""
    repeats = isinstance(at(tree, "choices.0.delta"), dict)  # some say all again beside each piece
    for path in _MESSAGES[repeats:]:
        if (message := at(tree, path)) is not None:
            if not isinstance(message, dict):
                raise InvalidReply("a message that is none")
            yield _words(message, odd)
    for path in _ROOTS:
        if isinstance(message := at(tree, path), dict):
            yield _words(message, odd)
    for path in _TEXTS:
        if (value := at(tree, path)) is not None:
            yield _words(value, odd)
    if at(tree, _BLOCKED) is not None:
        yield "", ""


def _words(value: object, odd: set[str], depth: int = 0) -> tuple[str, str]:
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace"), ""
    if depth > _DEPTH or not isinstance(value, dict | list):
        raise InvalidReply("a text that is none")
    if isinstance(value, list):
        parts = [_words(part, odd, depth + 1) for part in value if part is not None]
        return "".join(text for text, _ in parts), "".join(thoughts for _, thoughts in parts)
    inner = (_words(value[name], odd, depth + 1) for name in _INNER if value.get(name) is not None)
    text, thoughts = next(inner, ("", ""))
    if value.get("thought") or str(value.get("type")).startswith(_THOUGHT_TYPES):
        text, thoughts = "", text + thoughts
    for name in _THOUGHTS:
        if not value.get(name):
            continue
        try:
            return text, thoughts + "".join(_words(value[name], odd, depth + 1))
        except InvalidReply:
            odd.add("thoughts")
    return text, thoughts


def _reason(tree: Tree, odd: set[str]) -> str:
    """Return why an answer has ended, in lower case; empty where it has not, or that is not said."""
    for path in _REASONS:
        if (reason := at(tree, path)) is None:
            continue
        if not isinstance(reason, str):
            odd.add("finish reason")
        elif reason.lower() not in _NO_END:
            return reason.lower()
    return ""


def _is_end(tree: Tree) -> bool:
    return tree.get("done") is True or tree.get("type") in _END_TYPES or at(tree, _BLOCKED) is not None


def _count(held: object, groups: Iterable[Iterable[str]], odd: set[str]) -> int:
    """Return the count of the first group that has one; 0 where there is none."""
    for group in groups:
        values = [value for path in group if (value := at(held, path)) is not None]
        counts = [count for value in values if (count := _whole(value)) is not None]
        if len(counts) < len(values):
            odd.add("usage")
        elif counts:
            return sum(counts)
    return 0


def _whole(value: object) -> int | None:
    """Return a count, also one that is written as a text or a fraction; None where it is none, or none of a request."""
    if isinstance(value, str) and value.isdecimal() and len(value) < 20:  # noqa: PLR2004  # digits of any real count
        value = int(value)
    if isinstance(value, float) and math.isfinite(value):
        value = int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _MOST_TOKENS else None


def _tokens(trees: Sequence[Tree], odd: set[str]) -> tuple[Token, ...]:
    """Return the tokens of a reply; none where one of them is odd, since their places count."""
    found: list[Token] = []
    try:
        for tree in trees:
            for path in _POSITIONS:
                found += map(_token, _list(at(tree, path)))
            found += _gemini_tokens(at(tree, _GEMINI_POSITIONS))
    except _OddError:
        odd.add("log-probabilities")
        return ()
    return tuple(found)


def _gemini_tokens(result: object) -> Iterable[Token]:
    """Return the tokens; positions without alternatives, or past the last that has some, have none."""
    listed = _list(at(result, "topCandidates"))
    for place, chosen in enumerate(_list(at(result, "chosenCandidates"))):
        others = at(listed[place], "candidates") if place < len(listed) else None
        yield base.token(*_odds(chosen), map(_odds, _list(others)))


def _token(position: object) -> Token:
    return base.token(*_odds(position), map(_odds, _list(at(position, "top_logprobs"))))


class _OddError(ValueError):
    """Log-probabilities that cannot be read."""


def _odds(value: object) -> tuple[str, float | None]:
    """Return a token with its log-probability, of which null and none stand for minus infinity."""
    if not isinstance(value, Mapping):
        raise _OddError
    token, log = value.get("token"), value.get("logprob", value.get("logProbability"))
    if isinstance(log, int) and not isinstance(log, bool):
        log = float(min(max(log, int(base.MIN_LOG_PROBABILITY)), 0))  # of any length
    if not isinstance(token, str | None) or not isinstance(log, float | None):
        raise _OddError
    return token or "", log


def _list(value: object) -> Sequence[object]:
    if value is None:
        return ()
    if not isinstance(value, list):
        raise _OddError
    return value
