"""What models read: stable, whole, without a way out of its line, and without giving an answer away."""

import json
from collections.abc import Iterator
from hashlib import sha256
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from detectors.mllm.prompting import prompts
from detectors.mllm.prompting.wording import Wording, compose, letters, observations, question_text
from detectors.mllm.protocol import SchemaMode
from detectors.mllm.questions import AnswerForm, ModelQuery, ModelQuestion, Option, QuestionContext, Task
from storage.records import State
from tests.fakes.mllm.questions import FOUR, LIVE, PICTURE, behavior, content, intent, need, query

PINNED = {
    "1": "4a7b949423969a28db19b66e567e2a7707885c7cd8b4b30d26039a3f0d13a31a",
    "2": "ebf58039721148cb27cb41abd1f68b8ae5f494f344368665ecfd67d8a44a46a5",
}
"""The digest of all wordings, by version. A changed sentence needs a new version and a new line here, never an edit."""

KNOWN = (
    QuestionContext(),
    QuestionContext(previous=State.EXPLORATION),
    QuestionContext(behavior=(State.FRUSTRATION,)),
    QuestionContext(behavior=(State.FRUSTRATION,), intent="Align the two shapes"),
)
OLDEST = QuestionContext(previous=State.EXPLORATION)


def conditions() -> Iterator[ModelQuestion]:
    yield from (behavior(), behavior(OLDEST))
    for known in (QuestionContext(), KNOWN[2]):
        yield from (intent(given=known), intent(*FOUR, given=known))
    for known in (QuestionContext(), KNOWN[2], KNOWN[3]):
        yield from (need(known), content(given=known), content(*FOUR, given=known))


def all_wordings() -> Iterator[Wording]:
    for question, mode, reasoned in product(conditions(), SchemaMode, (False, True)):
        yield compose(query(question, reasoned=reasoned), mode)
    for pictures in (0, 1, 8):
        yield compose(
            query(behavior(), need(), content(), pictures=pictures, observations="7 undos"), SchemaMode.NATIVE
        )
    yield compose(ModelQuery(pictures=(PICTURE,) * 3, at_s=(0.0, 1.0, 9.0), questions=(need(),)), SchemaMode.NATIVE)
    yield compose(query(behavior(OLDEST), need()), SchemaMode.NATIVE)
    yield compose(query(behavior(), observations=observations({}, "calc")), SchemaMode.NATIVE)
    for sentence in prompts.REPAIRS.values():
        yield compose(LIVE, SchemaMode.PROMPTED, sentence)


def test_words_change_only_with_their_version() -> None:
    """Logged answers and calibration name the version, so the same version always means the same words."""
    words = "\0".join(
        "\0".join((each.system, each.before, each.after, json.dumps(each.schema))) for each in all_wordings()
    )
    assert sha256(words.encode()).hexdigest() == PINNED.get(prompts.VERSION), (
        "the words for models have changed: raise prompts.VERSION and pin the new digest beside the old ones"
    )


def test_several_states_are_said_in_their_order() -> None:
    words = question_text(need(QuestionContext(behavior=(State.DEBUGGING, State.WAITING))))
    first, second = (prompts.state_text(state) for state in (State.DEBUGGING, State.WAITING))
    assert f"{first} Then: {second}" in words


def test_the_text_before_the_pictures_is_constant() -> None:
    """A server with a prompt cache reads the pictures of a nested prefix once."""
    assert len({(each.system, each.before) for each in all_wordings()}) == 1


def test_every_condition_is_worded() -> None:
    for question in conditions():
        text = compose(query(question), SchemaMode.JSON_SCHEMA).after
        assert "{state}" not in text
        assert "{key}" not in text
        assert ("Just before the first screenshot" in text) == (question.given.previous is not None)
        assert (prompts.STATES[State.FRUSTRATION].meaning in text) == (
            State.FRUSTRATION in question.given.behavior or question.task is Task.BEHAVIOR
        )
        assert ("What the person wants to get done is known" in text) == (question.given.intent is not None)
        assert question_text(question) in text.replace("Question ", "").replace(f"{question.key}: ", "").replace(
            "\n\n", "\n"
        )


def test_a_shared_context_is_worded_once() -> None:
    """Questions that share their condition do not repeat it; others each say their own."""
    shared = compose(query(behavior(OLDEST), need(OLDEST)), SchemaMode.NATIVE).after
    apart = compose(query(behavior(OLDEST), need()), SchemaMode.NATIVE).after
    assert shared.count("Just before") == 1
    assert apart.count("Just before") == 1
    assert apart.index("Just before") > apart.index("Question behavior")
    assert shared.index("Just before") < shared.index("Question behavior")


