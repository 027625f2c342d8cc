"""Scripted models err at their stated rates, the same each time, and apart from one another."""

import asyncio
from collections.abc import Iterator

import pytest

from detectors.mllm.questions import AnswerForm, Confidence, FailureReason, ModelQuery, Option, Question, Task
from lab.benchmarks.guide.models import SCRIPTS, Errors, PrefixTruth, ScriptedModel, scripted
from storage.errors import UsageError
from storage.records import State

NEED = Question(key="need", task=Task.NEED, form=AnswerForm.YES_NO)
BEHAVIOR = Question(
    key="behavior",
    task=Task.BEHAVIOR,
    form=AnswerForm.CHOICE,
    options=tuple(Option(key=one, text=one) for one in State),
)
INTENT = Question(key="intent", task=Task.INTENT, form=AnswerForm.TEXT)
ASK = ModelQuery(pictures=(), at_s=(), questions=(NEED, BEHAVIOR, INTENT))
TRUTH = {"need": "yes", "behavior": State.DEBUGGING.value, "intent": "sum a column"}
MANY = 2000


def known(number: int, need: str = "yes") -> PrefixTruth:
    """Return a prefix: four to a window, fifty windows to a session."""
    window = str(number // 4 % 50)
    return PrefixTruth(
        item=f"s{number // 200}", window=window, prefix=f"w{window}/{number % 4}", truth=TRUTH | {"need": need}
    )


def said(model: ScriptedModel, need: str) -> Iterator[bool]:
    """Yield whether the model says yes, prefix by prefix."""
    for number in range(MANY):
        yield model.about(known(number, need)).answer(NEED, need).choice == "yes"


@pytest.mark.parametrize("name", ["strong", "local", "strong/window", "local/window"])
def test_rates_are_those_of_the_script(name: str) -> None:
    """Over many prefixes recall, false positives and states come out as stated."""
    model = scripted(f"scripted:{name}")
    off = 0.06 if model.errors is Errors.EACH_WINDOW else 0.03
    assert sum(said(model, "yes")) / MANY == pytest.approx(model.script.recall, abs=off)
    assert sum(said(model, "no")) / MANY == pytest.approx(model.script.false_positives, abs=off)
    states = [model.about(known(number)).answer(BEHAVIOR, TRUTH["behavior"]).choice for number in range(MANY)]
    assert states.count(TRUTH["behavior"]) / MANY == pytest.approx(model.script.states, abs=off)
    assert set(states) == set(State)


def test_errors_of_a_window_are_shared_in_one_variant_alone() -> None:
    """All prefixes of a window are answered alike where errors belong to windows, and not where they do not."""
    for name, alike in (("strong/window", True), ("strong", False)):
        model = scripted(name)
        answers = list(said(model, "yes"))
        windows = [answers[at : at + 4] for at in range(0, MANY, 4)]
        assert all(len(set(one)) == 1 for one in windows) is alike


def test_the_two_models_err_apart() -> None:
    """That one model misses a need says nothing about the other."""
    strong, local = (list(said(scripted(name), "yes")) for name in SCRIPTS)
    both = sum(one and other for one, other in zip(strong, local, strict=True)) / MANY
    assert both == pytest.approx(0.85 * 0.70, abs=0.03)


def test_an_ask_is_answered_the_same_each_time() -> None:
    """Every question has its answer, with a distribution over its labels, and asking again changes nothing."""
    model = scripted("scripted:strong").about(known(7))
    first, second = (asyncio.run(model.ask(ASK, deadline_s=1.0)) for _ in range(2))
    assert first == second
    assert first.answers.keys() == TRUTH.keys()
    for question in (NEED, BEHAVIOR):
        answer = first.answers[question.key]
        assert set(answer.distribution) == set(question.labels)
        assert sum(answer.distribution.values()) == pytest.approx(1.0)
        assert answer.confidence is Confidence.LABEL_ONLY
    assert first.usage.calls == 1
    assert first.usage.dollars > 0.0


def test_without_a_known_truth_there_is_no_answer() -> None:
    """Without being told the prefix there is no answer, and an unknown name is refused."""
    assert asyncio.run(scripted("local").ask(ASK, deadline_s=1.0)).failure is FailureReason.NONSENSE
    for name in ("scripted:weak", "strong/session"):
        with pytest.raises(UsageError, match="no scripted model"):
            scripted(name)
