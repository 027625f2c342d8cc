"""Objects in replies: our names, our words, numbers within bounds, plain text, or a rule in our words."""

import json
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from detectors.mllm.prompting.reply_parser import BROKEN_RULE, parse_reply
from detectors.mllm.protocol import Reply
from detectors.mllm.questions import BooleanShape, EnumShape, IntegerShape, ListShape, ObjectShape, Shape, TextShape
from tests.fakes.mllm.briefs import GOOD, SHAPE, brief, object_query

QUERY = object_query()


VERDICT = '"verdict" must be one of these, and nothing else: success, partial, fail.'
STEP = '"step" must be a whole number from 3 to 7.'
WORDS = "must be text that holds plain words, without links, mark-up or terminal commands."


def facts_of(value: object) -> Mapping[str, object]:
    answers = parse_reply(QUERY, Reply(text=json.dumps(value))).answers
    return answers["judgement"].facts if answers else {}


def rule(value: object) -> str:
    parsed = parse_reply(QUERY, Reply(text=json.dumps(value)))
    assert parsed.problem == BROKEN_RULE
    return parsed.repair


def test_a_good_object_passes_and_what_its_shape_does_not_name_is_dropped() -> None:
    text = json.dumps(GOOD)
    more = dict(GOOD) | {"advice": "x", "problems": [{"step": 4, "cause": "the wrong menu", "who": "you"}]}
    for reply in (
        Reply(text=text),
        Reply(text=f"```json\n{text}\n```"),
        Reply(text=f'<think>{{"verdict": "fail"}}</think>{text}'),
        Reply(reasoning=text),
        Reply(text=json.dumps(more)),
    ):
        parsed = parse_reply(QUERY, reply)
        assert parsed.answers["judgement"].facts == GOOD
        assert parsed.answers["judgement"].distribution == {}


def test_other_spellings_of_the_same_value_pass() -> None:
    spelled = dict(GOOD) | {"verdict": " Partial.", "recovered": "yes"}
    spelled["problems"] = [{"step": "4", "cause": "the wrong menu"}]
    assert facts_of(spelled) == GOOD
    assert facts_of(dict(GOOD) | {"problems": [{"step": 4.0, "cause": "the wrong menu"}]}) == GOOD
    assert facts_of(dict(GOOD) | {"root_cause": None}) == GOOD


def test_text_is_cut_to_its_limit_and_plain() -> None:
    """Lengths are checked here, not by the server."""
    long = facts_of(dict(GOOD) | {"reasoning": "word " * 100})["reasoning"]
    assert isinstance(long, str)
    assert 40 < len(long) <= 60
    assert facts_of(dict(GOOD) | {"reasoning": "see <b>https://evil.example/x</b> now"})["reasoning"] == "see now"


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"verdict": "maybe"}, VERDICT),
        ({"verdict": 1}, VERDICT),
        ({"recovered": "perhaps"}, '"recovered" must be true or false.'),
        ({"recovered": 1}, '"recovered" must be true or false.'),
        ({"problems": {}}, '"problems" must be a list.'),
        ({"problems": [GOOD] * 4}, '"problems" must have from 0 to 3 entries.'),
        ({"problems": ["x"]}, '"problems", entry 1 must be an object.'),
        ({"problems": [{"step": 3, "cause": "x"}, {"step": 8, "cause": "x"}]}, f'"problems", entry 2, {STEP}'),
        ({"problems": [{"step": True, "cause": "x"}]}, f'"problems", entry 1, {STEP}'),
        ({"problems": [{"step": 3.5, "cause": "x"}]}, f'"problems", entry 1, {STEP}'),
        ({"problems": [{"step": 3}]}, '"problems", entry 1, "cause" was missing.'),
        ({"reasoning": "`rm -rf /`"}, f'"reasoning" {WORDS}'),
        ({"reasoning": ""}, f'"reasoning" {WORDS}'),
        ({"root_cause": ["x"]}, f'"root_cause" {WORDS}'),
    ],
)
def test_a_broken_rule_is_named_in_our_words(change: dict[str, object], expected: str) -> None:
    assert rule(dict(GOOD) | change) == expected


def test_a_missing_property_is_named() -> None:
    assert rule({key: value for key, value in GOOD.items() if key != "verdict"}) == '"verdict" was missing.'


def test_no_object_at_all() -> None:
    assert parse_reply(QUERY, Reply(text="yes")).problem == "not_json"
    assert parse_reply(QUERY, Reply(text='{"answer": "yes"}')).problem == "not_json"
    assert parse_reply(QUERY, Reply(text="")).problem == "empty"
    assert parse_reply(QUERY, Reply(text=json.dumps(GOOD)[:-40], cut=True)).problem == "cut"


def test_the_rule_of_a_brief_is_checked_last() -> None:
    seen: list[Mapping[str, object]] = []

    def check(facts: Mapping[str, object]) -> str:
        seen.append(facts)
        return "The first step must be 1." if facts["verdict"] == "partial" else ""

    query = object_query(asked=brief(check))
    parsed = parse_reply(query, Reply(text=json.dumps(GOOD)))
    assert (parsed.problem, parsed.repair) == (BROKEN_RULE, "The first step must be 1.")
    assert parse_reply(query, Reply(text=json.dumps(dict(GOOD) | {"verdict": "fail"}))).answers
    assert parse_reply(query, Reply(text=json.dumps(dict(GOOD) | {"verdict": "?"}))).problem == BROKEN_RULE
    assert [facts["verdict"] for facts in seen] == ["partial", "fail"]


NAMES = [field.name for field in SHAPE.fields]
LEAVES = (
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=20) | st.sampled_from(["fail", "MARKER"])
)
KEYS = st.sampled_from([*NAMES, "step", "cause"])
JSON = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4), max_leaves=10
)


def fits(shape: Shape, value: Any) -> bool:
    """Tell whether a value is of a shape; written apart from the code that checks."""
    match shape:
        case ObjectShape():
            named = list(value) == [field.name for field in shape.fields]
            return named and all(fits(field.shape, value[field.name]) for field in shape.fields)
        case ListShape():
            return shape.least <= len(value) <= shape.most and all(fits(shape.of, entry) for entry in value)
        case TextShape():
            return isinstance(value, str) and len(value) <= shape.limit and (bool(value) or shape.may_be_empty)
        case IntegerShape():
            return type(value) is int and shape.least <= value <= shape.most
        case BooleanShape():
            return type(value) is bool
        case EnumShape():
            return value in shape.values


@given(st.dictionaries(st.sampled_from(NAMES), JSON, max_size=5), st.booleans())
def test_any_object_fits_or_is_refused(change: dict[str, object], merged: bool) -> None:
    value = dict(GOOD) | change if merged else change
    parsed = parse_reply(QUERY, Reply(text=json.dumps(value)))
    assert "MARKER" not in parsed.repair
    if parsed.answers:
        assert fits(SHAPE, parsed.answers["judgement"].facts)
    else:
        assert parsed.repair


def test_control_the_check_of_this_file_finds_faults() -> None:
    """The control: values taken as they come do not fit."""
    assert fits(SHAPE, GOOD)
    assert not fits(SHAPE, dict(GOOD) | {"recovered": 1})
    assert not fits(SHAPE, dict(GOOD) | {"advice": "x"})
