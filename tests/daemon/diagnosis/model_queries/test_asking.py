"""Asking for judgements: stored ones are not asked again, retries end, and every end is counted."""

import asyncio
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from daemon.diagnosis.model_queries.answers import FILE, AnswerFile
from daemon.diagnosis.model_queries.asking import Asker, Inquiry, QueryReply
from detectors.mllm.questions import FailureReason, ModelQuery
from storage.errors import EnvironmentFault
from tests.fakes.mllm.briefs import GOOD, brief
from tests.fakes.mllm.model_queries import RuledModel
from tests.fakes.mllm.sample_queries import picture

INQUIRY = Inquiry(kind="verdict", brief=brief(), pictures=(picture(1), picture(2)), captions=("before", "after"))
FAILS = FailureReason.NONSENSE


def model_of(*results: Mapping[str, object] | FailureReason) -> RuledModel:
    left = list(results)

    def rule(_: ModelQuery) -> Mapping[str, object] | FailureReason:
        return left.pop(0) if len(left) > 1 else left[0]

    return RuledModel(rule)


def asker(model: RuledModel, answers: AnswerFile | None = None, **options: object) -> tuple[Asker, list[float]]:
    paused: list[float] = []

    async def sleep(seconds: float) -> None:
        paused.append(seconds)

    made = {"identity": "m", "version": "1", "sleep": sleep, **options}
    return Asker(model, answers, **made), paused  # type: ignore[arg-type]  # options of several kinds


def ask(one: Asker, *inquiries: Inquiry) -> list[QueryReply]:
    async def all_of() -> list[QueryReply]:
        return [await one.ask(inquiry) for inquiry in inquiries or (INQUIRY,)]

    return asyncio.run(all_of())


@pytest.fixture
def answers(tmp_path: Path) -> Iterator[AnswerFile]:
    with AnswerFile(tmp_path / FILE) as file:
        yield file


def test_a_missed_deadline_is_stored_with_its_name(answers: AnswerFile) -> None:
    """The same command asks no more, more retries do; control: it is not stored where nobody can ask for more."""
    late = FailureReason.DEADLINE
    model = model_of(late, late, late, GOOD)
    assert ask(asker(model, answers, retries=0)[0])[0].trouble is late
    for _ in range(2):
        one, _ = asker(model, answers, retries=1, stores_late=True)
        assert ask(one)[0].trouble is FailureReason.DEADLINE
        assert one.counts.unanswered == {"deadline": 1}
    assert len(model.asked) == 3
    assert ask(asker(model, answers, retries=2)[0])[0].facts == GOOD


def test_a_model_that_takes_no_pictures_is_asked_without_them(answers: AnswerFile) -> None:
    model = replace(model_of(GOOD), is_blind=True)
    for sent in (1, 0):
        one, _ = asker(model, answers)
        assert ask(one) == [QueryReply(facts=GOOD, shown=0, given=2)]
        assert (one.counts.sent, one.counts.pictures_left_out, one.counts.usage.calls) == (sent, 2, 2)
    assert [len(query.pictures) for query in model.asked] == [2, 0]


def test_a_judgement_is_asked_once(answers: AnswerFile) -> None:
    model = model_of(GOOD)
    first, _ = asker(model, answers)
    (judged,) = ask(first)
    assert judged == QueryReply(facts=GOOD, shown=2, given=2)
    second, _ = asker(model, answers)
    assert ask(second) == [judged]
    assert len(model.asked) == 1
    assert (first.counts.sent, second.counts.sent) == (1, 0)
    assert second.counts.asked == first.counts.asked == {"verdict": 1}
    assert second.counts.usage == first.counts.usage


def test_each_difference_is_another_question(answers: AnswerFile) -> None:
    model = model_of(GOOD)
    inquiries = (
        INQUIRY,
        replace(INQUIRY, repeat=1),
        replace(INQUIRY, pictures=INQUIRY.pictures[::-1]),
        replace(INQUIRY, captions=("before", "later")),
        replace(INQUIRY, kind="quality"),
    )
    ask(asker(model, answers)[0], *inquiries)
    ask(asker(model, answers, version="2")[0])
    ask(asker(model, answers, identity="n")[0])
    assert len(model.asked) == len(inquiries) + 2
    ask(asker(model, answers)[0], *inquiries)
    assert len(model.asked) == len(inquiries) + 2


def test_retries_pause_longer_each_time_and_end_in_no_answer(answers: AnswerFile) -> None:
    model = model_of(FAILS)
    one, paused = asker(model, answers, retries=2)
    (judged,) = ask(one)
    assert judged.trouble is FAILS
    assert judged.facts == {}
    assert paused == [1.0, 2.0]
    assert len(model.asked) == 3
    assert one.counts.unanswered == {"nonsense": 1}
    ask(asker(model, answers, retries=2)[0])
    assert len(model.asked) == 3
    ask(asker(model, answers, retries=4)[0])
    assert len(model.asked) == 5


@pytest.mark.parametrize("trouble", [FailureReason.REFUSED, FailureReason.TOO_LONG])
def test_what_would_be_the_same_again_is_not_retried(answers: AnswerFile, trouble: FailureReason) -> None:
    model = model_of(trouble)
    (judged,) = ask(asker(model, answers)[0])
    assert judged.trouble is trouble
    assert len(model.asked) == 1


@pytest.mark.parametrize(
    ("trouble", "tries"),
    [
        (FailureReason.UNREACHABLE, 3),
        (FailureReason.NO_KEY, 1),
        (FailureReason.NOT_ALLOWED, 1),
        (FailureReason.OVER_BUDGET, 1),
        (FailureReason.ON_BATTERY, 1),
    ],
)
def test_what_every_question_would_meet_stops_the_run(answers: AnswerFile, trouble: FailureReason, tries: int) -> None:
    model = model_of(GOOD, trouble)
    one, _ = asker(model, answers)
    with pytest.raises(EnvironmentFault, match="does not answer"):
        ask(one, INQUIRY, replace(INQUIRY, kind="quality"))
    assert len(model.asked) == 1 + tries
    assert ask(asker(model_of(GOOD), answers)[0])[0].facts == GOOD


def test_a_retry_that_is_answered_is_an_answer(answers: AnswerFile) -> None:
    one, paused = asker(model_of(FAILS, FailureReason.BUSY, GOOD), answers, retries=2)
    (judged,) = ask(one)
    assert judged.facts == GOOD
    assert len(paused) == 2
    assert one.counts.usage.calls == 3
    assert not one.counts.unanswered


def test_a_busy_server_is_no_answer_now_and_asked_again_by_the_next_run(answers: AnswerFile) -> None:
    """It may be over by then, so it is not stored."""
    model = model_of(FailureReason.BUSY)
    (judged,) = ask(asker(model, answers, retries=1)[0])
    assert judged.trouble is FailureReason.BUSY
    ask(asker(model, answers, retries=1)[0])
    assert len(model.asked) == 4


def test_pictures_that_did_not_fit_are_counted() -> None:
    """So that a report can say so."""
    model = model_of(GOOD)
    model.pictures_max = 1
    one, _ = asker(model)
    (judged,) = ask(one)
    assert (judged.shown, judged.given) == (1, 2)
    assert (one.counts.pictures_most, one.counts.pictures_left_out) == (1, 1)
