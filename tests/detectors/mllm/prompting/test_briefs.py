"""What models read of a brief: its own words and shape, nothing of the four tasks."""

import json
from collections.abc import Iterator
from hashlib import sha256

import pytest

from detectors.mllm.prompting import briefs, prompts
from detectors.mllm.prompting.wording import Wording, compose
from detectors.mllm.protocol import SchemaMode
from detectors.mllm.questions import (
    AnswerField,
    AnswerForm,
    Brief,
    EnumShape,
    IntegerShape,
    ListShape,
    ModelQuery,
    ModelQuestion,
    ObjectShape,
    Shape,
    TextShape,
    with_fewer_pictures,
)
from tests.fakes.mllm.briefs import brief, object_query
from tests.fakes.mllm.questions import need

PINNED = {"1": "3d4200fa"}
"""The digest of all wordings around briefs, by version; a changed sentence needs a new version and a new line here."""


def all_wordings() -> Iterator[Wording]:
    for mode in SchemaMode:
        for pictures in (0, 1, 3):
            yield compose(object_query(pictures), mode)
    for rule in briefs.RULES.values():
        yield compose(object_query(), SchemaMode.PROMPTED, rule)
    several = ObjectShape(fields=(AnswerField(name="parts", shape=ListShape(of=TextShape(limit=9), least=1, most=4)),))
    yield compose(object_query(asked=Brief(system="s", words="w", shape=several)), SchemaMode.NATIVE)


def test_words_change_only_with_their_version() -> None:
    """Stored answers name the version, so the same version always means the same words."""
    words = "\0".join("\0".join((each.before, each.after, json.dumps(each.schema))) for each in all_wordings())
    places = f"{briefs.PLACE}\0{briefs.ENTRY}\0{briefs.WITHIN}"
    digest = sha256(f"{words}\0{places}".encode()).hexdigest()[:8]
    assert digest == PINNED.get(briefs.VERSION), (
        "the words around briefs have changed: raise briefs.VERSION and pin the new digest beside the old ones"
    )


def test_a_brief_brings_its_own_instructions() -> None:
    words = compose(object_query(2), SchemaMode.JSON_SCHEMA)
    assert words.system == "You judge a piece of work."
    assert words.before == prompts.BEFORE
    assert words.after.startswith("What the screenshots show, in their order:\n1. after step 0\n2. after step 1\n\n")
    assert "The steps: 3 to 7." in words.after
    assert '"step": <which step; a whole number from 3 to 7>' in words.after
    assert "sure" not in words.after


def test_the_schema_has_shapes_and_words_of_ours_but_no_lengths() -> None:
    """Several servers refuse lengths and ranges; the words name them."""
    words = compose(object_query(), SchemaMode.NATIVE)
    text = json.dumps(words.schema)
    assert not {"maxLength", "minimum", "maximum", "maxItems", "minItems"} & set(text.replace('"', " ").split())
    assert words.schema["required"] == ["reasoning", "verdict", "root_cause", "recovered", "problems"]
    properties = words.schema["properties"]
    assert isinstance(properties, dict)
    assert properties["verdict"] == {"type": "string", "enum": ["success", "partial", "fail"]}
    assert properties["problems"]["items"]["additionalProperties"] is False


def test_a_picture_that_is_left_out_takes_its_caption_along() -> None:
    full = object_query(9)
    fewer = with_fewer_pictures(full, 3)
    kept = [full.pictures.index(picture) for picture in fewer.pictures]
    assert kept == [0, 4, 8]
    assert fewer.captions == tuple(full.captions[index] for index in kept)
    assert fewer.at_s == ()


@pytest.mark.parametrize(
    "shape",
    [
        ObjectShape(fields=()),
        ObjectShape(fields=(AnswerField(name="a b", shape=TextShape(limit=3)),)),
        ObjectShape(fields=(AnswerField(name="a", shape=TextShape(limit=3)),) * 2),
        TextShape(limit=0),
        IntegerShape(least=2, most=1),
        EnumShape(values=()),
        EnumShape(values=("yes", "Yes")),
        ListShape(of=TextShape(limit=3), most=-1),
        ListShape(of=EnumShape(values=()), most=2),
    ],
)
def test_shapes_that_nobody_could_answer_are_refused(shape: Shape) -> None:
    """They are mistakes of the caller."""
    root = shape if isinstance(shape, ObjectShape) else ObjectShape(fields=(AnswerField(name="x", shape=shape),))
    with pytest.raises(ValueError, match=r"properties|text|number|choice|list"):
        compose(object_query(asked=Brief(system="s", words="w", shape=root)), SchemaMode.NATIVE)


def test_a_brief_is_asked_alone() -> None:
    question = ModelQuestion(key="judgement", form=AnswerForm.OBJECT, brief=brief())
    wrong = (
        ModelQuery(pictures=(), at_s=(), questions=(question, need())),
        ModelQuery(pictures=(), at_s=(), questions=(ModelQuestion(key="judgement", form=AnswerForm.OBJECT),)),
        ModelQuery(pictures=(), at_s=(), questions=(ModelQuestion(key="need", form=AnswerForm.YES_NO, brief=brief()),)),
        ModelQuery(pictures=(), at_s=(), questions=(question,), captions=("one too many",)),
    )
    for each in wrong:
        with pytest.raises(ValueError, match=r"brief|captions|words"):
            compose(each, SchemaMode.NATIVE)


def test_a_brief_without_pictures_does_not_speak_of_them() -> None:
    words = compose(object_query(), SchemaMode.JSON_SCHEMA)
    assert words.before == ""
    assert "creenshot" not in words.after
    assert "creenshot" in compose(object_query(1), SchemaMode.JSON_SCHEMA).after