@pytest.mark.parametrize(
    "questions",
    [
        (behavior(), need(QuestionContext(behavior=(State.FRUSTRATION,)))),
        (intent(), content(given=QuestionContext(behavior=(State.WAITING,), intent="Export the page"))),
    ],
)
def test_no_question_gives_another_ones_answer_away(questions: tuple[ModelQuestion, ...]) -> None:
    """A condition that names the answer to another question would spoil the figures."""
    with pytest.raises(ValueError, match="is told what another question"):
        compose(query(*questions), SchemaMode.NATIVE)


@pytest.mark.parametrize(
    "questions",
    [
        (),
        (need(), need()),
        (ModelQuestion(key="notes", task=Task.NEED, form=AnswerForm.YES_NO),),
        (ModelQuestion(key="is it?", task=Task.NEED, form=AnswerForm.YES_NO),),
        (ModelQuestion(key="need", task=Task.NEED, form=AnswerForm.TEXT),),
        (intent(FOUR[0]),),
        (intent(*(Option(key=str(number), text="one") for number in range(10))),),
    ],
)
def test_questions_that_cannot_be_answered_are_a_mistake(questions: tuple[ModelQuestion, ...]) -> None:
    """Keys must tell questions apart, and letters must be enough."""
    with pytest.raises(ValueError, match=r"question|words|options"):
        compose(query(*questions), SchemaMode.NATIVE)


def test_letters_stand_for_labels() -> None:
    assert letters(intent(*FOUR)) == {"A": "align", "B": "export", "C": "font", "D": "legend"}
    assert list(letters(behavior())) == list("ABCDEFGHI")
    assert letters(need()) == {"yes": "yes", "no": "no"}
    assert letters(intent()) == {}


def _keywords(schema: object) -> set[str]:
    if not isinstance(schema, dict):
        return set()
    inner = [value for key, value in schema.items() if key != "properties"]
    inner += list(schema.get("properties", {}).values())
    return set(schema).union(*map(_keywords, inner))


def test_schemas_use_only_what_every_server_knows() -> None:
    """Lengths and ranges are refused by some; every object is closed and asks for all it names."""
    for each in all_wordings():
        assert _keywords(each.schema) <= {"type", "properties", "required", "additionalProperties", "enum"}
        assert each.schema["additionalProperties"] is False
    schema = compose(query(behavior(), need(), content(), reasoned=True), SchemaMode.NATIVE).schema
    assert schema["required"] == ["notes", "behavior", "need", "content"]
    assert list(schema["properties"]) == schema["required"]  # type: ignore[call-overload]  # a mapping, as the line above shows


def test_notes_are_requested_on_demand_only() -> None:
    """Thinking aloud costs the seconds that a live answer does not have."""
    plain, reasoned = (compose(query(need(), reasoned=on), SchemaMode.NATIVE) for on in (False, True))
    assert "notes" not in plain.after + json.dumps(plain.schema)
    assert '{"notes": "<words>", "need"' in reasoned.after


def test_a_repair_comes_last() -> None:
    """What was wrong stands where a model reads it best, and changes nothing before it."""
    first, again = (compose(LIVE, SchemaMode.NATIVE, repair) for repair in ("", "It was too long."))
    assert again.after.startswith(first.after)
    assert again.after.endswith("It was too long.")


def test_times_are_worded() -> None:
    uneven = ModelQuery(pictures=(PICTURE,) * 3, at_s=(0.0, 1.0, 9.0), questions=(need(),))
    assert "Those were 3 screenshots, taken at these seconds: 0.0 1.0 9.0." in compose(uneven, SchemaMode.NATIVE).after
    assert "Those were 4 screenshots, one every 0.75 s or so" in compose(LIVE, SchemaMode.NATIVE).after


@given(st.text(max_size=700))
def test_foreign_text_stays_in_its_line(words: str) -> None:
    asks = (
        query(intent(FOUR[0], Option(key="other", text=words))),
        query(content(given=QuestionContext(behavior=(State.WAITING,), intent=words))),
        query(need(), observations=words.replace("\n", " ").replace("\r", " ")),
    )
    for each in asks:
        usual = {question.key: question for question in each.questions}
        text = compose(each, SchemaMode.PROMPTED).after
        assert text.count("\nHow to reply:") == 1
        assert text.count("\nQuestion ") == len(usual)
        assert text.isprintable() or all(sign.isprintable() or sign == "\n" for sign in text)
    quoted = compose(asks[1], SchemaMode.PROMPTED).after.split("is known: ")[1].split("\n")[0]
    assert quoted.startswith('"')
    assert quoted.endswith('"')
    assert quoted.count('"') == len('""')


def test_all_nine_states_have_words_of_their_own() -> None:
    assert {option.key for option in prompts.STATE_OPTIONS} == set(State)
    assert len({words.name for words in prompts.STATES.values()}) == len(State)
