"""Replies of all dialects: what they mean, and that nothing whatever makes a reader fail but by `InvalidReply`."""

import json
import math
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from detectors.mllm import dialects
from detectors.mllm.dialects import shared as parts
from detectors.mllm.questions import Usage
from detectors.mllm.wire import InvalidReply, Reply, Token
from tests.fakes.mllm.sample_queries import INTENT, NEED, STATE, ask
from tests.fakes.mllm.sample_replies import SAMPLES, TEXT, sample

ASK = ask(questions=(STATE, INTENT, NEED))
TALKING = ("openai_chat", "openai_plain", "openai", "ollama", "anthropic", "gemini")
DECIDING = ("openai_decisions", "gemini_decisions", "systemone")
WITH_TOKENS = ("openai_chat", "openai_plain", "openai", "ollama", "gemini")

Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda children: st.lists(children, max_size=3) | st.dictionaries(st.text(max_size=8), children, max_size=3),
    max_leaves=8,
)
AWKWARD: tuple[Json, ...] = (
    None,
    True,
    0,
    -1,
    2**70,
    1.5,
    -0.5,
    math.nan,
    math.inf,
    "",
    "x",
    "\ud800",
    "\x00\u2028",
    [],
    [None],
    [[]],
    ["x", 1],
    [{}],
    {},
    {"": None},
    {"text": None},
    {"token": "x"},
    {"type": "x"},
    {"A": 1e308, "B": 1e308},
)


def read(name: str, said: object) -> Reply:
    """Return what a dialect reads in this."""
    return dialects.by_name(name).reply(json.dumps(said).encode(), ASK)


def places(tree: Json) -> Iterator[tuple[str | int, ...]]:
    """Name every place in a tree."""
    yield ()
    steps = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    for step, child in steps:
        yield from ((step, *rest) for rest in places(child))


def altered(tree: Json, place: tuple[str | int, ...], value: Json) -> Json:
    """Return a tree with something else at one place."""
    if not place:
        return value
    step, *rest = place
    if isinstance(tree, dict):
        return {key: altered(child, tuple(rest), value) if key == step else child for key, child in tree.items()}
    assert isinstance(tree, list)
    return [altered(child, tuple(rest), value) if at == step else child for at, child in enumerate(tree)]


@pytest.mark.parametrize("name", TALKING)
def test_talking(name: str) -> None:
    """Text, usage with what caches knew, and the model's name are read; that it was not cut, too."""
    reply = dialects.by_name(name).reply(sample(name), ASK)
    assert reply.text == TEXT
    assert not reply.cut
    assert not reply.distributions
    cached = 0 if name == "ollama" else 800
    assert reply.usage == Usage(calls=1, tokens_in=1000, tokens_out=20, cached=cached)
    assert reply.model == "some-model-2026"


@pytest.mark.parametrize("name", WITH_TOKENS)
def test_tokens(name: str) -> None:
    """Tokens come with their alternatives; what a server calls impossible has a number all the same."""
    tokens = dialects.by_name(name).reply(sample(name), ASK).tokens
    others = (("B", -0.25), ("A", -1.5), ("C", parts.NEVER))
    assert tokens == (Token("B", -0.25, others), Token("}", 0.0, ()))


@pytest.mark.parametrize("name", DECIDING)
def test_deciding(name: str) -> None:
    """Odds of letters become a distribution over keys that adds up to one, rounding or not."""
    reply = dialects.by_name(name).reply(sample(name), ASK)
    assert set(reply.distributions) == {"state", "need"}
    assert reply.distributions["need"] == {"yes": 0.75, "no": 0.25}
    state = reply.distributions["state"]
    assert list(state) == ["frustration", "waiting", "ideation"]
    assert math.isclose(sum(state.values()), 1.0)
    assert math.isclose(state["waiting"], 0.8 / 0.99)
    assert reply.usage.tokens_in == 1000
    assert reply.text == ""


@pytest.mark.parametrize(
    ("name", "place", "reason"),
    [
        ("openai_chat", ("choices", 0, "finish_reason"), "length"),
        ("ollama", ("done_reason",), "length"),
        ("anthropic", ("stop_reason",), "max_tokens"),
        ("gemini", ("candidates", 0, "finishReason"), "MAX_TOKENS"),
    ],
)
def test_cut(name: str, place: tuple[str | int, ...], reason: str) -> None:
    """An answer that ran out of room is known as such."""
    assert read(name, altered(SAMPLES[name], place, reason)).cut  # type: ignore[arg-type]  # a sample is JSON


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning"])
def test_answer_among_thoughts(field: str) -> None:
    """An answer in the wrong field is kept as what it is called, for the reader of answers to judge."""
    said = {"choices": [{"message": {"content": None, field: TEXT}, "finish_reason": "stop"}]}
    reply = read("openai_chat", said)
    assert (reply.text, reply.reasoning) == ("", TEXT)


