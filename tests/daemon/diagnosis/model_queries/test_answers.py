"""Stored answers: found again by the whole question, never by half of it, and never in another program's file."""

import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest

from daemon.diagnosis.model_queries import answers as answer_files
from daemon.diagnosis.model_queries.answers import FILE, FINAL, AnswerFile, StoredAnswer, answer_key
from detectors.mllm.prompting.prompts import STATE_OPTIONS
from detectors.mllm.questions import (
    AnswerField,
    AnswerForm,
    Brief,
    Confidence,
    EnumShape,
    FailureReason,
    ModelQuery,
    ModelQuestion,
    ModelResult,
    ObjectShape,
    ParsedAnswer,
    QueryPicture,
    QuestionContext,
    Task,
    Usage,
)
from storage.errors import BadFile, EnvironmentFault
from storage.records import State

QUESTION = ModelQuestion(key="answer", task=Task.NEED, form=AnswerForm.YES_NO)
ASK = ModelQuery(pictures=(QueryPicture(digest="a", jpeg=b"1", base64=b"MQ=="),), at_s=(0.0,), questions=(QUESTION,))


def test_an_answer_is_found_again_with_all_that_is_known_of_it(tmp_path: Path) -> None:
    """Also by another opening of the same file, as after a kill."""
    answers = ModelResult(
        answers={"answer": ParsedAnswer(distribution={"yes": 0.7, "no": 0.3}, confidence=Confidence.LOG_PROBABILITIES)},
        usage=Usage(calls=1, tokens_in=9, dollars=0.25),
        latency_s=1.5,
        model="m",
        pictures=32,
    )
    kept = StoredAnswer.of(answers, "answer")
    with AnswerFile(tmp_path / FILE) as file:
        file.put("key", kept)
    with AnswerFile(tmp_path / FILE) as file:
        assert file.get("key") == kept
        assert file.get("other") is None
    assert kept.choice == "yes"


def test_a_key_covers_a_brief() -> None:
    shape = ObjectShape(fields=(AnswerField(name="verdict", shape=EnumShape(values=("yes", "no"))),))
    other = ObjectShape(fields=(AnswerField(name="verdict", shape=EnumShape(values=("yes", "perhaps"))),))
    briefs = (
        Brief(system="s", words="w", shape=shape),
        Brief(system="t", words="w", shape=shape),
        Brief(system="s", words="v", shape=shape),
        Brief(system="s", words="w", shape=other),
    )
    questions = [ModelQuestion(key="answer", form=AnswerForm.OBJECT, brief=brief) for brief in briefs]
    asks = [replace(ASK, at_s=(), questions=(question,)) for question in questions]
    asks.append(replace(asks[0], captions=("before step 1",)))
    assert len({answer_key("m", "1", ask) for ask in asks}) == len(asks)
    again = replace(briefs[0], check=lambda _: "")
    assert answer_key("m", "1", asks[0]) == answer_key(
        "m", "1", replace(asks[0], questions=(replace(questions[0], brief=again),))
    )


def test_a_key_covers_all_that_an_answer_hangs_on() -> None:
    other = replace(ASK.pictures[0], digest="b")
    given = replace(QUESTION, given=replace(QUESTION.given, behavior=(State.WAITING,)))
    asks = (
        ASK,
        replace(ASK, pictures=(other,)),
        replace(ASK, pictures=(*ASK.pictures, other)),
        replace(ASK, at_s=(0.5,)),
        replace(ASK, questions=(given,)),
        replace(ASK, reasoned=True),
        replace(ASK, observations="7 undos"),
    )
    keys = {answer_key("m", "1", ask) for ask in asks} | {answer_key("n", "1", ASK), answer_key("m", "2", ASK)}
    assert len(keys) == len(asks) + 2
    assert answer_key("m", "1", ASK) == answer_key("m", "1", replace(ASK))


@pytest.mark.parametrize("trouble", list(FailureReason))
def test_a_failure_has_no_choice_and_is_stored_only_if_it_is_the_models(trouble: FailureReason) -> None:
    """A line that was down may be up by the next run; a refusal is an answer of a kind."""
    kept = StoredAnswer.of(ModelResult(failure=trouble), "answer")
    assert kept.choice is None
    assert kept.is_final is (trouble in FINAL)


def test_another_file_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / FILE
    path.write_bytes(b"something else, and long enough to be no database at all" * 20)
    before = path.read_bytes()
    with pytest.raises(BadFile, match="holds no answers"):
        AnswerFile(path)
    assert path.read_bytes() == before


def test_a_file_that_another_program_keeps_to_itself_is_not_called_damaged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(answer_files, "_BUSY_S", 0.01)
    with AnswerFile(tmp_path / FILE) as file:
        other = sqlite3.connect(tmp_path / FILE, isolation_level=None)
        other.execute("BEGIN EXCLUSIVE")
        for use in (
            lambda: AnswerFile(tmp_path / FILE),
            lambda: file.get("key"),
            lambda: file.put("key", StoredAnswer()),
        ):
            with pytest.raises(EnvironmentFault, match="is locked"):
                use()
        other.execute("ROLLBACK")
        other.close()
        assert file.get("key") is None


def test_an_answer_that_was_changed_is_refused(tmp_path: Path) -> None:
    with AnswerFile(tmp_path / FILE) as file:
        file._connection.execute("INSERT INTO answers VALUES ('key', '{\"distribution\": 3}')")
        with pytest.raises(BadFile, match="no answer"):
            file.get("key")


def test_keys_of_answers_stay() -> None:
    """Answers that were paid for are found again by later versions."""
    previous = QuestionContext(previous=State.WAITING)
    behavior = ModelQuestion(
        key="answer", task=Task.BEHAVIOR, form=AnswerForm.CHOICE, options=STATE_OPTIONS, given=previous
    )
    without_pictures = ModelQuery(pictures=(), at_s=(), questions=(behavior,), reasoned=True)
    assert answer_key("m", "1", without_pictures).startswith("dee4802b1391cf8758c55cb400d6c003")
    picture = QueryPicture(digest="0" * 64, jpeg=b"", base64=b"")
    of_need = ModelQuery(pictures=(picture,), at_s=(1.0,), questions=(QUESTION,), observations="7 undos")
    assert answer_key("m", "1", of_need).startswith("e79ef223f47f7535f3e8f969f066a804")


def test_facts_are_stored(tmp_path: Path) -> None:
    facts = {"verdict": "partial", "problems": [{"step": 3, "cause": "x"}], "sure": True}
    stored = StoredAnswer.of(ModelResult(answers={"answer": ParsedAnswer(facts=facts)}), "answer")
    assert stored.trouble is None
    with AnswerFile(tmp_path / FILE) as file:
        file.put("key", stored)
        assert file.get("key") == stored
    assert stored.facts == facts


def test_a_reply_without_the_answer_that_was_asked_for_is_nonsense() -> None:
    assert StoredAnswer.of(ModelResult(), "answer").trouble is FailureReason.NONSENSE


def test_a_file_whose_answers_are_damaged_is_named(tmp_path: Path) -> None:
    with AnswerFile(tmp_path / FILE) as file:
        file.put("key", StoredAnswer())
    content = (tmp_path / FILE).read_bytes()
    page = len(content) // 2  # the first page holds the names of tables, the second the answers
    (tmp_path / FILE).write_bytes(content[:page] + b"x" * page)
    with AnswerFile(tmp_path / FILE) as file, pytest.raises(BadFile, match="is asked again"):
        file.get("key")
