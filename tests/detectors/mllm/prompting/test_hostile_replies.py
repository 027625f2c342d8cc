"""Whatever a screen makes a model say, only labels of ours and plain words come out, and no check passes by itself."""

import json
import re
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from detectors.mllm.prompting import prompts
from detectors.mllm.prompting.plain_text import one_line, plain_name, plain_text
from detectors.mllm.prompting.reply_parser import TEXT_LIMITS, ParsedReply, parse_reply
from detectors.mllm.prompting.wording import answer_spelling
from detectors.mllm.protocol import Reply
from detectors.mllm.questions import ModelQuery, ParsedAnswer
from storage.clock import SystemClock
from tests.fakes.mllm.questions import FOUR, LIVE, behavior, content, intent, need, query, tokens

TEXTS: dict[str, list[dict[str, Any]]] = json.loads((Path(__file__).parent / "hostile" / "texts.json").read_text())
TAKEN_OUT = [pytest.param(each, id=each["name"]) for each in TEXTS["taken_out"]]
WORDS = [pytest.param(each["text"], id=each["name"]) for each in TEXTS["words"]]
HOSTILE = [each["text"] for each in (*TEXTS["taken_out"], *TEXTS["words"])]
LIMIT = 240
COMMAND_OR_HOST = re.compile(
    r"\brm\b|\bsh\b|bash|chmod|docker|-delete|--\w|[<:]\(|\w\||\.\w+[:/]\w|localhost|\b(?:git|npx|ufw|dpkg|tar|find|ssh)\s"
    r"|openssl|socat|chattr|setfacl|modprobe|nano |make -|deno|apk|wine|vssadmin|takeown"
    r"|WEBSERVICE|cmd\||%0|ms-|shell:|zypper"
    r"|chown|useradd|diskpart|LD_|DROP|python3|-ms:|dot com|onion"
)
NEVER = ("<", ">", "{", "}", "`", "](", "://", ":\\\\", "../", "..\\", "javascript:", "www.", "sudo ", "&&", "$(")
ASKS = (
    LIVE,
    query(behavior(), need(), content(), reasoned=True),
    query(need()),
    query(intent(*FOUR)),
    query(content(*FOUR)),
    query(intent()),
)


def faults(text: str, limit: int = LIMIT) -> list[str]:
    """Return what makes a text more than plain words of limited length; written apart from the code that cleans."""
    found = [sign for sign in NEVER if sign in text.casefold()]
    found += [f"U+{ord(sign):04X}" for sign in text if unicodedata.category(sign)[0] == "C" or sign in "\u2028\u2029"]
    return found + (["long"] if len(text) > limit else [])


def judged(answers: dict[str, ParsedAnswer], each: ModelQuery) -> None:
    assert list(answers) == [question.key for question in each.questions]
    for question in each.questions:
        answer = answers[question.key]
        assert tuple(answer.distribution) == question.labels
        if question.labels:
            assert abs(sum(answer.distribution.values()) - 1.0) < 1e-9
            assert all(0.0 <= share <= 1.0 for share in answer.distribution.values())
            assert answer.text is None
        else:
            assert answer.text is not None
            assert faults(answer.text, TEXT_LIMITS[question.task]) == []


def repairs(each: ModelQuery) -> set[str]:
    return {
        sentence.format(key=question.key, spelled=answer_spelling(question) if question.labels else "")
        for sentence in prompts.REPAIRS.values()
        for question in each.questions
    }


def outcome(each: ModelQuery, reply: Reply) -> ParsedReply | None:
    parsed = parse_reply(each, reply)
    if not parsed.problem:
        judged(dict(parsed.answers), each)
        return None
    assert parsed.repair in repairs(each)
    assert parsed.problem in prompts.REPAIRS
    assert not parsed.answers
    return parsed


@pytest.mark.parametrize("case", TAKEN_OUT)
def test_more_than_words_is_taken_out(case: dict[str, Any]) -> None:
    """Nothing of it stays, and the words around it do; without the cleaning each of these would be found."""
    plain = plain_text(case["text"], LIMIT)
    assert [sign for sign in case["gone"] if sign in plain] == []
    assert faults(plain) == []
    assert not COMMAND_OR_HOST.search(plain)
    assert case["left"] in (None, plain)
    assert all(sign in case["text"] for sign in case["gone"]), "the control: it is there before"


@pytest.mark.parametrize("text", WORDS)
def test_words_stay_words(text: str) -> None:
    assert plain_text(text, LIMIT) == text.replace(">", "\N{SINGLE RIGHT-POINTING ANGLE QUOTATION MARK}")


def test_control_the_checks_of_this_file_find_faults() -> None:
    """The control of the control: most raw texts fail it."""
    found = [bool(faults(each["text"]) or COMMAND_OR_HOST.search(each["text"])) for each in TEXTS["taken_out"]]
    assert sum(found) > len(found) * 0.7
    assert faults("a" * 241) == ["long"]


def slots(text: str) -> Iterator[dict[str, object]]:
    good: dict[str, object] = {
        "behavior": {"answer": "E", "sure": 70},
        "need": {"answer": "yes", "sure": 80},
        "content": "Try it once more",
    }
    yield good | {"content": text}
    yield good | {"content": {"answer": text}}
    yield {"notes": text} | good
    yield good | {text: text}
    yield good | {"behavior": {"answer": text, "sure": 99}}
    yield good | {"behavior": {"answer": "E", "sure": text}}
    yield good | {"behavior": {"answer": "E", "sure": 70, text: text}}
    yield good | {"need": text}
    yield good | {"need": [text], "behavior": {text: "E"}}
    yield {text: good}


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_texts_never_pass(text: str) -> None:
    for facts in slots(text):
        for reply_text in (json.dumps(facts), f"{text}\n```json\n{json.dumps(facts)}\n```\n{text}"):
            outcome(LIVE, Reply(text=reply_text))
            outcome(LIVE, Reply(reasoning=reply_text, model=text))
            outcome(LIVE, Reply(text=reply_text, tokens=tokens(reply_text)))
    for each in ASKS:
        outcome(each, Reply(text=text, cut=True))
        outcome(each, Reply(text=text))