def test_thoughts_apart() -> None:
    """Thoughts do not get into the text where a server marks them."""
    assert read("anthropic", SAMPLES["anthropic"]).reasoning == "Hm."
    assert read("gemini", SAMPLES["gemini"]).reasoning == "Hm."
    assert read("ollama", {"message": {"content": "", "thinking": TEXT}}).reasoning == TEXT


def test_text_in_parts() -> None:
    """Some servers give the text of a chat in parts."""
    said = {"choices": [{"message": {"content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}}]}
    assert read("openai_chat", said).text == "ab"


def test_blocked_is_no_nonsense() -> None:
    """A prompt that a filter stopped has an empty answer; one with neither answer nor reason is nonsense."""
    assert read("gemini", {"promptFeedback": {"blockReason": "SAFETY"}}).text == ""
    assert read("gemini_decisions", {"prompt_feedback": {"block_reason": "safety"}}).distributions == {}
    with pytest.raises(InvalidReply):
        read("gemini", {})
    with pytest.raises(InvalidReply):
        read("gemini_decisions", {})


def test_refused_question_is_missing() -> None:
    """A question that is declined has no distribution; the others have theirs."""
    answers = [{"type": "refusal", "name": "state"}, {"type": "predicate", "name": "need", "probability": 0.5}]
    assert set(read("openai_decisions", {"answers": answers}).distributions) == {"need"}


@pytest.mark.parametrize(
    "answer",
    [
        {"type": "noul", "noul": 1.5},
        {"type": "noul"},
        {"type": "choice", "choice": "yes", "probabilities": {"yes": 1.0}},
    ],
)
def test_senseless_odds_of_yes(answer: Json) -> None:
    """No probability, none at all, or an answer to another kind of question is nonsense."""
    with pytest.raises(InvalidReply):
        read("systemone", {"answers": {"need": answer}})


@pytest.mark.parametrize("odds", [{}, {"A": -0.5, "B": 1.5}, {"X": 1.0}, {"A": 0.2, "B": 0.2}, {"A": 1, "B": 1}])
def test_senseless_odds_of_a_choice(odds: Json) -> None:
    """Odds below zero, of other letters, or far from adding up are nonsense."""
    with pytest.raises(InvalidReply):
        read("gemini_decisions", {"answers": {"state": {"type": "choice", "probabilities": odds}}})


def test_usage_makes_sense() -> None:
    """Counts below zero, beyond all reason or larger than their whole are cut to what they can be."""
    usage = parts.usage(tokens_in=-4, tokens_out=2**80, cached=7)
    assert usage == Usage(calls=1, tokens_in=0, tokens_out=2**40, cached=0)


@pytest.mark.parametrize("name", dialects.NAMES)
@given(content=st.binary(max_size=200))
@settings(max_examples=20)
def test_any_bytes(name: str, content: bytes) -> None:
    """Bytes are a reply or nonsense."""
    check(name, content)


@pytest.mark.parametrize("name", dialects.NAMES)
def test_awkward_values_everywhere(name: str) -> None:
    """A good reply with any awkward value at any place, or cut anywhere, is a reply or nonsense."""
    tree: Json = SAMPLES[name]  # type: ignore[assignment]  # a sample is JSON
    for place in places(tree):
        for value in AWKWARD:
            check(name, json.dumps(altered(tree, place, value)).encode())
    whole = sample(name)
    for end in range(0, len(whole), 3):
        check(name, whole[:end])


@pytest.mark.parametrize("name", dialects.NAMES)
@given(data=st.data())
@settings(max_examples=20)
def test_any_value_anywhere(name: str, data: st.DataObject) -> None:
    """The same with values that nobody thought of."""
    tree: Json = SAMPLES[name]  # type: ignore[assignment]  # a sample is JSON
    place = data.draw(st.sampled_from(list(places(tree))))
    check(name, json.dumps(altered(tree, place, data.draw(JSON))).encode())


@pytest.mark.parametrize("name", dialects.NAMES)
@pytest.mark.parametrize(
    "content", [b"", b"[]", b"null", b"{}", b"[" * 100_000, b'{"a":' * 50_000, b"\xff\xfe", b"1e999"]
)
def test_hostile_bytes(name: str, content: bytes) -> None:
    """Deep nesting, huge numbers and broken text are nonsense."""
    with pytest.raises(InvalidReply):
        dialects.by_name(name).reply(content, ASK)


def check(name: str, content: bytes) -> None:
    """Read a reply; hold it to what every reply must be."""
    try:
        reply = dialects.by_name(name).reply(content, ASK)
    except InvalidReply:
        return
    assert reply.usage.calls == 1
    assert min(reply.usage.tokens_in, reply.usage.tokens_out, reply.usage.cached) >= 0
    assert all(parts.NEVER <= token.log_probability <= 0.0 for token in reply.tokens)
    for distribution in reply.distributions.values():
        assert math.isclose(sum(distribution.values()), 1.0)
        assert min(distribution.values()) >= 0.0
