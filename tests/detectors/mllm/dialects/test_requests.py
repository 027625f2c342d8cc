"""Requests of all dialects: golden bodies, the same bytes for the same ask, pictures never encoded again."""

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from detectors.mllm import dialects
from detectors.mllm.dialects import shared as parts
from detectors.mllm.prompting import prompts
from detectors.mllm.prompting import wording as asking
from detectors.mllm.questions import ModelQuery, Picture
from detectors.mllm.wire import RequestOptions, SchemaMode
from storage.errors import UsageError
from tests.fakes.mllm.sample_queries import INTENT, NEED, STATE, ask, picture

GOLDEN = Path(__file__).parent / "golden"
HOW = RequestOptions(model="some-model", top_log_probs=5)
MODES = {"anthropic": SchemaMode.NATIVE, "gemini": SchemaMode.NATIVE, "ollama": SchemaMode.NATIVE}
TALKING = tuple(name for name in dialects.NAMES if not dialects.by_name(name).decides)
DECIDING = tuple(name for name in dialects.NAMES if dialects.by_name(name).decides)


def how(name: str) -> RequestOptions:
    """Return how a dialect is asked at its best."""
    return replace(HOW, schema_mode=MODES.get(name, SchemaMode.JSON_SCHEMA))


def plain_wording(ask: ModelQuery, mode: SchemaMode, repair: str = "") -> asking.Wording:
    """Stand in for the real wording, so that golden bodies change with dialects alone."""
    schema: Mapping[str, object] = {"type": "object", "properties": {q.key: {"type": "string"} for q in ask.questions}}
    after = " ".join(filter(None, ("Questions?", ask.observations, mode.value, repair)))
    return asking.Wording(system="System.", before="Before.", after=after, schema=schema)


@pytest.fixture
def plain(monkeypatch: pytest.MonkeyPatch) -> None:
    """Use the plain wording, and plain words where dialects take them singly."""
    monkeypatch.setattr(asking, "wording", plain_wording)
    monkeypatch.setattr(asking, "question_text", lambda question: f"{question.key}?")
    monkeypatch.setattr(asking, "scene", lambda ask: f"{len(ask.pictures)} pictures. {ask.observations}")
    monkeypatch.setattr(prompts, "JUDGE", "System.")
    monkeypatch.setattr(prompts, "BEFORE", "Before.")


@pytest.mark.usefixtures("plain")
@pytest.mark.parametrize("name", dialects.NAMES)
def test_golden(name: str) -> None:
    """The body is the one that was read against the vendor's types, key for key."""
    request = dialects.by_name(name).request(ask(), how(name))
    said = {
        "path": request.path,
        "headers": dict(request.headers),
        "body": json.loads(bytes(request.body)),
        "key": dict(dialects.by_name(name).authorization("KEY")),
    }
    assert json.dumps(said, indent=1, ensure_ascii=False) + "\n" == (GOLDEN / f"{name}.json").read_text()


@pytest.mark.usefixtures("plain")
@pytest.mark.parametrize("name", TALKING)
def test_golden_thinking(name: str) -> None:
    """A model that cannot be told not to think gets room for it, no shape where it is prompted, and no odd settings."""
    asked = RequestOptions(
        model="a/b", schema_mode=SchemaMode.PROMPTED, max_tokens=100, context_tokens=8192, still_thinks=True
    )
    request = dialects.by_name(name).request(ask(pictures=0), asked, repair="Wrong letter.")
    body = json.loads(bytes(request.body))
    text = json.dumps({"path": request.path, "body": body}, indent=1, ensure_ascii=False) + "\n"
    assert text == (GOLDEN / f"{name}_thinking.json").read_text()


@pytest.mark.parametrize("name", dialects.NAMES)
def test_equal_asks_give_equal_bytes(name: str) -> None:
    """Two dialects made anew put equal asks into equal bodies, and their digest is that of the bytes."""
    first, second = (dialects.by_name(name).request(ask(), how(name)) for _ in range(2))
    assert bytes(first.body) == bytes(second.body)
    assert first.body.digest() == second.body.digest()
    assert bytes(first.body) != bytes(dialects.by_name(name).request(ask(pictures=3), how(name)).body)


@pytest.mark.parametrize("name", dialects.NAMES)
def test_nested_prefixes_begin_alike(name: str) -> None:
    """Everything through the last picture of a shorter prefix is how a longer one begins, whatever is asked of it."""
    dialect = dialects.by_name(name)
    short = dialect.request(ask(pictures=2, questions=(NEED,), observations="1 undo"), how(name)).body
    long = bytes(dialect.request(ask(pictures=4), how(name)).body)
    last = max(at for at, part in enumerate(short.parts) if isinstance(part, Picture))
    shared = bytes(replace(short, parts=short.parts[: last + 1]))
    assert len(shared) > 100
    assert long.startswith(shared)


@pytest.mark.parametrize("name", dialects.NAMES)
def test_pictures_are_parts(name: str) -> None:
    """The very pictures stand in the body, in their order, and the body is JSON with their base64 in it."""
    asked = ask(pictures=32, size=900)
    body = dialects.by_name(name).request(asked, how(name)).body
    assert [part for part in body.parts if isinstance(part, Picture)] == list(asked.pictures)
    assert all(part.base64 in bytes(body) for part in asked.pictures)
    json.loads(bytes(body))


@pytest.mark.parametrize("name", DECIDING)
def test_decisions_take_closed_questions_alone(name: str) -> None:
    """Free questions are left out, and one that is alone is the caller's mistake; nothing speaks of JSON or of keys."""
    dialect = dialects.by_name(name)
    body = bytes(dialect.request(ask(questions=(STATE, INTENT, NEED)), HOW).body).decode()
    questions = json.loads(body)["questions"]
    names = list(questions) if isinstance(questions, dict) else [each["name"] for each in questions]
    assert names == ["state", "need"]
    assert "JSON" not in body
    assert "frustration" not in body
    with pytest.raises(ValueError, match="free questions"):
        dialect.request(ask(questions=(INTENT,)), HOW)


def test_modes_of_chat() -> None:
    """Every way of telling the shape goes over the wire as servers know it."""
    chat = dialects.by_name("openai_chat")
    formats = {
        mode: json.loads(bytes(chat.request(ask(), replace(HOW, schema_mode=mode)).body)).get("response_format")
        for mode in SchemaMode
    }
    assert formats[SchemaMode.PROMPTED] is None
    assert formats[SchemaMode.JSON_OBJECT_SCHEMA]["type"] == "json_object"
    assert formats[SchemaMode.JSON_OBJECT_SCHEMA]["schema"] == formats[SchemaMode.JSON_SCHEMA]["json_schema"]["schema"]
    assert formats[SchemaMode.NATIVE] == formats[SchemaMode.JSON_SCHEMA]


@given(text=st.text())
def test_nothing_written_is_taken_for_a_picture(text: str) -> None:
    """Whatever a text holds, only the places for pictures are filled."""
    body = parts.body({"text": text, "image": parts.BASE64, "more": [text]}, [picture(7)])
    assert msgspec.json.decode(bytes(body)) == {"text": text, "image": picture(7).base64.decode(), "more": [text]}


def test_unknown_dialect() -> None:
    """A name that is none is told with those there are."""
    with pytest.raises(UsageError, match="openai_chat"):
        dialects.by_name("morse")