def test_control_a_trusting_parser_would_pass_them() -> None:
    """The control: taken as they are, the same replies carry links, mark-up and labels that are not ours."""
    text = "<b>Save</b> at https://evil.example"
    trusted = [json.loads(json.dumps(facts)) for facts in slots(text)]
    assert faults(trusted[0]["content"]) != []
    assert trusted[4]["behavior"]["answer"] not in set("ABCDEFGHI")
    assert parse_reply(LIVE, Reply(text=json.dumps(trusted[4]))).problem == "wrong_label"
    assert parse_reply(LIVE, Reply(text=json.dumps(trusted[0]))).answers["content"].text == "Save at"


@pytest.mark.parametrize("reply_text", ["MARKER", '{"need": "MARKER"}', '{"need": {"answer": "MARKER"', '["MARKER"]'])
def test_an_unusable_reply_is_quoted_nowhere(reply_text: str) -> None:
    """The result holds nothing of it, and no error is left behind that would."""
    parsed = parse_reply(query(need()), Reply(text=reply_text, reasoning=reply_text))
    assert parsed.problem
    assert "MARKER" not in repr(parsed)


BOMBS = {
    "nested objects": '{"a":' * 100_000,
    "nested objects, closed": '{"a":' * 9_000 + "1" + "}" * 9_000,
    "nested lists": '{"need": ' + "[" * 100_000,
    "nested lists, closed": '{"need": ' + "[" * 9_000 + "]" * 9_000 + "}",
    "braces": "{" * 1_000_000,
    "quotes": '{"' * 500_000,
    "blanks": "{" + " " * 1_000_000 + '"need": {"answer": "yes"}',
    "digits": '{"need": {"answer": "yes", "sure": ' + "9" * 19_000 + "}}",
    "power": '{"need": {"answer": "yes", "sure": 1e999999}}',
    "one key a million times": '{"need": "x", ' + '"need": "x", ' * 1_000_000,
    "long free text": '{"content": "' + "word " * 3_000 + '"}',
    "links without end": '{"content": "' + "a.b-" * 4_000 + '"}',
    "entities without end": '{"content": "' + "&amp;" * 3_000 + '"}',
    "escapes without end": '{"content": "' + "\\u001b[" * 2_000 + '"}',
    "signs that grow": '{"content": "' + "\ufdfa" * 15_000 + '"}',
    "drafts": '{"need": {"answer": "no"}} ' * 100_000,
}


@pytest.mark.parametrize("reply_text", BOMBS.values(), ids=BOMBS.keys())
def test_hostile_nesting_is_parsed_quickly(reply_text: str) -> None:
    """However long, deep or crooked a reply is, reading it takes a fraction of a second."""
    cut_up = tokens(*(reply_text[at : at + 40] for at in range(0, 80_000, 40)))
    replies = (
        Reply(text=reply_text),
        Reply(reasoning=reply_text),
        Reply(text=reply_text, cut=True),
        Reply(text=reply_text, tokens=cut_up),
    )
    start_ns = SystemClock().cpu_ns()
    for reply in replies:
        for each in (query(need()), query(content())):
            outcome(each, reply)
    assert SystemClock().cpu_ns() - start_ns < 8 * 0.1e9


SIGNS = st.sampled_from([*"<>{}[]()*_`#&;:/\\.@+|$%-=! \n\t\x00\x1b\x9b\u200b\u202e\u0301\ufdfa\uff0e", "amp;", "lt;"])
PIECES = st.sampled_from(["http", "://", "www.", "evil", ".com", "sudo", "rm -rf", "<b>", "](", "..", "dot", "x", "1."])
CROOKED = st.lists(st.one_of(SIGNS, PIECES, st.characters()), max_size=40).map("".join)


@given(CROOKED, st.integers(10, 100))
def test_plain_text_is_plain_and_stays_so(text: str, limit: int) -> None:
    """For any text: within the limit, without faults, and doing it again changes nothing."""
    plain = plain_text(text, limit)
    assert faults(plain, limit) == []
    assert plain_text(plain, limit) == plain
    assert plain == plain.strip()


@given(CROOKED)
def test_lines_and_names_are_plain_too(text: str) -> None:
    """What models read is one line; what a server calls its model holds only signs of names, and leads nowhere."""
    line, name = one_line(text, 50), plain_name(text)
    assert len(line) <= 50
    assert all(unicodedata.category(sign)[0] != "C" for sign in line)
    assert name.isascii()
    assert name.isprintable()
    assert ".." not in name
    assert not name.startswith(("/", "."))
    assert set("<>{}\\\"'`") & set(name) == set()


JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.floats(), st.integers(), st.text(max_size=20), st.sampled_from("ABCXyes")),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(st.sampled_from(["behavior", "need", "content", "answer", "sure", "x"]), inner, max_size=4),
    ),
    max_leaves=12,
)


@given(JSON, st.sampled_from(ASKS), st.booleans())
def test_any_json_is_read_or_refused(value: object, each: ModelQuery, cut: bool) -> None:
    """No reply raises anything else, and none gets a label or text of its own through."""
    outcome(each, Reply(text=json.dumps(value), cut=cut))


def test_names_of_models_stay() -> None:
    for name in ("qwen3-vl:8b", "hf.co/some/Model-GGUF:Q4_K_M", "claude-haiku-5-5", "models/gemini-3-flash"):
        assert plain_name(name) == name
