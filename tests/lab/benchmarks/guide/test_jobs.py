"""Single questions with a right answer, and scripted models that err at their stated rates."""

import asyncio
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

import pytest

from daemon.diagnosis.model_queries.answers import answer_key
from detectors.mllm.prompting.wording import question_text
from detectors.mllm.questions import AnswerForm, Confidence, FailureReason, ModelQuery, ModelQuestion, Option, Task
from lab.benchmarks.guide.clips import Choice, Clip, draw_distractors, meanings
from lab.benchmarks.guide.jobs import CONTEXTS, Context, GuidePlan, about_clip, items_of
from lab.benchmarks.guide.models import SCRIPTS, PrefixTruth, ScriptedModel, scripted
from storage.errors import UsageError
from storage.records import State

WHOLE_CLIP = Clip(
    key="v 1",
    video="v",
    app="calc",
    start_s=10.0,
    end_s=34.0,
    states=(State.DEBUGGING,),
    asks_behavior=True,
    previous=State.FRUSTRATION,
    aim="mend the sum",
    intent=Choice(right="mend the sum", wrong=("draw a chart", "print it", "name the sheet"), ours=True),
    need=True,
    content=Choice(right="say why", wrong=("say where", "say when", "say who"), ours=True),
)


def test_every_context_of_every_task_is_asked_and_prefixes_without_context_alone() -> None:
    items = list(items_of(WHOLE_CLIP, GuidePlan()))
    asked = Counter((item.task, item.context, item.percent) for item in items if item.pair is None)
    assert {(task, context) for task, context, percent in asked if percent == 100} == {
        (task, context) for task in Task for context in CONTEXTS[task]
    }
    assert all(context is Context.NONE for _, context, percent in asked if percent != 100)
    assert set(asked.values()) == {1}
    assert len(items) == 10 + 3 * 4 + 2 * 3


def test_need_is_asked_of_the_whole_stretch() -> None:
    """As the paper asks it; what a person is asked live is about the last picture, and its key is as it was."""
    (question,) = {
        item.question
        for item in items_of(WHOLE_CLIP, GuidePlan(percents=(100,)))
        if (item.task, item.context) == (Task.NEED, Context.NONE)
    }
    assert "in this stretch of work" in question_text(question)
    live = replace(question, of_stretch=False)
    assert "at the time of the last screenshot" in question_text(live)
    queries = [ModelQuery(pictures=(), at_s=(), questions=(each,)) for each in (question, live)]
    assert len({answer_key("m", "1", query) for query in queries}) == 2


def test_a_question_gives_its_context_and_nothing_else() -> None:
    """Each question knows what its context gives, and never its own answer's neighbours."""
    given = {
        (item.task, item.context): item.question.given for item in items_of(WHOLE_CLIP, GuidePlan(percents=(100,)))
    }
    assert given[Task.BEHAVIOR, Context.NONE].previous is None
    assert given[Task.BEHAVIOR, Context.PREVIOUS].previous is State.FRUSTRATION
    assert given[Task.INTENT, Context.BEHAVIOR].behavior == (State.DEBUGGING,)
    assert given[Task.INTENT, Context.BEHAVIOR].intent is None
    both = given[Task.CONTENT, Context.BEHAVIOR_INTENT]
    assert (both.behavior, both.intent, both.previous) == ((State.DEBUGGING,), "mend the sum", None)


def test_a_question_says_where_in_which_recording_the_clip_lies() -> None:
    """Program, task and times (H15 to H18); a name cannot end its quotes."""
    clip = replace(WHOLE_CLIP, app='ca"lc', task='plan a "party"')
    assert about_clip(clip).splitlines() == [
        'The program in front: "ca\'lc".',
        "The task of the whole recording: \"plan a 'party'\".",
        "The clip: seconds 10.0 to 34.0 of the recording.",
    ]
    assert about_clip(replace(clip, app="", task="")) == "The clip: seconds 10.0 to 34.0 of the recording."


def test_missing_labels_lead_to_no_question() -> None:
    bare = Clip(key="k", video="v", app="a", start_s=0.0, end_s=9.0, intent=WHOLE_CLIP.intent)
    items = list(items_of(bare, GuidePlan()))
    assert {item.task for item in items} == {Task.INTENT}
    assert {item.context for item in items} == {Context.NONE}


def test_the_right_key_names_the_right_text_wherever_it_stands() -> None:
    """Options are shuffled by the clip, so the right one is not always in one place."""
    places: Counter[tuple[bool, str]] = Counter()
    for number in range(60):
        clip = Clip(key=f"c{number}", video="v", app="a", start_s=0.0, end_s=9.0, intent=WHOLE_CLIP.intent)
        for item in items_of(clip, GuidePlan(percents=(25, 100))):
            texts = {option.key: option.text for option in item.question.options}
            assert texts[item.right] == "mend the sum"
            assert len(set(texts.values())) == len(texts) == (2 if item.pair else 4)
            places[item.pair is None, item.right] += 1
    assert len(places) == 6
    assert min(places.values()) > 15


def test_both_orders_ask_each_pair_twice_the_other_way_round() -> None:
    pairs = [item for item in items_of(WHOLE_CLIP, GuidePlan(both_orders=True)) if item.pair is not None]
    assert len(pairs) == 2 * 3 * 2
    for item in pairs:
        assert item.question.form is AnswerForm.CHOICE
        twin = next(
            pair
            for pair in pairs
            if pair.task is item.task and pair.pair and item.pair and pair.pair.against == item.pair.against
            if pair.pair.swapped is not item.pair.swapped
        )
        assert [option.text for option in twin.question.options] == [
            option.text for option in reversed(item.question.options)
        ]
        assert twin.right != item.right


@pytest.mark.parametrize("name", ["intent", "help"])
def test_distractors_never_mean_the_right_answer_or_each_other(name: str) -> None:
    rows = meanings()[name]
    row_of = {text: number for number, row in enumerate(rows) for text in row}
    for right in row_of:
        wrong = draw_distractors(right, rows, seed="1")
        assert len({row_of[text] for text in (right, *wrong)}) == 4
        assert wrong == draw_distractors(right, rows, seed="1")
    assert len({draw_distractors(next(iter(row_of)), rows, seed=str(seed)) for seed in range(20)}) > 10


NEED = ModelQuestion(key="need", task=Task.NEED, form=AnswerForm.YES_NO)
BEHAVIOR = ModelQuestion(
    key="behavior",
    task=Task.BEHAVIOR,
    form=AnswerForm.CHOICE,
    options=tuple(Option(key=state, text=state) for state in State),
)
INTENT = ModelQuestion(key="intent", task=Task.INTENT, form=AnswerForm.TEXT)
ASK = ModelQuery(pictures=(), at_s=(), questions=(NEED, BEHAVIOR, INTENT))
TRUTH = {"need": "yes", "behavior": State.DEBUGGING.value, "intent": "sum a column"}
MANY = 2000


def known(number: int, need: str = "yes") -> PrefixTruth:
    return PrefixTruth(place=str(number), truth=TRUTH | {"need": need})


def said(model: ScriptedModel, need: str) -> Iterator[bool]:
    for number in range(MANY):
        yield model.about(known(number, need)).answer(NEED, need).choice == "yes"


@pytest.mark.parametrize("name", list(SCRIPTS))
def test_rates_are_those_of_the_script(name: str) -> None:
    model = scripted(f"scripted:{name}")
    off = 0.03
    assert sum(said(model, "yes")) / MANY == pytest.approx(model.script.recall, abs=off)
    assert sum(said(model, "no")) / MANY == pytest.approx(model.script.false_positives, abs=off)
    states = [model.about(known(number)).answer(BEHAVIOR, TRUTH["behavior"]).choice for number in range(MANY)]
    assert states.count(TRUTH["behavior"]) / MANY == pytest.approx(model.script.states, abs=off)
    assert set(states) == set(State)


def test_an_ask_is_answered_the_same_each_time() -> None:
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


def test_without_a_known_truth_there_is_no_answer() -> None:
    """Without being told the prefix there is no answer, and an unknown name is refused."""
    assert asyncio.run(scripted("local").ask(ASK, deadline_s=1.0)).failure is FailureReason.NONSENSE
    with pytest.raises(UsageError, match="no scripted model"):
        scripted("scripted:weak")
